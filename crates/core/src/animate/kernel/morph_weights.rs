//! Morph weights: four per texel, one instance after the other, because they need no transposition.
#![expect(clippy::needless_range_loop, reason = "iterators over lanes hide the formulas")]

use super::sampling::KeySources;
use crate::animate::plan::{AnimationPlan, WeightSource};

/// Writes the morph weights of the first `lane_count` lanes.
#[inline(always)]
pub(super) fn write_morph_weights(
    plan: &AnimationPlan,
    keys: &KeySources<'_>,
    lane_count: usize,
    block: &mut [[f32; 4]],
) {
    let (stride, clip_count) = (plan.stride_texels, plan.durations_secs.len());
    for &(texel, weights) in &plan.constant_weights {
        for lane in 0..lane_count {
            block[lane * stride + texel] = weights;
        }
    }
    for (&texel, sources) in plan.animated_weights.iter().zip(plan.weight_sources.chunks_exact(clip_count)) {
        for lane in 0..lane_count {
            let out = &mut block[lane * stride + texel];
            if let [source] = sources {
                *out = sample_weights(keys, source, lane);
            } else {
                *out = [0.0; 4];
                for (source, clip_weight) in sources.iter().zip(keys.weights) {
                    let weights = sample_weights(keys, source, lane);
                    for i in 0..4 {
                        out[i] += weights[i] * clip_weight.0[lane];
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn sample_weights(keys: &KeySources<'_>, source: &WeightSource, lane: usize) -> [f32; 4] {
    let channel = match source {
        WeightSource::Constant(weights) => return *weights,
        WeightSource::Animated(channel) => channel,
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
