//! Options of an import.

use super::image_codec::SupportedBlockFormats;
use super::limits::ImportPolicy;
use super::progress::ImageProgress;
use super::resolver::FileResolver;
use std::sync::{Arc, OnceLock};

/// Options of an import.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// Loading of images.
    pub images: ImageLoading,
    /// Limits and file access.
    pub policy: ImportPolicy,
    /// Block-compressed formats that the GPU supports. The import waits up to 2 seconds until the cell is set.
    ///
    /// `None` always decodes to RGBA.
    pub supported_block_formats: Option<Arc<OnceLock<SupportedBlockFormats>>>,
    /// Reads external files; `None` reads them from the folder of the model.
    pub resolver: Option<FileResolver>,
    /// Counts decoded images.
    pub progress: Option<Arc<ImageProgress>>,
}

/// Loading of images.
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
