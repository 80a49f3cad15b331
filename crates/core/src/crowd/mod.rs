//! Crowds: many instances of one rig, their animation, and culling.

mod animated_bounds;
mod animation_sets;
mod animator;
mod block_order;
mod culling;
mod group_cache;
mod hull;
mod instances;
mod plan_cache;

pub use animation_sets::PoseOverrideIndex;
pub use animator::CrowdAnimator;
pub use instances::{Crowd, Instance};
