//! The numbers of what is selected.

use super::UiContext;
use super::menu_bar::thousands;
use super::widgets::{heading, tip};
use crate::app::pose_overrides::{Morph, morphs};
use crate::app::viewer::actions::Action;
use crate::app::viewer::analysis::format::{channels, matrix, transform_lines};
use crate::app::viewer::analysis::influence_stats::Moved;
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::state::Selection;
use crate::app::viewer::state::document::Shown;
use crate::math::Affine;
use crate::model::{JointIndex, MaterialIndex, MeshIndex, SkinIndex};
use crate::scene::ViewMode;
use crate::util::text::{counted, file_name};
use egui::{
    Align, Button, DragValue, Grid, Label, Layout, Rect, RichText, ScrollArea, Slider, SliderClamping, Ui, vec2,
};
use nalgebra::UnitQuaternion;

/// What there is to tell of the selection; without one, of the file.
pub(crate) fn show(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    let Some(shown) = facts.shown else {
        ui.weak("No file is open.");
        return;
    };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match shown.selection {
        Some(Selection::Joint(joint)) => of_joint(ui, (shown, facts.rings.0, facts.looks.surface), joint, actions),
        Some(Selection::Skin(skin)) => of_skin(ui, shown, skin, actions),
        Some(Selection::Mesh(mesh)) => of_mesh(ui, shown, mesh, actions),
        Some(Selection::Material(material)) => of_material(ui, shown, material),
        None => of_file(ui, shown, actions),
    });
}

fn title(ui: &mut Ui, kind: &str, name: &str) {
    ui.add(Label::new(RichText::new(name).heading()).truncate());
    ui.weak(kind);
}

/// Names and values side by side.
fn table(ui: &mut Ui, id: &str, rows: &[(&str, String)]) {
    Grid::new(id).num_columns(2).spacing(vec2(10.0, 3.0)).show(ui, |ui| {
        for (name, value) in rows {
            ui.weak(*name);
            ui.add(Label::new(value).selectable(true).wrap());
            ui.end_row();
        }
    });
}

/// Numbers with a heading, and a button that copies them.
fn numbers(ui: &mut Ui, what: &'static str, lines: &[String], actions: &mut Vec<Action>) {
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new(what).strong());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.small_button("Copy").clicked() {
                actions.push(Action::Copy { what, text: lines.join("\n") });
            }
        });
    });
    for line in lines {
        ui.add(Label::new(RichText::new(line).monospace().size(11.0)).selectable(true));
    }
}

fn of_joint(
    ui: &mut Ui,
    (shown, with_rings, surface): (&Shown, bool, ViewMode),
    index: JointIndex,
    actions: &mut Vec<Action>,
) {
    let model = shown.stage.model();
    let Some(joint) = model.skeleton.joints().get(index.get()) else { return };
    title(ui, &format!("node {}", joint.node), shown.outline.joint(index));
    if let Some(parent) = joint.parent {
        ui.horizontal(|ui| {
            ui.weak("in");
            if ui.link(shown.outline.joint(parent)).clicked() {
                actions.push(Action::Select(Some(Selection::Joint(parent))));
            }
        });
    }
    of_weights(ui, shown, surface, actions);
    let (pose, model_pose) = shown.stage.first_pose(shown.clock_secs());
    let local = joint.sheared_rest.unwrap_or_else(|| pose.parent_from_joint[index.get()].to_affine());
    by_hand(ui, (shown, with_rings), index, &local, actions);
    morph_weights(ui, shown, Some(&|morph: &Morph| morph.joint == index), actions);
    numbers(ui, "Local transform", &transform_lines(&local), actions);
    numbers(ui, "Model transform", &transform_lines(model_pose.model_from_joint(index)), actions);
    for (number, skin) in model.skins.iter().enumerate() {
        let Some(slot) = skin.joints.iter().position(|joint| *joint == index) else { continue };
        let name = named(skin.name.as_deref(), "skin", number);
        ui.add_space(4.0);
        ui.weak(format!("slot {slot} of {name}"));
        numbers(ui, "Inverse bind matrix", &matrix(&skin.joint_from_mesh[slot]), actions);
    }
    heading(ui, "Channels");
    match shown.clip() {
        None => {
            ui.weak("The rest pose has none.");
        }
        Some(clip) => {
            let lines = channels(clip, index);
            if lines.is_empty() {
                ui.weak("This clip does not move it.");
            }
            for line in lines {
                ui.add(Label::new(line).wrap());
            }
        }
    }
}

