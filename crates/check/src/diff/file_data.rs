//! Differences of what only the files have, and the model does not: encoded images, unknown extensions, `extras`, unused items.

use super::context::Context;
use super::values::{Change, Changes};
use rigview_core::gltf_format::extensions::is_imported;
use rigview_core::import::{DiagnosticKind, Imported, Limit, Limits};
use rigview_core::model::JointIndex;
use rigview_core::util::text::{counted, escaped};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Maximum length of a JSON value in a report, in characters.
const MAX_CHARS: usize = 80;

/// Maximum number of diagnostics in a report.
const MAX_DIAGNOSTICS: usize = 3;

/// Values by their JSON Pointers.
type Values<'a> = BTreeMap<String, Cow<'a, Value>>;

/// Compares the encoded images. Returns also those that cannot be read.
pub(crate) fn images(context: &Context<'_>, files: [&Imported; 2]) -> (Changes, Vec<String>) {
    let (mut changed, mut unread) = (Vec::new(), Vec::new());
    let json = |side: usize, image: usize| &files[side].gltf_file.json()["images"][image];
    // Images may share a file or buffer view: each pair is compared once.
    let mut compared: HashSet<[String; 2]> = HashSet::new();
    let mut budget = Limits::default().get(Limit::ImageFiles);
    for &(i, j) in &context.images.pairs {
        let name = &context.images.shown[1][j];
        let source =
            |side: usize, image: usize| format!("{}, {}", json(side, image)["uri"], json(side, image)["bufferView"]);
        let sources = [source(0, i), source(1, j)];
        let is_known = compared.contains(&sources);
        let mut change = None;
        if !is_known && budget == 0 {
            unread.push(format!("image {name}: the images before it are too large"));
            continue;
        }
        if !is_known {
            let bytes = [files[0].gltf_file.image_bytes(i), files[1].gltf_file.image_bytes(j)];
            let [Ok((before, _)), Ok((after, _))] = bytes else {
                unread.push(format!("image {name}: it cannot be read"));
                continue;
            };
            for bytes in [&before, &after] {
                budget = budget.saturating_sub(if let Cow::Owned(bytes) = bytes { bytes.len() as u64 } else { 0 });
            }
            if before != after {
                let differing = before.iter().zip(after.iter()).filter(|(a, b)| a != b).count();
                change = Some((before.len(), after.len(), differing));
            }
        }
        if let Some((before, after, differing)) = change {
            let after = match before == after {
                true => format!("{after} bytes, of which {differing} differ"),
                false => format!("{after} bytes"),
            };
            let (name, what, before) = (name.clone(), "encoded image".to_owned(), format!("{before} bytes"));
            changed.push(Change { name, what, before, after, extent: None });
        }
        compared.insert(sources);
    }
    let (added, removed) = (context.images.added.clone(), context.images.removed.clone());
    (Changes { added, removed, changed }, unread)
}

/// Compares the JSON that the importer does not read, and the diagnostics of the import, by pointer.
pub(crate) fn other(context: &Context<'_>, files: [&Imported; 2]) -> Vec<Change> {
    let mut values = files.map(|file| {
        let mut values = Values::new();
        collect(file.gltf_file.json(), &mut Vec::new(), &mut values);
        values
    });
    for (side, file) in files.iter().enumerate() {
        add_skeleton_roots(context, side, file, &mut values[side]);
        add_scene_roots(context, side, file, &mut values[side]);
        add_fallback_images(context, side, file, &mut values[side]);
        add_unused(file.gltf_file.json(), &mut values[side]);
    }
    let [before, after] = values;
    let pointers: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut changes = Vec::new();
    for pointer in pointers {
        let pair = [before.get(pointer), after.get(pointer)];
        let is_same = match pair {
            [Some(a), Some(b)] => is_same(a, b),
            _ => false,
        };
        if !is_same {
            let [before, after] = pair.map(|value| match value {
                Some(value) => escaped(&excerpt(value), MAX_CHARS),
                None => "none".to_owned(),
            });
            let name = escaped(pointer, 2 * MAX_CHARS);
            changes.push(Change { name, what: "value".to_owned(), before, after, extent: None });
        }
    }
    // An invalid value and its default make equal models.
    let found = files.map(|file| file.diagnostics.iter().map(|d| (&d.pointer, &d.message)).collect::<BTreeSet<_>>());
    for (pointer, message) in found[0].symmetric_difference(&found[1]) {
        let is_in = |side: usize| if found[side].contains(&(*pointer, *message)) { message.as_str() } else { "none" };
        let name = if pointer.is_empty() { "/".to_owned() } else { escaped(pointer, 2 * MAX_CHARS) };
        let [before, after] = [0, 1].map(|side| escaped(is_in(side), 3 * MAX_CHARS));
        changes.push(Change { name, what: "diagnostic of the import".to_owned(), before, after, extent: None });
    }
    changes
}

