//! Blending of weighted clips.

use super::{Cursor, Playback, Pose, sample};
use crate::math::Transform;
use crate::model::{ClipIndex, JointIndex, JointMaskIndex, Model};
use nalgebra::{Quaternion, UnitQuaternion, Vector3, Vector4};

/// A clip in a blend.
///
/// Weights above a sum of 1 are normalized; below, the rest pose gets the remainder (as in three.js). Joints without a
/// track contribute their rest pose. Additive layers come after that, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// The clip; `None` for the rest pose.
    pub clip: Option<ClipIndex>,
    /// Blend weight. Negative values and NaN count as 0.
    pub weight: f32,
    /// Maps the clock to clip time.
    pub playback: Playback,
    /// Combination with the other layers.
    pub mode: LayerMode,
    /// Mask in [`Model::joint_masks`]: weights are multiplied by its factor, joint by joint, before they are normalized. Does not apply
    /// to morph weights, materials, lights and cameras.
    pub mask: Option<JointMaskIndex>,
}

/// Combination of a layer with the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LayerMode {
    /// Part of the weighted mean.
    #[default]
    Blend,
    /// Adds the clip's difference from its own start to the mean of the others, such as a breath or a recoil. A weight above 1 counts
    /// as 1. Rotations turn about the joint's own axes, scales are multiplied.
    Additive,
}

impl Layer {
    /// A layer of weight 1.
    pub fn new(clip: Option<ClipIndex>, playback: Playback) -> Self {
        Self { clip, weight: 1.0, playback, mode: LayerMode::Blend, mask: None }
    }

