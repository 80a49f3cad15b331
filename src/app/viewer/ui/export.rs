//! What a person takes away: a picture of any size, a sheet of all clips, a film.

use super::UiContext;
use super::widgets::heading;
use crate::app::viewer::actions::Action;
use crate::app::viewer::state::{Export, FilmKind};
use crate::util::text::file_name;
use egui::{Align2, Area, ComboBox, DragValue, Id, Order, ProgressBar, Rect, Ui, Window, vec2};

/// What is typed so far.
#[derive(Clone, Debug)]
pub(crate) struct ExportState {
    picture: [u32; 2],
    picture_transparent: bool,
    phases: u32,
    film: [u32; 2],
    kind: FilmKind,
    fps: f64,
    turntable: bool,
    film_transparent: bool,
}

impl Default for ExportState {
    fn default() -> Self {
        Self {
            picture: [1920, 1080],
            picture_transparent: false,
            phases: 6,
            film: [640, 360],
            kind: FilmKind::Gif,
            fps: 30.0,
            turntable: false,
            film_transparent: false,
        }
    }
}

/// The window; whether it is to be closed.
pub(crate) fn show(ui: &Ui, state: &mut ExportState, facts: &UiContext<'_>, actions: &mut Vec<Action>) -> bool {
    let (mut open, mut done) = (true, false);
    Window::new("Export")
        .open(&mut open)
        .collapsible(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, vec2(0.0, 0.0))
        .default_width(330.0)
        .show(ui.ctx(), |ui| {
            let free = facts.making.is_none() && facts.shown.is_some();
            let mut ask = |ui: &mut Ui, words: &str, export: Export| {
                if ui.add_enabled(free, egui::Button::new(words)).clicked() {
                    actions.push(Action::Export(export));
                    done = true;
                }
            };
            ui.weak("Written beside the model, seen as it is now.");
            heading(ui, "Picture");
            ui.horizontal(|ui| {
                size(ui, &mut state.picture, 16_384);
                ui.checkbox(&mut state.picture_transparent, "transparent");
            });
            let picture = Export::Picture { size: state.picture, transparent: state.picture_transparent };
            ask(ui, "Make a picture", picture);
            ui.separator();
            heading(ui, "Film");
            ui.horizontal(|ui| {
                size(ui, &mut state.film, 4096);
                ui.add(DragValue::new(&mut state.fps).range(1.0..=120.0).speed(0.5).max_decimals(2).suffix(" fps"));
            });
            ui.horizontal(|ui| {
                ComboBox::from_id_salt("kind").selected_text(state.kind.name()).show_ui(ui, |ui| {
                    for kind in FilmKind::ALL {
                        ui.selectable_value(&mut state.kind, kind, kind.name());
                    }
                });
                ui.checkbox(&mut state.turntable, "turntable");
                let can = state.kind != FilmKind::Mp4;
                ui.add_enabled(can, egui::Checkbox::new(&mut state.film_transparent, "transparent"));
            });
            if state.kind.needs_ffmpeg() {
                ui.weak("Needs the program ffmpeg.");
            }
            let film = Export::Film {
                kind: state.kind,
                size: state.film,
                fps: state.fps,
                turntable: state.turntable,
                transparent: state.film_transparent,
            };
            ask(ui, "Make a film", film);
            ui.separator();
            heading(ui, "Contact sheet");
            ui.horizontal(|ui| {
                ui.add(DragValue::new(&mut state.phases).range(1..=60).speed(0.05));
                ui.label("moments of every clip");
            });
            ask(ui, "Make a sheet", Export::Sheet { phases: state.phases });
        });
    !open || done
}

fn size(ui: &mut Ui, [width, height]: &mut [u32; 2], most: u32) {
    ui.add(DragValue::new(width).range(16..=most).speed(2.0));
    ui.label("\u{d7}");
    ui.add(DragValue::new(height).range(16..=most).speed(2.0));
}

/// How far what is being made is, at the upper edge of the view.
pub(crate) fn show_progress(ui: &Ui, free: Rect, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    let Some(making) = facts.making else { return };
    let name = file_name(&making.file);
    let place = free.center_top() + vec2(0.0, 40.0);
    Area::new(Id::unique("making")).order(Order::Foreground).fixed_pos(place).pivot(Align2::CENTER_TOP).show(
        ui.ctx(),
        |ui| {
            egui::Frame::window(ui.style()).show(ui, |ui| {
                ui.set_width(260.0);
                ui.label(format!("Making {name}"));
                ui.horizontal(|ui| {
                    let share = making.steps.map(|[done, total]| done as f32 / total.max(1) as f32);
                    let mut bar = ProgressBar::new(share.unwrap_or(0.0)).desired_width(190.0);
                    if let Some([done, total]) = making.steps {
                        bar = bar.text(format!("{done} of {total}"));
                    }
                    ui.add(bar);
                    if ui.button("Stop").clicked() {
                        actions.push(Action::StopMaking);
                    }
                });
            });
        },
    );
}
