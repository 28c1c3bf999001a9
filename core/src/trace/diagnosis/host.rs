//! When the GPU is idle: what explains it, by what the CPU does meanwhile, and where it passes if nothing does.

use super::super::intervals::{self, Interval, both, length, union, without};
use super::super::names::{allocates, waits};
use super::super::rows::Row;
use super::super::simulate::Cause;
use super::super::{Sort, breakdown, idle};
use super::place::{Asked, Threads, is_activity, is_step};
use super::{Case, Part, Place, Span, touches, within};
use crate::trace::kind::Kind;

/// A silence of the CPU thread shorter than this is Python at work, in nanoseconds.
const SILENCE: i64 = 5_000_000;

/// A batch that comes within this was there already, in nanoseconds.
const LOAD: i64 = 500_000;

/// The longest gap that one launch after another makes, in nanoseconds: an operator of PyTorch takes tens of microseconds, under the profiler
/// a few hundred.
const LAUNCH: i64 = 300_000;

/// Python between two operators, in nanoseconds: a silence as short as this is no silence.
const BETWEEN: i64 = 50_000;

/// Gaps that make a step bound by its launches: one or two are something else.
const MANY: usize = 5;

/// A gap in which no stream works.
#[derive(Debug, Clone, Copy)]
struct Gap {
    when: Interval,
    /// The work that ends it.
    next: u32,
    /// The call that launched that.
    call: Option<u32>,
}

/// Part of a gap.
#[derive(Debug, Clone, Copy)]
struct Piece {
    when: Interval,
    gap: Gap,
}

