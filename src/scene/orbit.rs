//! Orbit camera.

use super::Camera;
use crate::math::{Aabb, SupportHull};
use nalgebra::Vector3;
use std::f64::consts::{FRAC_PI_2, TAU};

/// A camera that orbits a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// The point at the center of the image.
    pub target: Vector3<f64>,
    /// Azimuth around +Y in radians; 0 looks along -Z.
    pub yaw: f64,
    /// Elevation in radians.
    pub pitch: f64,
    /// Distance from the target, in meters.
    pub distance: f64,
    /// Vertical field of view, in radians.
    pub fov_y: f64,
}

/// Maximum elevation, short of the poles.
const MAX_PITCH: f64 = FRAC_PI_2 - 0.01;

impl Orbit {
    /// Returns the default view of a model: from the front, slightly from the right and above, with all of `hull`
    /// visible.
    pub fn framing(hull: &SupportHull, aspect: f64) -> Self {
        let extent = hull.bounds().extent();
        let flatness = extent.y / extent.x.max(extent.z).max(f64::MIN_POSITIVE);
        // Flat models are seen from higher above.
        let pitch = 0.25 + 0.35 * (1.0 - 2.0 * flatness).clamp(0.0, 1.0);
        let mut orbit =
            Self { target: Vector3::zeros(), yaw: 0.55, pitch, distance: 1.0, fov_y: 35.0_f64.to_radians() };
        orbit.frame(hull, aspect);
        orbit
    }

    /// Moves so that all of `hull` is visible, without rotation.
    pub fn frame(&mut self, hull: &SupportHull, aspect: f64) {
        let (target, distance) = super::fit_camera(hull, self.backward(), self.fov_y, aspect);
        (self.target, self.distance) = (target, distance);
    }

    /// Adapts to a new aspect ratio. A framed view is framed again; any other keeps its relative size.
    pub fn reshape(&mut self, hull: &SupportHull, aspect_before: f64, aspect: f64) {
        let mut framed_before = *self;
        framed_before.frame(hull, aspect_before);
        let mut framed_after = *self;
        framed_after.frame(hull, aspect);
        if framed_before == *self {
            *self = framed_after;
        } else {
            self.distance *= framed_after.distance / framed_before.distance;
        }
    }

    /// Returns the unit vector from the target to the camera.
    fn backward(&self) -> Vector3<f64> {
        let (yaw_sin, yaw_cos) = libm::sincos(self.yaw);
        let (pitch_sin, pitch_cos) = libm::sincos(self.pitch);
        Vector3::new(yaw_sin * pitch_cos, pitch_sin, yaw_cos * pitch_cos)
    }

    /// Returns the camera with a depth range for `bounds`.
    pub fn camera(&self, bounds: &Aabb) -> Camera {
        let mut camera = Camera::look_at(self.target + self.backward() * self.distance, self.target, self.fov_y);
        camera.fit_depth(bounds);
        camera
    }

    /// Rotates by radians to the right and up.
    pub fn rotate(&mut self, right: f64, up: f64) {
        self.yaw = (self.yaw + right).rem_euclid(TAU);
        self.pitch = (self.pitch + up).clamp(-MAX_PITCH, MAX_PITCH);
    }

    /// Moves the target in the image plane, in fractions of the image height.
    pub fn pan(&mut self, right: f64, up: f64) {
        let camera = Camera::look_at(self.backward(), Vector3::zeros(), self.fov_y);
        let height = 2.0 * self.distance * libm::tan(0.5 * self.fov_y);
        self.target += camera.world_from_view.transform_vector(Vector3::new(right, up, 0.0)) * height;
    }

    /// Zooms in (`steps` above 0) or out by a tenth of the distance per step, limited by the size of `bounds`.
    pub fn zoom(&mut self, steps: f64, bounds: &Aabb) {
        let size = bounds.diagonal().max(1e-9);
        self.distance = (self.distance * libm::pow(0.9, steps)).clamp(size * 1e-3, size * 1e3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit_box() -> Aabb {
        Aabb { min: Vector3::repeat(-1.0), max: Vector3::repeat(1.0) }
    }

    #[test]
    fn pan_by_half_the_height_moves_the_center_to_the_edge() {
        let mut orbit = Orbit::framing(&unit_hull(), 1.5);
        let before = orbit.target;
        orbit.pan(0.0, 0.5);
        let p = orbit.camera(&unit_box()).projection_from_world(1.5) * before.push(1.0);
        assert!((p.y / p.w + 1.0).abs() < 1e-9 && (p.x / p.w).abs() < 1e-9);
    }

    fn unit_hull() -> SupportHull {
        SupportHull::from_aabb(&unit_box())
    }

    #[test]
    fn reshape_keeps_a_framed_view_framed_and_a_close_view_close() {
        let mut orbit = Orbit::framing(&unit_hull(), 2.0);
        orbit.reshape(&unit_hull(), 2.0, 0.5);
        assert_eq!(orbit, Orbit::framing(&unit_hull(), 0.5));
        orbit.zoom(3.0, unit_hull().bounds());
        let close = orbit;
        orbit.reshape(&unit_hull(), 0.5, 3.0);
        assert!(orbit.distance < close.distance && orbit.target == close.target);
        orbit.reshape(&unit_hull(), 3.0, 0.5);
        assert!((orbit.distance - close.distance).abs() < 1e-12);
    }

    #[test]
    fn rotation_keeps_the_target_and_stops_before_the_poles() {
        let mut orbit = Orbit::framing(&unit_hull(), 1.5);
        let target = orbit.target;
        orbit.rotate(100.0, 100.0);
        assert_eq!(orbit.target, target);
        assert!(orbit.pitch < FRAC_PI_2 && (0.0..TAU).contains(&orbit.yaw));
    }
}
