//! Accessor encodings: component types, strides, offsets, sparse storage.

use crate::support::bake::{Shot, check, check_by_reference, check_file};
use crate::support::glb::{Channel, Data, Rig, Store};
use crate::support::rigs::{self, TRIANGLE, translation};
use serde_json::json;
use tempfile::TempDir;

const SQUARE: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];

/// A square with the given attributes.
fn square(rig: &mut Rig, positions: &Data, attributes: &[(&str, Data)]) -> usize {
    let mut named = json!({"POSITION": rig.data(positions)});
    for (name, data) in attributes {
        named[*name] = json!(rig.data(data));
    }
    let mesh = rig.mesh(json!({"attributes": named, "mode": 5}));
    rig.node(json!({"mesh": mesh}))
}

/// The square's positions as `f32`.
fn corners() -> Data<'static> {
    Data::new("VEC3", &SQUARE.concat())
}

#[test]
fn indices_of_every_size() {
    for store in [Store::U8, Store::U16, Store::U32] {
        let mut rig = Rig::new();
        let positions = rig.data(&corners());
        let indices = Data::new("SCALAR", &[3.0, 2.0, 1.0, 0.0, 1.0, 2.0]).integers(store);
        for data in [indices.clone(), indices.clone().offset(8), indices.sparse(Store::U8)] {
            let indices = rig.data(&data);
            let mesh = rig.mesh(json!({"attributes": {"POSITION": positions}, "indices": indices}));
            rig.node(json!({"mesh": mesh}));
        }
        check(&format!("{store:?} indices"), &rig, &Shot::still(), |hand| {
            hand.meshes(3);
            (0..3).for_each(|mesh| hand.triangles(mesh, 0, &[[1, 3, 2], [0, 1, 2]]));
        });
    }
}

#[test]
fn vertex_counts_above_65536() {
    let mut rig = Rig::new();
    let count = 70_000;
    let positions: Vec<f64> = (0..count).flat_map(|i| [f64::from(i % 300), f64::from(i / 300), 0.0]).collect();
    let positions = rig.floats("VEC3", &positions);
    let indices = rig.data(&Data::new("SCALAR", &[0.0, 65_535.0, 65_536.0, 69_999.0, 1.0, 2.0]).integers(Store::U32));
    let mesh = rig.mesh(json!({"attributes": {"POSITION": positions}, "indices": indices}));
    rig.node(json!({"mesh": mesh}));
    check("70000 vertices", &rig, &Shot::still(), |hand| {
        hand.triangles(0, 0, &[[0, 65_535, 65_536], [1, 2, 69_999]]);
    });
}

#[test]
fn strides_offsets_and_sparse_elements() {
    for (label, positions) in [
        ("stride 12", corners().stride(12)),
        ("stride 16", corners().stride(16)),
        ("stride 252", corners().stride(252)),
        ("offset 20", corners().offset(20)),
        ("stride 28, offset 4", corners().stride(28).offset(4)),
        ("sparse u8", corners().sparse(Store::U8)),
        ("sparse u16, stride 20, offset 8", corners().sparse(Store::U16).stride(20).offset(8)),
        ("sparse u32", corners().sparse(Store::U32)),
        ("no view, sparse u8", corners().without_view(Store::U8)),
        ("no view, sparse u32", corners().without_view(Store::U32)),
    ] {
        let mut rig = Rig::new();
        square(&mut rig, &positions, &[]);
        check(label, &rig, &Shot::still(), |hand| hand.positions(0, 0, &SQUARE));
    }
    let mut rig = Rig::new();
    square(&mut rig, &Data::new("VEC3", &[0.0; 12]).without_view(Store::U8), &[]);
    check("no view at all", &rig, &Shot::still(), |hand| hand.positions(0, 0, &[[0.0; 3]; 4]));
}

