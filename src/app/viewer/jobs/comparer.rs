//! A second file beside the one on screen, from being asked for to being put away.

use crate::app::console::report;
use crate::app::viewer::actions::Action;
use crate::app::viewer::app::{App, FileDialogPurpose};
use crate::app::viewer::jobs::file_watcher::FileWatcher;
use crate::app::viewer::jobs::loader::{LoadResult, Loader, Slot};
use crate::app::viewer::loading::report_diagnostics;
use crate::app::viewer::state::comparison::ComparisonState;
use crate::app::viewer::state::document::Document;
use crate::app::viewer::state::notifications::Severity;
use crate::app::viewer::state::{CompareMode, Tab};
use crate::request::CrowdRequest;
use std::path::PathBuf;
use std::time::Instant;

impl App {
    /// Starts to compare the file on screen with another one.
    pub(crate) fn compare_with(&mut self, file: PathBuf) {
        let mut loader = Loader::new(self.proxy.clone(), Slot::Second);
        loader.blocks = self.loader.blocks.clone();
        self.comparison =
            Some(ComparisonState::open(file, &self.request.scene, loader, FileWatcher::new(self.proxy.clone())));
        let panels = &mut self.settings.panels;
        if !panels.hidden {
            panels.show_tab(Tab::Compare);
        }
        self.compare_rigs();
        self.refresh();
    }

    /// Does what concerns the comparison.
    pub(crate) fn act_on_comparison(&mut self, action: &Action) {
        if *action == Action::OpenCompareDialog {
            return self.show_file_dialog(FileDialogPurpose::Compare);
        }
        let Some(comparison) = &mut self.comparison else {
            if matches!(action, Action::SetCompareMode(_)) {
                self.notify(
                    Severity::Info,
                    "Nothing to compare with yet: File, Compare with... opens a second file".to_owned(),
                );
            }
            return;
        };
        match *action {
            Action::SetCompareMode(mode) => comparison.set_mode(mode, Instant::now()),
            Action::SetSplit(split) => {
                comparison.mode = CompareMode::Split;
                comparison.split = split.clamp(0.0, 1.0);
            }
            Action::CloseComparison => {
                self.comparison = None;
                if let Some(document) = &mut self.document {
                    document.comparison = None;
                }
                if let Some(surface) = &mut self.surface {
                    surface.comparison_target = None;
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
        let first = self.document.as_ref().map(|document| document.scene.file.clone());
        let first = first.or_else(|| self.files.present().map(ToOwned::to_owned));
        if let (Some(comparison), Some(first)) = (&mut self.comparison, first) {
            comparison.compare(&first, &self.request.scene.import, &self.proxy);
        }
    }

    /// Frames both files, where a person has not turned to something else yet.
    pub(crate) fn frame_both(&mut self) {
        let (Some(document), Some(surface)) = (&mut self.document, &self.surface) else { return };
        let second = self.comparison.as_ref().and_then(|comparison| comparison.document.as_ref());
        document.frame_with(second.map(|second| second.scene.hull.clone()), surface.aspect());
    }

    /// Takes a second file that has been read, or tells why there is none.
    pub(crate) fn loaded_beside(&mut self, loaded: LoadResult) {
        self.refresh();
        let (Some(comparison), Some(surface)) = (&mut self.comparison, &self.surface) else { return };
        if !comparison.loader.finish(&loaded) {
            return;
        }
        let is_new = comparison.document.is_none();
        let document = loaded.result.and_then(|scene| {
            report_diagnostics(&scene);
            let args = &loaded.wish.args;
            let crowd = CrowdRequest { instances: scene.crowd.len() as u32, ..args.crowd.clone() };
            Document::new(*scene, (0.0, self.settings.frames_per_sec), (args.import.policy().limits, crowd), surface)
        });
        match document {
            Ok(document) => {
                comparison.show(document);
                comparison.watch.follow(loaded.files.0, loaded.files.1);
                self.notifications.clear_errors();
                if is_new {
                    self.frame_both();
                } else {
                    self.compare_rigs();
                }
            }
            Err(_) if !is_new && comparison.watch.failed(Instant::now()) => {}
            Err(error) => {
                report::error(&error);
                self.notifications.push(Severity::Error, report::line_of(&error), Instant::now());
            }
        }
    }

    /// Reads the second file again when it has been written anew, and lets it take its turns; when to look again.
    pub(crate) fn poll_comparison(&mut self, now: Instant) -> [Option<Instant>; 2] {
        let Some(comparison) = &mut self.comparison else { return [None; 2] };
        if comparison.watch.is_due(now) {
            comparison.read(&self.request.scene);
        }
        if comparison.turn_is_over(now) {
            self.pacer.refresh();
        }
        [comparison.watch.next(), comparison.next(now)]
    }
}
