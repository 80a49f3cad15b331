//! The parts of an animation plan.

use crate::animate::packed_keys::PackedChannel;
use crate::model::JointIndex;
use nalgebra::UnitQuaternion;
use std::collections::HashMap;

/// Maximum magnitude of a product along a chain. Larger values could overflow single precision.
pub(super) const MAX_MAGNITUDE: f64 = 1e30;

/// Longest arc in radians that uses the shorter polynomials.
pub(super) const SHORT_ARC: f64 = 0.4;

/// An animated joint, or a matrix that no `Transform` can represent.
#[derive(Clone, Debug)]
pub(crate) struct PlanNode {
    /// The parent's index plus one; 0 for the placement of the instance.
    pub(crate) parent: usize,
    /// `true` if the channels of the layers are blended; else only those of the first layer are used.
    pub(crate) is_blended: bool,
    /// Index of the row of [`FactorRows`] that applies.
    pub(crate) factor_row: usize,
    /// Index of the inverse start of its first layer; `None` without additive layers.
    pub(crate) first_inverse_start: Option<usize>,
    /// Number of matrices that follow it.
    pub(crate) output_count: usize,
}

/// The part that a layer has in the pose of a joint, besides its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LayerFactor {
    /// Factor of the joint mask.
    pub(crate) mask: f32,
    /// `false` if the clip has no track for the joint.
    pub(crate) is_animated: bool,
}

/// Rows of one factor per layer. Joints with equal factors share a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct FactorRows {
    factors: Vec<LayerFactor>,
    layer_count: usize,
    /// The row of each mask factor, as bits, and flag.
    known: HashMap<Vec<(u32, bool)>, usize>,
}

impl FactorRows {
    /// Begins with a row of factors 1, which joints share that are not blended.
    pub(super) fn new(layer_count: usize) -> Self {
        let mut rows = Self { layer_count, ..Self::default() };
        rows.add(std::iter::repeat_n(LayerFactor { mask: 1.0, is_animated: true }, layer_count));
        rows
    }

    /// Returns the index of a row, which is added if it is new.
    pub(super) fn add(&mut self, row: impl Iterator<Item = LayerFactor> + Clone) -> usize {
        let next = self.known.len();
        let key = row.clone().map(|factor| (factor.mask.to_bits(), factor.is_animated)).collect();
        *self.known.entry(key).or_insert_with(|| {
            self.factors.extend(row);
            next
        })
    }

    /// The rows, each with one factor per layer.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = &[LayerFactor]> {
        self.factors.chunks(self.layer_count)
    }
}

/// Channels by which one clip animates a node.
#[derive(Clone, Debug)]
pub(crate) struct NodeChannels {
    pub(crate) rotation: RotationChannel,
    pub(crate) translation: Option<PackedChannel>,
    /// Only X is used for [`MatrixFormat::QuatTranslationScale`](crate::palette::MatrixFormat::QuatTranslationScale).
    pub(crate) scale: Option<PackedChannel>,
    /// Components without a channel.
    pub(crate) constant: ConstTransform,
}

/// Four morph weights of one clip.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MorphWeightChannel {
    Constant([f32; 4]),
    Animated(PackedChannel),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RotationChannel {
    Constant,
    /// All arcs are at most [`SHORT_ARC`].
    ShortArc(PackedChannel),
    LongArc(PackedChannel),
    Spline(PackedChannel),
    /// Index into the plan's [`LaneRotation`]s.
    Lane(u32),
}

/// A rotation that each instance has of its own, by its pose override.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneRotation {
    pub(crate) joint: JointIndex,
    /// Rotations that are folded into the node, on both sides of the instance's.
    pub(crate) before: UnitQuaternion<f64>,
    pub(crate) after: UnitQuaternion<f64>,
}

/// A transform in the forms that the kernel reads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ConstTransform {
    /// Rotation, or rotation and scale if the scale is constant too; rows.
    pub(crate) linear: [f32; 9],
    /// Rotation `x, y, z, w`. Also replaces a rotation spline where it passes through zero.
    pub(crate) rotation: [f32; 4],
    pub(crate) translation: [f32; 3],
    /// For [`MatrixFormat::QuatTranslationScale`](crate::palette::MatrixFormat::QuatTranslationScale) the signed
    /// uniform scale, repeated for X, Y and Z. In the bind of a [`MatrixFormat::Mat3x4`](crate::palette::MatrixFormat::Mat3x4),
    /// which `linear` contains, zero and unused. One struct for both formats keeps the kernel free of a branch per matrix.
    pub(crate) scale: [f32; 3],
}

impl ConstTransform {
    #[inline(always)]
    pub(crate) fn is_unscaled(&self) -> bool {
        self.scale == [1.0; 3]
    }
}

/// A point of the constraints after sampling.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanPoint {
    /// Index of the node plus one; 0 for the placement.
    pub(crate) node: usize,
    /// Position in the space of the node.
    pub(crate) offset: [f32; 3],
}

/// One matrix of the palette.
#[derive(Clone, Debug)]
pub(crate) struct MatrixOutput {
    /// First texel in the instance's block.
    pub(crate) texel: usize,
    /// From mesh space, relative to the matrix range's position offset, to the node.
    pub(crate) node_from_mesh: ConstTransform,
    /// Twice the translation of `node_from_mesh`.
    pub(crate) twice_translation: [f32; 3],
    /// `true` if `node_from_mesh` is a pure translation. Only set for
    /// [`MatrixFormat::QuatTranslationScale`](crate::palette::MatrixFormat::QuatTranslationScale).
    pub(crate) translation_only: bool,
}
