//! Export dialog (image, video, contact sheet, model), and the progress of an export.

use crate::app::files::output_path::unique_output_path;
use crate::app::tasks::video::VideoFormat;
use crate::app::viewer::actions::{Action, ExportAction, FileAction};
use crate::app::viewer::state::{
    Document, ExportKind, ExportRequest, ExportSettings, ExportSize, FilePurpose, MIN_SIDE, ModelContents,
};
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::{dialog, wrapped_label};
use egui::{
    Align, Align2, Area, Button, Checkbox, ComboBox, DragValue, Grid, Id, Key, Layout, Order, ProgressBar, Rect,
    RichText, TextEdit, Ui, Window, vec2,
};
use rigview_core::model::ClipIndex;
use rigview_core::util::text::{counted, file_name};
use std::path::{Path, PathBuf};

/// Width of the fields, in points.
const FIELD_WIDTH: f32 = 270.0;

/// Width of text fields with something at their right, in points.
const TEXT_WIDTH: f32 = FIELD_WIDTH - 76.0;

/// Height in which all sizes fit, in points.
const SIZE_LIST_HEIGHT: f32 = 260.0;

/// Distance of the dialog from the upper edge of the window, as a fraction of its height.
const TOP: f32 = 0.2;

/// Distance of the progress card from the upper edge of the viewport, in points.
const PROGRESS_TOP: f32 = 40.0;

/// Fields that last as long as the dialog is open.
#[derive(Default)]
pub(crate) struct ExportState {
    /// Stem of the output file; `None` for the default.
    name: Option<String>,
    /// Text of the folder while it has the focus.
    folder_text: Option<String>,
    /// Start and end of a video of a clip in seconds; `None` for the play range.
    range: Option<(ClipIndex, [f64; 2])>,
    /// The default output, with the model in its folder, the suffix and the extension that it is for.
    default_output: Option<((PathBuf, &'static str, &'static str), PathBuf)>,
}

impl ExportState {
    /// An unused path. Reads the disk only if an argument changed.
    fn default_output(
        &mut self,
        folder: &Path,
        model: &Path,
        (extension, suffix): (&'static str, &'static str),
    ) -> PathBuf {
        let key = (folder.join(model.file_name().unwrap_or(model.as_os_str())), suffix, extension);
        match &self.default_output {
            Some((known, output)) if *known == key => output.clone(),
            _ => {
                let output = unique_output_path(&key.0, suffix, extension);
                self.default_output = Some((key, output.clone()));
                output
            }
        }
    }
}

/// Returns `true` if the dialog must close: an export started, or the user closed it.
pub(crate) fn show(ui: &Ui, state: &mut ExportState, ctx: &UiContext<'_>) -> bool {
    let mut settings = ctx.settings.export.clone();
    let mut request = None;
    // A fixed upper edge keeps the tabs under the pointer.
    let top = TOP * ui.ctx().content_rect().height();
    let window = Window::new("Export").anchor(Align2::CENTER_TOP, vec2(0.0, top));
    let closed = dialog(ui, window, |ui| {
        ui.horizontal(|ui| {
            for (kind, name) in ExportKind::ALL {
                ui.selectable_value(&mut settings.kind, kind, name);
            }
        });
        ui.separator();
        let Some(document) = &ctx.document else {
            ui.weak("No file is open.");
            return;
        };
        let (extension, _) = settings.extension();
        let folder = settings.output_folder(&document.scene.file);
        let default = state.default_output(&folder, &document.scene.file, settings.extension());
        let mut submitted = false;
        Grid::new("export").num_columns(2).min_col_width(56.0).spacing(vec2(12.0, 6.0)).show(ui, |ui| {
            submitted = name_row(ui, state, &default, extension);
            folder_row(ui, state, &mut settings, &folder, ctx);
            match settings.kind {
                ExportKind::Image => image_rows(ui, &mut settings, ctx),
                ExportKind::Video => video_rows(ui, state, &mut settings, document, ctx),
                ExportKind::Sheet => sheet_rows(ui, &mut settings),
                ExportKind::Model => model_row(ui, &mut settings),
            }
        });
        let name = state.name.as_deref().map(|name| format!("{}.{extension}", name.trim()));
        let output = name.map_or(default, |name| folder.join(name));
        ui.add_space(4.0);
        let problem = problem(state, &folder, &settings, document);
        ui.horizontal(|ui| {
            ui.set_min_width(FIELD_WIDTH + 52.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let enabled = ctx.export.is_none() && problem.is_none();
                let replaces = state.name.is_some() && output.exists();
                let button = Button::new(if replaces { "Replace" } else { "Export" });
                let clicked = ui.add_enabled(enabled, button).clicked();
                if clicked || (submitted && enabled) {
                    request = Some(ExportRequest {
                        output: output.clone(),
                        settings: settings.clone(),
                        view_size: ctx.view_size,
                        range_secs: video_range(state, document),
                    });
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| match problem {
                    Some(text) => wrapped_label(ui, RichText::new(text).color(ui.visuals().error_fg_color)),
                    None if replaces => {
                        let text = format!("{} exists and is replaced.", file_name(&output));
                        wrapped_label(ui, RichText::new(text).color(ui.visuals().warn_fg_color));
                    }
                    None => wrapped_label(ui, RichText::new(summary(state, &settings, document)).weak()),
                });
            });
        });
    });
    ctx.push_if(settings != ctx.settings.export, ExportAction::SetExportSettings(settings));
    let started = request.is_some();
    ctx.extend(request.map(|request| Action::Export(ExportAction::Export(request))));
    started || closed
}

