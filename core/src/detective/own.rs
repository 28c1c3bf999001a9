//! A learner's own traces: what the worker that reads them finds, and how it says so.

use serde::{Deserialize, Serialize};

use super::sentences::{evidence, lead, percent};
use crate::allocator::Snapshot;
use crate::run::Output;
use crate::trace::breakdown::temporal;
use crate::trace::diagnosis::{Finding, WORTH, diagnose};
use crate::trace::layout::{Lane, lanes};
use crate::trace::rows::{Rows, Rules};
use crate::trace::versus::Profile;
use crate::trace::{Span, Trace};

/// What is found in the traces of a learner.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Own {
    /// Where their events are drawn.
    pub lanes: Vec<Lane>,
    /// What the first of them shows.
    pub findings: Vec<Finding>,
    /// The same in sentences.
    pub finding: String,
    /// What of the first is put beside another trace.
    pub profile: Option<Profile>,
}

impl Own {
    /// What is found in `traces`, which stand in the order of their ranks.
    pub fn of(traces: &[Trace]) -> Self {
        let findings = diagnose(traces, 0);
        let finding = traces.first().map(|trace| finding(trace, findings.first())).unwrap_or_default();
        let profile = traces.first().and_then(|trace| Profile::of(trace, &findings));
        Self { lanes: lanes(traces), findings, finding, profile }
    }
}

fn finding(trace: &Trace, first: Option<&Finding>) -> String {
    let device = trace.platform.device();
    let Some(time) = temporal(&Rows::of(trace, Rules::Ours)) else {
        return format!("Nothing that runs on a {device} was read in this trace.");
    };
    let lead = lead(device, &time);
    match first {
        Some(first) if first.cause.is_none() => {
            format!("{lead} No cause explains {}: {}", percent(first.share), evidence(trace, first))
        }
        Some(first) => format!("{lead} {}", evidence(trace, first)),
        None if time.share(time.idle) < WORTH => format!("{lead} Nothing stands out."),
        None => format!("{lead} Several causes share the idle time, each with less than {}.", percent(WORTH)),
    }
}

/// What the worker says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Said {
    /// It can be given files.
    Ready,
    /// How far it is.
    Reading {
        /// The name of the file.
        file: String,
        /// Bytes that were read of it, unpacked.
        bytes: u64,
        /// Bytes that it has, if that is known.
        of: Option<u64>,
        /// Events that were read of it.
        events: u64,
    },
    /// All files are read, and looked at now.
    Diagnosing,
    /// Something is wrong with a file: a sentence.
    Problem(String),
    /// A trace without its events, which follow.
    Trace(Box<Trace>),
    /// The next events of the last trace.
    Spans(Vec<Span>),
    /// That was everything.
    Done(Own),
    /// What is in a memory snapshot, or why it cannot be read. It was given instead of traces.
    Snapshot(Result<Snapshot, String>),
    /// What is in a program's output, or why it cannot be read. It was given instead of traces.
    Printed(Result<Box<Printed>, String>),
}

/// What is in a program's output.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Printed {
    /// The numbers of the run.
    pub output: Output,
    /// What the course's signs say of its errors, in the words of `content`: bytes of postcard.
    pub errors: Vec<u8>,
}

/// What stands before a file that is a memory snapshot, where the worker is given files: without it they are traces.
pub const SNAPSHOT: &str = "snapshot";
/// The largest file that is read, in bytes.
pub const LARGEST: u64 = crate::trace::MOST_BYTES;
/// What stands before a file that is a program's output; behind it stand the course's signs in JSON.
pub const OUTPUT: &str = "output";

/// Events that are said at once: a page takes them in between two frames.
const AT_ONCE: usize = 50_000;

/// Says everything about `traces`, in pieces.
pub fn say_all(mut traces: Vec<Trace>, mut say: impl FnMut(&Said)) {
    traces.sort_by_key(|trace| trace.rank.unwrap_or(u32::MAX));
    let own = Own::of(&traces);
    for mut trace in traces {
        let spans = std::mem::take(&mut trace.spans);
        say(&Said::Trace(Box::new(trace)));
        for piece in spans.chunks(AT_ONCE) {
            say(&Said::Spans(piece.to_vec()));
        }
    }
    say(&Said::Done(own));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::simulate::{Cause, Setup};

    #[test]
    fn what_is_said_in_pieces_is_what_was_read() {
        let setup =
            Setup { causes: vec![Cause::UnfusedOptimizer], layers: 24, steps: 8, ranks: 3, seed: 1, graphs: false };
        let traces = setup.run();
        assert!(traces[0].spans.len() > AT_ONCE / 2);
        let mut given = traces.clone();
        given.reverse();
        let (mut heard, mut own): (Vec<Trace>, _) = (Vec::new(), Own::default());
        say_all(given, |said| {
            match serde_json::from_str(&serde_json::to_string(said).expect("written")).expect("read") {
                Said::Trace(trace) => heard.push(*trace),
                Said::Spans(mut spans) => heard.last_mut().expect("a trace comes first").spans.append(&mut spans),
                Said::Done(done) => own = done,
                _ => unreachable!(),
            }
        });
        assert_eq!(heard, traces);
        assert_eq!(own, Own::of(&traces));
        assert!(own.finding.contains("Optimizer.step"), "{}", own.finding);
    }

    #[test]
    fn a_trace_without_a_gpu_is_told() {
        assert_eq!(Own::of(&[Trace::default()]).finding, "Nothing that runs on a GPU was read in this trace.");
    }
}
