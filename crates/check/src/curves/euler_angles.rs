//! Euler angles that continue beyond a turn.

use nalgebra::UnitQuaternion;
use std::f64::consts::{PI, TAU};

/// Adds the whole turns to an angle that bring it nearest to another.
pub(super) fn unwrapped(angle: f64, near: f64) -> f64 {
    angle + ((near - angle) / TAU).round() * TAU
}

/// The XYZ Euler angles of a rotation that are nearest to others, in radians.
pub fn nearest_euler_angles(rotation: &UnitQuaternion<f64>, near: [f64; 3]) -> [f64; 3] {
    let (x, y, z) = rotation.euler_angles();
    let unwrapped = |angles: [f64; 3]| [0, 1, 2].map(|axis| unwrapped(angles[axis], near[axis]));
    let distance = |angles: &[f64; 3]| (0..3).map(|axis| (angles[axis] - near[axis]).abs()).sum::<f64>();
    // The same rotation has two sets of Euler angles.
    let [first, second] = [unwrapped([x, y, z]), unwrapped([x + PI, PI - y, z + PI])];
    if distance(&second) + 1e-9 < distance(&first) { second } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn euler_angles_are_continuous() {
        // Three turns about x, then pitch through 90 degrees.
        for axis in [Vector3::x_axis(), Vector3::y_axis()] {
            let mut last: Option<[f64; 3]> = None;
            for i in 0..=600 {
                let rotation = UnitQuaternion::from_axis_angle(&axis, f64::from(i) * 0.0314159);
                let angles = nearest_euler_angles(&rotation, last.unwrap_or_default());
                let [x, y, z] = angles;
                assert!(UnitQuaternion::from_euler_angles(x, y, z).angle_to(&rotation) < 1e-6, "{angles:?}");
                let jump = last.map_or(0.0, |last| (0..3).map(|i| (angles[i] - last[i]).abs()).fold(0.0, f64::max));
                assert!(jump < 0.04, "jump of {jump} at {i} about {axis:?}");
                last = Some(angles);
            }
        }
    }
}
