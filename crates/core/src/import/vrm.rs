//! VRM avatars and animations: human bones, expressions and gaze.

use super::diagnostics::Diagnostics;
use super::json::GltfJson;
use crate::gltf_format::json_pointer::escape;
use crate::model::{
    Expression, ExpressionGroup, ExpressionOverride, FaceDriver, FaceJoint, Gaze, GazeKind, GazeRange, HumanBoneJoint,
    JointIndex, MaterialChange, MaterialIndex, MaterialProperty, Model, TextureSlot,
};
use crate::schema::{PRESET_EXPRESSIONS, human_bones, integer};
use crate::util::text::one_line;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// Maximum number of nodes that a bind of VRM 0.x changes. It refers to a mesh, which a hostile file shows by many nodes.
const MAX_NODES_PER_BIND: usize = 16;

/// Presets of VRM 0.x with other names in VRM 1.0.
const RENAMED_PRESETS: [(&str, &str); 14] = [
    ("joy", "happy"),
    ("sorrow", "sad"),
    ("fun", "relaxed"),
    ("a", "aa"),
    ("i", "ih"),
    ("u", "ou"),
    ("e", "ee"),
    ("o", "oh"),
    ("blink_l", "blinkLeft"),
    ("blink_r", "blinkRight"),
    ("lookup", "lookUp"),
    ("lookdown", "lookDown"),
    ("lookleft", "lookLeft"),
    ("lookright", "lookRight"),
];

/// Reads the human bones, expressions and gaze of VRM 1.0 and 0.x into `model`.
pub(super) fn read(document: &GltfJson, model: &mut Model, joints: &[JointIndex], diagnostics: &mut Diagnostics) {
    let Some(extensions) = document.value.get("extensions") else { return };
    for name in ["VRMC_vrm", "VRMC_vrm_animation", "VRM"] {
        let bones = extensions.get(name).and_then(|extension| extension.get("humanoid")?.get("humanBones"));
        if let Some(bones) = bones {
            model.human_bones = read_human_bones(bones, name != "VRM", joints);
            break;
        }
    }
    if let Some(animation) = extensions.get("VRMC_vrm_animation") {
        model.face_joints = read_face_joints(animation, joints);
    }
    let mut reader = ExpressionReader { document, model, joints, diagnostics };
    (model.expressions, model.gaze, model.faces_negative_z) = if let Some(vrm) = extensions.get("VRMC_vrm") {
        (reader.version_1(vrm), vrm.get("lookAt").map(gaze_of_version_1), false)
    } else if let Some(vrm) = extensions.get("VRM") {
        (reader.version_0(vrm), vrm.get("firstPerson").map(gaze_of_version_0), true)
    } else {
        (Vec::new(), None, false)
    };
}

/// Returns the joints that drive expressions and gaze, by joint.
fn read_face_joints(animation: &Value, joints: &[JointIndex]) -> Vec<FaceJoint> {
    let joint = |value: &Value| joints.get(index(value, "node")?).copied();
    let kinds = animation.get("expressions").into_iter();
    let members = kinds.flat_map(|all| ["preset", "custom"].map(|kind| all.get(kind).and_then(Value::as_object)));
    let expressions = members.flatten().flatten().filter_map(|(name, expression)| {
        Some(FaceJoint { joint: joint(expression)?, driver: FaceDriver::Expression(one_line(name)) })
    });
    let gaze = animation.get("lookAt").and_then(joint);
    let gaze = gaze.map(|joint| FaceJoint { joint, driver: FaceDriver::Gaze });
    let mut found: Vec<FaceJoint> = expressions.chain(gaze).collect();
    found.sort_by_key(|face| face.joint);
    found
}

fn gaze_of_version_1(look_at: &Value) -> Gaze {
    let is_expression = look_at.get("type").and_then(Value::as_str) == Some("expression");
    gaze(look_at, is_expression, "rangeMap", ["inputMaxValue", "outputScale"])
}

