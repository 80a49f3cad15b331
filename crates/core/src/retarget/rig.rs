//! A mapped rig: the joints and lengths of a body that no pose changes.

use super::RetargetError;
use super::rig_map::RigMap;
use super::role::{BodyPart, Role, Side};
use crate::math::Affine;
use crate::model::{JointIndex, Skeleton};
use nalgebra::Vector3;

/// The joints and lengths of a mapped body.
pub(super) struct Rig<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) map: &'a RigMap,
    /// The joint of the hips.
    pub(super) hips: JointIndex,
    /// Joints from the one above the hips to the one from which neck and arms branch off.
    pub(super) spine: Vec<JointIndex>,
    /// Length of thigh and shin.
    pub(super) leg_length: f64,
}

impl<'a> Rig<'a> {
    /// # Errors
    /// If roles are missing, or the legs have no length.
    pub(super) fn new(skeleton: &'a Skeleton, map: &'a RigMap, which: &'static str) -> Result<Self, RetargetError> {
        let Some(hips) = map.joint(Role::HIPS).filter(|_| map.has_body()) else {
            return Err(RetargetError::MissingRoles { which, roles: missing_roles(map) });
        };
        let rest = skeleton.rest_model_pose();
        let leg_length = Side::BOTH.map(|side| leg_length(map, &rest, side)).into_iter().fold(0.0, f64::max);
        if !(leg_length > 1e-9 && leg_length.is_finite()) {
            return Err(RetargetError::NoLegs { which });
        }
        Ok(Self { skeleton, map, hips, spine: map.spine(skeleton), leg_length })
    }
}

impl Rig<'_> {
    /// Returns the joint at which a foot or a toe ends: its only child.
    pub(super) fn tip(&self, joint: JointIndex) -> Option<JointIndex> {
        let mut children = self.skeleton.joints().iter().enumerate().filter(|(_, other)| other.parent == Some(joint));
        let (only, None) = (children.next()?, children.next()) else { return None };
        Some(JointIndex(only.0 as u32))
    }
}

/// Returns the required roles without a joint, separated by commas.
pub(super) fn missing_roles(map: &RigMap) -> String {
    map.missing().map(|role| role.to_string()).collect::<Vec<_>>().join(", ")
}

fn leg_length(map: &RigMap, rest: &[Affine], side: Side) -> f64 {
    let position = |part| Some(rest[map.joint(Role::sided(part, side))?.get()].translation);
    let [hip, knee, foot] = [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot].map(position);
    let bone = |a: Option<Vector3<f64>>, b: Option<Vector3<f64>>| a.zip(b).map(|(a, b)| (b - a).norm());
    match (bone(hip, knee), bone(knee, foot)) {
        (Some(thigh), Some(shin)) => thigh + shin,
        // Legs may end without a foot joint, as in robots. The shin is taken to be as long as the thigh.
        (Some(thigh), None) => 2.0 * thigh,
        _ => 0.0,
    }
}
