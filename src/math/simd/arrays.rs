//! Four lanes as an array, which compilers turn into vector instructions where there are any (NEON).

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
