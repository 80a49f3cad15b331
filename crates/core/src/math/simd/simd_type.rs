//! Definition of vector types by intrinsics.

/// Defines an instruction set and its vector type, by intrinsics and by the expressions of two operations of `SimdFloat`.
/// `load_pairs` and `store_pairs` replace two loads or stores.
macro_rules! simd_type {
    ($simd:ident, $vector:ident($raw:ty), $lanes:literal, $add:ident, $sub:ident, $mul:ident, $div:ident, $sqrt:ident,
     $splat:ident, $load:ident, $store:ident,
     select_eq_zero: |$x:ident, $if_zero:ident, $otherwise:ident| $selected:expr,
     flip_sign_where_negative: |$value:ident, $sign:ident| $flipped:expr
     $(, load_pairs: $load_pairs:ident, store_pairs: $store_pairs:ident)?) => {
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

        impl SimdFloat for $vector {
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $sqrt(self.0) })
            }

            #[inline(always)]
            fn select_eq_zero(self, if_zero: Self, otherwise: Self) -> Self {
                let ($x, $if_zero, $otherwise) = (self.0, if_zero.0, otherwise.0);
                // SAFETY: see above.
                Self(unsafe { $selected })
            }

            #[inline(always)]
            fn flip_sign_where_negative(self, sign: Self) -> Self {
                let ($value, $sign) = (self.0, sign.0);
                // SAFETY: see above.
                Self(unsafe { $flipped })
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
            fn load_rows_transposed(self, vectors: &[Float4], offsets: &RowOffsets, index: usize) -> [$vector; 4] {
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

            $(
                #[inline(always)]
                fn load_row_pairs_transposed(
                    self,
                    vectors: &[Float4],
                    offsets: &RowOffsets,
                    index: usize,
                ) -> [[$vector; 4]; 2] {
                    checked_row_base(vectors, offsets, index.wrapping_add(1));
                    let base = checked_row_base(vectors, offsets, index);
                    // SAFETY: `checked_row_base` has checked the largest offset with both indices.
                    unsafe { self.$load_pairs(base, &offsets.offsets_bytes) }
                }

                #[inline(always)]
                fn store_row_pairs_transposed(
                    self,
                    texels: &mut [[f32; 4]],
                    stride: usize,
                    texel: usize,
                    v: [[$vector; 4]; 2],
                ) {
                    checked_texel_base($lanes, texels, stride, texel.wrapping_add(1));
                    let base = checked_texel_base($lanes, texels, stride, texel);
                    // SAFETY: `checked_texel_base` has checked the last lane's texels.
                    unsafe { self.$store_pairs(base, stride * 4, v) }
                }
            )?
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

pub(super) use simd_type;
