//! Compiled animation: the nodes that one or several clips move, and the palette matrices that follow them.
//!
//! Everything that no clip moves is multiplied in double precision at compile time. A chain of joints at rest becomes part
//! of the next animated joint's keys, or of `joint_from_mesh`.

mod animation_plan;
mod builder;
mod nodes;
mod resolved_joint;

pub(crate) use animation_plan::{AnimationPlan, PlacementSigns};
pub(super) use nodes::{ConstTransform, LaneRotation, MatrixOutput, MorphWeightChannel, NodeChannels, RotationChannel};