#[test]
fn attributes_share_buffer_view() {
    // Position, normal and texture coordinates of each vertex side by side, 32 bytes in all.
    let mut rig = Rig::new();
    let rows: Vec<f64> =
        SQUARE.iter().flat_map(|p| [p[0], p[1], p[2], 0.0, 0.0, -1.0, p[0] / 2.0, p[1] / 4.0]).collect();
    let plain = rig.floats("SCALAR", &rows);
    let view = rig.object("accessors", plain)["bufferView"].clone();
    rig.object("bufferViews", 0)["byteStride"] = json!(32);
    let (min, max) = (json!([0, 0, 0]), json!([1, 1, 0]));
    *rig.object("accessors", plain) = json!({
        "bufferView": view, "componentType": 5126, "type": "VEC3", "count": 4, "min": min, "max": max,
    });
    let normals = rig.add(
        "accessors",
        json!({"bufferView": view, "byteOffset": 12, "componentType": 5126, "type": "VEC3", "count": 4}),
    );
    let uv = rig.add(
        "accessors",
        json!({"bufferView": view, "byteOffset": 24, "componentType": 5126, "type": "VEC2", "count": 4}),
    );
    let attributes = json!({"POSITION": plain, "NORMAL": normals, "TEXCOORD_0": uv});
    let mesh = rig.mesh(json!({"attributes": attributes, "mode": 5}));
    rig.node(json!({"mesh": mesh}));
    check("interleaved", &rig, &Shot::still(), |hand| {
        hand.positions(0, 0, &SQUARE);
        hand.normals(0, 0, &[[0.0, 0.0, -1.0]; 4]);
        hand.tex_coords(0, 0, 0, &SQUARE.map(|p| [p[0] / 2.0, p[1] / 4.0]));
    });
}

#[test]
fn texture_coordinates_of_every_type_and_many_sets() {
    let uv = [[0.0, 1.0], [0.2, 0.4], [0.6, 0.8], [1.0, 0.0]];
    let data = Data::new("VEC2", &uv.concat());
    let mut rig = Rig::new();
    square(
        &mut rig,
        &corners(),
        &[
            ("TEXCOORD_0", data.clone()),
            ("TEXCOORD_1", data.clone().normalized(Store::U8).stride(4)),
            ("TEXCOORD_2", data.clone().normalized(Store::U16)),
            ("TEXCOORD_3", data.sparse(Store::U8)),
            ("TEXCOORD_4", Data::new("VEC2", &[2.5, -3.0].repeat(4))),
        ],
    );
    check("texture coordinates", &rig, &Shot::still(), |hand| {
        for set in [0, 1, 2, 3] {
            hand.tex_coords(0, 0, set, &uv);
        }
        hand.tex_coords(0, 0, 4, &[[2.5, -3.0]; 4]);
    });
}

#[test]
fn colors_of_every_type() {
    let rgba = [[0.0, 0.2, 1.0, 0.4], [1.0, 0.6, 0.0, 1.0], [0.2, 0.2, 0.2, 0.0], [0.8, 1.0, 0.4, 0.6]];
    let rgb: Vec<f64> = rgba.iter().flat_map(|c| [c[0], c[1], c[2]]).collect();
    let opaque = rgba.map(|c| [c[0], c[1], c[2], 1.0]);
    let (four, three) = (Data::new("VEC4", &rgba.concat()), Data::new("VEC3", &rgb));
    for (label, data, expected) in [
        ("VEC4 float", four.clone(), rgba),
        ("VEC4 u8", four.clone().normalized(Store::U8), rgba),
        ("VEC4 u16", four.normalized(Store::U16), rgba),
        ("VEC3 float", three.clone(), opaque),
        ("VEC3 u8", three.clone().normalized(Store::U8).stride(4), opaque),
        ("VEC3 u16", three.normalized(Store::U16).stride(8), opaque),
    ] {
        let mut rig = Rig::new();
        square(&mut rig, &corners(), &[("COLOR_0", data)]);
        check(label, &rig, &Shot::still(), |hand| hand.colors(0, 0, &expected));
    }
}

#[test]
fn joints_and_weights_of_every_type() {
    let weights = [0.2, 0.8, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.4, 0.0, 0.6, 0.0];
    let joints = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    for (joint_label, joints) in [
        ("u8 joints", Data::new("VEC4", &joints).integers(Store::U8)),
        ("u16 joints", Data::new("VEC4", &joints).integers(Store::U16)),
        ("sparse u8 joints", Data::new("VEC4", &joints).integers(Store::U8).without_view(Store::U8)),
    ] {
        for (weight_label, weights) in [
            ("float weights", Data::new("VEC4", &weights)),
            ("u8 weights", Data::new("VEC4", &weights).normalized(Store::U8)),
            ("u16 weights", Data::new("VEC4", &weights).normalized(Store::U16)),
            ("sparse u16 weights", Data::new("VEC4", &weights).normalized(Store::U16).sparse(Store::U8)),
        ] {
            let mut rig = Rig::new();
            let attributes = json!({
                "POSITION": rig.floats("VEC3", &TRIANGLE.concat()),
                "JOINTS_0": rig.data(&joints),
                "WEIGHTS_0": rig.data(&weights),
            });
            let mesh = rig.mesh(json!({"attributes": attributes}));
            let inverse_bind = rig.floats("MAT4", &[translation(0.0, 0.0, 0.0), translation(0.0, 0.0, 1.0)].concat());
            let still = rig.node(json!({}));
            let moved = rig.node(json!({"translation": [0, 0, 9]}));
            let skin = rig.add("skins", json!({"joints": [still, moved], "inverseBindMatrices": inverse_bind}));
            rig.node(json!({"mesh": mesh, "skin": skin}));
            check(&format!("{joint_label}, {weight_label}"), &rig, &Shot::still(), |hand| {
                hand.positions(0, 0, &[[0.0, 0.0, 8.0], [1.0, 0.0, 10.0], [0.0, 1.0, 6.0]]);
            });
        }
    }
}

