//! Machines other than the mill, with and without planted faults: a park of turbines, an engine, a carousel and a cart on a track.

use super::mills::{GEAR_MESH, HUB_MESH, Mill, SAIL_MESH, SEEDS};
use nalgebra::{Unit, UnitQuaternion, Vector3};
use serde_json::{Value, json};
use std::f64::consts::TAU;

/// A machine with these nodes and one clip without tracks. Its first node is the root.
fn machine(seed: u64, nodes: Value) -> Mill {
    let mut mill = Mill::new(seed);
    (mill.json["nodes"], mill.json["scenes"][0]["nodes"]) = (nodes, json!([0]));
    mill.rest = UnitQuaternion::identity();
    mill.clip();
    mill
}

fn turned(axis: Vector3<f64>, angle: f64) -> Value {
    json!(UnitQuaternion::from_axis_angle(&Unit::new_normalize(axis), angle).coords.as_slice())
}

/// Five turbines; the rotors are nodes 6 to 10, and `speed(i)` and `phase(i)` are in their turns.
fn park(seed: u64, yaw: f64, speed: &dyn Fn(usize) -> f64, phase: &dyn Fn(usize) -> f64) -> Mill {
    let mut nodes = vec![json!({"name": "Park", "children": [1, 2, 3, 4, 5]})];
    for i in 0..5 {
        let place = [30.0 * i as f64, 0.0, if i % 2 == 0 { 0.0 } else { 9.0 }];
        let yaw = turned(Vector3::y(), yaw * i as f64);
        nodes.push(json!({"name": format!("Tower_{i}"), "mesh": HUB_MESH, "translation": place, "rotation": yaw, "children": [6 + i]}));
    }
    for i in 0..5 {
        nodes.push(json!({"name": format!("Rotor_{i}"), "mesh": SAIL_MESH, "translation": [0, 12, 1]}));
    }
    let mut mill = machine(seed, json!(nodes));
    mill.axis = Vector3::z_axis();
    let (keys, even) = (mill.frames + 1, mill.even());
    for i in 0..5 {
        let angle = |frame: f64| even(frame) * speed(i) + phase(i);
        mill.turn(6 + i, keys, &angle);
    }
    mill
}

/// A flywheel, a crank, a beam that swings and a piston; the piston moves by `travel` at each share of the clip.
fn engine(seed: u64, flywheel_keys: usize, flywheel: &dyn Fn(f64) -> f64, travel: &dyn Fn(f64) -> f64) -> Mill {
    let mut mill = machine(
        seed,
        json!([
            {"name": "Engine", "mesh": HUB_MESH, "children": [1, 2, 3, 4]},
            {"name": "Flywheel", "mesh": SAIL_MESH, "translation": [3, 1, 0]},
            {"name": "Crank", "mesh": GEAR_MESH, "translation": [2, 1, 0]},
            {"name": "Beam", "mesh": SAIL_MESH, "translation": [0, 5, 0]},
            {"name": "Piston", "mesh": HUB_MESH, "translation": [-3, 1, 0]},
        ]),
    );
    let (keys, even) = (mill.frames + 1, mill.even());
    mill.turn(1, (keys as isize - flywheel_keys as isize) as usize, flywheel);
    mill.turn(2, keys, &even);
    let turns = mill.turns;
    mill.rotate(3, keys, &|_, frame| {
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3 * (TAU * turns * even(frame)).sin())
    });
    let times: Vec<f64> = (0..keys).map(|key| key as f64 / mill.fps).collect();
    let values: Vec<f64> = (0..keys).flat_map(|key| [-3.0, 1.0 + travel(even(key as f64)), 0.0]).collect();
    mill.track(4, "translation", &times, 3, &values, "LINEAR");
    mill
}

fn sound_engine(seed: u64) -> Mill {
    let frames = Mill::new(seed).frames as f64;
    engine(seed, 0, &|frame| frame / frames, &|share| 0.8 * (TAU * share).sin())
}

