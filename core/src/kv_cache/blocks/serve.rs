//! Requests on a memory, step by step. A step is one pass of the model.
//!
//! With vLLM 0.2's blocks the order is that of `vllm/core/scheduler.py` 0.2.0: waiting prompts first, in a step of their own, unless
//! something is swapped out; otherwise a slot for each running sequence, for which the latest request gives way, and then what was
//! swapped out comes back. With vLLM V1's (`vllm/v1/core/sched/scheduler.py`) running sequences go first, waiting ones join the
//! same step unless somebody had to give way, each sample is a request of its own, and who gives way is computed again. With one
//! room for each request, running ones go on and waiting ones join once a gap is large enough. Every request is there at the
//! start; the tokens that may be computed in a step are not limited.

mod decode;
mod engine;
mod seen;

use super::requests::Request;
use super::usage::Usage;
use crate::options;

pub use engine::serve;

/// Who hands out memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keeper {
    /// A room for the longest request that may come.
    #[default]
    Longest,
    /// A room for the prompt and the next power of two of the answer.
    Power,
    /// A room of just the right size, as if the length of the answer were known.
    Oracle,
    /// Blocks, reference counts and copy-on-write.
    Paged,
    /// Blocks that are found again by their content.
    Hashed,
}

options!(Keeper {
    Longest: "longest", "one room, the longest";
    Power: "power-of-two", "one room, next power of two";
    Oracle: "oracle", "one room, length known";
    Paged: "vllm-0.2", "blocks (vLLM 0.2)";
    Hashed: "vllm-v1", "blocks, hashed (vLLM V1)";
});

impl Keeper {
    /// Whether requests lie in blocks.
    pub const fn has_blocks(self) -> bool {
        matches!(self, Self::Paged | Self::Hashed)
    }
}

/// What becomes of a request that gives way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preempt {
    /// One sequence is computed again, several are swapped (vLLM 0.2).
    #[default]
    Auto,
    /// Its blocks go to the host.
    Swap,
}

options!(Preempt {
    Auto: "auto", "one recomputed, several swapped";
    Swap: "swap", "swapped";
});

/// What requests run on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setup {
    /// Who hands out memory.
    pub keeper: Keeper,
    /// Tokens of a block.
    pub block: u64,
    /// Blocks of the GPU.
    pub blocks: u64,
    /// Blocks of the host.
    pub host: u64,
    /// Part of the blocks that admitting leaves free.
    pub watermark: f64,
    /// What becomes of a request that gives way, with vLLM 0.2.
    pub preempt: Preempt,
    /// Whether full blocks are found again, with V1.
    pub caches: bool,
    /// Tokens of the longest request that may come.
    pub longest: u64,
    /// Tokens with which all prompts begin alike.
    pub shared: u64,
    /// Which beams go on.
    pub seed: u64,
}

/// What happened in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A sequence ended and gave back what it held.
    Ended(Name),
    /// A request was admitted.
    Admitted {
        /// Which.
        name: Name,
        /// Blocks or slots that it took.
        taken: u64,
        /// Tokens that were found in blocks that are known.
        found: u64,
        /// Known blocks that were lost for it.
        lost: u64,
    },
    /// A sequence forked.
    Forked {
        /// From which.
        from: Name,
        /// The new one.
        to: Name,
    },
    /// A beam was dropped, and another goes on in its place too.
    Replaced {
        /// Which goes on twice.
        from: Name,
        /// Which was dropped.
        to: Name,
    },
    /// A sequence took a block.
    Grew {
        /// Which.
        name: Name,
        /// The block.
        block: u32,
    },
    /// A shared block was copied before it was written to.
    Copied {
        /// For which sequence.
        name: Name,
        /// The block.
        from: u32,
        /// Its copy.
        to: u32,
    },
    /// A request gave way and will be computed again.
    Evicted {
        /// Which.
        name: Name,
        /// Tokens that will be computed again.
        tokens: u64,
    },
    /// A request was moved to the host.
    SwappedOut {
        /// Which.
        name: Name,
        /// Blocks that were copied.
        blocks: u64,
    },
    /// A request was moved back.
    SwappedIn {
        /// Which.
        name: Name,
        /// Blocks that were copied.
        blocks: u64,
    },
}

/// What a person calls a sequence: the letter of its request and, where there are several, its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Name {
    /// The request.
    pub request: usize,
    /// The number of the sequence, from 1; 0 for the only one, or for all.
    pub number: u64,
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let letter = super::requests::letter(self.request);
        if self.number == 0 { write!(f, "{letter}") } else { write!(f, "{letter}{}", self.number) }
    }
}

