//! Hierarchy, transforms, scenes and cameras.

use super::*;
use crate::model::{JointIndex, Projection};

fn nodes(nodes: Value) -> File {
    let mut file = File::new();
    file.set("/nodes", nodes);
    file.set("/scenes", json!([{}]));
    file
}

#[test]
fn cycles_are_errors_and_a_node_keeps_its_first_parent() {
    nodes(json!([{ "children": [0] }])).refused("node 0: it is its own ancestor");
    nodes(json!([{}, { "children": [2] }, { "name": "B", "children": [1] }])).refused("node 1: it is its own ancestor");
    let loaded = nodes(json!([{ "children": [2] }, { "children": [2] }, {}]))
        .notice("node 2: it is a child of both node 0 and node 1");
    assert_eq!(loaded.model.skeleton.joints()[1].parent, Some(JointIndex(0)));
    nodes(json!([{ "children": [1, 1] }, {}])).notice("node 1: node 0 has it as a child twice");
    nodes(json!([{ "children": [5] }])).notice("node 0: child node 5 does not exist, the file has 1");
    nodes(json!([{ "children": [-1, 1] }, {}])).notice("node 0, children, 0: this is not an integer from 0 to");
}

#[test]
fn chain_of_a_hundred_thousand_nodes_opens() {
    let count = 100_000;
    let list: Vec<Value> = (1..count).map(|i| json!({ "children": [i] })).chain([json!({})]).collect();
    let mut file = nodes(Value::Array(list));
    file.set("/scenes/0/nodes", json!([0]));
    assert_eq!(file.loaded().0.model.skeleton.len(), count);
}

#[test]
fn transforms_keep_double_precision_and_rotations_are_normalized() {
    let file = nodes(json!([{ "translation": [0.1, 2, 3], "rotation": [0, 0, 0.6001, 0.8001], "scale": [1, -2, 0] }]));
    let rest = file.loaded().0.model.skeleton.joints()[0].rest;
    assert_eq!((rest.translation.x, rest.scale.y), (0.1, -2.0));
    assert!((rest.rotation.norm() - 1.0).abs() < 1e-15);
    nodes(json!([{ "rotation": [0, 0, 0, 2] }])).notice("node 0, rotation: a rotation of length 2.0000 is scaled");
    nodes(json!([{ "rotation": [0, 0, 0, 0] }])).notice("of length 0 is replaced by the identity");
    nodes(json!([{ "translation": [1e300, 0, 0] }]))
        .notice("node 0, translation: a number is larger than 3.4e38, more than rigview draws; it is ignored");
    nodes(json!([{ "translation": [0, 0] }])).notice("node 0, translation: these are not 3 numbers; it is ignored");
}

#[test]
fn lost_shear_is_reported() {
    let sheared = json!([1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    let mut file = nodes(json!([{ "matrix": sheared }]));
    file.notice("node 0, matrix: this matrix has shear");
    file.animate(0, "translation", "STEP", &[0.0], "VEC3", &[0.0; 3]);
    assert_eq!(file.notice("the shear in its matrix is lost").model.skeleton.joints()[0].exact_rest_matrix, None);
}

#[test]
fn invalid_scenes_are_reported() {
    let mut file = File::triangle();
    file.set("/nodes", json!([{ "mesh": 0 }, { "mesh": 0, "children": [0] }, { "mesh": 0 }]));
    file.set("/scenes", json!([{ "nodes": [1] }, { "nodes": [2] }, {}]));
    file.set("/scene", json!(9)).notice("the default scene is 9, but the file has 3 scenes");
    file.set("/scene", json!(0)).set("/scenes/0/nodes", json!([0])).notice("is the child of another node");
    file.set("/scenes/0/nodes", json!([9])).reported("scene 0: node 9 does not exist, the file has 3");
    file.json.as_object_mut().unwrap().remove("scenes");
    assert_eq!(file.notice("no scenes").model.scenes[0].mesh_nodes.len(), 3);
}

#[test]
fn cameras_are_placed_by_their_nodes() {
    let mut file = nodes(json!([{ "camera": 0, "name": "Eye" }, { "camera": 1 }, { "camera": 0 }]));
    file.set(
        "/cameras",
        json!([
            { "type": "perspective", "perspective": { "yfov": 0.7, "znear": 0.01, "aspectRatio": 1.5 } },
            { "type": "orthographic", "orthographic": { "xmag": 2, "ymag": 1, "znear": 0, "zfar": 10 } },
        ]),
    );
    let cameras = file.loaded().0.model.cameras;
    assert_eq!((cameras.len(), cameras[0].name.as_deref(), cameras[2].joint), (3, Some("Eye"), JointIndex(2)));
    let expected = Projection::Perspective { fov_y: 0.7, aspect: Some(1.5), near: 0.01, far: None };
    assert_eq!(cameras[0].projection, expected);
    let expected = Projection::Orthographic { half_width: 2.0, half_height: 1.0, near: 0.0, far: 10.0 };
    assert_eq!(cameras[1].projection, expected);
    file.set("/nodes/1/camera", json!(5)).notice("node 1: camera 5 does not exist, the file has 2");
}

#[test]
fn gpu_instances_are_children_of_their_node() {
    let mut file = File::triangle();
    let places = file.floats("VEC3", &[1.0, 2.0, 3.0, -1.0, 0.0, 0.5]);
    let sizes = file.floats("VEC3", &[2.0, 2.0, 2.0, 0.5, 1.0, 1.5]);
    let turns = file.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    let attributes = json!({ "TRANSLATION": places, "SCALE": sizes, "ROTATION": turns });
    file.set("/nodes/0/extensions", json!({ "EXT_mesh_gpu_instancing": { "attributes": attributes } }));
    file.set("/extensionsUsed", json!(["EXT_mesh_gpu_instancing"]));
    let (loaded, messages) = file.loaded();
    assert!(messages.is_empty(), "{messages:?}");
    let joints = loaded.model.skeleton.joints();
    assert_eq!(
        joints.iter().map(|joint| joint.parent).collect::<Vec<_>>(),
        [None, Some(JointIndex(0)), Some(JointIndex(0))]
    );
    assert_eq!((joints[1].rest.translation.z, joints[2].rest.scale.x, joints[2].rest.rotation.j), (3.0, 0.5, 1.0));
    let carriers: Vec<_> = loaded.model.scenes[0].mesh_nodes.iter().map(|mesh_node| mesh_node.joint).collect();
    assert_eq!(carriers, [JointIndex(1), JointIndex(2)]);

    let copies = "/nodes/0/extensions/EXT_mesh_gpu_instancing/attributes";
    file.set(&format!("{copies}/SCALE"), json!(places)).set(&format!("{copies}/TRANSLATION"), json!(99));
    let loaded = file.notice("TRANSLATION: accessor 99 does not exist, the file has 4; the mesh is shown once");
    assert_eq!(loaded.model.scenes[0].mesh_nodes[0].joint, JointIndex(0));
    file.set(&format!("{copies}/TRANSLATION"), json!(turns));
    file.notice("VEC3 of FLOAT");
    file.set(copies, json!({}));
    assert!(file.notice("it has no transforms").model.scenes[0].mesh_nodes.is_empty());
}
