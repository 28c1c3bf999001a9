//! What the figure says, in sentences.

use super::{Outcome, Params, Policy};
use crate::quantity::{Unit, capital, counted, number};

fn share(fraction: f64) -> String {
    Unit::Fraction.format(fraction)
}

fn seconds(value: f64) -> String {
    Unit::Seconds.format(value)
}

impl Params {
    /// What the figure shows.
    pub fn finding(&self, o: &Outcome) -> String {
        let run = &o.run;
        let rate = run.hit_rate();
        let p99 = run.first(0.99);
        let promise = if p99 <= self.first { "within" } else { "above" };
        let mut text = format!(
            "{}: {} of the prompt tokens come from a cache, of {} that were seen before. The first token takes {} at the 99th percentile, {promise} the \
             target of {}.",
            capital(self.policy.label()),
            share(rate),
            share(o.reusable),
            seconds(p99),
            seconds(self.first)
        );
        let imbalance = self.imbalance(run);
        if imbalance > 1.25 {
            text += &format!(" The busiest replica works {}× as long as the mean of its pool.", number(imbalance));
        }
        if self.prefill > 0 && !run.transfers.is_empty() {
            let mean = run.transfers.iter().sum::<f64>() / run.transfers.len() as f64;
            text += &format!(" A cache takes {} from the prefill pool to the decode pool.", seconds(mean));
        }
        if let Some(calm) = o.calm {
            let retried = run.retried() as u64;
            text += &if retried > 0 {
                format!(
                    " {} started again elsewhere because a replica died, and without the failure the 99th percentile would be {}.",
                    counted(retried, "request", "requests"),
                    seconds(calm)
                )
            } else {
                " The replica dies while it has no request.".to_owned()
            };
        }
        if self.policy == Policy::RoundRobin && self.replicas > self.prefill.max(1) && rate + 0.1 < o.reusable {
            text += " The router doesn’t know which replica has a session’s cache, so most turns are computed from the start.";
        }
        text
    }
}
