//! Motion from other files: BVH, maps of rigs, and retargeted clips.

use crate::support::glb::container;
use crate::support::models::{name, samples};
use crate::support::run::rigview;
use nalgebra::{Matrix3, Vector3};
use rigview::import::{ImageLoading, ImportOptions, Imported, open};
use rigview::math::Transform;
use rigview::model::{Joint, Model, Skeleton};
use rigview::pose::{Cursor, ModelPose, Pose, sample};
use rigview::retarget::{BodyKind, RigMap, Role, retarget_clips};
use serde_json::json;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn write(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Runs the program and returns its standard output.
fn run(arguments: &[&str]) -> String {
    let output = rigview(arguments);
    assert_eq!(output.code, Some(0), "{arguments:?}: {}", output.stderr);
    output.stdout
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// An example of the guide: `walk.bvh` or `body.glb`.
fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/motion").join(name)
}

/// Writes the body of the guide as an avatar of VRM with the expression `happy`, and an animation of it by the same body.
///
/// The expression doubles positions, and has the value 1 after half a second.
fn face_files(folder: &TempDir) -> [PathBuf; 2] {
    let body = open(&example("body.glb"), &ImportOptions::default()).unwrap().gltf_file;
    let (json, bytes) = (body.json(), body.buffer(0).unwrap());
    let mut avatar = json.clone();
    for primitive in avatar["meshes"][0]["primitives"].as_array_mut().unwrap() {
        primitive["targets"] = json!([{ "POSITION": primitive["attributes"]["POSITION"] }]);
    }
    let binds = json!([{ "mesh": 0, "index": 0, "weight": 100 }]);
    let groups = json!([{ "name": "\u{559c}\u{3073}", "presetName": "joy", "binds": binds }]);
    avatar["extensions"] = json!({ "VRM": { "blendShapeMaster": { "blendShapeGroups": groups } } });
    avatar["extensionsUsed"] = json!(["VRM"]);

    let (mut talk, mut binary) = (json.clone(), bytes.to_vec());
    binary.resize(binary.len().next_multiple_of(4), 0);
    let numbers: [f32; 12] = [0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let start = binary.len();
    binary.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
    let mut add = |list: &str, item: serde_json::Value| {
        let items = talk[list].as_array_mut().unwrap();
        items.push(item);
        items.len() - 1
    };
    let times = add("bufferViews", json!({ "buffer": 0, "byteOffset": start, "byteLength": 12 }));
    let values = add("bufferViews", json!({ "buffer": 0, "byteOffset": start + 12, "byteLength": 36 }));
    let times =
        json!({ "bufferView": times, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0.0], "max": [1.0] });
    let times = add("accessors", times);
    let values = add("accessors", json!({ "bufferView": values, "componentType": 5126, "count": 3, "type": "VEC3" }));
    let happy = add("nodes", json!({ "name": "happy" }));
    talk["scenes"][0]["nodes"].as_array_mut().unwrap().push(json!(happy));
    let channel = json!({ "sampler": 0, "target": { "node": happy, "path": "translation" } });
    let samplers = json!([{ "input": times, "output": values }]);
    talk["animations"] = json!([{ "name": "talk", "channels": [channel], "samplers": samplers }]);
    let expressions = json!({ "preset": { "happy": { "node": happy } } });
    talk["extensions"] = json!({ "VRMC_vrm_animation": { "specVersion": "1.0", "expressions": expressions } });
    talk["extensionsUsed"] = json!(["VRMC_vrm_animation"]);
    talk["buffers"][0]["byteLength"] = json!(binary.len());
    [("face.vrm", avatar, bytes), ("talk.vrma", talk, &binary[..])].map(|(name, json, bytes)| {
        let file = folder.path().join(name);
        std::fs::write(&file, container(json.to_string().as_bytes(), bytes)).unwrap();
        file
    })
}

#[test]
fn expressions_of_a_vrm_animation_move_the_face() {
    let folder = tempfile::tempdir().unwrap();
    let [avatar, talk] = face_files(&folder);
    let output = folder.path().join("o.glb");
    let retargeted = rigview(&["retarget", text(&talk), text(&avatar), "-o", text(&output)]);
    assert!(retargeted.code == Some(0) && !retargeted.stderr.contains("happy"), "{}", retargeted.stderr);
    let bake = |model: &Path, options: &[&str]| {
        let baked = folder.path().join("baked.glb");
        run(&[&["bake", text(model), "-o", text(&baked)][..], options].concat());
        open(&baked, &ImportOptions::default()).unwrap().model.meshes[0].primitives[0].vertices.positions.clone()
    };
    let [joy, happy] = ["joy=1", "happy=1"].map(|value| bake(&avatar, &["--expression", value]));
    assert!(joy == happy && joy != bake(&avatar, &[]), "both names of the preset");
    let half = ["--clip", "talk", "--time", "0.5"];
    let from_talk = [&["--clips-from", text(&talk)][..], &half].concat();
    for (how, found) in [("retarget", bake(&output, &half)), ("--clips-from", bake(&avatar, &from_talk))] {
        let differences = found.iter().flatten().zip(happy.iter().flatten()).map(|(a, b)| (a - b).abs());
        let off = differences.fold(0.0, f32::max);
        assert!(found.len() == happy.len() && off < 1e-4, "{how}: {off}");
    }
    // Of a model without expressions, the message calls it by its name.
    let body = example("body.glb");
    let refused = rigview(&["retarget", text(&talk), text(&body), "-o", text(&output)]);
    assert!(refused.stderr.contains("expressions that this model lacks: happy"), "{}", refused.stderr);
}

#[test]
fn retargeted_file_keeps_the_target_and_plays_the_clip() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.glb");
    let (source, target) = (example("walk.bvh"), example("body.glb"));
    let printed = run(&["retarget", text(&source), text(&target), "-o", text(&output)]);
    assert!(printed.starts_with("walk: 2.667 s, "), "{printed}");
    let issues = run(&["check", text(&output)]);
    assert!(issues.lines().all(|line| !line.starts_with("error ")), "{issues}");
    let [before, after] = [&target, &output].map(|file| open(file, &ImportOptions::default()).unwrap());
    assert_eq!(after.model.clips[0].name.as_deref(), Some("walk"));
    let bytes = before.gltf_file.buffer(0).unwrap();
    assert_eq!(&after.gltf_file.buffer(0).unwrap()[..bytes.len()], bytes);
    for (key, value) in before.gltf_file.json().as_object().unwrap() {
        if !["accessors", "bufferViews", "buffers"].contains(&&key[..]) {
            assert_eq!(&after.gltf_file.json()[key], value, "{key}");
        }
    }
    // The same motion without a file, for one instance and for a crowd.
    let [direct, written, crowd] = ["direct.glb", "written.glb", "crowd.png"].map(|name| folder.path().join(name));
    let clips_from = ["--clips-from", text(&source), "--retarget"];
    let bake = |model: &Path, options: &[&str], output: &Path| {
        let words = [&["bake", text(model), "--time", "0.7", "-o", text(output)][..], options].concat();
        run(&words);
        let baked = open(output, &ImportOptions::default()).unwrap();
        baked.model.meshes[0].primitives[0].vertices.positions.clone()
    };
    let [direct, written] = [bake(&target, &clips_from, &direct), bake(&output, &[], &written)];
    assert!(direct.iter().zip(&written).all(|(a, b)| (Vector3::from(*a) - Vector3::from(*b)).amax() < 1e-5));
    let shot = ["shot", text(&target), "--instances", "20", "--size", "64x64", "-o", text(&crowd)];
    run(&[&shot[..], &clips_from].concat());
}

