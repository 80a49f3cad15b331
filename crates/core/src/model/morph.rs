//! Morph weights of a model, by node and name.

use super::{JointIndex, Mesh, Model};
use crate::util::text::one_line;
use std::collections::HashSet;

/// A morph weight of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphWeightRef {
    /// The node with the mesh.
    pub joint: JointIndex,
    /// Target index in the mesh.
    pub target_index: usize,
    /// The target's name, or `target N`.
    pub name: String,
    /// Index among the skeleton's weights.
    pub weight_index: usize,
}

impl Model {
    /// Returns the morph weights of all drawn nodes, node by node.
    pub fn morphs(&self) -> Vec<MorphWeightRef> {
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        for mesh_node in self.scenes.iter().flat_map(|scene| &scene.mesh_nodes) {
            let weights = self.skeleton.joint(mesh_node.joint).morph_weights.clone();
            // Copies of a mesh share the weights of their parent node.
            if weights.is_empty() || !known.insert(weights.start) {
                continue;
            }
            let mesh = &self.meshes[mesh_node.mesh.get()];
            found.extend(weights.enumerate().map(|(target_index, weight_index)| MorphWeightRef {
                joint: mesh_node.joint,
                target_index,
                name: target_name(mesh, target_index),
                weight_index,
            }));
        }
        found
    }

    /// Finds morph weights of `all`, the [`morphs`](Self::morphs) of the model, by target name, else by target index.
    ///
    /// `NODE:` before it restricts them to one node, by name or by node index.
    pub fn find_morphs<'a>(&self, all: &'a [MorphWeightRef], requested: &str) -> Vec<&'a MorphWeightRef> {
        let of = |target: &str, joint: Option<JointIndex>| -> Vec<&'a MorphWeightRef> {
            let candidates = || all.iter().filter(|morph| joint.is_none_or(|joint| joint == morph.joint));
            let by_name: Vec<&MorphWeightRef> = candidates().filter(|morph| morph.name == target).collect();
            match target.parse::<usize>() {
                Ok(number) if by_name.is_empty() => candidates().filter(|morph| morph.target_index == number).collect(),
                _ => by_name,
            }
        };
        let found = of(requested, None);
        if !found.is_empty() {
            return found;
        }
        // Names may contain colons.
        let colons = requested.match_indices(':').map(|(colon, _)| colon);
        let split = |colon: usize| {
            let joint = self.skeleton.find_by_name_or_node(&requested[..colon])?;
            Some(of(&requested[colon + 1..], Some(joint))).filter(|found| !found.is_empty())
        };
        colons.into_iter().find_map(split).unwrap_or_default()
    }

    /// Returns the shortest text by which [`find_morphs`](Self::find_morphs) finds only `morph`, if there is one.
    pub fn unambiguous_morph_name(&self, all: &[MorphWeightRef], morph: &MorphWeightRef) -> Option<String> {
        let node = self.skeleton.unambiguous_name(morph.joint);
        let candidates =
            [morph.name.clone(), format!("{node}:{}", morph.name), format!("{node}:{}", morph.target_index)];
        candidates.into_iter().find(|name| matches!(self.find_morphs(all, name)[..], [one] if one == morph))
    }
}

fn target_name(mesh: &Mesh, target_index: usize) -> String {
    let name = mesh.target_names.get(target_index).filter(|name| !name.trim().is_empty());
    name.map_or_else(|| format!("target {target_index}"), |name| one_line(name))
}
