//! `fleet`: a router in front of replicas, sessions that come back with a longer prompt, pools for prefill and decoding, a replica that dies.
//!
//! A session asks, waits for the answer, and asks again after a while. Its prompt is all that was said before and some new tokens, and all
//! sessions begin with the same system prompt. So a replica that answered the last turn has most of the next prompt in its prefix cache,
//! and any other has to compute it. A router decides: round robin, the least loaded, or the one with the longest cached prefix, which is passed
//! over while its load is above a bound (as `cache_aware` of SGLang's gateway and vLLM's router, and the prefix scorer of llm-d, trade the two).
//!
//! Each replica is a [`Scheduler`](super::scheduler::Scheduler) with a pool of blocks as large as its memory, from which the block that was
//! given back first is taken first, so prefixes are dropped by age. Steps take what [`super::step`] says. With a prefill pool a prompt is
//! computed there up to its first token, and its cache is sent to a replica that decodes, as a whole and one after another through
//! the sender's port. When a replica dies, its caches and answers are lost; the router notices after a while, and sends its
//! requests to others, which begin them anew. It comes back with an empty cache.
//!
//! Left out: the time that a router takes (it knows every cache and every load as they are), the network in front of it, caches in
//! host memory ([`super::tiers`]), and answers that go on elsewhere from their last token.

mod finding;
mod params;
pub mod router;
mod simulate;
#[cfg(test)]
mod tests;

use super::machine::Machine;
use super::requests::{Lengths, Request};
use super::step::Engine;
use crate::float::elementary::ln;
use crate::hardware::links::{self, Link};
use crate::mix::Stream;
use crate::quantity::{counted, grouped};
pub use router::{Load, Policy, Router, Signal};
pub use simulate::{Asked, Piece, Run, What, run};

/// Most sessions.
pub const MOST_SESSIONS: u64 = 200;
/// Most turns of a session.
pub const MOST_TURNS: u64 = 16;
/// Most replicas.
pub const MOST_REPLICAS: u64 = 16;

/// The state of the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// The machine of a replica.
    pub machine: Machine,
    /// How the router chooses.
    pub policy: Policy,
    /// What it takes for load.
    pub load: Load,
    /// Times the mean load from which on the owner of a prefix is passed over; 0 for never.
    pub bound: f64,
    /// Replicas.
    pub replicas: u64,
    /// So many of them only compute prompts; 0 if all do everything.
    pub prefill: u64,
    /// The link between the pools, a port per GPU.
    pub net: &'static Link,
    /// Seconds until the last replica dies; 0 for never.
    pub dies: f64,
    /// Seconds until it is back.
    pub down: f64,
    /// Seconds until the router notices.
    pub detect: f64,
    /// Sessions.
    pub sessions: u64,
    /// Turns of each.
    pub turns: u64,
    /// Sessions that begin per second.
    pub rate: f64,
    /// Seconds between an answer and the next turn, on average.
    pub think: f64,
    /// New prompt tokens of a turn, on average.
    pub prompt: u64,
    /// Tokens of an answer, on average.
    pub output: u64,
    /// Tokens that all prompts begin with.
    pub shared: u64,
    /// How lengths differ.
    pub lengths: Lengths,
    /// The seed.
    pub seed: u64,
    /// Requests of a step at the most.
    pub seqs: u64,
    /// New tokens of a step at the most.
    pub tokens: u64,
    /// Tokens of a block.
    pub block: u64,
    /// Seconds to the first token that users are promised.
    pub first: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            machine: Machine::default(),
            policy: Policy::default(),
            load: Load::default(),
            bound: 0.0,
            replicas: 0,
            prefill: 0,
            net: &links::BETWEEN[0],
            dies: 0.0,
            down: 0.0,
            detect: 0.0,
            sessions: 0,
            turns: 0,
            rate: 0.0,
            think: 0.0,
            prompt: 0,
            output: 0,
            shared: 0,
            lengths: Lengths::default(),
            seed: 0,
            seqs: 0,
            tokens: 0,
            block: 0,
            first: 0.0,
        }
    }
}

/// A turn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Turn {
    /// Prompt tokens that were not said before.
    pub new: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// Seconds since the last answer.
    pub wait: f64,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Session {
    /// When its first turn comes, in seconds.
    pub start: f64,
    /// Tokens that it has in common with all others.
    pub shared: u64,
    /// Its turns.
    pub turns: Vec<Turn>,
}

