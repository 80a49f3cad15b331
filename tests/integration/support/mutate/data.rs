//! Mutations of accessors and their data.

use super::{Work, list, one_of, push};
use crate::support::random::Random;
use serde_json::{Value, json};
use std::ops::Range;

/// Extreme floats.
const FLOATS: [f32; 12] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    1e-45,
    -0.0,
    0.0,
    1e30,
    -1e20,
    3.4e37,
];

/// Byte range of an accessor's elements, if they are tightly packed and inside the buffer.
fn place(json: &Value, accessor: usize) -> Option<Range<usize>> {
    let accessor = &json["accessors"][accessor];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64()? as usize];
    let start = view["byteOffset"].as_u64().unwrap_or(0).checked_add(accessor["byteOffset"].as_u64().unwrap_or(0))?;
    let end = view["byteOffset"].as_u64().unwrap_or(0).checked_add(view["byteLength"].as_u64()?)?;
    Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}

/// Accessors with a component type.
fn of_type(work: &Work, types: &[u64]) -> Vec<usize> {
    let accessors = list(&work.json, "accessors").iter().enumerate();
    let of_type =
        accessors.filter(|(_, accessor)| accessor["componentType"].as_u64().is_some_and(|t| types.contains(&t)));
    of_type.map(|(i, _)| i).collect()
}

/// Replaces positions, weights, times and matrices by NaN or huge values.
pub(super) fn not_numbers(work: &mut Work, random: &mut Random) -> String {
    let found = of_type(work, &[5126]);
    let Some(range) = found.get(random.below(found.len())).and_then(|i| Some((*i, place(&work.json, *i)?))) else {
        return "no floats".into();
    };
    let (accessor, range) = range;
    let Some(bytes) = work.bin.get_mut(range) else { return "no bytes".into() };
    let (value, every) = (*one_of(&FLOATS, random), *one_of(&[1, 2, 3, 7, 1000], random));
    let mut count = 0;
    let first = random.below(every);
    for number in bytes.as_chunks_mut::<4>().0.iter_mut().skip(first).step_by(every) {
        *number = value.to_le_bytes();
        count += 1;
    }
    // Removes or adapts the bounds, which would reveal the change.
    if random.below(2) == 0
        && let Some(accessor) = work.json["accessors"][accessor].as_object_mut()
    {
        accessor.remove("min");
        accessor.remove("max");
    }
    format!("accessor {accessor}: {count} numbers are {value:?}")
}

/// Out-of-range indices, joints and keys.
pub(super) fn indices(work: &mut Work, random: &mut Random) -> String {
    let found = of_type(work, &[5121, 5123, 5125]);
    let Some((accessor, range)) = found.get(random.below(found.len())).and_then(|i| Some((*i, place(&work.json, *i)?)))
    else {
        return "no integers".into();
    };
    let Some(bytes) = work.bin.get_mut(range) else { return "no bytes".into() };
    let byte = *one_of(&[0xff, 0x7f, 0x00, 0x80, 0xfe], random);
    let (start, every) = (random.below(bytes.len().max(1)), *one_of(&[1, 3, 16, 100], random));
    bytes.iter_mut().skip(start).step_by(every).for_each(|place| *place = byte);
    format!("accessor {accessor}: every {every}. byte from {start} on is {byte}")
}

/// Accessors with billions of elements and no data.
pub(super) fn from_nothing(work: &mut Work, random: &mut Random) -> String {
    let count = *one_of(&[1u64, 100_000, 5_000_000, 22_000_000, 1_000_000_000, 4_294_967_295, 1 << 52], random);
    let all = list(&work.json, "accessors").len();
    let what = match random.below(3) {
        0 => {
            for i in 0..all {
                hollow(&mut work.json["accessors"][i], count);
            }
            "all accessors".to_owned()
        }
        1 if all > 0 => {
            let i = random.below(all);
            hollow(&mut work.json["accessors"][i], count);
            format!("accessor {i}")
        }
        _ => {
            let kind = *one_of(&["SCALAR", "VEC3", "VEC4", "MAT4"], random);
            let component = *one_of(&[5121, 5123, 5125, 5126], random);
            let accessor = json!({"componentType": component, "type": kind, "count": count});
            let new = push(&mut work.json, "accessors", accessor);
            let place = *one_of(
                &[
                    "/meshes/0/primitives/0/indices",
                    "/meshes/0/primitives/0/attributes/POSITION",
                    "/meshes/0/primitives/0/attributes/JOINTS_0",
                    "/meshes/0/primitives/0/attributes/WEIGHTS_0",
                    "/animations/0/samplers/0/input",
                    "/animations/0/samplers/0/output",
                    "/skins/0/inverseBindMatrices",
                ],
                random,
            );
            let (parent, key) = place.rsplit_once('/').expect("a path");
            if let Some(parent) = work.json.pointer_mut(parent).filter(|parent| parent.is_object()) {
                parent[key] = json!(new);
            }
            format!("{place}, {kind} of {component}")
        }
    };
    format!("{what}: {count} items of nothing")
}

fn hollow(accessor: &mut Value, count: u64) {
    if let Some(accessor) = accessor.as_object_mut() {
        accessor.remove("bufferView");
        accessor.remove("sparse");
        accessor.insert("count".into(), json!(count));
    }
}

