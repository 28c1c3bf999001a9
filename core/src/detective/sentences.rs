//! What a trace says, in sentences.

use super::{Case, Outcome, Params, View};
use crate::quantity::{Unit, capital, counted, grouped, number};
use crate::trace::breakdown::Temporal;
use crate::trace::diagnosis::{Certainty, Finding, Place};
use crate::trace::simulate::Cause;
use crate::trace::{Platform, Trace};

pub(super) fn percent(share: f64) -> String {
    Unit::Fraction.format((share * 1000.0).round() / 1000.0)
}

fn time(nanoseconds: i64) -> String {
    Unit::Seconds.format(nanoseconds as f64 / 1e9)
}

/// How the time is divided.
pub fn lead(device: &str, time: &Temporal) -> String {
    let [compute, idle, rest] = [time.compute, time.idle, time.rest].map(|part| percent(time.share(part)));
    format!(
        "The {device} computes for {compute} of the time, is idle for {idle}, and for {rest} only communicates or copies."
    )
}

/// Where the CPU is, in a few words.
fn place(trace: &Trace, place: Place) -> String {
    match place {
        Place::Inside { name, .. } => format!("host, in `{}`", trace.names.get(name)),
        Place::Silence => "host, silent".to_owned(),
        Place::Host => "host, in no range".to_owned(),
        Place::Stream => "behind another stream".to_owned(),
        Place::NoLaunch => "launches are missing".to_owned(),
        Place::Kernels => "between kernels".to_owned(),
        Place::Several => "many places".to_owned(),
        Place::Anywhere => String::new(),
    }
}

/// What a finding is called. Not in the middle of a sentence: it is capitalized.
pub fn title(trace: &Trace, finding: &Finding) -> String {
    match (finding.cause, finding.certainty) {
        (None, _) => format!("Not explained ({})", place(trace, finding.place)),
        (Some(Cause::DataLoader), Certainty::Suspected) => format!("Slow input ({})", place(trace, finding.place)),
        (Some(cause), Certainty::Suspected) => format!("{}, suspected", capital(cause.label())),
        (Some(cause), _) => capital(cause.label()),
    }
}

/// What to try. Nothing is said of CUDA where the device is another one.
pub fn remedy(trace: &Trace, finding: &Finding) -> String {
    let Some(cause) = finding.cause else {
        return match finding.place {
            Place::NoLaunch if trace.platform == Platform::Ascend => {
                "Look in the row of Python at what happens before the gap".to_owned()
            }
            Place::NoLaunch => format!("{}, so that launches are in the file", trace.platform.recording()),
            Place::Stream => {
                "Look at what the next kernel waits for: an event, a copy, a collective of another rank".to_owned()
            }
            Place::Kernels => "Longer kernels: a larger batch, or fused ones".to_owned(),
            Place::Inside { silent: false, .. } | Place::Host | Place::Several | Place::Anywhere => {
                "Put ranges (record_function) inside it, so that the next recording tells its parts apart".to_owned()
            }
            Place::Inside { .. } | Place::Silence => {
                "Record with with_stack=True, or look with py-spy at what Python does there".to_owned()
            }
        };
    };
    let suspected = finding.certainty == Certainty::Suspected;
    match (cause, trace.platform) {
        (Cause::DataLoader, _) if suspected => {
            "Prepare the next batch while the device computes: in another process, or some batches ahead".to_owned()
        }
        (Cause::SmallKernels, Platform::Tpu) => {
            "Compile more of the step into one program, or a larger batch".to_owned()
        }
        (Cause::SmallKernels, platform) if platform != Platform::Cuda => {
            "Fewer and longer kernels: torch.compile, or a larger batch".to_owned()
        }
        (Cause::AllocatorRetries, platform) if platform != Platform::Cuda => {
            "A smaller peak, so that the allocator need not give memory back".to_owned()
        }
        (cause, _) => cause.repair().to_owned(),
    }
}

