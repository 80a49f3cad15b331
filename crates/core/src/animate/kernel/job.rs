//! A kernel invocation: a run of palette blocks of one animation plan.

use super::algebra::{ARRAYS_PER_MAP, quat_to_mat3, store_map};
use super::constraints::{ConstraintJob, load_points, write_moved};
use super::hierarchy::pose_nodes;
use super::mat3x4::Mat3x4;
use super::morph_weights::write_morph_weights;
use super::output::{LaneBatch, LaneKeys, Output, PrefetchQueue};
use super::quat_translation_scale::QuatTranslationScale;
use crate::animate::instance_record::{BlockInstances, InstanceData, InstanceRecord};
use crate::animate::plan::{AnimationPlan, LaneRotation, PlanLayer};
use crate::ik::{ConstraintTargets, PoseConstraints};
use crate::math::SimdLevel;
use crate::math::simd::{Float4, LaneArray, MAX_LANES, RowOffsets, Simd, WithSimd, prefetch};
use crate::model::JointIndex;
use crate::palette::MatrixFormat;
use crate::pose::{LayerWeight, MAX_LAYERS, layer_weights};
use nalgebra::UnitQuaternion;
use smallvec::SmallVec;

/// Maximum number of layers of a plan: those of an instance, and the rest pose.
const MAX_PLAN_LAYERS: usize = MAX_LAYERS + 1;

/// Buffers that a thread keeps between jobs.
#[derive(Default)]
pub(crate) struct KernelScratch {
    /// Clip time of each lane in seconds, per layer.
    times_secs: Vec<[f64; MAX_LANES]>,
    /// Start of each lane's key row, per timeline of each layer.
    rows: Vec<RowOffsets>,
    /// Interpolation parameter of each lane, per timeline of each layer.
    fractions: Vec<LaneArray>,
    /// Blend weight of each lane, per layer of each row of factors.
    weights: Vec<LaneArray>,
    /// Weights of the layers of a row.
    row_weights: Vec<f64>,
    /// Rotation of each lane, per rotation of the plan's pose override.
    rotations: Vec<[LaneArray; 4]>,
    /// The placement and each node: `world_from_node` without the high part of the translation.
    world_from_node: Vec<LaneArray>,
    /// The points and the transforms of the parts of the constraints.
    points: Vec<LaneArray>,
    parts: Vec<LaneArray>,
    /// Blocks of an incomplete batch, or of one that is copied to uncached memory.
    staging: Vec<[f32; 4]>,
}

/// Poses instances that share a plan and writes their blocks.
pub(crate) struct PoseJob<'a> {
    pub(crate) plan: &'a AnimationPlan,
    /// Constraints after sampling, their targets, and the level that runs them.
    pub(crate) constraints: Option<(&'a PoseConstraints, &'a ConstraintTargets, SimdLevel)>,
    pub(crate) data: &'a InstanceData,
    /// Returns the rotation of a joint in the pose override of an instance.
    pub(crate) rotation_of: &'a dyn Fn(usize, JointIndex) -> UnitQuaternion<f64>,
    pub(crate) instances: BlockInstances<'a>,
    /// One block per instance.
    pub(crate) texels: &'a mut [[f32; 4]],
    /// `true` if the palette fits a cache. Otherwise each batch is staged and written sequentially.
    pub(crate) fits_cache: bool,
    /// The crowd's clock.
    pub(crate) clock_secs: f64,
    pub(crate) scratch: &'a mut KernelScratch,
}

