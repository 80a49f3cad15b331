//! Marker of the selected joint: a circle, its name, and the axis about which the clip rotates it. The name of the bone, or of the dominant joint, under the pointer.

use crate::app::viewer::actions::WindowAction;
use crate::app::viewer::state::Tab;
use crate::app::viewer::state::document::Document;
use crate::app::viewer::ui::command_state::is_checked;
use crate::app::viewer::ui::widgets::{Projection, joint_position, paint_tag, viewport_painter};
use crate::app::viewer::ui::{UiContext, theme};
use crate::request::OverlayRequest;
use egui::{Align2, Color32, Order, Painter, Pos2, Rect, Stroke, Ui, pos2, vec2};
use nalgebra::{Unit, Vector3};
use rigview_core::model::JointIndex;
use rigview_render::scene::ViewMode;

/// Distance of the name from the joint beside the rings of the rotate gizmo, and of a pointer that shows the name, in heights of the viewport.
const GIZMO_CLEARANCE: f32 = 0.12;

/// Radius of the arc around the axis of a joint in heights of the viewport, its angle in radians, and its number of lines.
const AXIS_RADIUS: f64 = 0.07;
const ARC_ANGLE: f64 = 5.2;
const ARC_POINTS: u32 = 40;

/// Length of an arrow in points.
const ARROW_LENGTH: f32 = 9.0;
const AXIS_COLOR: Color32 = Color32::from_rgb(255, 225, 90);

pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) {
    let Some(document) = &ctx.document else { return };
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
    let pointer = ui.input(|input| input.pointer.hover_pos());
    let is_near = pointer.is_some_and(|pointer| pointer.distance(center) < GIZMO_CLEARANCE * viewport.height());
    // Elsewhere they would cover the face of a portrait. The list of moving parts is in the Clips tab.
    let is_explained = is_near || shows_bones || is_checked(&WindowAction::ShowTab(Tab::Clips).into(), ctx);
    let has_axis = is_explained && !ctx.gizmo.enabled && rotation_axis(&painter, viewport, document, joint).is_some();
    painter.circle_stroke(center, 6.0, Stroke::new(3.5, Color32::from_black_alpha(150)));
    painter.circle_stroke(center, 6.0, Stroke::new(1.8, Color32::WHITE));
    if shows_bones {
        painter.circle_filled(center, 3.0, theme::accent(ui));
    }
    if !is_explained && !ctx.gizmo.enabled {
        return;
    }
    let clearance = if ctx.gizmo.enabled { GIZMO_CLEARANCE } else { AXIS_RADIUS as f32 };
    let offset = if ctx.gizmo.enabled || has_axis { clearance * viewport.height() + 8.0 } else { 14.0 };
    let name = document.outline.joint(joint).to_owned();
    paint_tag(&painter, pos2(center.x + offset, center.y), Align2::LEFT_CENTER, name, 12.0);
}

/// Paints the axis of a joint that the clip rotates through its pivot, and an arc around it. A turn has one arrow, a swing two.
/// `None` if the clip does not rotate the joint.
fn rotation_axis(painter: &Painter, viewport: Rect, document: &Document, joint: JointIndex) -> Option<()> {
    let part = document.moving_parts().iter().find(|part| part.info.joint == joint);
    let rotation = part?.info.rotation.as_ref()?;
    let world_from_joint = document.scene.world_from_joint(joint, document.clock_secs());
    let pivot = world_from_joint.translation;
    let axis = world_from_joint.transform_vector(rotation.axis_in_joint.into());
    let axis = Unit::try_new(axis, 1e-30)?;
    let projection = Projection::new(document, viewport);
    let radius = AXIS_RADIUS * projection.height_at(pivot);
    let u = axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize() * radius;
    let v = axis.cross(&u) * world_from_joint.determinant().signum();
    let line = |points: Vec<Vector3<f64>>, arrows: [bool; 2]| {
        let points: Option<Vec<Pos2>> = points.into_iter().map(|point| projection.position(point)).collect();
        let Some(points) = points else { return };
        let back = |a: Pos2, b: Pos2| (b - a).normalized() * ARROW_LENGTH;
        let (first, last) = (points[0], points[points.len() - 1]);
        let ends = [(first, back(first, points[1])), (last, back(last, points[points.len() - 2]))];
        for stroke in [Stroke::new(4.0, Color32::from_black_alpha(130)), Stroke::new(2.0, AXIS_COLOR)] {
            painter.line(points.clone(), stroke);
            for ((tip, back), _) in ends.into_iter().zip(arrows).filter(|(_, arrow)| *arrow) {
                let side = back.rot90() * 0.6;
                painter.line(vec![tip + back + side, tip, tip + back - side], stroke);
            }
        }
    };
    let along = axis.into_inner() * (1.5 * radius);
    line(vec![pivot - along, pivot + along], [false; 2]);
    let arc = (0..=ARC_POINTS).map(|i| {
        let (sin, cos) = libm::sincos(ARC_ANGLE * f64::from(i) / f64::from(ARC_POINTS));
        pivot + u * cos + v * sin
    });
    let turns = rotation.turns.unwrap_or(0.0);
    line(arc.collect(), [turns <= 0.0, turns >= 0.0]);
    Some(())
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
