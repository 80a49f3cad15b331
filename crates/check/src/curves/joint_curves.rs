//! Animation curves of a joint, sampled as they are played.

use super::euler_angles::{nearest_euler_angles, unwrapped};
use super::ruler::Ruler;
use nalgebra::{Unit, UnitQuaternion, Vector3};
use rigview_core::math::Transform;
use rigview_core::model::{Clip, Joint, JointIndex, KeyValues, Model, Skeleton, TimelineIndex, Track};
use rigview_core::pose::{Cursor, Pose, moving_parts, sample};
use std::f64::consts::TAU;

/// Number of times that decide which of its equivalent angles a rotation has.
const ANGLE_SAMPLES: usize = 2048;

/// Time over which a speed is measured, in both directions.
const SPEED_SECS: f64 = 1e-4;

/// Distance of two samples in points.
const SAMPLE_DISTANCE: f32 = 2.0;

/// An animated property of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveChannel {
    /// In meters, of the parent.
    Location,
    /// As XYZ Euler angles in degrees.
    Rotation,
    /// Factors.
    Scale,
    /// One component per morph target.
    MorphWeights,
    /// About the mean axis of the rotation, in degrees.
    Angle,
    /// About the mean axis of the rotation, in revolutions per minute.
    Speed,
}

impl CurveChannel {
    /// Those of a rotation about its mean axis, which have one component.
    pub const ABOUT_AXIS: [Self; 2] = [Self::Angle, Self::Speed];

    /// Returns `true` for the channels [about an axis](Self::ABOUT_AXIS).
    pub fn is_about_axis(self) -> bool {
        Self::ABOUT_AXIS.contains(&self)
    }

    /// Name and unit.
    pub fn label(self) -> &'static str {
        match self {
            Self::Location => "Location (m)",
            Self::Rotation => "Rotation (XYZ Euler, \u{b0})",
            Self::Scale => "Scale",
            Self::MorphWeights => "Morph weights",
            Self::Angle => "Angle about its axis (\u{b0})",
            Self::Speed => "Speed (rpm)",
        }
    }
}

/// The tracks of one joint as a clip of their own, so that the cost of a sample does not depend on the other joints.
#[derive(Debug)]
pub struct JointCurves {
    /// In the skeleton of the model.
    pub joint: JointIndex,
    skeleton: Skeleton,
    clip: Clip,
    /// Animated channels.
    pub channels: Vec<CurveChannel>,
    /// Names of the morph targets.
    pub weight_names: Vec<String>,
    /// The mean axis of the rotation, in the space of the joint.
    axis: Option<Unit<Vector3<f64>>>,
    /// Continuous Euler angles and angle about the axis, in radians, at evenly spaced times.
    angles: Vec<([f64; 3], f64)>,
}

impl JointCurves {
    /// Copies the tracks of a joint; `None` if the clip does not animate it.
    pub fn new(model: &Model, clip: &Clip, index: JointIndex) -> Option<Self> {
        let skeleton = &model.skeleton;
        let mut copy = Clip { duration_secs: clip.duration_secs, ..Clip::default() };
        let mut channels = Vec::new();
        for track in clip.tracks.iter().filter(|track| track.joint == index) {
            channels.push(channel_of(track));
            copy.timelines.push(clip.timelines[track.timeline].clone());
            copy.tracks.push(Track {
                joint: JointIndex(0),
                timeline: TimelineIndex(copy.tracks.len() as u32),
                ..track.clone()
            });
        }
        channels.sort_by_key(|channel| *channel as u8);
        let joint = skeleton.joint(index);
        let weights = skeleton.rest_morph_weights()[joint.morph_weights.clone()].to_vec();
        let morphs = model.morphs().into_iter().filter(|morph| joint.morph_weights.contains(&morph.weight_index));
        let weight_names = morphs.map(|morph| morph.name).collect();
        let joint = Joint { parent: None, morph_weights: 0..weights.len(), ..joint.clone() };
        let model = Model { skeleton: Skeleton::new(vec![joint], weights), ..Model::default() };
        let parts = moving_parts(&model, &model.skeleton.rest_model_pose(), &copy);
        let axis = parts.first().and_then(|part| Some(part.rotation.as_ref()?.axis_in_joint));
        if axis.is_some() {
            channels.extend(CurveChannel::ABOUT_AXIS);
        }
        let (skeleton, angles) = (model.skeleton, Vec::new());
        let mut curves = Self { joint: index, skeleton, clip: copy, channels, weight_names, axis, angles };
        if curves.channels.contains(&CurveChannel::Rotation) {
            let end = (ANGLE_SAMPLES - 1) as f64;
            let times = (0..ANGLE_SAMPLES).map(|i| i as f64 / end * f64::from(clip.duration_secs));
            let (mut last, mut first, mut angles) = (([0.0; 3], 0.0), None, Vec::new());
            curves.for_each_pose(times, |_, transform, _| {
                let first = first.get_or_insert(transform.rotation);
                let about_axis = axis.map_or(0.0, |axis| angle_about(&axis, &(first.inverse() * transform.rotation)));
                last = (nearest_euler_angles(&transform.rotation, last.0), unwrapped(about_axis, last.1));
                angles.push(last);
            });
            curves.angles = angles;
        }
        (!curves.channels.is_empty()).then_some(curves)
    }

