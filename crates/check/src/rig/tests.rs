//! Lints that depend on several values: a file for each, and a similar file without the fault.

use crate::tests::valid_file::{glb, remove, set, valid_file};
use crate::{Issue, Severity, check_bytes};
use rigview_core::import::ImportPolicy;
use serde_json::{Value, json};

/// A valid file to which data is added.
struct FileBuilder {
    json: Value,
    bytes: Vec<u8>,
}

impl FileBuilder {
    fn new() -> Self {
        let (json, bytes) = valid_file();
        Self { json, bytes }
    }

    /// Adds a buffer view.
    fn view(&mut self, data: &[u8]) -> usize {
        let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": data.len()});
        self.bytes.extend(data);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        set(&mut self.json, "/buffers/0/byteLength", json!(self.bytes.len()));
        set(&mut self.json, "/bufferViews/-", view);
        self.json["bufferViews"].as_array().unwrap().len() - 1
    }

    /// Adds an accessor.
    fn accessor(&mut self, data: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(data);
        let accessor = json!({"bufferView": view, "componentType": component, "type": kind, "count": count});
        set(&mut self.json, "/accessors/-", accessor);
        self.json["accessors"].as_array().unwrap().len() - 1
    }

    fn floats(&mut self, kind: &str, width: usize, numbers: &[f32]) -> usize {
        let data: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.accessor(&data, 5126, kind, numbers.len() / width)
    }

    fn times(&mut self, times: &[f32]) -> usize {
        let accessor = self.floats("SCALAR", 1, times);
        set(&mut self.json, &format!("/accessors/{accessor}/min"), json!([times[0]]));
        set(&mut self.json, &format!("/accessors/{accessor}/max"), json!([times[times.len() - 1]]));
        accessor
    }

    /// One clip that rotates the second joint.
    fn with_rotation_clip(times: &[f32], mode: &str, turns: &[[f32; 4]]) -> Self {
        let mut file = Self::new();
        let (input, output) = (file.times(times), file.floats("VEC4", 4, &turns.concat()));
        set(
            &mut file.json,
            "/animations",
            json!([{
                "samplers": [{"input": input, "output": output, "interpolation": mode}],
                "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}],
            }]),
        );
        file
    }

    fn found(&self, code: &str) -> Vec<Issue> {
        let issues = check_bytes(glb(&self.json, &self.bytes), None, &ImportPolicy::default());
        let broken = issues.iter().find(|issue| issue.severity == Severity::Error);
        assert!(broken.is_none(), "the file should be valid: {broken:?}");
        issues.into_iter().filter(|issue| issue.code == code).collect()
    }

    /// Asserts that the file has one issue with this code.
    fn assert_found(&self, code: &str, pointer: &str, text: &str) {
        let found = self.found(code);
        let [issue] = found.as_slice() else { panic!("{code}: {found:?}") };
        assert!(issue.pointer == pointer && issue.message.contains(text), "{issue:?}");
    }

    fn assert_absent(&self, code: &str) {
        assert_eq!(self.found(code), []);
    }
}

const REST: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

#[test]
fn redundant_keys_are_counted_with_their_size() {
    let times: Vec<f32> = (0..30).map(|i| i as f32 / 10.0).collect();
    FileBuilder::with_rotation_clip(&times, "LINEAR", &[REST; 30]).assert_found(
        "RIGVIEW_REDUNDANT_KEYS",
        "/animations/0",
        "29 of 30 keys repeat their neighbors; without them the file is about 1 KiB smaller",
    );
    // Half a hold, half a rotation: the ends of the hold are not redundant.
    let mut turns = [REST; 60];
    for (i, turn) in turns.iter_mut().enumerate().skip(30) {
        let angle = (i - 30) as f32 * 0.01;
        *turn = [angle.sin(), 0.0, 0.0, angle.cos()];
    }
    let times: Vec<f32> = (0..60).map(|i| i as f32 / 10.0).collect();
    FileBuilder::with_rotation_clip(&times, "LINEAR", &turns).assert_found(
        "RIGVIEW_REDUNDANT_KEYS",
        "/animations/0",
        "29 of 60 keys",
    );
    FileBuilder::with_rotation_clip(&times[..30], "LINEAR", &turns[30..]).assert_absent("RIGVIEW_REDUNDANT_KEYS");
}

