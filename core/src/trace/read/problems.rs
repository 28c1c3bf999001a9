//! What was wrong with a file, in sentences.

use std::collections::BTreeMap;

use super::named::Writer;
use super::{Building, End, Ended, Problem};
use crate::quantity::{Unit, counted, grouped};
use crate::trace::{Platform, Sort, Span, Trace};

/// How the file ended, if it did so badly. `count` events were read.
fn of_end(end: End, ended: Option<(Ended, u64)>, count: u64) -> Option<Problem> {
    let say = |fatal: bool, message: String| Some(Problem { message, fatal });
    let read = grouped(count);
    let shown = if count > 0 { "What was read is shown." } else { "No event was read." };
    match (ended, end) {
        (Some((Ended::TooLong, most)), _) => {
            let most = Unit::Bytes.format(most as f64);
            let less = "Record fewer steps, or without with_stack.";
            say(count == 0, format!("The file has more than {most} unpacked. {shown} {less}"))
        }
        (Some((Ended::Damaged, _)), _) => {
            let why = "it is damaged, incomplete, or was moved";
            say(count == 0, format!("After {read} events the file could not be read or unpacked any further: {why}. {shown}"))
        }
        (None, End::Empty) => say(true, "The file is empty.".to_owned()),
        (None, End::NotJson) if count == 0 => {
            say(true, "This is no trace: a trace is JSON, an object with “traceEvents” or a list of events.".to_owned())
        }
        (None, End::NotJson) => {
            say(false, format!("After {read} events the file is no JSON any more. What stands before that is shown."))
        }
        (None, End::NoEvents) => say(
            true,
            "This JSON has no “traceEvents”. Export the trace with prof.export_chrome_trace or tensorboard_trace_handler."
                .to_owned(),
        ),
        (None, End::Cut) => {
            let why = "The program ended while it wrote, or the copy is not complete.";
            say(count == 0, format!("The file stops in the middle, after {read} events. {why} {shown}"))
        }
        (None, End::Whole) if count == 0 => say(true, "There is no event with a duration in it.".to_owned()),
        (None, End::Whole) => None,
    }
}

/// What the file is, if it is one that is not read, or not to its end.
fn of_writer(writer: Writer, has_work: bool) -> Option<&'static str> {
    match (writer, has_work) {
        (Writer::Ascend, _) => Some(
            "This is an Ascend trace. The device’s work is read from the rows of “Ascend Hardware”; the links from launches to it are \
             not, so the diagnosis says where the NPU idles and not which launch came late.",
        ),
        (Writer::Autograd, true) => Some(
            "This was written by PyTorch’s autograd profiler without Kineto. Its “CPU functions” and “CUDA functions” are read; it has \
             no launches, so the diagnosis says where the GPU idles and not which launch came late.",
        ),
        (Writer::Autograd, false) => Some(
            "This was written by PyTorch’s autograd profiler without Kineto, and has no rows of a device. Record it with torch.profiler.",
        ),
        (Writer::Rocprof, _) => Some(
            "This was written by rocprof. Its HIP calls, kernels and copies are read; what links a call to its kernel is not.",
        ),
        (Writer::Plain, _) => None,
    }
}

const OF_MTIA: &str = "This is a trace of MTIA. What its firmware records is told apart by its names: waits, copies, and the rest as kernels.";

/// The category that most events have of those that nothing here knows, and how many: they may be a device's. Those that Kineto writes
/// of the host are known (`pytorch/kineto`, `libkineto/src/ActivityType.cpp`).
fn unknown_category(trace: &Trace) -> Option<(&str, u64)> {
    const OF_HOST: [&str; 4] = ["cpu_instant_event", "overhead", "glow_runtime", "collective_comm"];
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for span in trace.spans.iter().filter(|span| span.sort == Sort::Other && span.category != Trace::NONE) {
        *counts.entry(span.category).or_default() += 1;
    }
    let named = counts.into_iter().map(|(category, count)| (trace.names.get(category), count));
    named.filter(|(category, _)| !OF_HOST.contains(category)).max_by_key(|(_, count)| *count)
}

const NSIGHT: &str = "This is Nsight Systems’ JSON export, which is not read here. Record the same step with torch.profiler and \
                      prof.export_chrome_trace, or read it with “nsys stats”.";

/// What an SQLite database is.
pub const SQLITE: &str = "This is an SQLite database, as “nsys export” writes one, and is not read here. Record the same step with \
                      torch.profiler and prof.export_chrome_trace, or read it with “nsys stats”.";

