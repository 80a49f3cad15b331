//! Several numbers at once: single-precision lanes on the vector units of the processor.
//!
//! The same operations in the same order on every [`Dispatch`], each rounded as IEEE 754 says, and none contracted to a
//! fused multiply-add: a result does not depend on the processor, nor on how many lanes it has.
//!
//! A [`Level`] is proof that the processor has what it needs: only [`Dispatch::run`] makes one, after it has asked. Code
//! that is generic over levels must be `#[inline(always)]` down to the last call, so that all of it is compiled for the
//! processor of that level.
//!
//! This is the only module above the GL line with unsafe code: the vector instructions, and loads and stores through
//! places that are checked once for all lanes.
#![allow(unsafe_code, reason = "vector instructions are functions that only exist on some processors")]

use std::ops::{Add, Div, Mul, Sub};

/// The most lanes of any level.
pub(crate) const MAX_LANES: usize = 16;

/// Four numbers that are loaded and stored together.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(16))]
pub(crate) struct Group(pub(crate) [f32; 4]);

/// One number for each of [`MAX_LANES`] lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [f32; MAX_LANES]);

/// Where each lane's row begins in a list of groups.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Starts {
    /// In bytes; 0 for lanes that a level lacks. No entry is larger than `last`.
    at: [usize; MAX_LANES],
    last: usize,
    /// Whether all lanes have the same row.
    shared: bool,
}

impl Starts {
    /// Rows that begin at these groups, one for each lane of a level.
    ///
    /// # Panics
    /// If they are none, or more than [`MAX_LANES`], or if a group is beyond all memory.
    #[inline(always)]
    pub(crate) fn new(groups: &[usize]) -> Self {
        let mut starts = Self::default();
        let (mut last, mut differing) = (0, 0);
        for (at, &group) in starts.at[..groups.len()].iter_mut().zip(groups) {
            *at = group.wrapping_mul(size_of::<Group>());
            last = last.max(group);
            differing |= group ^ groups[0];
        }
        starts.last = last.checked_mul(size_of::<Group>()).expect("a group that is in memory");
        starts.shared = differing == 0;
        starts
    }

    /// The group at which the row of all lanes begins, if they have the same.
    #[inline(always)]
    pub(crate) fn shared(&self) -> Option<usize> {
        self.shared.then_some(self.at[0] / size_of::<Group>())
    }

    /// The group at which a lane's row begins.
    #[inline(always)]
    pub(crate) fn group(&self, lane: usize) -> usize {
        self.at[lane] / size_of::<Group>()
    }
}

/// Tells the processor of memory that will be read or written soon, so that it is fetched while something else is reckoned.
///
/// A few cache lines at a time: of many at once, each waits for those before it, and all else waits with them.
#[inline(always)]
pub(crate) fn expect<T: bytemuck::Pod>(memory: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytemuck::cast_slice::<T, u8>(memory).chunks(LINE_BYTES) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a hint reads nothing; SSE is part of the architecture.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = memory;
}

/// Bytes that come to a processor at once.
#[cfg(target_arch = "x86_64")]
const LINE_BYTES: usize = 64;

/// Numbers of all lanes of a level.
pub(crate) trait Vector:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Square roots.
    fn sqrt(self) -> Self;
    /// `other` in lanes where this is zero, else `value`.
    fn where_zero(self, other: Self, value: Self) -> Self;
    /// This, with its sign turned in lanes where `by` has a minus sign.
    fn turned_as(self, by: Self) -> Self;
}

/// What a processor can do.
pub(crate) trait Level: Copy {
    /// Numbers of all lanes.
    type V: Vector;
    /// Number of lanes.
    const LANES: usize;
    /// The same number in all lanes.
    fn splat(self, x: f32) -> Self::V;
    /// The numbers of lanes `first..first + LANES` of `line`.
    fn load(self, line: &Line, first: usize) -> Self::V;
    /// Puts `v` into the first lanes of `line`.
    fn store(self, line: &mut Line, v: Self::V);
    /// The four numbers of the group that stands `group` after each lane's start.
    fn gather(self, groups: &[Group], starts: &Starts, group: usize) -> [Self::V; 4];
    /// Writes four numbers a lane, lane `i` at `texels[i * stride + texel]`.
    fn scatter(self, texels: &mut [[f32; 4]], stride: usize, texel: usize, v: [Self::V; 4]);
}

