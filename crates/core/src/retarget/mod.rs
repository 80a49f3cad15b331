//! Retargeting: clips of one rig on another.
//!
//! A [`RigMap`] names the joint of each [`Role`] of a body. [`retarget_clips`] transfers clips between two mapped rigs.

mod arms;
mod body;
mod clips;
#[cfg(test)]
mod contact_tests;
mod contacts;
mod directions;
mod error;
mod gaze;
mod joint_names;
mod joint_structure;
mod key_times;
mod legs;
mod mirror;
mod named_joints;
mod other_joints;
mod pose_measures;
mod reference;
mod reference_pose;
#[cfg(test)]
mod reference_pose_tests;
mod rig;
mod rig_map;
mod rig_map_json;
mod role;
#[cfg(test)]
mod role_tests;
mod same_skeleton;
mod sides;
mod stance;
mod t_pose;
#[cfg(test)]
mod tests;
mod transfer;
mod twist;
mod walking;

pub use clips::{Retargeted, retarget_clips};
pub use contacts::ContactReport;
pub use error::RetargetError;
pub use key_times::Resampling;
pub use reference::{BodyKind, Reference, ReferenceSettings, ReferenceSource, axis_name};
pub use rig_map::{MappedJoint, RigMap, RoleSource};
pub use rig_map_json::RigMapError;
pub use role::Role;
