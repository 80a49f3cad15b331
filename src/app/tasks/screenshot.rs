//! Renders an image without a window.

use crate::app::AppError;
use crate::app::console::progress::{Progress, ProgressSink};
use crate::app::files::atomic_write;
use crate::app::files::output_path::check_request_output;
use crate::app::notices::{
    clamped_time_notice, dual_quaternion_notice, joint_without_mesh_notices, no_mesh_notice, opening_clips_notice,
    out_of_view_notice, overexposure_notice, samples_notice, scene_notices,
};
use crate::app::offscreen::OffscreenRenderer;
use crate::app::scene::LoadedScene;
use crate::request::{Quality, RenderRequest};
use rigview_core::import::ImportOptions;
use std::path::Path;
use std::sync::Arc;

/// Steps that the progress counts: reading, rendering and encoding.
const STEPS: usize = 3;

/// Renders the image and writes it as PNG with its command line as metadata. Returns notices.
pub(crate) fn make(request: &RenderRequest, output: &Path, steps: &ProgressSink<'_>) -> Result<Vec<String>, AppError> {
    check_request_output(output, request, Some("png"))?;
    steps.step(0, STEPS)?;
    let images = Arc::default();
    let progress = Progress::reading(&request.file, &images);
    let (mut scene, mut offscreen) = start(request, || {
        let options =
            ImportOptions::default().with_images(request.scene.drawn_images()).with_progress(Arc::clone(&images));
        LoadedScene::open_as(&request.file, &request.scene, options)
    })?;
    drop(progress);
    steps.step(1, STEPS)?;
    let samples_done = Arc::clone(&offscreen.samples_done);
    let samples = (request.samples() > Quality::Standard.default_samples()).then_some(request.samples());
    let _progress = Progress::rendering(samples, &samples_done);

    let model = offscreen.upload_and_free_images(&mut scene, request.level_of_detail)?;
    let image = offscreen.draw(&mut scene, &model, request, None)?;
    steps.step(2, STEPS)?;
    let png = image.encode_png(request)?;
    steps.step(STEPS, STEPS)?;
    atomic_write::write_atomic(output, &png)?;
    Ok(notices(&scene, request, image.is_empty, image.samples))
}

/// Returns the notices of an image with actual samples per pixel.
pub(crate) fn notices(scene: &LoadedScene, request: &RenderRequest, is_empty: bool, samples: u32) -> Vec<String> {
    let notices = scene_notices(scene).into_iter().chain(no_mesh_notice(scene));
    let notices = notices.chain(opening_clips_notice(scene, &request.scene));
    let notices = notices.chain(out_of_view_notice(scene, is_empty));
    let notices = notices.chain(dual_quaternion_notice(scene, &request.debug_view));
    let notices = notices.chain(clamped_time_notice(scene, &request.scene));
    let notices = notices.chain(joint_without_mesh_notices(scene, &request.debug_view));
    let notices = notices.chain(overexposure_notice(scene, &request.light));
    notices.chain(samples_notice(request.samples(), samples)).collect()
}

/// Opens the scene and starts the driver in parallel, because that takes as long as loading most files.
pub(crate) fn start(
    request: &RenderRequest,
    open: impl FnOnce() -> Result<LoadedScene, AppError> + Send,
) -> Result<(LoadedScene, OffscreenRenderer), AppError> {
    let (scene, offscreen) = std::thread::scope(|scope| {
        let scene = scope.spawn(open);
        let offscreen =
            OffscreenRenderer::new().and_then(|mut offscreen| offscreen.prepare(request).map(|()| offscreen));
        (scene.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), offscreen)
    });
    // Report an error of the file first, because the user can fix it.
    Ok((scene?, offscreen?))
}
