//! Blocks of [`MatrixFormat::Mat3x4`](crate::palette::MatrixFormat::Mat3x4).

use super::algebra::{constant_affine, mul_affine, quat_to_mat3, splat};
use super::hierarchy::NodeTransformFormat;
use super::output::{LaneBatch, Output};
use super::sampling::{blend, rotation, scale, vector};
use crate::animate::plan::{MatrixOutput, NodeChannels, PlanNode, RotationChannel};
use crate::ik::Rigid;
use crate::math::simd::Simd;

/// A transform is an affine matrix: nine components of the linear part by rows, then the translation.
pub(super) struct Mat3x4;

impl<S: Simd> NodeTransformFormat<S, 12> for Mat3x4 {
    const TRANSLATION: usize = 9;

    #[inline(always)]
    fn local_transform(batch: &LaneBatch<'_, S>, node: &PlanNode, layer_channels: &[NodeChannels]) -> [S::F32; 12] {
        let (simd, keys) = (batch.simd, &batch.keys);
        let channels = &layer_channels[0];
        let mut local = constant_affine(simd, &channels.constant);
        if node.is_blended {
            let blended = blend(batch, node, layer_channels);
            let linear = quat_to_mat3(simd, blended.rotation);
            for i in 0..9 {
                local[i] = linear[i] * blended.scale[i % 3];
            }
            local[9..].copy_from_slice(&blended.translation);
            return local;
        }
        if channels.rotation != RotationChannel::Constant || channels.scale.is_some() {
            let linear = if channels.rotation == RotationChannel::Constant {
                splat(simd, &channels.constant.linear)
            } else {
                quat_to_mat3(simd, rotation(simd, keys, channels))
            };
            local[..9].copy_from_slice(&linear);
            if channels.scale.is_some() || !channels.constant.is_unscaled() {
                let scale = scale(simd, keys, channels);
                for i in 0..9 {
                    local[i] = local[i] * scale[i % 3];
                }
            }
        }
        if let Some(channel) = channels.translation {
            local[9..].copy_from_slice(&vector(simd, keys, channel)[..3]);
        }
        local
    }

    #[inline(always)]
    fn product(a: &[S::F32; 12], b: &[S::F32; 12]) -> [S::F32; 12] {
        mul_affine(a, b)
    }

    #[inline(always)]
    fn from_rigid(simd: S, rigid: &Rigid<S::F32>) -> [S::F32; 12] {
        let mut transform = [simd.splat(0.0); 12];
        transform[..9].copy_from_slice(&quat_to_mat3(simd, rigid.rotation));
        transform[9..].copy_from_slice(&rigid.translation);
        transform
    }

    #[inline(always)]
    fn transform_point(transform: &[S::F32; 12], [x, y, z]: [S::F32; 3]) -> [S::F32; 3] {
        [
            transform[0] * x + transform[1] * y + transform[2] * z + transform[9],
            transform[3] * x + transform[4] * y + transform[5] * z + transform[10],
            transform[6] * x + transform[7] * y + transform[8] * z + transform[11],
        ]
    }

    #[inline(always)]
    fn write(batch: &LaneBatch<'_, S>, transform: &[S::F32; 12], output: &MatrixOutput, out: &mut Output<'_>) {
        let m = mul_affine(transform, &constant_affine(batch.simd, &output.node_from_mesh));
        for row in 0..3 {
            let texels = [m[3 * row], m[3 * row + 1], m[3 * row + 2], m[9 + row] + batch.high_translation[row]];
            batch.simd.store_rows_transposed(out.texels, out.stride, output.texel + row, texels);
        }
    }
}
