//! Blocks of [`MatrixFormat::Mat3x4`](crate::palette::MatrixFormat::Mat3x4).

use super::algebra::{constant_affine, load_map, mul_affine, quat_to_mat3, splat, store_map};
use super::output::{Batch, NODES_PER_PASS, Output};
use super::sampling::{blend, rotation, scale, vector};
use crate::animate::plan::{MatrixOutput, NodeSource, RotationSource};
use crate::math::simd::{LaneArray, Simd};

/// Poses and writes the matrices of a batch. `maps` holds the placement, then receives each node.
#[inline(always)]
pub(super) fn pose_mat3x4<S: Simd>(batch: &Batch<'_, S>, maps: &mut [LaneArray], out: &mut Output<'_>) {
    let (simd, plan) = (batch.simd, batch.plan);
    let clip_count = plan.durations_secs.len();
    let (root_outputs, mut outputs) = plan.outputs.split_at(plan.root_output_count);
    for output in root_outputs {
        out.prefetch.prefetch_next();
        let map = load_map::<S, 12>(simd, maps, 0);
        write(batch, &map, output, out);
    }
    let mut first = 1;
    for (nodes, sources) in plan.nodes.chunks(NODES_PER_PASS).zip(plan.sources.chunks(NODES_PER_PASS * clip_count)) {
        for (index, (node, sources)) in nodes.iter().zip(sources.chunks_exact(clip_count)).enumerate() {
            store_map(simd, maps, first + index, &local_map(batch, node.is_blended, sources));
        }
        for (index, node) in nodes.iter().enumerate() {
            let mut local = load_map::<S, 12>(simd, maps, first + index);
            let map = if node.parent == 0 && !batch.has_linear_part {
                let low_translation = load_map::<S, 12>(simd, maps, 0);
                for i in 9..12 {
                    local[i] = local[i] + low_translation[i];
                }
                local
            } else {
                mul_affine(&load_map::<S, 12>(simd, maps, node.parent), &local)
            };
            store_map(simd, maps, first + index, &map);
            let (node_outputs, rest) = outputs.split_at(node.output_count);
            outputs = rest;
            for output in node_outputs {
                out.prefetch.prefetch_next();
                write(batch, &map, output, out);
            }
        }
        first += nodes.len();
    }
}

/// Returns `parent_from_node`.
#[inline(always)]
fn local_map<S: Simd>(batch: &Batch<'_, S>, is_blended: bool, sources: &[NodeSource]) -> [S::F32; 12] {
    let (simd, keys) = (batch.simd, &batch.keys);
    let source = &sources[0];
    let mut local = constant_affine(simd, &source.constant);
    if is_blended {
        let blended = blend(simd, keys, sources);
        let linear = quat_to_mat3(simd, blended.rotation);
        for i in 0..9 {
            local[i] = linear[i] * blended.scale[i % 3];
        }
        local[9..].copy_from_slice(&blended.translation);
        return local;
    }
    if source.rotation != RotationSource::Constant || source.scale.is_some() {
        let linear = if source.rotation == RotationSource::Constant {
            splat(simd, &source.constant.linear)
        } else {
            quat_to_mat3(simd, rotation(simd, keys, source))
        };
        local[..9].copy_from_slice(&linear);
        if source.scale.is_some() || !source.constant.is_unscaled() {
            let scale = scale(simd, keys, source);
            for i in 0..9 {
                local[i] = local[i] * scale[i % 3];
            }
        }
    }
    if let Some(channel) = source.translation {
        local[9..].copy_from_slice(&vector(simd, keys, channel)[..3]);
    }
    local
}

#[inline(always)]
fn write<S: Simd>(batch: &Batch<'_, S>, map: &[S::F32; 12], output: &MatrixOutput, out: &mut Output<'_>) {
    let m = mul_affine(map, &constant_affine(batch.simd, &output.node_from_mesh));
    for row in 0..3 {
        let texels = [m[3 * row], m[3 * row + 1], m[3 * row + 2], m[9 + row] + batch.high_translation[row]];
        batch.simd.store_rows_transposed(out.texels, out.stride, output.texel + row, texels);
    }
}
