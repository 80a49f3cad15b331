//! Comparison overlay: the names of two documents, and the draggable divider between them.

use crate::app::viewer::actions::ComparisonAction;
use crate::app::viewer::state::{CompareMode, ComparisonState, comparison::pane_width};
use crate::app::viewer::ui::widgets::{paint_tag, viewport_painter};
use crate::app::viewer::ui::{UiContext, theme};
use egui::{Align2, Area, Color32, CursorIcon, Id, Order, Rect, Sense, Stroke, Ui, pos2, vec2};
use std::time::Instant;

/// Width of the area that drags the divider, in points.
const GRIP_WIDTH: f32 = 14.0;

/// Distance of the names from the edges of the viewport, in points.
const TAG_MARGIN: f32 = 14.0;

/// Returns the panes of the two documents, in points: both the viewport, unless they are side by side.
pub(crate) fn panes(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) -> [Rect; 2] {
    if !ctx.comparison.as_ref().is_some_and(ComparisonState::has_panes) {
        return [viewport; 2];
    }
    let scale = ui.ctx().pixels_per_point();
    let width = pane_width((viewport.width() * scale).round().max(0.0) as u32) as f32 / scale;
    [viewport.with_max_x(viewport.min.x + width), viewport.with_min_x(viewport.max.x - width)]
}

pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) {
    let (Some(comparison), Some(document)) = (&ctx.comparison, &ctx.document) else { return };
    if comparison.document.is_none() {
        return;
    }
    let painter = viewport_painter(ui, viewport, "comparison");
    let [a, b] = comparison.names(&document.scene.file);
    let tags = [format!("A  {a}"), format!("B  {b}")];
    let divider_x = viewport.min.x + comparison.split as f32 * viewport.width();
    let top = viewport.min.y + TAG_MARGIN;
    let top_center = pos2(viewport.center().x, top);
    match comparison.visible_file(Instant::now()) {
        Some(visible) => paint_tag(&painter, top_center, Align2::CENTER_TOP, tags[visible].clone(), 12.0),
        None if comparison.mode == CompareMode::Difference => {
            let text = "A - B  gray: equal, red to white: different".to_owned();
            paint_tag(&painter, top_center, Align2::CENTER_TOP, text, 12.0);
        }
        None if comparison.mode == CompareMode::SideBySide => {
            for (pane, tag) in panes(ui, viewport, ctx).into_iter().zip(tags) {
                let painter = painter.with_clip_rect(pane);
                paint_tag(&painter, pos2(pane.min.x + TAG_MARGIN, top), Align2::LEFT_TOP, tag, 12.0);
            }
        }
        None => {
            let [a, b] = tags;
            // Each name is shortened to its side.
            let [end, start] = [divider_x - 0.5 * GRIP_WIDTH, divider_x + 0.5 * GRIP_WIDTH];
            let left = painter.with_clip_rect(viewport.with_max_x(end));
            paint_tag(&left, pos2(divider_x - GRIP_WIDTH, top), Align2::RIGHT_TOP, a, 12.0);
            let right = painter.with_clip_rect(viewport.with_min_x(start));
            paint_tag(&right, pos2(divider_x + GRIP_WIDTH, top), Align2::LEFT_TOP, b, 12.0);
        }
    }
    if comparison.mode == CompareMode::Split && viewport.width() >= 2.0 * GRIP_WIDTH {
        divider(ui, viewport, divider_x, ctx);
    }
}

fn divider(ui: &Ui, viewport: Rect, x: f32, ctx: &UiContext<'_>) {
    let left = (x - 0.5 * GRIP_WIDTH).clamp(viewport.min.x, viewport.max.x - GRIP_WIDTH);
    let area = Area::new(Id::unique("split")).order(Order::Middle).fixed_pos(pos2(left, viewport.min.y));
    area.constrain(false).show(ui.ctx(), |ui| {
        let (rect, response) = ui.allocate_exact_size(vec2(GRIP_WIDTH, viewport.height()), Sense::click_and_drag());
        let response = response.on_hover_cursor(CursorIcon::ResizeHorizontal);
        let painter = ui.painter();
        painter.vline(x, rect.y_range(), Stroke::new(3.0, Color32::from_black_alpha(110)));
        painter.vline(x, rect.y_range(), Stroke::new(1.4, Color32::WHITE));
        let active = response.hovered() || response.dragged();
        let center = pos2(x, rect.center().y);
        painter.circle_filled(center, 8.0, if active { theme::accent(ui) } else { Color32::from_black_alpha(170) });
        painter.circle_stroke(center, 8.0, Stroke::new(1.4, Color32::WHITE));
        for side in [-1.0, 1.0] {
            let tip = center + vec2(5.0 * side, 0.0);
            for dy in [-2.5, 2.5] {
                painter.line_segment([tip, tip + vec2(-2.5 * side, dy)], Stroke::new(1.2, Color32::WHITE));
            }
        }
        if let Some(position) = response.interact_pointer_pos().filter(|_| response.dragged()) {
            ctx.push(ComparisonAction::SetSplit(f64::from((position.x - viewport.min.x) / viewport.width())));
        }
        ctx.push_if(response.double_clicked(), ComparisonAction::SetSplit(0.5));
    });
}
