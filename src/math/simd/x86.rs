//! Vector instructions of x86-64.

use super::vector::{
    F32x4, LaneArray, MAX_LANES, RowOffsets, Simd, SimdF32, WithSimd, checked_row_base, checked_texel_base,
};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

/// SAFETY: the processor must have AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn with_avx2(work: impl WithSimd) {
    work.with_simd(Avx2(()));
}

/// SAFETY: the processor must have AVX-512F.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn with_avx512(work: impl WithSimd) {
    work.with_simd(Avx512(()));
}

/// Defines an instruction set and its vector type. `$zero` selects `b` where `x` is zero, else `a`.
macro_rules! simd_type {
    ($simd:ident, $vector:ident($raw:ty), $lanes:literal, $add:ident, $sub:ident, $mul:ident, $div:ident, $sqrt:ident,
     $splat:ident, $load:ident, $store:ident, |$x:ident, $b:ident, $a:ident| $zero:expr,
     |$value:ident, $sign:ident| $signed:expr) => {
        #[derive(Clone, Copy)]
        pub(super) struct $simd(());

        #[derive(Clone, Copy)]
        pub(super) struct $vector($raw);

        // SAFETY of all blocks here: vectors are only created by an instruction set, which is only created after the
        // processor has been checked. Loads and stores have comments of their own.
        simd_type!(@op $vector, Add, add, $add);
        simd_type!(@op $vector, Sub, sub, $sub);
        simd_type!(@op $vector, Mul, mul, $mul);
        simd_type!(@op $vector, Div, div, $div);

        impl SimdF32 for $vector {
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $sqrt(self.0) })
            }

            #[inline(always)]
            fn select_eq_zero(self, if_zero: Self, otherwise: Self) -> Self {
                let ($x, $b, $a) = (self.0, if_zero.0, otherwise.0);
                // SAFETY: see above.
                Self(unsafe { $zero })
            }

            #[inline(always)]
            fn mul_sign(self, sign: Self) -> Self {
                let ($value, $sign) = (self.0, sign.0);
                // SAFETY: see above.
                Self(unsafe { $signed })
            }
        }

        impl Simd for $simd {
            type F32 = $vector;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn splat(self, x: f32) -> $vector {
                // SAFETY: see above.
                $vector(unsafe { $splat(x) })
            }

            #[inline(always)]
            fn load(self, array: &LaneArray, first: usize) -> $vector {
                assert!(first <= MAX_LANES - $lanes);
                // SAFETY: the assertion leaves enough elements after `first`.
                $vector(unsafe { $load(array.0.as_ptr().add(first)) })
            }

            #[inline(always)]
            fn store(self, array: &mut LaneArray, v: $vector) {
                // SAFETY: the array has room for the lanes of every instruction set.
                unsafe { $store(array.0.as_mut_ptr(), v.0) }
            }

            #[inline(always)]
            fn load_rows_transposed(self, vectors: &[F32x4], offsets: &RowOffsets, index: usize) -> [$vector; 4] {
                let base = checked_row_base(vectors, offsets, index);
                // SAFETY: `checked_row_base` has checked the largest offset; vectors are aligned.
                unsafe { self.load_rows_raw(base, &offsets.offsets_bytes) }
            }

            #[inline(always)]
            fn store_rows_transposed(self, texels: &mut [[f32; 4]], stride: usize, texel: usize, v: [$vector; 4]) {
                let base = checked_texel_base($lanes, texels, stride, texel);
                // SAFETY: `checked_texel_base` has checked the last lane's texel.
                unsafe { self.store_rows_raw(base, stride * 4, v) }
            }
        }
    };
    (@op $vector:ident, $trait:ident, $name:ident, $intrinsic:ident) => {
        impl $trait for $vector {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

simd_type!(
    Baseline,
    F128(__m128),
    4,
    _mm_add_ps,
    _mm_sub_ps,
    _mm_mul_ps,
    _mm_div_ps,
    _mm_sqrt_ps,
    _mm_set1_ps,
    _mm_loadu_ps,
    _mm_storeu_ps,
    |x, b, a| {
        let zero = _mm_cmpeq_ps(x, _mm_setzero_ps());
        _mm_or_ps(_mm_and_ps(zero, b), _mm_andnot_ps(zero, a))
    },
    |value, sign| _mm_xor_ps(value, _mm_and_ps(sign, _mm_set1_ps(-0.0)))
);
simd_type!(
    Avx2,
    F256(__m256),
    8,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_div_ps,
    _mm256_sqrt_ps,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    |x, b, a| _mm256_blendv_ps(a, b, _mm256_cmp_ps::<_CMP_EQ_OQ>(x, _mm256_setzero_ps())),
    |value, sign| _mm256_xor_ps(value, _mm256_and_ps(sign, _mm256_set1_ps(-0.0)))
);
simd_type!(
    Avx512,
    F512(__m512),
    16,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_div_ps,
    _mm512_sqrt_ps,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    |x, b, a| _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_EQ_OQ>(x, _mm512_setzero_ps()), a, b),
    |value, sign| {
        // Integer instructions, because the float variants require AVX-512DQ.
        let sign_bit = _mm512_and_si512(_mm512_castps_si512(sign), _mm512_set1_epi32(i32::MIN));
        _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(value), sign_bit))
    }
);

