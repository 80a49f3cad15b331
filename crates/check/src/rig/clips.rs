//! Lints of clips: start, end, loops, redundant keys.

use super::rest_rig::RestRig;
use crate::issue::Issues;
use crate::loop_seam::{LoopDiscontinuity, loop_discontinuity};
use rigview_core::model::{Clip, Interpolation, JointIndex, KeyValues, SkinIndex, Track};
use std::collections::{BTreeMap, BTreeSet};

/// Tolerance of equal key values: the rounding of a rotation in single precision.
const VALUE_TOLERANCE: f32 = 1e-6;
const TIME_TOLERANCE_SECS: f32 = 1e-3;
/// Difference of a morph weight or of a coordinate that is visible.
const WEIGHT_TOLERANCE: f64 = 0.01;

pub(super) fn check(rig: &RestRig<'_>, has_keys_per_frame: bool, issues: &mut Issues) {
    for (i, clip) in rig.model.clips.iter().enumerate() {
        let at = format!("/animations/{i}");
        check_start(clip, &at, issues);
        check_loop(rig, clip, &at, issues);
        check_quaternion_signs(rig, clip, &at, issues);
        if !has_keys_per_frame {
            check_redundant_keys(clip, &at, issues);
        }
        check_track_lengths(clip, &at, issues);
    }
    check_clip_lengths(rig, issues);
    check_objects_of_clips(rig, issues);
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

/// Reports the largest differences between the last keys and the first.
fn check_loop(rig: &RestRig<'_>, clip: &Clip, at: &str, issues: &mut Issues) {
    let seam = loop_discontinuity(rig.model, &rig.rest_pose, clip).filter(|_| clip.duration_secs > 0.0);
    let Some(seam) = seam else { return };
    let morph_weight = seam.morph_weight.filter(|_| is_meant_to_loop(rig, clip));
    let jumps = LoopDiscontinuity { morph_weight, ..seam }.visible_jumps(
        rig.size,
        |joint| rig.name(joint),
        |joint, weight| rig.weight_name(joint, weight),
    );
    if !jumps.is_empty() {
        let message = format!(
            "if looped, it jumps from its last pose to its first: {}; if it is meant to loop, copy the first keys to the last frame",
            jumps.join(", ")
        );
        issues.add("RIGVIEW_LOOP_DISCONTINUITY", at, format_args!("{message}"));
    }
}

/// Returns `true` if a track of the clip leaves its first key and returns to it at the last, or a morph weight rises and falls more than
/// once: an expression need not return.
fn is_meant_to_loop(rig: &RestRig<'_>, clip: &Clip) -> bool {
    clip.tracks.iter().any(|track| {
        let (count, step) = (clip.timelines[track.timeline].times_secs().len(), track.interpolation.values_per_key());
        // Of spline keys, the one between its tangents.
        let at = |key: usize| key * step + step / 2;
        let returns = |differ: &dyn Fn(usize, usize) -> bool| {
            count > 2 && !differ(at(0), at(count - 1)) && (1..count - 1).any(|key| differ(at(0), at(key)))
        };
        let is_far = |a: &[f32], b: &[f32]| a.iter().zip(b).any(|(a, b)| f64::from(a - b).abs() > WEIGHT_TOLERANCE);
        match &track.keys {
            KeyValues::Translation(values) | KeyValues::Scale(values) => {
                returns(&|a, b| is_far(values[a].as_slice(), values[b].as_slice()))
            }
            KeyValues::Rotation(values) => returns(&|a, b| f64::from(values[a].dot(&values[b]).abs()) < 0.9999),
            KeyValues::Weights(values) => {
                let size = rig.skeleton().joint(track.joint).morph_weights.len();
                (0..size).any(|weight| {
                    let value = |key: usize| values[at(key) * size + weight];
                    let (min, max) = (0..count).map(value).fold((f32::MAX, f32::MIN), |(a, b), x| (a.min(x), b.max(x)));
                    let rises = (1..count).filter(|key| {
                        let middle = (min + max) / 2.0;
                        value(key - 1) < middle && value(*key) >= middle
                    });
                    f64::from(max - min) > WEIGHT_TOLERANCE
                        && ((value(0) - value(count - 1)).abs() < 1e-3 || rises.count() > 1)
                })
            }
        }
    })
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
            "{count} rotation keys have the opposite sign of the previous key, so the spline takes the long way: {}; tick Animation > Sampling Animations in Blender's export",
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
            "each of {} clips animates other joints, and they last {min:.3} to {max:.3} s: played together they lose synchronization; give the actions one length in Blender",
            clips.len()
        );
        issues.add("RIGVIEW_CLIP_LENGTH_MISMATCH", "/animations", message);
    }
}

/// Reports clips each of which moves another object or armature, so that none is the motion of the whole file.
fn check_objects_of_clips(rig: &RestRig<'_>, issues: &mut Issues) {
    let mut skin_of_joint: BTreeMap<JointIndex, SkinIndex> = BTreeMap::new();
    for (i, skin) in rig.model.skins.iter().enumerate() {
        for joint in &skin.joints {
            skin_of_joint.entry(*joint).or_insert(SkinIndex(i as u32));
        }
    }
    // The first joint stands for an object or an armature.
    let (mut objects, mut seen) = (Vec::new(), BTreeSet::new());
    for clip in rig.model.clips.iter().filter(|clip| !clip.tracks.is_empty()) {
        let object = |track: &Track| match skin_of_joint.get(&track.joint) {
            Some(skin) => rig.model.skins[skin.get()].joints[0],
            None => track.joint,
        };
        let first = object(&clip.tracks[0]);
        if !clip.tracks.iter().all(|track| object(track) == first) || !seen.insert(first) {
            return;
        }
        objects.push(first);
    }
    if objects.len() > 1 {
        let message = format_args!(
            "each of {} clips moves another object ({}), so that no clip moves the whole file; for one clip, set Animation > Animation Mode to Scene in Blender's export and untick Bake & Merge > Split Animation by Object, or push the actions down to NLA tracks of one name and export with NLA Tracks",
            objects.len(),
            rig.names(&objects)
        );
        issues.add("RIGVIEW_CLIP_PER_OBJECT", "/animations", message);
    }
}
