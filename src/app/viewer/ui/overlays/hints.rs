//! Hints of the first start, at the lower edge of the view. Each one goes away with its gesture.

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
    if ctx.document.is_none() || is_done || viewport.width() < MIN_WIDTH || !ctx.notifications.list().is_empty() {
        return;
    }
    theme::card(ui, "hints", viewport.center_bottom() - vec2(0.0, 12.0), Align2::CENTER_BOTTOM, |ui| {
        ui.horizontal(|ui| {
            for (_, gesture, effect) in texts.into_iter().filter(|(is_shown, ..)| *is_shown) {
                ui.label(RichText::new(gesture).strong());
                ui.label(effect);
                ui.add_space(10.0);
            }
            ctx.push_if(
                paint_icon_button(ui, Icon::Close, 20.0, false).on_hover_text("Hide the hints").clicked(),
                WindowAction::DismissHints,
            );
        });
    });
}