impl Session {
    /// What each turn asks for: everything that was said before, and what is new.
    pub fn requests(&self) -> impl Iterator<Item = Request> + '_ {
        let shared = self.shared;
        self.turns.iter().scan(shared, move |context, turn| {
            let prompt = *context + turn.new;
            *context = prompt + turn.output;
            Some(Request { arrival: 0.0, prompt, output: turn.output, shared })
        })
    }
}

/// What comes of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The fleet at work.
    pub run: Run,
    /// The time to first token of 99 of 100 turns if no replica died, in seconds; none where none dies.
    pub calm: Option<f64>,
    /// The share of all prompt tokens that a session, or the shared prefix, has had before.
    pub reusable: f64,
    /// Tokens that fit in the cache of a replica.
    pub fit: f64,
}

impl Params {
    /// Sessions come by chance; lengths and pauses of each depend on the seed and its number alone.
    pub fn draw(&self) -> Vec<Session> {
        let mut starts = Stream::new(self.seed ^ 0x5e7e);
        let mut now = 0.0;
        let exponential = |stream: &mut Stream, mean: f64| -ln(1.0 - stream.unit()) * mean;
        let sessions = (0..self.sessions).map(|number| {
            let mut stream = Stream::new(self.seed.wrapping_mul(MOST_SESSIONS).wrapping_add(number));
            if number > 0 && self.rate > 0.0 {
                now += exponential(&mut starts, 1.0 / self.rate);
            }
            let turns = (0..self.turns).map(|turn| {
                let [new, output] = [self.prompt, self.output].map(|mean| self.lengths.draw(mean, &mut stream));
                let wait = exponential(&mut stream, self.think);
                Turn { new, output, wait: if turn > 0 { wait } else { 0.0 } }
            });
            Session { start: now, shared: self.shared, turns: turns.collect() }
        });
        sessions.collect()
    }

    /// GPUs of all replicas.
    pub fn gpus(&self) -> u64 {
        self.machine.gpus() * self.replicas
    }

    /// How much longer the busiest replica of a pool computes than the mean of its pool; of two pools, the more uneven one.
    pub fn imbalance(&self, run: &Run) -> f64 {
        let of = |busy: &[f64]| {
            let all: f64 = busy.iter().sum();
            if all > 0.0 { busy.iter().copied().fold(0.0, f64::max) * busy.len() as f64 / all } else { 1.0 }
        };
        let (first, rest) = run.busy.split_at(run.busy.len().min(self.prefill as usize));
        of(first).max(of(rest))
    }

    /// The same sessions with every policy.
    ///
    /// # Errors
    /// As [`run`].
    pub fn policies(&self) -> Result<Vec<(Policy, Run)>, String> {
        let (engine, sessions) = (self.machine.deployment().engine()?, self.draw());
        let each = |policy| Ok((policy, run(&Self { policy, ..self.clone() }, &engine, &sessions, self.dies > 0.0)?));
        Policy::ALL.into_iter().map(each).collect()
    }

    fn engine(&self) -> Result<Engine, String> {
        if self.prefill >= self.replicas {
            return Err(format!(
                "{} of {} can’t be in the prefill pool, because at least one has to decode. Choose fewer prefill replicas.",
                grouped(self.prefill),
                counted(self.replicas, "replica", "replicas")
            ));
        }
        self.machine.deployment().engine()
    }

    fn outcome(&self) -> Result<Outcome, String> {
        let (engine, sessions) = (self.engine()?, self.draw());
        let fails = self.dies > 0.0;
        let calm = if fails { Some(run(self, &engine, &sessions, false)?.first(0.99)) } else { None };
        let (all, new) = sessions.iter().fold((0, 0), |(all, new), s| {
            let prompts: u64 = s.requests().map(|request| request.prompt).sum();
            (all + prompts, new + s.turns.iter().map(|turn| turn.new).sum::<u64>())
        });
        let reusable = if all > 0 { (all - new) as f64 / all as f64 } else { 0.0 };
        Ok(Outcome { run: run(self, &engine, &sessions, fails)?, calm, reusable, fit: engine.tokens_that_fit() })
    }
}