#[test]
fn assumptions_of_options_are_those_of_maps() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &str| {
        let path = folder.path().join(name);
        std::fs::copy(example(name), &path).unwrap();
        path
    };
    let (source, target, output) = (copy("walk.bvh"), copy("body.glb"), folder.path().join("out.glb"));
    let retarget = |options: &[&str]| {
        let printed = run(&[&["retarget", text(&source), text(&target), "-o", text(&output)][..], options].concat());
        (printed, std::fs::read(&output).unwrap())
    };
    let estimated = retarget(&[]);
    let set = retarget(&["--assume", "rest=A", "--assume", "model.rest=file", "--assume", "model.leftHand="]);
    assert!(set.0.contains("the motion has an A pose, as set"), "{}", set.0);
    assert!(set.0.contains("the model has its rest pose, as set"), "{}", set.0);
    write(&folder, "walk.rigmap.toml", "rest = 'A'");
    write(&folder, "body.rigmap.toml", "rest = 'file'\nleftHand = ''");
    assert!(retarget(&[]) == set && set != estimated);
    // The options come first.
    assert!(retarget(&["--assume", "rest=T"]).0.contains("the motion has a T pose, as set"));
    for (option, expected) in [
        ("model.up=Z", "body.glb: --assume: up is not one of +X, -X, +Y, -Y, +Z or -Z"),
        ("hip=a", "walk.bvh: --assume: \"hip\" is not a role"),
        ("hips=a", "walk.bvh: --assume: "),
        ("up", "expected NAME=VALUE, such as up=+Z or model.rest=T"),
    ] {
        let output = rigview(&["retarget", text(&source), text(&target), "-o", text(&output), "--assume", option]);
        assert!(output.code != Some(0) && output.stderr.contains(expected), "{}", output.stderr);
    }
}

