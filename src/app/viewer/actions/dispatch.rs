//! What a person asks for, done.

use crate::app::atomic_write::write_whole;
use crate::app::viewer::actions::{Action, better_to_open};
use crate::app::viewer::app::{Asked, View};
use crate::app::viewer::jobs::export_args;
use crate::app::viewer::jobs::loader::Again;
use crate::app::viewer::state::Tab;
use crate::app::viewer::state::notifications::Kind;
use crate::app::viewer::ui::Dialog;
use crate::app::{AppError, report};
use crate::cli::shot_command_line;
use crate::export::{self, Origin};
use winit::event_loop::ActiveEventLoop;
use winit::window::Fullscreen;

impl View {
    /// Does what a person asked for.
    pub(crate) fn act(&mut self, event_loop: &ActiveEventLoop, action: Action) {
        self.clock.refresh();
        match action {
            Action::Quit => event_loop.exit(),
            Action::Escape => self.step_back(event_loop),
            Action::Open(file) => {
                let best = self.dropped.take().filter(|dropped| !better_to_open(&file, dropped));
                self.dropped = Some(best.unwrap_or(file));
            }
            Action::AskForFile => self.ask_for_file(Asked::Open),
            Action::AskToCompare | Action::Compare(_) | Action::SetSplit(_) | Action::StopComparing => {
                self.act_on_comparison(&action);
            }
            Action::ChangeFile(places) => match self.files.step(places) {
                Some(file) => self.open(file),
                None => self.tell(Kind::Done, "One file is open; name several on the command line to step".to_owned()),
            },
            Action::Reload => self.reload(),
            Action::ShowScene(scene) => {
                if let Some(mut again) = self.again() {
                    again.scene = (None, scene.0);
                    self.read_again(again);
                }
            }
            Action::ShowVariant(variant) => {
                if let Some(again) = self.again() {
                    self.read_again(Again { variant, ..again });
                }
            }
            Action::TogglePanels => self.settings.panels.hidden = !self.settings.panels.hidden,
            Action::Toggle(panel) => self.settings.panels.toggle(panel),
            Action::ShowTab(tab) => self.settings.panels.show_tab(tab),
            Action::SetTheme(theme) => self.settings.theme = theme,
            Action::SetViewMode(surface) => self.looks.set_view_mode(surface),
            Action::ToggleLook(switch) => self.looks.toggle(switch),
            Action::SetGhosts(ghosts) => self.looks.ghosts = ghosts,
            Action::SetBackdrop(backdrop) => self.settings.backdrop = backdrop,
            Action::NextBackdrop => self.settings.backdrop = self.settings.backdrop.next(),
            Action::ToggleRings => {
                self.with_rings = !self.with_rings;
                if self.with_rings && self.shown.as_ref().is_some_and(|shown| shown.joint().is_none()) {
                    self.tell(Kind::Done, "Select a joint: rings to turn it by stand around it".to_owned());
                }
            }
            Action::SetNavigation(navigation) => self.settings.navigation = navigation,
            Action::ToggleGround => self.toggle_ground(),
            Action::AskToBorrow => self.ask_for_file(Asked::Borrow),
            Action::CompareWith(file) => self.compare_with(file),
            Action::Borrow(file) => self.borrow_from(file),
            Action::ShowTakeAway => self.toggle_dialog(Dialog::Export),
            Action::Export(export) => self.export(&export),
            Action::StopMaking => self.stop_making(),
            Action::PutAway(line) => self.news.put_away(line),
            Action::Find => self.toggle_dialog(Dialog::CommandPalette),
            Action::ShowKeys => self.toggle_dialog(Dialog::Shortcuts),
            Action::ToggleFullScreen => {
                if let Some(screen) = &self.screen {
                    let window = screen.gl_window.window();
                    let full = window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
                    window.set_fullscreen(full);
                }
            }
            Action::Copy { what, text } => self.copy(what, text),
            Action::CopyCommand => {
                if let Some(command) = self.shot_command() {
                    self.copy("command", command);
                }
            }
            Action::CopyPicture => self.copy_picture(),
            Action::SavePicture => self.save_picture(),
            action => self.act_on_model(&action),
        }
    }

