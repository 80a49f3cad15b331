//! Blending of weighted clips.

use super::blend_weights::{BlendWeights, WHOLE, positive_weight};
use super::layer::{Layer, LayerMode, MAX_LAYERS};
use super::{Cursor, Pose, sample};
use crate::math::Transform;
use crate::model::Model;
use nalgebra::{Quaternion, UnitQuaternion, Vector3, Vector4};

/// Cursors and buffers that [`sample_layers`] reuses.
#[derive(Clone, Debug, Default)]
pub struct LayerScratch {
    cursors: Vec<Cursor>,
    layer: Pose,
    /// The start of an additive layer's clip.
    start: Pose,
    start_cursor: Cursor,
    sums: Vec<Sums>,
    weights: BlendWeights,
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
    let LayerScratch { cursors, layer: layer_pose, start, start_cursor, sums, weights } = scratch;
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
    weights.update(model, layers);
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
            sums.add(local, weights.of_joint(joint).layers[i]);
        }
        for (morph, (sum, weight)) in pose.morph_weights.iter_mut().zip(&layer_pose.morph_weights).enumerate() {
            *sum += (f64::from(*weight) * weights.of_morph(morph).layers[i]) as f32;
        }
    }
    for (joint, (local, sums)) in pose.parent_from_joint.iter_mut().zip(sums).enumerate() {
        let rest_weight = weights.of_joint(joint).rest;
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
        let rest_weight = weights.of_morph(morph).rest;
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
            add_difference(local, start, end, weights.of_joint(joint).layers[i]);
        }
        let ends = start.morph_weights.iter().zip(&layer_pose.morph_weights);
        for (morph, (sum, (start, end))) in pose.morph_weights.iter_mut().zip(ends).enumerate() {
            *sum += (f64::from(end - start) * weights.of_morph(morph).layers[i]) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        Clip, ClipIndex, Interpolation, Joint, JointIndex, JointMask, JointMaskIndex, KeyValues, Skeleton, Timeline,
        Track,
    };
    use crate::pose::Playback;

    fn still(keys: Vec<KeyValues>) -> Clip {
        let track =
            |keys| Track { joint: JointIndex(0), timeline: 0.into(), interpolation: Interpolation::Linear, keys };
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
