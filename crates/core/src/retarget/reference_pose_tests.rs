//! Tests of the reference pose with seeded bodies: the poses of their clips are known in closed form, whatever the rest pose is.

use super::tests::{Bone, add_walk, humanoid, map_of, model, posed, quadruped, random};
use super::{BodyKind, ReferenceSettings, ReferenceSource, RigMap, Role, retarget_clips};
use crate::math::{Affine, Transform};
use crate::model::{Clip, Interpolation, Joint, JointIndex, KeyValues, Model, Skeleton, Skin, Timeline, Track};
use nalgebra::{UnitQuaternion, Vector3};
use std::sync::Arc;

/// Enough that the feet of a frame between two keys are not below the ground.
const FRAMES: usize = 49;
const BODIES: usize = 240;

/// Kinds of rest poses of files.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rest {
    T,
    A,
    /// Another pose of the body, far from the origin.
    Frame,
    /// A frame in which the body leans by this angle in degrees.
    Leaning(f64),
    /// All bones along one axis of the file.
    Stick,
}

/// A pose: rotations from the T pose in model space, and the position of the hips.
struct BodyPose {
    turns: Vec<UnitQuaternion<f64>>,
    hips: Vector3<f64>,
}

/// A body in its own space: Y up, facing +Z, and the space and unit of its file.
struct TestBody {
    bones: Vec<Bone>,
    /// Axes of the joints in the T pose.
    axes: Vec<UnitQuaternion<f64>>,
    /// From the space of the body to that of the file.
    turn: UnitQuaternion<f64>,
    size: f64,
}

fn about(axis: Vector3<f64>, degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::new(axis * degrees.to_radians())
}

/// The humanoid with other lengths, equal on both sides; its ankles remain at one height.
fn proportions(state: &mut u64) -> Vec<Bone> {
    let bones = humanoid();
    let mut factors = Vec::new();
    for (i, bone) in bones.iter().enumerate() {
        let mirrored = bone.0.strip_prefix("right").map(|part| format!("left{part}"));
        let of_left = mirrored.and_then(|name| bones.iter().position(|other| other.0 == name));
        let is_trunk = ["hips", "spine", "chest", "upperChest", "neck", "head"].contains(&bone.0);
        let factor = if is_trunk { 1.0 } else { 1.0 + 0.2 * random(state) };
        factors.push(of_left.filter(|left| *left < i).map_or(factor, |left: usize| factors[left]));
    }
    let mut scaled = bones.clone();
    for i in 0..bones.len() {
        let Some(parent) = bones[i].1 else { continue };
        let offset = Vector3::from(bones[i].2) - Vector3::from(bones[parent].2);
        scaled[i].2 = (Vector3::from(scaled[parent].2) + offset * factors[i]).into();
    }
    // The soles remain on the ground.
    let toes = |bones: &[Bone]| bones.iter().find(|bone| bone.0 == "leftToes").unwrap().2[1];
    let lift = toes(&bones) - toes(&scaled);
    scaled.iter_mut().skip(1).for_each(|bone| bone.2[1] += lift);
    scaled
}

impl TestBody {
    fn offset(&self, i: usize) -> Vector3<f64> {
        let origin = self.bones[i].1.map_or(Vector3::zeros(), |parent| Vector3::from(self.bones[parent].2));
        Vector3::from(self.bones[i].2) - origin
    }

    fn at(&self, name: &str) -> usize {
        self.bones.iter().position(|bone| bone.0 == name).unwrap()
    }

    /// Positions of all joints in the space of the body, in meters.
    fn positions(&self, pose: &BodyPose) -> Vec<Vector3<f64>> {
        let mut positions: Vec<Vector3<f64>> = Vec::new();
        for i in 0..self.bones.len() {
            positions.push(match self.bones[i].1 {
                _ if self.bones[i].0 == "hips" => pose.hips,
                Some(parent) => positions[parent] + pose.turns[parent] * self.offset(i),
                None => Vector3::zeros(),
            });
        }
        positions
    }

    /// Transforms relative to the parents, in the space and unit of the file.
    fn locals(&self, pose: &BodyPose) -> Vec<Transform> {
        let rotation = |i: usize| match self.bones[i].1 {
            Some(_) => self.turn * pose.turns[i] * self.axes[i],
            None => UnitQuaternion::identity(),
        };
        let local = |i: usize| {
            let Some(parent) = self.bones[i].1 else { return Transform::identity() };
            let translation = match self.bones[i].0 {
                "hips" => self.turn * pose.hips * self.size,
                _ => self.axes[parent].inverse() * self.offset(i) * self.size,
            };
            Transform { translation, rotation: rotation(parent).inverse() * rotation(i), ..Transform::identity() }
        };
        (0..self.bones.len()).map(local).collect()
    }

    /// A pose by rotations relative to the parents in the T pose. The lower foot stands flat on the ground.
    fn pose(&self, turn: impl Fn(&str) -> UnitQuaternion<f64>, place: Vector3<f64>) -> BodyPose {
        let mut turns: Vec<UnitQuaternion<f64>> = Vec::new();
        for (name, parent, _) in &self.bones {
            turns.push(parent.map_or_else(UnitQuaternion::identity, |parent| turns[parent]) * turn(name));
        }
        let mut pose = BodyPose { turns, hips: place + Vector3::from(self.bones[1].2) };
        let feet = ["leftFoot", "rightFoot"].map(|name| self.at(name));
        let heights = feet.map(|foot| self.positions(&pose)[foot].y);
        pose.hips.y += self.bones[feet[0]].2[1] - heights[0].min(heights[1]);
        // Each foot is level, and points down while it is above the ground.
        let left = pose.turns[1] * Vector3::x();
        let yaw = about(Vector3::y(), libm::atan2(-left.z, left.x).to_degrees());
        for (i, name) in ["left", "right"].into_iter().enumerate() {
            let pitch = if heights[i] > heights[1 - i] + 0.08 { 25.0 } else { 0.0 };
            for part in ["Foot", "Toes"] {
                pose.turns[self.at(&format!("{name}{part}"))] = yaw * about(Vector3::x(), pitch);
            }
        }
        pose
    }

