//! The keys of one clip, packed for a rig.

use super::folded_rig::{FoldedBind, FoldedJoint, FoldedRig};
use super::nodes::{ConstTransform, MorphWeightChannel, NodeChannels, RotationChannel, SHORT_ARC};
use super::resolved_joint::{ConstantJoint, ResolvedJoint, resolve_joints, sign};
use crate::animate::packed_keys::{PackedChannel, PackedKeys, PackedKeysBuilder, in_range};
use crate::math::{Affine, Transform};
use crate::model::{Clip, Interpolation, JointIndex, JointMask, KeyValues, Skeleton, Track};
use crate::palette::{MatrixFormat, Rig, distance_to_similarity, non_uniformity, scale_and_rotation};
use crate::pose::LayerMode;
use nalgebra::{Matrix3, Quaternion, Unit, UnitQuaternion, Vector3, Vector4};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// One clip of a rig: its keys, and the channels of each joint. All plans that play the clip share it.
#[derive(Clone, Debug)]
pub(crate) struct ClipKeys {
    pub(crate) keys: PackedKeys,
    pub(crate) duration_secs: f64,
    is_rest_pose: bool,
    /// One per joint of the skeleton.
    pub(super) joints: Vec<ClipJoint>,
    /// One per texel of morph weights of the layout.
    pub(super) morph_weights: Vec<MorphWeightChannel>,
}

/// A layer of a plan. The rest pose is one, too.
#[derive(Clone, Debug)]
pub(crate) struct PlanLayer {
    pub(crate) clip: Arc<ClipKeys>,
    pub(crate) mode: LayerMode,
    pub(crate) mask: Option<JointMask>,
}

impl PlanLayer {
    pub(crate) fn is_additive(&self) -> bool {
        self.mode == LayerMode::Additive
    }
}

/// A joint in one clip.
#[derive(Clone, Debug)]
pub(super) struct ClipJoint {
    /// Its transform if the clip does not move it.
    pub(super) constant: Option<ConstantJoint>,
    /// `true` if the transform is the one in which all clips hold the joint.
    pub(super) is_folded: bool,
    /// Sign of the determinant; `None` if it changes.
    pub(super) sign: Option<f64>,
    /// `true` if the scale is always positive.
    pub(super) preserves_handedness: bool,
    /// `false` if the clip has no track for it.
    pub(super) is_animated: bool,
    /// Its node in plans; `None` if the matrix format cannot hold it.
    pub(super) node: Option<PackedNode>,
}

/// The channels of a joint in one clip.
#[derive(Clone, Debug)]
pub(super) struct PackedNode {
    pub(super) channels: NodeChannels,
    pub(super) max: Magnitudes,
    /// Compensates for the signs of the scale.
    pub(super) mirror_rotation: UnitQuaternion<f64>,
}

/// Maximum magnitudes of a node's linear part and translation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Magnitudes {
    pub(super) linear: f64,
    pub(super) translation: f64,
}

/// A joint's scale, and a rotation that compensates for its signs.
#[derive(Clone, Copy)]
struct SignedScale {
    scale: Vector3<f64>,
    mirror_rotation: UnitQuaternion<f64>,
}

impl ClipKeys {
    /// Packs a clip; `None` is the rest pose.
    ///
    /// Returns `None` if single precision cannot hold a key.
    pub(crate) fn new(rig: &Rig, folded: &FoldedRig, clip: Option<&Clip>) -> Option<Self> {
        let timelines = clip.map_or(&[][..], |clip| &clip.timelines);
        let mut packer = ChannelPacker { keys: PackedKeysBuilder::new(timelines), format: rig.format() };
        let resolved = resolve_joints(rig.model(), clip, rig.format());
        let pack = |(joint, folded): (&ResolvedJoint<'_>, &FoldedJoint)| {
            let constant = joint.constant();
            let is_folded = constant.zip(folded.constant).is_some_and(|(constant, folded)| constant.is_equal(&folded));
            let parent_transform = folded.anchor_from_parent.unwrap_or_else(Transform::identity);
            ClipJoint {
                constant,
                is_folded,
                sign: joint.sign(),
                preserves_handedness: joint.preserves_handedness(),
                is_animated: joint.is_animated,
                node: if folded.is_used { packer.pack(&parent_transform, &folded.bind, joint) } else { None },
            }
        };
        let joints = resolved.iter().zip(&folded.joints).map(pack).collect();
        let morph_weights = pack_morph_weights(rig, clip, &mut packer.keys);
        let duration_secs = clip.map_or(0.0, |clip| f64::from(clip.duration_secs));
        let is_rest_pose = clip.is_none();
        Some(Self { keys: packer.keys.build()?, duration_secs, is_rest_pose, joints, morph_weights })
    }

