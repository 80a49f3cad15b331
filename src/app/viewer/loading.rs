//! Files on their way to the screen: asked for, read, shown, read again.

use crate::app::AppError;
use crate::app::console::report;
use crate::app::scene::LoadedScene;
use crate::app::tasks::open_scene;
use crate::app::viewer::analysis::reload_summary::ReloadSummary;
use crate::app::viewer::app::{App, FileDialogPurpose, UserEvent};
use crate::app::viewer::jobs::loader::{LoadRequest, LoadResult, ReloadState};
use crate::app::viewer::state::document::Document;
use crate::app::viewer::state::file_list;
use crate::app::viewer::state::notifications::Severity;
use crate::request::MODEL_FILE_EXTENSIONS;
use crate::request::{CrowdRequest, SceneRequest};
use std::path::{Path, PathBuf};
use std::time::Instant;

impl App {
    /// Takes a file that has been read, or tells why there is none; the present one stays then.
    pub(crate) fn loaded(&mut self, loaded: LoadResult) -> Result<(), AppError> {
        let in_time = self.loader.finish(&loaded);
        self.refresh();
        let (true, Some(surface)) = (in_time, &mut self.surface) else { return Ok(()) };
        let again = loaded.wish.again.clone();
        let document = loaded.result.and_then(|scene| {
            report_diagnostics(&scene);
            if !scene.diagnostics.is_empty()
                && loaded.wish.args.clip_sources.len() > self.request.scene.clip_sources.len()
            {
                let lent = &scene.diagnostics[scene.diagnostics.len() - 1];
                self.notifications.push(Severity::Info, lent.message.clone(), Instant::now());
            }
            let limits = loaded.wish.args.import.policy().limits;
            let crowd = CrowdRequest { instances: scene.crowd.len() as u32, ..loaded.wish.args.crowd.clone() };
            let time = (loaded.wish.args.time_secs, self.settings.frames_per_sec);
            Document::new(*scene, time, (limits, crowd), surface)
        });
        match document {
            Ok(mut document) => {
                document.variant = loaded.wish.variant_of(&document.scene);
                let before = self.document.take();
                self.notifications.clear_errors();
                match before.filter(|_| again.is_some()) {
                    Some(before) => {
                        document.inherit_view_from(&before);
                        // Who asks for another scene or variant knows what is new.
                        if (before.variant, before.scene.scene) == (document.variant, document.scene.scene) {
                            let changes =
                                ReloadSummary::new(&before.scene).changes(&ReloadSummary::new(&document.scene));
                            self.notifications.push(Severity::Info, changes, Instant::now());
                        }
                    }
                    None => {
                        document.select_named(&self.request.debug_view);
                        surface.gui.state.outliner.tree = Default::default();
                        document.outline.open_first_levels(&mut surface.gui.state.outliner.tree);
                    }
                }
                self.request.scene.clip_sources.clone_from(&loaded.wish.args.clip_sources);
                self.files.go_to(&loaded.wish.file);
                file_list::remember(&mut self.settings.recent, &loaded.wish.file);
                self.watch.follow(loaded.files.0, loaded.files.1);
                self.problems = None;
                self.document = Some(document);
                self.pacer.skip();
                self.compare_rigs();
                self.frame_both();
                Ok(())
            }
            Err(error) if self.document.is_none() && self.loader.file().is_none() && self.files.place().is_none() => {
                Err(error)
            }
            // It may be half-written; the old one stays on screen, and it is tried once more.
            Err(_) if again.is_some_and(|again| again.triggered_by_watcher) && self.watch.failed(Instant::now()) => {
                Ok(())
            }
            Err(error) => {
                report::error(&error);
                self.notifications.push(Severity::Error, report::line_of(&error), Instant::now());
                if let Some(file) = error.file() {
                    self.title.tell_trouble(file, Instant::now());
                }
                Ok(())
            }
        }
    }

