//! The parts of an animation plan.

use crate::animate::packed_keys::PackedChannel;
use crate::model::JointIndex;
use nalgebra::UnitQuaternion;

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
    /// Index of the mask factors that apply.
    pub(crate) mask_row: usize,
    /// Index of the inverse start of its first layer; `None` without additive layers.
    pub(crate) first_inverse_start: Option<usize>,
    /// Number of matrices that follow it.
    pub(crate) output_count: usize,
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
