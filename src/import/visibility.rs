//! What the file hides (KHR_node_visibility).

use super::json::Document;
use crate::model::{JointIndex, Model, PropertyTarget};

/// The joints of nodes that are not visible by themselves.
pub(super) fn read(document: &Document, joint_of_node: &[JointIndex]) -> Vec<JointIndex> {
    let is_hidden = |node: usize| {
        let visible = document.element("nodes", node).pointer("/extensions/KHR_node_visibility/visible");
        visible.and_then(serde_json::Value::as_bool) == Some(false)
    };
    joint_of_node.iter().enumerate().filter(|(node, _)| is_hidden(*node)).map(|(_, joint)| *joint).collect()
}

/// Takes out of the scenes what no clip ever shows.
pub(super) fn prune_never_visible(model: &mut Model) {
    if model.hidden_joints.is_empty() {
        return;
    }
    let mut never = vec![false; model.skeleton.len()];
    model.hidden_joints.iter().for_each(|joint| never[joint.get()] = true);
    for track in model.clips.iter().flat_map(|clip| &clip.property_tracks) {
        if let PropertyTarget::Visible(joint) = track.target
            && track.values.iter().any(|value| *value != 0.0)
        {
            never[joint.get()] = false;
        }
    }
    for (i, joint) in model.skeleton.joints().iter().enumerate() {
        never[i] |= joint.parent.is_some_and(|parent| never[parent.get()]);
    }
    let lights = &model.lights;
    for scene in &mut model.scenes {
        scene.drawables.retain(|drawable| !never[drawable.joint.get()]);
        scene.lights.retain(|light| !never[lights[light.get()].joint.get()]);
    }
    // What is gone need not be hidden from frame to frame.
    model.hidden_joints.retain(|joint| !never[joint.get()]);
}
