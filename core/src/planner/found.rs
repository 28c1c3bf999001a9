//! What a search came to, as far as anything is shown of it.

use super::job::Job;
use super::search::{Layout, Search};
use super::words::{self, Reason};

/// Cells of the picture of time against memory, across and up: layouts that lie in one cell are drawn as one.
pub const CELLS: (usize, usize) = (160, 72);
/// The highest step time of the picture, in those of the fastest layout.
pub const SLOWEST: f64 = 12.0;
/// The most memory of the picture, in those of the GPU.
pub const FULLEST: f64 = 2.0;

/// Where a layout of so many seconds and bytes lies in the picture: up, by the logarithm of its time, and across, by its memory.
/// From 0 at the bottom and at the left to 1; beyond for what is off the picture.
pub fn place((step, memory): (f64, f64), fastest: f64, capacity: f64) -> (f64, f64) {
    ((step / fastest).ln() / SLOWEST.ln(), memory / (FULLEST * capacity))
}

/// Cells side by side that have a layout each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The row, counted from the bottom.
    pub up: usize,
    /// The first of them, counted from the left.
    pub across: usize,
    /// How many.
    pub cells: usize,
}

/// A rule that layouts broke.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Barrier {
    /// The rule.
    pub rule: String,
    /// The first that broke it.
    pub example: String,
    /// How many did; a division of the GPUs that is impossible counts once.
    pub count: u64,
}

/// What a search came to.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// What was searched; none if it is impossible.
    pub job: Option<Job>,
    /// How many layouts fit.
    pub valid: usize,
    /// How many are possible.
    pub all: usize,
    /// The fastest that fits.
    pub best: Option<Layout>,
    /// Those that nothing beats in both time and memory, the fastest first.
    pub front: Vec<Layout>,
    /// Where in the picture layouts lie, row by row.
    pub cloud: Vec<Run>,
    /// Why the best is what it is.
    pub reasons: Vec<Reason>,
    /// Why others are not possible.
    pub barriers: Vec<Barrier>,
    /// All of it in words.
    pub finding: String,
}

impl Found {
    /// What was found so far, by a search that was `stopped` or is at its end.
    pub fn of(search: &Search, stopped: bool) -> Self {
        let stopped = if stopped { " The search was stopped: others may be faster." } else { "" };
        let barriers = search.refused().map(|refused| Barrier {
            rule: refused.example.rule().to_owned(),
            example: refused.example.to_string(),
            count: refused.count,
        });
        Self {
            job: Some(search.job().clone()),
            valid: search.valid(),
            all: search.layouts().len(),
            best: search.best().copied(),
            front: search.front().to_vec(),
            cloud: cloud(search),
            reasons: words::reasons(search),
            barriers: barriers.collect(),
            finding: words::finding(search) + stopped,
        }
    }

    /// Nothing, because of what is wrong with the job.
    pub fn impossible(finding: String) -> Self {
        Self { finding, ..Self::default() }
    }
}

fn cloud(search: &Search) -> Vec<Run> {
    let capacity = search.job().cluster.gpu.memory.0;
    let fastest = search.front().first().map_or(1.0, |l| l.step);
    let (wide, high) = CELLS;
    let mut taken = vec![false; wide * high];
    for layout in search.layouts() {
        let (up, across) = place((layout.step, layout.memory), fastest, capacity);
        if !(0.0..1.0).contains(&up) || !(0.0..1.0).contains(&across) {
            continue;
        }
        let cell = (up * high as f64) as usize * wide + (across * wide as f64) as usize;
        if let Some(taken) = taken.get_mut(cell) {
            *taken = true;
        }
    }
    let mut runs = Vec::new();
    for (up, row) in taken.chunks_exact(wide).enumerate() {
        let mut across = 0;
        for alike in row.chunk_by(|a, b| a == b) {
            if alike.first() == Some(&true) {
                runs.push(Run { up, across, cells: alike.len() });
            }
            across += alike.len();
        }
    }
    runs
}
