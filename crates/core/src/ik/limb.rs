//! Limbs of two bones.

use super::solver::two_bone;
use crate::math::{Affine, Transform};
use crate::model::{JointIndex, Skeleton};
use crate::pose::{ModelPose, Pose};
use nalgebra::{Rotation3, UnitQuaternion, Vector3};

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
        let rest = |joint: JointIndex| skeleton.rest_model_from_joint(joint);
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

    /// Returns `parent_from_joint` of the upper and the lower joint with which the end is at `target`, in model space, or as near as the
    /// bones permit. [`two_bone`] has the rule of the bend. `None` if a joint has shear, or its parent has no inverse.
    ///
    /// ```
    /// use rigview_core::import::{ImportOptions, open};
    /// use rigview_core::nalgebra::Vector3;
    /// use rigview_core::pose::{ModelPose, Pose};
    /// use rigview_core::retarget::RigMap;
    ///
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/body.glb"));
    /// # let model = open(file, &ImportOptions::default()).unwrap().model;
    /// let map = RigMap::detect(&model);
    /// let foot = map.feet(&model).unwrap().legs[0].limb.end;
    /// let leg = map.limb(&model.skeleton, foot).unwrap();
    /// let (mut pose, mut posed) = (Pose::rest(&model.skeleton), ModelPose::default());
    /// posed.update(&model.skeleton, &pose);
    /// let target = posed.model_from_joint(foot).translation + Vector3::new(0.0, 0.1, 0.1);
    /// let [upper, lower] = leg.reach(&model.skeleton, &pose, target).unwrap();
    /// pose.parent_from_joint[leg.upper.get()] = upper;
    /// pose.parent_from_joint[leg.lower.get()] = lower;
    /// posed.update(&model.skeleton, &pose);
    /// assert!((posed.model_from_joint(foot).translation - target).norm() < 1e-6);
    /// ```
    ///
    /// # Panics
    /// If `skeleton` lacks a joint, or `pose` is that of another one.
    pub fn reach(&self, skeleton: &Skeleton, pose: &Pose, target: Vector3<f64>) -> Option<[Transform; 2]> {
        let mut posed = ModelPose::default();
        posed.update(skeleton, pose);
        let position = |joint: JointIndex| posed.model_from_joint(joint).translation;
        let bend = posed.model_from_joint(self.upper).transform_point(self.bend) - position(self.upper);
        let [upper, lower] = two_bone([self.upper, self.lower, self.end].map(position), target, bend);
        // The space of the lower joint's parent turns with the upper bone.
        let turns = [(self.upper, upper), (self.lower, upper.inverse() * lower)];
        let turned = turns.map(|(joint, rotation)| {
            let parent = skeleton.joint(joint).parent;
            let linear = parent.map_or(Affine::IDENTITY, |parent| *posed.model_from_joint(parent)).linear;
            let in_parent = linear.try_inverse()? * rotation.to_rotation_matrix() * linear;
            let in_parent = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(in_parent));
            let transform = pose.parent_from_joint[joint.get()];
            let is_finite = in_parent.coords.iter().all(|x| x.is_finite()) && !skeleton.joint(joint).has_shear();
            let rotation = UnitQuaternion::new_normalize((in_parent * transform.rotation).into_inner());
            is_finite.then_some(Transform { rotation, ..transform })
        });
        Some([turned[0]?, turned[1]?])
    }
}
