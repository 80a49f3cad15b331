//! Single changes of files: `diff` reports each.
//!
//! Of every accessor, one component of one element is changed, and every number, string and truth value of the JSON that
//! has a meaning. What has none is in [`reason_to_ignore`], and accessors that nothing refers to. Of a list of more than [`MAX_ITEMS`] items of one kind, evenly spaced ones are changed.

use super::{RigDiff, Tolerances};
use rigview_core::import::{ImageLoading, ImportOptions, Imported, from_bytes};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Maximum number of changed items of a list, per list.
const MAX_ITEMS: usize = 4;

/// Sample models: skins, morph targets, textures, extensions, sparse accessors, cameras, lights, variants, instances, topologies.
const SAMPLES: [&str; 10] = [
    "SimpleSkin/glTF/SimpleSkin.gltf",
    "AnimatedMorphCube/glTF-Binary/AnimatedMorphCube.glb",
    "SimpleSparseAccessor/glTF/SimpleSparseAccessor.gltf",
    "Cameras/glTF/Cameras.gltf",
    "LightsPunctualLamp/glTF/LightsPunctualLamp.gltf",
    "MaterialsVariantsShoe/glTF/MaterialsVariantsShoe.gltf",
    "SimpleInstancing/glTF-Binary/SimpleInstancing.glb",
    "MeshPrimitiveModes/glTF/MeshPrimitiveModes.gltf",
    "InterpolationTest/glTF-Binary/InterpolationTest.glb",
    "TextureTransformTest/glTF/TextureTransformTest.gltf",
];

/// A file as JSON with one buffer.
struct File {
    json: Value,
    buffer: Vec<u8>,
    folder: PathBuf,
}

impl File {
    fn read(path: &Path) -> Self {
        let options = ImportOptions::default().with_images(ImageLoading::Skip);
        let folder = path.parent().unwrap().to_owned();
        let file = from_bytes(std::fs::read(path).unwrap(), Some(&folder), &options).unwrap().gltf_file;
        let mut json = file.json().clone();
        let (mut buffer, mut starts) = (Vec::new(), Vec::new());
        for i in 0..json["buffers"].as_array().map_or(0, Vec::len) {
            starts.push(buffer.len());
            buffer.extend_from_slice(file.buffer(i).unwrap());
            buffer.resize(buffer.len().next_multiple_of(4), 0);
        }
        for view in json["bufferViews"].as_array_mut().into_iter().flatten() {
            let start = starts[view["buffer"].as_u64().unwrap() as usize] as u64;
            view["byteOffset"] = json!(view["byteOffset"].as_u64().unwrap_or(0) + start);
            view["buffer"] = json!(0);
        }
        json["buffers"] = json!([{ "byteLength": buffer.len() }]);
        Self { json, buffer, folder }
    }

    /// Imports the file as a GLB container.
    fn import(&self) -> Option<Imported> {
        let mut text = serde_json::to_vec(&self.json).unwrap();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut glb = Vec::new();
        let length = 12 + 8 + text.len() + 8 + self.buffer.len();
        for word in [0x4654_6C67, 2, length as u32, text.len() as u32, 0x4E4F_534A] {
            glb.extend(word.to_le_bytes());
        }
        glb.extend(text);
        for word in [self.buffer.len() as u32, 0x004E_4942] {
            glb.extend(word.to_le_bytes());
        }
        glb.extend(&self.buffer);
        from_bytes(glb, Some(&self.folder), &ImportOptions::default().with_images(ImageLoading::Skip)).ok()
    }

    fn u64(&self, pointer: &str) -> u64 {
        self.json.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
    }

    /// Returns position and component type of a component in the middle of the elements at `pointer`.
    fn component(&self, pointer: &str, count: u64, kind: &str, component_type: u64) -> Option<(usize, u64)> {
        let components = match kind {
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            _ => 1,
        };
        let size = match component_type {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        };
        let view = self.json.pointer(&format!("{pointer}/bufferView"))?.as_u64()?;
        let view = format!("/bufferViews/{view}");
        let is_compressed = self.json.pointer(&format!("{view}/extensions")).is_some();
        let stride = match self.u64(&format!("{view}/byteStride")) {
            0 => components * size,
            stride => stride,
        };
        let start = self.u64(&format!("{view}/byteOffset")) + self.u64(&format!("{pointer}/byteOffset"));
        // The first component of matrices and quaternions, the second of vectors.
        let component = if components == 3 || components == 2 { 1 } else { 0 };
        let at = start + (count / 2) * stride + component * size;
        (!is_compressed).then_some((at as usize, component_type))
    }

