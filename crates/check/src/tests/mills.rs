//! Windmills with and without planted faults, from seeds: axes, hubs, durations, frame rates, interpolations and chains of parts.

use super::valid_file::glb;
use crate::{Issue, Severity, check_bytes};
use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};
use rigview_core::import::ImportPolicy;
use serde_json::{Value, json};
use std::f64::consts::TAU;

/// The codes of mechanical motion. A sound mill has none.
const CODES: [&str; 19] = [
    "RIGVIEW_CLIP_MOVES_NOTHING",
    "RIGVIEW_CLIP_PER_OBJECT",
    "RIGVIEW_COARSE_POSITIONS",
    "RIGVIEW_INSTANCES_SWING",
    "RIGVIEW_LOOP_DISCONTINUITY",
    "RIGVIEW_LOOP_FRAME_MISSING",
    "RIGVIEW_LOOP_FRAME_REPEATED",
    "RIGVIEW_MESH_DRAWN_TWICE",
    "RIGVIEW_PART_STANDS_STILL",
    "RIGVIEW_TURN_AMBIGUOUS",
    "RIGVIEW_TURN_BACKWARD",
    "RIGVIEW_TURN_LOST",
    "RIGVIEW_TURN_ORBITS",
    "RIGVIEW_TURN_SHEARS",
    "RIGVIEW_TURN_SPEED_STEP",
    "RIGVIEW_TURN_STOPS_IN_LOOP",
    "RIGVIEW_TURN_STUTTERS",
    "RIGVIEW_TURN_WOBBLES",
    "RIGVIEW_UP_AXIS",
];

pub(super) const SEEDS: u64 = 24;

/// Pseudo-random numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    pub(crate) fn within(&mut self, min: f64, max: f64) -> f64 {
        min + (max - min) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn axis(&mut self) -> Unit<Vector3<f64>> {
        let part = |random: &mut Self| random.within(-1.0, 1.0);
        Unit::new_normalize(Vector3::new(part(self), part(self), part(self)) + Vector3::x() * 1e-3)
    }
}

/// Nodes of a mill.
const CAP: usize = 1;
const ROTOR: usize = 2;
const FIRST_SAIL: usize = 3;
const PINION: usize = 7;
const TWIN: usize = 8;
const FLAG: usize = 9;
const CAMERA: usize = 10;
const ROOT: usize = 11;

/// Accessors of the vertices of meshes.
pub(super) const HUB_MESH: usize = 0;
pub(super) const GEAR_MESH: usize = 1;
pub(super) const SAIL_MESH: usize = 2;
const FLAG_MESH: usize = 3;

/// A tower with a cap, a rotor with four sails, two gears, a flag with shape keys and a camera; one clip without tracks.
pub(super) struct Mill {
    pub(super) json: Value,
    bytes: Vec<u8>,
    pub(super) fps: f64,
    pub(super) frames: usize,
    pub(super) axis: Unit<Vector3<f64>>,
    pub(super) rest: UnitQuaternion<f64>,
    pub(super) turns: f64,
    pub(super) mode: &'static str,
}

