//! The loss of a run that was never interrupted, and of one that was resumed; and one flat tensor, cut as it was saved and as it is loaded.

use ringside_core::loss_scaling::network::Step;
use ringside_core::quantity::{grouped, number};
use ringside_core::resume::{Params, Resumed, View};

use crate::chart::{Axis, Chart, Ink, Rule, Series, Stroke, Writing};
use crate::figure::{Column, Figure, Table};
use crate::form::{Head, Lane, Lanes, Piece};
use crate::picture::Picture;

/// From this ratio of the largest loss to the smallest on, the axis is logarithmic.
const ORDERS: f64 = 20.0;
/// A loss beyond which nothing is drawn.
const HIGHEST: f64 = 3.0;

/// Both losses over the steps.
fn chart(params: &Params, run: &Resumed) -> Chart {
    let points = |steps: &[Step], from: usize| {
        let points = steps.iter().enumerate().map(|(i, step)| ((from + i) as f64 + 1.0, step.loss));
        points.filter(|(_, loss)| loss.is_finite()).map(|(step, loss)| (step, loss.min(HIGHEST))).collect::<Vec<_>>()
    };
    let (whole, resumed) = (points(&run.whole, 0), points(&run.resumed, run.begins()));
    let top = whole.iter().chain(&resumed).map(|point| point.1).fold(0.5, f64::max) * 1.05;
    let low = whole.iter().chain(&resumed).map(|point| point.1).fold(top, f64::min);
    let up = if low > 0.0 && top / low >= ORDERS { Axis::log10((low / 1.3, top)) } else { Axis::linear((0.0, top)) };
    Chart {
        label: params.finding(run),
        across: Axis::linear((0.0, run.whole.len() as f64)).written(Writing::Grouped).named("Step"),
        up: up.named("Loss"),
        series: vec![
            Series::line("resumed", Ink::Gradients, resumed).in_key(),
            Series::fine("never interrupted", Ink::Ink, Stroke::Solid, whole).in_key(),
        ],
        rules: vec![Rule::across(run.begins() as f64 + 0.5, "checkpoint").ink(Ink::Soft)],
        marks: Vec::new(),
    }
}

/// The files over the ranks that load; what the rank on show reads stands out.
fn shards(p: &Params, r: &Resumed) -> Lanes {
    let rank = p.shown_rank();
    let (first, last) = r.shards.reads.get(rank as usize).copied().unwrap_or_default();
    let strip = |name: &str, count: u64, ink: Ink, is_lit: &dyn Fn(u64) -> bool| {
        let wide = 1.0 / count.max(1) as f64;
        let piece = |i: u64| {
            let from = i as f64 * wide;
            let tone = if is_lit(i) { ink.into() } else { Ink::Idle.at(30) };
            Piece::new(from, from + wide * 0.97, tone).text(i.to_string())
        };
        Lane::new(name, (0..count).map(piece).collect())
    };
    // The rank's part of the tensor, from one cut to the other.
    let [from, to] = [rank, rank + 1].map(|edge| edge as f64 / p.to.max(1) as f64);
    let rows = vec![
        strip("files", p.from, Ink::Weights, &|file| (first..=last).contains(&file)),
        Lane::new("", vec![Piece::new(from, to, Ink::Gradients.at(22))]),
        strip("ranks that load", p.to, Ink::Gradients, &|other| other == rank),
    ];
    let label = format!("Rank {rank} reads files {first} to {last}");
    Lanes::new(label.clone(), Head::new(label, &[]), rows, 1.0, None)
}

impl Figure for Params {
    /// Neither the view nor the rank on show changes the runs.
    fn computed(&self) -> Self {
        Self { view: View::Resume, rank: 0, ..*self }
    }

    fn subtitle(&self) -> String {
        match self.view {
            View::Resume => format!("saved after step {}, lacks {}", grouped(self.at.into()), self.missing.label()),
            View::Reshard => format!("{} ranks saved, {} load", grouped(self.from), grouped(self.to)),
        }
    }

    fn finding(&self, run: &Resumed) -> String {
        self.finding(run)
    }

    fn picture(&self, run: &Resumed) -> Picture {
        match self.view {
            View::Resume => chart(self, run).into(),
            View::Reshard => shards(self, run).into(),
        }
    }

    /// Both runs step by step.
    fn table(&self, run: &Resumed) -> Table {
        let row = |(i, step): (usize, &Step)| {
            let resumed = i.checked_sub(run.begins()).and_then(|i| run.resumed.get(i));
            vec![
                (i + 1).to_string(),
                number(step.loss),
                resumed.map_or_else(|| "–".to_owned(), |step| number(step.loss)),
                if resumed.is_some_and(|step| step.skipped) { "skipped" } else { "" }.to_owned(),
            ]
        };
        let columns = [
            Column::Numbers("Step"),
            Column::Numbers("Loss, never interrupted"),
            Column::Numbers("Loss, resumed"),
            Column::Words("Resumed update"),
        ];
        Table::of(columns, run.whole.iter().enumerate().map(row).collect())
    }
}
