//! Lints of mechanical motion: parts that turn, and copies of parts.

use super::rest_rig::RestRig;
use crate::issue::Issues;
use nalgebra::{Matrix3x2, Unit, Vector3};
use rigview_core::math::Aabb;
use rigview_core::model::{Clip, JointIndex, Mesh, MeshIndex};
use rigview_core::pose::{MovingPart, PartRotation, moving_parts};
use rigview_core::util::hash::{FNV_OFFSET_BASIS, fnv1a};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::f64::consts::PI;

/// Angle between two keys whose direction is ambiguous, in radians: half a turn, less the rounding of a quaternion.
const AMBIGUOUS: f64 = 0.98 * PI;
/// Difference of the speeds at the seam of a loop, relative to the mean speed, that is visible.
const SPEED_JUMP: f64 = 0.5;
/// Speed at both ends of a loop, relative to the mean speed, that looks like a stop.
const STOP: f64 = 0.1;
/// Wobble of an axis that is visible, in radians.
const WOBBLE: f64 = 0.05;
/// Smallest swing that shears visibly below a non-uniform scale, in radians.
const SHEARING_SWING: f64 = 0.1;
/// Ratio of two scales that shears visibly.
const SHEARING_RATIO: f64 = 1.02;
/// Part of the size of a mesh by which an axis may pass beside it.
const AXIS_MARGIN: f64 = 0.1;

pub(super) fn check(rig: &RestRig<'_>, issues: &mut Issues) {
    let (mut meshes, rest_pose) = (OwnMeshes::new(rig), rig.skeleton().rest_model_pose());
    let in_skins: HashSet<JointIndex> = rig.model.skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
    for (i, clip) in rig.model.clips.iter().enumerate() {
        let at = format!("/animations/{i}");
        let parts = moving_parts(rig.model, &rest_pose, clip);
        // A clip of one key is a pose.
        let is_still = parts.is_empty() && clip.property_tracks.is_empty();
        if is_still && clip.duration_secs > clip.first_key_secs && !clip.tracks.is_empty() {
            issues.add("RIGVIEW_CLIP_MOVES_NOTHING", &at, format_args!("{}", moves_nothing(rig, clip)));
        }
        check_rotations(rig, &parts, &at, issues, &mut meshes, &in_skins);
    }
    check_copies(rig, issues);
}

fn moves_nothing(rig: &RestRig<'_>, clip: &Clip) -> String {
    let mut joints: Vec<JointIndex> = clip.tracks.iter().map(|track| track.joint).collect();
    joints.dedup();
    format!(
        "nothing moves, because the keys of each track are equal: {}; two keys that are 360 degrees apart are the same rotation in glTF: tick Always Sample Animations in Blender's export",
        rig.names(&joints)
    )
}

/// The lints of rotations; one issue of each code per clip, which names the first parts.
fn check_rotations(
    rig: &RestRig<'_>,
    parts: &[MovingPart],
    at: &str,
    issues: &mut Issues,
    meshes: &mut OwnMeshes<'_>,
    in_skins: &HashSet<JointIndex>,
) {
    let mut found: BTreeMap<&'static str, Vec<(String, &'static str)>> = BTreeMap::new();
    let rotations = parts.iter().filter_map(|part| Some((part.joint, part.rotation.as_ref()?)));
    for (joint, rotation) in rotations {
        let mut add = |code, text: String, remedy| {
            found.entry(code).or_default().push((format!("{} {text}", rig.name(joint)), remedy));
        };
        if rotation.longest_step > AMBIGUOUS {
            let text = format!("turns by {:.0} degrees between two keys", rotation.longest_step.to_degrees());
            add(
                "RIGVIEW_TURN_AMBIGUOUS",
                text,
                "which way it turns is not defined; set a key at least every 90 degrees, or tick Always Sample Animations in Blender's export",
            );
        }
        // Those of skins have RIGVIEW_JOINT_NON_UNIFORM_SCALE.
        if let Some(ratio) = shear_ratio(rig, joint, rotation).filter(|_| !in_skins.contains(&joint)) {
            let text = format!("turns below a scale whose axes differ by a factor of {ratio:.2}");
            add(
                "RIGVIEW_TURN_SHEARS",
                text,
                "it is sheared as it turns; apply the scale of its parents in Blender (Ctrl+A, Scale), unless they are animated",
            );
        }
        // A character that turns is no shaft.
        let is_shaft = rotation.wobble <= WOBBLE;
        if rotation.whole_turns().is_none() || (in_skins.contains(&joint) && !is_shaft) {
            continue;
        }
        let ([first, last], mean) = (rotation.end_rpm, rotation.rpm[1]);
        if (first - last).abs() > SPEED_JUMP * mean.abs() || first.abs().max(last.abs()) < STOP * mean.abs() {
            let text = format!(
                "turns with {last:.1} rpm at the end of the loop and {first:.1} at its start, with {mean:.1} in the mean"
            );
            add(
                "RIGVIEW_TURN_STOPS_IN_LOOP",
                text,
                "if it is meant to turn evenly, select the keys in Blender's Graph Editor and set Interpolation Mode (T) to Linear",
            );
        } else if rotation.still_secs > 0.0 {
            let text = format!("stands still for {:.3} s in its turn", rotation.still_secs);
            add(
                "RIGVIEW_TURN_STUTTERS",
                text,
                "delete the repeated keys, and set the end of the action to its last key",
            );
        }
        if !is_shaft {
            let text = format!("turns about an axis that wobbles by {:.1} degrees", rotation.wobble.to_degrees());
            add("RIGVIEW_TURN_WOBBLES", text, "if it is a shaft, key the rotation about one axis only");
        }
        if let Some(distance) = meshes.distance_from_axis(joint, rotation) {
            let text = format!("turns about an axis {distance:.2} m beside its mesh");
            add(
                "RIGVIEW_TURN_ORBITS",
                text,
                "if it is meant to turn in place, set its origin in Blender: Object > Set Origin > Origin to Geometry",
            );
        }
    }
    for (code, texts) in found {
        let (first, remedy) = &texts[0];
        let others = if texts.len() > 1 { format!(", and {} more", texts.len() - 1) } else { String::new() };
        issues.add(code, at, format_args!("{first}{others}; {remedy}"));
    }
}