fn label(ui: &mut Ui, text: &str) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.weak(text));
}

/// Returns `true` if the user confirms the name with Enter.
fn name_row(ui: &mut Ui, state: &mut ExportState, default: &Path, extension: &str) -> bool {
    label(ui, "Name");
    let submitted = ui.horizontal(|ui| {
        let stem = default.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut text = state.name.clone().unwrap_or_else(|| stem.clone());
        let field = ui.add(TextEdit::singleline(&mut text).desired_width(TEXT_WIDTH));
        if field.changed() {
            state.name = Some(text.strip_suffix(&format!(".{extension}")).unwrap_or(&text).to_owned());
        }
        ui.weak(format!(".{extension}"));
        field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
    });
    ui.end_row();
    submitted.inner
}

fn folder_row(ui: &mut Ui, state: &mut ExportState, settings: &mut ExportSettings, folder: &Path, ctx: &UiContext<'_>) {
    label(ui, "Folder");
    ui.horizontal(|ui| {
        let typed = state.folder_text.take();
        let mut text = typed.unwrap_or_else(|| settings.folder.to_string_lossy().into_owned());
        let hint = format!("{} (model)", folder.display());
        let field = ui.add(TextEdit::singleline(&mut text).hint_text(hint).desired_width(TEXT_WIDTH));
        if field.changed() {
            settings.folder = PathBuf::from(&text);
        }
        // Paths are equal with and without a slash at the end, which the user must be able to type.
        state.folder_text = Some(text).filter(|_| field.has_focus());
        field.on_hover_text(format!("{}\nWithout a folder: that of the model", folder.display()));
        ctx.push_if(ui.button("Choose...").clicked(), FileAction::Choose(FilePurpose::ExportFolder));
    });
    ui.end_row();
}

/// Presets by the aspect of the view, or width and height.
fn size_row(ui: &mut Ui, settings: &mut ExportSettings, ctx: &UiContext<'_>) {
    label(ui, "Size");
    let (view_size, max_side) = (ctx.view_size, settings.kind.max_side());
    let size = settings.size_mut();
    let text = |size: ExportSize| {
        let [width, height] = size.pixels(view_size, max_side);
        format!("{}  ({width} \u{d7} {height})", size.name())
    };
    let [width, height] = size.pixels(view_size, max_side);
    ui.horizontal(|ui| {
        let is_custom = matches!(size, ExportSize::Custom(_));
        let selected = if is_custom { size.name() } else { text(*size) };
        let width_points = if is_custom { 90.0 } else { FIELD_WIDTH };
        let presets = ComboBox::from_id_salt("size").selected_text(selected).width(width_points);
        presets.height(SIZE_LIST_HEIGHT).show_ui(ui, |ui| {
            for preset in ExportSize::PRESETS {
                ui.selectable_value(size, preset, text(preset));
            }
            if ui.selectable_label(is_custom, "Custom").clicked() {
                *size = ExportSize::Custom([width, height]);
            }
        });
        if let ExportSize::Custom([width, height]) = size {
            ui.add(DragValue::new(width).range(MIN_SIDE..=max_side).speed(2.0));
            ui.label("\u{d7}");
            ui.add(DragValue::new(height).range(MIN_SIDE..=max_side).speed(2.0));
        }
    });
    ui.end_row();
}

