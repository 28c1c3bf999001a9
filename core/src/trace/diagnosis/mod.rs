//! Which cause it is, which events say so, and what removing it would gain at most.
//!
//! The time in which nothing computes is divided among causes, each part once: first the gaps in which the GPU is idle (`host`), by what
//! the CPU did meanwhile; then copies and collectives that nothing hides. Two causes hide in busy time: chains of kernels that move the
//! same data, and forward passes that are computed again. A gain is an upper bound, because what is removed may have hidden something else.
//!
//! What no cause explains is a finding as well: how much it is, and where the CPU was. [`Certainty`] says how each finding was come by.
//! Nothing is concluded with certainty from what a file lacks: no moment of idleness that was unexplained becomes
//! [`Certainty::Shown`] when events are taken out, cut off, or given categories that are not known here.

mod host;
mod place;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::intervals::{Interval, length, union, without};
use super::kind::Kind;
use super::rows::{Row, Rows, Rules};
use super::simulate::Cause;
use super::{Collective, Sort, Span, Trace, breakdown};

/// How a finding was come by, the least certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Certainty {
    /// No cause explains the time: the file says where it passes, and not why.
    Unexplained,
    /// It fits what is seen and what is missing: a silence, or the place in a step.
    Suspected,
    /// Events in the file say so.
    Shown,
}

/// Where time passes that is idle for the GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Place {
    /// Wherever the cause is.
    Anywhere,
    /// The CPU is inside a range, an operator, a call or a function of this name, of [`Trace::names`].
    Inside {
        /// Its name.
        name: u32,
        /// Whether nothing else is recorded meanwhile.
        silent: bool,
    },
    /// Nothing at all is recorded of the CPU meanwhile.
    Silence,
    /// The CPU does this and that, in no range.
    Host,
    /// The next work was launched in time and began late: it waited for another stream, an event or another device.
    Stream,
    /// The launch of the next work is not in the file.
    NoLaunch,
    /// Between two kernels that were both launched in time.
    Kernels,
    /// Many places, none of which is worth a sentence.
    Several,
}

/// A cause that a trace shows, or time that no cause explains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Which; none if no cause explains the time.
    pub cause: Option<Cause>,
    /// How it was come by.
    pub certainty: Certainty,
    /// Where the time passes.
    pub place: Place,
    /// What removing it gains at most, in nanoseconds.
    pub gain: i64,
    /// The same as a part of the time from the first to the last work of the GPU, 0 to 1.
    pub share: f64,
    /// The events that say so, by their index among the spans, those that say most first.
    pub evidence: Vec<u32>,
}

/// Less than this part of the time is not worth a sentence.
pub const WORTH: f64 = 0.03;

/// Events that are given as evidence.
const MOST_EVIDENCE: usize = 4096;

/// Kernels of a chain follow each other within this, in nanoseconds.
const CHAINED: i64 = 12_000;

/// What the trace with index `rank` shows, the largest gain first. The other ranks say how long its collectives only waited.
pub fn diagnose(traces: &[Trace], rank: usize) -> Vec<Finding> {
    let Some(trace) = traces.get(rank) else { return Vec::new() };
    let rows = Rows::of(trace, Rules::Ours);
    let Some(time) = breakdown::temporal(&rows) else { return Vec::new() };
    let case = Case::new(trace, rows);
    let mut parts = case.idle();
    parts.extend(case.copies());
    parts.extend(case.collectives(traces));
    parts.push(case.stepped());
    parts.extend(case.chains());
    parts.extend(case.recomputed());
    let mut findings: BTreeMap<(Option<Cause>, Certainty, Place), (Finding, i64)> = BTreeMap::new();
    for Part { cause, certainty, place, taken, mut evidence } in parts {
        let gain = taken.length();
        // Whether a range is silent is said of all the time in it.
        let (place, silent) = match place {
            Place::Inside { name, silent } => (Place::Inside { name, silent: false }, silent),
            place => (place, false),
        };
        let (finding, in_silence) = findings
            .entry((cause, certainty, place))
            .or_insert_with(|| (Finding { cause, certainty, place, gain: 0, share: 0.0, evidence: Vec::new() }, 0));
        finding.gain = finding.gain.saturating_add(gain);
        *in_silence = in_silence.saturating_add(if silent { gain } else { 0 });
        finding.evidence.append(&mut evidence);
    }
    let whole = |(mut finding, in_silence): (Finding, i64)| {
        if let Place::Inside { silent, .. } = &mut finding.place {
            *silent = in_silence.saturating_mul(2) > finding.gain;
        }
        finding
    };
    let mut findings: Vec<Finding> = findings.into_values().map(whole).filter(|f| f.gain > 0).collect();
    // What no cause explains, in places each of which is too little, is not lost.
    let (mut small, mut rest) = (0_i64, Vec::new());
    findings.retain_mut(|f| {
        f.share = time.share(f.gain);
        if f.cause.is_none() && f.share < WORTH {
            small = small.saturating_add(f.gain);
            rest.append(&mut f.evidence);
        }
        f.share >= WORTH
    });
    if time.share(small) >= WORTH {
        let (certainty, place) = (Certainty::Unexplained, Place::Several);
        findings.push(Finding { cause: None, certainty, place, gain: small, share: time.share(small), evidence: rest });
    }
    for finding in &mut findings {
        let said = |span: &u32| std::cmp::Reverse(trace.spans.get(*span as usize).map_or(0, |s| s.length));
        finding.evidence.sort_by_key(|span| (said(span), *span));
        finding.evidence.dedup();
        finding.evidence.truncate(MOST_EVIDENCE);
    }
    findings.sort_by_key(|f| std::cmp::Reverse(f.gain));
    findings
}

