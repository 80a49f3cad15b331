//! Clips: interpolation, targets, selection.

use crate::support::bake::{Shot, check, check_by_reference};
use crate::support::glb::{Channel, Rig};
use crate::support::reference::Vec3;
use crate::support::rigs::{NO_TURN, QUARTER_ABOUT_Z, TRIANGLE};
use serde_json::json;

/// A triangle on one node, with a morph target along Z and one channel.
fn animated(path: &str, interpolation: &str, times: &[f64], values: &[f64]) -> Rig {
    let mut rig = Rig::new();
    let positions = rig.floats("VEC3", &TRIANGLE.concat());
    let lift = rig.floats("VEC3", &[0.0, 0.0, 1.0].repeat(3));
    let mesh = rig.mesh(json!({"attributes": {"POSITION": positions}, "targets": [{"POSITION": lift}]}));
    let node = rig.node(json!({"mesh": mesh}));
    let kind = match path {
        "weights" => "SCALAR",
        "rotation" => "VEC4",
        _ => "VEC3",
    };
    let (times, values) = (rig.floats("SCALAR", times), rig.floats(kind, values));
    rig.clip("only", &[Channel { node, path, interpolation, times, values }]);
    rig
}

/// The triangle with mapped corners.
fn mapped(map: impl Fn(Vec3) -> Vec3) -> Vec<Vec3> {
    TRIANGLE.iter().map(|p| map(*p)).collect()
}

/// Compares the rig with the reference at each time.
fn at_times(label: &str, rig: &Rig, expected: &[(f64, Vec<Vec3>)]) {
    for (time, positions) in expected {
        check(label, rig, &Shot::at(*time), |hand| hand.positions(0, 0, positions));
    }
}

/// The triangle, translated along X.
fn moved(x: f64) -> Vec<Vec3> {
    mapped(|p| [p[0] + x, p[1], p[2]])
}

/// The triangle, rotated about Z.
fn turned(degrees: f64) -> Vec<Vec3> {
    let (s, c) = degrees.to_radians().sin_cos();
    mapped(|p| [c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]])
}

/// The triangle, scaled along X and Y.
fn stretched(x: f64, y: f64) -> Vec<Vec3> {
    mapped(|p| [p[0] * x, p[1] * y, p[2]])
}

/// The triangle with its morph target applied.
fn lifted(z: f64) -> Vec<Vec3> {
    mapped(|p| [p[0], p[1], z])
}

/// Two keys at seconds 1 and 3, with tangents that lift the middle of a spline from 1 to 1.5 when its ends are 0 and 2.
const TWO_KEYS: [f64; 2] = [1.0, 3.0];

#[test]
fn translations() {
    let ends = [0.0, 0.0, 0.0, 2.0, 0.0, 0.0];
    let step = animated("translation", "STEP", &TWO_KEYS, &ends);
    at_times("STEP", &step, &[(0.0, moved(0.0)), (2.75, moved(0.0)), (3.0, moved(2.0)), (9.0, moved(2.0))]);
    let line = animated("translation", "LINEAR", &TWO_KEYS, &ends);
    at_times("LINEAR", &line, &[(0.0, moved(0.0)), (1.5, moved(0.5)), (2.0, moved(1.0)), (3.0, moved(2.0))]);
    let x = [9.0, 0.0, 1.0, -1.0, 2.0, 9.0];
    let keys: Vec<f64> = x.iter().flat_map(|x| [*x, 0.0, 0.0]).collect();
    let spline = animated("translation", "CUBICSPLINE", &TWO_KEYS, &keys);
    at_times("CUBICSPLINE", &spline, &[(0.0, moved(0.0)), (1.0, moved(0.0)), (2.0, moved(1.5)), (3.0, moved(2.0))]);
}

#[test]
fn rotations() {
    let ends = [NO_TURN, QUARTER_ABOUT_Z].concat();
    let step = animated("rotation", "STEP", &TWO_KEYS, &ends);
    at_times("STEP", &step, &[(2.9375, turned(0.0)), (3.0, turned(90.0))]);
    // A third of the way in time is a third of the angle; a straight line between quaternions would be at 28.9 degrees.
    let line = animated("rotation", "LINEAR", &[0.0, 3.0], &ends);
    at_times("LINEAR", &line, &[(1.0, turned(30.0)), (2.0, turned(60.0)), (2.25, turned(67.5))]);
    let keys = [[0.0; 4], NO_TURN, [0.0, 0.0, 2.0, 0.0], [0.0; 4], [0.0, 0.0, 1.0, 0.0], [0.0; 4]].concat();
    let spline = animated("rotation", "CUBICSPLINE", &[0.0, 2.0], &keys);
    // (0, 0, 1, 0.5) brought to length 1: cosine of the whole angle -0.6, sine 0.8.
    let degrees = 0.8_f64.atan2(-0.6).to_degrees();
    at_times("CUBICSPLINE", &spline, &[(0.0, turned(0.0)), (1.0, turned(degrees)), (2.0, turned(180.0))]);
}

