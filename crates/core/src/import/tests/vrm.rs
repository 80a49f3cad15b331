//! Human bones and expressions of VRM avatars.

use super::*;
use crate::model::{Expression, ExpressionGroup, ExpressionOverride};

/// Two nodes with one mesh of two morph targets, and a node without a mesh.
fn avatar(extension: &str, vrm: Value) -> File {
    let mut file = File::triangle();
    let moved = file.floats("VEC3", &[1.0; 9]);
    file.set("/meshes/0/primitives/0/targets", json!([{ "POSITION": moved }, { "POSITION": moved }]));
    file.set("/nodes", json!([{ "mesh": 0 }, { "mesh": 0 }, { "name": "J_Bip_C_Hips" }]));
    file.set("/scenes/0/nodes", json!([0, 1, 2]));
    file.set("/extensionsUsed", json!([extension])).set("/extensions", json!({ extension: vrm }));
    file
}

fn names(expressions: &[Expression]) -> Vec<&str> {
    expressions.iter().map(|expression| expression.name.as_str()).collect()
}

#[test]
fn bones_and_expressions_of_version_1_are_read() {
    let bind = |node: i32, index: u32, weight: f64| json!({ "node": node, "index": index, "weight": weight });
    let vrm = json!({
        "humanoid": { "humanBones": { "hips": { "node": 2 }, "tail": { "node": 1 }, "head": { "node": 9 } } },
        "expressions": {
            "custom": { "grin": { "isBinary": true } },
            "preset": {
                "aa": { "morphTargetBinds": [bind(0, 1, 0.5), bind(1, 0, 1.0), bind(0, 1, 0.25)] },
                "happy": { "overrideBlink": "blend", "overrideMouth": "block", "morphTargetBinds": [bind(2, 0, 1.0), bind(1, 2, 1.0)] },
            },
        },
    });
    let (imported, messages) = avatar("VRMC_vrm", vrm).loaded();
    let model = imported.model;
    let bones: Vec<_> = model.human_bones.iter().map(|bone| (bone.joint.get(), &*bone.bone)).collect();
    assert_eq!(bones, [(2, "hips")]);
    assert_eq!(names(&model.expressions), ["happy", "aa", "grin"]);
    let [happy, aa, grin] = &model.expressions[..] else { panic!() };
    assert_eq!(aa.morph_weights, [(1, 0.5), (2, 1.0), (1, 0.25)]);
    assert_eq!((aa.group, happy.group), (Some(ExpressionGroup::Mouth), None));
    assert_eq!(happy.overrides, [ExpressionOverride::Block, ExpressionOverride::Blend, ExpressionOverride::None]);
    assert!(grin.is_binary && happy.morph_weights.is_empty());
    // The node without a mesh, and the third morph target.
    let found: Vec<&str> = imported.diagnostics.iter().map(|found| found.pointer.as_str()).collect();
    let at = "/extensions/VRMC_vrm/expressions/preset/happy/morphTargetBinds";
    assert_eq!(found, ["/extensionsUsed/0", &format!("{at}/0/index"), &format!("{at}/1/index")], "{messages:?}");
}

#[test]
fn bones_and_expressions_of_version_0_are_read() {
    let binds = json!([{ "mesh": 0, "index": 1, "weight": 50 }, { "mesh": -1, "index": 0, "weight": 100 }]);
    let vrm = json!({
        "humanoid": { "humanBones": [{ "bone": "hips", "node": 2 }, { "bone": "leftThumbIntermediate", "node": 1 }, 7] },
        "blendShapeMaster": { "blendShapeGroups": [{ "name": " ", "presetName": "joy", "binds": binds }, 3] },
    });
    let (imported, messages) = avatar("VRM", vrm).loaded();
    let model = imported.model;
    let bones: Vec<_> = model.human_bones.iter().map(|bone| (bone.joint.get(), &*bone.bone)).collect();
    assert_eq!(bones, [(1, "leftThumbIntermediate"), (2, "hips")]);
    assert_eq!(names(&model.expressions), ["joy", "expression 1"]);
    assert_eq!((&model.expressions[0].preset_names[..], model.front().z), (&["happy".to_owned()][..], -1.0));
    assert_eq!(model.expressions[0].morph_weights, [(1, 0.5), (3, 0.5)]);
    assert_eq!(messages.len(), 2, "{messages:?}");
}

