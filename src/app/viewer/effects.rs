//! Effects of actions on jobs, user interface and window.

use super::actions::{Action, ExportAction, PoseAction, effect::Effect};
use super::app::App;
use super::gpu_document::GpuDocument;
use super::jobs::event::UserEvent;
use super::jobs::export_args::render_request;
use super::jobs::exporter::ExportJob;
use super::jobs::{file_dialog, file_manager};
use super::state::{ExportProgress, FilePurpose, FlexState, NotificationKind, Reload};
use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::atomic_write::{remove_if_present, write_atomic};
use crate::app::files::output_path::unique_output_path;
use crate::app::offscreen::png_metadata;
use crate::app::viewer::state::history::RigMapText;
use crate::cli::{Shell, flex_limits, shot_command_line};
use crate::request::RenderRequest;
use rigview_check::flex::{Flex, measure};
use rigview_core::util::panic_guard::catch;
use rigview_core::util::text::{capitalized, file_name};
use rigview_render::image_file;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use winit::event_loop::ActiveEventLoop;

impl App {
    pub(crate) fn run_effect(&mut self, event_loop: &ActiveEventLoop, effect: Effect) {
        match effect {
            Effect::Quit => event_loop.exit(),
            Effect::Load(file) => self.load(file),
            Effect::Reload(request, reload) => self.reload(*request, reload),
            Effect::SaveRolesAndReload { rig_maps, request, label } => {
                let save = |(file, text): &RigMapText| match text {
                    Some(text) => write_atomic(file, text.as_bytes()),
                    None => remove_if_present(file),
                };
                match rig_maps.iter().try_for_each(save) {
                    Ok(()) => self.reload(*request, Reload::Request { label }),
                    Err(error) => self.notify(NotificationKind::Error, report::line_of(&error)),
                }
            }
            Effect::LoadGround { file, restores_edit } => self.load_ground(file, restores_edit),
            Effect::Check => self.check_again(),
            Effect::LoadFlexLimits(file) => match flex_limits(&file.to_string_lossy()) {
                Ok(limits) => self.dispatch(event_loop, Action::Pose(PoseAction::SetFlexLimits(limits))),
                Err(error) => self.notify(NotificationKind::Error, format!("{}: {error}", file_name(&file))),
            },
            Effect::MeasureFlex => self.measure_flex(),
            Effect::CompareWith(file) => self.compare_with(file),
            Effect::CompareBeforeReload => self.compare_before_reload(),
            Effect::CloseComparison => {
                self.jobs.comparer = None;
                self.graphics.iter_mut().for_each(|graphics| graphics.close_comparison());
            }
            Effect::ShowFileDialog(purpose) => self.show_file_dialog(purpose),
            Effect::ToggleDialog(dialog) => {
                self.graphics.iter_mut().for_each(|graphics| graphics.gui.state.toggle_dialog(dialog));
            }
            Effect::FocusPanels => {
                self.graphics.iter_mut().for_each(|graphics| graphics.gui.focus_panels());
            }
            Effect::ToggleFullScreen => {
                self.graphics.iter().for_each(|graphics| graphics.surface.toggle_full_screen());
            }
            Effect::Export(action) => self.export(action),
        }
    }

    fn export(&mut self, action: ExportAction) {
        match action {
            ExportAction::Export(request) => {
                if self.jobs.export.is_some() {
                    return self.notify(NotificationKind::Info, "An export is already running; cancel it or wait");
                }
                let Some(image) = self.render_request(request.settings.pixels(request.view_size)) else { return };
                let file = request.output.clone();
                self.jobs.export = Some(ExportJob::start(request, image, self.jobs.sink.clone()));
                self.state.export = Some(ExportProgress { file, steps: None, is_cancelled: false });
            }
            ExportAction::CancelExport => self.jobs.export.iter().for_each(ExportJob::cancel),
            ExportAction::OpenFolder(file) => self.report_open("folder", file_manager::show(&file)),
            ExportAction::OpenPage(page) => self.report_open("page", file_manager::open(&page)),
            ExportAction::CopyText { what, text } => self.copy_text(what, text),
            ExportAction::CopyCommandLine => {
                let command = self.command_line(Shell::NATIVE);
                command.into_iter().for_each(|command| self.copy_text("command", command));
            }
            ExportAction::CopyImage => self.copy_image(),
            ExportAction::SaveImage => self.save_image(),
            // The dispatcher has applied these.
            ExportAction::ToggleExportDialog
            | ExportAction::SetExportSettings(_)
            | ExportAction::SetExportFolder(_) => {}
        }
    }

