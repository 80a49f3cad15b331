//! Several numbers at once: single-precision lanes on the vector units of the processor.
//!
//! The same operations in the same order on every [`SimdLevel`], each rounded as IEEE 754 says, and none contracted to a
//! fused multiply-add: a result does not depend on the processor, nor on how many lanes it has.
//!
//! A [`Level`] is proof that the processor has what it needs: only [`SimdLevel::run`] makes one, after it has asked. Code
//! that is generic over levels must be `#[inline(always)]` down to the last call, so that all of it is compiled for the
//! processor of that level.
//!
//! With [`pages`](super::huge_pages), this is all unsafe code above the GL line: the vector instructions, and loads and stores through
//! places that are checked once for all lanes.
#![allow(unsafe_code, reason = "vector instructions are functions that only exist on some processors")]

#[cfg(any(test, not(target_arch = "x86_64")))]
mod arrays;
#[cfg(target_arch = "x86_64")]
mod x86;

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
pub enum SimdLevel {
    /// What every processor has: 4 lanes, by SSE2 on x86-64 and whatever the compiler makes of arrays elsewhere.
    Baseline,
    /// 8 lanes (x86-64 with AVX2).
    Avx2,
    /// 16 lanes (x86-64 with AVX-512F).
    Avx512,
}

impl SimdLevel {
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
        for (dispatch, lanes) in [(SimdLevel::Baseline, 4), (SimdLevel::Avx2, 8), (SimdLevel::Avx512, 16)] {
            if dispatch.is_available() {
                check(lanes, &|sum| dispatch.run(sum));
            }
        }
    }

    #[test]
    #[should_panic(expected = "a row beyond the last")]
    fn a_row_beyond_the_last_is_refused() {
        let (groups, starts) = ([Group::default(); 2], Starts::new(&[1; MAX_LANES]));
        SimdLevel::best().run(Sum { groups: &groups, starts: &starts, texels: &mut [[0.0; 4]; 48] });
    }
}