/// How much time a cause takes.
enum Taken {
    /// So many nanoseconds in which the GPU is busy.
    Busy(i64),
    /// These in which it is idle.
    Idle(Vec<Interval>),
}

impl Taken {
    fn length(&self) -> i64 {
        match self {
            Taken::Busy(time) => *time,
            Taken::Idle(when) => length(when),
        }
    }
}

/// Time that a cause takes, and the events that say so.
struct Part {
    cause: Option<Cause>,
    certainty: Certainty,
    place: Place,
    taken: Taken,
    evidence: Vec<u32>,
}

impl Part {
    /// What events in the file say.
    fn shown(cause: Cause, taken: Taken, evidence: Vec<u32>) -> Self {
        Self { cause: Some(cause), certainty: Certainty::Shown, place: Place::Anywhere, taken, evidence }
    }

    /// What they say of time in which the GPU is busy.
    fn busy(cause: Cause, gain: i64, evidence: Vec<u32>) -> Self {
        Self::shown(cause, Taken::Busy(gain), evidence)
    }

    /// What they say of time in which it is idle.
    fn idle(cause: Cause, when: Vec<Interval>, evidence: Vec<u32>) -> Self {
        Self::shown(cause, Taken::Idle(when), evidence)
    }

    /// What they do not say.
    fn guess(cause: Option<Cause>, place: Place, when: Interval, evidence: Vec<u32>) -> Self {
        let certainty = if cause.is_some() { Certainty::Suspected } else { Certainty::Unexplained };
        Self { cause, certainty, place, taken: Taken::Idle(vec![when]), evidence }
    }
}

struct Case<'a> {
    trace: &'a Trace,
    rows: Rows<'a>,
    /// When something computes.
    compute: Vec<Interval>,
}

/// Whether a kernel moves data and computes little, by its name.
pub fn is_light(name: &str) -> bool {
    ["elementwise", "reduce_kernel", "_norm", "oftmax", "oftMax", "copy_kernel", "CatArray", "triton_poi", "dropout"]
        .iter()
        .any(|part| name.contains(part))
}

fn interval(span: &Span) -> Interval {
    (span.start, span.end())
}

impl<'a> Case<'a> {
    fn new(trace: &'a Trace, rows: Rows<'a>) -> Self {
        Self { trace, compute: breakdown::running(&rows, Kind::Computation), rows }
    }

    /// Spans that are meant, with their indices.
    fn spans(&self, is_meant: impl Fn(&Span, &str) -> bool) -> Vec<(u32, Interval)> {
        let spans = self.trace.spans.iter().enumerate();
        spans.filter(|(_, s)| is_meant(s, self.trace.name(s))).map(|(i, s)| (i as u32, interval(s))).collect()
    }

    /// Copies from memory that is not pinned, while nothing computes.
    fn copies(&self) -> Option<Part> {
        let copies = self.spans(|s, name| s.sort == Sort::Copy && name.contains("Pageable"));
        let alone = without(&union(copies.iter().map(|c| c.1)), &self.compute);
        let evidence = copies.iter().filter(|c| touches(&alone, c.1)).map(|c| c.0).collect();
        (!alone.is_empty()).then(|| Part::busy(Cause::PageableCopies, length(&alone), evidence))
    }

    /// Collectives that nothing hides: how long they wait for another rank, and how long they move data.
    fn collectives(&self, traces: &[Trace]) -> Vec<Part> {
        let mine = collectives(self.trace);
        let others: Vec<Vec<u32>> = traces.iter().map(collectives).collect();
        let same = others.iter().all(|o| o.len() == mine.len());
        let shortest = self.shortest(&mine);
        let mut waiting = (0, Vec::new());
        let mut moving = (0, Vec::new());
        for (k, index) in mine.iter().enumerate() {
            let Some(span) = self.trace.spans.get(*index as usize) else { continue };
            let exposed = length(&without(&[interval(span)], within(&self.compute, interval(span))));
            let times =
                traces.iter().zip(&others).filter_map(|(t, o)| t.spans.get(*o.get(k)? as usize).map(|s| s.length));
            // With one rank, or ranks that do not match: the shortest of this trace that moves as much.
            let alike = || self.trace.collective(*index).and_then(|like| shortest.get(like).copied());
            let least = if same && traces.len() > 1 { times.min() } else { alike() };
            let waited = span.length.saturating_sub(least.unwrap_or(span.length)).min(exposed).max(0);
            for (sum, part) in [(&mut waiting, waited), (&mut moving, exposed.saturating_sub(waited))] {
                if part > 0 {
                    sum.0 = i64::saturating_add(sum.0, part);
                    sum.1.push(*index);
                }
            }
        }
        vec![
            Part::busy(Cause::Straggler, waiting.0, waiting.1),
            Part::busy(Cause::ExposedCommunication, moving.0, moving.1),
        ]
    }

