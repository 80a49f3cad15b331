//! Mutations of the JSON.

use super::{Work, list, one_of, push};
use crate::support::random::Random;
use serde_json::{Value, json};

/// Placeholder for bytes that [`finish`] inserts.
const MARK: &str = "@raw:";

/// A value that is written as these raw bytes.
fn raw(bytes: &[u8]) -> Value {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Value::String(format!("{MARK}{hex}@"))
}

/// Replaces the placeholders of [`raw`] values.
pub(super) fn finish(text: &str) -> Vec<u8> {
    let mark = format!("\"{MARK}");
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some((plain, more)) = rest.split_once(&mark) {
        let (hex, more) = more.split_once("@\"").expect("the end of the placeholder");
        out.extend_from_slice(plain.as_bytes());
        let byte = |i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal");
        out.extend((0..hex.len()).step_by(2).map(byte));
        rest = more;
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

/// Numbers beyond the range of common integer and float types.
const NUMBERS: [&str; 30] = [
    "0",
    "1",
    "2",
    "-1",
    "-2147483649",
    "255",
    "256",
    "65535",
    "65536",
    "1000000000",
    "2147483647",
    "2147483648",
    "4294967292",
    "4294967295",
    "4294967296",
    "4611686018427387904",
    "9007199254740991",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e20",
    "1e38",
    "-1e39",
    "1e308",
    "1e400",
    "0.5",
    "-0.0",
    "1e-320",
];

/// Paths of all values below a value that pass the filter. No key of an original needs escaping.
fn paths(value: &Value, wanted: &dyn Fn(&str, &Value) -> bool) -> Vec<String> {
    fn collect(value: &Value, path: &str, wanted: &dyn Fn(&str, &Value) -> bool, found: &mut Vec<String>) {
        let mut child = |key: &str, value: &Value| {
            let path = format!("{path}/{key}");
            if wanted(&path, value) {
                found.push(path.clone());
            }
            collect(value, &path, wanted, found);
        };
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| child(key, value)),
            Value::Array(list) => list.iter().enumerate().for_each(|(i, value)| child(&i.to_string(), value)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(value, "", wanted, &mut found);
    found
}

/// Replaces a count, offset, length or stride.
pub(super) fn overflow(work: &mut Work, random: &mut Random) -> String {
    const KEYS: [&str; 6] = ["count", "byteOffset", "byteLength", "byteStride", "componentType", "target"];
    // Adds optional properties.
    for (lists, key) in [("accessors", "byteOffset"), ("bufferViews", "byteStride"), ("bufferViews", "byteOffset")] {
        let length = list(&work.json, lists).len();
        if length > 0 && random.below(3) == 0 {
            let element = &mut work.json[lists][random.below(length)];
            if element[key].is_null() {
                element[key] = json!(4);
            }
        }
    }
    let found = paths(&work.json, &|path, value| value.is_number() && KEYS.iter().any(|key| path.ends_with(key)));
    if found.is_empty() {
        return "nothing to overflow".into();
    }
    let mut what = Vec::new();
    for _ in 0..1 + random.below(3) {
        let path = one_of(&found, random);
        let place = work.json.pointer_mut(path).expect("a path that was found");
        let near = place.as_u64().map(|value| value.wrapping_add(random.below(9) as u64).wrapping_sub(4));
        let number = match near {
            Some(near) if random.below(3) == 0 => near.to_string(),
            _ => (*one_of(&NUMBERS, random)).to_owned(),
        };
        what.push(format!("{path} = {number}"));
        *place = raw(number.as_bytes());
    }
    what.join(", ")
}

/// Replacements for a value of any kind.
fn odd_values() -> Vec<Value> {
    let mut odd = vec![
        Value::Null,
        json!([]),
        json!({}),
        json!(-7),
        json!([1, 2, 3]),
        json!([[[]]]),
        json!([{}]),
        json!(true),
        json!("7"),
        json!("\u{1b}[31m"),
        json!(1e30),
        raw(b"NaN"),
        raw(b"Infinity"),
        raw(b"1.0"),
        raw(b"{\"a\":1,\"a\":2}"),
        raw(b""),
    ];
    odd.extend(NUMBERS.map(|number| raw(number.as_bytes())));
    odd
}

/// Replaces the value at a path, or removes it.
fn put(json: &mut Value, path: &str, value: Option<Value>) {
    let (parent, key) = path.rsplit_once('/').expect("a path");
    match (json.pointer_mut(parent).expect("a path that was found"), value) {
        (parent, Some(value)) => *parent.pointer_mut(&format!("/{key}")).expect("a path that was found") = value,
        (Value::Object(map), None) => drop(map.remove(key)),
        (Value::Array(list), None) => drop(list.remove(key.parse().expect("a number"))),
        _ => unreachable!("only objects and lists have keys"),
    }
}

/// The JSON with one value removed or replaced, for all values and all replacements, and descriptions.
pub(super) fn all_replacements(json: &Value) -> impl Iterator<Item = (String, Value)> {
    paths(json, &|_, _| true).into_iter().flat_map(move |path| {
        odd_values().into_iter().map(Some).chain([None]).map(move |value| {
            let (mut json, what) = (json.clone(), format!("{path} = {value:?}"));
            put(&mut json, &path, value);
            (what, json)
        })
    })
}

/// Replaces, moves or removes a value.
pub(super) fn replace(work: &mut Work, random: &mut Random) -> String {
    let found = paths(&work.json, &|_, _| true);
    let path = one_of(&found, random);
    let other = match random.below(4) {
        0 => None,
        1 => Some(work.json.pointer(one_of::<String>(&found, random)).cloned().unwrap_or_default()),
        _ => Some(one_of(&odd_values(), random).clone()),
    };
    let what = format!("{path} = {}", other.as_ref().map_or("nothing".into(), Value::to_string));
    put(&mut work.json, path, other);
    what
}

/// Redirects a reference to another element or out of range.
pub(super) fn references(work: &mut Work, random: &mut Random) -> String {
    const KEYS: [&str; 13] = [
        "bufferView",
        "buffer",
        "mesh",
        "skin",
        "camera",
        "skeleton",
        "inverseBindMatrices",
        "node",
        "sampler",
        "input",
        "output",
        "indices",
        "material",
    ];
    let refers = |path: &str| {
        let mut steps = path.rsplit('/');
        let last = steps.next().unwrap_or_default();
        let before = steps.next().unwrap_or_default();
        KEYS.contains(&last)
            || ["joints", "children", "nodes", "attributes", "targets"].contains(&before)
            || last == "index"
            || last == "source"
            || last == "scene"
            || before.chars().all(|c| c.is_ascii_digit())
    };
    let found = paths(&work.json, &|path, value| value.is_u64() && refers(path));
    if found.is_empty() {
        return "nothing refers".into();
    }
    let mut what = Vec::new();
    for _ in 0..1 + random.below(3) {
        let path = one_of(&found, random);
        let number = match random.below(3) {
            0 => (*one_of(&NUMBERS, random)).to_owned(),
            _ => random.below(12).to_string(),
        };
        *work.json.pointer_mut(path).expect("a path that was found") = raw(number.as_bytes());
        what.push(format!("{path} = {number}"));
    }
    what.join(", ")
}

/// Cycles, shared children, and deep hierarchies.
pub(super) fn cycle(work: &mut Work, random: &mut Random) -> String {
    let count = list(&work.json, "nodes").len().max(1);
    match random.below(4) {
        0 => {
            let node = random.below(count);
            work.json["nodes"][node]["children"] = json!([node]);
            format!("node {node} is its own child")
        }
        1 => {
            let (a, b) = (random.below(count), random.below(count));
            work.json["nodes"][a]["children"] = json!([b]);
            work.json["nodes"][b]["children"] = json!([a]);
            format!("nodes {a} and {b} are each other's children")
        }
        2 => {
            let all: Vec<usize> = (0..count).collect();
            (0..count).for_each(|node| work.json["nodes"][node]["children"] = json!(all));
            format!("all {count} nodes are the children of all")
        }
        _ => {
            let more = *one_of(&[500, 20_000, 120_000], random);
            let first = push(&mut work.json, "nodes", json!({}));
            let nodes = work.json["nodes"].as_array_mut().expect("a list");
            nodes[first] = json!({"children": [first + 1]});
            for i in 1..more {
                let scale = if i % 3 == 0 { json!([2, 2, 2]) } else { json!([0.5, 0.5, 0.5]) };
                nodes.push(json!({"children": [first + i + 1], "scale": scale}));
            }
            nodes.push(json!({"mesh": 0, "skin": 0, "children": if random.below(2) == 0 { json!([first]) } else { json!([0]) }}));
            work.json["scenes"] = json!([{"nodes": [first]}]);
            format!("a chain of {more} nodes")
        }
    }
}

/// Deeply nested arrays.
pub(super) fn nesting(work: &mut Work, random: &mut Random) -> String {
    let depth = *one_of(&[100, 127, 128, 1000, 100_000, 2_000_000], random);
    let (open, close) =
        *one_of(&[("[", "]"), ("{\"a\":", "}"), ("[{\"extras\":", "}]"), ("{\"extensions\":", "}")], random);
    let closed = random.below(3) > 0;
    let mut text = open.repeat(depth);
    text.push('0');
    if closed {
        text.push_str(&close.repeat(depth));
    }
    let value = raw(text.as_bytes());
    match random.below(4) {
        0 => work.json["extras"] = value,
        1 => work.json["nodes"] = value,
        2 => work.json["extensions"] = value,
        _ => work.json["asset"]["extras"] = value,
    }
    format!("{depth} times {open}{}", if closed { "" } else { ", never closed" })
}

/// Small JSON with huge counts, and many small objects.
pub(super) fn many(work: &mut Work, random: &mut Random) -> String {
    let times = *one_of(&[1_000, 20_000, 150_000], random);
    let again = |value: Value, times: usize| Value::Array(vec![value; times]);
    match random.below(8) {
        0 => {
            let first = list(&work.json, "nodes").len();
            let nodes: Vec<Value> =
                list(&work.json, "nodes").iter().cloned().chain(vec![json!({"mesh": 0}); times]).collect();
            work.json["nodes"] = Value::Array(nodes);
            work.json["scenes"] = json!([{"nodes": (first..first + times).collect::<Vec<_>>()}]);
            work.json["scene"] = json!(0);
            format!("{times} nodes with the first mesh")
        }
        1 => {
            let primitive = work.json["meshes"][0]["primitives"][0].clone();
            work.json["meshes"][0]["primitives"] = again(primitive, times.min(32_000));
            format!("the first primitive {} times", times.min(32_000))
        }
        2 => {
            let target = work.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
            work.json["meshes"][0]["primitives"][0]["targets"] = again(json!({"POSITION": target}), times);
            format!("{times} morph targets")
        }
        3 => {
            let scene = work.json["scenes"][0].clone();
            work.json["scenes"] = again(scene, times);
            format!("{times} scenes")
        }
        4 => {
            let clip = work.json["animations"][0].clone();
            work.json["animations"] = again(clip, times);
            format!("the first clip {times} times")
        }
        5 => {
            let skin = json!({"joints": vec![0; 1 + random.below(5000)]});
            work.json["skins"] = again(skin, times.min(2000));
            format!("{} large skins", times.min(2000))
        }
        6 => {
            let material = json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}});
            work.json["materials"] = again(material, times);
            work.json["textures"] = again(json!({"source": 0, "sampler": 0}), times);
            format!("{times} materials and textures")
        }
        _ => {
            let image = work.json["images"].get(0).cloned().unwrap_or(json!({"uri": "a.png"}));
            work.json["images"] = again(image, times);
            work.json["textures"] = Value::Array((0..times).map(|i| json!({"source": i})).collect());
            work.json["materials"] =
                Value::Array((0..times.min(20_000)).map(|i| json!({"emissiveTexture": {"index": i}})).collect());
            format!("{times} images")
        }
    }
}