impl Mill {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let fps = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0][random.below(6) as usize];
        let secs = 2.0 + random.below(7) as f64;
        let sense = if random.below(2) == 0 { 1.0 } else { -1.0 };
        let axis = random.axis();
        let hub = [random.within(-3.0, 3.0), random.within(0.5, 9.0), random.within(-3.0, 3.0)];
        let place = |rotation: UnitQuaternion<f64>| json!(rotation.coords.as_slice());
        let sail = |i: usize| {
            let turned = UnitQuaternion::from_axis_angle(&axis, TAU / 4.0 * i as f64);
            json!({"name": format!("Sail_{i}"), "mesh": SAIL_MESH, "rotation": place(turned)})
        };
        let nodes = json!([
            {"name": "Tower", "mesh": HUB_MESH, "scale": [3, 9, 3]},
            {"name": "Cap", "translation": hub, "children": [ROTOR, PINION, TWIN, FLAG]},
            {"name": "Rotor", "mesh": HUB_MESH, "children": [3, 4, 5, 6]},
            sail(0), sail(1), sail(2), sail(3),
            {"name": "Pinion", "mesh": GEAR_MESH, "translation": [1.2, 0.3, 0.1]},
            {"name": "Twin", "mesh": GEAR_MESH, "translation": [-1.2, 0.3, 0.1]},
            {"name": "Flag", "mesh": FLAG_MESH, "translation": [0, 2, 0]},
            {"name": "Camera", "camera": 0, "translation": [0, 5, 30]},
            {"name": "Mill", "children": [0, CAP]},
        ]);
        let mut mill = Self {
            json: json!({
                "asset": {"version": "2.0"}, "buffers": [{"byteLength": 0}], "bufferViews": [], "accessors": [],
                "cameras": [{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1, "zfar": 100.0}}],
                "meshes": [], "nodes": nodes, "animations": [], "scenes": [{"nodes": [CAMERA, ROOT]}], "scene": 0,
            }),
            bytes: Vec::new(),
            fps,
            frames: (secs * fps) as usize,
            axis,
            rest: UnitQuaternion::from_axis_angle(&random.axis(), random.within(0.0, 3.0)),
            // A frame turns by 2 to 12 degrees.
            turns: sense * (1.0 + (secs * fps * random.within(2.0, 12.0) / 360.0).floor()),
            mode: ["LINEAR", "CUBICSPLINE"][random.below(2) as usize],
        };
        for (size, wide) in [(0.5, 0.5), (0.4, 0.4), (0.3, 5.0), (0.2, 1.0)] {
            let corners = [[-size, -wide, -size], [size, -wide, size], [0.0, wide, 0.0]].concat();
            let positions = mill.accessor("VEC3", 3, &corners);
            mill.json["accessors"][positions]["min"] = json!([-size, -wide, -size].map(|x: f64| x as f32));
            mill.json["accessors"][positions]["max"] = json!([size, wide, size].map(|x: f64| x as f32));
            mill.push("meshes", json!({"primitives": [{"attributes": {"POSITION": positions}}]}));
        }
        let target = json!([{"POSITION": 3}, {"POSITION": 3}]);
        mill.json["meshes"][FLAG_MESH]["primitives"][0]["targets"] = target;
        mill.json["meshes"][FLAG_MESH]["extras"] = json!({"targetNames": ["wave_a", "wave_b"]});
        mill
    }

    pub(super) fn push(&mut self, array: &str, value: Value) -> usize {
        let list = self.json[array].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    pub(super) fn accessor(&mut self, kind: &str, width: usize, numbers: &[f64]) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(numbers.iter().flat_map(|x| (*x as f32).to_le_bytes()));
        let length = self.bytes.len();
        self.json["buffers"][0]["byteLength"] = json!(length);
        let view = json!({"buffer": 0, "byteOffset": start, "byteLength": length - start});
        let view = self.push("bufferViews", view);
        let count = numbers.len() / width;
        self.push("accessors", json!({"bufferView": view, "componentType": 5126, "type": kind, "count": count}))
    }

    /// Adds a track with a key per frame to the last clip.
    pub(super) fn track(&mut self, node: usize, path: &str, times: &[f64], width: usize, values: &[f64], mode: &str) {
        let input = self.accessor("SCALAR", 1, times);
        let [first, last] = [times[0], times[times.len() - 1]].map(|time| time as f32);
        (self.json["accessors"][input]["min"], self.json["accessors"][input]["max"]) = (json!([first]), json!([last]));
        let output = self.accessor(["SCALAR", "", "VEC3", "VEC4"][width - 1], width, values);
        let clip = self.json["animations"].as_array().unwrap().len() - 1;
        let clip = &mut self.json["animations"][clip];
        let sampler = clip["samplers"].as_array().unwrap().len();
        let target = json!({"node": node, "path": path});
        clip["samplers"].as_array_mut().unwrap().push(json!({"input": input, "output": output, "interpolation": mode}));
        clip["channels"].as_array_mut().unwrap().push(json!({"sampler": sampler, "target": target}));
    }

    pub(super) fn clip(&mut self) {
        self.push("animations", json!({"samplers": [], "channels": []}));
    }

    /// Turns a node about the axis by the angle at each frame, with `turns` turns for 1.
    pub(super) fn turn(&mut self, node: usize, keys: usize, turned: &dyn Fn(f64) -> f64) {
        self.rotate(node, keys, &|mill, frame| {
            UnitQuaternion::from_axis_angle(&mill.axis, TAU * mill.turns * turned(frame))
        });
    }

    pub(super) fn rotate(&mut self, node: usize, keys: usize, rotation: &dyn Fn(&Self, f64) -> UnitQuaternion<f64>) {
        let times: Vec<f64> = (0..keys).map(|key| key as f64 / self.fps).collect();
        let at = |frame: f64| self.rest * rotation(self, frame);
        let mut values: Vec<f64> = Vec::new();
        for key in 0..keys {
            let value = at(key as f64).into_inner();
            let tangent = |from: f64, to: f64| {
                let [a, b] = [from, to].map(|frame| at(frame).into_inner());
                let b = if a.dot(&b) < 0.0 { -b } else { b };
                // One sense for both ends of the difference.
                let sign = if a.dot(&value) < 0.0 { -1.0 } else { 1.0 };
                (b - a) * (sign * self.fps / (to - from))
            };
            let mut add = |quaternion: Quaternion<f64>| values.extend(quaternion.coords.as_slice());
            if self.mode == "CUBICSPLINE" {
                let frame = key as f64;
                add(tangent(frame - 1e-3, frame));
                add(value);
                add(tangent(frame, frame + 1e-3));
            } else {
                add(value);
            }
        }
        // Splines need neighbors of one sign.
        let mut last = [0.0; 4];
        let mut signed = Vec::new();
        for key in values.chunks(4 * if self.mode == "CUBICSPLINE" { 3 } else { 1 }) {
            let value = &key[if self.mode == "CUBICSPLINE" { 4 } else { 0 }..][..4];
            let sign = if value.iter().zip(last).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
            (0..4).for_each(|i| last[i] = sign * value[i]);
            signed.extend(key.iter().map(|x| sign * x));
        }
        self.track(node, "rotation", &times, 4, &signed, self.mode);
    }

    /// The weights of both shape keys at each frame.
    fn wave(&mut self, keys: usize, periods: f64) {
        let times: Vec<f64> = (0..keys).map(|key| key as f64 / self.fps).collect();
        let angle = |key: usize| TAU * periods * key as f64 / (keys - 1) as f64;
        let values: Vec<f64> =
            (0..keys).flat_map(|key| [0.5 + 0.5 * angle(key).sin(), 0.5 + 0.5 * angle(key).cos()]).collect();
        self.track(FLAG, "weights", &times, 1, &values, "LINEAR");
    }

    pub(super) fn even(&self) -> impl Fn(f64) -> f64 + 'static {
        let frames = self.frames as f64;
        move |frame| frame / frames
    }

    /// Adds the clip of a sound mill, with the rotor turned by this share of its turns at each frame.
    fn with_rotor(mut self, turned: &dyn Fn(f64) -> f64) -> Self {
        let (keys, even) = (self.frames + 1, self.even());
        self.clip();
        self.turn(ROTOR, keys, turned);
        self.turn(PINION, keys, &even);
        self.turn(TWIN, keys, &even);
        self.wave(keys, 3.0);
        self
    }

    fn sound(self) -> Self {
        let even = self.even();
        self.with_rotor(&even)
    }

    pub(super) fn issues(&self) -> Vec<Issue> {
        let issues = check_bytes(glb(&self.json, &self.bytes), None, &ImportPolicy::default());
        let broken = issues.iter().find(|issue| issue.severity == Severity::Error);
        assert!(broken.is_none(), "the file should be valid: {broken:?}");
        issues.into_iter().filter(|issue| CODES.contains(&issue.code)).collect()
    }
}