impl Event {
    /// What happened, in a sentence.
    pub fn text(&self) -> String {
        let s = |n: u64| if n == 1 { "" } else { "s" };
        match *self {
            Self::Ended(name) => format!("{name} has ended and gives back what it held."),
            Self::Admitted { name, taken, found: 0, lost: 0 } => format!("{name} is admitted and takes {taken}."),
            Self::Admitted { name, taken, found, lost: 0 } => {
                format!(
                    "{name} is admitted: {found} tokens are found, {taken} new block{} taken.",
                    if taken == 1 { " is" } else { "s are" }
                )
            }
            Self::Admitted { name, taken, found, lost } => format!(
                "{name} is admitted: {found} tokens are found, {taken} new block{} taken, {lost} of them with content that is lost.",
                if taken == 1 { " is" } else { "s are" }
            ),
            Self::Forked { from, to } => format!("{to} forks from {from}: the same table, each block held once more."),
            Self::Replaced { from, to } => format!("Beam {to} is dropped; {from} goes on in its place too."),
            Self::Grew { name, block } => format!("{name} takes block {block}."),
            Self::Copied { name, from, to } => {
                format!("{name} writes into block {from}, which another holds too: it is copied to block {to}.")
            }
            Self::Evicted { name, tokens } => {
                format!("{name} gives way: {tokens} token{} will be computed again.", s(tokens))
            }
            Self::SwappedOut { name, blocks } => {
                format!("{name} gives way: {blocks} block{} copied to the host.", s(blocks))
            }
            Self::SwappedIn { name, blocks } => {
                format!("{name} comes back: {blocks} block{} copied from the host.", s(blocks))
            }
        }
    }
}

/// Where a sequence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stage {
    /// It has no memory.
    #[default]
    Waiting,
    /// It is computed.
    Running,
    /// It lies on the host.
    Swapped,
}

/// A sequence at the step that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: Name,
    /// Where it is.
    pub stage: Stage,
    /// Tokens that it has in the cache.
    pub stored: u64,
    /// Tokens that it will have at its end.
    pub last: u64,
    /// Its blocks, on the GPU or on the host; none in one room.
    pub blocks: Vec<u32>,
}

/// What a step was.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tick {
    /// Sequences that were computed.
    pub running: u64,
    /// Requests that wait, those that gave way among them.
    pub waiting: u64,
    /// Requests on the host.
    pub swapped: u64,
    /// Tokens that were computed.
    pub computed: u64,
    /// The memory.
    pub usage: Usage,
}

/// Sums over a whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Tokens that were computed, again or for the first time.
    pub computed: u64,
    /// Of those, tokens that had been computed before.
    pub again: u64,
    /// Tokens that were found in known blocks.
    pub found: u64,
    /// Known blocks that were lost.
    pub lost: u64,
    /// Blocks that were copied before they were written to.
    pub copied: u64,
    /// Blocks moved to the host and back.
    pub swapped: u64,
    /// Requests that gave way.
    pub preempted: u64,
}

/// What came of it: every step, and the one that is shown in full.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// Every step.
    pub ticks: Vec<Tick>,
    /// Sums over all of them.
    pub totals: Totals,
    /// Why it does not go on, if it does not.
    pub stuck: Option<String>,
    /// The step that is shown, from 0 for before the first.
    pub step: usize,
    /// What happened in it.
    pub events: Vec<Event>,
    /// Every sequence after it.
    pub rows: Vec<Row>,
    /// What each slot is for after it.
    pub segments: Vec<super::usage::Segment>,
    /// The memory after it.
    pub usage: Usage,
    /// Who waits after it, the next one first.
    pub queue: Vec<Name>,
}

/// Most steps of a run.
pub const MOST_STEPS: usize = 3000;

impl Run {
    /// Whether every request has memory at every step: none waits, gives way or goes to the host.
    pub fn is_undisturbed(&self) -> bool {
        let waits = |tick: &Tick| tick.waiting > 0 || tick.swapped > 0;
        self.stuck.is_none() && self.totals.preempted == 0 && !self.ticks.iter().any(waits)
    }

    /// The mean of something over the steps in which a sequence ran.
    pub fn mean(&self, of: impl Fn(&Tick) -> f64) -> f64 {
        let busy: Vec<f64> = self.ticks.iter().filter(|tick| tick.running > 0).map(of).collect();
        if busy.is_empty() { 0.0 } else { busy.iter().sum::<f64>() / busy.len() as f64 }
    }
}

/// What is asked of a run.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// What it runs on.
    pub setup: Setup,
    /// The requests.
    pub requests: &'a [Request],
    /// The step that is shown; the last one if there are fewer.
    pub step: usize,
}
