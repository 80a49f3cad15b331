//! Limbs of two bones.

use crate::math::Affine;
use crate::model::{JointIndex, Skeleton};
use nalgebra::Vector3;

/// A limb of two bones, such as a leg from the hip by the knee to the ankle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limb {
    /// The joint of the upper bone.
    pub upper: JointIndex,
    /// The joint of the lower bone.
    pub lower: JointIndex,
    /// The joint at the end.
    pub end: JointIndex,
    /// The direction in which a straight limb bends, as a point in the space of `upper`.
    pub bend: Vector3<f64>,
}

/// Smallest bend at rest from which the bend direction is derived, relative to the length of the limb.
const MIN_BEND: f64 = 1e-3;

impl Limb {
    /// Derives the bend direction from the rest pose; `bend`, a direction in model space, if the limb is straight at rest.
    ///
    /// # Panics
    /// If `skeleton` lacks a joint.
    pub fn new(skeleton: &Skeleton, [upper, lower, end]: [JointIndex; 3], bend: Vector3<f64>) -> Self {
        let rest = |joint: JointIndex| model_from_joint_at_rest(skeleton, joint);
        let model_from_upper = rest(upper);
        let (root, middle) = (model_from_upper.translation, rest(lower).translation);
        let (thigh, whole) = (middle - root, rest(end).translation - root);
        let aside = thigh - whole * (thigh.dot(&whole) / whole.norm_squared().max(f64::MIN_POSITIVE));
        let is_bent = aside.norm() > MIN_BEND * thigh.norm();
        let direction = if is_bent { aside } else { bend }.try_normalize(0.0).unwrap_or_default();
        let point = root + direction * thigh.norm();
        let bend = model_from_upper.inverse().map_or_else(Vector3::zeros, |map| map.transform_point(point));
        Self { upper, lower, end, bend }
    }
}

pub(super) fn model_from_joint_at_rest(skeleton: &Skeleton, joint: JointIndex) -> Affine {
    let ancestors = std::iter::successors(Some(joint), |joint| skeleton.joint(*joint).parent);
    ancestors.fold(Affine::IDENTITY, |map, joint| {
        let joint = skeleton.joint(joint);
        joint.matrix_of(&joint.rest) * map
    })
}