#[test]
fn spline_keys_of_opposite_sign_are_reported() {
    let (zero, there, back) = ([0.0; 4], [0.0, 0.6, 0.0, 0.8], [0.0, -0.6, 0.0, -0.8]);
    let spline = |a: [f32; 4], b: [f32; 4]| {
        FileBuilder::with_rotation_clip(&[0.0, 1.0], "CUBICSPLINE", &[zero, a, zero, zero, b, zero])
    };
    spline(REST, back).assert_found(
        "RIGVIEW_QUATERNION_FLIP",
        "/animations/0",
        "1 rotation keys have the opposite sign",
    );
    spline(REST, there).assert_absent("RIGVIEW_QUATERNION_FLIP");
    // Linear interpolation takes the shorter arc, whatever the signs.
    FileBuilder::with_rotation_clip(&[0.0, 1.0], "LINEAR", &[REST, back]).assert_absent("RIGVIEW_QUATERNION_FLIP");
}

#[test]
fn tracks_and_clips_of_different_lengths_are_reported() {
    let mut file = FileBuilder::with_rotation_clip(&[0.0, 1.0], "LINEAR", &[REST; 2]);
    let (input, output) = (file.times(&[0.0, 0.25]), file.floats("VEC3", 3, &[0.0; 6]));
    set(&mut file.json, "/animations/0/samplers/-", json!({"input": input, "output": output}));
    set(
        &mut file.json,
        "/animations/0/channels/-",
        json!({"sampler": 1, "target": {"node": 1, "path": "translation"}}),
    );
    file.assert_found(
        "RIGVIEW_TRACK_LENGTH_MISMATCH",
        "/animations/0",
        "1 of its 2 tracks end before the clip does (0.250 s of 1.000 s)",
    );
    // The same as two clips that animate different joints.
    let mut apart = FileBuilder::with_rotation_clip(&[0.0, 1.0], "LINEAR", &[REST; 2]);
    let (input, output) = (apart.times(&[0.0, 0.25]), apart.floats("VEC3", 3, &[0.0; 6]));
    let other = |node: usize| {
        json!({
            "samplers": [{"input": input, "output": output}],
            "channels": [{"sampler": 0, "target": {"node": node, "path": "translation"}}],
        })
    };
    set(&mut apart.json, "/animations/-", other(1));
    apart.assert_found(
        "RIGVIEW_CLIP_LENGTH_MISMATCH",
        "/animations",
        "each of 2 clips animates other joints, and they last 0.250 to 1.000 s",
    );
    // Clips of the same joint, such as walk and run, may differ in duration.
    set(&mut apart.json, "/animations/1", other(2));
    apart.assert_absent("RIGVIEW_CLIP_LENGTH_MISMATCH");
}

#[test]
fn mostly_unused_and_huge_textures_are_reported() {
    let code = "RIGVIEW_TEXTURE_SIZE";
    let textured = |width: u32, height: u32, uv: f32| {
        let mut file = FileBuilder::new();
        let mut png = std::io::Cursor::new(Vec::new());
        image::RgbImage::new(width, height).write_to(&mut png, image::ImageFormat::Png).unwrap();
        let view = file.view(&png.into_inner());
        set(&mut file.json, "/images/0/bufferView", json!(view));
        let coordinates = file.floats("VEC2", 2, &[0.0, 0.0, uv, 0.0, 0.0, uv]);
        set(&mut file.json, "/meshes/0/primitives/0/attributes/TEXCOORD_0", json!(coordinates));
        file
    };
    textured(1024, 1024, 0.4).assert_found(
        code,
        "/images/0",
        "1024 x 1024 texels (5.3 MiB), but the UV maps use at most 16 % of it",
    );
    textured(1024, 1024, 0.6).assert_absent(code);
    textured(512, 512, 0.1).assert_absent(code);
    textured(8192, 8, 1.0).assert_found(code, "/images/0", "8192 x 8 texels");
    textured(4096, 8, 1.0).assert_absent(code);
}

