//! What a GPU holds through its first steps, kind over kind, with its capacity and, where there is one, the peak that was measured.

use ringside_core::memory::first_steps::{Course, Held, LATE, Moment, Params, STEPS, When};
use ringside_core::quantity::{Unit, bytes_decimal, grouped};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};
use crate::figure::{About, Figure, Table};
use crate::picture::Picture;

/// The capacity is on the axis unless it is this many times what is held.
const FAR: f64 = 1.7;

/// A kind of memory: its name, its colour, and what is held of it and of all kinds under it.
type Layer = (&'static str, Ink, fn(&Held) -> f64);

/// The chart.
fn chart(c: &Course) -> Chart {
    let layers: [Layer; 5] = [
        ("Activations", Ink::Activations, Held::total),
        ("Gradients", Ink::Gradients, |h| h.total() - h.activations),
        ("Adam’s moments", Ink::Optimizer, |h| h.weights + h.master + h.moments),
        ("fp32 master copy", Ink::Kv, |h| h.weights + h.master),
        ("Weights", Ink::Weights, |h| h.weights),
    ];
    // Between the first steps and the later one lies a level stretch: the states stay.
    let area = |(name, ink, of): Layer| {
        let names = c.moments.iter().map(|m| m.name.clone()).collect();
        Series::area(name, ink, c.moments.iter().map(|m| (m.at, of(&m.held))).collect()).with_names(names)
    };
    let series = layers.into_iter().map(area).collect();
    let largest = c.peak().max(c.late_reserved()).max(c.measured.map_or(0.0, |run| run.reserved().0));
    let room = c.capacity.0;
    let top = if room <= largest * FAR { largest.max(room) } else { largest };
    let mut rules = Vec::new();
    if room <= top {
        rules.push(Rule::up(room, format!("the GPU has {}", bytes_decimal(room))).ink(Ink::Warn));
    }
    if let Some(run) = c.measured {
        let text = format!("measured: {} allocated", bytes_decimal(run.allocated().0));
        rules.push(Rule::up(run.allocated().0, text).ink(Ink::Accent).stroke(Stroke::Dashed));
    }
    let mark = |when: When, value: f64| {
        let moment = c.moments.iter().find(|m| m.when == when && m.held.total() >= value * (1.0 - 1e-12))?;
        Some(Mark::new((moment.at, value), bytes_decimal(value)))
    };
    let marks = [
        mark(When::Passes(1), c.passes(1)),
        mark(When::Update(1), c.update(1)),
        mark(When::Passes(2), c.passes(2)),
        mark(When::Late, c.late()),
    ];
    let ticks = (1..=STEPS).map(|step| (step as f64 - 0.5, format!("step {step}")));
    let late = STEPS as f64 + 1.0;
    Chart {
        label: c.finding(),
        across: Axis::linear((0.0, late + 0.5))
            .at(ticks.chain([(late, format!("step {}", grouped(LATE)))]))
            .named("The course of the run, modelled"),
        up: Axis::linear((0.0, top * 1.1)).written(Writing::Unit(Unit::Bytes)).named("A GPU holds"),
        series,
        rules,
        marks: marks.into_iter().flatten().collect(),
    }
}

impl Figure for Params {
    fn about(&mut self) -> Option<About<'_>> {
        Some(About::Model(&mut self.run.model))
    }

    fn subtitle(&self) -> String {
        let tokens = grouped(self.run.seq.unwrap_or_default());
        format!("{} · {tokens} tokens · ZeRO-{} over {}", self.run.model.name(), self.run.zero, grouped(self.run.dp))
    }

    fn finding(&self, course: &Course) -> String {
        course.finding()
    }

    fn picture(&self, course: &Course) -> Picture {
        chart(course).into()
    }

    /// The peaks of the course, with what they consist of.
    fn table(&self, course: &Course) -> Table {
        let fullest = |when: When| {
            let most = |a: &&Moment, b: &&Moment| a.held.total().total_cmp(&b.held.total());
            course.moments.iter().filter(|m| m.when == when).max_by(most)
        };
        let row = |m: &Moment| {
            let h = m.held;
            let bytes = [h.weights, h.master, h.moments, h.gradients, h.activations, h.total()].map(bytes_decimal);
            std::iter::once(m.name.clone()).chain(bytes).collect()
        };
        let whens = [When::Load, When::Passes(1), When::Update(1), When::Passes(2), When::Late];
        let rows = whens.into_iter().filter_map(fullest).map(row).collect();
        Table::new("Moment", ["Weights", "Master copy", "Moments", "Gradients", "Activations", "Together"], rows)
    }
}
