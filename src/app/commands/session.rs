//! `rigview session`: images for the Python package, by one renderer.
//!
//! The reply to the start is a line of JSON with the `texts` of the renderer. A request is a line of JSON: an array of the current folder and the
//! arguments of `rigview shot` without an output. Its reply is a line of JSON: `error`, or `size`, `texts` and `notices`, and then the RGBA
//! bytes of the image, rows from the top, with straight alpha.

use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::file_stamp::{FileStamp, file_stamps};
use crate::app::offscreen::{OffscreenRenderer, RenderedImage, png_metadata};
use crate::app::scene::{GpuScene, LoadedScene};
use crate::app::tasks::screenshot::notices;
use crate::cli::{Cli, Command};
use crate::request::RenderRequest;
use clap::Parser as _;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::SystemTime;

/// The scene of the last image, with the files that it shows. The next image shows it again if neither changed.
struct LastScene {
    key: String,
    inputs: Vec<(PathBuf, Option<FileStamp>)>,
    scene: LoadedScene,
    models: GpuScene,
}

/// Renders until the end of standard input.
pub(crate) fn run() -> Result<(), AppError> {
    let (mut offscreen, mut last) = (OffscreenRenderer::new()?, None);
    report::json_in_a_line(&json!({ "texts": png_metadata(offscreen.headless.gpu(), None, None).into_texts() }))?;
    for line in std::io::stdin().lines() {
        let request = line.map_err(|error| error.to_string()).and_then(|line| parse(&line));
        let render = |request| render(&mut offscreen, &mut last, &request).map_err(|error| report::line_of(&error));
        match request.and_then(render) {
            Ok((reply, image)) => {
                report::json_in_a_line(&reply)?;
                report::bytes(&image.rgba)?;
            }
            Err(error) => report::json_in_a_line(&json!({ "error": error }))?,
        }
    }
    Ok(())
}

/// Returns the request in a line, or the error in one line.
fn parse(line: &str) -> Result<RenderRequest, String> {
    let (folder, arguments): (PathBuf, Vec<String>) = serde_json::from_str(line).map_err(|error| error.to_string())?;
    std::env::set_current_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let words = ["rigview", "shot", "--output", "-"].into_iter().map(str::to_owned).chain(arguments);
    match Cli::try_parse_from(words).map(|cli| cli.command) {
        Ok(Some(Command::Shot(args))) => Ok(RenderRequest::from(&*args)),
        Ok(_) => Err("not the arguments of `rigview shot`".to_owned()),
        Err(error) => Err(error.to_string().lines().next().unwrap_or_default().replacen("error: ", "", 1)),
    }
}

fn render(
    offscreen: &mut OffscreenRenderer,
    last: &mut Option<LastScene>,
    request: &RenderRequest,
) -> Result<(Value, RenderedImage), AppError> {
    let key = format!("{} {:?}", request.level_of_detail, request.scene.without_playback());
    // External files of further models are not among the inputs.
    let is_alone = request.scene.model_files().next().is_none();
    let is_same = |last: &LastScene| is_alone && last.key == key && last.inputs == inputs(request, &last.scene);
    if !last.as_ref().is_some_and(is_same) {
        *last = None;
        offscreen.light = None;
        let started = SystemTime::now();
        let scene = LoadedScene::open(&request.file, &request.scene, request.scene.drawn_images())?;
        let models = offscreen.upload(&scene, request.level_of_detail)?;
        let mut inputs = inputs(request, &scene);
        // A file that was written meanwhile is read again.
        let is_whole = |(_, modified): &FileStamp| modified.is_some_and(|modified| modified < started);
        inputs.iter_mut().for_each(|(_, stamp)| *stamp = stamp.filter(is_whole));
        *last = Some(LastScene { key, inputs, scene, models });
    }
    let LastScene { scene, models, .. } = last.as_mut().expect("opened above");
    scene.play_requested_clip(&request.scene).map_err(|error| AppError::in_file(&request.file, error))?;
    let image = offscreen.render(scene, models, request)?;
    let texts = offscreen.png_metadata(request, &request.file, image.samples).into_texts();
    let notices = notices(scene, request, image.is_empty, image.samples);
    Ok((json!({ "size": image.size, "texts": texts, "notices": notices }), image))
}

fn inputs(request: &RenderRequest, scene: &LoadedScene) -> Vec<(PathBuf, Option<FileStamp>)> {
    let named = request.input_files().into_iter().map(|file| file.path);
    let all = named.chain(scene.gltf_file.external_files());
    let files: Vec<PathBuf> = all.map(|file| std::path::absolute(&file).unwrap_or(file)).collect();
    let stamps = file_stamps(&files);
    files.into_iter().zip(stamps).collect()
}
