//! What a schedule comes to for those who asked and for who pays.

use super::requests::Request;
use super::simulate::{Outcome, Schedule, Use};

/// What users are promised.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Slo {
    /// Seconds to the first token.
    pub first: f64,
    /// Seconds for each token after it, on average over an answer.
    pub token: f64,
}

impl Outcome {
    /// Seconds to the first token (TTFT).
    pub fn first(&self, request: &Request) -> f64 {
        self.tokens.first().map_or(0.0, |at| at - request.arrival)
    }

    /// Seconds for each token after the first, on average (TPOT); 0 for an answer of one token.
    pub fn per_token(&self) -> f64 {
        match (self.tokens.first(), self.tokens.last()) {
            (Some(first), Some(last)) if self.tokens.len() > 1 => (last - first) / (self.tokens.len() - 1) as f64,
            _ => 0.0,
        }
    }

    /// Whether both promises were kept.
    pub fn keeps(&self, request: &Request, slo: Slo) -> bool {
        self.first(request) <= slo.first && self.per_token() <= slo.token
    }
}

/// The value below which the share `p` of all lie, by the nearest rank; 0 of none.
pub fn percentile(values: impl Iterator<Item = f64>, p: f64) -> f64 {
    let mut all: Vec<f64> = values.collect();
    all.sort_by(f64::total_cmp);
    let rank = (p * all.len() as f64).ceil() as usize;
    all.get(rank.max(1) - 1).copied().unwrap_or(0.0)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if count == 0.0 { 0.0 } else { sum / count }
}

impl Schedule {
    /// From the first arrival to the last token, in seconds.
    pub fn makespan(&self) -> f64 {
        self.steps.iter().map(|step| step.to).fold(0.0, f64::max)
    }

    fn pairs(&self) -> impl Iterator<Item = (&Request, &Outcome)> {
        self.requests.iter().zip(&self.outcomes)
    }

    /// Seconds to the first token of each request.
    pub fn firsts(&self) -> impl Iterator<Item = f64> + '_ {
        self.pairs().map(|(request, outcome)| outcome.first(request))
    }

    /// Seconds for each token after the first, of each request with more than one.
    pub fn per_tokens(&self) -> impl Iterator<Item = f64> + '_ {
        self.outcomes.iter().filter(|o| o.tokens.len() > 1).map(Outcome::per_token)
    }

    /// Seconds between two tokens of an answer, all of them.
    pub fn gaps(&self) -> impl Iterator<Item = f64> + '_ {
        self.outcomes.iter().flat_map(|o| o.tokens.windows(2).map(|pair| pair[1] - pair[0]))
    }

    /// The mean time to the first token, in seconds.
    pub fn mean_first(&self) -> f64 {
        mean(self.firsts())
    }

    /// The mean time for each token after it, in seconds.
    pub fn mean_per_token(&self) -> f64 {
        mean(self.per_tokens())
    }

    /// Tokens of answers a second.
    pub fn throughput(&self) -> f64 {
        self.over_makespan(self.outcomes.iter().map(|o| o.tokens.len() as f64).sum())
    }

    /// Requests a second.
    pub fn rate(&self) -> f64 {
        self.over_makespan(self.requests.len() as f64)
    }

    /// The share of requests for which both promises were kept.
    pub fn attained(&self, slo: Slo) -> f64 {
        mean(self.pairs().map(|(request, outcome)| f64::from(u8::from(outcome.keeps(request, slo)))))
    }

    /// Requests a second for which both promises were kept.
    pub fn goodput(&self, slo: Slo) -> f64 {
        self.rate() * self.attained(slo)
    }

    fn over_makespan(&self, what: f64) -> f64 {
        let time = self.makespan();
        if time > 0.0 { what / time } else { 0.0 }
    }

    /// The share that this use has of all slots' time while somebody had them.
    pub fn share(&self, used: Use) -> f64 {
        let long = |of: Option<Use>| -> f64 {
            self.spans.iter().filter(|s| of.is_none_or(|u| u == s.used)).map(|s| s.to - s.from).sum()
        };
        let all = long(None);
        if all > 0.0 { long(Some(used)) / all } else { 0.0 }
    }

    /// Requests that a step decodes, on average over the steps that do.
    pub fn mean_batch(&self) -> f64 {
        let decoding = |step: &super::simulate::Moment| step.batch.work.iter().filter(|w| w.decode).count() as f64;
        mean(self.steps.iter().map(decoding).filter(|n| *n > 0.0))
    }

    /// The fewest blocks that were free during a step.
    pub fn fewest_free(&self) -> usize {
        self.steps.iter().map(|step| step.batch.free).min().unwrap_or(self.blocks)
    }

    /// How often a request lost its blocks.
    pub fn preemptions(&self) -> u32 {
        self.outcomes.iter().map(|o| o.preempted).sum()
    }

    /// Tokens of prompts that were found in the cache.
    pub fn found(&self) -> u64 {
        self.steps.iter().map(|step| step.batch.found).sum()
    }

    /// Tokens of prompts, and of answers that were computed again, that steps computed.
    pub fn prefilled(&self) -> u64 {
        let work = self.steps.iter().flat_map(|step| &step.batch.work);
        work.filter(|work| !work.decode).map(|work| work.chunk.new).sum()
    }
}
