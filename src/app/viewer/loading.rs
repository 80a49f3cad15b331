//! Files on their way to the screen: asked for, read, shown, read again.

use crate::app::scene::LoadedScene;
use crate::app::viewer::analysis::reload_summary::Summary;
use crate::app::viewer::app::{Asked, Event, View};
use crate::app::viewer::jobs::loader::{Again, Loaded, Wish};
use crate::app::viewer::state::document::Shown;
use crate::app::viewer::state::file_list;
use crate::app::viewer::state::notifications::Kind;
use crate::app::{AppError, report};
use crate::request::{CrowdRequest, SceneRequest};
use std::path::{Path, PathBuf};
use std::time::Instant;

impl View {
    /// Takes a file that has been read, or tells why there is none; the present one stays then.
    pub(crate) fn loaded(&mut self, loaded: Loaded) -> Result<(), AppError> {
        let in_time = self.loader.finish(&loaded);
        self.refresh();
        let (true, Some(screen)) = (in_time, &mut self.screen) else { return Ok(()) };
        let again = loaded.wish.again.clone();
        let shown = loaded.result.and_then(|stage| {
            tell_notices(&stage);
            if !stage.loaded.diagnostics.is_empty()
                && loaded.wish.args.clip_sources.len() > self.request.scene.clip_sources.len()
            {
                let lent = &stage.loaded.diagnostics[stage.loaded.diagnostics.len() - 1];
                self.news.tell(Kind::Done, lent.message.clone(), Instant::now());
            }
            let limits = loaded.wish.args.import.policy().limits;
            let crowd = CrowdRequest { instances: stage.crowd.len() as u32, ..loaded.wish.args.crowd.clone() };
            let time = (loaded.wish.args.time_secs, self.settings.frames_per_sec);
            Shown::new(*stage, time, (limits, crowd), screen)
        });
        match shown {
            Ok(mut shown) => {
                shown.variant = loaded.wish.variant_of(&shown.stage);
                let before = self.shown.take();
                self.news.forget_troubles();
                match before.filter(|_| again.is_some()) {
                    Some(before) => {
                        shown.succeed(&before);
                        // Who asks for another scene or variant knows what is new.
                        if (before.variant, before.stage.scene) == (shown.variant, shown.stage.scene) {
                            let changes = Summary::new(&before.stage).changes(&Summary::new(&shown.stage));
                            self.news.tell(Kind::Done, changes, Instant::now());
                        }
                    }
                    None => {
                        shown.select_named(&self.request.debug_view);
                        screen.desk.state.outliner.tree = Default::default();
                        shown.outline.open_first_levels(&mut screen.desk.state.outliner.tree);
                    }
                }
                self.request.scene.clip_sources.clone_from(&loaded.wish.args.clip_sources);
                self.files.go_to(&loaded.wish.file);
                file_list::remember(&mut self.settings.recent, &loaded.wish.file);
                self.watch.follow(loaded.files.0, loaded.files.1);
                self.problems = None;
                self.shown = Some(shown);
                self.clock.skip();
                self.compare_rigs();
                self.frame_both();
                Ok(())
            }
            Err(error) if self.shown.is_none() && self.loader.file().is_none() && self.files.place().is_none() => {
                Err(error)
            }
            // It may be half-written; the old one stays on screen, and it is tried once more.
            Err(_) if again.is_some_and(|again| again.by_itself) && self.watch.failed(Instant::now()) => Ok(()),
            Err(error) => {
                report::error(&error);
                self.news.tell(Kind::Trouble, report::line_of(&error), Instant::now());
                if let Some(file) = error.file() {
                    self.title.tell_trouble(file, Instant::now());
                }
                Ok(())
            }
        }
    }

    /// Asks for a file in a window of the system's own, which keeps nobody waiting.
    pub(crate) fn ask_for_file(&mut self, asked: Asked) {
        if self.asks.is_some() {
            return;
        }
        self.asks = Some((asked, Instant::now()));
        let mut dialog = rfd::AsyncFileDialog::new()
            .set_title(match asked {
                Asked::Open => "Open a model",
                Asked::Compare => "Compare with another model",
                Asked::Borrow => "Borrow clips from another model",
            })
            .add_filter("glTF models", &["glb", "gltf", "vrm"])
            .add_filter("All files", &["*"]);
        if let Some(folder) = self.files.present().and_then(|file| std::path::absolute(file).ok()) {
            dialog = dialog.set_directory(folder.parent().unwrap_or(Path::new("/")));
        }
        let (chosen, proxy) = (dialog.pick_file(), self.proxy.clone());
        std::thread::spawn(move || {
            let file = pollster::block_on(chosen).map(|file| file.path().to_owned());
            let _ = proxy.send_event(Event::Chosen(asked, file));
        });
    }

    /// Asks for a file by its path: the system has no window to choose one in.
    pub(crate) fn ask_for_path(&mut self, asked: Asked) {
        self.tell(
            Kind::Done,
            "There is no file dialog here (it comes with zenity, or xdg-desktop-portal): type the path of the file"
                .to_owned(),
        );
        if let Some(screen) = &mut self.screen {
            let folder = self.files.present().and_then(|file| std::path::absolute(file).ok());
            let folder = folder.as_deref().and_then(Path::parent).unwrap_or(Path::new("~"));
            screen.desk.open_path_prompt(asked, folder);
        }
    }

    /// Starts to open a file.
    pub(crate) fn open(&mut self, file: PathBuf) {
        let args = SceneRequest { clip_sources: Vec::new(), ..as_it_is(&self.request.scene) };
        self.loader.start(Wish { file, args, again: None });
        self.title.refresh();
    }

    /// Starts to open what was dropped.
    pub(crate) fn open_dropped(&mut self) {
        if let Some(file) = self.dropped.take() {
            self.open(file);
        }
    }

    /// What of the file on screen stays when it is read again.
    pub(crate) fn again(&self) -> Option<Again> {
        let stage = &self.shown.as_ref()?.stage;
        let model = stage.model();
        let clip = stage.clip.map(|clip| (model.clips[clip.get()].name.clone(), clip.0));
        let scene = (model.scenes[stage.scene.get()].name.clone(), stage.scene.0);
        Some(Again { clip, scene, variant: self.shown.as_ref()?.variant, by_itself: false })
    }

    /// Reads the file on screen again when it has been written anew; when to look again.
    pub(crate) fn follow_changes(&mut self, now: Instant) -> Option<Instant> {
        if self.watch.is_due(now)
            && let Some(again) = self.again()
        {
            self.read_again(Again { by_itself: true, ..again });
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
    pub(crate) fn borrow_from(&mut self, lender: PathBuf) {
        let (Some(shown), Some(again)) = (&self.shown, self.again()) else { return };
        let mut args = self.request.scene.clone();
        args.clip_sources.push(lender);
        self.loader.start(Wish { file: shown.stage.file.clone(), args, again: Some(again) });
        self.refresh();
    }

    pub(crate) fn read_again(&mut self, again: Again) {
        let Some(shown) = &self.shown else { return };
        let file = shown.stage.file.clone();
        self.loader.start(Wish { file, args: self.request.scene.clone(), again: Some(again) });
        self.refresh();
    }
}

/// What is asked for of a file, less what was named for one file alone and need not exist in another.
pub(crate) fn as_it_is(args: &SceneRequest) -> SceneRequest {
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
pub(crate) fn tell_notices(stage: &LoadedScene) {
    stage.tell_notices();
    if stage.is_empty() {
        report::notice(format_args!("{}: the scene has no mesh: there is nothing to see", stage.file.display()));
    }
}
