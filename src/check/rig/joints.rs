//! Lints of skins: idle joints, scales that harm, a rest pose that is not the bind pose.

use super::super::issue::Issues;
use super::Rig;
use crate::math::Affine;
use crate::model::{JointIndex, Keys, Model, Skin, SkinIndex};
use nalgebra::Vector3;
use std::collections::BTreeSet;

/// How uneven a scale may be: rounding, not intention.
const EVEN: f64 = 1e-3;

pub(super) fn check(rig: &Rig<'_>, issues: &mut Issues) {
    let model = rig.model;
    let in_skins: BTreeSet<JointIndex> = model.skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
    for (i, skin) in model.skins.iter().enumerate() {
        idle(rig, i, skin, issues);
        rest_and_bind(rig, i, skin, issues);
    }
    scales(rig, &in_skins, issues);
    units(rig, &in_skins, issues);
}

/// Joints of a skin that no vertex follows, nor anything that hangs on them.
fn idle(rig: &Rig<'_>, number: usize, skin: &Skin, issues: &mut Issues) {
    let model = rig.model;
    let mut moves = vec![false; model.skeleton.len()];
    let drawables = || model.scenes.iter().flat_map(|scene| &scene.drawables);
    let mut shown = false;
    let mut seen = BTreeSet::new();
    for drawable in drawables() {
        moves[drawable.joint.get()] |= drawable.skin.is_none();
        if drawable.skin != Some(SkinIndex(number as u32)) || !seen.insert(drawable.mesh) {
            continue;
        }
        for influences in
            model.meshes[drawable.mesh.get()].primitives.iter().filter_map(|p| p.vertices.influences.as_ref())
        {
            shown = true;
            for (slot, weight) in influences.slots.iter().zip(&influences.weights) {
                if *weight > 0.0
                    && let Some(joint) = skin.joints.get(slot.0 as usize)
                {
                    moves[joint.get()] = true;
                }
            }
        }
    }
    if !shown {
        return;
    }
    for camera in &model.cameras {
        moves[camera.joint.get()] = true;
    }
    // Children come after their parents.
    for (i, joint) in model.skeleton.joints().iter().enumerate().rev() {
        if let (true, Some(parent)) = (moves[i], joint.parent) {
            moves[parent.get()] = true;
        }
    }
    let idle: Vec<JointIndex> = skin.joints.iter().copied().filter(|joint| !moves[joint.get()]).collect();
    if !idle.is_empty() {
        let message = format_args!(
            "{} of {} joints move nothing: {}; tick Deformation Bones Only in Blender's export and untick Add Leaf Bones in FBX sources",
            idle.len(),
            skin.joints.len(),
            rig.names(&idle)
        );
        issues.add("RIGVIEW_UNUSED_JOINTS", format_args!("/skins/{number}/joints"), message);
    }
}

/// In the bind pose, every joint takes the mesh to the same place.
fn rest_and_bind(rig: &Rig<'_>, number: usize, skin: &Skin, issues: &mut Issues) {
    let placed = |slot: usize| {
        let joint = *skin.joints.get(slot)?;
        Some((joint, *rig.rest.model_from_joint(joint) * *skin.joint_from_mesh.get(slot)?))
    };
    let Some((_, first)) = placed(0) else { return };
    let Some(mesh_from_model) = first.inverse() else { return };
    let mut apart = Vec::new();
    let mut worst = (0.0, 0.0);
    for slot in 1..skin.joints.len() {
        let Some((joint, here)) = placed(slot) else { continue };
        let difference = mesh_from_model * here;
        let (degrees, distance) = (angle(&difference), distance(&first, &here, slot, skin));
        if degrees > 1.0 || distance > 0.01 * rig.size.max(1e-9) {
            apart.push(joint);
            worst = (degrees.max(worst.0), distance.max(worst.1));
        }
    }
    if !apart.is_empty() {
        let message = format_args!(
            "{} of {} joints do not rest where the mesh was bound, by up to {:.1} degrees and {:.3} units: without a clip the mesh is deformed; in Blender, export with Rest Position Armature, or Apply Pose as Rest Pose: {}",
            apart.len(),
            skin.joints.len(),
            worst.0,
            worst.1,
            rig.names(&apart)
        );
        issues.add("RIGVIEW_REST_POSE_NOT_BIND_POSE", format_args!("/skins/{number}"), message);
    }
}

