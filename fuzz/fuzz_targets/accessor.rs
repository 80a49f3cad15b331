//! Accessors with arbitrary offsets, strides, counts and types, sparse or not.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview_fuzz::{Numbers, container, open};
use serde_json::json;

fuzz_target!(init: rigview_fuzz::allow_caught_panics(), |bytes: &[u8]| {
    let (head, bin) = bytes.split_at(bytes.len().min(40));
    let mut numbers = Numbers(head);
    let component = |byte: u8| [5120, 5121, 5122, 5123, 5125, 5126, 5124, 0][usize::from(byte % 8)];
    let mut accessors = Vec::new();
    let mut views = Vec::new();
    for _ in 0..3 {
        let mut view = json!({"buffer": 0, "byteOffset": numbers.number(), "byteLength": numbers.number()});
        if numbers.byte() % 3 == 0 {
            view["byteStride"] = json!(numbers.number());
        }
        views.push(view);
    }
    for _ in 0..2 {
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4", "VEC3"][usize::from(numbers.byte() % 8)];
        let flags = numbers.byte();
        let mut accessor = json!({
            "componentType": component(numbers.byte()), "type": kind, "count": numbers.number(), "normalized": flags & 1 == 1,
            "byteOffset": numbers.number(),
        });
        if flags & 2 == 0 {
            accessor["bufferView"] = json!(flags >> 6);
        }
        if flags & 4 == 4 {
            accessor["sparse"] = json!({
                "count": numbers.number(),
                "indices": {"bufferView": 1, "componentType": component(numbers.byte()), "byteOffset": numbers.number()},
                "values": {"bufferView": 2, "byteOffset": numbers.number()},
            });
        }
        accessors.push(accessor);
    }
    let count = accessors[0]["count"].as_u64();
    let json = json!({
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": bin.len()}], "bufferViews": views, "accessors": accessors,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 0}]}],
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
    });
    if let Ok(loaded) = open(container(json.to_string().as_bytes(), bin)) {
        for primitive in loaded.model.meshes.iter().flat_map(|mesh| &mesh.primitives) {
            assert_eq!(Some(primitive.vertices.positions.len() as u64), count);
            assert!(primitive.vertices.positions.iter().flatten().all(|x| x.is_finite()));
        }
    }
});
