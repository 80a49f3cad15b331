//! Construction of plan nodes from joints: constant joints are folded into their neighbors.

use super::nodes::{ConstTransform, LaneRotation, MAX_MAGNITUDE, NodeChannels, PlanNode, RotationChannel, SHORT_ARC};
use super::resolved_joint::{ResolvedJoint, sign};
use crate::animate::packed_keys::{PackedKeysBuilder, in_range};
use crate::math::{Affine, Transform};
use crate::model::{Interpolation, JointIndex, KeyValues};
use crate::palette::{MatrixFormat, PaletteLayout, Rig, distance_to_similarity, non_uniformity, scale_and_rotation};
use nalgebra::{Matrix3, Quaternion, Unit, UnitQuaternion, Vector3};

/// The node that a joint follows, and the constant map between them.
#[derive(Clone, Copy)]
pub(super) struct NodeAnchor {
    /// Index of the node plus one; 0 for the placement.
    pub(super) node: usize,
    pub(super) node_from_joint: Affine,
    /// Sign of the determinant of `model_from_joint`; `None` if it changes.
    pub(super) sign: Option<f64>,
}

/// Rotation and uniform scale of the first matrix that follows a joint.
#[derive(Clone, Copy)]
pub(super) struct FoldedBind {
    rotation: UnitQuaternion<f64>,
    scale: f64,
}

/// A joint's scale, and a rotation that compensates for its signs.
#[derive(Clone, Copy)]
struct SignedScale {
    scale: Vector3<f64>,
    sign_rotation: UnitQuaternion<f64>,
}

/// Maximum magnitudes of a node's linear part and translation.
#[derive(Clone, Copy)]
struct Magnitudes {
    linear: f64,
    translation: f64,
}

pub(super) struct PlanBuilder<'a> {
    pub(super) keys: PackedKeysBuilder<'a>,
    pub(super) format: MatrixFormat,
    /// For each joint the bind that is folded into its keys, so that a node's rotation is the palette's.
    pub(super) folded_binds: Vec<FoldedBind>,
    pub(super) nodes: Vec<PlanNode>,
    pub(super) clip_channels: Vec<NodeChannels>,
    pub(super) lane_rotations: Vec<LaneRotation>,
    /// Maximum magnitudes of linear part and translation, for the placement and each node.
    pub(super) bounds: Vec<(f64, f64)>,
}

