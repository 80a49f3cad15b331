//! Tests of the checks of VRM avatars.

use super::valid_file::{glb, remove, set, use_extension, valid_file};
use crate::{Issue, Severity, check_bytes};
use rigview_core::import::ImportPolicy;
use rigview_core::schema::human_bones;
use serde_json::{Value, json};

/// The first node of the bones in [`avatar`].
const FIRST_NODE: usize = 100;

/// A valid file with an avatar of VRM 1.0 that has all human bones, and an expression.
fn avatar() -> Value {
    let (mut json, _) = valid_file();
    while json["nodes"].as_array().unwrap().len() < FIRST_NODE {
        set(&mut json, "/nodes/-", json!({}));
    }
    let bones = human_bones(true);
    let index_of = |name: &str| FIRST_NODE + bones.iter().position(|bone| bone.name == name).unwrap();
    for bone in &bones {
        let children = bones.iter().filter(|child| child.parent == bone.name).map(|child| index_of(&child.name));
        let children: Vec<usize> = children.collect();
        let node = if children.is_empty() { json!({}) } else { json!({ "children": children }) };
        set(&mut json, "/nodes/-", node);
    }
    let assigned: serde_json::Map<String, Value> =
        bones.iter().map(|bone| (bone.name.clone(), json!({"node": index_of(&bone.name)}))).collect();
    let meta = json!({"name": "a", "authors": ["b"], "licenseUrl": "https://vrm.dev/licenses/1.0/"});
    let bind = json!({"node": 0, "index": 0, "weight": 1});
    let expressions = json!({"preset": {"happy": {"morphTargetBinds": [bind], "overrideBlink": "block"}}});
    let vrm =
        json!({"specVersion": "1.0", "meta": meta, "humanoid": {"humanBones": assigned}, "expressions": expressions});
    use_extension(&mut json, "VRMC_vrm");
    set(&mut json, "/extensions", json!({ "VRMC_vrm": vrm }));
    json
}

fn errors_and_warnings(json: &Value) -> Vec<Issue> {
    let mut issues = check_bytes(glb(json, &valid_file().1), None, &ImportPolicy::default());
    issues.retain(|issue| issue.severity != Severity::Info && issue.pointer.contains("VRM"));
    issues
}

/// Asserts that `json` has exactly the issues of these codes and pointers, apart from notices about what is not shown.
#[track_caller]
fn assert_issues(json: &Value, expected: &[(&str, &str)]) {
    let issues = errors_and_warnings(json);
    let found: Vec<(&str, &str)> = issues.iter().map(|issue| (issue.code, &*issue.pointer)).collect();
    assert_eq!(found, expected, "{issues:#?}");
}

#[test]
fn faults_of_avatars_have_issues() {
    const VRM: &str = "/extensions/VRMC_vrm";
    let assert_after = |pointer: &str, value: Value, expected: &[(&str, &str)]| {
        let mut json = avatar();
        set(&mut json, &format!("{VRM}{pointer}"), value);
        let expected: Vec<(&str, String)> =
            expected.iter().map(|(code, pointer)| (*code, format!("{VRM}{pointer}"))).collect();
        let expected: Vec<(&str, &str)> = expected.iter().map(|(code, pointer)| (*code, &**pointer)).collect();
        assert_issues(&json, &expected);
    };
    assert_after("/humanoid/humanBones/hips/node", json!(100), &[]);
    assert_after("/meta/authors", json!(["", 2]), &[("EMPTY_ENTITY", "/meta/authors")]);
    assert_after("/meta", json!({"name": "a", "authors": ["b"]}), &[("UNDEFINED_PROPERTY", "/meta")]);
    assert_after("/meta/modification", json!("yes"), &[("VALUE_NOT_IN_LIST", "/meta/modification")]);
    assert_after("/meta/thumbnailImage", json!(7), &[("UNRESOLVED_REFERENCE", "/meta/thumbnailImage")]);
    assert_after(
        "/humanoid/humanBones/spine/node",
        json!(999),
        &[("UNRESOLVED_REFERENCE", "/humanoid/humanBones/spine/node")],
    );
    assert_after(
        "/humanoid/humanBones/tail",
        json!({"node": 1}),
        &[("VALUE_NOT_IN_LIST", "/humanoid/humanBones/tail")],
    );
    assert_after(
        "/humanoid/humanBones/head/node",
        json!(100),
        &[
            ("RIGVIEW_VRM_HIERARCHY", "/humanoid/humanBones/head"),
            ("DUPLICATE_ELEMENTS", "/humanoid/humanBones/hips/node"),
        ],
    );
    assert_after("/expressions/preset/smile", json!({}), &[("VALUE_NOT_IN_LIST", "/expressions/preset/smile")]);
    assert_after("/expressions/custom", json!({"aa": {}}), &[("DUPLICATE_ELEMENTS", "/expressions/custom/aa")]);
    assert_after(
        "/expressions/preset/happy/morphTargetBinds/0/index",
        json!(9),
        &[("UNRESOLVED_REFERENCE", "/expressions/preset/happy/morphTargetBinds/0/index")],
    );
    assert_after(
        "/expressions/preset/happy/morphTargetBinds/0/node",
        json!(FIRST_NODE),
        &[("UNRESOLVED_REFERENCE", "/expressions/preset/happy/morphTargetBinds/0/node")],
    );
    assert_after(
        "/expressions/preset/happy/morphTargetBinds/0/weight",
        json!(100),
        &[("VALUE_NOT_IN_RANGE", "/expressions/preset/happy/morphTargetBinds/0/weight")],
    );
    assert_after(
        "/expressions/preset/happy/overrideBlink",
        json!("always"),
        &[("VALUE_NOT_IN_LIST", "/expressions/preset/happy/overrideBlink")],
    );
    assert_after("/firstPerson", json!({"meshAnnotations": []}), &[]);
    assert_after("/lookAt", json!({"type": "eyes"}), &[("VALUE_NOT_IN_LIST", "/lookAt/type")]);
}

