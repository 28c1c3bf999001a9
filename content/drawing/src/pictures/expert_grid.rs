//! Attention's grid of ranks beside that of the experts: a row for each replica, a column for each part of what is replicated.

use ringside_core::expert_grid::{Grid, Layout, Params};

use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Tone};
use crate::picture::Picture;

const CHOSEN: Tone = Ink::Optimizer.at(100);
const LIT: Tone = Ink::Weights.at(85);
const EVEN: Tone = Ink::Idle.at(30);
const ODD: Tone = Ink::Idle.at(60);
/// Most columns of a grid before its parts go down the page.
const WIDE: u64 = 16;

/// Both grids.
pub fn picture(p: &Params, layout: &Layout) -> Picture {
    let attention = grid(p, layout, layout.attention, "Attention", ["tp", "cp", "dp"], p.finding(layout));
    let experts = grid(p, layout, layout.experts, "Experts", ["etp", "ep", "edp"], String::new());
    Picture::Beside(vec![(1.0, attention.into()), (1.0, experts.into())])
}

fn grid(p: &Params, layout: &Layout, grid: Grid, title: &str, [a, b, c]: [&str; 3], label: String) -> Cells {
    let [first, second, third, _] = grid.0;
    let stage = grid.place(p.rank)[3];
    let lit = layout.group(p.rank, p.group);
    let is_tall = third == 1 && first * second > WIDE;
    let (columns, rows, down) = if is_tall { (first, second, b) } else { (first * second, third, c) };
    let cell = |(row, column): (u64, u64)| {
        let place = if is_tall { [column, row, 0, stage] } else { [column % first, column / first, row, stage] };
        let rank = grid.rank(place);
        let tone = match () {
            () if rank == p.rank => CHOSEN,
            () if lit.contains(&rank) => LIT,
            () if p.node_of(rank).is_multiple_of(2) => EVEN,
            () => ODD,
        };
        Cell::new(column as f64, row as f64, tone).text(rank.to_string())
    };
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).map(cell).collect();
    let keys = [(CHOSEN, "the rank"), (LIT, "its group")];
    let head = Head::new(format!("{title}: {a} {first} × {b} {second} × {c} {third}"), &keys);
    Cells::new(label, head, [columns as f64, rows as f64], cells)
        .named((0..rows).map(|row| format!("{down} {row}")), [])
}
