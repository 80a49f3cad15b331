//! Portable single-precision SIMD.
//!
//! Every [`SimdLevel`] runs the same operations in the same order. Each is rounded as IEEE 754 requires, and none is
//! contracted to a fused multiply-add. Results do not depend on the processor or its lane count.
//!
//! A value of type [`Simd`] proves that the processor supports its instructions: only [`SimdLevel::dispatch`] creates one,
//! after a check. Code that is generic over [`Simd`] must be `#[inline(always)]` throughout, so that all of it is compiled
//! for the target's instructions.
//!
//! The arithmetic is a tenth of this module. A crate such as `fearless_simd` could replace it, but not the transposed loads
//! and stores of rows, which need the intrinsics and their unsafe code.
#![allow(unsafe_code, reason = "vector instructions are functions that only exist on some processors")]

#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod arrays;
mod level;
#[cfg(target_arch = "aarch64")]
mod neon;
mod prefetch;
mod quaternion;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod simd_type;
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use level::SimdLevel;
pub(crate) use prefetch::prefetch;
pub(crate) use quaternion::{quat_mul, rotate};
pub(crate) use vector::{
    Float4, LaneArray, MAX_LANES, NumericBackend, RowOffsets, ScalarF64, Simd, SimdFloat, WithSimd,
};
