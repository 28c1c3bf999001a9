//! Where the CPU is at a moment: in which range or call of which thread, by a sweep over each thread.

use std::collections::BTreeMap;

use super::super::intervals::Interval;
use super::super::{Sort, Span, Trace};

/// Spans around a moment that are looked at, from the innermost: whoever nests more deeply is told of the innermost.
const DEEPEST: usize = 64;

/// A stretch of time that is asked about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    /// From when to when.
    pub time: Interval,
    /// The thread that launches what comes next, if it is known.
    pub track: Option<u32>,
}

/// Whether a span says that a thread of the CPU does something. What is not known here counts: it is no silence.
pub(super) const fn is_activity(span: &Span) -> bool {
    match span.sort {
        Sort::Operator | Sort::Call => true,
        Sort::Other => span.stream < 0,
        _ => false,
    }
}

/// Whether a span is of a thread of the CPU.
const fn is_of_cpu(span: &Span) -> bool {
    is_activity(span) || matches!(span.sort, Sort::Range | Sort::Python)
}

/// Whether a range is the profiler's own, around a whole step.
pub(super) fn is_step(name: &str) -> bool {
    name.starts_with("ProfilerStep")
}

/// The threads of the CPU, with their spans in the order of their starts, the longer first.
pub(super) struct Threads<'a> {
    trace: &'a Trace,
    by_track: BTreeMap<u32, Vec<u32>>,
    /// The thread with most ranges: the one that runs the program.
    main: Option<u32>,
}

impl<'a> Threads<'a> {
    pub fn new(trace: &'a Trace) -> Self {
        let mut by_track: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut ranges: BTreeMap<u32, u32> = BTreeMap::new();
        for (i, span) in trace.spans.iter().enumerate().filter(|(_, s)| is_of_cpu(s)) {
            by_track.entry(span.track).or_default().push(i as u32);
            if span.sort == Sort::Range {
                *ranges.entry(span.track).or_default() += 1;
            }
        }
        for spans in by_track.values_mut() {
            spans.sort_by_key(|i| trace.spans.get(*i as usize).map(|s| (s.start, std::cmp::Reverse(s.length))));
        }
        let main = ranges.into_iter().max_by_key(|(track, count)| (*count, std::cmp::Reverse(*track))).map(|r| r.0);
        Self { trace, by_track, main }
    }

    /// Ranges in which nothing else is recorded. All others are containers: that a program is inside one says nothing of what it does.
    pub fn leaves(&self) -> Vec<u32> {
        let span = |i: u32| self.trace.spans.get(i as usize);
        let mut leaves = Vec::new();
        for spans in self.by_track.values() {
            let within: Vec<u32> =
                spans.iter().copied().filter(|i| span(*i).is_some_and(|s| s.sort != Sort::Python)).collect();
            for (at, index) in within.iter().enumerate() {
                let Some(here) = span(*index).filter(|s| s.sort == Sort::Range && !is_step(self.trace.name(s))) else {
                    continue;
                };
                let inner = within.get(at + 1).and_then(|i| span(*i));
                if inner.is_none_or(|inner| inner.start >= here.end()) {
                    leaves.push(*index);
                }
            }
        }
        leaves
    }

    /// For each stretch of time the span that has at least half of it, by preference a range, of the thread that launches next or else of
    /// the one that runs the program.
    pub fn around(&self, asked: &[Asked]) -> Vec<Option<u32>> {
        let mut found: Vec<Option<u32>> = vec![None; asked.len()];
        let mut by_track: BTreeMap<u32, Vec<(usize, Interval)>> = BTreeMap::new();
        for (i, a) in asked.iter().enumerate() {
            for track in [a.track, self.main].into_iter().flatten().collect::<std::collections::BTreeSet<u32>>() {
                by_track.entry(track).or_default().push((i, a.time));
            }
        }
        let is_range = |index: u32| self.trace.spans.get(index as usize).is_some_and(|s| s.sort == Sort::Range);
        for (track, mut questions) in by_track {
            questions.sort_by_key(|q| middle(q.1));
            for (i, answer) in self.on(track, &questions) {
                let Some(slot) = found.get_mut(i) else { continue };
                let own = asked.get(i).is_some_and(|a| a.track == Some(track));
                *slot = match *slot {
                    None => Some(answer),
                    Some(before) if is_range(answer) && (own || !is_range(before)) => Some(answer),
                    before => before,
                };
            }
        }
        found
    }

    fn on(&self, track: u32, questions: &[(usize, Interval)]) -> Vec<(usize, u32)> {
        let Some(spans) = self.by_track.get(&track) else { return Vec::new() };
        let mut open: Vec<(u32, &Span)> = Vec::new();
        let mut next = spans.iter().filter_map(|i| Some((*i, self.trace.spans.get(*i as usize)?))).peekable();
        let mut answers = Vec::new();
        for (i, time) in questions {
            let at = middle(*time);
            while let Some((index, span)) = next.next_if(|(_, s)| s.start <= at) {
                while open.last().is_some_and(|(_, s)| s.end() <= span.start) {
                    open.pop();
                }
                open.push((index, span));
            }
            let has_half = |s: &Span| {
                let shared = s.end().min(time.1).saturating_sub(s.start.max(time.0));
                shared.saturating_mul(2) >= time.1.saturating_sub(time.0)
            };
            let around: Vec<(u32, &Span)> =
                open.iter().rev().take(DEEPEST).filter(|(_, s)| s.end() > at && has_half(s)).copied().collect();
            let range = around.iter().find(|(_, s)| s.sort == Sort::Range && !is_step(self.trace.name(s)));
            let other = || around.iter().find(|(_, s)| s.sort != Sort::Range);
            if let Some((index, _)) = range.or_else(other) {
                answers.push((*i, *index));
            }
        }
        answers
    }
}

fn middle((from, to): Interval) -> i64 {
    from.saturating_add(to.saturating_sub(from) / 2)
}