impl WithSimd for PoseJob<'_> {
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { plan, constraints, data, rotation_of, instances, texels, fits_cache, clock_secs, scratch } = self;
        let stride = plan.stride_texels;
        let timeline_count = plan.layers.iter().map(|layer| layer.clip.keys.timeline_count()).sum();
        scratch.times_secs.resize(plan.layers.len(), [0.0; MAX_LANES]);
        scratch.rows.resize(timeline_count, RowOffsets::default());
        scratch.fractions.resize(timeline_count, LaneArray::default());
        scratch.weights.resize(plan.factor_rows.rows().len() * plan.layers.len(), LaneArray::default());
        scratch.rotations.resize(plan.lane_rotations.len(), Default::default());
        scratch.world_from_node.resize((plan.nodes.len() + 1) * ARRAYS_PER_MAP, LaneArray::default());
        scratch.staging.resize(S::LANES * stride, [0.0; 4]);
        for (first, block) in (0..instances.len()).step_by(S::LANES).zip(texels.chunks_mut(S::LANES * stride)) {
            let count = block.len() / stride;
            if !fits_cache {
                let next = first + count;
                for block in next..instances.len().min(next + S::LANES) {
                    prefetch(std::slice::from_ref(&data.records[instances.get(block)]));
                }
            }
            // Unused lanes repeat the first instance.
            let mut lane_instances = [0; MAX_LANES];
            let lane_instances = &mut lane_instances[..S::LANES];
            instances.copy_to(first, &mut lane_instances[..count]);
            let padding_instance = lane_instances[0];
            lane_instances[count..].fill(padding_instance);
            find_keys(plan, data, lane_instances, clock_secs, scratch);
            for (rotations, LaneRotation { joint, before, after }) in
                scratch.rotations.iter_mut().zip(&plan.lane_rotations)
            {
                for (lane, &instance) in lane_instances.iter().enumerate() {
                    let rotation = before * rotation_of(instance, *joint) * after;
                    for (component, value) in rotations.iter_mut().zip(rotation.coords.iter()) {
                        component.0[lane] = *value as f32;
                    }
                }
            }
            let high_translation =
                load_placement(simd, plan.format, data, lane_instances, &mut scratch.world_from_node);
            let is_direct = fits_cache && count == S::LANES;
            let (texels, copy_target) =
                if is_direct { (&mut *block, &[][..]) } else { (&mut scratch.staging[..], &*block) };
            let prefetch = PrefetchQueue::new(if fits_cache { &[] } else { copy_target }, plan.outputs.len());
            let mut out = Output { texels, stride, prefetch };
            let mut layers = SmallVec::<[LaneKeys<'_>; MAX_PLAN_LAYERS]>::new();
            let (mut rows, mut fractions) = (&scratch.rows[..], &scratch.fractions[..]);
            for PlanLayer { clip, .. } in &plan.layers {
                layers.push(LaneKeys { vectors: clip.keys.vectors(), rows, fractions, rotations: &scratch.rotations });
                let count = clip.keys.timeline_count();
                (rows, fractions) = (&rows[count..], &fractions[count..]);
            }
            let batch = LaneBatch {
                simd,
                plan,
                keys: layers[0],
                layers: &layers,
                weights: &scratch.weights,
                has_linear_part: data.has_linear_part,
                high_translation,
            };
            let maps = &mut scratch.world_from_node;
            match plan.format {
                MatrixFormat::Mat3x4 => pose_nodes::<S, 12, Mat3x4>(&batch, maps, &mut out),
                MatrixFormat::QuatTranslationScale => pose_nodes::<S, 8, QuatTranslationScale>(&batch, maps, &mut out),
            }
            if let Some((constraints, targets, simd_level)) = constraints {
                let (points, parts) = (&mut scratch.points, &mut scratch.parts);
                points.resize(plan.constraint_points.len() * ARRAYS_PER_MAP, LaneArray::default());
                parts.resize(constraints.part_count() * ARRAYS_PER_MAP, LaneArray::default());
                match plan.format {
                    MatrixFormat::Mat3x4 => load_points::<S, 12, Mat3x4>(&batch, maps, points),
                    MatrixFormat::QuatTranslationScale => {
                        load_points::<S, 8, QuatTranslationScale>(&batch, maps, points);
                    }
                }
                let (instances, records) = (&*lane_instances, &data.records[..]);
                // A function of its own, since LLVM takes long for large ones.
                simd_level.dispatch(ConstraintJob { constraints, targets, instances, records, points, parts });
                let translations = constraints.translations();
                match plan.format {
                    MatrixFormat::Mat3x4 => write_moved::<S, 12, Mat3x4>(&batch, maps, parts, translations, &mut out),
                    MatrixFormat::QuatTranslationScale => {
                        write_moved::<S, 8, QuatTranslationScale>(&batch, maps, parts, translations, &mut out);
                    }
                }
            }
            write_morph_weights(&batch, count, out.texels);
            if !is_direct {
                block.copy_from_slice(&scratch.staging[..count * stride]);
            }
        }
    }
}

