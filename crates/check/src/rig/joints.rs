//! Lints of skins: unused joints, harmful scales, a rest pose other than the bind pose.

use super::rest_rig::RestRig;
use crate::issue::Issues;
use nalgebra::Vector3;
use rigview_core::math::Affine;
use rigview_core::model::{JointIndex, KeyValues, Mesh, MeshIndex, Model, Skeleton, Skin};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// Relative tolerance of a uniform scale.
const UNIFORM_SCALE_TOLERANCE: f64 = 1e-3;

pub(super) fn check(rig: &RestRig<'_>, issues: &mut Issues) {
    let model = rig.model;
    let in_skins: BTreeSet<JointIndex> = model.skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
    let uses = JointUses::new(model);
    for (i, skin) in model.skins.iter().enumerate() {
        check_unused_joints(rig, &uses, i, skin, issues);
        check_rest_pose(rig, i, skin, issues);
        check_neutral_bone(rig, &uses, i, skin, issues);
    }
    check_scales(rig, &in_skins, issues);
    check_units(rig, &in_skins, issues);
}

/// What the joints of skins are used for.
struct JointUses {
    /// For each joint, whether it or a descendant has a rigid mesh or a camera.
    has_rigid: Vec<bool>,
    /// For each joint, the range of positions of it and its descendants in a depth-first order.
    subtrees: Vec<Range<usize>>,
    /// For each joint, whether a clip has a track for it.
    is_animated: Vec<bool>,
    /// The meshes that each skin deforms.
    meshes: Vec<BTreeSet<MeshIndex>>,
    /// The slots that each of these meshes uses; `None` for one without influences.
    slots: HashMap<MeshIndex, Option<BTreeSet<usize>>>,
}

impl JointUses {
    fn new(model: &Model) -> Self {
        let joints = model.skeleton.joints();
        let mut uses = Self {
            has_rigid: vec![false; joints.len()],
            subtrees: subtrees(&model.skeleton),
            is_animated: vec![false; joints.len()],
            meshes: vec![BTreeSet::new(); model.skins.len()],
            slots: HashMap::new(),
        };
        for mesh_node in model.scenes.iter().flat_map(|scene| &scene.mesh_nodes) {
            match mesh_node.skin {
                None => uses.has_rigid[mesh_node.joint.get()] = true,
                Some(skin) => {
                    uses.meshes[skin.get()].insert(mesh_node.mesh);
                    uses.slots.entry(mesh_node.mesh).or_insert_with(|| used_slots(&model.meshes[mesh_node.mesh.get()]));
                }
            }
        }
        for track in model.clips.iter().flat_map(|clip| &clip.tracks) {
            uses.is_animated[track.joint.get()] = true;
        }
        for camera in &model.cameras {
            uses.has_rigid[camera.joint.get()] = true;
        }
        // Children come after their parents.
        for (i, joint) in joints.iter().enumerate().rev() {
            if let (true, Some(parent)) = (uses.has_rigid[i], joint.parent) {
                uses.has_rigid[parent.get()] = true;
            }
        }
        uses
    }
}

/// Returns for each joint the range of positions of it and its descendants in a depth-first order.
pub(crate) fn subtrees(skeleton: &Skeleton) -> Vec<Range<usize>> {
    let joints = skeleton.joints();
    let mut sizes = vec![1; joints.len()];
    for (i, joint) in joints.iter().enumerate().rev() {
        if let Some(parent) = joint.parent {
            sizes[parent.get()] += sizes[i];
        }
    }
    // The next free position below each joint, and at the top.
    let (mut next, mut next_root) = (vec![0; joints.len()], 0);
    let mut subtrees = Vec::with_capacity(joints.len());
    for (i, joint) in joints.iter().enumerate() {
        let position = joint.parent.map_or(&mut next_root, |parent| &mut next[parent.get()]);
        let start = *position;
        *position += sizes[i];
        next[i] = start + 1;
        subtrees.push(start..start + sizes[i]);
    }
    subtrees
}

/// Returns the slots that affect a vertex of a mesh; `None` for a mesh without influences.
fn used_slots(mesh: &Mesh) -> Option<BTreeSet<usize>> {
    let mut used = None;
    for influences in mesh.primitives.iter().filter_map(|primitive| primitive.vertices.influences.as_ref()) {
        let slots = influences.slots.iter().zip(&influences.weights).filter(|(_, weight)| **weight > 0.0);
        used.get_or_insert_with(BTreeSet::new).extend(slots.map(|(slot, _)| slot.get()));
    }
    used
}

