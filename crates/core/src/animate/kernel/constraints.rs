//! Constraints after sampling, for a batch.

use super::algebra::{ARRAYS_PER_MAP, load_map, store_map};
use super::hierarchy::NodeTransformFormat;
use super::output::{LaneBatch, Output};
use crate::animate::instance_record::InstanceRecord;
use crate::animate::plan::PlanPoint;
use crate::ik::{ConstraintContext, ConstraintTargets, Ground, GroundSample, PoseConstraints, Rigid, Target, Targets};
use crate::math::simd::{LaneArray, MAX_LANES, RowOffsets, Simd, SimdFloat, WithSimd};
use crate::model::InstanceIndex;
use nalgebra::Vector3;

/// Computes the positions of the constraints' points.
#[inline(always)]
pub(super) fn load_points<S: Simd, const N: usize, F: NodeTransformFormat<S, N>>(
    batch: &LaneBatch<'_, S>,
    world_from_node: &[LaneArray],
    points: &mut [LaneArray],
) {
    let simd = batch.simd;
    for (i, PlanPoint { node, offset: [x, y, z] }) in batch.plan.constraint_points.iter().enumerate() {
        let transform = load_map::<S, N>(simd, world_from_node, *node);
        let mut point = [transform[F::TRANSLATION], transform[F::TRANSLATION + 1], transform[F::TRANSLATION + 2]];
        if [*x, *y, *z] != [0.0; 3] {
            point = F::transform_point(&transform, [simd.splat(*x), simd.splat(*y), simd.splat(*z)]);
        }
        store_map(simd, points, i, &point);
    }
}

/// Writes the matrices of a batch, each moved with its part. `translations` has a bit for each part that does not turn.
#[inline(always)]
pub(super) fn write_moved<S: Simd, const N: usize, F: NodeTransformFormat<S, N>>(
    batch: &LaneBatch<'_, S>,
    world_from_node: &[LaneArray],
    parts: &mut [LaneArray],
    translations: u32,
    out: &mut Output<'_>,
) {
    let (simd, plan) = (batch.simd, batch.plan);
    for i in 0..parts.len() / ARRAYS_PER_MAP {
        let part = load_rigid(simd, parts, i);
        store_map(simd, parts, i, &F::from_rigid(simd, &part));
    }
    let (mut first, mut node) = (0, 0);
    let mut count = plan.root_output_count;
    for (i, (output, part)) in plan.outputs.iter().zip(&plan.output_parts).enumerate() {
        while i == first + count {
            (first, node, count) = (i, node + 1, plan.nodes[node].output_count);
        }
        out.prefetch.prefetch_next();
        let mut transform = load_map::<S, N>(simd, world_from_node, node);
        if let Some(part) = part.map(usize::from) {
            if translations >> part & 1 == 0 {
                transform = F::product(&load_map::<S, N>(simd, parts, part), &transform);
            } else {
                for i in F::TRANSLATION..F::TRANSLATION + 3 {
                    transform[i] = transform[i] + simd.load(&parts[part * ARRAYS_PER_MAP + i], 0);
                }
            }
        }
        F::write(batch, &transform, output, out);
    }
}

/// Runs the constraints of a batch.
pub(super) struct ConstraintJob<'a> {
    pub(super) constraints: &'a PoseConstraints,
    pub(super) targets: &'a ConstraintTargets,
    /// Instance of each lane.
    pub(super) instances: &'a [usize],
    pub(super) records: &'a [InstanceRecord],
    pub(super) points: &'a [LaneArray],
    /// Receives the transform of each part.
    pub(super) parts: &'a mut [LaneArray],
}

impl WithSimd for ConstraintJob<'_> {
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { constraints, targets, instances, records, points, parts } = self;
        constraints.run(targets, &mut LaneContext { simd, instances, records, points, parts });
    }
}

#[inline(always)]
fn load_rigid<S: Simd>(simd: S, parts: &[LaneArray], part: usize) -> Rigid<S::F32> {
    let [x, y, z, w, tx, ty, tz] = load_map::<S, 7>(simd, parts, part);
    Rigid { rotation: [x, y, z, w], translation: [tx, ty, tz] }
}

#[inline(always)]
fn lerp<V: SimdFloat>([a, b]: [[[V; 4]; 2]; 2], t: V) -> [[V; 4]; 2] {
    let mut mixed = a;
    for i in 0..2 {
        for k in 0..4 {
            mixed[i][k] = a[i][k] + (b[i][k] - a[i][k]) * t;
        }
    }
    mixed
}

/// The lanes of a batch. Positions are relative to the high part of the placements' translations.
struct LaneContext<'a, S> {
    simd: S,
    instances: &'a [usize],
    records: &'a [InstanceRecord],
    points: &'a [LaneArray],
    parts: &'a mut [LaneArray],
}