/// Transposes four vectors of four components in each 128-bit lane group.
macro_rules! transpose {
    ($unpacklo:ident, $unpackhi:ident, $shuffle:ident, $a:expr, $b:expr, $c:expr, $d:expr) => {{
        let (low_ab, high_ab) = ($unpacklo($a, $b), $unpackhi($a, $b));
        let (low_cd, high_cd) = ($unpacklo($c, $d), $unpackhi($c, $d));
        [
            $shuffle::<0x44>(low_ab, low_cd),
            $shuffle::<0xEE>(low_ab, low_cd),
            $shuffle::<0x44>(high_ab, high_cd),
            $shuffle::<0xEE>(high_ab, high_cd),
        ]
    }};
}

impl Baseline {
    /// SSE2 is part of x86-64.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self(())
    }

    #[inline(always)]
    unsafe fn load_rows_raw(self, base: *const u8, offsets_bytes: &[usize; MAX_LANES]) -> [F128; 4] {
        // SAFETY: checked by the caller.
        unsafe {
            let row = |i: usize| _mm_load_ps(base.add(offsets_bytes[i]).cast());
            let [x, y, z, w] =
                transpose!(_mm_unpacklo_ps, _mm_unpackhi_ps, _mm_shuffle_ps, row(0), row(1), row(2), row(3));
            [F128(x), F128(y), F128(z), F128(w)]
        }
    }

    #[inline(always)]
    unsafe fn store_rows_raw(self, base: *mut f32, stride: usize, [x, y, z, w]: [F128; 4]) {
        // SAFETY: checked by the caller.
        unsafe {
            let rows = transpose!(_mm_unpacklo_ps, _mm_unpackhi_ps, _mm_shuffle_ps, x.0, y.0, z.0, w.0);
            _mm_storeu_ps(base, rows[0]);
            _mm_storeu_ps(base.add(stride), rows[1]);
            _mm_storeu_ps(base.add(2 * stride), rows[2]);
            _mm_storeu_ps(base.add(3 * stride), rows[3]);
        }
    }
}

impl Avx2 {
    #[inline(always)]
    unsafe fn load_rows_raw(self, base: *const u8, offsets_bytes: &[usize; MAX_LANES]) -> [F256; 4] {
        // SAFETY: checked by the caller.
        unsafe {
            macro_rules! rows {
                ($i:literal) => {
                    _mm256_insertf128_ps::<1>(
                        _mm256_castps128_ps256(_mm_load_ps(base.add(offsets_bytes[$i]).cast())),
                        _mm_load_ps(base.add(offsets_bytes[$i + 4]).cast()),
                    )
                };
            }
            let [x, y, z, w] = transpose!(
                _mm256_unpacklo_ps,
                _mm256_unpackhi_ps,
                _mm256_shuffle_ps,
                rows!(0),
                rows!(1),
                rows!(2),
                rows!(3)
            );
            [F256(x), F256(y), F256(z), F256(w)]
        }
    }

    #[inline(always)]
    unsafe fn store_rows_raw(self, base: *mut f32, stride: usize, [x, y, z, w]: [F256; 4]) {
        // SAFETY: checked by the caller.
        unsafe {
            let rows = transpose!(_mm256_unpacklo_ps, _mm256_unpackhi_ps, _mm256_shuffle_ps, x.0, y.0, z.0, w.0);
            macro_rules! put {
                ($i:literal) => {
                    _mm_storeu_ps(base.add($i * stride), _mm256_castps256_ps128(rows[$i]));
                    _mm_storeu_ps(base.add(($i + 4) * stride), _mm256_extractf128_ps::<1>(rows[$i]));
                };
            }
            put!(0);
            put!(1);
            put!(2);
            put!(3);
        }
    }
}

impl Avx512 {
    #[inline(always)]
    unsafe fn load_rows_raw(self, base: *const u8, offsets_bytes: &[usize; MAX_LANES]) -> [F512; 4] {
        // SAFETY: checked by the caller.
        unsafe {
            macro_rules! rows {
                ($i:literal) => {{
                    let rows = _mm512_castps128_ps512(_mm_load_ps(base.add(offsets_bytes[$i]).cast()));
                    let rows = _mm512_insertf32x4::<1>(rows, _mm_load_ps(base.add(offsets_bytes[$i + 4]).cast()));
                    let rows = _mm512_insertf32x4::<2>(rows, _mm_load_ps(base.add(offsets_bytes[$i + 8]).cast()));
                    _mm512_insertf32x4::<3>(rows, _mm_load_ps(base.add(offsets_bytes[$i + 12]).cast()))
                }};
            }
            let [x, y, z, w] = transpose!(
                _mm512_unpacklo_ps,
                _mm512_unpackhi_ps,
                _mm512_shuffle_ps,
                rows!(0),
                rows!(1),
                rows!(2),
                rows!(3)
            );
            [F512(x), F512(y), F512(z), F512(w)]
        }
    }

    #[inline(always)]
    unsafe fn store_rows_raw(self, base: *mut f32, stride: usize, [x, y, z, w]: [F512; 4]) {
        // SAFETY: checked by the caller.
        unsafe {
            let rows = transpose!(_mm512_unpacklo_ps, _mm512_unpackhi_ps, _mm512_shuffle_ps, x.0, y.0, z.0, w.0);
            macro_rules! put {
                ($i:literal) => {
                    _mm_storeu_ps(base.add($i * stride), _mm512_castps512_ps128(rows[$i]));
                    _mm_storeu_ps(base.add(($i + 4) * stride), _mm512_extractf32x4_ps::<1>(rows[$i]));
                    _mm_storeu_ps(base.add(($i + 8) * stride), _mm512_extractf32x4_ps::<2>(rows[$i]));
                    _mm_storeu_ps(base.add(($i + 12) * stride), _mm512_extractf32x4_ps::<3>(rows[$i]));
                };
            }
            put!(0);
            put!(1);
            put!(2);
            put!(3);
        }
    }
}
