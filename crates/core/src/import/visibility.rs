//! Node visibility (KHR_node_visibility), and models without a visible surface.

use super::diagnostics::Diagnostics;
use super::json::GltfJson;
use crate::model::{AlphaMode, JointIndex, Model, Primitive, PropertyTarget};

/// Returns the joints of nodes whose own visibility is off.
pub(super) fn read(document: &GltfJson, joint_of_node: &[JointIndex]) -> Vec<JointIndex> {
    let is_hidden = |node: usize| {
        let visible = document.element("nodes", node).pointer("/extensions/KHR_node_visibility/visible");
        visible.and_then(serde_json::Value::as_bool) == Some(false)
    };
    joint_of_node.iter().enumerate().filter(|(node, _)| is_hidden(*node)).map(|(_, joint)| *joint).collect()
}

/// Removes the mesh nodes and lights that no clip ever shows from all scenes.
pub(super) fn prune_never_visible(model: &mut Model) {
    if model.hidden_joints.is_empty() {
        return;
    }
    let mut always_hidden = vec![false; model.skeleton.len()];
    model.hidden_joints.iter().for_each(|joint| always_hidden[joint.get()] = true);
    for track in model.clips.iter().flat_map(|clip| &clip.property_tracks) {
        if let PropertyTarget::Visible(joint) = track.target
            && track.values.iter().any(|value| *value != 0.0)
        {
            always_hidden[joint.get()] = false;
        }
    }
    for (i, joint) in model.skeleton.joints().iter().enumerate() {
        always_hidden[i] |= joint.parent.is_some_and(|parent| always_hidden[parent.get()]);
    }
    let lights = &model.lights;
    for scene in &mut model.scenes {
        scene.mesh_nodes.retain(|mesh_node| !always_hidden[mesh_node.joint.get()]);
        scene.lights.retain(|light| !always_hidden[lights[light.get()].joint.get()]);
    }
    // Joints without mesh nodes and lights need no hiding per frame.
    model.hidden_joints.retain(|joint| !always_hidden[joint.get()]);
}

/// Reports a model whose image is empty, because each surface has alpha 0.
pub(super) fn report_alpha_0(model: &Model, diagnostics: &mut Diagnostics) {
    let mut tracks = model.clips.iter().flat_map(|clip| &clip.property_tracks);
    if tracks.any(|track| matches!(track.target, PropertyTarget::Material(..))) {
        return;
    }
    let has_alpha_0 = |primitive: &Primitive| {
        let material = primitive.material.and_then(|material| model.materials.get(material.get()));
        let colors = primitive.vertices.colors.as_deref().unwrap_or_default();
        primitive.variant_materials.is_empty()
            && material.is_some_and(|material| {
                matches!(material.alpha_mode, AlphaMode::Blend)
                    && material.specular_glossiness.is_none()
                    && (material.base_color[3] == 0.0
                        || !colors.is_empty() && colors.iter().all(|color| color[3] == 0.0))
            })
    };
    let mut primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives).peekable();
    if primitives.peek().is_some() && primitives.all(has_alpha_0) {
        let message = "every surface has alpha 0, so that nothing is visible; in Blender, raise Alpha in the shader or paint the color attribute";
        diagnostics.push("/materials", message);
    }
}
