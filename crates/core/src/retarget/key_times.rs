//! Times of the keys of a retargeted clip.

use crate::model::{Clip, Interpolation, JointIndex, KeyValues, Skeleton};
use crate::pose::{Cursor, Pose, sample};
use crate::util::text::excerpt;
use std::fmt;

/// Longest time between keys in seconds: the blend of two keys differs between skeletons.
const MAX_KEY_SECS: f64 = 1.0 / 30.0;

/// Largest number of keys of a track: 9 minutes of motion capture at 120 frames per second.
const MAX_KEYS: usize = 1 << 16;

/// Largest number of joint poses that a clip is sampled at, which bounds the time for a large skeleton.
const MAX_SAMPLED_JOINTS: usize = 50_000_000;

/// Number of keys of the source at which the error of other keys is measured.
const ERROR_SAMPLES: usize = 500;

/// The keys of a clip that were replaced by fewer ones, because the clip has too many.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Resampling {
    /// Name of the clip.
    pub clip: String,
    /// Number of keys of its timelines.
    pub key_count: usize,
    /// Number of the new keys per second.
    pub keys_per_sec: f64,
    /// Largest angle in degrees between a rotation of the source, relative to its parent, and that between the new keys, at 500 keys.
    pub max_error_degrees: f64,
}

impl fmt::Display for Resampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clip, key_count, keys_per_sec, max_error_degrees } = self;
        write!(
            f,
            "clip {clip} has {key_count} keys; it is sampled {keys_per_sec:.1} times per second instead, which changes rotations by up to \
             {max_error_degrees:.1} degrees; cut it into several files to keep its keys"
        )
    }
}

/// Times of keys, and the interpolation between them.
pub(super) struct KeyTimes {
    pub(super) times_secs: Vec<f32>,
    /// [`Interpolation::Step`] if the whole source has it, else [`Interpolation::Linear`].
    pub(super) interpolation: Interpolation,
    pub(super) resampling: Option<Resampling>,
}

impl KeyTimes {
    /// Returns the times of the keys of a clip; at least one. Between distant keys there are further ones, and before each key of a
    /// track that jumps one with its former value, unless the whole clip jumps.
    pub(super) fn new(skeleton: &Skeleton, clip: &Clip) -> Self {
        let max_keys = MAX_KEYS.min(MAX_SAMPLED_JOINTS / skeleton.len().max(1)).max(2);
        let is_posed = |keys: &KeyValues| !matches!(keys, KeyValues::Weights(_));
        let mut jumps = vec![None; clip.timelines.len()];
        for track in clip.tracks.iter().filter(|track| is_posed(&track.keys)) {
            let is_step = track.interpolation == Interpolation::Step;
            let jumps = &mut jumps[track.timeline.get()];
            *jumps = Some(jumps.unwrap_or(false) || is_step);
        }
        let tracks = || clip.tracks.iter().filter(|track| is_posed(&track.keys));
        let all_jump = tracks().next().is_some() && tracks().all(|track| track.interpolation == Interpolation::Step);
        let interpolation = if all_jump { Interpolation::Step } else { Interpolation::Linear };
        let key_count: usize = clip.timelines.iter().map(|timeline| timeline.times_secs().len()).sum();
        let mut times: Vec<f32> = Vec::new();
        if key_count <= 16 * max_keys {
            for (timeline, jumps) in clip.timelines.iter().zip(jumps) {
                times.extend(timeline.times_secs());
                if jumps == Some(true) && !all_jump {
                    times.extend(timeline.times_secs().iter().filter(|time| **time > 0.0).map(|time| time.next_down()));
                }
            }
        }
        times.extend([clip.first_key_secs.min(clip.duration_secs), clip.duration_secs]);
        times.sort_by(f32::total_cmp);
        times.dedup();
        let is_resampled = times.len() > max_keys || key_count > 16 * max_keys;
        if is_resampled {
            times = vec![times[0], times[times.len() - 1]];
        }
        if all_jump && !is_resampled {
            return Self { times_secs: times, interpolation, resampling: None };
        }
        let length = f64::from(times[times.len() - 1]) - f64::from(times[0]);
        let max_gap = MAX_KEY_SECS.max(length / (max_keys - times.len() + 1) as f64);
        let max_gap = if is_resampled { length / (max_keys - 1) as f64 } else { max_gap };
        let mut dense = Vec::new();
        for pair in times.windows(2) {
            let (start, gap) = (f64::from(pair[0]), f64::from(pair[1]) - f64::from(pair[0]));
            // A key of the source may be slightly late, and its time is rounded.
            let rounding = f64::from(pair[1].abs().next_up() - pair[1].abs());
            let steps = ((gap - rounding) / max_gap - 1e-3).ceil().clamp(1.0, max_keys as f64);
            dense.extend((0..steps as usize).map(|step| (start + gap * step as f64 / steps) as f32));
        }
        dense.push(times[times.len() - 1]);
        dense.dedup();
        let resampling = is_resampled.then(|| Resampling {
            clip: excerpt(clip.name.as_deref().unwrap_or("without a name")),
            key_count,
            keys_per_sec: (dense.len() - 1) as f64 / length.max(1e-9),
            max_error_degrees: max_error_degrees(skeleton, clip, &dense),
        });
        Self { times_secs: dense, interpolation, resampling }
    }
}