/// Names with invalid characters or terminal escapes.
pub(super) fn text(work: &mut Work, random: &mut Random) -> String {
    let long = "x".repeat(*one_of(&[300, 70_000, 3_000_000], random));
    let names: [(&str, Vec<u8>); 12] = [
        ("escape sequences", b"\"\\u001b[2J\\u001b]0;owned\\u0007\\r\\n\\b\"".to_vec()),
        ("a bare escape", b"\"\x1b[31m\"".to_vec()),
        ("a line break", b"\"a\\nerror: b\"".to_vec()),
        ("a control character of eight bits", "\"\u{9b}31m\u{85}\"".into()),
        ("text from right to left", "\"\u{202e}gpj.exe\u{2066}\"".into()),
        ("broken UTF-8", b"\"\xff\xfe\xc0\xaf\xed\xa0\x80\"".to_vec()),
        ("a lone surrogate", b"\"\\ud800\"".to_vec()),
        ("a cut surrogate", b"\"\\ud83d\\u0020\"".to_vec()),
        ("a zero", b"\"a\\u0000b\"".to_vec()),
        ("an escape that is none", b"\"\\x41\"".to_vec()),
        ("a long name", format!("\"{long}\"").into_bytes()),
        ("format characters", b"\"%s%n{}{0}$(id)`id`\"".to_vec()),
    ];
    let (what, name) = one_of(&names, random);
    let elements = paths(&work.json, &|path, value| value.is_object() && path.matches('/').count() == 2);
    if random.below(4) == 0 || elements.is_empty() {
        // As a key, or as a required extension.
        match random.below(3) {
            0 => work.json["asset"]["version"] = raw(name),
            1 => work.json["extensionsRequired"] = Value::Array(vec![raw(name)]),
            _ => {
                let attributes = &mut work.json["meshes"][0]["primitives"][0]["attributes"];
                *attributes = raw(&[b"{", name.as_slice(), b":0,\"POSITION\":0}"].concat());
            }
        }
        return format!("{what} in the head of the file");
    }
    // The element is also invalid, so that a message contains its name.
    let path = one_of(&elements, random);
    let element = work.json.pointer_mut(path).expect("a path that was found");
    element["name"] = raw(name);
    for key in ["children", "mesh", "bufferView", "joints", "channels", "primitives", "index"] {
        if !element[key].is_null() && random.below(2) == 0 {
            element[key] = json!(987_654);
        }
    }
    format!("{what} as the name of {path}")
}

