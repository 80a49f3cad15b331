//! Properties of random rigs: an equation or a bound instead of expected numbers. A failure names its seed.
//!
//! Loops over seeds, without `proptest`: the generators of `simd_parity` and `rigs` exist, and rigs of a few joints need no shrinking.

use crate::simd_parity::Random;
use crate::support::models::{open_model, samples};
use rigview::check::diff::{RigDiff, Tolerances};
use rigview::model::{Clip, Interpolation, JointIndex, Model, Track};
use rigview::pose::{Cursor, ModelPose, Pose, sample};
use rigview::retarget::{RigMap, retarget_clips};
use std::path::Path;

fn random_model(seed: u64) -> Model {
    Random::new(seed).model(seed.is_multiple_of(2))
}

#[test]
fn model_does_not_differ_from_itself() {
    for seed in 1..=200 {
        let model = random_model(seed);
        let diff = RigDiff::of(&model, &model, &Tolerances::EXACT);
        assert!(diff.is_empty(), "seed {seed}: {:?}", diff.lines());
    }
}

/// Seconds between two samples, and the largest change of a value in that time: keys that differ by 2, 5 ms apart, with tangents.
const STEP_SECS: f64 = 1e-6;
const MAX_CHANGE: f64 = 0.01;
const MIN_KEY_SECS: f32 = 0.005;

/// Change of the property of a track within `STEP_SECS` about a time.
fn change(model: &Model, clip: &Clip, track: &Track, time_secs: f64) -> f64 {
    let at = |time_secs: f64| {
        let mut pose = Pose::rest(&model.skeleton);
        sample(&model.skeleton, clip, time_secs, &mut Cursor::default(), &mut pose);
        pose
    };
    let poses = [at(time_secs - STEP_SECS / 2.0), at(time_secs + STEP_SECS / 2.0)];
    let joint = track.joint.get();
    let [a, b] = [0, 1].map(|i| poses[i].parent_from_joint[joint]);
    // Opposite quaternions are one rotation.
    let rotation = (a.rotation.coords - b.rotation.coords).norm().min((a.rotation.coords + b.rotation.coords).norm());
    let weights = poses[0].morph_weights.iter().zip(&poses[1].morph_weights).map(|(a, b)| f64::from((a - b).abs()));
    [(a.translation - b.translation).amax(), rotation, (a.scale - b.scale).amax()]
        .into_iter()
        .chain(weights)
        .fold(0.0, f64::max)
}

#[test]
fn sampling_is_continuous_except_at_steps() {
    let (mut keys, mut jumps) = (0, 0);
    for seed in 1..=150 {
        let model = random_model(seed);
        for (number, clip) in model.clips.iter().enumerate() {
            for track in &clip.tracks {
                // Other tracks of the joint do not take part.
                let alone = Clip { tracks: vec![track.clone()], ..clip.clone() };
                let times = clip.timelines[track.timeline].times_secs();
                for window in times.windows(3).filter(|w| w[1] - w[0] > MIN_KEY_SECS && w[2] - w[1] > MIN_KEY_SECS) {
                    let change = change(&model, &alone, track, f64::from(window[1]));
                    if track.interpolation == Interpolation::Step {
                        jumps += usize::from(change > MAX_CHANGE);
                    } else {
                        keys += 1;
                        assert!(
                            change < MAX_CHANGE,
                            "seed {seed}, clip {number}, {track:?} at {}: {change}",
                            window[1]
                        );
                    }
                }
            }
        }
    }
    assert!(keys > 1000 && jumps > 100, "{keys} keys, {jumps} steps");
}

/// Largest distance of a joint from that of the source, relative to the size of the skeleton. The keys of the result have times of their
/// own: 0.0033 for CesiumMan. Standing feet are held in their place, which moves the hips: 0.0138 for the walk.
const MAX_DISTANCE: f64 = 0.005;
const MAX_DISTANCE_WITH_CONTACTS: f64 = 0.015;

#[test]
fn retargeting_a_rig_to_itself_keeps_its_clips() {
    let project = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let samples = samples("retargeting_a_rig_to_itself_keeps_its_clips").into_iter().flatten();
    let samples = samples.filter(|file| ["CesiumMan.glb", "Fox.glb"].iter().any(|name| file.ends_with(name)));
    let files = ["docs/book/motion/walk.bvh", "assets/mannequin.glb"].map(project).into_iter().chain(samples);
    for file in files {
        let source = open_model(&file);
        let mut target = source.clone();
        let map = RigMap::detect(&source);
        let found = retarget_clips(&mut target, &map, &source, &map)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(found.clips.len(), source.clips.len());
        let has_contacts = found.contacts.iter().any(|contact| contact.count > 0);
        let (mut worst, mut size) = (0.0_f64, 0.0_f64);
        for (i, clip) in found.clips.enumerate() {
            let mut poses = [ModelPose::default(), ModelPose::default()];
            for step in 0..=10 {
                let time_secs = f64::from(source.clips[i].duration_secs) * f64::from(step) / 10.0;
                for (pose, clip) in poses.iter_mut().zip([&source.clips[i], &target.clips[clip]]) {
                    let mut local = Pose::rest(&source.skeleton);
                    sample(&source.skeleton, clip, time_secs, &mut Cursor::default(), &mut local);
                    pose.update(&source.skeleton, &local);
                }
                for joint in (0..source.skeleton.len()).map(|joint| JointIndex(joint as u32)) {
                    let [before, after] = [0, 1].map(|k| poses[k].model_from_joint(joint).translation);
                    (worst, size) = (worst.max((after - before).norm()), size.max(before.norm()));
                }
            }
        }
        eprintln!("{}: {:e} of its size, contacts: {has_contacts}", file.display(), worst / size);
        let max = if has_contacts { MAX_DISTANCE_WITH_CONTACTS } else { MAX_DISTANCE };
        assert!(worst < max * size, "{}: {worst} of {size}", file.display());
    }
}
