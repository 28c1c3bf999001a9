//! Ranks as columns, layers as rows: the parameters, gradients and optimizer states that each rank holds, and how much that is.

use ringside_core::quantity::Unit;
use ringside_core::zero::{Params, Run, Segment};

use super::played;
use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Lane, Lanes, Tone};
use crate::picture::Picture;

const GATHERED: Tone = Ink::Weights.at(45);
const LOCAL: Tone = Ink::Gradients.at(45);

/// The fullest moment of the step, or the one that is asked for.
pub fn picture(p: &Params, run: &Run) -> Picture {
    let step = if p.step == 0 { run.peak() } else { played(p.step, run.steps()) };
    let state = run.state(step);
    let mut cells = Vec::new();
    for (rank, layer) in (0..p.ranks).flat_map(|rank| (0..p.layers).map(move |layer| (rank, layer))) {
        for (bar, segments) in state.segments(rank, layer).into_iter().enumerate() {
            let wide = 0.9 / segments.len().max(1) as f64;
            for (i, segment) in segments.iter().enumerate() {
                let tone = match (segment, bar) {
                    (Segment::Absent, _) => Ink::Line.at(60),
                    (Segment::Own, 2) => Ink::Optimizer.into(),
                    (Segment::Own, _) => Ink::Weights.into(),
                    (Segment::Gathered, _) => GATHERED,
                    (Segment::Stale, _) => Ink::Idle.into(),
                    (Segment::Local, _) => LOCAL,
                    (Segment::Node, _) => Ink::Gradients.at(70),
                    (Segment::Reduced, _) => Ink::Gradients.into(),
                };
                let at = [rank as f64 + 0.05 + wide * i as f64, layer as f64 + 0.08 + 0.29 * bar as f64];
                cells.push(Cell::of(at, [wide, 0.26], tone));
            }
        }
    }
    let keys = [
        (Ink::Weights.into(), "parameters"),
        (GATHERED, "gathered for the moment"),
        (LOCAL, "gradients of its own rows"),
        (Ink::Gradients.into(), "summed over all ranks"),
        (Ink::Optimizer.into(), "optimizer states"),
    ];
    let ranks = (0..p.ranks).map(|rank| format!("rank {rank}"));
    let layers = (0..p.layers).map(|layer| format!("layer {layer}"));
    let board = Cells::new(run.finding(), Head::new("", &keys), [p.ranks as f64, p.layers as f64], cells);
    let held = (0..p.ranks).map(|rank| {
        let [weights, gathered, gradients, optimizer, activations] = state.memory(rank).parts();
        let parts = [
            (Ink::Weights.into(), weights),
            (Ink::Optimizer.into(), optimizer),
            (Ink::Gradients.into(), gradients),
            (GATHERED, gathered),
            (Ink::Activations.into(), activations),
        ];
        let parts = parts.map(|(tone, bytes)| (tone, bytes, String::new()));
        Lane::stack(format!("rank {rank}"), parts, Unit::Bytes.format(state.memory(rank).total()))
    });
    let most = run.mark(run.peak()).memory.total().max(1.0);
    let held = Lanes::new("", Head::new("What each rank holds", &[]), held.collect(), most * 1.02, None);
    Picture::Over(vec![(1.9, board.named(layers, ranks).into()), (1.0, held.into())])
}
