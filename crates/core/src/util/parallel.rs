//! Parallel loops: rayon's with the `parallel` feature, sequential ones of the same names without it.

#[cfg(feature = "parallel")]
pub(crate) use rayon::{current_num_threads, join, prelude::*};

/// Runs a task of the thread pool that no thread has begun. Returns `false` if there is none, or on a thread outside of the pool.
#[cfg(feature = "parallel")]
pub(crate) fn run_pending_task() -> bool {
    rayon::yield_now() == Some(rayon::Yield::Executed)
}

#[cfg(not(feature = "parallel"))]
pub(crate) use sequential::*;

#[cfg(not(feature = "parallel"))]
mod sequential {
    use std::slice::{ChunksMut, Iter};

    pub(crate) fn current_num_threads() -> usize {
        1
    }

    pub(crate) fn run_pending_task() -> bool {
        false
    }

    pub(crate) fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
        (a(), b())
    }

    pub(crate) trait IntoParallelIterator: IntoIterator + Sized {
        fn into_par_iter(self) -> Self::IntoIter {
            self.into_iter()
        }
    }

    impl<T: IntoIterator> IntoParallelIterator for T {}

    pub(crate) trait ParallelSlice<T> {
        fn par_iter(&self) -> Iter<'_, T>;
        fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T>;
    }

    impl<T> ParallelSlice<T> for [T] {
        fn par_iter(&self) -> Iter<'_, T> {
            self.iter()
        }

        fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
            self.chunks_mut(size)
        }
    }
}
