//! Differences between skins, scenes, cameras, lights, and the bones and expressions of avatars.

use super::context::Context;
use super::joints::Matched;
use super::names::Names;
use super::tolerances::Quantity;
use super::values::{Change, Changes, Comparer, Properties, Value, numbers, text};
use rigview_core::math::Affine;
use rigview_core::model::{
    CameraNode, Expression, HumanBoneJoint, LightNode, LightShape, MaterialChange, MeshNode, Model, Projection, Scene,
    Skin,
};

/// Compares joints and inverse bind matrices. The order of the joints is compared, since vertices refer to it.
pub(crate) fn skins(context: &Context<'_>, comparer: &mut Comparer) -> Changes {
    let mut changed = Vec::new();
    let joints = &context.joints;
    for &(i, j) in &context.skins.pairs {
        let name = &context.skins.shown[1][j];
        let pair: [&Skin; 2] = [&context.models[0].skins[i], &context.models[1].skins[j]];
        let slots = [0, 1].map(|side| {
            let Skin { name: _, joints: slots, joint_from_mesh: _ } = pair[side];
            slots.iter().map(|joint| joints.id(side, *joint)).collect::<Vec<_>>()
        });
        let size = size(&pair[0].joint_from_mesh);
        if slots[0] != slots[1] {
            changed.push(slot_change(name, joints, &slots));
        }
        // By joint, so that another order is one change.
        let order = |slots: &[usize]| {
            let mut order: Vec<usize> = (0..slots.len()).collect();
            order.sort_by_key(|slot| slots[*slot]);
            order
        };
        let orders = slots.each_ref().map(|slots| order(slots));
        let mut other = orders[1].iter().peekable();
        for &slot in &orders[0] {
            let joint = slots[0][slot];
            while other.next_if(|other| slots[1][**other] < joint).is_some() {}
            let Some(&matching) = other.next_if(|other| slots[1][**other] == joint) else { continue };
            let matrices = [&pair[0].joint_from_mesh[slot], &pair[1].joint_from_mesh[matching]];
            changed.extend(bind_matrix_change(name, joints.path(joint), matrices, size, comparer));
        }
    }
    Changes { added: context.skins.added.clone(), removed: context.skins.removed.clone(), changed }
}

fn slot_change(name: &str, joints: &Matched, slots: &[Vec<usize>; 2]) -> Change {
    let (what, shown) = match slots[0].iter().zip(&slots[1]).position(|(a, b)| a != b) {
        Some(slot) => {
            (format!("joint of slot {slot}"), slots.each_ref().map(|slots| joints.path(slots[slot]).to_owned()))
        }
        None => ("joints".to_owned(), slots.each_ref().map(|slots| slots.len().to_string())),
    };
    let [before, after] = shown;
    Change { name: name.to_owned(), what, before, after, extent: None }
}

/// Returns the largest translation of inverse bind matrices.
fn size(matrices: &[Affine]) -> f64 {
    matrices.iter().map(|matrix| matrix.translation.norm()).fold(0.0, f64::max)
}

fn bind_matrix_change(
    name: &str,
    joint: &str,
    [a, b]: [&Affine; 2],
    size: f64,
    comparer: &mut Comparer,
) -> Option<Change> {
    if a == b {
        return None;
    }
    let is_near = (a.translation - b.translation).norm() <= comparer.tolerances.of(Quantity::Distance, size);
    let value = |matrix: &Affine| Value::Numbers(Quantity::Value, matrix.linear.iter().copied().collect());
    let what = format!("inverse bind matrix of {joint}");
    if is_near {
        return comparer.change(name, what, &value(a), &value(b));
    }
    let [before, after] = [a, b].map(|matrix| {
        let [x, y, z] = matrix.translation.into();
        format!("moved by ({}, {}, {})", x as f32, y as f32, z as f32)
    });
    Some(Change { name: name.to_owned(), what, before, after, extent: None })
}

