//! Scaling laws: how large a model and how many tokens a budget of FLOPs is best spent on, and what else may decide.
//!
//! Training costs C = 6ND FLOPs for N parameters and D tokens. A law says which of the pairs with this product has the lowest
//! loss. [`law`] has the published ones, [`fit`] the surface under those that have one, [`data`] what repeated text is worth,
//! [`serving`] the model that is cheapest to train and to serve, [`runs`] what was trained.

pub mod data;
pub mod fit;
pub mod law;
mod params;
pub mod runs;
pub mod serving;
#[cfg(test)]
mod tests;

pub use fit::{Fit, Point};
pub use law::Law;
pub use params::{Params, Show};

use crate::quantity::{Unit, number, unbroken};

/// FLOPs of training for each pair of a parameter and a token: 2 forward, 4 backward (Kaplan et al. 2020, §2.1).
pub const PER_PAIR: f64 = 6.0;

/// FLOPs of a petaFLOP/s for a day, the unit of Kaplan et al.
pub const PF_DAY: f64 = 1e15 * 86_400.0;

/// Points of a curve.
pub const POINTS: usize = 97;

/// What the law says of a budget, and of one model that it could be spent on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The law.
    pub law: Law,
    /// The surface that losses are read from: the law's own, or Besiroglu's where it has none.
    pub surface: Fit,
    /// The model in question, and the tokens that the budget leaves for it.
    pub here: Point,
    /// Tokens of distinct text.
    pub unique: f64,
    /// Tokens to be served.
    pub served: f64,
    /// The law's optimum with unlimited text.
    pub optimum: Point,
    /// The surface's optimum with the text that there is.
    pub limited: Point,
    /// The model of the same loss as `here`, with the same text, that is cheapest to train and serve.
    pub lean: Point,
}

impl Outcome {
    /// What the law says of `compute` FLOPs spent on a model of `params` parameters, with `unique` tokens of text and
    /// `served` tokens to be served.
    pub fn new(law: Law, compute: f64, params: f64, unique: f64, served: f64) -> Self {
        let surface = law.surface().unwrap_or(Fit::REFIT);
        let here = Point { params, tokens: compute / (PER_PAIR * params) };
        Self {
            law,
            surface,
            here,
            unique,
            served,
            optimum: law.optimum(compute),
            limited: data::optimum(&surface, compute, unique),
            lean: serving::leanest(&surface, here, unique, served),
        }
    }

    /// The budget in FLOPs.
    pub fn compute(&self) -> f64 {
        self.here.compute()
    }

    /// The loss at a point, with the text that there is.
    pub fn loss(&self, at: Point) -> f64 {
        data::loss(&self.surface, at, self.unique)
    }

    /// FLOPs with which an optimal run with unlimited text reaches the loss of the model in question.
    pub fn worth(&self) -> f64 {
        self.surface.compute_for(self.loss(self.here)).unwrap_or_else(|| self.compute())
    }

    /// How often the text is read, at least once.
    pub fn epochs(&self, at: Point) -> f64 {
        (at.tokens / self.unique).max(1.0)
    }

    /// FLOPs of training and serving the model in question.
    pub fn total(&self) -> f64 {
        serving::total(self.here, self.served)
    }

    /// The loss over the size of the model for a budget: an isoFLOP curve, from a hundredth to a hundred times the optimum.
    pub fn iso_flop(&self, compute: f64) -> Vec<(f64, f64)> {
        let middle = self.surface.optimum(compute).params;
        spread(middle / 100.0, middle * 100.0)
            .map(|params| (params, self.loss(Point { params, tokens: compute / (PER_PAIR * params) })))
            .collect()
    }

    /// Training and serving over the size of the model, all with the loss of the one in question: size, FLOPs of training,
    /// FLOPs in all. Sizes that cannot reach the loss are left out.
    pub fn same_loss(&self) -> Vec<(f64, f64, f64)> {
        let loss = self.loss(self.here);
        let (least, most) = (self.lean.params.min(self.here.params), self.lean.params.max(self.here.params));
        let dearest = 100.0 * self.lean.compute();
        let point = |params| {
            let tokens = data::tokens_for(&self.surface, params, loss, self.unique)?;
            let at = Point { params, tokens };
            (at.compute() < dearest).then(|| (params, at.compute(), serving::total(at, self.served)))
        };
        spread(least / 30.0, most * 10.0).filter_map(point).collect()
    }

    /// What the text is worth over how often it is read: passes, and tokens as good as new, up to 64 passes.
    pub fn repeated(&self) -> Vec<(f64, f64)> {
        spread(1.0, 64.0)
            .map(|passes| (passes, data::worth(passes * self.unique, self.unique, data::REPEAT_TOKENS)))
            .collect()
    }

    /// What the laws say of this budget beside each other, in sentences.
    pub fn frontier_finding(&self) -> String {
        let count = |value| unbroken(&Unit::Count.format(value));
        let sizes = || Law::ALL.into_iter().map(|law| (law, law.optimum(self.compute()).params));
        let smaller = sizes().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((self.law, 0.0));
        let larger = sizes().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((self.law, 0.0));
        format!(
            "With {} the laws disagree by a factor of {}: {} asks for {} parameters, {} for {}. {} asks for {} parameters and {} tokens.",
            unbroken(&Unit::Flop.format(self.compute())),
            number(larger.1 / smaller.1),
            smaller.0.label(),
            count(smaller.1),
            larger.0.label(),
            count(larger.1),
            self.law.label(),
            count(self.optimum.params),
            count(self.optimum.tokens),
        )
    }

    /// What the law says here, in sentences.
    pub fn finding(&self) -> String {
        let count = |value| unbroken(&Unit::Count.format(value));
        let loss = self.loss(self.here);
        let mut text = format!(
            "{} parameters on {} tokens, {} for each, reach a loss of {loss:.3}. {} spends this budget on {} parameters and {} \
             tokens, {} for each: {:.3}.",
            count(self.here.params),
            count(self.here.tokens),
            number(self.here.ratio()),
            self.law.label(),
            count(self.optimum.params),
            count(self.optimum.tokens),
            number(self.optimum.ratio()),
            self.loss(self.optimum),
        );
        if self.here.tokens > self.unique {
            text += &format!(
                " There are only {} tokens of text, so the run reads them {} times, which is worth {} new tokens.",
                count(self.unique),
                number(self.epochs(self.here)),
                count(data::effective(&self.surface, self.here, self.unique).tokens),
            );
        }
        if self.served > 0.0 {
            text += &format!(
                " With {} tokens to serve, {} parameters on {} tokens come to the same loss for {} instead of {}.",
                count(self.served),
                count(self.lean.params),
                count(self.lean.tokens),
                unbroken(&Unit::Flop.format(serving::total(self.lean, self.served))),
                unbroken(&Unit::Flop.format(self.total())),
            );
        }
        text
    }
}

/// [`POINTS`] sizes from one to another, equally far apart in their logarithm.
fn spread(from: f64, to: f64) -> impl Iterator<Item = f64> {
    let steps = (POINTS - 1) as f64;
    (0..POINTS).map(move |i| from * (to / from).powf(i as f64 / steps))
}
