//! The SIMD kernel: executes an [`AnimationPlan`](super::plan::AnimationPlan) for one instance per lane.
//!
//! Sampling, hierarchy and palette output are one pass. A node's channels are loaded and evaluated. Its matrix goes to a
//! scratch array that stays in the L1 cache, and the palette matrices that follow it are written at once. Blended nodes sum
//! the channels of all clips before they form their matrix.
//!
//! One instance per lane, and not one joint: all lanes run the same node at the same time, so that no lane waits for a
//! parent, and a rig with one joint fills the lanes as well as one with a hundred. Fox takes 5.6 ns per matrix with SSE2, 3.0
//! with AVX2 and 2.1 with AVX-512; ozz-animation-rs takes 30 (`docs/measurements.md`, section "Crowd update").
//!
//! What was tried and did not pay: two batches interleaved (0.89 to 0.98 of the speed, since the registers hold one batch);
//! keys of 16 bits (errors of 1.5e-5, where the bound is 2e-6); a pose that instances at one clip time share.

mod algebra;
mod constraints;
mod hierarchy;
mod job;
mod mat3x4;
mod morph_weights;
mod output;
mod quat_translation_scale;
mod sampling;

pub(crate) use job::{KernelScratch, PoseJob};