/// How far the joint's own place in the mesh is moved otherwise than by the first joint.
fn distance(first: &Affine, here: &Affine, slot: usize, skin: &Skin) -> f64 {
    let Some(mesh_from_joint) = skin.joint_from_mesh.get(slot).and_then(Affine::inverse) else { return 0.0 };
    let place = mesh_from_joint.translation;
    let distance = (first.point(place) - here.point(place)).norm();
    if distance.is_finite() { distance } else { 0.0 }
}

/// The angle that a map turns by, in degrees.
pub(super) fn angle(map: &Affine) -> f64 {
    let degrees = map.to_transform().rotation.angle().to_degrees();
    if degrees.is_finite() { degrees } else { 0.0 }
}

fn is_uneven(scale: &Vector3<f64>) -> bool {
    let size = scale.abs();
    size.max() - size.min() > EVEN * size.max()
}

/// Uneven and negative scales of joints, at rest or in a clip.
fn scales(rig: &Rig<'_>, in_skins: &BTreeSet<JointIndex>, issues: &mut Issues) {
    let skeleton = rig.skeleton();
    let mut has_child = vec![false; skeleton.len()];
    for joint in skeleton.joints() {
        if let Some(parent) = joint.parent {
            has_child[parent.get()] = true;
        }
    }
    let mut report = |joint: JointIndex, scale: &Vector3<f64>, place: &dyn std::fmt::Display, when: &str| {
        let (name, [x, y, z]) = (rig.name(joint), [scale.x, scale.y, scale.z]);
        if is_uneven(scale) && has_child[joint.get()] {
            let message = format_args!(
                "joint {name} is scaled unevenly{when} ({x:.3}, {y:.3}, {z:.3}): what hangs on it shears when it turns; apply the scale in Blender (Ctrl A, Scale) or scale all axes alike"
            );
            issues.add("RIGVIEW_JOINT_NON_UNIFORM_SCALE", place, message);
        }
        if scale.min() < 0.0 {
            let message = format_args!(
                "joint {name} has a negative scale{when} ({x:.3}, {y:.3}, {z:.3}): it turns surfaces inside out in some viewers; mirror by rotation, or apply the scale in Blender (Ctrl A, Scale)"
            );
            issues.add("RIGVIEW_JOINT_NEGATIVE_SCALE", place, message);
        }
    };
    for joint in in_skins {
        let json = skeleton.joint(*joint);
        report(*joint, &json.rest.scale, &format_args!("/nodes/{}", json.node), "");
    }
    for (i, clip) in rig.model.clips.iter().enumerate() {
        for track in clip.tracks.iter().filter(|track| in_skins.contains(&track.joint)) {
            let Keys::Scale(values) = &track.keys else { continue };
            let each = track.interpolation.values_per_key();
            let harmful = |scale: &Vector3<f64>| is_uneven(scale) || scale.min() < 0.0;
            let mut own = values.iter().skip(each / 2).step_by(each).map(|scale| scale.cast::<f64>());
            // At rest it has been told of already.
            let rest = skeleton.joint(track.joint).rest.scale;
            if let Some(scale) = own.find(harmful).filter(|_| !harmful(&rest)) {
                report(track.joint, &scale, &format_args!("/animations/{i}"), " in this clip");
            }
        }
    }
}

/// Scales of 0.01 or 100: centimeters and meters mixed up.
fn units(rig: &Rig<'_>, in_skins: &BTreeSet<JointIndex>, issues: &mut Issues) {
    let mut above = in_skins.clone();
    for joint in in_skins {
        let mut at = *joint;
        while let Some(parent) = rig.skeleton().joint(at).parent.filter(|parent| above.insert(*parent)) {
            at = parent;
        }
    }
    for joint in above {
        let json = rig.skeleton().joint(joint);
        let scale = json.rest.scale.abs();
        let is_about = |size: f64| (scale.max() - size).abs() < 0.01 * size && (scale.min() - size).abs() < 0.01 * size;
        if is_about(0.01) || is_about(100.0) {
            let message = format_args!(
                "joint {} is scaled by {:.3}, which looks like centimeters taken for meters: in other programs the rig may be 100 times too large or small; apply the scale in Blender (Ctrl A, Scale) before animating",
                rig.name(joint),
                scale.max()
            );
            issues.add("RIGVIEW_UNIT_SCALE", format_args!("/nodes/{}", json.node), message);
        }
    }
}

/// The number of meshes that are shown with skins.
pub(super) fn skinned_drawables(model: &Model) -> usize {
    model.scenes.iter().flat_map(|scene| &scene.drawables).filter(|drawable| drawable.skin.is_some()).count()
}
