//! Chance that is the same every time.

/// Numbers that look random, for one question about one instance: they depend neither on other instances nor on other
/// questions, so that a crowd that grows keeps those who were there.
pub(super) struct HashRng(u64);

impl HashRng {
    /// The draw for a question about an instance.
    pub(super) fn new(seed: u64, question: &str, instance: usize) -> Self {
        let mut state = seed ^ 0x9E37_79B9_7F4A_7C15;
        for byte in question.bytes() {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
        let mut draw = Self(state ^ (instance as u64).wrapping_mul(0xD605_BBB5_8C8A_BBFD));
        draw.next();
        draw
    }

    /// Steele, Lea and Flood's splitmix64 (2014).
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to below 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from -1 to below 1.
    pub(super) fn signed_unit(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
}
