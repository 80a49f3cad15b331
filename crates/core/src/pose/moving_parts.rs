//! The moving parts of a clip in numbers: turns, speed, swing, travel and morph weights of each joint.

use super::sample::{KeyInterval, rotation};
use crate::math::Affine;
use crate::model::{Clip, Interpolation, JointIndex, KeyValues, Model, Track};
use nalgebra::{Matrix3, Unit, UnitQuaternion, Vector3, Vector4};
use std::f64::consts::TAU;

/// A joint that a clip moves relative to its parent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MovingPart {
    /// The joint.
    pub joint: JointIndex,
    /// `None` if the clip does not rotate the joint.
    pub rotation: Option<PartRotation>,
    /// Diagonal of the box of its positions at the keys, in model space with the ancestors of the joint at rest; 0 if they are equal.
    pub travel: f64,
    /// `true` if its scale changes.
    pub scales: bool,
    /// Index among the morph weights of the joint, smallest and largest key value of those that change.
    pub morph_weights: Vec<(usize, [f32; 2])>,
}

/// The rotation of a joint by a clip. Angles are in radians, counterclockwise about the axis, and unwrapped: a second turn adds to the
/// first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PartRotation {
    /// Mean axis in the space of the joint. Its largest component is positive.
    pub axis_in_joint: Unit<Vector3<f64>>,
    /// The same axis in model space, with the ancestors of the joint at rest.
    pub axis_in_model: Unit<Vector3<f64>>,
    /// Angle from the first key to the last.
    pub angle: f64,
    /// `true` if the last key is the same rotation as the first.
    pub is_closed: bool,
    /// Smallest and largest angle from the first key.
    pub range: [f64; 2],
    /// Smallest, mean and largest speed in revolutions per minute, from time 0 to the end of the clip; negative for clockwise. Infinite at
    /// a STEP.
    pub rpm: [f64; 3],
    /// Speed at the first and at the last key, in revolutions per minute.
    pub end_rpm: [f64; 2],
    /// Largest angle between two keys, or between two points of a spline. 0 for STEP.
    pub longest_step: f64,
    /// Mean time between two keys, in seconds.
    pub key_secs: f64,
    /// Longest time for which it stands still from one key to the next: slower than a tenth of the mean speed, between speeds of more than
    /// half of it. Includes the seam of the loop. 0 without whole turns.
    pub held_secs: f64,
    /// Largest step of its speed that is no part of a ramp, while it moves: it is more than four times those of the same sign two keys
    /// before and after. Includes the seam of the loop. `None` without whole turns, and
    /// for fewer than eight key intervals.
    pub speed_step: Option<SpeedStep>,
    /// Angle by which the axes of parts of the rotation differ from the mean axis: 0 for a shaft, up to a quarter turn.
    pub wobble: f64,
    /// Time after which the rotation repeats in a loop; `None` if the last key differs from the first.
    pub period_secs: Option<f64>,
}

/// A step of the speed of a rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SpeedStep {
    /// Time of the step in seconds; the end of the clip for the seam of its loop.
    pub at_secs: f64,
    /// Speed before and after it, in revolutions per minute.
    pub rpm: [f64; 2],
}

impl SpeedStep {
    /// Returns the size of the step in revolutions per minute.
    pub fn size(&self) -> f64 {
        (self.rpm[1] - self.rpm[0]).abs()
    }
}

/// Angle in radians by which the ends of a loop may differ: rotations are in single precision.
const CLOSED: f64 = 2e-3;

/// A spline is measured at this many points per key interval.
const SPLINE_STEPS: usize = 16;

impl PartRotation {
    /// Number of turns from the first key to the last if it is whole and not 0; negative for clockwise.
    pub fn whole_turns(&self) -> Option<f64> {
        let turns = (self.angle / TAU).round();
        (turns != 0.0 && self.is_closed).then_some(turns)
    }

    /// Largest difference between speed and mean speed, relative to the mean. Infinite without a mean.
    pub fn unevenness(&self) -> f64 {
        let [least, mean, greatest] = self.rpm;
        if mean == 0.0 { f64::INFINITY } else { (greatest - mean).max(mean - least) / mean.abs() }
    }
}

