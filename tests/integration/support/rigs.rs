//! Rigs for several tests.

use super::glb::{Channel, Data, Rig, Store};
use super::random::Random;
use super::reference::Vec3;
use serde_json::json;
use std::f64::consts::FRAC_1_SQRT_2;

/// A rotation by 90 degrees about Z.
pub(crate) const QUARTER_ABOUT_Z: [f64; 4] = [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2];

/// No rotation.
pub(crate) const NO_TURN: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// Vertices of [`Rig::triangle`].
pub(crate) const TRIANGLE: [Vec3; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

/// An arm with the elbow at (0, 1, 0), and the indices of its nodes.
pub(crate) struct Arm {
    /// The file.
    pub(crate) rig: Rig,
    /// The node with the mesh.
    pub(crate) body: usize,
    /// Shoulder and elbow.
    pub(crate) joints: [usize; 2],
}

/// A column-major translation matrix.
pub(crate) fn translation(x: f64, y: f64, z: f64) -> Vec<f64> {
    vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]
}

/// One triangle on two joints. The clip `bend` rotates the elbow by 90 degrees about Z in one second.
///
/// The vertices are (0,0,0) on the shoulder, (1,1,0) on both in equal parts and (0,2,0) on the elbow. After bending,
/// they are at (0,0,0), (0.5,1.5,0) and (-1,1,0).
pub(crate) fn arm() -> Arm {
    let mut rig = Rig::new();
    let positions = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0]];
    let mesh = skinned(&mut rig, &positions, &[vec![(0, 1.0)], vec![(0, 0.5), (1, 0.5)], vec![(1, 1.0)]]);
    let inverse_bind = rig.floats("MAT4", &[translation(0.0, 0.0, 0.0), translation(0.0, -1.0, 0.0)].concat());
    let elbow = rig.node(json!({"name": "elbow", "translation": [0, 1, 0]}));
    let shoulder = rig.node(json!({"name": "shoulder", "children": [elbow]}));
    let skin = rig.add("skins", json!({"joints": [shoulder, elbow], "inverseBindMatrices": inverse_bind}));
    let body = rig.node(json!({"name": "body", "mesh": mesh, "skin": skin}));
    let times = rig.floats("SCALAR", &[0.0, 1.0]);
    let values = rig.floats("VEC4", &[NO_TURN, QUARTER_ABOUT_Z].concat());
    rig.clip("bend", &[Channel { node: elbow, path: "rotation", interpolation: "LINEAR", times, values }]);
    Arm { rig, body, joints: [shoulder, elbow] }
}

/// Appends a skinned mesh with normals and tangents, four influences per set.
pub(crate) fn skinned(rig: &mut Rig, positions: &[Vec3], influences: &[Vec<(usize, f64)>]) -> usize {
    let count = positions.len();
    let mut attributes = json!({
        "POSITION": rig.floats("VEC3", &positions.concat()),
        "NORMAL": rig.floats("VEC3", &[0.0, 0.0, 1.0].repeat(count)),
        "TANGENT": rig.floats("VEC4", &[1.0, 0.0, 0.0, 1.0].repeat(count)),
    });
    let most = influences.iter().map(Vec::len).max().unwrap_or(0);
    let largest = influences.iter().flatten().map(|(joint, _)| *joint).max().unwrap_or(0);
    let store = if largest < 256 { Store::U8 } else { Store::U16 };
    for set in 0..most.div_ceil(4) {
        let places = influences.iter().flat_map(|of_vertex| {
            (4 * set..4 * set + 4).map(|place| of_vertex.get(place).copied().unwrap_or((0, 0.0)))
        });
        let (joints, weights): (Vec<f64>, Vec<f64>) = places.map(|(joint, weight)| (joint as f64, weight)).unzip();
        attributes[format!("JOINTS_{set}")] = rig.data(&Data::new("VEC4", &joints).integers(store)).into();
        attributes[format!("WEIGHTS_{set}")] = rig.floats("VEC4", &weights).into();
    }
    rig.mesh(json!({"attributes": attributes}))
}

