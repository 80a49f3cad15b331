//! Lints of copies: parts that are drawn twice in one place, and parts that stand still beside others of their kind that turn.

use super::rest_rig::RestRig;
use crate::issue::Issues;
use nalgebra::Vector3;
use rigview_core::model::{JointIndex, Mesh, MeshIndex};
use rigview_core::pose::MovingPart;
use rigview_core::util::hash::{FNV_OFFSET_BASIS, fnv1a};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Cosine of the largest angle between parallel axes.
const PARALLEL: f64 = 0.999;

/// Number of copies that turn together, of which one more must be meant to.
const MIN_TOGETHER: usize = 3;

/// What the clips of a file move, all together.
pub(super) struct PartMotion {
    moves: Vec<bool>,
    /// `true` for shafts: joints that make whole turns and are in no skin.
    turns: Vec<bool>,
    /// The axis in model space along which such a joint turns counterclockwise, in the first clip that turns it.
    directions: Vec<Option<Vector3<f64>>>,
}

impl PartMotion {
    pub(super) fn new(rig: &RestRig<'_>) -> Self {
        let count = rig.skeleton().len();
        Self { moves: vec![false; count], turns: vec![false; count], directions: vec![None; count] }
    }

    /// Adds the moving parts of a clip.
    pub(super) fn add(&mut self, parts: &[MovingPart], in_skins: &HashSet<JointIndex>) {
        for part in parts {
            let joint = part.joint.get();
            self.moves[joint] = true;
            let rotation = part.rotation.as_ref().filter(|_| !in_skins.contains(&part.joint));
            if let Some((rotation, turns)) = rotation.and_then(|rotation| Some((rotation, rotation.whole_turns()?))) {
                self.turns[joint] = true;
                self.directions[joint].get_or_insert(rotation.axis_in_model.into_inner() * turns.signum());
            }
        }
    }
}

pub(super) fn check(rig: &RestRig<'_>, motion: &PartMotion, issues: &mut Issues) {
    let mesh_nodes = &rig.model.scenes[rig.model.default_scene.get()].mesh_nodes;
    let meshes: HashSet<MeshIndex> =
        mesh_nodes.iter().filter(|node| node.skin.is_none()).map(|node| node.mesh).collect();
    let hashes = meshes.into_iter().map(|mesh| (mesh, hash_of(&rig.model.meshes[mesh.get()]))).collect();
    check_places(rig, &hashes, issues);
    if motion.turns.contains(&true) {
        let kinds = kinds(rig, &hashes);
        check_still_copies(rig, motion, &kinds, issues);
        check_directions(rig, motion, &kinds, issues);
    }
}

