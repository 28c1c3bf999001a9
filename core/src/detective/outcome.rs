//! Simulated traces and what is read of them: always of rank 0, which waits for a straggler and is none.

use crate::trace::breakdown::{self, Temporal};
use crate::trace::diagnosis::{Finding, diagnose, is_light};
use crate::trace::idle::{Wait, of_gpu};
use crate::trace::intervals::length;
use crate::trace::kind::Kind;
use crate::trace::launches::{launches, queues};
use crate::trace::rows::{Rows, Rules};
use crate::trace::simulate::Setup;
use crate::trace::{Sort, Trace};

/// What comes of a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The trace of each rank.
    pub traces: Vec<Trace>,
    /// What it shows.
    pub findings: Vec<Finding>,
    /// Rank 0's time, divided.
    pub time: Temporal,
    /// Seconds of a step.
    pub step_time: f64,
    /// Seconds of a step before the repair.
    pub step_before: f64,
    /// Seconds of a step with everything repaired.
    pub step_mended: f64,
    /// Communication beside computation, 0 to 1.
    pub overlap: f64,
    /// The GPU's idle nanoseconds, by [`Wait::ALL`].
    pub waits: [i64; 3],
    /// Kernels of a step.
    pub kernels: f64,
    /// Seconds of a kernel in the mean.
    pub mean_kernel: f64,
    /// Kernels that take less time than the call that launched them, 0 to 1.
    pub short_kernels: f64,
    /// Most kernels that were launched and had not started, on one stream.
    pub longest_queue: f64,
    /// Seconds of a step in which a collective runs.
    pub communication: f64,
    /// The same on the last rank.
    pub last_communication: f64,
    /// Bytes a second of copies to the GPU, in the mean.
    pub copy_rate: f64,
    /// Computing time in kernels that move data and compute little, 0 to 1.
    pub light: f64,
    /// Most bytes in tensors.
    pub allocated: f64,
    /// Most bytes taken from the device.
    pub reserved: f64,
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Seconds of a step of the first of these traces.
fn step_time(traces: &[Trace], steps: u64) -> f64 {
    let time = traces.first().and_then(|t| breakdown::temporal(&Rows::of(t, Rules::Ours)));
    time.map_or(0.0, |t| t.window as f64 / 1e9 / steps.max(1) as f64)
}

fn communication(trace: Option<&Trace>, steps: f64) -> f64 {
    trace.map_or(0.0, |t| {
        length(&breakdown::running(&Rows::of(t, Rules::Ours), Kind::Communication)) as f64 / 1e9 / steps
    })
}

impl Outcome {
    /// What comes of `setup`, which is `broken` with a repair, if any.
    pub(super) fn of(setup: &Setup, broken: &Setup) -> Self {
        let traces = setup.run();
        let none = Trace::default();
        let trace = traces.first().unwrap_or(&none);
        let rows = Rows::of(trace, Rules::Ours);
        let steps = setup.steps.max(1) as f64;
        let time = breakdown::temporal(&rows).unwrap_or_default();
        let mut waits = [0_i64; 3];
        for (wait, gap, _) in of_gpu(&rows) {
            if let Some(sum) = waits.get_mut(wait as usize) {
                *sum = sum.saturating_add(gap.1.saturating_sub(gap.0));
            }
        }
        let step = step_time(&traces, setup.steps);
        let of = |other: &Setup| if other == setup { step } else { step_time(&other.run(), other.steps) };
        let kernels: Vec<i64> = trace.spans.iter().filter(|s| s.sort == Sort::Kernel).map(|s| s.length).collect();
        let computing = rows.on_gpu().filter(|r| rows.kind(r) == Kind::Computation);
        let (mut light, mut all) = (0.0, 0.0);
        for row in computing {
            all += row.length() as f64;
            light += if is_light(rows.name(row)) { row.length() as f64 } else { 0.0 };
        }
        let launches = launches(&rows);
        let queued = queues(&rows).iter().flat_map(|q| &q.1).map(|c| c.1).max().unwrap_or_default();
        let rates: Vec<f64> = trace
            .bandwidths
            .iter()
            .filter(|(span, _)| trace.spans.get(*span as usize).is_some_and(|s| trace.name(s).contains("HtoD")))
            .map(|b| b.1 * 1e9)
            .collect();
        let most = |of: fn(&crate::trace::Memory) -> u64| trace.memory.iter().map(of).max().unwrap_or_default() as f64;
        Self {
            findings: diagnose(&traces, 0),
            time,
            step_time: step,
            step_before: of(broken),
            step_mended: of(&broken.mended()),
            overlap: breakdown::overlap(&rows).unwrap_or_default(),
            waits,
            kernels: kernels.len() as f64 / steps,
            mean_kernel: ratio(kernels.iter().map(|k| *k as f64).sum::<f64>() / 1e9, kernels.len() as f64),
            short_kernels: ratio(launches.iter().filter(|l| l.is_short()).count() as f64, launches.len() as f64),
            longest_queue: queued as f64,
            communication: communication(traces.first(), steps),
            last_communication: communication(traces.last(), steps),
            copy_rate: ratio(rates.iter().sum(), rates.len() as f64),
            light: ratio(light, all),
            allocated: most(|m| m.allocated),
            reserved: most(|m| m.reserved),
            traces,
        }
    }

    /// What the repair gained of the time before it.
    pub fn gain(&self) -> f64 {
        1.0 - if self.step_before > 0.0 { self.step_time / self.step_before } else { 1.0 }
    }

    /// The share of this rank's time that the first cause found takes. Its repair may gain more: other ranks have the same trouble, and
    /// this one waits for them.
    pub fn at_most(&self) -> f64 {
        self.findings.iter().find(|f| f.cause.is_some()).map_or(0.0, |f| f.share)
    }

    /// The part of the time in which the GPU is idle for this reason.
    pub fn wait(&self, wait: Wait) -> f64 {
        self.time.share(self.waits.get(wait as usize).copied().unwrap_or_default())
    }
}
