//! A model in its rest pose.

use nalgebra::Vector3;
use rigview_core::math::{Aabb, Affine};
use rigview_core::model::{JointIndex, Mesh, MeshNode, Model, Skeleton};
use rigview_core::util::text::quoted;
use std::collections::HashMap;

/// Maximum joints that a message names.
const MAX_NAMES: usize = 4;

pub(super) struct RestRig<'a> {
    pub(super) model: &'a Model,
    /// `model_from_joint` of each joint.
    pub(super) rest_pose: Vec<Affine>,
    /// Bounds of each mesh in its own space.
    pub(super) mesh_bounds: Vec<Aabb>,
    /// The mesh node of each joint with a mesh in a scene.
    pub(super) mesh_nodes: HashMap<JointIndex, MeshNode>,
    /// Diagonal of the joints' bounding box, in meters; 0 without joints.
    pub(super) size: f64,
}

/// Returns the diagonal of the bounding box of joints with these `model_from_joint`, in meters; 0 without joints.
pub(crate) fn rest_size(rest_pose: &[Affine]) -> f64 {
    let positions = rest_pose.iter().map(|model_from_joint| model_from_joint.translation);
    let (mut min, mut max) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for position in positions.filter(|position| position.iter().all(|x| x.is_finite())) {
        (min, max) = (min.inf(&position), max.sup(&position));
    }
    let size = (max - min).norm();
    if size.is_finite() { size } else { 0.0 }
}

impl<'a> RestRig<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        let rest_pose = model.skeleton.rest_model_pose();
        let bounds = |mesh: &Mesh| {
            let mut bounds = Aabb::EMPTY;
            let parts = mesh.primitives.iter().map(|primitive| Aabb::from_positions(&primitive.vertices.positions));
            parts.for_each(|part| bounds.merge(&part));
            bounds
        };
        let mesh_bounds = model.meshes.iter().map(bounds).collect();
        let mesh_nodes = model.scenes.iter().flat_map(|scene| &scene.mesh_nodes);
        let mesh_nodes = mesh_nodes.map(|node| (node.joint, *node)).collect();
        let size = rest_size(&rest_pose);
        Self { model, rest_pose, mesh_bounds, mesh_nodes, size }
    }

    pub(super) fn skeleton(&self) -> &'a Skeleton {
        &self.model.skeleton
    }

    pub(super) fn model_from_joint(&self, joint: JointIndex) -> &Affine {
        &self.rest_pose[joint.get()]
    }

    /// The joint's name, or its node index.
    pub(super) fn name(&self, joint: JointIndex) -> String {
        let joint = self.skeleton().joint(joint);
        joint.name.as_deref().map_or_else(|| format!("node {}", joint.node), quoted)
    }

    /// The name of a morph weight of a joint, or its index.
    pub(super) fn weight_name(&self, joint: JointIndex, weight: usize) -> String {
        let mesh = self.mesh_nodes.get(&joint).map(|node| &self.model.meshes[node.mesh.get()]);
        mesh.and_then(|mesh| mesh.target_names.get(weight)).map_or_else(|| weight.to_string(), |name| quoted(name))
    }

    /// The first few of the joints' names.
    pub(super) fn names(&self, joints: &[JointIndex]) -> String {
        let mut names: Vec<String> = joints.iter().take(MAX_NAMES).map(|joint| self.name(*joint)).collect();
        if joints.len() > MAX_NAMES {
            names.push("...".to_owned());
        }
        names.join(", ")
    }
}