/// A platform with four cups that turn against it, and two rotors of one mesh that turn against each other.
fn carousel(seed: u64, platform: usize) -> Mill {
    let mut nodes = vec![
        json!({"name": "Fair", "children": [1, 6, 7, 8]}),
        json!({"name": "Platform", "mesh": HUB_MESH, "children": [2, 3, 4, 5]}),
    ];
    for i in 0..4 {
        let (sin, cos) = (TAU / 4.0 * f64::from(i)).sin_cos();
        nodes.push(json!({"name": format!("Cup_{i}"), "mesh": GEAR_MESH, "translation": [6.0 * cos, 0.5, 6.0 * sin]}));
    }
    nodes.push(json!({"name": "Front", "mesh": SAIL_MESH, "translation": [0, 9, 1]}));
    nodes.push(json!({"name": "Back", "mesh": SAIL_MESH, "translation": [0, 9, -1]}));
    nodes.push(json!({"name": "Pivot", "translation": [0, 1, 0]}));
    let mut mill = machine(seed, json!(nodes));
    mill.axis = Vector3::y_axis();
    let (keys, even) = (mill.frames + 1, mill.even());
    mill.turn(platform, keys, &even);
    if platform == 1 {
        (2..6).for_each(|cup| mill.turn(cup, keys, &|frame| -even(frame)));
        mill.axis = Vector3::z_axis();
        mill.turn(6, keys, &even);
        mill.turn(7, keys, &|frame| -even(frame));
    }
    mill
}

/// A cart on a circular track, whose wheels with these numbers turn.
fn cart(seed: u64, wheels: &[usize]) -> Mill {
    let mut nodes = vec![
        json!({"name": "Track", "mesh": HUB_MESH, "children": [1]}),
        json!({"name": "Arm", "children": [2]}),
        json!({"name": "Cart", "mesh": HUB_MESH, "translation": [8, 0.5, 0], "children": [3, 4, 5, 6]}),
    ];
    for i in 0..4 {
        let place = [if i % 2 == 0 { 1.0 } else { -1.0 }, -0.4, if i < 2 { 1.2 } else { -1.2 }];
        nodes.push(json!({"name": format!("Wheel_{i}"), "mesh": GEAR_MESH, "translation": place}));
    }
    let mut mill = machine(seed, json!(nodes));
    let (keys, even) = (mill.frames + 1, mill.even());
    mill.axis = Vector3::y_axis();
    mill.turn(1, keys, &even);
    mill.axis = Vector3::x_axis();
    wheels.iter().for_each(|wheel| mill.turn(3 + wheel, keys, &even));
    mill
}

#[test]
fn sound_machines_have_no_issue() {
    for seed in 0..SEEDS {
        let sound = [
            ("park", park(seed, 0.3, &|i| [1.0, 2.0, 1.0, 3.0, 1.0][i], &|i| 0.17 * i as f64)),
            ("engine", sound_engine(seed)),
            ("carousel", carousel(seed, 1)),
            ("cart", cart(seed, &[0, 1, 2, 3])),
        ];
        for (name, mill) in sound {
            let issues = mill.issues();
            assert!(issues.is_empty(), "{name}, seed {seed}: {issues:#?}");
        }
    }
}

