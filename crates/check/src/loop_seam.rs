//! Loop seam: the discontinuity between the last and the first key of a clip.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use rigview_core::math::Affine;
use rigview_core::model::{Clip, FaceDriver, JointIndex, KeyValues, Model, Skeleton, Track};
use rigview_core::pose::PartRotation;
use rigview_core::util::text::fixed;
use serde::Serialize;
use std::collections::HashMap;

/// Smaller rotations are invisible, in degrees.
const MIN_DEGREES: f64 = 0.5;
/// Smaller distances are invisible, relative to the size of the model.
const MIN_DISTANCE: f64 = 2e-3;
/// Smaller distances are no gap, relative to the travel.
const MIN_TRAVEL: f64 = 0.01;
/// Smallest speed of a travel at both ends, relative to its mean speed.
const TRAVEL_SPEED: f64 = 0.25;
/// Smallest number of keys of a travel, and of joints that it carries.
const MIN_TRAVEL_KEYS: usize = 4;
const MIN_CARRIED: usize = 3;
/// Smaller changes of a morph weight are invisible.
const MIN_MORPH_WEIGHT: f64 = 0.01;
/// Difference of the speeds at the seam, relative to the mean speed, that is visible.
const SPEED_JUMP: f64 = 0.5;
/// Speed at both ends, relative to the mean speed, that looks like a stop.
const STOP: f64 = 0.2;

/// The largest differences between the last and the first keys of the tracks of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopDiscontinuity {
    /// Rotation relative to the parent in degrees, with its joint.
    pub degrees: (f64, JointIndex),
    /// Distance in model space, with the ancestors of the joint at rest, with its joint. Values of expressions are no distances.
    pub distance: (f64, JointIndex),
    /// Unit of distances: [`Model::length_unit`].
    pub unit: &'static str,
    /// The same of the joint that carries the body, if it travels evenly from loop to loop, as in a walk; not in `distance`.
    pub travel: Option<(f64, JointIndex)>,
    /// Difference of a morph weight, with its joint and its index among the weights of the joint; `None` without tracks of weights.
    pub morph_weight: Option<(f64, JointIndex, usize)>,
}

/// Measures a clip; `None` without tracks of joints. `rest_pose` is that of [`Skeleton::rest_model_pose`]. The time is linear in tracks.
///
/// A travel is the way of a joint above more than half of the animated ones, and of no other animated one, that moves on at both ends.
///
/// # Panics
/// If `clip` is not [valid](Model::validate) for this model, or `rest_pose` is that of another.
///
/// [`Skeleton::rest_model_pose`]: rigview_core::model::Skeleton::rest_model_pose
pub fn loop_discontinuity(model: &Model, rest_pose: &[Affine], clip: &Clip) -> Option<LoopDiscontinuity> {
    let joint = clip.tracks.first()?.joint;
    let (unit, none) = (model.length_unit(), (0.0, joint));
    let mut seam = LoopDiscontinuity { degrees: none, distance: none, unit, travel: None, morph_weight: None };
    let carrier = carrier(&model.skeleton, clip);
    for track in &clip.tracks {
        let joint = track.joint;
        match track_gap(model, rest_pose, track) {
            Some(TrackGap::Degrees(degrees)) if degrees > seam.degrees.0 => seam.degrees = (degrees, joint),
            Some(TrackGap::Distance(_)) if drives_expression(model, joint) => {}
            Some(TrackGap::Distance(distance)) if carrier == Some(joint) && travels_on(clip, track) => {
                seam.travel = Some((distance, joint));
            }
            Some(TrackGap::Distance(distance)) if distance > seam.distance.0 => seam.distance = (distance, joint),
            Some(TrackGap::MorphWeight(difference, weight))
                if seam.morph_weight.is_none_or(|(largest, ..)| difference > largest) =>
            {
                seam.morph_weight = Some((difference, joint, weight));
            }
            _ => {}
        }
    }
    Some(seam)
}

/// Returns `true` if the X translation of a joint is the value of an expression (VRM).
pub(crate) fn drives_expression(model: &Model, joint: JointIndex) -> bool {
    matches!(model.face_driver(joint), Some(FaceDriver::Expression(_)))
}

