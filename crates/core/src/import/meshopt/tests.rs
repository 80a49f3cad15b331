use super::super::{ImportOptions, Imported, from_bytes};
use crate::import::ImportError;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Buffer views of every mode, filter and version, written by meshoptimizer. The `extras` of each contain the index of
/// the view with the bytes that meshoptimizer decodes.
const STREAMS: &[u8] = include_bytes!("../../../assets/meshopt.glb");

fn load(bytes: Vec<u8>) -> Result<Imported, ImportError> {
    from_bytes(bytes, None, &ImportOptions::default())
}

/// Returns the largest difference between components of two filtered views.
fn distance(filter: &str, stride: u64, found: &[u8], plain: &[u8]) -> f64 {
    let numbers = |bytes: &[u8]| -> Vec<f64> {
        match (filter, stride) {
            ("EXPONENTIAL", _) => bytes.as_chunks().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect(),
            (_, 4) => bytes.iter().map(|b| f64::from(*b as i8)).collect(),
            _ => bytes.as_chunks().0.iter().map(|b| f64::from(i16::from_le_bytes(*b))).collect(),
        }
    };
    numbers(found).iter().zip(numbers(plain)).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn every_mode_and_filter_decodes_as_meshoptimizer_does() {
    let loaded = load(STREAMS.to_vec()).unwrap();
    let gltf_file = &loaded.gltf_file;
    let views = gltf_file.json()["bufferViews"].as_array().unwrap();
    let mut seen = Vec::new();
    for (i, view) in views.iter().enumerate() {
        let Some((_, found)) = super::extension(view) else { continue };
        let plain = gltf_file.view(view["extras"]["plain"].as_u64().unwrap() as usize).unwrap();
        let decoded = gltf_file.view(i).unwrap();
        let (filter, stride) = (found["filter"].as_str().unwrap_or("NONE"), found["byteStride"].as_u64().unwrap());
        assert_eq!(decoded.len(), plain.len(), "view {i}");
        match filter {
            "NONE" => assert_eq!(decoded, plain, "view {i}"),
            "EXPONENTIAL" => assert_eq!(distance(filter, stride, decoded, plain), 0.0, "view {i}"),
            // Halves may be rounded either way.
            _ => assert!(distance(filter, stride, decoded, plain) <= 1.0, "view {i}, {filter}"),
        }
        seen.push(format!("{} {filter} {stride}", found["mode"].as_str().unwrap()));
    }
    for known in [
        "ATTRIBUTES NONE 256",
        "ATTRIBUTES OCTAHEDRAL 4",
        "ATTRIBUTES OCTAHEDRAL 8",
        "ATTRIBUTES QUATERNION 8",
        "ATTRIBUTES EXPONENTIAL 12",
        "ATTRIBUTES COLOR 4",
        "ATTRIBUTES COLOR 8",
        "TRIANGLES NONE 2",
        "TRIANGLES NONE 4",
        "INDICES NONE 2",
        "INDICES NONE 4",
    ] {
        assert!(seen.iter().any(|seen| seen == known), "{known}");
    }
    assert!(
        loaded.unsupported_required_extensions.is_empty() && loaded.diagnostics.is_empty(),
        "{:?}",
        loaded.diagnostics
    );
}

#[test]
fn corrupt_streams_do_not_panic() {
    let start = STREAMS.len() - 60_000;
    let mut refused = 0;
    let tries = (start..STREAMS.len()).step_by(97);
    for (i, at) in tries.clone().enumerate() {
        let mut broken = STREAMS.to_vec();
        broken[at] ^= 1 << (i % 8);
        let is_reported = |loaded: Imported| !loaded.diagnostics.is_empty();
        refused += usize::from(load(broken).map_or(true, is_reported));
    }
    // Some flips change uncompressed data, or valid values into other valid values.
    assert!(refused > tries.len() / 50, "{refused} of {}", tries.len());
}

/// A file of one compressed view over `stream`.
fn file(stream: &[u8], change: impl FnOnce(&mut Value)) -> Result<Imported, ImportError> {
    let mut json = json!({
        "asset": { "version": "2.0" },
        "buffers": [
            { "byteLength": stream.len() },
            { "byteLength": 48, "extensions": { "KHR_meshopt_compression": { "fallback": true } } },
        ],
        "bufferViews": [{ "name": "Points", "buffer": 1, "byteLength": 48, "extensions": { "KHR_meshopt_compression": {
            "buffer": 0, "byteLength": stream.len(), "byteStride": 12, "count": 4, "mode": "ATTRIBUTES",
        } } }],
    });
    change(&mut json["bufferViews"][0]["extensions"]["KHR_meshopt_compression"]);
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bin = stream.to_vec();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let chunk = |kind: &[u8], bytes: &[u8]| [&(bytes.len() as u32).to_le_bytes()[..], kind, bytes].concat();
    let chunks = [chunk(b"JSON", &text), chunk(b"BIN\0", &bin)].concat();
    load([b"glTF".as_slice(), &2_u32.to_le_bytes(), &(12 + chunks.len() as u32).to_le_bytes(), &chunks].concat())
}

#[test]
fn invalid_properties_are_reported() {
    // Four elements of zeros: three control bytes for zero planes, and a base of zeros.
    let zeros = [&[0xa1, 0xaa, 0xaa, 0xaa][..], &[0; 24]].concat();
    let loaded = file(&zeros, |_| {}).unwrap();
    assert_eq!(loaded.gltf_file.view(0), Some(&[0; 48][..]));

    let other = [&[0xb1][..], &zeros[1..]].concat();
    let text = &file(&other, |_| {}).unwrap().diagnostics[0].message;
    assert!(text.contains("its header is not that of an attribute stream"), "{text}");

    let literal = [&[0xa1, 0xff, 0xff, 0xff][..], &[0; 24]].concat();
    let loaded = file(&literal, |_| {}).unwrap();
    let text = &loaded.diagnostics[0].message;
    assert!(text.contains("the stream is truncated"), "{text}");
    assert_eq!(loaded.gltf_file.view(0), None);

    for (change, message) in [
        (json!({ "count": 5_000_000 }), "are too few for 5000000 elements"),
        (json!({ "count": u64::MAX }), "too few for"),
        (json!({ "count": -1 }), "count is missing or not an integer"),
        (json!({ "byteStride": 10 }), "do not fit mode Attributes"),
        (json!({ "byteStride": 260 }), "do not fit mode"),
        (json!({ "byteStride": 0 }), "do not fit mode"),
        (json!({ "filter": "QUATERNION" }), "filter Quaternion"),
        (json!({ "filter": "OCTAHEDRAL" }), "filter Octahedral"),
        (json!({ "filter": "EXPONENTIAL", "byteStride": 6 }), "filter Exponential"),
        (json!({ "filter": "SPHERE" }), "its filter is not defined"),
        (json!({ "mode": "LINES" }), "its mode is none of"),
        (
            json!({ "mode": "TRIANGLES", "byteStride": 4, "count": 4 }),
            "4 elements of 4 bytes do not fit mode Triangles",
        ),
        (json!({ "mode": "TRIANGLES", "byteStride": 12, "count": 3 }), "do not fit mode Triangles"),
        (json!({ "mode": "INDICES", "byteStride": 12, "count": 3 }), "do not fit mode Indices"),
        (json!({ "mode": "INDICES", "byteStride": 4, "filter": "EXPONENTIAL" }), "do not fit mode Indices"),
        (
            json!({ "mode": "TRIANGLES", "byteStride": 4, "count": 3, "filter": "EXPONENTIAL" }),
            "mode Triangles and filter",
        ),
        (json!({ "mode": "TRIANGLES", "byteStride": 4, "count": 3 }), "header is not that of a triangle stream"),
        (json!({ "mode": "INDICES", "byteStride": 4, "count": 3 }), "header is not that of an index stream"),
        (json!({ "byteLength": 1000 }), "it reaches past the end of buffer 0"),
        (json!({ "byteOffset": u64::MAX }), "it reaches past the end of buffer 0"),
        (json!({ "byteLength": 27 }), "bytes are too few for 4 elements"),
        (json!({ "buffer": 1 }), "buffer 1 has no data"),
        (json!({ "buffer": 7 }), "buffer 7 has no data"),
        (json!({ "count": 300 }), "28 bytes are too few for 300 elements"),
        (json!({ "byteStride": 8 }), "it has bytes after its end"),
    ] {
        let loaded = file(&zeros, |extension| {
            for (key, value) in change.as_object().unwrap() {
                extension[key] = value.clone();
            }
        });
        let [diagnostic] = &loaded.unwrap().diagnostics[..] else { panic!("not one diagnostic for {message}") };
        let text = &diagnostic.message;
        assert!(
            text.starts_with("buffer view 0 \"Points\": its KHR_meshopt_compression") && text.contains(message),
            "{text}"
        );
        assert_eq!(diagnostic.pointer, "/bufferViews/0");
    }
}

#[test]
fn decompression_bomb_is_rejected_before_decoding() {
    // Eight megabytes of zero deltas decode to eight gigabytes.
    let stride = 4;
    let count = 1 << 31;
    let blocks = vec![0xaa_u8; count / 256];
    let stream = [&[0xa1][..], &blocks, &[0; 24]].concat();
    let start = Instant::now();
    let error = file(&stream, |extension| {
        extension["byteStride"] = json!(stride);
        extension["count"] = json!(count);
    });
    let text = error.map(|_| ()).unwrap_err().to_string();
    assert!(text.contains("bytes of all decompressed buffer views"), "{text}");
    assert!(start.elapsed() < Duration::from_secs(2));
}