    /// Changes a component: a float by more than the tolerances, an integer by one.
    fn change_component(&mut self, at: usize, component_type: u64) {
        if component_type == 5126 {
            let bytes: [u8; 4] = self.buffer[at..at + 4].try_into().unwrap();
            let x = f32::from_le_bytes(bytes);
            self.buffer[at..at + 4].copy_from_slice(&(changed_number(f64::from(x)) as f32).to_le_bytes());
        } else {
            self.buffer[at] ^= 1;
        }
    }
}

/// Reason why a change at this pointer has no meaning, or none that a model can show.
fn reason_to_ignore(file: &File, pointer: &str) -> Option<&'static str> {
    let path: Vec<&str> = pointer.split('/').skip(1).collect();
    let material = || format!("/{}/{}", path[0], path[1]);
    Some(match path[..] {
        ["asset", "generator" | "version" | "minVersion"] => "the program and version of the file",
        ["extensionsUsed" | "extensionsRequired", ..] => "lists of what the file has elsewhere",
        ["accessors" | "bufferViews" | "buffers", ..] => "storage: the elements are compared where they are used",
        ["images", _, "mimeType"] => "the bytes of the image have their own type",
        ["images", _, "uri"] => "the place of the same bytes, or no file at all",
        ["materials", _, "alphaCutoff"]
            if file.json.pointer(&format!("{}/alphaMode", material())) != Some(&json!("MASK")) =>
        {
            "the cutoff of a material without alpha test has no effect"
        }
        ["animations", _, "samplers" | "channels", ..] if path.last() == Some(&"name") => {
            "names of samplers are not in glTF"
        }
        ["textures", _, "sampler"] | ["textures", _, "source"] | ["scene"] if references_equal(file, pointer) => {
            "both have the same content"
        }
        [.., "primitives", _, "indices"] | [.., "attributes", _] | [.., "targets", _, _]
            if references_equal(file, pointer) =>
        {
            "both accessors have the same content"
        }
        _ => return None,
    })
}

/// Returns `true` if the changed reference leads to an equal item.
fn references_equal(file: &File, pointer: &str) -> bool {
    let list = match pointer.rsplit('/').next() {
        Some("sampler") => "samplers",
        Some("source") => "images",
        Some("scene") => "scenes",
        _ => "accessors",
    };
    let Some(index) = file.json.pointer(pointer).and_then(Value::as_u64) else { return false };
    let other = changed_index(index);
    let item = |index: u64| &file.json[list][index as usize];
    item(index) == item(other) && !item(index).is_null()
}

/// Another index, of an item that is likely to exist.
fn changed_index(index: u64) -> u64 {
    if index == 0 { 1 } else { index - 1 }
}

/// Adds the pointers of all numbers, strings and truth values. Of long lists, evenly spaced items.
fn add_pointers(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                add_pointers(member, &format!("{pointer}/{name}"), found);
            }
        }
        Value::Array(items) => {
            let step = items.len().div_ceil(MAX_ITEMS).max(1);
            for (i, item) in items.iter().enumerate().step_by(step) {
                add_pointers(item, &format!("{pointer}/{i}"), found);
            }
        }
        Value::Null => {}
        Value::Number(_) | Value::String(_) | Value::Bool(_) => found.push(pointer.to_owned()),
    }
}

fn changed(value: &Value) -> Value {
    match value {
        Value::Bool(truth) => json!(!truth),
        Value::String(text) => match text.as_str() {
            "LINEAR" => json!("STEP"),
            "STEP" | "CUBICSPLINE" => json!("LINEAR"),
            "OPAQUE" | "MASK" => json!("BLEND"),
            "BLEND" => json!("OPAQUE"),
            "translation" => json!("scale"),
            "scale" => json!("translation"),
            "point" => json!("directional"),
            "directional" | "spot" => json!("point"),
            _ => json!(format!("{text}x")),
        },
        Value::Number(number) => match number.as_u64() {
            Some(index) => json!(changed_index(index)),
            None => json!(changed_number(number.as_f64().unwrap_or(0.0))),
        },
        _ => Value::Null,
    }
}

/// Returns a number that differs by more than the tolerances.
fn changed_number(x: f64) -> f64 {
    if x.abs() < 0.01 { x + 0.25 } else { x * 0.75 }
}

