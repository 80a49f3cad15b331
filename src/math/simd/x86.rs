//! The vector instructions of x86-64.

use super::{Group, Level, Line, MAX_LANES, Starts, Vector, Work, gather_from, scatter_from};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

/// SAFETY: the processor must have AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn run_avx2(work: impl Work) {
    work.run(Avx2(()));
}

/// SAFETY: the processor must have AVX-512F.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn run_avx512(work: impl Work) {
    work.run(Avx512(()));
}

/// A level and its vector; `$zero` is the expression that chooses `b` where `x` is zero, else `a`.
macro_rules! level {
    ($level:ident, $vector:ident($raw:ty), $lanes:literal, $add:ident, $sub:ident, $mul:ident, $div:ident, $sqrt:ident,
     $splat:ident, $load:ident, $store:ident, |$x:ident, $b:ident, $a:ident| $zero:expr,
     |$value:ident, $by:ident| $turned:expr) => {
        #[derive(Clone, Copy)]
        pub(super) struct $level(());

        #[derive(Clone, Copy)]
        pub(super) struct $vector($raw);

        // SAFETY of all blocks here: a vector only comes from a level, and a level only from code that has made sure
        // of the processor. Loads and stores say more.
        level!(@op $vector, Add, add, $add);
        level!(@op $vector, Sub, sub, $sub);
        level!(@op $vector, Mul, mul, $mul);
        level!(@op $vector, Div, div, $div);

        impl Vector for $vector {
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $sqrt(self.0) })
            }

            #[inline(always)]
            fn where_zero(self, other: Self, value: Self) -> Self {
                let ($x, $b, $a) = (self.0, other.0, value.0);
                // SAFETY: see above.
                Self(unsafe { $zero })
            }

            #[inline(always)]
            fn turned_as(self, by: Self) -> Self {
                let ($value, $by) = (self.0, by.0);
                // SAFETY: see above.
                Self(unsafe { $turned })
            }
        }

        impl Level for $level {
            type V = $vector;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn splat(self, x: f32) -> $vector {
                // SAFETY: see above.
                $vector(unsafe { $splat(x) })
            }

            #[inline(always)]
            fn load(self, line: &Line, first: usize) -> $vector {
                assert!(first <= MAX_LANES - $lanes);
                // SAFETY: as many numbers stand behind `first`.
                $vector(unsafe { $load(line.0.as_ptr().add(first)) })
            }

            #[inline(always)]
            fn store(self, line: &mut Line, v: $vector) {
                // SAFETY: a line has room for the lanes of every level.
                unsafe { $store(line.0.as_mut_ptr(), v.0) }
            }

            #[inline(always)]
            fn gather(self, groups: &[Group], starts: &Starts, group: usize) -> [$vector; 4] {
                let from = gather_from(groups, starts, group);
                // SAFETY: no start is beyond the last, for which `gather_from` has checked; groups are aligned.
                unsafe { self.gather_raw(from, &starts.at) }
            }

            #[inline(always)]
            fn scatter(self, texels: &mut [[f32; 4]], stride: usize, texel: usize, v: [$vector; 4]) {
                let to = scatter_from($lanes, texels, stride, texel);
                // SAFETY: no lane's texel is beyond the last one's, for which `scatter_from` has checked.
                unsafe { self.scatter_raw(to, stride * 4, v) }
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

level!(
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
    |value, by| _mm_xor_ps(value, _mm_and_ps(by, _mm_set1_ps(-0.0)))
);
level!(
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
    |value, by| _mm256_xor_ps(value, _mm256_and_ps(by, _mm256_set1_ps(-0.0)))
);
level!(
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
    |value, by| {
        // By whole numbers: on floats these instructions came later.
        let sign = _mm512_and_si512(_mm512_castps_si512(by), _mm512_set1_epi32(i32::MIN));
        _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(value), sign))
    }
);

