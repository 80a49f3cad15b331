//! Hints of the first start, in the lower left corner of the view, beside feet. Each one goes away with its gesture.

use super::legend;
use crate::app::viewer::actions::WindowAction;
use crate::app::viewer::ui::widgets::paint_icon_button;
use crate::app::viewer::ui::{Icon, UiContext, theme};
use egui::{Align2, Rect, RichText, Ui, vec2};

/// Narrower views have no hints, in points.
const MIN_WIDTH: f32 = 380.0;

pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) {
    let hints = ctx.settings.hints;
    let texts = [
        (hints.orbit, "Drag", "to orbit"),
        (hints.zoom, "Wheel", "to zoom"),
        (hints.shortcuts, "?", "for all shortcuts"),
    ];
    let is_done = texts.iter().all(|(is_shown, ..)| !is_shown);
    let viewport = legend::remaining_viewport(ui, viewport);
    if ctx.document.is_none() || is_done || viewport.width() < MIN_WIDTH || !ctx.notifications.list.is_empty() {
        return;
    }
    theme::card(ui, "hints", viewport.left_bottom() + vec2(12.0, -12.0), Align2::LEFT_BOTTOM, |ui| {
        for (row, (_, gesture, effect)) in texts.into_iter().filter(|(is_shown, ..)| *is_shown).enumerate() {
            ui.horizontal(|ui| {
                ui.label(RichText::new(gesture).strong());
                ui.label(effect);
                let mut hide = || paint_icon_button(ui, Icon::Close, 20.0, false).on_hover_text("Hide the hints");
                ctx.push_if(row == 0 && hide().clicked(), WindowAction::DismissHints);
            });
        }
    });
}