    /// Frames of a walk with a turning body, raised arms and bent limbs.
    fn clip(&self, state: &mut u64) -> Vec<BodyPose> {
        let [yaw, lean, swing, flexion, height] = [0; 5].map(|_| random(state));
        (0..FRAMES)
            .map(|i| {
                let t = i as f64 / (FRAMES - 1) as f64;
                let wave = (std::f64::consts::TAU * t).sin();
                let step = (2.0 * std::f64::consts::TAU * t).sin();
                let turn = |name: &str| {
                    let (side, sign) = if name.starts_with("left") { (1.0, 1.0) } else { (-1.0, -1.0) };
                    match name.trim_start_matches("left").trim_start_matches("right") {
                        "hips" => about(Vector3::y(), 12.0 * yaw + 25.0 * wave) * about(Vector3::z(), 5.0 * step),
                        "spine" => about(Vector3::x(), 6.0 + 4.0 * lean),
                        "chest" => about(Vector3::y(), 8.0 * step),
                        "neck" => about(Vector3::x(), -5.0),
                        "head" => about(Vector3::y(), 15.0 * wave),
                        "UpperArm" => {
                            let down = -70.0 + 25.0 * height + 20.0 * wave;
                            about(Vector3::x(), -20.0 * sign * step) * about(Vector3::z(), side * down)
                        }
                        "LowerArm" => about(Vector3::y(), -side * (30.0 + 20.0 * flexion + 10.0 * wave)),
                        "UpperLeg" => about(Vector3::x(), sign * (25.0 + 5.0 * swing) * step),
                        "LowerLeg" => about(Vector3::x(), 15.0 + 15.0 * sign * step),
                        _ => UnitQuaternion::identity(),
                    }
                };
                self.pose(turn, Vector3::new(0.2 * wave, 0.0, 1.5 * t))
            })
            .collect()
    }

    fn rest(&self, rest: Rest, state: &mut u64) -> BodyPose {
        let [a, b, c] = [0; 3].map(|_| random(state));
        let lean = match rest {
            Rest::Leaning(degrees) => degrees,
            Rest::Frame => 10.0,
            _ => 0.0,
        };
        let turn = |name: &str| match (rest, name) {
            (Rest::A, "leftUpperArm") => about(Vector3::z(), -45.0),
            (Rest::A, "rightUpperArm") => about(Vector3::z(), 45.0),
            (Rest::Frame | Rest::Leaning(_), _) => match name {
                "hips" => about(Vector3::y(), 60.0 * a) * about(Vector3::x(), lean),
                "leftUpperArm" => about(Vector3::z(), -60.0 + 20.0 * b),
                "rightUpperArm" => about(Vector3::y(), 50.0 + 20.0 * c),
                "leftUpperLeg" => about(Vector3::x(), -50.0 + 20.0 * b),
                "leftLowerLeg" => about(Vector3::x(), 60.0),
                "rightUpperLeg" => about(Vector3::x(), 15.0 * c),
                _ => UnitQuaternion::identity(),
            },
            _ => UnitQuaternion::identity(),
        };
        let place = match rest {
            Rest::Frame | Rest::Leaning(_) => Vector3::new(2.0 * b, 0.0, 3.0 + c),
            _ => Vector3::zeros(),
        };
        self.pose(turn, place)
    }

    /// A model with its rest pose; stick rests have no rotations.
    fn model(&self, rest: &BodyPose, is_stick: bool, label: &str) -> Model {
        let mut model = model(&self.bones, |i, _| format!("{label}{i}"));
        let mut joints = model.skeleton.joints().to_vec();
        for (joint, local) in joints.iter_mut().zip(self.locals(rest)) {
            joint.rest = local;
            if is_stick {
                joint.rest.rotation = UnitQuaternion::identity();
            }
        }
        model.skeleton = Skeleton::new(joints, Vec::new());
        model
    }

    fn add_clip(&self, model: &mut Model, poses: &[BodyPose]) {
        let locals: Vec<Vec<Transform>> = poses.iter().map(|pose| self.locals(pose)).collect();
        let mut tracks = Vec::new();
        for i in 1..self.bones.len() {
            let mut add = |keys| {
                let (joint, interpolation) = (JointIndex(i as u32), Interpolation::Linear);
                tracks.push(Track { joint, timeline: 0.into(), interpolation, keys });
            };
            add(KeyValues::Rotation(locals.iter().map(|pose| pose[i].rotation.coords.cast()).collect()));
            if self.bones[i].0 == "hips" {
                add(KeyValues::Translation(locals.iter().map(|pose| pose[i].translation.cast()).collect()));
            }
        }
        let times: Vec<f32> = (0..poses.len()).map(|i| i as f32 / 30.0).collect();
        let duration_secs = times[times.len() - 1];
        model.clips.push(Clip { duration_secs, timelines: vec![Timeline::new(times)], tracks, ..Clip::default() });
    }
}

/// Axes of joints whose X or Y axis is along the bone.
fn axes_along(bones: &[Bone], axis: Vector3<f64>) -> Vec<UnitQuaternion<f64>> {
    let along = |i: usize| {
        let child = bones.iter().position(|bone| bone.1 == Some(i) && bone.0 != "-");
        let child = child.or_else(|| bones.iter().position(|bone| bone.1 == Some(i)));
        let way = child.map_or(Vector3::y(), |child| Vector3::from(bones[child].2) - Vector3::from(bones[i].2));
        UnitQuaternion::rotation_between(&axis, &way).unwrap_or_else(|| about(Vector3::x(), 180.0))
    };
    (0..bones.len()).map(along).collect()
}

/// Median and maximum of measured values.
fn median_and_worst(values: &mut [f64]) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    (values[values.len() / 2], values[values.len() - 1])
}

