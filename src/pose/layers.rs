//! Several clips at once, each with a weight.

use super::{Cursor, Playback, Pose, sample};
use crate::math::Transform;
use crate::model::{ClipIndex, Model};
use nalgebra::{Quaternion, UnitQuaternion, Vector3, Vector4};

/// A clip among several that play at once.
///
/// Weights are relative where they add up to more than 1; what they lack of 1, the rest pose fills (so does three.js). A
/// clip that does not move a joint says that it rests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// The clip; `None` for the rest pose.
    pub clip: Option<ClipIndex>,
    /// How much of the pose is this clip's. Below zero counts as zero.
    pub weight: f32,
    /// Where in the clip it is.
    pub playback: Playback,
}

impl Layer {
    /// A clip that plays alone.
    pub fn new(clip: Option<ClipIndex>, playback: Playback) -> Self {
        Self { clip, weight: 1.0, playback }
    }

    /// Two layers, `share` of the way from the first to the second; 0 is all the first.
    pub fn cross_fade(from: Self, to: Self, share: f32) -> [Self; 2] {
        let share = share.clamp(0.0, 1.0);
        [Self { weight: 1.0 - share, ..from }, Self { weight: share, ..to }]
    }
}

/// What [`sample_layers`] keeps from one pose to the next: memory, and where it was in each clip.
#[derive(Clone, Debug, Default)]
pub struct LayerScratch {
    cursors: Vec<Cursor>,
    layer: Pose,
    sums: Vec<Sums>,
}

/// Weighted sums over the layers, for one joint.
#[derive(Clone, Copy, Debug)]
struct Sums {
    translation: Vector3<f64>,
    rotation: Vector4<f64>,
    scale: Vector3<f64>,
}

impl Sums {
    const NONE: Self = Self {
        translation: Vector3::new(0.0, 0.0, 0.0),
        rotation: Vector4::new(0.0, 0.0, 0.0, 0.0),
        scale: Vector3::new(0.0, 0.0, 0.0),
    };

    fn add(&mut self, local: &Transform, share: f64) {
        self.translation += local.translation * share;
        self.scale += local.scale * share;
        // A rotation and its negative are the same; the nearer one counts.
        let nearer = if self.rotation.dot(&local.rotation.coords) < 0.0 { -share } else { share };
        self.rotation += local.rotation.coords * nearer;
    }
}

/// For the weight of each layer the share of the pose that is its, written into `shares`; and the share of the rest pose.
///
/// Together they make 1.
pub(crate) fn normalized_weights(weights: impl Iterator<Item = f32>, shares: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for (share, weight) in shares.iter_mut().zip(weights) {
        // What is no number becomes 0, what is endless a number.
        *share = if weight > 0.0 { f64::from(weight.min(f32::MAX)) } else { 0.0 };
        sum += *share;
    }
    // Weights such as 0.3 and 0.7 are meant to fill it.
    if sum > 1.0 - 1e-6 {
        shares.iter_mut().for_each(|share| *share /= sum);
        return 0.0;
    }
    1.0 - sum
}

/// The most layers of one pose.
pub const MAX_LAYERS: usize = 8;

