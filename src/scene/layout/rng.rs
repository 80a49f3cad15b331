//! Chance that is the same every time.

use crate::util::hash::{fnv1a, splitmix64};

/// Numbers that look random, for one question about one instance: they depend neither on other instances nor on other
/// questions, so that a crowd that grows keeps those who were there.
pub(super) struct HashRng(u64);

impl HashRng {
    /// The draw for a question about an instance.
    pub(super) fn new(seed: u64, question: &str, instance: usize) -> Self {
        let state = fnv1a(seed ^ 0x9E37_79B9_7F4A_7C15, question.bytes());
        let mut draw = Self(state ^ (instance as u64).wrapping_mul(0xD605_BBB5_8C8A_BBFD));
        splitmix64(&mut draw.0);
        draw
    }

    /// A number from 0 to below 1.
    pub(super) fn unit(&mut self) -> f64 {
        (splitmix64(&mut self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from -1 to below 1.
    pub(super) fn signed_unit(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
}
