//! Export dialog (image, video, contact sheet), and the progress of an export.

use crate::app::tasks::video::VideoFormat;
use crate::app::viewer::actions::Action;
use crate::app::viewer::state::ExportRequest;
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::widgets::{dialog, heading};
use crate::util::text::file_name;
use egui::{Align2, Area, Button, Checkbox, ComboBox, DragValue, Id, Order, ProgressBar, Rect, Ui, Window, vec2};

const MAX_IMAGE_SIZE: u32 = 16_384;
const MAX_VIDEO_SIZE: u32 = 4096;
const MIN_SIZE: u32 = 16;

/// Distance of the progress card from the upper edge of the viewport, in points.
const PROGRESS_TOP: f32 = 40.0;

/// The values of the dialog's fields.
pub(crate) struct ExportState {
    image_size: [u32; 2],
    image_transparent: bool,
    video_format: VideoFormat,
    video_size: [u32; 2],
    fps: f64,
    turntable: bool,
    video_transparent: bool,
    frames_per_clip: u32,
}

impl Default for ExportState {
    fn default() -> Self {
        Self {
            image_size: [1920, 1080],
            image_transparent: false,
            video_format: VideoFormat::Gif,
            video_size: [640, 360],
            fps: 30.0,
            turntable: false,
            video_transparent: false,
            frames_per_clip: 6,
        }
    }
}

/// Adds the fields of a section and returns the request that they describe.
type SectionFields = fn(&mut Ui, &mut ExportState) -> ExportRequest;

const SECTIONS: [(&str, &str, SectionFields); 3] = [
    ("Image", "Export image", image_fields),
    ("Video", "Export video", video_fields),
    ("Contact sheet", "Export contact sheet", contact_sheet_fields),
];

/// Returns `true` if the dialog must close: an export started, or the user closed it.
pub(crate) fn show(ui: &Ui, state: &mut ExportState, ctx: &UiContext<'_>, actions: &mut Vec<Action>) -> bool {
    let enabled = ctx.export.is_none() && ctx.document.is_some();
    let mut export = None;
    let closed = dialog(ui, Window::new("Export").default_width(330.0), |ui| {
        ui.weak("Exports the current view into the folder of the model.");
        for (title, button, fields) in SECTIONS {
            heading(ui, title);
            let request = fields(ui, state);
            if ui.add_enabled(enabled, Button::new(button)).clicked() {
                export = Some(request);
            }
            ui.add_space(2.0);
        }
    });
    let started = export.is_some();
    actions.extend(export.map(Action::Export));
    started || closed
}

fn image_fields(ui: &mut Ui, state: &mut ExportState) -> ExportRequest {
    ui.horizontal(|ui| {
        size_fields(ui, &mut state.image_size, MAX_IMAGE_SIZE);
        ui.checkbox(&mut state.image_transparent, "Transparent");
    });
    ExportRequest::Image { size: state.image_size, transparent: state.image_transparent }
}

fn video_fields(ui: &mut Ui, state: &mut ExportState) -> ExportRequest {
    ui.horizontal(|ui| {
        size_fields(ui, &mut state.video_size, MAX_VIDEO_SIZE);
        ui.add(DragValue::new(&mut state.fps).range(1.0..=120.0).speed(0.5).max_decimals(2).suffix(" FPS"));
    });
    ui.horizontal(|ui| {
        ComboBox::from_id_salt("format").selected_text(state.video_format.name()).show_ui(ui, |ui| {
            for format in VideoFormat::SINGLE_FILE {
                ui.selectable_value(&mut state.video_format, format, format.name());
            }
        });
        ui.checkbox(&mut state.turntable, "Turntable");
        let has_alpha = state.video_format.can_be_transparent();
        ui.add_enabled(has_alpha, Checkbox::new(&mut state.video_transparent, "Transparent"));
    });
    if state.video_format.needs_ffmpeg() {
        ui.weak("Requires ffmpeg to be installed.");
    }
    ExportRequest::Video {
        format: state.video_format,
        size: state.video_size,
        fps: state.fps,
        turntable: state.turntable,
        transparent: state.video_transparent,
    }
}

fn contact_sheet_fields(ui: &mut Ui, state: &mut ExportState) -> ExportRequest {
    ui.horizontal(|ui| {
        ui.add(DragValue::new(&mut state.frames_per_clip).range(1..=60).speed(0.05));
        ui.label("Frames per clip");
    });
    ExportRequest::ContactSheet { frames_per_clip: state.frames_per_clip }
}

fn size_fields(ui: &mut Ui, [width, height]: &mut [u32; 2], max: u32) {
    ui.add(DragValue::new(width).range(MIN_SIZE..=max).speed(2.0));
    ui.label("\u{d7}");
    ui.add(DragValue::new(height).range(MIN_SIZE..=max).speed(2.0));
}

/// Shows the progress of the running export at the upper edge of the viewport.
pub(crate) fn show_progress(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    let Some(job) = ctx.export else { return };
    let position = viewport.center_top() + vec2(0.0, PROGRESS_TOP);
    let area = Area::new(Id::unique("export progress")).order(Order::Foreground).fixed_pos(position);
    area.pivot(Align2::CENTER_TOP).show(ui.ctx(), |ui| {
        egui::Frame::window(ui.style()).show(ui, |ui| {
            ui.set_width(260.0);
            ui.label(format!("Exporting {}", file_name(&job.file)));
            ui.horizontal(|ui| {
                let fraction = job.steps.map_or(0.0, |[done, total]| done as f32 / total.max(1) as f32);
                let mut bar = ProgressBar::new(fraction).desired_width(190.0);
                if let Some([done, total]) = job.steps {
                    bar = bar.text(format!("{done} of {total}"));
                }
                ui.add(bar);
                if ui.button("Cancel").clicked() {
                    actions.push(Action::CancelExport);
                }
            });
        });
    });
}
