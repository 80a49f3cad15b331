//! Lints of clips: where they begin and end, whether they loop, keys that do nothing.

use super::super::issue::Issues;
use super::Rig;
use crate::model::{Clip, Interpolation, JointIndex, Keys, Track};
use crate::pose::{Cursor, Pose, sample};
use std::collections::BTreeSet;

/// Key values this near to each other are the same: beyond what single precision keeps of a rotation.
const SAME: f32 = 1e-6;
/// Seconds within which two ends are the same.
const SAME_SECS: f32 = 1e-3;

pub(super) fn check(rig: &Rig<'_>, issues: &mut Issues) {
    for (i, clip) in rig.model.clips.iter().enumerate() {
        let at = format!("/animations/{i}");
        lead_in(clip, &at, issues);
        seam(rig, clip, &at, issues);
        flips(rig, clip, &at, issues);
        redundant(clip, &at, issues);
        ends(clip, &at, issues);
    }
    clips_apart(rig, issues);
}

fn lead_in(clip: &Clip, at: &str, issues: &mut Issues) {
    if clip.first_key_secs > SAME_SECS {
        let message = format_args!(
            "nothing moves for the first {:.3} s, since the first key stands there: a pause at each loop; start the action at frame 0 in Blender, or export with Set All glTF Animation Starting at 0",
            clip.first_key_secs
        );
        issues.add("RIGVIEW_CLIP_STARTS_LATE", at, message);
    }
}

/// The difference between the last pose and the first.
fn seam(rig: &Rig<'_>, clip: &Clip, at: &str, issues: &mut Issues) {
    if clip.duration_secs <= 0.0 || clip.tracks.is_empty() {
        return;
    }
    let skeleton = rig.skeleton();
    let (mut cursor, mut first, mut last) = (Cursor::default(), Pose::default(), Pose::default());
    sample(skeleton, clip, 0.0, &mut cursor, &mut first);
    sample(skeleton, clip, clip.duration_secs.into(), &mut cursor, &mut last);
    let (mut turned, mut moved) = ((0.0, JointIndex(0)), (0.0, JointIndex(0)));
    for (i, (a, b)) in first.parent_from_joint.iter().zip(&last.parent_from_joint).enumerate() {
        let joint = JointIndex(i as u32);
        let (degrees, distance) =
            (a.rotation.angle_to(&b.rotation).to_degrees(), (a.translation - b.translation).norm());
        if degrees > turned.0 {
            turned = (degrees, joint);
        }
        if distance > moved.0 {
            moved = (distance, joint);
        }
    }
    // Below half a degree nobody sees a jump.
    let (turns, moves) = (turned.0 > 0.5, moved.0 > 2e-3 * rig.size.max(1e-6));
    if !turns && !moves {
        return;
    }
    let turn = if turns { format!(" {} turns by {:.1} degrees", rig.name(turned.1), turned.0) } else { String::new() };
    let step = if moves { format!(" {} moves by {:.4} units", rig.name(moved.1), moved.0) } else { String::new() };
    let and = if turns && moves { "," } else { "" };
    let message = format_args!(
        "looped, it jumps from its last pose to its first:{turn}{and}{step}; if it is meant to loop, copy the first keys to the last frame"
    );
    issues.add("RIGVIEW_LOOP_DISCONTINUITY", at, message);
}

/// Neighboring keys of a spline that are the same rotation with opposite signs.
fn flips(rig: &Rig<'_>, clip: &Clip, at: &str, issues: &mut Issues) {
    let mut flipped = 0;
    let mut joints = Vec::new();
    for track in &clip.tracks {
        let (Keys::Rotation(values), Interpolation::CubicSpline) = (&track.keys, track.interpolation) else { continue };
        let own: Vec<_> = values.iter().skip(1).step_by(3).collect();
        let count = own.windows(2).filter(|pair| pair[0].dot(pair[1]) < 0.0).count();
        if count > 0 {
            flipped += count;
            joints.push(track.joint);
        }
    }
    if flipped > 0 {
        let message = format_args!(
            "{flipped} rotation keys have the opposite sign of the key before, so that the spline goes the long way round: {}; tick Always Sample Animations in Blender's export",
            rig.names(&joints)
        );
        issues.add("RIGVIEW_QUATERNION_FLIP", at, message);
    }
}

