//! {title}: what the picture shows.

use ringside_core::quantity::grouped;
use ringside_core::{snake}::{Pairs, Params};

use crate::chart::{Axis, Chart, Ink, Mark, Series, Writing};
use crate::figure::{Figure, Table};
use crate::picture::Picture;

/// How many are drawn.
const MOST: u64 = 1024;

impl Figure for Params {
    fn subtitle(&self) -> String {
        grouped(self.n)
    }

    fn finding(&self, _: &Pairs) -> String {
        self.finding()
    }

    /// The pairs over how many there are.
    fn picture(&self, result: &Pairs) -> Picture {
        let [n, pairs] = [self.n as f64, result.pairs as f64];
        let curve = (0..=10).map(|power| Params { n: 1 << power }).map(|p| (p.n as f64, p.pairs().pairs.max(1) as f64));
        let axis = |range| Axis::log2(range).written(Writing::Grouped);
        let chart = Chart {
            label: self.finding(),
            across: axis((1.0, MOST as f64)).named("How many"),
            up: axis((1.0, (MOST * MOST) as f64)).named("Ordered pairs"),
            series: vec![Series::line("pairs", Ink::Weights, curve.collect())],
            rules: Vec::new(),
            marks: vec![Mark::new((n, pairs.max(1.0)), grouped(result.pairs))],
        };
        chart.into()
    }

    fn table(&self, _: &Pairs) -> Table {
        let row = |power: u32| {
            let other = Params { n: 1 << power };
            vec![grouped(other.n), grouped(other.pairs().pairs)]
        };
        Table::of_numbers(["How many", "Ordered pairs"], (0..=10).map(row).collect())
    }
}
