//! The course of a step on the fullest GPU: up through the forward pass, down through the backward pass.

use ringside_core::memory::activations::{Activations, Params, Point};
use ringside_core::quantity::{Unit, bytes_binary, bytes_decimal, grouped};

use crate::chart::{Axis, Chart, Ink, Mark, Series, Writing};
use crate::figure::{About, Figure, Table};
use crate::picture::Picture;

/// Most points of an outline.
const MOST: usize = 400;
/// Rows of the table of a step; of more layers an even choice is listed.
const MOST_ROWS: usize = 66;

/// The chart.
fn chart(a: &Activations) -> Chart {
    let curve = a.curve();
    let peak = a.peak().0;
    let last = curve.len().saturating_sub(1).max(1) as f64;
    let top = curve.iter().position(|p| p.bytes.0 >= peak * (1.0 - 1e-12)).unwrap_or_default();
    let step = curve.len().div_ceil(MOST).max(1);
    let n = a.worst.stage.layers;
    let name = |p: &Point| {
        let pass = if p.backward { "Backward" } else { "Forward" };
        match p.layer {
            0 => format!("{pass}, embedding"),
            l if l > n => format!("{pass}, head"),
            l => format!("{pass}, layer {}", grouped(l)),
        }
    };
    let meet = curve.iter().position(|p| p.backward).unwrap_or(curve.len());
    let outline = |backward: bool| {
        let shown = |i: usize| i.is_multiple_of(step) || i == top || i + 1 == meet || i == meet || i + 1 == curve.len();
        let points = curve.iter().enumerate().filter(|(i, p)| p.backward == backward && shown(*i));
        points.map(|(i, p)| (i as f64, p)).collect::<Vec<_>>()
    };
    let area = |title: &str, ink: Ink, points: Vec<(f64, &Point)>| {
        let names = points.iter().map(|(_, p)| name(p)).collect();
        Series::area(title, ink, points.into_iter().map(|(i, p)| (i, p.bytes.0)).collect()).with_names(names)
    };
    let (mut forward, mut backward) = (outline(false), outline(true));
    // The forward pass ends where the backward pass begins.
    if let (Some((_, before)), Some((at, _))) = (forward.last().copied(), backward.first().copied()) {
        forward.push((at, before));
    }
    backward.dedup_by(|a, b| a.0 == b.0);
    let mut series = vec![
        area("Forward, layer by layer", Ink::Forward, forward),
        area("Backward, in the opposite order", Ink::Backward, backward),
    ];
    let others = a.others().0;
    if others > 0.0 {
        let ends = vec![(0.0, others), (last, others)];
        series.push(Series::area("Kept for other micro-batches in flight", Ink::Idle, ends));
    }
    Chart {
        label: format!("Activations through a step: they peak at {}. {}", bytes_decimal(peak), a.why_peak()),
        across: Axis::linear((0.0, last)).at([]).named("The course of a step"),
        up: Axis::linear((0.0, peak * 1.08))
            .written(Writing::Unit(Unit::Bytes))
            .named("Activations on the fullest GPU"),
        series,
        rules: Vec::new(),
        marks: curve
            .get(top)
            .map(|p| Mark::new((top as f64, p.bytes.0), format!("peak {}", bytes_decimal(peak))))
            .into_iter()
            .collect(),
    }
}

impl Figure for Params {
    fn about(&mut self) -> Option<About<'_>> {
        Some(About::Model(&mut self.model))
    }

    fn subtitle(&self) -> String {
        let tokens = format!("{} × {} tokens", grouped(self.mbs), grouped(self.seq));
        format!("{} · {tokens} · {}", self.model.name(), self.layout.in_words())
    }

    fn finding(&self, a: &Activations) -> String {
        a.finding()
    }

    fn picture(&self, a: &Activations) -> Picture {
        chart(a).into()
    }

    fn table(&self, a: &Activations) -> Table {
        let curve = a.curve();
        let layers = a.worst.stage.layers;
        let row = |p: &Point| {
            let layer = match p.layer {
                0 => "embedding".to_owned(),
                l if l > layers => "head".to_owned(),
                l => format!("layer {}", grouped(l)),
            };
            let pass = if p.backward { "backward" } else { "forward" };
            vec![format!("{pass}, {layer}"), bytes_decimal(p.bytes.0), bytes_binary(p.bytes.0)]
        };
        let rows = curve.iter().step_by(curve.len().div_ceil(MOST_ROWS).max(1)).map(row).collect();
        Table::new("After", ["GB = 10⁹ bytes", "GiB = 2³⁰ bytes"], rows)
            .captioned("Activations on the fullest GPU through a step")
    }
}