    /// Returns `true` if the clip has a track for a joint. The rest pose counts as one for every joint.
    pub(super) fn animates_joint(&self, joint: JointIndex) -> bool {
        self.is_rest_pose || self.joints[joint.get()].is_animated
    }

    /// Returns `true` if the clip has a track for four morph weights, by texel. The rest pose counts as one.
    pub(super) fn animates_morph_weights(&self, texel: usize) -> bool {
        self.is_rest_pose || matches!(self.morph_weights[texel], MorphWeightChannel::Animated(_))
    }

    /// Returns four morph weights at the start of the clip.
    #[inline(always)]
    pub(crate) fn start_of_morph_weights(&self, channel: &MorphWeightChannel) -> [f32; 4] {
        match channel {
            MorphWeightChannel::Constant(weights) => *weights,
            MorphWeightChannel::Animated(channel) => {
                let (first, _) = self.keys.find(channel.timeline as usize, 0.0);
                self.keys.vectors()[first + channel.offset as usize].0
            }
        }
    }

    /// Returns the inverses of the rotation, translation and scale of a node at the start of the clip, each by itself.
    ///
    /// `None` if a scale is zero.
    pub(super) fn additive_reference_inverse(&self, channels: &NodeChannels) -> Option<ConstTransform> {
        let start = |channel: PackedChannel| {
            let (first, _) = self.keys.find(channel.timeline as usize, 0.0);
            &self.keys.vectors()[first + channel.offset as usize..]
        };
        let rotation = match channels.rotation {
            RotationChannel::ShortArc(channel) | RotationChannel::LongArc(channel) => start(channel)[0].0,
            RotationChannel::Spline(channel) => {
                let spline = Vector4::from(start(channel)[0].0).try_normalize(0.0);
                spline.map_or(channels.constant.rotation, Into::into)
            }
            RotationChannel::Constant | RotationChannel::Lane(_) => channels.constant.rotation,
        };
        let xyz = |[x, y, z, _]: [f32; 4]| [x, y, z];
        let translation =
            channels.translation.map_or(channels.constant.translation, |channel| xyz(start(channel)[0].0));
        let scale = match channels.scale {
            None => channels.constant.scale,
            // Packed with the translation.
            Some(channel) if channels.translation == Some(channel) => [start(channel)[1].0[2]; 3],
            Some(channel) => xyz(start(channel)[0].0),
        };
        let [x, y, z, w] = rotation;
        let inverse = ConstTransform {
            rotation: [-x, -y, -z, w],
            translation: translation.map(|x| -x),
            scale: scale.map(|x| 1.0 / x),
            ..ConstTransform::default()
        };
        inverse.scale.iter().all(|&x| in_range(x)).then_some(inverse)
    }
}

fn pack_morph_weights(rig: &Rig, clip: Option<&Clip>, keys: &mut PackedKeysBuilder<'_>) -> Vec<MorphWeightChannel> {
    let skeleton = &rig.model().skeleton;
    let tracks = morph_weight_tracks(skeleton, clip);
    let mut channels = Vec::new();
    for (joint, _) in &rig.layout().morph_weights {
        let range = skeleton.joint(*joint).morph_weights.clone();
        let rest = &skeleton.rest_morph_weights()[range.clone()];
        let track = tracks.get(&range);
        for four in 0..rest.len().div_ceil(4) {
            let count = rest.len() - 4 * four;
            channels.push(match track.map(|track| (track, &track.keys)) {
                Some((track, KeyValues::Weights(values))) => {
                    let value = |key: usize| {
                        let stored = &values[key * rest.len() + 4 * four..];
                        Vector4::from_fn(|i, _| if i < count { f64::from(stored[i]) } else { 0.0 })
                    };
                    MorphWeightChannel::Animated(keys.add_morph_weights(track, value))
                }
                _ => {
                    let at_rest = |i| if i < count { rest[4 * four + i] } else { 0.0 };
                    MorphWeightChannel::Constant([0, 1, 2, 3].map(at_rest))
                }
            });
        }
    }
    channels
}

/// Returns the last track of each range of morph weights. Nodes with the same mesh share a range.
fn morph_weight_tracks<'a>(skeleton: &Skeleton, clip: Option<&'a Clip>) -> HashMap<Range<usize>, &'a Track> {
    let tracks = clip.into_iter().flat_map(|clip| &clip.tracks);
    let of_weights = tracks.filter(|track| matches!(track.keys, KeyValues::Weights(_)));
    of_weights.map(|track| (skeleton.joint(track.joint).morph_weights.clone(), track)).collect()
}