impl<S: Simd> ConstraintContext for LaneContext<'_, S> {
    type NumericBackend = S;

    #[inline(always)]
    fn backend(&self) -> S {
        self.simd
    }

    #[inline(always)]
    fn point(&self, point: usize) -> [S::F32; 3] {
        load_map(self.simd, self.points, point)
    }

    #[inline(always)]
    fn target(&mut self, targets: &Targets) -> ([S::F32; 3], S::F32) {
        let [mut x, mut y, mut z, mut weights] = [LaneArray::default(); 4];
        for (lane, &instance) in self.instances.iter().enumerate() {
            let Target { point, weight } = targets.get(InstanceIndex(instance as u32));
            let relative = (point - self.records[instance].high_translation()).map(|x| x as f32);
            (x.0[lane], y.0[lane], z.0[lane]) = (relative.x, relative.y, relative.z);
            weights.0[lane] = *weight;
        }
        let simd = self.simd;
        ([simd.load(&x, 0), simd.load(&y, 0), simd.load(&z, 0)], simd.load(&weights, 0))
    }

    #[inline(always)]
    fn ground(&mut self, ground: &Ground, point: [S::F32; 3]) -> GroundSample<S::F32> {
        let simd = self.simd;
        let [mut x, mut z] = [LaneArray::default(); 2];
        simd.store(&mut x, point[0]);
        simd.store(&mut z, point[2]);
        let mut values = [LaneArray::default(); 6];
        let highs = self.instances.iter().map(|&instance| self.records[instance].high_translation()).enumerate();
        if let Some(rise) = ground.rise() {
            highs.for_each(|(lane, high)| values[0].0[lane] = (rise * high.z - high.y) as f32);
            let (zero, rise) = (simd.splat(0.0), simd.splat(rise as f32));
            let (height, slopes) = (simd.load(&values[0], 0) + rise * point[2], [zero, rise]);
            return GroundSample::even(height, slopes);
        }
        if let Some(field) = ground.field() {
            let mut rows = [0; MAX_LANES];
            for (lane, high) in highs {
                let (node, place) = field.locate(high.x + f64::from(x.0[lane]), high.z + f64::from(z.0[lane]));
                rows[lane] = 2 * node;
                [values[0].0[lane], values[1].0[lane]] = place;
                values[2].0[lane] = high.y as f32;
            }
            let rows = RowOffsets::new(&rows[..self.instances.len()]);
            let (u, v, high_y) = (simd.load(&values[0], 0), simd.load(&values[1], 0), simd.load(&values[2], 0));
            let (vectors, far) = (field.vectors(), field.row_len());
            let near =
                [simd.load_row_pairs_transposed(vectors, &rows, 0), simd.load_row_pairs_transposed(vectors, &rows, 2)];
            let far = [
                simd.load_row_pairs_transposed(vectors, &rows, far),
                simd.load_row_pairs_transposed(vectors, &rows, far + 2),
            ];
            let [[height, along_x, along_z, _], [smooth_height, smooth_along_x, smooth_along_z, _]] =
                lerp([lerp(near, u), lerp(far, u)], v);
            let (height, smooth_height) = (height - high_y, smooth_height - high_y);
            let (slopes, smooth_slopes) = ([along_x, along_z], [smooth_along_x, smooth_along_z]);
            return GroundSample { height, slopes, smooth_height, smooth_slopes };
        }
        let mut y = LaneArray::default();
        simd.store(&mut y, point[1]);
        let (mut points, mut samples) = ([Vector3::zeros(); MAX_LANES], [GroundSample::default(); MAX_LANES]);
        highs.for_each(|(lane, high)| points[lane] = high + Vector3::new(x.0[lane], y.0[lane], z.0[lane]).cast());
        let count = self.instances.len();
        ground.sample_all(&points[..count], &mut samples[..count]);
        for (lane, &instance) in self.instances.iter().enumerate() {
            let (sample, high_y) = (&samples[lane], self.records[instance].high_translation().y);
            values[0].0[lane] = (sample.height - high_y) as f32;
            values[1].0[lane] = sample.slopes[0] as f32;
            values[2].0[lane] = sample.slopes[1] as f32;
            values[3].0[lane] = (sample.smooth_height - high_y) as f32;
            values[4].0[lane] = sample.smooth_slopes[0] as f32;
            values[5].0[lane] = sample.smooth_slopes[1] as f32;
        }
        GroundSample {
            height: simd.load(&values[0], 0),
            slopes: [simd.load(&values[1], 0), simd.load(&values[2], 0)],
            smooth_height: simd.load(&values[3], 0),
            smooth_slopes: [simd.load(&values[4], 0), simd.load(&values[5], 0)],
        }
    }

    #[inline(always)]
    fn part(&self, part: usize) -> Rigid<S::F32> {
        load_rigid(self.simd, self.parts, part)
    }

    #[inline(always)]
    fn set_part(&mut self, part: usize, transform: &Rigid<S::F32>) {
        let ([x, y, z, w], [tx, ty, tz]) = (transform.rotation, transform.translation);
        store_map(self.simd, self.parts, part, &[x, y, z, w, tx, ty, tz]);
    }
}
