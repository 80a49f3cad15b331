//! Evaluation of a node's channels.

use super::algebra::splat;
use super::output::{LaneBatch, LaneKeys};
use crate::animate::packed_keys::PackedChannel;
use crate::animate::plan::{NodeChannels, PlanNode, RotationChannel};
use crate::math::simd::{Simd, SimdFloat, quat_mul};

/// `(1 - cos x) / x^2` in powers of `x^2`, up to a quarter turn, interpolated at Chebyshev nodes. Cosine error: 9e-10.
const COS_LONG: [f32; 5] = [0.5, -0.041_666_66, 0.001_388_865_2, -2.4774568e-5, 2.629727e-7];
/// `(1 - sin(x) / x) / x^2` likewise. Sine error: 3e-8.
const SIN_LONG: [f32; 4] = [0.166_666_66, -0.008_333_242_5, 0.000_198_227_32, -2.6347327e-6];
/// As [`COS_LONG`], up to `SHORT_ARC`. Error: 6e-10.
const COS_SHORT: [f32; 3] = [0.5, -0.041_666_31, 0.001_382_948_4];
/// As [`SIN_LONG`], up to `SHORT_ARC`. Error: 5e-8.
const SIN_SHORT: [f32; 2] = [0.166_666_03, -0.008_301_649];

/// `c0 + c1 u + c2 u^2 + c3 u^3`.
#[inline(always)]
fn spline<S: Simd>(simd: S, keys: &LaneKeys<'_>, channel: PackedChannel) -> [S::F32; 4] {
    let (timeline, first) = (channel.timeline as usize, channel.offset as usize);
    let u = simd.load(&keys.fractions[timeline], 0);
    let [c0, c1] = keys.load(simd, timeline, first);
    let [c2, c3] = keys.load(simd, timeline, first + 2);
    let mut v = c0;
    for i in 0..4 {
        v[i] = c0[i] + u * (c1[i] + u * (c2[i] + u * c3[i]));
    }
    v
}

/// Evaluates a vector channel. W is the uniform scale that is packed with a translation.
#[inline(always)]
pub(super) fn vector<S: Simd>(simd: S, keys: &LaneKeys<'_>, channel: PackedChannel) -> [S::F32; 4] {
    if channel.is_spline {
        return spline(simd, keys, channel);
    }
    let (timeline, first) = (channel.timeline as usize, channel.offset as usize);
    let u = simd.load(&keys.fractions[timeline], 0);
    let [[x, y, z, dx], [dy, dz, w, dw]] = keys.load(simd, timeline, first);
    [x + dx * u, y + dy * u, z + dz * u, w + dw * u]
}

/// `a cos x + c u sin(x) / x`, where `x = u |c|`.
#[inline(always)]
fn slerp<S: Simd>(simd: S, keys: &LaneKeys<'_>, channel: PackedChannel, is_short: bool) -> [S::F32; 4] {
    let (timeline, first) = (channel.timeline as usize, channel.offset as usize);
    let u = simd.load(&keys.fractions[timeline], 0);
    let [a, c] = keys.load(simd, timeline, first);
    let square = u * u * ((c[0] * c[0] + c[1] * c[1]) + (c[2] * c[2] + c[3] * c[3]));
    let k = |x: f32| simd.splat(x);
    let (one_minus_cos_over_x2, one_minus_sinc_over_x2) = if is_short {
        let one_minus_cos_over_x2 = k(COS_SHORT[0]) + square * (k(COS_SHORT[1]) + square * k(COS_SHORT[2]));
        (one_minus_cos_over_x2, k(SIN_SHORT[0]) + square * k(SIN_SHORT[1]))
    } else {
        let one_minus_cos_over_x2 = k(COS_LONG[3]) + square * k(COS_LONG[4]);
        let one_minus_cos_over_x2 =
            k(COS_LONG[0]) + square * (k(COS_LONG[1]) + square * (k(COS_LONG[2]) + square * one_minus_cos_over_x2));
        let one_minus_sinc_over_x2 = k(SIN_LONG[1]) + square * (k(SIN_LONG[2]) + square * k(SIN_LONG[3]));
        (one_minus_cos_over_x2, k(SIN_LONG[0]) + square * one_minus_sinc_over_x2)
    };
    let along_a = k(1.0) - square * one_minus_cos_over_x2;
    let along_c = u - u * (square * one_minus_sinc_over_x2);
    [
        a[0] * along_a + c[0] * along_c,
        a[1] * along_a + c[1] * along_c,
        a[2] * along_a + c[2] * along_c,
        a[3] * along_a + c[3] * along_c,
    ]
}

