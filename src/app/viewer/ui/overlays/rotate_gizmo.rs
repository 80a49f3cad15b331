//! Rotate gizmo: three rings around the selected joint, and grips at the end of a limb and at its elbow or knee.

use crate::app::viewer::state::gizmo::GizmoDrag;
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::theme::{self, AXIS_COLORS, AXIS_NAMES};
use crate::app::viewer::ui::widgets::{paint_tag, viewport_painter};
use egui::{Align2, Color32, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, Ui, vec2};
use rigview_render::scene::RotateGizmo;

const HOVERED: Color32 = Color32::from_rgb(255, 225, 90);

/// Draws the rings over the model; during a drag only the dragged one, with its angle.
pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) {
    let Some(document) = ctx.document.as_ref().filter(|_| ctx.gizmo.enabled) else { return };
    let height = viewport.height().max(1.0);
    let painter = viewport_painter(ui, viewport, "rotate gizmo");
    let ring_painter = RingPainter { painter: &painter, origin: viewport.min, height };
    let pointer = ui.ctx().pointer_latest_pos();
    if let Some(GizmoDrag::Ring(_, drag)) = &ctx.gizmo.drag {
        ring_painter.paint(drag.gizmo(), drag.axis, theme::accent(ui), 3.0);
        if let Some(pointer) = pointer {
            let text = format!("{}  {:+.1}\u{b0}", AXIS_NAMES[drag.axis], drag.rotation_radians.to_degrees());
            paint_tag(&painter, pointer + vec2(14.0, -8.0), Align2::LEFT_BOTTOM, text, 13.0);
        }
        return;
    }
    let aspect = f64::from(viewport.width()) / f64::from(height);
    let Some(gizmo) = document.rotate_gizmo(aspect) else { return };
    let pointer = pointer.filter(|pointer| viewport.contains(*pointer)).map(|pointer| {
        let position = (pointer - viewport.min) / height;
        [position.x, position.y].map(f64::from)
    });
    let mut hits_grip = false;
    for (_, grip, is_middle) in document.limb_grips(aspect) {
        let Some(center) = grip.center().map(|center| ring_painter.position(center)) else { continue };
        let is_hit = !hits_grip && pointer.is_some_and(|pointer| grip.hits_center(pointer));
        hits_grip |= is_hit;
        let color = if is_hit { HOVERED } else { theme::OVERRIDE_COLOR };
        let rounding = if is_middle { 6.0 } else { 2.0 };
        let square = Rect::from_center_size(center, vec2(12.0, 12.0));
        painter.rect(square, rounding, color, Stroke::new(2.0, Color32::from_black_alpha(190)), StrokeKind::Outside);
    }
    let hovered = pointer.filter(|_| !hits_grip).and_then(|pointer| gizmo.hit_test(pointer));
    for (axis, color) in AXIS_COLORS.into_iter().enumerate() {
        let (color, width) = if hovered == Some(axis) { (HOVERED, 3.5) } else { (color, 2.2) };
        ring_painter.paint(&gizmo, axis, color, width);
    }
}

/// Paints rings whose positions are in heights of the viewport from its origin.
struct RingPainter<'a> {
    painter: &'a Painter,
    origin: Pos2,
    height: f32,
}

impl RingPainter<'_> {
    /// Paints the far half faint, then the near half strong.
    fn paint(&self, gizmo: &RotateGizmo, axis: usize, color: Color32, width: f32) {
        let points = gizmo.ring_points(axis);
        for near in [false, true] {
            // A segment belongs to the half of its first point.
            for run in points.windows(2).collect::<Vec<_>>().chunk_by(|a, b| a[0].1 == b[0].1) {
                if run[0][0].1 == near {
                    let first = std::iter::once(run[0][0].0);
                    let line = first.chain(run.iter().map(|segment| segment[1].0)).map(|point| self.position(point));
                    self.paint_half(line.collect(), near, color, width);
                }
            }
        }
    }

    fn paint_half(&self, line: Vec<Pos2>, near: bool, color: Color32, width: f32) {
        if near {
            let outline = Stroke::new(width + 2.0, Color32::from_black_alpha(90));
            self.painter.add(Shape::line(line.clone(), outline));
            self.painter.add(Shape::line(line, Stroke::new(width, color)));
        } else {
            self.painter.add(Shape::line(line, Stroke::new(0.7 * width, color.gamma_multiply(0.35))));
        }
    }

    fn position(&self, [x, y]: [f64; 2]) -> Pos2 {
        self.origin + vec2(x as f32, y as f32) * self.height
    }
}