#[test]
fn binds_to_many_nodes_are_bounded() {
    let groups = json!([{ "name": "all", "binds": [{ "mesh": 0, "index": 0, "weight": 1 }] }]);
    let mut file = avatar("VRM", json!({ "blendShapeMaster": { "blendShapeGroups": groups } }));
    file.set("/nodes", json!(vec![json!({ "mesh": 0 }); 3000])).set("/scenes/0/nodes", json!([0]));
    let (imported, messages) = file.loaded();
    assert_eq!(imported.model.expressions[0].morph_weights.len(), 16);
    assert!(messages[1].contains("only the first 16 nodes"), "{messages:?}");
}

#[test]
fn materials_of_expressions_are_read_relative_to_the_material() {
    use crate::model::{MaterialChange, MaterialIndex, MaterialProperty, TextureSlot};
    let with_materials = |extension: &str, vrm: Value| {
        let mut file = avatar(extension, vrm);
        let transform = json!({ "index": 0, "extensions": { "KHR_texture_transform": { "offset": [0.25, 0.0] } } });
        let pbr = json!({ "baseColorFactor": [0.5, 0.5, 0.5, 1.0], "baseColorTexture": transform });
        file.set("/materials", json!([{ "name": "skin", "pbrMetallicRoughness": pbr }]));
        file.set("/textures", json!([{}])).loaded().0.model
    };
    let change = |property, difference| MaterialChange { material: MaterialIndex(0), property, difference };
    let expected = [
        change(MaterialProperty::BaseColor, [0.5, -0.5, 0.5, -0.5]),
        change(MaterialProperty::TextureScale(TextureSlot::BaseColor), [1.0, -0.5, 0.0, 0.0]),
        change(MaterialProperty::TextureOffset(TextureSlot::BaseColor), [0.25, 0.5, 0.0, 0.0]),
    ];
    let color =
        |kind: &str, material: i32| json!({ "material": material, "type": kind, "targetValue": [1, 0, 1, 0.5] });
    let preset = json!({ "happy": {
        "materialColorBinds": [color("color", 0), color("rimColor", 0), color("color", 7)],
        "textureTransformBinds": [{ "material": 0, "scale": [2.0, 0.5], "offset": [0.5, 0.5] }, { "material": 9 }],
    } });
    let model = with_materials("VRMC_vrm", json!({ "expressions": { "preset": preset } }));
    assert_eq!(model.expressions[0].materials, expected);
    let value =
        |name: &str, value: [f64; 4]| json!({ "materialName": "skin", "propertyName": name, "targetValue": value });
    // 0.5 from the top is 1 - 0.5 - 0.5 from the bottom with a scale of 0.5.
    let values = json!([
        value("_Color", [1.0, 0.0, 1.0, 0.5]),
        value("_MainTex_ST", [2.0, 0.5, 0.5, 0.0]),
        value("_RimColor", [0.0; 4])
    ]);
    let groups = json!([{ "name": "Smile", "presetName": "joy", "materialValues": values }]);
    let model = with_materials("VRM", json!({ "blendShapeMaster": { "blendShapeGroups": groups } }));
    assert_eq!(
        (&model.expressions[0].materials[..], model.expressions[0].label()),
        (&expected[..], "Smile (joy, happy)".to_owned())
    );
}

#[test]
fn gaze_and_joints_of_the_face_are_read() {
    use crate::model::{FaceDriver, GazeKind};
    let look_at = json!({ "type": "expression", "rangeMapVerticalUp": { "inputMaxValue": 45, "outputScale": 0.5 } });
    let gaze = avatar("VRMC_vrm", json!({ "lookAt": look_at })).loaded().0.model.gaze.unwrap();
    assert_eq!((gaze.kind, gaze.up.output(22.5), gaze.down.output(180.0)), (GazeKind::Expressions, 0.25, 1.0));
    let first_person = json!({ "lookAtTypeName": "Bone", "lookAtHorizontalOuter": { "xRange": 90, "yRange": 8 } });
    let gaze = avatar("VRM", json!({ "firstPerson": first_person })).loaded().0.model.gaze.unwrap();
    assert_eq!((gaze.kind, gaze.outer.output(45.0)), (GazeKind::Bones, 4.0));
    let expressions =
        json!({ "preset": { "happy": { "node": 1 } }, "custom": { "grin": { "node": 0 }, "x": { "node": 9 } } });
    let animation = json!({ "expressions": expressions, "lookAt": { "node": 2 } });
    let model = avatar("VRMC_vrm_animation", animation).loaded().0.model;
    let found: Vec<_> = model.face_joints.iter().map(|face| (face.joint.get(), &face.driver)).collect();
    let [happy, grin] = ["happy", "grin"].map(|name| FaceDriver::Expression(name.to_owned()));
    assert_eq!(found, [(0, &grin), (1, &happy), (2, &FaceDriver::Gaze)]);
}
