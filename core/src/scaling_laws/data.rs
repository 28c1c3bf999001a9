//! What repeated text is worth, and a parameter too many for the text there is.

use super::fit::{Fit, Point};
use crate::declare::Origin;

/// Where the worth of repeated text comes from.
pub const ORIGIN: Origin =
    Origin::Of("Muennighoff et al. 2023, arXiv:2305.16264, eq. 5 and 6 (§3.1), constants from appendix A");

/// R*_D: after so many repetitions a further one is worth 1/e of new text.
pub const REPEAT_TOKENS: f64 = 15.387_756;

/// R*_N: the same for parameters beyond those that the distinct text could train optimally.
pub const REPEAT_PARAMS: f64 = 5.309_743;

/// `used` of which only `distinct` are new, in units that are worth as much as new ones:
/// D′ = U + U · R* · (1 − exp(−R / R*)) with R = D/U − 1.
pub fn worth(used: f64, distinct: f64, star: f64) -> f64 {
    if used <= distinct {
        return used;
    }
    let repetitions = used / distinct - 1.0;
    distinct + distinct * star * -(-repetitions / star).exp_m1()
}

/// Parameters and tokens as the law of unlimited text has to be asked for them when there are `unique` tokens of it.
pub fn effective(fit: &Fit, at: Point, unique: f64) -> Point {
    if at.tokens <= unique {
        return at;
    }
    let enough = fit.params_for(unique);
    Point { params: worth(at.params, enough, REPEAT_PARAMS), tokens: worth(at.tokens, unique, REPEAT_TOKENS) }
}

/// The loss with `unique` tokens of text, repeated where the run is longer.
pub fn loss(fit: &Fit, at: Point, unique: f64) -> f64 {
    fit.loss(effective(fit, at, unique))
}

/// How many must be used for them to be worth `wanted` new ones: [`worth`] the other way round; none if no repetition is.
fn used_for(wanted: f64, distinct: f64, star: f64) -> Option<f64> {
    if wanted <= distinct {
        return Some(wanted);
    }
    let used = distinct * (1.0 - star * (-(wanted / distinct - 1.0) / star).ln_1p());
    used.is_finite().then_some(used)
}

/// The tokens on which a model of `params` reaches `loss` when `unique` of them are distinct; none if it never does.
pub fn tokens_for(fit: &Fit, params: f64, loss: f64, unique: f64) -> Option<f64> {
    let tokens = fit.tokens_for(params, loss)?;
    if tokens <= unique {
        return Some(tokens);
    }
    let params = worth(params, fit.params_for(unique), REPEAT_PARAMS);
    used_for(fit.tokens_for(params, loss)?, unique, REPEAT_TOKENS)
}

/// The best model for a budget when there are `unique` tokens: a search by golden section over the logarithm of its size.
pub fn optimum(fit: &Fit, compute: f64, unique: f64) -> Point {
    let free = fit.optimum(compute);
    if free.tokens <= unique {
        return free;
    }
    let at = |ln: f64| {
        let params = ln.exp();
        Point { params, tokens: compute / (super::PER_PAIR * params) }
    };
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    // Fewer parameters than without the limit only mean more repetitions, more than a thousand times as many are never best.
    let (mut low, mut high) = (free.params.ln() - 7.0, free.params.ln() + 7.0);
    for _ in 0..80 {
        let step = golden * (high - low);
        let (left, right) = (high - step, low + step);
        if loss(fit, at(left), unique) <= loss(fit, at(right), unique) {
            high = right;
        } else {
            low = left;
        }
    }
    at(f64::midpoint(low, high))
}