#[test]
fn sound_mills_have_no_issue() {
    for seed in 0..4 * SEEDS {
        let mut mill = Mill::new(seed);
        if seed % 5 == 0 {
            mill.mode = "STEP";
        }
        // A gust, and an even turn.
        let (frames, gust) = (mill.frames as f64, if seed % 3 == 0 { 0.05 } else { 0.0 });
        let mill = mill.with_rotor(&|frame| frame / frames - gust * (TAU * frame / frames).sin());
        let issues = mill.issues();
        assert!(issues.is_empty(), "seed {seed}: {} at {}: {issues:#?}", mill.mode, mill.fps);
    }
}

/// A planted fault: its name, the codes of its issues, a text of one of them, and the mill.
type Fault = (&'static str, &'static [&'static str], &'static str, fn(Mill) -> Mill);

const FAULTS: &[Fault] = &[
    (
        "the last frame is missing",
        &["RIGVIEW_LOOP_DISCONTINUITY", "RIGVIEW_LOOP_FRAME_MISSING"],
        "\"Rotor\" turns evenly and ends",
        |mut mill| {
            let even = mill.even();
            mill.clip();
            mill.turn(ROTOR, mill.frames, &even);
            mill.turn(PINION, mill.frames, &even);
            mill.turn(TWIN, mill.frames, &even);
            mill
        },
    ),
    ("a turn in a frame less", &["RIGVIEW_LOOP_FRAME_REPEATED"], "it stands still for a frame", |mut mill| {
        mill.frames -= 1;
        mill.sound()
    }),
    ("the last two frames are equal", &["RIGVIEW_TURN_STUTTERS"], "\"Rotor\" stands still for", |mill| {
        let frames = mill.frames as f64;
        mill.with_rotor(&|frame| (frame / (frames - 1.0)).clamp(0.0, 1.0))
    }),
    ("frames stand still inside of the clip", &["RIGVIEW_TURN_STUTTERS"], "\"Rotor\" stands still for", |mut mill| {
        mill.mode = "LINEAR";
        let frames = mill.frames as f64;
        mill.with_rotor(&|frame| if (20.0..=22.0).contains(&frame) { 20.0 } else { frame } / frames)
    }),
    ("frames are repeated", &["RIGVIEW_TURN_SPEED_STEP"], "rpm before", |mut mill| {
        mill.mode = "LINEAR";
        let frames = mill.frames as f64;
        mill.with_rotor(&|frame| if frame == 20.0 || frame == 21.0 { frame - 2.0 } else { frame } / frames)
    }),
    ("eased ends", &["RIGVIEW_TURN_STOPS_IN_LOOP"], "rpm at the end of the loop", |mill| {
        let frames = mill.frames as f64;
        mill.with_rotor(&|frame| {
            let x = (frame / frames).clamp(0.0, 1.0);
            x * x * (3.0 - 2.0 * x)
        })
    }),
    ("accelerates in the loop", &["RIGVIEW_TURN_STOPS_IN_LOOP"], "rpm at the end of the loop", |mill| {
        let frames = mill.frames as f64;
        mill.with_rotor(&|frame| (frame / frames).max(0.0).powi(2))
    }),
    ("a key out of place", &["RIGVIEW_TURN_SPEED_STEP"], "rpm before", |mut mill| {
        mill.mode = "LINEAR";
        let frames = mill.frames as f64;
        mill.with_rotor(&|frame| {
            let x = frame / frames;
            0.8 * x + 0.4 * (x - 0.25).clamp(0.0, 0.5)
        })
    }),
    (
        "an open shape key",
        &["RIGVIEW_LOOP_DISCONTINUITY"],
        "shape key \"wave_b\" of \"Flag\" changes by",
        |mut mill| {
            let (keys, even) = (mill.frames + 1, mill.even());
            mill.clip();
            [ROTOR, PINION, TWIN].iter().for_each(|node| mill.turn(*node, keys, &even));
            mill.wave(keys, 2.4);
            mill
        },
    ),
    (
        "a whole turn in two keys",
        &["RIGVIEW_PART_STANDS_STILL", "RIGVIEW_TURN_LOST"],
        "stands still: \"Pinion\"",
        |mut mill| {
            let (keys, even) = (mill.frames + 1, mill.even());
            mill.clip();
            [ROTOR, TWIN].iter().for_each(|node| mill.turn(*node, keys, &even));
            mill.track(
                PINION,
                "rotation",
                &[0.0, 2.0],
                4,
                &[0.0, 0.0, 0.0, 1.0, 0.0, 8.742_278e-8, 0.0, -1.0],
                "LINEAR",
            );
            mill
        },
    ),
    ("a gear without keys", &["RIGVIEW_PART_STANDS_STILL"], "\"Pinion\" stands still, but \"Twin\"", |mut mill| {
        let (keys, even) = (mill.frames + 1, mill.even());
        mill.clip();
        [ROTOR, TWIN].iter().for_each(|node| mill.turn(*node, keys, &even));
        mill
    }),
    ("a sail without its rotor", &["RIGVIEW_PART_STANDS_STILL"], "\"Sail_2\" stands still", |mut mill| {
        mill.json["nodes"][ROTOR]["children"] = json!([FIRST_SAIL, FIRST_SAIL + 1, FIRST_SAIL + 3]);
        mill.json["nodes"][ROOT]["children"].as_array_mut().unwrap().push(json!(FIRST_SAIL + 2));
        mill.sound()
    }),
    ("Z is up", &["RIGVIEW_UP_AXIS"], "\"Camera\"", |mut mill| {
        // The camera looks along Y.
        mill.json["nodes"][CAMERA]["rotation"] = json!([0.5_f64.sqrt(), 0, 0, 0.5_f64.sqrt()]);
        mill.sound()
    }),
    ("50 km away", &["RIGVIEW_COARSE_POSITIONS"], "floats are 3.906 mm apart", |mut mill| {
        mill.json["nodes"][ROOT]["translation"] = json!([50_000, 0, 0]);
        mill.sound()
    }),
    ("instances in a field", &["RIGVIEW_INSTANCES_SWING"], "\"Rotor\" rotates its 3 instances", |mut mill| {
        let places = mill.accessor("VEC3", 3, &[0.0, 0.0, 0.0, 20.0, 3.0, -9.0, -40.0, 7.0, 55.0]);
        let attributes = json!({"attributes": {"TRANSLATION": places}});
        mill.json["nodes"][ROTOR]["extensions"] = json!({"EXT_mesh_gpu_instancing": attributes});
        mill.json["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
        mill.sound()
    }),
    (
        "a clip per object",
        &["RIGVIEW_CLIP_PER_OBJECT"],
        "each of 3 clips moves another object (\"Rotor\"",
        |mut mill| {
            let (keys, even) = (mill.frames + 1, mill.even());
            for node in [ROTOR, PINION, TWIN] {
                mill.clip();
                mill.turn(node, keys, &even);
            }
            mill
        },
    ),
    ("a part twice", &["RIGVIEW_MESH_DRAWN_TWICE"], "\"Tower.001\"", |mut mill| {
        let mut copy = mill.json["nodes"][0].clone();
        copy["name"] = json!("Tower.001");
        let copy = mill.push("nodes", copy);
        mill.json["nodes"][ROOT]["children"].as_array_mut().unwrap().push(json!(copy));
        mill.sound()
    }),
    ("a pivot beside the gear", &["RIGVIEW_TURN_ORBITS"], "beside its mesh", |mut mill| {
        // Away from the axis, whatever it is.
        let offset = mill.axis.cross(&Vector3::ith(mill.axis.iamin(), 1.0)).normalize() * 6.0;
        let corner = |x: f64, y: f64, z: f64| [offset.x + x, offset.y + y, offset.z + z];
        let corners = [corner(-0.4, -0.4, -0.4), corner(0.4, -0.4, 0.4), corner(0.0, 0.4, 0.0)].concat();
        let positions = mill.accessor("VEC3", 3, &corners);
        let bound = |sign: f64| json!([0, 1, 2].map(|i| (offset[i] + sign * 0.4) as f32));
        (mill.json["accessors"][positions]["min"], mill.json["accessors"][positions]["max"]) =
            (bound(-1.0), bound(1.0));
        mill.json["meshes"][GEAR_MESH]["primitives"][0]["attributes"]["POSITION"] = json!(positions);
        mill.sound()
    }),
    ("a wobbling rotor", &["RIGVIEW_TURN_WOBBLES"], "wobbles by", |mut mill| {
        let (keys, even, frames) = (mill.frames + 1, mill.even(), mill.frames as f64);
        mill.clip();
        mill.rotate(ROTOR, keys, &|mill, frame| {
            let across = Unit::new_normalize(mill.axis.cross(&Vector3::ith(mill.axis.iamin(), 1.0)));
            let angle = TAU * mill.turns * frame / frames;
            UnitQuaternion::from_axis_angle(&mill.axis, angle)
                * UnitQuaternion::from_axis_angle(&across, 0.1 * (3.0 * angle).sin())
        });
        [PINION, TWIN].iter().for_each(|node| mill.turn(*node, keys, &even));
        mill
    }),
    ("half turns between keys", &["RIGVIEW_TURN_AMBIGUOUS"], "turns by 180 degrees between two keys", |mut mill| {
        let (keys, even) = (mill.frames + 1, mill.even());
        mill.clip();
        [ROTOR, TWIN].iter().for_each(|node| mill.turn(*node, keys, &even));
        let half = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, -1.0]].concat();
        let secs = mill.frames as f64 / mill.fps;
        mill.track(PINION, "rotation", &[0.0, secs / 2.0, secs], 4, &half, "LINEAR");
        mill
    }),
];