#[test]
fn reference_poses_of_seeded_bodies_are_found() {
    let rests = [Rest::T, Rest::A, Rest::Frame, Rest::Leaning(0.0), Rest::Stick];
    let limbs = [
        ("UpperArm", "LowerArm"),
        ("LowerArm", "Hand"),
        ("UpperLeg", "LowerLeg"),
        ("LowerLeg", "Foot"),
        ("Foot", "Toes"),
    ];
    let (mut limb_errors, mut places, mut headings, mut rolls) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut trunks, mut joints) = (Vec::new(), Vec::new());
    for seed in 0..BODIES {
        let mut state = 1 + seed as u64 * 7919;
        random(&mut state);
        let mut rest = rests[seed % rests.len()];
        if let Rest::Leaning(degrees) = &mut rest {
            *degrees = 35.0 + 25.0 * random(&mut state);
        }
        let is_z_up = seed / rests.len() % 2 == 1;
        let facing = [0.0, 180.0, 90.0][seed / (2 * rests.len()) % 3];
        let unit = if seed % 7 == 0 { 100.0 } else { 1.0 };
        let to_file = if is_z_up { about(Vector3::x(), 90.0) } else { UnitQuaternion::identity() };
        let bones = proportions(&mut state);
        let axes = match rest {
            Rest::Stick => axes_along(&bones, if seed % 2 == 0 { Vector3::x() } else { Vector3::y() }),
            _ => bones.iter().map(|_| UnitQuaternion::new(Vector3::from_fn(|_, _| random(&mut state)) * 1.5)).collect(),
        };
        let size = unit * 5.0_f64.powf(random(&mut state));
        let turn = to_file * about(Vector3::y(), facing);
        let body = TestBody { axes, turn, size, bones };
        let poses = body.clip(&mut state);
        let mut source = body.model(&body.rest(rest, &mut state), rest == Rest::Stick, "s");
        body.add_clip(&mut source, &poses);
        // Half of the targets have the same proportions: each of their joints has a place.
        let same = seed / rests.len() % 4 < 2;
        let bones = if same { body.bones.clone() } else { proportions(&mut state) };
        let axes = axes_along(&bones, Vector3::y());
        let target_body = TestBody { axes, turn: UnitQuaternion::identity(), size: 1.0, bones };
        let target_rest = target_body.rest(if seed % 2 == 0 { Rest::T } else { Rest::A }, &mut state);
        let mut target = target_body.model(&target_rest, false, "t");
        let (source_map, target_map) = (map_of(&source, &body.bones), map_of(&target, &target_body.bones));
        let label = format!("{seed}: {rest:?}, Z up: {is_z_up}, facing {facing}, same: {same}");
        let found = retarget_clips(&mut target, &target_map, &source, &source_map).expect(&label);
        let [reference, _] = found.references.expect(&label);
        let has_rest = matches!(rest, Rest::T | Rest::A);
        assert_eq!(reference.source == ReferenceSource::Rest, has_rest, "{label}: {reference}");
        let leg = |body: &TestBody| {
            let joint = |name: &str| Vector3::from(body.bones[body.at(name)].2);
            let [hip, knee, foot] = ["leftUpperLeg", "leftLowerLeg", "leftFoot"].map(joint);
            (knee - hip).norm() + (foot - knee).norm()
        };
        let scale = leg(&target_body) / leg(&body);
        let mut worst = [0.0_f64; 6];
        for (i, pose) in poses.iter().enumerate() {
            let actual = posed(&target, found.clips.start, i as f64 / 30.0);
            let expected = body.positions(pose);
            let at = |name: &str| (expected[body.at(name)], actual[target_body.at(name)].translation);
            for side in ["left", "right"] {
                for (from, to) in limbs {
                    let (from, to) = (at(&format!("{side}{from}")), at(&format!("{side}{to}")));
                    let (a, b) = (to.0 - from.0, to.1 - from.1);
                    let slope = (from.0.y - to.0.y).abs();
                    // The slope of a foot is that of the body.
                    let is_foot = same || slope > 0.0 && (to.0 - from.0).norm() > 0.2;
                    if is_foot {
                        worst[0] = worst[0].max(a.angle(&b).to_degrees());
                    }
                }
            }
            let flat = |v: Vector3<f64>| Vector3::new(v.x, 0.0, v.z);
            let hips = at("hips");
            worst[1] = worst[1].max((flat(hips.0) * scale - flat(hips.1)).norm() / leg(&target_body));
            let [left, right] = ["leftUpperLeg", "rightUpperLeg"].map(at);
            let (a, b) = (left.0 - right.0, left.1 - right.1);
            worst[2] = worst[2].max(flat(a).angle(&flat(b)).to_degrees());
            worst[3] = worst[3].max((a.normalize().y.asin() - b.normalize().y.asin()).abs().to_degrees());
            let (head, hips) = (at("head"), at("hips"));
            worst[5] = worst[5].max((head.0 - hips.0).angle(&(head.1 - hips.1)).to_degrees());
            if same {
                let distances = target_body.bones.iter().enumerate().filter(|(_, bone)| bone.0 != "-");
                let distances =
                    distances.map(|(i, _)| (expected[i] * scale - actual[i].translation).norm() / leg(&target_body));
                worst[4] = distances.fold(worst[4], f64::max);
            }
        }
        println!("{label}: {reference}: {worst:.3?}");
        let all = [&mut limb_errors, &mut places, &mut headings, &mut rolls];
        all.into_iter().zip(worst).for_each(|(values, worst)| values.push(worst));
        trunks.push(worst[5]);
        if same {
            joints.push(worst[4]);
        }
    }
    for (label, values, limit) in [
        ("limbs (degrees)", &mut limb_errors, 0.5),
        ("place (legs)", &mut places, 0.01),
        ("heading (degrees)", &mut headings, 0.5),
        ("roll of the pelvis (degrees)", &mut rolls, 0.5),
        ("trunk (degrees)", &mut trunks, 6.0),
        ("joints of equal proportions (legs)", &mut joints, 0.01),
    ] {
        let (median, worst) = median_and_worst(values);
        println!("{label}: median {median:.4}, worst {worst:.4} of {}", values.len());
        assert!(worst < limit, "{label}: {worst}");
    }
}

/// Retargets a clip of a leaning rest pose onto a T pose, with settings for the source. Returns the largest angle of the trunk.
fn trunk_error(settings: ReferenceSettings) -> f64 {
    let mut state = 5;
    let bones = humanoid();
    let axes = axes_along(&bones, Vector3::y());
    let body = TestBody { axes, turn: UnitQuaternion::identity(), size: 1.0, bones };
    let poses = body.clip(&mut state);
    let mut source = body.model(&body.rest(Rest::Leaning(40.0), &mut state), false, "s");
    body.add_clip(&mut source, &poses);
    // With equal proportions, the bones alone determine each joint.
    let bones = proportions(&mut state);
    let axes = axes_along(&bones, Vector3::y());
    let other = TestBody { axes, turn: UnitQuaternion::identity(), size: 1.0, bones };
    let mut target = other.model(&other.rest(Rest::T, &mut state), false, "t");
    let (mut source_map, target_map) = (map_of(&source, &body.bones), map_of(&target, &other.bones));
    source_map.set_reference(settings);
    let found = retarget_clips(&mut target, &target_map, &source, &source_map).unwrap();
    let errors = poses.iter().enumerate().map(|(i, pose)| {
        let (expected, actual) = (body.positions(pose), posed(&target, found.clips.start, i as f64 / 30.0));
        let [hips, head] = ["hips", "head"].map(|name| body.at(name));
        let trunk = actual[head].translation - actual[hips].translation;
        (expected[head] - expected[hips]).angle(&trunk).to_degrees()
    });
    errors.fold(0.0, f64::max)
}

#[test]
fn settings_replace_the_estimate() {
    let with = |rest| trunk_error(ReferenceSettings { rest, ..ReferenceSettings::default() });
    let estimated = with(None);
    assert!(estimated < 5.0, "{estimated}");
    for arms_down in [false, true] {
        let built = with(Some(ReferenceSource::Built { arms_down }));
        assert!(built < 5.0, "{built}");
    }
    // The trunk of the first frame leans by a few degrees, that of the rest pose by 40.
    let first = with(Some(ReferenceSource::FirstFrame));
    assert!((1.0..20.0).contains(&first), "{first}");
    let believed = with(Some(ReferenceSource::Rest));
    assert!(believed > 30.0, "{believed}");
    let turned = ReferenceSettings { facing: Some(Vector3::x()), ..ReferenceSettings::default() };
    assert!(trunk_error(turned) > 5.0);
}

