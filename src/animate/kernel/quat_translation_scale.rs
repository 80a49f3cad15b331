//! Blocks of [`MatrixFormat::QuatTranslationScale`](crate::palette::MatrixFormat::QuatTranslationScale).

use super::algebra::{load_map, quat_mul, splat, store_map, transform_point};
use super::output::{Batch, Output};
use super::sampling::{blend, rotation, translation, vector};
use crate::animate::plan::MatrixOutput;
use crate::math::simd::{LaneArray, Simd};

/// Poses and writes the matrices of a batch. `maps` holds the placement, then receives each node.
#[inline(always)]
pub(super) fn pose_quat_translation_scale<S: Simd>(batch: &Batch<'_, S>, maps: &mut [LaneArray], out: &mut Output<'_>) {
    let (simd, plan, keys) = (batch.simd, batch.plan, &batch.keys);
    let clip_count = plan.durations_secs.len();
    let (root_outputs, mut outputs) = plan.outputs.split_at(plan.root_output_count);
    for output in root_outputs {
        out.prefetch.prefetch_next();
        let map = load_map::<S, 8>(simd, maps, 0);
        write(batch, &map, output, out);
    }
    for (index, (node, sources)) in plan.nodes.iter().zip(plan.sources.chunks_exact(clip_count)).enumerate() {
        let source = &sources[0];
        let (q, t, s) = if node.is_blended {
            let blended = blend(simd, keys, sources);
            (blended.rotation, blended.translation, blended.scale[0])
        } else {
            let s = match source.scale {
                Some(channel) => vector(simd, keys, channel)[0],
                None => simd.splat(source.constant.scale[0]),
            };
            (rotation(simd, keys, source), translation(simd, keys, source), s)
        };
        let parent = load_map::<S, 8>(simd, maps, node.parent);
        let map = if node.parent == 0 && !batch.has_linear_part {
            [q[0], q[1], q[2], q[3], t[0] + parent[4], t[1] + parent[5], t[2] + parent[6], s]
        } else {
            let q = quat_mul([parent[0], parent[1], parent[2], parent[3]], q);
            let t = transform_point(&parent, t);
            [q[0], q[1], q[2], q[3], t[0], t[1], t[2], parent[7] * s]
        };
        store_map(simd, maps, index + 1, &map);
        let (node_outputs, rest) = outputs.split_at(node.output_count);
        outputs = rest;
        for output in node_outputs {
            out.prefetch.prefetch_next();
            write(batch, &map, output, out);
        }
    }
}

#[inline(always)]
fn write<S: Simd>(batch: &Batch<'_, S>, map: &[S::F32; 8], output: &MatrixOutput, out: &mut Output<'_>) {
    let MatrixOutput { texel, node_from_mesh, translation_only } = output;
    let (simd, high) = (batch.simd, batch.high_translation);
    let (mut q, mut s) = ([map[0], map[1], map[2], map[3]], map[7]);
    if !translation_only {
        q = quat_mul(q, splat(simd, &node_from_mesh.rotation));
        s = s * simd.splat(node_from_mesh.scale[0]);
    }
    let t = transform_point(map, splat(simd, &node_from_mesh.translation));
    // One Newton step towards length 1 removes rounding errors accumulated along the chain.
    let square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
    let renormalize = simd.splat(1.5) - simd.splat(0.5) * square;
    let q = [q[0] * renormalize, q[1] * renormalize, q[2] * renormalize, q[3] * renormalize];
    let translation_scale = [t[0] + high[0], t[1] + high[1], t[2] + high[2], s];
    simd.store_row_pairs_transposed(out.texels, out.stride, *texel, [translation_scale, q]);
}
