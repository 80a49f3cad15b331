//! `rigview shot`: a picture without a screen.

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

/// Takes the picture and writes it.
pub(crate) fn run(args: &RenderRequest, output: &Path) -> Result<(), AppError> {
    let images = Arc::default();
    let progress = Progress::reading(&args.file, &images);
    // The driver takes as long to start as most files take to load.
    let (stage, studio) = std::thread::scope(|scope| {
        let stage = scope.spawn(|| {
            let options = ImportOptions { progress: Some(Arc::clone(&images)), ..ImportOptions::default() };
            LoadedScene::open_as(&args.file, &args.scene, options)
        });
        let studio = OffscreenRenderer::new().and_then(|mut studio| studio.prepare(args).map(|()| studio));
        (stage.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), studio)
    });
    // What is wrong with the file goes first: it is what a person can do something about.
    let mut stage = stage?;
    let mut studio = studio?;
    drop(progress);
    let progress = Progress::start("drawing".to_owned());

    let model = studio.upload_and_free_images(&mut stage)?;
    let taken = studio.render(&mut stage, &model, args)?;
    drop(model);
    let [width, height] = taken.size;
    let origin = studio.origin(args, &args.file);
    atomic_write::write_atomic(output, &export::encode_png(width, height, &taken.rgba, &origin))?;

    drop(progress);

    report_diagnostics(&stage);
    if stage.is_empty() {
        report::notice(format_args!("{}: the scene has no mesh: there is nothing to see", args.file.display()));
    }
    if taken.samples != args.samples {
        report::notice(format_args!(
            "--samples {} is not to be had here; the picture has {}",
            args.samples, taken.samples
        ));
    }
    Ok(())
}