/// Returns the start of a value as JSON.
fn excerpt(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("a list of {}", counted(items.len(), "item", "items")),
        Value::Object(members) => format!("an object of {}", counted(members.len(), "member", "members")),
        Value::String(text) => text.chars().take(MAX_CHARS + 1).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Compares numbers by value: 1 and 1.0 are equal.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

/// Adds the values below `value` that the importer does not read, by their JSON Pointers.
fn collect<'a>(value: &'a Value, path: &mut Vec<Cow<'a, str>>, values: &mut Values<'a>) {
    if is_left_out(path) {
        add_leaves(value, &format!("/{}", path.join("/")), values);
        return;
    }
    // Data of accessors and images is compared as part of what uses it.
    let is_storage = matches!(path.first().map(AsRef::as_ref), Some("accessors" | "bufferViews" | "buffers"));
    if is_storage {
        return;
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                path.push(Cow::Borrowed(name));
                collect(member, path, values);
                path.pop();
            }
        }
        Value::Array(items) => {
            // Lists of numbers and strings have nothing below them.
            let is_nested = |item: &Value| item.is_object() || item.is_array();
            for (i, item) in items.iter().enumerate().filter(|(_, item)| is_nested(item)) {
                path.push(Cow::Owned(i.to_string()));
                collect(item, path, values);
                path.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns `true` if the importer does not read the value at this path.
fn is_left_out(path: &[Cow<'_, str>]) -> bool {
    let path: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
    match path[..] {
        ["asset", name] => !matches!(name, "version" | "minVersion" | "generator"),
        ["meshes", _, "extras"] => false,
        ["meshes", _, "extras", name] => name != "targetNames",
        [.., "extras"] => true,
        [.., "extensions", name] => !is_imported(name),
        _ => false,
    }
}

/// Adds numbers, strings and other values without members.
fn add_leaves<'a>(value: &'a Value, pointer: &str, values: &mut Values<'a>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(name, member)| add_leaves(member, &format!("{pointer}/{name}"), values));
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            let items = items.iter().enumerate();
            items.for_each(|(i, item)| add_leaves(item, &format!("{pointer}/{i}"), values));
        }
        _ => drop(values.insert(pointer.to_owned(), Cow::Borrowed(value))),
    }
}

/// Adds the root nodes of the scenes by their paths. The model has only those with a mesh or light below them.
fn add_scene_roots(context: &Context<'_>, side: usize, file: &Imported, values: &mut Values<'_>) {
    let joints = joints_of_nodes(file);
    for (i, scene) in list(file.gltf_file.json(), "/scenes").iter().enumerate() {
        for joint in list(scene, "/nodes").iter().filter_map(|node| joints.get(&index(node)?)) {
            let path = context.joints.shared_path(side, *joint);
            values.insert(format!("/scenes/{i}/nodes, {path}"), Cow::Owned(Value::Bool(true)));
        }
    }
}

/// Returns the joint of each node, by the index of the node.
fn joints_of_nodes(file: &Imported) -> HashMap<usize, JointIndex> {
    // The first joint is that of the node, and the others are GPU instances.
    let joints = file.model.skeleton.joints().iter().enumerate().rev();
    joints.map(|(i, joint)| (joint.node, JointIndex(i as u32))).collect()
}

/// Adds the skeleton root of each skin, which has no effect, by its path.
fn add_skeleton_roots(context: &Context<'_>, side: usize, file: &Imported, values: &mut Values<'_>) {
    let joints = joints_of_nodes(file);
    for (i, skin) in list(file.gltf_file.json(), "/skins").iter().enumerate() {
        let node = index(&skin["skeleton"]).and_then(|node| joints.get(&node));
        if let Some(joint) = node {
            let path = context.joints.shared_path(side, *joint).to_owned();
            values.insert(format!("/skins/{i}/skeleton"), Cow::Owned(Value::String(path)));
        }
    }
}

