//! The SIMD kernel: executes an [`AnimationPlan`](super::plan::AnimationPlan) for one instance per lane.
//!
//! Sampling, hierarchy and palette output are one pass. A node's channels are loaded and evaluated. Its matrix goes to a
//! scratch array that stays in the L1 cache, and the palette matrices that follow it are written at once. Blended nodes sum
//! the channels of all clips before they form their matrix.

mod algebra;
mod hierarchy;
mod job;
mod mat3x4;
mod morph_weights;
mod output;
mod quat_translation_scale;
mod sampling;

pub(crate) use job::{KernelScratch, PoseJob};
