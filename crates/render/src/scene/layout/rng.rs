//! Deterministic per-instance random numbers.

use rigview_core::util::hash::{fnv1a, splitmix64};

/// Random numbers for one property of one instance. They do not depend on other instances, so that a growing crowd
/// keeps its existing instances.
pub(super) struct HashRng(u64);

impl HashRng {
    /// Creates the generator of a property of an instance.
    pub(super) fn new(seed: u64, property: &str, instance: usize) -> Self {
        let state = fnv1a(seed ^ 0x9E37_79B9_7F4A_7C15, property.bytes());
        let mut rng = Self(state ^ (instance as u64).wrapping_mul(0xD605_BBB5_8C8A_BBFD));
        splitmix64(&mut rng.0);
        rng
    }

    /// Returns a number in 0..1.
    pub(super) fn unit(&mut self) -> f64 {
        (splitmix64(&mut self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number in -1..1.
    pub(super) fn signed_unit(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
}
