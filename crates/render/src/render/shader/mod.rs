//! Shader permutations: keys, sources and the cache of compiled programs.

mod cache;
mod debug_view;
mod draw_mode;
mod key;
mod mesh;
mod tone_mapping;

pub(crate) use cache::ShaderCache;
pub(crate) use debug_view::DebugViewKey;
pub(crate) use draw_mode::DrawMode;
pub(crate) use key::{Alpha, Facing, ShaderKey, ShaderOutput, Shading};
pub(crate) use tone_mapping::tone_mapping_defines;
