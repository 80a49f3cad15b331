//! Small files that request much memory or time.

use super::*;
use crate::palette::PaletteLayout;

/// A triangle with 65,536 GPU instances, whose transforms are an accessor without stored data.
fn instanced() -> File {
    let mut file = File::triangle();
    file.set("/accessors/-", json!({ "componentType": FLOAT, "type": "VEC3", "count": 1 << 16 }));
    let extension = json!({ "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 1 } } });
    file.set("/nodes/0/extensions", extension).set("/extensionsUsed", json!(["EXT_mesh_gpu_instancing"]));
    file
}

/// Imports with some limits raised.
fn load_with(file: &File, limits: &[Limit]) -> Result<Imported, ImportError> {
    let mut options = ImportOptions::default();
    limits.iter().for_each(|limit| options.policy.limits.set(*limit, u64::MAX));
    from_bytes(file.glb(), None, &options)
}

#[test]
fn morph_targets_of_gpu_instances_are_limited() {
    let mut file = instanced();
    file.set("/meshes/0/primitives/0/targets", vec![json!({}); 257].into());
    file.refused("morph weights of a scene: 17039360 is more than the 16777216");
    file.set("/meshes/0/primitives/0/targets", vec![json!({}); 256].into());
    let model = file.loaded().0.model;
    assert_eq!(PaletteLayout::new(&model, model.default_scene).morph_weight_count, 1 << 24);
    // 2^32 weights are refused whatever the limit.
    file.set("/meshes/0/primitives/0/targets", vec![json!({}); 1 << 16].into());
    let error = load_with(&file, &[Limit::MorphWeights]).expect_err("too many weights").to_string();
    assert!(error.starts_with("scene 0: it needs 65536 matrices and 4294967296 morph weights"), "{error}");
}

#[test]
fn matrices_of_skins_with_own_visibility_are_limited() {
    // 300 nodes draw with a skin of 2^16 joints, each with a visibility of its own.
    let mut file = File::skinned();
    let mut node = json!({ "mesh": 0, "skin": 0, "extensions": { "KHR_node_visibility": { "visible": false } } });
    let mut nodes = vec![json!({}); 2];
    let mut channels = Vec::new();
    for i in 2..302 {
        node["name"] = json!(format!("node {i}"));
        nodes.push(node.clone());
        let target = json!({ "pointer": format!("/nodes/{i}/extensions/KHR_node_visibility/visible") });
        channels.push(
            json!({ "sampler": 0, "target": { "path": "pointer", "extensions": { "KHR_animation_pointer": target } } }),
        );
    }
    let (input, output) = (file.floats("SCALAR", &[0.0]), file.accessor(&[1, 0, 0, 0], UNSIGNED_BYTE, "SCALAR", 1));
    let samplers = json!([{ "input": input, "output": output, "interpolation": "STEP" }]);
    file.set("/animations", json!([{ "channels": channels, "samplers": samplers }]));
    file.set("/extensionsUsed", json!(["KHR_animation_pointer", "KHR_node_visibility"]));
    file.set("/nodes", nodes.into()).set("/scenes/0/nodes", (0..302).collect::<Vec<_>>().into());
    file.set("/skins/0/joints", vec![1; 1 << 16].into());
    file.refused("joint matrices of a scene: 19660800 is more than the 16777216");
    let model = load_with(&file, &[Limit::SceneMatrices]).expect("a model").model;
    assert_eq!(PaletteLayout::new(&model, model.default_scene).matrix_count, 19_660_800);
}

#[test]
fn long_names_of_gpu_instances_are_cut() {
    let mut file = instanced();
    file.set("/nodes/0/name", json!("é".repeat(100_000)));
    let model = file.loaded().0.model;
    let names = || model.skeleton.joints().iter().skip(1).filter_map(|joint| joint.name.as_ref());
    let bytes: usize = names().map(String::len).sum();
    assert!(bytes < 16 << 20, "{bytes}");
    assert_eq!(names().next_back(), Some(&format!("{}… [65535]", "é".repeat(100))));
}

#[test]
fn vertices_of_nodes_that_share_a_mesh_are_limited() {
    // 300 nodes draw 600,000 indices, or 60,000 deltas, of few vertices.
    let file = |change: fn(&mut File)| {
        let mut file = File::triangle();
        change(&mut file);
        file.set("/nodes", vec![json!({ "mesh": 0 }); 300].into());
        file.set("/scenes/0/nodes", (0..300).collect::<Vec<_>>().into());
        file
    };
    let indices = |file: &mut File| {
        let indices = file.accessor(&[0, 1, 2].repeat(200_000), UNSIGNED_BYTE, "SCALAR", 600_000);
        file.set("/meshes/0/primitives/0/indices", json!(indices));
    };
    let targets = |file: &mut File| {
        let position = file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
        file.set("/meshes/0/primitives/0/targets", vec![json!({ "POSITION": position }); 20_000].into());
    };
    for (file, needed) in [(file(indices), 300 * 100_000), (file(targets), 300 * (3 + 3 * 20_000 / 8))] {
        let mut options = ImportOptions::default();
        options.policy.limits.set(Limit::Vertices, needed);
        assert!(from_bytes(file.glb(), None, &options).is_ok());
        options.policy.limits.set(Limit::Vertices, needed - 1);
        let error = from_bytes(file.glb(), None, &options).expect_err("too many vertices");
        assert_eq!(error.policy_change(), Some(PolicyChange::RaiseLimit { limit: Limit::Vertices, needed }));
        assert!(error.to_string().starts_with("vertices that the nodes of a scene draw: "), "{error}");
    }
}