/// Sparse indices out of order or range, or too many.
pub(super) fn sparse(work: &mut Work, random: &mut Random) -> String {
    let (all, views) = (list(&work.json, "accessors").len(), list(&work.json, "bufferViews").len());
    if all == 0 || views == 0 {
        return "no accessors".into();
    }
    let i = random.below(all);
    let count = *one_of(&[1u64, 2, 100, 65_536, 4_294_967_295, 1 << 60], random);
    let offset = *one_of(&[0u64, 1, 4, 1 << 31, u64::MAX], random);
    let sparse = json!({
        "count": count,
        "indices": {
            "bufferView": random.below(views), "byteOffset": offset, "componentType": one_of(&[5121, 5123, 5125, 5126], random)
        },
        "values": {"bufferView": random.below(views), "byteOffset": random.below(64)},
    });
    let what = format!("accessor {i}: {sparse}");
    work.json["accessors"][i]["sparse"] = sparse;
    if random.below(2) == 0 {
        hollow_but_sparse(&mut work.json["accessors"][i], *one_of(&[3, 1_000_000, 4_294_967_295], random));
    }
    what
}

fn hollow_but_sparse(accessor: &mut Value, count: u64) {
    if let Some(accessor) = accessor.as_object_mut() {
        accessor.remove("bufferView");
        accessor.insert("count".into(), json!(count));
    }
}

/// Compressed geometry and textures with random content, some with a valid header.
pub(super) fn compressed(work: &mut Work, random: &mut Random) -> String {
    const KTX2: &[u8] = &[0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, b'\r', b'\n', 0x1a, b'\n'];
    const HEADS: [(&str, &[u8]); 6] = [
        ("noise", b""),
        ("Draco", b"DRACO\x02\x02\x01\x01\x00\x00"),
        ("meshopt vertices", &[0xa0]),
        ("meshopt triangles", &[0xe1]),
        ("meshopt indices", &[0xd1]),
        ("KTX2", KTX2),
    ];
    let (head, start) = *one_of(&HEADS, random);
    let mut bytes = start.to_vec();
    if head == "KTX2" {
        // Format, type size, width, height, depth, layers, faces, levels, supercompression; then offsets and lengths.
        let size = *one_of(&[4u32, 0, 1, 16_384, 70_000, u32::MAX], random);
        let levels = *one_of(&[1u32, 0, 15, 1000, u32::MAX], random);
        let scheme = random.below(5) as u32;
        for word in [*one_of(&[0u32, 37, 43, 145, 157], random), 1, size, size, 0, 0, 1, levels, scheme] {
            bytes.extend(word.to_le_bytes());
        }
        for _ in 0..12 {
            let word = *one_of(&[0u64, 80, 104, 200, u64::from(u32::MAX), u64::MAX], random);
            bytes.extend(word.to_le_bytes());
        }
    }
    let noise = *one_of(&[0usize, 16, 300, 5000], random);
    bytes.extend((0..noise).map(|_| random.bits() as u8 >> random.below(8)));
    let view = json!({"buffer": 0, "byteOffset": work.bin.len(), "byteLength": bytes.len().max(1)});
    work.bin.extend_from_slice(&bytes);
    work.bin.push(0);
    work.bin.resize(work.bin.len().next_multiple_of(4), 0);
    work.json["buffers"][0]["byteLength"] = json!(work.bin.len());
    let length = view["byteLength"].clone();
    let offset = view["byteOffset"].clone();
    let view = push(&mut work.json, "bufferViews", view);
    let count = *one_of(&[1u64, 3, 24, 100_000, 4_294_967_295], random);
    let what = match head {
        "Draco" => {
            let id = random.below(4);
            let draco = json!({"bufferView": view, "attributes": {"POSITION": id, "NORMAL": 1, "JOINTS_0": 9}});
            work.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"] = draco;
            for key in ["extensionsUsed", "extensionsRequired"] {
                push(&mut work.json, key, json!("KHR_draco_mesh_compression"));
            }
            "the first primitive".to_owned()
        }
        "KTX2" => {
            let image = push(&mut work.json, "images", json!({"bufferView": view, "mimeType": "image/ktx2"}));
            let texture = json!({"extensions": {"KHR_texture_basisu": {"source": image}}});
            let texture = push(&mut work.json, "textures", texture);
            let material = json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": texture}}});
            let material = push(&mut work.json, "materials", material);
            work.json["meshes"][0]["primitives"][0]["material"] = json!(material);
            for key in ["extensionsUsed", "extensionsRequired"] {
                push(&mut work.json, key, json!("KHR_texture_basisu"));
            }
            "a texture".to_owned()
        }
        _ => {
            let extension = *one_of(&["EXT_meshopt_compression", "KHR_meshopt_compression"], random);
            let stride = *one_of(&[1u64, 4, 8, 12, 16, 256, 1 << 40], random);
            let mode = *one_of(&["ATTRIBUTES", "TRIANGLES", "INDICES", "NOTHING"], random);
            let filter = *one_of(&["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"], random);
            let target = random.below(list(&work.json, "bufferViews").len());
            work.json["bufferViews"][target]["extensions"][extension] = json!({
                "buffer": 0, "byteOffset": offset, "byteLength": length, "byteStride": stride, "count": count, "mode": mode,
                "filter": filter
            });
            for key in ["extensionsUsed", "extensionsRequired"] {
                push(&mut work.json, key, json!(extension));
            }
            format!("buffer view {target}: {count} x {stride}, {mode}, {filter}")
        }
    };
    format!("{what}: {head}, {} bytes", bytes.len())
}
