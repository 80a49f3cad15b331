//! View gizmo: axes that show and set the view direction, and a menu with projection, focal length and bookmarks.

use crate::app::viewer::actions::{Action, CameraAction};
use crate::app::viewer::state::Document;
use crate::app::viewer::ui::widgets::{menu_item, paint_icon_button, tooltip};
use crate::app::viewer::ui::{Icon, UiContext};
use egui::{
    Align2, Area, Button, Color32, FontId, Id, Order, Painter, Pos2, Rect, Sense, Slider, Stroke, Ui, pos2, vec2,
};
use nalgebra::Vector3;
use rigview_render::scene::ViewDirection;
use std::f64::consts::PI;

/// Half the side of the gizmo, in points.
const RADIUS: f32 = 38.0;

/// Distance of the axes' ends from the center, and their radius.
const ARM: f32 = 27.0;
const END_RADIUS: f32 = 8.5;

/// Viewports below this side have no gizmo.
const MIN_VIEWPORT: f32 = 220.0;

/// Aligns plain rows with command names, which follow check marks.
const MENU_INDENT_POINTS: f32 = 20.0;

const FOCAL_LENGTHS_MM: std::ops::RangeInclusive<f64> = 10.0..=200.0;

/// Directions with the axis on which their camera is, for a model that faces +Z.
const AXES: [(ViewDirection, [f64; 3], &str, Color32); 6] = [
    (ViewDirection::Left, [1.0, 0.0, 0.0], "X", Color32::from_rgb(214, 58, 70)),
    (ViewDirection::Right, [-1.0, 0.0, 0.0], "", Color32::from_rgb(214, 58, 70)),
    (ViewDirection::Top, [0.0, 1.0, 0.0], "Y", Color32::from_rgb(92, 168, 34)),
    (ViewDirection::Bottom, [0.0, -1.0, 0.0], "", Color32::from_rgb(92, 168, 34)),
    (ViewDirection::Front, [0.0, 0.0, 1.0], "Z", Color32::from_rgb(52, 112, 230)),
    (ViewDirection::Back, [0.0, 0.0, -1.0], "", Color32::from_rgb(52, 112, 230)),
];

/// Height of gizmo and button with their margins, in points.
pub(crate) const HEIGHT: f32 = 2.0 * RADIUS + 42.0;

/// Returns `true` if the viewport is large enough for the gizmo.
pub(crate) fn fits(viewport: Rect) -> bool {
    viewport.width().min(viewport.height()) >= MIN_VIEWPORT
}

pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) {
    let Some(document) = &ctx.document else { return };
    if !fits(viewport) {
        return;
    }
    let corner = pos2(viewport.max.x - 10.0, viewport.min.y + 10.0);
    let area = Area::new(Id::unique("view gizmo")).order(Order::Middle).fixed_pos(corner).pivot(Align2::RIGHT_TOP);
    area.constrain(false).show(ui.ctx(), |ui| {
        ui.set_max_width(2.0 * RADIUS);
        ui.vertical_centered(|ui| {
            axes(ui, document, viewport.height(), ctx);
            view_menu(ui, document, ctx);
        });
    });
}

fn axes(ui: &mut Ui, document: &Document, viewport_height: f32, ctx: &UiContext<'_>) {
    let (rect, response) = ui.allocate_exact_size(vec2(2.0, 2.0) * RADIUS, Sense::click_and_drag());
    let view_from_world = document.camera().world_from_view.linear.transpose();
    // The far ends first.
    let is_turned = document.scene.model().faces_negative_z;
    let mut ends = AXES.map(|(direction, axis, name, color)| {
        let direction = if is_turned { direction.turned() } else { direction };
        let in_view = view_from_world * Vector3::from(axis);
        (direction, in_view, name, color, rect.center() + vec2(in_view.x as f32, -in_view.y as f32) * ARM)
    });
    ends.sort_by(|a, b| a.1.z.total_cmp(&b.1.z));
    let hovered = response.hover_pos().and_then(|pointer| {
        ends.iter()
            .rev()
            .find(|(.., end)| (*end - pointer).length() < END_RADIUS + 1.0)
            .map(|(direction, ..)| *direction)
    });
    let painter = ui.painter();
    if response.hovered() || response.dragged() {
        painter.circle_filled(rect.center(), RADIUS, Color32::from_black_alpha(50));
    }
    for (direction, in_view, name, color, end) in ends {
        let is_hovered = hovered == Some(direction);
        paint_end(
            painter,
            rect.center(),
            end,
            name,
            if is_hovered { Color32::WHITE } else { shaded(color, in_view.z) },
        );
    }
    if response.dragged() {
        let delta = response.drag_delta() / viewport_height.max(1.0);
        let [right, up] = [-delta.x, delta.y].map(|fraction| f64::from(fraction) * 2.0 * PI);
        ctx.push_if((right, up) != (0.0, 0.0), CameraAction::Orbit { right, up });
    }
    if let Some(direction) = hovered {
        let action = Action::Camera(CameraAction::SetViewDirection(direction));
        ctx.push_if(tooltip(response, &action).clicked(), action);
    }
}

