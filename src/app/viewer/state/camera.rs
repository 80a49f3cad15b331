//! Camera of a document: a free orbit, or a camera of the file.

use crate::app::scene::LoadedScene;
use nalgebra::Vector3;
use rigview_core::math::SupportHull;
use rigview_core::model::CameraIndex;
use rigview_render::scene::{Camera, Orbit};
use std::f64::consts::{FRAC_PI_2, PI};

/// The side of the model that faces the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViewDirection {
    /// Camera in front of the model.
    Front,
    Back,
    /// Camera on the model's right side.
    Right,
    Left,
    Top,
    Bottom,
}

pub(crate) struct CameraState {
    pub(crate) orbit: Orbit,
    /// The file's camera in use; `None` for the orbit.
    pub(crate) model_camera: Option<CameraIndex>,
    /// Last place of the hips that the orbit moves with; `None` if it does not.
    pub(crate) followed: Option<Vector3<f64>>,
    /// In a comparison: the camera of the first document, while it uses a camera of its file.
    pub(crate) synced_camera: Option<Camera>,
    /// Hull of the document that this one is compared with; it is framed, too.
    pub(crate) compared_hull: Option<SupportHull>,
    pub(crate) bookmarks: Vec<Bookmark>,
}

/// A saved view.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bookmark {
    pub(crate) name: String,
    pub(crate) orbit: Orbit,
}

/// Height of the film that focal lengths refer to, in millimeters (35 mm film).
const FILM_HEIGHT_MM: f64 = 24.0;

/// Angle in radians within which a view counts as one of the six directions. Vertical views stop short of the poles.
const DIRECTION_TOLERANCE: f64 = 0.02;

impl ViewDirection {
    /// All directions with their names. The sides are named as the model's own.
    pub(crate) const ALL: [(Self, &'static str); 6] = [
        (Self::Front, "Front"),
        (Self::Back, "Back"),
        (Self::Right, "Model right"),
        (Self::Left, "Model left"),
        (Self::Top, "Top"),
        (Self::Bottom, "Bottom"),
    ];

    /// Returns the direction after half a turn of the model about its vertical axis.
    pub(crate) fn turned(self) -> Self {
        match self {
            Self::Front => Self::Back,
            Self::Back => Self::Front,
            Self::Right => Self::Left,
            Self::Left => Self::Right,
            Self::Top | Self::Bottom => self,
        }
    }

    /// Azimuth from the front of the model and elevation, in radians.
    fn angles(self) -> [f64; 2] {
        match self {
            Self::Front => [0.0, 0.0],
            Self::Back => [PI, 0.0],
            Self::Left => [FRAC_PI_2, 0.0],
            Self::Right => [-FRAC_PI_2, 0.0],
            Self::Top => [0.0, PI],
            Self::Bottom => [0.0, -PI],
        }
    }
}

impl CameraState {
    pub(crate) fn new(orbit: Orbit) -> Self {
        Self {
            orbit,
            model_camera: None,
            followed: None,
            synced_camera: None,
            compared_hull: None,
            bookmarks: Vec::new(),
        }
    }

    /// The camera in world space at `clock_secs`.
    pub(crate) fn camera(&self, scene: &LoadedScene, clock_secs: f64) -> Camera {
        match (self.synced_camera, self.model_camera) {
            (Some(camera), _) => camera,
            (None, Some(camera)) => scene.camera(camera, clock_secs),
            (None, None) => self.orbit.camera(scene.bounds()),
        }
    }

    /// Returns `true` if the orbit is the camera.
    pub(crate) fn is_free(&self) -> bool {
        self.model_camera.is_none() && self.synced_camera.is_none()
    }

    /// The hull of everything that should be framed.
    fn hull(&self, scene: &LoadedScene) -> SupportHull {
        let mut hull = scene.hull.clone();
        if let Some(compared) = &self.compared_hull {
            hull.merge(compared);
        }
        hull
    }

    /// Frames the model from the current direction.
    pub(crate) fn frame(&mut self, scene: &LoadedScene, aspect: f64) {
        self.orbit.frame(&self.hull(scene), aspect);
    }

    /// Restores the initial view.
    pub(crate) fn reset(&mut self, scene: &LoadedScene, aspect: f64) {
        self.model_camera = None;
        self.orbit = scene.first_view(&self.hull(scene), aspect);
    }

    /// Returns `true` until the user moves the camera; while true, the camera is re-framed when the crowd changes.
    pub(crate) fn is_framed(&self, scene: &LoadedScene, aspect: f64) -> bool {
        let mut framed = self.orbit;
        framed.frame(&self.hull(scene), aspect);
        (framed.target - self.orbit.target).norm() + (framed.distance - self.orbit.distance).abs()
            < 1e-6 * self.orbit.distance
    }

    /// Keeps the model framed after a change of the viewport's aspect ratio.
    pub(crate) fn reshape(&mut self, scene: &LoadedScene, aspect_before: f64, aspect: f64) {
        self.orbit.reshape(&self.hull(scene), aspect_before, aspect);
    }

