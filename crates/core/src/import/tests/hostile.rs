//! Malicious and corrupt files.

use super::*;
use std::time::{Duration, Instant};

/// Inputs on which the `gltf` crate's own importer panics or reads garbage.
#[test]
fn inputs_that_crash_the_gltf_crate_are_errors_or_diagnostics() {
    let position = "/meshes/0/primitives/0/attributes/POSITION";
    let mut file = File::triangle();
    file.set("/accessors/0/count", json!(0)).notice("are too few for Triangles");
    let mut file = File::triangle();
    file.set("/accessors/0/count", json!(1u64 << 62)).refused("accessor 0 reads past the end of its buffer view");
    let mut file = File::triangle();
    file.set("/accessors/0/componentType", json!(SHORT)).refused("holds VEC3 of SHORT");
    file.set("/accessors/0/componentType", json!(1))
        .refused("accessor 0 has a component type that is not defined in glTF");
    for (attribute, kind, component) in [
        ("TEXCOORD_0", "VEC2", SHORT),
        ("COLOR_0", "VEC4", BYTE),
        ("JOINTS_0", "VEC4", FLOAT),
        ("WEIGHTS_0", "VEC4", UNSIGNED_INT),
    ] {
        let mut file = File::skinned();
        let accessor = file.accessor(&[0; 48], component, kind, 3);
        file.set(&format!("/meshes/0/primitives/0/attributes/{attribute}"), json!(accessor));
        file.reported(&format!("{attribute}: accessor {accessor} holds {kind}"));
    }
    let mut file = File::triangle();
    file.animate(0, "rotation", "LINEAR", &[0.0], "VEC4", &[0.0; 4]);
    file.set("/accessors/2/componentType", json!(UNSIGNED_INT)).reported("holds VEC4 of UNSIGNED_INT");
    let mut file = File::triangle();
    file.set("/images", json!([{ "bufferView": 5 }, {}])).loaded();
    let mut file = File::triangle();
    file.set("/buffers", json!([{ "byteLength": 36, "uri": "%FF.bin" }])).refused("buffer 0: ");
    let mut file = File::triangle();
    file.set("/accessors/-", json!({ "componentType": FLOAT, "type": "VEC3", "count": 3 })).set(position, json!(1));
    assert_eq!(primitive(&file.load().unwrap()).vertices.positions, [[0.0; 3]; 3]);
    let mut file = File::triangle();
    file.set("/meshes/0/primitives/0/attributes/_CUSTOM", json!(0)).set("/extras", json!({ "a": [1.0, null] }));
    file.set("/nodes/0/extras", json!([1.0, "x"])).load().unwrap();
    for (version, text) in [("3.0", "glTF 3.0"), ("1.0", "glTF 1.0"), ("two", "glTF two"), ("2", "glTF 2;")] {
        let mut file = File::triangle();
        file.set("/asset/version", json!(version)).refused(text);
    }
    let (_, messages) = File::triangle().set("/asset/version", json!(2)).loaded();
    assert_eq!(messages, ["the file, asset, version: a number is read as a string"]);
    File::triangle().set("/asset/version", json!(3)).refused("glTF 3.0");
    let mut file = File::triangle();
    file.set("/asset/version", json!("2.1")).load().unwrap();
    file.set("/asset/minVersion", json!("2.1")).refused("glTF 2.1 and later");
    let mut file = File::triangle();
    file.set("/asset", json!({})).refused("the file, asset: the version is missing");
    let mut file = File::triangle();
    file.set("/nodes", json!([[]])).refused("node 0: this is not an object");
    file.set("/nodes", json!({})).refused("the file, nodes: this is not an array");
}

#[test]
fn array_of_a_hundred_million_zeros_is_rejected_before_parsing() {
    let text = [&br#"{"asset":{"version":"2.0"},"a":[0"#[..], &b",0".repeat(20 << 20), b"]}"].concat();
    let start = Instant::now();
    let error = from_bytes(text, None, &ImportOptions::default()).err().unwrap();
    assert!(error.to_string().contains("bytes of memory for its JSON"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(5));
    // Commas in strings do not count, and an escaped quote does not end a string.
    let text = format!(r#"{{"asset":{{"version":"2.0"}},"a":"\"{}"}}"#, ",{".repeat(20 << 20));
    from_bytes(text.into_bytes(), None, &ImportOptions::default()).unwrap();
}

#[test]
fn deep_nesting_and_long_arrays_are_errors() {
    let text = [&b"{\"a\":"[..], &b"[".repeat(100_000)].concat();
    assert!(matches!(from_bytes(text, None, &ImportOptions::default()), Err(ImportError::Json { .. })));
    let list = vec!["{}"; (1 << 20) + 1].join(",");
    let text = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{list}]}}"#);
    let mut options = ImportOptions::default();
    options.policy.limits.set(Limit::JsonMemory, 4 << 30);
    let error = from_bytes(text.into_bytes(), None, &options).err().unwrap().to_string();
    assert!(error.contains("its array of nodes: 1048577 is more than the 1048576"), "{error}");
    let mut file = File::triangle();
    let primitive = file.json["meshes"][0]["primitives"][0].clone();
    file.set("/meshes/0/primitives", Value::Array(vec![primitive; (1 << 15) + 1]));
    file.refused("mesh primitives: 32769 is more than the 32768");
}