/// Joints with random transforms in a random hierarchy, random bind matrices, and a clip `stir` of two seconds for all
/// joints. Vertices have `influences` random joints each, with random weights that sum to 1.
pub(crate) fn tangle(joints: usize, influences: usize, vertices: usize, seed: u64) -> Rig {
    let mut random = Random(seed);
    let mut rig = Rig::new();
    let positions: Vec<Vec3> = (0..vertices).map(|_| [0; 3].map(|_| random.between(-1.0, 1.0))).collect();
    let of_vertices: Vec<Vec<(usize, f64)>> = (0..vertices)
        .map(|vertex| {
            let weights = random.numbers(influences, 0.05, 1.0);
            let sum: f64 = weights.iter().sum();
            // Every joint influences a vertex, and no vertex has a joint twice.
            weights.iter().enumerate().map(|(i, weight)| ((vertex + i * 7) % joints, weight / sum)).collect()
        })
        .collect();
    let mesh = skinned(&mut rig, &positions, &of_vertices);
    let mut matrices = Vec::new();
    for _ in 0..joints {
        let [x, y, z] = [0; 3].map(|_| random.between(-0.5, 0.5));
        matrices.extend(translation(x, y, z));
    }
    let inverse_bind = rig.floats("MAT4", &matrices);
    // Children precede their parents, as in files of Blender.
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); joints];
    for (joint, own) in (0..joints - 1).map(|joint| (joint, (joint + 1 + random.below(3)).min(joints - 1))) {
        children[own].push(joint);
    }
    let times = rig.floats("SCALAR", &[0.0, 0.5, 2.0]);
    let mut channels = Vec::new();
    for (joint, children) in children.into_iter().enumerate() {
        let mut node = json!({
            "name": "joint",
            "translation": random.numbers(3, -0.2, 0.2),
            "rotation": random.rotation(),
            "scale": random.numbers(3, 0.8, 1.25),
        });
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        rig.node(node);
        let turns: Vec<f64> = (0..3).flat_map(|_| random.rotation()).collect();
        let values = rig.floats("VEC4", &turns);
        channels.push(Channel { node: joint, path: "rotation", interpolation: "LINEAR", times, values });
    }
    let all: Vec<usize> = (0..joints).collect();
    let skin = rig.add("skins", json!({"joints": all, "inverseBindMatrices": inverse_bind}));
    rig.node(json!({"mesh": mesh, "skin": skin}));
    rig.clip("stir", &channels);
    rig
}

/// A quad with this many morph targets, which change positions and normals. The clip `swell` raises the weights one after
/// the other, one key per second.
pub(crate) fn many_targets(targets: usize) -> Rig {
    let mut random = Random(40);
    let mut rig = Rig::new();
    let quad = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
    let attributes = json!({
        "POSITION": rig.floats("VEC3", &quad),
        "NORMAL": rig.floats("VEC3", &[0.0, 0.0, 1.0].repeat(4)),
        "TANGENT": rig.floats("VEC4", &[1.0, 0.0, 0.0, -1.0].repeat(4)),
    });
    let indices = rig.data(&Data::new("SCALAR", &[0.0, 1.0, 2.0, 2.0, 1.0, 3.0]).integers(Store::U16));
    let list: Vec<_> = (0..targets)
        .map(|_| {
            json!({
                "POSITION": rig.floats("VEC3", &random.numbers(12, -0.5, 0.5)),
                "NORMAL": rig.floats("VEC3", &random.numbers(12, -0.1, 0.1)),
                "TANGENT": rig.floats("VEC3", &random.numbers(12, -0.1, 0.1)),
            })
        })
        .collect();
    let mesh = rig.mesh(json!({"attributes": attributes, "indices": indices, "targets": list}));
    let node = rig.node(json!({"mesh": mesh}));
    let seconds: Vec<f64> = (0..=targets).map(|i| i as f64).collect();
    let weights: Vec<f64> =
        (0..=targets).flat_map(|k| (0..targets).map(move |t| if t < k { 0.5 } else { 0.0 })).collect();
    let (times, values) = (rig.floats("SCALAR", &seconds), rig.floats("SCALAR", &weights));
    rig.clip("swell", &[Channel { node, path: "weights", interpolation: "LINEAR", times, values }]);
    rig
}

/// A mirrored, a sheared and a singular triangle strip below a rotating node.
pub(crate) fn mirrors() -> Rig {
    let mut rig = Rig::new();
    let points = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.5, 1.0, 1.0, 0.5, 0.5, 2.0, 0.0];
    let normals = [0.0, 0.0, 1.0].repeat(5);
    let tangents = [1.0, 0.0, 0.0, 1.0].repeat(5);
    let attributes = json!({
        "POSITION": rig.floats("VEC3", &points),
        "NORMAL": rig.floats("VEC3", &normals),
        "TANGENT": rig.floats("VEC4", &tangents),
    });
    let mesh = rig.mesh(json!({"attributes": attributes, "mode": 5}));
    let sheared = json!([1, 0, 0, 0, 0.5, -1, 0, 0, 0, 0.25, 1, 0, 3, 0, 0, 1]);
    let children = [
        rig.node(json!({"mesh": mesh, "scale": [-1, 1, 1]})),
        rig.node(json!({"mesh": mesh, "matrix": sheared})),
        rig.node(json!({"mesh": mesh, "scale": [1, 1, 0], "translation": [0, 3, 0]})),
    ];
    let node = rig.node(json!({"children": children, "scale": [1, 2, 1]}));
    let (times, values) = (rig.floats("SCALAR", &[0.0, 1.0]), rig.floats("VEC4", &[NO_TURN, QUARTER_ABOUT_Z].concat()));
    rig.clip("turn", &[Channel { node, path: "rotation", interpolation: "LINEAR", times, values }]);
    rig
}

/// One rig of each kind with its name.
pub(crate) fn all() -> Vec<(&'static str, Rig)> {
    vec![
        ("arm", arm().rig),
        ("tangle of 12 joints, 4 influences", tangle(12, 4, 24, 1)),
        ("tangle of 20 joints, 8 influences", tangle(20, 8, 40, 2)),
        ("tangle of 320 joints, 2 influences", tangle(320, 2, 400, 3)),
        ("40 morph targets", many_targets(40)),
        ("mirrors", mirrors()),
    ]
}
