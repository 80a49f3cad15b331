//! Imports glTF files: bytes to [`GltfFile`], and `GltfFile` to [`Model`](crate::model::Model).
//!
//! Files are untrusted. [`open()`] and [`from_bytes`] return a model with a [`Diagnostic`] for each element that is left
//! out, ignored, replaced or repaired. If nothing is left to draw, they return the first [`ImportError`] instead. Every index is checked, recursion depth
//! does not depend on the file, and memory is bounded.
//!
//! The steps, each in its own file: split the GLB container, parse and normalize the JSON, resolve the buffers. Then one
//! bounds-checked accessor reader serves hierarchy, meshes, skins, scenes, clips and images.

mod accessor;
#[cfg(feature = "zip")]
mod archive;
#[cfg(not(feature = "zip"))]
#[path = "no_archive.rs"]
mod archive;
mod arrays;
mod attributes;
#[cfg(feature = "avif")]
mod avif;
mod bvh;
mod clip_transfer;
mod clips;
mod container;
mod decoded_geometry;
mod diagnostic;
mod diagnostics;
#[cfg(feature = "draco")]
mod draco;
mod error;
mod extensions;
mod external_file;
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
mod metadata;
mod model_file;
mod normalize_json;
mod open;
mod options;
mod outline;
#[cfg(feature = "images")]
mod panorama;
mod pointers;
mod primitive;
mod progress;
#[cfg(feature = "images")]
mod raster;
mod resolver;
mod scenes;
mod side_files;
mod skins;
mod source;
#[cfg(all(test, feature = "images"))]
mod tests;
mod texture_refs;
mod texture_sources;
mod uri;
mod visibility;
mod vrm;

pub use clip_transfer::{Unmatched, copy_clips_by_joint_name, name_clip_by_file};
pub use diagnostic::{Diagnostic, DiagnosticKind, JsonLocation, Problem};
pub use error::{AccessorError, ContainerError, ImportError, OpenError};
pub use image_codec::SupportedBlockFormats;
pub use limits::{ImportPolicy, Limit, Limits, MAX_JSON_DEPTH, PolicyChange, UnknownLimit};
pub use metadata::metadata;
pub use model_file::{MODEL_FILE_EXTENSIONS, ModelFile, file_on_disk, models_in_archive, read_text_beside};
pub use open::{Imported, from_bytes, open};
pub use options::{BlockFormatQuery, ImageLoading, ImportOptions, MeshLoading};
pub use outline::ModelOutline;
#[cfg(feature = "images")]
pub use panorama::{open_panorama, read_panorama};
pub use progress::ImageProgress;
pub use resolver::FileResolver;
pub use source::GltfFile;

// Shared with `check`.
pub use bvh::{BVH_GENERATOR, is_bvh};
pub use external_file::{read_main_file, read_stream};
pub use json::{BYTE_ORDER_MARK, parse as parse_json};
pub use meshopt::decode_views;
pub use source::reject_other_formats;
pub use uri::{data_type as data_uri_type, decode_data as decode_data_uri, is_data as is_data_uri};
