//! Directions and rotations between them.

use crate::math::{Affine, any_perpendicular};
use nalgebra::{Unit, UnitQuaternion, Vector3};

/// Largest angle between an axis and a direction that stands for it, in radians.
const MAX_ANGLE_TO_AXIS: f64 = 0.6;

/// Returns the axis of the model next to `direction`, or its unit vector if no axis is near; `default` for zero.
pub(super) fn near_axis(direction: Vector3<f64>, default: Vector3<f64>) -> Vector3<f64> {
    let Some(unit) = direction.try_normalize(1e-9) else { return default };
    let largest = unit.iamax();
    let axis = Vector3::ith(largest, unit[largest].signum());
    if axis.angle(&unit) < MAX_ANGLE_TO_AXIS { axis } else { unit }
}

/// Returns the rotation of an affine map; the identity if it is not finite. That of a mirroring map follows a mirroring of X.
pub(super) fn rotation_of(affine: &Affine) -> UnitQuaternion<f64> {
    let rotation = affine.to_transform().rotation;
    if rotation.coords.iter().all(|x| x.is_finite()) { rotation } else { UnitQuaternion::identity() }
}

/// Returns the rotation of a joint in the space of its parent from its [`rotation_of`] in model space.
pub(super) fn local_rotation(model_from_parent: &Affine, rotation: UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let local = rotation_of(model_from_parent).inverse() * rotation;
    if model_from_parent.determinant() >= 0.0 {
        return local;
    }
    // Seen in a mirror, a rotation keeps its part about X alone.
    let [x, y, z, w] = local.coords.into();
    UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(w, x, -y, -z))
}

/// Returns the smallest rotation that takes the direction `from` to `to`.
pub(super) fn swing(from: Vector3<f64>, to: Vector3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::rotation_between(&from, &to).unwrap_or_else(|| {
        let axis = Unit::new_unchecked(any_perpendicular(from));
        UnitQuaternion::from_axis_angle(&axis, std::f64::consts::PI)
    })
}

/// Returns the rotation that continues `inherited`, takes the vector `across` to the left, and turns about that so that `bone` is toward a
/// direction, unless the angle is below `tolerance`.
pub(super) fn level(
    left: Vector3<f64>,
    inherited: UnitQuaternion<f64>,
    across: Vector3<f64>,
    bone: Vector3<f64>,
    direction: Vector3<f64>,
    tolerance: f64,
) -> UnitQuaternion<f64> {
    let turn = toward(inherited, across, left, 0.0);
    let bone = turn * bone;
    let bone = bone - left * bone.dot(&left);
    if bone.norm() < 1e-9 {
        return turn;
    }
    let angle = libm::atan2(bone.cross(&direction).dot(&left), bone.dot(&direction));
    if angle.abs() < tolerance {
        return turn;
    }
    UnitQuaternion::from_axis_angle(&Unit::new_unchecked(left), angle) * turn
}

/// Returns the rotation that continues `inherited` and takes the vector `bone` to a direction, unless the angle is below `tolerance`.
pub(super) fn toward(
    inherited: UnitQuaternion<f64>,
    bone: Vector3<f64>,
    direction: Vector3<f64>,
    tolerance: f64,
) -> UnitQuaternion<f64> {
    let Some(bone) = (inherited * bone).try_normalize(1e-12) else { return inherited };
    if bone.angle(&direction) < tolerance { inherited } else { swing(bone, direction) * inherited }
}