/// Measures the joints that a clip moves, in the order of the skeleton. `rest_pose` is [`Skeleton::rest_model_pose`]. The time is linear
/// in the number of keys.
///
/// Rotations between keys take the shorter arc, as in playback: keys more than half a turn apart appear to turn backward.
///
/// ```
/// use rigview_core::pose::moving_parts;
///
/// # use rigview_core::import::{ImportOptions, open};
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/windmill.glb"));
/// # let model = open(file, &ImportOptions::default()).unwrap().model;
/// // Once for all clips.
/// let rest_pose = model.skeleton.rest_model_pose();
/// for part in moving_parts(&model, &rest_pose, &model.clips[0]) {
///     if let Some((rotation, turns)) = part.rotation.as_ref().and_then(|it| Some((it, it.whole_turns()?))) {
///         println!("{:?} turns {turns} times, {:.1} rpm", part.joint, rotation.rpm[1]);
///     }
/// }
/// ```
///
/// # Panics
/// If `clip` is not [valid](Model::validate) for this model, or `rest_pose` is that of another.
///
/// [`Skeleton::rest_model_pose`]: crate::model::Skeleton::rest_model_pose
pub fn moving_parts(model: &Model, rest_pose: &[Affine], clip: &Clip) -> Vec<MovingPart> {
    let mut tracks: Vec<&Track> = clip.tracks.iter().collect();
    tracks.sort_by_key(|track| track.joint);
    let parts = tracks.chunk_by(|a, b| a.joint == b.joint).map(|tracks| {
        let joint = tracks[0].joint;
        let parent = model.skeleton.joint(joint).parent;
        let model_from_parent = parent.map_or(Matrix3::identity(), |parent| rest_pose[parent.get()].linear);
        let mut part = MovingPart { joint, rotation: None, travel: 0.0, scales: false, morph_weights: Vec::new() };
        for track in tracks {
            let step = track.interpolation.values_per_key();
            let diagonal = |values: &[Vector3<f32>], map: Matrix3<f64>| {
                let keys = values.iter().skip(step / 2).step_by(step).map(|value| map * value.cast::<f64>());
                let ends = keys.clone().fold(None, |ends: Option<[Vector3<f64>; 2]>, value| {
                    let [min, max] = ends.unwrap_or([value; 2]);
                    Some([min.inf(&value), max.sup(&value)])
                });
                ends.map_or(0.0, |[min, max]| (max - min).norm())
            };
            match &track.keys {
                KeyValues::Translation(values) => part.travel = diagonal(values, model_from_parent),
                KeyValues::Scale(values) => part.scales = diagonal(values, Matrix3::identity()) > 0.0,
                KeyValues::Rotation(values) => {
                    part.rotation = measure_rotation(track, values, clip).map(|mut rotation| {
                        let axis = model_from_parent * rotation.axis_in_model.into_inner();
                        rotation.axis_in_model = Unit::try_new(axis, 0.0).unwrap_or(rotation.axis_in_model);
                        rotation
                    });
                }
                KeyValues::Weights(values) => {
                    let count = model.skeleton.joint(joint).morph_weights.len();
                    let range = |weight: usize| {
                        let of_weight = values.iter().skip(step / 2 * count + weight).step_by(step * count);
                        of_weight.fold([f32::INFINITY, f32::NEG_INFINITY], |[min, max], x| [min.min(*x), max.max(*x)])
                    };
                    let changes = (0..count).map(|weight| (weight, range(weight))).filter(|(_, [min, max])| min < max);
                    part.morph_weights = changes.collect();
                }
            }
        }
        part
    });
    let moves = |part: &MovingPart| {
        part.rotation.is_some() || part.travel > 0.0 || part.scales || !part.morph_weights.is_empty()
    };
    parts.filter(moves).collect()
}

/// A part of a rotation: its end and duration, and the rotation vector in the space of joint and parent.
struct Arc {
    end_secs: f64,
    secs: f64,
    in_joint: Vector3<f64>,
    in_parent: Vector3<f64>,
}

