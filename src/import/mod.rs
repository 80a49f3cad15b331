//! Imports glTF files: bytes to [`Asset`], and `Asset` to [`Model`].
//!
//! Files are untrusted. [`open`] and [`from_bytes`] return a model with a [`Diagnostic`] per element that is not shown as
//! stored, or an [`ImportError`] that names the invalid element. Every index is checked, no function recurses along the
//! file, and memory is bounded.
//!
//! The steps, each in its own file: the GLB container is split; the JSON is weighed, parsed and mended; buffers are
//! resolved; then hierarchy, meshes, skins, scenes, clips and images are read by one bounds-checked accessor reader.

mod accessor;
mod attributes;
#[cfg(feature = "avif")]
mod avif;
mod clip_transfer;
mod clips;
mod container;
mod diagnostic;
#[cfg(feature = "draco")]
mod draco;
mod error;
mod extensions;
mod hierarchy;
mod image_codec;
mod images;
mod influences;
mod instancing;
mod json;
#[cfg(feature = "basisu")]
mod ktx2;
mod lights;
mod limits;
mod material_extensions;
mod materials;
mod meshes;
mod meshopt;
mod normalize_json;
mod panorama;
mod pointers;
mod primitive;
mod progress;
mod scenes;
mod skins;
mod source;
#[cfg(test)]
mod tests;
mod texture_sources;
mod uri;
mod visibility;

pub use clip_transfer::{Unmatched, copy_clips_by_joint_name};
pub use diagnostic::{Diagnostic, JsonLocation};
pub use error::{AccessorError, ContainerError, ImportError};
pub use image_codec::BlockSupport;
pub use images::ImageLoading;
pub use limits::{ImportPolicy, Limit, Limits, MAX_JSON_DEPTH};
pub use panorama::{open_panorama, read_panorama};
pub use progress::ImageProgress;
pub use source::Asset;

// Shared with `check`.
pub(crate) use json::parse as parse_json;
pub(crate) use meshopt::decode_views;
pub(crate) use source::{ResourceError, read_external, read_main_file};
pub(crate) use uri::{data_type as data_uri_type, decode_data as decode_data_uri, is_data as is_data_uri};

use crate::model::{Material, Model};
use accessor::AccessorReader;
use diagnostic::Diagnostics;
use pointers::PointerResolver;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Options of an import.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// How images are loaded.
    pub images: ImageLoading,
    /// Limits and file access.
    pub policy: ImportPolicy,
    /// Block-compressed formats that the GPU supports, set once known; `None` always decodes to RGBA.
    pub blocks: Option<Arc<OnceLock<BlockSupport>>>,
    /// Counts decoded images.
    pub progress: Option<Arc<ImageProgress>>,
}

/// An imported file.
#[derive(Debug)]
pub struct Loaded {
    /// The content of the file.
    pub asset: Asset,
    /// The model.
    pub model: Model,
    /// Elements that are not shown as stored, in the order of their import.
    pub diagnostics: Vec<Diagnostic>,
    /// Unsupported extensions that the file requires.
    pub required_unsupported: Vec<String>,
}

/// Imports the file at `path` with its external buffers and images.
pub fn open(path: &Path, options: &ImportOptions) -> Result<Loaded, ImportError> {
    let bytes = source::read_main_file(path, &options.policy.limits)?;
    from_bytes(bytes, Some(path.parent().unwrap_or(Path::new(""))), options)
}

/// Imports a GLB container or JSON from memory.
///
/// External files are read from the folder `base`. Without it, they are an error.
pub fn from_bytes(bytes: Vec<u8>, base: Option<&Path>, options: &ImportOptions) -> Result<Loaded, ImportError> {
    let mut diagnostics = Diagnostics::default();
    let asset = Asset::new(bytes, base, &options.policy, &mut diagnostics)?;
    let required_unsupported = extensions::check(&asset.document, &mut diagnostics)?;
    let materials = materials::read(&asset.document, &mut diagnostics)?;
    let mut textures = materials::read_textures(&asset.document, &mut diagnostics)?;

    // Images take longest and are decoded in parallel with the rest.
    let mut image_diagnostics = Diagnostics::default();
    let read_images = || images::read(&asset, options, &materials, &mut textures, &mut image_diagnostics);
    let (model, images) = if asset.document.images.is_empty() {
        (read_model(&asset, &materials, &mut diagnostics), Vec::new())
    } else {
        rayon::join(|| read_model(&asset, &materials, &mut diagnostics), read_images)
    };
    let variants = materials::variants(&asset.document);
    let model = Model { materials, variants, textures, images, ..model? };
    let diagnostics = diagnostics.into_vec().into_iter().chain(image_diagnostics.into_vec()).collect();
    Ok(Loaded { asset, model, diagnostics, required_unsupported })
}

/// Reads the model without materials, textures and images.
fn read_model(asset: &Asset, materials: &[Material], diagnostics: &mut Diagnostics) -> Result<Model, ImportError> {
    let document = &asset.document;
    let reader = AccessorReader::new(asset);
    meshes::check_accessors(document, &reader)?;
    let hierarchy = hierarchy::read(document, &meshes::morph_target_counts(document), diagnostics)?;
    let hierarchy = instancing::add_gpu_instances(document, &reader, hierarchy, diagnostics)?;
    let joints = &hierarchy.joints;
    let skins = skins::read(document, &reader, joints, diagnostics)?;
    let meshes = meshes::read(document, &reader, materials, diagnostics)?;
    let lights = lights::read(document, joints, diagnostics);
    let (scenes, default_scene) = scenes::read(document, &hierarchy, &lights, diagnostics)?;
    scenes::check_draw_limit(document, &scenes, &meshes)?;
    scenes::report_skin_mismatches(document, &meshes, diagnostics);
    let cameras = scenes::read_cameras(document, joints, diagnostics);
    let hidden = visibility::read(document, joints);
    let (skeleton, materials) = (hierarchy.skeleton, materials.to_vec());
    let model = Model { skeleton, hidden, skins, meshes, materials, cameras, lights, scenes, ..Model::default() };
    let lights = lights::count(document);
    let targets = PointerResolver { model: &model, joint_of_node: joints, lights, cameras: document.cameras.len() };
    let clips = clips::read(document, &reader, &targets, diagnostics)?;
    let mut model = Model { clips, default_scene, ..model };
    visibility::prune_never_visible(&mut model);
    Ok(model)
}
