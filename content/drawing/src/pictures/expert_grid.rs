//! Attention's grid of ranks beside that of the experts: a row for each replica, a column for each part of what is replicated.

use ringside_core::expert_grid::{Grid, Layout, Params};
use ringside_core::quantity::counted;

use crate::chart::Ink;
use crate::figure::{Column, Figure, Table};
use crate::form::{Cell, Cells, Head, Press, Tone};
use crate::picture::Picture;

const CHOSEN: Tone = Ink::Communication.at(100);
const LIT: Tone = Ink::Communication.at(38);
const EVEN: Tone = Ink::Edge.at(16);
const ODD: Tone = Ink::Edge.at(42);
/// Most columns and rows of a grid before its parts go down the page.
const WIDE: u64 = 16;
const HIGH: u64 = 24;

fn grid(
    p: &Params,
    layout: &Layout,
    grid: Grid,
    title: &str,
    [a, b, c]: [&str; 3],
    head: Head,
    label: String,
) -> Cells {
    let [first, second, third, _] = grid.0;
    let stage = grid.place(p.rank)[3];
    let lit = layout.group(p.rank, p.group);
    // The parts of a single replica go down the page where a row of them would be too small to read.
    let is_tall = third == 1 && first * second > WIDE && second <= HIGH;
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
        let press = Press::new(format!("rank {rank}"), "rank", rank.to_string(), rank == p.rank);
        Cell::new(column as f64, row as f64, tone).text(rank.to_string()).press(press)
    };
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).map(cell).collect();
    let title = format!("{title}: {a} {first} × {b} {second} × {c} {third}");
    let mut cells = Cells::new(label, Head { title, ..head }, [columns as f64, rows as f64], cells)
        .named((0..rows).map(|row| format!("{down} {row}")), []);
    let name = |names: &str, i: u64, wide: f64| ((i as f64 + 0.5) * wide, format!("{names} {i}"));
    if first > 1 || second == 1 {
        cells.columns = (0..columns).map(|i| ((i as f64) + 0.5, format!("{a} {}", i % first))).collect();
    }
    if second > 1 && !is_tall {
        cells.spans = (0..second).map(|i| name(b, i, first as f64)).collect();
    }
    cells
}

impl Figure for Params {
    fn subtitle(&self) -> String {
        let (gpus, experts) = (counted(self.gpus, "GPU", "GPUs"), counted(self.experts, "expert", "experts"));
        format!("{gpus} · {experts} · rank {}", self.rank)
    }

    fn finding(&self, layout: &Layout) -> String {
        self.finding(layout)
    }

    fn picture(&self, layout: &Layout) -> Picture {
        let ranks = Head::default()
            .key(CHOSEN, format!("rank {}", self.rank))
            .key(LIT, format!("its {} group", self.group.label()));
        let nodes = if self.gpus > self.node {
            Head::default().key(EVEN, format!("even nodes of {}", self.node)).key(ODD, "odd ones")
        } else {
            Head::default().key(EVEN, "one node")
        };
        let label = self.finding(layout);
        let attention = grid(self, layout, layout.attention, "Attention", ["tp", "cp", "dp"], ranks, label.clone());
        let experts = grid(self, layout, layout.experts, "Experts", ["etp", "ep", "edp"], nodes, label);
        Picture::Beside(vec![(1.0, attention.into()), (1.0, experts.into())])
    }

    /// Where each rank of the stage lies.
    fn table(&self, layout: &Layout) -> Table {
        let places = |[a, b, c, _]: [u64; 4]| format!("{a}, {b}, {c}");
        let row = |rank: u64| {
            let [attention, experts] = [layout.attention, layout.experts].map(|grid| places(grid.place(rank)));
            vec![rank.to_string(), attention, experts, self.holds(layout, rank)]
        };
        let columns = [
            Column::Words("Rank"),
            Column::Numbers("tp, cp, dp"),
            Column::Numbers("etp, ep, edp"),
            Column::Words("Holds"),
        ];
        let rows = layout.stage(self.rank).into_iter().map(row).collect();
        Table::of(columns, rows).captioned("Where each rank of the stage lies")
    }
}
