//! `rigview thumbnail`.

use crate::app::AppError;
use crate::app::console::progress::end_after;
use crate::app::console::report;
use crate::app::files::atomic_write::write_atomic;
use crate::app::files::output_path::check_output;
use crate::app::offscreen::RenderedImage;
use crate::app::scene::LoadedScene;
use crate::app::tasks::screenshot;
use crate::cli::ThumbnailArgs;
use crate::request::RenderRequest;
use rigview_core::import::{self, ImageLoading, ImportError, ImportOptions, MeshLoading, ModelFile};
use rigview_core::model::Image;
use rigview_render::image_file::{PngMetadata, encode_png};
use rigview_render::platform::oom_handler;
use std::time::Duration;

/// Limit of the memory, several times that of the largest valid files.
const MEMORY_BYTES: u64 = 2 << 30;

pub(crate) fn run(args: &ThumbnailArgs) -> Result<(), AppError> {
    oom_handler::limit_memory(MEMORY_BYTES);
    let secs = args.timeout_secs;
    let late = AppError::ExportFailed(format!("stopped after {secs} s; raise --timeout"));
    std::thread::spawn(move || end_after(Duration::try_from_secs_f64(secs).unwrap_or(Duration::MAX), &late));
    let image = make(args)?;
    let png = encode_png(image.width, image.height, &image.rgba, &PngMetadata::default());
    match ThumbnailArgs::is_stream(&args.output) {
        true => report::bytes(&png),
        false => write_atomic(&args.output, &png),
    }
}

fn make(args: &ThumbnailArgs) -> Result<Image, AppError> {
    let request = RenderRequest::from(args);
    if !ThumbnailArgs::is_stream(&args.output) {
        check_output(&args.output, [&*args.input], &request.scene.import.policy(), None)?;
    }
    let in_file = |error: ImportError| AppError::in_file(&request.file, error);
    let policy = request.scene.import.policy();
    let file = match ThumbnailArgs::is_stream(&args.input) {
        true => import::read_stream(std::io::stdin(), &policy.limits)
            .and_then(|bytes| ModelFile::from_bytes(bytes, None, &policy.limits)),
        false => ModelFile::read(&args.input, &policy.limits),
    };
    let file = file.map_err(in_file)?;
    let options = ImportOptions::default().with_policy(policy).with_max_image_dimension(2 * args.size);

    let outline = options.clone().with_images(ImageLoading::Skip).with_meshes(MeshLoading::Skip);
    let outline = file.clone().import(&outline).map_err(in_file)?;
    if let Some(image) = outline.gltf_file.thumbnail(args.size) {
        return Ok(image);
    }
    drop(outline);
    let options = options.with_images(request.scene.drawn_images()).with_plain_materials();
    let (mut scene, mut offscreen) = screenshot::start(&request, || {
        let loaded = file.import(&options).map_err(in_file)?;
        LoadedScene::of_imported(&request.file, loaded, &request.scene, &options)
    })?;
    scene.show_middle_frame();
    let model = offscreen.upload_and_free_images(&mut scene, false)?;
    let RenderedImage { size: [width, height], rgba, .. } = offscreen.render(&mut scene, &model, &request)?;
    let mut image = Image { width, height, rgba, ..Image::default() };
    image.shrink(args.size);
    Ok(image)
}
