//! The rings by which a hand turns the selected joint, over the picture.

use super::{UiContext, theme};
use crate::app::viewer::analysis::rotate_gizmo::{Place, Rings};
use egui::{Align2, Color32, FontId, Id, LayerId, Order, Painter, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};

/// X red, Y green, Z blue, as the axes of joints.
const COLORS: [Color32; 3] =
    [Color32::from_rgb(235, 59, 71), Color32::from_rgb(107, 199, 38), Color32::from_rgb(51, 117, 250)];

/// The rings, seen through the model; the one under the hand stands out.
pub(crate) fn show(ui: &Ui, free: Rect, facts: &UiContext<'_>) {
    let (true, drag) = facts.rings else { return };
    let Some(shown) = facts.shown else { return };
    let height = free.height().max(1.0);
    let aspect = f64::from(free.width()) / f64::from(height);
    let seen = |[x, y]: Place| pos2(free.min.x + x as f32 * height, free.min.y + y as f32 * height);
    let painter = ui.ctx().layer_painter(LayerId::new(Order::Background, Id::unique("rings"))).with_clip_rect(free);
    if let Some(drag) = drag {
        ring(&painter, drag.rings(), drag.axis, seen, theme::accent(ui), 3.0);
        let angle = format!("{}  {:+.1}\u{b0}", ["X", "Y", "Z"][drag.axis], drag.turned.to_degrees());
        if let Some(place) = ui.ctx().pointer_latest_pos() {
            let galley = painter.layout_no_wrap(angle, FontId::proportional(13.0), Color32::WHITE);
            let behind =
                Align2::LEFT_BOTTOM.anchor_size(place + vec2(14.0, -8.0), galley.size()).expand2(vec2(5.0, 2.0));
            painter.rect_filled(behind, 4.0, Color32::from_black_alpha(170));
            painter.galley(behind.min + vec2(5.0, 2.0), galley, Color32::WHITE);
        }
        return;
    }
    let Some(rings) = shown.rings(aspect) else { return };
    let hand = ui.ctx().pointer_latest_pos().filter(|place| free.contains(*place));
    let held = hand.and_then(|place| {
        rings.nearest([(place.x - free.min.x) / height, (place.y - free.min.y) / height].map(f64::from))
    });
    for (axis, color) in COLORS.into_iter().enumerate() {
        let (color, width) = if held == Some(axis) { (Color32::from_rgb(255, 225, 90), 3.5) } else { (color, 2.2) };
        ring(&painter, &rings, axis, seen, color, width);
    }
}

/// A ring: the side of the viewer strong, the far side faint.
fn ring(painter: &Painter, rings: &Rings, axis: usize, seen: impl Fn(Place) -> Pos2, color: Color32, width: f32) {
    let points = rings.seen(axis);
    for near in [false, true] {
        let mut run: Vec<Pos2> = Vec::new();
        let flush = |run: &mut Vec<Pos2>| {
            if run.len() > 1 {
                let points = std::mem::take(run);
                if near {
                    painter.add(Shape::line(points.clone(), Stroke::new(width + 2.0, Color32::from_black_alpha(90))));
                    painter.add(Shape::line(points, Stroke::new(width, color)));
                } else {
                    painter.add(Shape::line(points, Stroke::new(0.7 * width, color.gamma_multiply(0.35))));
                }
            }
            run.clear();
        };
        for pair in points.windows(2) {
            if pair[0].1 == near {
                if run.is_empty() {
                    run.push(seen(pair[0].0));
                }
                run.push(seen(pair[1].0));
            } else {
                flush(&mut run);
            }
        }
        flush(&mut run);
    }
}