/// Returns the joint without animated ancestors that is above most of the animated joints.
fn carrier(skeleton: &Skeleton, clip: &Clip) -> Option<JointIndex> {
    let mut is_animated = vec![false; skeleton.len()];
    clip.tracks.iter().for_each(|track| is_animated[track.joint.get()] = true);
    // The topmost animated joint above each joint.
    let mut top: Vec<Option<JointIndex>> = Vec::new();
    let mut counts = HashMap::new();
    for (i, joint) in skeleton.joints().iter().enumerate() {
        let above = joint.parent.and_then(|parent| top[parent.get()]);
        top.push(above.or(is_animated[i].then_some(JointIndex(i as u32))));
        if let Some(top) = top[i].filter(|_| is_animated[i]) {
            *counts.entry(top).or_insert(0) += 1;
        }
    }
    let sum: usize = counts.values().sum();
    counts.into_iter().find(|(_, count)| *count >= MIN_CARRIED && 2 * count > sum).map(|(joint, _)| joint)
}

/// Returns `true` if a translation moves on at both ends in the direction from the first to the last key.
fn travels_on(clip: &Clip, track: &Track) -> bool {
    let KeyValues::Translation(values) = &track.keys else { return false };
    let (times, step) = (clip.timelines[track.timeline].times_secs(), track.interpolation.values_per_key());
    let count = times.len();
    if count < MIN_TRAVEL_KEYS {
        return false;
    }
    let key = |i: usize| (f64::from(times[i]), values[i * step + step / 2].cast::<f64>());
    let [first, second, before_last, last] = [0, 1, count - 2, count - 1].map(key);
    let way = last.1 - first.1;
    let speed = |from: (f64, Vector3<f64>), to: (f64, Vector3<f64>)| (to.1 - from.1).dot(&way) / (to.0 - from.0);
    let mean = speed(first, last);
    mean > 0.0 && [speed(first, second), speed(before_last, last)].iter().all(|end| *end > TRAVEL_SPEED * mean)
}

/// The difference between the last and the first key of a track.
enum TrackGap {
    Degrees(f64),
    /// In model space, with the parents at rest.
    Distance(f64),
    /// The largest difference of a morph weight, with its index among those of the joint.
    MorphWeight(f64, usize),
}

/// `None` for a scale, and for a track without keys.
fn track_gap(model: &Model, rest_pose: &[Affine], track: &Track) -> Option<TrackGap> {
    match &track.keys {
        KeyValues::Rotation(values) => {
            let [first, last] = ends(track, values, 1)?;
            let rotation = |at: &[nalgebra::Vector4<f32>]| UnitQuaternion::new_normalize(at[0].cast::<f64>().into());
            Some(TrackGap::Degrees(rotation(last).angle_to(&rotation(first)).to_degrees()))
        }
        KeyValues::Translation(values) => {
            let [first, last] = ends(track, values, 1)?;
            let parent = model.skeleton.joint(track.joint).parent;
            let linear = parent.map_or_else(Matrix3::identity, |parent| rest_pose[parent.get()].linear);
            Some(TrackGap::Distance((linear * (last[0] - first[0]).cast::<f64>()).norm()))
        }
        KeyValues::Weights(values) => {
            let size = model.skeleton.joint(track.joint).morph_weights.len();
            let [first, last] = ends(track, values, size)?;
            let gaps = first.iter().zip(last).map(|(a, b)| f64::from(b - a).abs()).enumerate();
            let (weight, gap) = gaps.fold(None, |largest: Option<(usize, f64)>, (weight, gap)| {
                if largest.is_none_or(|(_, before)| gap > before) { Some((weight, gap)) } else { largest }
            })?;
            Some(TrackGap::MorphWeight(gap, weight))
        }
        KeyValues::Scale(_) => None,
    }
}

/// The differences between the last and the first keys of one joint: 0 for a joint whose motion closes with the clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PartSeam {
    /// Rotation relative to the parent, in degrees.
    pub degrees: f64,
    /// Distance in model space, with the parents at rest; in meters if the [unit](Model::length_unit) is known.
    pub distance: f64,
    /// The largest difference of a morph weight.
    pub morph_weight: f64,
}

