//! Draws a [`Frame`](crate::scene::Frame) into a [`Target`].
//!
//! Linear light is drawn into a multisampled half float image. The resolve pass averages the samples, composites over the
//! background and encodes to sRGB. Windows, screenshots and tests share this path.

mod adaptive_quality;
mod bindings;
mod error;
#[cfg(test)]
mod fault_tests;
mod gpu_model;
mod image_channels;
mod material_features;
mod model_statistics;
mod palette;
mod passes;
mod renderer;
mod row_tiles;
mod shader;
mod sheen_albedo_lut;
mod skinning_readback;
mod srgb;
mod target;
#[cfg(test)]
mod test_scene;
mod texture_slot;
mod uniforms;

pub use adaptive_quality::{AdaptiveQuality, FrameQuality};
pub use error::RenderError;
pub use gpu_model::{GpuModel, ModelLevels, ModelUpload, PreparedModel, UploadOptions};
pub use image_channels::ImageChannels;
pub use model_statistics::{ModelStatistics, texture_bytes};
pub use passes::Comparison;
pub use renderer::{DrawStatistics, FramePass, RenderOptions, Renderer};
pub use target::Target;
