//! Files with a given number of elements, a generator per kind of element.

use super::Files;
use crate::support::glb::{Channel, Data, Rig, Store};
use crate::support::zip::Zip;
use base64::Engine as _;
use serde_json::{Map, Value, json};

/// Accessors of a single key at time 0 and of its value.
fn key(rig: &mut Rig, value: &[f64]) -> (usize, usize) {
    (rig.floats("SCALAR", &[0.0]), rig.floats(if value.len() == 3 { "VEC3" } else { "VEC4" }, value))
}

/// A rig with a scene of the given root nodes.
fn with_roots(mut rig: Rig, roots: impl Iterator<Item = usize>) -> Rig {
    rig.set("scenes", json!([{"nodes": roots.collect::<Vec<_>>()}]));
    rig
}

/// Objects of a top-level array.
fn repeated(rig: &mut Rig, array: &str, count: usize, object: impl Fn(usize) -> Value) {
    for i in 0..count {
        rig.add(array, object(i));
    }
}

pub(super) fn nodes(count: usize) -> Rig {
    let mut rig = Rig::new();
    repeated(&mut rig, "nodes", count, |_| json!({"name": "same"}));
    with_roots(rig, 0..count)
}

/// Nodes that draw one mesh.
pub(super) fn draws(count: usize) -> Rig {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    repeated(&mut rig, "nodes", count, |i| json!({"mesh": mesh, "translation": [i, 0, 0]}));
    with_roots(rig, 0..count)
}

/// The same, for commands that render.
pub(super) fn drawn(count: usize) -> Files {
    vec![("glb", draws(count).glb())]
}

pub(super) fn chain(count: usize) -> Rig {
    let mut rig = Rig::new();
    repeated(&mut rig, "nodes", count, |i| if i + 1 < count { json!({"children": [i + 1]}) } else { json!({}) });
    with_roots(rig, 0..1)
}

