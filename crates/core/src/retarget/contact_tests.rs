//! Feet and knees of retargeted motions, measured on the written clips.

use super::role::{BodyPart, Role, Side};
use super::tests::{Bone, add_walk, humanoid, map_of, model, posed, random};
use super::{RigMap, retarget_clips};
use crate::import::{ImportOptions, open};
use crate::model::{Clip, Interpolation, JointIndex, KeyValues, Model, Skeleton, Timeline, Track};
use crate::pose::{Cursor, ModelPose, Pose, sample};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use std::path::{Path, PathBuf};

/// Positions of hip, knee, ankle and end of a leg at times of a clip, relative to the length of the leg.
fn leg_track(
    (model, map): (&Model, &RigMap),
    clip: &Clip,
    side: Side,
    end: BodyPart,
    times_secs: &[f32],
) -> Vec<[Vector3<f64>; 4]> {
    let joint = |part| map.get(Role::sided(part, side)).map(|mapped| mapped.joint);
    let joints = [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot, end];
    let joints = joints.map(|part| joint(part).expect("a joint of the leg"));
    let (mut cursor, mut pose, mut model_pose) = (Cursor::default(), Pose::default(), ModelPose::default());
    let mut track = Vec::new();
    for time in times_secs {
        sample(&model.skeleton, clip, f64::from(*time), &mut cursor, &mut pose);
        model_pose.update(&model.skeleton, &pose);
        track.push(joints.map(|joint| model_pose.model_from_joint(joint).translation));
    }
    let [hip, knee, ankle, _] = track[0];
    let length = (knee - hip).norm() + (ankle - knee).norm();
    track.iter_mut().for_each(|places| *places = places.map(|place| place / length));
    track
}

fn bend([hip, knee, ankle, _]: &[Vector3<f64>; 4]) -> f64 {
    (knee - hip).angle(&(ankle - knee)).to_degrees()
}

/// Result of a clip: planted frames, largest slides in the source and in the result, and largest turn of a knee beyond that of the
/// source from key to key, in degrees.
#[derive(Debug, Default)]
struct Measured {
    frames: usize,
    own: f64,
    slide: f64,
    turn: f64,
    /// The same between frames at 30 per second, which keys at other rates do not bound.
    frame_turn: f64,
}

/// Measures a written clip against its source.
fn measured(source: (&Model, &RigMap), clip: &Clip, target: (&Model, &RigMap), result: &Clip) -> Measured {
    let times_secs = result.timelines[0].times_secs();
    let mut found = Measured::default();
    for side in Side::BOTH {
        // Feet without toes roll about another point.
        let has_toes = [source, target].iter().all(|rig| rig.1.get(Role::sided(BodyPart::Toes, side)).is_some());
        let end = if has_toes { BodyPart::Toes } else { BodyPart::Foot };
        let before = leg_track(source, clip, side, end, times_secs);
        let after = leg_track(target, result, side, end, times_secs);
        for range in planted(&before, times_secs) {
            found.frames += range.len();
            found.own = found.own.max(slide(&before, &range));
            found.slide = found.slide.max(slide(&after, &range));
        }
        let largest_turn = |before: &[[Vector3<f64>; 4]], after: &[[Vector3<f64>; 4]]| {
            let turn = |pair: &[[Vector3<f64>; 4]]| (bend(&pair[1]) - bend(&pair[0])).abs();
            let beyond = before.windows(2).zip(after.windows(2)).map(|(before, after)| turn(after) - turn(before));
            beyond.fold(0.0, f64::max)
        };
        found.turn = found.turn.max(largest_turn(&before, &after));
        let secs = times_secs[times_secs.len() - 1] - times_secs[0];
        let frames: Vec<f32> = (0..=(30.0 * secs) as usize).map(|i| times_secs[0] + i as f32 / 30.0).collect();
        let before = leg_track(source, clip, side, end, &frames);
        let after = leg_track(target, result, side, end, &frames);
        found.frame_turn = found.frame_turn.max(largest_turn(&before, &after));
    }
    found
}

