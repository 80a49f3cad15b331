//! The body of the arms of a mapped rig, for inverse kinematics.

use super::RigMap;
use super::role::{BodyPart, Role, Side};
use crate::ik::ArmBody;
use crate::math::Affine;
use crate::model::{JointIndex, Skeleton};

impl RigMap {
    /// Returns the body of the arm with this hand; `None` for other joints, quadrupeds, and bodies without a second arm.
    ///
    /// `rest` is the rest pose in model space.
    pub(super) fn arm_body(&self, skeleton: &Skeleton, hand: JointIndex, rest: &[Affine]) -> Option<ArmBody> {
        let is_side = |side: &Side| self.joint(Role::sided(BodyPart::Hand, *side)) == Some(hand);
        let side = Side::BOTH.into_iter().find(is_side).filter(|_| !self.is_quadruped())?;
        let position = |role: Role| Some(rest[self.joint(role)?.get()].translation);
        let arm = |side: Side| position(Role::sided(BodyPart::UpperArm, side));
        let [left, right] = Side::BOTH.map(arm);
        let (left, right) = (left?, right?);
        let top = position(Role::HEAD).or(position(Role::NECK))?;
        let to_left = (left - right).try_normalize(1e-9)?;
        let up = top - position(Role::HIPS)?;
        let up = (up - to_left * up.dot(&to_left)).try_normalize(1e-9)?;
        let outward = if side == Side::Left { to_left } else { -to_left };
        let shoulder = self.joint(Role::sided(BodyPart::Shoulder, side));
        let upper = self.joint(Role::sided(BodyPart::UpperArm, side))?;
        let joint = skeleton.joint(shoulder.unwrap_or(upper)).parent;
        let body_from_model = joint.map_or(Some(Affine::IDENTITY), |joint| rest[joint.get()].inverse())?;
        let axes = [outward, up, to_left.cross(&up)].map(|axis| body_from_model.transform_vector(axis));
        let middle = body_from_model.transform_point((left + right) / 2.0);
        Some(ArmBody { joint, shoulder, middle, axes })
    }
}
