//! Lints of meshes: black vertex colors, parts without weights, parts out of scale or far apart, distance from the origin.

use super::rest_rig::RestRig;
use crate::issue::Issues;
use nalgebra::Vector3;
use rigview_core::math::Aabb;
use rigview_core::model::{JointIndex, MeshNode, Primitive, Skin};
use std::collections::{BTreeMap, BTreeSet};

/// Ratio of the sizes of a skinned part and of its skin's joints above which their units differ.
const MAX_SIZE_RATIO: f64 = 100.0;

/// Distance of a model from the origin, in diagonals of its bounds, above which single precision is too coarse.
const MAX_ORIGIN_DISTANCE: f64 = 1e4;

/// Spacing of 32-bit floats at a part, in diagonals of the part, that is too coarse.
const MAX_COARSENESS: f64 = 1e-3;

/// Size of a model, in diagonals of its largest part, above which its parts are too small to see.
const MAX_SPREAD: f64 = 1e4;

pub(super) fn check(rig: &RestRig<'_>, issues: &mut Issues) {
    check_colors(rig, issues);
    let model = rig.model;
    let mut bounds = Aabb::EMPTY;
    let (mut largest_part, mut farthest) = (0.0_f64, (0.0, JointIndex::default()));
    let mut coarsest = (0.0, 0.0, 0.0, JointIndex::default());
    // Each mesh and each skin is measured once, however many nodes have them.
    let (mut rigid_parts, mut skinned, mut joint_bounds) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
    for mesh_node in model.scenes.iter().flat_map(|scene| &scene.mesh_nodes) {
        let primitives = &model.meshes[mesh_node.mesh.get()].primitives;
        let Some(skin_index) = mesh_node.skin else {
            let local = |primitive: &Primitive| Aabb::from_positions(&primitive.vertices.positions);
            let parts =
                rigid_parts.entry(mesh_node.mesh).or_insert_with(|| primitives.iter().map(local).collect::<Vec<_>>());
            let model_from_mesh = rig.model_from_joint(mesh_node.joint);
            let mut part = Aabb::EMPTY;
            for corner in parts.iter().filter(|part| !part.is_empty()).flat_map(Aabb::corners) {
                part.add(model_from_mesh.transform_point(corner));
            }
            if !part.is_empty() {
                bounds.merge(&part);
                largest_part = largest_part.max(part.diagonal());
                let (spacing, size) = (spacing_of_floats(part.min.amax().max(part.max.amax())), part.diagonal());
                if size > 0.0 && spacing / size > coarsest.0 {
                    coarsest = (spacing / size, spacing, size, mesh_node.joint);
                }
                let distance = part.center().norm();
                farthest = if distance > farthest.0 { (distance, mesh_node.joint) } else { farthest };
            }
            continue;
        };
        if !skinned.insert(mesh_node.mesh) {
            continue;
        }
        check_weights(mesh_node, primitives, issues);
        let skin = &model.skins[skin_index.get()];
        let joints = joint_bounds.entry(skin_index).or_insert_with(|| {
            let mut joints = Aabb::EMPTY;
            skin.joints.iter().for_each(|joint| joints.add(rig.model_from_joint(*joint).translation));
            joints
        });
        let parts: Vec<SkinnedPart> =
            primitives.iter().map(|primitive| SkinnedPart::new(rig, skin, primitive)).collect();
        for part in &parts {
            bounds.merge(&part.vertices);
            largest_part = largest_part.max(if part.vertices.is_empty() { 0.0 } else { part.vertices.diagonal() });
        }
        check_size(mesh_node, &parts, joints, issues);
    }
    let (center, size) = (bounds.center(), bounds.diagonal());
    let distance = center.norm();
    if !bounds.is_empty() && size > 0.0 && distance.is_finite() && distance > MAX_ORIGIN_DISTANCE * size {
        let message = format_args!(
            "the model of {size:.3} m is {distance:.0} m from the origin, too far for the single precision of viewers; in Blender, move it to the origin and apply the location (Ctrl A)"
        );
        issues.add("RIGVIEW_FAR_FROM_ORIGIN", "", message);
    } else if coarsest.0 > MAX_COARSENESS {
        let (_, spacing, size, joint) = coarsest;
        let message = format_args!(
            "{} of {size:.3} m is so far from the origin that 32-bit floats are {:.3} mm apart there: in viewers and engines that use them, its vertices are displaced and jitter; in Blender, move the model to the origin",
            rig.name(joint),
            spacing * 1e3
        );
        issues.add("RIGVIEW_COARSE_POSITIONS", format_args!("/nodes/{}", model.skeleton.joint(joint).node), message);
    }
    if largest_part > 0.0 && size.is_finite() && size > MAX_SPREAD * largest_part {
        let message = format_args!(
            "the parts, of {largest_part:.3} m at most, are {size:.0} m apart, so that all are too small to see; this one is {:.0} m from the origin: in Blender, delete it or clear its location (Alt G)",
            farthest.0
        );
        issues.add(
            "RIGVIEW_PARTS_FAR_APART",
            format_args!("/nodes/{}", model.skeleton.joint(farthest.1).node),
            message,
        );
    }
}