/// URIs of foreign files.
pub(super) fn address(work: &mut Work, random: &mut Random) -> String {
    const ADDRESSES: [&str; 26] = [
        "../secret.bin",
        "a/../../secret.bin",
        "%2e%2e/secret.bin",
        "..%2fsecret.bin",
        "..\\secret.bin",
        "a\\..\\..\\secret.bin",
        "/etc/passwd",
        "/dev/zero",
        "%2fdev%2fzero",
        "/dev/stdin",
        "/proc/self/mem",
        "file:///dev/zero",
        "file:/etc/passwd",
        "C:\\secret.bin",
        "\\\\host\\share\\a.bin",
        "//host/share/a.bin",
        "http://127.0.0.1:9/a.bin",
        "https://example.com/a.bin",
        "model.glb",
        "model.gltf",
        ".",
        "..",
        "",
        "%00",
        "pipe.bin",
        "link.bin",
    ];
    const DATA: [&str; 8] = [
        "data:",
        "data:,",
        "data:;base64",
        "data:;base64,",
        "data:;base64,!!!!",
        "data:application/octet-stream;base64,AAAA",
        "data:image/png;base64,iVBORw0KGgo=",
        "data:application/octet-stream,%00%ff%zz",
    ];
    let address = match random.below(6) {
        0 => (*one_of(&DATA, random)).to_owned(),
        1 => format!("{}.bin", "a/".repeat(1 + random.below(40_000))),
        _ => (*one_of(&ADDRESSES, random)).to_owned(),
    };
    let shown: String = address.chars().take(60).collect();
    if random.below(2) == 0 || list(&work.json, "images").is_empty() {
        let length = *one_of(&[1u64, 1000, 1 << 20, 1 << 33], random);
        let length = if random.below(2) == 0 { work.bin.len() as u64 } else { length };
        work.json["buffers"] = json!([{"byteLength": length, "uri": address}]);
        format!("buffer 0 is {shown}, {length} bytes")
    } else {
        let image = random.below(list(&work.json, "images").len());
        work.json["images"][image] = json!({"uri": address});
        format!("image {image} is {shown}")
    }
}

