//! Influence of one joint on the vertices of a model.

use rigview_core::model::{JointIndex, Model};
use std::collections::HashSet;

/// Vertices under the influence of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct InfluenceStats {
    /// Vertices with a weight above 0.
    pub(crate) vertices: u64,
    /// Vertices of which it is the dominant joint.
    pub(crate) dominant: u64,
}

/// Counts the vertices that follow `joint` itself, by weights or as the node of a rigid mesh.
pub(crate) fn influence_stats(model: &Model, joint: JointIndex) -> InfluenceStats {
    let (mut stats, mut seen) = (InfluenceStats::default(), HashSet::new());
    for mesh_node in model.scenes.iter().flat_map(|scene| &scene.mesh_nodes) {
        if !seen.insert((mesh_node.mesh, mesh_node.skin, mesh_node.skin.is_none().then_some(mesh_node.joint))) {
            continue;
        }
        let skin = mesh_node.skin.map(|skin| &model.skins[skin.get()]);
        let slots: Vec<bool> =
            skin.map_or_else(Vec::new, |skin| skin.joints.iter().map(|other| *other == joint).collect());
        for primitive in &model.meshes[mesh_node.mesh.get()].primitives {
            let vertices = primitive.vertices.positions.len();
            match (&primitive.vertices.influences, skin) {
                (Some(influences), Some(_)) => {
                    for vertex in 0..vertices {
                        let of_vertex = || influences.of_vertex(vertex).filter(|(_, weight)| *weight > 0.0);
                        let is_ours =
                            |slot: rigview_core::model::SkinSlot| slots.get(slot.get()).copied().unwrap_or(false);
                        let ours: f32 = of_vertex().filter(|(slot, _)| is_ours(*slot)).map(|(_, weight)| weight).sum();
                        let others = of_vertex().filter(|(slot, _)| !is_ours(*slot)).map(|(_, weight)| weight);
                        stats.vertices += u64::from(ours > 0.0);
                        stats.dominant += u64::from(ours > 0.0 && others.fold(0.0, f32::max) < ours);
                    }
                }
                _ if mesh_node.joint == joint => {
                    stats.vertices += vertices as u64;
                    stats.dominant += vertices as u64;
                }
                _ => {}
            }
        }
    }
    stats
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::LoadedScene;
    use crate::request::SceneRequest;
    use rigview_core::import::ImageLoading;

    #[test]
    fn dominant_vertices_sum_to_at_most_the_vertex_count() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/hare.glb");
        let scene = LoadedScene::open(&file, &SceneRequest::default(), ImageLoading::SizesOnly).unwrap();
        let model = scene.model();
        let all: Vec<InfluenceStats> =
            (0..model.skeleton.len() as u32).map(|joint| influence_stats(model, JointIndex(joint))).collect();
        let vertices = scene.layout().vertex_count(model);
        let dominant: u64 = all.iter().map(|stats| stats.dominant).sum();
        assert!(dominant <= vertices && dominant > vertices * 9 / 10, "{dominant} of {vertices}");
        assert!(all.iter().all(|stats| stats.dominant <= stats.vertices));
        assert!(
            all.iter().map(|stats| stats.vertices).sum::<u64>() > vertices,
            "several joints influence most vertices"
        );
    }
}