/// Names the joints after their roles, or after those of the other side.
fn with_names(model: &Model, bones: &[Bone], are_exchanged: bool) -> Model {
    let name = |role: &str| match (role.strip_prefix("left"), role.strip_prefix("right")) {
        (Some(part), _) if are_exchanged => format!("right{part}"),
        (_, Some(part)) if are_exchanged => format!("left{part}"),
        _ => role.to_owned(),
    };
    let mut joints = model.skeleton.joints().to_vec();
    joints.iter_mut().zip(bones).for_each(|(joint, bone)| joint.name = Some(name(bone.0)));
    Model { skeleton: Skeleton::new(joints, Vec::new()), ..model.clone() }
}

/// Asserts that sides of names that are exchanged are found, and none else.
fn assert_sides(model: &Model, bones: &[Bone], label: &str) {
    let [right, exchanged] = [false, true].map(|are_exchanged| {
        let map = RigMap::detect(&with_names(model, bones, are_exchanged));
        assert_eq!(map.sides_are_exchanged(), are_exchanged, "{label}");
        Role::all().map(|role| map.joint(role)).collect::<Vec<_>>()
    });
    assert_eq!(right, exchanged, "{label}");
}

/// Names of the viewer's left and right, on bodies whose toes point to the front at rest.
#[test]
fn toes_show_sides_of_names_that_are_exchanged() {
    let mut state = 23;
    for i in 0..100 {
        let bones = proportions(&mut state);
        let turn =
            about(Vector3::y(), 90.0 * f64::from(i % 4)) * about(Vector3::x(), [0.0, 90.0, -90.0][i as usize % 3]);
        let body = TestBody { axes: axes_along(&bones, Vector3::y()), turn, size: 1.0, bones };
        let rest = [Rest::T, Rest::A, Rest::Frame, Rest::Leaning(30.0)][i as usize % 4];
        let poses = body.clip(&mut state);
        let mut model = body.model(&body.rest(rest, &mut state), false, "");
        if i % 5 > 0 {
            body.add_clip(&mut model, &poses);
        }
        assert_sides(&model, &body.bones, &format!("body {i}, {rest:?}"));
    }
}

/// The same without toes, by knees and walk, also of a stick; a body that walks backward keeps its sides.
#[test]
fn knees_of_a_walk_show_sides_of_names_that_are_exchanged() {
    let mut bones = humanoid();
    for toes in ["leftToes", "rightToes"] {
        let toes = bones.iter().position(|bone| bone.0 == toes).unwrap();
        bones[toes].2[2] = bones[bones[toes].1.unwrap()].2[2];
    }
    let mut model = model(&bones, |_, role| role.into());
    assert!(!RigMap::detect(&with_names(&model, &bones, true)).sides_are_exchanged(), "nothing shows it");
    add_walk(&mut model, &bones);
    assert_sides(&model, &bones, "walk");
    let [motion, mut target] = [false, true].map(|are_exchanged| with_names(&model, &bones, are_exchanged));
    let [motion_map, target_map] = [&motion, &target].map(RigMap::detect);
    let retargeted = retarget_clips(&mut target, &target_map, &motion, &motion_map).unwrap();
    let confidences = retargeted.references.unwrap().map(|reference| reference.confidence);
    assert!(confidences[0] > 0.8 && confidences[1] == 0.7, "names that are right are surer: {confidences:?}");
    let clip = &mut model.clips[0];
    for track in &mut clip.tracks {
        match &mut track.keys {
            KeyValues::Rotation(keys) => Arc::make_mut(keys).reverse(),
            KeyValues::Translation(keys) => Arc::make_mut(keys).reverse(),
            _ => unreachable!("a walk of rotations and translations"),
        }
    }
    for are_exchanged in [false, true] {
        let map = RigMap::detect(&with_names(&model, &bones, are_exchanged));
        assert!(!map.sides_are_exchanged(), "walk and knees contradict");
    }
}

/// A humanoid with the clip of a seed, whose rest pose is a frame, and its poses.
fn moving_body(size: f64, label: &str) -> (TestBody, Vec<BodyPose>, Model) {
    let mut state = 11;
    let bones = humanoid();
    let axes = axes_along(&bones, Vector3::y());
    let body = TestBody { axes, turn: UnitQuaternion::identity(), size, bones };
    let poses = body.clip(&mut state);
    let mut model = body.model(&body.rest(Rest::Frame, &mut state), false, label);
    body.add_clip(&mut model, &poses);
    (body, poses, model)
}

/// Returns the largest distance of a joint of the first new clip from its place, in meters of the body.
fn largest_distance(body: &TestBody, poses: &[BodyPose], target: &Model, clip: usize, size: f64) -> f64 {
    let distances = poses.iter().enumerate().flat_map(|(i, pose)| {
        // Slightly late: the time of a STEP key is rounded.
        let (expected, actual) = (body.positions(pose), posed(target, clip, i as f64 / 30.0 + 1e-6));
        let joints = (0..body.bones.len()).filter(|joint| body.bones[*joint].0 != "-");
        joints.map(|joint| (expected[joint] - actual[joint].translation / size).norm()).collect::<Vec<_>>()
    });
    distances.fold(0.0, f64::max)
}

#[test]
fn up_is_that_of_the_rest_pose_or_of_clips_with_feet_on_the_ground() {
    let bones = humanoid();
    let axes = axes_along(&bones, Vector3::y());
    let [y_up, z_up] = [0.0, 90.0].map(|degrees| TestBody {
        axes: axes.clone(),
        turn: about(Vector3::x(), degrees),
        size: 1.0,
        bones: bones.clone(),
    });
    let mut state = 5;
    let rest = z_up.rest(Rest::T, &mut state);
    // A body that lies on its back with the head along +Y of a file with Z up.
    let lying = |turn: f64, place: f64| {
        let pose = |i: usize| {
            let turn = about(Vector3::y(), turn) * about(Vector3::x(), -90.0);
            let wave = about(Vector3::x(), 5.0 * (i as f64 * 0.3).sin());
            let turns =
                bones.iter().map(|bone| if bone.1.is_some() { turn * wave } else { UnitQuaternion::identity() });
            BodyPose { turns: turns.collect(), hips: Vector3::new(0.0, 0.12, place) }
        };
        (0..FRAMES).map(pose).collect::<Vec<_>>()
    };
    let standing = y_up.clip(&mut state);
    let detect = |body: &TestBody, poses: &[BodyPose]| {
        let mut source = z_up.model(&rest, false, "s");
        body.add_clip(&mut source, poses);
        let mut target = y_up.model(&rest, false, "t");
        let (source_map, target_map) = (map_of(&source, &bones), map_of(&target, &bones));
        let found = retarget_clips(&mut target, &target_map, &source, &source_map).unwrap();
        found.references.unwrap()[0]
    };
    for turn in [-20.0, 0.0, 20.0] {
        let lying = detect(&z_up, &lying(turn, 0.3));
        assert!(lying.up.z > 0.999 && lying.confidence > 0.7, "{lying}, {}", lying.confidence);
    }
    let upright = detect(&y_up, &standing);
    assert!(upright.up.y > 0.999 && upright.confidence > 0.7, "{upright}, {}", upright.confidence);
}

