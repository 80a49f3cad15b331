//! Blending of weighted clips.

use super::{Cursor, Playback, Pose, sample};
use crate::math::Transform;
use crate::model::{ClipIndex, Model};
use nalgebra::{Quaternion, UnitQuaternion, Vector3, Vector4};

/// A clip in a blend.
///
/// Weights above a sum of 1 are normalized; below, the rest pose gets the remainder (as in three.js). Joints without a
/// track contribute their rest pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// The clip; `None` for the rest pose.
    pub clip: Option<ClipIndex>,
    /// Blend weight. Negative values and NaN count as 0.
    pub weight: f32,
    /// Maps the clock to clip time.
    pub playback: Playback,
}

impl Layer {
    /// A layer of weight 1.
    pub fn new(clip: Option<ClipIndex>, playback: Playback) -> Self {
        Self { clip, weight: 1.0, playback }
    }

    /// Cross-fades between two layers. `t` is clamped to 0 (only `from`) to 1 (only `to`).
    pub fn cross_fade(from: Self, to: Self, t: f32) -> [Self; 2] {
        let t = t.clamp(0.0, 1.0);
        [Self { weight: 1.0 - t, ..from }, Self { weight: t, ..to }]
    }
}

/// Cursors and buffers that [`sample_layers`] reuses.
#[derive(Clone, Debug, Default)]
pub struct LayerScratch {
    cursors: Vec<Cursor>,
    layer: Pose,
    sums: Vec<Sums>,
}

/// Weighted sums over the layers of one joint.
#[derive(Clone, Copy, Debug)]
struct Sums {
    translation: Vector3<f64>,
    rotation: Vector4<f64>,
    scale: Vector3<f64>,
}

impl Sums {
    const ZERO: Self = Self {
        translation: Vector3::new(0.0, 0.0, 0.0),
        rotation: Vector4::new(0.0, 0.0, 0.0, 0.0),
        scale: Vector3::new(0.0, 0.0, 0.0),
    };

    fn add(&mut self, local: &Transform, weight: f64) {
        self.translation += local.translation * weight;
        self.scale += local.scale * weight;
        // A quaternion and its negative are the same rotation. The sign nearer to the sum is used.
        let signed_weight = if self.rotation.dot(&local.rotation.coords) < 0.0 { -weight } else { weight };
        self.rotation += local.rotation.coords * signed_weight;
    }
}

/// Writes the normalized weight of each layer and returns that of the rest pose. Their sum is 1.
pub(crate) fn normalized_weights(weights: impl Iterator<Item = f32>, normalized: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for (normalized, weight) in normalized.iter_mut().zip(weights) {
        // NaN becomes 0, infinity a finite value.
        *normalized = if weight > 0.0 { f64::from(weight.min(f32::MAX)) } else { 0.0 };
        sum += *normalized;
    }
    // Weights such as 0.3 and 0.7 sum to 1 within rounding.
    if sum > 1.0 - 1e-6 {
        normalized.iter_mut().for_each(|weight| *weight /= sum);
        return 0.0;
    }
    1.0 - sum
}

/// Maximum number of layers of one pose.
pub const MAX_LAYERS: usize = 8;

