//! The lanes at work: the program of a rig, for as many instances at once as the processor has lanes.
//!
//! Sampling, the walk along the hierarchy and packing are one pass: a node's channels are loaded and evaluated, its
//! matrix goes to a scratch that stays in the nearest cache, and the matrices that follow it are written at once. Where
//! clips are blended, a node's channels are evaluated for each of them and summed up before they become its matrix.

#![expect(clippy::needless_range_loop, reason = "iterators over lanes hide what is a formula")]

use super::instance_record::InstanceRecord;
use super::plan::{Fixed, Part, Program, RotationSource, Slot, WeightPart};
use super::{Crowd, MatrixFormat};
use crate::math::simd::{Group, Level, Line, MAX_LANES, Starts, Vector, Work, expect};
use crate::pose::packed_keys::Channel;
use crate::pose::{MAX_LAYERS, shares_of};
use std::ops::Range;

/// `(1 - cos x) / x^2` by powers of `x^2`, on arcs up to a quarter turn: the interpolation at Chebyshev's nodes. With it
/// the cosine errs by 9e-10.
const COS_LONG: [f32; 5] = [0.5, -0.041_666_66, 0.001_388_865_2, -2.4774568e-5, 2.629727e-7];
/// `(1 - sin(x) / x) / x^2` likewise; the sine errs by 3e-8.
const SIN_LONG: [f32; 4] = [0.166_666_66, -0.008_333_242_5, 0.000_198_227_32, -2.6347327e-6];
/// As [`COS_LONG`] on arcs up to [`SHORT_ARC`](super::plan::SHORT_ARC), to 6e-10.
const COS_SHORT: [f32; 3] = [0.5, -0.041_666_31, 0.001_382_948_4];
/// As [`SIN_LONG`] on arcs up to [`SHORT_ARC`](super::plan::SHORT_ARC), to 5e-8.
const SIN_SHORT: [f32; 2] = [0.166_666_03, -0.008_301_649];

/// Memory that a thread keeps from block to block.
#[derive(Default)]
pub(super) struct Scratch {
    /// For each clip, where each lane is in it, in seconds.
    times: [[f64; MAX_LANES]; MAX_CLIPS],
    /// For each timeline, where each lane's row begins.
    starts: Vec<Starts>,
    /// For each timeline, each lane's `u`.
    shares: Vec<Line>,
    /// For each clip that is blended, how much of each lane's pose is its.
    weights: Vec<Line>,
    /// Where the instances stand and each node, in model space turned as the instance is.
    maps: Vec<Line>,
    /// Blocks of which some are left out.
    spill: Vec<[f32; 4]>,
}

/// Lines of a node's map: rows of 3x4, or rotation, translation, scale.
const MAP_LINES: usize = 12;

/// Clips of a program at most: the layers of an instance, and the rest pose.
const MAX_CLIPS: usize = MAX_LAYERS + 1;

/// Some instances of a crowd, to be posed and written.
pub(super) struct Blocks<'a> {
    pub(super) program: &'a Program,
    pub(super) crowd: &'a Crowd,
    /// Whose blocks, of those that are posed.
    pub(super) blocks: Range<usize>,
    /// The blocks.
    pub(super) texels: &'a mut [[f32; 4]],
    /// Whether they are few enough to stay in a cache; others are written in one run, as memory likes it best.
    pub(super) cached: bool,
    /// The crowd's clock.
    pub(super) time_secs: f64,
    pub(super) scratch: &'a mut Scratch,
}