/// Reports parts that no clip moves, beside parts with the same mesh that turn: siblings, or one of several that a turning part carries.
fn check_still_copies(rig: &RestRig<'_>, motion: &PartMotion, kinds: &[u64], issues: &mut Issues) {
    let joints = rig.skeleton().joints();
    // Whether the joint or an ancestor turns. Parents precede their children.
    let mut is_carried = motion.turns.clone();
    for (i, joint) in joints.iter().enumerate() {
        is_carried[i] |= joint.parent.is_some_and(|parent| is_carried[parent.get()]);
    }
    let is_still = |i: usize| !motion.moves[i] && !is_carried[i];
    let mut siblings: HashMap<(Option<JointIndex>, u64), Vec<usize>> = HashMap::new();
    let mut series: HashMap<(&str, u64), Vec<usize>> = HashMap::new();
    for (i, joint) in joints.iter().enumerate().filter(|(i, _)| kinds[*i] != 0) {
        siblings.entry((joint.parent, kinds[i])).or_default().push(i);
        if let Some(name) = joint.name.as_deref() {
            series.entry((stem(name), kinds[i])).or_default().push(i);
        }
    }
    let mut found = Vec::new();
    for parts in siblings.values() {
        let turning = parts.iter().find(|part| motion.turns[**part]);
        // What carries their parent carries all of them.
        let still: Vec<usize> = parts.iter().copied().filter(|part| !motion.moves[*part]).collect();
        if let Some(turning) = turning.filter(|_| 2 * still.len() <= parts.len()) {
            found.extend(still.into_iter().map(|still| (still, *turning)));
        }
    }
    for parts in series.values() {
        let carried = parts.iter().filter(|part| is_carried[**part] && !motion.turns[**part]);
        let still: Vec<usize> = parts.iter().copied().filter(|part| is_still(*part)).collect();
        if still.len() == 1 && carried.clone().count() >= MIN_TOGETHER {
            found.extend(carried.take(1).map(|carried| (still[0], *carried)));
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|(still, _)| *still);
    let name = |joint: usize| rig.name(JointIndex(joint as u32));
    for (still, turning) in found {
        let message = format_args!(
            "{} stands still, but {} with the same mesh turns; if it is meant to turn, too: in Blender, bake its driver or constraint (Object > Animation > Bake Action), or set its parent to the part that turns (Ctrl P)",
            name(still),
            name(turning)
        );
        issues.add("RIGVIEW_PART_STANDS_STILL", format_args!("/nodes/{}", joints[still].node), message);
    }
}

/// Returns the kind of each joint: that of its mesh, or of what it carries; 0 without a mesh.
fn kinds(rig: &RestRig<'_>, hashes: &HashMap<MeshIndex, u64>) -> Vec<u64> {
    let joints = rig.skeleton().joints();
    let mut kinds: Vec<u64> = vec![0; joints.len()];
    for (i, joint) in joints.iter().enumerate().rev() {
        let mesh = rig.mesh_nodes.get(&JointIndex(i as u32)).and_then(|node| hashes.get(&node.mesh));
        kinds[i] = mesh.copied().unwrap_or(kinds[i]);
        if let Some(parent) = joint.parent {
            kinds[parent.get()] = kinds[parent.get()].wrapping_add(kinds[i].rotate_left(1));
        }
    }
    kinds
}

/// Reports the only part of its kind that turns backward, if all others turn one way about parallel axes. Of gears, as many turn each way.
fn check_directions(rig: &RestRig<'_>, motion: &PartMotion, kinds: &[u64], issues: &mut Issues) {
    let mut copies: BTreeMap<u64, Vec<(usize, Vector3<f64>)>> = BTreeMap::new();
    for (joint, direction) in motion.directions.iter().enumerate().filter(|(joint, _)| kinds[*joint] != 0) {
        copies.entry(kinds[joint]).or_default().extend(direction.map(|direction| (joint, direction)));
    }
    for parts in copies.into_values().filter(|parts| parts.len() > MIN_TOGETHER) {
        // Two of the first three turn as the others do.
        let [a, b, c] = [parts[0].1, parts[1].1, parts[2].1];
        let common = if a.dot(&b) > 0.0 || a.dot(&c) > 0.0 { a } else { b };
        if parts.iter().any(|(_, direction)| direction.dot(&common).abs() < PARALLEL) {
            continue;
        }
        let backward: Vec<usize> =
            parts.iter().filter(|(_, direction)| direction.dot(&common) < 0.0).map(|(joint, _)| *joint).collect();
        if let [joint] = backward[..] {
            let message = format_args!(
                "{} turns backward: {} others with the same mesh turn the other way about parallel axes; if that is not meant, mirror its rotation curves in Blender's Graph Editor (Key > Mirror > By Values over Zero Value)",
                rig.name(JointIndex(joint as u32)),
                parts.len() - 1
            );
            issues.add(
                "RIGVIEW_TURN_BACKWARD",
                format_args!("/nodes/{}", rig.skeleton().joints()[joint].node),
                message,
            );
        }
    }
}

/// The part of a name before its number.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '_' | '-' | ' '))
}

/// Reports meshes of equal vertices in one place, whose surfaces flicker.
fn check_places(rig: &RestRig<'_>, hashes: &HashMap<MeshIndex, u64>, issues: &mut Issues) {
    let scene = &rig.model.scenes[rig.model.default_scene.get()];
    let mut first: HashMap<(u64, [u64; 12]), JointIndex> = HashMap::new();
    let mut copies = Vec::new();
    for node in scene.mesh_nodes.iter().filter(|node| node.skin.is_none()) {
        let mesh = &rig.model.meshes[node.mesh.get()];
        let hash = hashes[&node.mesh];
        let map = rig.model_from_joint(node.joint);
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
