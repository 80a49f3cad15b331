//! Clips as rows: for each timeline and each of its keys, one run of memory with all that moves from that key on.
//!
//! A row holds, for every channel of the timeline, the numbers of a formula in `u`, the share of the time to the next key:
//!
//! | channel | groups of four | value at `u` |
//! | --- | --- | --- |
//! | vector | `a.xyz d.x`, `d.yz 0 0` | `a + d u` |
//! | vector, spline | four, `c0` to `c3` | `c0 + c1 u + c2 u^2 + c3 u^3` |
//! | rotation | `a`, `c` | `a cos x + c u sin(x) / x`, where `x = u \|c\|` |
//! | rotation, spline | four, `c0` to `c3` | the same sum, normalized |
//! | four morph weights | as vectors, but `a`, `d` | |
//!
//! The rotation is the great arc of glTF 2.0, appendix C.4, on an orthonormal basis: `a` is the first rotation, `c` the
//! direction at right angles to it, as long as the arc. A step is a vector or rotation that goes nowhere. The splines are
//! those of appendix C.5, by powers of `u`.

use super::KeyLookup;
use super::interpolate::{arc, unit};
use crate::math::simd::Group;
use crate::model::{Clip, Interpolation, Track};
use nalgebra::{UnitQuaternion, Vector4};

/// The rows of one clip, or of several that are blended.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClipRows {
    groups: Vec<Group>,
    timelines: Vec<RowTimeline>,
}

/// One timeline that is in use.
#[derive(Clone, Debug)]
struct RowTimeline {
    table: KeyLookup,
    /// The clip that it belongs to, by number.
    clip: usize,
    /// Where the row of key 0 begins, in groups.
    first: usize,
    /// Groups of a row.
    len: usize,
}

/// Where a channel lies in the rows of its timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Channel {
    /// Which of the [`ClipRows`]' timelines.
    pub(crate) timeline: u32,
    /// Its first group in a row.
    pub(crate) group: u32,
    /// Whether it has the four groups of a spline, else two.
    pub(crate) spline: bool,
}

impl ClipRows {
    /// All rows.
    #[inline(always)]
    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Number of timelines in use.
    pub(crate) fn timeline_count(&self) -> usize {
        self.timelines.len()
    }

    /// The clip that a timeline belongs to, as numbered for the [`RowsBuilder`].
    #[inline(always)]
    pub(crate) fn clip_of(&self, timeline: usize) -> usize {
        self.timelines[timeline].clip
    }

    /// The group at which the row of a time begins, and `u`.
    #[inline(always)]
    pub(crate) fn find(&self, timeline: usize, time_secs: f64) -> (usize, f32) {
        let timeline = &self.timelines[timeline];
        let (key, u) = timeline.table.find(time_secs);
        (timeline.first + key * timeline.len, u)
    }

    /// Bytes of all rows.
    pub(crate) fn size_bytes(&self) -> usize {
        size_of_val(&self.groups[..])
    }
}

/// Collects channels and lays them out.
pub(crate) struct RowsBuilder<'a> {
    /// The clips that tracks belong to; none for a pose at rest.
    clips: Vec<Option<&'a Clip>>,
    timelines: Vec<PendingTimeline>,
}

struct PendingTimeline {
    /// The clip, by number.
    clip: usize,
    /// Its number in the clip.
    source: usize,
    /// For each channel its groups, key by key, and how many there are a key.
    channels: Vec<(Vec<Group>, usize)>,
    len: usize,
}

impl<'a> RowsBuilder<'a> {
    pub(crate) fn new(clips: &[Option<&'a Clip>]) -> Self {
        Self { clips: clips.to_vec(), timelines: Vec::new() }
    }

    fn times(&self, clip: usize, timeline: usize) -> &'a [f32] {
        &self.clips[clip].expect("a clip that has tracks").timelines[timeline].times_secs
    }

    fn add(&mut self, (clip, track): (usize, &Track), groups: Vec<Group>, spline: bool) -> Channel {
        let is_its = |t: &PendingTimeline| (t.clip, t.source) == (clip, track.timeline);
        let timeline = self.timelines.iter().position(is_its).unwrap_or_else(|| {
            self.timelines.push(PendingTimeline { clip, source: track.timeline, channels: Vec::new(), len: 0 });
            self.timelines.len() - 1
        });
        let pending = &mut self.timelines[timeline];
        let (group, per_key) = (pending.len as u32, if spline { 4 } else { 2 });
        pending.len += per_key;
        pending.channels.push((groups, per_key));
        Channel { timeline: timeline as u32, group, spline }
    }