/// Returns the spacing of 32-bit floats at a number.
fn spacing_of_floats(x: f64) -> f64 {
    let x = x as f32;
    f64::from(x.next_up()) - f64::from(x)
}

/// Reports primitives whose vertex colors are all black.
fn check_colors(rig: &RestRig<'_>, issues: &mut Issues) {
    for (i, mesh) in rig.model.meshes.iter().enumerate() {
        let is_black = |primitive: &&Primitive| {
            let colors = primitive.vertices.colors.as_deref().unwrap_or_default();
            !colors.is_empty() && colors.iter().all(|[r, g, b, _]| [*r, *g, *b] == [0.0; 3])
        };
        let count = mesh.primitives.iter().filter(is_black).count();
        if count > 0 {
            let message = format_args!(
                "all vertex colors of {count} of {} primitives are 0, so that the surface is black; in Blender, delete the color attribute, or paint it",
                mesh.primitives.len()
            );
            issues.add("RIGVIEW_BLACK_VERTEX_COLORS", format_args!("/meshes/{i}"), message);
        }
    }
}

/// Reports a mesh of which some primitives follow the skin, and others do not.
fn check_weights(mesh_node: &MeshNode, primitives: &[Primitive], issues: &mut Issues) {
    let rigid = primitives.iter().filter(|primitive| primitive.vertices.influences.is_none()).count();
    if rigid > 0 && rigid < primitives.len() {
        let message = format_args!(
            "{rigid} of {} primitives have no weights, and stay behind when the others move; in Blender, assign their vertices to vertex groups",
            primitives.len()
        );
        issues.add("RIGVIEW_PARTIALLY_SKINNED", format_args!("/meshes/{}", mesh_node.mesh), message);
    }
}

/// Reports skinned parts that are far larger than all joints, or far smaller than the distances of the joints that they follow.
///
/// A small part of a large model, such as a button, follows neighboring joints.
fn check_size(mesh_node: &MeshNode, parts: &[SkinnedPart], joints: &Aabb, issues: &mut Issues) {
    let size = |bounds: &Aabb| if bounds.is_empty() { 0.0 } else { bounds.diagonal() };
    for part in parts {
        let [vertices, followed, joints] = [&part.vertices, &part.joints, joints].map(size);
        let is_large = joints > 0.0 && vertices > MAX_SIZE_RATIO * joints;
        let is_small = vertices > 0.0 && followed > MAX_SIZE_RATIO * vertices;
        if is_large || is_small {
            let joints = if is_large { joints } else { followed };
            let message = format_args!(
                "a part of {vertices:.5} m follows joints that are {joints:.5} m apart, which suggests other units; in Blender, apply the scale of the mesh and the armature (Ctrl A, Scale)"
            );
            issues.add("RIGVIEW_PART_OUT_OF_SCALE", format_args!("/meshes/{}", mesh_node.mesh), message);
            return;
        }
    }
}

/// Bounds of a primitive in the rest pose, each vertex with its largest influence.
struct SkinnedPart {
    vertices: Aabb,
    /// Contains the joints of these influences.
    joints: Aabb,
}

impl SkinnedPart {
    fn new(rig: &RestRig<'_>, skin: &Skin, primitive: &Primitive) -> Self {
        let mut part = Self { vertices: Aabb::EMPTY, joints: Aabb::EMPTY };
        let Some(influences) = &primitive.vertices.influences else { return part };
        for (vertex, position) in primitive.vertices.positions.iter().enumerate() {
            let largest = influences.of_vertex(vertex).max_by(|(_, a), (_, b)| a.total_cmp(b));
            let slot = largest.map_or(0, |(slot, _)| slot.get());
            let (Some(joint), Some(joint_from_mesh)) = (skin.joints.get(slot), skin.joint_from_mesh.get(slot)) else {
                continue;
            };
            let in_joint = joint_from_mesh.transform_point(Vector3::from(*position).cast());
            let model_from_joint = rig.model_from_joint(*joint);
            let point = model_from_joint.transform_point(in_joint);
            if point.iter().all(|x| x.is_finite()) {
                part.vertices.add(point);
                part.joints.add(model_from_joint.translation);
            }
        }
        part
    }
}