/// Which events say that it is this cause, or where the time passes that none explains.
pub fn evidence(trace: &Trace, finding: &Finding) -> String {
    let Some(cause) = finding.cause else { return unexplained(trace, finding) };
    let device = trace.platform.device();
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
    match cause {
        Cause::None => String::new(),
        Cause::DataLoader if finding.certainty == Certainty::Suspected => {
            let (all, place) = (time(finding.gain), where_it_is(trace, finding.place));
            format!(
                "Before the first kernel of a step the {device} waits for its host, {all} in all: {place}. What runs there is taken to be the input."
            )
        }
        Cause::DataLoader => {
            format!(
                "The data loader’s __next__ takes up to {longest}, and the {device} has nothing to do meanwhile ({times})."
            )
        }
        Cause::SmallKernels => {
            format!(
                "{}, {median} each, and most kernels are over before the next is launched: the CPU sets the pace.",
                counted(count, "launch", "launches")
            )
        }
        Cause::Sync => format!(
            "{} until the {device} has finished everything, up to {longest}. Then its queue is empty, and it waits for the next launch.",
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
            let mut names: Vec<&str> = spans().map(|s| trace.name(s)).collect();
            names.sort_unstable();
            names.dedup();
            let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
            format!(
                "{}{names} in the step, up to {longest}: each stops the CPU, and giving memory back stops the {device}.",
                counted(count, "call takes memory or gives it back", "calls take memory or give it back")
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
                "The {device} waits inside Optimizer.step, which lasts {longest}: it launches kernels of microseconds for each tensor."
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
        Cause::GarbageCollection if finding.certainty == Certainty::Suspected => {
            let (all, place) = (time(finding.gain), where_it_is(trace, finding.place));
            format!(
                "For {all} the {device} waits: {place}, in few steps. Python’s garbage collector looks like this, and so does Python that calls no operator."
            )
        }
        Cause::GarbageCollection => format!("Python’s garbage collector runs for up to {longest} ({times})."),
    }
}

/// Where the CPU is, as the end of a sentence.
fn where_it_is(trace: &Trace, place: Place) -> String {
    match place {
        Place::Inside { name, silent: true } => {
            format!("the CPU thread is in `{}`, and nothing else is recorded of it", trace.names.get(name))
        }
        Place::Inside { name, .. } => format!("the CPU thread is in `{}`", trace.names.get(name)),
        Place::Silence => "nothing is recorded of the CPU meanwhile".to_owned(),
        _ => "the CPU does many things, in no range".to_owned(),
    }
}

/// Time that no cause explains.
fn unexplained(trace: &Trace, finding: &Finding) -> String {
    let (device, all) = (trace.platform.device(), time(finding.gain));
    let count = finding.evidence.len() as u64;
    let times = if count == 1 { "once".to_owned() } else { format!("{} times", grouped(count)) };
    match finding.place {
        Place::Stream => format!(
            "for {all} the {device} is idle although its next work was launched ({times}). It waits for another stream, an event or another device."
        ),
        Place::NoLaunch => {
            format!(
                "for {all} the {device} is idle, and the file does not say when the next work was launched ({times})."
            )
        }
        Place::Kernels => {
            format!("for {all} the {device} is idle between kernels that were launched in time ({times}).")
        }
        Place::Several => format!("the {device} is idle for {all} in many places, each of them short."),
        place => format!("for {all} the {device} waits for its host: {}.", where_it_is(trace, place)),
    }
}

/// What the drawing says. In the game, and where a verdict is asked for, what it shows and not why.
pub(super) fn finding(params: &Params, outcome: &Outcome) -> String {
    let step = Unit::Seconds.format(outcome.step_time);
    let lead = lead("GPU", &outcome.time);
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
        (_, findings) => {
            let trace = outcome.traces.first();
            let (Some(trace), Some(at)) = (trace, findings.iter().position(|f| f.cause.is_some())) else {
                let first = findings.first().zip(trace).map(|(f, t)| unexplained(t, f)).unwrap_or_default();
                return format!("{lead} A step takes {step}. No cause explains it: {first}");
            };
            let rest: Vec<&Finding> = findings.iter().enumerate().filter(|(i, _)| *i != at).map(|f| f.1).collect();
            let Some(first) = findings.get(at) else { return lead };
            let lost = percent(first.share);
            let also = if rest.is_empty() {
                String::new()
            } else {
                let name = |f: &Finding| f.cause.map_or_else(|| "not explained".to_owned(), |c| c.label().to_owned());
                let list: Vec<String> = rest.iter().map(|f| format!("{} ({})", name(f), percent(f.share))).collect();
                format!(" Also: {}.", list.join(", "))
            };
            let label = first.cause.map(|c| c.label()).unwrap_or_default();
            let evidence = evidence(trace, first);
            let all = number(outcome.time.window as f64 / 1e6) + " ms";
            format!("{lead} Largest loss: {label}, {lost} of {all} on this rank. {evidence}{also}")
        }
    }
}