impl Work for Blocks<'_> {
    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let Self { program, crowd, blocks, texels, cached, time_secs, scratch } = self;
        let (stride, roster) = (program.stride, crowd.roster());
        scratch.starts.resize(program.rows.timeline_count(), Starts::default());
        scratch.shares.resize(program.rows.timeline_count(), Line::default());
        scratch.weights.resize(program.durations_secs.len(), Line::default());
        scratch.maps.resize((program.nodes.len() + 1) * MAP_LINES, Line::default());
        scratch.spill.resize(L::LANES * stride, [0.0; 4]);
        for (first, block) in blocks.clone().step_by(L::LANES).zip(texels.chunks_mut(L::LANES * stride)) {
            let count = block.len() / stride;
            if !cached {
                let next = first + count;
                for instance in roster.instances(next..blocks.end.min(next + L::LANES)) {
                    expect(std::slice::from_ref(&crowd.records[instance]));
                }
            }
            // Lanes without an instance do as the first one.
            let mut order = [0; MAX_LANES];
            let order = &mut order[..L::LANES];
            roster.copy_to(first, &mut order[..count]);
            let someone = order[0];
            order[count..].fill(someone);
            find_rows(program, crowd, order, time_secs, scratch);
            let high = place(level, program.packing, crowd, order, &mut scratch.maps);
            let direct = cached && count == L::LANES;
            let (texels, copied_to) = if direct { (&mut *block, &[][..]) } else { (&mut scratch.spill[..], &*block) };
            let copied_to = Ahead::new(if cached { &[] } else { copied_to }, program.slots.len());
            let mut out = Out { texels, stride, copied_to };
            let sources = Sources {
                rows: program.rows.groups(),
                starts: &scratch.starts,
                shares: &scratch.shares,
                weights: &scratch.weights,
            };
            match program.packing {
                MatrixFormat::Mat3x4 => {
                    walk_rows(level, program, &sources, crowd.turned, high, &mut scratch.maps, &mut out);
                }
                MatrixFormat::QuatTranslationScale => {
                    walk_similarities(level, program, &sources, crowd.turned, high, &mut scratch.maps, &mut out);
                }
            }
            write_weights(program, &sources, count, out.texels);
            if !direct {
                block.copy_from_slice(&scratch.spill[..count * stride]);
            }
        }
    }
}

/// Where a block of instances is written.
struct Out<'a> {
    texels: &'a mut [[f32; 4]],
    /// Texels from an instance to the next.
    stride: usize,
    /// Where it is copied from there, if it is, and that is in no cache.
    copied_to: Ahead<'a>,
}

/// Memory that will be written when a block is done, and is fetched bit by bit until then.
struct Ahead<'a> {
    texels: &'a [[f32; 4]],
    /// Texels a step.
    step: usize,
}

impl<'a> Ahead<'a> {
    /// All of `texels`, within so many steps.
    #[inline(always)]
    fn new(texels: &'a [[f32; 4]], steps: usize) -> Self {
        Self { texels, step: texels.len().div_ceil(steps.max(1)) }
    }

    #[inline(always)]
    fn expect_more(&mut self) {
        let (now, later) = self.texels.split_at(self.step.min(self.texels.len()));
        expect(now);
        self.texels = later;
    }
}

/// Finds each lane's row and `u` on each timeline, and how much of its pose is whose.
#[inline(always)]
fn find_rows(program: &Program, crowd: &Crowd, order: &[usize], time_secs: f64, scratch: &mut Scratch) {
    let clips = program.durations_secs.len();
    let times = &mut scratch.times;
    if let [duration_secs] = program.durations_secs[..] {
        for (time, &instance) in times[0].iter_mut().zip(order) {
            *time = crowd.records[instance].timing().clip_secs(time_secs, duration_secs);
        }
    } else {
        for (lane, &instance) in order.iter().enumerate() {
            let record = &crowd.records[instance];
            let layers = &crowd.layers[record.first_layer as usize..][..usize::from(record.layers)];
            let mut shares = [0.0; MAX_CLIPS];
            let at_rest = shares_of(layers.iter().map(|layer| layer.weight), &mut shares);
            // The rest pose is the last clip, where it is one.
            shares[layers.len()] = at_rest;
            for (clip, layer) in layers.iter().enumerate() {
                times[clip][lane] = layer.timing.clip_secs(time_secs, program.durations_secs[clip]);
            }
            for clip in 0..clips {
                scratch.weights[clip].0[lane] = shares[clip] as f32;
            }
        }
    }
    for (timeline, (starts, shares)) in scratch.starts.iter_mut().zip(&mut scratch.shares).enumerate() {
        let times = &times[program.rows.clip_of(timeline)];
        let mut groups = [0; MAX_LANES];
        for i in 0..order.len() {
            (groups[i], shares.0[i]) = program.rows.find(timeline, times[i]);
        }
        *starts = Starts::new(&groups[..order.len()]);
    }
}