#[test]
fn quantized_positions_normals_and_tangents() {
    let mut rig = Rig::new();
    rig.set("extensionsUsed", json!(["KHR_mesh_quantization"]));
    rig.set("extensionsRequired", json!(["KHR_mesh_quantization"]));
    let whole = Data::new("VEC3", &[0.0, 0.0, 0.0, 100.0, 0.0, 0.0, 0.0, 100.0, 0.0, 100.0, 100.0, 0.0]);
    let normals = Data::new("VEC3", &[0.0, 0.0, 1.0].repeat(4));
    let tangents = Data::new("VEC4", &[0.0, -1.0, 0.0, -1.0].repeat(4));
    for (store, stride) in [(Store::I8, 4), (Store::U8, 4), (Store::I16, 8), (Store::U16, 8)] {
        let mut attributes = vec![("TEXCOORD_0", Data::new("VEC2", &[3.0; 8]).integers(store).stride(4))];
        if matches!(store, Store::I8 | Store::I16) {
            attributes.push(("NORMAL", normals.clone().normalized(store).stride(stride)));
            attributes.push(("TANGENT", tangents.clone().normalized(store)));
        }
        let node = square(&mut rig, &whole.clone().integers(store).stride(stride), &attributes);
        rig.object("nodes", node)["scale"] = json!([0.01, 0.01, 0.01]);
        let unit = square(&mut rig, &corners().normalized(store).stride(stride), &[]);
        rig.object("nodes", unit)["translation"] = json!([0, 0, 1]);
    }
    check("quantized", &rig, &Shot::still(), |hand| {
        for mesh in [0, 2, 4, 6] {
            hand.positions(mesh, 0, &SQUARE);
            hand.tex_coords(mesh, 0, 0, &[[3.0, 3.0]; 4]);
            hand.positions(mesh + 1, 0, &SQUARE.map(|p| [p[0], p[1], 1.0]));
        }
        for mesh in [0, 4] {
            hand.normals(mesh, 0, &[[0.0, 0.0, 1.0]; 4]);
            hand.tangents(mesh, 0, &[[0.0, -1.0, 0.0, -1.0]; 4]);
        }
    });
}

#[test]
fn minimum_integer_decodes_to_minus_one() {
    let mut rig = Rig::new();
    rig.set("extensionsUsed", json!(["KHR_mesh_quantization"]));
    rig.set("extensionsRequired", json!(["KHR_mesh_quantization"]));
    for (store, stride, smallest) in [(Store::I8, 4, -128.0 / 127.0), (Store::I16, 8, -32768.0 / 32767.0)] {
        let numbers: Vec<f64> = SQUARE.concat().into_iter().map(|x| if x == 1.0 { smallest } else { x }).collect();
        square(&mut rig, &Data::new("VEC3", &numbers).normalized(store).stride(stride), &[]);
    }
    check("-128 and -32768", &rig, &Shot::still(), |hand| {
        (0..2).for_each(|mesh| hand.positions(mesh, 0, &SQUARE.map(|p| [-p[0], -p[1], 0.0])));
    });
}

