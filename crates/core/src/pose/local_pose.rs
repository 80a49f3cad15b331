//! Local pose of a skeleton.

use crate::math::Transform;
use crate::model::{JointIndex, Skeleton};

/// `parent_from_joint` of every joint, and every morph weight, at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// One per joint, in hierarchy order.
    pub parent_from_joint: Vec<Transform>,
    /// Morph weights of all joints, laid out as [`Skeleton::rest_morph_weights`].
    pub morph_weights: Vec<f32>,
}

impl Pose {
    /// The rest pose.
    pub fn rest(skeleton: &Skeleton) -> Self {
        let mut pose = Self::default();
        pose.reset(skeleton);
        pose
    }

    /// Resets to the rest pose and keeps the allocations.
    pub fn reset(&mut self, skeleton: &Skeleton) {
        self.parent_from_joint.clear();
        self.parent_from_joint.extend(skeleton.joints().iter().map(|joint| joint.rest));
        self.morph_weights.clear();
        self.morph_weights.extend_from_slice(skeleton.rest_morph_weights());
    }

    /// The morph weights of one joint's mesh.
    pub fn morph_weights_of(&self, skeleton: &Skeleton, joint: JointIndex) -> &[f32] {
        &self.morph_weights[skeleton.joint(joint).morph_weights.clone()]
    }
}