    /// Does what concerns the model alone.
    pub(crate) fn act_on_model(&mut self, action: &Action) {
        if let Action::SetFrameRate(rate) = *action {
            self.settings.frames_per_sec = rate;
        }
        let (Some(shown), Some(screen)) = (&mut self.shown, &self.screen) else { return };
        if !shown.is_moving() {
            // The time spent paused is not played.
            self.clock.skip();
        }
        let selected = shown.selection;
        shown.act(action, screen.aspect());
        if shown.selection != selected && shown.selection.is_some() && self.settings.panels.tab == Tab::Clips {
            // Who selects something wants to know of it.
            self.settings.panels.tab = Tab::Details;
        }
        if matches!(action, Action::SetCrowd(_) | Action::PlayClip(_)) {
            self.costs.forget();
        }
        if !matches!(action, Action::Turn { .. } | Action::Pan { .. } | Action::Zoom(_)) {
            self.title.refresh();
        }
    }

    /// Closes what lies over the model, else lets go of what is selected, else leaves: but never a window full of panels, in
    /// which somebody works.
    fn step_back(&mut self, event_loop: &ActiveEventLoop) {
        let selects = self.shown.as_ref().is_some_and(|shown| shown.selection.is_some());
        if self.screen.as_mut().is_some_and(|screen| screen.desk.close_dialog()) {
            return;
        }
        if self.settings.panels.hidden || self.shown.is_none() {
            event_loop.exit();
        } else if selects {
            self.act_on_model(&Action::Select(None));
        } else {
            self.tell(Kind::Done, "Ctrl+Q closes the window".to_owned());
        }
    }

    /// Lets the model stand on ground that shows its shadow, or no longer.
    fn toggle_ground(&mut self) {
        self.request.light.shadow_catcher = !self.request.light.shadow_catcher;
        self.light.stand_on_ground(self.request.light.shadow_catcher);
        for shown in self.shown.iter_mut().chain(self.beside.as_mut().and_then(|beside| beside.shown.as_mut())) {
            shown.forget_picture();
        }
    }

    pub(crate) fn toggle_dialog(&mut self, dialog: Dialog) {
        if let Some(screen) = &mut self.screen {
            screen.desk.toggle_dialog(dialog);
        }
    }

    pub(crate) fn copy(&mut self, what: &'static str, text: String) {
        if let Some(screen) = &mut self.screen {
            screen.desk.copy_text(text);
        }
        self.tell(Kind::Done, format!("{what} copied").replacen(|c: char| c.is_lowercase(), &upper(what), 1));
    }

    /// The command that makes the picture in the window.
    pub(crate) fn shot_command(&self) -> Option<String> {
        let (shown, screen) = (self.shown.as_ref()?, self.screen.as_ref()?);
        let size = [screen.target.width(), screen.target.height()];
        let asked = (&self.request.scene, &self.request.light, self.request.samples);
        let args = export_args::shot_args(shown, asked, self.settings.backdrop, size);
        Some(shot_command_line(&args, &shown.stage.file))
    }

    pub(crate) fn copy_picture(&mut self) {
        if let Some(screen) = &mut self.screen {
            let size = [screen.target.width() as usize, screen.target.height() as usize];
            match screen.picture().read_rgba() {
                Ok(rgba) => {
                    screen.desk.copy_image(size, &rgba);
                    self.tell(Kind::Done, "Picture copied".to_owned());
                }
                Err(error) => self.tell(Kind::Trouble, report::line_of(&error)),
            }
        }
    }

    /// Writes the picture beside the model.
    pub(crate) fn save_picture(&mut self) {
        let (Some(shown), Some(screen)) = (&self.shown, &self.screen) else { return };
        let gpu = screen.gl_window.gpu();
        let origin = Origin {
            software: Some(concat!("rigview ", env!("CARGO_PKG_VERSION")).to_owned()),
            renderer: Some(gpu.renderer().to_owned()),
            driver: Some(gpu.version().to_owned()),
            command: self.shot_command(),
        };
        let file = export_args::free_name(&shown.stage.file, "", "png");
        let picture = screen.picture();
        let written = picture
            .read_rgba()
            .map_err(AppError::from)
            .and_then(|rgba| write_whole(&file, &export::png(picture.width(), picture.height(), &rgba, &origin)));
        match written {
            Ok(()) => self.tell(Kind::Done, format!("Written to {}", file.display())),
            Err(error) => self.tell(Kind::Trouble, report::line_of(&error)),
        }
    }
}

/// The first letter of a word, large.
fn upper(word: &str) -> String {
    word.chars().take(1).flat_map(char::to_uppercase).collect()
}
