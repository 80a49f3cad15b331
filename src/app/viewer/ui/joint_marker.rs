//! The selected joint, marked over the picture.

use super::{UiContext, theme};
use crate::app::viewer::state::LookSwitch;
use egui::{Align2, Color32, FontId, Order, Rect, Stroke, Ui, pos2, vec2};

/// A ring around the selected joint, and its name.
pub(crate) fn show(ui: &Ui, free: Rect, facts: &UiContext<'_>) {
    let Some(shown) = facts.shown else { return };
    let Some(joint) = shown.joint() else { return };
    let place = shown.stage.world_from_joint(joint, shown.clock_secs()).translation;
    let aspect = f64::from(free.width()) / f64::from(free.height()).max(1.0);
    let p = shown.camera().projection_from_world(aspect) * place.push(1.0);
    if p.w <= 0.0 || free.width() < 1.0 {
        return;
    }
    let share = [0.5 + 0.5 * p.x / p.w, 0.5 - 0.5 * p.y / p.w];
    if share.iter().any(|share| !(0.0..=1.0).contains(share)) {
        return;
    }
    let center = pos2(free.min.x + share[0] as f32 * free.width(), free.min.y + share[1] as f32 * free.height());
    let painter =
        ui.ctx().layer_painter(egui::LayerId::new(Order::Background, egui::Id::unique("marker"))).with_clip_rect(free);
    let dark = Color32::from_black_alpha(150);
    painter.circle_stroke(center, 6.0, Stroke::new(3.5, dark));
    painter.circle_stroke(center, 6.0, Stroke::new(1.8, Color32::WHITE));
    if facts.looks.has(LookSwitch::Skeleton) {
        painter.circle_filled(center, 3.0, theme::accent(ui));
    }
    // Beside the rings, where there are some.
    let aside = if facts.rings.0 { 0.12 * free.height() + 8.0 } else { 14.0 };
    let name = shown.outline.joint(joint);
    let font = FontId::proportional(12.0);
    let galley = painter.layout_no_wrap(name.to_owned(), font, Color32::WHITE);
    let behind = Align2::LEFT_CENTER.anchor_size(center + vec2(aside, 0.0), galley.size()).expand2(vec2(5.0, 2.0));
    painter.rect_filled(behind, 4.0, dark);
    painter.galley(behind.min + vec2(5.0, 2.0), galley, Color32::WHITE);
}
