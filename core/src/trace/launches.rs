//! Launches: how long they take, how long their work waits, and how much is queued on each stream.
//!
//! HTA: `hta/analyzers/cuda_kernel_analysis.py:359-367, 536-636`, `trace_counters.py:18-254`, `common/trace_symbol_table.py:319-356`.

use super::describe::{Summary, describe};
use super::rows::{Row, Rows, Rules};

/// Calls longer than this are outliers, in nanoseconds.
const LONG_CALL: i64 = 50_000;
/// Delays longer than this are outliers, in nanoseconds.
const LONG_DELAY: i64 = 100_000;

/// Calls whose launches HTA looks at.
const MEASURED: [&str; 4] = ["cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMemcpyAsync", "cudaMemsetAsync"];

/// Calls that HTA counts into queues.
const QUEUED: [&str; 12] = [
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cudaMemcpyAsync",
    "cudaMemsetAsync",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "runFunction - job_prep_and_submit_for_execution",
    "hipLaunchKernel",
    "hipExtModuleLaunchKernel",
    "hipMemcpyWithStream",
    "hipMemcpyAsync",
    "hipMemsetAsync",
];

/// A call and work that it caused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Launch {
    /// The call, by its index among the rows.
    pub call: u32,
    /// The work, by its index among the rows.
    pub work: u32,
    /// How long the call takes, in nanoseconds.
    pub cpu: i64,
    /// How long the work takes.
    pub gpu: i64,
    /// From the end of the call to the start of the work, 0 if it starts before that. It contains the time for which the work
    /// stands in the queue behind other work, so a busy GPU has long ones.
    pub delay: i64,
}

impl Launch {
    /// Whether the work takes less time than its launch, which is not itself an outlier.
    pub const fn is_short(&self) -> bool {
        self.cpu <= LONG_CALL && self.gpu < self.cpu
    }

    /// Whether the call takes more than 50 µs.
    pub const fn is_long_call(&self) -> bool {
        self.cpu > LONG_CALL
    }

    /// Whether the work begins more than 100 µs after the call.
    pub const fn is_delayed(&self) -> bool {
        self.delay > LONG_DELAY
    }
}

/// Rows by correlation.
fn by_correlation(rows: &Rows<'_>, takes: impl Fn(&Row) -> bool) -> Vec<(i64, u32)> {
    let mut found: Vec<(i64, u32)> = rows
        .all
        .iter()
        .enumerate()
        .filter(|(_, row)| row.correlation != -1 && takes(row))
        .map(|(i, row)| (row.correlation, i as u32))
        .collect();
    found.sort_unstable();
    found
}

fn with(sorted: &[(i64, u32)], correlation: i64) -> &[(i64, u32)] {
    let from = sorted.partition_point(|p| p.0 < correlation);
    let to = sorted.partition_point(|p| p.0 <= correlation);
    sorted.get(from..to).unwrap_or_default()
}

/// Every launch. By our rules any call that has work; by HTA's those of four names, and beside them whatever has their correlation.
pub fn launches(rows: &Rows<'_>) -> Vec<Launch> {
    let calls = by_correlation(rows, |row| match rows.rules {
        Rules::Ours => rows.span(row).is_some_and(|span| span.sort == super::Sort::Call),
        Rules::Hta { .. } => !row.on_gpu,
    });
    let measured = |row: u32| rows.all.get(row as usize).is_some_and(|row| MEASURED.contains(&rows.name(row)));
    let mut found = Vec::new();
    for (i, work) in rows.all.iter().enumerate().filter(|(_, row)| row.on_gpu) {
        let calls = with(&calls, work.correlation);
        if rows.rules != Rules::Ours && !calls.iter().any(|c| measured(c.1)) {
            continue;
        }
        for &(_, call) in calls {
            let Some(row) = rows.all.get(call as usize) else { continue };
            found.push(Launch {
                call,
                work: i as u32,
                cpu: row.length(),
                gpu: work.length(),
                delay: work.start.saturating_sub(row.end).max(0),
            });
        }
    }
    found
}

/// A change of a queue: when, and how much is queued after it.
pub type Change = (i64, i64);

/// The queue of each stream, in the order of the streams: up when a launch begins, down when its work begins. So it counts what is
/// launched and has not started.
pub fn queues(rows: &Rows<'_>) -> Vec<(i64, Vec<Change>)> {
    let work = by_correlation(rows, |row| row.on_gpu);
    let is_launch = |row: &Row| match rows.rules {
        Rules::Ours => rows.span(row).is_some_and(|span| span.sort == super::Sort::Call) && row.linked,
        Rules::Hta { .. } => row.linked && QUEUED.contains(&rows.name(row)),
    };
    let calls = by_correlation(rows, |row| !row.on_gpu && is_launch(row));
    let mut changes: Vec<(i64, i64, i64)> = Vec::new();
    for call in rows.all.iter().filter(|row| !row.on_gpu && row.correlation != -1 && is_launch(row)) {
        for (_, work) in with(&work, call.correlation) {
            if let Some(work) = rows.all.get(*work as usize) {
                changes.push((work.stream, call.start, 1));
            }
        }
    }
    for work in rows.on_gpu().filter(|row| !with(&calls, row.correlation).is_empty()) {
        changes.push((work.stream, work.start, -1));
    }
    changes.sort_by_key(|c| (c.0, c.1));
    let of_one = |changes: &[(i64, i64, i64)]| {
        let mut queued = 0_i64;
        let add = |&(_, at, by): &(i64, i64, i64)| {
            queued += by;
            (at, queued)
        };
        Some((changes.first()?.0, changes.iter().map(add).collect()))
    };
    changes.chunk_by(|a, b| a.0 == b.0).filter_map(of_one).collect()
}

/// A queue in summary: of its values after each change, not over time.
pub fn summary(changes: &[Change]) -> Option<Summary> {
    describe(changes.iter().map(|c| c.1 as f64))
}

/// For how long at least `full` are queued, in nanoseconds.
pub fn blocked(changes: &[Change], full: i64) -> i64 {
    let times = changes.windows(2).filter_map(|pair| match pair {
        [now, next] if now.1 >= full => Some(next.0.saturating_sub(now.0)),
        _ => None,
    });
    times.fold(0, i64::saturating_add)
}