/// Found by fuzzing: a non-standard array with an element that is not an object. Report of assimp's BoxTextured with
/// `programs` of glTF 1.0.
#[test]
fn unknown_root_properties_are_ignored() {
    for (key, value) in [
        ("bu\u{c}ferViews", json!([{ "buffer": 0 }, { "buffers": [1, 2] }])),
        ("programs", json!([{ "attributes": ["a_position"] }])),
        ("anything", json!({ "nodes": 7, "target": [], "meshes": null })),
    ] {
        let mut file = File::triangle();
        file.json[key] = value;
        assert_eq!(file.loaded().1, [""; 0], "{key:?}");
    }
}

#[test]
fn names_of_extensions_are_escaped() {
    let mut file = File::triangle();
    file.set("/extensions", json!({ "KHR_\u{c}": 1 }));
    let (_, messages) = file.loaded();
    assert!(messages[0].contains("this is not an object") && !messages[0].contains(char::is_control), "{messages:?}");
}

/// Report syoyo/tinygltf#321.
#[test]
fn minus_one_and_null_are_read_as_absent() {
    for (pointer, value) in [
        ("/skins/0/skeleton", json!(-1)),
        ("/skins/0/inverseBindMatrices", json!(-1.0)),
        ("/nodes/0/camera", json!(-1)),
        ("/nodes/1/mesh", json!(-1)),
        ("/nodes/1/name", Value::Null),
        ("/nodes/1/rotation", Value::Null),
        ("/nodes/1/extensions", Value::Null),
        ("/meshes/0/primitives/0/material", json!(-1)),
        ("/meshes/0/primitives/0/indices", json!(-1)),
        ("/meshes/0/primitives/0/mode", json!(-1)),
        ("/meshes/0/primitives/0/targets", Value::Null),
        ("/meshes/0/primitives/0/attributes/NORMAL", json!(-1)),
        ("/accessors/0/sparse", Value::Null),
        ("/accessors/0/normalized", Value::Null),
        ("/bufferViews/0/byteStride", Value::Null),
        ("/bufferViews/0/target", json!(-1)),
        ("/asset/minVersion", Value::Null),
        ("/scene", json!(-1)),
        ("/animations", Value::Null),
    ] {
        let mut file = File::skinned();
        let loaded = file.set(pointer, value.clone()).notice(" is read as absent");
        assert_eq!(loaded.diagnostics[0].pointer, pointer, "{value}");
        assert!(primitive(&loaded).vertices.influences.is_some());
    }
    let mut file = File::triangle();
    file.set("/materials", json!([{ "alphaMode": null, "normalTexture": { "index": -1 }, "doubleSided": null }]));
    file.set("/textures", json!([{ "sampler": -1, "source": -1 }]));
    file.set("/samplers", json!([{ "magFilter": -1, "wrapS": -1 }]));
    let (loaded, messages) = file.loaded();
    assert!(loaded.model.materials[0].textures.iter().next().is_none());
    assert_eq!(messages.iter().filter(|message| message.ends_with("is read as absent")).count(), 7, "{messages:#?}");
}

/// Faults of the same kind are one diagnostic.
#[test]
fn equal_faults_are_counted() {
    let mut file = File::triangle();
    file.set("/materials", Value::Array(vec![json!({ "alphaMode": null }); 5000]));
    file.notice("material 0, alphaMode: null (and 4999 more like it) is read as absent");
}

#[test]
fn file_without_a_drawable_primitive_is_refused_with_its_first_error() {
    let mut file = File::triangle();
    file.set("/nodes/0", json!(7)).refused("node 0: this is not an object");
    let mut file = File::triangle();
    file.set("/meshes/0", Value::Null).refused("mesh 0: this is not an object");
    // The other primitive is shown.
    let mut file = File::triangle();
    let primitive = json!({ "attributes": { "POSITION": 9 } });
    let loaded = file.set("/meshes/0/primitives/-", primitive).notice("POSITION: accessor 9 does not exist");
    assert_eq!(loaded.model.meshes[0].primitives.len(), 1);
    // A file without meshes is a skeleton.
    let mut file = File::new();
    file.set("/nodes", json!([{}, 7])).reported("node 1: this is not an object");
}