pub(crate) fn cameras(context: &Context<'_>, comparer: &mut Comparer) -> Changes {
    let names =
        Names::new("camera", context.models.map(|model| model.cameras.iter().map(|c| c.name.as_deref()).collect()));
    comparer.compare(&names, context.models.map(|model| &model.cameras[..]), |side, camera| {
        // The index in the file has no meaning.
        let CameraNode { gltf_index: _, name: _, joint, projection } = camera;
        let mut list = vec![text("joint", context.joints.shared_path(side, *joint))];
        let mut add =
            |what: &str, quantity, value: Option<f64>| list.extend(value.map(|x| numbers(what, quantity, [x])));
        match *projection {
            Projection::Perspective { fov_y, aspect, near, far } => {
                add("vertical field of view in degrees", Quantity::Degrees, Some(fov_y.to_degrees()));
                add("aspect ratio", Quantity::Value, aspect);
                add("near plane", Quantity::Value, Some(near));
                add("far plane", Quantity::Value, far);
            }
            Projection::Orthographic { half_width, half_height, near, far } => {
                add("half width", Quantity::Value, Some(half_width));
                add("half height", Quantity::Value, Some(half_height));
                add("near plane", Quantity::Value, Some(near));
                add("far plane", Quantity::Value, Some(far));
            }
        }
        list
    })
}

pub(crate) fn lights(context: &Context<'_>, comparer: &mut Comparer) -> Changes {
    let names =
        Names::new("light", context.models.map(|model| model.lights.iter().map(|l| l.name.as_deref()).collect()));
    comparer.compare(&names, context.models.map(|model| &model.lights[..]), |side, light| {
        let LightNode { gltf_index: _, name: _, joint, color, intensity, shape } = light;
        let mut list = vec![
            text("joint", context.joints.shared_path(side, *joint)),
            numbers("color", Quantity::Value, *color),
            numbers("intensity", Quantity::Value, [*intensity]),
        ];
        let add_range = |list: &mut Properties<'_>, range: Option<f64>| {
            list.extend(range.map(|range| numbers("range", Quantity::Value, [range])));
        };
        match *shape {
            LightShape::Directional => list.push(text("type", "directional")),
            LightShape::Point { range } => {
                list.push(text("type", "point"));
                add_range(&mut list, range);
            }
            LightShape::Spot { range, inner_angle, outer_angle } => {
                list.push(text("type", "spot"));
                add_range(&mut list, range);
                list.push(numbers("inner angle in degrees", Quantity::Degrees, [inner_angle.to_degrees()]));
                list.push(numbers("outer angle in degrees", Quantity::Degrees, [outer_angle.to_degrees()]));
            }
        }
        list
    })
}

/// Compares which joints have meshes, skins and lights, by scene, and the default scene.
pub(crate) fn scenes(context: &Context<'_>, comparer: &mut Comparer) -> Changes {
    let names =
        Names::new("scene", context.models.map(|model| model.scenes.iter().map(|s| s.name.as_deref()).collect()));
    let mut changed = Vec::new();
    for &(i, j) in &names.pairs {
        let name = &names.shown[1][j];
        let nodes = [mesh_nodes(context, 0, i), mesh_nodes(context, 1, j)];
        let (mut before, mut after) = (nodes[0].iter().peekable(), nodes[1].iter().peekable());
        loop {
            let next = [before.peek(), after.peek()].into_iter().flatten().map(|node| node.0).min();
            let Some(joint) = next else { break };
            let shown = [before.next_if(|node| node.0 == joint), after.next_if(|node| node.0 == joint)];
            if shown[0] != shown[1] {
                let [before, after] = shown.map(|node| match node {
                    Some((_, content)) => vec![text("", content)],
                    None => Vec::new(),
                });
                let what = format!("content of {}", context.joints.path(joint));
                let mut changes = comparer.properties(name, [before, after]);
                changes.iter_mut().for_each(|change| change.what.clone_from(&what));
                changed.extend(changes);
            }
        }
    }
    let mut changes = Changes { added: names.added.clone(), removed: names.removed.clone(), changed };
    let defaults = [0, 1].map(|side| names.shown[side].get(context.models[side].default_scene.get()));
    let [before, after] = defaults.map(|name| vec![text("default", name.map_or("none", String::as_str))]);
    changes.changed.extend(comparer.properties("scenes", [before, after]));
    changes
}

