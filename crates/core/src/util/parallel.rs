//! Parallel loops: rayon's with the `parallel` feature, sequential ones of the same names without it.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

#[cfg(feature = "parallel")]
pub(crate) use rayon::{current_num_threads, join, prelude::*};

#[cfg(not(feature = "parallel"))]
pub(crate) use sequential::*;

/// Waits until the cell is set, for a time at most. Meanwhile the thread runs other tasks of its pool.
pub fn wait_for<T>(cell: &OnceLock<T>, timeout: Duration) -> Option<&T> {
    #[cfg(feature = "parallel")]
    let runs_task = || rayon::yield_now() == Some(rayon::Yield::Executed);
    #[cfg(not(feature = "parallel"))]
    let runs_task = || false;
    let start = Instant::now();
    while cell.get().is_none() && start.elapsed() < timeout {
        if !runs_task() {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    cell.get()
}

#[cfg(not(feature = "parallel"))]
mod sequential {
    use std::slice::{ChunksMut, Iter};

    pub(crate) fn current_num_threads() -> usize {
        1
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_until_another_thread_sets_the_cell_or_the_time_is_over() {
        let cell = OnceLock::new();
        assert_eq!(wait_for(&cell, Duration::from_millis(1)), None);
        std::thread::scope(|scope| {
            scope.spawn(|| cell.set(7));
            assert_eq!(wait_for(&cell, Duration::from_secs(60)), Some(&7));
        });
    }
}