/// Returns the ranges in which a person calls a foot planted: slow over a tenth of a second, and low.
fn planted(track: &[[Vector3<f64>; 4]], times_secs: &[f32]) -> Vec<std::ops::Range<usize>> {
    let lowest = track.iter().map(|places| places[3].y).fold(f64::INFINITY, f64::min);
    let is_planted = |i: usize| {
        let near = |secs: f32| times_secs.partition_point(|at| *at < times_secs[i] + secs).min(track.len() - 1);
        let (before, after) = (near(-0.05).min(i.saturating_sub(1)), near(0.05).max((i + 1).min(track.len() - 1)));
        let secs = f64::from(times_secs[after] - times_secs[before]);
        (track[after][3] - track[before][3]).norm() < 0.2 * secs && track[i][3].y - lowest < 0.12
    };
    let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
    for i in (0..track.len()).filter(|i| is_planted(*i)) {
        match ranges.last_mut() {
            Some(range) if range.end == i => range.end = i + 1,
            _ => ranges.push(i..i + 1),
        }
    }
    ranges.retain(|range| times_secs[range.end - 1] - times_secs[range.start] >= 0.1);
    ranges
}

fn slide(track: &[[Vector3<f64>; 4]], range: &std::ops::Range<usize>) -> f64 {
    range.clone().map(|i| (track[i][3] - track[range.start][3]).norm()).fold(0.0, f64::max)
}

/// Returns a file of the folder `RIGVIEW_RIGS`.
fn rig(name: &str) -> Option<PathBuf> {
    let file =
        std::env::var_os("RIGVIEW_RIGS").map(|folder| Path::new(&folder).join(name)).filter(|file| file.exists());
    if file.is_none() {
        println!("skipped: {name} is not in RIGVIEW_RIGS");
    }
    file
}

/// Largest turn of a knee beyond that of the source between frames at 30 per second, in degrees. Keys at 48 and 60 per second are kept, and
/// a frame has several of them.
const MAX_FRAME_TURN: f64 = 8.0;

#[test]
fn feet_and_knees_of_the_rigs_at_hand() {
    let [body, walk] =
        ["body.glb", "walk.bvh"].map(|file| Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(file));
    let walk = Some(walk);
    let (cmu, robot, mannequiny) = (rig("cmu_01_01.bvh"), rig("robot.glb"), rig("mannequiny.glb"));
    let pairs = [(&cmu, &robot), (&cmu, &mannequiny), (&robot, &mannequiny), (&mannequiny, &robot)];
    let pairs = pairs.into_iter().filter_map(|(source, target)| Some((source.clone()?, target.clone()?)));
    let onto_body =
        [&walk, &cmu, &robot, &mannequiny].into_iter().flatten().map(|source| (source.clone(), body.clone()));
    let mut failures = Vec::new();
    for (source_file, target_file) in pairs.chain(onto_body) {
        let load = |file: &Path| open(file, &ImportOptions::default()).unwrap().model;
        let (source, mut target) = (load(&source_file), load(&target_file));
        let maps = (RigMap::detect(&source), RigMap::detect(&target));
        let found = retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap();
        for (i, (clip, report)) in source.clips.iter().zip(&found.contacts).enumerate() {
            let result = &target.clips[found.clips.start + i];
            let Measured { frames, own, slide, turn, frame_turn } =
                measured((&source, &maps.0), clip, (&target, &maps.1), result);
            let name = |file: &Path| file.file_stem().unwrap().to_string_lossy().into_owned();
            let line = format!(
                "{} on {}, {}: {frames} planted frames, slide {:.2} % of {:.2} %, knees {turn:.1} degrees a key, {frame_turn:.1} a frame; reported {} contacts, {} frames, \
                 slide {:.2} % of {:.2} %",
                name(&source_file),
                name(&target_file),
                clip.name.as_deref().unwrap_or_default(),
                100.0 * slide,
                100.0 * own,
                report.count,
                report.frame_count,
                100.0 * report.max_slide,
                100.0 * report.max_slide_of_source,
            );
            println!("{line}");
            let is_right = slide <= (0.5 * own).max(0.001)
                && turn <= 5.0
                && frame_turn <= MAX_FRAME_TURN
                && report.max_slide <= (0.5 * report.max_slide_of_source).max(0.001)
                && (frames == 0 || report.count > 0);
            if !is_right {
                failures.push(line);
            }
        }
    }
    assert!(failures.is_empty(), "{} clips:\n{}", failures.len(), failures.join("\n"));
}