    /// How long the shortest takes of the collectives that move as much.
    fn shortest(&self, mine: &[u32]) -> BTreeMap<&Collective, i64> {
        let mut shortest = BTreeMap::new();
        for index in mine {
            if let (Some(like), Some(span)) = (self.trace.collective(*index), self.trace.spans.get(*index as usize)) {
                let least = shortest.entry(like).or_insert(span.length);
                *least = span.length.min(*least);
            }
        }
        shortest
    }

    /// When an optimizer steps.
    fn stepping(&self) -> Vec<Interval> {
        union(
            self.spans(|s, name| s.sort == Sort::Range && name.starts_with("Optimizer.step")).into_iter().map(|s| s.1),
        )
    }

    /// Light kernels that an optimizer launches: fused, each tensor is read and written once.
    fn stepped(&self) -> Part {
        let stepping = self.stepping();
        let is_meant = |row: &&Row| {
            row.launched.is_some_and(|at| touches(&stepping, (at, at + 1))) && is_light(self.rows.name(row))
        };
        let when = union(self.rows.on_gpu().filter(is_meant).map(|row| (row.start, row.end)));
        Part::busy(Cause::UnfusedOptimizer, length(&when), Vec::new())
    }

    /// Light kernels one after another: fused, a chain takes no longer than the longest of them.
    fn chains(&self) -> Option<Part> {
        let mut work: Vec<&Row> = self.rows.on_gpu().filter(|r| self.rows.kind(r) == Kind::Computation).collect();
        work.sort_by_key(|row| (row.stream, row.start));
        let joined = |a: &&Row, b: &&Row| {
            a.stream == b.stream
                && is_light(self.rows.name(a))
                && is_light(self.rows.name(b))
                && b.start.saturating_sub(a.end) < CHAINED
        };
        // Those of an optimizer that launches kernels for each tensor are its own.
        let stepping = self.stepping();
        work.retain(|row| row.launched.is_none_or(|at| !touches(&stepping, (at, at + 1))));
        let (mut gain, mut evidence) = (0_i64, Vec::new());
        for chain in work.chunk_by(joined).filter(|chain| chain.len() > 1) {
            let total: i64 = chain.iter().map(|row| row.length()).fold(0, i64::saturating_add);
            let longest = chain.iter().map(|row| row.length()).max().unwrap_or_default();
            gain = gain.saturating_add(total.saturating_sub(longest));
            evidence.extend(chain.iter().map(|row| row.span));
        }
        (gain > 0).then(|| Part::busy(Cause::MemoryBound, gain, evidence))
    }

    /// Kernels of a forward pass that a checkpoint computes again: launched under its backward operator, and not by the autograd engine.
    fn recomputed(&self) -> Option<Part> {
        let operator = |part: &'static str| {
            union(self.spans(|s, name| s.sort == Sort::Operator && name.contains(part)).into_iter().map(|s| s.1))
        };
        let again = without(&operator("CheckpointFunctionBackward"), &operator("autograd::engine::evaluate_function"));
        let is_again = |row: &&Row| row.launched.is_some_and(|at| touches(&again, (at, at + 1)));
        let rows: Vec<&Row> = self.rows.on_gpu().filter(is_again).collect();
        let gain = length(&union(rows.iter().map(|row| (row.start, row.end))));
        (gain > 0).then(|| Part::busy(Cause::Recomputation, gain, rows.iter().map(|row| row.span).collect()))
    }
}

/// Collectives of a trace, in the order in which they begin.
fn collectives(trace: &Trace) -> Vec<u32> {
    let is_meant =
        |(i, s): &(usize, &Span)| s.sort == Sort::Kernel && Kind::of(trace, *i as u32, s) == Kind::Communication;
    let mut found: Vec<(i64, u32)> =
        trace.spans.iter().enumerate().filter(is_meant).map(|(i, s)| (s.start, i as u32)).collect();
    found.sort_unstable();
    found.into_iter().map(|f| f.1).collect()
}

/// Those of a union that have something in common with an interval.
fn within(union: &[Interval], (start, end): Interval) -> &[Interval] {
    let rest = union.get(union.partition_point(|i| i.1 <= start)..).unwrap_or_default();
    rest.get(..rest.partition_point(|i| i.0 < end)).unwrap_or_default()
}

/// Whether a union has something in common with an interval.
fn touches(union: &[Interval], (start, end): Interval) -> bool {
    let at = union.partition_point(|i| i.1 <= start);
    union.get(at).is_some_and(|i| i.0 < end)
}
