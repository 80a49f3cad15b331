//! Writing of models as GLB: with further clips, or posed as static meshes.

mod clips;
mod glb_writer;
mod static_mesh;

pub use clips::glb_with_clips;
pub use static_mesh::{StaticGlb, StaticMesh, posed_vertex_bytes};

use thiserror::Error;

/// Error of an export.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The file exceeds the maximum size of a .glb.
    #[error("the file exceeds the 4 GiB of a .glb; write fewer instances or clips")]
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