    /// Number of components of a channel.
    pub fn component_count(&self, channel: CurveChannel) -> usize {
        match channel {
            CurveChannel::MorphWeights => self.skeleton.rest_morph_weights().len(),
            CurveChannel::Angle | CurveChannel::Speed => 1,
            CurveChannel::Location | CurveChannel::Rotation | CurveChannel::Scale => 3,
        }
    }

    /// The visible times at which the curves are drawn: evenly spaced, and at both sides of each key.
    pub fn sample_times(&self, ruler: &Ruler, channel: CurveChannel) -> Vec<f64> {
        let mut times = ruler.evenly_spaced(SAMPLE_DISTANCE);
        let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return times };
        let keys = self.keys(channel);
        let from = keys.partition_point(|key| f64::from(*key) < first);
        let keys = &keys[from..];
        let keys = &keys[..keys.partition_point(|key| f64::from(*key) <= last)];
        // More keys than samples are not visible.
        if keys.len() <= times.len() {
            times.extend(keys.iter().flat_map(|key| [f64::from(*key).next_down(), f64::from(*key)]));
            times.sort_by(f64::total_cmp);
        }
        times
    }

    /// Key times of a channel.
    pub fn keys(&self, channel: CurveChannel) -> &[f32] {
        let animated = if channel.is_about_axis() { CurveChannel::Rotation } else { channel };
        let track = self.clip.tracks.iter().find(|track| channel_of(track) == animated);
        track.map_or(&[], |track| self.clip.timelines[track.timeline].times_secs())
    }

    /// The continuous XYZ Euler angles of a rotation at a time, in radians.
    pub fn euler_angles(&self, time_secs: f64, rotation: &UnitQuaternion<f64>) -> [f64; 3] {
        nearest_euler_angles(rotation, self.angles_near(time_secs).0)
    }

    fn angles_near(&self, time_secs: f64) -> ([f64; 3], f64) {
        let fraction = time_secs / f64::from(self.clip.duration_secs);
        let index = (fraction * (ANGLE_SAMPLES - 1) as f64).round().max(0.0) as usize;
        self.angles.get(index.min(ANGLE_SAMPLES - 1)).copied().unwrap_or_default()
    }

    /// Continuous angles about the axis from the start of the clip, in radians, at sorted times.
    fn angles_about_axis(&self, times_secs: impl Iterator<Item = f64>) -> Vec<f64> {
        let Some(axis) = self.axis else { return Vec::new() };
        let (mut first, mut angles) = (None, Vec::new());
        self.for_each_pose(std::iter::once(0.0).chain(times_secs), |time_secs, transform, _| match first {
            None => first = Some(transform.rotation.inverse()),
            Some(first) => {
                let angle = angle_about(&axis, &(first * transform.rotation));
                angles.push(unwrapped(angle, self.angles_near(time_secs).1));
            }
        });
        angles
    }

    /// Speeds about the axis in revolutions per minute, at sorted times. Each is that of one interval between keys.
    fn speeds(&self, times_secs: &[f64]) -> Vec<f64> {
        let keys = self.keys(CurveChannel::Speed);
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return Vec::new() };
        // The ends of the clip have the speeds of its first and last interval.
        let (min, max) = (usize::from(*first <= 0.0), keys.len() - usize::from(*last >= self.clip.duration_secs));
        let spans = times_secs.iter().map(|time| {
            let next = keys.partition_point(|key| f64::from(*key) <= *time).max(min).min(max);
            let start = next.checked_sub(1).map_or(f64::NEG_INFINITY, |last| f64::from(keys[last]));
            let end = keys.get(next).map_or(f64::INFINITY, |key| f64::from(*key).next_down());
            [start.max(time - SPEED_SECS), end.min(time + SPEED_SECS)]
        });
        let spans: Vec<[f64; 2]> = spans.collect();
        let angles = self.angles_about_axis(spans.iter().flatten().copied());
        let speed = |(span, angles): (&[f64; 2], &[f64])| {
            let secs = span[1] - span[0];
            if secs > 0.0 { (angles[1] - angles[0]) / secs / TAU * 60.0 } else { 0.0 }
        };
        spans.iter().zip(angles.chunks_exact(2)).map(speed).collect()
    }

    /// Values at sorted times, one list per component. Angles are continuous and in degrees.
    pub fn sample(&self, channel: CurveChannel, times_secs: &[f64]) -> Vec<Vec<f64>> {
        match channel {
            CurveChannel::Angle => {
                let angles = self.angles_about_axis(times_secs.iter().copied());
                return vec![angles.into_iter().map(f64::to_degrees).collect()];
            }
            CurveChannel::Speed => return vec![self.speeds(times_secs)],
            _ => {}
        }
        let mut values = vec![Vec::with_capacity(times_secs.len()); self.component_count(channel)];
        self.for_each_pose(times_secs.iter().copied(), |time_secs, transform, weights| {
            let xyz: [f64; 3] = match channel {
                CurveChannel::Location => transform.translation.into(),
                CurveChannel::Scale => transform.scale.into(),
                CurveChannel::Rotation => self.euler_angles(time_secs, &transform.rotation).map(f64::to_degrees),
                CurveChannel::Angle | CurveChannel::Speed => return,
                CurveChannel::MorphWeights => {
                    let components = values.iter_mut().zip(weights);
                    return components.for_each(|(values, weight)| values.push(f64::from(*weight)));
                }
            };
            values.iter_mut().zip(xyz).for_each(|(values, value)| values.push(value));
        });
        values
    }

    fn for_each_pose(&self, times_secs: impl Iterator<Item = f64>, mut visit: impl FnMut(f64, &Transform, &[f32])) {
        let (mut cursor, mut pose) = (Cursor::default(), Pose::default());
        for time_secs in times_secs {
            sample(&self.skeleton, &self.clip, time_secs, &mut cursor, &mut pose);
            visit(time_secs, &pose.parent_from_joint[0], &pose.morph_weights);
        }
    }
}

