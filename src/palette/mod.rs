//! Poses to the matrices that a shader reads, for many instances.
//!
//! A palette is one flat list of RGBA32F texels. Each instance owns a block of [`Palette::stride_texels`]: first the
//! matrices of every section of the [`PaletteLayout`], then its morph weights, four a texel. A matrix is
//! `world_from_mesh` (counted from the section's origin), in three texels (rows) or two (see [`MatrixFormat`]).

mod animated_bounds;
mod animator;
mod block_order;
mod buffer;
mod crowd;
mod culling;
mod instance_record;
mod kernel;
mod layout;
mod matrix_format;
mod plan;
mod reference;
mod scale_noise;
mod skin_on_cpu;

pub use crate::math::SimdLevel;
pub use animator::Animator;
pub use buffer::{Mirroring, Palette};
pub use crowd::{Crowd, Instance, PoseOverrideIndex};
pub use culling::FrustumCuller;
pub use layout::{Draw, PaletteLayout, Section, Source};
pub use matrix_format::MatrixFormat;
pub use skin_on_cpu::{PosedVertices, skin_on_cpu};
