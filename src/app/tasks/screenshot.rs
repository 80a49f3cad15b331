//! Renders an image without a window.

use crate::app::AppError;
use crate::app::console::progress::Progress;
use crate::app::console::report;
use crate::app::files::atomic_write;
use crate::app::offscreen::OffscreenRenderer;
use crate::app::scene::LoadedScene;
use crate::app::tasks::open_scene::report_diagnostics;
use crate::export;
use crate::import::ImportOptions;
use crate::request::RenderRequest;
use std::path::Path;
use std::sync::Arc;

/// Renders the image and writes it as PNG with its command line as metadata.
pub(crate) fn run(args: &RenderRequest, output: &Path) -> Result<(), AppError> {
    let images = Arc::default();
    let progress = Progress::reading(&args.file, &images);
    // Starting the driver takes as long as loading most files, so both run in parallel.
    let (scene, offscreen) = std::thread::scope(|scope| {
        let scene = scope.spawn(|| {
            let options = ImportOptions { progress: Some(Arc::clone(&images)), ..ImportOptions::default() };
            LoadedScene::open_as(&args.file, &args.scene, options)
        });
        let offscreen = OffscreenRenderer::new().and_then(|mut offscreen| offscreen.prepare(args).map(|()| offscreen));
        (scene.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), offscreen)
    });
    // Report an error of the file first, because the user can fix it.
    let mut scene = scene?;
    let mut offscreen = offscreen?;
    drop(progress);
    let progress = Progress::start("rendering".to_owned());

    let model = offscreen.upload_and_free_images(&mut scene)?;
    let image = offscreen.render(&mut scene, &model, args)?;
    drop(model);
    let [width, height] = image.size;
    let origin = offscreen.png_metadata(args, &args.file);
    atomic_write::write_atomic(output, &export::encode_png(width, height, &image.rgba, &origin))?;

    drop(progress);

    report_diagnostics(&scene);
    if scene.is_empty() {
        report::notice(format_args!("{}: the scene has no mesh; the image is empty", args.file.display()));
    }
    if image.samples != args.samples {
        report::notice(format_args!(
            "--samples {} is not supported by this GPU; using {}",
            args.samples, image.samples
        ));
    }
    Ok(())
}