#[test]
fn truncated_influences_are_reported_with_their_weight() {
    let bound = |influences: usize| {
        let mut file = FileBuilder::new();
        for joint in 0..12 {
            set(&mut file.json, "/nodes/-", json!({"name": format!("bone {joint}")}));
            set(&mut file.json, "/nodes/1/children/-", json!(4 + joint));
        }
        set(&mut file.json, "/skins/0", json!({"joints": (4..16).collect::<Vec<_>>()}));
        for set_number in 0..3 {
            let (mut joints, mut weights) = (Vec::new(), Vec::new());
            for influence in (0..3).flat_map(|_| 4 * set_number..4 * set_number + 4) {
                let counts = influence < influences;
                joints.push(if counts { influence as u8 } else { 0 });
                weights.push(if counts { 1.0 / influences as f32 } else { 0.0 });
            }
            let joints = file.accessor(&joints, 5121, "VEC4", 3);
            let weights = file.floats("VEC4", 4, &weights);
            let attributes = "/meshes/0/primitives/0/attributes";
            set(&mut file.json, &format!("{attributes}/JOINTS_{set_number}"), json!(joints));
            set(&mut file.json, &format!("{attributes}/WEIGHTS_{set_number}"), json!(weights));
        }
        file
    };
    let (many, truncated, at) =
        ("RIGVIEW_MANY_INFLUENCES", "RIGVIEW_INFLUENCES_TRUNCATED", "/meshes/0/primitives/0/attributes");
    bound(4).assert_absent(many);
    let found = bound(5).found(many);
    assert!(found.len() == 1 && found[0].pointer.starts_with(at), "{found:?}");
    assert!(found[0].message.contains("3 vertices follow more than 4 joints, up to 5"), "{found:?}");
    assert!(found[0].message.contains("lose up to 20.0 % of the weight"), "{found:?}");
    bound(8).assert_absent(truncated);
    let found = bound(10).found(truncated);
    assert!(found.len() == 1 && found[0].message.contains("rigview keeps 8, and loses up to 20.0 %"), "{found:?}");
}

#[test]
fn only_lights_of_physical_units_are_too_bright() {
    let lit = |kind: &str, intensity: f64, distance: f64| {
        let mut file = FileBuilder::new();
        let lights =
            json!({"KHR_lights_punctual": {"lights": [{"type": kind, "intensity": intensity, "name": "Lamp"}]}});
        set(&mut file.json, "/extensions", lights);
        set(&mut file.json, "/extensionsUsed", json!(["KHR_lights_punctual"]));
        let node = json!({
            "translation": [distance, 0, 0],
            "extensions": {"KHR_lights_punctual": {"light": 0}},
        });
        set(&mut file.json, "/nodes/-", node);
        let index = file.json["nodes"].as_array().unwrap().len() - 1;
        set(&mut file.json, "/scenes/0/nodes/-", json!(index));
        file
    };
    let (code, pointer) = ("RIGVIEW_LIGHT_TOO_BRIGHT", "/extensions/KHR_lights_punctual/lights/0");
    // Blender: a sun of strength 5, and a point light of 1000 W.
    lit("directional", 3415.0, 0.0).assert_found(code, pointer, "\"Lamp\" makes a white surface about 1000 times");
    lit("point", 54351.0, 5.0).assert_found(code, pointer, "Unitless");
    lit("directional", 5.0, 0.0).assert_absent(code);
    lit("point", 54351.0, 500.0).assert_absent(code);
    // Without a surface, the distance is unknown.
    let mut without_mesh = lit("point", 54351.0, 5.0);
    for pointer in ["/nodes/0/mesh", "/nodes/0/skin", "/animations"] {
        remove(&mut without_mesh.json, pointer);
    }
    without_mesh.assert_absent(code);
}

#[test]
fn vertices_on_a_neutral_bone_that_no_clip_moves_are_reported() {
    let mut file = FileBuilder::with_rotation_clip(&[0.0, 1.0], "LINEAR", &[REST; 2]);
    file.assert_absent("RIGVIEW_UNBOUND_VERTICES");
    let name = |file: &mut FileBuilder, node: usize| {
        set(&mut file.json, &format!("/nodes/{node}/name"), json!("neutral_bone"))
    };
    name(&mut file, 1);
    file.assert_found("RIGVIEW_UNBOUND_VERTICES", "/skins/0", "2 of 3 vertices are bound to");
    // The clip moves the second joint.
    let mut file = FileBuilder::with_rotation_clip(&[0.0, 1.0], "LINEAR", &[REST; 2]);
    name(&mut file, 2);
    file.assert_absent("RIGVIEW_UNBOUND_VERTICES");
}