/// A walk whose hips stay in place: the ground moves back by 1 m/s.
#[test]
fn feet_of_a_walk_in_place_move_with_the_ground() {
    let bones = humanoid();
    let walk_in_place = |speed: f32| {
        let mut source = model(&bones, |_, role| role.into());
        add_walk(&mut source, &bones);
        for track in &mut source.clips[0].tracks {
            if let KeyValues::Translation(keys) = &mut track.keys {
                *keys = keys.iter().map(|key| Vector3::new(key.x, key.y, key.z * speed)).collect();
            }
        }
        source
    };
    for (legs, noise_degrees) in [(0.7, 0.0), (1.3, 0.0), (0.7, 0.2), (1.3, 0.2)] {
        let mut source = walk_in_place(0.0);
        let mut state = 3;
        for track in &mut source.clips[0].tracks {
            if let KeyValues::Rotation(keys) = &mut track.keys {
                let noisy = keys.iter().map(|key| {
                    let noise = Vector3::from_fn(|_, _| random(&mut state)) * f64::to_radians(noise_degrees);
                    let key = UnitQuaternion::new_normalize(Quaternion::from(key.cast::<f64>()));
                    (key * UnitQuaternion::new(noise)).coords.cast()
                });
                *keys = noisy.collect();
            }
        }
        let mut target = with_legs(&bones, legs);
        let maps = (map_of(&source, &bones), map_of(&target, &bones));
        let found = retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap();
        let report = found.contacts[0];
        let (clip, result) = (&source.clips[0], &target.clips[found.clips.start]);
        let times_secs = result.timelines[0].times_secs();
        let label = format!("legs of {legs}, {noise_degrees} degrees: {report:?}");
        assert!((4..=7).contains(&report.count) && (100..=150).contains(&report.frame_count), "{label}");
        assert!(report.max_slide <= (0.5 * report.max_slide_of_source).max(0.001), "{label}");
        for side in Side::BOTH {
            // The length of the source's leg is 0.86 m.
            let on_ground = |track: Vec<[Vector3<f64>; 4]>| -> Vec<[Vector3<f64>; 4]> {
                let moved = track.iter().zip(times_secs);
                moved.map(|(at, time)| at.map(|at| at + Vector3::z() * f64::from(*time) / 0.86)).collect()
            };
            let before = on_ground(leg_track((&source, &maps.0), clip, side, BodyPart::Toes, times_secs));
            let after = on_ground(leg_track((&target, &maps.1), result, side, BodyPart::Toes, times_secs));
            let ranges = planted(&before, times_secs);
            assert!(ranges.iter().map(|range| range.len()).sum::<usize>() > 40, "{label}: {ranges:?}");
            for range in ranges {
                let [own, slide] = [&before, &after].map(|track| slide(track, &range));
                assert!(slide <= (0.5 * own).max(0.002), "{label}: {range:?}: {slide} of {own}");
            }
            for (before, after) in before.windows(2).zip(after.windows(2)) {
                let turn = |pair: &[[Vector3<f64>; 4]]| (bend(&pair[1]) - bend(&pair[0])).abs();
                assert!(turn(after) - turn(before) <= 5.0, "{label}");
            }
        }
    }
    // Feet that slide under a body that moves by a third of their speed have no contacts.
    let (source, mut target) = (walk_in_place(0.33), with_legs(&bones, 0.7));
    let maps = (map_of(&source, &bones), map_of(&target, &bones));
    let found = retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap();
    assert_eq!(found.contacts[0].count, 0, "{:?}", found.contacts[0]);
}

