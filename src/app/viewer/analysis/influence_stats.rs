//! How much of a model a joint moves.

use crate::model::{JointIndex, Model};
use std::collections::HashSet;

/// Vertices that a joint moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct InfluenceStats {
    /// At all.
    pub(crate) vertices: u64,
    /// More than any other joint.
    pub(crate) most: u64,
}

/// Counts the vertices that `joint` itself moves: by weights, or as what carries a rigid mesh. Those of its children are
/// theirs.
pub(crate) fn influence_stats(model: &Model, joint: JointIndex) -> InfluenceStats {
    let (mut moved, mut seen) = (InfluenceStats::default(), HashSet::new());
    for drawable in model.scenes.iter().flat_map(|scene| &scene.drawables) {
        if !seen.insert((drawable.mesh, drawable.skin, drawable.skin.is_none().then_some(drawable.joint))) {
            continue;
        }
        let skin = drawable.skin.map(|skin| &model.skins[skin.get()]);
        let slots: Vec<bool> =
            skin.map_or_else(Vec::new, |skin| skin.joints.iter().map(|other| *other == joint).collect());
        for primitive in &model.meshes[drawable.mesh.get()].primitives {
            let vertices = primitive.vertices.positions.len();
            match (&primitive.vertices.influences, skin) {
                (Some(influences), Some(_)) => {
                    for vertex in 0..vertices {
                        let of_vertex = || influences.of_vertex(vertex).filter(|(_, weight)| *weight > 0.0);
                        let is_ours = |slot: crate::model::SkinSlot| slots.get(slot.get()).copied().unwrap_or(false);
                        let ours: f32 = of_vertex().filter(|(slot, _)| is_ours(*slot)).map(|(_, weight)| weight).sum();
                        let others = of_vertex().filter(|(slot, _)| !is_ours(*slot)).map(|(_, weight)| weight);
                        moved.vertices += u64::from(ours > 0.0);
                        moved.most += u64::from(ours > 0.0 && others.fold(0.0, f32::max) < ours);
                    }
                }
                _ if drawable.joint == joint => {
                    moved.vertices += vertices as u64;
                    moved.most += vertices as u64;
                }
                _ => {}
            }
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::LoadedScene;
    use crate::import::ImageLoading;
    use crate::request::SceneRequest;

    #[test]
    fn every_vertex_is_moved_most_by_one_joint_or_stands_between_equals() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/hare.glb");
        let scene = LoadedScene::open(&file, &SceneRequest::default(), ImageLoading::SizesOnly).unwrap();
        let model = scene.model();
        let all: Vec<InfluenceStats> =
            (0..model.skeleton.len() as u32).map(|joint| influence_stats(model, JointIndex(joint))).collect();
        let vertices = scene.layout().vertex_count(model);
        let most: u64 = all.iter().map(|moved| moved.most).sum();
        assert!(most <= vertices && most > vertices * 9 / 10, "{most} of {vertices}");
        assert!(all.iter().all(|moved| moved.most <= moved.vertices));
        assert!(all.iter().map(|moved| moved.vertices).sum::<u64>() > vertices, "most are moved by several");
    }
}
