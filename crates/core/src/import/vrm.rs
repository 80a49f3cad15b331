//! VRM avatars: human bones and expressions.

use super::diagnostics::Diagnostics;
use super::json::GltfJson;
use crate::gltf_format::json_pointer::escape;
use crate::model::{Expression, ExpressionGroup, ExpressionOverride, HumanBoneJoint, JointIndex, Model};
use crate::schema::{PRESET_EXPRESSIONS, human_bones, integer};
use crate::util::text::one_line;
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum number of nodes that a bind of VRM 0.x changes. It refers to a mesh, which a hostile file shows by many nodes.
const MAX_NODES_PER_BIND: usize = 16;

/// Reads the human bones and expressions of VRM 1.0 and 0.x into `model`.
pub(super) fn read(document: &GltfJson, model: &mut Model, joints: &[JointIndex], diagnostics: &mut Diagnostics) {
    let Some(extensions) = document.value.get("extensions") else { return };
    for name in ["VRMC_vrm", "VRMC_vrm_animation", "VRM"] {
        let bones = extensions.get(name).and_then(|extension| extension.get("humanoid")?.get("humanBones"));
        if let Some(bones) = bones {
            model.human_bones = read_human_bones(bones, name != "VRM", joints);
            break;
        }
    }
    let mut reader = ExpressionReader { document, model, joints, diagnostics };
    model.expressions = if let Some(vrm) = extensions.get("VRMC_vrm") {
        reader.version_1(vrm)
    } else if let Some(vrm) = extensions.get("VRM") {
        reader.version_0(vrm)
    } else {
        Vec::new()
    };
}

/// Returns the known bones, by joint. `bones` is an object by name, or in VRM 0.x an array.
fn read_human_bones(bones: &Value, is_version_1: bool, joints: &[JointIndex]) -> Vec<HumanBoneJoint> {
    let known: BTreeSet<String> = human_bones(is_version_1).into_iter().map(|bone| bone.name).collect();
    let members = bones.as_object().into_iter().flatten().map(|(name, bone)| (Some(name.as_str()), bone));
    let items = bones.as_array().into_iter().flatten().map(|bone| (bone.get("bone").and_then(Value::as_str), bone));
    let mut found: Vec<HumanBoneJoint> = members
        .chain(items)
        .filter_map(|(name, bone)| {
            let joint = *joints.get(index(bone, "node")?)?;
            Some(HumanBoneJoint { joint, bone: known.get(name?)?.clone() })
        })
        .collect();
    found.sort_by_key(|bone| bone.joint);
    found.dedup_by_key(|bone| bone.joint);
    found
}

fn index(value: &Value, name: &str) -> Option<usize> {
    usize::try_from(integer(value.get(name)?)?).ok()
}

struct ExpressionReader<'a> {
    document: &'a GltfJson,
    model: &'a Model,
    joints: &'a [JointIndex],
    diagnostics: &'a mut Diagnostics,
}