/// Adds the image of each texture for loaders without the extension that names another one.
fn add_fallback_images(context: &Context<'_>, side: usize, file: &Imported, values: &mut Values<'_>) {
    for (i, texture) in list(file.gltf_file.json(), "/textures").iter().enumerate() {
        if texture.get("extensions").is_some()
            && let Some(image) = index(&texture["source"]).and_then(|image| context.images.shown[side].get(image))
        {
            values.insert(format!("/textures/{i}/source"), Cow::Owned(Value::String(image.clone())));
        }
    }
}

fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|index| usize::try_from(index).ok())
}

fn list<'a>(json: &'a Value, pointer: &str) -> &'a [Value] {
    json.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Adds samplers, cameras and lights without a use, names of samplers, and meshes and skins of nodes outside of all scenes. The model
/// has none of them.
fn add_unused<'a>(json: &'a Value, values: &mut Values<'a>) {
    const LIGHTS: &str = "/extensions/KHR_lights_punctual";
    let (nodes, scenes) = (list(json, "/nodes"), list(json, "/scenes"));
    let light = |node: &Value| node.pointer(&format!("{LIGHTS}/light")).and_then(index);
    let samplers = list(json, "/textures").iter().filter_map(|texture| index(&texture["sampler"])).collect();
    let cameras = nodes.iter().filter_map(|node| index(&node["camera"])).collect();
    let lights = nodes.iter().filter_map(light).collect();
    let unused: [(String, HashSet<usize>); 3] =
        [("/samplers".to_owned(), samplers), ("/cameras".to_owned(), cameras), (format!("{LIGHTS}/lights"), lights)];
    for (pointer, used) in unused {
        for (i, item) in list(json, &pointer).iter().enumerate().filter(|(i, _)| !used.contains(i)) {
            add_leaves(item, &format!("{pointer}/{i}"), values);
        }
    }
    for (i, sampler) in list(json, "/samplers").iter().enumerate() {
        if let Some(name) = sampler.get("name") {
            values.insert(format!("/samplers/{i}/name"), Cow::Borrowed(name));
        }
    }
    if scenes.is_empty() {
        return;
    }
    let mut is_used = vec![false; nodes.len()];
    let roots = scenes.iter().flat_map(|scene| list(scene, "/nodes"));
    let mut stack: Vec<usize> = roots.filter_map(index).collect();
    while let Some(node) = stack.pop() {
        let Some(used) = is_used.get_mut(node).filter(|used| !**used) else { continue };
        *used = true;
        stack.extend(list(&nodes[node], "/children").iter().filter_map(index));
    }
    for (i, node) in nodes.iter().enumerate().filter(|(i, _)| !is_used[*i]) {
        for name in ["mesh", "skin"] {
            if let Some(value) = node.get(name) {
                values.insert(format!("/nodes/{i}/{name}"), Cow::Borrowed(value));
            }
        }
    }
}

/// Returns what is not compared of the files.
pub(crate) fn not_compared(files: [&Imported; 2]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for file in files {
        let is_lost = |kind| matches!(kind, DiagnosticKind::LeftOut | DiagnosticKind::Unsupported);
        let lost: Vec<_> = file.diagnostics.iter().filter(|diagnostic| is_lost(diagnostic.kind)).collect();
        found.extend(lost.iter().take(MAX_DIAGNOSTICS).map(|diagnostic| format!("not imported: {diagnostic}")));
        if lost.len() > MAX_DIAGNOSTICS {
            let count = counted(lost.len() - MAX_DIAGNOSTICS, "more element is", "more elements are");
            found.insert(format!("{count} not imported; `check` lists them"));
        }
        found.extend(other_attributes(file.gltf_file.json()));
    }
    found.into_iter().collect()
}

/// Returns vertex attributes that the importer does not read.
fn other_attributes(json: &Value) -> BTreeSet<String> {
    let primitives = json["meshes"].as_array().into_iter().flatten().filter_map(|mesh| mesh["primitives"].as_array());
    let mut found = BTreeSet::new();
    for primitive in primitives.flatten() {
        for (name, _) in primitive["attributes"].as_object().into_iter().flatten() {
            let is_known = matches!(name.as_str(), "POSITION" | "NORMAL" | "TANGENT" | "COLOR_0")
                || ["TEXCOORD_", "JOINTS_", "WEIGHTS_"].iter().any(|prefix| name.starts_with(prefix));
            if !is_known && found.len() < MAX_DIAGNOSTICS {
                found.insert(format!("vertex attribute {}", escaped(name, MAX_CHARS)));
            }
        }
    }
    found
}
