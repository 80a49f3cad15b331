//! A rig in its reference pose: directions, lengths and the ground under it.

use super::RetargetError;
use super::reference::Reference;
use super::reference_pose::estimate;
use super::rig::Rig;
use super::rig_map::RigMap;
use super::role::{BodyPart, Role, Side};
use crate::math::Affine;
use crate::model::{JointIndex, Model};
use nalgebra::{UnitQuaternion, Vector3};
use std::ops::Deref;

/// A rig in its reference pose, in model space.
pub(super) struct Body<'a> {
    rig: Rig<'a>,
    /// `model_from_joint` of every joint in the reference pose.
    pub(super) rest: Vec<Affine>,
    /// Rotation from X to the left, from Y to up and from Z to the front.
    pub(super) basis: UnitQuaternion<f64>,
    /// Position of the hips while the body stands on the ground. If the rest pose is apart from the ground, the body stands with
    /// straight legs.
    pub(super) hips_position: Vector3<f64>,
    pub(super) reference: Reference,
    /// Height of the ground under the reference pose.
    ground: f64,
}

impl<'a> Deref for Body<'a> {
    type Target = Rig<'a>;

    fn deref(&self) -> &Rig<'a> {
        &self.rig
    }
}

impl<'a> Body<'a> {
    pub(super) fn new(model: &'a Model, map: &'a RigMap, which: &'static str) -> Result<Self, RetargetError> {
        let rig = Rig::new(&model.skeleton, map, which)?;
        let found = estimate(model, &rig, which == "source");
        let (basis, rest, hips) = (found.basis, found.pose, rig.hips);
        let mut body = Self {
            rig,
            hips_position: rest[hips.get()].translation,
            ground: 0.0,
            rest,
            basis,
            reference: found.reference,
        };
        if found.stands_on_ground {
            return Ok(body);
        }
        body.ground = body.find_ground();
        body.hips_position = body.standing_position(hips);
        // The legs of motion capture are often spread at rest.
        let is_upright = body.is_grounded() || map.is_quadruped();
        if let Some(height) = body.upright_height().filter(|_| !is_upright) {
            let up = body.up();
            body.hips_position += up * (height - body.hips_position.dot(&up));
        }
        Ok(body)
    }

    /// Returns the height of the hips while the legs are straight.
    fn upright_height(&self) -> Option<f64> {
        let height = |part: BodyPart, side: Side| {
            let joint = self.map.joint(Role::sided(part, side))?;
            Some(self.standing_position(joint).dot(&self.up()))
        };
        let [left, right] =
            Side::BOTH.map(|side| Some([height(BodyPart::UpperLeg, side)?, height(BodyPart::Foot, side)?]));
        let ([left_hip, left_ankle], [right_hip, right_ankle]) = (left?, right?);
        let above_legs = self.hips_position.dot(&self.up()) - (left_hip + right_hip) / 2.0;
        Some(left_ankle.min(right_ankle) + self.leg_length + above_legs)
    }

    /// Returns `true` if the lowest joint is near the origin, or the pose stands on the ground of the clips.
    pub(super) fn is_grounded(&self) -> bool {
        self.ground == 0.0
    }

    /// Returns the position of a joint while the body stands on the ground in its reference pose.
    pub(super) fn standing_position(&self, joint: JointIndex) -> Vector3<f64> {
        self.rest[joint.get()].translation - self.up() * self.ground
    }

    pub(super) fn position(&self, role: Role) -> Option<Vector3<f64>> {
        Some(self.rest[self.map.joint(role)?.get()].translation)
    }

    pub(super) fn up(&self) -> Vector3<f64> {
        self.basis * Vector3::y()
    }

    /// Returns the height of the ground; 0 if the lowest joint is near the origin.
    ///
    /// A BVH file usually has its hips at the origin.
    fn find_ground(&self) -> f64 {
        let heights = Role::all().filter_map(|role| Some(self.position(role)?.dot(&self.up())));
        ground_under(heights, self.leg_length)
    }
}

/// Returns the height of the ground under joints at these heights at rest; 0 if the lowest is near.
pub(super) fn ground_under(heights: impl Iterator<Item = f64>, leg_length: f64) -> f64 {
    let lowest = heights.fold(f64::INFINITY, f64::min);
    if lowest.abs() > MAX_GROUND * leg_length { lowest } else { 0.0 }
}

/// Height of the lowest joint above the ground, relative to the length of a leg.
const MAX_GROUND: f64 = 0.35;
