//! Sampling of a clip.

use super::Pose;
use super::interpolate::{hermite_weights, lerp, slerp, unit};
use crate::model::{
    Clip, Interpolation, KeyValues, PropertyTarget, PropertyTrack, Skeleton, Timeline, TimelineIndex, Track,
};
use nalgebra::{UnitQuaternion, Vector3, Vector4};
use std::ops::Range;

/// Cache of the last key on each timeline, so that sequential playback needs no search.
///
/// Use one per instance. Use with another clip or time is correct, but slower.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    /// For each timeline, the last key at or before the time, or 0.
    keys: Vec<u32>,
    /// For each timeline, the interval of the current sample. Kept to reuse its memory.
    intervals: Vec<KeyInterval>,
}

impl Cursor {
    /// Returns the last of `times` at or before `time`, or 0. Tries the cached key and the next before a binary search.
    fn seek(&mut self, timeline: usize, times: &[f32], time: f64) -> usize {
        let holds = |key: usize| {
            (key == 0 || times.get(key).is_some_and(|&at| f64::from(at) <= time))
                && times.get(key + 1).is_none_or(|&next| time < f64::from(next))
        };
        let cached = self.keys[timeline] as usize;
        let key = if holds(cached) {
            cached
        } else if holds(cached + 1) {
            cached + 1
        } else {
            times.partition_point(|&at| f64::from(at) <= time).saturating_sub(1)
        };
        self.keys[timeline] = key as u32;
        key
    }
}

/// A position between two keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyInterval {
    /// The earlier key.
    key: usize,
    /// Fraction of the time to the next key, 0 to 1. At 0 the next key need not exist.
    t: f64,
    /// Seconds between the keys.
    key_secs: f64,
}

impl KeyInterval {
    pub(super) fn at(times: &[f32], key: usize, time: f64) -> Self {
        let at = |key: usize| f64::from(times[key]);
        if key + 1 >= times.len() || time <= at(key) {
            return Self { key, t: 0.0, key_secs: 0.0 };
        }
        let key_secs = at(key + 1) - at(key);
        Self { key, t: (time - at(key)) / key_secs, key_secs }
    }
}

/// Clamps a time to the clip: from 0 to its last key. NaN becomes 0.
pub fn clamp_to_clip(time_secs: f64, clip: &Clip) -> f64 {
    // `clamp` would keep NaN.
    time_secs.max(0.0).min(f64::from(clip.duration_secs))
}

/// Sets `pose` to `clip` at `time_secs`. Joints without a track are at rest.
///
/// Before a track's first key the first value holds, after the last key the last value.
///
/// ```
/// use rigview_core::pose::{Cursor, ModelPose, Pose, sample};
///
/// # use rigview_core::{import::{ImportOptions, OpenError, open}, model::JointIndex};
/// # fn main() -> Result<(), OpenError> {
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let model = open(file, &ImportOptions::default())?.model;
/// let (mut pose, mut cursor, mut model_pose) = (Pose::default(), Cursor::default(), ModelPose::default());
/// sample(&model.skeleton, &model.clips[0], 0.5, &mut cursor, &mut pose);
/// model_pose.update(&model.skeleton, &pose);
/// let head = model.skeleton.joints().iter().position(|joint| joint.name.as_deref() == Some("head")).unwrap();
/// let head_in_model = model_pose.model_from_joint(JointIndex(head as u32)).translation;
/// assert!(head_in_model.y > 0.0);
/// # Ok(())
/// # }
/// ```
///
/// # Panics
/// If `clip` is not [valid](crate::model::Model::validate) for this skeleton, such as a track without a value for each key.
pub fn sample(skeleton: &Skeleton, clip: &Clip, time_secs: f64, cursor: &mut Cursor, pose: &mut Pose) {
    pose.reset(skeleton);
    sample_tracks(skeleton, clip, time_secs, cursor, pose);
}

