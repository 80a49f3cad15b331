//! Vector instructions of x86-64.

use super::simd_type::simd_type;
use super::vector::{
    Float4, LaneArray, MAX_LANES, RowOffsets, Simd, SimdFloat, WithSimd, checked_row_base, checked_texel_base,
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
    select_eq_zero: |x, if_zero, otherwise| {
        let is_zero = _mm_cmpeq_ps(x, _mm_setzero_ps());
        _mm_or_ps(_mm_and_ps(is_zero, if_zero), _mm_andnot_ps(is_zero, otherwise))
    },
    flip_sign_where_negative: |value, sign| _mm_xor_ps(value, _mm_and_ps(sign, _mm_set1_ps(-0.0)))
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
    select_eq_zero: |x, if_zero, otherwise| {
        _mm256_blendv_ps(otherwise, if_zero, _mm256_cmp_ps::<_CMP_EQ_OQ>(x, _mm256_setzero_ps()))
    },
    flip_sign_where_negative: |value, sign| _mm256_xor_ps(value, _mm256_and_ps(sign, _mm256_set1_ps(-0.0))),
    load_pairs: load_row_pairs_raw,
    store_pairs: store_row_pairs_raw
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
    select_eq_zero: |x, if_zero, otherwise| {
        _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_EQ_OQ>(x, _mm512_setzero_ps()), otherwise, if_zero)
    },
    flip_sign_where_negative: |value, sign| {
        // Integer instructions, because the float variants require AVX-512DQ.
        let sign_bit = _mm512_and_si512(_mm512_castps_si512(sign), _mm512_set1_epi32(i32::MIN));
        _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(value), sign_bit))
    },
    load_pairs: load_row_pairs_raw,
    store_pairs: store_row_pairs_raw
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

    #[inline(always)]
    unsafe fn load_row_pairs_raw(self, base: *const u8, offsets_bytes: &[usize; MAX_LANES]) -> [[F256; 4]; 2] {
        // SAFETY: checked by the caller.
        unsafe {
            macro_rules! row {
                ($i:expr) => {
                    _mm256_loadu_ps(base.add(offsets_bytes[$i]).cast())
                };
            }
            macro_rules! rows {
                ($i:literal) => {
                    transpose!(
                        _mm256_unpacklo_ps,
                        _mm256_unpackhi_ps,
                        _mm256_shuffle_ps,
                        row!($i),
                        row!($i + 1),
                        row!($i + 2),
                        row!($i + 3)
                    )
                };
            }
            let (low, high) = (rows!(0), rows!(4));
            let mut pairs = [[F256(low[0]); 4]; 2];
            for i in 0..4 {
                pairs[0][i] = F256(_mm256_permute2f128_ps::<0x20>(low[i], high[i]));
                pairs[1][i] = F256(_mm256_permute2f128_ps::<0x31>(low[i], high[i]));
            }
            pairs
        }
    }

    #[inline(always)]
    unsafe fn store_row_pairs_raw(self, base: *mut f32, stride: usize, [a, b]: [[F256; 4]; 2]) {
        // SAFETY: checked by the caller.
        unsafe {
            let (mut low, mut high) = ([a[0].0; 4], [a[0].0; 4]);
            for i in 0..4 {
                low[i] = _mm256_permute2f128_ps::<0x20>(a[i].0, b[i].0);
                high[i] = _mm256_permute2f128_ps::<0x31>(a[i].0, b[i].0);
            }
            macro_rules! put {
                ($first:literal, $v:ident) => {
                    let [x, y, z, w] = $v;
                    let rows = transpose!(_mm256_unpacklo_ps, _mm256_unpackhi_ps, _mm256_shuffle_ps, x, y, z, w);
                    for i in 0..4 {
                        _mm256_storeu_ps(base.add(($first + i) * stride), rows[i]);
                    }
                };
            }
            put!(0, low);
            put!(4, high);
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

    #[inline(always)]
    unsafe fn load_row_pairs_raw(self, base: *const u8, offsets_bytes: &[usize; MAX_LANES]) -> [[F512; 4]; 2] {
        // SAFETY: checked by the caller.
        unsafe {
            macro_rules! row {
                ($i:expr) => {
                    _mm256_loadu_pd(base.add(offsets_bytes[$i]).cast())
                };
            }
            macro_rules! two_rows {
                ($i:expr) => {
                    _mm512_castpd_ps(_mm512_insertf64x4::<1>(_mm512_castpd256_pd512(row!($i)), row!($i + 4)))
                };
            }
            macro_rules! rows {
                ($i:literal) => {
                    transpose!(
                        _mm512_unpacklo_ps,
                        _mm512_unpackhi_ps,
                        _mm512_shuffle_ps,
                        two_rows!($i),
                        two_rows!($i + 1),
                        two_rows!($i + 2),
                        two_rows!($i + 3)
                    )
                };
            }
            let (low, high) = (rows!(0), rows!(8));
            let mut pairs = [[F512(low[0]); 4]; 2];
            for i in 0..4 {
                pairs[0][i] = F512(_mm512_shuffle_f32x4::<0x88>(low[i], high[i]));
                pairs[1][i] = F512(_mm512_shuffle_f32x4::<0xDD>(low[i], high[i]));
            }
            pairs
        }
    }

    #[inline(always)]
    unsafe fn store_row_pairs_raw(self, base: *mut f32, stride: usize, [a, b]: [[F512; 4]; 2]) {
        // SAFETY: checked by the caller.
        unsafe {
            let low_order = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
            let high_order = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
            let (mut low, mut high) = ([a[0].0; 4], [a[0].0; 4]);
            for i in 0..4 {
                let (a, b) = (_mm512_castps_pd(a[i].0), _mm512_castps_pd(b[i].0));
                low[i] = _mm512_castpd_ps(_mm512_permutex2var_pd(a, low_order, b));
                high[i] = _mm512_castpd_ps(_mm512_permutex2var_pd(a, high_order, b));
            }
            macro_rules! put {
                ($first:literal, $v:ident) => {
                    let [x, y, z, w] = $v;
                    let rows = transpose!(_mm512_unpacklo_ps, _mm512_unpackhi_ps, _mm512_shuffle_ps, x, y, z, w);
                    for i in 0..4 {
                        let row = _mm512_castps_pd(rows[i]);
                        _mm256_storeu_pd(base.add(($first + i) * stride).cast(), _mm512_castpd512_pd256(row));
                        _mm256_storeu_pd(base.add(($first + i + 4) * stride).cast(), _mm512_extractf64x4_pd::<1>(row));
                    }
                };
            }
            put!(0, low);
            put!(8, high);
        }
    }
}
