//! A collective over sizes of its buffer: time, and bus bandwidth.

use ringside_core::collective::Algo;
use ringside_core::network::Cost;
use ringside_core::network::sizes::{Params, Point, RANGE, Sizes};
use ringside_core::quantity::{Unit, grouped};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Stroke, Writing};
use crate::figure::{Figure, Table};
use crate::picture::Picture;

/// What is drawn over the sizes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    Time,
    Bandwidth,
}

impl Over {
    /// The heights that are drawn, and their unit.
    fn heights(self) -> ((f64, f64), Unit) {
        match self {
            Over::Time => ((1e-6, 100.0), Unit::Seconds),
            Over::Bandwidth => ((1e6, 2e12), Unit::BytesPerSecond),
        }
    }

    fn of(self, sizes: &Sizes, cost: Cost, bytes: f64) -> f64 {
        match self {
            Over::Time => cost.time(bytes),
            Over::Bandwidth => sizes.busbw(cost, bytes),
        }
    }

    fn line(self, sizes: &Sizes, cost: Cost) -> Vec<(f64, f64)> {
        Sizes::sizes().map(|bytes| (bytes, self.of(sizes, cost, bytes))).collect()
    }

    fn measured(self, sizes: &Sizes, time: fn(&Point) -> Option<f64>) -> Vec<(f64, f64)> {
        let height = |bytes: f64, time: f64| match self {
            Over::Time => time,
            Over::Bandwidth => sizes.measured_busbw(bytes, time),
        };
        let points = sizes.params.measured.iter();
        points.filter_map(|p| time(p).map(|time| (p.bytes, height(p.bytes, time)))).collect()
    }

    fn label(self, sizes: &Sizes) -> String {
        let (from, to) = RANGE;
        let unit = self.heights().1;
        let ends = |cost: Cost| {
            let text = |bytes: f64| unit.format(self.of(sizes, cost, bytes));
            format!("from {} to {}", text(from), text(to))
        };
        let what = if self == Over::Time { "Time" } else { "Bus bandwidth" };
        let tree = sizes.tree.map_or(String::new(), |tree| format!("; by tree {}", ends(tree)));
        let (least, most) = (Unit::Bytes.format(from), Unit::Bytes.format(to));
        format!("{what} of buffers from {least} to {most}: by ring {}{tree}.", ends(sizes.ring))
    }
}

fn chart(sizes: &Sizes, over: Over) -> Chart {
    let (heights, unit) = over.heights();
    let mut series = vec![Series::line("Ring", Ink::Weights, over.line(sizes, sizes.ring))];
    if let Some(tree) = sizes.tree {
        series.push(Series::line("Tree", Ink::Optimizer, over.line(sizes, tree)).stroke(Stroke::Dashed));
    }
    if let Some(fit) = sizes.fit {
        series.push(Series::fine("Fitted", Ink::Ink, Stroke::Dotted, over.line(sizes, fit.cost)));
    }
    if !sizes.params.measured.is_empty() {
        let out_of_place = over.measured(sizes, |p| Some(p.time));
        series.push(Series::dots(
            "Measured, in place",
            Ink::Activations,
            Shape::Ring,
            over.measured(sizes, |p| p.in_place),
        ));
        series.push(Series::dots("Measured, out of place", Ink::Gradients, Shape::Disc, out_of_place));
    }
    let shown = |at: &f64| (RANGE.0..=RANGE.1).contains(at);
    let rule = |at: f64, text: &str| Rule::across(at, format!("{text} {}", Unit::Bytes.format(at))).ink(Ink::Soft);
    let half = Some(sizes.chosen.half_size()).filter(shown).map(|at| rule(at, "latency = bandwidth:"));
    let cross = sizes.crossover.filter(shown).map(|at| rule(at, "ring = tree:").stroke(Stroke::Dotted));
    let bytes = sizes.params.bytes;
    let height = over.of(sizes, sizes.chosen, bytes);
    Chart {
        label: over.label(sizes),
        across: Axis::log10(RANGE).written(Writing::Unit(Unit::Bytes)).named("Buffer"),
        up: Axis::log10(heights).written(Writing::Unit(unit)).named(if over == Over::Time {
            "Time"
        } else {
            "Bus bandwidth"
        }),
        series,
        rules: half.into_iter().chain(cross).collect(),
        marks: vec![Mark::new((bytes, height), unit.format(height))],
    }
}

/// In the place of what there is not.
const NONE: &str = "–";

impl Figure for Params {
    fn subtitle(&self) -> String {
        let algo = if self.algo == Algo::Ring { "ring" } else { "tree" };
        let (ranks, bytes) = (grouped(self.ranks as u64), Unit::Bytes.format(self.bytes));
        format!("{} by {algo} · {ranks} GPUs · {bytes}", self.op.label())
    }

    fn finding(&self, sizes: &Sizes) -> String {
        sizes.finding()
    }

    fn picture(&self, sizes: &Sizes) -> Picture {
        Picture::Beside([Over::Time, Over::Bandwidth].map(|over| (1.0, chart(sizes, over).into())).into())
    }

    /// A row for every power of ten.
    fn table(&self, sizes: &Sizes) -> Table {
        let row = |power: i32| {
            let bytes = 10_f64.powi(power);
            let cell = |cost: Option<Cost>, over: Over| {
                cost.map_or_else(|| NONE.to_owned(), |cost| over.heights().1.format(over.of(sizes, cost, bytes)))
            };
            let all = [Over::Time, Over::Bandwidth].map(|over| [cell(Some(sizes.ring), over), cell(sizes.tree, over)]);
            std::iter::once(Unit::Bytes.format(bytes)).chain(all.into_iter().flatten()).collect()
        };
        let heads = ["Ring time", "by tree", "Bus bandwidth by ring", "by tree"];
        Table::new("Buffer", heads, (1..=10).map(row).collect())
    }

    /// What was measured, if anything was.
    fn more_tables(&self, sizes: &Sizes) -> Vec<Table> {
        let row = |p: &Point| {
            let fitted = sizes.fit.map(|fit| fit.cost.time(p.bytes));
            let time = |time: Option<f64>| time.map_or_else(|| NONE.to_owned(), |time| Unit::Seconds.format(time));
            vec![Unit::Bytes.format(p.bytes), time(Some(p.time)), time(p.in_place), time(fitted)]
        };
        let rows: Vec<_> = self.measured.iter().map(row).collect();
        let table = Table::new("Buffer", ["Out of place", "In place", "Fitted"], rows);
        let is_measured = !table.rows.is_empty();
        is_measured.then(|| table.captioned("Measured, and the line that fits it")).into_iter().collect()
    }
}