impl PartSeam {
    /// Measures each joint that a clip animates.
    pub(crate) fn of_joints(model: &Model, rest_pose: &[Affine], clip: &Clip) -> HashMap<JointIndex, Self> {
        let mut seams: HashMap<JointIndex, Self> = HashMap::new();
        for track in &clip.tracks {
            let seam = seams.entry(track.joint).or_default();
            match track_gap(model, rest_pose, track) {
                Some(TrackGap::Degrees(degrees)) => seam.degrees = degrees,
                Some(TrackGap::Distance(distance)) => seam.distance = distance,
                Some(TrackGap::MorphWeight(difference, _)) => seam.morph_weight = difference,
                None => {}
            }
        }
        seams
    }

    /// Describes what does not close; `None` if it does. Distances below a hundredth of `travel` are closed.
    pub(crate) fn gaps(&self, travel: f64, unit: &str) -> Option<String> {
        let mut gaps = Vec::new();
        if self.degrees > MIN_DEGREES {
            gaps.push(format!("{:.1} degrees", self.degrees));
        }
        if self.distance > MIN_TRAVEL * travel {
            gaps.push(format!("{:.3} {unit}", self.distance));
        }
        if self.morph_weight > MIN_MORPH_WEIGHT {
            gaps.push(format!("{:.2} of a shape key", self.morph_weight));
        }
        (!gaps.is_empty()).then(|| gaps.join(" and "))
    }
}

impl LoopDiscontinuity {
    /// Describes the travel: `hips travels 1.25 m per loop`.
    pub fn travel_text(&self, name: impl Fn(JointIndex) -> String) -> Option<String> {
        let unit = self.unit;
        self.travel.map(|(distance, joint)| format!("{} travels {distance:.2} {unit} per loop", name(joint)))
    }

    /// Describes the differences that are visible on a model of a size, such as `head rotates by 25.0 degrees`.
    /// `weight_name` names a morph weight by its index among those of the joint.
    pub fn visible_jumps(
        &self,
        size: f64,
        name: impl Fn(JointIndex) -> String,
        weight_name: impl Fn(JointIndex, usize) -> String,
    ) -> Vec<String> {
        let (degrees, distance) = (self.degrees, self.distance);
        let mut jumps = Vec::new();
        if degrees.0 > MIN_DEGREES {
            jumps.push(format!("{} rotates by {:.1} degrees", name(degrees.1), degrees.0));
        }
        if distance.0 > MIN_DISTANCE * size.max(1e-6) {
            jumps.push(format!("{} moves by {:.4} {}", name(distance.1), distance.0, self.unit));
        }
        if let Some((difference, joint, weight)) = self.morph_weight.filter(|weight| weight.0 > MIN_MORPH_WEIGHT) {
            let weight = weight_name(joint, weight);
            jumps.push(format!("shape key {weight} of {} changes by {difference:.2}", name(joint)));
        }
        jumps
    }
}

/// Describes the speeds of a turn at the end of the loop and at its start, if it visibly stops there or changes its speed.
pub fn visible_speed_jump(rotation: &PartRotation) -> Option<String> {
    rotation.whole_turns()?;
    let ([first, last], mean) = (rotation.end_rpm, rotation.rpm[1]);
    let is_visible = (first - last).abs() > SPEED_JUMP * mean.abs() || first.abs().max(last.abs()) < STOP * mean.abs();
    is_visible.then(|| seam_speeds(rotation))
}

/// Describes the speeds of a rotation at the end of the loop and at its start.
pub(crate) fn seam_speeds(rotation: &PartRotation) -> String {
    let [first, last] = rotation.end_rpm.map(|rpm| fixed(rpm, 1));
    let mean = fixed(rotation.rpm[1], 1);
    format!("turns with {last} rpm at the end of the loop and {first} at its start, with {mean} in the mean")
}

