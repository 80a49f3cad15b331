//! Differences between skin weights.

use super::joints::Matched;
use rigview_core::model::{JointIndex, Mesh, Model, Primitive, Skin};
use serde::Serialize;
use std::collections::BTreeMap;

/// Less than one step of an 8-bit weight.
const SAME_WEIGHT: f64 = 0.003;

/// Difference of the weights of a joint on a mesh.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct WeightsDiff {
    pub(crate) mesh: String,
    pub(crate) joint: String,
    /// Numbers of vertices with a weight, before and after.
    pub(crate) vertices: [usize; 2],
    /// Number of vertices with a different weight; `None` if the vertex counts differ.
    pub(crate) changed: Option<usize>,
    /// Maximum difference of a weight; difference of the mean weights if the vertex counts differ.
    pub(crate) largest: f64,
}

/// Vertex indices and weights by joint, in vertex order.
type Weights = BTreeMap<JointIndex, Vec<(usize, f64)>>;

/// Returns the joints whose weights on a mesh of the same name differ.
pub(crate) fn differences(before: &Model, after: &Model, matched: &Matched) -> Vec<WeightsDiff> {
    let mut differences = Vec::new();
    let after = skinned(after);
    for (name, (mesh, skin)) in skinned(before) {
        let Some((other, other_skin)) = after.get(&name) else { continue };
        let (old, old_count) = weights(mesh, skin);
        let (new, new_count) = weights(other, other_skin);
        // Joints of either model, as pairs of matches.
        let mut joints: Vec<(Option<JointIndex>, Option<JointIndex>)> =
            old.keys().map(|joint| (Some(*joint), matched.after_of[joint.get()])).collect();
        joints.extend(new.keys().map(|joint| (matched.before_of[joint.get()], Some(*joint))));
        joints.sort();
        joints.dedup();
        for (was, is) in joints {
            let of = |weights: &Weights, joint: Option<JointIndex>| {
                joint.and_then(|joint| weights.get(&joint)).cloned().unwrap_or_default()
            };
            let (a, b) = (of(&old, was), of(&new, is));
            let (changed, largest) = if old_count == new_count {
                let (changed, largest) = compare(&a, &b);
                (Some(changed), largest)
            } else {
                let mean =
                    |w: &[(usize, f64)], count: usize| w.iter().map(|(_, w)| w).sum::<f64>() / count.max(1) as f64;
                (None, (mean(&b, new_count) - mean(&a, old_count)).abs())
            };
            if largest > SAME_WEIGHT {
                let joint = match (is, was) {
                    (Some(is), _) => matched.after(is),
                    (None, Some(was)) => matched.before(was),
                    (None, None) => continue,
                };
                differences.push(WeightsDiff {
                    mesh: name.clone(),
                    joint: joint.to_owned(),
                    vertices: [a.len(), b.len()],
                    changed,
                    largest,
                });
            }
        }
    }
    differences
}

/// Returns skinned meshes by name, each with its first skin.
fn skinned(model: &Model) -> BTreeMap<String, (&Mesh, &Skin)> {
    let mut found = BTreeMap::new();
    for mesh_node in model.scenes.iter().flat_map(|scene| &scene.mesh_nodes) {
        if let Some(skin) = mesh_node.skin {
            let mesh = &model.meshes[mesh_node.mesh.get()];
            let name = mesh.name.clone().unwrap_or_else(|| format!("mesh {}", mesh_node.mesh));
            found.entry(name).or_insert((mesh, &model.skins[skin.get()]));
        }
    }
    found
}

fn weights(mesh: &Mesh, skin: &Skin) -> (Weights, usize) {
    let (mut weights, mut count) = (Weights::new(), 0);
    let influences = |primitive: &Primitive| primitive.vertices.influences.clone();
    for primitive in &mesh.primitives {
        if let Some(influences) = influences(primitive) {
            for vertex in 0..primitive.vertices.positions.len() {
                for (slot, weight) in influences.of_vertex(vertex).filter(|(_, weight)| *weight > 0.0) {
                    let joint = skin.joints[usize::from(slot.0)];
                    let vertices = weights.entry(joint).or_default();
                    match vertices.last_mut() {
                        Some((last, sum)) if *last == count + vertex => *sum += f64::from(weight),
                        _ => vertices.push((count + vertex, f64::from(weight))),
                    }
                }
            }
        }
        count += primitive.vertices.positions.len();
    }
    (weights, count)
}

/// Returns the number of different weights and their maximum difference.
fn compare(a: &[(usize, f64)], b: &[(usize, f64)]) -> (usize, f64) {
    let mut both: BTreeMap<usize, [f64; 2]> = BTreeMap::new();
    a.iter().for_each(|(vertex, weight)| both.entry(*vertex).or_default()[0] = *weight);
    b.iter().for_each(|(vertex, weight)| both.entry(*vertex).or_default()[1] = *weight);
    let differences = both.values().map(|[a, b]| (a - b).abs());
    (differences.clone().filter(|d| *d > SAME_WEIGHT).count(), differences.fold(0.0, f64::max))
}
