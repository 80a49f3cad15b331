//! Four lanes as an array, for architectures without vector instructions of their own here, and for tests.

use super::vector::{Float4, LaneArray, RowOffsets, Simd, SimdFloat, checked_row_base, checked_texel_base};
use std::ops::{Add, Div, Mul, Sub};

#[derive(Clone, Copy)]
pub(super) struct Baseline(());

impl Baseline {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self(())
    }
}

#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Four([f32; 4]);

macro_rules! op {
    ($trait:ident, $name:ident, $op:tt) => {
        impl $trait for Four {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                let (a, b) = (self.0, other.0);
                Self([a[0] $op b[0], a[1] $op b[1], a[2] $op b[2], a[3] $op b[3]])
            }
        }
    };
}

op!(Add, add, +);
op!(Sub, sub, -);
op!(Mul, mul, *);
op!(Div, div, /);

impl SimdFloat for Four {
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn select_eq_zero(self, if_zero: Self, otherwise: Self) -> Self {
        Self([0, 1, 2, 3].map(|i| if self.0[i] == 0.0 { if_zero.0[i] } else { otherwise.0[i] }))
    }

    #[inline(always)]
    fn flip_sign_where_negative(self, sign: Self) -> Self {
        Self([0, 1, 2, 3].map(|i| f32::from_bits(self.0[i].to_bits() ^ (sign.0[i].to_bits() & (1 << 31)))))
    }
}

impl Simd for Baseline {
    type F32 = Four;
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(self, x: f32) -> Four {
        Four([x; 4])
    }

    #[inline(always)]
    fn load(self, array: &LaneArray, first: usize) -> Four {
        Four([array.0[first], array.0[first + 1], array.0[first + 2], array.0[first + 3]])
    }

    #[inline(always)]
    fn store(self, array: &mut LaneArray, v: Four) {
        array.0[..4].copy_from_slice(&v.0);
    }

    #[inline(always)]
    fn load_rows_transposed(self, vectors: &[Float4], offsets: &RowOffsets, index: usize) -> [Four; 4] {
        let base = checked_row_base(vectors, offsets, index);
        let mut v = [Four([0.0; 4]); 4];
        for lane in 0..4 {
            // SAFETY: `checked_row_base` has checked the largest offset.
            let row = unsafe { *base.add(offsets.offsets_bytes[lane]).cast::<Float4>() };
            for (v, x) in v.iter_mut().zip(row.0) {
                v.0[lane] = x;
            }
        }
        v
    }

    #[inline(always)]
    fn store_rows_transposed(self, texels: &mut [[f32; 4]], stride: usize, texel: usize, v: [Four; 4]) {
        let base = checked_texel_base(4, texels, stride, texel);
        for lane in 0..4 {
            // SAFETY: `checked_texel_base` has checked the last lane's texel.
            unsafe { *base.add(lane * stride * 4).cast::<[f32; 4]>() = v.map(|v| v.0[lane]) };
        }
    }
}