/// Returns meshes with their skins and lights of a scene, by the shared number of their joint.
fn mesh_nodes(context: &Context<'_>, side: usize, scene: usize) -> Vec<(usize, String)> {
    let model = context.models[side];
    let Scene { name: _, mesh_nodes, lights } = &model.scenes[scene];
    let mut nodes: Vec<(usize, String)> = Vec::with_capacity(mesh_nodes.len() + lights.len());
    for MeshNode { joint, mesh, skin } in mesh_nodes {
        let content = format!("mesh {} with skin {}", context.mesh(side, *mesh), context.skin(side, *skin));
        nodes.push((context.joints.id(side, *joint), content));
    }
    for light in lights {
        nodes.push((context.joints.id(side, model.lights[light.get()].joint), "a light".to_owned()));
    }
    nodes.sort();
    nodes
}

/// Compares the names of the material variants.
pub(crate) fn variants(context: &Context<'_>) -> Changes {
    let names =
        Names::new("variant", context.models.map(|model| model.variants.iter().map(Option::as_deref).collect()));
    Changes { added: names.added, removed: names.removed, changed: Vec::new() }
}

pub(crate) fn human_bones(context: &Context<'_>, comparer: &mut Comparer) -> Changes {
    let names = |model: &'_ Model| model.human_bones.iter().map(|bone| bone.bone.clone()).collect::<Vec<_>>();
    let names = context.models.map(names);
    let names =
        Names::new("bone", names.each_ref().map(|names| names.iter().map(|name| Some(name.as_str())).collect()));
    comparer.compare(&names, context.models.map(|model| &model.human_bones[..]), |side, bone| {
        let HumanBoneJoint { joint, bone: _ } = bone;
        vec![text("joint", context.joints.shared_path(side, *joint))]
    })
}

pub(crate) fn expressions(context: &Context<'_>, comparer: &mut Comparer) -> Changes {
    let names = context.models.map(|model| model.expressions.iter().map(|e| Some(e.name.as_str())).collect());
    let names = Names::new("expression", names);
    // The joint of each morph weight.
    let joints = context.models.map(|model| {
        let mut joints = vec![None; model.skeleton.rest_morph_weights().len()];
        for (i, joint) in model.skeleton.joints().iter().enumerate() {
            // GPU instances share the weights of their parent.
            if joints.get(joint.morph_weights.start) == Some(&None) {
                joints[joint.morph_weights.clone()].fill(Some(i));
            }
        }
        joints
    });
    comparer.compare(&names, context.models.map(|model| &model.expressions[..]), |side, expression| {
        let Expression { name: _, preset_names, is_binary, group, overrides, morph_weights, materials } = expression;
        let mut list = vec![
            text("binary", is_binary),
            text("group", format!("{group:?}")),
            text("overrides", format!("{overrides:?}")),
            text("preset", preset_names.join(", ")),
        ];
        for MaterialChange { material, property, difference } in materials {
            let label = format!("{property:?} of material {}", material.get());
            list.push(numbers(label, Quantity::Value, *difference));
        }
        for (weight, amount) in morph_weights {
            let Some(Some(joint)) = joints[side].get(*weight) else { continue };
            let target = weight - context.models[side].skeleton.joints()[*joint].morph_weights.start;
            let path = context.joints.shared_path(side, rigview_core::model::JointIndex(*joint as u32));
            list.push(numbers(format!("morph target {target} of {path}"), Quantity::Weight, [*amount]));
        }
        list
    })
}
