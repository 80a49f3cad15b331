//! Keys packed for the SIMD kernel: for each key of a timeline, one contiguous row of all channels.
//!
//! A row holds, for every channel of the timeline, the coefficients of a formula in `u`, the fraction of the time to the
//! next key:
//!
//! | channel | vectors | value at `u` |
//! | --- | --- | --- |
//! | vector | `a.xyz d.x`, `d.yz a.w d.w` | `a + d u` |
//! | vector, spline | four, `c0` to `c3` | `c0 + c1 u + c2 u^2 + c3 u^3` |
//! | rotation | `a`, `c` | `a cos x + c u sin(x) / x`, where `x = u \|c\|` |
//! | rotation, spline | four, `c0` to `c3` | the same sum, normalized |
//! | four morph weights | as vectors, but `a`, `d` | |
//!
//! The rotation is the slerp of glTF 2.0, appendix C.4, in an orthonormal basis: `a` is the first rotation, `c` the
//! direction perpendicular to it, scaled by the arc length. A step has zero `d` or `c`. Splines are those of appendix C.5 as
//! power series in `u`.
//!
//! A row holds what a joint needs between two keys, so that a lookup serves all channels of a timeline, and the kernel loads
//! whole cache lines: one or two vectors of every lane's row, then a transposition. A gather instruction would load four bytes
//! of as many lines. Everything that does not depend on `u` is computed on load, so that a slerp needs neither arc cosine,
//! division, square root nor normalization.

use super::key_lookup::KeyLookup;
use crate::math::simd::Float4;
use crate::model::{Interpolation, Timeline, TimelineIndex, Track};
use crate::pose::{slerp_tangent, unit};
use nalgebra::{UnitQuaternion, Vector4};
use std::collections::HashMap;

/// The packed keys of one clip.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackedKeys {
    vectors: Vec<Float4>,
    timelines: Vec<PackedTimeline>,
}

#[derive(Clone, Debug)]
struct PackedTimeline {
    lookup: KeyLookup,
    /// Index of the first vector of key 0.
    first_vector: usize,
    /// Vectors per row.
    stride: usize,
}

/// Position of a channel in the rows of its timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PackedChannel {
    /// Index of the timeline in the [`PackedKeys`].
    pub(crate) timeline: u32,
    /// Index of its first vector in a row.
    pub(crate) offset: u32,
    /// `true` if it has four vectors; else two.
    pub(crate) is_spline: bool,
}

impl PackedKeys {
    #[inline(always)]
    pub(crate) fn vectors(&self) -> &[Float4] {
        &self.vectors
    }

    /// Number of timelines with channels.
    pub(crate) fn timeline_count(&self) -> usize {
        self.timelines.len()
    }

    /// Returns the index of the first vector of the key row at a time, and `u`.
    #[inline(always)]
    pub(crate) fn find(&self, timeline: usize, time_secs: f64) -> (usize, f32) {
        let timeline = &self.timelines[timeline];
        let (key, u) = timeline.lookup.find(time_secs);
        (timeline.first_vector + key * timeline.stride, u)
    }

    pub(crate) fn size_bytes(&self) -> usize {
        size_of_val(&self.vectors[..])
    }
}

/// Collects channels and lays out their rows.
pub(crate) struct PackedKeysBuilder<'a> {
    /// The timelines of the clip.
    sources: &'a [Timeline],
    timelines: Vec<PendingTimeline>,
    /// Indices of `timelines` by timeline of the clip.
    indices: HashMap<TimelineIndex, usize>,
}

struct PendingTimeline {
    /// In the clip.
    timeline: TimelineIndex,
    /// In ascending order of their offsets.
    channels: Vec<PendingChannel>,
    /// Vectors per row.
    stride: usize,
}

struct PendingChannel {
    offset: u32,
    /// Vectors of all keys.
    vectors: Vec<Float4>,
    vectors_per_key: usize,
}

impl<'a> PackedKeysBuilder<'a> {
    /// `sources` are the timelines of the clip.
    pub(crate) fn new(sources: &'a [Timeline]) -> Self {
        Self { sources, timelines: Vec::new(), indices: HashMap::new() }
    }