/// Rows to columns or back in each 128-bit part: four vectors of four numbers.
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
    /// SSE2 belongs to x86-64.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self(())
    }

    #[inline(always)]
    unsafe fn gather_raw(self, from: *const u8, at: &[usize; MAX_LANES]) -> [F128; 4] {
        // SAFETY: the caller has checked.
        unsafe {
            let row = |i: usize| _mm_load_ps(from.add(at[i]).cast());
            let [x, y, z, w] =
                transpose!(_mm_unpacklo_ps, _mm_unpackhi_ps, _mm_shuffle_ps, row(0), row(1), row(2), row(3));
            [F128(x), F128(y), F128(z), F128(w)]
        }
    }

    #[inline(always)]
    unsafe fn scatter_raw(self, to: *mut f32, stride: usize, [x, y, z, w]: [F128; 4]) {
        // SAFETY: the caller has checked.
        unsafe {
            let rows = transpose!(_mm_unpacklo_ps, _mm_unpackhi_ps, _mm_shuffle_ps, x.0, y.0, z.0, w.0);
            _mm_storeu_ps(to, rows[0]);
            _mm_storeu_ps(to.add(stride), rows[1]);
            _mm_storeu_ps(to.add(2 * stride), rows[2]);
            _mm_storeu_ps(to.add(3 * stride), rows[3]);
        }
    }
}

impl Avx2 {
    #[inline(always)]
    unsafe fn gather_raw(self, from: *const u8, at: &[usize; MAX_LANES]) -> [F256; 4] {
        // SAFETY: the caller has checked.
        unsafe {
            macro_rules! rows {
                ($i:literal) => {
                    _mm256_insertf128_ps::<1>(
                        _mm256_castps128_ps256(_mm_load_ps(from.add(at[$i]).cast())),
                        _mm_load_ps(from.add(at[$i + 4]).cast()),
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
    unsafe fn scatter_raw(self, to: *mut f32, stride: usize, [x, y, z, w]: [F256; 4]) {
        // SAFETY: the caller has checked.
        unsafe {
            let rows = transpose!(_mm256_unpacklo_ps, _mm256_unpackhi_ps, _mm256_shuffle_ps, x.0, y.0, z.0, w.0);
            macro_rules! put {
                ($i:literal) => {
                    _mm_storeu_ps(to.add($i * stride), _mm256_castps256_ps128(rows[$i]));
                    _mm_storeu_ps(to.add(($i + 4) * stride), _mm256_extractf128_ps::<1>(rows[$i]));
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
    unsafe fn gather_raw(self, from: *const u8, at: &[usize; MAX_LANES]) -> [F512; 4] {
        // SAFETY: the caller has checked.
        unsafe {
            macro_rules! rows {
                ($i:literal) => {{
                    let rows = _mm512_castps128_ps512(_mm_load_ps(from.add(at[$i]).cast()));
                    let rows = _mm512_insertf32x4::<1>(rows, _mm_load_ps(from.add(at[$i + 4]).cast()));
                    let rows = _mm512_insertf32x4::<2>(rows, _mm_load_ps(from.add(at[$i + 8]).cast()));
                    _mm512_insertf32x4::<3>(rows, _mm_load_ps(from.add(at[$i + 12]).cast()))
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
    unsafe fn scatter_raw(self, to: *mut f32, stride: usize, [x, y, z, w]: [F512; 4]) {
        // SAFETY: the caller has checked.
        unsafe {
            let rows = transpose!(_mm512_unpacklo_ps, _mm512_unpackhi_ps, _mm512_shuffle_ps, x.0, y.0, z.0, w.0);
            macro_rules! put {
                ($i:literal) => {
                    _mm_storeu_ps(to.add($i * stride), _mm512_castps512_ps128(rows[$i]));
                    _mm_storeu_ps(to.add(($i + 4) * stride), _mm512_extractf32x4_ps::<1>(rows[$i]));
                    _mm_storeu_ps(to.add(($i + 8) * stride), _mm512_extractf32x4_ps::<2>(rows[$i]));
                    _mm_storeu_ps(to.add(($i + 12) * stride), _mm512_extractf32x4_ps::<3>(rows[$i]));
                };
            }
            put!(0);
            put!(1);
            put!(2);
            put!(3);
        }
    }
}