/// Sets `pose` to a blend of `layers` at the clock's `clock_secs`.
///
/// Blends in local space. Translations, scales and morph weights are weighted sums. Rotations are normalized weighted sums,
/// each with the sign nearer to the sum so far (as in ozz-animation). One layer of weight 1 equals [`sample()`] exactly.
///
/// ```
/// use rigview_core::model::ClipIndex;
/// use rigview_core::pose::{Layer, LayerScratch, Playback, Pose, sample_layers};
///
/// # use rigview_core::import::{ImportOptions, open};
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/hare.glb"));
/// # let model = open(file, &ImportOptions::default()).unwrap().model;
/// let [nod, wave] = [0, 1].map(|clip| Layer::new(Some(ClipIndex(clip)), Playback::looping(0.0)));
/// let (mut scratch, mut pose) = (LayerScratch::default(), Pose::default());
/// for frame in 0..3 {
///     let layers = Layer::cross_fade(nod, wave, frame as f32 / 2.0);
///     sample_layers(&model, &layers, f64::from(frame) / 60.0, &mut scratch, &mut pose);
/// }
/// assert_eq!(pose.parent_from_joint.len(), model.skeleton.joints().len());
/// ```
///
/// # Panics
/// If there are more than [`MAX_LAYERS`], or a clip does not exist.
pub fn sample_layers(model: &Model, layers: &[Layer], clock_secs: f64, scratch: &mut LayerScratch, pose: &mut Pose) {
    let skeleton = &model.skeleton;
    assert!(layers.len() <= MAX_LAYERS, "too many layers");
    let mut weights = [0.0; MAX_LAYERS];
    let rest_weight = normalized_weights(layers.iter().map(|layer| layer.weight), &mut weights);
    if scratch.cursors.len() < model.clips.len() {
        scratch.cursors.resize_with(model.clips.len(), Cursor::default);
    }
    let mut sample_one = |layer: &Layer, pose: &mut Pose| match layer.clip {
        Some(index) => {
            let clip = &model.clips[index.get()];
            let time_secs = layer.playback.clip_time(clock_secs, f64::from(clip.duration_secs));
            sample(skeleton, clip, time_secs, &mut scratch.cursors[index.get()], pose);
        }
        None => pose.reset(skeleton),
    };
    let mut active = layers.iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
    match (active.next(), active.next()) {
        (None, _) => return pose.reset(skeleton),
        (Some((layer, _)), None) if rest_weight == 0.0 => return sample_one(layer, pose),
        _ => {}
    }
    scratch.sums.clear();
    scratch.sums.resize(skeleton.len(), Sums::ZERO);
    pose.reset(skeleton);
    pose.morph_weights.fill(0.0);
    for (layer, layer_weight) in layers.iter().zip(weights).filter(|(_, weight)| *weight > 0.0) {
        sample_one(layer, &mut scratch.layer);
        for (sums, local) in scratch.sums.iter_mut().zip(&scratch.layer.parent_from_joint) {
            sums.add(local, layer_weight);
        }
        for (sum, weight) in pose.morph_weights.iter_mut().zip(&scratch.layer.morph_weights) {
            *sum += (f64::from(*weight) * layer_weight) as f32;
        }
    }
    let joints = pose.parent_from_joint.iter_mut().zip(&mut scratch.sums);
    for (local, sums) in joints {
        if rest_weight > 0.0 {
            sums.add(local, rest_weight);
        }
        *local = Transform {
            translation: sums.translation,
            rotation: UnitQuaternion::new_normalize(Quaternion::from(sums.rotation)),
            scale: sums.scale,
        };
    }
    if rest_weight > 0.0 {
        for (sum, weight) in pose.morph_weights.iter_mut().zip(skeleton.rest_morph_weights()) {
            *sum += (f64::from(*weight) * rest_weight) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Clip, Interpolation, Joint, JointIndex, KeyValues, Skeleton, Timeline, Track};

    fn still(keys: Vec<KeyValues>) -> Clip {
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
            exact_rest_matrix: None,
            morph_weights: 0..1,
        };
        let rotation = |angle| KeyValues::Rotation(vec![about_x(angle).coords.cast()]);
        let translation = |x: f32| KeyValues::Translation(vec![Vector3::x() * x]);
        Model {
            skeleton: Skeleton::new(vec![joint], vec![0.5]),
            clips: vec![
                still(vec![rotation(0.4), translation(1.0), KeyValues::Weights(vec![0.0])]),
                still(vec![rotation(0.8), translation(2.0)]),
                // The same rotation as in the second clip, with the opposite sign.
                still(vec![KeyValues::Rotation(vec![-about_x(0.8).coords.cast::<f32>()])]),
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
        (local.translation.x, local.rotation.angle(), pose.morph_weights[0])
    }

    fn assert_near(got: (f64, f64, f32), expected: (f64, f64, f32)) {
        let off = [got.0 - expected.0, got.1 - expected.1, f64::from(got.2 - expected.2)];
        assert!(off.iter().all(|off| off.abs() < 1e-6), "{got:?} instead of {expected:?}");
    }

    #[test]
    fn equal_weights_average_clips() {
        let model = model();
        assert_near(at(&model, &[(0, 0.5), (1, 0.5)]), (1.5, 0.6, 0.25));
        // Normalized above 1, completed by the rest pose below.
        assert_near(at(&model, &[(0, 3.0), (1, 3.0)]), (1.5, 0.6, 0.25));
        assert_near(at(&model, &[(0, 0.5)]), (2.5, 0.2, 0.25));
        assert_near(at(&model, &[(0, 1.0)]), (1.0, 0.4, 0.0));
        assert_near(at(&model, &[]), (4.0, 0.0, 0.5));
        assert_near(at(&model, &[(0, -1.0), (1, f32::NAN)]), (4.0, 0.0, 0.5));
    }

    #[test]
    fn negated_quaternion_blends_alike() {
        let model = model();
        assert_near(at(&model, &[(0, 0.5), (2, 0.5)]), (2.5, 0.6, 0.25));
    }

    #[test]
    fn cross_fade_begins_and_ends_with_one_clip() {
        let layer = |clip| Layer::new(Some(ClipIndex(clip)), Playback::default());
        let weights = |t| Layer::cross_fade(layer(0), layer(1), t).map(|layer| layer.weight);
        assert_eq!([weights(0.0), weights(0.25), weights(7.0)], [[1.0, 0.0], [0.75, 0.25], [0.0, 1.0]]);
    }
}
