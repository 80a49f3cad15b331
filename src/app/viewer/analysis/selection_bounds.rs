//! Bounds of the selected element in the current pose.

use crate::app::scene::LoadedScene;
use crate::app::scene::selection::{Selection, subtree};
use nalgebra::Vector3;
use rigview_core::math::SupportHull;
use rigview_core::model::JointIndex;
use rigview_core::palette::{BlockIndex, PrimitiveDraw, skin_positions_on_cpu};

/// Vertices with a smaller weight do not count as influenced.
const MIN_WEIGHT: f32 = 0.1;

/// Size of a joint that moves no surface, as a fraction of the size of the scene.
const BARE_JOINT_FRACTION: f64 = 0.05;

/// Returns the hull of the selection on the first instance, in world space; `None` if it is not visible.
///
/// The hull of a joint encloses what it influences; without such vertices what its descendants influence, else its position.
pub(crate) fn selection_hull(scene: &LoadedScene, selection: Selection) -> Option<SupportHull> {
    let hull = match selection {
        Selection::Joint(joint) => {
            let mut joints = vec![false; scene.model().skeleton.len()];
            joints[joint.get()] = true;
            joint_hull(scene, &joints)
                .or_else(|| joint_hull(scene, &subtree(&scene.model().skeleton, joint)))
                .or_else(|| Some(bare_joint_hull(scene, joint)))
        }
        selection => hull_of(scene, &selection.draws(scene), |_, _| true),
    };
    hull.filter(|hull| !hull.bounds().is_empty())
}

/// Hull of the vertices that some of these joints influence.
fn joint_hull(scene: &LoadedScene, joints: &[bool]) -> Option<SupportHull> {
    let model = scene.model();
    let skins: Vec<bool> = model.skins.iter().map(|skin| skin.joints.iter().any(|joint| joints[joint.get()])).collect();
    let has_draw = |draw| scene.layout().skin_of(draw).map_or(joints[draw.joint.get()], |skin| skins[skin.get()]);
    let draws: Vec<bool> = scene.layout().draws.iter().map(has_draw).collect();
    hull_of(scene, &draws, |draw, vertex| {
        let influences = &model.meshes[draw.mesh.get()].primitives[draw.primitive].vertices.influences;
        match (scene.layout().skin_of(draw), influences) {
            (Some(skin), Some(influences)) => influences
                .of_vertex(vertex)
                .any(|(slot, weight)| weight >= MIN_WEIGHT && joints[model.skins[skin.get()].joints[slot.get()].get()]),
            _ => true,
        }
    })
}

/// Hull of the selected vertices of the marked draws.
fn hull_of(
    scene: &LoadedScene,
    draws: &[bool],
    has_vertex: impl Fn(&PrimitiveDraw, usize) -> bool,
) -> Option<SupportHull> {
    if scene.palette().instance_count() == 0 {
        return None;
    }
    let mut hull = SupportHull::default();
    for (draw, _) in scene.layout().draws.iter().zip(draws).filter(|(_, marked)| **marked) {
        let positions = skin_positions_on_cpu(scene.rig(), scene.palette(), BlockIndex(0), draw);
        for (vertex, position) in positions.iter().enumerate() {
            if has_vertex(draw, vertex) {
                hull.add(Vector3::from(*position));
            }
        }
    }
    Some(hull).filter(|hull| !hull.bounds().is_empty())
}

fn bare_joint_hull(scene: &LoadedScene, joint: JointIndex) -> SupportHull {
    let mut hull = SupportHull::default();
    let radius = BARE_JOINT_FRACTION * scene.bounds().diagonal();
    let center = scene.world_from_joint(joint, 0.0).translation;
    for offset in [-radius, radius] {
        hull.add((center + Vector3::repeat(offset)).cast());
    }
    hull
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::tests::shipped_scene;
    use crate::request::SceneRequest;
    use rigview_core::model::MeshIndex;

    fn open(file: &str) -> LoadedScene {
        let mut scene = shipped_scene(file, &SceneRequest::default());
        scene.pose_at_clip_time(0.0);
        scene
    }

    #[test]
    fn selection_is_smaller_than_the_model_and_inside() {
        for file in ["hare.glb", "windmill.glb"] {
            let scene = open(file);
            let mut sizes = Vec::new();
            for joint in 0..scene.model().skeleton.len() as u32 {
                let hull = selection_hull(&scene, Selection::Joint(JointIndex(joint))).unwrap();
                sizes.push(hull.bounds().diagonal() / scene.bounds().diagonal());
            }
            let smallest = sizes.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(smallest < 0.4 && sizes.iter().all(|size| *size < 1.01), "{file}: {sizes:?}");
            assert!(selection_hull(&scene, Selection::Mesh(MeshIndex(0))).is_some());
        }
    }
}