/// The place at which the skeleton of a motion is drawn beside the model.
#[test]
fn the_source_is_mapped_to_the_place_of_the_target() {
    for (rest, turn) in [(Rest::T, 0.0), (Rest::Frame, 0.0), (Rest::Stick, 90.0), (Rest::Leaning(60.0), -90.0)] {
        let mut state = 5;
        let bones = humanoid();
        let body = |size: f64, turn: f64| {
            let (bones, turn) = (bones.clone(), about(Vector3::x(), turn));
            TestBody { axes: axes_along(&bones, Vector3::y()), turn, size, bones }
        };
        let (of_source, of_target) = (body(100.0, turn), body(0.5, 0.0));
        let poses = of_source.clip(&mut state);
        let mut source = of_source.model(&of_source.rest(rest, &mut state), rest == Rest::Stick, "s");
        of_source.add_clip(&mut source, &poses);
        let mut target = of_target.model(&of_target.rest(Rest::T, &mut state), false, "t");
        let (source_map, target_map) = (map_of(&source, &bones), map_of(&target, &bones));
        let found = retarget_clips(&mut target, &target_map, &source, &source_map).unwrap();
        for time_secs in [0.0, 0.4, 1.1] {
            let [from, to] =
                [(&source, 0), (&target, found.clips.start)].map(|(model, clip)| posed(model, clip, time_secs));
            for name in ["hips", "head", "leftFoot", "rightHand"] {
                let joint = of_source.at(name);
                let distance = ((found.target_from_source * from[joint]).translation - to[joint].translation).norm();
                // A hundredth of the height.
                assert!(distance < 0.01 * 1.8 * 0.5, "{rest:?}, {name}: {distance}");
            }
        }
    }
}

#[test]
fn the_bind_pose_of_a_skin_replaces_a_rest_pose_that_is_none() {
    let (body, poses, mut source) = moving_body(1.0, "s");
    let t_pose = body.model(&body.rest(Rest::T, &mut 1), false, "s").skeleton.rest_model_pose();
    // The mesh is modeled in centimeters, with Z up.
    let mesh =
        Affine { linear: about(Vector3::x(), 90.0).to_rotation_matrix().into_inner() * 100.0, ..Affine::IDENTITY };
    let joint_from_mesh = t_pose.iter().map(|joint| (mesh * *joint).inverse().unwrap()).collect();
    let joints = (0..body.bones.len() as u32).map(JointIndex).collect();
    source.skins = vec![Skin { name: None, joints, joint_from_mesh }];
    let mut target = body.model(&body.rest(Rest::A, &mut 1), false, "t");
    let (source_map, target_map) = (map_of(&source, &body.bones), map_of(&target, &body.bones));
    let found = retarget_clips(&mut target, &target_map, &source, &source_map).unwrap();
    assert_eq!(found.references.unwrap()[0].source, ReferenceSource::Bind);
    let distance = largest_distance(&body, &poses, &target, found.clips.start, 1.0);
    assert!(distance < 0.005, "{distance}");
}

#[test]
fn clips_of_the_same_skeleton_are_copied() {
    let (body, poses, mut source) = moving_body(1.0, "j");
    for track in &mut source.clips[0].tracks {
        track.interpolation = Interpolation::Step;
    }
    let larger = TestBody { size: 2.0, axes: body.axes.clone(), bones: body.bones.clone(), ..body };
    let mut target = larger.model(&larger.rest(Rest::A, &mut 1), false, "j");
    let maps = [&source, &target].map(|model| map_of(model, &body.bones));
    let found = retarget_clips(&mut target, &maps[1], &source, &maps[0]).unwrap();
    assert!(found.references.is_none() && found.unmatched.joints.is_empty());
    let copied = &target.clips[found.clips.start];
    assert!(copied.tracks.iter().all(|track| track.interpolation == Interpolation::Step));
    assert_eq!(copied.tracks.len(), source.clips[0].tracks.len());
    let distance = largest_distance(&body, &poses, &target, found.clips.start, 2.0);
    assert!(distance < 1e-5, "{distance}");
    // Another length of one bone, other axes of one joint, or a setting: the clips are fitted.
    let with = |change: &dyn Fn(&mut Vec<Joint>)| {
        let mut target = larger.model(&larger.rest(Rest::A, &mut 1), false, "j");
        let mut joints = target.skeleton.joints().to_vec();
        change(&mut joints);
        target.skeleton = Skeleton::new(joints, Vec::new());
        let map = map_of(&target, &body.bones);
        retarget_clips(&mut target, &map, &source, &maps[0]).unwrap().references.is_none()
    };
    let knee = body.at("leftLowerLeg");
    assert!(with(&|_| {}));
    assert!(!with(&|joints| joints[knee].rest.translation *= 1.1));
    assert!(!with(&|joints| joints[knee].name = Some("knee".into())));
    assert!(!with(&|joints| joints[0].rest.rotation = about(Vector3::y(), 90.0)));
    let mut map = maps[0].clone();
    map.set_reference(ReferenceSettings { rest: Some(ReferenceSource::FirstFrame), ..ReferenceSettings::default() });
    let mut target = larger.model(&larger.rest(Rest::A, &mut 1), false, "j");
    assert!(retarget_clips(&mut target, &maps[1], &source, &map).unwrap().references.is_some());
}

#[test]
fn a_target_below_a_mirroring_node_moves_like_the_source() {
    let (body, poses, source) = moving_body(1.0, "s");
    let mut target = body.model(&body.rest(Rest::T, &mut 1), false, "t");
    let mut joints = target.skeleton.joints().to_vec();
    // As in exports of Babylon.js: the node mirrors X, and so do all values below.
    for joint in &mut joints {
        let [x, y, z, w] = joint.rest.rotation.coords.into();
        joint.rest.rotation = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, x, -y, -z));
        joint.rest.translation.x *= -1.0;
    }
    joints[0].rest.rotation = about(Vector3::y(), 180.0);
    joints[0].rest.scale.z = -1.0;
    target.skeleton = Skeleton::new(joints, Vec::new());
    let (source_map, target_map) = (map_of(&source, &body.bones), map_of(&target, &body.bones));
    let found = retarget_clips(&mut target, &target_map, &source, &source_map).unwrap();
    let distance = largest_distance(&body, &poses, &target, found.clips.start, 1.0);
    assert!(distance < 0.02, "{distance}");
}

