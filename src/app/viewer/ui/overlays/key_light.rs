//! Key light overlay: a sun over the model that turns the key light.

use crate::app::viewer::actions::LightAction;
use crate::app::viewer::analysis::light_dial::{dial_direction, dial_position};
use crate::app::viewer::state::Tab;
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::{paint_tag, viewport_painter};
use egui::{Align2, Area, Color32, CursorIcon, Id, Order, Painter, Pos2, Rect, Sense, Stroke, Ui, vec2};
use nalgebra::Vector3;

/// Radius of the ring for light from the side, as a fraction of the shorter side of the viewport.
const RING_RADIUS: f32 = 0.22;

/// Radius of the area that takes the drag, in points.
const GRIP_RADIUS: f32 = 16.0;

const SUN: Color32 = Color32::from_rgb(255, 214, 90);

/// Shows the sun while the key light is on and its panel is visible.
pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) {
    let panels = &ctx.settings.panels;
    let (Some(document), Some(mut key_light)) = (&ctx.document, ctx.view.key_light()) else { return };
    let radius = RING_RADIUS * viewport.width().min(viewport.height());
    if !panels.sidebar || panels.tab != Tab::Light || radius < GRIP_RADIUS {
        return;
    }
    let world_from_view = document.camera().world_from_view;
    let [right, down] = dial_position(&world_from_view, Vector3::from(key_light.to_light));
    let (center, offset) = (viewport.center(), vec2(right as f32, down as f32) * radius);
    let sun = center + offset;
    let area = Area::new(Id::unique("key light")).order(Order::Middle).fixed_pos(sun - vec2(GRIP_RADIUS, GRIP_RADIUS));
    area.constrain(false).show(ui.ctx(), |ui| {
        let (_, response) = ui.allocate_exact_size(vec2(GRIP_RADIUS, GRIP_RADIUS) * 2.0, Sense::drag());
        let response = response.on_hover_cursor(CursorIcon::Grab);
        let painter = viewport_painter(ui, viewport, "key light");
        let active = response.hovered() || response.dragged();
        if active {
            // The ring for light from the side, and a ray.
            for (width, color) in [(3.0, Color32::from_black_alpha(70)), (1.2, Color32::from_white_alpha(170))] {
                painter.circle_stroke(center, radius, Stroke::new(width, color));
                painter.line_segment([center, sun], Stroke::new(width, color));
            }
            let [azimuth, elevation] = key_light.angles();
            let text = format!("Azimuth {azimuth:.0}\u{b0}  elevation {elevation:.0}\u{b0}");
            paint_tag(&painter, sun + vec2(18.0, -12.0), Align2::LEFT_BOTTOM, text, 12.0);
        }
        // Light from behind the model is dimmed.
        let is_behind = right.hypot(down) > 1.0;
        sun_icon(&painter, sun, if is_behind && !active { SUN.gamma_multiply(0.65) } else { SUN });
        if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.dragged() || response.drag_stopped())
        {
            let offset = (pointer - center) / radius;
            let direction = dial_direction(&world_from_view, [offset.x, offset.y].map(f64::from));
            key_light.set_direction(direction.into());
            ctx.push_if(Some(key_light) != ctx.view.key_light(), LightAction::SetKeyLight(key_light));
        }
    });
}

fn sun_icon(painter: &Painter, center: Pos2, color: Color32) {
    for (grow, color) in [(1.5, Color32::from_black_alpha(150)), (0.0, color)] {
        painter.circle_filled(center, 6.0 + grow, color);
        for ray in 0..8 {
            let direction = egui::Vec2::angled(ray as f32 * std::f32::consts::FRAC_PI_4);
            let ends = [center + direction * (9.0 - grow), center + direction * (13.0 + grow)];
            painter.line_segment(ends, Stroke::new(2.0 + 2.0 * grow, color));
        }
    }
}
