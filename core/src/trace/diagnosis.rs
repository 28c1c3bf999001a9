//! Which cause it is, which events say so, and what removing it would gain at most.
//!
//! The time in which nothing computes is divided among causes, each part once: first the gaps in which the GPU waits for its host, by what
//! the CPU did meanwhile; then copies and collectives that nothing hides. Two causes hide in busy time: chains of kernels that move the
//! same data, and forward passes that are computed again. A gain is an upper bound, because what is removed may have hidden something else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::intervals::{Interval, both, length, union, without};
use super::kind::Kind;
use super::rows::{Row, Rows, Rules};
use super::simulate::Cause;
use super::{Collective, Sort, Span, Trace, breakdown, idle};

/// A cause that a trace shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Which.
    pub cause: Cause,
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

/// A silence of the CPU thread shorter than this is Python at work, in nanoseconds.
const SILENCE: i64 = 5_000_000;

/// A batch that comes within this was there already, in nanoseconds.
const LOAD: i64 = 500_000;

/// Kernels of a chain follow each other within this, in nanoseconds.
const CHAINED: i64 = 12_000;

/// What the trace with index `rank` shows, the largest gain first. The other ranks say how long its collectives only waited.
pub fn diagnose(traces: &[Trace], rank: usize) -> Vec<Finding> {
    let Some(trace) = traces.get(rank) else { return Vec::new() };
    let rows = Rows::of(trace, Rules::Ours);
    let Some(time) = breakdown::temporal(&rows) else { return Vec::new() };
    let case = Case { trace, compute: breakdown::running(&rows, Kind::Computation), rows };
    let mut parts = case.gaps();
    parts.extend(case.copies());
    parts.extend(case.collectives(traces));
    parts.push(case.stepped());
    parts.extend(case.chains());
    parts.extend(case.recomputed());
    let mut findings: Vec<Finding> = Vec::new();
    for Part { cause, gain, mut evidence } in parts {
        match findings.iter_mut().find(|f| f.cause == cause) {
            Some(finding) => {
                finding.gain = finding.gain.saturating_add(gain);
                finding.evidence.append(&mut evidence);
            }
            None => findings.push(Finding { cause, gain, share: 0.0, evidence }),
        }
    }
    for finding in &mut findings {
        finding.share = time.share(finding.gain);
        let said = |span: &u32| std::cmp::Reverse(trace.spans.get(*span as usize).map_or(0, |s| s.length));
        finding.evidence.sort_by_key(said);
        finding.evidence.dedup();
        finding.evidence.truncate(MOST_EVIDENCE);
    }
    findings.retain(|f| f.share >= WORTH);
    findings.sort_by_key(|f| std::cmp::Reverse(f.gain));
    findings
}

/// Time that a cause takes, and the events that say so.
struct Part {
    cause: Cause,
    gain: i64,
    evidence: Vec<u32>,
}

struct Case<'a> {
    trace: &'a Trace,
    rows: Rows<'a>,
    /// When something computes.
    compute: Vec<Interval>,
}

/// Whether a call waits for the GPU.
fn waits(name: &str) -> bool {
    name.contains("Synchronize")
}

