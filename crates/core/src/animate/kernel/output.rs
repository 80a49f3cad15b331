//! Inputs and destination of one batch: an instance per lane.

use super::algebra::splat;
use crate::animate::plan::AnimationPlan;
use crate::math::simd::{Float4, LaneArray, RowOffsets, Simd, prefetch};

/// Nodes whose channels are evaluated before their matrices are multiplied.
///
/// The instructions of one joint's hierarchy wait for each other and fill the processor's window; the channels of different
/// joints are independent. Two short loops therefore leave the processor more to do at once than a long one. The maps of a
/// pass take 12 KiB, a quarter of the L1 cache.
pub(super) const NODES_PER_PASS: usize = 16;

/// Packed keys of one clip, and the position of each lane in them.
#[derive(Clone, Copy, Default)]
pub(super) struct LaneKeys<'a> {
    pub(super) vectors: &'a [Float4],
    /// Start of each lane's key row, per timeline.
    pub(super) rows: &'a [RowOffsets],
    /// Interpolation parameter `u` of each lane, per timeline.
    pub(super) fractions: &'a [LaneArray],
    /// Rotation of each lane, per rotation of the plan's pose override.
    pub(super) rotations: &'a [[LaneArray; 4]],
}

impl LaneKeys<'_> {
    /// Loads two vectors of every lane's row, transposed. A row that all lanes share is loaded once.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, timeline: usize, index: usize) -> [[S::F32; 4]; 2] {
        let rows = &self.rows[timeline];
        match rows.shared() {
            Some(first) => {
                let first = first + index;
                [splat(simd, &self.vectors[first].0), splat(simd, &self.vectors[first + 1].0)]
            }
            None => simd.load_row_pairs_transposed(self.vectors, rows, index),
        }
    }
}

/// Inputs of one batch.
pub(super) struct LaneBatch<'a, S: Simd> {
    pub(super) simd: S,
    pub(super) plan: &'a AnimationPlan,
    /// Keys of the first layer: a copy, which the compiler keeps in registers.
    pub(super) keys: LaneKeys<'a>,
    /// Keys of each layer of the plan.
    pub(super) layers: &'a [LaneKeys<'a>],
    /// Blend weight of each lane, per layer of each row of factors.
    pub(super) weights: &'a [LaneArray],
    /// `true` if any placement has a rotation, scale or shear.
    pub(super) has_linear_part: bool,
    /// Placement translations rounded to single precision, added last to keep precision along the chain.
    pub(super) high_translation: [S::F32; 3],
}

/// Destination of one batch.
pub(super) struct Output<'a> {
    pub(super) texels: &'a mut [[f32; 4]],
    /// Texels per instance.
    pub(super) stride: usize,
    /// Destination of the staged texels, prefetched while they are computed. Empty if texels are written directly.
    pub(super) prefetch: PrefetchQueue<'a>,
}

/// Memory that is prefetched in steps while a batch is computed.
pub(super) struct PrefetchQueue<'a> {
    texels: &'a [[f32; 4]],
    step_texels: usize,
}

impl<'a> PrefetchQueue<'a> {
    /// Splits `texels` into `step_count` steps.
    #[inline(always)]
    pub(super) fn new(texels: &'a [[f32; 4]], step_count: usize) -> Self {
        Self { texels, step_texels: texels.len().div_ceil(step_count.max(1)) }
    }

    #[inline(always)]
    pub(super) fn prefetch_next(&mut self) {
        let (now, later) = self.texels.split_at(self.step_texels.min(self.texels.len()));
        prefetch(now);
        self.texels = later;
    }
}
