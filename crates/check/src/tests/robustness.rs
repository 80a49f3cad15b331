//! Broken and hostile input: no panics, bounded time.

use super::valid_file::{glb, set, valid_file};
use crate::{MAX_ISSUES_PER_CODE, check_bytes};
use rigview_core::import::ImportPolicy;
use rigview_core::util::hash::splitmix64;
use serde_json::{Value, json};

#[test]
fn truncated_and_flipped_bytes_do_not_panic() {
    let (json, bytes) = valid_file();
    let whole = glb(&json, &bytes);
    for length in (0..whole.len()).step_by(7) {
        check_bytes(whole[..length].to_vec(), None, &ImportPolicy::default());
    }
    let mut state = 0x2545_f491_4f6c_dd1d;
    for _ in 0..1500 {
        let mut bytes = whole.clone();
        for _ in 0..1 + splitmix64(&mut state) as usize % 3 {
            let at = splitmix64(&mut state) as usize % bytes.len();
            bytes[at] ^= 1 << (splitmix64(&mut state) % 8);
        }
        for issue in check_bytes(bytes, None, &ImportPolicy::default()) {
            assert!(!issue.message.contains(char::is_control), "{issue:?}");
        }
    }
}

#[test]
fn replaced_json_values_do_not_panic() {
    fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
        let mut each = |key: String, value: &Value| {
            let at = format!("{at}/{key}");
            pointers(value, &at, found);
            found.push(at);
        };
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| each(key.clone(), value)),
            Value::Array(list) => list.iter().enumerate().for_each(|(i, value)| each(i.to_string(), value)),
            _ => {}
        }
    }
    let (json, bytes) = valid_file();
    let mut all = Vec::new();
    pointers(&json, "", &mut all);
    let values = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(1),
        json!(3),
        json!(1e300),
        json!(u64::MAX),
        json!(1.5),
        json!(""),
        json!("VEC3"),
        json!([]),
        json!({}),
        json!([0]),
        json!([[]]),
        json!(5123),
        json!(4294967295u32),
    ];
    for pointer in &all {
        for value in &values {
            let mut json = json.clone();
            *json.pointer_mut(pointer).unwrap() = value.clone();
            check_bytes(glb(&json, &bytes), None, &ImportPolicy::default());
        }
    }
}

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
