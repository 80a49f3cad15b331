//! Interpolation between two keys (glTF 2.0, appendix C), in double precision.
//!
//! Trigonometry comes from the `libm` crate instead of the system library, so that poses are identical on all machines.

use nalgebra::{Quaternion, UnitQuaternion, Vector3, Vector4};

/// Arcs below this many radians are interpolated linearly; the error is of third order.
const STRAIGHT_ARC: f64 = 1e-5;

/// Spherical linear interpolation on the shorter arc (Shoemake 1985; appendix C.4).
///
/// Computes the angle from chord and sum, which is precise for short arcs, unlike the arc cosine.
pub(super) fn slerp(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>, t: f64) -> UnitQuaternion<f64> {
    let (a, mut b) = (a.coords, b.coords);
    if a.dot(&b) < 0.0 {
        b = -b;
    }
    let arc = 2.0 * libm::atan2((a - b).norm(), (a + b).norm());
    let (from_a, from_b) = if arc < STRAIGHT_ARC {
        (1.0 - t, t)
    } else {
        let sin_arc = libm::sin(arc);
        (libm::sin((1.0 - t) * arc) / sin_arc, libm::sin(t * arc) / sin_arc)
    };
    UnitQuaternion::new_normalize(Quaternion::from(a * from_a + b * from_b))
}

/// Returns the tangent of [`slerp`]'s arc at `a`, scaled by the arc length, and that length in radians.
pub(crate) fn slerp_tangent(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> (Vector4<f64>, f64) {
    let (a, mut b) = (a.coords, b.coords);
    if a.dot(&b) < 0.0 {
        b = -b;
    }
    let length = 2.0 * libm::atan2((a - b).norm(), (a + b).norm());
    let across = b - a * a.dot(&b);
    let size = across.norm();
    if length < STRAIGHT_ARC || size == 0.0 { (b - a, length) } else { (across * (length / size), length) }
}

/// Returns the weights of value, out-tangent, next value and next in-tangent of a cubic Hermite spline (appendix C.5).
///
/// `t` is the fraction of the time between the keys, which are `key_secs` apart.
pub(super) fn hermite_weights(t: f64, key_secs: f64) -> [f64; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [2.0 * t3 - 3.0 * t2 + 1.0, key_secs * (t3 - 2.0 * t2 + t), -2.0 * t3 + 3.0 * t2, key_secs * (t3 - t2)]
}

/// Normalizes a quaternion `x, y, z, w`; `None` if it is zero.
pub(crate) fn unit(coords: Vector4<f64>) -> Option<UnitQuaternion<f64>> {
    UnitQuaternion::try_new(Quaternion::from(coords), 0.0)
}

/// Linear interpolation.
pub(super) fn lerp(a: Vector3<f64>, b: Vector3<f64>, t: f64) -> Vector3<f64> {
    a * (1.0 - t) + b * t
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about_x(angle: f64) -> UnitQuaternion<f64> {
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angle)
    }

    #[test]
    fn slerp_has_constant_speed_at_all_angles() {
        for angle in [1e-12, 1e-7, 0.9e-5, 1.1e-5, 1e-3, 0.5, 2.0, 3.1] {
            for t in [0.0, 0.1, 0.5, 0.9, 1.0] {
                let got = slerp(&about_x(0.3), &about_x(0.3 + angle), t);
                assert!((got.coords - about_x(0.3 + t * angle).coords).amax() < 2e-16, "angle {angle}, t {t}");
            }
        }
    }

    #[test]
    fn slerp_takes_the_shorter_arc() {
        let (a, b) = (about_x(0.0), about_x(1.0));
        let antipodal = UnitQuaternion::new_unchecked(-b.into_inner());
        assert!((slerp(&a, &antipodal, 0.5).coords - about_x(0.5).coords).amax() < 1e-15);
    }

    #[test]
    fn slerp_between_opposite_rotations_is_unit() {
        let q = slerp(&about_x(0.0), &about_x(2.0 * std::f64::consts::PI), 0.5);
        assert!((q.norm() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn hermite_spline_matches_keys_and_tangents() {
        assert_eq!(hermite_weights(0.0, 2.0), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(hermite_weights(1.0, 2.0), [0.0, 0.0, 1.0, 0.0]);
        let step = 1e-7;
        let [_, out_tangent, _, _] = hermite_weights(step, 2.0);
        assert!((out_tangent / (step * 2.0) - 1.0).abs() < 1e-6);
    }
}
