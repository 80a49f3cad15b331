//! Marker of the selected joint: a circle and its name. The name of the bone, or of the dominant joint, under the pointer.

use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::theme;
use crate::app::viewer::ui::widgets::{joint_position, paint_tag, viewport_painter};
use crate::request::OverlayRequest;
use egui::{Align2, Color32, Order, Rect, Stroke, Ui, pos2, vec2};
use rigview_render::scene::ViewMode;

/// Distance of the name from the joint in heights of the viewport, beside the rings of the rotate gizmo.
const GIZMO_CLEARANCE: f32 = 0.12;

pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) {
    let Some(document) = ctx.document else { return };
    let shows_bones = ctx.view.has(OverlayRequest::Skeleton) || document.scene.is_skeleton();
    // A pick of the surface skins the model, so only the view of joints pays for it.
    let shows_surface_joints = ctx.view.view_mode() == ViewMode::DominantJoint;
    hovered_joint(ui, viewport, |aspect, position| {
        let bone = shows_bones.then(|| document.pick_bone(aspect, position)).flatten();
        let surface = || document.pick_surface(aspect, position).map(|point| point.dominant_joint());
        let joint = bone.or_else(|| shows_surface_joints.then(surface).flatten());
        joint.filter(|joint| document.joint() != Some(*joint)).map(|joint| document.outline.joint(joint).to_owned())
    });
    let Some(joint) = document.joint() else { return };
    let Some(center) = joint_position(document, joint, viewport) else { return };
    let painter = viewport_painter(ui, viewport, "joint marker");
    painter.circle_stroke(center, 6.0, Stroke::new(3.5, Color32::from_black_alpha(150)));
    painter.circle_stroke(center, 6.0, Stroke::new(1.8, Color32::WHITE));
    if shows_bones {
        painter.circle_filled(center, 3.0, theme::accent(ui));
    }
    let offset = if ctx.gizmo.enabled { GIZMO_CLEARANCE * viewport.height() + 8.0 } else { 14.0 };
    let name = document.outline.joint(joint).to_owned();
    paint_tag(&painter, pos2(center.x + offset, center.y), Align2::LEFT_CENTER, name, 12.0);
}

/// Shows the name of the joint that a click selects.
fn hovered_joint(ui: &Ui, viewport: Rect, name_at: impl FnOnce(f64, [f64; 2]) -> Option<String>) {
    let Some(pointer) = ui.input(|input| input.pointer.hover_pos()).filter(|pointer| viewport.contains(*pointer))
    else {
        return;
    };
    let is_covered = ui.ctx().layer_id_at(pointer).is_some_and(|layer| layer.order != Order::Background);
    if is_covered || ui.input(|input| input.pointer.any_down()) {
        return;
    }
    let aspect = f64::from(viewport.width()) / f64::from(viewport.height()).max(1.0);
    let offset = pointer - viewport.min;
    let position = [f64::from(offset.x / viewport.width()), f64::from(offset.y / viewport.height())];
    if let Some(name) = name_at(aspect, position) {
        let painter = viewport_painter(ui, viewport, "hovered joint");
        paint_tag(&painter, pointer + vec2(14.0, -14.0), Align2::LEFT_CENTER, name, 12.0);
    }
}