/// Where the rows of instances begin that take so many groups each.
#[inline(always)]
fn starts_of<L: Level>(order: &[usize], groups: usize) -> Starts {
    let mut firsts = [0; MAX_LANES];
    for i in 0..L::LANES {
        firsts[i] = order[i] * groups;
    }
    Starts::new(&firsts[..L::LANES])
}

/// Puts where the instances stand before the first node, but for the larger part of the translation: that is returned, to
/// be added last, so that nothing is lost on the way.
#[inline(always)]
fn place<L: Level>(level: L, packing: MatrixFormat, crowd: &Crowd, order: &[usize], maps: &mut [Line]) -> [L::V; 3] {
    let records: &[Group] = bytemuck::cast_slice(&crowd.records);
    let starts = starts_of::<L>(order, InstanceRecord::GROUPS);
    let [high_x, high_y, high_z, scale] = level.gather(records, &starts, InstanceRecord::HIGH_SCALE);
    let [low_x, low_y, low_z, _] = level.gather(records, &starts, InstanceRecord::LOW_SPEED);
    let (zero, one) = (level.splat(0.0), level.splat(1.0));
    match packing {
        MatrixFormat::Mat3x4 => {
            let mut map = [zero; 12];
            if !crowd.turned {
                [map[0], map[4], map[8]] = [one; 3];
            } else if crowd.linear.is_empty() {
                let linear = matrix_of(level, level.gather(records, &starts, InstanceRecord::ROTATION));
                for i in 0..9 {
                    map[i] = linear[i] * scale;
                }
            } else {
                let starts = starts_of::<L>(order, 3);
                let linear: &[Group] = bytemuck::cast_slice(&crowd.linear);
                for row in 0..3 {
                    let [x, y, z, _] = level.gather(linear, &starts, row);
                    [map[3 * row], map[3 * row + 1], map[3 * row + 2]] = [x, y, z];
                }
            }
            [map[9], map[10], map[11]] = [low_x, low_y, low_z];
            store_map(level, maps, 0, &map);
        }
        MatrixFormat::QuatTranslationScale => {
            let [x, y, z, w] = match crowd.turned {
                true => level.gather(records, &starts, InstanceRecord::ROTATION),
                false => [zero, zero, zero, one],
            };
            store_map(level, maps, 0, &[x, y, z, w, low_x, low_y, low_z, scale]);
        }
    }
    [high_x, high_y, high_z]
}

/// What the channels of a block are evaluated from.
struct Sources<'a> {
    rows: &'a [Group],
    starts: &'a [Starts],
    shares: &'a [Line],
    weights: &'a [Line],
}

impl Sources<'_> {
    /// A group of every lane's row, transposed. Instances between the same two keys share it: it is loaded once.
    #[inline(always)]
    fn group<L: Level>(&self, level: L, timeline: usize, group: usize) -> [L::V; 4] {
        let starts = &self.starts[timeline];
        match starts.shared() {
            Some(first) => splat(level, &self.rows[first + group].0),
            None => level.gather(self.rows, starts, group),
        }
    }
}

/// `c0 + c1 u + c2 u^2 + c3 u^3`.
#[inline(always)]
fn spline<L: Level>(level: L, sources: &Sources<'_>, channel: Channel) -> [L::V; 4] {
    let (timeline, group) = (channel.timeline as usize, channel.group as usize);
    let u = level.load(&sources.shares[timeline], 0);
    let c0 = sources.group(level, timeline, group);
    let c1 = sources.group(level, timeline, group + 1);
    let c2 = sources.group(level, timeline, group + 2);
    let c3 = sources.group(level, timeline, group + 3);
    let mut v = c0;
    for i in 0..4 {
        v[i] = c0[i] + u * (c1[i] + u * (c2[i] + u * c3[i]));
    }
    v
}

