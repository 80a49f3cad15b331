//! Camera of a document: a free orbit, or a camera of the file.

use crate::app::scene::LoadedScene;
use crate::math::SupportHull;
use crate::model::CameraIndex;
use crate::scene::{Camera, Orbit};
use std::f64::consts::{FRAC_PI_2, PI};

/// The side of the model that faces the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViewDirection {
    /// Camera on +Z; glTF models face +Z.
    Front,
    Back,
    /// Camera on -X, the model's right side.
    Right,
    Left,
    Top,
    Bottom,
}

pub(crate) struct CameraState {
    pub(crate) orbit: Orbit,
    /// The file's camera in use; `None` for the orbit.
    pub(crate) model_camera: Option<CameraIndex>,
    /// In a comparison: the camera of the first document, while it uses a camera of its file.
    pub(crate) synced_camera: Option<Camera>,
    /// Hull of the document that this one is compared with; it is framed, too.
    pub(crate) compared_hull: Option<SupportHull>,
}

impl CameraState {
    pub(crate) fn new(hull: &SupportHull, aspect: f64) -> Self {
        Self { orbit: Orbit::framing(hull, aspect), model_camera: None, synced_camera: None, compared_hull: None }
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
        if let Some(companion) = &self.compared_hull {
            hull.merge(companion);
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
        self.orbit = Orbit::framing(&self.hull(scene), aspect);
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

    /// Rotates the orbit around its target to `direction`.
    pub(crate) fn set_direction(&mut self, direction: ViewDirection) {
        self.model_camera = None;
        let (yaw, up) = match direction {
            ViewDirection::Front => (0.0, 0.0),
            ViewDirection::Back => (PI, 0.0),
            ViewDirection::Left => (FRAC_PI_2, 0.0),
            ViewDirection::Right => (-FRAC_PI_2, 0.0),
            ViewDirection::Top => (0.0, PI),
            ViewDirection::Bottom => (0.0, -PI),
        };
        (self.orbit.yaw, self.orbit.pitch) = (0.0, 0.0);
        self.orbit.rotate(yaw, up);
    }
}