/// Something that can be done at any level.
pub(crate) trait Work {
    /// Does it. Must be `#[inline(always)]`.
    fn run<L: Level>(self, level: L);
}

/// Checks that a group after each start exists, and returns the place to count from.
#[inline(always)]
fn gather_from(groups: &[Group], starts: &Starts, group: usize) -> *const u8 {
    assert!(starts.last / size_of::<Group>() + group < groups.len(), "a row beyond the last");
    // SAFETY: `group` itself is in range by the assertion.
    unsafe { groups.as_ptr().add(group).cast() }
}

/// Checks that the last lane's texel exists, and returns the first lane's.
#[inline(always)]
fn scatter_from(lanes: usize, texels: &mut [[f32; 4]], stride: usize, texel: usize) -> *mut f32 {
    assert!((lanes - 1) * stride + texel < texels.len(), "a texel beyond the last");
    // SAFETY: `texel` is in range by the assertion.
    unsafe { texels.as_mut_ptr().add(texel).cast() }
}

/// Which instructions the animation of a crowd uses. The result is the same with all of them, to the last bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dispatch {
    /// What every processor has: 4 lanes, by SSE2 on x86-64 and whatever the compiler makes of arrays elsewhere.
    Baseline,
    /// 8 lanes (x86-64 with AVX2).
    Avx2,
    /// 16 lanes (x86-64 with AVX-512F).
    Avx512,
}

impl Dispatch {
    /// From the least to the most lanes.
    pub const ALL: [Self; 3] = [Self::Baseline, Self::Avx2, Self::Avx512];

    /// Whether this processor has it.
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