/// What the joint moves, and the way to see it.
fn of_weights(ui: &mut Ui, shown: &Shown, surface: ViewMode, actions: &mut Vec<Action>) {
    let Moved { vertices, most } = shown.moved;
    if vertices == 0 {
        ui.weak("moves no vertex by itself");
        return;
    }
    let noun = if vertices == 1 { "vertex" } else { "vertices" };
    let words = format!("moves {} {noun}, {} of them more than any other joint", thousands(vertices), thousands(most));
    ui.add(Label::new(words).wrap());
    let action = Action::SetViewMode(ViewMode::Weights);
    if tip(ui.add(Button::new("Show its weights").selected(surface == ViewMode::Weights)), &action).clicked() {
        actions.push(action);
    }
}

/// Fields to put the joint by hand.
fn by_hand(
    ui: &mut Ui,
    (shown, with_rings): (&Shown, bool),
    joint: JointIndex,
    local: &Affine,
    actions: &mut Vec<Action>,
) {
    if shown.stage.model().skeleton.joint(joint).sheared_rest.is_some() {
        return;
    }
    let put = shown.stage.hand().get(joint);
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new("By hand").strong());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if put.is_some() && ui.small_button("Reset").on_hover_text("Leave it to the clip again").clicked() {
                actions.push(Action::FreeJoint(joint));
            }
            if tip(ui.add(Button::new("Rings").small().selected(with_rings)), &Action::ToggleRings).clicked() {
                actions.push(Action::ToggleRings);
            }
        });
    });
    let mut transform = put.copied().unwrap_or_else(|| local.to_transform());
    let (x, y, z) = transform.rotation.euler_angles();
    let mut turn = [x, y, z].map(f64::to_degrees);
    let mut shift: [f64; 3] = transform.translation.into();
    let size = shown.stage.bounds().diagonal().max(1e-6);
    let (mut turned, mut shifted) = (false, false);
    Grid::new("by hand").num_columns(4).spacing(vec2(4.0, 3.0)).show(ui, |ui| {
        ui.weak("turn");
        for angle in &mut turn {
            turned |= field(ui, DragValue::new(angle).speed(0.5).custom_formatter(degrees).suffix("\u{b0}"));
        }
        ui.end_row();
        ui.weak("move");
        for way in &mut shift {
            shifted |= field(ui, DragValue::new(way).speed(size * 1e-3).fixed_decimals(3));
        }
        ui.end_row();
    });
    if turned {
        let [x, y, z] = turn.map(f64::to_radians);
        transform.rotation = UnitQuaternion::from_euler_angles(x, y, z);
    }
    if shifted {
        transform.translation = shift.into();
    }
    if turned || shifted {
        actions.push(Action::PutJoint(joint, transform));
    }
}

/// An angle with one decimal, never as `-0.0`.
fn degrees(angle: f64, _: std::ops::RangeInclusive<usize>) -> String {
    format!("{:.1}", (angle * 10.0).round() / 10.0 + 0.0)
}

/// A field as wide as its neighbors; whether a hand has changed it.
fn field(ui: &mut Ui, value: DragValue<'_>) -> bool {
    let width = ((ui.available_width() - 4.0) / 3.0).clamp(40.0, 66.0);
    ui.add_sized([width.min(66.0), ui.spacing().interact_size.y], value).changed()
}

/// Sliders for the morph weights of some nodes, or of all.
fn morph_weights(ui: &mut Ui, shown: &Shown, of: Option<&dyn Fn(&Morph) -> bool>, actions: &mut Vec<Action>) {
    let all = morphs(shown.stage.model());
    let some: Vec<&Morph> = all.iter().filter(|morph| of.is_none_or(|of| of(morph))).collect();
    if some.is_empty() {
        return;
    }
    heading(ui, "Morph weights");
    let (pose, _) = shown.stage.first_pose(shown.clock_secs());
    let hand = shown.stage.hand();
    ui.spacing_mut().slider_width = (ui.available_width() - 190.0).clamp(40.0, 300.0);
    let mut owner = None;
    for morph in some {
        if of.is_none() && owner.replace(morph.joint) != Some(morph.joint) {
            ui.weak(shown.outline.joint(morph.joint));
        }
        ui.horizontal(|ui| {
            let put = hand.weights().iter().any(|(place, _)| *place == morph.place);
            let mut weight = pose.weights[morph.place];
            let range = weight.min(0.0)..=weight.max(1.0);
            if ui.add(Slider::new(&mut weight, range).clamping(SliderClamping::Never).max_decimals(3)).changed() {
                actions.push(Action::PutWeight(morph.place, weight));
            }
            let away = put && ui.small_button("\u{d7}").on_hover_text("Leave it to the clip again").clicked();
            if away {
                actions.push(Action::FreeWeight(morph.place));
            }
            let name = RichText::new(&morph.name);
            ui.add(Label::new(if put { name.strong() } else { name }).truncate());
        });
    }
}

