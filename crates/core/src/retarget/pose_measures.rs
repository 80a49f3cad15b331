//! Measures of a pose of a body: positions of joints, and vectors between them. A pose has `model_from_joint` of every joint.

use super::rig::Rig;
use super::role::{BodyPart, Role, Side};
use crate::math::Affine;
use crate::model::JointIndex;
use nalgebra::Vector3;

impl Rig<'_> {
    /// Returns the joint of a part of the body.
    pub(super) fn joint(&self, part: BodyPart, side: Side) -> Option<JointIndex> {
        self.map.joint(Role::sided(part, side))
    }

    /// Returns the position of the joint of a role.
    pub(super) fn position(&self, pose: &[Affine], role: Role) -> Option<Vector3<f64>> {
        Some(pose[self.map.joint(role)?.get()].translation)
    }

    /// Returns the position of the joint of a part of the body.
    pub(super) fn sided(&self, pose: &[Affine], part: BodyPart, side: Side) -> Option<Vector3<f64>> {
        self.position(pose, Role::sided(part, side))
    }

    /// Returns the vector from the right joint to the left one; zero if a joint is missing.
    pub(super) fn across(&self, pose: &[Affine], part: BodyPart) -> Vector3<f64> {
        let [left, right] = Side::BOTH.map(|side| self.sided(pose, part, side));
        left.zip(right).map_or(Vector3::zeros(), |(left, right)| left - right)
    }

    /// Returns the middle between the joints of both sides.
    pub(super) fn middle(&self, pose: &[Affine], part: BodyPart) -> Option<Vector3<f64>> {
        let [left, right] = Side::BOTH.map(|side| self.sided(pose, part, side));
        Some((left? + right?) / 2.0)
    }

    /// Returns the vector from the hips to the head; to the front legs of a quadruped.
    pub(super) fn trunk(&self, pose: &[Affine]) -> Vector3<f64> {
        let hips = pose[self.hips.get()].translation;
        if let Some(front) = self.middle(pose, BodyPart::UpperArm).filter(|_| self.map.is_quadruped()) {
            return front - hips;
        }
        let top = self.position(pose, Role::HEAD).or(self.position(pose, Role::NECK));
        top.or_else(|| self.middle(pose, BodyPart::UpperArm)).map_or(Vector3::zeros(), |top| top - hips)
    }

    /// Returns the mean vector from the tops to the ends of the legs, also of the front legs of a quadruped; zero if joints are missing.
    pub(super) fn legs(&self, pose: &[Affine]) -> Vector3<f64> {
        let hind = self.limbs(pose, [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot]);
        match self.map.is_quadruped() {
            true => (hind + self.front_legs(pose)) / 2.0,
            false => hind,
        }
    }

    /// Returns the mean vector from the tops to the ends of the front legs, or of the arms.
    pub(super) fn front_legs(&self, pose: &[Affine]) -> Vector3<f64> {
        self.limbs(pose, [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand])
    }

    /// Returns the mean vector from the first to the last joints of two limbs; zero if joints are missing.
    pub(super) fn limbs(&self, pose: &[Affine], [top, middle, end]: [BodyPart; 3]) -> Vector3<f64> {
        let end = self.middle(pose, end).or_else(|| self.middle(pose, middle));
        self.middle(pose, top).zip(end).map_or(Vector3::zeros(), |(top, end)| end - top)
    }

    /// Returns how far a pose is from upright: the angle between trunk and up in radians. For a quadruped, it is the largest angle between
    /// the trunk and the horizontal, and between a pair of legs and down.
    pub(super) fn lean(&self, pose: &[Affine], up: Vector3<f64>) -> f64 {
        let angle = |way: Vector3<f64>, to: Vector3<f64>| if way.norm() > 1e-9 { way.angle(&to) } else { 0.0 };
        if !self.map.is_quadruped() {
            return self.trunk(pose).angle(&up);
        }
        let hind = self.limbs(pose, [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot]);
        let trunk = self.trunk(pose);
        let tilt = angle(trunk, trunk - up * trunk.dot(&up));
        tilt.max(angle(hind, -up)).max(angle(self.front_legs(pose), -up))
    }

    /// Returns the middle between the hips and the front legs; `None` if these have no joints.
    pub(super) fn middle_of_trunk(&self, pose: &[Affine]) -> Option<Vector3<f64>> {
        let shoulders = self.middle(pose, BodyPart::UpperArm)?;
        Some((shoulders + pose[self.hips.get()].translation) / 2.0)
    }

    /// Returns how far a pose is from standing upright with straight limbs and equal sides: a sum of angles in radians. For a quadruped, a
    /// sum of angles and of steps relative to the length of a leg.
    pub(super) fn distance_from_standing(&self, pose: &[Affine], up: Vector3<f64>) -> f64 {
        let angle =
            |a: Vector3<f64>, b: Vector3<f64>| if a.norm() > 1e-9 && b.norm() > 1e-9 { a.angle(&b) } else { 0.0 };
        let flat = |v: Vector3<f64>| v - up * v.dot(&up);
        let bone = |from: BodyPart, to: BodyPart, side| {
            self.sided(pose, from, side).zip(self.sided(pose, to, side)).map_or(Vector3::zeros(), |(a, b)| b - a)
        };
        let (hips, shoulders) = (self.across(pose, BodyPart::UpperLeg), self.across(pose, BodyPart::UpperArm));
        if self.map.is_quadruped() {
            let flat_sides = angle(hips, flat(hips)) + angle(shoulders, flat(shoulders)) + angle(hips, shoulders);
            // Equal legs are beside each other.
            let step = |part| self.across(pose, part).norm() / self.leg_length;
            return self.lean(pose, up) + flat_sides + step(BodyPart::Foot) + step(BodyPart::Hand);
        }
        let mut sum = angle(self.trunk(pose), up) + angle(hips, flat(hips)) + angle(flat(hips), flat(shoulders));
        for side in Side::BOTH {
            sum += angle(bone(BodyPart::UpperLeg, BodyPart::LowerLeg, side), -up);
            sum += angle(bone(BodyPart::LowerLeg, BodyPart::Foot, side), -up);
            let upper = bone(BodyPart::UpperArm, BodyPart::LowerArm, side);
            sum += angle(upper, bone(BodyPart::LowerArm, BodyPart::Hand, side)) / 2.0;
        }
        let Some(left) = flat(hips).try_normalize(1e-9) else { return sum };
        let [of_left, of_right] = Side::BOTH.map(|side| bone(BodyPart::UpperArm, BodyPart::LowerArm, side));
        sum + angle(of_left, of_right - left * (2.0 * of_right.dot(&left))) / 2.0
    }

    /// Returns the joint of the toes, else the tip of the foot.
    pub(super) fn toe(&self, side: Side) -> Option<JointIndex> {
        self.joint(BodyPart::Toes, side).or_else(|| self.tip(self.joint(BodyPart::Foot, side)?))
    }

    /// Returns the joint of a hind leg whose height is that of the body above the ground: the ankle. That of a quadruped is high.
    pub(super) fn leg_end(&self, side: Side) -> Option<JointIndex> {
        let toes = self.joint(BodyPart::Toes, side).filter(|_| self.map.is_quadruped());
        toes.or_else(|| self.joint(BodyPart::Foot, side)).or_else(|| self.joint(BodyPart::LowerLeg, side))
    }

    /// Returns the angle of a foot above the horizontal.
    pub(super) fn foot_slope(&self, pose: &[Affine], side: Side, up: Vector3<f64>) -> Option<f64> {
        let (foot, toe) = (self.joint(BodyPart::Foot, side)?, self.toe(side)?);
        let direction = pose[toe.get()].translation - pose[foot.get()].translation;
        Some(direction.try_normalize(1e-9)?.dot(&up).clamp(-1.0, 1.0).asin())
    }
}
