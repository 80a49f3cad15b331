//! Orbit camera.

use super::{Camera, Lens};
use nalgebra::Vector3;
use rigview_core::math::{Aabb, SupportHull};
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
    /// Parallel projection of the same height at the target.
    pub orthographic: bool,
}

/// Default vertical field of view, in radians.
pub const DEFAULT_FOV_Y: f64 = 35.0 * std::f64::consts::PI / 180.0;

/// Height of the film that focal lengths refer to, in millimeters (35 mm film).
const FILM_HEIGHT_MM: f64 = 24.0;

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
        let mut orbit = Self {
            target: Vector3::zeros(),
            yaw: 0.55,
            pitch,
            distance: 1.0,
            fov_y: DEFAULT_FOV_Y,
            orthographic: false,
        };
        orbit.frame(hull, aspect);
        orbit
    }

    /// Moves so that all of `hull` is visible, without rotation.
    pub fn frame(&mut self, hull: &SupportHull, aspect: f64) {
        let fit = if self.orthographic { super::fit_orthographic } else { super::fit_camera };
        (self.target, self.distance) = fit(hull, self.backward(), self.fov_y, aspect);
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

    /// Returns the position of the camera; with parallel projection, of a perspective camera of the same height at the target.
    pub fn eye(&self) -> Vector3<f64> {
        self.target + self.backward() * self.distance
    }

    /// Returns the camera with a depth range for `bounds`.
    pub fn camera(&self, bounds: &Aabb) -> Camera {
        let mut camera = if self.orthographic {
            Camera::look_at_orthographic(self.eye(), self.target, self.fov_y, bounds)
        } else {
            Camera::look_at(self.eye(), self.target, self.fov_y)
        };
        camera.fit_depth(bounds);
        camera
    }

    /// Returns the view of a camera without its roll. The target is the point of its axis nearest to `focus`.
    pub fn from_camera(camera: &Camera, focus: Vector3<f64>, aspect: f64) -> Self {
        let (eye, backward) = (camera.eye_in_world(), camera.world_from_view.linear.column(2).into_owned());
        let depth = (eye - focus).dot(&backward).max(10.0 * camera.near);
        let (fov_y, distance, orthographic) = match camera.lens {
            Lens::Perspective { fov_y } => (fov_y, depth, false),
            Lens::Orthographic { half_size: [half_width, half_height] } => {
                let half_height = half_height.max(half_width / aspect);
                (DEFAULT_FOV_Y, half_height / libm::tan(0.5 * DEFAULT_FOV_Y), true)
            }
        };
        let yaw = libm::atan2(backward.x, backward.z).rem_euclid(TAU);
        let pitch = libm::asin(backward.y.clamp(-1.0, 1.0)).clamp(-MAX_PITCH, MAX_PITCH);
        Self { target: eye - backward * depth, yaw, pitch, distance, fov_y, orthographic }
    }

    /// Returns `true` if both have the same target and show the same height there.
    pub fn has_extent_of(&self, other: &Self) -> bool {
        let mut other = *other;
        other.set_fov_y(self.fov_y);
        (other.target - self.target).norm() + (other.distance - self.distance).abs() < 1e-6 * self.distance
    }

    /// Returns the focal length in millimeters, for 35 mm film.
    pub fn focal_length_mm(&self) -> f64 {
        0.5 * FILM_HEIGHT_MM / libm::tan(0.5 * self.fov_y)
    }

    /// Changes the focal length, to a hundredth of a degree of the field of view; the height at the target stays.
    pub fn set_focal_length_mm(&mut self, focal_length_mm: f64) {
        let degrees = (2.0 * libm::atan(0.5 * FILM_HEIGHT_MM / focal_length_mm)).to_degrees();
        self.set_fov_y(((degrees * 100.0).round() / 100.0).to_radians());
    }

    /// Changes the field of view; the height at the target stays.
    pub fn set_fov_y(&mut self, fov_y: f64) {
        self.distance *= libm::tan(0.5 * self.fov_y) / libm::tan(0.5 * fov_y);
        self.fov_y = fov_y;
    }

    /// Moves the eye around the target to a direction from it, which is not zero. A vertical direction keeps the yaw.
    pub fn look_from(&mut self, direction: Vector3<f64>) {
        self.rotate(-self.yaw, -self.pitch);
        let horizontal = libm::hypot(direction.x, direction.z);
        self.rotate(libm::atan2(direction.x, direction.z), libm::atan2(direction.y, horizontal));
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

    /// Like [`zoom`](Self::zoom), towards the point in the plane of the target at a position: right and up from the center, in fractions
    /// of the image height. That point stays where it is in the image.
    pub fn zoom_towards(&mut self, steps: f64, [right, up]: [f64; 2], bounds: &Aabb) {
        let before = *self;
        self.zoom(steps, bounds);
        let fraction = 1.0 - self.distance / before.distance;
        let mut moved = before;
        moved.pan(right * fraction, up * fraction);
        self.target = moved.target;
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
    fn focal_length_keeps_the_size_of_the_target() {
        let mut orbit = Orbit::framing(&unit_hull(), 1.5);
        assert!((orbit.focal_length_mm() - 38.06).abs() < 0.01);
        let before = orbit;
        orbit.set_focal_length_mm(85.0);
        assert!((orbit.focal_length_mm() - 85.0).abs() < 0.1 && orbit.has_extent_of(&before));
    }

    #[test]
    fn rotation_keeps_the_target_and_stops_before_the_poles() {
        let mut orbit = Orbit::framing(&unit_hull(), 1.5);
        let target = orbit.target;
        orbit.rotate(100.0, 100.0);
        assert_eq!(orbit.target, target);
        assert!(orbit.pitch < FRAC_PI_2 && (0.0..TAU).contains(&orbit.yaw));
    }

    #[test]
    fn zoom_keeps_the_point_under_the_pointer() {
        let mut orbit = Orbit::framing(&unit_hull(), 1.5);
        let mut panned = orbit;
        panned.pan(0.3, -0.2);
        let point = panned.target;
        let position = |orbit: &Orbit| {
            let p = orbit.camera(&unit_box()).projection_from_world(1.5) * point.push(1.0);
            [p.x / p.w, p.y / p.w]
        };
        let before = position(&orbit);
        orbit.zoom_towards(4.0, [0.3, -0.2], &unit_box());
        let after = position(&orbit);
        assert!((0..2).all(|i| (after[i] - before[i]).abs() < 1e-9), "{before:?} {after:?}");
    }

    #[test]
    fn orthographic_view_has_the_height_of_the_target_and_frames_all() {
        let mut orbit = Orbit::framing(&unit_hull(), 1.5);
        let up = |orbit: &Orbit| {
            let axis = orbit.camera(&unit_box()).world_from_view.linear.column(1).into_owned();
            let p = orbit.camera(&unit_box()).projection_from_world(1.5) * (orbit.target + axis * 0.3).push(1.0);
            p.y / p.w
        };
        let perspective = up(&orbit);
        orbit.orthographic = true;
        assert!((up(&orbit) - perspective).abs() < 1e-9);
        for aspect in [0.4, 1.0, 3.0] {
            orbit.frame(&unit_hull(), aspect);
            let camera = orbit.camera(&unit_box());
            let corners = unit_box().corners().map(|corner| camera.projection_from_world(aspect) * corner.push(1.0));
            let extent = corners.map(|p| p.xyz().abs()).fold(Vector3::zeros(), |max, p| max.sup(&p));
            assert!(extent.max() <= 1.0 && extent.x.max(extent.y) > 0.85, "{aspect}: {extent}");
        }
    }

    #[test]
    fn view_of_a_camera_is_the_same() {
        let camera = Camera::look_at(Vector3::new(3.0, 1.0, -2.0), Vector3::new(0.5, 0.0, 0.5), 0.7);
        let orbit = Orbit::from_camera(&camera, Vector3::zeros(), 1.5);
        let found = orbit.camera(&unit_box());
        assert!((found.eye_in_world() - camera.eye_in_world()).norm() < 1e-9 && found.lens == camera.lens);
        assert!((found.world_from_view.linear - camera.world_from_view.linear).norm() < 1e-9);
    }
}
