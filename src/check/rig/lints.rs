//! All rig lints, in order.

use super::rest_rig::RestRig;
use super::{clips, cost, joints, lights};
use crate::check::issue::Issues;
use crate::model::Model;

pub(in crate::check) fn check(model: &Model, issues: &mut Issues) {
    let rig = RestRig::new(model);
    joints::check(&rig, issues);
    clips::check(&rig, issues);
    lights::check(&rig, issues);
    cost::check(&rig, issues);
}
