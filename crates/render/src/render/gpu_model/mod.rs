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
mod prepared;
mod primitive;
mod simplify;
mod tangents;
mod textures;
mod upload;
mod vertex_order;
mod vertices;

pub use levels::ModelLevels;
pub(crate) use material::GpuMaterial;
pub(crate) use model::GpuDraw;
pub use model::GpuModel;
pub use prepared::{PreparedModel, UploadOptions};
pub(crate) use primitive::InstanceEntry;
pub use upload::ModelUpload;