/// Extensions with invalid contents.
pub(super) fn extension(work: &mut Work, random: &mut Random) -> String {
    const EXTENSIONS: [(&str, &str); 24] = [
        ("nodes", "KHR_lights_punctual"),
        ("nodes", "EXT_mesh_gpu_instancing"),
        ("nodes", "KHR_node_visibility"),
        ("nodes", "MSFT_lod"),
        ("materials", "KHR_materials_unlit"),
        ("materials", "KHR_materials_emissive_strength"),
        ("materials", "KHR_materials_transmission"),
        ("materials", "KHR_materials_volume"),
        ("materials", "KHR_materials_clearcoat"),
        ("materials", "KHR_materials_sheen"),
        ("materials", "KHR_materials_iridescence"),
        ("materials", "KHR_materials_anisotropy"),
        ("materials", "KHR_materials_specular"),
        ("materials", "KHR_materials_pbrSpecularGlossiness"),
        ("materials", "KHR_materials_ior"),
        ("textures", "KHR_texture_basisu"),
        ("textures", "EXT_texture_webp"),
        ("bufferViews", "EXT_meshopt_compression"),
        ("bufferViews", "KHR_meshopt_compression"),
        ("meshes", "KHR_materials_variants"),
        ("scenes", "KHR_xmp_json_ld"),
        ("animations", "KHR_animation_pointer"),
        ("cameras", "KHR_lights_punctual"),
        ("skins", "VRMC_springBone"),
    ];
    let (lists, name) = *one_of(&EXTENSIONS, random);
    let odd = [
        json!({}),
        json!(null),
        json!([]),
        json!({"light": 7, "source": 9, "factor": "x"}),
        json!({"attributes": {"TRANSLATION": 0, "ROTATION": 0, "SCALE": 987}}),
        json!({"transmissionFactor": 1e30, "thicknessFactor": -5, "attenuationDistance": 0, "ior": 0}),
        json!({"transmissionTexture": {"index": 99}, "clearcoatTexture": {"index": -1}, "sheenColorFactor": [1]}),
        json!({"emissiveStrength": -1, "specularColorFactor": ["a", 1, 2], "anisotropyRotation": 1e38}),
        json!({"buffer": 0, "byteOffset": 0, "byteLength": 4_000_000_000u32, "byteStride": 12, "count": 4_000_000_000u32,
            "mode": "ATTRIBUTES", "filter": "OCTAHEDRAL"}),
        json!({"mappings": [{"material": 99, "variants": [0, 0, 7]}]}),
    ];
    let value = one_of(&odd, random).clone();
    if list(&work.json, lists).is_empty() {
        push(&mut work.json, lists, json!({}));
    }
    let index = random.below(list(&work.json, lists).len());
    work.json[lists][index]["extensions"][name] = value.clone();
    let declared = *one_of(&["extensionsUsed", "extensionsRequired"], random);
    push(&mut work.json, declared, json!(name));
    if random.below(3) == 0 {
        let lights =
            json!({"lights": [{"type": "spot", "intensity": -1, "spot": {"innerConeAngle": 9, "outerConeAngle": 0}}]});
        work.json["extensions"]["KHR_lights_punctual"] = lights;
    }
    format!("{name} of {lists} {index}, {declared}: {value}")
}
