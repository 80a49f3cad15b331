//! The camera of a golden: a shot is drawn with it, so that a change of the animation does not move all images of a clip.

use super::planned_shot::PlannedShot;
use rigview_render::image_file::{PngMetadata, png_metadata};
use rigview_render::scene::Camera;

/// The notice of a shot whose automatic camera differs from that of the golden.
pub(crate) const MOVED: &str =
    "the automatic camera would move with this model; the image has the camera of the golden (--update moves it)";

/// Returns the camera that the golden of a shot records; `None` if it was rendered with other options than `metadata`.
pub(crate) fn read(planned: &PlannedShot, metadata: &PngMetadata) -> Option<Camera> {
    let recorded = png_metadata(&planned.read_golden(metadata.renderer.as_deref()).ok()??)?;
    (recorded.command == metadata.command).then(|| Camera::from_text(&recorded.camera?)).flatten()
}