/// The curves of VRM 0.x are ignored.
fn gaze_of_version_0(first_person: &Value) -> Gaze {
    let is_expression = first_person.get("lookAtTypeName").and_then(Value::as_str) == Some("BlendShape");
    gaze(first_person, is_expression, "lookAt", ["xRange", "yRange"])
}

/// Reads the ranges of a gaze, whose keys begin with `prefix` and whose members have these names.
fn gaze(object: &Value, is_expression: bool, prefix: &str, names: [&str; 2]) -> Gaze {
    let range = |key: &str| range(object, &format!("{prefix}{key}"), names, !is_expression);
    Gaze {
        kind: if is_expression { GazeKind::Expressions } else { GazeKind::Bones },
        inner: range("HorizontalInner"),
        outer: range("HorizontalOuter"),
        down: range("VerticalDown"),
        up: range("VerticalUp"),
    }
}

/// Without values, eyes rotate by up to 10 degrees (UniVRM), and expressions have the value 1, at 90 degrees.
fn range(object: &Value, key: &str, [input, output]: [&str; 2], is_angle: bool) -> GazeRange {
    let number = |name: &str, default: f32| {
        let value = object.get(key).and_then(|range| range.get(name)?.as_f64()).map(|value| value as f32);
        value.filter(|value| value.is_finite() && *value >= 0.0).unwrap_or(default)
    };
    GazeRange { max_degrees: number(input, 90.0), max_output: number(output, if is_angle { 10.0 } else { 1.0 }) }
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
                    preset_names: Vec::new(),
                    is_binary: json.get("isBinary").and_then(Value::as_bool).unwrap_or_default(),
                    group: (kind == "preset").then(|| group_of(name)).flatten(),
                    overrides: ["overrideMouth", "overrideBlink", "overrideLookAt"].map(|key| override_of(json, key)),
                    morph_weights: Vec::new(),
                    materials: Vec::new(),
                };
                for (i, bind) in array(json, "morphTargetBinds").iter().enumerate() {
                    let joint = index(bind, "node").and_then(|node| self.joints.get(node).copied());
                    self.bind(&mut expression, bind, joint.as_slice(), 1.0, &format!("{at}/{i}"));
                }
                for bind in array(json, "materialColorBinds") {
                    let property = match bind.get("type").and_then(Value::as_str) {
                        Some("color") => MaterialProperty::BaseColor,
                        Some("emissionColor") => MaterialProperty::Emissive,
                        // Toon colors are not drawn.
                        _ => continue,
                    };
                    let value = numbers(bind, "targetValue", [0.0, 0.0, 0.0, 1.0]);
                    self.material(&mut expression, index(bind, "material"), property, value);
                }
                for bind in array(json, "textureTransformBinds") {
                    let [x, y, ..] = numbers(bind, "scale", [1.0, 1.0, 0.0, 0.0]);
                    let [u, v, ..] = numbers(bind, "offset", [0.0; 4]);
                    self.texture_transform(&mut expression, index(bind, "material"), [x, y], [u, v]);
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
        let mut materials = HashMap::new();
        for (i, name) in self.model.materials.iter().enumerate().filter_map(|(i, it)| Some((i, it.name.as_deref()?))) {
            materials.entry(name).or_insert(i);
        }
        let mut expressions = Vec::new();
        for (i, group) in groups.iter().enumerate() {
            let at = format!("/extensions/VRM/blendShapeMaster/blendShapeGroups/{i}/binds");
            let text = |key: &str| group.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
            let name = text("name").or(text("presetName")).map_or_else(|| format!("expression {i}"), one_line);
            let preset = text("presetName").filter(|preset| *preset != "unknown");
            let renamed = |preset: &str| RENAMED_PRESETS.iter().find(|(old, _)| *old == preset).map(|(_, new)| *new);
            let names = [preset, preset.and_then(renamed)];
            let preset_names = names.into_iter().flatten().filter(|preset| *preset != name).map(one_line).collect();
            let mut expression = Expression {
                preset_names,
                is_binary: group.get("isBinary").and_then(Value::as_bool).unwrap_or_default(),
                group: preset.and_then(|preset| group_of(renamed(preset).unwrap_or(preset))),
                name,
                ..Expression::default()
            };
            for (k, bind) in array(group, "binds").iter().enumerate() {
                let joints =
                    index(bind, "mesh").and_then(|mesh| joints_of_mesh.get(mesh)).map_or(&[][..], Vec::as_slice);
                self.bind(&mut expression, bind, joints, 0.01, &format!("{at}/{k}"));
            }
            for value in array(group, "materialValues") {
                let name = value.get("materialName").and_then(Value::as_str);
                let material = name.and_then(|name| materials.get(name)).copied();
                self.material_value_of_version_0(&mut expression, material, value);
            }
            expressions.push(expression);
        }
        expressions
    }

    /// Adds a value of Unity's standard properties. Those of toon shading are not drawn.
    fn material_value_of_version_0(&self, expression: &mut Expression, material: Option<usize>, value: &Value) {
        match value.get("propertyName").and_then(Value::as_str) {
            Some("_Color") => {
                let [r, g, b, a] = numbers(value, "targetValue", [1.0; 4]);
                // Unity stores colors in sRGB, except high dynamic range.
                let [r, g, b] = [r, g, b].map(linear_from_srgb);
                self.material(expression, material, MaterialProperty::BaseColor, [r, g, b, a]);
            }
            Some("_EmissionColor") => {
                let color = numbers(value, "targetValue", [0.0, 0.0, 0.0, 1.0]);
                self.material(expression, material, MaterialProperty::Emissive, color);
            }
            Some("_MainTex_ST") => {
                let [x, y, u, v] = numbers(value, "targetValue", [1.0, 1.0, 0.0, 0.0]);
                // The origin of Unity's coordinates is the bottom left corner.
                self.texture_transform(expression, material, [x, y], [u, 1.0 - v - y]);
            }
            _ => {}
        }
    }

    /// Adds the change of a property to `target`. A material that lacks it is left out.
    fn material(
        &self,
        expression: &mut Expression,
        material: Option<usize>,
        property: MaterialProperty,
        target: [f32; 4],
    ) {
        let Some(index) = material.filter(|index| *index < self.model.materials.len()) else { return };
        let mut material = self.model.materials[index].clone();
        let Some(value) = material.property_mut(property) else { return };
        let mut difference = [0.0; 4];
        for ((difference, target), value) in difference.iter_mut().zip(target).zip(value) {
            *difference = target - *value;
        }
        if difference.iter().all(|x| x.is_finite()) {
            expression.materials.push(MaterialChange { material: MaterialIndex(index as u32), property, difference });
        }
    }

    /// Adds the changes of the coordinates of all textures of a material.
    fn texture_transform(
        &self,
        expression: &mut Expression,
        material: Option<usize>,
        [x, y]: [f32; 2],
        [u, v]: [f32; 2],
    ) {
        for slot in TextureSlot::ALL {
            self.material(expression, material, MaterialProperty::TextureScale(slot), [x, y, 0.0, 0.0]);
            self.material(expression, material, MaterialProperty::TextureOffset(slot), [u, v, 0.0, 0.0]);
        }
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

/// Returns an array of numbers. Missing ones, and those that are not finite, have the value of `default`.
fn numbers(value: &Value, name: &str, default: [f32; 4]) -> [f32; 4] {
    let mut numbers = default;
    for (out, number) in numbers.iter_mut().zip(array(value, name)) {
        let number = number.as_f64().map(|number| number as f32);
        *out = number.filter(|number| number.is_finite()).unwrap_or(*out);
    }
    numbers
}

fn linear_from_srgb(x: f32) -> f32 {
    if x <= 0.04045 { x / 12.92 } else { libm::powf((x + 0.055) / 1.055, 2.4) }
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
