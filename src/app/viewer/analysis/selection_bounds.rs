//! Bounds of the selected element in the current pose.

use super::selection::Selection;
use crate::app::scene::LoadedScene;
use crate::math::SupportHull;
use crate::model::{JointIndex, Skeleton};
use crate::palette::{Draw, SectionSource, skin_on_cpu};
use nalgebra::Vector3;

/// Vertices with a smaller weight do not count as influenced.
const MIN_WEIGHT: f32 = 0.1;

/// Size of a joint that moves no surface, as a fraction of the size of the scene.
const BARE_JOINT_FRACTION: f64 = 0.05;

/// Returns the hull of the selection on the first instance, in world space; `None` if it is not visible.
///
/// The hull of a joint encloses what it influences; without such vertices what its descendants influence, else its position.
pub(crate) fn selection_hull(scene: &LoadedScene, selection: Selection) -> Option<SupportHull> {
    let skeleton = &scene.model().skeleton;
    let hull = match selection {
        Selection::Mesh(mesh) => hull_of(scene, |draw| (draw.mesh == mesh).then_some(None)),
        Selection::Material(material) => hull_of(scene, |draw| {
            let primitive = &scene.model().meshes[draw.mesh.get()].primitives[draw.primitive];
            (primitive.material == Some(material)).then_some(None)
        }),
        Selection::Skin(skin) => hull_of(scene, |draw| {
            let source = &scene.layout().sections[draw.section].source;
            (draw.skinned && matches!(source, SectionSource::Skin(other) if *other == skin)).then_some(None)
        }),
        Selection::Joint(joint) => joint_hull(scene, |other| other == joint)
            .or_else(|| joint_hull(scene, |other| is_descendant(skeleton, other, joint)))
            .or_else(|| Some(bare_joint_hull(scene, joint))),
    };
    hull.filter(|hull| !hull.bounds().is_empty())
}

/// Hull of the vertices that joints of this kind influence.
fn joint_hull(scene: &LoadedScene, is_wanted: impl Fn(JointIndex) -> bool) -> Option<SupportHull> {
    let model = scene.model();
    hull_of(scene, |draw| match scene.layout().sections[draw.section].source {
        SectionSource::Skin(skin) if draw.skinned => {
            let slots: Vec<bool> = model.skins[skin.get()].joints.iter().map(|joint| is_wanted(*joint)).collect();
            slots.contains(&true).then_some(Some(slots))
        }
        _ => is_wanted(draw.joint).then_some(None),
    })
}

/// Hull of the vertices of draws. `select` returns `None` to skip a draw, and optionally the skin slots that must influence a vertex.
fn hull_of(scene: &LoadedScene, select: impl Fn(&Draw) -> Option<Option<Vec<bool>>>) -> Option<SupportHull> {
    if scene.palette().instance_count() == 0 {
        return None;
    }
    let mut hull = SupportHull::default();
    for draw in &scene.layout().draws {
        let Some(slots) = select(draw) else { continue };
        let vertices = &scene.model().meshes[draw.mesh.get()].primitives[draw.primitive].vertices;
        let posed = skin_on_cpu(scene.rig(), scene.palette(), 0, draw);
        for (vertex, position) in posed.positions.iter().enumerate() {
            let is_influenced = match (&slots, &vertices.influences) {
                (Some(slots), Some(influences)) => {
                    influences.of_vertex(vertex).any(|(slot, weight)| weight >= MIN_WEIGHT && slots[slot.get()])
                }
                _ => true,
            };
            if is_influenced {
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

fn is_descendant(skeleton: &Skeleton, joint: JointIndex, ancestor: JointIndex) -> bool {
    std::iter::successors(Some(joint), |joint| skeleton.joint(*joint).parent).any(|other| other == ancestor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::ImageLoading;
    use crate::model::MeshIndex;
    use crate::request::SceneRequest;
    use std::path::Path;

    fn open(file: &str) -> LoadedScene {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(file);
        let mut scene = LoadedScene::open(&file, &SceneRequest::default(), ImageLoading::Skip).unwrap();
        scene.pose(0.0);
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
