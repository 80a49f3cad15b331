//! Options of an import.

use super::image_codec::SupportedBlockFormats;
use super::limits::ImportPolicy;
use super::progress::ImageProgress;
use super::resolver::FileResolver;
use std::fmt;
use std::sync::Arc;

/// Options of an import.
///
/// ```
/// use rigview_core::import::{ImageLoading, ImportOptions};
///
/// let options = ImportOptions::default().with_images(ImageLoading::Skip);
/// ```
///
/// A program that needs joints and clips only, such as one that plays the clips of one file on the model of another:
///
/// ```
/// use rigview_core::import::{ImageLoading, ImportOptions, MeshLoading, open};
///
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// let options = ImportOptions::default().with_images(ImageLoading::Skip).with_meshes(MeshLoading::Skip);
/// let model = open(file, &options)?.model;
/// assert!(model.clips.len() == 2 && model.meshes[0].primitives.is_empty());
/// # Ok::<(), rigview_core::import::OpenError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ImportOptions {
    /// Whether images are decoded, left for later, or skipped.
    pub images: ImageLoading,
    /// Whether meshes are read or skipped.
    pub meshes: MeshLoading,
    /// Limits, and the files that may be read.
    pub policy: ImportPolicy,
    /// Returns the block-compressed formats that the GPU supports; `None` always decodes to RGBA.
    pub block_formats: Option<BlockFormatQuery>,
    /// Reads external files; `None` reads them from the folder of the model.
    pub resolver: Option<FileResolver>,
    /// Counts decoded images.
    pub progress: Option<Arc<ImageProgress>>,
    /// Maximum width and height of images in memory. Larger ones are halved until they fit, for small renderings.
    pub max_image_dimension: Option<u32>,
    /// Leaves out details of materials that a small rendering hardly shows: see
    /// [`Material::without_details`](crate::model::Material::without_details).
    pub plain_materials: bool,
}

impl ImportOptions {
    /// Returns the options with another [`images`](Self::images).
    pub fn with_images(self, images: ImageLoading) -> Self {
        Self { images, ..self }
    }

    /// Returns the options with another [`meshes`](Self::meshes).
    pub fn with_meshes(self, meshes: MeshLoading) -> Self {
        Self { meshes, ..self }
    }

    /// Returns the options with another [`policy`](Self::policy).
    pub fn with_policy(self, policy: ImportPolicy) -> Self {
        Self { policy, ..self }
    }

    /// Returns the options with [`block_formats`](Self::block_formats). An import calls the function once, if the file has KTX2 images.
    pub fn with_block_formats(self, formats: impl Fn() -> SupportedBlockFormats + Send + Sync + 'static) -> Self {
        Self { block_formats: Some(BlockFormatQuery(Arc::new(formats))), ..self }
    }

    /// Returns the options with a [`resolver`](Self::resolver).
    pub fn with_resolver(self, resolver: FileResolver) -> Self {
        Self { resolver: Some(resolver), ..self }
    }

    /// Returns the options with a [`progress`](Self::progress).
    pub fn with_progress(self, progress: Arc<ImageProgress>) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Returns the options with a [`max_image_dimension`](Self::max_image_dimension).
    pub fn with_max_image_dimension(self, texels: u32) -> Self {
        Self { max_image_dimension: Some(texels), ..self }
    }

    /// Returns the options with [`plain_materials`](Self::plain_materials).
    pub fn with_plain_materials(self) -> Self {
        Self { plain_materials: true, ..self }
    }
}

/// A function of the program that returns the block-compressed formats of its GPU.
#[derive(Clone)]
pub struct BlockFormatQuery(pub(super) Arc<dyn Fn() -> SupportedBlockFormats + Send + Sync>);

impl fmt::Debug for BlockFormatQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BlockFormatQuery")
    }
}

/// Loading of meshes.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeshLoading {
    /// Reads vertices and morph targets.
    #[default]
    Decode,
    /// Reads neither, and decompresses no Draco. Meshes have no primitives, but their names and morph weights.
    Skip,
}

/// Loading of images.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImageLoading {
    /// Decodes images that a material uses.
    #[default]
    Decode,
    /// Decodes images that the default materials use: those of primitives without a chosen material variant.
    DecodeWithoutVariants,
    /// Reads sizes only; texels stay empty.
    SizesOnly,
    /// Decodes like [`Decode`](Self::Decode) to find faults; texels stay empty.
    Verify,
    /// Reads no images; sizes are 0.
    Skip,
}
