//! Render passes.

mod ambient_occlusion;
mod background;
mod comparison;
mod debug_view;
mod draw_bounds;
mod draw_list;
mod environment_texture;
mod frame_uniforms;
mod mesh;
mod overlay;
mod pass_input;
mod resolve;
mod sampled_light;
mod shader_selection;
mod shadow_map;
mod sun_shadow;
mod transmission_background;

pub(crate) use ambient_occlusion::AmbientOcclusionPass;
pub(crate) use background::BackgroundPass;
pub(crate) use comparison::ComparePass;
pub use comparison::Comparison;
pub(crate) use debug_view::DebugViewPass;
pub(crate) use environment_texture::EnvironmentTexture;
pub(crate) use mesh::{InstanceParams, MeshPass};
pub(crate) use pass_input::{GpuCrowd, PassInput, Viewport};
pub(crate) use resolve::ResolvePass;
pub(crate) use sampled_light::SampledLightPass;
pub(crate) use shader_selection::feedback_key;
pub(crate) use sun_shadow::SunShadowPass;
pub(crate) use transmission_background::TransmissionBackground;
