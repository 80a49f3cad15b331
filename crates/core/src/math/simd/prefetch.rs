//! Cache prefetch.

/// Prefetches `memory` into the L2 cache. Call it for a few cache lines at a time: the prefetch queue is short.
#[inline(always)]
pub(crate) fn prefetch<T: bytemuck::Pod>(memory: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytemuck::cast_slice::<T, u8>(memory).chunks(CACHE_LINE_BYTES) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a prefetch does not access memory; SSE is part of the architecture.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = memory;
}

#[cfg(target_arch = "x86_64")]
const CACHE_LINE_BYTES: usize = 64;