/// Whether a call takes memory from the device or gives it back.
fn allocates(name: &str) -> bool {
    ["cudaMalloc", "cudaFree", "hipMalloc", "hipFree", "cuMemCreate", "cuMemUnmap"].contains(&name)
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

impl Case<'_> {
    /// Spans that are meant, with their indices.
    fn spans(&self, is_meant: impl Fn(&Span, &str) -> bool) -> Vec<(u32, Interval)> {
        let spans = self.trace.spans.iter().enumerate();
        spans.filter(|(_, s)| is_meant(s, self.trace.name(s))).map(|(i, s)| (i as u32, interval(s))).collect()
    }

    /// The part of `left` during which one of `spans` runs. It is taken out of `left`.
    fn take(cause: Cause, left: &mut Vec<Interval>, spans: &[(u32, Interval)]) -> Part {
        let when = union(spans.iter().map(|s| s.1));
        let taken = both(left, &when);
        *left = without(left, &when);
        let evidence = spans.iter().filter(|s| touches(&taken, s.1)).map(|s| s.0).collect();
        Part { cause, gain: length(&taken), evidence }
    }

    /// Gaps in which the GPU waits for its host, by what the CPU does meanwhile.
    fn gaps(&self) -> Vec<Part> {
        let gaps = idle::of_gpu(&self.rows);
        let mut left: Vec<Interval> = gaps.iter().filter(|g| g.0 == idle::Wait::Host).map(|g| g.1).collect();
        let whole = left.clone();
        let loads = self.spans(|s, name| s.sort == Sort::Range && name.contains("DataLoader") && s.length >= LOAD);
        let allocations = self.spans(|s, name| s.sort == Sort::Call && allocates(name));
        let mut parts = vec![
            Self::take(Cause::DataLoader, &mut left, &loads),
            Self::take(Cause::AllocatorRetries, &mut left, &allocations),
        ];
        parts.push(self.copies_after(&loads));
        parts.push(self.silence(&mut left));
        parts.push(self.after_waits(&whole, &mut left, &allocations));
        let optimizer = self.spans(|s, name| s.sort == Sort::Range && name.starts_with("Optimizer.step"));
        parts.push(Self::take(Cause::UnfusedOptimizer, &mut left, &optimizer));
        let launches = self.spans(|s, _| s.sort == Sort::Call && s.correlation >= 0);
        let evidence = launches.iter().filter(|l| touches(&left, l.1)).map(|l| l.0).collect();
        parts.push(Part { cause: Cause::SmallKernels, gain: length(&left), evidence });
        parts
    }

    /// Copies of a batch that was waited for, while nothing computes: with the batch in time they would be hidden.
    fn copies_after(&self, loads: &[(u32, Interval)]) -> Part {
        let loaded: Vec<Interval> = union(loads.iter().map(|l| (l.1.1, l.1.1.saturating_add(200_000))));
        let waited = |name: &str| name.contains("HtoD") && !name.contains("Pageable");
        let copies =
            self.spans(|s, name| s.sort == Sort::Copy && waited(name) && touches(&loaded, (s.start, s.start + 1)));
        let alone = without(&union(copies.iter().map(|c| c.1)), &self.compute);
        Part { cause: Cause::DataLoader, gain: length(&alone), evidence: Vec::new() }
    }

    /// Long times in which no thread of the CPU does anything that the profiler sees: Python, and its garbage collector.
    fn silence(&self, left: &mut Vec<Interval>) -> Part {
        let seen = |s: &Span, name: &str| match s.sort {
            Sort::Operator | Sort::Call => true,
            Sort::Range => !name.starts_with("ProfilerStep"),
            _ => false,
        };
        let heard = union(self.spans(seen).into_iter().map(|s| s.1));
        let silent: Vec<Interval> =
            without(left, &heard).into_iter().filter(|i| i.1.saturating_sub(i.0) >= SILENCE).collect();
        *left = without(left, &silent);
        // What comes after a silence ends it.
        let after = |gap: &Interval| {
            let next =
                self.trace.spans.iter().enumerate().filter(|(_, s)| s.sort == Sort::Operator && s.start >= gap.1);
            next.min_by_key(|(_, s)| s.start).map(|(i, _)| i as u32)
        };
        let evidence = silent.iter().filter_map(after).collect();
        Part { cause: Cause::GarbageCollection, gain: length(&silent), evidence }
    }

    /// What is left of gaps that begin while a call waits for the GPU: the queue was empty when it returned.
    fn after_waits(&self, gaps: &[Interval], left: &mut Vec<Interval>, allocations: &[(u32, Interval)]) -> Part {
        let of_allocator = union(allocations.iter().map(|a| (a.1.0.saturating_sub(50_000), a.1.1)));
        let mut calls = self.spans(|s, name| s.sort == Sort::Call && waits(name));
        calls.sort_by_key(|c| c.1.0);
        let mut evidence = Vec::new();
        let mut emptied = Vec::new();
        for gap in gaps {
            let until = calls.partition_point(|c| c.1.0 <= gap.0);
            let Some(call) = until.checked_sub(1).and_then(|i| calls.get(i)) else { continue };
            if call.1.1 >= gap.0 && !touches(&of_allocator, (call.1.1, call.1.1 + 1)) {
                emptied.push(*gap);
                evidence.push(call.0);
            }
        }
        let emptied = union(emptied);
        let taken = both(left, &emptied);
        *left = without(left, &emptied);
        Part { cause: Cause::Sync, gain: length(&taken), evidence }
    }

    /// Copies from memory that is not pinned, while nothing computes.
    fn copies(&self) -> Option<Part> {
        let copies = self.spans(|s, name| s.sort == Sort::Copy && name.contains("Pageable"));
        let alone = without(&union(copies.iter().map(|c| c.1)), &self.compute);
        let evidence = copies.iter().filter(|c| touches(&alone, c.1)).map(|c| c.0).collect();
        (!alone.is_empty()).then(|| Part { cause: Cause::PageableCopies, gain: length(&alone), evidence })
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
                    sum.0 += part;
                    sum.1.push(*index);
                }
            }
        }
        let part = |cause, (gain, evidence)| Part { cause, gain, evidence };
        vec![part(Cause::Straggler, waiting), part(Cause::ExposedCommunication, moving)]
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
        Part { cause: Cause::UnfusedOptimizer, gain: length(&when), evidence: Vec::new() }
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
        (gain > 0).then_some(Part { cause: Cause::MemoryBound, gain, evidence })
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
        (gain > 0).then(|| Part {
            cause: Cause::Recomputation,
            gain,
            evidence: rows.iter().map(|row| row.span).collect(),
        })
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
