//! The palette: world-space matrices and morph weights of all instances, as the shader reads them.
//!
//! A palette is a flat array of RGBA32F texels. Each instance owns a block of [`Palette::stride_texels`]: first the
//! matrices of every matrix range of the [`PaletteLayout`], then its morph weights, four per texel. A matrix is
//! `world_from_mesh`, relative to the matrix range's position offset, in three texels or two (see [`MatrixFormat`]).

mod buffer;
mod explain;
mod format_choice;
mod layout;
mod matrix_format;
mod mirroring;
mod rig;
mod scale_noise;
mod similarity;
mod skin_on_cpu;
mod skinning;
#[cfg(test)]
mod tests;

pub use buffer::{BlockIndex, Palette};
pub(crate) use buffer::{BlockWriter, hide_draws};
pub use explain::{ChainLink, MorphTerm, SkinningTerm, VertexExplanation, explain_vertex};
pub use layout::{MatrixRange, MatrixRangeIndex, PaletteLayout, PrimitiveDraw, RangeJoints};
pub use matrix_format::MatrixFormat;
pub use mirroring::Mirroring;
pub use rig::Rig;
pub use scale_noise::{denoised_rest, denoised_scale};
pub use similarity::{distance_to_similarity, non_uniformity, scale_and_rotation};
pub use skin_on_cpu::{PosedPrimitive, SkinningInputs};
pub use skin_on_cpu::{PosedTriangle, PosedVertices, skin_on_cpu, skin_positions_on_cpu, skin_triangle_on_cpu};
pub use skinning::Skinning;
