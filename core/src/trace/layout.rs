//! Events in lanes, to be drawn: one lane for each depth of each row, so that no two in a lane overlap, and any part of a lane is found
//! without looking at the rest.

use serde::{Deserialize, Serialize};

use super::{Sort, Span, Trace};

/// Deeper calls than this are not drawn.
const DEEPEST: usize = 24;

/// Rows that are drawn of all traces together. Those of each beyond that, which have least in them, are folded into one.
const MOST_TRACKS: usize = 240;

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
    /// For how many rows it stands, if they are too many to be drawn: it then has the events of theirs that do not overlap, and `track`
    /// is the first of them.
    pub folded: u32,
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
    let most = MOST_TRACKS / traces.len().max(1);
    traces.iter().enumerate().flat_map(|(i, trace)| of_trace(i, trace, most.max(1))).collect()
}

/// The tracks of a trace that are drawn: all, or those with most in them.
fn drawn(trace: &Trace, most: usize) -> Vec<bool> {
    let mut filled: Vec<(i64, u32)> = (0..trace.tracks.len() as u32).map(|track| (0, track)).collect();
    for span in &trace.spans {
        if let Some((time, _)) = filled.get_mut(span.track as usize) {
            *time = time.saturating_add(span.length);
        }
    }
    filled.sort_by_key(|(time, track)| (std::cmp::Reverse(*time), *track));
    let mut drawn = vec![false; trace.tracks.len()];
    for (_, track) in filled.into_iter().take(most) {
        if let Some(is_drawn) = drawn.get_mut(track as usize) {
            *is_drawn = true;
        }
    }
    drawn
}

fn of_trace(index: usize, trace: &Trace, most: usize) -> Vec<Lane> {
    let drawn = drawn(trace, most);
    let mut order: Vec<u32> = (0..trace.spans.len() as u32).collect();
    let span = |i: u32| trace.spans.get(i as usize);
    // The longer first, so that a call lies over what it calls.
    order.sort_by_key(|i| span(*i).map(|s| (s.track, s.start, -s.length)));
    let is_drawn = |i: &u32| span(*i).is_some_and(|s| drawn.get(s.track as usize).copied().unwrap_or_default());
    let (order, rest): (Vec<u32>, Vec<u32>) = order.into_iter().partition(is_drawn);
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
        let lane = |(depth, (_, spans))| Lane { trace: index, track, depth, spans, folded: 0 };
        all.extend(lanes.into_iter().enumerate().map(lane));
    }
    let is_gpu =
        |lane: &Lane| lane.spans.iter().filter_map(|i| span(*i)).any(|s| s.sort.is_work() || s.sort == Sort::GpuRange);
    all.sort_by_cached_key(is_gpu);
    all.extend(folded(index, trace, rest));
    all
}

/// One lane for all rows that are not drawn.
fn folded(index: usize, trace: &Trace, mut rest: Vec<u32>) -> Option<Lane> {
    let span = |i: &u32| trace.spans.get(*i as usize);
    let tracks: std::collections::BTreeSet<u32> = rest.iter().filter_map(|i| span(i).map(|s| s.track)).collect();
    let track = *tracks.first()?;
    rest.sort_by_key(|i| span(i).map(|s| (s.start, -s.length)));
    let mut until = i64::MIN;
    rest.retain(|i| {
        let Some(s) = span(i).filter(|s| s.start >= until) else { return false };
        until = s.end();
        true
    });
    Some(Lane { trace: index, track, depth: 0, spans: rest, folded: tracks.len() as u32 })
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
        let begins = trace.spans.get(span as usize).filter(|s| self.folded > 0 || s.track == self.track)?.start;
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
    fn tracks_beyond_what_can_be_drawn_are_one_row() {
        let mut trace = Trace::default();
        let name = trace.names.number("a kernel");
        for i in 0..60_000_u32 {
            trace.tracks.push(crate::trace::Track { thread: i.to_string(), ..Default::default() });
            let (start, length) = (i64::from(i % 1000) * 10, i64::from(i % 7) + 1);
            let (category, sort) = (Trace::NONE, Sort::Kernel);
            let of = (i, i64::from(i));
            trace.spans.push(Span {
                name,
                category,
                track: of.0,
                position: i,
                sort,
                stream: of.1,
                correlation: -1,
                start,
                length,
            });
        }
        let lanes = lanes(&[trace.clone(), trace.clone()]);
        assert_eq!(lanes.len(), 2 * (MOST_TRACKS / 2 + 1));
        let last = lanes.last().expect("there are some");
        assert_eq!(last.folded as usize, 60_000 - MOST_TRACKS / 2);
        let spans: Vec<&Span> = last.spans.iter().map(|i| &trace.spans[*i as usize]).collect();
        assert!(spans.len() > 500 && spans.windows(2).all(|w| w[0].end() <= w[1].start));
        assert_eq!(last.place(&trace, last.spans[7]), Some(7));
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