#[inline(always)]
fn vector<L: Level>(level: L, sources: &Sources<'_>, channel: Channel) -> [L::V; 3] {
    if channel.spline {
        let [x, y, z, _] = spline(level, sources, channel);
        return [x, y, z];
    }
    let (timeline, group) = (channel.timeline as usize, channel.group as usize);
    let u = level.load(&sources.shares[timeline], 0);
    let [x, y, z, dx] = sources.group(level, timeline, group);
    let [dy, dz, _, _] = sources.group(level, timeline, group + 1);
    [x + dx * u, y + dy * u, z + dz * u]
}

/// `a cos x + c u sin(x) / x`, where `x = u |c|`.
#[inline(always)]
fn great_arc<L: Level>(level: L, sources: &Sources<'_>, channel: Channel, short: bool) -> [L::V; 4] {
    let (timeline, group) = (channel.timeline as usize, channel.group as usize);
    let u = level.load(&sources.shares[timeline], 0);
    let a = sources.group(level, timeline, group);
    let c = sources.group(level, timeline, group + 1);
    let square = u * u * ((c[0] * c[0] + c[1] * c[1]) + (c[2] * c[2] + c[3] * c[3]));
    let k = |x: f32| level.splat(x);
    let (less_cos, less_sin) = if short {
        let less_cos = k(COS_SHORT[0]) + square * (k(COS_SHORT[1]) + square * k(COS_SHORT[2]));
        (less_cos, k(SIN_SHORT[0]) + square * k(SIN_SHORT[1]))
    } else {
        let less_cos = k(COS_LONG[3]) + square * k(COS_LONG[4]);
        let less_cos = k(COS_LONG[0]) + square * (k(COS_LONG[1]) + square * (k(COS_LONG[2]) + square * less_cos));
        let less_sin = k(SIN_LONG[1]) + square * (k(SIN_LONG[2]) + square * k(SIN_LONG[3]));
        (less_cos, k(SIN_LONG[0]) + square * less_sin)
    };
    let along_a = k(1.0) - square * less_cos;
    let along_c = u - u * (square * less_sin);
    [
        a[0] * along_a + c[0] * along_c,
        a[1] * along_a + c[1] * along_c,
        a[2] * along_a + c[2] * along_c,
        a[3] * along_a + c[3] * along_c,
    ]
}

#[inline(always)]
fn rotation<L: Level>(level: L, sources: &Sources<'_>, part: &Part) -> [L::V; 4] {
    match part.rotation {
        RotationSource::Fixed => splat(level, &part.fixed.rotation),
        RotationSource::Short(channel) => great_arc(level, sources, channel, true),
        RotationSource::Long(channel) => great_arc(level, sources, channel, false),
        RotationSource::Spline(channel) => {
            let q = spline(level, sources, channel);
            let square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
            let inverse = level.splat(1.0) / square.sqrt();
            let mut unit: [L::V; 4] = splat(level, &part.fixed.rotation);
            for i in 0..4 {
                unit[i] = square.where_zero(unit[i], q[i] * inverse);
            }
            unit
        }
    }
}

#[inline(always)]
fn translation<L: Level>(level: L, sources: &Sources<'_>, part: &Part) -> [L::V; 3] {
    match part.translation {
        Some(channel) => vector(level, sources, channel),
        None => splat(level, &part.fixed.translation),
    }
}

#[inline(always)]
fn scale<L: Level>(level: L, sources: &Sources<'_>, part: &Part) -> [L::V; 3] {
    match part.scale {
        Some(channel) => vector(level, sources, channel),
        None => splat(level, &part.fixed.scale),
    }
}

/// Rotation, translation and scale.
type Blended<V> = ([V; 4], [V; 3], [V; 3]);

