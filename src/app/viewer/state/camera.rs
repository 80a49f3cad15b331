//! Camera of a document: a free orbit, or a camera of the file.

use crate::app::scene::LoadedScene;
use nalgebra::Vector3;
use rigview_core::math::SupportHull;
use rigview_core::model::CameraIndex;
use rigview_render::scene::{Camera, Orbit};

pub(crate) struct CameraState {
    pub(crate) orbit: Orbit,
    /// The orbit that framed the model last.
    framed: Orbit,
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

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bookmark {
    pub(crate) name: String,
    pub(crate) orbit: Orbit,
}

impl CameraState {
    pub(crate) fn new(orbit: Orbit) -> Self {
        Self {
            orbit,
            framed: orbit,
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
        self.framed = self.orbit;
    }

    /// Restores the initial view.
    pub(crate) fn reset(&mut self, scene: &LoadedScene, aspect: f64) {
        self.model_camera = None;
        self.orbit = scene.first_view(&self.hull(scene), aspect);
        self.framed = self.orbit;
    }

    /// Takes over the view of the same file before it was read again.
    pub(crate) fn inherit_view_from(&mut self, before: &Self) {
        (self.orbit, self.framed, self.followed) = (before.orbit, before.framed, before.followed);
        self.bookmarks.clone_from(&before.bookmarks);
    }

    /// Returns `true` until the user pans or zooms. While true, all is framed again after a change of the crowd or of the direction.
    pub(crate) fn is_framed(&self) -> bool {
        self.orbit.has_extent_of(&self.framed)
    }

    /// Keeps the model framed after a change of the viewport's aspect ratio.
    pub(crate) fn reshape(&mut self, scene: &LoadedScene, aspect_before: f64, aspect: f64) {
        let is_framed = self.is_framed();
        self.orbit.reshape(&self.hull(scene), aspect_before, aspect);
        if is_framed {
            self.framed = self.orbit;
        }
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

    pub(crate) fn add_bookmark(&mut self) {
        let used = |name: &str| self.bookmarks.iter().any(|bookmark| bookmark.name == name);
        let name = (1..).map(|number| format!("View {number}")).find(|name| !used(name)).unwrap_or_default();
        self.bookmarks.push(Bookmark { name, orbit: self.orbit });
    }

    pub(crate) fn go_to_bookmark(&mut self, index: usize) {
        if let Some(bookmark) = self.bookmarks.get(index) {
            (self.orbit, self.model_camera) = (bookmark.orbit, None);
        }
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
