//! Quaternions, affine maps and their storage, one per lane.
#![expect(clippy::needless_range_loop, reason = "iterators over lanes hide the formulas")]

use crate::animate::plan::ConstTransform;
use crate::math::simd::{LaneArray, Simd, SimdFloat};

/// Lane arrays per node: twelve for a 3x4 transform, eight for rotation, translation and scale.
pub(super) const ARRAYS_PER_MAP: usize = 12;

#[inline(always)]
pub(super) fn splat<S: Simd, const N: usize>(simd: S, numbers: &[f32; N]) -> [S::F32; N] {
    let mut v = [simd.splat(0.0); N];
    for i in 0..N {
        v[i] = simd.splat(numbers[i]);
    }
    v
}

/// Returns the rows of the rotation matrix of a unit quaternion.
#[inline(always)]
pub(super) fn quat_to_mat3<S: Simd>(simd: S, [x, y, z, w]: [S::F32; 4]) -> [S::F32; 9] {
    let one = simd.splat(1.0);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [one - (yy + zz), xy - wz, xz + wy, xy + wz, one - (xx + zz), yz - wx, xz - wy, yz + wx, one - (xx + yy)]
}

/// Returns `a b` for two 3x4 maps: nine components of the linear part by rows, then the translation.
#[inline(always)]
pub(super) fn mul_affine<V: SimdFloat>(a: &[V; 12], b: &[V; 12]) -> [V; 12] {
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

/// Transforms a point by rotation, translation and uniform scale: `(v + w (q x 2v) + q x (q x 2v)) s + t`.
///
/// The caller passes `2v`, which a constant point has precomputed.
#[inline(always)]
pub(super) fn transform_point<V: SimdFloat>(transform: &[V; 8], v: [V; 3], twice_v: [V; 3]) -> [V; 3] {
    let [x, y, z, w, tx, ty, tz, s] = *transform;
    let [dx, dy, dz] = twice_v;
    let (cx, cy, cz) = (y * dz - z * dy, z * dx - x * dz, x * dy - y * dx);
    [
        (v[0] + w * cx + (y * cz - z * cy)) * s + tx,
        (v[1] + w * cy + (z * cx - x * cz)) * s + ty,
        (v[2] + w * cz + (x * cy - y * cx)) * s + tz,
    ]
}

#[inline(always)]
pub(super) fn load_map<S: Simd, const N: usize>(simd: S, maps: &[LaneArray], node: usize) -> [S::F32; N] {
    let arrays: &[LaneArray; N] = maps[node * ARRAYS_PER_MAP..][..N].try_into().expect("N arrays");
    let mut v = [simd.splat(0.0); N];
    for i in 0..N {
        v[i] = simd.load(&arrays[i], 0);
    }
    v
}

#[inline(always)]
pub(super) fn store_map<S: Simd, const N: usize>(simd: S, maps: &mut [LaneArray], node: usize, v: &[S::F32; N]) {
    let arrays: &mut [LaneArray; N] = (&mut maps[node * ARRAYS_PER_MAP..][..N]).try_into().expect("N arrays");
    for i in 0..N {
        simd.store(&mut arrays[i], v[i]);
    }
}

#[inline(always)]
pub(super) fn constant_affine<S: Simd>(simd: S, constant: &ConstTransform) -> [S::F32; 12] {
    let mut v = [simd.splat(0.0); 12];
    for i in 0..9 {
        v[i] = simd.splat(constant.linear[i]);
    }
    for i in 0..3 {
        v[9 + i] = simd.splat(constant.translation[i]);
    }
    v
}
