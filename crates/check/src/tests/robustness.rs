//! Small files that take long to check.

use super::valid_file::{glb, set, valid_file};
use crate::{MAX_ISSUES_PER_CODE, check_bytes};
use rigview_core::import::ImportPolicy;
use serde_json::{Value, json};

#[test]
fn overlapping_accessors_exhaust_the_budget() {
    let (mut json, _) = valid_file();
    let bytes = vec![0; 1 << 20];
    set(&mut json, "/buffers/0/byteLength", json!(bytes.len()));
    set(&mut json, "/bufferViews", json!([{"buffer": 0, "byteLength": bytes.len()}]));
    let accessor = json!({"bufferView": 0, "componentType": 5121, "type": "SCALAR", "count": bytes.len(), "min": [1]});
    set(&mut json, "/accessors", Value::Array(vec![accessor; 20_000]));
    let issues = check_bytes(glb(&json, &bytes), None, &ImportPolicy::default());
    assert!(issues.iter().any(|issue| issue.code == "RIGVIEW_CHECK_SKIPPED"));
}

#[test]
fn deep_hierarchies_and_long_loops_are_checked() {
    let (mut json, bytes) = valid_file();
    let mut nodes: Vec<Value> = (0..50_000).map(|i| json!({"children": [i + 1]})).collect();
    nodes.push(json!({"children": [0]}));
    set(&mut json, "/nodes", json!(nodes));
    let issues = check_bytes(glb(&json, &bytes), None, &ImportPolicy::default());
    assert_eq!(issues.iter().filter(|issue| issue.code == "NODE_LOOP").count(), MAX_ISSUES_PER_CODE + 1);
    nodes.pop();
    nodes.push(json!({}));
    set(&mut json, "/nodes", json!(nodes));
    let issues = check_bytes(glb(&json, &bytes), None, &ImportPolicy::default());
    assert!(!issues.iter().any(|issue| issue.code == "NODE_LOOP"));
}
