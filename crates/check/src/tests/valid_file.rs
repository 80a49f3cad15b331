//! A valid file for tests, and edits of it.

use base64::Engine as _;
use serde_json::{Value, json};

/// A PNG of one texel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// JSON and binary chunk of a skinned triangle with a morph target, an animation, a texture and cameras.
pub(crate) fn valid_file() -> (Value, Vec<u8>) {
    let mut bytes = Vec::new();
    let mut views = Vec::new();
    let mut add = |data: &[u8], target: Option<u32>| {
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let mut view = json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": data.len()});
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        bytes.extend(data);
        views.push(view);
    };
    let floats = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let mut lowered = identity;
    lowered[13] = -1.0;
    let vertices = Some(34962);
    add(&floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]), vertices);
    add(&[0, 0, 1, 0, 2, 0], Some(34963));
    add(&[0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0], vertices);
    add(&floats(&[0.5, 0.5, 0.0, 0.0, 0.25, 0.75, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), vertices);
    add(&floats(&[identity, lowered].concat()), None);
    add(&floats(&[0.0, 1.0]), None);
    add(&floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]), None);
    add(&floats(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0]), vertices);
    add(&floats(&[0.0, 0.0]), None);
    add(&[1, 2], None);
    add(&floats(&[0.0, 0.0, 3.0, 0.0, 0.0, 4.0]), None);
    add(&floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]), vertices);
    add(&base64::engine::general_purpose::STANDARD.decode(PNG).unwrap(), None);
    add(&floats(&[0.0, 0.0, 1.0].repeat(3)), vertices);
    add(&floats(&[1.0, 0.0, 0.0, 1.0].repeat(3)), vertices);
    add(&floats(&[0.5, 0.5, 0.5].repeat(3)), vertices);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let accessor = |view: usize, component: u32, kind: &str, count: usize| json!({"bufferView": view, "componentType": component, "type": kind, "count": count});
    let mut accessors = vec![
        accessor(0, 5126, "VEC3", 3),
        accessor(1, 5123, "SCALAR", 3),
        accessor(2, 5121, "VEC4", 3),
        accessor(3, 5126, "VEC4", 3),
        accessor(4, 5126, "MAT4", 2),
        accessor(5, 5126, "SCALAR", 2),
        accessor(6, 5126, "VEC4", 2),
        accessor(7, 5126, "VEC3", 3),
        accessor(8, 5126, "SCALAR", 2),
        json!({"componentType": 5126, "type": "VEC3", "count": 3, "sparse": {"count": 2,
            "indices": {"bufferView": 9, "componentType": 5121}, "values": {"bufferView": 10}}}),
        accessor(11, 5126, "VEC2", 3),
        accessor(13, 5126, "VEC3", 3),
        accessor(14, 5126, "VEC4", 3),
        accessor(15, 5126, "VEC3", 3),
    ];
    for (i, min, max) in
        [(0, json!([0, 0, 0]), json!([1, 1, 0])), (5, json!([0]), json!([1])), (7, json!([0, 0, 0]), json!([0, 0, 2]))]
    {
        (accessors[i]["min"], accessors[i]["max"]) = (min, max);
    }
    let json = json!({
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": bytes.len()}],
        "bufferViews": views,
        "accessors": accessors,
        "images": [{"bufferView": 12, "mimeType": "image/png"}],
        "samplers": [{}],
        "textures": [{"source": 0, "sampler": 0}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "normalTexture": {"index": 0}}],
        "meshes": [{"weights": [0.0], "primitives": [{
            "attributes": {"POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 3, "TEXCOORD_0": 10, "NORMAL": 11, "TANGENT": 12,
                "COLOR_0": 13},
            "indices": 1, "material": 0, "targets": [{"POSITION": 7, "NORMAL": 9}],
        }]}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1, "zfar": 10.0}},
            {"type": "orthographic", "orthographic": {"xmag": 1, "ymag": 1, "znear": 0, "zfar": 10}}],
        "nodes": [
            {"mesh": 0, "skin": 0},
            {"children": [2], "camera": 1},
            {"translation": [0, 1, 0], "children": [3]},
            {"camera": 0, "rotation": [0, 0, 0, 1]},
        ],
        "skins": [{"joints": [1, 2], "inverseBindMatrices": 4}],
        "animations": [{
            "samplers": [{"input": 5, "output": 6}, {"input": 5, "output": 8}],
            "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 0, "path": "weights"}}],
        }],
        "scenes": [{"nodes": [0, 1]}],
        "scene": 0,
    });
    (json, bytes)
}

pub(crate) fn glb(json: &Value, bytes: &[u8]) -> Vec<u8> {
    let mut text = serde_json::to_vec(json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut out = b"glTF\x02\0\0\0".to_vec();
    out.extend(((28 + text.len() + bytes.len()) as u32).to_le_bytes());
    for (kind, data) in [(b"JSON", text.as_slice()), (b"BIN\0", bytes)] {
        out.extend((data.len() as u32).to_le_bytes());
        out.extend(kind);
        out.extend(data);
    }
    out
}

/// Sets or adds the value at a JSON Pointer; `-` appends to an array.
pub(crate) fn set(json: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match json.pointer_mut(parent).unwrap_or_else(|| panic!("{parent}")) {
        Value::Object(map) => drop(map.insert(key.replace("~1", "/"), value)),
        Value::Array(list) if key == "-" => list.push(value),
        Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
        _ => panic!("{parent} is not a container"),
    }
}

pub(crate) fn remove(json: &mut Value, pointer: &str) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    json.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key);
}

/// Writes bytes into a buffer view.
pub(super) fn poke(json: &Value, bytes: &mut [u8], view: usize, at: usize, data: &[u8]) {
    let start = json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize + at;
    bytes[start..start + data.len()].copy_from_slice(data);
}
