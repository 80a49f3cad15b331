//! Morph targets.

use crate::support::bake::{Shot, check, check_by_reference};
use crate::support::glb::{Channel, Data, Rig, Store};
use crate::support::rigs::{TRIANGLE, many_targets, translation};
use serde_json::{Value, json};

/// A triangle with normals, tangents and morph targets on one node.
fn morphing(targets: impl Fn(&mut Rig) -> Value, weights: &[f64]) -> Rig {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let targets = targets(&mut rig);
    let mesh_object = rig.object("meshes", mesh);
    mesh_object["primitives"][0]["targets"] = targets;
    mesh_object["weights"] = json!(weights);
    rig.node(json!({"mesh": mesh}));
    rig
}

#[test]
fn morph_targets_add_to_positions_normals_tangents() {
    let rig = morphing(
        |rig| {
            let lift = rig.floats("VEC3", &[0.0, 0.0, 2.0].repeat(3));
            let tilt = rig.floats("VEC3", &[0.0, 1.0, 0.0].repeat(3));
            let twist = rig.floats("VEC3", &[-2.0, 0.0, 2.0].repeat(3));
            json!([{"POSITION": lift, "NORMAL": tilt}, {"TANGENT": twist}, {}])
        },
        &[0.75, 0.5, 9.0],
    );
    check("three targets", &rig, &Shot::still(), |hand| {
        hand.positions(0, 0, &TRIANGLE.map(|p| [p[0], p[1], 1.5]));
        // (0, 0.75, 1) and (0, 0, 1), brought to length 1.
        hand.normals(0, 0, &[[0.0, 0.6, 0.8]; 3]);
        hand.tangents(0, 0, &[[0.0, 0.0, 1.0, 1.0]; 3]);
    });
}

#[test]
fn morph_targets_add_to_colors_and_texture_coordinates() {
    let rig = morphing(
        |rig| {
            let attributes = [
                ("COLOR_0", rig.floats("VEC3", &[0.25, 0.5, 0.75].repeat(3))),
                ("TEXCOORD_0", rig.floats("VEC2", &[0.0, 0.5].repeat(3))),
                ("TEXCOORD_1", rig.floats("VEC2", &[0.5, 0.5].repeat(3))),
            ];
            for (name, accessor) in attributes {
                rig.object("meshes", 0)["primitives"][0]["attributes"][name] = json!(accessor);
            }
            let glow = rig.data(&Data::new("VEC4", &[1.0, -1.0, 0.0, -0.5].repeat(3)));
            let dim = rig.data(&Data::new("VEC3", &[-1.0, 0.0, 1.0].repeat(3)).normalized(Store::I8));
            let slide = rig.floats("VEC2", &[0.5, -0.25].repeat(3));
            json!([{"COLOR_0": glow, "TEXCOORD_1": slide}, {"COLOR_0": dim, "TEXCOORD_0": slide}])
        },
        &[1.0, 0.5],
    );
    check("colors", &rig, &Shot::still(), |hand| {
        hand.positions(0, 0, &TRIANGLE);
        // 0.25 + 1 - 0.5; 0.5 - 1 and 0.75 + 0.5 are out of the range.
        hand.colors(0, 0, &[[0.75, 0.0, 1.0, 0.5]; 3]);
        hand.tex_coords(0, 0, 0, &[[0.25, 0.375]; 3]);
        hand.tex_coords(0, 0, 1, &[[1.0, 0.25]; 3]);
    });
}

#[test]
fn morph_weights_may_be_negative_and_large() {
    let lift = |rig: &mut Rig| json!([{"POSITION": rig.floats("VEC3", &[0.0, 0.0, 2.0].repeat(3))}]);
    for (weight, z) in [(-1.0, -2.0), (3.5, 7.0), (0.0, 0.0)] {
        let rig = morphing(lift, &[weight]);
        check(&format!("weight {weight}"), &rig, &Shot::still(), |hand| {
            hand.positions(0, 0, &TRIANGLE.map(|p| [p[0], p[1], z]));
        });
    }
}

