//! A second file, seen from the same place at the same moment as the one on screen.

use crate::app::AppError;
use crate::app::scene::clip_blend::Blend;
use crate::app::scene::lighting::LightSetup;
use crate::app::tasks::diff::RigDiff;
use crate::app::viewer::analysis::matching::{match_clip, match_overrides};
use crate::app::viewer::app::UserEvent;
use crate::app::viewer::jobs::file_watcher::FileWatcher;
use crate::app::viewer::jobs::loader::{LoadRequest, Loader};
use crate::app::viewer::loading::without_file_specific_args;
use crate::app::viewer::state::Backdrop;
use crate::app::viewer::state::document::Document;
use crate::app::viewer::window::surface::WindowSurface;
use crate::model::{ClipIndex, Model};
use crate::pose::PoseOverride;
use crate::render::{Comparison, Target};
use crate::request::{CrowdRequest, ImportRequest, SceneRequest};
use crate::util::panic_guard::catch;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use winit::event_loop::EventLoopProxy;

/// How two files are put together in one picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CompareMode {
    /// Side by side at a line.
    #[default]
    Split,
    /// In turn.
    Blink,
    /// Where they differ.
    Difference,
}

impl CompareMode {
    /// All of them, with their names.
    pub(crate) const ALL: [(Self, &'static str); 3] =
        [(Self::Split, "Split"), (Self::Blink, "Blink"), (Self::Difference, "Difference")];
}

/// How long each of two files is shown while they take turns.
const BLINK: Duration = Duration::from_millis(600);

/// A second file beside the one on screen.
pub(crate) struct ComparisonState {
    /// The file.
    pub(crate) file: PathBuf,
    pub(crate) loader: Loader,
    pub(crate) watch: FileWatcher,
    /// What of it is shown; `None` until it has been read.
    pub(crate) document: Option<Document>,
    /// How the two are put together.
    pub(crate) mode: CompareMode,
    /// Share of the picture's width that the first one has.
    pub(crate) split: f64,
    /// What differs, in lines; `None` while it is being found out.
    pub(crate) differences: Option<Vec<String>>,
    /// Which comparison is the latest that was asked for.
    compared: u64,
    /// Since when the two take turns.
    blinks_since: Instant,
    /// Which of the two had its turn last.
    turn: Option<usize>,
    /// Its own picture.
    target: Option<Target>,
    /// What the first one plays, as this one was told last.
    told: Option<SyncState>,
}

/// What the file on screen tells the one beside it when it changes.
#[derive(Clone, Debug, PartialEq)]
struct SyncState {
    clip: Option<ClipIndex>,
    crowd: CrowdRequest,
    hand: PoseOverride,
    blend: Blend,
}

/// What differs between two files, found on a thread.
pub(crate) struct CompareResult {
    request: u64,
    /// In lines, or why it cannot be told.
    lines: Vec<String>,
}

impl ComparisonState {
    /// Starts to read `file` to show it beside another one.
    pub(crate) fn open(file: PathBuf, args: &SceneRequest, loader: Loader, watch: FileWatcher) -> Self {
        let mut comparison = Self {
            file,
            loader,
            watch,
            document: None,
            mode: CompareMode::Split,
            split: 0.5,
            differences: None,
            compared: 0,
            blinks_since: Instant::now(),
            turn: None,
            target: None,
            told: None,
        };
        comparison.read(args);
        comparison
    }

    /// Reads the file, again perhaps.
    pub(crate) fn read(&mut self, args: &SceneRequest) {
        // The clip is the first file's, found by name once both are there.
        let args = without_file_specific_args(args);
        self.loader.start(LoadRequest { file: self.file.clone(), args, again: None });
    }

    /// Takes what has been read.
    pub(crate) fn show(&mut self, document: Document) {
        self.document = Some(document);
        self.told = None;
    }

    /// Puts the two together in another way.
    pub(crate) fn set_mode(&mut self, mode: CompareMode, now: Instant) {
        (self.mode, self.blinks_since) = (mode, now);
    }

    /// Whether the second file has its turn.
    fn has_turn(&self, now: Instant) -> bool {
        (now.saturating_duration_since(self.blinks_since).as_millis() / BLINK.as_millis()) % 2 == 1
    }

    /// Which of the two is shown alone at present: 0 or 1.
    pub(crate) fn alone(&self, now: Instant) -> Option<usize> {
        (self.mode == CompareMode::Blink).then(|| usize::from(self.has_turn(now)))
    }

    /// Whether the other of the two has got its turn since this was asked last.
    pub(crate) fn turn_is_over(&mut self, now: Instant) -> bool {
        let alone = self.alone(now);
        alone != std::mem::replace(&mut self.turn, alone)
    }

    /// When the picture changes by itself.
    pub(crate) fn next(&self, now: Instant) -> Option<Instant> {
        if self.mode != CompareMode::Blink || self.document.is_none() {
            return None;
        }
        let turns = now.saturating_duration_since(self.blinks_since).as_millis() / BLINK.as_millis() + 1;
        Some(self.blinks_since + BLINK * turns as u32)
    }

    /// Starts to find out what differs from `first`; the answer comes as an event.
    pub(crate) fn compare(&mut self, first: &Path, trust: &ImportRequest, proxy: &EventLoopProxy<UserEvent>) {
        self.compared += 1;
        self.differences = None;
        let (request, files, proxy) = (self.compared, [first.to_owned(), self.file.clone()], proxy.clone());
        let trust = trust.clone();
        std::thread::spawn(move || {
            let [before, after] = &files;
            let found = catch(|| RigDiff::of_files([before, after], &trust));
            let lines = match found {
                Some(Ok(diff)) => diff.text().lines().map(str::to_owned).collect(),
                Some(Err(error)) => vec![crate::app::console::report::line_of(&error)],
                None => vec!["comparing the files failed: a bug in rigview".to_owned()],
            };
            // The window may be gone by now.
            let _ = proxy.send_event(UserEvent::Compared(CompareResult { request, lines }));
        });
    }

    /// Takes what differs, if it is of the files as they are now.
    pub(crate) fn take(&mut self, compared: CompareResult) {
        if compared.request == self.compared {
            self.differences = Some(compared.lines);
        }
    }

    /// Draws the second file as the first one is seen, and both together onto the screen.
    pub(crate) fn draw(
        &mut self,
        first: &Document,
        (backdrop, light): (Backdrop, &LightSetup),
        surface: &mut WindowSurface,
        now: Instant,
    ) -> Result<(), AppError> {
        let alone = self.alone(now);
        let Some(document) = &mut self.document else {
            surface.comparison_target = None;
            return Ok(());
        };
        let size = [surface.target.width(), surface.target.height()];
        let fits = |target: &Target| [target.width(), target.height()] == size;
        let told = SyncState::by(first);
        if self.told.as_ref() != Some(&told) {
            tell(document, first);
            self.told = Some(told);
        }
        document.sync_from(first);
        let mut target = match self.target.take().filter(fits) {
            Some(target) => target,
            None => {
                document.forget_picture();
                surface.new_target(size)?
            }
        };
        document.draw(backdrop, light, &mut surface.renderer, &mut target)?;
        let mut comparison_target = match surface.comparison_target.take().filter(fits) {
            Some(comparison_target) => comparison_target,
            None => surface.new_target(size)?,
        };
        let how = match (self.mode, alone) {
            (CompareMode::Difference, _) => Comparison::Difference,
            (_, Some(0)) => Comparison::Split(f32::INFINITY),
            (_, Some(_)) => Comparison::Split(0.0),
            (_, None) => Comparison::Split((self.split * f64::from(size[0])).round() as f32),
        };
        surface.renderer.compare([&surface.target, &target], how, &mut comparison_target)?;
        (self.target, surface.comparison_target) = (Some(target), Some(comparison_target));
        Ok(())
    }
}

impl SyncState {
    fn by(first: &Document) -> Self {
        Self {
            clip: first.scene.clip,
            crowd: first.crowd.clone(),
            hand: first.scene.overrides().clone(),
            blend: first.scene.blend().clone(),
        }
    }
}

/// Lets one file do what another one does, as far as it has clips and joints of the same names.
fn tell(document: &mut Document, first: &Document) {
    let (theirs, ours): (&Model, &Model) = (first.scene.model(), document.scene.model());
    let clip = first.scene.clip.and_then(|clip| match_clip(theirs, clip, ours));
    let blend = first.scene.blend().for_clips(|clip| match_clip(theirs, clip, ours));
    let hand = match_overrides(theirs, first.scene.overrides(), ours);
    document.apply_sync(clip, first.crowd.clone(), hand, blend);
}
