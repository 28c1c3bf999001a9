//! Which replica a request goes to.

use std::cmp::Reverse;

use crate::options;

/// How a router chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// One after another.
    #[default]
    RoundRobin,
    /// The one with the least to do.
    LeastLoaded,
    /// The one that has the longest beginning of the prompt in its cache, unless it is overloaded.
    Prefix,
}

options!(Policy {
    RoundRobin: "round-robin", "round robin";
    LeastLoaded: "least-loaded", "least loaded";
    Prefix: "prefix", "prefix-aware";
});

/// What a router takes for the load of a replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Load {
    /// Requests that have not finished.
    Requests,
    /// Tokens of their prompts and of what they have answered.
    #[default]
    Tokens,
}

options!(Load {
    Requests: "requests", "outstanding requests";
    Tokens: "tokens", "outstanding tokens";
});

/// What a router sees of a replica when a request comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Signal {
    /// Requests that have not finished.
    pub requests: u64,
    /// Tokens of their prompts that are still to be computed.
    pub queued: u64,
    /// All tokens of these requests.
    pub tokens: u64,
    /// Tokens of the new prompt that are in the cache.
    pub cached: u64,
}

/// A router in front of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Router {
    /// How it chooses.
    pub policy: Policy,
    /// What it takes for load.
    pub load: Load,
    /// Times the mean load from which on the owner of a prefix is passed over; 0 for never.
    pub bound: f64,
    next: usize,
}

impl Router {
    /// A router that has not chosen yet.
    pub const fn new(policy: Policy, load: Load, bound: f64) -> Self {
        Self { policy, load, bound, next: 0 }
    }

    fn amount(&self, signal: &Signal) -> u64 {
        if self.load == Load::Requests { signal.requests } else { signal.tokens }
    }

    /// The number of the replica among these; none of none. Ties go to the first.
    ///
    /// As doublewordai/inference-lab's `src/router/mod.rs` at 24d4011 has it where load is counted in requests: the fewest requests, then the
    /// fewest prompt tokens to compute; the longest cached prefix, then the fewest requests; past the bound the least loaded.
    pub fn choose(&mut self, signals: &[Signal]) -> Option<usize> {
        let all = 0..signals.len();
        let at = |i: &usize| signals.get(*i).copied().unwrap_or_default();
        let least = all.clone().min_by_key(|i| (self.amount(&at(i)), at(i).queued))?;
        match self.policy {
            Policy::RoundRobin => {
                let chosen = self.next % signals.len();
                self.next = chosen + 1;
                Some(chosen)
            }
            Policy::LeastLoaded => Some(least),
            Policy::Prefix => {
                let owners = all.filter(|i| at(i).cached > 0);
                let Some(owner) = owners.min_by_key(|i| (Reverse(at(i).cached), self.amount(&at(i)))) else {
                    return Some(least);
                };
                let mean = signals.iter().map(|s| self.amount(s) as f64).sum::<f64>() / signals.len() as f64;
                let is_over = self.bound > 0.0 && self.amount(&at(&owner)) as f64 > self.bound * mean;
                Some(if is_over { least } else { owner })
            }
        }
    }
}