/// Rotation, translation and scale of a node that several clips move: their weighted sums, the rotation brought back to
/// length 1. A rotation and its negative are the same; each is added on the side of the sum of those before.
#[inline(always)]
fn blend<L: Level>(level: L, sources: &Sources<'_>, parts: &[Part]) -> Blended<L::V> {
    let zero = level.splat(0.0);
    let (mut q, mut t, mut s) = ([zero; 4], [zero; 3], [zero; 3]);
    for (part, weight) in parts.iter().zip(sources.weights) {
        let weight = level.load(weight, 0);
        let r = rotation(level, sources, part);
        let cosine = (q[0] * r[0] + q[1] * r[1]) + (q[2] * r[2] + q[3] * r[3]);
        let nearer = weight.turned_as(cosine);
        for i in 0..4 {
            q[i] = q[i] + r[i] * nearer;
        }
        let (here, size) = (translation(level, sources, part), scale(level, sources, part));
        for i in 0..3 {
            t[i] = t[i] + here[i] * weight;
            s[i] = s[i] + size[i] * weight;
        }
    }
    let square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
    let inverse = level.splat(1.0) / square.sqrt();
    ([q[0] * inverse, q[1] * inverse, q[2] * inverse, q[3] * inverse], t, s)
}

#[inline(always)]
fn splat<L: Level, const N: usize>(level: L, numbers: &[f32; N]) -> [L::V; N] {
    let mut v = [level.splat(0.0); N];
    for i in 0..N {
        v[i] = level.splat(numbers[i]);
    }
    v
}

/// The rotation matrix of a unit quaternion, by rows.
#[inline(always)]
fn matrix_of<L: Level>(level: L, [x, y, z, w]: [L::V; 4]) -> [L::V; 9] {
    let one = level.splat(1.0);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [one - (yy + zz), xy - wz, xz + wy, xy + wz, one - (xx + zz), yz - wx, xz - wy, yz + wx, one - (xx + yy)]
}

/// `a b`, the product of two 3x4 maps: nine numbers of the linear part by rows, then the translation.
#[inline(always)]
fn product<V: Vector>(a: &[V; 12], b: &[V; 12]) -> [V; 12] {
    let mut c = *a;
    for row in 0..3 {
        let [x, y, z] = [a[3 * row], a[3 * row + 1], a[3 * row + 2]];
        c[3 * row] = x * b[0] + y * b[3] + z * b[6];
        c[3 * row + 1] = x * b[1] + y * b[4] + z * b[7];
        c[3 * row + 2] = x * b[2] + y * b[5] + z * b[8];
        c[9 + row] = x * b[9] + y * b[10] + z * b[11] + a[9 + row];
    }
    c
}

#[inline(always)]
fn load_map<L: Level, const N: usize>(level: L, maps: &[Line], node: usize) -> [L::V; N] {
    let lines: &[Line; N] = maps[node * MAP_LINES..][..N].try_into().expect("as many lines");
    let mut v = [level.splat(0.0); N];
    for i in 0..N {
        v[i] = level.load(&lines[i], 0);
    }
    v
}

#[inline(always)]
fn store_map<L: Level, const N: usize>(level: L, maps: &mut [Line], node: usize, v: &[L::V; N]) {
    let lines: &mut [Line; N] = (&mut maps[node * MAP_LINES..][..N]).try_into().expect("as many lines");
    for i in 0..N {
        level.store(&mut lines[i], v[i]);
    }
}

#[inline(always)]
fn fixed_rows<L: Level>(level: L, fixed: &Fixed) -> [L::V; 12] {
    let mut v = [level.splat(0.0); 12];
    for i in 0..9 {
        v[i] = level.splat(fixed.linear[i]);
    }
    for i in 0..3 {
        v[9 + i] = level.splat(fixed.translation[i]);
    }
    v
}

