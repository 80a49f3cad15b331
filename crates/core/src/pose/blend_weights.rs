//! Weights of layers at each joint and morph weight: those of the clips that animate it count.

use super::layer::{Layer, LayerMode};
use crate::model::{JointIndex, KeyValues, Model, Track};

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

/// The weights of the layers of a pose at each joint and morph weight.
#[derive(Clone, Debug, Default)]
pub(super) struct BlendWeights {
    /// For each joint, a bit for each layer that animates it.
    animated_joints: Vec<u64>,
    /// Likewise for morph weights.
    animated_morphs: Vec<u64>,
    layer_count: usize,
    /// For each row, the weight of each layer. First the rows of joints.
    layers: Vec<f64>,
    /// For each row, the weight of the rest pose.
    rests: Vec<f64>,
    /// The row of each morph weight.
    morph_rows: Vec<usize>,
    /// `false` if all joints and morph weights have the first row.
    differ: bool,
}

/// The weights of one row.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightRow<'a> {
    pub(super) layers: &'a [f64],
    pub(super) rest: f64,
}

impl BlendWeights {
    /// Computes the weights of `layers`. The time is linear in joints, morph weights and tracks.
    pub(super) fn update(&mut self, model: &Model, layers: &[Layer]) {
        let sum: f64 = layers.iter().map(|layer| positive_weight(layer.blend_weight())).sum();
        self.differ = sum > 2.0 - WHOLE || layers.iter().any(|layer| layer.mask.is_some());
        self.layer_count = layers.len();
        self.layers.clear();
        self.rests.clear();
        if !self.differ {
            return self.push(layers, |_| 1.0, u64::MAX);
        }
        self.find_animated(model, layers);
        for joint in 0..self.animated_joints.len() {
            let factor = |layer: &Layer| {
                let mask = layer.mask.map(|mask| &model.joint_masks[mask.get()]);
                mask.map_or(1.0, |mask| mask.factor(JointIndex(joint as u32)))
            };
            self.push(layers, factor, self.animated_joints[joint]);
        }
        self.morph_rows.clear();
        for morph in 0..self.animated_morphs.len() {
            // Those of a node have a common row. Masks do not apply to them.
            if morph == 0 || self.animated_morphs[morph] != self.animated_morphs[morph - 1] {
                self.push(layers, |_| 1.0, self.animated_morphs[morph]);
            }
            self.morph_rows.push(self.rests.len() - 1);
        }
    }

    /// Finds the joints and morph weights that each layer animates.
    fn find_animated(&mut self, model: &Model, layers: &[Layer]) {
        let skeleton = &model.skeleton;
        self.animated_joints.clear();
        self.animated_joints.resize(skeleton.len(), 0);
        self.animated_morphs.clear();
        self.animated_morphs.resize(skeleton.rest_morph_weights().len(), 0);
        for (i, layer) in layers.iter().enumerate() {
            let Some(clip) = layer.clip else {
                let all = self.animated_joints.iter_mut().chain(&mut self.animated_morphs);
                all.for_each(|animated| *animated |= 1 << i);
                continue;
            };
            for Track { joint, keys, .. } in &model.clips[clip.get()].tracks {
                let morphs = skeleton.joint(*joint).morph_weights.clone();
                match keys {
                    KeyValues::Weights(_) => {
                        self.animated_morphs[morphs].iter_mut().for_each(|animated| *animated |= 1 << i);
                    }
                    _ => self.animated_joints[joint.get()] |= 1 << i,
                }
            }
        }
    }

    /// Adds a row. `factor` is that of the mask, and `animated` has a bit for each layer.
    fn push(&mut self, layers: &[Layer], factor: impl Fn(&Layer) -> f32, animated: u64) {
        let first = self.layers.len();
        self.layers.resize(first + layers.len(), 0.0);
        let weights = layers.iter().enumerate().map(|(i, layer)| LayerWeight {
            weight: layer.weight * factor(layer),
            mode: layer.mode,
            is_animated: animated & 1 << i != 0,
        });
        let rest = layer_weights(weights, &mut self.layers[first..]);
        self.rests.push(rest);
    }

    /// Returns the weights at a joint.
    pub(super) fn of_joint(&self, joint: usize) -> WeightRow<'_> {
        self.row(if self.differ { joint } else { 0 })
    }

    /// Returns the weights at a morph weight.
    pub(super) fn of_morph(&self, morph: usize) -> WeightRow<'_> {
        self.row(if self.differ { self.morph_rows[morph] } else { 0 })
    }

    fn row(&self, index: usize) -> WeightRow<'_> {
        let layers = &self.layers[index * self.layer_count..][..self.layer_count];
        WeightRow { layers, rest: self.rests[index] }
    }
}
