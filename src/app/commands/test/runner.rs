//! Runs the shots of a suite: some threads load models in advance, one renders, one compares.

use super::compare_golden::{GoldenComparer, RenderedShot};
use super::joint_mask;
use super::planned_shot::PlannedShot;
use super::result::ShotResult;
use super::time_limits::TimeLimits;
use crate::app::console::report;
use crate::app::notices::{out_of_view_notice, samples_notice};
use crate::app::offscreen::{OffscreenRenderer, RenderedImage};
use crate::app::scene::{GpuScene, LoadedScene};
use crate::app::{AppError, FileError};
use crate::request::{RenderRequest, SceneRequest};
use rigview_core::import::ImageLoading;
use rigview_core::util::panic_guard::catch;
use rigview_render::export::PngMetadata;
use rigview_suite::compare::RgbaImage;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

/// Maximum number of rendered images that wait for the comparison.
const MAX_PENDING_COMPARISONS: usize = 2;
/// Maximum number of import diagnostics per shot.
const MAX_NOTICES: usize = 5;

/// Renders and compares all shots. Returns the results in suite order.
///
/// `fail_fast` stops after the first shot, in rendering order, that does not pass. Each shot is rendered `repeats` times.
pub(crate) fn run_all(
    planned: &[PlannedShot],
    compare: &GoldenComparer,
    jobs: usize,
    (fail_fast, repeats): (bool, u32),
    time_limits: &TimeLimits,
) -> Result<(PngMetadata, Vec<ShotResult>), AppError> {
    // Created first, so that a missing renderer fails before any model is loaded.
    let mut offscreen = OffscreenRenderer::new()?;
    let groups = groups(planned);
    let queue = LoadQueue::new(groups.len(), jobs);
    let stop = AtomicBool::new(false);
    let mut origin = PngMetadata::default();
    let results = std::thread::scope(|scope| {
        // Wakes waiting loader threads on every return path.
        let _close = CloseOnDrop(&queue);
        for _ in 0..jobs.min(groups.len()) {
            scope.spawn(|| queue.load_groups(&groups, planned));
        }
        let (sender, receiver) = sync_channel::<(usize, RenderedShot)>(MAX_PENDING_COMPARISONS);
        let comparer = scope.spawn(|| -> Result<_, AppError> {
            let mut results: Vec<(usize, ShotResult)> = Vec::new();
            for (index, rendered) in receiver {
                if stop.load(Ordering::Relaxed) {
                    continue;
                }
                let result = compare.compare(&planned[index], rendered)?;
                if fail_fast && !result.is_settled() {
                    stop.store(true, Ordering::Relaxed);
                }
                results.push((index, result));
            }
            Ok(results)
        });
        'groups: for (group_index, group) in groups.iter().enumerate() {
            let loaded_group = queue.wait(group_index);
            let mut scene = loaded_group.loaded.and_then(|loaded| {
                let level_of_detail = group.iter().any(|&index| planned[index].request.level_of_detail);
                let model = offscreen.upload(&loaded, level_of_detail)?;
                Ok((loaded, model))
            });
            for (position, &index) in group.iter().enumerate() {
                if stop.load(Ordering::Relaxed) || time_limits.is_over() {
                    break 'groups;
                }
                let mut rendered = render_shot(&mut offscreen, &mut scene, &planned[index], repeats);
                if position == 0 {
                    rendered.load_secs += loaded_group.secs;
                }
                let in_time = time_limits.check_shot(rendered.load_secs + rendered.draw_secs);
                rendered.image = rendered.image.and_then(|image| in_time.map(|()| image));
                origin = rendered.origin.clone();
                // Sending fails only if the comparison thread returned an error, which is handled below.
                if sender.send((index, rendered)).is_err() {
                    break 'groups;
                }
            }
        }
        drop(sender);
        comparer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    let mut results = results?;
    results.sort_by_key(|(number, _)| *number);
    Ok((origin, results.into_iter().map(|(_, result)| result).collect()))
}

/// Renders a shot of a loaded scene.
fn render_shot(
    offscreen: &mut OffscreenRenderer,
    scene: &mut Result<(LoadedScene, GpuScene), AppError>,
    PlannedShot { shot, request, display_request, .. }: &PlannedShot,
    repeats: u32,
) -> RenderedShot {
    let mut rendered = RenderedShot {
        origin: PngMetadata::default(),
        notices: Vec::new(),
        joint_rects: Vec::new(),
        repeat: None,
        is_empty: false,
        load_secs: 0.0,
        draw_secs: 0.0,
        image: Err(String::new()),
    };
    let mut samples = request.samples;
    rendered.image = match scene {
        Err(error) => Err(report::line_of(error)),
        Ok((loaded, models)) => {
            let in_file = |source| AppError::File { file: request.file.clone(), source: Box::new(source) };
            let started = Instant::now();
            let image = loaded.play_requested_clip(&request.scene).map_err(in_file);
            rendered.load_secs = started.elapsed().as_secs_f64();
            let started = Instant::now();
            let image = image.and_then(|()| offscreen.render(loaded, models, request));
            rendered.draw_secs = started.elapsed().as_secs_f64();
            samples = image.as_ref().map_or(samples, |image| image.samples);
            rendered.is_empty = image.as_ref().is_ok_and(|image| image.is_empty);
            rendered.notices = notices(loaded, samples, request.samples, rendered.is_empty);
            let image = image.map_err(|error| report::line_of(&error));
            image.and_then(|image| {
                let in_file = |source| AppError::File { file: request.file.clone(), source: Box::new(source) };
                let rects = joint_mask::rects(loaded, &image.camera, image.size, &shot.mask).map_err(in_file);
                rendered.joint_rects = rects.map_err(|error| report::line_of(&error))?;
                rendered.repeat = repeat(offscreen, loaded, models, request, &image, repeats)?;
                Ok(image)
            })
        }
    };
    rendered.origin = offscreen.png_metadata(display_request, Path::new(&shot.model), samples);
    rendered
}

/// Renders `image` again until it was rendered `renders` times. Returns the first image that differs, with its number from 1.
fn repeat(
    offscreen: &mut OffscreenRenderer,
    loaded: &mut LoadedScene,
    models: &GpuScene,
    request: &RenderRequest,
    image: &RenderedImage,
    renders: u32,
) -> Result<Option<(u32, RgbaImage)>, String> {
    for number in 2..=renders {
        let again = offscreen.render(loaded, models, request).map_err(|error| report::line_of(&error))?;
        if again.rgba != image.rgba {
            return Ok(Some((number, RgbaImage::new(again.size[0], again.size[1], again.rgba))));
        }
    }
    Ok(None)
}

fn notices(loaded: &LoadedScene, samples: u32, requested: u32, is_empty: bool) -> Vec<String> {
    let mut notices: Vec<String> =
        loaded.diagnostics.iter().take(MAX_NOTICES).map(|notice| notice.message.clone()).collect();
    if loaded.diagnostics.len() > MAX_NOTICES {
        notices.push(format!("and {} more; `rigview info` lists all", loaded.diagnostics.len() - MAX_NOTICES));
    }
    if loaded.is_empty() {
        notices.push("the scene has no mesh; the image is empty".to_owned());
    }
    notices.extend(out_of_view_notice(loaded, is_empty));
    notices.extend(samples_notice(requested, samples));
    notices
}

/// Groups the shots that share a loaded scene, in order of their first shot.
fn groups(planned: &[PlannedShot]) -> Vec<Vec<usize>> {
    // As text, because floats are not hashable. Clip and time change from shot to shot.
    let key = |planned: &PlannedShot| {
        let scene = SceneRequest { clip: None, time_secs: 0.0, ..planned.request.scene.clone() };
        (planned.request.file.clone(), format!("{scene:?}"))
    };
    let mut group_of = std::collections::HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (number, planned) in planned.iter().enumerate() {
        let group = *group_of.entry(key(planned)).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(number);
    }
    groups
}

struct LoadedGroup {
    loaded: Result<LoadedScene, AppError>,
    secs: f64,
}

/// Queue of loaded models between the loader threads and the renderer; bounds the number of models in memory.
struct LoadQueue {
    state: Mutex<State>,
    changed: Condvar,
    capacity: usize,
}

struct State {
    /// Next group to load.
    next: usize,
    /// Number of groups taken by the renderer.
    rendered_groups: usize,
    ready: Vec<Option<LoadedGroup>>,
    closed: bool,
}

struct CloseOnDrop<'a>(&'a LoadQueue);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }
}

