//! What no validator tells an artist, of a rig that could be imported; each with the cure in Blender's words.

mod clips;
mod cost;
mod joints;
#[cfg(test)]
mod tests;

use super::issue::Issues;
use crate::import::Loaded;
use crate::model::{JointIndex, Model, Skeleton};
use crate::pose::{ModelPose, Pose};
use crate::util::text::quoted;

/// Looks at skins, clips, textures and cost.
pub(super) fn check(loaded: &Loaded, issues: &mut Issues) {
    let rig = Rig::new(&loaded.model);
    joints::check(&rig, issues);
    clips::check(&rig, issues);
    cost::check(&rig, issues);
}

/// A model at rest.
struct Rig<'a> {
    model: &'a Model,
    rest: ModelPose,
    /// About how large the skeleton is: the diagonal of the box around its joints.
    size: f64,
}

impl<'a> Rig<'a> {
    fn new(model: &'a Model) -> Self {
        let mut rest = ModelPose::default();
        rest.update(&model.skeleton, &Pose::rest(&model.skeleton));
        let places = (0..model.skeleton.len()).map(|i| rest.model_from_joint(JointIndex(i as u32)).translation);
        let (mut least, mut most) =
            (nalgebra::Vector3::repeat(f64::INFINITY), nalgebra::Vector3::repeat(f64::NEG_INFINITY));
        for place in places.filter(|place| place.iter().all(|x| x.is_finite())) {
            (least, most) = (least.inf(&place), most.sup(&place));
        }
        let size = (most - least).norm();
        Self { model, rest, size: if size.is_finite() { size } else { 0.0 } }
    }

    fn skeleton(&self) -> &'a Skeleton {
        &self.model.skeleton
    }

    /// How a message calls a joint.
    fn name(&self, joint: JointIndex) -> String {
        let joint = self.skeleton().joint(joint);
        joint.name.as_deref().map_or_else(|| format!("node {}", joint.node), quoted)
    }

    /// The first few of some joints, by name.
    fn names(&self, joints: &[JointIndex]) -> String {
        let mut names: Vec<String> = joints.iter().take(4).map(|joint| self.name(*joint)).collect();
        if joints.len() > 4 {
            names.push("...".to_owned());
        }
        names.join(", ")
    }
}