/// A walk in place whose ground moves faster and slower by a third: feet are held as if it were even.
#[test]
fn feet_of_an_uneven_walk_in_place_slide_little() {
    let bones = humanoid();
    for unevenness in [0.0, 0.1, 0.3, 0.6] {
        let mut source = model(&bones, |_, role| role.into());
        add_walk(&mut source, &bones);
        // Where the hips of the walk are, by their speed of 1 m/s.
        let ways_secs: Vec<f64> = source.clips[0].timelines[0].times_secs().iter().copied().map(f64::from).collect();
        let frequency = 2.0 * std::f64::consts::TAU;
        let time = |way: &f64| (way + unevenness / frequency * (frequency * way).sin()) as f32;
        let times_secs: Vec<f32> = ways_secs.iter().map(time).collect();
        source.clips[0].timelines = vec![Timeline::new(times_secs.clone())];
        for track in &mut source.clips[0].tracks {
            if let KeyValues::Translation(keys) = &mut track.keys {
                *keys = keys.iter().map(|key| Vector3::new(key.x, key.y, 0.0)).collect();
            }
        }
        let mut target = with_legs(&bones, 0.7);
        let maps = (map_of(&source, &bones), map_of(&target, &bones));
        let found = retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap();
        let mut worst = 0.0_f64;
        for (side, phase) in [(Side::Left, 0.0), (Side::Right, 0.5)] {
            let result = &target.clips[found.clips.start];
            let track = leg_track((&target, &maps.1), result, side, BodyPart::Toes, &times_secs);
            // The length of the source's leg is 0.86 m.
            let on_ground = |i: usize| track[i][3] + Vector3::z() * ways_secs[i] / 0.86;
            let stands = |i: &usize| (0.05..0.45).contains(&(ways_secs[*i] + phase).fract());
            let mut first = 0;
            for i in (0..track.len()).filter(stands) {
                first = if i > 0 && stands(&(i - 1)) { first } else { i };
                worst = worst.max((on_ground(i) - on_ground(first)).norm());
            }
        }
        println!("unevenness {unevenness}: slide {worst:.4} legs, {:?}", found.contacts[0]);
        assert!(worst < 0.02, "{unevenness}: {worst}");
    }
}

/// The humanoid with legs of another length.
fn with_legs(bones: &[Bone], legs: f64) -> Model {
    let mut target = model(bones, |_, role| role.into());
    let mut joints = target.skeleton.joints().to_vec();
    for (joint, bone) in joints.iter_mut().zip(bones) {
        match bone.0 {
            "leftLowerLeg" | "rightLowerLeg" | "leftFoot" | "rightFoot" => joint.rest.translation *= legs,
            "hips" => joint.rest.translation.y += 0.86 * (legs - 1.0),
            _ => {}
        }
    }
    target.skeleton = Skeleton::new(joints, Vec::new());
    target
}

#[test]
fn noisy_feet_of_a_walk_stand_still_in_other_proportions() {
    let bones = humanoid();
    let mut state = 11;
    for (legs, noise_degrees) in [(1.0, 0.0), (0.7, 0.1), (1.0, 0.2), (1.3, 0.1), (1.3, 0.3)] {
        let mut source = model(&bones, |_, role| role.into());
        add_walk(&mut source, &bones);
        let noise_radians = f64::to_radians(noise_degrees);
        for track in &mut source.clips[0].tracks {
            match &mut track.keys {
                KeyValues::Rotation(keys) => {
                    let noisy = keys.iter().map(|key| {
                        let noise = UnitQuaternion::new(Vector3::from_fn(|_, _| random(&mut state)) * noise_radians);
                        (UnitQuaternion::new_normalize(Quaternion::from(key.cast::<f64>())) * noise).coords.cast()
                    });
                    *keys = noisy.collect();
                }
                KeyValues::Translation(keys) => {
                    let noisy = |key: &Vector3<f32>| {
                        key + Vector3::from_fn(|_, _| 0.2 * (random(&mut state) * noise_radians) as f32)
                    };
                    *keys = keys.iter().map(noisy).collect();
                }
                _ => {}
            }
        }
        let mut target = with_legs(&bones, legs);
        let maps = (map_of(&source, &bones), map_of(&target, &bones));
        let found = retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap();
        let report = found.contacts[0];
        let measured = measured((&source, &maps.0), &source.clips[0], (&target, &maps.1), &target.clips[0]);
        let label = format!("legs of {legs}, {noise_degrees} degrees: {report:?}, {measured:?}");
        // Each foot stands for half of 121 frames.
        assert!((4..=7).contains(&report.count) && (100..=145).contains(&report.frame_count), "{label}");
        // A clip of the same skeleton is copied with its noise.
        let is_copied = found.references.is_none();
        assert_eq!(is_copied, legs == 1.0, "{label}");
        let permitted = |own: f64| if is_copied { own + 1e-6 } else { (0.5 * own).max(0.001) };
        assert!(report.max_slide <= permitted(report.max_slide_of_source), "{label}");
        assert!(measured.frames > 80 && measured.slide <= permitted(measured.own), "{label}");
        assert!(measured.turn <= 5.0, "{label}");
    }
}

