//! How far the reading of a file is.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the images of a file while they are decoded, for whoever looks on from another thread.
///
/// Of several files that are given the same one, it counts all images together.
#[derive(Debug, Default)]
pub struct ImageProgress {
    done: AtomicUsize,
    total: AtomicUsize,
}

impl ImageProgress {
    /// How many images are decoded, and how many are to be; both 0 until that is known.
    pub fn counts(&self) -> (usize, usize) {
        // In this order, so that no more are done than there are.
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
