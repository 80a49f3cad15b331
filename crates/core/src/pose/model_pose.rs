//! Pose of a skeleton in model space.

use super::Pose;
use crate::math::Affine;
use crate::model::{JointIndex, Skeleton};

/// `model_from_joint` of every joint at one time.
#[derive(Clone, Debug, Default)]
pub struct ModelPose {
    model_from_joint: Vec<Affine>,
}

impl ModelPose {
    /// Recomputes `model_from_joint` for every joint of `skeleton`.
    ///
    /// # Panics
    /// If `pose` has a different joint count.
    pub fn update(&mut self, skeleton: &Skeleton, pose: &Pose) {
        assert_eq!(pose.parent_from_joint.len(), skeleton.len(), "pose of another skeleton");
        self.model_from_joint.clear();
        // One forward pass suffices, because parents precede their children.
        for (joint, parent_from_joint) in skeleton.joints().iter().zip(&pose.parent_from_joint) {
            let parent_from_joint = joint.matrix_of(parent_from_joint);
            let model_from_joint = match joint.parent {
                Some(parent) => self.model_from_joint[parent.get()] * parent_from_joint,
                None => parent_from_joint,
            };
            self.model_from_joint.push(model_from_joint);
        }
    }

    /// `model_from_joint` of one joint.
    ///
    /// # Panics
    /// If the joint is not part of the skeleton of the last [`update`](Self::update).
    pub fn model_from_joint(&self, joint: JointIndex) -> &Affine {
        &self.model_from_joint[joint.get()]
    }
}
