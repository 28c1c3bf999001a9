//! A profile of a step: the threads and streams of one rank, along its time.

use ringside_core::detective::{Outcome, Params};
use ringside_core::quantity::Unit;
use ringside_core::trace::{Sort, Span};

use crate::chart::Ink;
use crate::form::{Head, Lane, Lanes, Piece, Tone};

const KEYS: [(Tone, &str); 5] = [
    (Ink::Forward.at(100), "kernels"),
    (Ink::Communication.at(100), "collectives"),
    (Ink::Kv.at(100), "copies"),
    (Ink::Soft.at(55), "operators and calls"),
    (Ink::Warn.at(50), "waits"),
];

/// A row for each thread or stream of the first rank.
pub fn picture(p: &Params, o: &Outcome) -> Option<Lanes> {
    let trace = o.traces.first()?;
    let start = trace.spans.iter().map(|span| span.start).min()?;
    let end = trace.spans.iter().map(Span::end).max()?;
    let seconds = |time: i64| (time - start) as f64 / 1e9;
    let is_collective = |i: usize| trace.collectives.binary_search_by_key(&(i as u32), |(span, _)| *span).is_ok();
    let tone = |i: usize, span: &Span| -> Tone {
        match span.sort {
            Sort::Kernel if is_collective(i) => Ink::Communication.into(),
            Sort::Kernel => Ink::Forward.into(),
            Sort::Copy | Sort::Set => Ink::Kv.into(),
            Sort::Wait => Ink::Warn.at(50),
            Sort::Python | Sort::Range | Sort::GpuRange => Ink::Idle.at(45),
            Sort::Operator | Sort::Call | Sort::Other => Ink::Soft.at(55),
        }
    };
    let rows = trace.tracks.iter().enumerate().filter_map(|(i, track)| {
        let mut spans: Vec<(usize, &Span)> =
            trace.spans.iter().enumerate().filter(|(_, span)| span.track as usize == i).collect();
        // What is called stands on what calls it.
        spans.sort_by_key(|(_, span)| (span.start, std::cmp::Reverse(span.length)));
        let piece = |(at, span): &(usize, &Span)| Piece::new(seconds(span.start), seconds(span.end()), tone(*at, span));
        let pieces: Vec<Piece> = spans.iter().map(piece).collect();
        (!pieces.is_empty()).then(|| Lane::new(track.thread_name.clone(), pieces))
    });
    Some(Lanes::new(
        p.finding(o),
        Head::new("The first rank’s threads and streams", &KEYS),
        rows.collect(),
        seconds(end),
        Some(Unit::Seconds),
    ))
}
