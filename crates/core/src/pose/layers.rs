//! Blending of weighted clips.

use super::{Cursor, Playback, Pose, sample};
use crate::math::Transform;
use crate::model::{ClipIndex, JointIndex, JointMaskIndex, KeyValues, Model, Track};
use nalgebra::{Quaternion, UnitQuaternion, Vector3, Vector4};

/// A clip in a blend.
///
/// At each joint, the weights of the clips that animate it count. A sum above 1 is normalized; below, the rest pose gets the
/// remainder (as in three.js). So clips that animate different joints play in full together, each with weight 1. Where several clips
/// animate a joint, it moves by their weighted mean, also if they have tracks for different properties of it, such as rotation and
/// translation. The morph weights of a node, and each property of a material, light or camera, blend likewise. A layer without a clip
/// animates every joint. Additive layers come after that, in order.
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
    /// For each joint, a bit for each layer that animates it; likewise for morph weights.
    animated_joints: Vec<u64>,
    animated_weights: Vec<u64>,
    /// First the rows of joints.
    weights: BlendWeights,
    /// The row of each morph weight.
    morph_rows: Vec<usize>,
}

/// The weights of the layers and of the rest pose, as rows.
#[derive(Clone, Debug, Default)]
struct BlendWeights {
    rows: Vec<f64>,
    row_length: usize,
}

impl BlendWeights {
    /// Begins rows for layers.
    fn reset(&mut self, layer_count: usize) {
        self.rows.clear();
        self.row_length = layer_count + 1;
    }

    fn push(&mut self, layers: impl Iterator<Item = LayerWeight> + Clone) {
        let first = self.rows.len();
        self.rows.resize(first + self.row_length, 0.0);
        let (rest, of_layers) = self.rows[first..].split_last_mut().expect("the weight of the rest pose");
        *rest = layer_weights(layers, of_layers);
    }

    fn len(&self) -> usize {
        self.rows.len() / self.row_length
    }

