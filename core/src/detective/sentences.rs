//! What a trace says, in sentences.

use super::{Case, Outcome, Params, View};
use crate::quantity::{Unit, counted, grouped, number};
use crate::trace::Trace;
use crate::trace::breakdown::Temporal;
use crate::trace::diagnosis::Finding;
use crate::trace::simulate::Cause;

fn percent(share: f64) -> String {
    Unit::Fraction.format((share * 1000.0).round() / 1000.0)
}

fn time(nanoseconds: i64) -> String {
    Unit::Seconds.format(nanoseconds as f64 / 1e9)
}

/// How the time is divided.
pub fn lead(time: &Temporal) -> String {
    let [compute, idle, rest] = [time.compute, time.idle, time.rest].map(|part| percent(time.share(part)));
    format!(
        "The GPU computes for {compute} of the time, is idle for {idle}, and for {rest} only communicates or copies."
    )
}

/// Which events say that it is this cause.
pub fn evidence(trace: &Trace, finding: &Finding) -> String {
    let spans = || finding.evidence.iter().filter_map(|i| trace.spans.get(*i as usize));
    let count = finding.evidence.len() as u64;
    let times = if count == 1 { "once".to_owned() } else { format!("{} times", grouped(count)) };
    let longest = spans().map(|s| s.length).max().unwrap_or_default();
    let median = {
        let mut lengths: Vec<i64> = spans().map(|s| s.length).collect();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied().unwrap_or_default()
    };
    let (longest, median) = (time(longest), time(median));
    match finding.cause {
        Cause::None => String::new(),
        Cause::DataLoader => {
            format!(
                "The data loader’s __next__ takes up to {longest}, and the GPU has nothing to do meanwhile ({times})."
            )
        }
        Cause::SmallKernels => {
            format!(
                "{}, {median} each, and most kernels are over before the next is launched: the CPU sets the pace.",
                counted(count, "launch", "launches")
            )
        }
        Cause::Sync => format!(
            "{} until the GPU has finished everything, up to {longest}. Then its queue is empty, and it waits for the next launch.",
            counted(count, "call waits", "calls wait")
        ),
        Cause::Straggler => format!(
            "{} longer here than on the rank that came last, up to {longest}: what is beyond its time is waiting.",
            counted(count, "collective lasts", "collectives last")
        ),
        Cause::ExposedCommunication => {
            let run = counted(count, "collective runs", "collectives run");
            format!("{run}, for up to {longest}, while nothing computes.")
        }
        Cause::AllocatorRetries => {
            format!(
                "{} of cudaMalloc or cudaFree in the step, up to {longest}: each stops the CPU, and cudaFree the GPU.",
                counted(count, "call", "calls")
            )
        }
        Cause::MemoryBound => format!(
            "{} in chains, {median} each. Each reads and writes what the one before it wrote.",
            counted(
                count,
                "kernel that computes little follows others",
                "kernels that compute little follow each other"
            )
        ),
        Cause::UnfusedOptimizer => {
            format!(
                "The GPU waits inside Optimizer.step, which lasts {longest}: it launches kernels of microseconds for each tensor."
            )
        }
        Cause::Recomputation => {
            let launched =
                counted(count, "kernel of the forward pass is launched", "kernels of the forward pass are launched");
            format!("{launched} again under CheckpointFunctionBackward.")
        }
        Cause::PageableCopies => {
            let take = counted(count, "copy from pageable memory takes", "copies from pageable memory take");
            format!("{take} up to {longest}, and nothing computes meanwhile.")
        }
        Cause::GarbageCollection => {
            let gap = time(finding.gain / finding.evidence.len().max(1) as i64);
            format!(
                "For {gap} the CPU does nothing that the profiler sees, {times}: Python’s garbage collector, or Python that calls no operator."
            )
        }
    }
}

/// What the drawing says. In the game, and where a verdict is asked for, what it shows and not why.
pub(super) fn finding(params: &Params, outcome: &Outcome) -> String {
    let step = Unit::Seconds.format(outcome.step_time);
    let lead = lead(&outcome.time);
    if params.view == View::Verdict {
        return match params.repair {
            Cause::None => format!("{lead} A step takes {step}. What holds it up?"),
            repair => format!("{lead} A step takes {step}. Your verdict: {}.", repair.label()),
        };
    }
    if params.repair != Cause::None {
        let before = Unit::Seconds.format(outcome.step_before);
        let gained = percent(outcome.gain());
        return match outcome.gain() {
            gain if gain > 0.01 => format!("A step takes {step} instead of {before}: {gained} gained. {lead}"),
            _ => format!("A step takes {step}, as before: this was not what slows it down. {lead}"),
        };
    }
    match (params.view, outcome.findings.as_slice()) {
        (View::Game, _) => {
            let case = Case::of(params.case, params.seed);
            let causes = if case.causes.len() > 1 { "Two causes" } else { "One cause" };
            format!("{lead} {causes}: name it, show the event that says so, and repair it. A step takes {step}.")
        }
        (_, []) => format!("{lead} Nothing stands out: a step takes {step}."),
        (_, [first, rest @ ..]) => {
            let at_most = percent(first.share);
            let also = match rest {
                [] => String::new(),
                rest => {
                    let list: Vec<String> =
                        rest.iter().map(|f| format!("{} ({})", f.cause.label(), percent(f.share))).collect();
                    format!(" Also: {}.", list.join(", "))
                }
            };
            let trace = outcome.traces.first();
            let evidence = trace.map(|t| evidence(t, first)).unwrap_or_default();
            format!(
                "{lead} Most of what is lost is lost to {}: at most {at_most} of {} is to be gained. {evidence}{also}",
                first.cause.label(),
                number(outcome.time.window as f64 / 1e6) + " ms"
            )
        }
    }
}
