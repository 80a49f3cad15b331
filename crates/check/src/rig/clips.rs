//! Lints of clips: start, end, loops, redundant keys.

use super::rest_rig::RestRig;
use crate::issue::Issues;
use rigview_core::model::{Clip, Interpolation, JointIndex, KeyValues, Track};
use rigview_core::pose::{Cursor, Pose, sample_tracks};
use std::collections::BTreeSet;

/// Tolerance of equal key values: the rounding of a rotation in single precision.
const VALUE_TOLERANCE: f32 = 1e-6;
const TIME_TOLERANCE_SECS: f32 = 1e-3;

pub(super) fn check(rig: &RestRig<'_>, issues: &mut Issues) {
    // Kept between clips: each clip touches only the joints that it moves.
    let mut poses = [Pose::default(), Pose::default()];
    poses.iter_mut().for_each(|pose| pose.reset(rig.skeleton()));
    for (i, clip) in rig.model.clips.iter().enumerate() {
        let at = format!("/animations/{i}");
        check_start(clip, &at, issues);
        check_loop(rig, clip, &mut poses, &at, issues);
        check_quaternion_signs(rig, clip, &at, issues);
        check_redundant_keys(clip, &at, issues);
        check_track_lengths(clip, &at, issues);
    }
    check_clip_lengths(rig, issues);
}

fn check_start(clip: &Clip, at: &str, issues: &mut Issues) {
    if clip.first_key_secs > TIME_TOLERANCE_SECS {
        let message = format_args!(
            "nothing moves for the first {:.3} s, because the first key is there: a pause in each loop; start the action at frame 0 in Blender, or export with Set All glTF Animation Starting at 0",
            clip.first_key_secs
        );
        issues.add("RIGVIEW_CLIP_STARTS_LATE", at, message);
    }
}

/// Reports the largest difference between the last pose and the first. Reads only the joints of the clip in `poses`.
fn check_loop(rig: &RestRig<'_>, clip: &Clip, poses: &mut [Pose; 2], at: &str, issues: &mut Issues) {
    if clip.duration_secs <= 0.0 || clip.tracks.is_empty() {
        return;
    }
    let (skeleton, mut cursor) = (rig.skeleton(), Cursor::default());
    let [first, last] = poses;
    sample_tracks(skeleton, clip, 0.0, &mut cursor, first);
    sample_tracks(skeleton, clip, clip.duration_secs.into(), &mut cursor, last);
    let mut joints: Vec<JointIndex> = clip.tracks.iter().map(|track| track.joint).collect();
    joints.sort();
    joints.dedup();
    let (mut max_rotation, mut max_translation) = ((0.0, JointIndex(0)), (0.0, JointIndex(0)));
    for joint in joints {
        let [a, b] = [&first, &last].map(|pose| &pose.parent_from_joint[joint.get()]);
        let (degrees, distance) =
            (a.rotation.angle_to(&b.rotation).to_degrees(), (a.translation - b.translation).norm());
        if degrees > max_rotation.0 {
            max_rotation = (degrees, joint);
        }
        if distance > max_translation.0 {
            max_translation = (distance, joint);
        }
    }
    // Smaller jumps are invisible.
    let (rotates, moves) = (max_rotation.0 > 0.5, max_translation.0 > 2e-3 * rig.size.max(1e-6));
    if !rotates && !moves {
        return;
    }
    let rotation = if rotates {
        format!(" {} rotates by {:.1} degrees", rig.name(max_rotation.1), max_rotation.0)
    } else {
        String::new()
    };
    let translation = if moves {
        format!(" {} moves by {:.4} units", rig.name(max_translation.1), max_translation.0)
    } else {
        String::new()
    };
    let comma = if rotates && moves { "," } else { "" };
    let message = format_args!(
        "if looped, it jumps from its last pose to its first:{rotation}{comma}{translation}; if it is meant to loop, copy the first keys to the last frame"
    );
    issues.add("RIGVIEW_LOOP_DISCONTINUITY", at, message);
}

/// Reports neighboring spline keys whose quaternions have opposite signs.
fn check_quaternion_signs(rig: &RestRig<'_>, clip: &Clip, at: &str, issues: &mut Issues) {
    let mut count = 0;
    let mut joints = Vec::new();
    for track in &clip.tracks {
        let (KeyValues::Rotation(values), Interpolation::CubicSpline) = (&track.keys, track.interpolation) else {
            continue;
        };
        let keys: Vec<_> = values.iter().skip(1).step_by(3).collect();
        let flips = keys.windows(2).filter(|pair| pair[0].dot(pair[1]) < 0.0).count();
        if flips > 0 {
            count += flips;
            joints.push(track.joint);
        }
    }
    if count > 0 {
        let message = format_args!(
            "{count} rotation keys have the opposite sign of the previous key, so the spline takes the long way: {}; tick Always Sample Animations in Blender's export",
            rig.names(&joints)
        );
        issues.add("RIGVIEW_QUATERNION_FLIP", at, message);
    }
}

