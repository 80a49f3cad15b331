//! Export of images, of posed meshes as static glTF, and of models with further clips.

mod changed_rect;
mod clips;
mod color_table;
mod glb;
mod png;
mod static_mesh;

pub use changed_rect::changed_rect;
pub use clips::glb_with_clips;
pub use color_table::ColorTable;
pub use png::encode_png_strips;
pub use png::{DecodedPng, PngMetadata, decode_png, encode_png, encode_small_png, png_metadata, png_size};
pub use static_mesh::{StaticGlb, StaticMesh, posed_vertex_bytes};

use thiserror::Error;

/// Error of an export.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The file exceeds the maximum size of a .glb.
    #[error("the posed mesh exceeds the 4 GiB of a .glb; bake fewer instances")]
    TooLarge,
    /// The binary chunk cannot be written.
    #[error(transparent)]
    Write(#[from] std::io::Error),
    /// A vertex is NaN or infinite.
    #[error("node {node}: a posed vertex exceeds the range of single precision; does a joint have an extreme scale?")]
    NotFinite {
        /// Index of the mesh's node in the glTF file.
        node: usize,
    },
}
