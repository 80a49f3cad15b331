//! Results as files: pictures, and posed meshes as static glTF.

mod glb;
mod png;
mod static_mesh;

pub use png::{DecodedPng, PngMetadata, decode_png, png};
pub use static_mesh::{StaticGlb, StaticMesh, posed_vertex_bytes};

use thiserror::Error;

/// Why a result cannot be written as a file.
#[derive(Debug, Error)]
pub enum ExportError {
    /// It outgrows what a .glb can hold.
    #[error("the posed mesh takes more than the 4 GiB that a .glb can hold; bake fewer instances")]
    TooLarge,
    /// What was posed cannot be kept until it is written.
    #[error(transparent)]
    Write(#[from] std::io::Error),
    /// A vertex is not a number.
    #[error("node {node}: a posed vertex is beyond what single precision can hold; is a joint scaled to extremes?")]
    NotFinite {
        /// The glTF node that carries the mesh.
        node: usize,
    },
}
