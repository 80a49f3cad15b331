//! Two-bone inverse kinematics and aiming.

use super::vector::{
    add, cross, dot, length, max, min, perpendicular, positive, scaled, scaled_rotation_between, select_eq_zero,
    smooth_step, sub, unit,
};
use crate::math::simd::{NumericBackend, ScalarF64, SimdFloat, quat_mul, rotate};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Sine of the bend below which a limb counts as straight, so that its bend direction is mixed with the given one.
const STRAIGHT: f32 = 0.05;

/// Change of the distance from root to end from which on the mixture has its full weight, relative to the length of the limb. A smaller
/// change has less.
const BEND_CHANGE: f32 = 1e-3;

/// The rotations of a limb's bones, and the new positions of the joint between them and of the end.
#[derive(Clone, Copy)]
pub(super) struct BentLimb<V> {
    pub(super) upper: [V; 4],
    pub(super) lower: [V; 4],
    pub(super) middle: [V; 3],
    pub(super) end: [V; 3],
}

/// Lengths of a limb's bones and the distance of its ends, each with its inverse.
#[derive(Clone, Copy)]
pub(super) struct LimbLengths<V> {
    pub(super) upper: (V, V),
    pub(super) lower: (V, V),
    pub(super) whole: (V, V),
}

impl<V: SimdFloat> LimbLengths<V> {
    #[inline(always)]
    pub(super) fn new<N: NumericBackend<Float = V>>(n: N, [root, middle, end]: [[V; 3]; 3]) -> Self {
        Self {
            upper: length(n, sub(middle, root)),
            lower: length(n, sub(end, middle)),
            whole: length(n, sub(end, root)),
        }
    }
}

/// Returns the rotations by which the end of a limb reaches `target`, or the nearest distance that its bones permit.
///
/// The limb turns as a whole by the smallest rotation that takes its end to the direction of the target, and bends in its plane. A
/// straight limb bends towards `bend`. Bones without a length keep their rotation.
#[inline(always)]
pub(super) fn bend_limb<N: NumericBackend>(
    n: N,
    [root, middle, end]: [[N::Float; 3]; 3],
    lengths: &LimbLengths<N::Float>,
    target: [N::Float; 3],
    bend: [N::Float; 3],
) -> BentLimb<N::Float> {
    let (zero, one) = (n.constant(0.0), n.constant(1.0));
    let (upper, lower) = (sub(middle, root), sub(end, middle));
    let (present, reach) = (sub(end, root), sub(target, root));
    let LimbLengths { upper: (a, inverse_a), lower: (b, inverse_b), whole: (present_distance, inverse_present) } =
        *lengths;
    let (distance, inverse_distance) = length(n, reach);
    let upper_unit = scaled(upper, inverse_a);
    let axis = select_eq_zero(present_distance, upper_unit, scaled(present, inverse_present));
    let new_axis = select_eq_zero(distance, axis, scaled(reach, inverse_distance));
    let difference = (a - b).flip_sign_where_negative(a - b);
    let distance = min(n, max(n, distance, difference), a + b);
    // The direction in which the limb bends: the present one if the distance stays.
    let change = distance - present_distance;
    let change = change.flip_sign_where_negative(change) * n.constant(1.0 / BEND_CHANGE);
    let change = min(n, change, a + b) * n.constant(1.0 / STRAIGHT);
    let aside = perpendicular(upper, axis);
    let given = unit(n, perpendicular(bend, axis), [zero; 3]);
    let straightness = n.constant(STRAIGHT * STRAIGHT) - dot(aside, aside) * inverse_a * inverse_a;
    let pole = unit(n, add(aside, scaled(given, positive(n, straightness) * change)), given);
    // The triangle of the bones and the distance.
    let divisor = (a + a) * distance;
    let cosine = divisor.select_eq_zero(zero, (a * a - b * b + distance * distance) / divisor);
    let cosine = min(n, max(n, cosine, zero - one), one);
    let sine = positive(n, one - cosine * cosine).sqrt();
    let new_upper = add(scaled(axis, cosine), scaled(pole, sine));
    let new_lower = scaled(sub(scaled(axis, distance), scaled(new_upper, a)), inverse_b);
    let hinge = cross(axis, pole);
    let whole = scaled_rotation_between(n, axis, new_axis, hinge);
    let of_upper = scaled_rotation_between(n, upper_unit, new_upper, hinge);
    let of_lower = scaled_rotation_between(n, scaled(lower, inverse_b), new_lower, hinge);
    let none = [zero, zero, zero, one];
    let upper_rotation = unit(n, quat_mul(whole, of_upper), none);
    BentLimb {
        upper: upper_rotation,
        lower: unit(n, quat_mul(whole, of_lower), none),
        middle: add(root, rotate(upper_rotation, upper)),
        end: add(root, scaled(new_axis, distance)),
    }
}