/// Numbers of a key's value.
fn width(track: &Track, keys: usize) -> usize {
    match &track.keys {
        Keys::Translation(_) | Keys::Scale(_) => 3,
        Keys::Rotation(_) => 4,
        Keys::Weights(weights) => weights.len() / keys.max(1),
    }
}

/// How many keys of a track could be left out without a change.
fn redundant_keys(track: &Track, times: &[f32]) -> usize {
    let keys = times.len();
    if track.interpolation == Interpolation::CubicSpline || keys < 2 {
        return 0;
    }
    let same = |a: usize, b: usize| {
        let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME);
        match &track.keys {
            Keys::Translation(values) | Keys::Scale(values) => near(values[a].as_slice(), values[b].as_slice()),
            Keys::Rotation(values) => near(values[a].as_slice(), values[b].as_slice()),
            Keys::Weights(values) => {
                let each = values.len() / keys;
                near(&values[a * each..(a + 1) * each], &values[b * each..(b + 1) * each])
            }
        }
    };
    if (1..keys).all(|key| same(0, key)) {
        return keys - 1;
    }
    (1..keys - 1).filter(|key| same(key - 1, *key) && same(*key, key + 1)).count()
}

fn redundant(clip: &Clip, at: &str, issues: &mut Issues) {
    let (mut count, mut all, mut bytes) = (0, 0, 0);
    for track in &clip.tracks {
        let times = &clip.timelines[track.timeline].times_secs;
        let redundant = redundant_keys(track, times);
        count += redundant;
        all += times.len();
        bytes += redundant * width(track, times.len()) * 4;
    }
    // Blender writes two equal keys for every bone that rests; a handful is not worth a word.
    if count >= 20 && count * 5 >= all {
        let message = format_args!(
            "{count} of {all} keys repeat the one before and after; without them the file is about {} KiB smaller: tick Optimize Animation Size in Blender's export",
            bytes.div_ceil(1024)
        );
        issues.add("RIGVIEW_REDUNDANT_KEYS", at, message);
    }
}

fn ends(clip: &Clip, at: &str, issues: &mut Issues) {
    let last = |track: &&Track| clip.timelines[track.timeline].times_secs.last().copied().unwrap_or(0.0);
    let moving = |track: &&Track| clip.timelines[track.timeline].times_secs.len() > 1;
    let early: Vec<f32> = clip
        .tracks
        .iter()
        .filter(moving)
        .map(|track| last(&track))
        .filter(|end| clip.duration_secs - end > SAME_SECS)
        .collect();
    if !early.is_empty() {
        let least = early.iter().copied().fold(f32::INFINITY, f32::min);
        let message = format_args!(
            "{} of its {} tracks end before the clip does ({least:.3} s of {:.3} s) and hold their last value; bake the action over one frame range",
            early.len(),
            clip.tracks.len(),
            clip.duration_secs
        );
        issues.add("RIGVIEW_CLIPS_END_APART", at, message);
    }
}

/// Clips that move different things are meant to be played together, and drift apart if they differ in length.
fn clips_apart(rig: &Rig<'_>, issues: &mut Issues) {
    let clips = &rig.model.clips;
    let mut moved = BTreeSet::new();
    let apart = clips.iter().all(|clip| {
        let own: BTreeSet<JointIndex> = clip.tracks.iter().map(|track| track.joint).collect();
        own.into_iter().all(|joint| moved.insert(joint))
    });
    let (mut least, mut most) = (f32::INFINITY, 0.0f32);
    for clip in clips.iter().filter(|clip| !clip.tracks.is_empty()) {
        (least, most) = (least.min(clip.duration_secs), most.max(clip.duration_secs));
    }
    if clips.len() > 1 && apart && most - least > SAME_SECS {
        let message = format_args!(
            "each of {} clips moves other parts, and they last {least:.3} to {most:.3} s: played together they drift apart; give the actions one length in Blender, or export with Animation Mode Scene",
            clips.len()
        );
        issues.add("RIGVIEW_CLIPS_END_APART", "/animations", message);
    }
}
