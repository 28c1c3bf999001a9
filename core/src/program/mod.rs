//! A distributed program as data: what to run, what each rank did, what went wrong, and the puzzles of the ladder.
//!
//! Nothing here knows Python. `ringside-ranks` (`core/ranks`) runs a [`Job`] and gives an [`Outcome`]; pages draw the
//! outcome, and content states a [`Puzzle`]. So a page that shows a run never downloads the interpreter.

mod job;
mod puzzle;
mod run;

pub use job::{Budgets, Fault, Job, Limits, MAX_RANKS, MIN_RANKS, Machine, Wire};
pub use puzzle::{Over, Puzzle, Wrong};
pub use run::{
    At, Diagnosis, Event, EventKind, KINDS, Kind, MemoryPoint, Message, Outcome, Printed, Rank, Run, State, Submitted,
    Totals, Verdict,
};