/// Adds the channels of joints to the keys of a clip.
pub(super) struct ChannelPacker<'a> {
    pub(super) keys: PackedKeysBuilder<'a>,
    pub(super) format: MatrixFormat,
}

impl ChannelPacker<'_> {
    /// Packs the tracks of a joint, with `parent_transform` and `bind` folded into the keys.
    ///
    /// Both are the same for all clips, so a weighted sum of folded keys equals the folded weighted sum.
    pub(super) fn pack(
        &mut self,
        parent_transform: &Transform,
        bind: &FoldedBind,
        joint: &ResolvedJoint<'_>,
    ) -> Option<PackedNode> {
        let SignedScale { scale, mirror_rotation } = self.signed_scale(joint)?;
        let parent_affine = parent_transform.to_affine();
        let scale_factor = parent_transform.scale.x * bind.scale;
        let sign_rotation_and_bind = mirror_rotation * bind.rotation;
        let rest = parent_transform.rotation * joint.transform.rotation * sign_rotation_and_bind;
        let rotation = match joint.rotation {
            None => RotationChannel::Constant,
            Some(track) => {
                let KeyValues::Rotation(values) = &track.keys else { return None };
                let value = |i: usize| {
                    let stored = Quaternion::from(values[i].cast::<f64>());
                    (parent_transform.rotation.quaternion() * stored * sign_rotation_and_bind.quaternion()).coords
                };
                let (channel, max_arc) = self.keys.add_rotation(track, &rest, value);
                match channel.is_spline {
                    true => RotationChannel::Spline(channel),
                    false if max_arc <= SHORT_ARC => RotationChannel::ShortArc(channel),
                    false => RotationChannel::LongArc(channel),
                }
            }
        };
        let is_uniform = self.format == MatrixFormat::QuatTranslationScale;
        let sign_factor = scale.component_div(&joint.transform.scale.map(|s| if s == 0.0 { 1.0 } else { s }));
        let scale_value = |values: &[Vector3<f32>], i: usize| {
            let v = values[i].cast::<f64>();
            let v = if is_uniform { Vector3::repeat(v.x * sign_factor.x) } else { v };
            v * scale_factor
        };
        let scale_values = match joint.scale.map(|track| &track.keys) {
            None => None,
            Some(KeyValues::Scale(values)) => Some(values),
            Some(_) => return None,
        };
        // A uniform scale with the keys of the translation is packed with it.
        let is_packed = is_uniform
            && joint.translation.zip(joint.scale).is_some_and(|(translation, scale)| {
                (translation.timeline, translation.interpolation) == (scale.timeline, scale.interpolation)
                    && scale.interpolation != Interpolation::CubicSpline
            });
        let packed_scale = scale_values.filter(|_| is_packed);
        let translation = parent_affine.transform_point(joint.transform.translation);
        let translation_channel = match joint.translation {
            None => None,
            Some(track) => {
                let KeyValues::Translation(values) = &track.keys else { return None };
                let is_spline = track.interpolation == Interpolation::CubicSpline;
                let value = |i: usize| {
                    let v = values[i].cast::<f64>();
                    // Tangents are directions.
                    let v = if is_spline && i % 3 != 1 {
                        parent_affine.transform_vector(v)
                    } else {
                        parent_affine.transform_point(v)
                    };
                    v.push(packed_scale.map_or(0.0, |values| scale_value(values, i).x))
                };
                Some(self.keys.add_vector(track, value))
            }
        };
        let (scale_channel, max_scale) = match joint.scale.zip(scale_values) {
            None => (None, (scale * scale_factor).abs().max()),
            Some((_, values)) if is_packed => {
                let max_scale = (0..values.len()).map(|i| scale_value(values, i).x.abs()).fold(0.0, f64::max);
                (translation_channel, max_scale)
            }
            Some((track, values)) => {
                let channel = self.keys.add_vector(track, |i| scale_value(values, i).push(0.0));
                (Some(channel), self.keys.max_magnitude(channel))
            }
        };
        let scale = scale * scale_factor;
        let mut linear = *rest.to_rotation_matrix().matrix();
        if scale_channel.is_none() {
            for axis in 0..3 {
                linear.column_mut(axis).scale_mut(scale[axis]);
            }
        }
        let constant = ConstTransform {
            linear: row_major(&linear),
            rotation: rest.coords.map(|x| x as f32).into(),
            translation: translation.map(|x| x as f32).into(),
            scale: scale.map(|x| x as f32).into(),
        };
        if !constant.linear.iter().chain(&constant.translation).chain(&constant.scale).all(|&x| in_range(x)) {
            return None;
        }
        let max = Magnitudes {
            linear: max_scale,
            translation: translation_channel.map_or(translation.norm(), |channel| self.keys.max_magnitude(channel)),
        };
        let channels = NodeChannels { rotation, translation: translation_channel, scale: scale_channel, constant };
        Some(PackedNode { channels, max, mirror_rotation })
    }

    /// Returns a joint's scale with a rotation that compensates for its signs, where the format requires uniform scale.
    ///
    /// For an animated scale, `scale.x` is the rest scale or its negative. The scale of a key is `key.x * sign_factor`,
    /// where `sign_factor` is the quotient of the two, 1 or -1.
    fn signed_scale(&self, joint: &ResolvedJoint<'_>) -> Option<SignedScale> {
        let scale = joint.transform.scale;
        if self.format == MatrixFormat::Mat3x4 {
            return Some(SignedScale { scale, mirror_rotation: UnitQuaternion::identity() });
        }
        let Some(track) = joint.scale else {
            return to_signed_uniform_scale(scale);
        };
        let KeyValues::Scale(values) = &track.keys else { return None };
        let is_spline = track.interpolation == Interpolation::CubicSpline;
        let is_uniform = |v: &Vector3<f32>| v.x == v.y && v.y == v.z;
        let x = if scale.x == 0.0 { 1.0 } else { scale.x };
        if values.iter().all(is_uniform) {
            return Some(SignedScale { scale: Vector3::repeat(x), mirror_rotation: UnitQuaternion::identity() });
        }
        let signs = |v: &Vector3<f32>| v.map(f32::signum);
        let at = |key: usize| &values[if is_spline { 3 * key + 1 } else { key }];
        let key_count = values.len() / track.interpolation.values_per_key();
        if is_spline
            || (0..key_count)
                .any(|key| signs(at(key)) != signs(at(0)) || to_signed_uniform_scale(at(key).cast()).is_none())
        {
            return None;
        }
        let SignedScale { scale, mirror_rotation } = to_signed_uniform_scale(at(0).cast())?;
        let flip = sign(scale.x) * f64::from(at(0).x.signum());
        Some(SignedScale { scale: Vector3::repeat(x * if flip < 0.0 { -1.0 } else { 1.0 }), mirror_rotation })
    }
}

