//! Bound of the images of a report.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum bytes of the goldens of passed shots.
const MAX_PASSED_BYTES: usize = 256 << 20;
/// Maximum number of shots with all images. Others have the actual image and a thumbnail, which `--accept` and the page need.
const MAX_COMPARED_SHOTS: usize = 200;

/// The images that a report has so far.
#[derive(Default)]
pub struct ImageBudget {
    passed_bytes: AtomicUsize,
    compared_shots: AtomicUsize,
}

impl ImageBudget {
    /// Returns `true` if the report takes the golden of a passed shot, in full size.
    pub fn takes_golden(&self, bytes: usize) -> bool {
        self.passed_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= MAX_PASSED_BYTES
    }

    /// Returns `true` if the report takes the golden and the difference of another shot that did not pass.
    pub fn takes_comparison(&self) -> bool {
        self.compared_shots.fetch_add(1, Ordering::Relaxed) < MAX_COMPARED_SHOTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_bounded() {
        let budget = ImageBudget::default();
        assert_eq!((0..1000).filter(|_| budget.takes_comparison()).count(), MAX_COMPARED_SHOTS);
        assert!(budget.takes_golden(MAX_PASSED_BYTES) && !budget.takes_golden(1));
    }
}