/// Ends that point away from the camera are darker.
fn shaded(color: Color32, z: f64) -> Color32 {
    let factor = (0.72 + 0.28 * z) as f32;
    let [r, g, b, _] = color.to_array().map(|x| (f32::from(x) * factor) as u8);
    Color32::from_rgb(r, g, b)
}

/// A positive end is a disk with its name on an arm, a negative one a ring.
fn paint_end(painter: &Painter, center: Pos2, end: Pos2, name: &str, color: Color32) {
    if name.is_empty() {
        painter.circle(end, END_RADIUS - 1.5, Color32::from_black_alpha(60), Stroke::new(1.6, color));
        return;
    }
    painter.line_segment([center, end], Stroke::new(2.0, color));
    painter.circle_filled(end, END_RADIUS, color);
    painter.text(end, Align2::CENTER_CENTER, name, FontId::proportional(12.0), Color32::from_black_alpha(230));
}

/// Name of the view: its direction and projection, or the camera of the file.
fn view_name(document: &Document) -> String {
    if let Some(camera) = document.camera.model_camera {
        let name = document.scene.model().cameras[camera.get()].name.as_deref();
        return name.map_or_else(|| format!("Camera {}", camera.get()), str::to_owned);
    }
    let orthographic = document.camera.orbit.orthographic;
    let direction = document.camera.orbit.direction(document.scene.front_yaw());
    match ViewDirection::ALL.iter().find(|(other, _)| Some(*other) == direction) {
        Some((_, name)) => format!("{name}{}", if orthographic { " ortho" } else { "" }),
        None => if orthographic { "Orthographic" } else { "Perspective" }.to_owned(),
    }
}

fn view_menu(ui: &mut Ui, document: &Document, ctx: &UiContext<'_>) {
    let text = egui::RichText::new(view_name(document)).small().color(Color32::WHITE);
    let button = Button::new(text).fill(Color32::from_black_alpha(130)).truncate();
    let menu = egui::containers::menu::MenuConfig::new().close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
    egui::containers::menu::MenuButton::from_button(button).config(menu).ui(ui, |ui| {
        let camera = &document.camera;
        for (direction, _) in ViewDirection::ALL {
            let checked = camera.is_free() && camera.orbit.direction(document.scene.front_yaw()) == Some(direction);
            menu_item(ui, &Action::Camera(CameraAction::SetViewDirection(direction)), true, checked, ctx);
        }
        ui.separator();
        menu_item(ui, &Action::Camera(CameraAction::ToggleOrthographic), true, camera.orbit.orthographic, ctx);
        ui.horizontal(|ui| {
            ui.add_space(MENU_INDENT_POINTS);
            ui.label("Focal length");
            let mut focal_length_mm = camera.orbit.focal_length_mm();
            let slider =
                Slider::new(&mut focal_length_mm, FOCAL_LENGTHS_MM).logarithmic(true).suffix(" mm").fixed_decimals(0);
            if ui
                .add_enabled(!camera.orbit.orthographic, slider)
                .on_hover_text("For 35 mm film; the size of the model stays")
                .changed()
            {
                ctx.push(CameraAction::SetFocalLength(focal_length_mm));
            }
        });
        ui.separator();
        menu_item(ui, &Action::Camera(CameraAction::AddBookmark), true, false, ctx);
        for (index, bookmark) in camera.bookmarks.iter().enumerate() {
            ui.horizontal(|ui| {
                ui.add_space(MENU_INDENT_POINTS);
                if ui.add(Button::selectable(camera.orbit == bookmark.orbit, &bookmark.name)).clicked() {
                    ctx.push(CameraAction::GoToBookmark(index));
                    ui.close();
                }
                let delete = paint_icon_button(ui, Icon::Close, 20.0, false).on_hover_text("Delete the bookmark");
                ctx.push_if(delete.clicked(), CameraAction::RemoveBookmark(index));
            });
        }
    });
}
