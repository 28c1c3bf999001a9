//! A sequence that is split across ranks: the attention matrix by blocks, what each rank holds, and each rank's time.

use ringside_core::context_parallel::{Doing, Method, Run};
use ringside_core::quantity::Unit;

use super::played;
use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Lane, Lanes, Piece, Tone};
use crate::picture::Picture;

const TO_COME: Tone = Ink::Line.at(70);
const DONE: Tone = Ink::Forward.at(38);
const NOW: Tone = Ink::Forward.at(100);
const VAIN: Tone = Ink::Idle.at(100);
const OWN: Tone = Ink::Kv.at(45);
const OTHERS: Tone = Ink::Kv.at(100);

/// The matrix over the chunks that ranks hold, beside the time of each rank.
pub fn picture(run: &Run) -> Picture {
    let step = played(run.params.step, run.params.steps());
    let space = Picture::Over(vec![(2.0, matrix(run, step).into()), (1.0, held(run, step).into())]);
    Picture::Beside(vec![(1.0, space), (1.0, time(run, step).into())])
}

/// A row for each chunk of queries, a column for each of keys.
fn matrix(run: &Run, step: usize) -> Cells {
    let p = &run.params;
    let chunks = 2 * p.ranks;
    let cell = |query: u64, key: u64, tone| Cell::new(key as f64, query as f64, tone);
    let all = (0..chunks).flat_map(|query| (0..if p.causal { query + 1 } else { chunks }).map(move |key| (query, key)));
    let mut cells: Vec<Cell> = all.map(|(query, key)| cell(query, key, TO_COME)).collect();
    // Under Ulysses all ranks compute the same blocks, of other heads.
    let ranks = if p.method == Method::Ulysses { 1 } else { p.ranks };
    for (rank, at) in (0..ranks).flat_map(|rank| (1..=step).map(move |at| (rank, at))) {
        for block in p.blocks(rank, at) {
            match block.left(p.causal) > 0.0 {
                true => cells.push(cell(block.query, block.key, if at == step { NOW } else { DONE })),
                false if at == step && p.method == Method::Ring => cells.push(cell(block.query, block.key, VAIN)),
                false => {}
            }
        }
    }
    let names = (0..chunks).map(|chunk| match p.method {
        Method::Ulysses if step == 2 => "all".to_owned(),
        _ => format!("rank {}", p.split.owner(chunk, p.ranks)),
    });
    let head = Head::new("Queries down, keys across", &[(NOW, "this step"), (DONE, "done")]);
    let label = format!("The attention matrix in {chunks} × {chunks} blocks after step {step}.");
    Cells::new(label, head, [chunks as f64; 2], cells).named(names, [])
}

/// A row for each rank, the columns of the matrix.
fn held(run: &Run, step: usize) -> Cells {
    let p = &run.params;
    let of = |rank: u64| {
        let mine = p.split.chunks(rank, p.ranks);
        let tone = move |chunk| if mine.contains(&chunk) { OWN } else { OTHERS };
        p.held(rank, step).into_iter().map(move |chunk| Cell::new(chunk as f64, rank as f64, tone(chunk)))
    };
    let cells = (0..p.ranks).flat_map(of).collect();
    let head = Head::new("Keys and values held", &[(OWN, "its own"), (OTHERS, "of other ranks")]);
    let label = format!("The chunks of keys and values in each rank’s memory after step {step}.");
    Cells::new(label, head, [2.0 * p.ranks as f64, p.ranks as f64], cells)
        .named((0..p.ranks).map(|rank| format!("rank {rank}")), [])
}

fn time(run: &Run, step: usize) -> Lanes {
    let piece = |doing, at| match doing {
        Doing::Attention if at == step => NOW,
        Doing::Attention => DONE,
        Doing::Exchange => Ink::Communication.into(),
        Doing::Idle => VAIN,
    };
    let row = |(rank, lane): (usize, &Vec<ringside_core::context_parallel::Span>)| {
        let seen = lane.iter().filter(|span| span.step <= step);
        let pieces = seen.map(|span| Piece::new(span.from, span.to, piece(span.doing, span.step)));
        Lane::new(format!("rank {rank}"), pieces.collect())
    };
    let keys = [(NOW, "attention"), (Ink::Communication.into(), "waits for a transfer"), (VAIN, "waits for a rank")];
    let label = format!(
        "Each rank’s time over {}: {} of it not spent on computing.",
        Unit::Seconds.format(run.total),
        Unit::Fraction.format(run.idle())
    );
    let rows = run.lanes.iter().enumerate().map(row).collect();
    Lanes::new(label, Head::new("Each rank’s time", &keys), rows, run.total, Some(Unit::Seconds))
}