    /// Weight in the mean; 0 for an additive layer.
    pub(crate) fn blend_weight(&self) -> f32 {
        if self.mode == LayerMode::Blend { self.weight } else { 0.0 }
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
    /// The start of an additive layer's clip.
    start: Pose,
    start_cursor: Cursor,
    sums: Vec<Sums>,
    /// Weights of each joint; those of the first apply to all without a mask.
    weights: Vec<JointWeights>,
}

/// Weights of the layers and of the rest pose at one joint.
#[derive(Clone, Copy, Debug)]
struct JointWeights {
    layers: [f64; MAX_LAYERS],
    rest: f64,
}

impl JointWeights {
    /// Returns the weights at a joint; without masks for `None`.
    fn new(model: &Model, layers: &[Layer], joint: Option<JointIndex>) -> Self {
        let factor = |layer: &Layer| {
            let mask = layer.mask.map(|mask| &model.joint_masks[mask.get()]);
            joint.zip(mask).map_or(1.0, |(joint, mask)| mask.factor(joint))
        };
        let mut weights = Self { layers: [0.0; MAX_LAYERS], rest: 0.0 };
        let masked = layers.iter().map(|layer| (layer.weight * factor(layer), layer.mode));
        weights.rest = layer_weights(masked, &mut weights.layers);
        weights
    }
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

/// Writes the weight of each layer, normalized but for additive layers, and returns that of the rest pose.
pub(crate) fn layer_weights(layers: impl Iterator<Item = (f32, LayerMode)> + Clone, weights: &mut [f64]) -> f64 {
    let is_additive = |mode: LayerMode| mode == LayerMode::Additive;
    let blended = layers.clone().map(|(weight, mode)| if is_additive(mode) { 0.0 } else { weight });
    let rest_weight = normalized_weights(blended, weights);
    for (out, (weight, mode)) in weights.iter_mut().zip(layers) {
        if is_additive(mode) {
            *out = if weight > 0.0 { f64::from(weight.min(1.0)) } else { 0.0 };
        }
    }
    rest_weight
}

/// Adds the difference between two poses of a joint.
fn add_difference(local: &mut Transform, start: &Transform, end: &Transform, weight: f64) {
    let turn = (start.rotation.inverse() * end.rotation).coords;
    // A quaternion and its negative are the same rotation. The shorter arc is used.
    let signed_weight = if turn.w < 0.0 { -weight } else { weight };
    let turn = turn * signed_weight + Vector4::w() * (1.0 - weight);
    local.rotation *= UnitQuaternion::new_normalize(Quaternion::from(turn));
    local.translation += (end.translation - start.translation) * weight;
    let ratio = end.scale.zip_map(&start.scale, |end, start| if start == 0.0 { 1.0 } else { end / start });
    local.scale.component_mul_assign(&ratio.map(|ratio| 1.0 + (ratio - 1.0) * weight));
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
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
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
/// If there are more than [`MAX_LAYERS`], or a clip or joint mask does not exist.
pub fn sample_layers(model: &Model, layers: &[Layer], clock_secs: f64, scratch: &mut LayerScratch, pose: &mut Pose) {
    let skeleton = &model.skeleton;
    assert!(layers.len() <= MAX_LAYERS, "too many layers");
    let JointWeights { layers: weights, rest: rest_weight } = JointWeights::new(model, layers, None);
    let is_masked = layers.iter().any(|layer| layer.mask.is_some());
    let is_additive = |layer: &Layer| layer.mode == LayerMode::Additive;
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
        (Some((layer, _)), None) if rest_weight == 0.0 && !is_masked => return sample_one(layer, pose),
        _ => {}
    }
    let joint_count = if is_masked { skeleton.len() } else { 1 };
    let joints = (0..joint_count as u32).map(|joint| is_masked.then_some(JointIndex(joint)));
    scratch.weights.clear();
    scratch.weights.extend(joints.map(|joint| JointWeights::new(model, layers, joint)));
    let weights_at = |joint: usize| &scratch.weights[if is_masked { joint } else { 0 }];
    scratch.sums.clear();
    scratch.sums.resize(skeleton.len(), Sums::ZERO);
    pose.reset(skeleton);
    pose.morph_weights.fill(0.0);
    for (i, (layer, layer_weight)) in layers.iter().zip(weights).enumerate() {
        if layer_weight <= 0.0 || is_additive(layer) {
            continue;
        }
        sample_one(layer, &mut scratch.layer);
        for (joint, (sums, local)) in scratch.sums.iter_mut().zip(&scratch.layer.parent_from_joint).enumerate() {
            sums.add(local, weights_at(joint).layers[i]);
        }
        for (sum, weight) in pose.morph_weights.iter_mut().zip(&scratch.layer.morph_weights) {
            *sum += (f64::from(*weight) * layer_weight) as f32;
        }
    }
    let joints = pose.parent_from_joint.iter_mut().zip(&mut scratch.sums);
    for (joint, (local, sums)) in joints.enumerate() {
        let rest_weight = weights_at(joint).rest;
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
    for (i, (layer, layer_weight)) in layers.iter().zip(weights).enumerate() {
        let Some(clip) = layer.clip.filter(|_| layer_weight > 0.0 && is_additive(layer)) else { continue };
        sample_one(layer, &mut scratch.layer);
        sample(skeleton, &model.clips[clip.get()], 0.0, &mut scratch.start_cursor, &mut scratch.start);
        let ends = scratch.start.parent_from_joint.iter().zip(&scratch.layer.parent_from_joint);
        for (joint, (local, (start, end))) in pose.parent_from_joint.iter_mut().zip(ends).enumerate() {
            add_difference(local, start, end, weights_at(joint).layers[i]);
        }
        let ends = scratch.start.morph_weights.iter().zip(&scratch.layer.morph_weights);
        for (sum, (start, end)) in pose.morph_weights.iter_mut().zip(ends) {
            *sum += (f64::from(end - start) * layer_weight) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Clip, Interpolation, Joint, JointMask, KeyValues, Skeleton, Timeline, Track};

    fn still(keys: Vec<KeyValues>) -> Clip {
        let track = |keys| Track { joint: JointIndex(0), timeline: 0, interpolation: Interpolation::Linear, keys };
        Clip { timelines: vec![Timeline::new([0.0])], tracks: keys.into_iter().map(track).collect(), ..Clip::default() }
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
        let rotation = |angle| KeyValues::Rotation([about_x(angle).coords.cast()].into());
        let translation = |x: f32| KeyValues::Translation([Vector3::x() * x].into());
        Model {
            skeleton: Skeleton::new(vec![joint], vec![0.5]),
            clips: vec![
                still(vec![rotation(0.4), translation(1.0), KeyValues::Weights([0.0].into())]),
                still(vec![rotation(0.8), translation(2.0)]),
                // The same rotation as in the second clip, with the opposite sign.
                still(vec![KeyValues::Rotation([-about_x(0.8).coords.cast::<f32>()].into())]),
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

    #[test]
    fn mask_limits_a_layer_and_additive_layer_adds_its_difference_from_the_start() {
        let mut model = model();
        let mut mask = JointMask::default();
        mask.set(JointIndex(0), 0.25);
        model.joint_masks.push(mask);
        let mut moving = still(vec![KeyValues::Translation([5.0, 6.0].map(|x| Vector3::x() * x).into())]);
        moving.tracks.push(Track { keys: KeyValues::Weights([0.25, 0.5].into()), ..moving.tracks[0].clone() });
        let turn = KeyValues::Rotation([0.2, 0.5].map(|angle| about_x(angle).coords.cast()).into());
        moving.tracks.push(Track { keys: turn, ..moving.tracks[0].clone() });
        let scale = KeyValues::Scale([2.0, 3.0].map(Vector3::repeat).into());
        moving.tracks.push(Track { keys: scale, ..moving.tracks[0].clone() });
        moving.timelines[0] = Timeline::new([0.0, 1.0]);
        moving.duration_secs = 1.0;
        model.clips.push(moving);
        let layer = |clip| Layer::new(Some(ClipIndex(clip)), Playback::ONCE);
        let at = |layers: &[Layer]| {
            let mut pose = Pose::default();
            sample_layers(&model, layers, 1.0, &mut LayerScratch::default(), &mut pose);
            let local = &pose.parent_from_joint[0];
            assert!(local.scale.x == local.scale.y);
            ((local.translation.x, local.rotation.angle(), pose.morph_weights[0]), local.scale.x)
        };
        let mask = Some(JointMaskIndex(0));
        // A quarter of the clip, three of the rest pose; morph weights have no mask.
        let (found, scale) = at(&[Layer { mask, ..layer(0) }]);
        assert_near(found, (3.25, found.1, 0.0));
        assert!(scale == 1.0 && (found.1 - 0.1).abs() < 1e-3);
        let mode = LayerMode::Additive;
        let (found, scale) = at(&[layer(0), Layer { mode, ..layer(3) }]);
        assert_near(found, (2.0, 0.7, 0.25));
        assert!((scale - 1.5).abs() < 1e-6);
        let (found, scale) = at(&[Layer { mode, mask, weight: 9.0, ..layer(3) }, layer(0)]);
        assert_near(found, (2.0, 0.7, 0.25));
        assert!((scale - 1.5).abs() < 1e-6);
        let (found, scale) = at(&[Layer { mode, mask, ..layer(3) }]);
        assert_near(found, (4.25, found.1, 0.75));
        assert!((scale - 1.125).abs() < 1e-6 && (found.1 - 0.075).abs() < 1e-3);
    }
}