    /// Adds up to four numbers that move independently, by a track of a clip; `value(i)` is the stored value number `i`, in
    /// the order of the track. `packed` puts three numbers the way of a vector, else four the way of weights.
    pub(crate) fn add_numbers(
        &mut self,
        (clip, track): (usize, &Track),
        packed: bool,
        value: impl Fn(usize) -> Vector4<f64>,
    ) -> Channel {
        let times = self.times(clip, track.timeline);
        let mut groups = Vec::new();
        for key in 0..times.len() {
            if let Some(powers) = powers(track, times, key, &value) {
                groups.extend(powers.map(group));
                continue;
            }
            let a = value(key);
            let linear = track.interpolation == Interpolation::Linear && key + 1 < times.len();
            let d = if linear { value(key + 1) - a } else { Vector4::zeros() };
            groups.extend(if packed {
                [group(Vector4::new(a.x, a.y, a.z, d.x)), group(Vector4::new(d.y, d.z, 0.0, 0.0))]
            } else {
                [group(a), group(d)]
            });
        }
        self.add((clip, track), groups, track.interpolation == Interpolation::CubicSpline)
    }

    /// Adds a rotation; `value(i)` as above, of any length. Where it is zero, `rest` stands.
    ///
    /// Returns the longest arc too, in radians of the quaternion (half the angle that is turned by).
    pub(crate) fn add_rotation(
        &mut self,
        (clip, track): (usize, &Track),
        rest: &UnitQuaternion<f64>,
        value: impl Fn(usize) -> Vector4<f64>,
    ) -> (Channel, f64) {
        let times = self.times(clip, track.timeline);
        let (mut groups, mut longest) = (Vec::new(), 0.0_f64);
        for key in 0..times.len() {
            if let Some(powers) = powers(track, times, key, &value) {
                // The sum is normalized, so its size is free: kept near 1 whatever the file's is.
                let size = powers.iter().map(|c| c.amax()).fold(0.0, f64::max);
                groups.extend(powers.map(|c| group(if size > 0.0 { c / size } else { c })));
                continue;
            }
            let (a, next) = (unit(value(key)), (key + 1 < times.len()).then(|| unit(value(key + 1))));
            let (a, c) = match (a, next) {
                (Some(a), Some(Some(b))) if track.interpolation == Interpolation::Linear => {
                    let (c, length) = arc(&a, &b);
                    longest = longest.max(length);
                    (a, c)
                }
                (_, Some(None)) if track.interpolation == Interpolation::Linear => (*rest, Vector4::zeros()),
                (a, _) => (a.unwrap_or(*rest), Vector4::zeros()),
            };
            groups.extend([group(a.coords), group(c)]);
        }
        (self.add((clip, track), groups, track.interpolation == Interpolation::CubicSpline), longest)
    }

    /// The largest sum of the sizes of a channel's numbers over all rows: no value between keys is larger.
    pub(crate) fn bound(&self, channel: Channel) -> f64 {
        let pending = &self.timelines[channel.timeline as usize];
        let mut group = 0;
        let (groups, per_key) = pending
            .channels
            .iter()
            .find(|(_, per_key)| {
                let found = group == channel.group as usize;
                group += per_key;
                found
            })
            .expect("a channel of this builder");
        let of_row = |row: &[Group]| row.iter().flat_map(|g| g.0).map(|x| f64::from(x).abs()).sum::<f64>();
        groups.chunks(*per_key).map(of_row).fold(0.0, |a, b| if b >= a || b.is_nan() { b } else { a })
    }

    /// All rows, or nothing where a number is too large to be multiplied in single precision.
    pub(crate) fn build(self) -> Option<ClipRows> {
        let mut rows = ClipRows::default();
        for pending in &self.timelines {
            let times = self.times(pending.clip, pending.source);
            rows.timelines.push(RowTimeline {
                table: KeyLookup::new(times),
                clip: pending.clip,
                first: rows.groups.len(),
                len: pending.len,
            });
            for key in 0..times.len() {
                for (groups, per_key) in &pending.channels {
                    rows.groups.extend_from_slice(&groups[key * per_key..][..*per_key]);
                }
            }
        }
        rows.groups.iter().flat_map(|group| group.0).all(in_range).then_some(rows)
    }
}

/// Whether products of a few such numbers stay within single precision.
pub(crate) fn in_range(x: f32) -> bool {
    x.abs() <= 1e12
}

fn group(v: Vector4<f64>) -> Group {
    Group(v.map(|x| x as f32).into())
}

/// The spline from `key` on by powers of `u`; `None` for other interpolations.
fn powers(
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
