//! Light dial: directions as positions in the image, relative to the camera.
//!
//! The center is light from the camera, the ring with radius 1 light from the side, and the ring with radius 2 light from behind
//! (an azimuthal equidistant projection). Each direction has one position, and none is hidden.

use nalgebra::Vector3;
use rigview_core::math::Affine;
use std::f64::consts::{FRAC_PI_2, PI};

/// Returns the position of a direction in world space, right and down from the center.
pub(crate) fn dial_position(world_from_view: &Affine, to_light: Vector3<f64>) -> [f64; 2] {
    let Some(unit) = to_light.try_normalize(0.0) else { return [0.0; 2] };
    let in_view = world_from_view.linear.transpose() * unit;
    let radius = in_view.z.clamp(-1.0, 1.0).acos() / FRAC_PI_2;
    let across = in_view.x.hypot(in_view.y);
    if across < 1e-9 {
        return [0.0, if in_view.z < 0.0 { -radius } else { 0.0 }];
    }
    [in_view.x / across * radius, -in_view.y / across * radius]
}

/// Returns the unit direction in world space of a position; beyond the ring of radius 2 that of the ring.
pub(crate) fn dial_direction(world_from_view: &Affine, [right, down]: [f64; 2]) -> Vector3<f64> {
    let radius = right.hypot(down);
    let (sin, cos) = libm::sincos((radius * FRAC_PI_2).min(PI));
    let scale = if radius > 0.0 { sin / radius } else { 0.0 };
    world_from_view.linear * Vector3::new(right * scale, -down * scale, cos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_render::scene::Camera;

    #[test]
    fn positions_and_directions_round_trip() {
        let camera = Camera::look_at(Vector3::new(3.0, 2.0, 5.0), Vector3::zeros(), 0.6);
        for position in [[0.0, 0.0], [0.5, -0.5], [-1.0, 0.0], [0.3, 1.6], [-1.1, -1.2]] {
            let direction = dial_direction(&camera.world_from_view, position);
            let found = dial_position(&camera.world_from_view, direction);
            assert!((0..2).all(|i| (found[i] - position[i]).abs() < 1e-9), "{position:?}: {found:?}");
        }
    }

    #[test]
    fn center_is_the_camera_and_the_ring_is_the_side() {
        let camera = Camera::look_at(Vector3::new(0.0, 0.0, 5.0), Vector3::zeros(), 0.6);
        let direction = |position| dial_direction(&camera.world_from_view, position);
        assert!((direction([0.0, 0.0]) - Vector3::z()).norm() < 1e-9);
        assert!((direction([1.0, 0.0]) - Vector3::x()).norm() < 1e-9);
        assert!((direction([0.0, -1.0]) - Vector3::y()).norm() < 1e-9);
        for behind in [[2.0, 0.0], [0.0, 5.0]] {
            assert!((direction(behind) + Vector3::z()).norm() < 1e-9);
        }
    }
}
