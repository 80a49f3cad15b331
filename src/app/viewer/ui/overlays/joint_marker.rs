//! Marker of the selected joint: a circle and its name.

use crate::app::viewer::state::ViewportOverlay;
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::theme;
use crate::app::viewer::ui::widgets::{paint_tag, viewport_painter};
use egui::{Align2, Color32, Rect, Stroke, Ui, pos2, vec2};

/// Distance of the name from the joint in heights of the viewport, beside the rings of the rotate gizmo.
const GIZMO_CLEARANCE: f32 = 0.12;

pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) {
    let Some(document) = ctx.document else { return };
    let Some(joint) = document.joint() else { return };
    let position = document.scene.world_from_joint(joint, document.clock_secs()).translation;
    let aspect = f64::from(viewport.width()) / f64::from(viewport.height()).max(1.0);
    let p = document.camera().projection_from_world(aspect) * position.push(1.0);
    if p.w <= 0.0 || viewport.width() < 1.0 {
        return;
    }
    let [x, y] = [0.5 + 0.5 * p.x / p.w, 0.5 - 0.5 * p.y / p.w];
    if [x, y].iter().any(|fraction| !(0.0..=1.0).contains(fraction)) {
        return;
    }
    let center = viewport.min + vec2(x as f32 * viewport.width(), y as f32 * viewport.height());
    let painter = viewport_painter(ui, viewport, "joint marker");
    painter.circle_stroke(center, 6.0, Stroke::new(3.5, Color32::from_black_alpha(150)));
    painter.circle_stroke(center, 6.0, Stroke::new(1.8, Color32::WHITE));
    if ctx.view_options.has(ViewportOverlay::Skeleton) {
        painter.circle_filled(center, 3.0, theme::accent(ui));
    }
    let offset = if ctx.gizmo.enabled { GIZMO_CLEARANCE * viewport.height() + 8.0 } else { 14.0 };
    let name = document.outline.joint(joint).to_owned();
    paint_tag(&painter, pos2(center.x + offset, center.y), Align2::LEFT_CENTER, name, 12.0);
}
