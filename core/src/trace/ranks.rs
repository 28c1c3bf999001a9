//! Several ranks beside each other: who waits for whom.
//!
//! A collective's kernel runs until the slowest rank has come, so on a fast rank it is long and on the straggler short: the rank whose
//! collectives take least time keeps the others waiting.

use super::Trace;
use super::breakdown::{Temporal, running, temporal};
use super::intervals::length;
use super::kind::Kind;
use super::rows::{Rows, Rules};

/// What is read of a rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rank {
    /// Its number.
    pub rank: u32,
    /// Its time, divided.
    pub temporal: Temporal,
    /// For how long a collective runs on it, in nanoseconds.
    pub communication: i64,
}

/// What is read of each rank in which a GPU works, in their order. A file that does not say its rank has the place in which it was given.
pub fn compare(traces: &[Trace]) -> Vec<Rank> {
    let rows = Rows::of_all(traces, Rules::Ours);
    let of_one = |(i, rows): (usize, &Rows<'_>)| {
        Some(Rank {
            rank: rows.trace.rank.unwrap_or(i as u32),
            temporal: temporal(rows)?,
            communication: length(&running(rows, Kind::Communication)),
        })
    };
    let mut ranks: Vec<Rank> = rows.iter().enumerate().filter_map(of_one).collect();
    ranks.sort_by_key(|r| r.rank);
    ranks
}

/// The rank for which the others wait: its collectives take less than two thirds of what they take on the median rank.
pub fn straggler(ranks: &[Rank]) -> Option<Rank> {
    let mut sorted: Vec<i64> = ranks.iter().map(|r| r.communication).collect();
    sorted.sort_unstable();
    let median = *sorted.get(sorted.len() / 2)?;
    let least = ranks.iter().min_by_key(|r| r.communication)?;
    (ranks.len() > 1 && least.communication.saturating_mul(3) < median.saturating_mul(2)).then_some(*least)
}
