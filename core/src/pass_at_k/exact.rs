//! pass@k to the last bit, by whole numbers as long as they need to be, and what shorter ways make of it.

use super::estimate::of;

/// A whole number in digits of 32 bits, the lowest first, without zeros at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Whole(Vec<u32>);

impl Whole {
    fn trim(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    fn times(mut self, factor: u64) -> Self {
        let mut carry: u128 = 0;
        for digit in &mut self.0 {
            carry += u128::from(*digit) * u128::from(factor);
            *digit = carry as u32;
            carry >>= 32;
        }
        while carry > 0 {
            self.0.push(carry as u32);
            carry >>= 32;
        }
        self
    }

    /// Divided by what divides it without rest.
    fn over(mut self, divisor: u64) -> Self {
        let mut rest: u128 = 0;
        for digit in self.0.iter_mut().rev() {
            rest = (rest << 32) | u128::from(*digit);
            *digit = (rest / u128::from(divisor)) as u32;
            rest %= u128::from(divisor);
        }
        self.trim()
    }

    fn less(&self, other: &Self) -> bool {
        let key = |w: &Self| (w.0.len(), w.0.iter().rev().copied().collect::<Vec<_>>());
        key(self) < key(other)
    }

    /// Less `other`, which is not larger.
    fn minus(mut self, other: &Self) -> Self {
        let mut borrow = 0_i64;
        for (i, digit) in self.0.iter_mut().enumerate() {
            let value = i64::from(*digit) - i64::from(other.0.get(i).copied().unwrap_or(0)) + borrow;
            *digit = value as u32;
            borrow = value >> 32;
        }
        self.trim()
    }

    /// n over k.
    fn choose(n: u64, k: u64) -> Self {
        let k = k.min(n.saturating_sub(k));
        (1..=k).fold(Self(vec![1]), |all, i| all.times(n - k + i).over(i))
    }

    /// `self` over `other`, at most 1, rounded once.
    fn ratio(&self, other: &Self) -> f64 {
        const BITS: u32 = 120;
        if self == other {
            return 1.0;
        }
        let (mut rest, mut quotient) = (self.clone(), 0_u128);
        for _ in 0..BITS {
            rest = rest.times(2);
            quotient <<= 1;
            if !rest.less(other) {
                rest = rest.minus(other);
                quotient |= 1;
            }
        }
        // What is left below the last bit decides between two neighbours at most when they are equally near.
        let sticky = u128::from(!rest.0.is_empty());
        (quotient | sticky) as f64 / 2_f64.powi(BITS as i32)
    }

    fn digits(&self) -> u32 {
        let (mut rest, mut count) = (self.clone(), 0);
        while !rest.0.is_empty() {
            rest = rest.over(10);
            count += 1;
        }
        count
    }
}

/// (C(n, k) − C(n−c, k)) / C(n, k), rounded once. `n ≥ c`, `n ≥ k ≥ 1`.
pub fn exact(n: u64, c: u64, k: u64) -> f64 {
    if n - c < k {
        return 1.0;
    }
    let all = Whole::choose(n, k);
    let fail = Whole::choose(n - c, k);
    all.clone().minus(&fail).ratio(&all)
}

/// Decimal digits of C(n, k).
pub fn digits(n: u64, k: u64) -> u32 {
    Whole::choose(n, k).digits()
}

/// A way to compute it, and what comes of it: nothing where infinity is divided by infinity.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// What it is called.
    pub name: &'static str,
    /// Its result; NaN where it has none.
    pub value: f64,
}

/// The ways, the exact one first.
pub fn ways(n: u64, c: u64, k: u64) -> [Way; 4] {
    let factorial = |n: u64| (1..=n).map(|i| i as f64).product::<f64>();
    let binomial = |n: u64, k: u64| if n < k { 0.0 } else { factorial(n) / (factorial(k) * factorial(n - k)) };
    let single =
        if n - c < k { 1.0 } else { 1.0 - (n - c + 1..=n).map(|i| 1.0 - k as f32 / i as f32).product::<f32>() };
    [
        Way { name: "whole numbers of any length", value: exact(n, c, k) },
        Way { name: "the product, in fp64", value: of(n, c, k) },
        Way { name: "the product, in fp32", value: f64::from(single) },
        Way { name: "factorials, in fp64", value: 1.0 - binomial(n - c, k) / binomial(n, k) },
    ]
}
