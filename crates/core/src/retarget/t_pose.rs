//! The directions of bones in a T pose.

use super::directions::{level, rotation_of, swing, toward};
use super::rig::Rig;
use super::role::{BodyPart, Role, Side};
use crate::math::Affine;
use crate::model::JointIndex;
use nalgebra::{Unit, UnitQuaternion, Vector3};
use std::f64::consts::FRAC_PI_4;

/// Smallest length of the mean flexion that determines the axis of an elbow or knee: that of a bend by about 12 degrees.
const MIN_FLEXION: f64 = 0.2;

/// Largest angle, in radians, between a bone and its direction in a T pose that is taken to be the shape of the body.
const SPINE_TOLERANCE: f64 = 0.15;
const LOOSE_TOLERANCE: f64 = 0.45;

/// The directions of the bones in a T pose, and the pose that is turned into it.
pub(super) struct TPose<'a> {
    pub(super) rig: &'a Rig<'a>,
    pub(super) from: &'a [Affine],
    pub(super) frames: &'a [Vec<Affine>],
    pub(super) basis: UnitQuaternion<f64>,
    pub(super) slopes: [f64; 2],
    pub(super) arms_down: bool,
}

impl TPose<'_> {
    /// Returns the rotation in model space that takes a joint to the T pose: the one of its parent, and then the smallest one.
    pub(super) fn turn(&self, role: Role, joint: JointIndex, inherited: UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let Self { rig, from, .. } = *self;
        let [left, up, front] = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| self.basis * axis);
        let at = |joint: JointIndex| from[joint.get()].translation;
        let bone = |end: Option<JointIndex>| end.map_or(Vector3::zeros(), |end| at(end) - at(joint));
        let by_role = |role: Role| rig.map.joint(role);
        let tip = || rig.tip(joint);
        if joint == rig.hips {
            let legs = rig.middle(from, BodyPart::UpperLeg).unwrap_or(at(joint));
            let above = rig.spine.iter().copied().chain([Role::NECK, Role::HEAD].into_iter().filter_map(by_role));
            let above = above.map(|joint| at(joint) - legs).find(|way| way.norm() > 1e-3 * rig.leg_length);
            return self.level(inherited, rig.across(from, BodyPart::UpperLeg), above.unwrap_or_default());
        }
        if let Some(place) = rig.spine.iter().position(|spine| *spine == joint) {
            let next = rig.spine.get(place + 1).copied();
            if next.is_some() {
                return toward(inherited, bone(next), up, SPINE_TOLERANCE);
            }
            let across = match rig.across(from, BodyPart::Shoulder) {
                across if across == Vector3::zeros() => rig.across(from, BodyPart::UpperArm),
                across => across,
            };
            return self.level(inherited, across, bone(by_role(Role::NECK).or_else(|| by_role(Role::HEAD))));
        }
        let Some((part, side)) = role.part_and_side() else {
            return match role {
                Role::NECK => toward(inherited, bone(by_role(Role::HEAD)), up, LOOSE_TOLERANCE),
                Role::HEAD => {
                    let turn = toward(inherited, bone(tip()), up, LOOSE_TOLERANCE);
                    let eyes = turn * rig.across(from, BodyPart::Eye);
                    let eyes = eyes - up * eyes.dot(&up);
                    if eyes.norm() > 1e-6 * rig.leg_length { swing(eyes, left) * turn } else { turn }
                }
                _ => inherited,
            };
        };
        let index = usize::from(side == Side::Right);
        let out = if side == Side::Left { left } else { -left };
        let (sin, cos) = if self.arms_down { FRAC_PI_4.sin_cos() } else { (0.0, 1.0) };
        let arm = out * cos - up * sin;
        let to = |part: BodyPart| bone(by_role(Role::sided(part, side)));
        let is = |other: BodyPart| part == other as usize;
        if is(BodyPart::Shoulder) {
            toward(inherited, to(BodyPart::UpperArm), out, LOOSE_TOLERANCE)
        } else if is(BodyPart::UpperArm) {
            let turn = toward(inherited, to(BodyPart::LowerArm), arm, 0.0);
            self.hinged(turn, [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand], side, front)
        } else if is(BodyPart::LowerArm) {
            toward(inherited, to(BodyPart::Hand), arm, 0.0)
        } else if is(BodyPart::Hand) {
            self.hand(joint, side, inherited, arm, front)
        } else if is(BodyPart::UpperLeg) {
            let turn = toward(inherited, to(BodyPart::LowerLeg), -up, 0.0);
            self.hinged(turn, [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot], side, -front)
        } else if is(BodyPart::LowerLeg) {
            toward(inherited, to(BodyPart::Foot), -up, 0.0)
        } else if is(BodyPart::Foot) {
            let (sin, cos) = self.slopes[index].sin_cos();
            toward(inherited, bone(rig.toe(side)), front * cos + up * sin, 0.0)
        } else if is(BodyPart::Toes) {
            toward(inherited, bone(tip()), front, LOOSE_TOLERANCE)
        } else if role.is_finger() && part >= BodyPart::Thumb as usize + 3 {
            toward(inherited, bone(tip()), arm, SPINE_TOLERANCE)
        } else {
            inherited
        }
    }

    /// Takes the vector from right to left to the left, and one that points up, to up in the plane of the body.
    fn level(&self, inherited: UnitQuaternion<f64>, across: Vector3<f64>, above: Vector3<f64>) -> UnitQuaternion<f64> {
        let [left, up] = [Vector3::x(), Vector3::y()].map(|axis| self.basis * axis);
        level(left, inherited, across, above, up, SPINE_TOLERANCE)
    }

    /// Turns the first bone of a limb about its direction so that the second one bends toward `flexed`, if the frames say how.
    fn hinged(
        &self,
        turn: UnitQuaternion<f64>,
        limb: [BodyPart; 3],
        side: Side,
        flexed: Vector3<f64>,
    ) -> UnitQuaternion<f64> {
        let [Some(upper), Some(lower), Some(end)] = limb.map(|part| self.rig.joint(part, side)) else {
            return turn;
        };
        let bone = |pose: &[Affine], from: JointIndex, to: JointIndex| {
            (pose[to.get()].translation - pose[from.get()].translation).try_normalize(1e-12)
        };
        let mut flexion = Vector3::zeros();
        for pose in self.frames {
            let (Some(first), Some(second)) = (bone(pose, upper, lower), bone(pose, lower, end)) else { return turn };
            let aside = second - first * second.dot(&first);
            flexion += rotation_of(&pose[upper.get()]).inverse() * aside / self.frames.len() as f64;
        }
        let Some(along) = bone(self.from, upper, lower).map(|along| turn * along) else { return turn };
        if flexion.norm() < MIN_FLEXION {
            return turn;
        }
        let bent = turn * rotation_of(&self.from[upper.get()]) * flexion;
        let flat = |v: Vector3<f64>| v - along * v.dot(&along);
        let (bent, flexed) = (flat(bent), flat(flexed));
        let angle = libm::atan2(bent.cross(&flexed).dot(&along), bent.dot(&flexed));
        UnitQuaternion::from_axis_angle(&Unit::new_normalize(along), angle) * turn
    }

    /// Lays a hand flat along the arm, with its palm down: by its fingers, else by its tip.
    fn hand(
        &self,
        joint: JointIndex,
        side: Side,
        inherited: UnitQuaternion<f64>,
        arm: Vector3<f64>,
        front: Vector3<f64>,
    ) -> UnitQuaternion<f64> {
        let Self { rig, from, .. } = *self;
        let knuckle = |finger| rig.position(from, Role::finger(finger, 0, side));
        let knuckles: Vec<Vector3<f64>> = (1..5).filter_map(knuckle).collect();
        let at = from[joint.get()].translation;
        if knuckles.is_empty() {
            let tip = rig.tip(joint).map_or(Vector3::zeros(), |tip| from[tip.get()].translation - at);
            return toward(inherited, tip, arm, LOOSE_TOLERANCE);
        }
        let middle = knuckles.iter().sum::<Vector3<f64>>() / knuckles.len() as f64;
        let turn = toward(inherited, middle - at, arm, 0.0);
        // From the little finger to the index finger.
        let across = turn * (knuckles[0] - knuckles[knuckles.len() - 1]);
        let across = across - arm * across.dot(&arm);
        if knuckles.len() < 2 || across.norm() < 1e-9 {
            return turn;
        }
        let angle = libm::atan2(across.cross(&front).dot(&arm), across.dot(&front));
        UnitQuaternion::from_axis_angle(&Unit::new_normalize(arm), angle) * turn
    }
}
