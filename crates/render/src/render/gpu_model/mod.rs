//! Models on the GPU: vertices, textures and materials.

mod emission;
mod equal_meshes;
mod levels;
mod material;
mod material_buffer;
mod merged;
mod mipmaps;
mod model;
mod morphs;
mod primitive;
mod simplify;
mod tangents;
mod textures;
mod vertex_order;

pub use levels::ModelLevels;
pub(crate) use material::GpuMaterial;
pub use model::GpuModel;
pub(crate) use model::{GpuDraw, UploadOptions};
pub(crate) use primitive::InstanceEntry;
