//! Numbers that look random and are the same every time.

/// What SplitMix64 adds to its state for each number: 2⁶⁴ divided by the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's finalizer (Steele, Lea and Flood 2014): every bit of the result depends on every bit of `z`.
pub const fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A stream of numbers from a seed: SplitMix64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    /// The stream of this seed.
    pub const fn new(seed: u64) -> Self {
        Self(mix(seed.wrapping_add(STEP)))
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// Uniform, 0 ≤ u < 1, with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// About normal, mean 0 and deviation 1, between −6 and 6: the sum of twelve uniform numbers less 6. Additions alone,
    /// because logarithms differ between machines in their last bit.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// A whole number below `n`; 0 if `n` is.
    pub const fn below(&mut self, n: u64) -> u64 {
        ((self.bits() as u128 * n as u128) >> 64) as u64
    }

    /// Puts them into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for i in (1..all.len()).rev() {
            all.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}