#[test]
fn scales() {
    let ends = [1.0, 1.0, 1.0, 3.0, -1.0, 1.0];
    let step = animated("scale", "STEP", &TWO_KEYS, &ends);
    at_times("STEP", &step, &[(2.5, stretched(1.0, 1.0)), (3.5, stretched(3.0, -1.0))]);
    let line = animated("scale", "LINEAR", &TWO_KEYS, &ends);
    at_times("LINEAR", &line, &[(1.5, stretched(1.5, 0.5)), (2.5, stretched(2.5, -0.5))]);
    let x = [0.0, 0.0, 1.0, -1.0, 2.0, 0.0];
    let keys: Vec<f64> =
        x.iter().enumerate().flat_map(|(i, x)| if i % 3 == 1 { [*x, 1.0, 1.0] } else { [*x, 0.0, 0.0] }).collect();
    let spline = animated("scale", "CUBICSPLINE", &TWO_KEYS, &keys);
    at_times("CUBICSPLINE", &spline, &[(2.0, stretched(1.5, 1.0)), (3.0, stretched(2.0, 1.0))]);
}

#[test]
fn weights() {
    let step = animated("weights", "STEP", &TWO_KEYS, &[0.0, 2.0]);
    at_times("STEP", &step, &[(2.5, lifted(0.0)), (3.0, lifted(2.0))]);
    let line = animated("weights", "LINEAR", &TWO_KEYS, &[0.0, 2.0]);
    at_times("LINEAR", &line, &[(0.5, lifted(0.0)), (1.5, lifted(0.5)), (4.0, lifted(2.0))]);
    let spline = animated("weights", "CUBICSPLINE", &TWO_KEYS, &[9.0, 0.0, 1.0, -1.0, 2.0, 9.0]);
    at_times("CUBICSPLINE", &spline, &[(1.0, lifted(0.0)), (2.0, lifted(1.5)), (3.0, lifted(2.0))]);
}