#[test]
fn joints_between_hips_and_legs_that_turn_back_the_hips_are_the_pelvis() {
    let (body, poses, _) = moving_body(1.0, "s");
    // Two joints without length above the legs, and one above the spine; the hips are rolled by 85 degrees.
    let (mut bones, hips) = (body.bones.clone(), body.at("hips"));
    let place = bones[hips].2;
    let tops = ["spine", "leftUpperLeg", "rightUpperLeg"];
    for top in tops {
        let at = bones.iter().position(|bone| bone.0 == top).unwrap();
        for bone in &mut bones {
            bone.1 = bone.1.map(|parent| parent + usize::from(parent >= at));
        }
        bones.insert(at, ("-", Some(hips), place));
        bones[at + 1].1 = Some(at);
    }
    let axes = vec![UnitQuaternion::identity(); bones.len()];
    let rolled = TestBody { axes, turn: UnitQuaternion::identity(), size: 1.0, bones };
    // The same poses: a joint without a counterpart turns with the hips.
    let poses_of_rolled = poses.iter().map(|pose| {
        let turns = rolled.bones.iter().map(|(name, parent, _)| match (*name, parent) {
            ("hips", _) => pose.turns[hips] * about(Vector3::z(), 85.0),
            ("-", Some(parent)) if *parent == hips => pose.turns[hips],
            ("-", Some(_)) | ("-", None) => UnitQuaternion::identity(),
            (name, _) => pose.turns[body.at(name)],
        });
        BodyPose { turns: turns.collect(), hips: pose.hips }
    });
    let poses_of_rolled: Vec<BodyPose> = poses_of_rolled.collect();
    let mut source = rolled.model(&rolled.rest(Rest::T, &mut 1), false, "s");
    rolled.add_clip(&mut source, &poses_of_rolled);
    let mut target = body.model(&body.rest(Rest::T, &mut 1), false, "t");
    let (source_map, target_map) = (map_of(&source, &rolled.bones), map_of(&target, &body.bones));
    let found = retarget_clips(&mut target, &target_map, &source, &source_map).unwrap();
    for (i, pose) in poses.iter().enumerate() {
        let (expected, actual) = (body.positions(pose), posed(&target, found.clips.start, i as f64 / 30.0));
        let [left, right] = ["leftUpperLeg", "rightUpperLeg"].map(|name| body.at(name));
        let across = actual[left].translation - actual[right].translation;
        let angle = (expected[left] - expected[right]).angle(&across).to_degrees();
        assert!(angle < 0.01, "frame {i}: {angle}");
    }
}

/// Rest poses of files with quadrupeds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum AnimalRest {
    Stance,
    /// A step of a gallop, far from the origin.
    Gallop,
    /// On the hind legs.
    Rearing,
    /// On its side.
    Lying,
    Stick,
    /// A step of a gallop, with a skin that was bound to the stance.
    Bound,
}

/// The dog with other lengths below a root, equal on both sides.
fn animal(state: &mut u64) -> Vec<Bone> {
    let mut bones: Vec<Bone> = vec![("-", None, [0.0; 3])];
    bones.extend(quadruped().into_iter().map(|(name, parent, at)| (name, Some(parent.map_or(0, |i| i + 1)), at)));
    let original = bones.clone();
    let [legs, arms, trunk] = [0; 3].map(|_| 1.0 + 0.2 * random(state));
    for i in 2..bones.len() {
        let parent = original[i].1.unwrap();
        let is_hind = ["Leg", "Foot", "Toes"].iter().any(|part| original[i].0.ends_with(part));
        let is_side = original[i].2[0] != 0.0;
        let factor = if is_hind {
            legs
        } else if is_side {
            arms
        } else {
            trunk
        };
        let offset = Vector3::from(original[i].2) - Vector3::from(original[parent].2);
        bones[i].2 = (Vector3::from(bones[parent].2) + offset * factor).into();
    }
    bones
}

impl TestBody {
    /// A pose by rotations relative to the parents in the stance. The lowest foot is on the ground.
    fn animal_pose(&self, turn: impl Fn(&str) -> UnitQuaternion<f64>, place: Vector3<f64>) -> BodyPose {
        let mut turns: Vec<UnitQuaternion<f64>> = Vec::new();
        for (name, parent, _) in &self.bones {
            turns.push(parent.map_or_else(UnitQuaternion::identity, |parent| turns[parent]) * turn(name));
        }
        let mut pose = BodyPose { turns, hips: place + Vector3::from(self.bones[1].2) };
        let lowest = |places: &[Vector3<f64>]| places.iter().skip(1).map(|place| place.y).fold(f64::INFINITY, f64::min);
        let at_rest: Vec<_> = self.bones.iter().map(|bone| Vector3::from(bone.2)).collect();
        pose.hips.y += lowest(&at_rest) - lowest(&self.positions(&pose));
        pose
    }

    /// A walk whose legs swing about their stance, and bend while they are off the ground.
    fn animal_clip(&self, state: &mut u64) -> Vec<BodyPose> {
        let [swing, bend, yaw] = [0; 3].map(|_| random(state));
        let frame = |i: usize| {
            let t = i as f64 / (FRAMES - 1) as f64;
            let wave = (std::f64::consts::TAU * t).sin();
            let turn = |name: &str| {
                let is_left = name.starts_with("left");
                let part = name.trim_start_matches("left").trim_start_matches("right");
                let is_front = ["UpperArm", "LowerArm", "Hand"].contains(&part);
                // Diagonal legs swing together.
                let phase = if is_left == is_front { 0.0 } else { 0.5 };
                let (sin, cos) = (std::f64::consts::TAU * (2.0 * t + phase)).sin_cos();
                let lifted = cos.max(0.0);
                match part {
                    "hips" => about(Vector3::y(), 20.0 * wave + 10.0 * yaw) * about(Vector3::z(), 3.0 * wave),
                    "spine" => about(Vector3::y(), 5.0 * wave),
                    "neck" => about(Vector3::x(), 10.0 * wave),
                    "UpperLeg" => about(Vector3::x(), -(20.0 + 4.0 * swing) * sin - 15.0 * lifted),
                    "LowerLeg" => about(Vector3::x(), (25.0 + 5.0 * bend) * lifted),
                    "UpperArm" => about(Vector3::x(), -(18.0 + 4.0 * swing) * sin),
                    "LowerArm" => about(Vector3::x(), (-30.0 + 5.0 * bend) * lifted),
                    "Hand" => about(Vector3::x(), 30.0 * lifted),
                    _ => UnitQuaternion::identity(),
                }
            };
            self.animal_pose(turn, Vector3::new(0.2 * wave, 0.0, 1.5 * t))
        };
        (0..FRAMES).map(frame).collect()
    }

