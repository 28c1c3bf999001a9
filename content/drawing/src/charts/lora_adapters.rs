//! Adapters: what a GPU holds, parameters over the rank, and memory over the number served.

use ringside_core::post_training::adapters::figure::{LARGEST, MOST, Params, Shown, View};
use ringside_core::post_training::adapters::{Adapted, Targets};
use ringside_core::quantity::{Unit, count, grouped};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};
use crate::figure::{About, Figure, Table};
use crate::picture::Picture;
use crate::pictures::memory::tunes;

/// Parameters over the rank, for every choice of matrices.
fn rank(params: &Params, shown: &Shown) -> Chart {
    let curve = |targets| -> Vec<(f64, f64)> {
        let one = |power: u32| (f64::from(1_u32 << power), params.adapter(targets, 1 << power).params().max(1) as f64);
        (0..=LARGEST).map(one).collect()
    };
    let inks = [Ink::Gradients, Ink::Optimizer, Ink::Kv, Ink::Activations, Ink::Weights];
    let strokes = [Stroke::Dashed, Stroke::Dotted, Stroke::Dashed, Stroke::Dotted, Stroke::Solid];
    let series: Vec<Series> = Targets::ALL
        .into_iter()
        .zip(inks)
        .zip(strokes)
        .map(|((targets, ink), stroke)| {
            let line = Series::line(targets.label(), ink, curve(targets));
            line.stroke(if targets == params.targets { Stroke::Solid } else { stroke })
        })
        .collect();
    let model = shown.held[0].params;
    let all = || series.iter().flat_map(|s| &s.points).map(|p| p.1);
    let range = (all().fold(f64::INFINITY, f64::min) / 2.0, all().fold(model, f64::max) * 2.0);
    let here = shown.adapter.params() as f64;
    Chart {
        label: params.finding(shown),
        across: Axis::log2((1.0, f64::from(1_u32 << LARGEST))).written(Writing::Grouped).named("Rank"),
        up: Axis::log10(range).written(Writing::Unit(Unit::Count)).named("Trained parameters"),
        series,
        rules: vec![Rule::up(model, format!("the model, {}", count(model)))],
        marks: vec![Mark::new((params.rank as f64, here), count(here))],
    }
}

/// Memory over the number of adapters that are served.
fn serving(params: &Params, shown: &Shown) -> Chart {
    let counts = || (0..=MOST).map(|power| 1_u64 << power);
    let one = counts().map(|n| (n as f64, shown.serving(n))).collect::<Vec<_>>();
    let copies = counts().map(|n| (n as f64, n as f64 * shown.model_bytes())).collect::<Vec<_>>();
    let here = shown.serving(params.served);
    let capacity = params.gpu.memory.0;
    let top = one.iter().map(|p| p.1).fold(capacity, f64::max).max(copies.get(6).map_or(0.0, |p| p.1));
    let copies = copies.into_iter().filter(|p| p.1 <= top * 2.0).collect();
    Chart {
        label: params.finding(shown),
        across: Axis::log2((1.0, (1_u64 << MOST) as f64)).written(Writing::Grouped).named("Adapters served"),
        up: Axis::log10((shown.model_bytes() / 2.0, top * 2.0)).written(Writing::Unit(Unit::Bytes)).named("Weights"),
        series: vec![
            Series::line("merged into a model each", Ink::Gradients, copies).stroke(Stroke::Dashed).in_key(),
            Series::line("on one base", Ink::Weights, one).in_key(),
        ],
        rules: vec![Rule::up(capacity, params.gpu.with_memory())],
        marks: vec![Mark::new((params.served as f64, here), Unit::Bytes.format(here))],
    }
}

impl Figure for Params {
    fn about(&mut self) -> Option<About<'_>> {
        Some(About::Model(&mut self.model))
    }

    fn subtitle(&self) -> String {
        self.in_words()
    }

    fn finding(&self, s: &Shown) -> String {
        self.finding(s)
    }

    fn picture(&self, s: &Shown) -> Picture {
        match self.view {
            View::Memory => tunes(self, s).into(),
            View::Rank => rank(self, s).into(),
            View::Serving => serving(self, s).into(),
        }
    }

    /// The adapted matrices.
    fn table(&self, s: &Shown) -> Table {
        let row = |m: &Adapted| {
            let all = s.adapter.rank.saturating_mul(m.inputs.saturating_add(m.outputs)).saturating_mul(m.count);
            std::iter::once(m.name.to_owned()).chain([m.inputs, m.outputs, m.count, all].map(grouped)).collect()
        };
        let heads = ["inputs", "outputs", "how often", "parameters of A and B"];
        Table::new("Matrix", heads, s.adapter.matrices.iter().map(row).collect())
    }

    fn more_tables(&self, s: &Shown) -> Vec<Table> {
        let row =
            |name: &str, params: u64, bytes: f64| vec![name.to_owned(), grouped(params), Unit::Bytes.format(bytes)];
        let model = s.held[0].params as u64;
        let rows = vec![row("Adapter", s.adapter.params(), s.adapter_bytes()), row("Model", model, s.model_bytes())];
        vec![Table::new("Trained", ["parameters", "on disk"], rows).captioned("What is trained, and stored for it")]
    }
}