    /// Asks for a file in a window of the system's own, which keeps nobody waiting.
    pub(crate) fn show_file_dialog(&mut self, asked: FileDialogPurpose) {
        if self.open_dialog.is_some() {
            return;
        }
        self.open_dialog = Some((asked, Instant::now()));
        let mut dialog = rfd::AsyncFileDialog::new()
            .set_title(match asked {
                FileDialogPurpose::Open => "Open a model",
                FileDialogPurpose::Compare => "Compare with another model",
                FileDialogPurpose::ImportClips => "Borrow clips from another model",
            })
            .add_filter("glTF models", &MODEL_FILE_EXTENSIONS)
            .add_filter("All files", &["*"]);
        if let Some(folder) = self.files.present().and_then(|file| std::path::absolute(file).ok()) {
            dialog = dialog.set_directory(folder.parent().unwrap_or(Path::new("/")));
        }
        let (chosen, proxy) = (dialog.pick_file(), self.proxy.clone());
        std::thread::spawn(move || {
            let file = pollster::block_on(chosen).map(|file| file.path().to_owned());
            let _ = proxy.send_event(UserEvent::FileChosen(asked, file));
        });
    }

    /// Asks for a file by its path: the system has no window to choose one in.
    pub(crate) fn show_path_prompt(&mut self, asked: FileDialogPurpose) {
        self.notify(
            Severity::Info,
            "There is no file dialog here (it comes with zenity, or xdg-desktop-portal): type the path of the file"
                .to_owned(),
        );
        if let Some(surface) = &mut self.surface {
            let folder = self.files.present().and_then(|file| std::path::absolute(file).ok());
            let folder = folder.as_deref().and_then(Path::parent).unwrap_or(Path::new("~"));
            surface.gui.open_path_prompt(asked, folder);
        }
    }

    /// Starts to open a file.
    pub(crate) fn open(&mut self, file: PathBuf) {
        let args = SceneRequest { clip_sources: Vec::new(), ..without_file_specific_args(&self.request.scene) };
        self.loader.start(LoadRequest { file, args, again: None });
        self.title.refresh();
    }

    /// Starts to open what was dropped.
    pub(crate) fn open_dropped(&mut self) {
        if let Some(file) = self.dropped_file.take() {
            self.open(file);
        }
    }

    /// What of the file on screen stays when it is read again.
    pub(crate) fn again(&self) -> Option<ReloadState> {
        let scene = &self.document.as_ref()?.scene;
        let model = scene.model();
        let clip = scene.clip.map(|clip| (model.clips[clip.get()].name.clone(), clip.0));
        let scene = (model.scenes[scene.scene.get()].name.clone(), scene.scene.0);
        Some(ReloadState { clip, scene, variant: self.document.as_ref()?.variant, triggered_by_watcher: false })
    }

    /// Reads the file on screen again when it has been written anew; when to look again.
    pub(crate) fn poll_file_changes(&mut self, now: Instant) -> Option<Instant> {
        if self.watch.is_due(now)
            && let Some(again) = self.again()
        {
            self.read_again(ReloadState { triggered_by_watcher: true, ..again });
        }
        self.watch.next()
    }

    /// Reads the file on screen again; without one, the file that could not be opened.
    pub(crate) fn reload(&mut self) {
        match self.again() {
            Some(again) => self.read_again(again),
            None => {
                if let Some(file) = self.files.present().map(Path::to_owned) {
                    self.open(file);
                }
            }
        }
    }

    /// Lets another file lend its clips to the one on screen.
    pub(crate) fn import_clips_from(&mut self, lender: PathBuf) {
        let (Some(document), Some(again)) = (&self.document, self.again()) else { return };
        let mut args = self.request.scene.clone();
        args.clip_sources.push(lender);
        self.loader.start(LoadRequest { file: document.scene.file.clone(), args, again: Some(again) });
        self.refresh();
    }

    pub(crate) fn read_again(&mut self, again: ReloadState) {
        let Some(document) = &self.document else { return };
        let file = document.scene.file.clone();
        self.loader.start(LoadRequest { file, args: self.request.scene.clone(), again: Some(again) });
        self.refresh();
    }
}

/// What is asked for of a file, less what was named for one file alone and need not exist in another.
pub(crate) fn without_file_specific_args(args: &SceneRequest) -> SceneRequest {
    SceneRequest {
        clip: None,
        scene: None,
        variant: None,
        time_secs: 0.0,
        layers: Vec::new(),
        joint_poses: Vec::new(),
        morph_weights: Vec::new(),
        ..args.clone()
    }
}

/// Tells what of a file is not shown as it should be.
pub(crate) fn report_diagnostics(scene: &LoadedScene) {
    open_scene::report_diagnostics(scene);
    if scene.is_empty() {
        report::notice(format_args!("{}: the scene has no mesh: there is nothing to see", scene.file.display()));
    }
}
