//! Differences between clips.

use super::joints::{Matched, degrees_between};
use crate::model::{Clip, JointIndex, Keys, Model};
use crate::pose::{Cursor, Pose, sample};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// Number of evenly spaced times at which curves are compared.
const SAMPLE_COUNT: usize = 121;
const SAME_SECS: f64 = 1e-4;
const SAME_DEGREES: f64 = 0.05;
const SAME_SCALE: f64 = 1e-3;
/// Relative to the largest rest translation.
const SAME_DISTANCE_RATIO: f64 = 1e-4;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ClipsDiff {
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
    pub(crate) changed: Vec<ClipDiff>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ClipDiff {
    pub(crate) clip: String,
    /// Before and after.
    pub(crate) duration_secs: [f64; 2],
    /// Channels before and after.
    pub(crate) channels: [usize; 2],
    /// Keys of all channels before and after.
    pub(crate) keys: [usize; 2],
    /// Joints with different curves, largest difference first.
    pub(crate) joints: Vec<CurveDiff>,
}

/// Maximum differences between the curves of a joint over the clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CurveDiff {
    pub(crate) joint: String,
    /// In the file's units, in the parent's space.
    pub(crate) distance: f64,
    pub(crate) degrees: f64,
    pub(crate) scale: f64,
    /// Time of the largest difference in rotation, or in translation if the rotations are equal.
    pub(crate) at_secs: f64,
}

fn name(clip: &Clip, number: usize) -> String {
    clip.name.clone().unwrap_or_else(|| format!("clip {number}"))
}

impl ClipsDiff {
    /// Compares clips of the same name.
    pub(crate) fn of(before: &Model, after: &Model, matched: &Matched) -> Self {
        let names =
            |model: &Model| -> Vec<String> { model.clips.iter().enumerate().map(|(i, clip)| name(clip, i)).collect() };
        let (old, new) = (names(before), names(after));
        let (old_index, new_index) = (first_of_each(&old), first_of_each(&new));
        let mut diff = Self::default();
        diff.added.extend(new.iter().filter(|name| !old_index.contains_key(name.as_str())).cloned());
        diff.removed.extend(old.iter().filter(|name| !new_index.contains_key(name.as_str())).cloned());
        for (i, name) in old.iter().enumerate().filter(|(i, name)| old_index[name.as_str()] == *i) {
            if let Some(&j) = new_index.get(name.as_str()) {
                let clips = (&before.clips[i], &after.clips[j]);
                let change = compare(name, clips, (before, after), matched);
                diff.changed.extend(change);
            }
        }
        diff
    }
}

/// Returns the index of the first clip of each name.
fn first_of_each(names: &[String]) -> HashMap<&str, usize> {
    names.iter().enumerate().rev().map(|(i, name)| (name.as_str(), i)).collect()
}

fn compare(
    name: &str,
    (old, new): (&Clip, &Clip),
    (before, after): (&Model, &Model),
    matched: &Matched,
) -> Option<ClipDiff> {
    let keys =
        |clip: &Clip| clip.tracks.iter().map(|track| clip.timelines[track.timeline].times_secs.len()).sum::<usize>();
    let duration_secs = [old, new].map(|clip| f64::from(clip.duration_secs));
    let channels = [old.tracks.len(), new.tracks.len()];
    let keys = [keys(old), keys(new)];
    let joints = curves((old, new), (before, after), matched);
    let same_duration = (duration_secs[0] - duration_secs[1]).abs() <= SAME_SECS;
    let same = same_duration && channels[0] == channels[1] && keys[0] == keys[1] && joints.is_empty();
    (!same).then(|| ClipDiff { clip: name.to_owned(), duration_secs, channels, keys, joints })
}

/// Returns the joints of both models that either clip animates and whose curves differ.
fn curves((old, new): (&Clip, &Clip), (before, after): (&Model, &Model), matched: &Matched) -> Vec<CurveDiff> {
    let animated = |clip: &Clip| -> Vec<JointIndex> {
        clip.tracks.iter().filter(|t| !matches!(t.keys, Keys::Weights(_))).map(|track| track.joint).collect()
    };
    let mut pairs: BTreeSet<(JointIndex, JointIndex)> = BTreeSet::new();
    pairs.extend(animated(old).into_iter().filter_map(|joint| Some((joint, matched.after_of[joint.get()]?))));
    pairs.extend(animated(new).into_iter().filter_map(|joint| Some((matched.before_of[joint.get()]?, joint))));
    let size = before.skeleton.joints().iter().map(|joint| joint.rest.translation.norm()).fold(0.0, f64::max);
    let mut found: Vec<CurveDiff> = pairs
        .iter()
        .map(|(_, joint)| CurveDiff {
            joint: matched.after(*joint).to_owned(),
            distance: 0.0,
            degrees: 0.0,
            scale: 0.0,
            at_secs: 0.0,
        })
        .collect();
    let (mut pose_a, mut pose_b) = (Pose::rest(&before.skeleton), Pose::rest(&after.skeleton));
    let (mut cursor_a, mut cursor_b) = (Cursor::default(), Cursor::default());
    let duration = f64::from(old.duration_secs.max(new.duration_secs));
    for step in 0..SAMPLE_COUNT {
        let time = duration * step as f64 / (SAMPLE_COUNT - 1) as f64;
        let clamped_time = |clip: &Clip| time.min(f64::from(clip.duration_secs));
        sample(&before.skeleton, old, clamped_time(old), &mut cursor_a, &mut pose_a);
        sample(&after.skeleton, new, clamped_time(new), &mut cursor_b, &mut pose_b);
        for ((a, b), curve) in pairs.iter().zip(&mut found) {
            let (a, b) = (pose_a.parent_from_joint[a.get()], pose_b.parent_from_joint[b.get()]);
            let distance = (a.translation - b.translation).norm();
            let degrees = degrees_between(&a.rotation, &b.rotation);
            if degrees > curve.degrees || (curve.degrees <= SAME_DEGREES && distance > curve.distance) {
                curve.at_secs = time;
            }
            curve.distance = curve.distance.max(distance);
            curve.degrees = curve.degrees.max(degrees);
            curve.scale = curve.scale.max((a.scale - b.scale).amax());
        }
    }
    found.retain(|curve| {
        curve.distance > SAME_DISTANCE_RATIO * size || curve.degrees > SAME_DEGREES || curve.scale > SAME_SCALE
    });
    found.sort_by(|a, b| b.degrees.total_cmp(&a.degrees).then(b.distance.total_cmp(&a.distance)));
    found
}