#[test]
fn scene_nodes_are_limited() {
    let mut file = File::new();
    file.set("/nodes", Value::Array(vec![json!({}); 20_000]));
    let roots: Vec<usize> = (0..20_000).collect();
    file.set("/scenes", Value::Array(vec![json!({ "nodes": roots[..10] }); 1000]));
    file.load().unwrap();
    let chain: Vec<Value> = (1..20_000).map(|i| json!({ "children": [i] })).chain([json!({})]).collect();
    file.set("/nodes", Value::Array(chain)).set("/scenes", Value::Array(vec![json!({ "nodes": [0] }); 1000]));
    file.refused("nodes of all scenes together");
    // Each node counts once per scene, for any number of roots.
    let mut file = File::triangle();
    file.set("/nodes", Value::Array(vec![json!({ "mesh": 0 }); 20_000]));
    let model = file.set("/scenes", json!([{ "nodes": roots }])).loaded().0.model;
    assert_eq!(model.scenes[0].mesh_nodes.len(), 20_000);
    let primitive = file.json["meshes"][0]["primitives"][0].clone();
    file.set("/meshes/0/primitives", Value::Array(vec![primitive; 4]));
    file.refused("primitives that the nodes of a scene draw: 80000 is more than the 65536");
}

#[test]
fn memory_of_small_files_is_limited() {
    let mut file = File::triangle();
    let primitive = file.json["meshes"][0]["primitives"][0].clone();
    file.set("/meshes/0/primitives", Value::Array(vec![primitive; 2000]));
    file.set("/meshes/0/primitives/0/targets", Value::Array(vec![json!({}); 1000]));
    file.refused("morph targets: 2000000 is more than the 1048576");
    let mut file = File::triangle();
    let many = file.floats("VEC3", &[0.5; 6000]);
    file.set("/meshes/0/primitives/0/attributes/POSITION", json!(many));
    file.set("/meshes/0/primitives/0/targets", Value::Array(vec![json!({ "POSITION": many }); 10_000]));
    file.refused("more than rigview decodes: 134217728 bytes in all");
    let mut file = File::triangle();
    file.set("/meshes/0/primitives/0/targets", Value::Array(vec![json!({}); 10_000]));
    file.set("/nodes", Value::Array(vec![json!({ "mesh": 0 }); 2000]));
    file.refused("morph weights of all nodes: 16780000 is more than the 16777216");
    let mut file = File::skinned();
    file.set("/skins", Value::Array(vec![json!({ "joints": vec![1; 30_000] }); 70]));
    file.refused("joints of all skins: 2100000 is more than the 2097152");
    file.set("/skins", json!([{ "joints": vec![1; 70_000] }]));
    file.reported("skin 0: it has 70000 joints, vertices can refer to at most 65536");
}

#[cfg(unix)]
#[test]
fn pipes_devices_and_folders_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.bin");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let model = folder.path().join("model.gltf");
    for uri in ["pipe.bin", "/dev/zero", "../../../../../../../../dev/zero", "http://example.com/a.bin", "."] {
        let mut file = File::triangle();
        file.set("/buffers", json!([{ "byteLength": 36, "uri": uri }]));
        std::fs::write(&model, file.json.to_string()).unwrap();
        let error = open(&model, &ImportOptions::default()).err().unwrap().source;
        assert_eq!(error.pointer(), "/buffers/0", "{error}");
        let mut file = File::triangle();
        file.set("/images", json!([{ "uri": uri }])).notice("image 0: ");
    }
    for path in [pipe.as_path(), Path::new("/dev/zero"), folder.path()] {
        let error = open(path, &ImportOptions::default()).err().unwrap().source.to_string();
        assert_eq!(error, "it is not a regular file");
    }
    let error = open(Path::new("/nowhere/at all.glb"), &ImportOptions::default()).err().unwrap().source;
    assert_eq!(error.to_string(), "cannot read the file");
}

#[test]
fn other_file_formats_are_recognized_by_their_first_bytes() {
    for (bytes, text) in [
        (&b""[..], "it is empty"),
        (b"   \n", "it is empty"),
        (b"Kaydara FBX Binary  ", "FBX"),
        (b"\x89PNG\r\n\x1a\n", "PNG image"),
        (b"PK\x03\x04", "ZIP"),
        (b"\xff\xfe{\0", "UTF-16"),
        (b"version https://git-lfs.github.com/spec/v1", "Git LFS"),
        (b"# Blender OBJ", "neither like GLB nor like JSON"),
    ] {
        let error = from_bytes(bytes.to_vec(), None, &ImportOptions::default()).err().unwrap().to_string();
        assert!(error.contains(text), "{error}");
    }
}