    /// Starts the range of motion test on a thread of its own.
    fn measure_flex(&mut self) {
        let Some(document) = &mut self.state.document else { return };
        let token = Arc::new(());
        let is_needed = Arc::downgrade(&token);
        document.flex = FlexState::Measuring([0, 1], token);
        let (rig, limits, sink) = (document.scene.rig().clone(), self.state.flex_limits, self.jobs.sink.clone());
        std::thread::spawn(move || {
            let send = |flex| _ = sink(UserEvent::Flex(rig.shared_model(), flex));
            let report = |steps| is_needed.upgrade().map(|token| send(FlexState::Measuring(steps, token)));
            let flex = catch(|| measure(&rig, &limits, &|done, total| report([done, total]).is_some()));
            let flex = flex.unwrap_or(Flex { joints: Vec::new(), is_complete: false, limits });
            let _ = is_needed.upgrade().map(|_| send(FlexState::Measured(flex)));
        });
    }

    /// Reports that the program of the system did not start.
    fn report_open(&mut self, what: &str, result: std::io::Result<()>) {
        if let Err(error) = result {
            let program = file_manager::PROGRAM;
            let hint = if cfg!(target_os = "linux") { "; install xdg-utils" } else { "" };
            self.notify(NotificationKind::Error, format!("The {what} cannot be opened: {program}: {error}{hint}"));
        }
    }

    fn show_file_dialog(&mut self, purpose: FilePurpose) {
        let Some(graphics) = self.graphics.as_ref().filter(|_| self.jobs.file_dialog.is_none()) else { return };
        self.jobs.file_dialog = Some((purpose, Instant::now()));
        let window = graphics.surface.window();
        file_dialog::show(purpose, window, self.state.files.current(), self.jobs.sink.clone());
    }

    /// Opens the command palette for a path if the system has no file dialog.
    pub(crate) fn open_path_palette(&mut self, purpose: FilePurpose) {
        let what = if purpose == FilePurpose::ExportFolder { "folder" } else { "file" };
        self.notify(
            NotificationKind::Info,
            format!("No file dialog available (install zenity or xdg-desktop-portal): type the path of the {what}"),
        );
        if purpose == FilePurpose::ExportFolder {
            // The export dialog has a field.
            return;
        }
        if let Some(graphics) = &mut self.graphics {
            let file = self.state.files.current().and_then(|file| std::path::absolute(file).ok());
            let folder = file.as_deref().and_then(Path::parent).unwrap_or(Path::new("~"));
            graphics.gui.state.open_path_prompt(purpose, folder);
        }
    }

    fn copy_text(&mut self, what: &'static str, text: String) {
        if let Some(graphics) = &mut self.graphics {
            graphics.gui.winit.set_clipboard_text(text);
        }
        self.notify(NotificationKind::Info, capitalized(&format!("{what} copied")));
    }

    /// The request that renders the current frame as the window does.
    fn render_request(&self, size: [u32; 2]) -> Option<RenderRequest> {
        let (graphics, request) = (self.graphics.as_ref()?, render_request(&self.state, size)?);
        // Levels of detail may not be computed yet.
        let level_of_detail =
            request.level_of_detail && graphics.document.as_ref().is_some_and(GpuDocument::has_levels);
        Some(RenderRequest { anisotropy: graphics.surface.anisotropy, level_of_detail, ..request })
    }

    /// The command line that renders the current frame, in any folder.
    fn command_line(&self, shell: Shell) -> Option<String> {
        let request = self.render_request(self.graphics.as_ref()?.surface.target_size())?;
        let folder = std::env::current_dir().unwrap_or_default();
        let file = folder.join(&request.file);
        Some(shot_command_line(&request.with_files_in(&folder), &file, shell))
    }

    fn copy_image(&mut self) {
        if let Err(error) = self.draw_image() {
            return self.notify(NotificationKind::Error, report::line_of(&error));
        }
        let Some(graphics) = &mut self.graphics else { return };
        let image = graphics.surface.image();
        let size = [image.width(), image.height()].map(|side| side as usize);
        match image.read_rgba() {
            Ok(rgba) => {
                graphics.gui.context.copy_image(egui::ColorImage::from_rgba_unmultiplied(size, &rgba));
                self.notify(NotificationKind::Info, "Image copied");
            }
            Err(error) => self.notify(NotificationKind::Error, report::line_of(&error)),
        }
    }

    /// Writes the current frame next to the model.
    fn save_image(&mut self) {
        if let Err(error) = self.draw_image() {
            return self.notify(NotificationKind::Error, report::line_of(&error));
        }
        let (Some(document), Some(graphics)) = (&self.state.document, &self.graphics) else { return };
        let metadata = png_metadata(graphics.surface.gl_window.gpu(), self.command_line(Shell::Posix), None);
        let file = unique_output_path(&document.scene.file, "", "png");
        let image = graphics.surface.image();
        let written = image.read_rgba().map_err(AppError::from).and_then(|rgba| {
            write_atomic(&file, &image_file::encode_png(image.width(), image.height(), &rgba, &metadata))
        });
        match written {
            Ok(()) => self.notify_saved(file),
            Err(error) => self.notify(NotificationKind::Error, report::line_of(&error)),
        }
    }
}
