//! How often to write a checkpoint: what Young, Daly and others derived, and the minimum of Daly's complete model.
//!
//! Everywhere `cost` is the time that one checkpoint stops training (δ), `mtbf` the mean time between failures (M), `recovery` the
//! time from a failure until training runs again (R), and an interval the computation between two checkpoints (τ), all in seconds.
//! Failures are a Poisson process. What is not a positive finite number gives 0.

use crate::declare::Origin;
use crate::float::elementary::{exp, ln};

/// Where [`young`] comes from.
pub const YOUNG: Origin =
    Origin::Of("Young 1974, “A first order approximation to the optimum checkpoint interval”, CACM 17(9)");
/// Where [`daly`] comes from.
pub const DALY: Origin = Origin::Of(
    "Daly 2006, “A higher order estimate of the optimum checkpoint interval for restart dumps”, FGCS 22(3), eq. 37",
);
/// Where [`efficiency`] and its minimum come from.
pub const COMPLETE: Origin = Origin::Of("Daly 2006, FGCS 22(3), eq. 20, his complete model");

fn positive(numbers: &[f64]) -> bool {
    numbers.iter().all(|n| n.is_finite() && *n > 0.0)
}

/// √(2δM): Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974. The cost is not subtracted.
/// It is also the interval that loses the least time in Saxena, Hukerikar, Blaz and Raj, arXiv 2410.18124.
pub fn young(cost: f64, mtbf: f64) -> f64 {
    if positive(&[cost, mtbf]) { (2.0 * cost * mtbf).sqrt() } else { 0.0 }
}

/// Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", FGCS 22(3), 2006, equation 37:
/// √(2δM)·(1 + ⅓√(δ/2M) + ⅑·δ/2M) − δ for δ < 2M, and M from there on.
pub fn daly(cost: f64, mtbf: f64) -> f64 {
    if !positive(&[cost, mtbf]) {
        return 0.0;
    }
    if cost >= 2.0 * mtbf {
        return mtbf;
    }
    let part = cost / (2.0 * mtbf);
    young(cost, mtbf) * (1.0 + part.sqrt() / 3.0 + part / 9.0) - cost
}

/// −x − ln(1 − x) for 0 ≤ x < 1, also where x is small and the two nearly cancel.
fn bend(x: f64) -> f64 {
    if x > 0.1 {
        return -x - ln(1.0 - x);
    }
    // x²/2 + x³/3 + …: the twentieth term is below 10⁻²⁰ of the first.
    (2..22).rev().fold(0.0, |sum, n| sum * x + 1.0 / f64::from(n)) * x * x
}

/// The minimum of Daly's complete model ([`efficiency`]): M(1 + W₀(−e^(−δ/M − 1))). It does not depend on the recovery.
pub fn exact(cost: f64, mtbf: f64) -> f64 {
    if !positive(&[cost, mtbf]) {
        return 0.0;
    }
    // x = τ/M solves −x − ln(1 − x) = δ/M, whose left side rises from 0.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if bend(middle) < cost / mtbf { low = middle } else { high = middle }
    }
    mtbf * 0.5 * (low + high)
}

/// δ + √(2(M + R)δ + δ²): the interval with the highest availability, Saxena et al., arXiv 2410.18124, abstract. It is counted from
/// the start of one checkpoint to the start of the next.
pub fn availability(cost: f64, mtbf: f64, recovery: f64) -> f64 {
    if !positive(&[cost, mtbf]) || !recovery.is_finite() || recovery < 0.0 {
        return 0.0;
    }
    cost + (2.0 * (mtbf + recovery) * cost + cost * cost).sqrt()
}

/// δ/τ: what checkpoints cost, as SCR prints it. It leaves out the work that is lost.
pub fn overhead(cost: f64, interval: f64) -> f64 {
    if positive(&[interval]) && cost.is_finite() { cost / interval } else { 0.0 }
}

/// eˣ − 1 without cancellation near 0.
fn exp_less_one(x: f64) -> f64 {
    if x > 0.1 {
        return exp(x) - 1.0;
    }
    (1..18).rev().fold(0.0, |sum, n| (sum + 1.0) * x / f64::from(n))
}

/// The part of the time that is useful work in Daly's complete model (his equation 20): τ / (M·e^(R/M)·(e^((τ+δ)/M) − 1)).
/// Failures strike during checkpoints and recoveries too.
pub fn efficiency(interval: f64, cost: f64, mtbf: f64, recovery: f64) -> f64 {
    if !(positive(&[interval, mtbf]) && cost >= 0.0 && recovery >= 0.0) {
        return 0.0;
    }
    interval / (mtbf * exp(recovery / mtbf) * exp_less_one((interval + cost) / mtbf))
}

/// The longest recovery with which this part of the time is still useful; 0 or less where none is short enough.
pub fn longest_recovery(target: f64, interval: f64, cost: f64, mtbf: f64) -> f64 {
    let at_once = efficiency(interval, cost, mtbf, 0.0);
    if positive(&[target, at_once]) { mtbf * ln(at_once / target) } else { 0.0 }
}

/// The mean time between failures of a system that any of its parts stops: 1 / Σ nᵢ/Mᵢ, over counts and mean times.
pub fn system(parts: &[(f64, f64)]) -> f64 {
    let rate: f64 = parts.iter().filter(|(n, m)| positive(&[*n, *m])).map(|(n, m)| n / m).sum();
    if rate > 0.0 { 1.0 / rate } else { 0.0 }
}
