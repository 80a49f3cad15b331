//! A layer: a clip in a blend.

use super::Playback;
use crate::model::{ClipIndex, JointMaskIndex};

/// Maximum number of layers of one pose. An instance of a crowd counts them in six bits.
pub const MAX_LAYERS: usize = 63;

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
    /// Mask in [`Model::joint_masks`](crate::model::Model::joint_masks): weights are multiplied by its factor, joint by joint, before they are normalized. Does not apply
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