/// The first and the last key of a track with `size` values per key.
fn ends<'a, T>(track: &Track, values: &'a [T], size: usize) -> Option<[&'a [T]; 2]> {
    // A spline has a tangent on both sides of each key.
    let tangent = track.interpolation.values_per_key() / 2 * size;
    let last = values.len().checked_sub(tangent + size)?;
    Some([values.get(tangent..tangent + size)?, &values[last..last + size]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::import::{self, ImageLoading, ImportOptions};
    use rigview_core::math::Transform;
    use rigview_core::model::{Interpolation, Joint, Timeline};

    fn seam_of(tracks: Vec<Track>) -> LoopDiscontinuity {
        let joint = |parent: Option<u32>, scale: f64| Joint {
            name: None,
            node: 0,
            parent: parent.map(JointIndex),
            rest: Transform { scale: Vector3::repeat(scale), ..Transform::identity() },
            exact_rest_matrix: None,
            morph_weights: if parent.is_some() { 0..2 } else { 0..0 },
        };
        let clip = Clip { duration_secs: 1.0, timelines: vec![Timeline::new([0.0, 1.0])], tracks, ..Clip::default() };
        let skeleton = Skeleton::new(vec![joint(None, 2.0), joint(Some(0), 1.0)], vec![0.0; 2]);
        let model = Model { skeleton, ..Model::default() };
        loop_discontinuity(&model, &model.skeleton.rest_model_pose(), &clip).unwrap()
    }

    fn track(joint: u32, interpolation: Interpolation, keys: KeyValues) -> Track {
        Track { joint: JointIndex(joint), timeline: 0.into(), interpolation, keys }
    }

    #[test]
    fn open_ends_are_reported_with_joint_and_weight() {
        let turns = [0.0_f64, 90.0].map(|degrees| {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), degrees.to_radians());
            turn.coords.cast::<f32>()
        });
        let seam = seam_of(vec![
            track(0, Interpolation::Linear, KeyValues::Rotation(turns.into())),
            track(1, Interpolation::Step, KeyValues::Translation([Vector3::zeros(), Vector3::x()].into())),
            // Value and both tangents of two weights.
            track(
                1,
                Interpolation::CubicSpline,
                KeyValues::Weights([9.0, 9.0, 0.5, 1.0, 9.0, 9.0, 7.0, 7.0, 0.75, 0.0, 7.0, 7.0].into()),
            ),
        ]);
        assert!((seam.degrees.0 - 90.0).abs() < 1e-3 && seam.degrees.1 == JointIndex(0), "{seam:?}");
        // The parent is scaled by 2.
        assert_eq!(seam.distance, (2.0, JointIndex(1)));
        assert_eq!(seam.morph_weight, Some((1.0, JointIndex(1), 1)));
    }

    #[test]
    fn travel_of_a_walk_is_no_jump() {
        let open = |name: &str| {
            let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/assets").join(name);
            import::open(&file, &ImportOptions::default()).unwrap().model
        };
        let mut model = open("walk.bvh");
        let rest_pose = model.skeleton.rest_model_pose();
        let seam = loop_discontinuity(&model, &rest_pose, &model.clips[0]).unwrap();
        let (distance, joint) = seam.travel.unwrap();
        assert!(distance > 0.5 && seam.distance.0 < 0.05, "{seam:?}");
        assert_eq!(seam.travel_text(|_| "Hips".into()).unwrap(), format!("Hips travels {distance:.2} units per loop"));
        // A body that stands at its end jumps.
        let track = model.clips[0].tracks.iter_mut().find(|track| track.joint == joint);
        let is_translation = |track: &&mut Track| matches!(track.keys, KeyValues::Translation(_));
        let Some(KeyValues::Translation(keys)) = track.filter(is_translation).map(|track| &mut track.keys) else {
            panic!("the hips move")
        };
        let count = keys.len();
        let mut stopped = keys.to_vec();
        stopped[count - 2] = stopped[count - 1];
        *keys = stopped.into();
        let seam = loop_discontinuity(&model, &rest_pose, &model.clips[0]).unwrap();
        assert!(seam.travel.is_none() && seam.distance == (distance, joint), "{seam:?}");
    }

    #[test]
    fn closed_clip_has_no_discontinuity() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/assets/windmill.glb");
        let options = ImportOptions::default().with_images(ImageLoading::SizesOnly);
        let model = import::open(&file, &options).unwrap().model;
        let turn = model.clips.iter().find(|clip| clip.name.as_deref() == Some("turn")).unwrap();
        let seam = loop_discontinuity(&model, &model.skeleton.rest_model_pose(), turn).unwrap();
        assert!(seam.degrees.0 < 0.5 && seam.distance.0 < 0.05, "{seam:?}");
        assert_eq!(seam.morph_weight, None);
    }
}
