//! Properties of a joint: weights, pose override, transforms and animation channels.

use super::morph_weights;
use super::property_table::{copyable_block, part_row, title};
use super::vertex_explanation;
use crate::app::viewer::actions::{PoseAction, ShadingAction};
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::state::{Document, Selection};
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::{count_label, heading, joint_link, on_click, thousands, wrapped_label};
use egui::{Align, Button, DragValue, Grid, Layout, RichText, Ui, vec2};
use nalgebra::UnitQuaternion;
use rigview_check::{
    curves::{channels, matrix, nearest_euler_angles, transform_lines, trimmed},
    moving_parts::reference_part,
};
use rigview_core::math::Affine;
use rigview_core::model::{JointIndex, Primitive};
use rigview_core::util::text::capitalized;
use rigview_render::scene::InfluenceStats;

/// Maximum number of carried joints that are named.
const MAX_CARRIED: usize = 6;

/// Widest field of the pose override, in points.
const MAX_FIELD_WIDTH: f32 = 66.0;

pub(super) fn show(ui: &mut Ui, document: &Document, index: JointIndex, ctx: &UiContext<'_>) {
    let model = document.scene.model();
    let Some(joint) = model.skeleton.joints().get(index.get()) else { return };
    title(ui, &format!("Node {}", joint.node), document.outline.joint(index));
    if let Some(parent) = joint.parent {
        ui.horizontal(|ui| {
            ui.weak("Parent");
            joint_link(ui, document, parent, ctx);
        });
    }
    for mesh_node in model.scenes.iter().flat_map(|scene| &scene.mesh_nodes).filter(|node| node.joint == index) {
        let mesh = &model.meshes[mesh_node.mesh.get()];
        let triangles: usize = mesh.primitives.iter().map(Primitive::triangle_count).sum();
        let name = named(mesh.name.as_deref(), "mesh", mesh_node.mesh.get());
        let note = count_label(triangles as u64, "triangle", "triangles");
        part_row(ui, &name, &note, Selection::Mesh(mesh_node.mesh), ctx);
    }
    let has_mesh = model.scenes.iter().flat_map(|scene| &scene.mesh_nodes).any(|node| node.joint == index);
    weight_section(ui, document, index, has_mesh, ctx);
    vertex_explanation::show(ui, document, index, ctx);
    let (pose, model_pose) = document.scene.first_pose(document.clock_secs());
    let local = joint.matrix_of(&pose.parent_from_joint[index.get()]);
    // The same whole turns as in the curves.
    let curves = document.analysis.curves.as_ref();
    let rotation = local.to_transform().rotation;
    let angles = curves.map_or([0.0; 3], |curves| curves.euler_angles(document.playback.time_secs, &rotation));
    // A pose override has no shear.
    if !joint.has_shear() {
        pose_override_section(ui, PosedJoint { document, index, local: &local, angles }, ctx);
    }
    let morphs = document.scene.model().morphs().into_iter().filter(|morph| morph.joint == index).collect();
    morph_weights::show(ui, document, morphs, ctx);
    copyable_block(ui, "Local transform", |number| transform_lines(&local, angles, number), ctx);
    let in_model = model_pose.model_from_joint(index);
    copyable_block(ui, "Model transform", |number| transform_lines(in_model, [0.0; 3], number), ctx);
    for (number, skin) in model.skins.iter().enumerate() {
        let Some(slot) = skin.joints.iter().position(|joint| *joint == index) else { continue };
        ui.add_space(4.0);
        ui.weak(format!("Joint index {slot} in skin \"{}\"", named(skin.name.as_deref(), "skin", number)));
        copyable_block(ui, "Inverse bind matrix", |number| matrix(&skin.joint_from_mesh[slot], number), ctx);
    }
    motion_section(ui, document, index);
    channel_section(ui, document, index);
}

/// Number of vertices that the joint moves, and a button that shows its weights.
fn weight_section(ui: &mut Ui, document: &Document, joint: JointIndex, has_mesh: bool, ctx: &UiContext<'_>) {
    let InfluenceStats { weighted, dominant, rigid } = document.analysis.influence_stats[joint.get()];
    if rigid > 0 {
        wrapped_label(ui, format!("Moves {} as a whole", count_label(rigid, "vertex", "vertices")));
    }
    if weighted == 0 {
        // The joints of its skin move the mesh of such a node.
        if rigid == 0 && !has_mesh {
            carried_section(ui, document, ctx);
        }
        return;
    }
    let count = count_label(weighted, "vertex", "vertices");
    wrapped_label(ui, format!("Weights on {count}, dominant on {}", thousands(dominant)));
    let button = Button::new("Show weights").selected(ctx.view.view_mode().needs_joint());
    on_click(ui.add(button), ShadingAction::ToggleViewMode(ctx.view.weights_mode()), ctx);
}