#[test]
fn quantized_morph_targets() {
    let mut rig = Rig::new();
    rig.set("extensionsUsed", json!(["KHR_mesh_quantization"]));
    rig.set("extensionsRequired", json!(["KHR_mesh_quantization"]));
    let lift = [0.0, 0.0, 1.0].repeat(4);
    for (store, stride) in [(Store::I8, 4), (Store::I16, 8)] {
        let positions = rig.data(&corners().normalized(store).stride(stride));
        // Normals that are not quite of length 1, as rounding leaves them.
        let normals = rig.data(&Data::new("VEC3", &[0.6, 0.0, 0.8].repeat(4)).normalized(store).stride(stride));
        let target = json!({
            "POSITION": rig.data(&Data::new("VEC3", &lift).normalized(store).stride(stride)),
            "NORMAL": rig.data(&Data::new("VEC3", &[0.4, 0.0, -0.4].repeat(4)).normalized(store).stride(stride)),
        });
        let attributes = json!({"POSITION": positions, "NORMAL": normals});
        let mesh =
            rig.add("meshes", json!({"primitives": [{"attributes": attributes, "targets": [target], "mode": 5}]}));
        rig.node(json!({"mesh": mesh, "weights": [0.5]}));
    }
    check("quantized targets", &rig, &Shot::still(), |hand| {
        (0..2).for_each(|mesh| hand.positions(mesh, 0, &SQUARE.map(|p| [p[0], p[1], 0.5])));
    });
}

#[test]
fn animated_values_of_every_type() {
    let s = 0.5_f64.sqrt();
    let turns = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, s, s, 0.0, 0.0, 1.0, 0.0];
    let weights = [0.0, 1.0, 0.2];
    let store_of = |store: Store, data: Data<'static>| {
        if store == Store::F32 { data } else { data.normalized(store) }
    };
    for store in [Store::F32, Store::I8, Store::U8, Store::I16, Store::U16] {
        for sparse in [false, true] {
            let label = format!("{store:?}{}", if sparse { ", sparse" } else { "" });
            let mut rig = Rig::new();
            let arrange = |data: Data<'static>| if sparse { data.without_view(Store::U8) } else { data };
            let positions = rig.floats("VEC3", &TRIANGLE.concat());
            let lift = rig.floats("VEC3", &[0.0, 0.0, 1.0].repeat(3));
            let mesh = rig.mesh(json!({"attributes": {"POSITION": positions}, "targets": [{"POSITION": lift}]}));
            let node = rig.node(json!({"mesh": mesh}));
            let times = rig.floats("SCALAR", &[0.0, 1.0, 2.0]);
            let values = rig.data(&arrange(store_of(store, Data::new("VEC4", &turns))));
            let swell = rig.data(&arrange(store_of(store, Data::new("SCALAR", &weights))));
            rig.clip(
                "all",
                &[
                    Channel { node, path: "rotation", interpolation: "LINEAR", times, values },
                    Channel { node, path: "weights", interpolation: "LINEAR", times, values: swell },
                ],
            );
            for time in [0.25, 1.0, 1.7, 2.0] {
                check_by_reference(&label, &rig, &Shot::at(f64::from(time as f32)));
            }
            check(&format!("{label}, second key"), &rig, &Shot::at(1.0), |hand| {
                hand.positions(0, 0, &[[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [-1.0, 0.0, 1.0]]);
            });
        }
    }
}

#[test]
fn spline_keys_of_every_type() {
    // Rotations and tangents within -1..1, so that integers can hold them.
    let keys = [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 0.5, 0.0],
        [0.0, -0.5, 0.0, 0.25],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
    ];
    for store in [Store::F32, Store::I8, Store::I16] {
        let mut rig = Rig::new();
        let mesh = rig.triangle();
        let node = rig.node(json!({"mesh": mesh}));
        let times = rig.floats("SCALAR", &[0.5, 1.5]);
        let data = Data::new("VEC4", &keys.concat());
        let values = rig.data(&if store == Store::F32 { data } else { data.normalized(store) });
        rig.clip("turn", &[Channel { node, path: "rotation", interpolation: "CUBICSPLINE", times, values }]);
        for time in [0.0, 0.75, 1.0, 1.4375, 2.0] {
            check_by_reference(&format!("{store:?} spline"), &rig, &Shot::at(time));
        }
    }
}

#[test]
fn external_and_data_uri_buffers() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let rig = rigs::arm().rig;
    let bent = [[0.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-1.0, 1.0, 0.0]];
    let beside = rig.write_gltf(folder.path(), "arm");
    check_file("buffer beside the file", &beside, &Shot::at(1.0), |hand| hand.positions(0, 0, &bent));
    let within = folder.path().join("näme with spaces.gltf");
    std::fs::write(&within, rig.embedded()).expect("a writable folder");
    check_file("buffer in a data URI", &within, &Shot::at(1.0), |hand| hand.positions(0, 0, &bent));
}
