//! Animation curves of one joint, sampled as they are played.

use crate::app::viewer::analysis::ruler::Ruler;
use nalgebra::UnitQuaternion;
use rigview_core::math::Transform;
use rigview_core::model::{Clip, Joint, JointIndex, KeyValues, Model, Skeleton, Track};
use rigview_core::pose::{Cursor, Pose, sample};
use std::f64::consts::{PI, TAU};

/// Number of times that decide which of its equivalent Euler angles a rotation has.
const EULER_SAMPLES: usize = 2048;

/// Distance of two samples in points.
const SAMPLE_DISTANCE: f32 = 2.0;

/// An animated property of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CurveChannel {
    Location,
    Rotation,
    Scale,
    MorphWeights,
}

impl CurveChannel {
    /// Name and unit.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Location => "Location (m)",
            Self::Rotation => "Rotation (XYZ Euler, \u{b0})",
            Self::Scale => "Scale",
            Self::MorphWeights => "Morph weights",
        }
    }
}

/// The tracks of one joint as a clip of their own, so that the cost of a sample does not depend on the other joints.
#[derive(Debug)]
pub(crate) struct JointCurves {
    skeleton: Skeleton,
    clip: Clip,
    /// Animated channels.
    pub(crate) channels: Vec<CurveChannel>,
    /// Names of the morph targets.
    pub(crate) weight_names: Vec<String>,
    /// Continuous Euler angles in radians at evenly spaced times.
    euler_angles: Vec<[f64; 3]>,
}

impl JointCurves {
    /// Copies the tracks of a joint; `None` if the clip does not animate it.
    pub(crate) fn new(model: &Model, clip: &Clip, index: JointIndex) -> Option<Self> {
        let skeleton = &model.skeleton;
        let mut copy = Clip { duration_secs: clip.duration_secs, ..Clip::default() };
        let mut channels = Vec::new();
        for track in clip.tracks.iter().filter(|track| track.joint == index) {
            channels.push(channel_of(track));
            copy.timelines.push(clip.timelines[track.timeline].clone());
            copy.tracks.push(Track { joint: JointIndex(0), timeline: copy.tracks.len(), ..track.clone() });
        }
        channels.sort_by_key(|channel| *channel as u8);
        let joint = skeleton.joint(index);
        let weights = skeleton.rest_morph_weights()[joint.morph_weights.clone()].to_vec();
        let morphs = model.morphs().into_iter().filter(|morph| joint.morph_weights.contains(&morph.weight_index));
        let weight_names = morphs.map(|morph| morph.name).collect();
        let joint = Joint { parent: None, morph_weights: 0..weights.len(), ..joint.clone() };
        let skeleton = Skeleton::new(vec![joint], weights);
        let mut curves = Self { skeleton, clip: copy, channels, weight_names, euler_angles: Vec::new() };
        if curves.channels.contains(&CurveChannel::Rotation) {
            let end = (EULER_SAMPLES - 1) as f64;
            let times = (0..EULER_SAMPLES).map(|i| i as f64 / end * f64::from(clip.duration_secs));
            let mut last = [0.0; 3];
            let mut angles = Vec::new();
            curves.for_each_pose(times, |_, transform, _| {
                last = nearest_euler_angles(&transform.rotation, last);
                angles.push(last);
            });
            curves.euler_angles = angles;
        }
        (!curves.channels.is_empty()).then_some(curves)
    }

    /// Number of components of a channel.
    pub(crate) fn component_count(&self, channel: CurveChannel) -> usize {
        if channel == CurveChannel::MorphWeights { self.skeleton.rest_morph_weights().len() } else { 3 }
    }