fn image_rows(ui: &mut Ui, settings: &mut ExportSettings, ctx: &UiContext<'_>) {
    size_row(ui, settings, ctx);
    label(ui, "");
    ui.checkbox(&mut settings.image_transparent, "Transparent background");
    ui.end_row();
}

fn video_rows(
    ui: &mut Ui,
    state: &mut ExportState,
    settings: &mut ExportSettings,
    document: &Document,
    ctx: &UiContext<'_>,
) {
    label(ui, "Format");
    ui.horizontal(|ui| {
        ComboBox::from_id_salt("format").selected_text(settings.format.name()).width(140.0).show_ui(ui, |ui| {
            for format in VideoFormat::SINGLE_FILE {
                ui.selectable_value(&mut settings.format, format, format.name());
            }
        });
        ui.add(DragValue::new(&mut settings.fps).range(ExportSettings::FPS).speed(0.5).max_decimals(2).suffix(" FPS"));
    });
    ui.end_row();
    size_row(ui, settings, ctx);
    if has_range(document) {
        label(ui, "Range");
        let duration_secs = document.scene.duration_secs();
        let [mut start, mut end] = range(state, document);
        let before = [start, end];
        ui.horizontal(|ui| {
            ui.add(time_field(&mut start).range(0.0..=(end - MIN_RANGE_SECS).max(0.0)));
            ui.label("to");
            ui.add(time_field(&mut end).range((start + MIN_RANGE_SECS).min(duration_secs)..=duration_secs));
            if ui.button("Whole clip").clicked() {
                (start, end) = (0.0, duration_secs);
            }
        });
        if [start, end] != before {
            state.range = document.scene.clip.map(|clip| (clip, [start, end]));
        }
        ui.end_row();
    }
    if document.scene.duration_secs() > 0.0 {
        label(ui, "Loops");
        ui.add(DragValue::new(&mut settings.loops).range(ExportSettings::LOOPS).speed(0.05))
            .on_hover_text("How often the clip plays; a turntable with one loop lasts at least 4 s");
        ui.end_row();
    }
    label(ui, "");
    ui.horizontal(|ui| {
        ui.checkbox(&mut settings.turntable, "Turntable");
        let has_alpha = settings.format.can_be_transparent();
        ui.add_enabled(has_alpha, Checkbox::new(&mut settings.video_transparent, "Transparent background"));
    });
    ui.end_row();
}

/// A field of a time in seconds.
fn time_field(secs: &mut f64) -> DragValue<'_> {
    DragValue::new(secs).speed(0.01).min_decimals(2).max_decimals(3).suffix(" s")
}

fn sheet_rows(ui: &mut Ui, settings: &mut ExportSettings) {
    label(ui, "Frames");
    ui.horizontal(|ui| {
        ui.add(DragValue::new(&mut settings.frames_per_clip).range(ExportSettings::FRAMES_PER_CLIP).speed(0.05));
        ui.label("per clip");
    });
    ui.end_row();
}

fn model_row(ui: &mut Ui, settings: &mut ExportSettings) {
    label(ui, "Contents");
    let list = ComboBox::from_id_salt("contents").selected_text(ModelContents::ALL[settings.contents as usize].1);
    list.width(FIELD_WIDTH).show_ui(ui, |ui| {
        for (contents, name, summary) in ModelContents::ALL {
            ui.selectable_value(&mut settings.contents, contents, name).on_hover_text(summary);
        }
    });
    ui.end_row();
}

