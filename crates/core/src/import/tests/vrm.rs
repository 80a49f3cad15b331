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