#[test]
fn planted_faults_have_their_codes_and_no_other() {
    let mut missed = Vec::new();
    for (name, codes, text, plant) in FAULTS {
        for seed in 0..SEEDS {
            let mill = plant(Mill::new(seed));
            let issues = mill.issues();
            let mut found: Vec<&str> = issues.iter().map(|issue| issue.code).collect();
            found.sort_unstable();
            found.dedup();
            if found != *codes || !issues.iter().any(|issue| issue.message.contains(text)) {
                let messages: Vec<String> = issues.iter().map(|issue| issue.to_string()).collect();
                let kind = format!("{} {} frames at {}, {} turns", mill.mode, mill.frames, mill.fps, mill.turns);
                missed.push(format!("{name}, seed {seed}, {kind}:\n  {}", messages.join("\n  ")));
            }
        }
    }
    assert!(missed.is_empty(), "{} missed\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn neighbors_of_faults_are_sound() {
    for seed in 0..SEEDS {
        let ring = |mut mill: Mill| {
            let across = mill.axis.cross(&Vector3::ith(mill.axis.iamin(), 1.0)).normalize() * 9.0;
            let places: Vec<f64> = (0..6)
                .flat_map(|i| {
                    let turned = UnitQuaternion::from_axis_angle(&mill.axis, TAU / 6.0 * f64::from(i)) * across;
                    [turned.x, turned.y, turned.z]
                })
                .collect();
            let places = mill.accessor("VEC3", 3, &places);
            let attributes = json!({"attributes": {"TRANSLATION": places}});
            mill.json["nodes"][ROTOR]["extensions"] = json!({"EXT_mesh_gpu_instancing": attributes});
            mill.json["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
            mill.sound()
        };
        let near = |mut mill: Mill| {
            mill.json["nodes"][ROOT]["translation"] = json!([200, 0, 100]);
            mill.sound()
        };
        let looks_down = |mut mill: Mill| {
            mill.json["nodes"][CAMERA]["rotation"] = json!([-(0.5_f64.sqrt()), 0, 0, 0.5_f64.sqrt()]);
            mill.sound()
        };
        // An expression need not return: no part of the clip loops.
        let expression = |mut mill: Mill| {
            mill.clip();
            mill.track(FLAG, "weights", &[0.0, 1.0], 1, &[0.0, 0.0, 1.0, 0.0], "LINEAR");
            mill
        };
        for mill in
            [ring(Mill::new(seed)), near(Mill::new(seed)), looks_down(Mill::new(seed)), expression(Mill::new(seed))]
        {
            assert_eq!(mill.issues(), [], "seed {seed}");
        }
    }
}

#[test]
fn scales_shear_what_turns_across_them() {
    for seed in 0..SEEDS {
        let scaled = |scale: [f64; 3]| {
            let mut mill = Mill::new(seed);
            (mill.axis, mill.rest) = (Vector3::z_axis(), UnitQuaternion::identity());
            mill.json["nodes"][CAP]["scale"] = json!(scale);
            let codes: Vec<&str> = mill.sound().issues().iter().map(|issue| issue.code).collect();
            codes
        };
        assert_eq!(scaled([1.0, 1.3, 1.0]), ["RIGVIEW_TURN_SHEARS"]);
        assert_eq!(scaled([1.0, 1.0, 1.3]), [""; 0]);
    }
}

#[test]
fn skinned_meshes_below_the_parents_of_their_joints_have_no_advice() {
    let advice = |is_below_joints_parent: bool| {
        let (mut json, bytes) = super::valid_file::valid_file();
        let nodes = json["nodes"].as_array_mut().unwrap();
        if is_below_joints_parent {
            nodes.push(json!({"translation": [0, 8, 0], "children": [0, 1]}));
        } else {
            nodes.push(json!({"translation": [0, 8, 0], "children": [0]}));
        }
        json["scenes"][0]["nodes"] = if is_below_joints_parent { json!([4]) } else { json!([1, 4]) };
        let issues = check_bytes(glb(&json, &bytes), None, &ImportPolicy::default());
        issues.into_iter().find(|issue| issue.code == "NODE_SKINNED_MESH_PARENT_TRANSFORMS")
    };
    assert_eq!(advice(true), None);
    let beside = advice(false).unwrap();
    assert!(beside.message.contains("node 4") && !beside.message.contains("apply"), "{beside:?}");
}
