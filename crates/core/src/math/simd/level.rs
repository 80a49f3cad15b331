//! Run-time selection of the instruction set.

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use super::arrays::Baseline;
#[cfg(target_arch = "aarch64")]
use super::neon::Baseline;
use super::vector::WithSimd;
#[cfg(target_arch = "x86_64")]
use super::x86::{self, Baseline};

/// Instruction set of a crowd update. Results are bit-identical at all levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SimdLevel {
    /// 4 lanes: SSE2 on x86-64, NEON on AArch64, arrays elsewhere. Always available.
    Baseline,
    /// 8 lanes: x86-64 with AVX2.
    Avx2,
    /// 16 lanes: x86-64 with AVX-512F.
    Avx512,
}

impl SimdLevel {
    /// All levels, in ascending order of lanes.
    pub const ALL: [Self; 3] = [Self::Baseline, Self::Avx2, Self::Avx512];

    /// Returns `true` if this processor supports the level.
    pub fn is_available(self) -> bool {
        match self {
            Self::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => is_x86_feature_detected!("avx512f"),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The widest level that this processor supports.
    pub fn best() -> Self {
        Self::ALL.into_iter().rev().find(|level| level.is_available()).unwrap_or(Self::Baseline)
    }

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Runs `work` with these instructions.
    ///
    /// # Panics
    /// If this processor does not support them.
    pub(crate) fn dispatch(self, work: impl WithSimd) {
        assert!(self.is_available(), "this processor does not support {}", self.name());
        match self {
            Self::Baseline => work.with_simd(Baseline::new()),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the assertion has checked the processor.
            Self::Avx2 => unsafe { x86::with_avx2(work) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx512 => unsafe { x86::with_avx512(work) },
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => unreachable!("not available"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::simd::arrays;
    use crate::math::simd::{Float4, LaneArray, MAX_LANES, RowOffsets, Simd, SimdFloat};

    /// Reads rows through `RowOffsets`, calculates a little and writes texels.
    struct Sum<'a> {
        vectors: &'a [Float4],
        offsets: &'a RowOffsets,
        texels: &'a mut [[f32; 4]],
    }

    /// Texels per lane.
    const STRIDE: usize = 6;

    impl WithSimd for Sum<'_> {
        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let a = simd.load_rows_transposed(self.vectors, self.offsets, 0);
            let [pair_a, b] = simd.load_row_pairs_transposed(self.vectors, self.offsets, 0);
            let mut array = LaneArray::default();
            simd.store(&mut array, a[0] + b[0] / simd.splat(3.0) * b[1]);
            let x = simd.load(&array, 0);
            let selected = simd.splat(0.0).select_eq_zero(b[3], a[3]);
            let signed = (a[1] * a[2] - b[2]).flip_sign_where_negative(b[0] - simd.splat(5.0));
            simd.store_rows_transposed(self.texels, STRIDE, 2, [x, signed, b[3].sqrt(), selected]);
            simd.store_row_pairs_transposed(self.texels, STRIDE, 4, [pair_a, b]);
        }
    }

    #[test]
    fn all_levels_compute_identical_bits() {
        let vectors: Vec<Float4> =
            (0..40).map(|i| Float4([0, 1, 2, 3].map(|j| 0.37 * i as f32 + 1.0 / (j + 1) as f32))).collect();
        let offsets = RowOffsets::new(&std::array::from_fn::<_, MAX_LANES, _>(|lane| (lane * 7) % 39));
        let expected: Vec<[[f32; 4]; 3]> = (0..16)
            .map(|lane| {
                let [a, b] = [0, 1].map(|i| vectors[(lane * 7) % 39 + i].0);
                let signed = a[1] * a[2] - b[2];
                let x = a[0] + b[0] / 3.0 * b[1];
                [[x, if b[0] < 5.0 { -signed } else { signed }, b[3].sqrt(), b[3]], a, b]
            })
            .collect();
        let check = |lanes: usize, run: &dyn Fn(Sum<'_>)| {
            let mut texels = vec![[-1.0; 4]; STRIDE * lanes];
            run(Sum { vectors: &vectors, offsets: &offsets, texels: &mut texels });
            for (texels, expected) in texels.chunks_exact(STRIDE).zip(&expected) {
                assert_eq!([texels[0], texels[1], texels[3]], [[-1.0; 4]; 3]);
                assert_eq!(
                    [texels[2], texels[4], texels[5]].map(|v| v.map(f32::to_bits)),
                    expected.map(|v| v.map(f32::to_bits))
                );
            }
        };
        check(4, &|sum| sum.with_simd(arrays::Baseline::new()));
        for (level, lanes) in [(SimdLevel::Baseline, 4), (SimdLevel::Avx2, 8), (SimdLevel::Avx512, 16)] {
            if level.is_available() {
                check(lanes, &|sum| level.dispatch(sum));
            }
        }
    }

    #[test]
    #[should_panic(expected = "row out of range")]
    fn row_out_of_range_panics() {
        let (vectors, offsets) = ([Float4::default(); 2], RowOffsets::new(&[1; MAX_LANES]));
        let texels = &mut [[0.0; 4]; STRIDE * MAX_LANES];
        SimdLevel::best().dispatch(Sum { vectors: &vectors, offsets: &offsets, texels });
    }

    /// Moves one row pair to the end of `texels`.
    struct Pair<'a>(&'a [Float4], &'a mut [[f32; 4]]);

    impl WithSimd for Pair<'_> {
        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let pair = simd.load_row_pairs_transposed(self.0, &RowOffsets::new(&[0; MAX_LANES]), 0);
            simd.store_row_pairs_transposed(self.1, 0, 1, pair);
        }
    }

    #[test]
    fn row_pair_out_of_range_panics() {
        let vectors = [Float4::default(); 2];
        for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
            let panics = |vectors: &[Float4], texels: usize| {
                let mut texels = vec![[0.0; 4]; texels];
                let run = std::panic::AssertUnwindSafe(|| level.dispatch(Pair(vectors, &mut texels)));
                std::panic::catch_unwind(run).is_err()
            };
            assert_eq!([panics(&vectors, 3), panics(&vectors[..1], 3), panics(&vectors, 2)], [false, true, true]);
        }
    }
}