impl Case<'_> {
    /// All time in which the GPU is idle, with what explains it, or where it passes.
    pub(super) fn idle(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut gaps: Vec<Gap> = Vec::new();
        for (wait, when, next) in idle::of_gpu(&self.rows) {
            let row = self.rows.all.get(next as usize);
            let gap = Gap { when, next, call: row.and_then(|row| row.call) };
            match (wait, row.and_then(|row| row.launched)) {
                (_, None) => parts.push(Part::guess(None, Place::NoLaunch, when, vec![next])),
                (idle::Wait::Host, _) => gaps.push(gap),
                (idle::Wait::Kernel, _) => parts.push(Part::guess(None, Place::Kernels, when, vec![next])),
                (idle::Wait::Other, _) => parts.push(Part::guess(None, Place::Stream, when, vec![next])),
            }
        }
        parts.extend(self.of_host(&gaps));
        parts
    }

    /// Gaps in which the GPU waits for its host.
    fn of_host(&self, gaps: &[Gap]) -> Vec<Part> {
        let mut left: Vec<Interval> = gaps.iter().map(|g| g.when).collect();
        let loads = self.spans(|s, name| {
            matches!(s.sort, Sort::Range | Sort::Operator) && name.contains("DataLoader") && s.length >= LOAD
        });
        let collections = self.spans(|s, name| s.sort == Sort::Python && name == "Python GC");
        let allocations = self.spans(|s, name| s.sort == Sort::Call && allocates(name));
        let mut parts = vec![
            take(Cause::DataLoader, &mut left, &loads),
            // Written by PyTorch 2.9 and later with record_python_gc_info (`torch/csrc/profiler/collection.cpp`).
            take(Cause::GarbageCollection, &mut left, &collections),
            take(Cause::AllocatorRetries, &mut left, &allocations),
            self.copies_after(&loads),
        ];
        let threads = Threads::new(self.trace);
        let steps = self.steps();
        // An input that came in time would fill its whole gap, also the part for which something else is to blame.
        let inputs = both(&left, &self.inputs(&left, &steps));
        parts.extend(self.placed(&pieces(gaps, &inputs), &threads, Some(Cause::DataLoader)));
        parts.extend(self.after_waits(&mut left, &allocations));
        parts.extend(self.launching(gaps, &mut left));
        parts.extend(self.rest(gaps, &without(&left, &inputs), &steps, &threads));
        parts
    }

    /// Copies of a batch that was waited for, while nothing computes: with the batch in time they would be hidden.
    fn copies_after(&self, loads: &[(u32, Interval)]) -> Part {
        let loaded: Vec<Interval> = union(loads.iter().map(|l| (l.1.1, l.1.1.saturating_add(200_000))));
        let waited = |name: &str| name.contains("HtoD") && !name.contains("Pageable");
        let copies = self.spans(|s, name| s.sort == Sort::Copy && waited(name) && touches(&loaded, moment(s.start)));
        let alone = without(&union(copies.iter().map(|c| c.1)), &self.compute);
        Part::busy(Cause::DataLoader, length(&alone), Vec::new())
    }

    /// The steps that the file tells apart: the profiler's, or from one `Optimizer.step` to the next.
    fn steps(&self) -> Vec<Interval> {
        let begins = |meant: &dyn Fn(&str) -> bool, end: bool| -> Vec<i64> {
            let spans = self.spans(|s, name| s.sort == Sort::Range && meant(name));
            let mut all: Vec<i64> = spans.iter().map(|s| if end { s.1.1 } else { s.1.0 }).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let mut starts = begins(&is_step, false);
        if starts.is_empty() {
            starts = begins(&|name| name.starts_with("Optimizer.step"), true);
        }
        let ends = starts.iter().copied().skip(1).chain([i64::MAX]);
        starts.iter().copied().zip(ends).collect()
    }

    /// What runs before the first kernel of a step is its input, whatever loads it, unless it takes long in few steps.
    fn inputs(&self, left: &[Interval], steps: &[Interval]) -> Vec<Interval> {
        let mut computing: Vec<i64> = self.launches_of(|row| self.rows.kind(row) == Kind::Computation);
        computing.sort_unstable();
        let mut copying = self.launches_of(|row| self.rows.name(row).contains("HtoD"));
        copying.sort_unstable();
        let first_in = |all: &[i64], step: Interval| {
            all.get(all.partition_point(|at| *at < step.0)).copied().filter(|at| *at < step.1)
        };
        let Some(begin) = self.rows.on_gpu().map(|row| row.start).min() else { return Vec::new() };
        let (mut seen, mut with, mut before_copy) = (0_usize, 0_usize, Vec::new());
        let mut after_copy = Vec::new();
        for step in steps.iter().filter(|step| step.0 > begin) {
            // A step without a kernel has not begun to compute.
            let Some(until) = first_in(&computing, *step) else { continue };
            seen += 1;
            let copied = first_in(&copying, *step).filter(|at| *at < until).unwrap_or(until);
            let long = |when: Interval| length(&both(within(left, when), &[when])) >= LOAD;
            with += usize::from(long((step.0, until)));
            if long((step.0, copied)) {
                before_copy.push((step.0, copied));
            }
            if copied < until && long((copied, until)) {
                after_copy.push((copied, until));
            }
        }
        // What follows the copy of a batch is its input only if every step has it.
        let regular = with.saturating_mul(2) > seen;
        let mut inputs = Vec::new();
        if regular {
            inputs.extend(before_copy);
            if with > 1 {
                inputs.extend(after_copy);
            }
        }
        union(inputs)
    }

    /// When the work that is meant was launched.
    fn launches_of(&self, is_meant: impl Fn(&Row) -> bool) -> Vec<i64> {
        self.rows.on_gpu().filter(|row| is_meant(row)).filter_map(|row| row.launched).collect()
    }

    /// Idle time after a call that waits for the GPU. While it waits, nothing is launched ahead: so it explains as much of the idle time after it
    /// as it waited, and no more. Of two such calls the longer counts, because without it the next would wait instead.
    fn after_waits(&self, left: &mut Vec<Interval>, allocations: &[(u32, Interval)]) -> [Part; 2] {
        // The allocator waits before it gives memory back.
        let of_allocator = union(allocations.iter().map(|a| (a.1.0.saturating_sub(50_000), a.1.1)));
        let busy = breakdown::busy(&self.rows);
        let mut calls = self.spans(|s, name| s.sort == Sort::Call && waits(name));
        calls.sort_by_key(|c| c.1.0);
        let (allocator, sync): (Vec<_>, Vec<_>) =
            calls.into_iter().partition(|c| touches(&of_allocator, moment(c.1.1)));
        [(Cause::Sync, sync), (Cause::AllocatorRetries, allocator)].map(|(cause, calls)| {
            let (when, evidence) = paid_back(&busy, &calls);
            let taken = both(left, &when);
            *left = without(left, &when);
            Part::idle(cause, taken, evidence)
        })
    }

    /// Short gaps in which the CPU calls operators and launches: it sets the pace. Those of an optimizer that works tensor by tensor are its own.
    fn launching(&self, gaps: &[Gap], left: &mut Vec<Interval>) -> Vec<Part> {
        // A batch that is there already takes the loader of PyTorch some tens of microseconds.
        let calls = |s: &Span, name: &str| {
            matches!(s.sort, Sort::Operator | Sort::Call) || (s.sort == Sort::Range && name.contains("DataLoader"))
        };
        let heard = closed(union(self.spans(calls).into_iter().map(|s| s.1)));
        let short: Vec<Interval> = gaps.iter().map(|g| g.when).filter(|g| length(&[*g]) <= LAUNCH).collect();
        let stepping = self.stepping();
        let launches = self.spans(|s, _| s.sort == Sort::Call && s.correlation >= 0);
        let optimizers = self.spans(|s, name| s.sort == Sort::Range && name.starts_with("Optimizer.step"));
        let bound = both(&both(left, &short), &heard);
        let are_many = |when: &[Interval]| short.iter().filter(|gap| touches(when, **gap)).count() >= MANY;
        if !are_many(&bound) {
            return Vec::new();
        }
        // A few in an optimizer are launches like the others, which they would be if the file did not name it.
        let unfused = Some(both(&bound, &stepping)).filter(|when| are_many(when)).unwrap_or_default();
        let others = without(&bound, &unfused);
        let mut parts = Vec::new();
        for (cause, when) in [(Cause::UnfusedOptimizer, unfused), (Cause::SmallKernels, others)] {
            *left = without(left, &when);
            let events = if cause == Cause::SmallKernels { &launches } else { &optimizers };
            let evidence = events.iter().filter(|e| touches(&when, e.1)).map(|e| e.0).collect();
            parts.push(Part::idle(cause, when, evidence));
        }
        parts
    }

    /// What nothing explains, by where the CPU is. A long silence in few of the steps is what a garbage collector looks like.
    fn rest(&self, gaps: &[Gap], left: &[Interval], steps: &[Interval], threads: &Threads<'_>) -> Vec<Part> {
        let leaves = threads.leaves();
        let of_leaves = leaves.iter().filter_map(|i| self.trace.spans.get(*i as usize)).map(super::interval);
        let heard = union(self.spans(|s, _| is_activity(s)).into_iter().map(|s| s.1).chain(of_leaves));
        let silent: Vec<Interval> =
            without(left, &heard).into_iter().filter(|when| length(&[*when]) >= SILENCE).collect();
        let step_of = |when: Interval| steps.partition_point(|step| step.0 <= when.0);
        let mut with: Vec<usize> = silent.iter().map(|when| step_of(*when)).collect();
        with.dedup();
        let extent = self.trace.extent().unwrap_or_default();
        let steps_seen = steps.iter().filter(|step| step.0 < extent.1).count();
        let is_rare =
            silent.len() == 1 || (with.len() == 1 && steps_seen > 0) || with.len().saturating_mul(2) <= steps_seen;
        let rest = pieces(gaps, &without(left, &silent));
        let mut parts = self.placed(&rest, threads, None);
        let cause = (is_rare && !silent.is_empty()).then_some(Cause::GarbageCollection);
        parts.extend(self.placed(&pieces(gaps, &silent), threads, cause));
        parts
    }

    /// Pieces of gaps, each with the place where it passes.
    fn placed(&self, pieces: &[Piece], threads: &Threads<'_>, cause: Option<Cause>) -> Vec<Part> {
        let spans = &self.trace.spans;
        let track = |gap: &Gap| gap.call.and_then(|i| spans.get(i as usize)).map(|s| s.track);
        let asked: Vec<Asked> = pieces.iter().map(|p| Asked { time: p.when, track: track(&p.gap) }).collect();
        let heard = union(self.spans(|s, _| is_activity(s)).into_iter().map(|s| s.1));
        let mut operators = self.spans(|s, _| s.sort == Sort::Operator);
        operators.sort_by_key(|o| o.1.0);
        let of_one = |(piece, around): (&Piece, Option<u32>)| {
            let when = piece.when;
            let heard = length(&both(within(&heard, when), &[when]));
            let silent = heard.saturating_mul(2) < length(&[when]);
            let span = around.and_then(|i| spans.get(i as usize));
            let place = match span {
                Some(span) => Place::Inside { name: span.name, silent },
                None if silent => Place::Silence,
                None => Place::Host,
            };
            // The range, and what ends it: the operator after it, or else the launch, or its work.
            let operator = operators.get(operators.partition_point(|o| o.1.0 < when.1)).map(|o| o.0);
            let after = operator.filter(|_| silent).or(piece.gap.call).unwrap_or(piece.gap.next);
            let evidence = around.into_iter().chain(silent.then_some(after).or(around.is_none().then_some(after)));
            Part::guess(cause, place, when, evidence.collect())
        };
        pieces.iter().zip(threads.around(&asked)).map(of_one).collect()
    }
}

