//! Why a stream is idle: its next work was not launched yet, or it was and the GPU took a moment, or something else held it up.
//!
//! HTA: `hta/analyzers/breakdown_analysis.py:746-935`, stream by stream.

use super::describe::{Summary, describe};
use super::rows::{Row, Rows, Rules};

/// Gaps up to this long, between work that was launched in time, are the GPU's own.
pub const KERNEL_WAIT: i64 = 30_000;

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wait {
    /// The CPU had not launched the next work.
    Host,
    /// It had, and the GPU took less than 30 µs to begin it.
    Kernel,
    /// It had, and the GPU took longer: it waited for another stream, or for an event.
    Other,
}

impl Wait {
    /// All of them.
    pub const ALL: [Self; 3] = [Wait::Host, Wait::Kernel, Wait::Other];

    /// As HTA calls it.
    pub const fn label(self) -> &'static str {
        match self {
            Wait::Host => "host_wait",
            Wait::Kernel => "kernel_wait",
            Wait::Other => "other",
        }
    }

    /// The reason for a gap before `next`.
    pub fn before(next: &Row, gap: (i64, i64)) -> Self {
        if next.launched.is_some_and(|at| at > gap.0) {
            Wait::Host
        } else if gap.1.saturating_sub(gap.0) < KERNEL_WAIT {
            Wait::Kernel
        } else {
            Wait::Other
        }
    }
}

/// The gaps of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// Its number.
    pub stream: i64,
    /// Each gap: why, from when to when, in nanoseconds.
    pub gaps: Vec<(Wait, (i64, i64))>,
}

impl Stream {
    /// For how long it is idle for this reason, in nanoseconds.
    pub fn idle(&self, wait: Wait) -> i64 {
        self.lengths(wait).fold(0, i64::saturating_add)
    }

    /// The gaps with this reason in summary, in microseconds.
    pub fn summary(&self, wait: Wait) -> Option<Summary> {
        describe(self.lengths(wait).map(|gap| gap as f64 / 1e3))
    }

    fn lengths(&self, wait: Wait) -> impl Iterator<Item = i64> {
        self.gaps.iter().filter(move |gap| gap.0 == wait).map(|(_, (from, to))| to.saturating_sub(*from))
    }
}

/// The gaps of each stream with work on it. By HTA's rules the previous end is that of the previous row, so work that overlaps on one
/// stream makes negative gaps; by ours it is the latest so far.
pub fn by_stream(rows: &Rows<'_>) -> Vec<Stream> {
    let is_work = |row: &&Row| rows.span(row).is_some_and(|span| span.sort.is_work());
    let mut work: Vec<&Row> = rows.on_gpu().filter(is_work).collect();
    work.sort_by_key(|row| (row.stream, row.start));
    let ours = rows.rules == Rules::Ours;
    let of_one = |rows: &[&Row]| {
        let mut gaps = Vec::new();
        let mut before: Option<i64> = None;
        for row in rows {
            if let Some(end) = before
                && (!ours || row.start > end)
            {
                let gap = (end, row.start);
                gaps.push((Wait::before(row, gap), gap));
            }
            before = Some(if ours { before.map_or(row.end, |end| end.max(row.end)) } else { row.end });
        }
        Some(Stream { stream: rows.first()?.stream, gaps })
    };
    work.chunk_by(|a, b| a.stream == b.stream).filter_map(of_one).collect()
}

/// The gaps of the whole GPU, in which no stream works: why, from when to when, and the row that ends it. HTA has no such number.
pub fn of_gpu(rows: &Rows<'_>) -> Vec<(Wait, (i64, i64), u32)> {
    let mut work: Vec<&Row> = rows.on_gpu().collect();
    work.sort_by_key(|row| row.start);
    let mut gaps = Vec::new();
    let mut latest: Option<i64> = None;
    for row in work {
        if let Some(end) = latest.filter(|end| row.start > *end) {
            let gap = (end, row.start);
            gaps.push((Wait::before(row, gap), gap, row.span));
        }
        latest = Some(latest.map_or(row.end, |end| end.max(row.end)));
    }
    gaps
}
