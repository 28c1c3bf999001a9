//! A distributed program as data: what to run, what each rank did, what went wrong, and the puzzles of the ladder.
//!
//! Nothing here knows Python. `ringside-ranks` (`core/ranks`) runs a [`Job`] and gives an [`Outcome`]; pages draw the
//! outcome, and content states a [`Puzzle`]. So a page that shows a run never downloads the interpreter.

mod compare;
pub mod figure;
mod finding;
mod job;
pub mod playback;
mod puzzle;
mod run;
mod said;
mod trace;
pub mod workers;

pub use compare::{Compared, Comparison, Row, compare};
pub use finding::{rank_counts, rank_list};
pub use job::{Budgets, Fault, Job, Limits, MAX_RANKS, MIN_RANKS, Machine, Wire};
pub use puzzle::{Over, Puzzle, Wrong};
pub use run::{
    At, Collective, Diagnosis, Event, EventKind, KINDS, Kind, MemoryPoint, Message, Outcome, Printed, Rank, Run, State,
    Submitted, Totals, Verdict, operation,
};
pub use said::{Asked, Said};

/// What "Run it with PyTorch" saves beside a program, as `ringside.py`: the same names over PyTorch.
pub const SHIM: &str = include_str!("ringside.py");