/// Names what a joint without vertices carries.
fn carried_section(ui: &mut Ui, document: &Document, ctx: &UiContext<'_>) {
    let carried = document.carried_joints();
    if carried.is_empty() {
        ui.weak("Moves no vertices");
        return;
    }
    ui.weak("Moves no vertices itself, but carries");
    carried.iter().take(MAX_CARRIED).for_each(|joint| joint_link(ui, document, *joint, ctx));
    if carried.len() > MAX_CARRIED {
        ui.weak(format!("and {} more", carried.len() - MAX_CARRIED));
    }
}

struct PosedJoint<'a> {
    document: &'a Document,
    index: JointIndex,
    /// `parent_from_joint` of the current pose.
    local: &'a Affine,
    /// Its Euler angles in radians.
    angles: [f64; 3],
}

/// Fields that override rotation and location of the joint.
fn pose_override_section(ui: &mut Ui, joint: PosedJoint<'_>, ctx: &UiContext<'_>) {
    let present = joint.document.scene.overrides().get(joint.index);
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Pose override").strong());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if present.is_some() && ui.small_button("Remove").on_hover_text("Remove the override").clicked() {
                ctx.push(PoseAction::ClearJointPose(joint.index));
            }
            let button = Button::new("Rotate gizmo").small().selected(ctx.gizmo.enabled);
            on_click(ui.add(button), ShadingAction::ToggleRotateGizmo, ctx);
        });
    });
    let mut transform = present.copied().unwrap_or_else(|| joint.local.to_transform());
    let mut rotation = nearest_euler_angles(&transform.rotation, joint.angles).map(f64::to_degrees);
    let mut location: [f64; 3] = transform.translation.into();
    let size = joint.document.scene.bounds().diagonal().max(1e-6);
    let (mut rotated, mut moved) = (false, false);
    // Beside the names of the rows.
    let width = ((ui.available_width() - 60.0) / 3.0 - 4.0).clamp(40.0, MAX_FIELD_WIDTH);
    Grid::new("pose override").num_columns(4).spacing(vec2(4.0, 3.0)).show(ui, |ui| {
        ui.weak("Rotation");
        for angle in &mut rotation {
            rotated |= component_field(ui, width, angle, 0.5, "\u{b0}");
        }
        ui.end_row();
        ui.weak("Location");
        for offset in &mut location {
            moved |= component_field(ui, width, offset, size * 1e-3, "");
        }
        ui.end_row();
    });
    if rotated {
        let [x, y, z] = rotation.map(f64::to_radians);
        transform.rotation = UnitQuaternion::from_euler_angles(x, y, z);
    }
    if moved {
        transform.translation = location.into();
    }
    if rotated || moved {
        ctx.push(PoseAction::SetJointPoses(joint.index, vec![(joint.index, transform)]));
    }
}

/// Adds a field with the exact number as tooltip. Returns `true` if the user changed it.
fn component_field(ui: &mut Ui, width: f32, value: &mut f64, speed: f64, suffix: &str) -> bool {
    let exact = format!("{value}{suffix}");
    let field = DragValue::new(value).speed(speed).custom_formatter(|x, _| trimmed(x, 3)).suffix(suffix);
    ui.add_sized([width, ui.spacing().interact_size.y], field).on_hover_text(exact).changed()
}

/// What the playing clips do with the joint. The ratio is to the turning part with the largest surface.
fn motion_section(ui: &mut Ui, document: &Document, joint: JointIndex) {
    let parts = document.moving_parts();
    let reference = reference_part(parts.iter().map(|part| &part.info), None);
    for (i, part) in parts.iter().filter(|part| part.info.joint == joint).enumerate() {
        if i == 0 {
            heading(ui, "Motion");
        }
        document.name_among_playing(part.clip).into_iter().for_each(|clip| drop(ui.weak(format!("Clip {clip}"))));
        let facts = part.info.facts(reference.as_ref());
        facts.into_iter().for_each(|fact| wrapped_label(ui, capitalized(&fact)));
    }
}

fn channel_section(ui: &mut Ui, document: &Document, joint: JointIndex) {
    heading(ui, "Animation channels");
    let Some(clip) = document.clip() else {
        ui.weak("None (rest pose)");
        return;
    };
    let lines = channels(clip, joint);
    if lines.is_empty() {
        ui.weak("Not animated by this clip");
    }
    for line in lines {
        wrapped_label(ui, line);
    }
}