/// The part of `left` during which one of `spans` runs. It is taken out of `left`.
fn take(cause: Cause, left: &mut Vec<Interval>, spans: &[(u32, Interval)]) -> Part {
    let when = union(spans.iter().map(|s| s.1));
    let taken = both(left, &when);
    *left = without(left, &when);
    let evidence = spans.iter().filter(|s| touches(&taken, s.1)).map(|s| s.0).collect();
    Part::idle(cause, taken, evidence)
}

/// The idle time after calls that wait, as much as each of them waited while the GPU was busy; and those calls.
fn paid_back(busy: &[Interval], calls: &[(u32, Interval)]) -> (Vec<Interval>, Vec<u32>) {
    let mut calls = calls.iter().peekable();
    let (mut debt, mut owner) = (0_i64, None);
    let (mut when, mut evidence) = (Vec::new(), Vec::new());
    for (start, end) in intervals::gaps(busy) {
        let mut at = start;
        while at < end {
            while let Some((index, call)) = calls.next_if(|c| c.1.0 <= at) {
                let waited = length(&both(within(busy, *call), &[*call]));
                if waited > debt {
                    (debt, owner) = (waited, Some(*index));
                }
            }
            let until = calls.peek().map_or(end, |c| c.1.0.min(end));
            let paid = debt.min(until.saturating_sub(at));
            if paid > 0 {
                when.push((at, at.saturating_add(paid)));
                evidence.extend(owner.take());
            }
            debt = debt.saturating_sub(paid);
            at = until;
        }
    }
    (union(when), evidence)
}

/// A moment, as an interval.
fn moment(at: i64) -> Interval {
    (at, at.saturating_add(1))
}

/// A union without its short holes.
fn closed(union: Vec<Interval>) -> Vec<Interval> {
    let mut closed: Vec<Interval> = Vec::new();
    for (start, end) in union {
        match closed.last_mut() {
            Some(last) if start.saturating_sub(last.1) <= BETWEEN => last.1 = last.1.max(end),
            _ => closed.push((start, end)),
        }
    }
    closed
}

/// Which gap each part of a union is of. Both are in order of time, and every part lies in one gap.
fn pieces(gaps: &[Gap], parts: &[Interval]) -> Vec<Piece> {
    let gap = |when: &Interval| {
        let at = gaps.partition_point(|gap| gap.when.1 <= when.0);
        gaps.get(at).map(|gap| Piece { when: *when, gap: *gap })
    };
    parts.iter().filter_map(gap).collect()
}