/// Reports joints of a skin that, with their descendants, affect no vertex, mesh or camera.
fn check_unused_joints(rig: &RestRig<'_>, uses: &JointUses, index: usize, skin: &Skin, issues: &mut Issues) {
    let mut is_drawn = false;
    let mut used_positions: Vec<usize> = Vec::new();
    for slots in uses.meshes[index].iter().filter_map(|mesh| uses.slots[mesh].as_ref()) {
        is_drawn = true;
        let joints = slots.range(..skin.joints.len()).map(|slot| skin.joints[*slot]);
        used_positions.extend(joints.map(|joint| uses.subtrees[joint.get()].start));
    }
    if !is_drawn {
        return;
    }
    used_positions.sort_unstable();
    let is_used = |joint: JointIndex| {
        let subtree = &uses.subtrees[joint.get()];
        let first = used_positions.partition_point(|position| *position < subtree.start);
        uses.has_rigid[joint.get()] || used_positions.get(first).is_some_and(|position| subtree.contains(position))
    };
    let unused: Vec<JointIndex> = skin.joints.iter().copied().filter(|joint| !is_used(*joint)).collect();
    if !unused.is_empty() {
        let message = format_args!(
            "{} of {} joints are unused: {}; tick Deformation Bones Only in Blender's export and untick Add Leaf Bones in FBX sources",
            unused.len(),
            skin.joints.len(),
            rig.names(&unused)
        );
        issues.add("RIGVIEW_UNUSED_JOINTS", format_args!("/skins/{index}/joints"), message);
    }
}

/// Reports joints whose rest pose differs from the bind pose, in which all joints give the mesh the same transform.
fn check_rest_pose(rig: &RestRig<'_>, index: usize, skin: &Skin, issues: &mut Issues) {
    let model_from_mesh = |slot: usize| {
        let joint = *skin.joints.get(slot)?;
        Some((joint, *rig.model_from_joint(joint) * *skin.joint_from_mesh.get(slot)?))
    };
    let Some((_, first)) = model_from_mesh(0) else { return };
    let Some(mesh_from_model) = first.inverse() else { return };
    let mut differing = Vec::new();
    let mut worst = (0.0, 0.0);
    for slot in 1..skin.joints.len() {
        let Some((joint, map)) = model_from_mesh(slot) else { continue };
        let (degrees, distance) = (angle(&(mesh_from_model * map)), distance(&first, &map, slot, skin));
        if degrees > 1.0 || distance > 0.01 * rig.size.max(1e-9) {
            differing.push(joint);
            worst = (degrees.max(worst.0), distance.max(worst.1));
        }
    }
    if !differing.is_empty() {
        let message = format_args!(
            "the rest pose of {} of {} joints is not their bind pose, by up to {:.1} degrees and {:.3} units: the mesh is deformed without animation; in Blender, export with Rest Position Armature, or Apply Pose as Rest Pose: {}",
            differing.len(),
            skin.joints.len(),
            worst.0,
            worst.1,
            rig.names(&differing)
        );
        issues.add("RIGVIEW_REST_POSE_NOT_BIND_POSE", format_args!("/skins/{index}"), message);
    }
}

/// Reports vertices on `neutral_bone`, to which Blender's export binds vertices without weights, if no clip moves it.
fn check_neutral_bone(rig: &RestRig<'_>, uses: &JointUses, index: usize, skin: &Skin, issues: &mut Issues) {
    let (model, skeleton) = (rig.model, rig.skeleton());
    let is_neutral = |joint: &JointIndex| {
        let name = skeleton.joint(*joint).name.as_deref();
        name.is_some_and(|name| name.starts_with("neutral_bone")) && !uses.is_animated[joint.get()]
    };
    let Some(slot) = skin.joints.iter().position(is_neutral) else { return };
    let (mut total, mut neutral) = (0, 0);
    for primitive in uses.meshes[index].iter().flat_map(|mesh| &model.meshes[mesh.get()].primitives) {
        let Some(influences) = &primitive.vertices.influences else { continue };
        let count = primitive.vertices.positions.len();
        let on_bone =
            |vertex: &usize| influences.of_vertex(*vertex).any(|(of, weight)| of.get() == slot && weight > 0.0);
        total += count;
        neutral += (0..count).filter(on_bone).count();
    }
    if neutral > 0 {
        let message = format_args!(
            "{neutral} of {total} vertices are bound to {}, which no clip moves: they had no weights, so they stay behind as spikes when the mesh moves; in Blender, select them with Select > Select All by Trait > Ungrouped Vertices and assign them to a bone",
            rig.name(skin.joints[slot])
        );
        issues.add("RIGVIEW_UNBOUND_VERTICES", format_args!("/skins/{index}"), message);
    }
}

/// Distance between the joint's bind position under its own transform and under the first joint's.
fn distance(first: &Affine, map: &Affine, slot: usize, skin: &Skin) -> f64 {
    let Some(mesh_from_joint) = skin.joint_from_mesh.get(slot).and_then(Affine::inverse) else { return 0.0 };
    let bind_position = mesh_from_joint.translation;
    let distance = (first.transform_point(bind_position) - map.transform_point(bind_position)).norm();
    if distance.is_finite() { distance } else { 0.0 }
}

