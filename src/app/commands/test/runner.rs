//! Runs the shots of a suite: some threads load models in advance, one renders, one compares.

use super::alike_shots::LastShot;
use super::changed_parts::ShotParts;
use super::compare_golden::{GoldenComparer, RenderedShot};
use super::monitor::Monitor;
use super::planned_shot::PlannedShot;
use super::time_limits::TimeLimits;
use super::{golden_camera, joint_mask};
use crate::app::console::report;
use crate::app::notices::{
    clamped_time_notice, joint_without_mesh_notices, no_mesh_notice, out_of_view_notice, overexposure_notice,
    samples_notice,
};
use crate::app::offscreen::OffscreenRenderer;
use crate::app::scene::{GpuScene, LoadedScene};
use crate::app::{AppError, FileError};
use crate::cli::UpdateMode;
use crate::request::{RenderRequest, SceneRequest};
use rayon::prelude::*;
use rigview_core::import::ImageLoading;
use rigview_core::util::panic_guard::catch;
use rigview_core::util::text::one_line;
use rigview_render::image_file::PngMetadata;
use rigview_suite::report::ShotResult;
use rigview_suite::suite::ShotKind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Instant;

/// Maximum number of rendered images that wait for the comparison.
const MAX_PENDING_COMPARISONS: usize = 2;
/// Maximum number of import diagnostics per shot.
const MAX_NOTICES: usize = 5;

