//! Events in lanes, to be drawn: one lane for each depth of each row, so that no two in a lane overlap, and any part of a lane is found
//! without looking at the rest.

use serde::{Deserialize, Serialize};

use super::{Sort, Span, Trace};

/// Deeper calls than this are not drawn.
const DEEPEST: usize = 24;

/// Events of one depth of one row, which do not overlap, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// Which trace.
    pub trace: usize,
    /// Its row, of [`Trace::tracks`].
    pub track: u32,
    /// How many calls are around it.
    pub depth: usize,
    /// Its events, by their index among the spans.
    pub spans: Vec<u32>,
}

/// What is drawn as one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// When it begins, in nanoseconds.
    pub start: i64,
    /// When it ends.
    pub end: i64,
    /// The event; the first of several that are too short to be told apart.
    pub span: u32,
    /// Whether it is one event.
    pub single: bool,
}

/// The lanes of some traces: for each its CPU threads, then its streams.
pub fn lanes(traces: &[Trace]) -> Vec<Lane> {
    traces.iter().enumerate().flat_map(|(i, trace)| of_trace(i, trace)).collect()
}

fn of_trace(index: usize, trace: &Trace) -> Vec<Lane> {
    let mut order: Vec<u32> = (0..trace.spans.len() as u32).collect();
    let span = |i: u32| trace.spans.get(i as usize);
    // The longer first, so that a call lies over what it calls.
    order.sort_by_key(|i| span(*i).map(|s| (s.track, s.start, -s.length)));
    let mut all: Vec<Lane> = Vec::new();
    for run in order.chunk_by(|a, b| span(*a).map(|s| s.track) == span(*b).map(|s| s.track)) {
        let mut lanes: Vec<(i64, Vec<u32>)> = Vec::new();
        let Some(track) = run.first().and_then(|i| span(*i)).map(|s| s.track) else { continue };
        for (i, s) in run.iter().filter_map(|i| Some((*i, span(*i)?))) {
            let depth = lanes.iter().position(|lane| lane.0 <= s.start).unwrap_or(lanes.len());
            match lanes.get_mut(depth) {
                Some(lane) => {
                    lane.0 = s.end();
                    lane.1.push(i);
                }
                None if depth < DEEPEST => lanes.push((s.end(), vec![i])),
                None => {}
            }
        }
        let lane = |(depth, (_, spans))| Lane { trace: index, track, depth, spans };
        all.extend(lanes.into_iter().enumerate().map(lane));
    }
    let is_gpu =
        |lane: &Lane| lane.spans.iter().filter_map(|i| span(*i)).any(|s| s.sort.is_work() || s.sort == Sort::GpuRange);
    all.sort_by_cached_key(is_gpu);
    all
}

impl Lane {
    /// What is drawn of it between two times: no two blocks within `pixel` nanoseconds, however many events there are.
    pub fn blocks(&self, trace: &Trace, from: i64, to: i64, pixel: i64) -> Vec<Block> {
        let span = |i: usize| self.spans.get(i).and_then(|s| Some((*s, trace.spans.get(*s as usize)?)));
        let mut blocks = Vec::new();
        let mut at = self.first_after(trace, from);
        while let Some((index, s)) = span(at).filter(|(_, s)| s.start < to) {
            if s.length >= pixel {
                blocks.push(Block { start: s.start, end: s.end(), span: index, single: true });
                at += 1;
                continue;
            }
            // Everything that begins within this pixel.
            let until = s.start.saturating_add(pixel.max(1));
            let next = at + self.spans.get(at..).map_or(0, |rest| rest.partition_point(|i| start(trace, *i) < until));
            let end = span(next.saturating_sub(1)).map_or(until, |(_, last)| last.end()).min(until.max(s.end()));
            blocks.push(Block { start: s.start, end: end.max(s.end()), span: index, single: next == at + 1 });
            at = next.max(at + 1);
        }
        blocks
    }

    /// The event at a time, or the nearest within some nanoseconds.
    pub fn at(&self, trace: &Trace, time: i64, within: i64) -> Option<u32> {
        let next = self.first_after(trace, time);
        let away = |i: usize| {
            let index = *self.spans.get(i)?;
            let s = trace.spans.get(index as usize)?;
            Some(((s.start - time).max(time - s.end()).max(0), index))
        };
        let nearest = [next.checked_sub(1), Some(next)].into_iter().flatten().filter_map(away).min()?;
        (nearest.0 <= within).then_some(nearest.1)
    }