/// Rotation angle of a transform, in degrees.
fn angle(transform: &Affine) -> f64 {
    let transform = transform.to_transform();
    let degrees = transform.rotation.angle().to_degrees();
    // An axis of length 0 has no direction.
    if degrees.is_finite() && transform.scale.abs().min() > 1e-6 * transform.scale.abs().max() { degrees } else { 0.0 }
}

fn is_non_uniform(scale: &Vector3<f64>) -> bool {
    let size = scale.abs();
    size.max() - size.min() > UNIFORM_SCALE_TOLERANCE * size.max()
}

/// Reports non-uniform and negative scales of joints, at rest or in a clip.
fn check_scales(rig: &RestRig<'_>, in_skins: &BTreeSet<JointIndex>, issues: &mut Issues) {
    let skeleton = rig.skeleton();
    let mut has_child = vec![false; skeleton.len()];
    for joint in skeleton.joints() {
        if let Some(parent) = joint.parent {
            has_child[parent.get()] = true;
        }
    }
    let mut report = |joint: JointIndex, scale: &Vector3<f64>, at: &dyn std::fmt::Display, when: &str| {
        let (name, [x, y, z]) = (rig.name(joint), [scale.x, scale.y, scale.z]);
        if is_non_uniform(scale) && has_child[joint.get()] {
            let message = format_args!(
                "joint {name} has a non-uniform scale{when} ({x:.3}, {y:.3}, {z:.3}): its children shear when they rotate; in Blender, clear the scale of a bone (Alt S in Pose Mode) and delete its scale keys, or apply that of an object (Ctrl A, Scale)"
            );
            issues.add("RIGVIEW_JOINT_NON_UNIFORM_SCALE", at, message);
        }
        if scale.min() < 0.0 {
            let message = format_args!(
                "joint {name} has a negative scale{when} ({x:.3}, {y:.3}, {z:.3}): surfaces are inside out in some viewers; in Blender, clear the scale of a bone (Alt S in Pose Mode) and delete its scale keys, or apply that of an object (Ctrl A, Scale)"
            );
            issues.add("RIGVIEW_JOINT_NEGATIVE_SCALE", at, message);
        }
    };
    for joint in in_skins {
        let json = skeleton.joint(*joint);
        report(*joint, &json.rest.scale, &format_args!("/nodes/{}", json.node), "");
    }
    for (i, clip) in rig.model.clips.iter().enumerate() {
        for track in clip.tracks.iter().filter(|track| in_skins.contains(&track.joint)) {
            let KeyValues::Scale(values) = &track.keys else { continue };
            let stride = track.interpolation.values_per_key();
            let harmful = |scale: &Vector3<f64>| is_non_uniform(scale) || scale.min() < 0.0;
            let mut scales = values.iter().skip(stride / 2).step_by(stride).map(|scale| scale.cast::<f64>());
            // Harmful rest scales are already reported.
            let rest = skeleton.joint(track.joint).rest.scale;
            if let Some(scale) = scales.find(harmful).filter(|_| !harmful(&rest)) {
                report(track.joint, &scale, &format_args!("/animations/{i}"), " in this clip");
            }
        }
    }
}

/// Reports scales of 0.01 and 100, which suggest a mix of centimeters and meters.
fn check_units(rig: &RestRig<'_>, in_skins: &BTreeSet<JointIndex>, issues: &mut Issues) {
    let mut joints = in_skins.clone();
    for joint in in_skins {
        let mut next = *joint;
        while let Some(parent) = rig.skeleton().joint(next).parent.filter(|parent| joints.insert(*parent)) {
            next = parent;
        }
    }
    for joint in joints {
        let json = rig.skeleton().joint(joint);
        let scale = json.rest.scale.abs();
        let is_about = |size: f64| (scale.max() - size).abs() < 0.01 * size && (scale.min() - size).abs() < 0.01 * size;
        if is_about(0.01) || is_about(100.0) {
            let message = format_args!(
                "joint {} is scaled by {:.3}, which suggests centimeters instead of meters: in other programs the rig may be 100 times too large or small; apply the scale in Blender (Ctrl A, Scale) before animating",
                rig.name(joint),
                scale.max()
            );
            issues.add("RIGVIEW_UNIT_SCALE", format_args!("/nodes/{}", json.node), message);
        }
    }
}

/// Number of mesh nodes with a skin, in all scenes.
pub(super) fn skinned_drawables(model: &Model) -> usize {
    model.scenes.iter().flat_map(|scene| &scene.mesh_nodes).filter(|mesh_node| mesh_node.skin.is_some()).count()
}
