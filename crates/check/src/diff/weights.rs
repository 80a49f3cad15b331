//! Differences between skin weights.

use super::context::Context;
use super::tolerances::Quantity;
use super::values::{Array, Comparer, Components};
use rigview_core::model::{Influences, Mesh, SkinIndex, SkinSlot, Vertices};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

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

/// Weights of a joint on the vertices of a mesh.
#[derive(Default)]
struct Stats {
    vertices: [usize; 2],
    sums: [f64; 2],
    changed: usize,
    largest: f64,
}

/// Comparison of the weights of all meshes.
pub(crate) struct WeightComparer<'a> {
    context: &'a Context<'a>,
    /// The first skin of each mesh, of both models.
    skins: [HashMap<usize, SkinIndex>; 2],
    /// Pairs of vertices and skins that were compared: primitives share vertices.
    compared: HashSet<([usize; 2], [Option<SkinIndex>; 2])>,
}

impl<'a> WeightComparer<'a> {
    pub(crate) fn new(context: &'a Context<'a>) -> Self {
        let skins = context.models.map(|model| {
            let mut skins = HashMap::new();
            for mesh_node in model.scenes.iter().flat_map(|scene| &scene.mesh_nodes) {
                if let Some(skin) = mesh_node.skin {
                    skins.entry(mesh_node.mesh.get()).or_insert(skin);
                }
            }
            skins
        });
        Self { context, skins, compared: HashSet::new() }
    }

    /// Returns the joints whose weights on a mesh differ. Shared vertices are reported for the first mesh that has them.
    pub(crate) fn differences(&mut self, name: &str, indices: [usize; 2], comparer: &mut Comparer) -> Vec<WeightsDiff> {
        let context = self.context;
        let meshes: [&Mesh; 2] = [0, 1].map(|side| &context.models[side].meshes[indices[side]]);
        // Without skins, slots are compared.
        let skins = match [0, 1].map(|side| self.skins[side].get(&indices[side]).copied()) {
            [Some(a), Some(b)] => [Some(a), Some(b)],
            _ => [None; 2],
        };
        let path = |joint: usize| match skins[0] {
            Some(_) => context.joints.path(joint).to_owned(),
            None => format!("slot {joint}"),
        };
        let result = |joint: usize, stats: &Stats, changed: Option<usize>, largest: f64| WeightsDiff {
            mesh: name.to_owned(),
            joint: path(joint),
            vertices: stats.vertices,
            changed,
            largest,
        };
        let mut joints: BTreeMap<usize, Stats> = BTreeMap::new();
        let mut add = |side: usize, vertices: &Vertices| {
            let Some(influences) = &vertices.influences else { return };
            for vertex in 0..vertices.positions.len() {
                for (joint, weight) in weights(context, side, skins[side], influences, vertex) {
                    let stats = joints.entry(joint).or_default();
                    stats.vertices[side] += 1;
                    stats.sums[side] += weight;
                }
            }
        };
        let counts = meshes.map(|mesh| mesh.primitives.iter().map(|p| p.vertices.positions.len()).collect::<Vec<_>>());
        let max = comparer.tolerances.weight;
        if counts[0] != counts[1] {
            let count = counts.map(|counts| counts.iter().sum::<usize>().max(1) as f64);
            for (side, mesh) in meshes.iter().enumerate() {
                let mut added = HashSet::new();
                for primitive in &mesh.primitives {
                    if added.insert(address(&primitive.vertices)) {
                        add(side, &primitive.vertices);
                    }
                }
            }
            let largest = |stats: &Stats| (stats.sums[1] / count[1] - stats.sums[0] / count[0]).abs();
            let changed = joints.iter().filter(|(_, stats)| largest(stats) > max);
            return changed.map(|(joint, stats)| result(*joint, stats, None, largest(stats))).collect();
        }
        let mut pairs = Vec::new();
        for (a, b) in meshes[0].primitives.iter().zip(&meshes[1].primitives) {
            let vertices = [&*a.vertices, &*b.vertices];
            if !are_equal(vertices, comparer) && self.compared.insert((vertices.map(address), skins)) {
                add(0, vertices[0]);
                add(1, vertices[1]);
                pairs.push(vertices);
            }
        }
        for vertices in pairs {
            for vertex in 0..vertices[0].positions.len() {
                let [before, after] = [0, 1].map(|side| match &vertices[side].influences {
                    Some(influences) => weights(context, side, skins[side], influences, vertex),
                    None => Vec::new(),
                });
                let weight = |weights: &[(usize, f64)], joint: usize| {
                    weights.iter().find(|(other, _)| *other == joint).map_or(0.0, |(_, weight)| *weight)
                };
                let only_after = after.iter().filter(|(joint, _)| !before.iter().any(|(other, _)| other == joint));
                for (joint, _) in before.iter().chain(only_after) {
                    let difference = (weight(&before, *joint) - weight(&after, *joint)).abs();
                    let stats = joints.entry(*joint).or_default();
                    stats.changed += usize::from(difference > max);
                    stats.largest = stats.largest.max(difference);
                }
            }
        }
        let changed = joints.iter().filter(|(_, stats)| stats.changed > 0);
        changed.map(|(joint, stats)| result(*joint, stats, Some(stats.changed), stats.largest)).collect()
    }
}

/// Returns `true` if slots and weights are equal in the file. A difference of the skins is one of the skins.
fn are_equal(vertices: [&Vertices; 2], comparer: &mut Comparer) -> bool {
    let [Some(a), Some(b)] = vertices.map(|vertices| vertices.influences.as_ref()) else {
        return vertices.iter().all(|vertices| vertices.influences.is_none());
    };
    let weights = [a, b].map(|influences| Array {
        quantity: Quantity::Weight,
        components: Components::F32(&influences.weights),
        width: 1,
        noun: "weights",
    });
    let is_equal = weights[0].count() == weights[1].count() && comparer.extent(&weights[0], &weights[1]).is_none();
    is_equal && a.slots == b.slots
}

/// Returns joints by their shared numbers, with the weights of a vertex above 0. Without a skin, the slots are joints.
fn weights(
    context: &Context<'_>,
    side: usize,
    skin: Option<SkinIndex>,
    influences: &Influences,
    vertex: usize,
) -> Vec<(usize, f64)> {
    let joint = |slot: SkinSlot| match skin {
        Some(skin) => {
            let joints = &context.models[side].skins[skin.get()].joints;
            joints.get(usize::from(slot.0)).map(|joint| context.joints.id(side, *joint))
        }
        None => Some(usize::from(slot.0)),
    };
    let mut weights: Vec<(usize, f64)> = Vec::with_capacity(influences.per_vertex);
    for (slot, weight) in influences.of_vertex(vertex).filter(|(_, weight)| *weight > 0.0) {
        let Some(joint) = joint(slot) else { continue };
        match weights.iter_mut().find(|(other, _)| *other == joint) {
            Some((_, sum)) => *sum += f64::from(weight),
            None => weights.push((joint, f64::from(weight))),
        }
    }
    weights
}

fn address(vertices: &Vertices) -> usize {
    std::ptr::from_ref(vertices) as usize
}