/// Returns the revolutions per minute of an angular velocity in radians per second.
fn rpm(velocity: f64) -> f64 {
    velocity / TAU * 60.0
}

/// Returns the rotations of a track: at each key, and in between for splines.
fn samples(track: &Track, values: &[Vector4<f32>], times_secs: &[f32]) -> Vec<(f64, UnitQuaternion<f64>)> {
    let steps = if track.interpolation == Interpolation::CubicSpline { SPLINE_STEPS } else { 1 };
    let mut samples = Vec::with_capacity(times_secs.len() * steps);
    for (key, &at) in times_secs.iter().enumerate() {
        let end = times_secs.get(key + 1).copied().unwrap_or(at);
        for step in 0..if end > at { steps } else { 1 } {
            let time = f64::from(at) + f64::from(end - at) * step as f64 / steps as f64;
            let interval = KeyInterval::at(times_secs, key, time);
            samples.extend(rotation(values, track.interpolation, interval).map(|rotation| (time, rotation)));
        }
    }
    samples
}

/// Measures a rotation. The axis in model space is still that of the parent. `None` for a constant one.
fn measure_rotation(track: &Track, values: &[Vector4<f32>], clip: &Clip) -> Option<PartRotation> {
    let times_secs = clip.timelines[track.timeline].times_secs();
    let samples = samples(track, values, times_secs);
    let arcs: Vec<Arc> = samples
        .windows(2)
        .map(|pair| {
            let [(start_secs, a), (end_secs, b)] = [pair[0], pair[1]];
            let [in_joint, in_parent] = [a.inverse() * b, b * a.inverse()].map(|turn| turn.scaled_axis());
            Arc { end_secs, secs: end_secs - start_secs, in_joint, in_parent }
        })
        .collect();
    // Vectors of both senses are along one axis.
    let mean_axis = |vector: fn(&Arc) -> Vector3<f64>| {
        let mut sum = Vector3::zeros();
        arcs.iter().map(vector).for_each(|arc| sum += if sum.dot(&arc) < 0.0 { -arc } else { arc });
        Unit::try_new(sum, 0.0)
    };
    // Keys of Blender's bones at rest differ by rounding.
    let longest = arcs.iter().map(|arc| arc.in_joint.norm()).fold(0.0, f64::max);
    let swings = samples.iter().map(|(_, at)| at.angle_to(&samples[0].1)).fold(longest, f64::max);
    if swings < 1e-5 {
        return None;
    }
    let axis_in_joint = mean_axis(|arc| arc.in_joint)?;
    let sense = if axis_in_joint[axis_in_joint.iamax()] < 0.0 { -1.0 } else { 1.0 };
    let axis_in_joint = Unit::new_unchecked(axis_in_joint.into_inner() * sense);
    let axis_in_parent = mean_axis(|arc| arc.in_parent)?;
    let agrees = arcs.iter().map(|arc| arc.in_joint.dot(&axis_in_joint) * arc.in_parent.dot(&axis_in_parent));
    let axis_in_parent =
        Unit::new_unchecked(axis_in_parent.into_inner() * if agrees.sum::<f64>() < 0.0 { -1.0 } else { 1.0 });
    // Keys at equal times jump like a STEP.
    let is_step = track.interpolation == Interpolation::Step || arcs.iter().all(|arc| arc.secs <= 0.0);
    let (mut angle, mut range, mut speed) = (0.0_f64, [0.0_f64; 2], [f64::INFINITY, f64::NEG_INFINITY]);
    let (mut along, mut across) = (0.0, 0.0);
    let mut angles = vec![(samples[0].0, 0.0)];
    for arc in &arcs {
        let step = arc.in_joint.dot(&axis_in_joint);
        along += step.abs();
        across += (arc.in_joint - axis_in_joint.into_inner() * step).norm();
        angle += step;
        angles.push((arc.end_secs, angle));
        range = [range[0].min(angle), range[1].max(angle)];
        if arc.secs > 0.0 && !is_step {
            speed = [speed[0].min(step / arc.secs), speed[1].max(step / arc.secs)];
        }
    }
    let is_closed = samples[0].1.angle_to(&samples[samples.len() - 1].1) < CLOSED;
    let duration_secs = f64::from(clip.duration_secs);
    let holds = samples[0].0 > 1e-6 || arcs.last()?.end_secs < duration_secs - 1e-6 || is_step;
    if holds {
        speed = [speed[0].min(0.0), speed[1].max(0.0)];
    }
    let velocity = |arc: Option<&Arc>| arc.map_or(0.0, |arc| arc.in_joint.dot(&axis_in_joint) / arc.secs);
    let moving = || arcs.iter().filter(|arc| arc.secs > 0.0 && !is_step);
    let end_rpm = [moving().next(), moving().next_back()].map(|arc| rpm(velocity(arc)));
    if is_step {
        let infinite = |reaches: bool, sign: f64| if reaches { sign * f64::INFINITY } else { 0.0 };
        speed = [infinite(range[0] < 0.0, -1.0), infinite(range[1] > 0.0, 1.0)];
    }
    let mean = if duration_secs > 0.0 { angle / duration_secs } else { 0.0 };
    let hold_secs = samples[0].0.max(0.0) + (duration_secs - arcs.last()?.end_secs).max(0.0);
    let mut speeds: Vec<Speed> = Vec::new();
    if is_closed && (angle / TAU).round() != 0.0 {
        speeds.extend(moving().map(|arc| Speed {
            end_secs: arc.end_secs,
            secs: arc.secs,
            rpm: rpm(velocity(Some(arc))),
        }));
        speeds.extend((hold_secs > 1e-6).then_some(Speed { end_secs: duration_secs, secs: hold_secs, rpm: 0.0 }));
    }
    Some(PartRotation {
        end_rpm,
        longest_step: moving().map(|arc| arc.in_joint.norm()).fold(0.0, f64::max),
        key_secs: (samples[samples.len() - 1].0 - samples[0].0) / (times_secs.len() - 1).max(1) as f64,
        held_secs: held_secs(&speeds, rpm(mean)),
        speed_step: speed_step(&speeds, rpm(mean)),
        axis_in_joint,
        axis_in_model: axis_in_parent,
        angle,
        is_closed,
        range,
        rpm: [speed[0], mean, speed[1]].map(rpm),
        wobble: f64::atan2(across, along),
        period_secs: if is_closed { period_secs(&angles, duration_secs) } else { None },
    })
}

