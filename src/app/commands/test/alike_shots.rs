//! Shots of one clip whose images look alike, so that they do not test what moves.

use super::compare_golden::RenderedShot;
use super::planned_shot::PlannedShot;
use crate::request::{RenderRequest, TimeRequest};
use rigview_suite::compare::RgbaImage;

/// Start of the notice.
pub(super) const ALIKE: &str = "looks like shot";

/// The last image of a run.
#[derive(Default)]
pub(super) struct LastShot {
    name: String,
    /// Without the time.
    request: RenderRequest,
    time: TimeRequest,
    image: Option<RgbaImage>,
}

impl LastShot {
    /// Replaces the shot. Returns a notice if both differ only in their time, and look alike.
    pub(super) fn replace(&mut self, planned: &PlannedShot, rendered: &RenderedShot) -> Option<String> {
        let mut request = planned.request.clone();
        let time = std::mem::take(&mut request.scene.time);
        let image =
            rendered.image.as_ref().map(|image| RgbaImage::new(image.size[0], image.size[1], image.rgba.clone()));
        // The rest pose has no time.
        let same = self.request == request && self.time != time && request.scene.clip.as_deref() != Some("none");
        let alike = self
            .image
            .as_ref()
            .zip(image.as_ref())
            .filter(|(a, b)| same && a.is_alike(b))
            .map(|_| format!("{ALIKE} {}, at another time of the same clip", self.name));
        *self = Self { name: planned.name.clone(), request, time, image };
        alike
    }
}