fn component_count(track: &Track, keys: usize) -> usize {
    match &track.keys {
        KeyValues::Translation(_) | KeyValues::Scale(_) => 3,
        KeyValues::Rotation(_) => 4,
        KeyValues::Weights(weights) => weights.len() / keys.max(1),
    }
}

/// Number of keys of a track that can be removed without a change.
fn redundant_keys(track: &Track, times: &[f32]) -> usize {
    let keys = times.len();
    if track.interpolation == Interpolation::CubicSpline || keys < 2 {
        return 0;
    }
    let same = |a: usize, b: usize| {
        let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= VALUE_TOLERANCE);
        match &track.keys {
            KeyValues::Translation(values) | KeyValues::Scale(values) => {
                near(values[a].as_slice(), values[b].as_slice())
            }
            KeyValues::Rotation(values) => near(values[a].as_slice(), values[b].as_slice()),
            KeyValues::Weights(values) => {
                let size = values.len() / keys;
                near(&values[a * size..(a + 1) * size], &values[b * size..(b + 1) * size])
            }
        }
    };
    if (1..keys).all(|key| same(0, key)) {
        return keys - 1;
    }
    (1..keys - 1).filter(|key| same(key - 1, *key) && same(*key, key + 1)).count()
}

fn check_redundant_keys(clip: &Clip, at: &str, issues: &mut Issues) {
    let (mut count, mut all, mut bytes) = (0, 0, 0);
    for track in &clip.tracks {
        let times = clip.timelines[track.timeline].times_secs();
        let redundant = redundant_keys(track, times);
        count += redundant;
        all += times.len();
        bytes += redundant * component_count(track, times.len()) * 4;
    }
    // Blender writes two equal keys for every resting bone, so a few are normal.
    if count >= 20 && count * 5 >= all {
        let message = format_args!(
            "{count} of {all} keys repeat their neighbors; without them the file is about {} KiB smaller: tick Optimize Animation Size in Blender's export",
            bytes.div_ceil(1024)
        );
        issues.add("RIGVIEW_REDUNDANT_KEYS", at, message);
    }
}

fn check_track_lengths(clip: &Clip, at: &str, issues: &mut Issues) {
    let last = |track: &&Track| clip.timelines[track.timeline].times_secs().last().copied().unwrap_or(0.0);
    let is_animated = |track: &&Track| clip.timelines[track.timeline].times_secs().len() > 1;
    let early: Vec<f32> = clip
        .tracks
        .iter()
        .filter(is_animated)
        .map(|track| last(&track))
        .filter(|end| clip.duration_secs - end > TIME_TOLERANCE_SECS)
        .collect();
    if !early.is_empty() {
        let earliest = early.iter().copied().fold(f32::INFINITY, f32::min);
        let message = format_args!(
            "{} of its {} tracks end before the clip does ({earliest:.3} s of {:.3} s) and hold their last value; bake the action over one frame range",
            early.len(),
            clip.tracks.len(),
            clip.duration_secs
        );
        issues.add("RIGVIEW_TRACK_LENGTH_MISMATCH", at, message);
    }
}

/// Reports different durations of clips that animate disjoint joints: such clips are meant to play together.
fn check_clip_lengths(rig: &RestRig<'_>, issues: &mut Issues) {
    let clips = &rig.model.clips;
    let mut animated = BTreeSet::new();
    let are_disjoint = clips.iter().all(|clip| {
        let joints: BTreeSet<JointIndex> = clip.tracks.iter().map(|track| track.joint).collect();
        joints.into_iter().all(|joint| animated.insert(joint))
    });
    let (mut min, mut max) = (f32::INFINITY, 0.0f32);
    for clip in clips.iter().filter(|clip| !clip.tracks.is_empty()) {
        (min, max) = (min.min(clip.duration_secs), max.max(clip.duration_secs));
    }
    if clips.len() > 1 && are_disjoint && max - min > TIME_TOLERANCE_SECS {
        let message = format_args!(
            "each of {} clips animates other joints, and they last {min:.3} to {max:.3} s: played together they lose synchronization; give the actions one length in Blender, or export with Animation Mode Scene",
            clips.len()
        );
        issues.add("RIGVIEW_CLIP_LENGTH_MISMATCH", "/animations", message);
    }
}
