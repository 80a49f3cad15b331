//! What a person asks for, done.

use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::atomic_write::write_atomic;
use crate::app::viewer::actions::{Action, better_to_open};
use crate::app::viewer::app::{App, FileDialogPurpose};
use crate::app::viewer::jobs::export_args;
use crate::app::viewer::jobs::loader::ReloadState;
use crate::app::viewer::state::Tab;
use crate::app::viewer::state::notifications::Severity;
use crate::app::viewer::ui::Dialog;
use crate::cli::shot_command_line;
use crate::export::{self, PngMetadata};
use winit::event_loop::ActiveEventLoop;
use winit::window::Fullscreen;

impl App {
    /// Does what a person asked for.
    pub(crate) fn act(&mut self, event_loop: &ActiveEventLoop, action: Action) {
        self.pacer.refresh();
        match action {
            Action::Quit => event_loop.exit(),
            Action::Cancel => self.escape(event_loop),
            Action::Open(file) => {
                let best = self.dropped_file.take().filter(|dropped| !better_to_open(&file, dropped));
                self.dropped_file = Some(best.unwrap_or(file));
            }
            Action::OpenFileDialog => self.show_file_dialog(FileDialogPurpose::Open),
            Action::OpenCompareDialog | Action::SetCompareMode(_) | Action::SetSplit(_) | Action::CloseComparison => {
                self.act_on_comparison(&action);
            }
            Action::StepFile(places) => match self.files.step(places) {
                Some(file) => self.open(file),
                None => self.notify(
                    Severity::Info,
                    "Only one file is open. Pass several files on the command line to step through them.".to_owned(),
                ),
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
                    self.read_again(ReloadState { variant, ..again });
                }
            }
            Action::TogglePanels => self.settings.panels.hidden = !self.settings.panels.hidden,
            Action::TogglePanel(panel) => self.settings.panels.toggle(panel),
            Action::ShowTab(tab) => self.settings.panels.show_tab(tab),
            Action::SetTheme(theme) => self.settings.theme = theme,
            Action::SetViewMode(surface) => self.view_options.set_view_mode(surface),
            Action::ToggleOverlay(switch) => self.view_options.toggle(switch),
            Action::SetGhosts(ghosts) => self.view_options.ghosts = ghosts,
            Action::SetBackdrop(backdrop) => self.settings.backdrop = backdrop,
            Action::NextBackdrop => self.settings.backdrop = self.settings.backdrop.next(),
            Action::ToggleRotateGizmo => {
                self.gizmo_enabled = !self.gizmo_enabled;
                if self.gizmo_enabled && self.document.as_ref().is_some_and(|document| document.joint().is_none()) {
                    self.notify(Severity::Info, "Select a joint to show its rotate gizmo".to_owned());
                }
            }
            Action::SetNavigation(navigation) => self.settings.navigation = navigation,
            Action::ToggleShadowCatcher => self.toggle_ground(),
            Action::OpenImportClipsDialog => self.show_file_dialog(FileDialogPurpose::ImportClips),
            Action::CompareWith(file) => self.compare_with(file),
            Action::ImportClips(file) => self.import_clips_from(file),
            Action::ToggleExportDialog => self.toggle_dialog(Dialog::Export),
            Action::Export(export) => self.export(&export),
            Action::CancelExport => self.cancel_export(),
            Action::DismissNotification(line) => self.notifications.dismiss(line),
            Action::ToggleCommandPalette => self.toggle_dialog(Dialog::CommandPalette),
            Action::ToggleShortcuts => self.toggle_dialog(Dialog::Shortcuts),
            Action::ToggleFullScreen => {
                if let Some(surface) = &self.surface {
                    let window = surface.gl_window.window();
                    let full = window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
                    window.set_fullscreen(full);
                }
            }
            Action::CopyText { what, text } => self.copy(what, text),
            Action::CopyCommandLine => {
                if let Some(command) = self.screenshot_command_line() {
                    self.copy("command", command);
                }
            }
            Action::CopyImage => self.copy_picture(),
            Action::SaveImage => self.save_picture(),
            action => self.act_on_model(&action),
        }
    }

    /// Does what concerns the model alone.
    pub(crate) fn act_on_model(&mut self, action: &Action) {
        if let Action::SetFrameRate(rate) = *action {
            self.settings.frames_per_sec = rate;
        }
        let (Some(document), Some(surface)) = (&mut self.document, &self.surface) else { return };
        if !document.is_moving() {
            // The time spent paused is not played.
            self.pacer.skip();
        }
        let selected = document.selection;
        document.act(action, surface.aspect());
        if document.selection != selected && document.selection.is_some() && self.settings.panels.tab == Tab::Clips {
            // Who selects something wants to know of it.
            self.settings.panels.tab = Tab::Details;
        }
        if matches!(action, Action::SetCrowd(_) | Action::PlayClip(_)) {
            self.frame_stats.forget();
        }
        if !matches!(action, Action::Orbit { .. } | Action::Pan { .. } | Action::Zoom(_)) {
            self.title.refresh();
        }
    }

    /// Closes what lies over the model, else lets go of what is selected, else leaves: but never a window full of panels, in
    /// which somebody works.
    fn escape(&mut self, event_loop: &ActiveEventLoop) {
        let selects = self.document.as_ref().is_some_and(|document| document.selection.is_some());
        if self.surface.as_mut().is_some_and(|surface| surface.gui.close_dialog()) {
            return;
        }
        if self.settings.panels.hidden || self.document.is_none() {
            event_loop.exit();
        } else if selects {
            self.act_on_model(&Action::Select(None));
        } else {
            self.notify(Severity::Info, "Press Ctrl+Q to quit".to_owned());
        }
    }

    /// Lets the model stand on ground that shows its shadow, or no longer.
    fn toggle_ground(&mut self) {
        self.request.light.shadow_catcher = !self.request.light.shadow_catcher;
        self.light.set_shadow_catcher(self.request.light.shadow_catcher);
        for document in
            self.document.iter_mut().chain(self.comparison.as_mut().and_then(|comparison| comparison.document.as_mut()))
        {
            document.forget_picture();
        }
    }

    pub(crate) fn toggle_dialog(&mut self, dialog: Dialog) {
        if let Some(surface) = &mut self.surface {
            surface.gui.toggle_dialog(dialog);
        }
    }

    pub(crate) fn copy(&mut self, what: &'static str, text: String) {
        if let Some(surface) = &mut self.surface {
            surface.gui.copy_text(text);
        }
        self.notify(Severity::Info, format!("{what} copied").replacen(|c: char| c.is_lowercase(), &upper(what), 1));
    }

    /// The command that makes the picture in the window.
    pub(crate) fn screenshot_command_line(&self) -> Option<String> {
        let (document, surface) = (self.document.as_ref()?, self.surface.as_ref()?);
        let size = [surface.target.width(), surface.target.height()];
        let asked = (&self.request.scene, &self.request.light, self.request.samples);
        let args = export_args::shot_args(document, asked, self.settings.backdrop, size);
        Some(shot_command_line(&args, &document.scene.file))
    }

    pub(crate) fn copy_picture(&mut self) {
        if let Some(surface) = &mut self.surface {
            let size = [surface.target.width() as usize, surface.target.height() as usize];
            match surface.picture().read_rgba() {
                Ok(rgba) => {
                    surface.gui.copy_image(size, &rgba);
                    self.notify(Severity::Info, "Image copied".to_owned());
                }
                Err(error) => self.notify(Severity::Error, report::line_of(&error)),
            }
        }
    }

    /// Writes the picture beside the model.
    pub(crate) fn save_picture(&mut self) {
        let (Some(document), Some(surface)) = (&self.document, &self.surface) else { return };
        let gpu = surface.gl_window.gpu();
        let origin = PngMetadata {
            software: Some(concat!("rigview ", env!("CARGO_PKG_VERSION")).to_owned()),
            renderer: Some(gpu.renderer().to_owned()),
            driver: Some(gpu.version().to_owned()),
            command: self.screenshot_command_line(),
        };
        let file = export_args::unique_output_path(&document.scene.file, "", "png");
        let picture = surface.picture();
        let written = picture.read_rgba().map_err(AppError::from).and_then(|rgba| {
            write_atomic(&file, &export::encode_png(picture.width(), picture.height(), &rgba, &origin))
        });
        match written {
            Ok(()) => self.notify(Severity::Info, format!("Saved {}", file.display())),
            Err(error) => self.notify(Severity::Error, report::line_of(&error)),
        }
    }
}

/// The first letter of a word, large.
fn upper(word: &str) -> String {
    word.chars().take(1).flat_map(char::to_uppercase).collect()
}
