//! The hierarchy of a model.

use super::JointIndex;
use crate::math::{Affine, Transform};
use std::ops::Range;

/// One node of the hierarchy.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Its name in the file, which may be missing and need not be unique.
    pub name: Option<String>,
    /// Its number among the glTF file's nodes, for messages and for binding.
    pub node: usize,
    /// Its parent, always an earlier joint; `None` for a root.
    pub parent: Option<JointIndex>,
    /// `parent_from_joint` while no clip moves it.
    pub rest: Transform,
    /// `parent_from_joint` of a node stored as a matrix that no [`Transform`] can hold (shear).
    ///
    /// It stands in for the transform whatever the pose says; no clip moves such a joint.
    pub sheared_rest: Option<Affine>,
    /// Morph weights of the node's mesh: their places in [`Skeleton::rest_weights`]; empty without morph targets.
    pub weights: Range<usize>,
}

/// The joints of one model, parents before children.
///
/// Every node of the file is a joint here, whether a skin names it or not: a rigid windmill is a rig too. Shared by
/// every instance and never written to; poses refer to it by [`JointIndex`].
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    joints: Vec<Joint>,
    rest_weights: Vec<f32>,
}

impl Skeleton {
    /// A skeleton of `joints`.
    ///
    /// # Panics
    /// If a parent does not come before its child, or a range of weights lies outside `rest_weights`: a bug in the
    /// caller, who has checked the file.
    pub fn new(joints: Vec<Joint>, rest_weights: Vec<f32>) -> Self {
        for (i, joint) in joints.iter().enumerate() {
            assert!(joint.parent.is_none_or(|parent| parent.get() < i), "joint {i} stands before its parent");
            assert!(joint.weights.end <= rest_weights.len(), "joint {i} has weights that do not exist");
        }
        Self { joints, rest_weights }
    }

    /// All joints, in hierarchy order.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// One joint.
    pub fn joint(&self, index: JointIndex) -> &Joint {
        &self.joints[index.get()]
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether there is no joint at all.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// The morph weights of all joints while no clip moves them, one run a joint.
    pub fn rest_weights(&self) -> &[f32] {
        &self.rest_weights
    }
}
