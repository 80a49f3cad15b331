//! Results as files: pictures, and posed meshes as static glTF.

mod glb;
mod png;
mod static_mesh;

pub use png::{DecodedPng, Origin, decode_png, png};
pub use static_mesh::{StaticMesh, static_glb};

use thiserror::Error;

/// Why a result cannot be written as a file.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The binary part outgrows what a .glb can hold.
    #[error("the posed mesh takes {size_bytes} bytes, more than the 4 GiB that a .glb can hold; bake fewer instances")]
    TooLarge {
        /// Bytes needed.
        size_bytes: u64,
    },
    /// A vertex is not a number.
    #[error("node {node}: a posed vertex is beyond what single precision can hold; is a joint scaled to extremes?")]
    NotFinite {
        /// The glTF node that carries the mesh.
        node: usize,
    },
}
