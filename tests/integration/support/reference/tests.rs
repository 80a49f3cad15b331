//! The reference, compared with analytic values.

use super::sample::Sampler;
use super::{Document, Instant, Vec3, Winding, distance, drawn_triangles};
use crate::support::glb::{Channel, Data, Rig, Store};
use crate::support::rigs;
use serde_json::json;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_6};

/// Compares points of magnitude 1.
fn assert_points(found: &[Vec3], expected: &[Vec3]) {
    assert_eq!(found.len(), expected.len());
    for (vertex, (a, b)) in expected.iter().zip(found).enumerate() {
        assert!(distance(*a, *b) < 1e-7, "vertex {vertex}: expected {a:?}, found {b:?}");
    }
}

/// Samples keys.
fn sample(times: &[f64], values: &[f64], interpolation: &str, rotation: bool, time: f64) -> Vec<f64> {
    let interpolation = interpolation.to_owned();
    Sampler { times: times.to_vec(), values: values.to_vec(), interpolation, rotation }.at(time)
}

/// Compares numbers.
fn assert_numbers(found: &[f64], expected: &[f64]) {
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12),
        "expected {expected:?}, found {found:?}"
    );
}

/// A rotation about Z.
fn turn(angle: f64) -> [f64; 4] {
    [0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos()]
}

#[test]
fn normalized_integers_follow_specification() {
    for (store, stored, expected) in [
        (Store::I8, [127.0, -127.0, -128.0], [1.0, -1.0, -1.0]),
        (Store::U8, [255.0, 0.0, 51.0], [1.0, 0.0, 0.2]),
        (Store::I16, [32767.0, -32768.0, 0.0], [1.0, -1.0, 0.0]),
        (Store::U16, [65535.0, 0.0, 13107.0], [1.0, 0.0, 0.2]),
    ] {
        let fractions = stored.map(|x| x / store.one());
        let mut rig = Rig::new();
        let index = rig.data(&Data::new("SCALAR", &fractions).normalized(store));
        assert_numbers(&Document::parse(&rig.glb(), None).accessor(index).numbers, &expected);
    }
}

#[test]
fn element_storage_variants_decode_equal() {
    let numbers: Vec<f64> = (0..24).map(f64::from).map(|x| if (6.0..9.0).contains(&x) { 0.0 } else { x }).collect();
    let plain = Data::new("VEC3", &numbers);
    for store in [Store::I8, Store::U8, Store::I16, Store::U16, Store::U32, Store::F32] {
        for data in [
            plain.clone().integers(store),
            plain.clone().integers(store).offset(8).stride(20),
            plain.clone().integers(store).sparse(Store::U8),
            plain.clone().integers(store).sparse(Store::U16).offset(4).stride(16),
            plain.clone().integers(store).without_view(Store::U32),
        ] {
            let mut rig = Rig::new();
            let index = rig.data(&data);
            let files = [rig.glb(), rig.embedded()];
            for file in files {
                let elements = Document::parse(&file, None).accessor(index);
                assert_eq!((elements.numbers.as_slice(), elements.len()), (numbers.as_slice(), 8), "{data:?}");
            }
        }
    }
    let mut rig = Rig::new();
    let zeros = rig.data(&Data::new("VEC2", &[0.0; 6]).without_view(Store::U8));
    assert_eq!(rig.object("accessors", zeros).get("sparse"), None);
    assert_eq!(Document::parse(&rig.glb(), None).accessor(zeros).numbers, [0.0; 6]);
}

#[test]
fn step_and_linear_interpolation() {
    let (times, values) = ([1.0, 2.0, 4.0], [0.0, 10.0, 4.0, 20.0, 8.0, 0.0]);
    for (time, line, step) in [
        (0.0, [0.0, 10.0], [0.0, 10.0]),
        (1.0, [0.0, 10.0], [0.0, 10.0]),
        (1.75, [3.0, 17.5], [0.0, 10.0]),
        (2.0, [4.0, 20.0], [4.0, 20.0]),
        (3.0, [6.0, 10.0], [4.0, 20.0]),
        (4.0, [8.0, 0.0], [8.0, 0.0]),
        (9.0, [8.0, 0.0], [8.0, 0.0]),
    ] {
        assert_numbers(&sample(&times, &values, "LINEAR", false, time), &line);
        assert_numbers(&sample(&times, &values, "STEP", false, time), &step);
    }
}

#[test]
fn slerp_has_constant_speed_on_shorter_arc() {
    let third = turn(FRAC_PI_6);
    let quarter = turn(FRAC_PI_2);
    let opposite = quarter.map(|x| -x);
    assert_numbers(&sample(&[0.0, 3.0], &[turn(0.0), quarter].concat(), "LINEAR", true, 1.0), &third);
    assert_numbers(&sample(&[0.0, 3.0], &[turn(0.0), opposite].concat(), "LINEAR", true, 1.0), &third);
    // Nearly equal keys, where the sine of the angle vanishes.
    let near = turn(1e-7);
    assert_numbers(&sample(&[0.0, 1.0], &[turn(0.0), near].concat(), "LINEAR", true, 0.5), &turn(5e-8));
    assert_numbers(&sample(&[0.0, 1.0], &[quarter, opposite].concat(), "LINEAR", true, 0.5), &quarter);
}

