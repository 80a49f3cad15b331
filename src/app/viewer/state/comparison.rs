//! A second file, seen from the same place at the same moment as the one on screen.

use crate::app::AppError;
use crate::app::clip_blend::Blend;
use crate::app::lighting::LightSetup;
use crate::app::tasks::diff::RigDiff;
use crate::app::viewer::analysis::matching::{same_clip, same_hand};
use crate::app::viewer::app::Event;
use crate::app::viewer::jobs::file_watcher::Watch;
use crate::app::viewer::jobs::loader::{Loader, Wish};
use crate::app::viewer::loading::as_it_is;
use crate::app::viewer::state::Backdrop;
use crate::app::viewer::state::document::Shown;
use crate::app::viewer::window::surface::Screen;
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
pub(crate) struct Beside {
    /// The file.
    pub(crate) file: PathBuf,
    pub(crate) loader: Loader,
    pub(crate) watch: Watch,
    /// What of it is shown; `None` until it has been read.
    pub(crate) shown: Option<Shown>,
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
    told: Option<Told>,
}

/// What the file on screen tells the one beside it when it changes.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    clip: Option<ClipIndex>,
    crowd: CrowdRequest,
    hand: PoseOverride,
    blend: Blend,
}

/// What differs between two files, found on a thread.
pub(crate) struct Compared {
    request: u64,
    /// In lines, or why it cannot be told.
    lines: Vec<String>,
}

impl Beside {
    /// Starts to read `file` to show it beside another one.
    pub(crate) fn open(file: PathBuf, args: &SceneRequest, loader: Loader, watch: Watch) -> Self {
        let mut beside = Self {
            file,
            loader,
            watch,
            shown: None,
            mode: CompareMode::Split,
            split: 0.5,
            differences: None,
            compared: 0,
            blinks_since: Instant::now(),
            turn: None,
            target: None,
            told: None,
        };
        beside.read(args);
        beside
    }

    /// Reads the file, again perhaps.
    pub(crate) fn read(&mut self, args: &SceneRequest) {
        // The clip is the first file's, found by name once both are there.
        let args = as_it_is(args);
        self.loader.start(Wish { file: self.file.clone(), args, again: None });
    }

    /// Takes what has been read.
    pub(crate) fn show(&mut self, shown: Shown) {
        self.shown = Some(shown);
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
        if self.mode != CompareMode::Blink || self.shown.is_none() {
            return None;
        }
        let turns = now.saturating_duration_since(self.blinks_since).as_millis() / BLINK.as_millis() + 1;
        Some(self.blinks_since + BLINK * turns as u32)
    }

    /// Starts to find out what differs from `first`; the answer comes as an event.
    pub(crate) fn compare(&mut self, first: &Path, trust: &ImportRequest, proxy: &EventLoopProxy<Event>) {
        self.compared += 1;
        self.differences = None;
        let (request, files, proxy) = (self.compared, [first.to_owned(), self.file.clone()], proxy.clone());
        let trust = trust.clone();
        std::thread::spawn(move || {
            let [before, after] = &files;
            let found = catch(|| RigDiff::of_files([before, after], &trust));
            let lines = match found {
                Some(Ok(diff)) => diff.text().lines().map(str::to_owned).collect(),
                Some(Err(error)) => vec![crate::app::report::line_of(&error)],
                None => vec!["the files cannot be compared: this is a fault of rigview".to_owned()],
            };
            // The window may be gone by now.
            let _ = proxy.send_event(Event::Compared(Compared { request, lines }));
        });
    }

    /// Takes what differs, if it is of the files as they are now.
    pub(crate) fn take(&mut self, compared: Compared) {
        if compared.request == self.compared {
            self.differences = Some(compared.lines);
        }
    }

    /// Draws the second file as the first one is seen, and both together onto the screen.
    pub(crate) fn draw(
        &mut self,
        first: &Shown,
        (backdrop, light): (Backdrop, &LightSetup),
        screen: &mut Screen,
        now: Instant,
    ) -> Result<(), AppError> {
        let alone = self.alone(now);
        let Some(shown) = &mut self.shown else {
            screen.mixed = None;
            return Ok(());
        };
        let size = [screen.target.width(), screen.target.height()];
        let fits = |target: &Target| [target.width(), target.height()] == size;
        let told = Told::by(first);
        if self.told.as_ref() != Some(&told) {
            tell(shown, first);
            self.told = Some(told);
        }
        shown.keep_step(first);
        let mut target = match self.target.take().filter(fits) {
            Some(target) => target,
            None => {
                shown.forget_picture();
                screen.new_target(size)?
            }
        };
        shown.draw(backdrop, light, &mut screen.renderer, &mut target)?;
        let mut mixed = match screen.mixed.take().filter(fits) {
            Some(mixed) => mixed,
            None => screen.new_target(size)?,
        };
        let how = match (self.mode, alone) {
            (CompareMode::Difference, _) => Comparison::Difference,
            (_, Some(0)) => Comparison::Split(f32::INFINITY),
            (_, Some(_)) => Comparison::Split(0.0),
            (_, None) => Comparison::Split((self.split * f64::from(size[0])).round() as f32),
        };
        screen.renderer.compare([&screen.target, &target], how, &mut mixed)?;
        (self.target, screen.mixed) = (Some(target), Some(mixed));
        Ok(())
    }
}

impl Told {
    fn by(first: &Shown) -> Self {
        Self {
            clip: first.stage.clip,
            crowd: first.crowd.clone(),
            hand: first.stage.hand().clone(),
            blend: first.stage.blend().clone(),
        }
    }
}

/// Lets one file do what another one does, as far as it has clips and joints of the same names.
fn tell(shown: &mut Shown, first: &Shown) {
    let (theirs, ours): (&Model, &Model) = (first.stage.model(), shown.stage.model());
    let clip = first.stage.clip.and_then(|clip| same_clip(theirs, clip, ours));
    let blend = first.stage.blend().for_clips(|clip| same_clip(theirs, clip, ours));
    let hand = same_hand(theirs, first.stage.hand(), ours);
    shown.imitate(clip, first.crowd.clone(), hand, blend);
}
