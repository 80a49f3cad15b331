//! The skeleton that a profile compares others with.

use crate::rig::rest_size;
use rigview_core::math::Transform;
use rigview_core::model::{JointIndex, Model};
use rigview_core::util::text::one_line;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The joints of the skins of a model: name, name of the parent if that is one of them, and rest pose.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReferenceSkeleton {
    pub(super) file: String,
    pub(super) joints: BTreeMap<String, (Option<String>, Transform)>,
    /// Diagonal of the box of all joints, in meters.
    pub(super) size: f64,
}

impl ReferenceSkeleton {
    /// Collects the joints of the skins of a model. The error is the reason why it is no reference.
    pub(super) fn new(model: &Model, file: &Path) -> Result<Self, String> {
        let skeleton = &model.skeleton;
        let in_skins = skin_joints(model);
        let joints = in_skins.iter().filter_map(|joint| {
            let data = skeleton.joint(*joint);
            Some((data.name.clone()?, (parent_name(model, *joint, &in_skins), data.rest)))
        });
        let joints: BTreeMap<_, _> = joints.collect();
        let file = one_line(&file.display().to_string());
        match joints.is_empty() {
            true => Err(format!("{file}: has no skin with named joints, so it is no reference skeleton")),
            false => Ok(Self { file, joints, size: rest_size(&skeleton.rest_model_pose()) }),
        }
    }
}

/// The name of the parent of a joint, if that is a joint of a skin, too.
pub(super) fn parent_name(model: &Model, joint: JointIndex, in_skins: &BTreeSet<JointIndex>) -> Option<String> {
    let parent = model.skeleton.joint(joint).parent.filter(|parent| in_skins.contains(parent))?;
    model.skeleton.joint(parent).name.clone()
}

/// The joints of all skins.
pub(super) fn skin_joints(model: &Model) -> BTreeSet<JointIndex> {
    model.skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect()
}