/// Renders and compares all shots. Returns the results in rendering order.
///
/// `fail_fast` stops after the first shot, in rendering order, that does not pass.
pub(crate) fn run_all(
    planned: &[PlannedShot],
    compare: &GoldenComparer,
    jobs: usize,
    fail_fast: bool,
    time_limits: &TimeLimits,
    monitor: &Monitor,
) -> Result<(PngMetadata, Vec<ShotResult>), AppError> {
    let are_of_one_model = |a: &PlannedShot, b: &PlannedShot| {
        let has_text = |planned: &PlannedShot| planned.shot.kind != ShotKind::Image;
        has_text(a)
            && has_text(b)
            && a.request.file == b.request.file
            && a.request.scene.import == b.request.scene.import
    };
    let texts = planned.par_chunk_by(are_of_one_model).flat_map_iter(|planned| compare.check_texts(planned));
    let texts: Vec<Option<ShotResult>> =
        texts.inspect(|result| result.iter().for_each(|result| monitor.finish(result))).collect();
    if texts.iter().all(Option::is_some) || fail_fast && !texts.iter().flatten().all(ShotResult::is_ok) {
        return Ok((PngMetadata::default(), texts.into_iter().flatten().collect()));
    }
    // Created first, so that a missing renderer fails before any model is loaded.
    let mut offscreen = OffscreenRenderer::new()?;
    let unchanged: Vec<Option<ShotResult>> = planned
        .par_iter()
        .zip_eq(planned.iter().map(|planned| metadata_of(&offscreen, planned)).collect::<Vec<_>>())
        .zip(texts)
        .map(|((planned, metadata), text)| {
            text.or_else(|| compare.unchanged(planned, &metadata).inspect(|result| monitor.finish(result)))
        })
        .collect();
    let groups = groups(planned, |index| unchanged[index].is_none());
    let stop = AtomicBool::new(false);
    let mut metadata = planned.first().map_or_else(PngMetadata::default, |planned| metadata_of(&offscreen, planned));
    let mut results = std::thread::scope(|scope| {
        // Each thread loads one group in advance, so that few models are in memory. It ends when its receiver is dropped.
        let loaders: Vec<Receiver<(Result<LoadedScene, AppError>, f64)>> = (0..jobs.min(groups.len()))
            .map(|first| {
                let (sender, receiver) = sync_channel(0);
                let groups = groups.iter().skip(first).step_by(jobs);
                scope.spawn(move || {
                    groups.map(|group| load(&planned[group[0]])).all(|group| sender.send(group).is_ok())
                });
                receiver
            })
            .collect();
        let (sender, receiver) = sync_channel::<(usize, RenderedShot)>(MAX_PENDING_COMPARISONS);
        let comparer = scope.spawn(|| {
            let (mut results, mut last_shot) = (Vec::new(), LastShot::default());
            for (index, mut rendered) in receiver {
                if stop.load(Ordering::Relaxed) {
                    continue;
                }
                let alike = last_shot.replace(&planned[index], &rendered);
                rendered.result.notices.extend(alike);
                let result = compare.compare(&planned[index], rendered);
                if fail_fast && !result.is_ok() {
                    stop.store(true, Ordering::Relaxed);
                }
                monitor.finish(&result);
                results.push(result);
            }
            results
        });
        'groups: for (group_index, group) in groups.iter().enumerate() {
            let (loaded, group_secs) =
                loaders[group_index % loaders.len()].recv().expect("a loader sends each of its groups");
            let mut scene = loaded.and_then(|loaded| {
                let level_of_detail = group.iter().any(|&index| planned[index].request.level_of_detail);
                let model = offscreen.upload(&loaded, level_of_detail)?;
                Ok((loaded, model))
            });
            for (position, &index) in group.iter().enumerate() {
                if stop.load(Ordering::Relaxed) || time_limits.is_over() {
                    break 'groups;
                }
                monitor.begin(&planned[index].name);
                let load_secs = if position == 0 { group_secs } else { 0.0 };
                offscreen.draw_end = time_limits.shot_end(load_secs);
                // Changed goldens that are written have the automatic camera.
                let moves_camera = matches!(compare.update, Some(UpdateMode::All | UpdateMode::Changed));
                let read_camera = || golden_camera::read(&planned[index], &metadata_of(&offscreen, &planned[index]));
                offscreen.fixed_camera = (!moves_camera).then(read_camera).flatten();
                let mut rendered = render_shot(&mut offscreen, &mut scene, &planned[index]);
                rendered.result.load_secs += load_secs;
                let in_time = time_limits.check_shot(rendered.result.load_secs + rendered.result.draw_secs);
                if let (Some(_), Err(message)) = (&rendered.image, in_time) {
                    (rendered.image, rendered.result.message) = (None, message);
                }
                metadata = rendered.metadata.clone();
                monitor.set_metadata(&metadata);
                // Sending fails only if the comparison thread panicked, which is handled below.
                if sender.send((index, rendered)).is_err() {
                    break 'groups;
                }
            }
        }
        drop(sender);
        comparer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    results.extend(unchanged.into_iter().flatten());
    Ok((metadata, results))
}

/// Returns the metadata of the image of a shot, without the number of samples.
fn metadata_of(offscreen: &OffscreenRenderer, planned: &PlannedShot) -> PngMetadata {
    offscreen.png_metadata(&planned.suite_request, Path::new(&planned.shot.model), 0)
}

fn render_shot(
    offscreen: &mut OffscreenRenderer,
    scene: &mut Result<(LoadedScene, GpuScene), AppError>,
    planned: &PlannedShot,
) -> RenderedShot {
    let PlannedShot { shot, request, suite_request, .. } = planned;
    let mut rendered = RenderedShot { result: planned.result(), ..RenderedShot::default() };
    let (mut samples, mut camera) = (request.samples(), None);
    let image = match scene {
        Err(error) => Err(report::line_of(error)),
        Ok((loaded, models)) => {
            let in_file = |source| AppError::in_file(&request.file, source);
            let result = &mut rendered.result;
            let started = Instant::now();
            let image = loaded.play_requested_clip(&request.scene).map_err(in_file);
            result.load_secs = started.elapsed().as_secs_f64();
            let started = Instant::now();
            let image = image.and_then(|()| offscreen.render(loaded, models, request));
            result.draw_secs = started.elapsed().as_secs_f64();
            samples = image.as_ref().map_or(samples, |image| image.samples);
            result.is_empty = image.as_ref().is_ok_and(|image| image.is_empty);
            result.notices = notices(loaded, samples, request, result.is_empty);
            let image = image.and_then(|image| {
                camera = image.automatic_camera.map(|automatic| {
                    if image.camera.frames_differently(&automatic) {
                        result.notices.push(golden_camera::MOVED.to_owned());
                    }
                    image.camera.to_text()
                });
                rendered.joint_rects =
                    joint_mask::rects(loaded, &image.camera, image.size, &shot.mask).map_err(in_file)?;
                rendered.parts = Some(ShotParts::new(loaded, request, &image).map_err(in_file)?);
                Ok(image)
            });
            image.map_err(|error| report::line_of(&error))
        }
    };
    match image {
        Ok(image) => rendered.image = Some(image),
        Err(message) => rendered.result.message = message,
    }
    rendered.metadata = offscreen.png_metadata(suite_request, Path::new(&shot.model), samples);
    rendered.metadata.camera = camera;
    let notices = rendered.result.notices.iter().filter(|notice| *notice != golden_camera::MOVED);
    rendered.metadata.notices =
        Some(notices.map(String::as_str).collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty());
    rendered
}

fn notices(loaded: &LoadedScene, samples: u32, request: &RenderRequest, is_empty: bool) -> Vec<String> {
    let mut notices: Vec<String> =
        loaded.diagnostics.iter().take(MAX_NOTICES).map(|notice| notice.message.clone()).collect();
    if loaded.diagnostics.len() > MAX_NOTICES {
        notices.push(format!("and {} more; `rigview info` lists all", loaded.diagnostics.len() - MAX_NOTICES));
    }
    notices.extend(no_mesh_notice(loaded));
    notices.extend(out_of_view_notice(loaded, is_empty));
    notices.extend(clamped_time_notice(loaded, &request.scene));
    notices.extend(joint_without_mesh_notices(loaded, &request.debug_view));
    notices.extend(overexposure_notice(loaded, &request.light));
    notices.extend(samples_notice(request.samples(), samples));
    // The result has the name of the file, which depends on the current folder.
    let file = format!("{}: ", request.file.display());
    notices.iter().map(|notice| one_line(notice.strip_prefix(&file).unwrap_or(notice))).collect()
}

/// Groups the shots that share a loaded scene, in order of their first shot. `is_drawn` selects shots by index.
pub(super) fn groups(planned: &[PlannedShot], is_drawn: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    // As text, because floats are not hashable.
    let key =
        |RenderRequest { file, scene, .. }: &RenderRequest| (file.clone(), format!("{:?}", scene.without_playback()));
    let mut group_of = std::collections::HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (number, planned) in planned.iter().enumerate().filter(|(number, _)| is_drawn(*number)) {
        let group = *group_of.entry(key(&planned.request)).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(number);
    }
    groups
}

/// Loads the model of `planned`, and returns the time that took in seconds. A panic while loading one model must not end the run.
fn load(planned: &PlannedShot) -> (Result<LoadedScene, AppError>, f64) {
    let request = &planned.request;
    let started = Instant::now();
    let opened = catch(|| open(&request.file, &request.scene));
    let loaded = opened.unwrap_or_else(|| Err(AppError::Crashed(request.file.clone())));
    (loaded, started.elapsed().as_secs_f64())
}

/// Opens a file and selects the clip of the first shot. An unknown clip is an error of the shot, not of the file.
fn open(file: &Path, request: &SceneRequest) -> Result<LoadedScene, AppError> {
    let rest = SceneRequest { clip: Some("none".to_owned()), ..request.clone() };
    let mut loaded = LoadedScene::open(file, &rest, ImageLoading::Decode)?;
    match loaded.play_requested_clip(request) {
        Ok(()) | Err(FileError::NoSuch { .. }) => Ok(loaded),
        Err(source) => Err(AppError::in_file(file, source)),
    }
}
