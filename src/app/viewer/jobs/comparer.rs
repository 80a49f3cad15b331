//! A second file beside the one on screen, from being asked for to being put away.

use crate::app::report;
use crate::app::viewer::actions::Action;
use crate::app::viewer::app::{Asked, View};
use crate::app::viewer::jobs::file_watcher::Watch;
use crate::app::viewer::jobs::loader::{Loaded, Loader, Slot};
use crate::app::viewer::loading::tell_notices;
use crate::app::viewer::state::comparison::Beside;
use crate::app::viewer::state::document::Shown;
use crate::app::viewer::state::notifications::Kind;
use crate::app::viewer::state::{CompareMode, Tab};
use crate::request::CrowdRequest;
use std::path::PathBuf;
use std::time::Instant;

impl View {
    /// Starts to compare the file on screen with another one.
    pub(crate) fn compare_with(&mut self, file: PathBuf) {
        let mut loader = Loader::new(self.proxy.clone(), Slot::Second);
        loader.blocks = self.loader.blocks.clone();
        self.beside = Some(Beside::open(file, &self.request.scene, loader, Watch::new(self.proxy.clone())));
        let panels = &mut self.settings.panels;
        if !panels.hidden {
            panels.show_tab(Tab::Compare);
        }
        self.compare_rigs();
        self.refresh();
    }

    /// Does what concerns the comparison.
    pub(crate) fn act_on_comparison(&mut self, action: &Action) {
        if *action == Action::AskToCompare {
            return self.ask_for_file(Asked::Compare);
        }
        let Some(beside) = &mut self.beside else {
            if matches!(action, Action::Compare(_)) {
                self.tell(
                    Kind::Done,
                    "Nothing to compare with yet: File, Compare with... opens a second file".to_owned(),
                );
            }
            return;
        };
        match *action {
            Action::Compare(mode) => beside.set_mode(mode, Instant::now()),
            Action::SetSplit(split) => {
                beside.mode = CompareMode::Split;
                beside.split = split.clamp(0.0, 1.0);
            }
            Action::StopComparing => {
                self.beside = None;
                if let Some(shown) = &mut self.shown {
                    shown.beside = None;
                }
                if let Some(screen) = &mut self.screen {
                    screen.mixed = None;
                }
                if self.settings.panels.tab == Tab::Compare {
                    self.settings.panels.tab = Tab::default();
                }
            }
            _ => {}
        }
    }

    /// Finds out anew what differs between the two files.
    pub(crate) fn compare_rigs(&mut self) {
        let first = self.shown.as_ref().map(|shown| shown.stage.file.clone());
        let first = first.or_else(|| self.files.present().map(ToOwned::to_owned));
        if let (Some(beside), Some(first)) = (&mut self.beside, first) {
            beside.compare(&first, &self.request.scene.import, &self.proxy);
        }
    }

    /// Frames both files, where a person has not turned to something else yet.
    pub(crate) fn frame_both(&mut self) {
        let (Some(shown), Some(screen)) = (&mut self.shown, &self.screen) else { return };
        let second = self.beside.as_ref().and_then(|beside| beside.shown.as_ref());
        shown.frame_with(second.map(|second| second.stage.hull.clone()), screen.aspect());
    }

    /// Takes a second file that has been read, or tells why there is none.
    pub(crate) fn loaded_beside(&mut self, loaded: Loaded) {
        self.refresh();
        let (Some(beside), Some(screen)) = (&mut self.beside, &self.screen) else { return };
        if !beside.loader.finish(&loaded) {
            return;
        }
        let is_new = beside.shown.is_none();
        let shown = loaded.result.and_then(|stage| {
            tell_notices(&stage);
            let args = &loaded.wish.args;
            let crowd = CrowdRequest { instances: stage.crowd.len() as u32, ..args.crowd.clone() };
            Shown::new(*stage, (0.0, self.settings.frames_per_sec), (args.import.policy().limits, crowd), screen)
        });
        match shown {
            Ok(shown) => {
                beside.show(shown);
                beside.watch.follow(loaded.files.0, loaded.files.1);
                self.news.forget_troubles();
                if is_new {
                    self.frame_both();
                } else {
                    self.compare_rigs();
                }
            }
            Err(_) if !is_new && beside.watch.failed(Instant::now()) => {}
            Err(error) => {
                report::error(&error);
                self.news.tell(Kind::Trouble, report::line_of(&error), Instant::now());
            }
        }
    }

    /// Reads the second file again when it has been written anew, and lets it take its turns; when to look again.
    pub(crate) fn follow_beside(&mut self, now: Instant) -> [Option<Instant>; 2] {
        let Some(beside) = &mut self.beside else { return [None; 2] };
        if beside.watch.is_due(now) {
            beside.read(&self.request.scene);
        }
        if beside.turn_is_over(now) {
            self.clock.refresh();
        }
        [beside.watch.next(), beside.next(now)]
    }
}
