//! All rig lints, in order.

use super::rest_rig::RestRig;
use super::{clips, cost, joints, lights, machines, meshes, up_axis};
use crate::issue::Issues;
use rigview_core::model::Model;

/// `has_keys_per_frame` for a format with a key of every joint at every frame, such as BVH.
pub(crate) fn check(model: &Model, has_keys_per_frame: bool, issues: &mut Issues) {
    let rig = RestRig::new(model);
    joints::check(&rig, issues);
    clips::check(&rig, has_keys_per_frame, issues);
    machines::check(&rig, issues);
    lights::check(&rig, issues);
    meshes::check(&rig, issues);
    up_axis::check(&rig, issues);
    cost::check(&rig, issues);
}
