//! Progress of image decoding.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts decoded images; other threads can read it.
///
/// Imports that share one instance are counted together.
#[derive(Debug, Default)]
pub struct ImageProgress {
    done: AtomicUsize,
    total: AtomicUsize,
}

impl ImageProgress {
    /// Returns the number of decoded images and the total; both are 0 until the total is known.
    pub fn counts(&self) -> (usize, usize) {
        // Loaded in this order, so that `done` never exceeds `total`.
        let done = self.done.load(Ordering::Acquire);
        (done, self.total.load(Ordering::Acquire))
    }

    pub(super) fn expect(&self, images: usize) {
        self.total.fetch_add(images, Ordering::Release);
    }

    pub(super) fn count_one(&self) {
        self.done.fetch_add(1, Ordering::Release);
    }
}
