//! Joint hierarchy.

use super::JointIndex;
use crate::math::{Affine, Transform};
use std::ops::Range;

/// Joint: one node of the hierarchy.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name in the file, if any; not necessarily unique.
    pub name: Option<String>,
    /// Index of the glTF node.
    pub node: usize,
    /// Parent, always an earlier joint; `None` for a root.
    pub parent: Option<JointIndex>,
    /// `parent_from_joint` without animation.
    pub rest: Transform,
    /// `parent_from_joint` of a node stored as a matrix that differs from every [`Transform`]: by shear, or by rounding in the file.
    ///
    /// It replaces the rest transform. A joint with shear has no other pose; see [`has_shear`](Self::has_shear).
    pub exact_rest_matrix: Option<Affine>,
    /// Range of the morph weights in [`Skeleton::rest_morph_weights`]; empty without morph targets.
    pub morph_weights: Range<usize>,
}

impl Joint {
    /// Largest difference between the exact matrix and the rest transform that is rounding, relative to the largest component. Six
    /// digits of a matrix in the file cause about 1e-6; shear by a scaled parent is usually above 1e-2.
    pub const MAX_MATRIX_NOISE: f64 = 1e-4;

    /// Returns `true` if the exact matrix has shear. No clip or pose override moves such a joint, since a [`Transform`] has none.
    pub fn has_shear(&self) -> bool {
        self.exact_rest_matrix.is_some_and(|exact| {
            (self.rest.to_affine().linear - exact.linear).amax() > Self::MAX_MATRIX_NOISE * exact.linear.amax()
        })
    }

    /// Returns the matrix of a pose of this joint: the exact one for shear and at rest.
    pub fn matrix_of(&self, parent_from_joint: &Transform) -> Affine {
        match self.exact_rest_matrix {
            Some(exact) if *parent_from_joint == self.rest || self.has_shear() => exact,
            _ => parent_from_joint.to_affine(),
        }
    }
}

/// Skeleton: the joints of one model, parents before children.
///
/// Every node of the file is a joint, with or without a skin, so that rigid models animate too. All instances share one
/// immutable skeleton.
///
/// ```
/// use rigview_core::model::{Joint, JointIndex, Skeleton};
/// use rigview_core::math::Transform;
///
/// let joint = |name: &str, node, parent| Joint {
///     name: Some(name.to_owned()),
///     node,
///     parent,
///     rest: Transform::identity(),
///     exact_rest_matrix: None,
///     morph_weights: 0..0,
/// };
/// let joints = vec![joint("hips", 1, None), joint("spine", 0, Some(JointIndex(0)))];
/// let skeleton = Skeleton::new(joints, Vec::new());
/// assert_eq!(skeleton.find("spine"), Some(JointIndex(1)));
/// assert_eq!(skeleton.joint(JointIndex(1)).parent, Some(JointIndex(0)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    joints: Vec<Joint>,
    /// Indices of the joints in the order of their names, then of the hierarchy.
    by_name: Vec<u32>,
    rest_morph_weights: Vec<f32>,
}

impl Skeleton {
    /// Creates a skeleton.
    ///
    /// # Panics
    /// If a parent does not precede its child, or a range of weights is outside of `rest_morph_weights`.
    pub fn new(joints: Vec<Joint>, rest_morph_weights: Vec<f32>) -> Self {
        for (i, joint) in joints.iter().enumerate() {
            assert!(joint.parent.is_none_or(|parent| parent.get() < i), "joint {i} is before its parent");
            assert!(joint.morph_weights.end <= rest_morph_weights.len(), "joint {i} has weights that do not exist");
        }
        let mut by_name: Vec<u32> = (0..joints.len() as u32).collect();
        by_name.sort_by_key(|joint| joints[*joint as usize].name.as_deref());
        Self { joints, by_name, rest_morph_weights }
    }

    /// Returns all joints in hierarchy order.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Returns one joint.
    pub fn joint(&self, index: JointIndex) -> &Joint {
        &self.joints[index.get()]
    }

    /// Returns the first joint with this name.
    pub fn find(&self, name: &str) -> Option<JointIndex> {
        let name_of = |joint: u32| self.joints[joint as usize].name.as_deref();
        let place = self.by_name.partition_point(|joint| name_of(*joint) < Some(name));
        self.by_name.get(place).filter(|joint| name_of(**joint) == Some(name)).map(|joint| JointIndex(*joint))
    }

    /// Returns the first joint with this name, else the joint of the node with this index.
    pub fn find_by_name_or_node(&self, requested: &str) -> Option<JointIndex> {
        self.find(requested).or_else(|| {
            let node: usize = requested.parse().ok()?;
            let found = self.joints.iter().position(|joint| joint.node == node)?;
            Some(JointIndex(found as u32))
        })
    }

    /// Returns the joint's name, or its node index if [`find`](Self::find) returns another joint for the name.
    ///
    /// # Panics
    /// If the joint does not exist.
    pub fn unambiguous_name(&self, index: JointIndex) -> String {
        let joint = self.joint(index);
        let name = joint.name.as_deref().filter(|name| !name.is_empty() && self.find(name) == Some(index));
        name.map_or_else(|| joint.node.to_string(), str::to_owned)
    }

    /// Returns `model_from_joint` of every joint at rest.
    pub fn rest_model_pose(&self) -> Vec<Affine> {
        let mut pose = Vec::<Affine>::with_capacity(self.len());
        for joint in &self.joints {
            let parent_from_joint = joint.matrix_of(&joint.rest);
            pose.push(joint.parent.map_or(parent_from_joint, |parent| pose[parent.get()] * parent_from_joint));
        }
        pose
    }

    /// Returns `model_from_joint` of one joint at rest, in time proportional to its ancestors.
    pub fn rest_model_from_joint(&self, joint: JointIndex) -> Affine {
        let ancestors = std::iter::successors(Some(joint), |joint| self.joint(*joint).parent);
        ancestors.fold(Affine::IDENTITY, |transform, joint| {
            let joint = self.joint(joint);
            joint.matrix_of(&joint.rest) * transform
        })
    }

    /// Returns the number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Returns `true` if there are no joints.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Returns the morph weights of all joints without animation, contiguous per joint.
    pub fn rest_morph_weights(&self) -> &[f32] {
        &self.rest_morph_weights
    }
}