/// Converts a constant transform for the kernel; `None` if the format cannot hold it.
pub(super) fn constant_transform(format: MatrixFormat, transform: &Affine) -> Option<ConstTransform> {
    let mut constant = ConstTransform {
        linear: row_major(&transform.linear),
        translation: [0, 1, 2].map(|i| transform.translation[i] as f32),
        ..ConstTransform::default()
    };
    if format == MatrixFormat::QuatTranslationScale {
        if transform.linear.amax() > 0.0 && distance_to_similarity(transform) > 1e-6 {
            return None;
        }
        let (scale, rotation) = scale_and_rotation(transform);
        constant.rotation = rotation.coords.map(|x| x as f32).into();
        constant.scale = [scale as f32; 3];
    }
    constant.linear.iter().chain(&constant.translation).all(|&x| in_range(x)).then_some(constant)
}

fn row_major(m: &Matrix3<f64>) -> [f32; 9] {
    std::array::from_fn(|i| m[(i / 3, i % 3)] as f32)
}

/// Returns the signed uniform scale and the rotation whose product is `scale`, a scale that is uniform up to signs.
///
/// An even number of negative signs is a half turn about the axis that keeps its sign. An odd number is that and a point
/// reflection.
fn to_signed_uniform_scale(scale: Vector3<f64>) -> Option<SignedScale> {
    if non_uniformity(scale) > 1e-6 {
        return None;
    }
    let negative = scale.map(|s| s < 0.0);
    let is_odd = negative.iter().filter(|&&n| n).count() % 2 == 1;
    let size = scale.abs().sum() / 3.0;
    // The point reflection flips all signs.
    let flipped = negative.map(|n| n != is_odd);
    let axis = (0..3).find(|&i| flipped[i] != flipped[(i + 1) % 3] && flipped[i] != flipped[(i + 2) % 3]);
    let mirror_rotation = axis.map_or(UnitQuaternion::identity(), |axis| {
        UnitQuaternion::from_axis_angle(&Unit::new_unchecked(Vector3::ith(axis, 1.0)), std::f64::consts::PI)
    });
    Some(SignedScale { scale: Vector3::repeat(if is_odd { -size } else { size }), mirror_rotation })
}
