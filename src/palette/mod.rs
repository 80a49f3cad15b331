//! Poses to the matrices that a shader reads, for many instances.
//!
//! A palette is one flat list of RGBA32F texels. Each instance owns a block of [`Palette::stride_texels`]: first the
//! matrices of every section of the [`PaletteLayout`], then its morph weights, four a texel. A matrix is
//! `world_from_mesh` (counted from the section's origin), in three texels (rows) or two (see [`Packing`]).

mod animator;
mod crowd;
mod exact;
mod kernel;
mod layout;
mod packing;
mod program;
mod reach;
mod record;
mod roster;
mod sight;
mod skin_on_cpu;
mod texels;
mod tremble;

pub use crate::math::Dispatch;
pub use animator::Animator;
pub use crowd::{Crowd, HandIndex, Instance};
pub use layout::{Draw, PaletteLayout, Section, Source};
pub use packing::Packing;
pub use sight::Sight;
pub use skin_on_cpu::{PosedVertices, skin_on_cpu};
pub use texels::{Mirroring, Palette};