/// Adds all accessors that the file refers to.
fn add_accessors(value: &Value, found: &mut HashSet<u64>) {
    let members = value.as_object().into_iter().flatten();
    for (name, member) in members {
        match (name.as_str(), member) {
            ("attributes", Value::Object(attributes)) => found.extend(attributes.values().filter_map(Value::as_u64)),
            ("targets", Value::Array(targets)) => {
                let targets = targets.iter().filter_map(Value::as_object).flatten();
                found.extend(targets.filter_map(|(_, accessor)| accessor.as_u64()));
            }
            ("indices" | "inverseBindMatrices" | "input" | "output", Value::Number(accessor)) => {
                found.extend(accessor.as_u64());
            }
            _ => add_accessors(member, found),
        }
    }
    value.as_array().into_iter().flatten().for_each(|item| add_accessors(item, found));
}

/// Results of all changes.
#[derive(Default)]
struct Counts {
    seen: usize,
    /// The changed file cannot be imported.
    refused: usize,
    ignored: usize,
    missed: Vec<String>,
}

/// Returns `true` if the difference is reported.
fn is_seen(before: &Imported, after: &Imported) -> bool {
    !RigDiff::of_files(before, after, &Tolerances::default()).is_empty()
}

fn check_file(path: &Path, counts: &mut Counts) {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut file = File::read(path);
    let before = file.import().unwrap();
    let same = RigDiff::of_files(&before, &before, &Tolerances::EXACT);
    assert!(same.is_empty(), "{name}: {}", same.text());
    let check = |file: &File, what: String, counts: &mut Counts| match file.import() {
        Some(after) if is_seen(&before, &after) => {
            counts.seen += 1;
        }
        Some(_) => counts.missed.push(format!("{name}: {what}")),
        None => counts.refused += 1,
    };

    let mut used_accessors = HashSet::new();
    add_accessors(&file.json, &mut used_accessors);
    for i in 0..file.json["accessors"].as_array().map_or(0, Vec::len) {
        if !used_accessors.contains(&(i as u64)) {
            counts.ignored += 1;
            continue;
        }
        let accessor = file.json["accessors"][i].clone();
        let (kind, count) = (accessor["type"].as_str().unwrap(), accessor["count"].as_u64().unwrap());
        let component_type = accessor["componentType"].as_u64().unwrap();
        let pointer = format!("/accessors/{i}");
        let mut places = vec![(pointer.clone(), count, kind, component_type)];
        if let Some(sparse) = accessor.get("sparse") {
            let (count, indices) = (sparse["count"].as_u64().unwrap(), sparse["indices"]["componentType"].as_u64());
            places.push((format!("{pointer}/sparse/values"), count, kind, component_type));
            places.push((format!("{pointer}/sparse/indices"), count, "SCALAR", indices.unwrap()));
        }
        for (pointer, count, kind, component_type) in places {
            let Some((at, component_type)) = file.component(&pointer, count, kind, component_type) else { continue };
            let bytes = file.buffer.clone();
            file.change_component(at, component_type);
            check(&file, format!("{pointer}, byte {at}"), counts);
            file.buffer = bytes;
        }
    }

    let mut pointers = Vec::new();
    add_pointers(&file.json, "", &mut pointers);
    for pointer in pointers {
        if reason_to_ignore(&file, &pointer).is_some() {
            counts.ignored += 1;
            continue;
        }
        let value = file.json.pointer(&pointer).unwrap().clone();
        *file.json.pointer_mut(&pointer).unwrap() = changed(&value);
        check(&file, format!("{pointer}: {value}"), counts);
        *file.json.pointer_mut(&pointer).unwrap() = value;
    }
}

#[test]
fn every_single_change_of_a_file_is_reported() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let mut files = vec![assets.join("hare.glb"), assets.join("windmill.glb")];
    match std::env::var_os("RIGVIEW_SAMPLE_MODELS") {
        Some(samples) => files.extend(SAMPLES.map(|sample| Path::new(&samples).join(sample))),
        None => println!("RIGVIEW_SAMPLE_MODELS is not set: the sample models are skipped"),
    }
    let mut counts = Counts::default();
    for file in &files {
        let started = Instant::now();
        check_file(file, &mut counts);
        println!("{}: {:.1} s", file.display(), started.elapsed().as_secs_f64());
    }
    let Counts { seen, refused, ignored, missed } = &counts;
    let total = seen + refused + missed.len();
    println!("{total} changes: {seen} seen, {refused} refused by the import; {ignored} without a meaning");
    assert!(missed.is_empty() && *seen > 300, "{} of {total} changes are missed:\n{}", missed.len(), missed.join("\n"));
}