impl LoadQueue {
    fn new(groups: usize, capacity: usize) -> Self {
        let ready = (0..groups).map(|_| None).collect();
        Self {
            state: Mutex::new(State { next: 0, rendered_groups: 0, ready, closed: false }),
            changed: Condvar::new(),
            capacity,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads groups until all are loaded or the queue is closed.
    fn load_groups(&self, groups: &[Vec<usize>], planned: &[PlannedShot]) {
        loop {
            let mut state = self.lock();
            while !state.closed && state.next < groups.len() && state.next >= state.rendered_groups + self.capacity {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.closed || state.next >= groups.len() {
                return;
            }
            let group_index = state.next;
            state.next += 1;
            drop(state);
            let request = &planned[groups[group_index][0]].request;
            let started = Instant::now();
            // A panic while loading one model must not end the run.
            let opened = catch(|| open(&request.file, &request.scene));
            let loaded = opened.unwrap_or_else(|| Err(AppError::Crashed { file: request.file.clone() }));
            let read = LoadedGroup { loaded, secs: started.elapsed().as_secs_f64() };
            self.lock().ready[group_index] = Some(read);
            self.changed.notify_all();
        }
    }

    /// Blocks until group `group_index` is loaded.
    fn wait(&self, group_index: usize) -> LoadedGroup {
        let mut state = self.lock();
        loop {
            if let Some(read) = state.ready[group_index].take() {
                state.rendered_groups = group_index + 1;
                self.changed.notify_all();
                return read;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Opens a file and selects the clip of the first shot. An unknown clip is an error of the shot, not of the file.
fn open(file: &Path, request: &SceneRequest) -> Result<LoadedScene, AppError> {
    let rest = SceneRequest { clip: Some("none".to_owned()), ..request.clone() };
    let mut loaded = LoadedScene::open(file, &rest, ImageLoading::Decode)?;
    match loaded.play_requested_clip(request) {
        Ok(()) | Err(FileError::NoSuch { .. }) => Ok(loaded),
        Err(source) => Err(AppError::File { file: file.to_owned(), source: Box::new(source) }),
    }
}
