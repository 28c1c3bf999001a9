//! Attention, tile by tile: what is on chip, what moves to and from HBM, and the softmax of a row put together from blocks.
//!
//! [`Params`] name the sizes and the algorithm. [`Run`] has its [`Plan`]: every step, what it moves, what all up to it have
//! moved. [`execute::Machine`] does the same on real numbers and counts as it copies; [`online::Row`] follows one row.
//! Counts are for the numbers named in `dtype` and fp32 statistics; heads do the same as each other. The fill of O, ℓ and m
//! before the first step of FlashAttention is not counted, as its paper does not.

pub mod algorithm;
pub mod decode;
pub mod execute;
pub mod finding;
pub mod growth;
pub mod numbers;
pub mod online;
mod params;
pub mod plan;
pub mod position;
pub mod schedule;
pub mod stretch;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use algorithm::{Algo, Direction, Matrix};
use execute::Machine;
use online::Row;
use plan::{Plan, STATISTIC, Step, Traffic};

pub use params::{Dtype, MAX_HEAD_DIM, MAX_HEADS, MAX_SEQ, Params};

/// An algorithm on a machine, from the first step to the last.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What it was made from; its `step` and `row` do not matter.
    pub params: Params,
    /// The steps of one head.
    pub plan: Plan,
    /// What a head moves in all.
    pub whole: Traffic,
    /// What standard attention moves for a head.
    pub standard: Traffic,
    /// What FlashAttention moves for a head: the chosen one, or the first.
    pub flash: Traffic,
}

/// Most numbers of all scores of a head, times d, that are executed to check a result.
const EXECUTED: u64 = 1 << 21;
/// Most rows and columns of a tile whose scores are written out.
const WRITTEN: u64 = 8;

impl Run {
    /// Works it out.
    pub fn new(params: &Params) -> Self {
        let sizes = params.sizes();
        let plan = |algo: Algo| Plan::new(sizes, algo.passes(params.direction));
        let chosen = plan(params.algo);
        let whole = chosen.all();
        let (standard, flash) = match params.algo {
            Algo::Standard => (whole, plan(Algo::Flash1).all()),
            _ => (plan(Algo::Standard).all(), whole),
        };
        Self { params: *params, plan: chosen, whole, standard, flash }
    }

    /// Steps of a head.
    pub fn steps(&self) -> u64 {
        self.plan.steps()
    }

    /// What `bytes` of a head are for all heads.
    pub fn of_all_heads(&self, bytes: u64) -> f64 {
        bytes as f64 * self.params.heads as f64
    }

    /// Tiles of the N × N matrix that the algorithm computes for a head.
    pub fn tiles(&self) -> u64 {
        self.plan.phases().filter(|(pass, _)| !pass.whole_rows).map(|(_, steps)| steps).max().unwrap_or(0)
    }

    /// Tiles that there are, masked or not.
    pub fn grid(&self) -> u64 {
        self.plan.sizes.row_blocks() * self.plan.sizes.column_blocks()
    }

    /// Bytes that a tile has on chip.
    pub fn sram(&self) -> u64 {
        self.plan.sram()
    }

    /// What the forward pass of a head leaves in HBM for the backward pass besides Q, K, V and O: P, or the statistics of
    /// its rows.
    fn kept(&self, algo: Algo) -> u64 {
        let n = self.params.seq;
        match algo {
            Algo::Standard => n * n * self.params.dtype.bytes(),
            Algo::Flash1 => 2 * n * STATISTIC,
            Algo::Flash2 => n * STATISTIC,
        }
    }

    /// The watched row.
    pub fn watched(&self, row: u64) -> u64 {
        row.min(self.params.seq - 1)
    }

    /// The softmax of a row as the algorithm does it; none if it is too long to be worked out.
    pub fn row(&self, row: u64) -> Option<Row> {
        let p = &self.params;
        let columns = if p.algo == Algo::Standard { p.seq } else { self.plan.sizes.columns };
        Row::new(self.watched(row), p.seq, p.head_dim, columns, p.causal, p.algo)
    }

    /// Blocks of a row's keys that the first `step` steps have taken in, or more than it has; all of them in a backward pass.
    pub fn taken(&self, row: u64, step: u64) -> usize {
        let Some(now) = self.plan.at(step) else { return usize::MAX };
        let block = self.watched(row) / self.plan.sizes.rows;
        match (self.params.direction, self.params.algo) {
            (Direction::Backward, _) => usize::MAX,
            (_, Algo::Standard) => usize::from(now.pass > 1 || now.pass == 1 && now.row > block),
            // Once in every round over the rows: in those that are over, and in this one if it has passed the row.
            (_, Algo::Flash1) => now.column as usize + usize::from(now.row > block),
            (_, Algo::Flash2) => match now.row.cmp(&block) {
                Ordering::Less => 0,
                Ordering::Equal => now.column as usize,
                Ordering::Greater => usize::MAX,
            },
        }
    }

    /// The scores of a step's tile by rows, none where they are masked; nothing for a tile that is too large to be written.
    pub fn scores(&self, step: &Step) -> Vec<Vec<Option<f32>>> {
        let [rows, columns] = self.plan.tile(step);
        if rows.1 - rows.0 > WRITTEN || columns.1 - columns.0 > WRITTEN {
            return Vec::new();
        }
        let d = self.params.head_dim;
        let keys: Vec<_> = (columns.0..columns.1).map(|c| (c, numbers::row(Matrix::K, c, d))).collect();
        let line = |row: u64| {
            let query = numbers::row(Matrix::Q, row, d);
            let one = |(c, key): &(u64, Vec<f32>)| {
                let seen = !self.params.causal || *c <= row;
                seen.then(|| numbers::score(&query, key))
            };
            keys.iter().map(one).collect()
        };
        (rows.0..rows.1).map(line).collect()
    }

    /// The largest difference of the result from plain softmax that was found, the most that it may be, and whether every
    /// row was executed or only the watched one.
    pub fn check(&self, row: u64) -> Option<Check> {
        let (p, sizes) = (&self.params, self.plan.sizes);
        let bound = numbers::bound(p.seq, p.head_dim, sizes.column_blocks());
        if p.seq * p.seq * p.head_dim <= EXECUTED {
            let machine = Machine::run(sizes, p.algo, Direction::Forward, &mut |_| {});
            return Some(Check { difference: machine.difference(), bound, all: true });
        }
        self.row(row).map(|row| Check { difference: row.difference(), bound, all: false })
    }
}

/// How a result compares with plain softmax in double precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Check {
    /// The largest difference of an element of O.
    pub difference: f64,
    /// The most that [`numbers::bound`] allows.
    pub bound: f64,
    /// Whether all rows were compared, or the watched one.
    pub all: bool,
}
