//! What the figure says, in sentences.

use super::figure::{Bench, Params, Shown, View};
use crate::quantity::{Unit, grouped};

fn percent(part: f64) -> String {
    Unit::Fraction.format(part)
}

impl Params {
    /// What the figure shows.
    pub fn finding(&self, shown: &Shown) -> String {
        match self.view {
            View::Estimate => self.one(shown),
            View::Draws => self.draws(shown),
            View::Benchmark => self.benchmark(&shown.bench),
        }
    }

    fn one(&self, shown: &Shown) -> String {
        let [low, high] = shown.interval.map(percent);
        let k = self.k;
        let all = if self.n - self.c < k && self.c > 0 {
            format!(
                " Fewer than {k} samples failed, so every choice of {k} has one that passed: the estimate is 100% whatever p is."
            )
        } else {
            String::new()
        };
        format!(
            "Of {} samples {} passed: pass@{k} is {} without bias, and 1 − (1 − p̂)^{k} says {}. The 95% interval for this one problem is \
             {low} to {high}.{all}",
            grouped(self.n),
            grouped(self.c),
            percent(shown.unbiased),
            percent(shown.plug_in),
        )
    }

    fn draws(&self, shown: &Shown) -> String {
        let [fair, biased] = shown.scatter;
        let truth = percent(shown.plug_in);
        let k = self.k;
        format!(
            "If {} of all samples pass, pass@{k} is {truth}; over draws of {} samples 1 − (1 − p̂)^{k} is {} on average, too low by {}. The \
             unbiased estimate is {} on average, and one draw lies {} from it (standard deviation; the other {}).",
            percent(self.rate()),
            grouped(self.n),
            percent(biased.mean),
            percent((shown.plug_in - biased.mean).max(0.0)),
            percent(fair.mean),
            percent(fair.deviation),
            percent(biased.deviation),
        )
    }

    fn benchmark(&self, bench: &Bench) -> String {
        let [low, high] = bench.score.interval.map(percent);
        let (k, problems) = (bench.k, grouped(bench.counted.len() as u64));
        let whose = if bench.rates.is_empty() {
            format!("Your {problems} problems")
        } else {
            format!(
                "{problems} problems, {} samples per problem at temperature {}",
                grouped(self.n),
                crate::quantity::number(self.temperature)
            )
        };
        let truth = if bench.rates.is_empty() {
            String::new()
        } else {
            format!(" With endless samples it would be {}.", percent(bench.truth()))
        };
        let cut = if k < self.k { format!(" k is {k}, because a problem has no more samples.") } else { String::new() };
        let unread = match (bench.unread, bench.rates.is_empty()) {
            (0, _) => String::new(),
            (_, false) => "Nothing you pasted could be read, so this is the example. ".to_owned(),
            (1, true) => "One of your lines could not be read, so the score is that of the others. ".to_owned(),
            (n, true) => {
                format!("{} of your lines could not be read, so the score is that of the others. ", grouped(n as u64))
            }
        };
        format!(
            "{unread}{whose}: pass@{k} is {}, with a 95% interval of {low} to {high}.{truth}{cut} The interval is that of other problems of the same \
             kind; more samples do not make it narrower than the problems differ.",
            percent(bench.score.unbiased)
        )
    }
}