#[test]
fn missing_bones_and_parents_have_issues() {
    const BONES: &str = "/extensions/VRMC_vrm/humanoid/humanBones";
    let without = |names: &[&str]| {
        let mut json = avatar();
        names.iter().for_each(|name| remove(&mut json, &format!("{BONES}/{name}")));
        json
    };
    // The neck is below the spine if chest and upper chest are absent.
    assert_issues(&without(&["chest", "upperChest", "leftEye", "leftShoulder"]), &[]);
    let json = without(&["hips", "leftFoot", "leftToes"]);
    assert_issues(&json, &[("UNDEFINED_PROPERTY", BONES)]);
    assert!(errors_and_warnings(&json)[0].message.starts_with("missing bones: hips, leftFoot;"));
    let thumb = format!("{BONES}/leftThumbDistal");
    assert_issues(&without(&["leftThumbProximal"]), &[("UNSATISFIED_DEPENDENCY", &*thumb)]);
}

#[test]
fn faults_of_version_0_have_issues() {
    let bones: Vec<Value> = human_bones(false)
        .iter()
        .filter(|bone| bone.name != "neck")
        .enumerate()
        .map(|(i, bone)| json!({"bone": bone.name, "node": FIRST_NODE + i}))
        .collect();
    let bind = |mesh: i32, index: u32, weight: u32| json!({"mesh": mesh, "index": index, "weight": weight});
    let groups = json!([
        {"name": "Joy", "presetName": "joy", "binds": [bind(0, 0, 100), bind(7, 0, 100), bind(0, 9, 200)]},
        {"name": "smile", "presetName": "unknown", "binds": [], "materialValues": []},
        {"name": "SMILE", "presetName": ""},
    ]);
    let springs = json!({
        "boneGroups": [{"bones": [0, 999], "center": -1, "colliderGroups": [0, 1]}],
        "colliderGroups": [{"node": 1, "colliders": []}],
    });
    let mut json = avatar();
    use_extension(&mut json, "VRM");
    let vrm = json!({
        "meta": {"texture": -1, "licenseName": "GPL"},
        "humanoid": {"humanBones": bones},
        "blendShapeMaster": {"blendShapeGroups": groups},
        "secondaryAnimation": springs,
        "materialProperties": [{"textureProperties": {"_MainTex": 0, "_BumpMap": 99}}],
    });
    set(&mut json, "/extensions", json!({"VRM": vrm}));
    let mut issues = errors_and_warnings(&json);
    // The name lacks an underscore, which the Khronos validator reports, too.
    issues.retain(|issue| issue.code != "INVALID_EXTENSION_NAME_FORMAT");
    let found: Vec<(&str, &str)> =
        issues.iter().map(|issue| (issue.code, &issue.pointer["/extensions/VRM".len()..])).collect();
    let group = "/blendShapeMaster/blendShapeGroups";
    let expected = [
        ("UNRESOLVED_REFERENCE", &*format!("{group}/0/binds/1/mesh")),
        ("UNRESOLVED_REFERENCE", &format!("{group}/0/binds/2/index")),
        ("VALUE_NOT_IN_RANGE", &format!("{group}/0/binds/2/weight")),
        ("DUPLICATE_ELEMENTS", &format!("{group}/2")),
        ("UNDEFINED_PROPERTY", "/humanoid/humanBones"),
        ("UNRESOLVED_REFERENCE", "/materialProperties/0/textureProperties/_BumpMap"),
        ("VALUE_NOT_IN_LIST", "/meta/licenseName"),
        ("UNRESOLVED_REFERENCE", "/secondaryAnimation/boneGroups/0/bones/1"),
        ("UNRESOLVED_REFERENCE", "/secondaryAnimation/boneGroups/0/colliderGroups/1"),
    ];
    assert_eq!(found, expected, "{issues:#?}");
}