impl Building {
    /// What was wrong, the worst first.
    pub(super) fn say(&mut self, end: End, ended: Option<(Ended, u64)>, writer: Writer) {
        let count = self.trace.spans.len() as u64;
        let has_work = self.trace.has_gpu();
        if self.nsight || self.sqlite {
            let message = if self.nsight { NSIGHT } else { SQLITE };
            self.trace.problems = vec![Problem { message: message.to_owned(), fatal: true }];
            return;
        }
        let mut problems: Vec<Problem> = of_end(end, ended, count).into_iter().collect();
        let mut say = |message: String| problems.push(Problem { message, fatal: false });
        if let Some(what) = of_writer(writer, has_work).filter(|_| count > 0) {
            say(what.to_owned());
        }
        if has_work && self.trace.platform == Platform::Mtia {
            say(OF_MTIA.to_owned());
        }
        let is_of_ranges = |span: &&Span| self.trace.names.get(span.category) == "cuda_profiler_range";
        let ranges = if has_work { 0 } else { self.trace.spans.iter().filter(is_of_ranges).count() as u64 };
        if ranges > 0 {
            say(format!(
                "It was recorded with CUPTI’s range profiler: its {} kernels have hardware counters, and times that were measured with each kernel \
                 alone, which say nothing of a step. Record it without experimental_config.",
                grouped(ranges)
            ));
        } else if count > 0 && !has_work && writer != Writer::Autograd {
            let (device, record) = (self.trace.platform.device(), self.trace.platform.recording());
            say(match unknown_category(&self.trace) {
                Some((category, events)) => format!(
                    "No work of a {device} is known in it: {} of the category “{category}”, which isn’t known here.",
                    counted(events, "event is", "events are")
                ),
                None => {
                    format!(
                        "Nothing runs on a {device} in it. {record}, and let a step finish before the profiler stops."
                    )
                }
            });
        }
        if let (Some(until), Some(first)) = (self.until, self.trace.spans.iter().map(|span| span.start).min()) {
            let [read, of] =
                [until.at, until.last].map(|at| Unit::Seconds.format(at.saturating_sub(first) as f64 / 1e9));
            say(format!(
                "The file has more than the two million events that are kept of all files together, so only the first {read} of its {of} are read, with all that \
                 happens in them. To see more of the run, record it without with_stack."
            ));
        }
        let mut left_out = |n: u64, one: &str, more: &str| {
            if n > 0 {
                say(format!("{} {}", grouped(n), if n == 1 { one } else { more }));
            }
        };
        left_out(
            self.backwards,
            "event ends before it begins, and is left out.",
            "events end before they begin, and are left out.",
        );
        left_out(
            self.unpaired,
            "beginning or end of an event has no other side, and is left out.",
            "beginnings and ends of events have no other side, and are left out.",
        );
        left_out(
            self.timeless,
            "event has no readable time, and is left out.",
            "events have no readable time, and are left out.",
        );
        left_out(
            self.unreadable,
            "entry is no event that can be read, and is left out.",
            "entries are no events that can be read, and are left out.",
        );
        left_out(
            self.left_out,
            "more event is left out: two million are kept of all files together.",
            "more events are left out: two million are kept of all files together. Record fewer steps, or without with_stack.",
        );
        if let Some((early, by)) = before_their_launch(&self.trace) {
            let (early, by) = (grouped(early), Unit::Seconds.format(by as f64 / 1e9));
            say(format!(
                "{early} GPU events begin before the call that launched them, by up to {by}: the clocks of CPU and GPU do not agree. \
                 Launch delays and waits for the host are off by as much."
            ));
        }
        self.trace.problems = problems;
    }
}

/// GPU work that begins before the call that launched it: how many, and by how much at most, in nanoseconds.
fn before_their_launch(trace: &Trace) -> Option<(u64, i64)> {
    let of_calls = trace.spans.iter().filter(|s| s.sort == Sort::Call && s.correlation > 0);
    let mut calls: Vec<(i64, i64)> = of_calls.map(|s| (s.correlation, s.start)).collect();
    calls.sort_unstable();
    let (mut count, mut most) = (0, 0);
    for span in trace.spans.iter().filter(|s| s.sort.is_work() && s.correlation > 0) {
        let at = calls.partition_point(|c| c.0 < span.correlation);
        if let Some((_, start)) = calls.get(at).filter(|c| c.0 == span.correlation && c.1 > span.start) {
            count += 1;
            most = most.max(start.saturating_sub(span.start));
        }
    }
    (count > 0).then_some((count, most))
}
