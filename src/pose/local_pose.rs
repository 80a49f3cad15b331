//! The pose of a skeleton in its joints' own spaces.

use crate::math::Transform;
use crate::model::{JointIndex, Skeleton};

/// `parent_from_joint` of every joint, and every morph weight, at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// One for each joint, in hierarchy order.
    pub parent_from_joint: Vec<Transform>,
    /// The weights of all joints, laid out as [`Skeleton::rest_weights`].
    pub weights: Vec<f32>,
}

impl Pose {
    /// The pose while no clip plays.
    pub fn rest(skeleton: &Skeleton) -> Self {
        let mut pose = Self::default();
        pose.reset(skeleton);
        pose
    }

    /// Goes back to rest, keeping the memory.
    pub fn reset(&mut self, skeleton: &Skeleton) {
        self.parent_from_joint.clear();
        self.parent_from_joint.extend(skeleton.joints().iter().map(|joint| joint.rest));
        self.weights.clear();
        self.weights.extend_from_slice(skeleton.rest_weights());
    }

    /// The morph weights of one joint's mesh.
    pub fn weights_of(&self, skeleton: &Skeleton, joint: JointIndex) -> &[f32] {
        &self.weights[skeleton.joint(joint).weights.clone()]
    }
}