/// Limits of a joint that aims.
#[derive(Clone, Copy, Debug)]
pub(super) struct AimLimits {
    /// Cosine of the largest angle that the joint follows.
    max_cosine: f32,
    /// The part of that angle by which it turns.
    weight: f32,
    /// Cosine of the angle at which it is back in its pose, and the inverse of its difference from that at which it begins to turn back.
    fade_cone: [f32; 2],
}

impl AimLimits {
    pub(super) fn new(max_angle: f64, weight: f64, fade_cone: Option<[f64; 2]>) -> Self {
        let cosine = |angle: f64| libm::cos(angle.clamp(0.0, std::f64::consts::PI));
        let fade_cone = fade_cone.map_or([-2.0, 1.0], |[start, end]| {
            let end = cosine(end);
            [end, 1.0 / (cosine(start) - end).max(1e-3)]
        });
        let fade_cone = fade_cone.map(|x| x as f32);
        Self { max_cosine: cosine(max_angle) as f32, weight: weight.clamp(0.0, 1.0) as f32, fade_cone }
    }
}

/// Returns the rotation of the direction `forward` towards `to_target`, by a part of the angle, within limits.
#[inline(always)]
pub(super) fn aim<N: NumericBackend>(
    n: N,
    forward: [N::Float; 3],
    to_target: [N::Float; 3],
    weight: N::Float,
    limits: &AimLimits,
) -> [N::Float; 4] {
    let AimLimits { max_cosine, weight: part, fade_cone: [fade_cone, steepness] } = *limits;
    let zero = n.constant(0.0);
    let forward = unit(n, forward, [zero; 3]);
    let to_target = unit(n, to_target, forward);
    let cosine = dot(forward, to_target);
    let beyond = positive(n, n.constant(max_cosine) - cosine);
    let aside = unit(n, perpendicular(to_target, forward), [zero; 3]);
    let max_sine = (1.0 - max_cosine * max_cosine).max(0.0).sqrt();
    let limit = add(scaled(forward, n.constant(max_cosine)), scaled(aside, n.constant(max_sine)));
    let mut to = limit;
    for i in 0..3 {
        to[i] = beyond.select_eq_zero(to_target[i], limit[i]);
    }
    // A target that passes behind would turn the joint from one side to the other at once.
    let held = smooth_step(n, (cosine - n.constant(fade_cone)) * n.constant(steepness));
    let weight = weight * n.constant(part) * held;
    part_of_rotation(n, unit(n, scaled_rotation_between(n, forward, to, [zero; 3]), [zero; 4]), weight)
}

/// Returns a rotation between none and `rotation`, whose `w` is not negative.
#[inline(always)]
pub(super) fn part_of_rotation<N: NumericBackend>(
    n: N,
    [x, y, z, w]: [N::Float; 4],
    weight: N::Float,
) -> [N::Float; 4] {
    let (zero, one) = (n.constant(0.0), n.constant(1.0));
    let part = [x * weight, y * weight, z * weight, (one - weight) + w * weight];
    unit(n, part, [zero, zero, zero, one])
}

/// Returns the rotations by which the end of a limb of two bones reaches `target`: that of the upper bone, and that of the lower one.
///
/// `joints` are the positions of the limb's root, middle and end; the rotations follow the present ones in the same space. A target
/// beyond the reach stretches the limb towards it, one too near folds the limb. The limb keeps the plane in which it bends and turns by
/// the smallest rotation. A straight limb bends towards the direction `bend`.
///
/// ```
/// use rigview_core::ik::two_bone;
/// use rigview_core::nalgebra::Vector3;
///
/// // A leg of two meters, and a foot that lands half a meter above the ground.
/// let [hip, knee, foot] = [2.0, 1.0, 0.0].map(|height| Vector3::y() * height);
/// let target = Vector3::new(0.0, 0.5, 0.0);
/// let [thigh, shin] = two_bone([hip, knee, foot], target, Vector3::z());
/// let new_knee = hip + thigh * (knee - hip);
/// assert!(new_knee.z > 0.5);
/// assert!((new_knee + shin * (foot - knee) - target).norm() < 1e-12);
/// ```
pub fn two_bone(joints: [Vector3<f64>; 3], target: Vector3<f64>, bend: Vector3<f64>) -> [UnitQuaternion<f64>; 2] {
    let joints = joints.map(Into::into);
    let bent = bend_limb(ScalarF64, joints, &LimbLengths::new(ScalarF64, joints), target.into(), bend.into());
    [bent.upper, bent.lower].map(|[x, y, z, w]| UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)))
}
