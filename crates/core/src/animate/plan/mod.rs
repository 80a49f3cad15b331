//! Compiled animation: the nodes that one or several clips move, and the palette matrices that follow them.
//!
//! Maps that do not change are multiplied in double precision at compile time. [`ClipKeys`] contain the joints that no clip of the rig
//! moves, so that any plan can use them. A joint that only the clips of a plan do not move is a constant node if the keys of another
//! joint are relative to it. Otherwise it becomes part of `joint_from_mesh`.

mod animation_plan;
mod builder;
mod clip_keys;
mod folded_rig;
mod nodes;
mod resolved_joint;

pub(crate) use animation_plan::{AnimationPlan, PlacementSigns};
pub(crate) use clip_keys::{ClipKeys, PlanLayer};
pub(crate) use folded_rig::FoldedRig;
pub(super) use nodes::{
    ConstTransform, LaneRotation, MatrixOutput, MorphWeightChannel, NodeChannels, PlanNode, PlanPoint, RotationChannel,
};
