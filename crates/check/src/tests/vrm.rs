//! Tests of the checks of VRM avatars.

use super::codes::edited;
use super::valid_file::{glb, set, valid_file};
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
    set(&mut json, "/extensionsUsed", json!(["VRMC_vrm"]));
    set(&mut json, "/extensions", json!({ "VRMC_vrm": vrm }));
    json
}

fn errors_and_warnings(json: &Value) -> Vec<Issue> {
    let mut issues = check_bytes(glb(json, &valid_file().1), None, &ImportPolicy::default());
    issues.retain(|issue| issue.severity != Severity::Info && issue.pointer.contains("VRM"));
    issues
}

#[test]
fn edited_avatars_have_the_issues_of_their_rows() {
    const VRM: &str = "/extensions/VRMC_vrm";
    for row in include_str!("avatars.txt").lines().filter(|row| !row.starts_with('#')) {
        let row = row.replace('~', VRM);
        let (expected, edits) = row.split_once('|').unwrap();
        let issues = errors_and_warnings(&edited((avatar(), valid_file().1), edits.trim()).0);
        let found: Vec<_> = issues.iter().map(|issue| format!("{}@{}", issue.code, issue.pointer)).collect();
        assert_eq!(found.join(" "), expected.trim(), "{row}\n{issues:#?}");
    }
    let bones = "remove ~/hips ~/leftFoot ~/leftToes".replace('~', &format!("{VRM}/humanoid/humanBones"));
    let issues = errors_and_warnings(&edited((avatar(), valid_file().1), &bones).0);
    assert!(issues[0].message.starts_with("missing bones: hips, leftFoot;"));
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
    set(&mut json, "/extensionsUsed", json!(["VRM"]));
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