fn of_skin(ui: &mut Ui, shown: &Shown, index: SkinIndex, actions: &mut Vec<Action>) {
    let Some(skin) = shown.stage.model().skins.get(index.get()) else { return };
    title(ui, "skin", &named(skin.name.as_deref(), "skin", index.get()));
    let joints = counted(skin.joints.len(), "joint", "joints");
    heading(ui, &format!("{joints}, in the order that vertices count them"));
    let height = ui.spacing().interact_size.y;
    for (slot, joint) in skin.joints.iter().enumerate() {
        let line = vec2(ui.available_width(), height);
        if !ui.is_rect_visible(Rect::from_min_size(ui.next_widget_position(), line)) {
            ui.allocate_space(line);
            continue;
        }
        ui.horizontal(|ui| {
            ui.label(RichText::new(format!("{slot:3}")).monospace().weak());
            if ui.link(shown.outline.joint(*joint)).clicked() {
                actions.push(Action::Select(Some(Selection::Joint(*joint))));
            }
        });
    }
}

fn of_mesh(ui: &mut Ui, shown: &Shown, index: MeshIndex, actions: &mut Vec<Action>) {
    let model = shown.stage.model();
    let Some(mesh) = model.meshes.get(index.get()) else { return };
    title(ui, "mesh", &named(mesh.name.as_deref(), "mesh", index.get()));
    for (number, primitive) in mesh.primitives.iter().enumerate() {
        heading(ui, &format!("Primitive {number}"));
        let vertices = &primitive.vertices;
        let material = match primitive.material {
            Some(material) => named(model.materials[material.get()].name.as_deref(), "material", material.get()),
            None => "none: glTF's gray default".to_owned(),
        };
        let yes_no = |there: bool| if there { "yes" } else { "no" }.to_owned();
        let mut rows = vec![
            ("vertices", thousands(vertices.positions.len() as u64)),
            ("triangles", thousands((primitive.triangles().len() / 3) as u64)),
            ("material", material),
            ("normals", yes_no(vertices.normals.is_some())),
            ("tangents", yes_no(vertices.tangents.is_some())),
            ("UV sets", vertices.tex_coords.len().to_string()),
            ("colors", yes_no(vertices.colors.is_some())),
        ];
        if let Some(influences) = &vertices.influences {
            rows.push(("influences", format!("up to {} a vertex", influences.per_vertex)));
        }
        table(ui, &format!("primitive {number}"), &rows);
    }
    let drawables = || model.scenes.iter().flat_map(|scene| &scene.drawables);
    let shows = |morph: &Morph| drawables().any(|drawable| drawable.mesh == index && drawable.joint == morph.joint);
    morph_weights(ui, shown, Some(&shows), actions);
}

fn of_material(ui: &mut Ui, shown: &Shown, index: MaterialIndex) {
    let Some(material) = shown.stage.model().materials.get(index.get()) else { return };
    title(ui, "material", &named(material.name.as_deref(), "material", index.get()));
    let numbers = |numbers: &[f32]| numbers.iter().map(|x| format!("{x:.3}")).collect::<Vec<_>>().join("  ");
    let textured = |there: bool| if there { "  and a texture" } else { "" };
    table(
        ui,
        "material",
        &[
            (
                "base color",
                format!("{}{}", numbers(&material.base_color), textured(material.base_color_texture.is_some())),
            ),
            (
                "metallic",
                format!("{:.3}{}", material.metallic, textured(material.metallic_roughness_texture.is_some())),
            ),
            (
                "roughness",
                format!("{:.3}{}", material.roughness, textured(material.metallic_roughness_texture.is_some())),
            ),
            ("normal map", if material.normal_texture.is_some() { "yes" } else { "no" }.to_owned()),
            ("emissive", format!("{}{}", numbers(&material.emissive), textured(material.emissive_texture.is_some()))),
            ("opacity", format!("{:?}", material.alpha_mode).to_lowercase()),
            ("sides", if material.double_sided { "both" } else { "front only" }.to_owned()),
        ],
    );
}

fn of_file(ui: &mut Ui, shown: &Shown, actions: &mut Vec<Action>) {
    let stage = &shown.stage;
    let model = stage.model();
    let name = file_name(&stage.file);
    title(ui, "file", &name);
    ui.add_space(4.0);
    let extent = stage.bounds().extent();
    table(
        ui,
        "file",
        &[
            ("vertices", thousands(stage.layout.vertex_count(model))),
            ("meshes", model.meshes.len().to_string()),
            ("nodes", thousands(model.skeleton.len() as u64)),
            ("skins", model.skins.len().to_string()),
            ("clips", model.clips.len().to_string()),
            ("materials", model.materials.len().to_string()),
            ("textures", model.textures.len().to_string()),
            ("size", format!("{:.2} \u{d7} {:.2} \u{d7} {:.2} m", extent.x, extent.y, extent.z)),
        ],
    );
    morph_weights(ui, shown, None, actions);
    ui.add_space(8.0);
    ui.add(Label::new(RichText::new("Click the model, or a line of the tree, for its numbers.").weak()).wrap());
}