/// Poses and writes blocks of [`MatrixFormat::Mat3x4`].
#[inline(always)]
fn walk_rows<L: Level>(
    level: L,
    program: &Program,
    sources: &Sources<'_>,
    turned: bool,
    high: [L::V; 3],
    maps: &mut [Line],
    out: &mut Out<'_>,
) {
    let clips = program.durations_secs.len();
    let (placed, mut slots) = program.slots.split_at(program.placed);
    for slot in placed {
        out.copied_to.expect_more();
        let map = load_map::<L, 12>(level, maps, 0);
        write_rows(level, &map, &slot.node_from_mesh, high, out, slot.texel);
    }
    for (number, (node, parts)) in program.nodes.iter().zip(program.parts.chunks_exact(clips)).enumerate() {
        let part = &parts[0];
        let mut local = fixed_rows(level, &part.fixed);
        if node.blended {
            let (q, t, s) = blend(level, sources, parts);
            let linear = matrix_of(level, q);
            for i in 0..9 {
                local[i] = linear[i] * s[i % 3];
            }
            local[9..].copy_from_slice(&t);
        } else {
            if part.rotation != RotationSource::Fixed || part.scale.is_some() {
                let linear = if part.rotation == RotationSource::Fixed {
                    splat(level, &part.fixed.linear)
                } else {
                    matrix_of(level, rotation(level, sources, part))
                };
                local[..9].copy_from_slice(&linear);
                if part.scale.is_some() || !part.fixed.unscaled() {
                    let scale = scale(level, sources, part);
                    for i in 0..9 {
                        local[i] = local[i] * scale[i % 3];
                    }
                }
            }
            if let Some(channel) = part.translation {
                local[9..].copy_from_slice(&vector(level, sources, channel));
            }
        }
        let map = if node.parent == 0 && !turned {
            let low = load_map::<L, 12>(level, maps, 0);
            for i in 9..12 {
                local[i] = local[i] + low[i];
            }
            local
        } else {
            product(&load_map::<L, 12>(level, maps, node.parent), &local)
        };
        store_map(level, maps, number + 1, &map);
        let (here, rest) = slots.split_at(node.slot_count);
        slots = rest;
        for slot in here {
            out.copied_to.expect_more();
            write_rows(level, &map, &slot.node_from_mesh, high, out, slot.texel);
        }
    }
}

#[inline(always)]
fn write_rows<L: Level>(
    level: L,
    map: &[L::V; 12],
    node_from_mesh: &Fixed,
    high: [L::V; 3],
    out: &mut Out<'_>,
    texel: usize,
) {
    let m = product(map, &fixed_rows(level, node_from_mesh));
    for row in 0..3 {
        let texels = [m[3 * row], m[3 * row + 1], m[3 * row + 2], m[9 + row] + high[row]];
        level.scatter(out.texels, out.stride, texel + row, texels);
    }
}

/// The product of two quaternions `x, y, z, w`.
#[inline(always)]
fn turn<V: Vector>(a: [V; 4], b: [V; 4]) -> [V; 4] {
    [
        (a[3] * b[0] + a[0] * b[3]) + (a[1] * b[2] - a[2] * b[1]),
        (a[3] * b[1] + a[1] * b[3]) + (a[2] * b[0] - a[0] * b[2]),
        (a[3] * b[2] + a[2] * b[3]) + (a[0] * b[1] - a[1] * b[0]),
        (a[3] * b[3] - a[0] * b[0]) - (a[1] * b[1] + a[2] * b[2]),
    ]
}

/// The image of a point under rotation, translation and scale: `v + 2 w (q x v) + 2 q x (q x v)`, scaled and shifted.
#[inline(always)]
fn moved<V: Vector>(map: &[V; 8], v: [V; 3]) -> [V; 3] {
    let [x, y, z, w, tx, ty, tz, s] = *map;
    let (cx, cy, cz) = (y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]);
    let (cx, cy, cz) = (cx + cx, cy + cy, cz + cz);
    [
        (v[0] + w * cx + (y * cz - z * cy)) * s + tx,
        (v[1] + w * cy + (z * cx - x * cz)) * s + ty,
        (v[2] + w * cz + (x * cy - y * cx)) * s + tz,
    ]
}