#[test]
fn cubic_spline_follows_hermite_formula() {
    // Two seconds from 0 to 2; the tangents 1 and -1 lift the middle by 2 * (1 + 1) / 8.
    let keys = [9.0, 0.0, 1.0, -1.0, 2.0, 9.0];
    for (time, expected) in [(0.0, 0.0), (1.0, 0.0), (2.0, 1.5), (3.0, 2.0), (5.0, 2.0)] {
        assert_numbers(&sample(&[1.0, 3.0], &keys, "CUBICSPLINE", false, time), &[expected]);
    }
    // Halfway between 0 and 180 degrees with an out-tangent: (0, 0, 1, 0.5) before normalization.
    let zero = [0.0; 4];
    let keys = [zero, turn(0.0), [0.0, 0.0, 2.0, 0.0], zero, [0.0, 0.0, 1.0, 0.0], zero].concat();
    let length = 1.25_f64.sqrt();
    let middle = [0.0, 0.0, 1.0 / length, 0.5 / length];
    assert_numbers(&sample(&[0.0, 2.0], &keys, "CUBICSPLINE", true, 1.0), &middle);
}

#[test]
fn skinned_arm_bends_at_joint() {
    let arm = rigs::arm();
    let document = Document::parse(&arm.rig.glb(), None);
    for (clip, time, expected) in [
        (None, 0.0, [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0]]),
        (Some(0), 1.0, [[0.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-1.0, 1.0, 0.0]]),
        (
            Some(0),
            0.5,
            [
                [0.0, 0.0, 0.0],
                [0.5 + FRAC_1_SQRT_2 / 2.0, 1.0 + FRAC_1_SQRT_2 / 2.0, 0.0],
                [-FRAC_1_SQRT_2, 1.0 + FRAC_1_SQRT_2, 0.0],
            ],
        ),
    ] {
        let posed = document.pose(Instant { clip, time, ..Instant::default() });
        assert_eq!(posed.meshes.len(), 1);
        assert_points(&posed.meshes[0].primitives[0].positions, &expected);
    }
    assert_eq!(document.duration(0), 1.0);
}

#[test]
fn mirroring_flips_triangles_and_keeps_normals() {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    rig.node(json!({"mesh": mesh, "scale": [1, 1, -2], "translation": [0, 0, 1]}));
    let posed = Document::parse(&rig.glb(), None).pose(Instant::default());
    let primitive = &posed.meshes[0].primitives[0];
    assert_eq!((primitive.winding, primitive.triangles()), (Winding::Flipped, vec![[0, 2, 1]]));
    let (normals, tangents) = (primitive.normals.as_ref().unwrap(), primitive.tangents.as_ref().unwrap());
    assert_eq!(normals[0].vector, [0.0, 0.0, -1.0]);
    // The frame of normal, tangent and bitangent becomes left-handed; +Y remains the bitangent.
    assert_eq!((tangents[0].vector, tangents[0].w), ([1.0, 0.0, 0.0], -1.0));
}

#[test]
fn strips_and_fans_expand_by_specification() {
    let indices = [5, 6, 7, 8, 9];
    assert_eq!(drawn_triangles(5, &indices), [[5, 6, 7], [6, 8, 7], [7, 8, 9]]);
    assert_eq!(drawn_triangles(6, &indices), [[6, 7, 5], [7, 8, 5], [8, 9, 5]]);
    assert_eq!(drawn_triangles(4, &indices), [[5, 6, 7]]);
    assert_eq!(drawn_triangles(5, &indices[..1]), Vec::<[usize; 3]>::new());
}

#[test]
fn weights_come_from_clip_then_node_then_mesh() {
    let mut rig = Rig::new();
    let base = rig.floats("VEC3", &[0.0; 9]);
    let lift = rig.floats("VEC3", &[0.0, 1.0, 0.0].repeat(3));
    let primitive = json!({"attributes": {"POSITION": base}, "targets": [{"POSITION": lift}]});
    let plain = rig.mesh(primitive.clone());
    let weighted = rig.add("meshes", json!({"primitives": [primitive], "weights": [0.5]}));
    let nodes = [
        rig.node(json!({"mesh": plain})),
        rig.node(json!({"mesh": weighted})),
        rig.node(json!({"mesh": weighted, "weights": [0.25]})),
    ];
    let (times, values) = (rig.floats("SCALAR", &[0.0]), rig.floats("SCALAR", &[2.0]));
    let channel = Channel { node: nodes[2], path: "weights", interpolation: "STEP", times, values };
    rig.clip("swell", &[channel]);
    let document = Document::parse(&rig.glb(), None);
    let heights = |clip| {
        let posed = document.pose(Instant { clip, ..Instant::default() });
        posed.meshes.iter().map(|mesh| mesh.primitives[0].positions[0][1]).collect::<Vec<_>>()
    };
    assert_eq!((heights(None), heights(Some(0))), (vec![0.0, 0.5, 0.25], vec![0.0, 0.5, 2.0]));
}