/// Like [`sample`], but joints without a track keep their pose. Its time does not depend on their number.
pub fn sample_tracks(skeleton: &Skeleton, clip: &Clip, time_secs: f64, cursor: &mut Cursor, pose: &mut Pose) {
    reset_tracks(skeleton, clip, pose);
    cursor.keys.resize(clip.timelines.len(), 0);
    cursor.intervals.clear();
    for (timeline, times_secs) in clip.timelines.iter().map(Timeline::times_secs).enumerate() {
        let key = cursor.seek(timeline, times_secs, time_secs);
        cursor.intervals.push(KeyInterval::at(times_secs, key, time_secs));
    }
    for track in &clip.tracks {
        apply_track(track, cursor.intervals[track.timeline.get()], &skeleton.joint(track.joint).morph_weights, pose);
    }
}

/// Resets the joints with tracks to the rest pose; morph weights keep their values.
pub fn reset_tracks(skeleton: &Skeleton, clip: &Clip, pose: &mut Pose) {
    for Track { joint, .. } in &clip.tracks {
        pose.parent_from_joint[joint.get()] = skeleton.joint(*joint).rest;
    }
}

fn apply_track(track: &Track, interval: KeyInterval, weights: &Range<usize>, pose: &mut Pose) {
    let local = &mut pose.parent_from_joint[track.joint.get()];
    match &track.keys {
        KeyValues::Translation(values) => local.translation = vector(values, track.interpolation, interval),
        KeyValues::Scale(values) => local.scale = vector(values, track.interpolation, interval),
        KeyValues::Rotation(values) => {
            if let Some(rotation) = rotation(values, track.interpolation, interval) {
                local.rotation = rotation;
            }
        }
        KeyValues::Weights(values) => {
            let targets = weights.len();
            for (i, weight) in pose.morph_weights[weights.clone()].iter_mut().enumerate() {
                *weight = interpolate_component(
                    |value| f64::from(values[value * targets + i]),
                    track.interpolation,
                    interval,
                ) as f32;
            }
        }
    }
}

/// Interpolates one component. `value_at` returns it for a stored value, by index.
pub(super) fn interpolate_component(
    value_at: impl Fn(usize) -> f64,
    interpolation: Interpolation,
    KeyInterval { key, t, key_secs }: KeyInterval,
) -> f64 {
    match interpolation {
        Interpolation::CubicSpline if t > 0.0 => {
            let [value, out_tangent, next, in_tangent] = hermite_weights(t, key_secs);
            value * value_at(3 * key + 1)
                + out_tangent * value_at(3 * key + 2)
                + next * value_at(3 * key + 4)
                + in_tangent * value_at(3 * key + 3)
        }
        Interpolation::CubicSpline => value_at(3 * key + 1),
        Interpolation::Linear if t > 0.0 => value_at(key) * (1.0 - t) + value_at(key + 1) * t,
        Interpolation::Linear | Interpolation::Step => value_at(key),
    }
}

fn vector(values: &[Vector3<f32>], interpolation: Interpolation, interval: KeyInterval) -> Vector3<f64> {
    if interpolation == Interpolation::Linear && interval.t > 0.0 {
        return lerp(values[interval.key].cast(), values[interval.key + 1].cast(), interval.t);
    }
    Vector3::from_fn(|axis, _| interpolate_component(|value| f64::from(values[value][axis]), interpolation, interval))
}

/// Returns `None` where a spline passes through zero, which is not a rotation.
pub(super) fn rotation(
    values: &[Vector4<f32>],
    interpolation: Interpolation,
    interval: KeyInterval,
) -> Option<UnitQuaternion<f64>> {
    if interpolation == Interpolation::Linear && interval.t > 0.0 {
        let (a, b) = (unit(values[interval.key].cast())?, unit(values[interval.key + 1].cast())?);
        return Some(slerp(&a, &b, interval.t));
    }
    unit(Vector4::from_fn(|i, _| interpolate_component(|value| f64::from(values[value][i]), interpolation, interval)))
}

/// Samples a track of translations at a clip time; `None` for another one.
pub(super) fn track_translation(clip: &Clip, track: &Track, time_secs: f64) -> Option<Vector3<f64>> {
    let KeyValues::Translation(values) = &track.keys else { return None };
    Some(vector(values, track.interpolation, interval_of(clip, track.timeline, time_secs)))
}

/// Samples a track of rotations at a clip time; `None` for another one, and where a spline passes through zero.
pub(super) fn track_rotation(clip: &Clip, track: &Track, time_secs: f64) -> Option<UnitQuaternion<f64>> {
    let KeyValues::Rotation(values) = &track.keys else { return None };
    rotation(values, track.interpolation, interval_of(clip, track.timeline, time_secs))
}