#[test]
fn black_vertex_colors_are_reported() {
    let colored = |colors: [f32; 9]| {
        let mut file = FileBuilder::new();
        let colors = file.floats("VEC3", 3, &colors);
        set(&mut file.json, "/meshes/0/primitives/0/attributes/COLOR_0", json!(colors));
        file
    };
    colored([0.0; 9]).assert_found("RIGVIEW_BLACK_VERTEX_COLORS", "/meshes/0", "of 1 of 1 primitives are 0");
    colored([0.0, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0]).assert_absent("RIGVIEW_BLACK_VERTEX_COLORS");
}

#[test]
fn primitives_without_weights_are_reported() {
    let mut file = FileBuilder::new();
    file.assert_absent("RIGVIEW_PARTIALLY_SKINNED");
    let mut rigid = file.json["meshes"][0]["primitives"][0].clone();
    rigid["attributes"].as_object_mut().unwrap().retain(|name, _| !matches!(name.as_str(), "JOINTS_0" | "WEIGHTS_0"));
    set(&mut file.json, "/meshes/0/primitives/-", rigid);
    file.assert_found("RIGVIEW_PARTIALLY_SKINNED", "/meshes/0", "1 of 2 primitives have no weights");
}

#[test]
fn parts_out_of_scale_are_reported() {
    let scaled = |size: f32| {
        let mut file = FileBuilder::new();
        let positions = file.floats("VEC3", 3, &[0.0, 0.0, 0.0, size, 0.0, 0.0, 0.0, size, 0.0]);
        set(&mut file.json, &format!("/accessors/{positions}/min"), json!([0, 0, 0]));
        set(&mut file.json, &format!("/accessors/{positions}/max"), json!([size, size, 0.0]));
        set(&mut file.json, "/meshes/0/primitives/0/attributes/POSITION", json!(positions));
        file
    };
    // The joints are a meter apart.
    scaled(90.0).assert_found(
        "RIGVIEW_PART_OUT_OF_SCALE",
        "/meshes/0",
        "a part of 127.27922 m follows joints that are 1.00000 m",
    );
    // Both joints have a vertex.
    let spread = |size: f32| {
        let mut file = scaled(size);
        let weights = file.floats("VEC4", 4, &[1.0, 0.0, 0.0, 0.0, 0.25, 0.75, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        set(&mut file.json, "/meshes/0/primitives/0/attributes/WEIGHTS_0", json!(weights));
        file
    };
    let message = "a part of 0.00849 m follows joints that are 1.00000 m";
    spread(0.006).assert_found("RIGVIEW_PART_OUT_OF_SCALE", "/meshes/0", message);
    // All vertices of a button follow one joint.
    let button = scaled(0.006);
    for file in [scaled(60.0), spread(0.01), button] {
        file.assert_absent("RIGVIEW_PART_OUT_OF_SCALE");
    }
}

#[test]
fn distance_from_the_origin_is_reported() {
    let moved = |distance: f64| {
        let mut file = FileBuilder::new();
        set(&mut file.json, "/nodes/1/translation", json!([distance, 0, 0]));
        file
    };
    moved(1e6).assert_found("RIGVIEW_FAR_FROM_ORIGIN", "", "m is 1000001 m from the origin");
    moved(1e3).assert_absent("RIGVIEW_FAR_FROM_ORIGIN");
}

#[test]
fn parts_that_are_far_apart_are_reported() {
    let with_part_at = |distance: f64| {
        let mut file = FileBuilder::new();
        set(&mut file.json, "/nodes/-", json!({"mesh": 0, "translation": [distance, 0, 0]}));
        let index = file.json["nodes"].as_array().unwrap().len() - 1;
        set(&mut file.json, "/scenes/0/nodes/-", json!(index));
        (file, format!("/nodes/{index}"))
    };
    let (file, pointer) = with_part_at(1e6);
    file.assert_found("RIGVIEW_PARTS_FAR_APART", &pointer, "this one is 1000001 m from the origin");
    with_part_at(1e3).0.assert_absent("RIGVIEW_PARTS_FAR_APART");
}

#[test]
fn joints_of_scale_0_are_not_rotated() {
    let mut file = FileBuilder::new();
    set(&mut file.json, "/nodes/2/scale", json!([0, 0, 0]));
    file.assert_absent("RIGVIEW_REST_POSE_NOT_BIND_POSE");
}

/// A clip that turns the second joint about Z, with 48 keys, by the angle at each part of the clip.
fn turning(angle: impl Fn(f64) -> f64) -> FileBuilder {
    turning_about(|part| nalgebra::UnitQuaternion::from_axis_angle(&nalgebra::Vector3::z_axis(), angle(part)))
}

fn turning_about(rotation: impl Fn(f64) -> nalgebra::UnitQuaternion<f64>) -> FileBuilder {
    let times: Vec<f32> = (0..=48).map(|i| i as f32 / 24.0).collect();
    let keys: Vec<[f32; 4]> = (0..=48).map(|i| rotation(f64::from(i) / 48.0).coords.cast().into()).collect();
    FileBuilder::with_rotation_clip(&times, "LINEAR", &keys)
}

const TURN: f64 = std::f64::consts::TAU;
const TURN_CODES: [&str; 7] = [
    "RIGVIEW_CLIP_MOVES_NOTHING",
    "RIGVIEW_TURN_AMBIGUOUS",
    "RIGVIEW_TURN_ORBITS",
    "RIGVIEW_TURN_SHEARS",
    "RIGVIEW_TURN_STOPS_IN_LOOP",
    "RIGVIEW_TURN_STUTTERS",
    "RIGVIEW_TURN_WOBBLES",
];

/// Asserts that the file has this one of the codes of turns, and no other.
fn assert_turn(file: &FileBuilder, code: &str, text: &str) {
    file.assert_found(code, "/animations/0", text);
    TURN_CODES.iter().filter(|other| **other != code).for_each(|other| file.assert_absent(other));
}

#[test]
fn even_turns_swings_and_chains_are_sound() {
    let sound = [
        turning(|part| TURN * part),
        turning(|part| -5.0 * TURN * part + 1.0),
        // A gust, slower at its ends.
        turning(|part| 3.0 * TURN * part - 1.5 * (TURN * part).sin()),
        // A door, and a pendulum.
        turning(|part| 1.5 * (TURN * part).sin()),
        turning(|part| (1.0 - (TURN * part).cos()).min(1.0)),
        FileBuilder::with_rotation_clip(&[0.0, 1.0], "STEP", &[REST, [0.0, 0.0, 1.0, 0.0]]),
    ];
    for file in &sound {
        TURN_CODES.iter().for_each(|code| file.assert_absent(code));
    }
}

#[test]
fn half_turns_between_keys_are_ambiguous() {
    let half = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, -1.0]];
    let file = FileBuilder::with_rotation_clip(&[0.0, 1.0, 2.0], "LINEAR", &half);
    file.assert_found("RIGVIEW_TURN_AMBIGUOUS", "/animations/0", "turns by 180 degrees between two keys");
    // From 0 to 360 degrees in two keys: both are the same rotation.
    let none = FileBuilder::with_rotation_clip(&[0.0, 1.0], "LINEAR", &[REST, [0.0, 0.0, 0.0, -1.0]]);
    assert_turn(&none, "RIGVIEW_CLIP_MOVES_NOTHING", "nothing moves");
}