    /// The widest that this processor has.
    pub fn best() -> Self {
        Self::ALL.into_iter().rev().find(|level| level.is_available()).unwrap_or(Self::Baseline)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Does `work` with these instructions.
    ///
    /// # Panics
    /// If this processor lacks them.
    pub(crate) fn run(self, work: impl Work) {
        assert!(self.is_available(), "this processor has no {}", self.name());
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Baseline => work.run(x86::Baseline::new()),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Baseline => work.run(arrays::Baseline),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the assertion has asked for these instructions.
            Self::Avx2 => unsafe { x86::run_avx2(work) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx512 => unsafe { x86::run_avx512(work) },
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => unreachable!("not available"),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
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
}

/// Four lanes as an array, which compilers turn into vector instructions where there are any (NEON).
#[cfg(any(test, not(target_arch = "x86_64")))]
mod arrays {
    use super::{Group, Level, Line, Starts, Vector, gather_from, scatter_from};
    use std::ops::{Add, Div, Mul, Sub};

    #[derive(Clone, Copy)]
    pub(super) struct Baseline;

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

    impl Vector for Four {
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(self.0.map(f32::sqrt))
        }

        #[inline(always)]
        fn where_zero(self, other: Self, value: Self) -> Self {
            Self([0, 1, 2, 3].map(|i| if self.0[i] == 0.0 { other.0[i] } else { value.0[i] }))
        }

        #[inline(always)]
        fn turned_as(self, by: Self) -> Self {
            Self([0, 1, 2, 3].map(|i| f32::from_bits(self.0[i].to_bits() ^ (by.0[i].to_bits() & (1 << 31)))))
        }
    }

    impl Level for Baseline {
        type V = Four;
        const LANES: usize = 4;

        #[inline(always)]
        fn splat(self, x: f32) -> Four {
            Four([x; 4])
        }

        #[inline(always)]
        fn load(self, line: &Line, first: usize) -> Four {
            Four([line.0[first], line.0[first + 1], line.0[first + 2], line.0[first + 3]])
        }

        #[inline(always)]
        fn store(self, line: &mut Line, v: Four) {
            line.0[..4].copy_from_slice(&v.0);
        }

        #[inline(always)]
        fn gather(self, groups: &[Group], starts: &Starts, group: usize) -> [Four; 4] {
            let from = gather_from(groups, starts, group);
            let mut v = [Four([0.0; 4]); 4];
            for lane in 0..4 {
                // SAFETY: no start is beyond the last, for which `gather_from` has checked.
                let row = unsafe { *from.add(starts.at[lane]).cast::<Group>() };
                for (v, x) in v.iter_mut().zip(row.0) {
                    v.0[lane] = x;
                }
            }
            v
        }

        #[inline(always)]
        fn scatter(self, texels: &mut [[f32; 4]], stride: usize, texel: usize, v: [Four; 4]) {
            let to = scatter_from(4, texels, stride, texel);
            for lane in 0..4 {
                // SAFETY: no lane's texel is beyond the last one's, for which `scatter_from` has checked.
                unsafe { *to.add(lane * stride * 4).cast::<[f32; 4]>() = v.map(|v| v.0[lane]) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads rows through `Starts`, calculates a little and writes texels.
    struct Sum<'a> {
        groups: &'a [Group],
        starts: &'a Starts,
        texels: &'a mut [[f32; 4]],
    }

    impl Work for Sum<'_> {
        #[inline(always)]
        fn run<L: Level>(self, level: L) {
            let a = level.gather(self.groups, self.starts, 0);
            let b = level.gather(self.groups, self.starts, 1);
            let mut line = Line::default();
            level.store(&mut line, a[0] + b[0] / level.splat(3.0) * b[1]);
            let x = level.load(&line, 0);
            let zero = level.splat(0.0).where_zero(b[3], a[3]);
            let turned = (a[1] * a[2] - b[2]).turned_as(b[0] - level.splat(5.0));
            level.scatter(self.texels, 3, 2, [x, turned, b[3].sqrt(), zero]);
        }
    }

    #[test]
    fn every_level_gives_the_same_bits() {
        let groups: Vec<Group> =
            (0..40).map(|i| Group([0, 1, 2, 3].map(|j| 0.37 * i as f32 + 1.0 / (j + 1) as f32))).collect();
        let starts = Starts::new(&std::array::from_fn::<_, MAX_LANES, _>(|lane| (lane * 7) % 39));
        let expected: Vec<[f32; 4]> = (0..16)
            .map(|lane| {
                let ([a, b], at) = ([0, 1].map(|i| groups[(lane * 7) % 39 + i].0), 3.0);
                let turned = a[1] * a[2] - b[2];
                [a[0] + b[0] / at * b[1], if b[0] < 5.0 { -turned } else { turned }, b[3].sqrt(), b[3]]
            })
            .collect();
        let check = |lanes: usize, run: &dyn Fn(Sum<'_>)| {
            let mut texels = vec![[-1.0; 4]; 3 * lanes];
            run(Sum { groups: &groups, starts: &starts, texels: &mut texels });
            for lane in 0..lanes {
                assert_eq!(texels[3 * lane..3 * lane + 2], [[-1.0; 4]; 2]);
                assert_eq!(texels[3 * lane + 2].map(f32::to_bits), expected[lane].map(f32::to_bits));
            }
        };
        check(4, &|sum| sum.run(arrays::Baseline));
        for (dispatch, lanes) in [(Dispatch::Baseline, 4), (Dispatch::Avx2, 8), (Dispatch::Avx512, 16)] {
            if dispatch.is_available() {
                check(lanes, &|sum| dispatch.run(sum));
            }
        }
    }

    #[test]
    #[should_panic(expected = "a row beyond the last")]
    fn a_row_beyond_the_last_is_refused() {
        let (groups, starts) = ([Group::default(); 2], Starts::new(&[1; MAX_LANES]));
        Dispatch::best().run(Sum { groups: &groups, starts: &starts, texels: &mut [[0.0; 4]; 48] });
    }
}