/// Poses and writes blocks of [`MatrixFormat::QuatTranslationScale`].
#[inline(always)]
fn walk_similarities<L: Level>(
    level: L,
    program: &Program,
    sources: &Sources<'_>,
    turned: bool,
    high: [L::V; 3],
    maps: &mut [Line],
    out: &mut Out<'_>,
) {
    let clips = program.durations_secs.len();
    let (placed, mut slots) = program.slots.split_at(program.placed);
    for slot in placed {
        out.copied_to.expect_more();
        let map = load_map::<L, 8>(level, maps, 0);
        write_similarity(level, &map, slot, high, out);
    }
    for (number, (node, parts)) in program.nodes.iter().zip(program.parts.chunks_exact(clips)).enumerate() {
        let part = &parts[0];
        let (q, t, s) = if node.blended {
            let (q, t, s) = blend(level, sources, parts);
            (q, t, s[0])
        } else {
            let s = match part.scale {
                Some(channel) => vector(level, sources, channel)[0],
                None => level.splat(part.fixed.scale[0]),
            };
            (rotation(level, sources, part), translation(level, sources, part), s)
        };
        let parent = load_map::<L, 8>(level, maps, node.parent);
        let map = if node.parent == 0 && !turned {
            [q[0], q[1], q[2], q[3], t[0] + parent[4], t[1] + parent[5], t[2] + parent[6], s]
        } else {
            let q = turn([parent[0], parent[1], parent[2], parent[3]], q);
            let t = moved(&parent, t);
            [q[0], q[1], q[2], q[3], t[0], t[1], t[2], parent[7] * s]
        };
        store_map(level, maps, number + 1, &map);
        let (here, rest) = slots.split_at(node.slot_count);
        slots = rest;
        for slot in here {
            out.copied_to.expect_more();
            write_similarity(level, &map, slot, high, out);
        }
    }
}

#[inline(always)]
fn write_similarity<L: Level>(
    level: L,
    map: &[L::V; 8],
    Slot { texel, node_from_mesh, shift_only }: &Slot,
    high: [L::V; 3],
    out: &mut Out<'_>,
) {
    let (mut q, mut s) = ([map[0], map[1], map[2], map[3]], map[7]);
    if !shift_only {
        q = turn(q, splat(level, &node_from_mesh.rotation));
        s = s * level.splat(node_from_mesh.scale[0]);
    }
    let t = moved(map, splat(level, &node_from_mesh.translation));
    // A step of Newton's towards length 1 takes off what rounding along the chain has added.
    let square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
    let mend = level.splat(1.5) - level.splat(0.5) * square;
    level.scatter(out.texels, out.stride, *texel, [t[0] + high[0], t[1] + high[1], t[2] + high[2], s]);
    level.scatter(out.texels, out.stride, *texel + 1, [q[0] * mend, q[1] * mend, q[2] * mend, q[3] * mend]);
}

/// Writes the morph weights, four together and one instance after the other: they need no transposing.
#[inline(always)]
fn write_weights(program: &Program, sources: &Sources<'_>, lanes: usize, block: &mut [[f32; 4]]) {
    let (stride, clips) = (program.stride, program.durations_secs.len());
    for &(texel, weights) in &program.fixed_weights {
        for lane in 0..lanes {
            block[lane * stride + texel] = weights;
        }
    }
    for (&texel, parts) in program.moved_weights.iter().zip(program.weight_parts.chunks_exact(clips)) {
        for lane in 0..lanes {
            let out = &mut block[lane * stride + texel];
            if let [part] = parts {
                *out = weights_of(sources, part, lane);
            } else {
                *out = [0.0; 4];
                for (part, weight) in parts.iter().zip(sources.weights) {
                    let here = weights_of(sources, part, lane);
                    for i in 0..4 {
                        out[i] += here[i] * weight.0[lane];
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn weights_of(sources: &Sources<'_>, part: &WeightPart, lane: usize) -> [f32; 4] {
    let channel = match part {
        WeightPart::Fixed(weights) => return *weights,
        WeightPart::Moved(channel) => channel,
    };
    let timeline = channel.timeline as usize;
    let u = sources.shares[timeline].0[lane];
    let row = &sources.rows[sources.starts[timeline].group(lane) + channel.group as usize..];
    let mut out = [0.0; 4];
    for i in 0..4 {
        out[i] = if channel.spline {
            row[0].0[i] + u * (row[1].0[i] + u * (row[2].0[i] + u * row[3].0[i]))
        } else {
            row[0].0[i] + row[1].0[i] * u
        };
    }
    out
}
