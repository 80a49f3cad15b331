//! Crowds: many instances of one rig, their animation, and culling.

mod animated_bounds;
mod animation_sets;
mod animator;
mod block_order;
mod culling;
mod events;
mod group_cache;
mod hull;
mod instances;
mod plan_cache;
mod posed_instance;
mod prepared;

pub use animation_sets::PoseOverrideIndex;
pub use animator::CrowdAnimator;
pub use events::{Event, Marker};
pub use instances::{Crowd, Instance};
pub use posed_instance::PosedInstance;