#[inline(always)]
pub(super) fn rotation<S: Simd>(simd: S, keys: &LaneKeys<'_>, channels: &NodeChannels) -> [S::F32; 4] {
    match channels.rotation {
        RotationChannel::Constant => splat(simd, &channels.constant.rotation),
        RotationChannel::ShortArc(channel) => slerp(simd, keys, channel, true),
        RotationChannel::LongArc(channel) => slerp(simd, keys, channel, false),
        RotationChannel::Lane(slot) => {
            let [x, y, z, w] = &keys.rotations[slot as usize];
            [simd.load(x, 0), simd.load(y, 0), simd.load(z, 0), simd.load(w, 0)]
        }
        RotationChannel::Spline(channel) => {
            let q = spline(simd, keys, channel);
            let square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
            let inverse = simd.splat(1.0) / square.sqrt();
            let mut unit: [S::F32; 4] = splat(simd, &channels.constant.rotation);
            for i in 0..4 {
                unit[i] = square.select_eq_zero(unit[i], q[i] * inverse);
            }
            unit
        }
    }
}

/// Returns translation and scale. A channel of both is evaluated once.
#[inline(always)]
pub(super) fn translation_scale<S: Simd>(
    simd: S,
    keys: &LaneKeys<'_>,
    channels: &NodeChannels,
) -> ([S::F32; 3], [S::F32; 3]) {
    let Some(channel) = channels.translation else {
        return (splat(simd, &channels.constant.translation), scale(simd, keys, channels));
    };
    let [x, y, z, packed_scale] = vector(simd, keys, channel);
    let is_packed = channels.scale == Some(channel);
    ([x, y, z], if is_packed { [packed_scale; 3] } else { scale(simd, keys, channels) })
}

#[inline(always)]
pub(super) fn scale<S: Simd>(simd: S, keys: &LaneKeys<'_>, channels: &NodeChannels) -> [S::F32; 3] {
    match channels.scale {
        Some(channel) => {
            let [x, y, z, _] = vector(simd, keys, channel);
            [x, y, z]
        }
        None => splat(simd, &channels.constant.scale),
    }
}

/// Rotation, translation and scale of a blended node.
pub(super) struct Blended<V> {
    pub(super) rotation: [V; 4],
    pub(super) translation: [V; 3],
    pub(super) scale: [V; 3],
}

/// Blends the layers of a node: weighted sums and a normalized rotation, then the differences of additive layers.
///
/// A quaternion and its negative are the same rotation. Each is added with the sign that is nearer to the sum so far.
#[inline(always)]
pub(super) fn blend<S: Simd>(
    batch: &LaneBatch<'_, S>,
    node: &PlanNode,
    layer_channels: &[NodeChannels],
) -> Blended<S::F32> {
    let (simd, plan) = (batch.simd, batch.plan);
    let layer_count = layer_channels.len();
    let weights = &batch.weights[node.factor_row * layer_count..][..layer_count];
    let zero = simd.splat(0.0);
    let (mut q, mut t, mut s) = ([zero; 4], [zero; 3], [zero; 3]);
    for (layer, channels) in layer_channels.iter().enumerate() {
        if plan.layers[layer].is_additive() {
            continue;
        }
        let (keys, weight) = (&batch.layers[layer], simd.load(&weights[layer], 0));
        let r = rotation(simd, keys, channels);
        let cosine = (q[0] * r[0] + q[1] * r[1]) + (q[2] * r[2] + q[3] * r[3]);
        let signed_weight = weight.flip_sign_where_negative(cosine);
        for i in 0..4 {
            q[i] = q[i] + r[i] * signed_weight;
        }
        let (translation, scale) = translation_scale(simd, keys, channels);
        for i in 0..3 {
            t[i] = t[i] + translation[i] * weight;
            s[i] = s[i] + scale[i] * weight;
        }
    }
    if let Some(first) = node.first_inverse_start {
        let inverse_starts = &plan.inverse_starts[first..][..layer_count];
        for (layer, (channels, inverse)) in layer_channels.iter().zip(inverse_starts).enumerate() {
            if !plan.layers[layer].is_additive() {
                continue;
            }
            let (keys, weight) = (&batch.layers[layer], simd.load(&weights[layer], 0));
            let one = simd.splat(1.0);
            let turn = quat_mul(splat(simd, &inverse.rotation), rotation(simd, keys, channels));
            let signed_weight = weight.flip_sign_where_negative(turn[3]);
            let w = (one - weight) + turn[3] * signed_weight;
            q = quat_mul(q, [turn[0] * signed_weight, turn[1] * signed_weight, turn[2] * signed_weight, w]);
            let (translation, scale) = translation_scale(simd, keys, channels);
            for i in 0..3 {
                t[i] = t[i] + (translation[i] + simd.splat(inverse.translation[i])) * weight;
                s[i] = s[i] * (one + (scale[i] * simd.splat(inverse.scale[i]) - one) * weight);
            }
        }
    }
    let square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
    let inverse = simd.splat(1.0) / square.sqrt();
    let rotation = [q[0] * inverse, q[1] * inverse, q[2] * inverse, q[3] * inverse];
    Blended { rotation, translation: t, scale: s }
}