/// A triangle with one joint of weight.
fn skinned_triangle(rig: &mut Rig) -> usize {
    let positions = rig.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let joints = rig.data(&Data::new("VEC4", &[0.0; 12]).integers(Store::U16));
    let weights = rig.floats("VEC4", &[1.0, 0.0, 0.0, 0.0].repeat(3));
    rig.mesh(json!({"attributes": {"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights}}))
}

pub(super) fn joints(count: usize) -> Rig {
    let mut rig = Rig::new();
    let mesh = skinned_triangle(&mut rig);
    repeated(&mut rig, "nodes", count, |_| json!({"name": "same"}));
    let skin = rig.add("skins", json!({"joints": (0..count).collect::<Vec<_>>()}));
    rig.node(json!({"mesh": mesh, "skin": skin}));
    with_roots(rig, 0..=count)
}

/// A tube of rings, each of which follows the joint that `joint_of` returns.
fn tube(rig: &mut Rig, rings: usize, joint_of: impl Fn(usize) -> usize) -> usize {
    let corner = |i: usize| [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]][i % 4];
    let positions: Vec<f64> = (0..4 * rings).flat_map(|i| [corner(i)[0], (i / 4) as f64, corner(i)[1]]).collect();
    let joints: Vec<f64> = (0..4 * rings).flat_map(|i| [joint_of(i / 4) as f64, 0.0, 0.0, 0.0]).collect();
    let quads = (0..4 * (rings - 1)).map(|i| [i, i / 4 * 4 + (i + 1) % 4, i + 4, i / 4 * 4 + (i + 1) % 4 + 4]);
    let indices: Vec<f64> = quads.flat_map(|[a, b, c, d]| [a, b, c, b, d, c]).map(|i| i as f64).collect();
    let positions = rig.floats("VEC3", &positions);
    let joints = rig.data(&Data::new("VEC4", &joints).integers(Store::U16));
    let weights = rig.floats("VEC4", &[1.0, 0.0, 0.0, 0.0].repeat(4 * rings));
    let indices = rig.data(&Data::new("SCALAR", &indices).integers(Store::U32));
    let attributes = json!({"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights});
    rig.mesh(json!({"attributes": attributes, "indices": indices}))
}

/// A chain of joints in a tube.
pub(super) fn flexed_joints(count: usize) -> Files {
    let mut rig = Rig::new();
    let mesh = tube(&mut rig, count, |ring| ring);
    repeated(&mut rig, "nodes", count, |i| {
        let children: Vec<usize> = (i + 1..count).take(1).collect();
        if children.is_empty() {
            json!({"translation": [0, 1, 0]})
        } else {
            json!({"translation": [0, 1, 0], "children": children})
        }
    });
    let skin = rig.add("skins", json!({"joints": (0..count).collect::<Vec<_>>()}));
    rig.node(json!({"mesh": mesh, "skin": skin}));
    vec![("glb", with_roots(rig, [0, count].into_iter()).glb())]
}

/// A tube of many rings with two joints.
pub(super) fn flexed_vertices(count: usize) -> Files {
    let mut rig = Rig::new();
    let mesh = tube(&mut rig, count, |ring| ring % 2);
    rig.node(json!({"children": [1]}));
    rig.node(json!({"translation": [0, 1, 0]}));
    let skin = rig.add("skins", json!({"joints": [0, 1]}));
    rig.node(json!({"mesh": mesh, "skin": skin}));
    vec![("glb", with_roots(rig, [0, 2].into_iter()).glb())]
}

pub(super) fn skins(count: usize) -> Rig {
    let mut rig = Rig::new();
    let mesh = skinned_triangle(&mut rig);
    repeated(&mut rig, "skins", count, |_| json!({"joints": [0]}));
    rig.node(json!({}));
    repeated(&mut rig, "nodes", count, |i| json!({"mesh": mesh, "skin": i}));
    with_roots(rig, 0..=count)
}

/// Scenes that all contain one skinned node.
pub(super) fn scenes(count: usize) -> Rig {
    let mut rig = Rig::new();
    let mesh = skinned_triangle(&mut rig);
    rig.node(json!({}));
    rig.add("skins", json!({"joints": [0]}));
    rig.node(json!({"mesh": mesh, "skin": 0}));
    repeated(&mut rig, "scenes", count, |_| json!({"nodes": [0, 1]}));
    rig
}

pub(super) fn channels(count: usize) -> Rig {
    let mut rig = Rig::new();
    let (times, values) = key(&mut rig, &[1.0, 0.0, 0.0]);
    repeated(&mut rig, "nodes", count, |_| json!({}));
    let channel = |node| Channel { node, path: "translation", interpolation: "LINEAR", times, values };
    rig.clip("clip", &(0..count).map(channel).collect::<Vec<_>>());
    with_roots(rig, 0..count)
}

pub(super) fn clips(count: usize) -> Rig {
    let mut rig = Rig::new();
    let (times, values) = key(&mut rig, &[1.0, 0.0, 0.0]);
    let node = rig.node(json!({}));
    for _ in 0..count {
        rig.clip("same", &[Channel { node, path: "translation", interpolation: "LINEAR", times, values }]);
    }
    rig
}

/// As many joints as clips, each of which animates one of them.
pub(super) fn clips_and_joints(count: usize) -> Rig {
    let mut rig = Rig::new();
    let (times, values) = key(&mut rig, &[1.0, 0.0, 0.0]);
    repeated(&mut rig, "nodes", count, |_| json!({}));
    for node in 0..count {
        let channel = Channel { node, path: "translation", interpolation: "LINEAR", times, values };
        rig.clip(&format!("clip {node}"), &[channel]);
    }
    with_roots(rig, 0..count)
}

pub(super) fn keys(count: usize) -> Rig {
    let mut rig = Rig::new();
    let times = rig.floats("SCALAR", &(0..count).map(|i| i as f64 / 30.0).collect::<Vec<_>>());
    let values = rig.floats("VEC3", &(0..3 * count).map(|i| (i % 7) as f64).collect::<Vec<_>>());
    let node = rig.node(json!({}));
    rig.clip("clip", &[Channel { node, path: "translation", interpolation: "LINEAR", times, values }]);
    rig
}

pub(super) fn meshes(count: usize) -> Rig {
    let mut rig = Rig::new();
    let positions = rig.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    repeated(&mut rig, "meshes", count, |_| json!({"primitives": [{"attributes": {"POSITION": positions}}]}));
    repeated(&mut rig, "nodes", count, |i| json!({"mesh": i}));
    with_roots(rig, 0..count)
}

pub(super) fn primitives(count: usize) -> Rig {
    let mut rig = Rig::new();
    let positions = rig.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let primitive = json!({"attributes": {"POSITION": positions}});
    let mesh = rig.add("meshes", json!({"primitives": vec![primitive; count]}));
    rig.node(json!({"mesh": mesh}));
    rig
}

pub(super) fn vertices(count: usize) -> Rig {
    let mut rig = Rig::new();
    let coordinates: Vec<f64> = (0..9 * count).map(|i| (i * i % 101) as f64).collect();
    let positions = rig.floats("VEC3", &coordinates);
    let mesh = rig.mesh(json!({"attributes": {"POSITION": positions}}));
    rig.node(json!({"mesh": mesh}));
    rig
}

pub(super) fn targets(count: usize) -> Rig {
    let mut rig = Rig::new();
    let positions = rig.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let targets = vec![json!({"POSITION": positions}); count];
    let mesh = rig.mesh(json!({"attributes": {"POSITION": positions}, "targets": targets}));
    rig.node(json!({"mesh": mesh}));
    rig
}

/// Copies by EXT_mesh_gpu_instancing, of a node with a long name.
pub(super) fn copies(count: usize) -> Rig {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let positions = rig.floats("VEC3", &(0..3 * count).map(|i| i as f64).collect::<Vec<_>>());
    rig.set("extensionsUsed", json!(["EXT_mesh_gpu_instancing"]));
    let instancing = json!({"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": positions}}});
    rig.node(json!({"name": "n".repeat(count), "mesh": mesh, "extensions": instancing}));
    rig
}

/// Primitives of the given materials.
fn with_materials(rig: &mut Rig, count: usize) {
    let positions = rig.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let coordinates = rig.floats("VEC2", &[0.0; 6]);
    let attributes = json!({"POSITION": positions, "TEXCOORD_0": coordinates});
    let primitives: Vec<Value> = (0..count).map(|i| json!({"attributes": attributes, "material": i})).collect();
    let mesh = rig.add("meshes", json!({"primitives": primitives}));
    rig.node(json!({"mesh": mesh}));
}

pub(super) fn materials(count: usize) -> Rig {
    let mut rig = Rig::new();
    with_materials(&mut rig, count);
    repeated(&mut rig, "materials", count, |_| json!({"name": "same"}));
    rig
}

/// Materials that a clip animates by KHR_animation_pointer.
pub(super) fn animated_materials(count: usize) -> Rig {
    let mut rig = materials(count);
    let (times, values) = key(&mut rig, &[1.0, 0.0, 0.0, 1.0]);
    let pointer = |i| json!({"pointer": format!("/materials/{i}/pbrMetallicRoughness/baseColorFactor")});
    let target = |i| json!({"path": "pointer", "extensions": {"KHR_animation_pointer": pointer(i)}});
    let channels: Vec<Value> = (0..count).map(|i| json!({"sampler": 0, "target": target(i)})).collect();
    rig.add("animations", json!({"samplers": [{"input": times, "output": values}], "channels": channels}));
    rig.set("extensionsUsed", json!(["KHR_animation_pointer"]));
    rig
}

/// The data URI of a PNG with one row of texels.
fn png_uri(colors: std::ops::Range<usize>) -> String {
    let width = colors.len() as u32;
    // An odd factor spreads the colors, so that they are not compressed.
    let texels: Vec<u8> = colors.flat_map(|color| (color as u32).wrapping_mul(0x9e37_79b1).to_le_bytes()).collect();
    let png = rigview::image_file::encode_png(width, 1, &texels, &Default::default());
    format!("data:image/png;base64,{}", base64::engine::general_purpose::STANDARD.encode(png))
}

fn with_textured_materials(rig: &mut Rig, count: usize) {
    with_materials(rig, count);
    let material = |i| json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": i}}});
    repeated(rig, "materials", count, material);
}

/// Textures of one image, which grows with their number.
pub(super) fn textures(count: usize) -> Rig {
    let mut rig = Rig::new();
    with_textured_materials(&mut rig, count);
    rig.add("images", json!({"uri": png_uri(0..4 * count)}));
    repeated(&mut rig, "textures", count, |_| json!({"source": 0}));
    rig
}

pub(super) fn images(count: usize) -> Rig {
    let mut rig = Rig::new();
    with_textured_materials(&mut rig, count);
    repeated(&mut rig, "images", count, |i| json!({"uri": png_uri(i..i + 1)}));
    repeated(&mut rig, "textures", count, |i| json!({"source": i}));
    rig
}

/// Images that cannot be decoded.
pub(super) fn broken_images(count: usize) -> Rig {
    let mut rig = Rig::new();
    with_textured_materials(&mut rig, count);
    repeated(&mut rig, "images", count, |i| json!({"uri": format!("data:image/png;base64,AA{i:08}")}));
    repeated(&mut rig, "textures", count, |i| json!({"source": i}));
    rig
}

pub(super) fn variants(count: usize) -> Rig {
    let mut rig = Rig::new();
    let positions = rig.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    repeated(&mut rig, "materials", 1, |_| json!({}));
    let mappings: Vec<Value> = (0..count).map(|i| json!({"material": 0, "variants": [i]})).collect();
    let extension = json!({"KHR_materials_variants": {"mappings": mappings}});
    let mesh = rig.mesh(json!({"attributes": {"POSITION": positions}, "extensions": extension}));
    rig.node(json!({"mesh": mesh}));
    let variants: Vec<Value> = (0..count).map(|i| json!({"name": format!("variant {i}")})).collect();
    rig.set("extensions", json!({"KHR_materials_variants": {"variants": variants}}));
    rig.set("extensionsUsed", json!(["KHR_materials_variants"]));
    rig
}

pub(super) fn cameras(count: usize) -> Rig {
    let mut rig = Rig::new();
    repeated(&mut rig, "cameras", count, |_| json!({"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}));
    repeated(&mut rig, "nodes", count, |i| json!({"camera": i}));
    with_roots(rig, 0..count)
}

pub(super) fn lights(count: usize) -> Rig {
    let mut rig = Rig::new();
    rig.set("extensionsUsed", json!(["KHR_lights_punctual"]));
    let lights = vec![json!({"type": "point"}); count];
    rig.set("extensions", json!({"KHR_lights_punctual": {"lights": lights}}));
    repeated(&mut rig, "nodes", count, |i| json!({"extensions": {"KHR_lights_punctual": {"light": i}}}));
    with_roots(rig, 0..count)
}

pub(super) fn accessors(count: usize) -> Rig {
    let mut rig = Rig::new();
    rig.floats("VEC3", &[0.0; 3]);
    repeated(
        &mut rig,
        "accessors",
        count,
        |_| json!({"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 1}),
    );
    rig
}

pub(super) fn buffer_views(count: usize) -> Rig {
    let mut rig = Rig::new();
    rig.floats("VEC3", &[0.0; 3]);
    repeated(&mut rig, "bufferViews", count, |_| json!({"buffer": 0, "byteLength": 12}));
    rig
}

pub(super) fn names(length: usize) -> Rig {
    let mut rig = Rig::new();
    rig.node(json!({"name": "n\u{202e}".repeat(length)}));
    rig
}

pub(super) fn extensions(count: usize) -> Rig {
    let mut rig = Rig::new();
    let used: Vec<String> = (0..count).map(|i| format!("EXT_unknown_{i}")).collect();
    let objects: serde_json::Map<String, Value> = used.iter().map(|name| (name.clone(), json!({}))).collect();
    rig.node(json!({"extensions": objects}));
    rig.set("extensionsUsed", json!(used));
    rig
}

pub(super) fn unknown_properties(count: usize) -> Rig {
    let mut rig = Rig::new();
    let object: serde_json::Map<String, Value> = (0..count).map(|i| (format!("unknown{i}"), json!(i))).collect();
    rig.node(Value::Object(object));
    rig.node(json!({"extras": vec![json!([1, 2]); count]}));
    rig
}

/// Joints of one name, each with a parent of its own, in a clip.
pub(super) fn clips_from(count: usize) -> Files {
    let mut rig = Rig::new();
    let (times, values) = key(&mut rig, &[1.0, 0.0, 0.0]);
    repeated(&mut rig, "nodes", count, |i| json!({"name": format!("arm {i}"), "children": [count + i]}));
    repeated(&mut rig, "nodes", count, |_| json!({"name": "hand"}));
    let channel = |i| Channel { node: count + i, path: "translation", interpolation: "LINEAR", times, values };
    rig.clip("clip", &(0..count).map(channel).collect::<Vec<_>>());
    vec![("glb", with_roots(rig, 0..count).glb())]
}

/// A clip per line of a layout.
fn model_with_clips(count: usize) -> (&'static str, Vec<u8>) {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let (times, values) = key(&mut rig, &[1.0, 0.0, 0.0]);
    let node = rig.node(json!({"mesh": mesh}));
    for i in 0..count {
        let channel = Channel { node, path: "translation", interpolation: "LINEAR", times, values };
        rig.clip(&format!("clip {i}"), &[channel]);
    }
    ("glb", rig.glb())
}

pub(super) fn layout_lines(count: usize) -> Files {
    let lines: String = (0..count).map(|i| format!("# comment\n{i},0,clip {i}\n")).collect();
    vec![model_with_clips(count), ("csv", format!("x,z,clip\n{lines}").into())]
}

pub(super) fn layout_objects(count: usize) -> Files {
    let objects: Vec<String> =
        (0..count).map(|i| format!("\n{{\"position\": [{i}, 0, 0], \"clip\": \"clip {i}\"}}")).collect();
    vec![model_with_clips(count), ("json", format!("[{}]", objects.join(",")).into())]
}

pub(super) fn suite_tables(count: usize) -> Files {
    let tables: String =
        (0..count).map(|i| format!("[[shot]]\nmodel = \"a.glb\"\nname = \"{i}\"\ntime = {i}\n")).collect();
    vec![("toml", format!("[defaults]\nsize = \"8x8\"\n{tables}").into())]
}

/// Shots of one table.
pub(super) fn suite_shots(count: usize) -> Files {
    vec![("toml", format!("[[shot]]\nmodel = \"a.glb\"\ntime = {:?}\n", (0..count).collect::<Vec<_>>()).into())]
}

/// An avatar of VRM 1.0, whose expressions, springs and constraints grow with the number of nodes.
pub(super) fn avatars(count: usize) -> Rig {
    let mut rig = morphed_nodes(count);
    let bind = |i: usize| json!([{"node": i, "index": 0, "weight": 1}]);
    let expressions: Map<String, Value> =
        (0..count).map(|i| (format!("e{i}"), json!({"morphTargetBinds": bind(i), "overrideBlink": "block"}))).collect();
    let bones: Map<String, Value> = (0..count).map(|i| (format!("b{i}"), json!({"node": i}))).collect();
    let springs: Vec<Value> = (0..count).map(|i| json!({"joints": [{"node": i}], "colliderGroups": [0]})).collect();
    let vrm = json!({"humanoid": {"humanBones": bones}, "expressions": {"custom": expressions}});
    rig.set("extensionsUsed", json!(["VRMC_vrm", "VRMC_springBone", "VRMC_node_constraint"]));
    rig.set("extensions", json!({"VRMC_vrm": vrm, "VRMC_springBone": {"springs": springs}}));
    for i in 1..count {
        let constraint = json!({"rotation": {"source": i - 1}});
        let extension = json!({"VRMC_node_constraint": {"specVersion": "1.0", "constraint": constraint}});
        rig.object("nodes", i)["extensions"] = extension;
    }
    rig
}

/// An avatar of VRM 0.x, whose binds all refer to one mesh of many nodes.
pub(super) fn blend_shapes(count: usize) -> Rig {
    let mut rig = morphed_nodes(count);
    let group = |i: usize| json!({"name": format!("e{i}"), "binds": [{"mesh": 0, "index": 0, "weight": 100}]});
    let bones: Vec<Value> = (0..count).map(|i| json!({"bone": "hips", "node": i})).collect();
    let groups: Vec<Value> = (0..count).map(group).collect();
    let vrm = json!({"humanoid": {"humanBones": bones}, "blendShapeMaster": {"blendShapeGroups": groups}});
    rig.set("extensionsUsed", json!(["VRM"]));
    rig.set("extensions", json!({"VRM": vrm}));
    rig
}

/// Nodes with one mesh that has a morph target.
fn morphed_nodes(count: usize) -> Rig {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let moved = rig.floats("VEC3", &[0.5; 9]);
    rig.object("meshes", mesh)["primitives"][0]["targets"] = json!([{"POSITION": moved}]);
    repeated(&mut rig, "nodes", count, |_| json!({"mesh": mesh}));
    with_roots(rig, 0..count)
}

/// Nodes that all have a mesh of as many primitives, of which the scene draws one.
pub(super) fn nodes_and_primitives(count: usize) -> Rig {
    let mut rig = primitives(count);
    repeated(&mut rig, "nodes", count, |_| json!({"mesh": 0}));
    with_roots(rig, 0..1)
}

/// Expressions of VRM 0.x with binds to a mesh of as many primitives, each with a morph target.
pub(super) fn binds_and_targets(count: usize) -> Rig {
    let mut rig = blend_shapes(count);
    let primitive = rig.object("meshes", 0)["primitives"][0].clone();
    rig.object("meshes", 0)["primitives"] = json!(vec![primitive; count]);
    with_roots(rig, 0..1)
}

/// Nodes with a mesh, each with a skin of its own.
pub(super) fn skins_and_nodes(count: usize) -> Rig {
    let mut rig = Rig::new();
    let mesh = skinned_triangle(&mut rig);
    repeated(&mut rig, "skins", count, |i| json!({"joints": [i]}));
    repeated(&mut rig, "nodes", count, |i| json!({"mesh": mesh, "skin": i}));
    with_roots(rig, 0..count)
}

fn bvh(joints: usize, channels: usize, frames: usize) -> Files {
    let still = "JOINT a{OFFSET 0 1 0}\n".repeat(joints);
    let turning = "JOINT b{OFFSET 0 1 0 CHANNELS 1 Xrotation}\n".repeat(channels);
    let motion = (vec!["0"; channels + 1].join(" ") + "\n").repeat(frames);
    let text = format!(
        "HIERARCHY\nROOT r{{OFFSET 0 0 0 CHANNELS 1 Yrotation\n{still}{turning}}}\nMOTION\nFrames: {frames}\nFrame Time: 0.01\n{motion}"
    );
    vec![("bvh", text.into())]
}

/// An archive with a model whose images are entries.
pub(super) fn archive_entries(count: usize) -> Files {
    let mut rig = Rig::new();
    repeated(&mut rig, "images", count, |i| json!({"uri": format!("{i}.png")}));
    let names: Vec<String> = (0..count).map(|i| format!("{i}.png")).collect();
    let glb = with_roots(rig, 0..0).glb();
    let entries = names.iter().map(|name| (name.as_str(), &b"not an image"[..]));
    vec![("zip", Zip::of(&entries.chain([("a.glb", &glb[..])]).collect::<Vec<_>>()))]
}

pub(super) fn bvh_joints(count: usize) -> Files {
    bvh(count, 0, 1)
}

pub(super) fn bvh_joints_and_frames(count: usize) -> Files {
    bvh(count, 0, count)
}

/// Channels of 100 frames.
pub(super) fn bvh_channels_and_frames(count: usize) -> Files {
    bvh(0, count, 100)
}

/// A map with as many lines as the model has joints.
pub(super) fn rig_maps(count: usize) -> Files {
    let lines: String = (0..count).map(|i| format!("# joint {i}\n")).collect();
    let mut rig = Rig::new();
    repeated(&mut rig, "nodes", count, |i| json!({"name": format!("joint {i}")}));
    vec![("glb", with_roots(rig, 0..count).glb()), ("rigmap.toml", format!("{lines}hips = 'joint 0'\n").into())]
}

/// A suite with a store, and its manifest.
pub(super) fn stores(count: usize) -> Files {
    let lines: String = (0..count).map(|i| format!("{i:064x}  {i}.png\n")).collect();
    let suite = "goldens = \"store:missing\"\n[[shot]]\nmodel = \"a.glb\"\n";
    vec![("toml", suite.into()), ("goldens", lines.into())]
}
