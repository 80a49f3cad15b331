//! Differences between clips.

use super::joints::{Matched, degrees_between};
use rigview_core::model::{Clip, ClipIndex, JointIndex, KeyValues, Model};
use rigview_core::pose::{Cursor, Pose, reset_tracks, sample_tracks};
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

/// Returns the clip of this name in a report.
pub(super) fn find_clip(model: &Model, requested: &str) -> Option<ClipIndex> {
    let index = model.clips.iter().enumerate().position(|(i, clip)| name(clip, i) == requested)?;
    Some(ClipIndex(index as u32))
}

impl ClipsDiff {
    /// Compares clips of the same name.
    pub(crate) fn of(before: &Model, after: &Model, matched: &Matched) -> Self {
        let names =
            |model: &Model| -> Vec<String> { model.clips.iter().enumerate().map(|(i, clip)| name(clip, i)).collect() };
        let (old, new) = (names(before), names(after));
        let (old_index, new_index) = (first_of_each(&old), first_of_each(&new));
        let size = before.skeleton.joints().iter().map(|joint| joint.rest.translation.norm()).fold(0.0, f64::max);
        let mut comparison = Comparison {
            models: [before, after],
            matched,
            poses: [before, after].map(|model| Pose::rest(&model.skeleton)),
            max_distance: SAME_DISTANCE_RATIO * size,
        };
        let mut diff = Self::default();
        diff.added.extend(new.iter().filter(|name| !old_index.contains_key(name.as_str())).cloned());
        diff.removed.extend(old.iter().filter(|name| !new_index.contains_key(name.as_str())).cloned());
        for (i, name) in old.iter().enumerate().filter(|(i, name)| old_index[name.as_str()] == *i) {
            if let Some(&j) = new_index.get(name.as_str()) {
                diff.changed.extend(comparison.compare(name, [&before.clips[i], &after.clips[j]]));
            }
        }
        diff
    }
}

/// Returns the index of the first clip of each name.
fn first_of_each(names: &[String]) -> HashMap<&str, usize> {
    names.iter().enumerate().rev().map(|(i, name)| (name.as_str(), i)).collect()
}

/// What all comparisons of clips share.
struct Comparison<'a> {
    models: [&'a Model; 2],
    matched: &'a Matched,
    /// The rest poses between two comparisons: a comparison changes and restores only the joints of its clips.
    poses: [Pose; 2],
    max_distance: f64,
}

impl Comparison<'_> {
    fn compare(&mut self, name: &str, clips: [&Clip; 2]) -> Option<ClipDiff> {
        let key_count = |clip: &Clip| {
            clip.tracks.iter().map(|track| clip.timelines[track.timeline].times_secs().len()).sum::<usize>()
        };
        let duration_secs = clips.map(|clip| f64::from(clip.duration_secs));
        let channels = clips.map(|clip| clip.tracks.len());
        let keys = clips.map(key_count);
        let joints = self.curves(clips);
        let same_duration = (duration_secs[0] - duration_secs[1]).abs() <= SAME_SECS;
        let same = same_duration && channels[0] == channels[1] && keys[0] == keys[1] && joints.is_empty();
        (!same).then(|| ClipDiff { clip: name.to_owned(), duration_secs, channels, keys, joints })
    }

    /// Returns the joints of both models that either clip animates and whose curves differ.
    fn curves(&mut self, clips: [&Clip; 2]) -> Vec<CurveDiff> {
        let Self { models, matched, poses, max_distance } = self;
        let animated = |clip: &Clip| -> Vec<JointIndex> {
            clip.tracks.iter().filter(|t| !matches!(t.keys, KeyValues::Weights(_))).map(|track| track.joint).collect()
        };
        let mut pairs: BTreeSet<(JointIndex, JointIndex)> = BTreeSet::new();
        pairs.extend(animated(clips[0]).into_iter().filter_map(|joint| Some((joint, matched.after_of[joint.get()]?))));
        pairs.extend(animated(clips[1]).into_iter().filter_map(|joint| Some((matched.before_of[joint.get()]?, joint))));
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
        let mut cursors = [Cursor::default(), Cursor::default()];
        let duration = f64::from(clips[0].duration_secs.max(clips[1].duration_secs));
        for step in 0..SAMPLE_COUNT {
            let time = duration * step as f64 / (SAMPLE_COUNT - 1) as f64;
            for (i, clip) in clips.iter().enumerate() {
                let clamped_time = time.min(f64::from(clip.duration_secs));
                sample_tracks(&models[i].skeleton, clip, clamped_time, &mut cursors[i], &mut poses[i]);
            }
            for ((a, b), curve) in pairs.iter().zip(&mut found) {
                let (a, b) = (poses[0].parent_from_joint[a.get()], poses[1].parent_from_joint[b.get()]);
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
        for (i, clip) in clips.iter().enumerate() {
            reset_tracks(&models[i].skeleton, clip, &mut poses[i]);
        }
        found
            .retain(|curve| curve.distance > *max_distance || curve.degrees > SAME_DEGREES || curve.scale > SAME_SCALE);
        found.sort_by(|a, b| b.degrees.total_cmp(&a.degrees).then(b.distance.total_cmp(&a.distance)));
        found
    }
}