#[test]
fn eased_ends_and_repeated_frames_of_turns_are_reported() {
    let eased = turning(|part| TURN * part * part * (3.0 - 2.0 * part));
    assert_turn(&eased, "RIGVIEW_TURN_STOPS_IN_LOOP", "rpm at the end of the loop");
    let accelerating = turning(|part| TURN * part * part);
    assert_turn(&accelerating, "RIGVIEW_TURN_STOPS_IN_LOOP", "59.4 rpm at the end of the loop and 0.6 at its start");
    // The frames from 20 to 22 have the same rotation.
    let held = turning(|part| TURN * if (20.0..22.5).contains(&(part * 48.0)) { 20.0 / 48.0 } else { part });
    assert_turn(&held, "RIGVIEW_TURN_STUTTERS", "stands still for 0.083 s");
}

#[test]
fn wobbling_axes_are_reported() {
    let about =
        |axis: nalgebra::Unit<nalgebra::Vector3<f64>>, angle| nalgebra::UnitQuaternion::from_axis_angle(&axis, angle);
    let mut file = turning_about(|part| {
        about(nalgebra::Vector3::z_axis(), TURN * part)
            * about(nalgebra::Vector3::x_axis(), 0.1 * (3.0 * TURN * part).sin())
    });
    file.assert_absent("RIGVIEW_TURN_WOBBLES");
    // Not of a skin.
    set(&mut file.json, "/animations/0/channels/0/target/node", json!(3));
    let found = file.found("RIGVIEW_TURN_WOBBLES");
    assert!(found.len() == 1 && found[0].message.contains("wobbles by"), "{found:?}");
}

