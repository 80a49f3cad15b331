//! Blocks of [`MatrixFormat::QuatTranslationScale`](crate::palette::MatrixFormat::QuatTranslationScale).

use super::algebra::{splat, transform_point};
use super::hierarchy::NodeTransformFormat;
use super::output::{LaneBatch, Output};
use super::sampling::{blend, rotation, translation_scale};
use crate::animate::plan::{MatrixOutput, NodeChannels, PlanNode};
use crate::ik::Rigid;
use crate::math::simd::{Simd, quat_mul};

/// A transform is a unit quaternion, a translation and a uniform scale.
pub(super) struct QuatTranslationScale;

impl<S: Simd> NodeTransformFormat<S, 8> for QuatTranslationScale {
    const TRANSLATION: usize = 4;

    #[inline(always)]
    fn local_transform(batch: &LaneBatch<'_, S>, node: &PlanNode, layer_channels: &[NodeChannels]) -> [S::F32; 8] {
        let (simd, keys) = (batch.simd, &batch.keys);
        let channels = &layer_channels[0];
        let (q, t, s) = if node.is_blended {
            let blended = blend(batch, node, layer_channels);
            (blended.rotation, blended.translation, blended.scale[0])
        } else {
            let (t, s) = translation_scale(simd, keys, channels);
            (rotation(simd, keys, channels), t, s[0])
        };
        [q[0], q[1], q[2], q[3], t[0], t[1], t[2], s]
    }

    #[inline(always)]
    fn product(a: &[S::F32; 8], b: &[S::F32; 8]) -> [S::F32; 8] {
        let q = quat_mul([a[0], a[1], a[2], a[3]], [b[0], b[1], b[2], b[3]]);
        let t = [b[4], b[5], b[6]];
        let t = transform_point(a, t, [t[0] + t[0], t[1] + t[1], t[2] + t[2]]);
        [q[0], q[1], q[2], q[3], t[0], t[1], t[2], a[7] * b[7]]
    }

    #[inline(always)]
    fn from_rigid(simd: S, rigid: &Rigid<S::F32>) -> [S::F32; 8] {
        let ([x, y, z, w], [tx, ty, tz]) = (rigid.rotation, rigid.translation);
        [x, y, z, w, tx, ty, tz, simd.splat(1.0)]
    }

    #[inline(always)]
    fn transform_point(transform: &[S::F32; 8], [x, y, z]: [S::F32; 3]) -> [S::F32; 3] {
        transform_point(transform, [x, y, z], [x + x, y + y, z + z])
    }

    #[inline(always)]
    fn write(batch: &LaneBatch<'_, S>, transform: &[S::F32; 8], output: &MatrixOutput, out: &mut Output<'_>) {
        let MatrixOutput { texel, node_from_mesh, twice_translation, translation_only } = output;
        let (simd, high) = (batch.simd, batch.high_translation);
        let (mut q, mut s) = ([transform[0], transform[1], transform[2], transform[3]], transform[7]);
        if !translation_only {
            q = quat_mul(q, splat(simd, &node_from_mesh.rotation));
            s = s * simd.splat(node_from_mesh.scale[0]);
        }
        let t = transform_point(transform, splat(simd, &node_from_mesh.translation), splat(simd, twice_translation));
        // One Newton step towards length 1 removes rounding errors accumulated along the chain. Without it, the update is 1.01
        // to 1.09 times as fast, and the error of a chain of 18 joints doubles to 1.5e-6.
        let square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
        let renormalize = simd.splat(1.5) - simd.splat(0.5) * square;
        let q = [q[0] * renormalize, q[1] * renormalize, q[2] * renormalize, q[3] * renormalize];
        let translation_scale = [t[0] + high[0], t[1] + high[1], t[2] + high[2], s];
        simd.store_row_pairs_transposed(out.texels, out.stride, *texel, [translation_scale, q]);
    }
}
