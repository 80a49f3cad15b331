//! Encodes the buffer views of a GLB by EXT_meshopt_compression, without reducing their size: all values are stored
//! literally. Other tests compare the output of real encoders with their own decoders.

use super::glb::container;
use super::reference::chunks;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The file with every compressible buffer view encoded.
pub(crate) fn compressed(glb: &[u8]) -> Vec<u8> {
    let (json, plain) = chunks(glb);
    let mut json: Value = serde_json::from_slice(json).expect("the model's JSON");
    let plain = plain.expect("a binary chunk");
    let list = |name: &str| json[name].as_array().cloned().unwrap_or_default();
    let number = |value: &Value, name: &str| value[name].as_u64().unwrap_or(0) as usize;
    let (accessors, mut views) = (list("accessors"), list("bufferViews"));
    let primitives: Vec<Value> =
        list("meshes").iter().flat_map(|mesh| mesh["primitives"].as_array().cloned().unwrap_or_default()).collect();
    let indices: BTreeSet<u64> = primitives.iter().filter_map(|primitive| primitive["indices"].as_u64()).collect();
    let images: BTreeSet<u64> = list("images").iter().filter_map(|image| image["bufferView"].as_u64()).collect();

    let (mut packed, mut unpacked) = (Vec::new(), 0);
    for (i, view) in views.iter_mut().enumerate() {
        let bytes = &plain[number(view, "byteOffset")..][..number(view, "byteLength")];
        let user = accessors.iter().position(|accessor| accessor["bufferView"].as_u64() == Some(i as u64));
        let size = user.map(|user| match accessors[user]["componentType"].as_u64() {
            Some(5120 | 5121) => 1,
            Some(5122 | 5123) => 2,
            _ => 4,
        });
        packed.resize(usize::next_multiple_of(packed.len(), 4), 0);
        let (offset, is_indices) = (packed.len(), user.is_some_and(|user| indices.contains(&(user as u64))));
        let (mode, stride) = match (is_indices, size) {
            (true, Some(size)) if size > 1 => ("INDICES", size),
            _ => ("ATTRIBUTES", view["byteStride"].as_u64().map_or(4, |stride| stride as usize)),
        };
        let fits =
            !images.contains(&(i as u64)) && bytes.len().is_multiple_of(stride) && (!is_indices || mode == "INDICES");
        if !fits {
            packed.extend(bytes);
            (view["buffer"], view["byteOffset"]) = (json!(0), json!(offset));
            continue;
        }
        packed.extend(if is_indices { sequence(bytes, stride) } else { attributes(bytes, stride) });
        let extension = json!({
            "buffer": 0, "byteOffset": offset, "byteLength": packed.len() - offset,
            "byteStride": stride, "count": bytes.len() / stride, "mode": mode,
        });
        (view["buffer"], view["byteOffset"]) = (json!(1), json!(unpacked));
        view["extensions"] = json!({"EXT_meshopt_compression": extension});
        unpacked += bytes.len().next_multiple_of(4);
    }
    let fallback = json!({"EXT_meshopt_compression": {"fallback": true}});
    json["bufferViews"] = json!(views);
    json["buffers"] = json!([{"byteLength": packed.len()}, {"byteLength": unpacked, "extensions": fallback}]);
    for list in ["extensionsUsed", "extensionsRequired"] {
        let mut names = json[list].as_array().cloned().unwrap_or_default();
        names.push(json!("EXT_meshopt_compression"));
        json[list] = json!(names);
    }
    container(&serde_json::to_vec(&json).expect("JSON"), &packed)
}

/// Mode ATTRIBUTES, version 1, each byte literally (appendix A of the extension).
fn attributes(bytes: &[u8], stride: usize) -> Vec<u8> {
    let mut stream = vec![0xa1];
    let mut last = vec![0; stride];
    let items_in_block = (8192 / stride / 16 * 16).min(256);
    for block in bytes.chunks(items_in_block * stride) {
        stream.extend(vec![0xff; stride / 4]);
        for byte in 0..stride {
            for item in block.chunks(stride) {
                let difference = item[byte].wrapping_sub(last[byte]) as i8;
                stream.push(((difference << 1) ^ (difference >> 7)) as u8);
                last[byte] = item[byte];
            }
        }
    }
    // The tail: baseline of the first element, and byte deltas for all channels.
    let tail = stride + stride / 4;
    stream.extend(vec![0; tail.max(24)]);
    stream
}

/// Mode INDICES, version 1, delta coded.
fn sequence(bytes: &[u8], stride: usize) -> Vec<u8> {
    let mut stream = vec![0xd1];
    let mut last = 0;
    for index in bytes.chunks(stride) {
        let index = index.iter().rev().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
        let difference = index.wrapping_sub(last) as i32;
        let mut rest = u64::from(((difference << 1) ^ (difference >> 31)) as u32) << 1;
        while rest > 0x7f {
            stream.push(rest as u8 & 0x7f | 0x80);
            rest >>= 7;
        }
        stream.push(rest as u8);
        last = index;
    }
    stream.extend([0; 4]);
    stream
}
