//! Tests of whole imports, with files built in code.

mod accessors;
mod amplification;
mod clips;
mod hostile;
#[cfg(all(feature = "avif", feature = "basisu", feature = "webp"))]
mod image_formats;
mod layers;
mod lights;
mod nodes;
mod pointers;
mod skins;
mod surfaces;
mod vrm;

use super::diagnostics::Diagnostics;
use super::*;
use crate::model::Mesh;
use serde_json::{Value, json};
use std::path::Path;

const BYTE: u32 = 5120;
const UNSIGNED_BYTE: u32 = 5121;
const SHORT: u32 = 5122;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;

/// A file under construction.
#[derive(Clone)]
struct File {
    json: Value,
    bin: Vec<u8>,
}

impl File {
    fn new() -> Self {
        let json = json!({ "asset": { "version": "2.0" }, "accessors": [], "bufferViews": [] });
        Self { json, bin: Vec::new() }
    }

    /// A file of one triangle in one node.
    fn triangle() -> Self {
        let mut file = Self::new();
        let positions = file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        file.set("/meshes", json!([{ "name": "Body", "primitives": [{ "attributes": { "POSITION": positions } }] }]));
        file.set("/nodes", json!([{ "name": "Root", "mesh": 0 }]));
        file.set("/scenes", json!([{ "nodes": [0] }]));
        file
    }

