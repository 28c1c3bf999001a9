//! The losses of two replicas beside those of a job whose streams are right.

use ringside_core::quantity::number;
use ringside_core::seed_streams::{Params, Shown};

use crate::chart::{Axis, Chart, Ink, Series, Stroke, Writing};
use crate::figure::{Figure, Table};
use crate::picture::Picture;

/// The losses over the steps.
fn chart(params: &Params, shown: &Shown) -> Chart {
    let of = |run: &ringside_core::seed_streams::Outcome, replica: usize| -> Vec<(f64, f64)> {
        let points = run.losses.iter().enumerate().map(|(i, both)| (i as f64 + 1.0, both[replica]));
        points.filter(|(_, loss)| loss.is_finite()).collect()
    };
    let [right, first, second] = [of(&shown.right, 0), of(&shown.run, 0), of(&shown.run, 1)];
    let highest = right.iter().chain(&first).chain(&second).map(|p| p.1).fold(1.0, f64::max);
    Chart {
        label: params.finding(shown),
        across: Axis::linear((0.0, right.len().max(2) as f64)).written(Writing::Grouped).named("Step"),
        up: Axis::linear((0.0, highest * 1.08)).named("Loss"),
        series: vec![
            Series::fine("right streams", Ink::Ink, Stroke::Dotted, right).in_key(),
            Series::line("replica 1", Ink::Weights, second).stroke(Stroke::Dashed).in_key(),
            Series::line("replica 0", Ink::Gradients, first).in_key(),
        ],
        ..Chart::default()
    }
}

impl Figure for Params {
    /// What dropout drops changes no loss: the network has none.
    fn computed(&self) -> Self {
        Self { dropout: 0.0, ..*self }
    }

    fn subtitle(&self) -> String {
        "2 replicas × 2 tensor-parallel ranks × 2 stages".to_owned()
    }

    fn finding(&self, shown: &Shown) -> String {
        self.finding(shown)
    }

    fn picture(&self, shown: &Shown) -> Picture {
        chart(self, shown).into()
    }

    /// The losses step by step.
    fn table(&self, s: &Shown) -> Table {
        let row = |(i, losses): (usize, &[f64; 2])| {
            let right = s.right.losses.get(i).map_or(f64::NAN, |l| l[0]);
            let apart = s.run.apart.get(i).copied().unwrap_or_default();
            let numbers = [losses[0], losses[1], right, apart].map(number);
            std::iter::once((i + 1).to_string()).chain(numbers).collect()
        };
        let heads = ["Step", "Loss of replica 0", "Loss of replica 1", "With the right streams", "Replicas apart"];
        Table::of_numbers(heads, s.run.losses.iter().enumerate().map(row).collect())
    }
}
