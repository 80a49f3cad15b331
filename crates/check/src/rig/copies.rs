//! Lints of copies: parts that are drawn twice in one place, and parts that stand still beside others of their kind that turn.

use super::rest_rig::RestRig;
use crate::issue::Issues;
use rigview_core::model::{JointIndex, Mesh, MeshIndex};
use rigview_core::pose::MovingPart;
use rigview_core::util::hash::{FNV_OFFSET_BASIS, fnv1a};
use std::collections::{HashMap, HashSet};

/// Number of copies that turn together, of which one more must be meant to.
const MIN_TOGETHER: usize = 3;

/// What the clips of a file move, all together.
pub(super) struct PartMotion {
    moves: Vec<bool>,
    /// `true` for shafts: joints that make whole turns and are in no skin.
    turns: Vec<bool>,
}

impl PartMotion {
    pub(super) fn new(rig: &RestRig<'_>) -> Self {
        let count = rig.skeleton().len();
        Self { moves: vec![false; count], turns: vec![false; count] }
    }

    /// Adds the moving parts of a clip.
    pub(super) fn add(&mut self, parts: &[MovingPart], in_skins: &HashSet<JointIndex>) {
        for part in parts {
            let turns = part.rotation.as_ref().is_some_and(|rotation| rotation.whole_turns().is_some());
            self.moves[part.joint.get()] = true;
            self.turns[part.joint.get()] |= turns && !in_skins.contains(&part.joint);
        }
    }
}

pub(super) fn check(rig: &RestRig<'_>, motion: &PartMotion, issues: &mut Issues) {
    let mesh_nodes = &rig.model.scenes[rig.model.default_scene.get()].mesh_nodes;
    let meshes: HashSet<MeshIndex> =
        mesh_nodes.iter().filter(|node| node.skin.is_none()).map(|node| node.mesh).collect();
    let hashes = meshes.into_iter().map(|mesh| (mesh, hash_of(&rig.model.meshes[mesh.get()]))).collect();
    check_places(rig, &hashes, issues);
    check_still_copies(rig, motion, &hashes, issues);
}

/// Reports parts that no clip moves, beside parts with the same mesh that turn: siblings, or one of several that a turning part carries.
fn check_still_copies(rig: &RestRig<'_>, motion: &PartMotion, hashes: &HashMap<MeshIndex, u64>, issues: &mut Issues) {
    if !motion.turns.contains(&true) {
        return;
    }
    let joints = rig.skeleton().joints();
    // Whether the joint or an ancestor turns. Parents precede their children.
    let mut is_carried = motion.turns.clone();
    for (i, joint) in joints.iter().enumerate() {
        is_carried[i] |= joint.parent.is_some_and(|parent| is_carried[parent.get()]);
    }
    // A joint without a mesh is of the kind of what it carries.
    let mut kinds: Vec<u64> = vec![0; joints.len()];
    for (i, joint) in joints.iter().enumerate().rev() {
        let mesh = rig.mesh_nodes.get(&JointIndex(i as u32)).and_then(|node| hashes.get(&node.mesh));
        kinds[i] = mesh.copied().unwrap_or(kinds[i]);
        if let Some(parent) = joint.parent {
            kinds[parent.get()] = kinds[parent.get()].wrapping_add(kinds[i].rotate_left(1));
        }
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
        let still: Vec<usize> = parts.iter().copied().filter(|part| is_still(*part)).collect();
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