    fn animal_rest(&self, rest: AnimalRest, state: &mut u64) -> BodyPose {
        let [a, b] = [0; 2].map(|_| random(state));
        let turn = |name: &str| match (rest, name) {
            (AnimalRest::Stance | AnimalRest::Stick, _) => UnitQuaternion::identity(),
            (AnimalRest::Rearing, "hips") => about(Vector3::x(), -50.0 + 10.0 * a),
            (AnimalRest::Lying, "hips") => about(Vector3::z(), 80.0 + 10.0 * a),
            (AnimalRest::Gallop | AnimalRest::Bound, "hips") => about(Vector3::y(), 60.0 * a),
            (AnimalRest::Gallop | AnimalRest::Bound, "leftUpperLeg") => about(Vector3::x(), 45.0 + 10.0 * b),
            (AnimalRest::Gallop | AnimalRest::Bound, "leftUpperArm") => about(Vector3::x(), -50.0),
            (AnimalRest::Gallop | AnimalRest::Bound, "rightUpperArm") => about(Vector3::x(), -20.0 + 10.0 * b),
            _ => UnitQuaternion::identity(),
        };
        let is_away = !matches!(rest, AnimalRest::Stance | AnimalRest::Stick);
        self.animal_pose(turn, if is_away { Vector3::new(2.0 * b, 0.0, 3.0 + a) } else { Vector3::zeros() })
    }

    /// [`TestBody::model`] with names of front legs.
    fn animal_model(&self, rest: &BodyPose, is_stick: bool, label: &str) -> Model {
        let mut model = self.model(rest, is_stick, label);
        let mut joints = model.skeleton.joints().to_vec();
        for (joint, bone) in joints.iter_mut().zip(&self.bones) {
            if bone.0.contains("Arm") {
                joint.name = joint.name.take().map(|name| name + "_front");
            }
        }
        model.skeleton = Skeleton::new(joints, Vec::new());
        model
    }
}

#[test]
fn reference_poses_of_seeded_quadrupeds_are_found() {
    use AnimalRest::{Bound, Gallop, Lying, Rearing, Stance, Stick};
    let rests = [Stance, Gallop, Rearing, Lying, Stick, Bound];
    let bones_of_legs = [
        ("UpperLeg", "LowerLeg"),
        ("LowerLeg", "Foot"),
        ("Foot", "Toes"),
        ("UpperArm", "LowerArm"),
        ("LowerArm", "Hand"),
    ];
    // Limbs, travel, heading, pelvis, trunk, place: of files with a rest or bind pose, and of the others.
    let mut errors = [const { [const { Vec::new() }; 6] }; 2];
    for seed in 0..BODIES {
        let mut state = 1 + seed as u64 * 7919;
        random(&mut state);
        let rest = rests[seed % rests.len()];
        let is_z_up = seed / rests.len() % 2 == 1;
        let facing = [0.0, 180.0, 90.0][seed / (2 * rests.len()) % 3];
        let to_file = if is_z_up { about(Vector3::x(), 90.0) } else { UnitQuaternion::identity() };
        let bones = animal(&mut state);
        let axes = match rest {
            Stick => axes_along(&bones, if seed % 4 == 0 { Vector3::x() } else { Vector3::y() }),
            _ => bones.iter().map(|_| UnitQuaternion::new(Vector3::from_fn(|_, _| random(&mut state)) * 1.5)).collect(),
        };
        let size = 5.0_f64.powf(random(&mut state)) * if seed % 7 == 0 { 100.0 } else { 1.0 };
        let body = TestBody { axes, turn: to_file * about(Vector3::y(), facing), size, bones };
        let poses = body.animal_clip(&mut state);
        let mut source = body.animal_model(&body.animal_rest(rest, &mut state), rest == Stick, "s");
        body.add_clip(&mut source, &poses);
        if rest == Bound {
            let stance = body.animal_model(&body.animal_rest(Stance, &mut state), false, "s");
            let joint_from_mesh =
                stance.skeleton.rest_model_pose().iter().map(|joint| joint.inverse().unwrap()).collect();
            let joints = (0..body.bones.len() as u32).map(JointIndex).collect();
            source.skins = vec![Skin { name: None, joints, joint_from_mesh }];
        }
        let same = seed / rests.len() % 4 < 2;
        let bones = if same { body.bones.clone() } else { animal(&mut state) };
        let axes = axes_along(&bones, Vector3::y());
        let target_body = TestBody { axes, turn: UnitQuaternion::identity(), size: 1.0, bones };
        let mut target = target_body.animal_model(&target_body.animal_rest(Stance, &mut state), false, "t");
        let (source_map, target_map) = (map_of(&source, &body.bones), map_of(&target, &target_body.bones));
        let label = format!("{seed}: {rest:?}, Z up: {is_z_up}, facing {facing}, same: {same}");
        let found = retarget_clips(&mut target, &target_map, &source, &source_map).expect(&label);
        let [reference, of_target] = found.references.expect(&label);
        assert_eq!((reference.kind, of_target.source), (BodyKind::Quadruped, ReferenceSource::Rest), "{label}");
        let expected_source = match rest {
            Stance => Some(ReferenceSource::Rest),
            Bound => Some(ReferenceSource::Bind),
            _ => None,
        };
        let is_built = matches!(reference.source, ReferenceSource::Built { .. });
        assert!(expected_source.map_or(is_built, |source| source == reference.source), "{label}: {reference}");
        let leg = |body: &TestBody| {
            let joint = |name: &str| Vector3::from(body.bones[body.at(name)].2);
            let [hip, knee, foot] = ["leftUpperLeg", "leftLowerLeg", "leftFoot"].map(joint);
            (knee - hip).norm() + (foot - knee).norm()
        };
        let scale = leg(&target_body) / leg(&body);
        let (mut worst, mut start) = ([0.0_f64; 6], None);
        for (i, pose) in poses.iter().enumerate() {
            let actual = posed(&target, found.clips.start, i as f64 / 30.0);
            let expected = body.positions(pose);
            let at = |name: &str| (expected[body.at(name)], actual[target_body.at(name)].translation);
            let way = |from: &str, to: &str| (at(to).0 - at(from).0, at(to).1 - at(from).1);
            for (side, (from, to)) in ["left", "right"].iter().flat_map(|side| bones_of_legs.map(|bone| (side, bone))) {
                let (a, b) = way(&format!("{side}{from}"), &format!("{side}{to}"));
                worst[0] = worst[0].max(a.angle(&b).to_degrees());
            }
            let flat = |v: Vector3<f64>| Vector3::new(v.x, 0.0, v.z);
            let hips = at("hips");
            // Both bodies are in the same place relative to where they stand over the origin of their file.
            let from_rest = |body: &TestBody, at: Vector3<f64>| flat(at - Vector3::from(body.bones[body.at("hips")].2));
            let beside = (from_rest(&body, hips.0) * scale - from_rest(&target_body, hips.1)) / leg(&target_body);
            worst[1] = worst[1].max((beside - *start.get_or_insert(beside)).norm());
            worst[5] = worst[5].max(beside.norm());
            let (a, b) = way("rightUpperLeg", "leftUpperLeg");
            worst[2] = worst[2].max(flat(a).angle(&flat(b)).to_degrees());
            worst[3] = worst[3].max((a.normalize().y.asin() - b.normalize().y.asin()).abs().to_degrees());
            let (a, b) = way("hips", "chest");
            worst[4] = worst[4].max(a.angle(&b).to_degrees());
        }
        println!("{label}: {reference}: {worst:.3?}");
        let group = &mut errors[usize::from(expected_source.is_none())];
        group.iter_mut().zip(worst).for_each(|(values, worst)| values.push(worst));
    }
    let labels = [
        "limbs (degrees)",
        "travel (legs)",
        "heading (degrees)",
        "roll of the pelvis (degrees)",
        "trunk (degrees)",
        "place (legs)",
    ];
    for (group, name, limits) in
        [(0, "rest or bind pose", [0.5, 0.01, 0.5, 0.5, 0.5, 0.02]), (1, "none", [5.0, 0.01, 1.0, 1.0, 1.0, 0.02])]
    {
        for ((label, values), limit) in labels.iter().zip(&mut errors[group]).zip(limits) {
            let (median, worst) = median_and_worst(values);
            println!("{name}: {label}: median {median:.4}, worst {worst:.4} of {}", values.len());
            assert!(worst < limit, "{name}: {label}: {worst}");
        }
    }
}

