//! Lines over the model: what was done, what went wrong, and what to do with an empty window.

use super::UiContext;
use super::icons::{self, Icon};
use crate::app::viewer::actions::Action;
use crate::app::viewer::state::notifications::Kind;
use crate::util::text::file_name;
use egui::{Align2, Area, Button, Color32, Frame, Id, Label, Margin, Order, Rect, RichText, Ui, vec2};

/// The lines, at the lower edge of the view.
pub(crate) fn show(ui: &mut Ui, free: Rect, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    if facts.hovered {
        card(ui, "hovered", free.center(), Align2::CENTER_CENTER, |ui| {
            ui.label(RichText::new("Let go to open it here").heading());
        });
    } else if facts.shown.is_none() {
        welcome(ui, free, facts, actions);
    }
    if facts.news.lines().is_empty() {
        return;
    }
    let place = free.center_bottom() - vec2(0.0, 12.0);
    let width = (free.width() - 40.0).clamp(120.0, 560.0);
    card(ui, "news", place, Align2::CENTER_BOTTOM, |ui| {
        ui.set_max_width(width);
        for (i, line) in facts.news.lines().iter().enumerate() {
            ui.horizontal(|ui| {
                let color = match line.kind {
                    Kind::Done => ui.visuals().text_color(),
                    Kind::Trouble => ui.visuals().error_fg_color,
                };
                if line.kind == Kind::Trouble {
                    let away = Action::PutAway(i);
                    icons::button(ui, Icon::Close, false, &away, actions).on_hover_text("Put this away");
                }
                ui.add(Label::new(RichText::new(&line.text).color(color)).wrap());
            });
        }
    });
}

/// What an empty window says.
fn welcome(ui: &mut Ui, free: Rect, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    if facts.loading.is_some() {
        return;
    }
    card(ui, "welcome", free.center(), Align2::CENTER_CENTER, |ui| {
        ui.set_max_width(380.0);
        ui.vertical_centered(|ui| {
            let words = if facts.can_drop { "Drop a .glb or .gltf file here" } else { "Open a .glb or .gltf file" };
            ui.label(RichText::new(words).heading());
            ui.add_space(4.0);
            if ui.add(Button::new("Open...")).clicked() {
                actions.push(Action::AskForFile);
            }
            if !facts.can_drop {
                ui.weak("Under Wayland, files cannot be dropped on this window yet.");
            }
            if !facts.settings.recent.is_empty() {
                ui.add_space(8.0);
                ui.weak("Opened lately");
                for file in facts.settings.recent.iter().take(6) {
                    let name = file_name(file);
                    if ui.link(name).on_hover_text(file.display().to_string()).clicked() {
                        actions.push(Action::Open(file.clone()));
                    }
                }
            }
        });
    });
}

/// Something over the view.
fn card(ui: &Ui, name: &str, place: egui::Pos2, pivot: Align2, content: impl FnOnce(&mut Ui)) {
    let fill = ui.visuals().panel_fill;
    let [r, g, b, _] = fill.to_array();
    let frame = Frame::new()
        .fill(Color32::from_rgba_unmultiplied(r, g, b, 235))
        .stroke(ui.visuals().window_stroke)
        .corner_radius(6.0)
        .inner_margin(Margin::symmetric(12, 8));
    Area::new(Id::unique(name)).order(Order::Foreground).fixed_pos(place).pivot(pivot).show(ui.ctx(), |ui| {
        frame.show(ui, content);
    });
}