impl PlanBuilder<'_> {
    /// Returns the anchor of a joint, given its parent's. `joints` has the joint as resolved for each clip.
    pub(super) fn add_joint(
        &mut self,
        parent: &NodeAnchor,
        joints: &[&ResolvedJoint<'_>],
        index: usize,
    ) -> Option<NodeAnchor> {
        let is_constant = joints.iter().all(|joint| joint.is_equal_constant(joints[0]));
        let local_sign = match joints {
            [joint] => joint.sign(),
            // Blends of scales with different signs pass through zero, each component at its own time.
            joints if joints.iter().all(|joint| joint.preserves_handedness()) => Some(1.0),
            joints if is_constant => joints[0].sign(),
            _ => None,
        };
        let sign = parent.sign.zip(local_sign).map(|(a, b)| a * b);
        if is_constant {
            let node_from_joint = parent.node_from_joint * joints[0].rest_map();
            return Some(NodeAnchor { node_from_joint, sign, ..*parent });
        }
        let (parent_node, parent_map) = match to_similarity(&parent.node_from_joint) {
            Some(parent_map) => (parent.node, parent_map),
            None => {
                let constant = self.constant_map(&parent.node_from_joint)?;
                let magnitudes = Magnitudes {
                    linear: parent.node_from_joint.linear.abs().sum(),
                    translation: parent.node_from_joint.translation.abs().sum(),
                };
                let rotation = RotationChannel::Constant;
                let channels = NodeChannels { rotation, translation: None, scale: None, constant };
                let clip_channels = vec![channels; joints.len()];
                (self.push(parent.node, clip_channels, false, magnitudes)?, Transform::identity())
            }
        };
        let bind = self.folded_binds[index];
        let node = self.add_animated(parent_node, &parent_map, joints, index)?;
        let linear = bind.rotation.inverse().to_rotation_matrix().into_inner() / bind.scale;
        Some(NodeAnchor { node, node_from_joint: Affine { linear, ..Affine::IDENTITY }, sign })
    }

    fn push(
        &mut self,
        parent: usize,
        clip_channels: Vec<NodeChannels>,
        is_blended: bool,
        magnitudes: Magnitudes,
    ) -> Option<usize> {
        let (parent_linear, parent_translation) = self.bounds[parent];
        let linear = 3.0 * parent_linear * magnitudes.linear;
        let translation = parent_linear * magnitudes.translation + parent_translation;
        if !(linear <= MAX_MAGNITUDE && translation <= MAX_MAGNITUDE) {
            return None;
        }
        self.bounds.push((linear, translation));
        self.nodes.push(PlanNode { parent, is_blended, output_count: 0 });
        self.clip_channels.extend(clip_channels);
        Some(self.nodes.len())
    }

    /// Adds the node of an animated joint, with `parent_map` and `bind` folded into its keys.
    ///
    /// Both are the same for all clips, so a weighted sum of folded keys equals the folded weighted sum.
    fn add_animated(
        &mut self,
        parent: usize,
        parent_map: &Transform,
        joints: &[&ResolvedJoint<'_>],
        index: usize,
    ) -> Option<usize> {
        let mut clip_channels = Vec::new();
        let mut max = Magnitudes { linear: 0.0, translation: 0.0 };
        let mut common_sign_rotation: Option<UnitQuaternion<f64>> = None;
        for (clip, joint) in joints.iter().enumerate() {
            let scale = self.signed_scale(joint)?;
            if *common_sign_rotation.get_or_insert(scale.sign_rotation) != scale.sign_rotation {
                return None;
            }
            let (channels, magnitudes) = self.pack_channels(clip, parent_map, joint, index, scale)?;
            clip_channels.push(channels);
            max.linear = max.linear.max(magnitudes.linear);
            max.translation = max.translation.max(magnitudes.translation);
        }
        self.push(parent, clip_channels, joints.len() > 1, max)
    }

    /// Packs the tracks of one clip that move a joint.
    fn pack_channels(
        &mut self,
        clip: usize,
        parent_map: &Transform,
        joint: &ResolvedJoint<'_>,
        index: usize,
        SignedScale { scale, sign_rotation }: SignedScale,
    ) -> Option<(NodeChannels, Magnitudes)> {
        let (parent_affine, bind) = (parent_map.to_affine(), self.folded_binds[index]);
        let scale_factor = parent_map.scale.x * bind.scale;
        let sign_rotation_and_bind = sign_rotation * bind.rotation;
        let rest = parent_map.rotation * joint.transform.rotation * sign_rotation_and_bind;
        let rotation = match joint.rotation {
            None if joint.has_lane_rotation => {
                let (joint, before, after) = (JointIndex(index as u32), parent_map.rotation, sign_rotation_and_bind);
                let known = self.lane_rotations.iter().position(|lane| lane.joint == joint);
                let slot = known.unwrap_or_else(|| {
                    self.lane_rotations.push(LaneRotation { joint, before, after });
                    self.lane_rotations.len() - 1
                });
                RotationChannel::Lane(slot as u32)
            }
            None => RotationChannel::Constant,
            Some(track) => {
                let KeyValues::Rotation(values) = &track.keys else { return None };
                let value = |i: usize| {
                    let stored = Quaternion::from(values[i].cast::<f64>());
                    (parent_map.rotation.quaternion() * stored * sign_rotation_and_bind.quaternion()).coords
                };
                let (channel, max_arc) = self.keys.add_rotation(clip, track, &rest, value);
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
                Some(self.keys.add_vector(clip, track, value))
            }
        };
        let (scale_channel, max_scale) = match joint.scale.zip(scale_values) {
            None => (None, (scale * scale_factor).abs().max()),
            Some((_, values)) if is_packed => {
                let max_scale = (0..values.len()).map(|i| scale_value(values, i).x.abs()).fold(0.0, f64::max);
                (translation_channel, max_scale)
            }
            Some((track, values)) => {
                let channel = self.keys.add_vector(clip, track, |i| scale_value(values, i).push(0.0));
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
        let magnitudes = Magnitudes {
            linear: max_scale,
            translation: translation_channel.map_or(translation.norm(), |channel| self.keys.max_magnitude(channel)),
        };
        Some((NodeChannels { rotation, translation: translation_channel, scale: scale_channel, constant }, magnitudes))
    }

    /// Returns a joint's scale with a rotation that compensates for its signs, where the format requires uniform scale.
    ///
    /// For an animated scale, `scale.x` is the rest scale or its negative. The scale of a key is `key.x * sign_factor`,
    /// where `sign_factor` is the quotient of the two, 1 or -1.
    fn signed_scale(&self, joint: &ResolvedJoint<'_>) -> Option<SignedScale> {
        let scale = joint.transform.scale;
        if self.format == MatrixFormat::Mat3x4 {
            return Some(SignedScale { scale, sign_rotation: UnitQuaternion::identity() });
        }
        let Some(track) = joint.scale else {
            return to_signed_uniform_scale(scale);
        };
        let KeyValues::Scale(values) = &track.keys else { return None };
        let is_spline = track.interpolation == Interpolation::CubicSpline;
        let is_uniform = |v: &Vector3<f32>| v.x == v.y && v.y == v.z;
        let x = if scale.x == 0.0 { 1.0 } else { scale.x };
        if values.iter().all(is_uniform) {
            return Some(SignedScale { scale: Vector3::repeat(x), sign_rotation: UnitQuaternion::identity() });
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
        let SignedScale { scale, sign_rotation } = to_signed_uniform_scale(at(0).cast())?;
        let flip = sign(scale.x) * f64::from(at(0).x.signum());
        Some(SignedScale { scale: Vector3::repeat(x * if flip < 0.0 { -1.0 } else { 1.0 }), sign_rotation })
    }

    /// Converts a constant map for the kernel; `None` if the format cannot hold it.
    pub(super) fn constant_map(&self, map: &Affine) -> Option<ConstTransform> {
        let mut constant = ConstTransform {
            linear: row_major(&map.linear),
            translation: [0, 1, 2].map(|i| map.translation[i] as f32),
            ..ConstTransform::default()
        };
        if self.format == MatrixFormat::QuatTranslationScale {
            if map.linear.amax() > 0.0 && distance_to_similarity(map) > 1e-6 {
                return None;
            }
            let (scale, rotation) = scale_and_rotation(map);
            constant.rotation = rotation.coords.map(|x| x as f32).into();
            constant.scale = [scale as f32; 3];
        }
        constant.linear.iter().chain(&constant.translation).all(|&x| in_range(x)).then_some(constant)
    }
}

fn row_major(m: &Matrix3<f64>) -> [f32; 9] {
    std::array::from_fn(|i| m[(i / 3, i % 3)] as f32)
}

/// Returns `map` as a transform if it is a rotation, translation and positive uniform scale within rounding.
fn to_similarity(map: &Affine) -> Option<Transform> {
    if *map == Affine::IDENTITY {
        return Some(Transform::identity());
    }
    let mut transform = map.to_transform();
    let scale = transform.scale.x;
    transform.scale = Vector3::repeat(scale);
    let recomposed = transform.to_affine();
    let is_exact = (recomposed.linear - map.linear).amax() <= 1e-12 * scale;
    (map.is_finite() && scale > 0.0 && is_exact).then_some(transform)
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
    let sign_rotation = axis.map_or(UnitQuaternion::identity(), |axis| {
        UnitQuaternion::from_axis_angle(&Unit::new_unchecked(Vector3::ith(axis, 1.0)), std::f64::consts::PI)
    });
    Some(SignedScale { scale: Vector3::repeat(if is_odd { -size } else { size }), sign_rotation })
}

/// Returns for each joint the bind to fold into its keys: that of the first matrix that follows it.
///
/// Identity for [`MatrixFormat::Mat3x4`], whose maps with shear cannot be folded into a rotation.
pub(super) fn folded_binds(rig: &Rig) -> Vec<FoldedBind> {
    let mut binds = vec![None; rig.model().skeleton.len()];
    if rig.format() == MatrixFormat::QuatTranslationScale {
        let sections = rig.layout().sections.iter();
        for (joint, map) in sections.flat_map(|section| PaletteLayout::matrices_of(rig.model(), section)) {
            let (scale, rotation) = scale_and_rotation(&map);
            if (1e-6..1e6).contains(&scale) {
                binds[joint.get()].get_or_insert(FoldedBind { rotation, scale });
            }
        }
    }
    let identity = FoldedBind { rotation: UnitQuaternion::identity(), scale: 1.0 };
    binds.into_iter().map(|bind| bind.unwrap_or(identity)).collect()
}