    /// Rotates the orbit around its target to `direction`. `front_yaw` is the azimuth of the front of the model.
    pub(crate) fn set_direction(&mut self, direction: ViewDirection, front_yaw: f64) {
        self.model_camera = None;
        let [yaw, up] = direction.angles();
        (self.orbit.yaw, self.orbit.pitch) = (front_yaw, 0.0);
        self.orbit.rotate(yaw, up);
    }

    /// Leaves the file's camera; the orbit starts where it is.
    pub(crate) fn leave_model_camera(&mut self, scene: &LoadedScene, clock_secs: f64, aspect: f64) {
        if let Some(camera) = self.model_camera.take() {
            self.orbit = Orbit::from_camera(&scene.camera(camera, clock_secs), scene.bounds().center(), aspect);
        }
    }

    /// Frames a hull from the current direction.
    pub(crate) fn frame_hull(&mut self, hull: &SupportHull, aspect: f64) {
        self.model_camera = None;
        self.orbit.frame(hull, aspect);
    }

    /// Frames a hull from a direction.
    pub(crate) fn frame_hull_from(&mut self, hull: &SupportHull, direction: Vector3<f64>, aspect: f64) {
        self.orbit.look_from(direction);
        self.frame_hull(hull, aspect);
    }

    /// Saves the view.
    pub(crate) fn add_bookmark(&mut self) {
        let used = |name: &str| self.bookmarks.iter().any(|bookmark| bookmark.name == name);
        let name = (1..).map(|number| format!("View {number}")).find(|name| !used(name)).unwrap_or_default();
        self.bookmarks.push(Bookmark { name, orbit: self.orbit });
    }

    /// Restores a saved view.
    pub(crate) fn go_to_bookmark(&mut self, index: usize) {
        if let Some(bookmark) = self.bookmarks.get(index) {
            (self.orbit, self.model_camera) = (bookmark.orbit, None);
        }
    }

    /// The direction of the orbit; `None` for an oblique one.
    pub(crate) fn direction(&self, front_yaw: f64) -> Option<ViewDirection> {
        let backward = (self.orbit.eye() - self.orbit.target).normalize();
        let found = ViewDirection::ALL.into_iter().find(|(direction, _)| {
            let [yaw, pitch] = direction.angles();
            let (yaw, pitch) = (front_yaw + yaw, pitch.clamp(-FRAC_PI_2, FRAC_PI_2));
            let axis = Vector3::new(yaw.sin() * pitch.cos(), pitch.sin(), yaw.cos() * pitch.cos());
            backward.dot(&axis) > DIRECTION_TOLERANCE.cos()
        });
        found.map(|(direction, _)| direction)
    }

    /// Focal length of the orbit in millimeters, for 35 mm film.
    pub(crate) fn focal_length_mm(&self) -> f64 {
        0.5 * FILM_HEIGHT_MM / libm::tan(0.5 * self.orbit.fov_y)
    }

    /// Changes the focal length; the size of the target in the image stays.
    pub(crate) fn set_focal_length_mm(&mut self, focal_length_mm: f64) {
        // A round number of degrees, so that commands stay short.
        let degrees = (2.0 * libm::atan(0.5 * FILM_HEIGHT_MM / focal_length_mm)).to_degrees();
        self.orbit.set_fov_y(((degrees * 100.0).round() / 100.0).to_radians());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::math::Aabb;

    fn camera() -> CameraState {
        let bounds = Aabb { min: Vector3::repeat(-1.0), max: Vector3::repeat(1.0) };
        CameraState::new(Orbit::framing(&SupportHull::from_aabb(&bounds), 1.5))
    }

    #[test]
    fn directions_are_recognized() {
        let mut camera = camera();
        assert_eq!(camera.direction(0.0), None);
        for (front_yaw, (direction, name)) in
            [0.0, PI].into_iter().flat_map(|yaw| ViewDirection::ALL.map(|it| (yaw, it)))
        {
            camera.set_direction(direction, front_yaw);
            assert_eq!(camera.direction(front_yaw), Some(direction), "{name}");
        }
        camera.set_direction(ViewDirection::Front, PI);
        assert!(camera.orbit.eye().z < 0.0 && camera.direction(0.0) == Some(ViewDirection::Back));
        camera.orbit.rotate(0.1, 0.1);
        assert_eq!(camera.direction(0.0), None);
    }

    #[test]
    fn focal_length_keeps_the_size_of_the_target() {
        let mut camera = camera();
        assert!((camera.focal_length_mm() - 38.06).abs() < 0.01);
        let height = |camera: &CameraState| camera.orbit.distance * libm::tan(0.5 * camera.orbit.fov_y);
        let before = height(&camera);
        camera.set_focal_length_mm(85.0);
        assert!((camera.focal_length_mm() - 85.0).abs() < 0.1 && (height(&camera) - before).abs() < 1e-9);
    }

    #[test]
    fn bookmarks_restore_views() {
        let mut camera = camera();
        camera.add_bookmark();
        let saved = camera.orbit;
        camera.orbit.rotate(1.0, 0.2);
        camera.add_bookmark();
        camera.go_to_bookmark(0);
        assert_eq!((camera.orbit, camera.bookmarks[1].name.as_str()), (saved, "View 2"));
        camera.bookmarks.remove(0);
        camera.add_bookmark();
        assert_eq!(camera.bookmarks[1].name, "View 1");
        camera.go_to_bookmark(7);
    }
}