/// Finds each lane's key row, interpolation parameter and blend weights.
#[inline(always)]
fn find_keys(
    plan: &AnimationPlan,
    data: &InstanceData,
    lane_instances: &[usize],
    clock_secs: f64,
    scratch: &mut KernelScratch,
) {
    let times_secs = &mut scratch.times_secs;
    if let [PlanLayer { clip, .. }] = &plan.layers[..] {
        for (time, &instance) in times_secs[0].iter_mut().zip(lane_instances) {
            *time = data.records[instance].playback().clip_time(clock_secs, clip.duration_secs);
        }
    } else {
        for (lane, &instance) in lane_instances.iter().enumerate() {
            let record = &data.records[instance];
            let layers = &data.layers[record.first_layer as usize..][..record.layer_count()];
            for (index, (layer, PlanLayer { clip, .. })) in layers.iter().zip(&plan.layers).enumerate() {
                times_secs[index][lane] = layer.playback.clip_time(clock_secs, clip.duration_secs);
            }
            let count = plan.layers.len();
            scratch.row_weights.resize(count.max(layers.len() + 1), 0.0);
            for (of_row, factors) in scratch.weights.chunks_mut(count).zip(plan.factor_rows.rows()) {
                let weights = &mut scratch.row_weights[..];
                let layer_factors = layers.iter().zip(&plan.layers).zip(factors);
                let factored = layer_factors.map(|((layer, PlanLayer { mode, .. }), factor)| LayerWeight {
                    weight: layer.weight * factor.mask,
                    mode: *mode,
                    is_animated: factor.is_animated,
                });
                let rest_weight = layer_weights(factored, weights);
                // The rest pose, if it has weight, is the last layer of the plan.
                weights[layers.len()] = rest_weight;
                for (of_layer, weight) in of_row.iter_mut().zip(&*weights) {
                    of_layer.0[lane] = *weight as f32;
                }
            }
        }
    }
    let mut outputs = scratch.rows.iter_mut().zip(&mut scratch.fractions);
    for (PlanLayer { clip, .. }, times_secs) in plan.layers.iter().zip(times_secs) {
        for (timeline, (rows, fractions)) in outputs.by_ref().take(clip.keys.timeline_count()).enumerate() {
            let mut first_vectors = [0; MAX_LANES];
            for i in 0..lane_instances.len() {
                (first_vectors[i], fractions.0[i]) = clip.keys.find(timeline, times_secs[i]);
            }
            *rows = RowOffsets::new(&first_vectors[..lane_instances.len()]);
        }
    }
}

/// Returns the row of each lane's instance in an array with `stride` vectors per instance.
#[inline(always)]
fn instance_rows<S: Simd>(lane_instances: &[usize], stride: usize) -> RowOffsets {
    let mut first_vectors = [0; MAX_LANES];
    for i in 0..S::LANES {
        first_vectors[i] = lane_instances[i] * stride;
    }
    RowOffsets::new(&first_vectors[..S::LANES])
}

/// Stores the placements before the first node, with the low part of their translations. Returns the high part.
#[inline(always)]
fn load_placement<S: Simd>(
    simd: S,
    format: MatrixFormat,
    data: &InstanceData,
    lane_instances: &[usize],
    world_from_node: &mut [LaneArray],
) -> [S::F32; 3] {
    let records: &[Float4] = bytemuck::cast_slice(&data.records);
    let rows = instance_rows::<S>(lane_instances, InstanceRecord::STRIDE);
    let [high_x, high_y, high_z, scale] = simd.load_rows_transposed(records, &rows, InstanceRecord::TRANSLATION_SCALE);
    let [low_x, low_y, low_z, _] = simd.load_rows_transposed(records, &rows, InstanceRecord::LOW_TRANSLATION_SPEED);
    let (zero, one) = (simd.splat(0.0), simd.splat(1.0));
    match format {
        MatrixFormat::Mat3x4 => {
            let mut transform = [zero; 12];
            if !data.has_linear_part {
                [transform[0], transform[4], transform[8]] = [one; 3];
            } else if data.linear_rows.is_empty() {
                let linear = quat_to_mat3(simd, simd.load_rows_transposed(records, &rows, InstanceRecord::ROTATION));
                for i in 0..9 {
                    transform[i] = linear[i] * scale;
                }
            } else {
                let rows = instance_rows::<S>(lane_instances, 3);
                let linear: &[Float4] = bytemuck::cast_slice(&data.linear_rows);
                for row in 0..3 {
                    let [x, y, z, _] = simd.load_rows_transposed(linear, &rows, row);
                    [transform[3 * row], transform[3 * row + 1], transform[3 * row + 2]] = [x, y, z];
                }
            }
            [transform[9], transform[10], transform[11]] = [low_x, low_y, low_z];
            store_map(simd, world_from_node, 0, &transform);
        }
        MatrixFormat::QuatTranslationScale => {
            let [x, y, z, w] = match data.has_linear_part {
                true => simd.load_rows_transposed(records, &rows, InstanceRecord::ROTATION),
                false => [zero, zero, zero, one],
            };
            store_map(simd, world_from_node, 0, &[x, y, z, w, low_x, low_y, low_z, scale]);
        }
    }
    [high_x, high_y, high_z]
}
