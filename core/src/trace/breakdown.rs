//! Where the time of a GPU goes: idle, computing, and the rest; which kinds of work run at the same time; which kernels take longest.
//!
//! HTA: `hta/analyzers/breakdown_analysis.py:511-743`, `communication_analysis.py:29-76`.

use super::describe::{Summary, describe};
use super::intervals::{Interval, both, length, union};
use super::kind::Kind;
use super::rows::{Row, Rows};

/// The time from the first to the last work of a GPU, divided. In nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Temporal {
    /// From the first start to the last end.
    pub window: i64,
    /// Nothing runs.
    pub idle: i64,
    /// Something computes, whatever else runs.
    pub compute: i64,
    /// Something runs, and nothing computes: communication and memory that nothing hides.
    pub rest: i64,
}

impl Temporal {
    /// A part of the window, 0 to 1.
    pub fn share(&self, part: i64) -> f64 {
        if self.window > 0 { part as f64 / self.window as f64 } else { 0.0 }
    }
}

fn interval(row: &Row) -> Interval {
    (row.start, row.end)
}

/// When anything runs on the GPU.
pub fn busy(rows: &Rows<'_>) -> Vec<Interval> {
    union(rows.on_gpu().map(interval))
}

/// When work of a kind runs.
pub fn running(rows: &Rows<'_>, kind: Kind) -> Vec<Interval> {
    union(rows.on_gpu().filter(|row| rows.kind(row) == kind).map(interval))
}

/// The temporal breakdown; none if nothing runs on a GPU.
pub fn temporal(rows: &Rows<'_>) -> Option<Temporal> {
    let busy = busy(rows);
    let window = busy.last()?.1.saturating_sub(busy.first()?.0);
    let idle = window.saturating_sub(length(&busy));
    let compute = length(&running(rows, Kind::Computation));
    Some(Temporal { window, idle, compute, rest: window.saturating_sub(compute).saturating_sub(idle) })
}

/// For how long exactly these kinds run at the same time, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Together {
    /// The kinds, in the order of [`Kind::WORK`].
    pub kinds: Vec<Kind>,
    /// For how long.
    pub time: i64,
}

impl Together {
    /// As HTA calls it: `COMPUTATION overlapping MEMORY`.
    pub fn label(&self) -> String {
        let names: Vec<String> = self.kinds.iter().map(|kind| kind.label().to_uppercase()).collect();
        names.join(" overlapping ")
    }
}

/// For how long each set of the given kinds runs at the same time, the longest first.
pub fn together(rows: &Rows<'_>, kinds: &[Kind]) -> Vec<Together> {
    // The sum of what runs, a power of two for each kind. HTA's rounding makes intervals that end before they begin: between the two its
    // sum is too small by one kind, and names a set that does not run. So does ours of such rows.
    let mut edges: Vec<(i64, i64)> = Vec::new();
    for (bit, kind) in kinds.iter().enumerate() {
        edges.extend(running(rows, *kind).into_iter().flat_map(|(start, end)| [(start, 1 << bit), (end, -(1 << bit))]));
    }
    edges.sort_unstable();
    let mut times = vec![0_i64; 1 << kinds.len().min(8)];
    let (mut sum, mut from) = (0_i64, 0);
    for (at, change) in edges {
        if let Some(time) = usize::try_from(sum).ok().and_then(|sum| times.get_mut(sum)) {
            *time = time.saturating_add(at.saturating_sub(from));
        }
        sum += change;
        from = at;
    }
    let set =
        |mask: usize| kinds.iter().enumerate().filter(|(bit, _)| mask & (1 << bit) != 0).map(|(_, k)| *k).collect();
    let mut all: Vec<Together> = times
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(_, time)| **time != 0)
        .map(|(mask, time)| Together { kinds: set(mask), time: *time })
        .collect();
    all.sort_by_key(|t| std::cmp::Reverse(t.time));
    all
}

/// How much of the communication runs beside computation, 0 to 1; none without communication.
pub fn overlap(rows: &Rows<'_>) -> Option<f64> {
    let communication = running(rows, Kind::Communication);
    let total = length(&communication);
    (total > 0).then(|| length(&both(&running(rows, Kind::Computation), &communication)) as f64 / total as f64)
}

/// All runs of one kernel, in microseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel<'a> {
    /// Its full name.
    pub name: &'a str,
    /// What it is.
    pub kind: Kind,
    /// How long its runs take.
    pub time: Summary,
}

/// The kernels, those that take longest first.
pub fn kernels<'a>(rows: &Rows<'a>) -> Vec<Kernel<'a>> {
    let mut runs: Vec<(&'a str, Kind, i64)> = rows
        .on_gpu()
        .map(|row| (rows.name(row), rows.kind(row), row.length()))
        .filter(|run| run.1 != Kind::Other)
        .collect();
    runs.sort_by(|a, b| (a.1, a.0).cmp(&(b.1, b.0)));
    let of_one = |runs: &[(&'a str, Kind, i64)]| {
        let (name, kind, _) = *runs.first()?;
        Some(Kernel { name, kind, time: describe(runs.iter().map(|r| r.2 as f64 / 1e3))? })
    };
    let mut kernels: Vec<Kernel<'a>> = runs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).filter_map(of_one).collect();
    kernels.sort_by(|a, b| b.time.sum.total_cmp(&a.time.sum));
    kernels
}