    /// The triangle, on a skin of two joints.
    fn skinned() -> Self {
        let mut file = Self::triangle();
        let joints = file.accessor(&[0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0], UNSIGNED_BYTE, "VEC4", 3);
        let weights = file.floats("VEC4", &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0]);
        file.set("/meshes/0/primitives/0/attributes/JOINTS_0", json!(joints));
        file.set("/meshes/0/primitives/0/attributes/WEIGHTS_0", json!(weights));
        file.set("/nodes", json!([{ "mesh": 0, "skin": 0 }, { "children": [2] }, {}]));
        file.set("/scenes/0/nodes", json!([0, 1]));
        file.set("/skins", json!([{ "joints": [1, 2] }]));
        file
    }

    /// Sets `value` at a JSON pointer, whose last step may be new.
    fn set(&mut self, pointer: &str, value: Value) -> &mut Self {
        let (parent, last) = pointer.rsplit_once('/').unwrap();
        match self.json.pointer_mut(parent).unwrap_or_else(|| panic!("no {parent}")) {
            Value::Array(items) if last == "-" => items.push(value),
            Value::Array(items) => items[last.parse::<usize>().unwrap()] = value,
            parent => parent[last] = value,
        }
        self
    }

    /// Adds bytes in a new buffer view.
    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let view = json!({ "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len() });
        self.bin.extend_from_slice(bytes);
        self.set("/bufferViews/-", view);
        self.json["bufferViews"].as_array().unwrap().len() - 1
    }

    /// Adds an accessor with a new buffer view.
    fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes);
        self.set(
            "/accessors/-",
            json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }),
        );
        self.json["accessors"].as_array().unwrap().len() - 1
    }

    /// Adds an accessor of floats.
    fn floats(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.accessor(&bytes, FLOAT, kind, numbers.len() / width)
    }

    /// Adds an animation of one channel.
    fn animate(&mut self, node: usize, path: &str, interpolation: &str, times: &[f32], kind: &str, values: &[f32]) {
        let (input, output) = (self.floats("SCALAR", times), self.floats(kind, values));
        if self.json.get("animations").is_none() {
            self.set("/animations", json!([]));
        }
        self.set(
            "/animations/-",
            json!({
                "name": "Walk",
                "samplers": [{ "input": input, "output": output, "interpolation": interpolation }],
                "channels": [{ "sampler": 0, "target": { "node": node, "path": path } }],
            }),
        );
    }

    fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if json.get("buffers").is_none() && !self.bin.is_empty() {
            json["buffers"] = json!([{ "byteLength": self.bin.len() }]);
        }
        glb(json.to_string().as_bytes(), &self.bin)
    }

    /// Imports the file, and checks that the model is valid.
    fn load(&self) -> Result<Imported, ImportError> {
        let loaded = from_bytes(self.glb(), None, &ImportOptions::default())?;
        loaded.model.validate().unwrap_or_else(|error| panic!("{error}"));
        Ok(loaded)
    }

    /// Loads the file. Also returns the messages.
    fn loaded(&self) -> (Imported, Vec<String>) {
        let loaded = self.load().unwrap_or_else(|error| panic!("{error}"));
        let messages = loaded.diagnostics.iter().map(|notice| notice.message.clone()).collect();
        (loaded, messages)
    }

    /// Returns the error message of the import.
    fn error(&self) -> String {
        match self.load() {
            Ok(_) => panic!("it opened"),
            Err(error) => error.to_string(),
        }
    }

    /// Checks that the file opens with one diagnostic that contains `text`.
    #[track_caller]
    fn notice(&self, text: &str) -> Imported {
        let (loaded, messages) = self.loaded();
        assert!(messages.len() == 1 && messages[0].contains(text), "{messages:#?}");
        loaded
    }

    /// Checks that the file opens with a diagnostic that contains `text`, among others.
    #[track_caller]
    fn reported(&self, text: &str) -> Imported {
        let (loaded, messages) = self.loaded();
        assert!(messages.iter().any(|message| message.contains(text)), "{messages:#?}");
        loaded
    }

    /// Checks that the import fails with a message that contains `text`.
    #[track_caller]
    fn refused(&self, text: &str) {
        let error = self.error();
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn skipped_meshes_leave_joints_weights_and_clips() {
    let mut file = File::skinned();
    let target = json!([{ "POSITION": file.floats("VEC3", &[1.0; 9]) }]);
    file.set("/meshes/0/primitives/0/targets", target).set("/meshes/0/weights", json!([0.25]));
    file.animate(0, "weights", "LINEAR", &[0.0, 1.0], "SCALAR", &[0.0, 1.0]);
    // Damage of what is not read.
    file.set("/accessors/0/count", json!(1 << 20));
    let load = |meshes| {
        let options = ImportOptions::default().with_meshes(meshes);
        from_bytes(file.glb(), None, &options).map(|loaded| loaded.model)
    };
    assert!(load(MeshLoading::Decode).is_err());
    let model = load(MeshLoading::Skip).unwrap();
    assert_eq!(model.validate(), Ok(()));
    let mesh = &model.meshes[0];
    assert_eq!((mesh.target_count, mesh.primitives.len(), mesh.name.as_deref()), (1, 0, Some("Body")));
    assert_eq!((model.skeleton.rest_morph_weights(), model.clips[0].tracks.len()), (&[0.25][..], 1));
    assert_eq!(model.skins[0].joints.len(), 2);
}

/// A GLB container.
fn glb(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let mut json = json.to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bin = bin.to_vec();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let length = 12 + 8 + json.len() + if bin.is_empty() { 0 } else { 8 + bin.len() };
    let mut out = [&b"glTF"[..], &2u32.to_le_bytes(), &(length as u32).to_le_bytes()].concat();
    out.extend([&(json.len() as u32).to_le_bytes()[..], b"JSON", &json].concat());
    if !bin.is_empty() {
        out.extend([&(bin.len() as u32).to_le_bytes()[..], b"BIN\0", &bin].concat());
    }
    out
}

/// Returns the only primitive of the only mesh.
fn primitive(loaded: &Imported) -> &crate::model::Primitive {
    let [Mesh { primitives, .. }] = loaded.model.meshes.as_slice() else { panic!("not one mesh") };
    &primitives[0]
}

#[test]
fn minimal_file_opens() {
    let loaded = from_bytes(br#"{"asset":{"version":"2.0"}}"#.to_vec(), None, &ImportOptions::default()).unwrap();
    assert_eq!((loaded.model.scenes.len(), loaded.diagnostics.len()), (1, 0));
    assert!(loaded.model.skeleton.is_empty());
}

#[test]
fn triangle_opens_as_glb_and_as_json() {
    let file = File::triangle();
    let (loaded, messages) = file.loaded();
    assert_eq!(messages, [""; 0]);
    assert_eq!(primitive(&loaded).vertices.positions[1], [1.0, 0.0, 0.0]);
    assert_eq!(loaded.model.scenes[0].mesh_nodes.len(), 1);

    use base64::Engine;
    let mut json = file.json.clone();
    let data = base64::engine::general_purpose::STANDARD.encode(&file.bin);
    json["buffers"] = json!([{ "byteLength": 36, "uri": format!("data:application/octet-stream;base64,{data}") }]);
    let text = format!("\u{feff}{json:#}");
    let loaded = from_bytes(text.into_bytes(), None, &ImportOptions::default()).unwrap();
    assert_eq!(primitive(&loaded).vertices.positions[1], [1.0, 0.0, 0.0]);
    assert_eq!(loaded.gltf_file.json()["buffers"][0]["uri"], "data:application/octet-stream;base64");
}

#[test]
fn external_buffers_and_images_are_read_from_the_model_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = File::triangle();
    std::fs::write(folder.path().join("a b.bin"), [&file.bin[..], &[0; 7]].concat()).unwrap();
    file.set("/buffers", json!([{ "byteLength": 36, "uri": "a%20b.bin" }]));
    let path = folder.path().join("model.gltf");
    std::fs::write(&path, file.json.to_string()).unwrap();
    let loaded = open(&path, &ImportOptions::default()).unwrap();
    assert_eq!(loaded.gltf_file.buffer(0).unwrap(), file.bin);

    file.set("/buffers/0/uri", json!("missing.bin"));
    std::fs::write(&path, file.json.to_string()).unwrap();
    let error = open(&path, &ImportOptions::default()).err().unwrap();
    assert_eq!(error.to_string(), format!("cannot open {}", path.display()));
    let error = error.source;
    assert_eq!(error.pointer(), "/buffers/0");
    assert!(error.to_string().contains("the file \"missing.bin\" is missing"), "{error}");

    // A pointer of Git LFS is longer or shorter than the buffer.
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 36\n";
    std::fs::write(folder.path().join("lfs.bin"), pointer).unwrap();
    for length in [12, 36, 500] {
        file.set("/buffers", json!([{ "byteLength": length, "uri": "lfs.bin" }]));
        std::fs::write(&path, file.json.to_string()).unwrap();
        let error = open(&path, &ImportOptions::default()).err().unwrap().source.to_string();
        assert_eq!(error, "buffer 0: the file \"lfs.bin\": it is a pointer of Git LFS; run git lfs pull");
    }
    file.set("/buffers", json!([{ "byteLength": 36, "uri": "A%20B.BIN?v=1" }]));
    std::fs::write(&path, file.json.to_string()).unwrap();
    let error = open(&path, &ImportOptions::default()).err().unwrap().source.to_string();
    assert!(error.contains("the file \"A%20B.BIN?v=1\" is missing, but \"a b.bin\" exists; rename it"), "{error}");

    std::fs::write(folder.path().join("short.bin"), [0; 35]).unwrap();
    file.set("/buffers/0/uri", json!("short.bin"));
    std::fs::write(&path, file.json.to_string()).unwrap();
    let error = open(&path, &ImportOptions::default()).err().unwrap().source.to_string();
    assert!(error.starts_with("buffer 0: it has 35 bytes, but its byteLength is 36"), "{error}");
}

#[test]
fn resolver_reads_external_files_by_decoded_path() {
    let mut file = File::triangle();
    let bin = file.bin.clone();
    let read = move |path: &str| match path {
        "a/b c.bin" | "../b.bin" => Ok(bin.clone()),
        "locked.bin" => Err(std::io::Error::other("wrong password")),
        _ => Err(std::io::ErrorKind::NotFound.into()),
    };
    let mut options = ImportOptions::default().with_resolver(FileResolver::new(read));
    let mut load = |uri: &str, options: &ImportOptions| {
        file.set("/buffers", json!([{ "byteLength": 36, "uri": uri }]));
        // The resolver replaces the folder.
        from_bytes(file.json.to_string().as_bytes(), Some(Path::new("models")), options)
            .map(|loaded| loaded.gltf_file.buffer(0).map(<[u8]>::len))
            .map_err(|error| error.to_string())
    };
    for uri in ["a/b%20c.bin", "./x/../a//b%20c.bin", "a\\b c.bin"] {
        assert_eq!(load(uri, &options), Ok(Some(36)), "{uri}");
    }
    assert_eq!(load("c.bin", &options).unwrap_err(), "buffer 0: the file \"c.bin\" is missing");
    assert_eq!(load("locked.bin", &options).unwrap_err(), "buffer 0: cannot read \"locked.bin\": wrong password");
    for uri in ["../b.bin", "https://example.org/a/b.bin"] {
        assert!(load(uri, &options).unwrap_err().contains(uri));
    }
    options.policy.allow_external_paths = true;
    assert_eq!(load("a/../../b.bin", &options), Ok(Some(36)));
}

#[test]
fn resolver_reads_images_within_their_limit() {
    let mut file = File::triangle();
    file.set("/images", json!([{ "uri": "a.png" }]));
    let mut options = ImportOptions::default().with_resolver(FileResolver::new(|_| Ok(vec![0x89; 100])));
    let image = |options: &ImportOptions| {
        from_bytes(file.glb(), None, options).unwrap().gltf_file.image_bytes(0).map(|(bytes, _)| bytes.len())
    };
    assert_eq!(image(&options).ok(), Some(100));
    options.policy.limits.set(Limit::ImageFile, 99);
    let error = image(&options).unwrap_err();
    assert_eq!(error.policy_change(), Some(PolicyChange::RaiseLimit { limit: Limit::ImageFile, needed: 100 }));
}