#[test]
fn single_key_is_constant() {
    for (interpolation, values) in [
        ("STEP", vec![5.0, 0.0, 0.0]),
        ("LINEAR", vec![5.0, 0.0, 0.0]),
        ("CUBICSPLINE", vec![1.0, 1.0, 1.0, 5.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
    ] {
        let rig = animated("translation", interpolation, &[2.0], &values);
        at_times(interpolation, &rig, &[(0.0, moved(5.0)), (2.0, moved(5.0)), (3.0, moved(5.0))]);
    }
}

#[test]
fn irregular_key_times_sample_exactly() {
    let times = [0.5, 0.5625, 1.0, 4.0, 4.125];
    let x = [0.0, 8.0, -8.0, 4.0, 0.0];
    let keys: Vec<f64> = x.iter().flat_map(|x| [*x, 0.0, 0.0]).collect();
    let rig = animated("translation", "LINEAR", &times, &keys);
    let expected = [
        (0.25, 0.0),
        (0.53125, 4.0),
        (0.5625, 8.0),
        (0.78125, 0.0),
        (1.0, -8.0),
        (2.5, -2.0),
        (4.0625, 2.0),
        (5.0, 0.0),
    ];
    for (time, x) in expected {
        at_times("uneven keys", &rig, &[(time, moved(x))]);
    }
}

#[test]
fn step_changes_at_key() {
    let x = [0.0, 1.0, 2.0, 3.0];
    let keys: Vec<f64> = x.iter().flat_map(|x| [*x, 0.0, 0.0]).collect();
    let rig = animated("translation", "STEP", &[0.5, 1.0, 1.5, 2.0], &keys);
    for (time, x) in [(0.5, 0.0), (0.984375, 0.0), (1.0, 1.0), (1.015625, 1.0), (1.5, 2.0), (1.75, 2.0), (2.0, 3.0)] {
        at_times("steps", &rig, &[(time, moved(x))]);
    }
    // A straight line and a spline pass through their keys.
    let line = animated("translation", "LINEAR", &[0.5, 1.0, 1.5, 2.0], &keys);
    at_times("lines", &line, &[(0.5, moved(0.0)), (1.0, moved(1.0)), (1.5, moved(2.0)), (2.0, moved(3.0))]);
    let zero = [0.0; 3];
    let keys: Vec<f64> = x.iter().flat_map(|x| [zero, [*x, 0.0, 0.0], zero].concat()).collect();
    let spline = animated("translation", "CUBICSPLINE", &[0.5, 1.0, 1.5, 2.0], &keys);
    at_times("splines", &spline, &[(0.5, moved(0.0)), (1.0, moved(1.0)), (1.25, moved(1.5)), (1.5, moved(2.0))]);
}

#[test]
fn linear_rotation_takes_shorter_arc() {
    let opposite = QUARTER_ABOUT_Z.map(|x| -x);
    let rig = animated("rotation", "LINEAR", &[0.0, 3.0], &[NO_TURN, opposite].concat());
    at_times("the second key negated", &rig, &[(1.0, turned(30.0)), (3.0, turned(90.0))]);
    let rig = animated("rotation", "LINEAR", &[0.0, 1.0], &[QUARTER_ABOUT_Z, opposite].concat());
    at_times("the same rotation negated", &rig, &[(0.5, turned(90.0))]);
    // 270 degrees forwards are 90 backwards.
    let far = [0.0, 0.0, (135.0_f64).to_radians().sin(), (135.0_f64).to_radians().cos()];
    let rig = animated("rotation", "LINEAR", &[0.0, 3.0], &[NO_TURN, far].concat());
    at_times("270 degrees", &rig, &[(1.0, turned(-30.0))]);
}

#[test]
fn cubic_spline_rotation_keeps_sign() {
    // The specification has the formula, and no change of sign: the middle of q and -q with tangents is the tangents'.
    let opposite = QUARTER_ABOUT_Z.map(|x| -x);
    let zero = [0.0; 4];
    let keys = [zero, QUARTER_ABOUT_Z, [0.0, 0.0, 0.0, 4.0], zero, opposite, zero].concat();
    let rig = animated("rotation", "CUBICSPLINE", &[0.0, 1.0], &keys);
    at_times("antipodal spline keys", &rig, &[(0.5, turned(0.0))]);
}

#[test]
fn tiny_rotations_between_keys_are_exact() {
    for angle in [1e-3_f64, 1e-5, 1e-7, 0.0] {
        let near = [0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos()];
        let rig = animated("rotation", "LINEAR", &[0.0, 1.0], &[NO_TURN, near].concat());
        at_times(&format!("{angle} radians"), &rig, &[(0.5, turned(angle.to_degrees() / 2.0))]);
    }
    // Almost a half turn, where the shorter arc is barely so.
    let far = [0.0, 0.0, (89.9_f64).to_radians().sin(), (89.9_f64).to_radians().cos()];
    let rig = animated("rotation", "LINEAR", &[0.0, 1.0], &[NO_TURN, far].concat());
    at_times("179.8 degrees", &rig, &[(0.5, turned(89.9))]);
}

#[test]
fn unnormalized_rotations_are_normalized() {
    let long = QUARTER_ABOUT_Z.map(|x| x * 1.01);
    let rig = animated("rotation", "LINEAR", &[0.0, 3.0], &[NO_TURN, long].concat());
    at_times("length 1.01", &rig, &[(1.0, turned(30.0)), (3.0, turned(90.0))]);
    let mut still = animated("translation", "STEP", &[0.0], &[0.0, 0.0, 0.0]);
    still.object("nodes", 0)["rotation"] = json!(long);
    at_times("node rotation of length 1.01", &still, &[(0.0, turned(90.0))]);
}

#[test]
fn clip_end_clamps() {
    let rig = animated("translation", "LINEAR", &[0.0, 2.0], &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    at_times("past the end", &rig, &[(2.0, moved(2.0)), (2.5, moved(2.0)), (1000.0, moved(2.0))]);
    let before = Shot { options: vec!["--time=-1".to_owned()], ..Shot::at(0.0) };
    check("before the start", &rig, &before, |hand| hand.positions(0, 0, &moved(0.0)));
    // Without options the first clip is at second 0.
    let plain = Shot { options: Vec::new(), ..Shot::at(0.0) };
    check("no options", &rig, &plain, |hand| hand.positions(0, 0, &moved(0.0)));
}

#[test]
fn channels_clamp_at_own_last_key() {
    let mut rig = animated("translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    let (times, values) = (rig.floats("SCALAR", &[2.0, 6.0]), rig.floats("SCALAR", &[0.0, 4.0]));
    let clip = rig.object("animations", 0);
    clip["samplers"].as_array_mut().unwrap().push(json!({"input": times, "output": values}));
    let channel = json!({"sampler": 1, "target": {"node": 0, "path": "weights"}});
    clip["channels"].as_array_mut().unwrap().push(channel);
    for (time, x, z) in [(0.5, 1.0, 0.0), (3.0, 2.0, 1.0), (7.0, 2.0, 4.0)] {
        check("two channels", &rig, &Shot::at(time), |hand| {
            hand.positions(0, 0, &mapped(|p| [p[0] + x, p[1], p[2] + z]));
        });
    }
}

#[test]
fn channels_share_samplers() {
    let mut rig = animated("translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    let other = rig.node(json!({"mesh": 0}));
    let channel = json!({"sampler": 0, "target": {"node": other, "path": "translation"}});
    rig.object("animations", 0)["channels"].as_array_mut().unwrap().push(channel);
    check("a shared sampler", &rig, &Shot::at(0.5), |hand| {
        hand.positions(0, 0, &moved(1.0));
        hand.positions(1, 0, &moved(1.0));
    });
}

#[test]
fn channels_without_node_are_ignored() {
    let mut rig = animated("translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    let channels = rig.object("animations", 0)["channels"].as_array_mut().unwrap();
    channels.insert(0, json!({"sampler": 0, "target": {"path": "rotation"}}));
    check("a channel without a node", &rig, &Shot::at(0.5), |hand| hand.positions(0, 0, &moved(1.0)));
}

/// Two clips for two nodes of equal name. The first clip moves the second node.
fn namesakes() -> Rig {
    let mut rig = Rig::new();
    let mesh = rig.triangle();
    let nodes = [rig.node(json!({"name": "bone", "mesh": mesh})), rig.node(json!({"name": "bone", "mesh": mesh}))];
    let times = rig.floats("SCALAR", &[0.0]);
    for (name, node, x) in [("walk", nodes[1], 1.0), ("run", nodes[0], 2.0)] {
        let values = rig.floats("VEC3", &[x, 0.0, 0.0]);
        rig.clip(name, &[Channel { node, path: "translation", interpolation: "STEP", times, values }]);
    }
    rig
}

#[test]
fn channels_target_nodes_by_index() {
    let rig = namesakes();
    for (clip, x) in [(0, [0.0, 1.0]), (1, [2.0, 0.0])] {
        check("namesakes", &rig, &Shot::clip(clip, 0.0), |hand| {
            hand.positions(0, 0, &moved(x[0]));
            hand.positions(1, 0, &moved(x[1]));
        });
    }
}

#[test]
fn clip_option_accepts_name_index_and_none() {
    let rig = namesakes();
    let shot = |clip: Option<usize>, option: &str| {
        let mut shot = Shot::still().with(&["--clip", option]);
        shot.instant.clip = clip;
        shot
    };
    for (option, clip, x) in [
        ("walk", Some(0), [0.0, 1.0]),
        ("run", Some(1), [2.0, 0.0]),
        ("1", Some(1), [2.0, 0.0]),
        ("none", None, [0.0, 0.0]),
    ] {
        check(option, &rig, &shot(clip, option), |hand| {
            hand.positions(0, 0, &moved(x[0]));
            hand.positions(1, 0, &moved(x[1]));
        });
    }
}

#[test]
fn long_clips_sample_exactly() {
    // An hour in, one key a second: times have few bits left for fractions.
    let times: Vec<f64> = (3600..3700).map(f64::from).collect();
    let keys: Vec<f64> = (0..100).flat_map(|i| [f64::from(i % 2), 0.0, 0.0]).collect();
    let rig = animated("translation", "LINEAR", &times, &keys);
    at_times("an hour in", &rig, &[(3600.5, moved(0.5)), (3611.25, moved(0.75)), (3699.0, moved(1.0))]);
    check_by_reference("an hour in", &rig, &Shot::at(3650.765625));
}