/// Sets `pose` to all of `layers` at once when the clock shows `clock_secs`.
///
/// In the joints' own spaces: translations, scales and morph weights are weighted sums; so are rotations, each on the side
/// of the sum of those before it, brought back to length 1 (as ozz-animation blends). One layer of weight 1 gives what
/// [`sample()`] gives, to the last bit.
///
/// # Panics
/// If there are more than [`MAX_LAYERS`], or one's clip does not exist.
pub fn sample_layers(model: &Model, layers: &[Layer], clock_secs: f64, scratch: &mut LayerScratch, pose: &mut Pose) {
    let skeleton = &model.skeleton;
    assert!(layers.len() <= MAX_LAYERS, "too many layers");
    let mut shares = [0.0; MAX_LAYERS];
    let rest = normalized_weights(layers.iter().map(|layer| layer.weight), &mut shares);
    if scratch.cursors.len() < model.clips.len() {
        scratch.cursors.resize_with(model.clips.len(), Cursor::default);
    }
    let mut sample_one = |layer: &Layer, pose: &mut Pose| match layer.clip {
        Some(index) => {
            let clip = &model.clips[index.get()];
            let time_secs = layer.playback.local_time(clock_secs, f64::from(clip.duration_secs));
            sample(skeleton, clip, time_secs, &mut scratch.cursors[index.get()], pose);
        }
        None => pose.reset(skeleton),
    };
    let mut parts = layers.iter().zip(&shares).filter(|(_, share)| **share > 0.0);
    match (parts.next(), parts.next()) {
        (None, _) => return pose.reset(skeleton),
        (Some((layer, _)), None) if rest == 0.0 => return sample_one(layer, pose),
        _ => {}
    }
    scratch.sums.clear();
    scratch.sums.resize(skeleton.len(), Sums::NONE);
    pose.reset(skeleton);
    pose.weights.fill(0.0);
    for (layer, share) in layers.iter().zip(shares).filter(|(_, share)| *share > 0.0) {
        sample_one(layer, &mut scratch.layer);
        for (sums, local) in scratch.sums.iter_mut().zip(&scratch.layer.parent_from_joint) {
            sums.add(local, share);
        }
        for (sum, weight) in pose.weights.iter_mut().zip(&scratch.layer.weights) {
            *sum += (f64::from(*weight) * share) as f32;
        }
    }
    let joints = pose.parent_from_joint.iter_mut().zip(&mut scratch.sums);
    for (local, sums) in joints {
        if rest > 0.0 {
            sums.add(local, rest);
        }
        *local = Transform {
            translation: sums.translation,
            rotation: UnitQuaternion::new_normalize(Quaternion::from(sums.rotation)),
            scale: sums.scale,
        };
    }
    if rest > 0.0 {
        for (sum, weight) in pose.weights.iter_mut().zip(skeleton.rest_weights()) {
            *sum += (f64::from(*weight) * rest) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Clip, Interpolation, Joint, JointIndex, Keys, Skeleton, Timeline, Track};

    fn still(keys: Vec<Keys>) -> Clip {
        let track = |keys| Track { joint: JointIndex(0), timeline: 0, interpolation: Interpolation::Linear, keys };
        Clip {
            timelines: vec![Timeline { times_secs: vec![0.0] }],
            tracks: keys.into_iter().map(track).collect(),
            ..Clip::default()
        }
    }

    fn about_x(angle: f64) -> UnitQuaternion<f64> {
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angle)
    }

    fn model() -> Model {
        let joint = Joint {
            name: None,
            node: 0,
            parent: None,
            rest: Transform { translation: Vector3::new(4.0, 0.0, 0.0), ..Transform::identity() },
            sheared_rest: None,
            weights: 0..1,
        };
        let turned = |angle| Keys::Rotation(vec![about_x(angle).coords.cast()]);
        let moved = |x: f32| Keys::Translation(vec![Vector3::x() * x]);
        Model {
            skeleton: Skeleton::new(vec![joint], vec![0.5]),
            clips: vec![
                still(vec![turned(0.4), moved(1.0), Keys::Weights(vec![0.0])]),
                still(vec![turned(0.8), moved(2.0)]),
                // The same turn as the second, on the other side.
                still(vec![Keys::Rotation(vec![-about_x(0.8).coords.cast::<f32>()])]),
            ],
            ..Model::default()
        }
    }

    fn at(model: &Model, layers: &[(u32, f32)]) -> (f64, f64, f32) {
        let layer =
            |&(clip, weight): &(u32, f32)| Layer { weight, ..Layer::new(Some(ClipIndex(clip)), Playback::default()) };
        let layers: Vec<Layer> = layers.iter().map(layer).collect();
        let (mut scratch, mut pose) = (LayerScratch::default(), Pose::default());
        sample_layers(model, &layers, 0.0, &mut scratch, &mut pose);
        let local = &pose.parent_from_joint[0];
        (local.translation.x, local.rotation.angle(), pose.weights[0])
    }

    fn assert_near(got: (f64, f64, f32), expected: (f64, f64, f32)) {
        let off = [got.0 - expected.0, got.1 - expected.1, f64::from(got.2 - expected.2)];
        assert!(off.iter().all(|off| off.abs() < 1e-6), "{got:?} instead of {expected:?}");
    }

    #[test]
    fn half_of_each_is_half_way() {
        let model = model();
        assert_near(at(&model, &[(0, 0.5), (1, 0.5)]), (1.5, 0.6, 0.25));
        // Relative where there is more than enough, filled up with rest where there is not.
        assert_near(at(&model, &[(0, 3.0), (1, 3.0)]), (1.5, 0.6, 0.25));
        assert_near(at(&model, &[(0, 0.5)]), (2.5, 0.2, 0.25));
        assert_near(at(&model, &[(0, 1.0)]), (1.0, 0.4, 0.0));
        assert_near(at(&model, &[]), (4.0, 0.0, 0.5));
        assert_near(at(&model, &[(0, -1.0), (1, f32::NAN)]), (4.0, 0.0, 0.5));
    }

    #[test]
    fn a_rotation_on_the_other_side_is_the_same() {
        let model = model();
        assert_near(at(&model, &[(0, 0.5), (2, 0.5)]), (2.5, 0.6, 0.25));
    }

    #[test]
    fn a_cross_fade_begins_and_ends_with_one_clip() {
        let layer = |clip| Layer::new(Some(ClipIndex(clip)), Playback::default());
        let weights = |share| Layer::cross_fade(layer(0), layer(1), share).map(|layer| layer.weight);
        assert_eq!([weights(0.0), weights(0.25), weights(7.0)], [[1.0, 0.0], [0.75, 0.25], [0.0, 1.0]]);
    }
}