fn interval_of(clip: &Clip, timeline: TimelineIndex, time_secs: f64) -> KeyInterval {
    let times = clip.timelines[timeline].times_secs();
    let key = times.partition_point(|&at| f64::from(at) <= time_secs).saturating_sub(1);
    KeyInterval::at(times, key, time_secs)
}

/// Samples the components of a track at a clip time.
pub(super) fn sample_property(
    clip: &Clip,
    track: &PropertyTrack,
    time_secs: f64,
) -> [f64; PropertyTarget::MAX_COMPONENTS] {
    let interval = interval_of(clip, track.timeline, time_secs);
    let count = track.target.component_count();
    let mut components = [0.0; PropertyTarget::MAX_COMPONENTS];
    for (i, out) in components.iter_mut().enumerate().take(count) {
        *out = interpolate_component(|value| f64::from(track.values[value * count + i]), track.interpolation, interval);
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{Joint, JointIndex, Timeline};

    fn one_joint(weights: usize) -> Skeleton {
        let joint = Joint {
            name: None,
            node: 0,
            parent: None,
            rest: Transform::identity(),
            exact_rest_matrix: None,
            morph_weights: 0..weights,
        };
        Skeleton::new(vec![joint], vec![0.0; weights])
    }

    fn clip(times_secs: &[f32], interpolation: Interpolation, keys: KeyValues) -> Clip {
        Clip {
            name: None,
            duration_secs: *times_secs.last().unwrap(),
            first_key_secs: times_secs[0],
            timelines: vec![Timeline::new(times_secs)],
            tracks: vec![Track { joint: JointIndex(0), timeline: 0.into(), interpolation, keys }],
            property_tracks: Vec::new(),
        }
    }

    fn translation_at(clip: &Clip, time: f64) -> Vector3<f64> {
        let mut pose = Pose::default();
        sample(&one_joint(0), clip, time, &mut Cursor::default(), &mut pose);
        pose.parent_from_joint[0].translation
    }

    #[test]
    fn values_hold_before_first_and_after_last_key() {
        let keys = KeyValues::Translation([Vector3::new(1.0, 0.0, 0.0), Vector3::new(3.0, 0.0, 0.0)].into());
        let clip = clip(&[1.0, 2.0], Interpolation::Linear, keys);
        for (time, x) in [(-5.0, 1.0), (0.0, 1.0), (1.0, 1.0), (1.25, 1.5), (1.5, 2.0), (2.0, 3.0), (9.0, 3.0)] {
            assert_eq!(translation_at(&clip, time).x, x, "at {time}");
        }
    }

    #[test]
    fn step_changes_at_key() {
        let keys = KeyValues::Translation([Vector3::x(), Vector3::y()].into());
        let clip = clip(&[0.0, 1.0], Interpolation::Step, keys);
        assert_eq!(translation_at(&clip, 1.0 - 1e-12), Vector3::x());
        assert_eq!(translation_at(&clip, 1.0), Vector3::y());
    }

    #[test]
    fn spline_tangents_scale_with_key_distance() {
        // From 0 with slope 1 to 2 with slope 1 over two seconds: a straight line.
        let (zero, one, two) = (Vector3::zeros(), Vector3::x(), Vector3::x() * 2.0);
        let keys = KeyValues::Translation([zero, zero, one, one, two, zero].into());
        let clip = clip(&[0.0, 2.0], Interpolation::CubicSpline, keys);
        for time in [0.0, 0.3, 1.0, 1.7, 2.0] {
            assert!((translation_at(&clip, time).x - time).abs() < 1e-15, "at {time}");
        }
    }

    #[test]
    fn linear_rotation_has_constant_angular_speed() {
        let keys = KeyValues::Rotation([Vector4::new(0.0, 0.0, 0.0, 1.0), Vector4::new(0.0, 0.0, 1.0, 0.0)].into());
        let clip = clip(&[0.0, 1.0], Interpolation::Linear, keys);
        let mut pose = Pose::default();
        sample(&one_joint(0), &clip, 0.25, &mut Cursor::default(), &mut pose);
        assert!((pose.parent_from_joint[0].rotation.angle() - std::f64::consts::FRAC_PI_4).abs() < 1e-12);
    }

    #[test]
    fn cursor_matches_search_at_random_times() {
        let times: Vec<f32> = [0.0, 0.5, 0.5, 0.5, 1.0, 1.25, 4.0].to_vec();
        let mut cursor = Cursor { keys: vec![0], ..Cursor::default() };
        let mut state = 1_u64;
        for _ in 0..10_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let time = (state >> 40) as f64 / (1_u64 << 24) as f64 * 5.0 - 0.5;
            let time = if state & 0x700 == 0 { (time * 4.0).round() / 4.0 } else { time };
            let expected = times.iter().rposition(|&at| f64::from(at) <= time).unwrap_or(0);
            assert_eq!(cursor.seek(0, &times, time), expected, "at {time}");
        }
    }

    #[test]
    fn cursor_of_another_clip_is_correct() {
        let keys = |n: usize| KeyValues::Translation((0..n).map(|i| Vector3::x() * i as f32).collect());
        let long = clip(&[0.0, 1.0, 2.0, 3.0, 4.0], Interpolation::Linear, keys(5));
        let short = clip(&[0.0, 1.0], Interpolation::Linear, keys(2));
        let (mut cursor, mut pose) = (Cursor::default(), Pose::default());
        let mut at = |clip: &Clip, time| {
            sample(&one_joint(0), clip, time, &mut cursor, &mut pose);
            pose.parent_from_joint[0].translation.x
        };
        assert_eq!((at(&long, 3.5), at(&short, 0.5), at(&long, 1.5)), (3.5, 0.5, 1.5));
    }

    #[test]
    fn keys_at_same_time_are_discontinuous() {
        let keys = KeyValues::Translation([0.0, 1.0, 5.0, 6.0].map(|x| Vector3::x() * x).into());
        let clip = clip(&[0.0, 1.0, 1.0, 2.0], Interpolation::Linear, keys);
        assert_eq!(translation_at(&clip, 1.0).x, 5.0);
        assert!(translation_at(&clip, 1.0 - 1e-9).x < 1.0 + 1e-6);
    }

    #[test]
    fn morph_weights_of_all_targets_are_sampled() {
        let clip = clip(&[0.0, 1.0], Interpolation::Linear, KeyValues::Weights([0.0, 1.0, 1.0, 0.0].into()));
        let mut pose = Pose::default();
        sample(&one_joint(2), &clip, 0.25, &mut Cursor::default(), &mut pose);
        assert_eq!(pose.morph_weights, [0.25, 0.75]);
    }

    #[test]
    fn tracks_reset_their_joints_and_keep_others() {
        let joint = one_joint(0).joints()[0].clone();
        let skeleton = Skeleton::new(vec![joint.clone(), joint], Vec::new());
        let posed = Transform {
            translation: Vector3::repeat(7.0),
            rotation: UnitQuaternion::from_euler_angles(1.0, 2.0, 3.0),
            scale: Vector3::repeat(8.0),
        };
        let translation = KeyValues::Translation([Vector3::x(), Vector3::x() * 3.0].into());
        // The spline passes through zero, which is not a rotation.
        let zero = KeyValues::Rotation([Vector4::zeros(); 6].into());
        for (interpolation, keys, x) in
            [(Interpolation::Linear, translation, 2.0), (Interpolation::CubicSpline, zero, 0.0)]
        {
            let clip = clip(&[0.0, 1.0], interpolation, keys);
            let mut pose = Pose { parent_from_joint: vec![posed; 2], ..Pose::default() };
            sample_tracks(&skeleton, &clip, 0.5, &mut Cursor::default(), &mut pose);
            let expected = Transform { translation: Vector3::x() * x, ..Transform::identity() };
            assert_eq!(pose.parent_from_joint, [expected, posed]);
        }
    }

    #[test]
    fn nan_time_clamps_to_start() {
        let clip = clip(&[0.0, 1.0], Interpolation::Linear, KeyValues::Weights([0.0, 1.0].into()));
        assert_eq!(clamp_to_clip(f64::NAN, &clip), 0.0);
        assert_eq!((clamp_to_clip(-1.0, &clip), clamp_to_clip(7.0, &clip)), (0.0, 1.0));
    }
}