/// Returns the largest angle in degrees between the bones of arms and legs, without feet, of the first new clip and of `poses`.
fn limb_error(body: &TestBody, poses: &[BodyPose], target: &Model, clip: usize) -> f64 {
    let mut worst = 0.0_f64;
    for (i, pose) in poses.iter().enumerate() {
        let (expected, actual) = (body.positions(pose), posed(target, clip, i as f64 / 30.0));
        for [from, to] in
            [["UpperArm", "LowerArm"], ["LowerArm", "Hand"], ["UpperLeg", "LowerLeg"], ["LowerLeg", "Foot"]]
        {
            for side in ["left", "right"] {
                let [from, to] = [from, to].map(|part| body.at(&format!("{side}{part}")));
                let way = actual[to].translation - actual[from].translation;
                worst = worst.max((expected[to] - expected[from]).angle(&way).to_degrees());
            }
        }
    }
    worst
}

#[test]
fn a_quadruped_without_a_rest_pose_and_clips_has_the_stance_of_a_dog() {
    for rest in [AnimalRest::Stance, AnimalRest::Gallop, AnimalRest::Stick] {
        let mut state = 17;
        let bones = animal(&mut state);
        let axes = axes_along(&bones, Vector3::y());
        let body = TestBody { axes, turn: UnitQuaternion::identity(), size: 1.0, bones };
        let poses = body.animal_clip(&mut state);
        let mut source = body.animal_model(&body.animal_rest(AnimalRest::Stance, &mut state), false, "s");
        body.add_clip(&mut source, &poses);
        let mut target = body.animal_model(&body.animal_rest(rest, &mut state), rest == AnimalRest::Stick, "t");
        let (source_map, target_map) = (map_of(&source, &body.bones), map_of(&target, &body.bones));
        let found = retarget_clips(&mut target, &target_map, &source, &source_map).unwrap();
        let [_, reference] = found.references.unwrap();
        let text = match rest {
            AnimalRest::Stance => "a rest pose, quadruped, up +Y, facing +Z",
            _ => "no rest pose and no clips: stance of a dog assumed, quadruped, up +Y, facing +Z",
        };
        assert_eq!(reference.to_string(), text, "{rest:?}");
        assert_eq!(reference.confidence > 0.6, rest == AnimalRest::Stance, "{rest:?}: {reference:?}");
        let error = limb_error(&body, &poses, &target, found.clips.start);
        println!("{rest:?}: {error} degrees, {reference:?}");
        assert!(error < 5.0, "{rest:?}: {error}");
    }
}

#[test]
fn a_clip_of_one_key_is_transferred_whatever_the_rest_pose_is() {
    let mut state = 23;
    let bones = humanoid();
    let axes = axes_along(&bones, Vector3::y());
    let body = TestBody { axes, turn: UnitQuaternion::identity(), size: 1.0, bones };
    let pose = [body.clip(&mut state).swap_remove(9)];
    for rest in [Rest::T, Rest::A, Rest::Frame] {
        let mut source = body.model(&body.rest(rest, &mut state), false, "s");
        body.add_clip(&mut source, &pose);
        let mut target = body.model(&body.rest(Rest::A, &mut state), false, "t");
        let maps = [&source, &target].map(|model| map_of(model, &body.bones));
        let found = retarget_clips(&mut target, &maps[1], &source, &maps[0]).unwrap();
        let [reference, _] = found.references.unwrap();
        assert_eq!(reference.source == ReferenceSource::Rest, rest != Rest::Frame, "{rest:?}: {reference}");
        assert_eq!((reference.from_clips, found.contacts[0].count), (rest == Rest::Frame, 0), "{rest:?}");
        let clip = &target.clips[found.clips.start];
        assert_eq!((clip.timelines[0].times_secs(), clip.duration_secs), (&[0.0][..], 0.0), "{rest:?}");
        let error = limb_error(&body, &pose, &target, found.clips.start);
        println!("{rest:?}: {error} degrees");
        assert!(error < 0.5, "{rest:?}: {error}");
    }
    let bones = animal(&mut state);
    let axes = axes_along(&bones, Vector3::y());
    let dog = TestBody { axes, turn: UnitQuaternion::identity(), size: 1.0, bones };
    let pose = [dog.animal_clip(&mut state).swap_remove(9)];
    for rest in [AnimalRest::Stance, AnimalRest::Gallop] {
        let mut source = dog.animal_model(&dog.animal_rest(rest, &mut state), false, "s");
        dog.add_clip(&mut source, &pose);
        let mut target = dog.animal_model(&dog.animal_rest(AnimalRest::Stance, &mut state), false, "t");
        let maps = [&source, &target].map(|model| map_of(model, &dog.bones));
        let found = retarget_clips(&mut target, &maps[1], &source, &maps[0]).unwrap();
        let error = limb_error(&dog, &pose, &target, found.clips.start);
        println!("{rest:?}: {error} degrees");
        assert!(error < 5.0, "{rest:?}: {error}");
    }
}

#[test]
fn a_source_without_clips_adds_none_and_has_a_reference_pose() {
    let (body, _, mut source) = moving_body(1.0, "s");
    source.clips.clear();
    let mut target = body.model(&body.rest(Rest::T, &mut 1), false, "t");
    let maps = [&source, &target].map(|model| map_of(model, &body.bones));
    let found = retarget_clips(&mut target, &maps[1], &source, &maps[0]).unwrap();
    assert!(found.clips.is_empty() && target.clips.is_empty());
    let [reference, of_target] = found.references.unwrap().map(|reference| reference.to_string());
    assert!(reference.starts_with("no rest pose: T assumed"), "{reference}");
    assert_eq!(of_target, "a rest pose, up +Y, facing +Z");
}
