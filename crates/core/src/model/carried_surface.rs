//! The surface that each joint carries: its own meshes and those of its descendants.

use super::{Mesh, MeshIndex, Model, SceneIndex, SkinIndex, SkinSlot};
use nalgebra::{Unit, Vector3};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A surface in the rest pose. For a mesh below a non-uniform scale, the area is an estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CarriedSurface {
    /// Area of its triangles in the units of the model, squared; 0 for a joint that carries none.
    pub area: f64,
    /// Sum of area times centroid of its triangles in model space.
    moment: Vector3<f64>,
}

impl CarriedSurface {
    /// Returns its centroid in model space; `None` without an area.
    pub fn centroid(&self) -> Option<Vector3<f64>> {
        let centroid = self.moment / self.area;
        centroid.iter().all(|x| x.is_finite()).then_some(centroid)
    }

    /// Returns the distance of its centroid from an axis through a point, all in model space. A rotor with equal blades has 0.
    pub fn distance_from_axis(&self, point: &Vector3<f64>, axis: &Unit<Vector3<f64>>) -> Option<f64> {
        let offset = self.centroid()? - point;
        Some((offset - axis.into_inner() * offset.dot(axis)).norm())
    }

    fn add(&mut self, other: &Self) {
        self.area += other.area;
        self.moment += other.moment;
    }
}

/// Returns the surface that each joint of the skeleton carries in a scene. A triangle of a skin belongs to the strongest joint of its first
/// vertex. The time is linear in triangles, nodes and joints.
pub fn carried_surfaces(model: &Model, scene: SceneIndex) -> Vec<CarriedSurface> {
    let rest_pose = model.skeleton.rest_model_pose();
    let mut surfaces = vec![CarriedSurface::default(); model.skeleton.len()];
    let mut of_meshes: HashMap<(MeshIndex, bool), MeshSurface> = HashMap::new();
    let mut skinned: HashSet<(MeshIndex, SkinIndex)> = HashSet::new();
    for node in &model.scenes[scene.get()].mesh_nodes {
        let mesh = || MeshSurface::new(&model.meshes[node.mesh.get()], node.skin.is_some());
        let of_mesh = of_meshes.entry((node.mesh, node.skin.is_some())).or_insert_with(mesh);
        let mut add = |joint: usize, surface: &CarriedSurface, map: &crate::math::Affine| {
            let scale = map.linear.determinant().abs().cbrt().powi(2);
            let Some(centroid) = surface.centroid() else { return };
            let area = surface.area * scale;
            surfaces[joint].add(&CarriedSurface { area, moment: map.transform_point(centroid) * area });
        };
        add(node.joint.get(), &of_mesh.rigid, &rest_pose[node.joint.get()]);
        // Skinned vertices ignore the transform of their node, so that a second node draws the same surface.
        let Some(skin) = node.skin.filter(|skin| skinned.insert((node.mesh, *skin))) else { continue };
        let skin = &model.skins[skin.get()];
        for (slot, surface) in &of_mesh.of_slots {
            let joint = skin.joints[slot.get()].get();
            add(joint, surface, &(rest_pose[joint] * skin.joint_from_mesh[slot.get()]));
        }
    }
    for (index, joint) in model.skeleton.joints().iter().enumerate().rev() {
        if let Some(parent) = joint.parent {
            let surface = surfaces[index];
            surfaces[parent.get()].add(&surface);
        }
    }
    surfaces
}

/// The surface of a mesh in its own space.
#[derive(Default)]
struct MeshSurface {
    rigid: CarriedSurface,
    of_slots: BTreeMap<SkinSlot, CarriedSurface>,
}

impl MeshSurface {
    fn new(mesh: &Mesh, is_skinned: bool) -> Self {
        let mut surface = Self::default();
        for primitive in &mesh.primitives {
            let influences = primitive.vertices.influences.as_ref().filter(|_| is_skinned);
            for triangle in primitive.triangles().chunks_exact(3) {
                let corners =
                    [0, 1, 2].map(|i| Vector3::from(primitive.vertices.positions[triangle[i] as usize]).cast::<f64>());
                let area = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).norm() / 2.0;
                let of_triangle = CarriedSurface { area, moment: corners.iter().sum::<Vector3<f64>>() * (area / 3.0) };
                let strongest = influences.and_then(|influences| {
                    influences.of_vertex(triangle[0] as usize).max_by(|(_, a), (_, b)| a.total_cmp(b))
                });
                match strongest {
                    Some((slot, _)) => surface.of_slots.entry(slot).or_default().add(&of_triangle),
                    None => surface.rigid.add(&of_triangle),
                }
            }
        }
        surface
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{ImageLoading, ImportOptions, open};
    use crate::model::JointIndex;
    use crate::pose::moving_parts;
    use std::path::Path;

    #[test]
    fn sails_of_the_windmill_turn_about_their_center() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/windmill.glb");
        let options = ImportOptions::default().with_images(ImageLoading::Skip);
        let model = open(&file, &options).unwrap().model;
        let surfaces = carried_surfaces(&model, model.default_scene);
        let rest_pose = model.skeleton.rest_model_pose();
        let turning = moving_parts(&model, &rest_pose, &model.clips[0]).into_iter().filter_map(|part| {
            let rotation = part.rotation.filter(|rotation| rotation.whole_turns().is_some())?;
            let pivot = rest_pose[part.joint.get()].translation;
            Some((part.joint, surfaces[part.joint.get()].distance_from_axis(&pivot, &rotation.axis_in_model)?))
        });
        let turning: Vec<(JointIndex, f64)> = turning.collect();
        assert!(!turning.is_empty());
        for (joint, distance) in turning {
            assert!(distance < 0.15, "{:?}: {distance}", model.skeleton.joint(joint).name);
        }
        let roots = model.skeleton.joints().iter().zip(&surfaces).filter(|(joint, _)| joint.parent.is_none());
        let whole: f64 = roots.map(|(_, surface)| surface.area).sum();
        assert!(whole > 100.0, "{whole}");
    }
}