    /// The place of the first event that ends after a time.
    fn first_after(&self, trace: &Trace, time: i64) -> usize {
        self.spans.partition_point(|i| trace.spans.get(*i as usize).is_some_and(|s| s.end() <= time))
    }

    /// The place of an event in this lane; none if it is in another.
    pub fn place(&self, trace: &Trace, span: u32) -> Option<usize> {
        let begins = trace.spans.get(span as usize).filter(|s| s.track == self.track)?.start;
        let first = self.spans.partition_point(|i| start(trace, *i) < begins);
        let same = self.spans.get(first..)?.iter().take_while(|i| start(trace, **i) == begins);
        same.enumerate().find(|(_, i)| **i == span).map(|(after, _)| first + after)
    }

    /// Its events that are at least partly between two times.
    pub fn between(&self, trace: &Trace, from: i64, to: i64) -> &[u32] {
        let rest = self.spans.get(self.first_after(trace, from)..).unwrap_or_default();
        rest.get(..rest.partition_point(|i| start(trace, *i) < to)).unwrap_or_default()
    }

    /// The event before or after one of this lane.
    pub fn beside(&self, trace: &Trace, span: u32, forward: bool) -> Option<u32> {
        let at = self.place(trace, span)?;
        let to = if forward { at.checked_add(1) } else { at.checked_sub(1) };
        self.spans.get(to?).copied()
    }
}

fn start(trace: &Trace, span: u32) -> i64 {
    trace.spans.get(span as usize).map_or(i64::MAX, |s| s.start)
}

/// What an event caused, or what caused it: the other side of its correlation.
pub fn partners(trace: &Trace, span: u32) -> Vec<u32> {
    let Some(here) = trace.spans.get(span as usize).filter(|s| s.correlation > 0) else { return Vec::new() };
    let other = |s: &Span| s.correlation == here.correlation && s.sort.is_work() != here.sort.is_work();
    trace.spans.iter().enumerate().filter(|(_, s)| other(s)).map(|(i, _)| i as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::super::simulate::Setup;
    use super::*;

    fn traces() -> Vec<Trace> {
        Setup { causes: vec![], layers: 8, steps: 2, ranks: 2, seed: 3, graphs: false }.run()
    }

    #[test]
    fn every_event_is_in_a_lane_and_none_overlap() {
        let traces = traces();
        let lanes = lanes(&traces);
        let count: usize = lanes.iter().map(|l| l.spans.len()).sum();
        assert_eq!(count, traces.iter().map(|t| t.spans.len()).sum::<usize>());
        for lane in &lanes {
            let spans: Vec<&Span> = lane.spans.iter().map(|i| &traces[lane.trace].spans[*i as usize]).collect();
            assert!(spans.windows(2).all(|w| w[0].end() <= w[1].start), "{lane:?}");
        }
    }

    #[test]
    fn however_many_events_no_more_blocks_than_pixels() {
        let traces = traces();
        for lane in lanes(&traces) {
            let trace = &traces[lane.trace];
            let (from, to) = trace.extent().expect("it has events");
            let pixel = (to - from) / 100;
            assert!(lane.blocks(trace, from, to, pixel).len() <= 202);
            let all = lane.blocks(trace, from, to, 0);
            assert_eq!(all.len(), lane.spans.len());
            let first = all[0];
            assert_eq!(lane.at(trace, first.start, 0), Some(first.span));
            for (place, span) in lane.spans.iter().enumerate() {
                assert_eq!(lane.place(trace, *span), Some(place));
            }
            assert_eq!(lane.between(trace, from, to + 1), lane.spans.as_slice());
        }
    }

    #[test]
    fn a_kernel_leads_to_its_launch_and_back() {
        let traces = traces();
        let kernel = traces[0].spans.iter().position(|s| s.sort == Sort::Kernel).expect("there is one") as u32;
        let launch = partners(&traces[0], kernel);
        assert_eq!(launch.len(), 1);
        assert_eq!(partners(&traces[0], launch[0]), [kernel]);
    }
}
