//! Buttons with drawn signs, which are sharp at every scale.

use super::widgets::tip;
use crate::app::viewer::actions::Action;
use egui::{Color32, Painter, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, pos2, vec2};

/// The signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Icon {
    /// A triangle to the right.
    Play,
    /// Two bars.
    Pause,
    /// A bar and a triangle to the left.
    First,
    /// A triangle to the right and a bar.
    Last,
    /// A thin arrow to the right.
    Next,
    /// A thin arrow to the left.
    Previous,
    /// A thin arrow to a diamond at the right.
    NextKey,
    /// A thin arrow to a diamond at the left.
    PreviousKey,
    /// A triangle to the left.
    Backwards,
    /// A cross.
    Close,
    /// A tick.
    Tick,
}

/// A button with a sign, as wide as it is high.
pub(crate) fn button(ui: &mut Ui, icon: Icon, chosen: bool, action: &Action, actions: &mut Vec<Action>) -> Response {
    let side = ui.spacing().interact_size.y;
    let (rect, response) = ui.allocate_exact_size(vec2(side + 4.0, side), Sense::click());
    let visuals = ui.style().interact(&response);
    if response.hovered() || response.is_pointer_button_down_on() {
        ui.painter().rect_filled(rect, visuals.corner_radius, visuals.weak_bg_fill);
    }
    let color = if chosen { ui.visuals().selection.bg_fill } else { visuals.fg_stroke.color };
    draw(ui.painter(), rect.center(), icon, color);
    if response.clicked() {
        actions.push(action.clone());
    }
    tip(response, action)
}

/// Draws a sign of ten points around a place.
pub(crate) fn draw(painter: &Painter, center: Pos2, icon: Icon, color: Color32) {
    let at = |x: f32, y: f32| pos2(center.x + x, center.y + y);
    let polygon = |points: Vec<Pos2>| {
        painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
    };
    let bar = |x: f32| {
        painter.rect_filled(Rect::from_center_size(at(x, 0.0), vec2(2.0, 10.0)), 0.0, color);
    };
    let triangle = |x: f32, way: f32, size: f32| {
        polygon(vec![at(x - way * size, -size), at(x + way * size * 0.8, 0.0), at(x - way * size, size)]);
    };
    let arrow = |x: f32, way: f32| {
        let stroke = Stroke::new(1.6, color);
        painter.line_segment([at(x - way * 2.0, -4.0), at(x + way * 2.0, 0.0)], stroke);
        painter.line_segment([at(x + way * 2.0, 0.0), at(x - way * 2.0, 4.0)], stroke);
    };
    let diamond = |x: f32| polygon(vec![at(x - 3.0, 0.0), at(x, -3.5), at(x + 3.0, 0.0), at(x, 3.5)]);
    match icon {
        Icon::Play => triangle(0.0, 1.0, 5.5),
        Icon::Backwards => triangle(0.0, -1.0, 5.5),
        Icon::Pause => {
            for x in [-2.75, 2.75] {
                painter.rect_filled(Rect::from_center_size(at(x, 0.0), vec2(3.0, 10.0)), 0.5, color);
            }
        }
        Icon::First => {
            bar(-4.5);
            triangle(1.0, -1.0, 4.5);
        }
        Icon::Last => {
            bar(4.5);
            triangle(-1.0, 1.0, 4.5);
        }
        Icon::Next => arrow(0.0, 1.0),
        Icon::Previous => arrow(0.0, -1.0),
        Icon::NextKey => {
            arrow(-3.0, 1.0);
            diamond(3.5);
        }
        Icon::PreviousKey => {
            arrow(3.0, -1.0);
            diamond(-3.5);
        }
        Icon::Tick => {
            let stroke = Stroke::new(1.6, color);
            painter.add(Shape::line(vec![at(-4.0, 0.5), at(-1.2, 3.5), at(4.0, -3.5)], stroke));
        }
        Icon::Close => {
            let stroke = Stroke::new(1.4, color);
            painter.line_segment([at(-3.5, -3.5), at(3.5, 3.5)], stroke);
            painter.line_segment([at(-3.5, 3.5), at(3.5, -3.5)], stroke);
        }
    }
}