    /// Returns the weights of the layers and of the rest pose.
    fn row(&self, index: usize) -> (&[f64], f64) {
        let (rest, layers) = self.rows[index * self.row_length..][..self.row_length].split_last().expect("a row");
        (layers, *rest)
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

/// Sums from here to 1 are whole: weights such as 0.3 and 0.7 sum to 1 within rounding.
pub(crate) const WHOLE: f64 = 1.0 - 1e-6;

/// Returns a weight in double precision. NaN becomes 0, infinity a finite value.
pub(crate) fn positive_weight(weight: f32) -> f64 {
    if weight > 0.0 { f64::from(weight.min(f32::MAX)) } else { 0.0 }
}

/// The weight of a layer at a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerWeight {
    pub(crate) weight: f32,
    pub(crate) mode: LayerMode,
    /// `false` if the clip has no track for the joint, which is at rest in it.
    pub(crate) is_animated: bool,
}

/// Writes the weight of each layer, normalized but for additive layers, and returns that of the rest pose.
///
/// Layers that do not animate the joint share the remainder of the others: they have the pose of the rest.
pub(crate) fn layer_weights(layers: impl Iterator<Item = LayerWeight> + Clone, weights: &mut [f64]) -> f64 {
    let blended = |layer: LayerWeight| if layer.mode == LayerMode::Blend { positive_weight(layer.weight) } else { 0.0 };
    let (mut sum, mut animated) = (0.0, 0.0);
    for (weight, layer) in weights.iter_mut().zip(layers.clone()) {
        *weight = blended(layer);
        sum += *weight;
        animated += if layer.is_animated { *weight } else { 0.0 };
    }
    // Numerator and denominator of the factors, as a division by the sum rounds less than a product with its inverse.
    let (of_animated, of_others, rest_weight) = if sum < WHOLE {
        ((1.0, 1.0), (1.0, 1.0), 1.0 - sum)
    } else if sum <= 2.0 - WHOLE {
        ((1.0, sum), (1.0, sum), 0.0)
    } else if animated < WHOLE {
        ((1.0, 1.0), (1.0 - animated, sum - animated), 0.0)
    } else {
        ((1.0, animated), (0.0, 1.0), 0.0)
    };
    for (out, layer) in weights.iter_mut().zip(layers) {
        if layer.mode == LayerMode::Additive {
            *out = positive_weight(layer.weight.min(1.0));
        } else {
            let (numerator, denominator) = if layer.is_animated { of_animated } else { of_others };
            *out = *out * numerator / denominator;
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
pub const MAX_LAYERS: usize = 63;

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
    let is_masked = layers.iter().any(|layer| layer.mask.is_some());
    let is_additive = |layer: &Layer| layer.mode == LayerMode::Additive;
    let LayerScratch { cursors, layer: layer_pose, start, start_cursor, sums, weights, morph_rows, .. } = scratch;
    if cursors.len() < model.clips.len() {
        cursors.resize_with(model.clips.len(), Cursor::default);
    }
    let mut sample_one = |layer: &Layer, pose: &mut Pose| match layer.clip {
        Some(index) => {
            let clip = &model.clips[index.get()];
            let time_secs = layer.playback.clip_time(clock_secs, f64::from(clip.duration_secs));
            sample(skeleton, clip, time_secs, &mut cursors[index.get()], pose);
        }
        None => pose.reset(skeleton),
    };
    let sum: f64 = layers.iter().map(|layer| positive_weight(layer.blend_weight())).sum();
    let mut active = layers.iter().filter(|layer| layer.weight > 0.0);
    match (active.next(), active.next()) {
        (None, _) => return pose.reset(skeleton),
        (Some(layer), None) if sum >= WHOLE && !is_masked => return sample_one(layer, pose),
        _ => {}
    }
    // Else, all joints and morph weights have the weights of one row.
    let differ = is_masked || sum > 2.0 - WHOLE;
    let (joint_count, weight_count) =
        if differ { (skeleton.len(), skeleton.rest_morph_weights().len()) } else { (1, 0) };
    let (animated_joints, animated_weights) = (&mut scratch.animated_joints, &mut scratch.animated_weights);
    for (animated, count) in [(&mut *animated_joints, joint_count), (&mut *animated_weights, weight_count)] {
        animated.clear();
        animated.resize(count, 0);
    }
    for (i, layer) in layers.iter().enumerate().filter(|_| differ) {
        let Some(clip) = layer.clip else {
            animated_joints.iter_mut().chain(&mut *animated_weights).for_each(|animated| *animated |= 1 << i);
            continue;
        };
        for Track { joint, keys, .. } in &model.clips[clip.get()].tracks {
            let weights = &mut animated_weights[skeleton.joint(*joint).morph_weights.clone()];
            match keys {
                KeyValues::Weights(_) => weights.iter_mut().for_each(|animated| *animated |= 1 << i),
                _ => animated_joints[joint.get()] |= 1 << i,
            }
        }
    }
    weights.reset(layers.len());
    let weight_of = |i: usize, layer: &Layer, animated: u64, factor: f32| LayerWeight {
        weight: layer.weight * factor,
        mode: layer.mode,
        is_animated: animated & 1 << i != 0,
    };
    for (joint, &animated) in animated_joints.iter().enumerate() {
        let factor = |layer: &Layer| {
            let mask = layer.mask.filter(|_| differ).map(|mask| &model.joint_masks[mask.get()]);
            mask.map_or(1.0, |mask| mask.factor(JointIndex(joint as u32)))
        };
        weights.push(layers.iter().enumerate().map(|(i, layer)| weight_of(i, layer, animated, factor(layer))));
    }
    morph_rows.clear();
    for (morph, &animated) in animated_weights.iter().enumerate() {
        // Masks do not apply to morph weights. Those of a node have a common row.
        if morph == 0 || animated != animated_weights[morph - 1] {
            weights.push(layers.iter().enumerate().map(|(i, layer)| weight_of(i, layer, animated, 1.0)));
        }
        morph_rows.push(weights.len() - 1);
    }
    let row_of = |joint: usize| if differ { joint } else { 0 };
    let morph_row_of = |morph: usize| if differ { morph_rows[morph] } else { 0 };
    sums.clear();
    sums.resize(skeleton.len(), Sums::ZERO);
    pose.reset(skeleton);
    pose.morph_weights.fill(0.0);
    for (i, layer) in layers.iter().enumerate() {
        if is_additive(layer) || positive_weight(layer.weight) == 0.0 {
            continue;
        }
        sample_one(layer, layer_pose);
        for (joint, (sums, local)) in sums.iter_mut().zip(&layer_pose.parent_from_joint).enumerate() {
            sums.add(local, weights.row(row_of(joint)).0[i]);
        }
        for (morph, (sum, weight)) in pose.morph_weights.iter_mut().zip(&layer_pose.morph_weights).enumerate() {
            *sum += (f64::from(*weight) * weights.row(morph_row_of(morph)).0[i]) as f32;
        }
    }
    for (joint, (local, sums)) in pose.parent_from_joint.iter_mut().zip(sums).enumerate() {
        let (_, rest_weight) = weights.row(row_of(joint));
        if rest_weight > 0.0 {
            sums.add(local, rest_weight);
        }
        *local = Transform {
            translation: sums.translation,
            rotation: UnitQuaternion::new_normalize(Quaternion::from(sums.rotation)),
            scale: sums.scale,
        };
    }
    for (morph, (sum, weight)) in pose.morph_weights.iter_mut().zip(skeleton.rest_morph_weights()).enumerate() {
        let (_, rest_weight) = weights.row(morph_row_of(morph));
        if rest_weight > 0.0 {
            *sum += (f64::from(*weight) * rest_weight) as f32;
        }
    }
    for (i, layer) in layers.iter().enumerate() {
        let Some(clip) = layer.clip.filter(|_| layer.weight > 0.0 && is_additive(layer)) else { continue };
        sample_one(layer, layer_pose);
        sample(skeleton, &model.clips[clip.get()], 0.0, start_cursor, start);
        let ends = start.parent_from_joint.iter().zip(&layer_pose.parent_from_joint);
        for (joint, (local, (start, end))) in pose.parent_from_joint.iter_mut().zip(ends).enumerate() {
            add_difference(local, start, end, weights.row(row_of(joint)).0[i]);
        }
        let ends = start.morph_weights.iter().zip(&layer_pose.morph_weights);
        for (morph, (sum, (start, end))) in pose.morph_weights.iter_mut().zip(ends).enumerate() {
            *sum += (f64::from(end - start) * weights.row(morph_row_of(morph)).0[i]) as f32;
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
        // Normalized above 1, over the clips that animate the joint, and its morph weight; completed by the rest pose below.
        assert_near(at(&model, &[(0, 3.0), (1, 3.0)]), (1.5, 0.6, 0.0));
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
