//! Vector instructions of AArch64.

use super::simd_type::simd_type;
use super::vector::{Float4, LaneArray, MAX_LANES, RowOffsets, Simd, SimdFloat, checked_row_base, checked_texel_base};
use std::arch::aarch64::*;
use std::ops::{Add, Div, Mul, Sub};

simd_type!(
    Baseline,
    F128(float32x4_t),
    4,
    vaddq_f32,
    vsubq_f32,
    vmulq_f32,
    vdivq_f32,
    vsqrtq_f32,
    vdupq_n_f32,
    vld1q_f32,
    vst1q_f32,
    select_eq_zero: |x, if_zero, otherwise| vbslq_f32(vceqzq_f32(x), if_zero, otherwise),
    flip_sign_where_negative: |value, sign| {
        let sign_bit = vandq_u32(vreinterpretq_u32_f32(sign), vdupq_n_u32(1 << 31));
        vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(value), sign_bit))
    }
);

impl Baseline {
    /// NEON is part of AArch64.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self(())
    }

    #[inline(always)]
    unsafe fn load_rows_raw(self, base: *const u8, offsets_bytes: &[usize; MAX_LANES]) -> [F128; 4] {
        // SAFETY: checked by the caller.
        unsafe {
            let row = |i: usize| vld1q_f32(base.add(offsets_bytes[i]).cast());
            transpose([row(0), row(1), row(2), row(3)]).map(F128)
        }
    }

    #[inline(always)]
    unsafe fn store_rows_raw(self, base: *mut f32, stride: usize, v: [F128; 4]) {
        // SAFETY: checked by the caller.
        unsafe {
            for (lane, row) in transpose(v.map(|v| v.0)).into_iter().enumerate() {
                vst1q_f32(base.add(lane * stride), row);
            }
        }
    }
}

/// Transposes four vectors of four components.
#[inline(always)]
fn transpose([a, b, c, d]: [float32x4_t; 4]) -> [float32x4_t; 4] {
    // SAFETY: NEON is part of AArch64.
    unsafe {
        let pairs = |x, y| [vreinterpretq_f64_f32(vtrn1q_f32(x, y)), vreinterpretq_f64_f32(vtrn2q_f32(x, y))];
        let ([even_ab, odd_ab], [even_cd, odd_cd]) = (pairs(a, b), pairs(c, d));
        [
            vtrn1q_f64(even_ab, even_cd),
            vtrn1q_f64(odd_ab, odd_cd),
            vtrn2q_f64(even_ab, even_cd),
            vtrn2q_f64(odd_ab, odd_cd),
        ]
        .map(|v| vreinterpretq_f32_f64(v))
    }
}