/// A planted fault: its name, the code that it has and a text of its issue.
type Fault = (&'static str, &'static str, &'static str, fn(u64) -> Mill);

const FAULTS: &[Fault] = &[
    ("a rotor turns backward", "RIGVIEW_TURN_BACKWARD", "\"Rotor_3\" turns backward", |seed| {
        park(seed, 0.0, &|i| if i == 3 { -1.0 } else { 1.0 }, &|_| 0.0)
    }),
    ("a piston does not return", "RIGVIEW_LOOP_DISCONTINUITY", "\"Piston\" moves by", |seed| {
        let frames = Mill::new(seed).frames as f64;
        engine(seed, 0, &|frame| frame / frames, &|share| 0.8 * (TAU * 0.8 * share).sin())
    }),
    ("transforms applied to the rotors", "RIGVIEW_TURN_ORBITS", "beside its mesh", |seed| {
        let mut mill = park(seed, 0.0, &|_| 1.0, &|_| 0.0);
        let corners = [[-0.3, 7.0, 1.0], [0.3, 7.0, 1.6], [0.0, 17.0, 1.0]].concat();
        let positions = mill.accessor("VEC3", 3, &corners);
        (mill.json["accessors"][positions]["min"], mill.json["accessors"][positions]["max"]) =
            (json!([-0.3_f32, 7.0, 1.0]), json!([0.3_f32, 17.0, 1.6_f32]));
        mill.json["meshes"][SAIL_MESH]["primitives"][0]["attributes"]["POSITION"] = json!(positions);
        (6..11).for_each(|rotor| mill.json["nodes"][rotor]["translation"] = json!([0, 0, 0]));
        mill
    }),
    ("an empty turns in place of the platform", "RIGVIEW_CLIP_MOVES_NOTHING", "\"Pivot\"", |seed| carousel(seed, 8)),
    ("a scale two parents up", "RIGVIEW_TURN_SHEARS", "turns below a scale", |seed| {
        let mut mill = cart(seed, &[0, 1, 2, 3]);
        mill.json["nodes"][0]["scale"] = json!([1, 1.5, 1]);
        mill
    }),
    ("the keys of a part end early", "RIGVIEW_TURN_STUTTERS", "\"Flywheel\" stands still for", |seed| {
        let end = Mill::new(seed).frames as f64 - 3.0;
        engine(seed, 3, &|frame| frame / end, &|share| 0.8 * (TAU * share).sin())
    }),
    ("the keys of a part start late", "RIGVIEW_TURN_STOPS_IN_LOOP", "\"Flywheel\"", |seed| {
        let frames = Mill::new(seed).frames as f64;
        engine(seed, 0, &|frame| ((frame - 0.3 * frames) / (0.7 * frames)).max(0.0), &|share| 0.8 * (TAU * share).sin())
    }),
    ("a copy on a part that turns", "RIGVIEW_MESH_DRAWN_TWICE", "\"Cup_1.001\"", |seed| {
        let mut mill = carousel(seed, 1);
        let mut copy = mill.json["nodes"][3].clone();
        copy["name"] = json!("Cup_1.001");
        let copy = mill.push("nodes", copy);
        mill.json["nodes"][1]["children"].as_array_mut().expect("children").push(json!(copy));
        mill
    }),
    ("eased at each key", "RIGVIEW_TURN_STOPS_IN_LOOP", "\"Flywheel\"", |seed| {
        let frames = Mill::new(seed).frames as f64;
        engine(
            seed,
            0,
            &|frame| {
                let quarter = 4.0 * frame / frames;
                let x = quarter - quarter.floor();
                (quarter.floor() + x * x * (3.0 - 2.0 * x)) / 4.0
            },
            &|share| 0.8 * (TAU * share).sin(),
        )
    }),
    ("a wheel of a moving cart without keys", "RIGVIEW_PART_STANDS_STILL", "\"Wheel_2\" stands still", |seed| {
        cart(seed, &[0, 1, 3])
    }),
];

#[test]
fn planted_faults_of_machines_have_their_codes() {
    let mut missed = Vec::new();
    for (name, code, text, plant) in FAULTS {
        for seed in 0..SEEDS {
            let mill = plant(seed);
            let (kind, issues) = (format!("{} {} frames, {} turns", mill.mode, mill.frames, mill.turns), mill.issues());
            if !issues.iter().any(|issue| issue.code == *code && issue.message.contains(text)) {
                let messages: Vec<String> = issues.iter().map(|issue| issue.to_string()).collect();
                missed.push(format!("{name}, seed {seed}, {kind}:\n  {}", messages.join("\n  ")));
            }
        }
    }
    assert!(missed.is_empty(), "{} missed\n{}", missed.len(), missed.join("\n"));
}
