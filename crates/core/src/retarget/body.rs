//! A rig at rest: directions, lengths and the ground under it.

use super::RetargetError;
use super::rig_map::RigMap;
use super::role::{BodyPart, Role, Side};
use crate::math::{Affine, any_perpendicular};
use crate::model::{JointIndex, Model, Skeleton};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

/// A rig at rest, in model space.
pub(super) struct Body<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) map: &'a RigMap,
    /// `model_from_joint` of every joint.
    pub(super) rest: Vec<Affine>,
    /// Rotation from X to the left, from Y to up and from Z to the front.
    pub(super) basis: UnitQuaternion<f64>,
    /// Length of thigh and shin.
    pub(super) leg_length: f64,
    /// The joint of the hips, and its position while the body stands on the ground. If the rest pose is apart from the ground,
    /// the body stands with straight legs.
    pub(super) hips: JointIndex,
    pub(super) hips_position: Vector3<f64>,
    /// Height of the ground at rest.
    ground: f64,
    /// Joints from the one above the hips to the one from which neck and arms branch off.
    pub(super) spine: Vec<JointIndex>,
}

impl<'a> Body<'a> {
    pub(super) fn new(model: &'a Model, map: &'a RigMap, which: &'static str) -> Result<Self, RetargetError> {
        let skeleton = &model.skeleton;
        let missing: Vec<String> = map.missing().map(|role| role.to_string()).collect();
        let has_leg = map.joint(Role::sided(BodyPart::UpperLeg, Side::Left)).is_some();
        let hips = map.joint(Role::HIPS).filter(|_| has_leg && missing.len() <= MAX_MISSING);
        let Some(hips) = hips else {
            return Err(RetargetError::MissingRoles { which, roles: missing.join(", ") });
        };
        let spine = map.spine(skeleton);
        let rest = skeleton.rest_model_pose();
        let mut body = Self {
            skeleton,
            map,
            hips,
            hips_position: rest[hips.get()].translation,
            ground: 0.0,
            rest,
            basis: UnitQuaternion::identity(),
            leg_length: 0.0,
            spine,
        };
        body.basis = body.find_basis();
        body.leg_length = Side::BOTH.map(|side| body.find_leg_length(side)).into_iter().fold(0.0, f64::max);
        if !(body.leg_length > 1e-9 && body.leg_length.is_finite()) {
            return Err(RetargetError::NoLegs { which });
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

    /// Returns `true` if the lowest joint is near the origin at rest.
    pub(super) fn is_grounded(&self) -> bool {
        self.ground == 0.0
    }

    /// Returns the position of a joint while the body stands on the ground in its rest pose.
    pub(super) fn standing_position(&self, joint: JointIndex) -> Vector3<f64> {
        self.rest[joint.get()].translation - self.up() * self.ground
    }

    pub(super) fn position(&self, role: Role) -> Option<Vector3<f64>> {
        Some(self.rest[self.map.joint(role)?.get()].translation)
    }

    pub(super) fn up(&self) -> Vector3<f64> {
        self.basis * Vector3::y()
    }

    /// Returns the directions of left and up, each along an axis of the model if that is near.
    fn find_basis(&self) -> UnitQuaternion<f64> {
        let hips = self.rest[self.hips.get()].translation;
        let top = self.position(Role::HEAD).or(self.position(Role::NECK)).unwrap_or(hips + Vector3::y());
        let up = match self.map.is_quadruped() {
            true => Vector3::y(),
            false => near_axis(top - hips, Vector3::y()),
        };
        let across = |part: BodyPart| {
            let [left, right] = Side::BOTH.map(|side| self.position(Role::sided(part, side)));
            left.zip(right).map_or(Vector3::zeros(), |(left, right)| left - right)
        };
        let left = across(BodyPart::UpperLeg) + across(BodyPart::UpperArm);
        let left = near_axis(left - up * left.dot(&up), up.cross(&Vector3::z()));
        let left = (left - up * left.dot(&up)).try_normalize(1e-9).unwrap_or_else(|| any_perpendicular(up));
        let axes = Matrix3::from_columns(&[left, up, left.cross(&up)]);
        UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
    }

    fn find_leg_length(&self, side: Side) -> f64 {
        let [hip, knee, foot] =
            [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot].map(|part| self.position(Role::sided(part, side)));
        let bone = |a: Option<Vector3<f64>>, b: Option<Vector3<f64>>| a.zip(b).map(|(a, b)| (b - a).norm());
        match (bone(hip, knee), bone(knee, foot)) {
            (Some(thigh), Some(shin)) => thigh + shin,
            // Legs may end without a foot joint, as in robots. The shin is taken to be as long as the thigh.
            (Some(thigh), None) => 2.0 * thigh,
            _ => 0.0,
        }
    }

    /// Returns the height of the ground at rest; 0 if the lowest joint is near the origin.
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

/// Maximum number of required roles that may be missing.
const MAX_MISSING: usize = 4;

/// Height of the lowest joint above the ground, relative to the length of a leg.
const MAX_GROUND: f64 = 0.35;

/// Largest angle between an axis and a direction that stands for it, in radians.
const MAX_ANGLE_TO_AXIS: f64 = 0.6;

/// Returns the axis of the model next to `direction`, or its unit vector if no axis is near; `default` for zero.
fn near_axis(direction: Vector3<f64>, default: Vector3<f64>) -> Vector3<f64> {
    let Some(unit) = direction.try_normalize(1e-9) else { return default };
    let largest = unit.iamax();
    let axis = Vector3::ith(largest, unit[largest].signum());
    if axis.angle(&unit) < MAX_ANGLE_TO_AXIS { axis } else { unit }
}

/// Returns the rotation of an affine map; the identity if it is not finite.
pub(super) fn rotation_of(affine: &Affine) -> UnitQuaternion<f64> {
    let rotation = affine.to_transform().rotation;
    if rotation.coords.iter().all(|x| x.is_finite()) { rotation } else { UnitQuaternion::identity() }
}

/// Returns the smallest rotation that takes the direction `from` to `to`.
pub(super) fn swing(from: Vector3<f64>, to: Vector3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::rotation_between(&from, &to).unwrap_or_else(|| {
        let axis = nalgebra::Unit::new_unchecked(any_perpendicular(from));
        UnitQuaternion::from_axis_angle(&axis, std::f64::consts::PI)
    })
}