impl ExpressionReader<'_> {
    fn version_1(&mut self, vrm: &Value) -> Vec<Expression> {
        let mut expressions = Vec::new();
        for kind in ["preset", "custom"] {
            let members = vrm.get("expressions").and_then(|all| all.get(kind)?.as_object());
            for (name, json) in members.into_iter().flatten() {
                let at = format!("/extensions/VRMC_vrm/expressions/{kind}/{}/morphTargetBinds", escape(name));
                let mut expression = Expression {
                    name: one_line(name),
                    is_binary: json.get("isBinary").and_then(Value::as_bool).unwrap_or_default(),
                    group: (kind == "preset").then(|| group_of(name)).flatten(),
                    overrides: ["overrideMouth", "overrideBlink", "overrideLookAt"].map(|key| override_of(json, key)),
                    morph_weights: Vec::new(),
                };
                for (i, bind) in array(json, "morphTargetBinds").iter().enumerate() {
                    let joint = index(bind, "node").and_then(|node| self.joints.get(node).copied());
                    self.bind(&mut expression, bind, joint.as_slice(), 1.0, &format!("{at}/{i}"));
                }
                expressions.push(expression);
            }
        }
        // Presets in the order of the specification's table, then the others by name.
        let order = |expression: &Expression| PRESET_EXPRESSIONS.iter().position(|name| *name == expression.name);
        expressions.sort_by_key(|expression| order(expression).unwrap_or(PRESET_EXPRESSIONS.len()));
        expressions
    }

    fn version_0(&mut self, vrm: &Value) -> Vec<Expression> {
        let groups = vrm.get("blendShapeMaster").map_or(&[][..], |master| array(master, "blendShapeGroups"));
        let mut joints_of_mesh = vec![Vec::new(); self.document.meshes.len()];
        for (node, joint) in self.document.nodes.iter().zip(self.joints) {
            if let Some(list) = node.mesh.and_then(|mesh| joints_of_mesh.get_mut(mesh.value())) {
                list.push(*joint);
            }
        }
        let mut expressions = Vec::new();
        for (i, group) in groups.iter().enumerate() {
            let at = format!("/extensions/VRM/blendShapeMaster/blendShapeGroups/{i}/binds");
            let text = |key: &str| group.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
            let mut expression = Expression {
                name: text("name").or(text("presetName")).map_or_else(|| format!("expression {i}"), one_line),
                is_binary: group.get("isBinary").and_then(Value::as_bool).unwrap_or_default(),
                ..Expression::default()
            };
            for (k, bind) in array(group, "binds").iter().enumerate() {
                let joints =
                    index(bind, "mesh").and_then(|mesh| joints_of_mesh.get(mesh)).map_or(&[][..], Vec::as_slice);
                self.bind(&mut expression, bind, joints, 0.01, &format!("{at}/{k}"));
            }
            expressions.push(expression);
        }
        expressions
    }

    /// Adds the morph weights of a bind to `expression`. `joints` have the same mesh. `unit` is the weight that the file's
    /// number 1 means.
    fn bind(&mut self, expression: &mut Expression, bind: &Value, joints: &[JointIndex], unit: f64, at: &str) {
        let weights_of = |joint: JointIndex| self.model.skeleton.joint(joint).morph_weights.clone();
        let count = joints.first().map_or(0, |joint| weights_of(*joint).len());
        let target = index(bind, "index").filter(|target| *target < count);
        let weight = bind.get("weight").and_then(Value::as_f64).map(|weight| (weight * unit) as f32);
        let name = &expression.name;
        let (Some(target), Some(weight)) = (target, weight.filter(|weight| weight.is_finite())) else {
            let at = if target.is_none() { format!("{at}/index") } else { format!("{at}/weight") };
            return self.diagnostics.push(at, format!("expression {name}: a morph target without effect is left out"));
        };
        if joints.len() > MAX_NODES_PER_BIND {
            let message =
                format!("expression {name}: it changes only the first {MAX_NODES_PER_BIND} nodes with the mesh");
            self.diagnostics.push(format!("{at}/mesh"), message);
        }
        let joints = joints.iter().take(MAX_NODES_PER_BIND);
        expression.morph_weights.extend(joints.map(|joint| (weights_of(*joint).start + target, weight)));
    }
}

fn array<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn group_of(preset: &str) -> Option<ExpressionGroup> {
    match preset {
        "aa" | "ih" | "ou" | "ee" | "oh" => Some(ExpressionGroup::Mouth),
        "blink" | "blinkLeft" | "blinkRight" => Some(ExpressionGroup::Blink),
        "lookUp" | "lookDown" | "lookLeft" | "lookRight" => Some(ExpressionGroup::LookAt),
        _ => None,
    }
}

fn override_of(expression: &Value, key: &str) -> ExpressionOverride {
    match expression.get(key).and_then(Value::as_str) {
        Some("block") => ExpressionOverride::Block,
        Some("blend") => ExpressionOverride::Blend,
        _ => ExpressionOverride::None,
    }
}
