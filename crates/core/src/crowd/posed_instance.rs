//! The pose of one instance between sampling and palette.

use crate::math::Affine;
use crate::model::{InstanceIndex, JointIndex, Skeleton};
use crate::pose::{ModelPose, Pose};

/// The pose of one instance after sampling. [`CrowdAnimator::update_with`](super::CrowdAnimator::update_with) passes it to the program,
/// which may move joints.
#[derive(Debug)]
pub struct PosedInstance<'a> {
    pub(crate) instance: InstanceIndex,
    pub(crate) skeleton: &'a Skeleton,
    pub(crate) world_from_model: &'a Affine,
    pub(crate) pose: &'a Pose,
    pub(crate) model_pose: &'a mut ModelPose,
}

impl PosedInstance<'_> {
    /// Returns the number of the instance.
    pub fn instance(&self) -> InstanceIndex {
        self.instance
    }

    /// Returns the placement.
    pub fn world_from_model(&self) -> &Affine {
        self.world_from_model
    }

    /// Returns the sampled pose, with pose overrides. Moved joints do not change it.
    pub fn pose(&self) -> &Pose {
        self.pose
    }

    /// Returns `model_from_joint` of a joint.
    ///
    /// # Panics
    /// If the joint does not exist.
    pub fn model_from_joint(&self, joint: JointIndex) -> &Affine {
        self.model_pose.model_from_joint(joint)
    }

    /// Replaces `model_from_joint` of a joint, and moves its descendants with it, with earlier changes of them. Descendants of a joint whose
    /// matrix has no inverse, such as one of scale 0, have their sampled pose.
    ///
    /// # Panics
    /// If the joint does not exist.
    pub fn set_model_from_joint(&mut self, joint: JointIndex, model_from_joint: Affine) {
        self.model_pose.set_model_from_joint(self.skeleton, self.pose, joint, model_from_joint);
    }
}