    fn times(&self, timeline: TimelineIndex) -> &'a [f32] {
        self.sources[timeline].times_secs()
    }

    fn add(&mut self, track: &Track, vectors: Vec<Float4>) -> PackedChannel {
        let timeline = *self.indices.entry(track.timeline).or_insert_with(|| {
            self.timelines.push(PendingTimeline { timeline: track.timeline, channels: Vec::new(), stride: 0 });
            self.timelines.len() - 1
        });
        let pending = &mut self.timelines[timeline];
        let is_spline = track.interpolation == Interpolation::CubicSpline;
        let (offset, vectors_per_key) = (pending.stride as u32, if is_spline { 4 } else { 2 });
        pending.stride += vectors_per_key;
        pending.channels.push(PendingChannel { offset, vectors, vectors_per_key });
        PackedChannel { timeline: timeline as u32, offset, is_spline }
    }

    /// Adds a vector channel. `value(i)` returns the stored value `i` of the track. W is the uniform scale that is
    /// packed with a translation, else 0.
    pub(crate) fn add_vector(&mut self, track: &Track, value: impl Fn(usize) -> Vector4<f64>) -> PackedChannel {
        let pack = |a: Vector4<f64>, d: Vector4<f64>| {
            [to_f32x4(Vector4::new(a.x, a.y, a.z, d.x)), to_f32x4(Vector4::new(d.y, d.z, a.w, d.w))]
        };
        self.add_numbers(track, value, pack)
    }

    /// Adds a channel of four morph weights. `value(i)` returns the stored value `i` of the track.
    pub(crate) fn add_morph_weights(&mut self, track: &Track, value: impl Fn(usize) -> Vector4<f64>) -> PackedChannel {
        self.add_numbers(track, value, |a, d| [to_f32x4(a), to_f32x4(d)])
    }

    fn add_numbers(
        &mut self,
        track: &Track,
        value: impl Fn(usize) -> Vector4<f64>,
        pack: impl Fn(Vector4<f64>, Vector4<f64>) -> [Float4; 2],
    ) -> PackedChannel {
        let times = self.times(track.timeline);
        let mut vectors = Vec::new();
        for key in 0..times.len() {
            if let Some(coefficients) = spline_coefficients(track, times, key, &value) {
                vectors.extend(coefficients.map(to_f32x4));
                continue;
            }
            let a = value(key);
            let is_linear = track.interpolation == Interpolation::Linear && key + 1 < times.len();
            vectors.extend(pack(a, if is_linear { value(key + 1) - a } else { Vector4::zeros() }));
        }
        self.add(track, vectors)
    }

    /// Adds a rotation channel. `value(i)` returns the stored quaternion `i` of any length; `rest` replaces zero.
    ///
    /// Also returns the longest arc in radians on the unit quaternions, half the angle of rotation.
    pub(crate) fn add_rotation(
        &mut self,
        track: &Track,
        rest: &UnitQuaternion<f64>,
        value: impl Fn(usize) -> Vector4<f64>,
    ) -> (PackedChannel, f64) {
        let times = self.times(track.timeline);
        let (mut vectors, mut max_arc) = (Vec::new(), 0.0_f64);
        for key in 0..times.len() {
            if let Some(coefficients) = spline_coefficients(track, times, key, &value) {
                // The kernel normalizes the sum. Scaling to about 1 keeps large coefficients in range.
                let size = coefficients.iter().map(|c| c.amax()).fold(0.0, f64::max);
                vectors.extend(coefficients.map(|c| to_f32x4(if size > 0.0 { c / size } else { c })));
                continue;
            }
            let (a, next) = (unit(value(key)), (key + 1 < times.len()).then(|| unit(value(key + 1))));
            let (a, c) = match (a, next) {
                (Some(a), Some(Some(b))) if track.interpolation == Interpolation::Linear => {
                    let (c, length) = slerp_tangent(&a, &b);
                    max_arc = max_arc.max(length);
                    (a, c)
                }
                (_, Some(None)) if track.interpolation == Interpolation::Linear => (*rest, Vector4::zeros()),
                (a, _) => (a.unwrap_or(*rest), Vector4::zeros()),
            };
            vectors.extend([to_f32x4(a.coords), to_f32x4(c)]);
        }
        (self.add(track, vectors), max_arc)
    }

    /// Returns the maximum over all keys of the summed magnitudes of a channel's coefficients. Bounds every value.
    pub(crate) fn max_magnitude(&self, channel: PackedChannel) -> f64 {
        let channels = &self.timelines[channel.timeline as usize].channels;
        let index = channels.binary_search_by_key(&channel.offset, |pending| pending.offset);
        let pending = &channels[index.expect("a channel of this builder")];
        let of_key = |key: &[Float4]| key.iter().flat_map(|g| g.0).map(|x| f64::from(x).abs()).sum::<f64>();
        let keys = pending.vectors.chunks(pending.vectors_per_key);
        keys.map(of_key).fold(0.0, |a, b| if b >= a || b.is_nan() { b } else { a })
    }

    /// Lays out all rows; `None` if a coefficient is too large to be multiplied in single precision.
    pub(crate) fn build(self) -> Option<PackedKeys> {
        let mut keys = PackedKeys::default();
        for pending in &self.timelines {
            let times = self.times(pending.timeline);
            keys.timelines.push(PackedTimeline {
                lookup: KeyLookup::new(times),
                first_vector: keys.vectors.len(),
                stride: pending.stride,
            });
            for key in 0..times.len() {
                for PendingChannel { vectors, vectors_per_key, .. } in &pending.channels {
                    keys.vectors.extend_from_slice(&vectors[key * vectors_per_key..][..*vectors_per_key]);
                }
            }
        }
        keys.vectors.iter().flat_map(|vector| vector.0).all(in_range).then_some(keys)
    }
}

/// Returns `true` if products of a few such values stay within single precision.
pub(crate) fn in_range(x: f32) -> bool {
    x.abs() <= 1e12
}

fn to_f32x4(v: Vector4<f64>) -> Float4 {
    Float4(v.map(|x| x as f32).into())
}

/// Returns the power series in `u` of the spline from `key` on; `None` for other interpolations.
fn spline_coefficients(
    track: &Track,
    times: &[f32],
    key: usize,
    value: impl Fn(usize) -> Vector4<f64>,
) -> Option<[Vector4<f64>; 4]> {
    if track.interpolation != Interpolation::CubicSpline {
        return None;
    }
    let at = value(3 * key + 1);
    if key + 1 >= times.len() {
        return Some([at, Vector4::zeros(), Vector4::zeros(), Vector4::zeros()]);
    }
    let key_secs = f64::from(times[key + 1]) - f64::from(times[key]);
    let (out, next, into) = (value(3 * key + 2) * key_secs, value(3 * key + 4), value(3 * key + 3) * key_secs);
    Some([at, out, (next - at) * 3.0 - out * 2.0 - into, (at - next) * 2.0 + out + into])
}
