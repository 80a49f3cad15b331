//! Blocks of [`MatrixFormat::QuatTranslationScale`](crate::palette::MatrixFormat::QuatTranslationScale).

use super::algebra::{load_map, quat_mul, splat, store_map, transform_point};
use super::output::{Batch, NODES_PER_PASS, Output};
use super::sampling::{blend, rotation, translation_scale};
use crate::animate::plan::{MatrixOutput, NodeSource};
use crate::math::simd::{LaneArray, Simd};

/// Poses and writes the matrices of a batch. `maps` holds the placement, then receives each node.
#[inline(always)]
pub(super) fn pose_quat_translation_scale<S: Simd>(batch: &Batch<'_, S>, maps: &mut [LaneArray], out: &mut Output<'_>) {
    let (simd, plan) = (batch.simd, batch.plan);
    let clip_count = plan.durations_secs.len();
    let (root_outputs, mut outputs) = plan.outputs.split_at(plan.root_output_count);
    for output in root_outputs {
        out.prefetch.prefetch_next();
        let map = load_map::<S, 8>(simd, maps, 0);
        write(batch, &map, output, out);
    }
    let mut first = 1;
    for (nodes, sources) in plan.nodes.chunks(NODES_PER_PASS).zip(plan.sources.chunks(NODES_PER_PASS * clip_count)) {
        for (index, (node, sources)) in nodes.iter().zip(sources.chunks_exact(clip_count)).enumerate() {
            store_map(simd, maps, first + index, &local_map(batch, node.is_blended, sources));
        }
        for (index, node) in nodes.iter().enumerate() {
            let local = load_map::<S, 8>(simd, maps, first + index);
            let parent = load_map::<S, 8>(simd, maps, node.parent);
            let map = if node.parent == 0 && !batch.has_linear_part {
                let mut map = local;
                for i in 4..7 {
                    map[i] = local[i] + parent[i];
                }
                map
            } else {
                let q =
                    quat_mul([parent[0], parent[1], parent[2], parent[3]], [local[0], local[1], local[2], local[3]]);
                let t = [local[4], local[5], local[6]];
                let t = transform_point(&parent, t, [t[0] + t[0], t[1] + t[1], t[2] + t[2]]);
                [q[0], q[1], q[2], q[3], t[0], t[1], t[2], parent[7] * local[7]]
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
fn local_map<S: Simd>(batch: &Batch<'_, S>, is_blended: bool, sources: &[NodeSource]) -> [S::F32; 8] {
    let (simd, keys) = (batch.simd, &batch.keys);
    let source = &sources[0];
    let (q, t, s) = if is_blended {
        let blended = blend(simd, keys, sources);
        (blended.rotation, blended.translation, blended.scale[0])
    } else {
        let (t, s) = translation_scale(simd, keys, source);
        (rotation(simd, keys, source), t, s[0])
    };
    [q[0], q[1], q[2], q[3], t[0], t[1], t[2], s]
}

#[inline(always)]
fn write<S: Simd>(batch: &Batch<'_, S>, map: &[S::F32; 8], output: &MatrixOutput, out: &mut Output<'_>) {
    let MatrixOutput { texel, node_from_mesh, twice_translation, translation_only } = output;
    let (simd, high) = (batch.simd, batch.high_translation);
    let (mut q, mut s) = ([map[0], map[1], map[2], map[3]], map[7]);
    if !translation_only {
        q = quat_mul(q, splat(simd, &node_from_mesh.rotation));
        s = s * simd.splat(node_from_mesh.scale[0]);
    }
    let t = transform_point(map, splat(simd, &node_from_mesh.translation), splat(simd, twice_translation));
    // One Newton step towards length 1 removes rounding errors accumulated along the chain.
    let square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
    let renormalize = simd.splat(1.5) - simd.splat(0.5) * square;
    let q = [q[0] * renormalize, q[1] * renormalize, q[2] * renormalize, q[3] * renormalize];
    let translation_scale = [t[0] + high[0], t[1] + high[1], t[2] + high[2], s];
    simd.store_row_pairs_transposed(out.texels, out.stride, *texel, [translation_scale, q]);
}