/// Returns the ratio of the scales across the axis of a rotation that its parents have at rest, if it shears.
fn shear_ratio(rig: &RestRig<'_>, joint: JointIndex, rotation: &PartRotation) -> Option<f64> {
    let swing = rotation.range[1] - rotation.range[0];
    let parent = rig.skeleton().joint(joint).parent.filter(|_| swing > SHEARING_SWING)?;
    let linear = rig.pose.model_from_joint(parent).linear;
    let axis = linear.try_inverse()? * rotation.axis_in_model.into_inner();
    let axis = Unit::try_new(axis, 0.0)?;
    let u = axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize();
    let across = linear * Matrix3x2::from_columns(&[u, axis.cross(&u)]);
    let scales = (across.transpose() * across).symmetric_eigenvalues().map(|x| x.max(0.0).sqrt());
    let ratio = scales.max() / scales.min();
    (ratio > SHEARING_RATIO && ratio.is_finite()).then_some(ratio)
}

/// The rigid mesh of each joint that has one, and the bounds of those that were needed.
struct OwnMeshes<'a> {
    rig: &'a RestRig<'a>,
    of_joints: HashMap<JointIndex, MeshIndex>,
    bounds: HashMap<MeshIndex, Aabb>,
}

impl<'a> OwnMeshes<'a> {
    fn new(rig: &'a RestRig<'a>) -> Self {
        let nodes = rig.model.scenes.iter().flat_map(|scene| &scene.mesh_nodes).filter(|node| node.skin.is_none());
        Self { rig, of_joints: nodes.map(|node| (node.joint, node.mesh)).collect(), bounds: HashMap::new() }
    }

    /// Returns the distance in meters from the axis of a rotation to the box of the joint's own mesh, if it passes beside the box.
    fn distance_from_axis(&mut self, joint: JointIndex, rotation: &PartRotation) -> Option<f64> {
        let index = *self.of_joints.get(&joint)?;
        let bounds = self.bounds.entry(index).or_insert_with(|| bounds_of(&self.rig.model.meshes[index.get()]));
        let (center, half) = ((bounds.min + bounds.max) / 2.0, (bounds.max - bounds.min) / 2.0);
        let axis = rotation.axis_in_joint.into_inner();
        // The point of the axis nearest to the center.
        let offset = axis * center.dot(&axis) - center;
        let outside = (offset.abs() - half).sup(&Vector3::zeros());
        let is_beside = outside.norm() > AXIS_MARGIN * half.norm();
        is_beside.then(|| (self.rig.pose.model_from_joint(joint).linear * offset).norm())
    }
}

fn bounds_of(mesh: &Mesh) -> Aabb {
    let mut bounds = Aabb::EMPTY;
    let positions = mesh.primitives.iter().flat_map(|primitive| &primitive.vertices.positions);
    positions.for_each(|position| bounds.add(Vector3::from(*position).cast()));
    bounds
}

/// Reports meshes of equal vertices in one place, whose surfaces flicker.
fn check_copies(rig: &RestRig<'_>, issues: &mut Issues) {
    let mut hashes: HashMap<MeshIndex, u64> = HashMap::new();
    let scene = &rig.model.scenes[rig.model.default_scene.get()];
    let mut first: HashMap<(u64, [u64; 12]), JointIndex> = HashMap::new();
    let mut copies = Vec::new();
    for node in scene.mesh_nodes.iter().filter(|node| node.skin.is_none()) {
        let mesh = &rig.model.meshes[node.mesh.get()];
        let hash = *hashes.entry(node.mesh).or_insert_with(|| hash_of(mesh));
        let map = rig.pose.model_from_joint(node.joint);
        let numbers = map.linear.iter().chain(&map.translation);
        let mut place = [0; 12];
        place.iter_mut().zip(numbers).for_each(|(out, x)| *out = f64::from(*x as f32).to_bits());
        if *first.entry((hash, place)).or_insert(node.joint) != node.joint && !mesh.primitives.is_empty() {
            copies.push(node.joint);
        }
    }
    if let Some(joint) = copies.first() {
        let names = rig.names(&copies);
        let message =
            format_args!("drawn twice in one place, so that the surfaces flicker: {names}; delete the copy in Blender");
        issues.add("RIGVIEW_MESH_DRAWN_TWICE", format!("/nodes/{}", rig.skeleton().joint(*joint).node), message);
    }
}

/// Hash of the positions and indices of a mesh.
fn hash_of(mesh: &Mesh) -> u64 {
    mesh.primitives.iter().fold(FNV_OFFSET_BASIS, |hash, primitive| {
        let positions = primitive.vertices.positions.iter().flatten().flat_map(|x| x.to_bits().to_le_bytes());
        let indices = primitive.indices.iter().flat_map(|indices| indices.iter());
        let hash = fnv1a(hash, positions);
        fnv1a(hash, indices.flat_map(|index| index.to_le_bytes()))
    })
}