/// Shortest range of a video, in seconds.
const MIN_RANGE_SECS: f64 = 0.01;

/// Returns `true` if a part of the clip can be exported. Blended clips have no common range.
fn has_range(document: &Document) -> bool {
    document.scene.duration_secs() > MIN_RANGE_SECS && !document.scene.plays_several_clips()
}

/// The range of a video: the play range, unless the user changed it.
fn range(state: &ExportState, document: &Document) -> [f64; 2] {
    let duration_secs = document.scene.duration_secs();
    let range = state.range.filter(|(clip, _)| Some(*clip) == document.scene.clip).map(|(_, range)| range);
    let range = range.unwrap_or_else(|| document.playback.range(duration_secs));
    range.map(|time| time.clamp(0.0, duration_secs))
}

/// The range of the request; `None` for the whole clip.
fn video_range(state: &ExportState, document: &Document) -> Option<[f64; 2]> {
    let range = range(state, document);
    let is_whole = range == [0.0, document.scene.duration_secs()];
    (has_range(document) && !is_whole).then_some(range)
}

/// The reason why nothing can be exported.
fn problem(state: &ExportState, folder: &Path, settings: &ExportSettings, document: &Document) -> Option<&'static str> {
    let writes_clips = (settings.kind, settings.contents) == (ExportKind::Model, ModelContents::Clips);
    let name = state.name.as_deref().map(str::trim);
    match name {
        Some("") => Some("Type a name."),
        Some(name) if name.contains(['/', '\\']) => Some("A name has no slash; type the folder below it."),
        _ if !folder.is_dir() => Some("This folder does not exist."),
        _ if !is_writable(folder) => Some("This folder cannot be written to; choose another one."),
        _ if writes_clips && document.scene.imported_clips().is_empty() => {
            Some("Import clips first, in the File menu.")
        }
        _ => None,
    }
}

fn is_writable(folder: &Path) -> bool {
    #[cfg(unix)]
    return rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok();
    #[cfg(not(unix))]
    return std::fs::metadata(folder).is_ok_and(|folder| !folder.permissions().readonly());
}

fn summary(state: &ExportState, settings: &ExportSettings, document: &Document) -> String {
    match settings.kind {
        ExportKind::Video => {}
        ExportKind::Model => return ModelContents::ALL[settings.contents as usize].2.to_owned(),
        ExportKind::Image | ExportKind::Sheet => return String::new(),
    }
    let ffmpeg = if settings.format.needs_ffmpeg() { "; needs ffmpeg" } else { "" };
    let [start, end] = range(state, document);
    if document.scene.duration_secs() <= 0.0 || settings.turntable {
        return ffmpeg.trim_start_matches("; ").to_owned();
    }
    let secs = (end - start) * f64::from(settings.loops);
    let frames = (secs * settings.fps).round().max(1.0) as usize;
    format!("{}, {secs:.2} s{ffmpeg}", counted(frames, "frame", "frames"))
}

/// Shows the progress of the running export at the upper edge of the viewport.
pub(crate) fn show_progress(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) {
    let Some(job) = &ctx.export else { return };
    let position = viewport.center_top() + vec2(0.0, PROGRESS_TOP);
    let area = Area::new(Id::unique("export progress")).order(Order::Foreground).fixed_pos(position);
    area.pivot(Align2::CENTER_TOP).show(ui.ctx(), |ui| {
        egui::Frame::window(ui.style()).show(ui, |ui| {
            ui.set_width(260.0);
            let verb = if job.is_cancelled { "Cancelling" } else { "Exporting" };
            ui.label(format!("{verb} {}", file_name(&job.file)));
            ui.horizontal(|ui| {
                let fraction = job.steps.map_or(0.0, |[done, total]| done as f32 / total.max(1) as f32);
                let mut bar = ProgressBar::new(fraction).desired_width(190.0);
                if let Some([done, total]) = job.steps {
                    bar = bar.text(format!("{done} of {total}"));
                }
                ui.add(bar);
                let cancel = ui.add_enabled(!job.is_cancelled, Button::new("Cancel"));
                ctx.push_if(cancel.clicked(), ExportAction::CancelExport);
            });
        });
    });
}