/// A part of a rotation in a loop.
struct Speed {
    end_secs: f64,
    secs: f64,
    rpm: f64,
}

/// Part of the mean speed below which a rotation stands still.
const STILL: f64 = 0.1;

/// See [`PartRotation::held_secs`]. The first speed follows the last.
fn held_secs(speeds: &[Speed], mean_rpm: f64) -> f64 {
    let is_still = |speed: &Speed| speed.rpm.abs() < STILL * mean_rpm.abs();
    let is_fast = |speed: &Speed| speed.rpm.abs() > 0.5 * mean_rpm.abs();
    let Some(start) = speeds.iter().position(|speed| !is_still(speed)) else { return 0.0 };
    let (mut longest, mut secs, mut before) = (0.0_f64, 0.0, &speeds[start]);
    for speed in speeds[start..].iter().chain(&speeds[..=start]) {
        if is_still(speed) {
            secs += speed.secs;
            continue;
        }
        if is_fast(before) && is_fast(speed) {
            longest = longest.max(secs);
        }
        (secs, before) = (0.0, speed);
    }
    longest
}

/// See [`PartRotation::speed_step`]. The first speed follows the last.
fn speed_step(speeds: &[Speed], mean_rpm: f64) -> Option<SpeedStep> {
    let count = speeds.len();
    let step = |i: usize| {
        let [before, after] = [&speeds[i % count], &speeds[(i + 1) % count]];
        SpeedStep { at_secs: before.end_secs, rpm: [before.rpm, after.rpm] }
    };
    let moves = |step: &SpeedStep| step.rpm.iter().all(|rpm| rpm.abs() >= STILL * mean_rpm.abs());
    // The steps of a ramp, and those of keys far apart, are as large as those beside them, and of one sign.
    let is_alone = |i: &usize| {
        let change = |i: usize| step(i).rpm[1] - step(i).rpm[0];
        let [before, at, after] = [i + count - 2, *i, i + 2].map(change);
        at.abs() > 4.0 * (before * at.signum()).max(after * at.signum())
    };
    let steps = (0..if count < 8 { 0 } else { count }).filter(is_alone).map(step).filter(moves);
    steps.max_by(|a, b| a.size().total_cmp(&b.size()))
}