#[test]
fn morph_weight_precedence_is_clip_node_mesh() {
    let lift = |rig: &mut Rig| {
        let (x, z) = (rig.floats("VEC3", &[1.0, 0.0, 0.0].repeat(3)), rig.floats("VEC3", &[0.0, 0.0, 1.0].repeat(3)));
        json!([{"POSITION": x}, {"POSITION": z}])
    };
    let at = |x: f64, z: f64| TRIANGLE.map(|p| [p[0] + x, p[1], p[2] + z]);
    let mut rig = morphing(lift, &[0.5, 0.25]);
    // The same mesh three times: with the mesh's weights, with its own, and with those of a clip.
    rig.node(json!({"mesh": 0, "weights": [2, 3]}));
    let node = rig.node(json!({"mesh": 0, "weights": [7, 7]}));
    let (times, values) = (rig.floats("SCALAR", &[0.0, 1.0]), rig.floats("SCALAR", &[0.0, 0.0, 4.0, 8.0]));
    rig.clip("swell", &[Channel { node, path: "weights", interpolation: "LINEAR", times, values }]);
    check("weights", &rig, &Shot::at(0.25), |hand| {
        hand.positions(0, 0, &at(0.5, 0.25));
        hand.positions(1, 0, &at(2.0, 3.0));
        hand.positions(2, 0, &at(1.0, 2.0));
    });
    check("weights at rest", &rig, &Shot::rest(), |hand| hand.positions(2, 0, &at(7.0, 7.0)));

    let mut without = morphing(lift, &[]);
    without.object("meshes", 0).as_object_mut().unwrap().remove("weights");
    check("no weights", &without, &Shot::still(), |hand| hand.positions(0, 0, &TRIANGLE));
}

#[test]
fn morph_targets_apply_before_skinning() {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let lift = rig.floats("VEC3", &[2.0, 0.0, 0.0].repeat(3));
    let joints = rig.data(&Data::new("VEC4", &[0.0; 12]).integers(Store::U8));
    let weights = rig.floats("VEC4", &[1.0, 0.0, 0.0, 0.0].repeat(3));
    let object = rig.object("meshes", mesh);
    object["primitives"][0]["targets"] = json!([{"POSITION": lift}]);
    object["primitives"][0]["attributes"]["JOINTS_0"] = json!(joints);
    object["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(weights);
    let bind = rig.floats("MAT4", &translation(1.0, 0.0, 0.0));
    let joint = rig.node(json!({"scale": [3, 1, 1]}));
    let skin = rig.add("skins", json!({"joints": [joint], "inverseBindMatrices": bind}));
    rig.node(json!({"mesh": mesh, "skin": skin, "weights": [0.5]}));
    check("morphed, then skinned", &rig, &Shot::still(), |hand| {
        // x goes to (x + 1 of the target + 1 of the bind matrix) * 3.
        hand.positions(0, 0, &TRIANGLE.map(|p| [(p[0] + 2.0) * 3.0, p[1], p[2]]));
    });
}

#[test]
fn primitives_share_mesh_weights() {
    let mut rig = Rig::new();
    let positions = rig.floats("VEC3", &TRIANGLE.concat());
    let targets = [[0.0, 0.0, 1.0], [0.0, 0.0, -3.0]].map(|delta| rig.floats("VEC3", &delta.repeat(3)));
    let primitive = |target: usize| json!({"attributes": {"POSITION": positions}, "targets": [{"POSITION": target}]});
    rig.add("meshes", json!({"primitives": [primitive(targets[0]), primitive(targets[1])], "weights": [0.5]}));
    rig.node(json!({"mesh": 0}));
    check("two primitives", &rig, &Shot::still(), |hand| {
        hand.positions(0, 0, &TRIANGLE.map(|p| [p[0], p[1], 0.5]));
        hand.positions(0, 1, &TRIANGLE.map(|p| [p[0], p[1], -1.5]));
    });
}

#[test]
fn sparse_morph_targets_without_buffer_view() {
    // As Blender writes shape keys: only what moves is stored; a key that moves nothing stores nothing.
    let rig = morphing(
        |rig| {
            let one = Data::new("VEC3", &[0.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0]).without_view(Store::U16);
            let none = Data::new("VEC3", &[0.0; 9]).without_view(Store::U16);
            let (one, none) = (rig.data(&one), rig.data(&none));
            json!([{"POSITION": one, "NORMAL": none}, {"POSITION": none, "NORMAL": none, "TANGENT": none}])
        },
        &[0.25, 1.0],
    );
    check("sparse targets", &rig, &Shot::still(), |hand| {
        hand.positions(0, 0, &[[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]);
        hand.normals(0, 0, &[[0.0, 0.0, 1.0]; 3]);
        hand.tangents(0, 0, &[[1.0, 0.0, 0.0, 1.0]; 3]);
    });
}

#[test]
fn forty_morph_targets() {
    let rig = many_targets(40);
    for time in [0.0, 1.0, 7.5, 20.0, 39.625, 40.0] {
        check_by_reference("40 targets", &rig, &Shot::at(time));
    }
}

#[test]
fn three_hundred_morph_targets() {
    let rig = many_targets(300);
    for time in [0.5, 150.0, 300.0] {
        check_by_reference("300 targets", &rig, &Shot::at(time));
    }
}