    /// The visible times at which the curves are drawn: evenly spaced, and at both sides of each key.
    pub(crate) fn sample_times(&self, ruler: &Ruler, channel: CurveChannel) -> Vec<f64> {
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
    pub(crate) fn keys(&self, channel: CurveChannel) -> &[f32] {
        let track = self.clip.tracks.iter().find(|track| channel_of(track) == channel);
        track.map_or(&[], |track| self.clip.timelines[track.timeline].times_secs())
    }

    /// Values at sorted times, one list per component. Rotations are continuous XYZ Euler angles in degrees.
    pub(crate) fn sample(&self, channel: CurveChannel, times_secs: &[f64]) -> Vec<Vec<f64>> {
        let mut values = vec![Vec::with_capacity(times_secs.len()); self.component_count(channel)];
        self.for_each_pose(times_secs.iter().copied(), |time_secs, transform, weights| {
            let xyz: [f64; 3] = match channel {
                CurveChannel::Location => transform.translation.into(),
                CurveChannel::Scale => transform.scale.into(),
                CurveChannel::Rotation => {
                    let fraction = time_secs / f64::from(self.clip.duration_secs);
                    let index = (fraction * (EULER_SAMPLES - 1) as f64).round().max(0.0) as usize;
                    let near = self.euler_angles[index.min(EULER_SAMPLES - 1)];
                    nearest_euler_angles(&transform.rotation, near).map(f64::to_degrees)
                }
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

/// The XYZ Euler angles of a rotation that are nearest to others, in radians.
fn nearest_euler_angles(rotation: &UnitQuaternion<f64>, near: [f64; 3]) -> [f64; 3] {
    let (x, y, z) = rotation.euler_angles();
    let unwrapped = |angles: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|axis| angles[axis] + ((near[axis] - angles[axis]) / TAU).round() * TAU)
    };
    let distance = |angles: &[f64; 3]| (0..3).map(|axis| (angles[axis] - near[axis]).abs()).sum::<f64>();
    // The same rotation has two sets of Euler angles.
    let [first, second] = [unwrapped([x, y, z]), unwrapped([x + PI, PI - y, z + PI])];
    if distance(&second) + 1e-9 < distance(&first) { second } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Vector3, Vector4};
    use rigview_core::model::{Interpolation, Timeline};

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
        let track = |keys| Track { joint: JointIndex(1), timeline: 1, interpolation, keys };
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
    fn euler_angles_are_continuous() {
        // Three turns about x, then pitch through 90 degrees.
        for axis in [Vector3::x_axis(), Vector3::y_axis()] {
            let mut last: Option<[f64; 3]> = None;
            for i in 0..=600 {
                let rotation = UnitQuaternion::from_axis_angle(&axis, f64::from(i) * 0.0314159);
                let angles = nearest_euler_angles(&rotation, last.unwrap_or_default());
                let [x, y, z] = angles;
                assert!(UnitQuaternion::from_euler_angles(x, y, z).angle_to(&rotation) < 1e-6, "{angles:?}");
                let jump = last.map_or(0.0, |last| (0..3).map(|i| (angles[i] - last[i]).abs()).fold(0.0, f64::max));
                assert!(jump < 0.04, "jump of {jump} at {i} about {axis:?}");
                last = Some(angles);
            }
        }
    }

    #[test]
    fn rotation_and_weights_have_components() {
        let turn = Vector4::new(0.0, 0.0, 1.0, 0.0);
        let rotation = KeyValues::Rotation([Vector4::w(), turn, -Vector4::w()].into());
        let curves =
            curves(Interpolation::Linear, vec![KeyValues::Weights([0.0, 1.0, 0.5, 0.5, 1.0, 0.0].into()), rotation]);
        assert_eq!(curves.channels, [CurveChannel::Rotation, CurveChannel::MorphWeights]);
        assert_eq!(curves.sample(CurveChannel::MorphWeights, &[0.5]), [[0.25], [0.75]]);
        let angles = curves.sample(CurveChannel::Rotation, &[0.0, 0.5, 1.0, 1.5, 2.0]);
        let z: Vec<f64> = angles[2].iter().map(|angle| angle.round()).collect();
        assert_eq!(z, [0.0, 90.0, 180.0, 270.0, 360.0], "a whole turn is not folded");
    }
}