/// Transfers a clip of 31 frames to hips of three times the width: the hips turn by a rotation, and the right thigh swings by an angle in
/// degrees. Returns the target and its clip.
fn on_wide_hips(hips: UnitQuaternion<f64>, swing_degrees: f64) -> (Model, usize) {
    let bones = humanoid();
    let joint = |name: &str| JointIndex(bones.iter().position(|bone| bone.0 == name).unwrap() as u32);
    let mut source = model(&bones, |_, role| role.into());
    let times_secs: Vec<f32> = (0..31).map(|i| i as f32 / 30.0).collect();
    let swing = |time: &f32| {
        let angle = swing_degrees.to_radians() * (f64::from(*time) * 1.5 * std::f64::consts::TAU).sin();
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angle).coords.cast()
    };
    let keys = [
        ("hips", KeyValues::Rotation(times_secs.iter().map(|_| hips.coords.cast()).collect())),
        ("rightUpperLeg", KeyValues::Rotation(times_secs.iter().map(swing).collect())),
    ];
    let (timeline, interpolation) = (0.into(), Interpolation::Linear);
    let tracks = keys.map(|(name, keys)| Track { joint: joint(name), timeline, interpolation, keys }).into();
    source.clips =
        vec![Clip { duration_secs: 1.0, timelines: vec![Timeline::new(times_secs)], tracks, ..Clip::default() }];
    let mut target = model(&bones, |_, role| role.into());
    let mut joints = target.skeleton.joints().to_vec();
    for name in ["leftUpperLeg", "rightUpperLeg"] {
        joints[joint(name).get()].rest.translation.x *= 3.0;
    }
    target.skeleton = Skeleton::new(joints, Vec::new());
    let maps = (map_of(&source, &bones), map_of(&target, &bones));
    let found = retarget_clips(&mut target, &maps.1, &source, &maps.0).unwrap();
    assert!(found.contacts[0].count > 0, "{:?}", found.contacts[0]);
    (target, found.clips.start)
}

#[test]
fn straight_legs_of_a_turned_body_bend_to_its_front() {
    // Both feet stand, one of them higher: one leg of the wide hips is too long for that, and the other one is too short.
    let tilt = |degrees: f64| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians());
    for (yaw_degrees, side) in [(0.0, "left"), (180.0, "left"), (90.0, "left"), (180.0, "right")] {
        let yaw = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), f64::to_radians(yaw_degrees));
        let (target, clip) = on_wide_hips(yaw * tilt(if side == "left" { -12.0 } else { 12.0 }), 0.0);
        let pose = posed(&target, clip, 0.5);
        let at = |part: &str| {
            let name = format!("{side}{part}");
            let joint = target.skeleton.joints().iter().position(|joint| joint.name.as_ref() == Some(&name)).unwrap();
            pose[joint].translation
        };
        let [hip, knee, ankle] = ["UpperLeg", "LowerLeg", "Foot"].map(at);
        let aside = (knee - hip) - (ankle - hip) * ((knee - hip).dot(&(ankle - hip)) / (ankle - hip).norm_squared());
        assert!(aside.norm() > 0.05, "{yaw_degrees}, {side}: {aside}");
        let angle = aside.angle(&(yaw * Vector3::z())).to_degrees();
        assert!(angle < 15.0, "{yaw_degrees}, {side}: {angle}");
    }
}

#[test]
fn wide_hips_that_tilt_rise_over_the_leg_that_stands() {
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), f64::to_radians(-15.0));
    let (target, clip) = on_wide_hips(tilt, 50.0);
    let bones = humanoid();
    let at = |name: &str| bones.iter().position(|bone| bone.0 == name).unwrap();
    let joints = ["leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes"].map(at);
    for i in 0..=30 {
        let pose = posed(&target, clip, f64::from(i) / 30.0);
        let leg = joints.map(|joint| pose[joint].translation);
        assert!(bend(&leg) < 5.0, "frame {i}: {}", bend(&leg));
        // The toes of the source are at this height, as its hips do not move.
        let height = 1.0 - 0.1 * f64::to_radians(15.0).sin() - (0.05 + 0.93) * f64::to_radians(15.0).cos();
        assert!((leg[3].y - height).abs() < 0.01, "frame {i}: {} instead of {height}", leg[3].y);
    }
}
