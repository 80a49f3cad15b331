//! Influence of each joint on the vertices of a model.

use rigview_core::model::{JointIndex, Model};
use std::cmp::Reverse;
use std::collections::HashSet;

/// Vertices under the influence of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InfluenceStats {
    /// Vertices with a weight above 0.
    pub weighted: u64,
    /// Weighted vertices of which it is the dominant joint.
    pub dominant: u64,
    /// Vertices of rigid meshes, which the joint moves as a whole.
    pub rigid: u64,
}

/// Counts the vertices that follow each joint itself, by weights or as the node of a rigid mesh.
pub fn influence_stats(model: &Model) -> Vec<InfluenceStats> {
    let mut stats = vec![InfluenceStats::default(); model.skeleton.len()];
    let (mut seen, mut weights) = (HashSet::new(), Vec::<(usize, f32)>::new());
    for mesh_node in model.scenes.iter().flat_map(|scene| &scene.mesh_nodes) {
        if !seen.insert((mesh_node.mesh, mesh_node.skin, mesh_node.skin.is_none().then_some(mesh_node.joint))) {
            continue;
        }
        let skin = mesh_node.skin.map(|skin| &model.skins[skin.get()]);
        for primitive in &model.meshes[mesh_node.mesh.get()].primitives {
            let vertices = primitive.vertices.positions.len();
            let (Some(influences), Some(skin)) = (&primitive.vertices.influences, skin) else {
                stats[mesh_node.joint.get()].rigid += vertices as u64;
                continue;
            };
            for vertex in 0..vertices {
                // A vertex may list a joint several times.
                weights.clear();
                for (slot, weight) in influences.of_vertex(vertex).filter(|(_, weight)| *weight > 0.0) {
                    let joint = skin.joints[slot.get()].get();
                    match weights.iter_mut().find(|(known, _)| *known == joint) {
                        Some((_, sum)) => *sum += weight,
                        None => weights.push((joint, weight)),
                    }
                }
                weights.iter().for_each(|(joint, _)| stats[*joint].weighted += 1);
                // The first of several maxima, as in the view.
                if let Some((joint, _)) = weights.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)) {
                    stats[*joint].dominant += 1;
                }
            }
        }
    }
    stats
}

/// The joints that dominate vertices, those of most vertices first; equal ones in the order of the file.
pub fn dominant_joints(stats: &[InfluenceStats]) -> Vec<JointIndex> {
    let vertices = |joint: &JointIndex| stats[joint.get()].dominant;
    let all = (0..stats.len() as u32).map(JointIndex);
    let mut joints: Vec<JointIndex> = all.filter(|joint| vertices(joint) > 0).collect();
    joints.sort_by_key(|joint| Reverse(vertices(joint)));
    joints
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::import::{ImportOptions, open};
    use rigview_core::model::SceneIndex;
    use rigview_core::palette::PaletteLayout;

    fn stats(file: &str) -> (Model, Vec<InfluenceStats>) {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets").join(file);
        let model = open(&file, &ImportOptions::default()).unwrap().model;
        let stats = influence_stats(&model);
        (model, stats)
    }

    #[test]
    fn dominant_and_rigid_vertices_are_those_of_the_model() {
        for (file, has_rigid) in [("hare.glb", false), ("windmill.glb", true)] {
            let (model, stats) = stats(file);
            let vertices = PaletteLayout::new(&model, SceneIndex(0)).vertex_count(&model);
            let sum = |of: fn(&InfluenceStats) -> u64| stats.iter().map(of).sum::<u64>();
            let (weighted, dominant, rigid) = (sum(|s| s.weighted), sum(|s| s.dominant), sum(|s| s.rigid));
            assert_eq!(dominant + rigid, vertices, "{file}");
            assert_eq!((rigid > 0, weighted > dominant), (has_rigid, true), "{file}");
            assert!(stats.iter().all(|stats| stats.dominant <= stats.weighted));
        }
    }

    #[test]
    fn dominant_joints_are_sorted_by_vertices() {
        let (_, stats) = stats("hare.glb");
        let joints = dominant_joints(&stats);
        assert!(joints.len() > 3);
        assert!(joints.is_sorted_by_key(|joint| Reverse(stats[joint.get()].dominant)));
        let listed: u64 = joints.iter().map(|joint| stats[joint.get()].dominant).sum();
        assert_eq!(listed, stats.iter().map(|stats| stats.dominant).sum::<u64>());
    }
}
