//! Morph weights: four per texel, one instance after the other, because they need no transposition.
#![expect(clippy::needless_range_loop, reason = "iterators over lanes hide the formulas")]

use super::output::{LaneBatch, LaneKeys};
use crate::animate::plan::MorphWeightChannel;
use crate::math::simd::Simd;

/// Writes the morph weights of the first `lane_count` lanes.
#[inline(always)]
pub(super) fn write_morph_weights<S: Simd>(batch: &LaneBatch<'_, S>, lane_count: usize, block: &mut [[f32; 4]]) {
    let plan = batch.plan;
    let (stride, layer_count) = (plan.stride_texels, plan.layers.len());
    for &(texel, weights) in &plan.constant_morph_weights {
        for lane in 0..lane_count {
            block[lane * stride + texel] = weights;
        }
    }
    for (&(texel, row), layer_channels) in
        plan.animated_morph_weights.iter().zip(plan.morph_weight_channels.chunks_exact(layer_count))
    {
        let of_layers = row * layer_count;
        for lane in 0..lane_count {
            let out = &mut block[lane * stride + texel];
            if let [channels] = layer_channels {
                *out = sample_morph_weights(&batch.keys, channels, lane);
            } else {
                *out = [0.0; 4];
                for (layer, channels) in layer_channels.iter().enumerate() {
                    let weights = sample_morph_weights(&batch.layers[layer], channels, lane);
                    let start = match plan.layers[layer].is_additive() {
                        true => plan.layers[layer].clip.start_of_morph_weights(channels),
                        false => [0.0; 4],
                    };
                    for i in 0..4 {
                        out[i] += (weights[i] - start[i]) * batch.weights[of_layers + layer].0[lane];
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn sample_morph_weights(keys: &LaneKeys<'_>, channels: &MorphWeightChannel, lane: usize) -> [f32; 4] {
    let channel = match channels {
        MorphWeightChannel::Constant(weights) => return *weights,
        MorphWeightChannel::Animated(channel) => channel,
    };
    let timeline = channel.timeline as usize;
    let u = keys.fractions[timeline].0[lane];
    let row = &keys.vectors[keys.rows[timeline].row(lane) + channel.offset as usize..];
    let mut out = [0.0; 4];
    for i in 0..4 {
        out[i] = if channel.is_spline {
            row[0].0[i] + u * (row[1].0[i] + u * (row[2].0[i] + u * row[3].0[i]))
        } else {
            row[0].0[i] + row[1].0[i] * u
        };
    }
    out
}