#[test]
fn faults_of_springs_constraints_and_toon_materials_have_issues() {
    let [hips, spine, chest] = [0, 1, 2].map(|i| FIRST_NODE + i);
    let mut json = avatar();
    let used = json!(["VRMC_vrm", "VRMC_springBone", "VRMC_node_constraint", "VRMC_materials_mtoon"]);
    set(&mut json, "/extensionsUsed", used);
    let springs = json!({
        "specVersion": "1.0",
        "colliders": [{"node": 999, "shape": {"sphere": {"radius": 1}}}],
        "colliderGroups": [{"colliders": [0, 1]}],
        "springs": [
            {"joints": [{"node": hips, "dragForce": 2}, {"node": spine}], "colliderGroups": [2], "center": chest},
            {"joints": [{"node": chest}, {"node": hips}]},
            {"joints": [{"node": chest + 1}, {"node": 0}]},
        ],
    });
    set(&mut json, "/extensions/VRMC_springBone", springs);
    let constraint = |kind: &str, source: usize| {
        let constraint = json!({kind: {"source": source, "rollAxis": "X"}});
        json!({"VRMC_node_constraint": {"specVersion": "1.0", "constraint": constraint}})
    };
    set(&mut json, &format!("/nodes/{hips}/extensions"), constraint("roll", spine));
    set(&mut json, &format!("/nodes/{spine}/extensions"), constraint("roll", hips));
    set(&mut json, &format!("/nodes/{chest}/extensions"), constraint("roll", hips));
    set(&mut json, &format!("/nodes/{}/extensions", chest + 1), constraint("pull", hips));
    let toon = json!({"specVersion": "1.0", "matcapTexture": {"index": 99}, "renderQueueOffsetNumber": 10});
    set(&mut json, "/materials/0/extensions", json!({"VRMC_materials_mtoon": toon}));
    let spring = "/extensions/VRMC_springBone";
    let toon = "/materials/0/extensions/VRMC_materials_mtoon";
    assert_issues(
        &json,
        &[
            ("UNRESOLVED_REFERENCE", &format!("{spring}/colliderGroups/0/colliders/1")),
            ("UNRESOLVED_REFERENCE", &format!("{spring}/colliders/0/node")),
            ("RIGVIEW_VRM_HIERARCHY", &format!("{spring}/springs/0/center")),
            ("UNRESOLVED_REFERENCE", &format!("{spring}/springs/0/colliderGroups/0")),
            ("VALUE_NOT_IN_RANGE", &format!("{spring}/springs/0/joints/0/dragForce")),
            ("DUPLICATE_ELEMENTS", &format!("{spring}/springs/1/joints/1")),
            ("RIGVIEW_VRM_HIERARCHY", &format!("{spring}/springs/2/joints/1")),
            ("UNRESOLVED_REFERENCE", &format!("{toon}/matcapTexture/index")),
            ("VALUE_NOT_IN_RANGE", &format!("{toon}/renderQueueOffsetNumber")),
            ("RIGVIEW_VRM_HIERARCHY", &format!("/nodes/{spine}/extensions/VRMC_node_constraint")),
            ("ONE_OF_MISMATCH", &format!("/nodes/{}/extensions/VRMC_node_constraint/constraint", chest + 1)),
            ("UNEXPECTED_PROPERTY", &format!("/nodes/{}/extensions/VRMC_node_constraint/constraint/pull", chest + 1)),
        ],
    );
}