/// Returns the shortest time after which unwrapped angles of a loop repeat up to whole turns.
fn period_secs(angles: &[(f64, f64)], duration_secs: f64) -> Option<f64> {
    let (_, total) = *angles.last()?;
    let turns = (total / TAU).round();
    if duration_secs <= 0.0 {
        return None;
    }
    let at = |time: f64| {
        let next = angles.partition_point(|(at, _)| *at <= time);
        match (next.checked_sub(1).map(|last| angles[last]), angles.get(next)) {
            (Some((start, a)), Some((end, b))) => a + (b - a) * (time - start) / (end - start),
            (Some((_, a)), None) => a,
            (None, _) => angles[0].1,
        }
    };
    // A turn is a period of an even rotation. A swing passes its middle twice.
    let middle = (angles.iter().map(|(_, angle)| *angle).fold(f64::INFINITY, f64::min)
        + angles.iter().map(|(_, angle)| *angle).fold(f64::NEG_INFINITY, f64::max))
        / 2.0;
    let rises = angles.windows(2).filter(|pair| pair[0].1 < middle && pair[1].1 >= middle).count();
    let count = if turns == 0.0 { rises as f64 } else { turns.abs() };
    let repeats = |count: f64| {
        let shift = duration_secs / count;
        let mut times = angles.iter().map(|(time, _)| *time).filter(|time| time + shift <= duration_secs);
        times.all(|time| (at(time + shift) - at(time) - total / count).abs() < CLOSED)
    };
    Some(if count > 1.0 && repeats(count) { duration_secs / count } else { duration_secs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{Joint, Skeleton, Timeline};
    use std::f64::consts::FRAC_PI_2;

    fn model() -> Model {
        let joint = |parent, rotation| Joint {
            name: None,
            node: 0,
            parent,
            rest: Transform { rotation, ..Transform::identity() },
            exact_rest_matrix: None,
            morph_weights: 0..0,
        };
        // The parent turns Z up to Y up.
        let up = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -FRAC_PI_2);
        let mut child = joint(Some(JointIndex(0)), UnitQuaternion::identity());
        child.morph_weights = 0..2;
        Model { skeleton: Skeleton::new(vec![joint(None, up), child], vec![0.0; 2]), ..Model::default() }
    }

    fn clip(times_secs: &[f32], interpolation: Interpolation, keys: KeyValues) -> Clip {
        Clip {
            duration_secs: *times_secs.last().unwrap(),
            timelines: vec![Timeline::new(times_secs)],
            tracks: vec![Track { joint: JointIndex(1), timeline: 0.into(), interpolation, keys }],
            ..Clip::default()
        }
    }

    /// A rotation about an axis by an angle at each key, sampled `count` times in `secs`.
    fn turning(axis: Vector3<f64>, secs: f64, count: usize, angle: impl Fn(f64) -> f64) -> Clip {
        let axis = Unit::new_normalize(axis);
        let times: Vec<f32> = (0..=count).map(|i| (secs * i as f64 / count as f64) as f32).collect();
        let at = |time: &f32| UnitQuaternion::from_axis_angle(&axis, angle(f64::from(*time))).coords.cast();
        let keys = times.iter().map(at).collect();
        clip(&times, Interpolation::Linear, KeyValues::Rotation(keys))
    }

    fn rotation_of(clip: &Clip) -> PartRotation {
        let model = model();
        let parts = moving_parts(&model, &model.skeleton.rest_model_pose(), clip);
        assert_eq!((parts.len(), parts[0].joint), (1, JointIndex(1)));
        parts[0].rotation.clone().unwrap()
    }

    fn assert_near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6 * (1.0 + b.abs()), "{a} instead of {b}");
    }

    #[test]
    fn even_turns_have_speed_axis_and_period() {
        for (turns, secs) in [(3.0, 12.0), (-5.0, 4.0), (1.0, 2.5)] {
            let speed = turns * TAU / secs;
            let found = rotation_of(&turning(Vector3::z(), secs, 128, |time| speed * time + 0.3));
            assert_near(found.angle, turns * TAU);
            assert_eq!(found.whole_turns(), Some(turns));
            assert_near(found.rpm[1], turns * 60.0 / secs);
            assert!(found.unevenness() < 1e-4 && found.wobble < 1e-5, "{found:?}");
            assert!((found.axis_in_joint.into_inner() - Vector3::z()).norm() < 1e-6);
            // Z of the parent is Y of the model.
            assert!((found.axis_in_model.into_inner() - Vector3::y()).norm() < 1e-6, "{found:?}");
            assert_near(found.period_secs.unwrap(), secs / turns.abs());
        }
    }

    #[test]
    fn swing_has_its_range_and_period() {
        let amplitude = 0.7;
        let found = rotation_of(&turning(-Vector3::y(), 6.0, 300, |time| amplitude * (TAU * time / 2.0).sin()));
        assert_eq!(found.whole_turns(), None);
        assert!(found.angle.abs() < 1e-5);
        // The positive axis of a swing about -Y is Y.
        assert!((found.axis_in_joint.into_inner() - Vector3::y()).norm() < 1e-6);
        for (end, expected) in found.range.into_iter().zip([-amplitude, amplitude]) {
            assert!((end - expected).abs() < 1e-4, "{found:?}");
        }
        assert_near(found.period_secs.unwrap(), 2.0);
        let (fastest, [least, mean, greatest]) = (rpm(amplitude * TAU / 2.0), found.rpm);
        let off = [greatest - fastest, least + fastest, mean].map(f64::abs);
        // The chords of keys every 0.02 s have 0.9998 of the largest speed.
        assert!(off[0] < 2e-2 && off[1] < 2e-2 && off[2] < 1e-3, "{off:?}");
    }

    #[test]
    fn pauses_and_steps_are_no_even_speed() {
        // The keys end at 4 of 5 seconds.
        let mut paused = turning(Vector3::x(), 4.0, 64, |time| TAU * time / 4.0);
        paused.duration_secs = 5.0;
        let found = rotation_of(&paused);
        assert_eq!(found.rpm[0], 0.0);
        assert_near(found.rpm[1], 12.0);
        assert!(found.unevenness() >= 1.0 - 1e-6);
        let mut stepped = turning(Vector3::x(), 4.0, 64, |time| TAU * time / 4.0);
        stepped.tracks[0].interpolation = Interpolation::Step;
        assert_eq!(rotation_of(&stepped).rpm[2], f64::INFINITY);
    }

    #[test]
    fn holds_and_steps_of_speed_are_measured_with_the_seam() {
        let turning_by =
            |turned: &dyn Fn(f64) -> f64| rotation_of(&turning(Vector3::z(), 4.0, 96, |time| TAU * turned(time / 4.0)));
        let even = turning_by(&|part| part);
        assert!(even.held_secs == 0.0 && even.speed_step.is_none_or(|step| step.size() < 0.01), "{even:?}");
        assert_near(even.key_secs, 4.0 / 96.0);
        // Neither a gust nor an eased turn has a step.
        for smooth in [turning_by(&|x| x - 0.1 * (TAU * x).sin()), turning_by(&|x| x * x * (3.0 - 2.0 * x))] {
            assert!(smooth.held_secs == 0.0 && smooth.speed_step.is_none_or(|step| step.size() < 0.2), "{smooth:?}");
        }
        // The last two keys are equal.
        let held = turning_by(&|x| (x * 96.0 / 95.0).min(1.0));
        assert!((held.held_secs - 4.0 / 96.0).abs() < 1e-6, "{held:?}");
        // Faster by a half from 1 s to 3 s than in the rest.
        let stepped = turning_by(&|x| 0.8 * x + 0.4 * (x - 0.25).clamp(0.0, 0.5));
        let step = stepped.speed_step.unwrap();
        assert!((step.at_secs - 1.0).abs() < 1e-6 || (step.at_secs - 3.0).abs() < 1e-6, "{step:?}");
        assert!((step.size() - 6.0).abs() < 1e-2, "{step:?}");
        // Two frames are repeated, and two left out.
        let keys = |x: f64| x * 96.0 - if (48.0..49.5).contains(&(x * 96.0)) { 2.0 } else { 0.0 };
        let repeated = turning_by(&|x| keys(x) / 96.0).speed_step.unwrap();
        assert!((repeated.size() - 30.0).abs() < 0.1, "{repeated:?}");
        // From 12 to 18 rpm in the loop, and back at its seam.
        let seam = turning_by(&|x| 0.8 * x + 0.2 * x * x).speed_step.unwrap();
        assert!(seam.at_secs == 4.0 && (seam.size() - 6.0).abs() < 0.1, "{seam:?}");
    }

    #[test]
    fn wobbling_axis_is_measured() {
        let tilt = 0.2_f64;
        let mut clip = turning(Vector3::z(), 1.0, 64, |time| TAU * time);
        let times = clip.timelines[0].times_secs().to_vec();
        let at = |time: &f32| {
            let angle = TAU * f64::from(*time);
            let tilted = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), tilt * (3.0 * angle).sin());
            (UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle) * tilted).coords.cast()
        };
        clip.tracks[0].keys = KeyValues::Rotation(times.iter().map(at).collect());
        let found = rotation_of(&clip);
        assert!(found.wobble > 0.2 && (found.angle - TAU).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn open_ends_have_no_period() {
        let found = rotation_of(&turning(Vector3::x(), 2.0, 60, |time| 2.0 * time));
        assert_eq!((found.period_secs, found.whole_turns()), (None, None));
        assert_near(found.angle, 4.0);
    }

    #[test]
    fn spline_reaches_between_its_keys() {
        // Quaternions of a spline from rest to rest with steep tangents overshoot.
        let keys = [0.0, 0.0, 1.0, -1.0, 0.0, 0.0]
            .map(|angle: f64| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle).coords.cast::<f32>());
        let mut keys = keys.to_vec();
        (keys[0], keys[2], keys[3], keys[5]) =
            (Vector4::zeros(), Vector4::z() * 2.0, Vector4::z() * -2.0, Vector4::zeros());
        (keys[1], keys[4]) = (Vector4::w(), Vector4::w());
        let found = rotation_of(&clip(&[0.0, 1.0], Interpolation::CubicSpline, KeyValues::Rotation(keys.into())));
        // z = 2 (u - u^2), w = 1: the largest angle is 2 atan(0.5).
        assert!((found.range[1] - 2.0 * 0.5_f64.atan()).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn travel_and_morph_weights_have_ranges_and_still_tracks_are_left_out() {
        let translations = [Vector3::new(1.0, 2.0, 3.0), Vector3::new(4.0, 6.0, 3.0)];
        let (model, at) = (model(), [0.0, 1.0]);
        let rest_pose = model.skeleton.rest_model_pose();
        let parts = |keys| moving_parts(&model, &rest_pose, &clip(&at, Interpolation::Linear, keys));
        assert_eq!(parts(KeyValues::Translation(translations.into()))[0].travel, 5.0);
        let weights = parts(KeyValues::Weights([0.5, 0.25, 0.5, 1.0].into()));
        assert_eq!(weights[0].morph_weights, [(1, [0.25, 1.0])]);
        assert!(parts(KeyValues::Translation([translations[0]; 2].into())).is_empty());
        assert!(parts(KeyValues::Rotation([Vector4::w(), -Vector4::w()].into())).is_empty());
    }
}
