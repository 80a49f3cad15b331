//! Inputs and destination of one batch: an instance per lane.

use super::sampling::LaneKeys;
use crate::animate::plan::AnimationPlan;
use crate::math::simd::{LaneArray, Simd, prefetch};

/// Nodes whose channels are evaluated before their matrices are multiplied.
///
/// The instructions of one joint's hierarchy wait for each other and fill the processor's window; the channels of different
/// joints are independent. Two short loops therefore leave the processor more to do at once than a long one. The maps of a
/// pass take 12 KiB, a quarter of the L1 cache.
pub(super) const NODES_PER_PASS: usize = 16;

/// Inputs of one batch.
pub(super) struct LaneBatch<'a, S: Simd> {
    pub(super) simd: S,
    pub(super) plan: &'a AnimationPlan,
    /// Keys of each clip of the plan.
    pub(super) clips: &'a [LaneKeys<'a>],
    /// Blend weight of each lane, per clip.
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