/// Returns the largest angle between rotations of a clip and those that are interpolated between `times_secs`.
fn max_error_degrees(skeleton: &Skeleton, clip: &Clip, times_secs: &[f32]) -> f64 {
    let Some(timeline) = clip.timelines.iter().max_by_key(|timeline| timeline.times_secs().len()) else { return 0.0 };
    let keys = timeline.times_secs();
    let pose_at = |time: f32| {
        let mut pose = Pose::default();
        sample(skeleton, clip, f64::from(time), &mut Cursor::default(), &mut pose);
        pose
    };
    let mut animated: Vec<JointIndex> = clip.tracks.iter().map(|track| track.joint).collect();
    animated.sort();
    animated.dedup();
    let mut max_angle: f64 = 0.0;
    for i in 0..ERROR_SAMPLES.min(keys.len()) {
        let time = keys[i * keys.len() / ERROR_SAMPLES.min(keys.len())];
        let after = times_secs.partition_point(|at| *at < time);
        let (Some(&from), Some(&to)) = (times_secs.get(after.saturating_sub(1)), times_secs.get(after)) else {
            continue;
        };
        let (from_pose, to_pose, exact) = (pose_at(from), pose_at(to), pose_at(time));
        let t = ((f64::from(time) - f64::from(from)) / (f64::from(to) - f64::from(from)).max(1e-12)).clamp(0.0, 1.0);
        for joint in &animated {
            let [from, to, exact] =
                [&from_pose, &to_pose, &exact].map(|pose| pose.parent_from_joint[joint.get()].rotation);
            let between = from.try_slerp(&to, t, 1e-9).unwrap_or(from);
            max_angle = max_angle.max(between.angle_to(&exact));
        }
    }
    max_angle.to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{Joint, Timeline, Track};
    use nalgebra::{UnitQuaternion, Vector3};

    fn clip(times_secs: Vec<f32>, interpolations: &[Interpolation]) -> Clip {
        let rotation = |i: usize| UnitQuaternion::new(Vector3::x() * (0.1 * (i % 7) as f64)).coords.cast();
        let keys = KeyValues::Rotation((0..times_secs.len()).map(rotation).collect());
        let track = |interpolation: &Interpolation| Track {
            joint: JointIndex(0),
            timeline: 0.into(),
            interpolation: *interpolation,
            keys: keys.clone(),
        };
        let tracks = interpolations.iter().map(track).collect();
        let duration_secs = times_secs.last().copied().unwrap_or_default();
        Clip { duration_secs, timelines: vec![Timeline::new(times_secs)], tracks, ..Clip::default() }
    }

    fn key_times(clip: &Clip) -> KeyTimes {
        let joint = Joint {
            name: None,
            node: 0,
            parent: None,
            rest: Transform::identity(),
            exact_rest_matrix: None,
            morph_weights: 0..0,
        };
        let skeleton = Skeleton::new(vec![joint], Vec::new());
        KeyTimes::new(&skeleton, clip)
    }

    #[test]
    fn every_key_of_the_source_is_kept() {
        use Interpolation::{Linear, Step};
        // Half an hour at 30 frames per second.
        for frames_per_sec in [30.0, 60.0, 120.0] {
            let even: Vec<f32> = (0..54_000).map(|i| (f64::from(i) / frames_per_sec) as f32).collect();
            let found = key_times(&clip(even.clone(), &[Linear]));
            assert_eq!(found.times_secs.len(), even.len(), "{frames_per_sec}");
            assert_eq!((found.times_secs, found.interpolation, found.resampling), (even, Linear, None));
        }
        let sparse = vec![0.0, 1.0, 1.5];
        let found = key_times(&clip(sparse.clone(), &[Step, Step]));
        assert_eq!((&found.times_secs, found.interpolation), (&sparse, Step));
        let found = key_times(&clip(sparse.clone(), &[Linear]));
        assert!(found.interpolation == Linear && found.times_secs.len() == 46);
        // Jumps beside other tracks have a key before and after.
        let found = key_times(&clip(sparse.clone(), &[Step, Linear]));
        assert!(found.interpolation == Linear && sparse.iter().all(|time| found.times_secs.contains(time)));
        assert!(found.times_secs.contains(&1.0_f32.next_down()));
    }

    #[test]
    fn too_many_keys_are_resampled_with_a_report() {
        let times: Vec<f32> = (0..200_000).map(|i| i as f32 / 120.0).collect();
        let found = key_times(&clip(times, &[Interpolation::Linear]));
        let resampling = found.resampling.unwrap();
        assert!(found.times_secs.len() <= MAX_KEYS && resampling.key_count == 200_000, "{resampling}");
        assert!((resampling.keys_per_sec - MAX_KEYS as f64 / (200_000.0 / 120.0)).abs() < 0.1, "{resampling}");
        assert!((1.0..40.0).contains(&resampling.max_error_degrees), "{resampling}");
    }
}
