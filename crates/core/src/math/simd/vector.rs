//! Vector types and the operations on them.

use std::ops::{Add, Div, Mul, Sub};

/// Maximum number of lanes of any level.
pub(crate) const MAX_LANES: usize = 16;

/// Four components that are loaded and stored together.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(16))]
pub(crate) struct Float4(pub(crate) [f32; 4]);

/// One value for each of [`MAX_LANES`] lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct LaneArray(pub(crate) [f32; MAX_LANES]);

/// Start of each lane's row in an array of [`Float4`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowOffsets {
    /// 0 for unused lanes. No entry is larger than `max_bytes`.
    pub(super) offsets_bytes: [usize; MAX_LANES],
    max_bytes: usize,
    /// `true` if all lanes have the same row.
    is_shared: bool,
}

impl RowOffsets {
    /// Creates offsets from the index of each lane's first vector.
    ///
    /// # Panics
    /// If `rows` is longer than [`MAX_LANES`], or if a byte offset overflows.
    #[inline(always)]
    pub(crate) fn new(rows: &[usize]) -> Self {
        let mut offsets = Self::default();
        let (mut max, mut differing) = (0, 0);
        for (offset, &row) in offsets.offsets_bytes[..rows.len()].iter_mut().zip(rows) {
            *offset = row.wrapping_mul(size_of::<Float4>());
            max = max.max(row);
            differing |= row ^ rows[0];
        }
        offsets.max_bytes = max.checked_mul(size_of::<Float4>()).expect("a row in memory");
        offsets.is_shared = differing == 0;
        offsets
    }

    /// Returns the index of the row's first vector if all lanes have the same row.
    #[inline(always)]
    pub(crate) fn shared(&self) -> Option<usize> {
        self.is_shared.then_some(self.offsets_bytes[0] / size_of::<Float4>())
    }

    /// Returns the index of the first vector of a lane's row.
    #[inline(always)]
    pub(crate) fn row(&self, lane: usize) -> usize {
        self.offsets_bytes[lane] / size_of::<Float4>()
    }
}

/// A vector of one value per lane; or `f64`, by which a single pose uses the same formulas.
pub(crate) trait SimdFloat:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Square roots.
    fn sqrt(self) -> Self;
    /// Returns `if_zero` in lanes where `self` is zero, else `otherwise`.
    fn select_eq_zero(self, if_zero: Self, otherwise: Self) -> Self;
    /// Returns `self` with its sign flipped in lanes where `sign` is negative.
    fn flip_sign_where_negative(self, sign: Self) -> Self;
}

impl SimdFloat for f64 {
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn select_eq_zero(self, if_zero: Self, otherwise: Self) -> Self {
        if self == 0.0 { if_zero } else { otherwise }
    }

    #[inline(always)]
    fn flip_sign_where_negative(self, sign: Self) -> Self {
        if sign.is_sign_negative() { -self } else { self }
    }
}

/// A set of vector instructions.
pub(crate) trait Simd: Copy {
    /// The vector type.
    type F32: SimdFloat;
    /// Number of lanes.
    const LANES: usize;
    /// Returns `x` in all lanes.
    fn splat(self, x: f32) -> Self::F32;
    /// Returns elements `first..first + LANES` of `array`.
    fn load(self, array: &LaneArray, first: usize) -> Self::F32;
    /// Writes `v` to the first elements of `array`.
    fn store(self, array: &mut LaneArray, v: Self::F32);
    /// Loads the vector at `index` of each lane's row and transposes them: one vector of lanes per component.
    fn load_rows_transposed(self, vectors: &[Float4], offsets: &RowOffsets, index: usize) -> [Self::F32; 4];
    /// Like [`load_rows_transposed`](Self::load_rows_transposed) for the vectors at `index` and `index + 1`.
    #[inline(always)]
    fn load_row_pairs_transposed(self, vectors: &[Float4], offsets: &RowOffsets, index: usize) -> [[Self::F32; 4]; 2] {
        let first = self.load_rows_transposed(vectors, offsets, index);
        [first, self.load_rows_transposed(vectors, offsets, index.wrapping_add(1))]
    }
    /// Transposes four vectors of lanes and writes lane `i` to `texels[i * stride + texel]`.
    fn store_rows_transposed(self, texels: &mut [[f32; 4]], stride: usize, texel: usize, v: [Self::F32; 4]);
    /// Like [`store_rows_transposed`](Self::store_rows_transposed) for the texels at `texel` and `texel + 1`.
    #[inline(always)]
    fn store_row_pairs_transposed(
        self,
        texels: &mut [[f32; 4]],
        stride: usize,
        texel: usize,
        [a, b]: [[Self::F32; 4]; 2],
    ) {
        self.store_rows_transposed(texels, stride, texel, a);
        self.store_rows_transposed(texels, stride, texel.wrapping_add(1), b);
    }
}

/// The numbers of a formula: one per lane, or `f64`.
pub(crate) trait NumericBackend: Copy {
    /// The type of a value.
    type Float: SimdFloat;
    /// Returns a constant.
    fn constant(self, x: f32) -> Self::Float;
}

impl<S: Simd> NumericBackend for S {
    type Float = S::F32;

    #[inline(always)]
    fn constant(self, x: f32) -> S::F32 {
        self.splat(x)
    }
}

/// Double precision, for one pose.
#[derive(Clone, Copy)]
pub(crate) struct ScalarF64;

impl NumericBackend for ScalarF64 {
    type Float = f64;

    #[inline(always)]
    fn constant(self, x: f32) -> f64 {
        x.into()
    }
}

/// A computation that is generic over [`Simd`].
pub(crate) trait WithSimd {
    /// Runs it. Must be `#[inline(always)]`.
    fn with_simd<S: Simd>(self, simd: S);
}

/// Checks that every row has a vector at `index`, and returns a pointer that row offsets are relative to.
#[inline(always)]
pub(super) fn checked_row_base(vectors: &[Float4], offsets: &RowOffsets, index: usize) -> *const u8 {
    let last = (offsets.max_bytes / size_of::<Float4>()).checked_add(index);
    assert!(last.is_some_and(|last| last < vectors.len()), "row out of range");
    // SAFETY: `index` itself is in range by the assertion.
    unsafe { vectors.as_ptr().add(index).cast() }
}

/// Checks that the last lane's texel exists, and returns a pointer to the first lane's.
#[inline(always)]
pub(super) fn checked_texel_base(lanes: usize, texels: &mut [[f32; 4]], stride: usize, texel: usize) -> *mut f32 {
    let last = (lanes - 1).checked_mul(stride).and_then(|first| first.checked_add(texel));
    assert!(last.is_some_and(|last| last < texels.len()), "texel out of range");
    // SAFETY: `texel` is in range by the assertion.
    unsafe { texels.as_mut_ptr().add(texel).cast() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "row out of range")]
    fn row_that_wraps_is_out_of_range() {
        checked_row_base(&[Float4::default(); 4], &RowOffsets::new(&[2]), usize::MAX);
    }

    #[test]
    #[should_panic(expected = "texel out of range")]
    fn stride_that_wraps_is_out_of_range() {
        // Three strides are 2^64 + 1.
        checked_texel_base(4, &mut [[0.0; 4]; 8], usize::MAX / 3 + 1, 1);
    }

    #[test]
    #[should_panic(expected = "texel out of range")]
    fn texel_that_wraps_is_out_of_range() {
        checked_texel_base(4, &mut [[0.0; 4]; 8], 1, usize::MAX - 1);
    }
}
