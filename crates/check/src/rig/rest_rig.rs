//! A model in its rest pose.

use nalgebra::Vector3;
use rigview_core::model::{JointIndex, Model, Skeleton};
use rigview_core::pose::ModelPose;
use rigview_core::util::text::quoted;

/// Maximum joints that a message names.
const MAX_NAMES: usize = 4;

pub(super) struct RestRig<'a> {
    pub(super) model: &'a Model,
    pub(super) pose: ModelPose,
    /// Diagonal of the joints' bounding box, in meters; 0 without joints.
    pub(super) size: f64,
}

impl<'a> RestRig<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        let pose = ModelPose::rest(&model.skeleton);
        let positions = (0..model.skeleton.len()).map(|i| pose.model_from_joint(JointIndex(i as u32)).translation);
        let (mut min, mut max) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
        for position in positions.filter(|position| position.iter().all(|x| x.is_finite())) {
            (min, max) = (min.inf(&position), max.sup(&position));
        }
        let size = (max - min).norm();
        Self { model, pose, size: if size.is_finite() { size } else { 0.0 } }
    }

    pub(super) fn skeleton(&self) -> &'a Skeleton {
        &self.model.skeleton
    }

    /// The joint's name, or its node index.
    pub(super) fn name(&self, joint: JointIndex) -> String {
        let joint = self.skeleton().joint(joint);
        joint.name.as_deref().map_or_else(|| format!("node {}", joint.node), quoted)
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