#[test]
fn external_files_of_the_target_are_embedded() {
    let folder = tempfile::tempdir().unwrap();
    let body = open(&example("body.glb"), &ImportOptions::default()).unwrap();
    let mut json = body.gltf_file.json().clone();
    json["buffers"][0]["uri"] = "body.bin".into();
    json["images"] = serde_json::json!([{ "uri": "dot.png" }]);
    std::fs::write(folder.path().join("body.bin"), body.gltf_file.buffer(0).unwrap()).unwrap();
    std::fs::write(folder.path().join("dot.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    let target = write(&folder, "body.gltf", &json.to_string());
    let output = folder.path().join("out.glb");
    run(&["retarget", text(&example("walk.bvh")), text(&target), "-o", text(&output)]);
    let other = tempfile::tempdir().unwrap();
    let moved = other.path().join("out.glb");
    std::fs::rename(&output, &moved).unwrap();
    let moved = open(&moved, &ImportOptions::default().with_images(ImageLoading::Skip)).unwrap();
    assert_eq!(moved.model.clips.len(), 1);
    assert_eq!(moved.gltf_file.image_bytes(0).unwrap(), ((&b"\x89PNG\r\n\x1a\n"[..]).into(), "image/png"));
}

/// Folder of rigs and motions of others.
const RIGS: &str = "RIGVIEW_RIGS";

/// A file with its map.
struct Rig {
    file: PathBuf,
    imported: Imported,
    map: RigMap,
}

impl Rig {
    fn open(file: &Path) -> Self {
        let options = ImportOptions::default().with_images(ImageLoading::Skip);
        let imported = open(file, &options).unwrap_or_else(|error| panic!("{error}"));
        let map = RigMap::detect(&imported.model);
        Self { file: file.to_owned(), imported, map }
    }

    fn posed(&self, model: &Model, clip: usize, time_secs: f64) -> ModelPose {
        let (mut pose, mut model_pose) = (Pose::default(), ModelPose::default());
        sample(&model.skeleton, &model.clips[clip], time_secs, &mut Cursor::default(), &mut pose);
        model_pose.update(&model.skeleton, &pose);
        model_pose
    }

    fn position(&self, pose: &ModelPose, role: &str) -> Option<Vector3<f64>> {
        let joint = self.map.get(Role::from_name(role)?)?.joint;
        Some(pose.model_from_joint(joint).translation)
    }

    /// Rotation from X to the left, from Y to up, and from Z to the front, at rest.
    fn frame(&self) -> Option<Matrix3<f64>> {
        let (mut pose, mut model_pose) = (Pose::default(), ModelPose::default());
        pose.reset(&self.imported.model.skeleton);
        model_pose.update(&self.imported.model.skeleton, &pose);
        let left = self.position(&model_pose, "leftUpperLeg")? - self.position(&model_pose, "rightUpperLeg")?;
        let left = Vector3::new(left.x, 0.0, left.z).try_normalize(1e-9)?;
        Some(Matrix3::from_columns(&[left, Vector3::y(), left.cross(&Vector3::y())]))
    }
}

/// A dog at rest.
const DOG: &str = "HIERARCHY ROOT Hips { OFFSET 0 70 -40 CHANNELS 0 \
    JOINT Spine { OFFSET 0 5 20 CHANNELS 0 JOINT Chest { OFFSET 0 0 30 CHANNELS 0 \
    JOINT Neck { OFFSET 0 10 15 CHANNELS 0 JOINT Head { OFFSET 0 15 12 CHANNELS 0 End Site { OFFSET 0 0 15 } } } \
    JOINT LeftArm { OFFSET 10 -10 5 CHANNELS 0 JOINT LeftForeArm { OFFSET 0 -28 -6 CHANNELS 0 \
    JOINT LeftHand { OFFSET 0 -30 4 CHANNELS 0 End Site { OFFSET 0 -5 6 } } } } \
    JOINT RightArm { OFFSET -10 -10 5 CHANNELS 0 JOINT RightForeArm { OFFSET 0 -28 -6 CHANNELS 0 \
    JOINT RightHand { OFFSET 0 -30 4 CHANNELS 0 End Site { OFFSET 0 -5 6 } } } } } } \
    JOINT LeftUpLeg { OFFSET 9 -5 0 CHANNELS 0 JOINT LeftLeg { OFFSET 0 -26 8 CHANNELS 0 \
    JOINT LeftFoot { OFFSET 0 -28 -12 CHANNELS 0 JOINT LeftToeBase { OFFSET 0 -10 8 CHANNELS 0 End Site { OFFSET 0 -2 6 } } } } } \
    JOINT RightUpLeg { OFFSET -9 -5 0 CHANNELS 0 JOINT RightLeg { OFFSET 0 -26 8 CHANNELS 0 \
    JOINT RightFoot { OFFSET 0 -28 -12 CHANNELS 0 JOINT RightToeBase { OFFSET 0 -10 8 CHANNELS 0 End Site { OFFSET 0 -2 6 } } } } } }";

/// Both ends of the legs of a quadruped.
const QUADRUPED_LEGS: [[&str; 2]; 4] = [
    ["leftUpperLeg", "leftFoot"],
    ["rightUpperLeg", "rightFoot"],
    ["leftUpperArm", "leftHand"],
    ["rightUpperArm", "rightHand"],
];

#[test]
fn quadrupeds_of_other_names_sizes_and_makers_walk_alike() {
    let Some(fox) = samples("retarget").into_iter().flatten().find(|file| file.ends_with("glTF-Binary/Fox.glb")) else {
        return;
    };
    let source = Rig::open(&fox);
    let mut small = source.imported.model.clone();
    let renamed = |(i, joint): (usize, &Joint)| Joint {
        name: Some(format!("bone {}", 7 * i)),
        rest: Transform { translation: joint.rest.translation * 0.01, ..joint.rest },
        exact_rest_matrix: None,
        ..joint.clone()
    };
    let joints = small.skeleton.joints().iter().enumerate().map(renamed).collect();
    small.skeleton = Skeleton::new(joints, small.skeleton.rest_morph_weights().to_vec());
    small.clips.clear();
    let folder = tempfile::tempdir().unwrap();
    let dog = Rig::open(&write(&folder, "dog.bvh", DOG)).imported.model;
    for (mut model, max_degrees) in [(small, 0.1), (dog, 15.0)] {
        let map = RigMap::detect(&model);
        assert!(map.kind() == BodyKind::Quadruped && map.missing().count() == 0, "{map:?}");
        let found = retarget_clips(&mut model, &map, &source.imported.model, &source.map).unwrap();
        assert_eq!(found.clips.len(), 3);
        assert!(found.contacts.iter().all(|contact| contact.max_slide < 0.02), "{:?}", found.contacts);
        let joint = |map: &RigMap, role: &str| map.get(Role::from_name(role).unwrap()).unwrap().joint;
        let (mut sum, mut count) = (0.0, 0.0);
        for (i, clip) in found.clips.clone().enumerate() {
            for step in 0..=10 {
                let time = f64::from(model.clips[clip].duration_secs) * f64::from(step) / 10.0;
                let poses = [source.posed(&source.imported.model, i, time), source.posed(&model, clip, time)];
                for leg in QUADRUPED_LEGS {
                    let [before, after] = [(&poses[0], &source.map), (&poses[1], &map)].map(|(pose, map)| {
                        let [hip, foot] = leg.map(|role| pose.model_from_joint(joint(map, role)).translation);
                        foot - hip
                    });
                    (sum, count) = (sum + before.angle(&after).to_degrees(), count + 1.0);
                }
            }
        }
        assert!(sum / count < max_degrees, "{} degrees", sum / count);
    }
}

/// Prints the table of docs/measurements.md: the direction of limbs and the slide of feet for each pair of rigs.
#[test]
#[ignore = "prints a table; needs RIGVIEW_RIGS and RIGVIEW_SAMPLE_MODELS"]
fn retarget_table() {
    let [rigs, samples] =
        [RIGS, "RIGVIEW_SAMPLE_MODELS"].map(|variable| PathBuf::from(std::env::var_os(variable).unwrap()));
    let mut files: Vec<PathBuf> =
        ["cmu_01_01.bvh", "mannequiny.glb", "robot.glb", "player.glb", "test.vrma", "expressions.vrm"]
            .map(|name| rigs.join(name))
            .to_vec();
    files.extend(
        ["CesiumMan", "Fox"].map(|name| samples.join(name).join("glTF-Binary").join(name).with_extension("glb")),
    );
    files.extend(["walk.bvh", "body.glb"].map(example));
    let rigs: Vec<Rig> = files.iter().map(|file| Rig::open(file)).collect();
    for rig in &rigs {
        let missing: Vec<String> = rig.map.missing().map(|role| role.to_string()).collect();
        let count = Role::all().filter(|role| rig.map.get(*role).is_some()).count();
        println!("| {} | {count} | {} |", name(&rig.file), missing.join(", "));
    }
    const BONES: [[&str; 2]; 8] = [
        ["leftUpperArm", "leftLowerArm"],
        ["rightUpperArm", "rightLowerArm"],
        ["leftLowerArm", "leftHand"],
        ["rightLowerArm", "rightHand"],
        ["leftUpperLeg", "leftLowerLeg"],
        ["rightUpperLeg", "rightLowerLeg"],
        ["leftLowerLeg", "leftFoot"],
        ["rightLowerLeg", "rightFoot"],
    ];
    // Limbs, place, heading, pelvis, knees and slide, over all pairs.
    let mut all: [Vec<f64>; 6] = Default::default();
    for source in rigs.iter().filter(|rig| !rig.imported.model.clips.is_empty()) {
        for target in rigs.iter().filter(|target| target.file != source.file) {
            let pair = format!("{} to {}", name(&source.file), name(&target.file));
            let mut model = target.imported.model.clone();
            let found = match retarget_clips(&mut model, &target.map, &source.imported.model, &source.map) {
                Ok(found) => found,
                Err(error) => {
                    println!("| {pair} | {error} |");
                    continue;
                }
            };
            let frames = source.frame().unwrap() * target.frame().unwrap().transpose();
            let (mut sum, mut worst, mut count) = (0.0, 0.0_f64, 0);
            let mut of_body = [0.0_f64; 4];
            for (i, clip) in found.clips.clone().enumerate() {
                let own = BodyTrack::new(source, &source.imported.model, i);
                let errors = own.errors(&BodyTrack::new(target, &model, clip), frames);
                of_body = std::array::from_fn(|k| of_body[k].max(errors[k]));
                for step in 0..=10 {
                    let time = f64::from(model.clips[clip].duration_secs) * f64::from(step) / 10.0;
                    let poses = [source.posed(&source.imported.model, i, time), target.posed(&model, clip, time)];
                    for [from, to] in BONES {
                        let direction = |rig: &Rig, pose| Some(rig.position(pose, to)? - rig.position(pose, from)?);
                        let directions = direction(source, &poses[0]).zip(direction(target, &poses[1]));
                        if let Some((expected, actual)) = directions {
                            let angle = expected.angle(&(frames * actual)).to_degrees();
                            (sum, worst, count) = (sum + angle, worst.max(angle), count + 1);
                        }
                    }
                }
            }
            let slide = found.contacts.iter().map(|contact| contact.max_slide).fold(0.0, f64::max);
            let before = found.contacts.iter().map(|contact| contact.max_slide_before).fold(0.0, f64::max);
            let contacts: usize = found.contacts.iter().map(|contact| contact.count).sum();
            let [place, heading, pelvis, knees] = of_body;
            println!(
                "| {pair} | {:.1} | {worst:.1} | {contacts} | {:.2} % | {:.2} % | {place:.3} | {heading:.1} | {pelvis:.1} | {knees:.1} |",
                sum / f64::from(count.max(1)),
                100.0 * before,
                100.0 * slide
            );
            let of_pair = [worst, place, heading, pelvis, knees, 100.0 * slide];
            all.iter_mut().zip(of_pair).for_each(|(values, value)| values.push(value));
        }
    }
    let labels = [
        "limbs (degrees)",
        "place (legs)",
        "heading (degrees)",
        "pelvis (degrees)",
        "knees (degrees a frame)",
        "slide (%)",
    ];
    for (label, mut values) in labels.into_iter().zip(all) {
        values.sort_by(f64::total_cmp);
        println!("| {label} | {:.3} | {:.3} |", values[values.len() / 2], values[values.len() - 1]);
    }
}

/// The legs of a body at 30 frames per second of a clip.
struct BodyTrack {
    /// The middle between the legs, in lengths of a leg.
    place: Vec<Vector3<f64>>,
    /// From the right leg to the left one.
    across: Vec<Vector3<f64>>,
    /// Angles of both knees in degrees.
    knees: Vec<[f64; 2]>,
}

impl BodyTrack {
    fn new(rig: &Rig, model: &Model, clip: usize) -> Self {
        let (mut place, mut across, mut knees) = (Vec::new(), Vec::new(), Vec::new());
        for frame in 0..=(30.0 * model.clips[clip].duration_secs) as usize {
            let pose = rig.posed(model, clip, frame as f64 / 30.0);
            let leg = |side: &str| {
                let at = |part: &str| rig.position(&pose, &format!("{side}{part}"));
                let (hip, knee) = (at("UpperLeg").unwrap(), at("LowerLeg").unwrap());
                (hip, knee, at("Foot").unwrap_or(knee))
            };
            let [left, right] = ["left", "right"].map(leg);
            let length = (left.1 - left.0).norm() + (left.2 - left.1).norm();
            place.push((left.0 + right.0) / 2.0 / length);
            across.push(left.0 - right.0);
            knees.push([left, right].map(|(hip, knee, foot)| (knee - hip).angle(&(foot - knee)).to_degrees()));
        }
        Self { place, across, knees }
    }

    /// Returns the largest errors of another track: of the way over the ground in lengths of a leg, of heading and roll of the pelvis in
    /// degrees, and of the turn of a knee from frame to frame beyond the own one.
    fn errors(&self, other: &Self, own_from_other: Matrix3<f64>) -> [f64; 4] {
        let flat = |v: Vector3<f64>| Vector3::new(v.x, 0.0, v.z);
        let roll = |v: Vector3<f64>| v.normalize().y.asin().to_degrees();
        let mut errors = [0.0_f64; 4];
        for i in 0..self.place.len().min(other.place.len()) {
            let (a, b) = (self.across[i], own_from_other * other.across[i]);
            let [own, way] = [self, other].map(|track| flat(track.place[i] - track.place[0]));
            let turn = |track: &Self, leg: usize| (track.knees[i][leg] - track.knees[i.saturating_sub(1)][leg]).abs();
            let knees = [0, 1].map(|leg| turn(other, leg) - turn(self, leg));
            let found = [
                (own - own_from_other * way).norm(),
                flat(a).angle(&flat(b)).to_degrees(),
                (roll(a) - roll(b)).abs(),
                knees[0].max(knees[1]),
            ];
            errors = std::array::from_fn(|k| errors[k].max(found[k]));
        }
        errors
    }
}
