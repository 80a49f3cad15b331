//! Runs the shots of a suite: some threads load models in advance, one renders, one compares.

use super::compare_golden::{GoldenComparer, RenderedShot};
use super::planned_shot::PlannedShot;
use super::result::{ShotResult, Status};
use crate::app::console::report;
use crate::app::notices::samples_notice;
use crate::app::offscreen::OffscreenRenderer;
use crate::app::scene::LoadedScene;
use crate::app::{AppError, FileError};
use crate::export::PngMetadata;
use crate::import::ImageLoading;
use crate::request::SceneRequest;
use crate::util::panic_guard::catch;
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
/// `fail_fast` stops after the first shot, in rendering order, that does not pass.
pub(crate) fn run_all(
    planned: &[PlannedShot],
    compare: &GoldenComparer,
    jobs: usize,
    fail_fast: bool,
) -> Result<(PngMetadata, Vec<ShotResult>), AppError> {
    // Created first, so that a missing renderer fails before any model is loaded.
    let mut offscreen = OffscreenRenderer::new()?;
    let groups = groups(planned);
    let ahead = ReadAhead::new(groups.len(), jobs);
    let stop = AtomicBool::new(false);
    let mut origin = PngMetadata::default();
    let results = std::thread::scope(|scope| {
        // Wakes waiting loader threads on every return path.
        let _close = CloseOnDrop(&ahead);
        for _ in 0..jobs.min(groups.len()) {
            scope.spawn(|| ahead.read(&groups, planned));
        }
        let (sender, receiver) = sync_channel::<(usize, RenderedShot)>(MAX_PENDING_COMPARISONS);
        let comparer = scope.spawn(|| -> Result<_, AppError> {
            let mut results: Vec<(usize, ShotResult)> = Vec::new();
            for (number, rendered) in receiver {
                if stop.load(Ordering::Relaxed) {
                    continue;
                }
                let result = compare.compare(&planned[number], rendered)?;
                if fail_fast && result.status != Status::Passed {
                    stop.store(true, Ordering::Relaxed);
                }
                results.push((number, result));
            }
            Ok(results)
        });
        'all: for (turn, group) in groups.iter().enumerate() {
            let read = ahead.wait(turn);
            let mut scene = read.loaded.and_then(|loaded| {
                let model = offscreen.upload(&loaded)?;
                Ok((loaded, model))
            });
            for (position, &number) in group.iter().enumerate() {
                if stop.load(Ordering::Relaxed) {
                    break 'all;
                }
                let PlannedShot { shot, args, display_request } = &planned[number];
                let started = Instant::now();
                let mut rendered = RenderedShot {
                    origin: offscreen.png_metadata(display_request, Path::new(&shot.model)),
                    notices: Vec::new(),
                    load_secs: if position == 0 { read.secs } else { 0.0 },
                    draw_secs: 0.0,
                    image: Err(String::new()),
                };
                rendered.image = match &mut scene {
                    Err(error) => Err(report::line_of(error)),
                    Ok((loaded, model)) => {
                        let in_file = |source| AppError::File { file: args.file.clone(), source: Box::new(source) };
                        let image = loaded.play_requested_clip(&args.scene).map_err(in_file);
                        rendered.load_secs += started.elapsed().as_secs_f64();
                        let started = Instant::now();
                        let image = image.and_then(|()| offscreen.render(loaded, model, args));
                        rendered.draw_secs = started.elapsed().as_secs_f64();
                        rendered.notices =
                            notices(loaded, image.as_ref().map_or(args.samples, |image| image.samples), args.samples);
                        image.map_err(|error| report::line_of(&error))
                    }
                };
                origin = rendered.origin.clone();
                // Sending fails only if the comparison thread returned an error, which is handled below.
                if sender.send((number, rendered)).is_err() {
                    break 'all;
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

fn notices(loaded: &LoadedScene, samples: u32, requested: u32) -> Vec<String> {
    let mut notices: Vec<String> =
        loaded.diagnostics.iter().take(MAX_NOTICES).map(|notice| notice.message.clone()).collect();
    if loaded.diagnostics.len() > MAX_NOTICES {
        notices.push(format!("and {} more; `rigview info` lists all", loaded.diagnostics.len() - MAX_NOTICES));
    }
    if loaded.is_empty() {
        notices.push("the scene has no mesh; the image is empty".to_owned());
    }
    notices.extend(samples_notice(requested, samples));
    notices
}

/// Groups the shots that share a loaded scene, in order of their first shot.
fn groups(planned: &[PlannedShot]) -> Vec<Vec<usize>> {
    let key = |planned: &PlannedShot| {
        let SceneRequest {
            clip: _,
            time_secs: _,
            scene,
            variant,
            clip_sources,
            layers,
            joint_poses,
            morph_weights,
            ignore_required,
            import,
            crowd,
        } = &planned.args.scene;
        (
            planned.args.file.clone(),
            scene.clone(),
            variant.clone(),
            // As text, because floats are not hashable.
            format!("{crowd:?} {clip_sources:?} {layers:?} {joint_poses:?} {morph_weights:?}"),
            *ignore_required,
            import.allow_external_paths,
            import.limits.clone(),
        )
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

struct Read {
    loaded: Result<LoadedScene, AppError>,
    secs: f64,
}

/// Queue of loaded models between the loader threads and the renderer; bounds the number of models in memory.
struct ReadAhead {
    state: Mutex<State>,
    changed: Condvar,
    capacity: usize,
}

struct State {
    /// Next group to load.
    next: usize,
    /// Number of groups taken by the renderer.
    rendered_groups: usize,
    ready: Vec<Option<Read>>,
    end: bool,
}

struct CloseOnDrop<'a>(&'a ReadAhead);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.lock().end = true;
        self.0.changed.notify_all();
    }
}

impl ReadAhead {
    fn new(groups: usize, capacity: usize) -> Self {
        let ready = (0..groups).map(|_| None).collect();
        Self {
            state: Mutex::new(State { next: 0, rendered_groups: 0, ready, end: false }),
            changed: Condvar::new(),
            capacity,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads groups until all are loaded or the queue is closed.
    fn read(&self, groups: &[Vec<usize>], planned: &[PlannedShot]) {
        loop {
            let mut state = self.lock();
            while !state.end && state.next < groups.len() && state.next >= state.rendered_groups + self.capacity {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.end || state.next >= groups.len() {
                return;
            }
            let turn = state.next;
            state.next += 1;
            drop(state);
            let args = &planned[groups[turn][0]].args;
            let started = Instant::now();
            // A panic while loading one model must not end the run.
            let opened = catch(|| open(&args.file, &args.scene));
            let loaded = opened.unwrap_or_else(|| Err(AppError::Crashed { file: args.file.clone() }));
            let read = Read { loaded, secs: started.elapsed().as_secs_f64() };
            self.lock().ready[turn] = Some(read);
            self.changed.notify_all();
        }
    }

    /// Blocks until group `turn` is loaded.
    fn wait(&self, turn: usize) -> Read {
        let mut state = self.lock();
        loop {
            if let Some(read) = state.ready[turn].take() {
                state.rendered_groups = turn + 1;
                self.changed.notify_all();
                return read;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Opens a file and selects the clip of the first shot. An unknown clip is an error of the shot, not of the file.
fn open(file: &Path, args: &SceneRequest) -> Result<LoadedScene, AppError> {
    let rest = SceneRequest { clip: Some("none".to_owned()), ..args.clone() };
    let mut loaded = LoadedScene::open(file, &rest, ImageLoading::Decode)?;
    match loaded.play_requested_clip(args) {
        Ok(()) | Err(FileError::NoSuch { .. }) => Ok(loaded),
        Err(source) => Err(AppError::File { file: file.to_owned(), source: Box::new(source) }),
    }
}