fn channel_of(track: &Track) -> CurveChannel {
    match track.keys {
        KeyValues::Translation(_) => CurveChannel::Location,
        KeyValues::Rotation(_) => CurveChannel::Rotation,
        KeyValues::Scale(_) => CurveChannel::Scale,
        KeyValues::Weights(_) => CurveChannel::MorphWeights,
    }
}

/// The angle of a rotation about an axis, in radians.
fn angle_about(axis: &Unit<Vector3<f64>>, rotation: &UnitQuaternion<f64>) -> f64 {
    2.0 * f64::atan2(rotation.imag().dot(axis), rotation.w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector4;
    use rigview_core::model::{Interpolation, Timeline};
    use std::f64::consts::PI;

    fn model() -> Model {
        let joint = |node| Joint {
            name: None,
            node,
            parent: None,
            rest: Transform::identity(),
            exact_rest_matrix: None,
            morph_weights: node * 2..node * 2 + 2,
        };
        Model { skeleton: Skeleton::new(vec![joint(0), joint(1)], vec![0.0; 4]), ..Model::default() }
    }

    /// A clip of two seconds that animates joint 1.
    fn curves(interpolation: Interpolation, keys: Vec<KeyValues>) -> JointCurves {
        let track = |keys| Track { joint: JointIndex(1), timeline: 1.into(), interpolation, keys };
        let clip = Clip {
            duration_secs: 2.0,
            timelines: vec![Timeline::new([0.0]), Timeline::new([0.0, 1.0, 2.0])],
            tracks: keys.into_iter().map(track).collect(),
            ..Clip::default()
        };
        assert!(JointCurves::new(&model(), &clip, JointIndex(0)).is_none());
        JointCurves::new(&model(), &clip, JointIndex(1)).unwrap()
    }

    fn locations(interpolation: Interpolation, xs: &[f32], times_secs: &[f64]) -> Vec<f64> {
        let keys = KeyValues::Translation(xs.iter().map(|x| Vector3::x() * *x).collect());
        curves(interpolation, vec![keys]).sample(CurveChannel::Location, times_secs).swap_remove(0)
    }

    #[test]
    fn curves_show_the_interpolation() {
        assert_eq!(locations(Interpolation::Linear, &[0.0, 1.0, 3.0], &[0.5, 1.5]), [0.5, 2.0]);
        let before = 1.0_f64.next_down();
        assert_eq!(locations(Interpolation::Step, &[0.0, 1.0, 3.0], &[before, 1.0]), [0.0, 1.0]);
        // Value 1 with slope 0 at each key: halfway between 0 and 1.
        let spline = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0];
        let values = locations(Interpolation::CubicSpline, &spline, &[0.25, 0.5, 1.5]);
        assert!((values[0] - 0.15625).abs() < 1e-12 && (values[1] - 0.5).abs() < 1e-12 && values[2] == 1.0);
    }

    #[test]
    fn samples_lie_at_both_sides_of_keys() {
        let keys = KeyValues::Translation([Vector3::zeros(); 3].into());
        let curves = curves(Interpolation::Step, vec![keys]);
        let ruler = Ruler::new(2.0, Some([0.5, 1.5]), [0.0, 100.0]);
        let times = curves.sample_times(&ruler, CurveChannel::Location);
        assert!(times.is_sorted() && times.contains(&1.0) && times.contains(&1.0_f64.next_down()));
        assert!((60..70).contains(&times.len()), "{}", times.len());
        assert!(curves.sample_times(&ruler, CurveChannel::Scale).len() <= times.len());
    }

    #[test]
    fn rotation_and_weights_have_components() {
        let turn = Vector4::new(0.0, 0.0, 1.0, 0.0);
        let rotation = KeyValues::Rotation([Vector4::w(), turn, -Vector4::w()].into());
        let curves =
            curves(Interpolation::Linear, vec![KeyValues::Weights([0.0, 1.0, 0.5, 0.5, 1.0, 0.0].into()), rotation]);
        let [angle, speed] = [CurveChannel::Angle, CurveChannel::Speed];
        assert_eq!(curves.channels, [CurveChannel::Rotation, CurveChannel::MorphWeights, angle, speed]);
        assert_eq!(curves.sample(CurveChannel::MorphWeights, &[0.5]), [[0.25], [0.75]]);
        let angles = curves.sample(CurveChannel::Rotation, &[0.0, 0.5, 1.0, 1.5, 2.0]);
        let z: Vec<f64> = angles[2].iter().map(|angle| angle.round()).collect();
        assert_eq!(z, [0.0, 90.0, 180.0, 270.0, 360.0], "a whole turn is not folded");
        assert_eq!(curves.sample(angle, &[1.5])[0][0].round(), 270.0);
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 1.5 * PI);
        assert!((curves.euler_angles(1.5, &rotation)[2] - 1.5 * PI).abs() < 1e-9);
    }

    #[test]
    fn speed_is_that_of_the_interval() {
        let at = |degrees: f64| {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), degrees.to_radians());
            turn.coords.cast::<f32>()
        };
        let rotation =
            |interpolation| curves(interpolation, vec![KeyValues::Rotation([0.0, 90.0, 270.0].map(at).into())]);
        let times = [0.0_f64.next_down(), 0.5, 1.0_f64.next_down(), 1.0, 2.0];
        let speeds = rotation(Interpolation::Linear).sample(CurveChannel::Speed, &times).swap_remove(0);
        for (speed, expected) in speeds.iter().zip([15.0, 15.0, 15.0, 30.0, 30.0]) {
            assert!((speed - expected).abs() < 1e-3, "{speeds:?}");
        }
        assert_eq!(rotation(Interpolation::Step).sample(CurveChannel::Speed, &times), [[0.0; 5]]);
    }
}
