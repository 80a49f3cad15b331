//! Pose of a skeleton in model space.

use super::Pose;
use crate::math::Affine;
use crate::model::{JointIndex, Skeleton};

/// `model_from_joint` of every joint at one time.
#[derive(Clone, Debug, Default)]
pub struct ModelPose {
    model_from_joint: Vec<Affine>,
    /// `true` for the changed joint and its descendants. Kept to reuse its memory.
    is_moved: Vec<bool>,
}

impl ModelPose {
    /// Returns the rest pose of a skeleton.
    pub fn rest(skeleton: &Skeleton) -> Self {
        Self { model_from_joint: skeleton.rest_model_pose(), is_moved: Vec::new() }
    }

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

    /// Replaces `model_from_joint` of one joint. Its descendants follow, with earlier changes of them. If the present matrix has no inverse,
    /// they have the transforms of `pose` relative to their parents.
    ///
    /// # Panics
    /// If the last [`update`](Self::update) had another skeleton or pose.
    pub fn set_model_from_joint(
        &mut self,
        skeleton: &Skeleton,
        pose: &Pose,
        joint: JointIndex,
        model_from_joint: Affine,
    ) {
        let change = self.model_from_joint[joint.get()].inverse().map(|inverse| model_from_joint * inverse);
        self.model_from_joint[joint.get()] = model_from_joint;
        self.is_moved.clear();
        self.is_moved.resize(skeleton.len(), false);
        self.is_moved[joint.get()] = true;
        for i in joint.get() + 1..skeleton.len() {
            let descendant = &skeleton.joints()[i];
            if let Some(parent) = descendant.parent.filter(|parent| self.is_moved[parent.get()]) {
                self.model_from_joint[i] = match change {
                    Some(change) => change * self.model_from_joint[i],
                    None => self.model_from_joint[parent.get()] * descendant.matrix_of(&pose.parent_from_joint[i]),
                };
                self.is_moved[i] = true;
            }
        }
    }

    /// Moves one joint by a transform of model space. Its descendants stay.
    pub(crate) fn move_joint(&mut self, joint: JointIndex, transform: &Affine) {
        let model_from_joint = &mut self.model_from_joint[joint.get()];
        *model_from_joint = *transform * *model_from_joint;
    }

    /// `model_from_joint` of one joint.
    ///
    /// # Panics
    /// If the joint is not part of the skeleton of the last [`update`](Self::update).
    pub fn model_from_joint(&self, joint: JointIndex) -> &Affine {
        &self.model_from_joint[joint.get()]
    }
}