#[test]
fn turns_below_a_non_uniform_scale_shear_unless_about_its_axis() {
    let scaled = |scale: [f32; 3]| {
        let mut file = turning(|part| TURN * part);
        set(&mut file.json, "/animations/0/channels/0/target/node", json!(3));
        set(&mut file.json, "/nodes/2/scale", json!(scale));
        file
    };
    let file = scaled([1.0, 1.5, 1.0]);
    file.assert_found("RIGVIEW_TURN_SHEARS", "/animations/0", "differ by a factor of 1.50");
    scaled([1.0, 1.0, 1.5]).assert_absent("RIGVIEW_TURN_SHEARS");
    scaled([2.0, 2.0, 2.0]).assert_absent("RIGVIEW_TURN_SHEARS");
}

/// A rigid triangle of 1 m at this offset on the node that turns.
fn turning_mesh(offset: f32) -> FileBuilder {
    let mut file = turning(|part| TURN * part);
    let positions = [-0.5, -0.5, 0.0, 0.5, -0.5, 0.0, 0.0, 0.5, 0.0].map(|x: f32| x);
    let moved: Vec<f32> = positions.iter().enumerate().map(|(i, x)| if i % 3 == 0 { x + offset } else { *x }).collect();
    let accessor = file.floats("VEC3", 3, &moved);
    set(&mut file.json, &format!("/accessors/{accessor}/min"), json!([-0.5 + offset, -0.5, 0.0]));
    set(&mut file.json, &format!("/accessors/{accessor}/max"), json!([0.5 + offset, 0.5, 0.0]));
    set(&mut file.json, "/meshes/-", json!({"primitives": [{"attributes": {"POSITION": accessor}}]}));
    let mesh = file.json["meshes"].as_array().unwrap().len() - 1;
    set(&mut file.json, "/nodes/2/mesh", json!(mesh));
    file
}

#[test]
fn meshes_beside_their_axis_orbit() {
    assert_turn(&turning_mesh(7.8), "RIGVIEW_TURN_ORBITS", "about an axis 7.80 m beside its mesh");
    // The hand of a clock turns about one of its ends.
    turning_mesh(0.5).assert_absent("RIGVIEW_TURN_ORBITS");
    turning_mesh(0.0).assert_absent("RIGVIEW_TURN_ORBITS");
}

#[test]
fn meshes_that_are_drawn_twice_in_one_place_are_reported() {
    let copied = |place: [f32; 3]| {
        let mut file = turning_mesh(0.0);
        let mesh = file.json["nodes"][2]["mesh"].clone();
        let copies =
            [json!({"name": "post", "mesh": mesh}), json!({"name": "post.001", "mesh": mesh, "translation": place})];
        for copy in copies {
            set(&mut file.json, "/nodes/-", copy);
            let node = file.json["nodes"].as_array().unwrap().len() - 1;
            set(&mut file.json, "/scenes/0/nodes/-", json!(node));
        }
        file
    };
    let found = copied([0.0; 3]).found("RIGVIEW_MESH_DRAWN_TWICE");
    assert!(found.len() == 1 && found[0].message.contains("\"post.001\""), "{found:?}");
    copied([0.0, 0.0, 0.1]).assert_absent("RIGVIEW_MESH_DRAWN_TWICE");
}
