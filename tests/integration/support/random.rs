//! Deterministic random numbers.

/// The SplitMix64 generator.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// An integer in `0..end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() % end.max(1) as u64) as usize
    }

    /// A single-precision number in a range.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        let fraction = (self.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        f64::from((low + fraction * (high - low)) as f32)
    }

    /// Numbers in a range.
    pub(crate) fn numbers(&mut self, count: usize, low: f64, high: f64) -> Vec<f64> {
        (0..count).map(|_| self.between(low, high)).collect()
    }

    /// A unit quaternion.
    pub(crate) fn rotation(&mut self) -> Vec<f64> {
        loop {
            let q = self.numbers(4, -1.0, 1.0);
            let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (0.1..=1.0).contains(&length) {
                return q.iter().map(|x| f64::from((x / length) as f32)).collect();
            }
        }
    }
}
