//! Taking the pictures: models are read ahead on some threads, one draws, and one compares.

use super::compare_golden::{Judge, Shown};
use super::planned_shot::PlannedShot;
use super::result::{Outcome, Status};
use crate::app::console::report;
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

/// Pictures that wait to be compared.
const WAITING: usize = 2;
/// Notices of a model that are told of each of its shots.
const NOTICES: usize = 5;

/// Takes all pictures and has them judged; what came of each, in the suite's order.
///
/// With `fail_fast` it ends with the first shot, in the order of drawing, that is not as it should be.
pub(crate) fn take_all(
    planned: &[PlannedShot],
    judge: &Judge,
    jobs: usize,
    fail_fast: bool,
) -> Result<(PngMetadata, Vec<Outcome>), AppError> {
    // First of all: without a renderer nothing is worth reading.
    let mut studio = OffscreenRenderer::new()?;
    let groups = groups(planned);
    let ahead = ReadAhead::new(groups.len(), jobs);
    let stop = AtomicBool::new(false);
    let mut origin = PngMetadata::default();
    let outcomes = std::thread::scope(|scope| {
        // However this ends, nobody may go on waiting for a turn.
        let _end = EndReading(&ahead);
        for _ in 0..jobs.min(groups.len()) {
            scope.spawn(|| ahead.read(&groups, planned));
        }
        let (sender, receiver) = sync_channel::<(usize, Shown)>(WAITING);
        let judging = scope.spawn(|| -> Result<_, AppError> {
            let mut outcomes: Vec<(usize, Outcome)> = Vec::new();
            for (number, shown) in receiver {
                if stop.load(Ordering::Relaxed) {
                    continue;
                }
                let outcome = judge.judge(&planned[number], shown)?;
                if fail_fast && outcome.status != Status::Same {
                    stop.store(true, Ordering::Relaxed);
                }
                outcomes.push((number, outcome));
            }
            Ok(outcomes)
        });
        'all: for (turn, group) in groups.iter().enumerate() {
            let read = ahead.wait(turn);
            let mut scene = read.stage.and_then(|stage| {
                let model = studio.upload(&stage)?;
                Ok((stage, model))
            });
            for (position, &number) in group.iter().enumerate() {
                if stop.load(Ordering::Relaxed) {
                    break 'all;
                }
                let PlannedShot { shot, args, told } = &planned[number];
                let started = Instant::now();
                let mut shown = Shown {
                    origin: studio.origin(told, Path::new(&shot.model)),
                    notices: Vec::new(),
                    load_secs: if position == 0 { read.secs } else { 0.0 },
                    draw_secs: 0.0,
                    taken: Err(String::new()),
                };
                shown.taken = match &mut scene {
                    Err(error) => Err(report::line_of(error)),
                    Ok((stage, model)) => {
                        let in_file = |source| AppError::File { file: args.file.clone(), source: Box::new(source) };
                        let taken = stage.show(&args.scene).map_err(in_file);
                        shown.load_secs += started.elapsed().as_secs_f64();
                        let started = Instant::now();
                        let taken = taken.and_then(|()| studio.render(stage, model, args));
                        shown.draw_secs = started.elapsed().as_secs_f64();
                        shown.notices =
                            notices(stage, taken.as_ref().map_or(args.samples, |taken| taken.samples), args.samples);
                        taken.map_err(|error| report::line_of(&error))
                    }
                };
                origin = shown.origin.clone();
                // The judge is gone only when it has failed; that is told below.
                if sender.send((number, shown)).is_err() {
                    break 'all;
                }
            }
        }
        drop(sender);
        judging.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    let mut outcomes = outcomes?;
    outcomes.sort_by_key(|(number, _)| *number);
    Ok((origin, outcomes.into_iter().map(|(_, outcome)| outcome).collect()))
}

fn notices(stage: &LoadedScene, samples: u32, asked: u32) -> Vec<String> {
    let mut notices: Vec<String> =
        stage.diagnostics.iter().take(NOTICES).map(|notice| notice.message.clone()).collect();
    if stage.diagnostics.len() > NOTICES {
        notices.push(format!("and {} more; `rigview info` tells them all", stage.diagnostics.len() - NOTICES));
    }
    if stage.is_empty() {
        notices.push("the scene has no mesh: there is nothing to see".to_owned());
    }
    if samples != asked {
        notices.push(format!("--samples {asked} is not to be had here; the picture has {samples}"));
    }
    notices
}

/// Shots that one opened file serves, in the order in which the first of each comes.
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
            // In words, for numbers with a point have no order.
            format!("{crowd:?} {clip_sources:?} {layers:?} {joint_poses:?} {morph_weights:?}"),
            *ignore_required,
            import.allow_external_paths,
            import.limits.clone(),
        )
    };
    let mut places = std::collections::HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (number, planned) in planned.iter().enumerate() {
        let place = *places.entry(key(planned)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(number);
    }
    groups
}

/// A model that was read, or why it was not.
struct Read {
    stage: Result<LoadedScene, AppError>,
    secs: f64,
}

/// Models on their way from those who read to the one who draws, in their turn; only a few at a time are in memory.
struct ReadAhead {
    state: Mutex<State>,
    changed: Condvar,
    most: usize,
}

struct State {
    /// The next that nobody reads yet.
    next: usize,
    /// How many have been taken to be drawn.
    drawn: usize,
    ready: Vec<Option<Read>>,
    end: bool,
}

struct EndReading<'a>(&'a ReadAhead);

impl Drop for EndReading<'_> {
    fn drop(&mut self) {
        self.0.lock().end = true;
        self.0.changed.notify_all();
    }
}

impl ReadAhead {
    fn new(groups: usize, most: usize) -> Self {
        let ready = (0..groups).map(|_| None).collect();
        Self { state: Mutex::new(State { next: 0, drawn: 0, ready, end: false }), changed: Condvar::new(), most }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads one after the other, as long as there is room.
    fn read(&self, groups: &[Vec<usize>], planned: &[PlannedShot]) {
        loop {
            let mut state = self.lock();
            while !state.end && state.next < groups.len() && state.next >= state.drawn + self.most {
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
            // The last net: whatever goes wrong with one model, the others are still drawn.
            let opened = catch(|| open(&args.file, &args.scene));
            let stage = opened.unwrap_or_else(|| Err(AppError::Crashed { file: args.file.clone() }));
            let read = Read { stage, secs: started.elapsed().as_secs_f64() };
            self.lock().ready[turn] = Some(read);
            self.changed.notify_all();
        }
    }

    /// The one whose turn it is.
    fn wait(&self, turn: usize) -> Read {
        let mut state = self.lock();
        loop {
            if let Some(read) = state.ready[turn].take() {
                state.drawn = turn + 1;
                self.changed.notify_all();
                return read;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Opens a file, and has the clip play that is drawn first. That there is none by its name is the shot's failure, not the
/// file's.
fn open(file: &Path, args: &SceneRequest) -> Result<LoadedScene, AppError> {
    let rest = SceneRequest { clip: Some("none".to_owned()), ..args.clone() };
    let mut stage = LoadedScene::open(file, &rest, ImageLoading::Decode)?;
    match stage.show(args) {
        Ok(()) | Err(FileError::NoSuch { .. }) => Ok(stage),
        Err(source) => Err(AppError::File { file: file.to_owned(), source: Box::new(source) }),
    }
}
