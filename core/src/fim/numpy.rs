//! The random numbers of `numpy.random.RandomState`, as far as a FIM data set draws them: MT19937 (Matsumoto and Nishimura 1998), its
//! 53-bit doubles, one Bernoulli draw, and whole numbers below a bound by masking and rejecting.

const SIZE: usize = 624;
const SHIFT: usize = 397;

/// A stream that gives what numpy gives.
#[derive(Debug, Clone)]
pub struct RandomState {
    state: Vec<u32>,
    at: usize,
}

impl RandomState {
    /// `numpy.random.RandomState(seed)`.
    pub fn new(seed: u32) -> Self {
        let mut state = vec![seed; SIZE];
        let mut last = seed;
        for (i, word) in state.iter_mut().enumerate().skip(1) {
            last = 1_812_433_253_u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(i as u32);
            *word = last;
        }
        Self { state, at: SIZE }
    }

    fn word(&self, i: usize) -> u32 {
        self.state.get(i % SIZE).copied().unwrap_or(0)
    }

    fn twist(&mut self) {
        for i in 0..SIZE {
            let y = (self.word(i) & 0x8000_0000) | (self.word(i + 1) & 0x7fff_ffff);
            let odd = if y & 1 == 0 { 0 } else { 0x9908_b0df };
            let next = self.word(i + SHIFT) ^ (y >> 1) ^ odd;
            if let Some(word) = self.state.get_mut(i) {
                *word = next;
            }
        }
        self.at = 0;
    }

    /// The next 32 bits.
    pub fn bits(&mut self) -> u32 {
        if self.at >= SIZE {
            self.twist();
        }
        let mut y = self.word(self.at);
        self.at += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// `random_sample()`.
    pub fn double(&mut self) -> f64 {
        let [high, low] = [self.bits() >> 5, self.bits() >> 6].map(f64::from);
        (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0
    }

    /// `binomial(1, p)`, by inversion. One number is drawn, also for p = 0 and p = 1.
    pub fn bernoulli(&mut self, p: f64) -> bool {
        if p <= 0.5 { self.double() > 1.0 - p } else { self.double() <= 1.0 - (1.0 - p) }
    }

    /// `randint(0, bound)`: nothing is drawn for a bound of 1.
    pub fn below(&mut self, bound: u32) -> u32 {
        let Some(most) = bound.checked_sub(1).filter(|most| *most > 0) else { return 0 };
        let mask = u32::MAX >> most.leading_zeros();
        loop {
            let value = self.bits() & mask;
            if value <= most {
                return value;
            }
        }
    }
}
