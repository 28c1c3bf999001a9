//! Step time against memory: every layout, those that nothing beats, and the memory that there is.

use ringside_core::planner::found::{FULLEST, SLOWEST};
use ringside_core::planner::{Found, Layout, words};
use ringside_core::quantity::{Unit, bytes_decimal, grouped};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Writing};

/// Step times that are written, in those of the fastest layout.
const TIMES: [f64; 5] = [1.0, 1.5, 2.0, 4.0, 8.0];
/// The highest step time, in those of the slowest layout of the front.
const ABOVE: f64 = 2.0;

/// What was found, with one layout of it marked. Nothing if nothing was searched.
pub fn chart(found: &Found, here: Option<&Layout>) -> Chart {
    let Some(job) = &found.job else { return Chart::default() };
    let capacity = job.cluster.gpu.memory.0;
    let fastest = found.front.first().map_or(1.0, |l| l.step);
    let of_front = found.front.iter().chain(here).map(|l| ABOVE * l.step).fold(fastest, f64::max);
    let (most, slowest) = (FULLEST * capacity, of_front.min(SLOWEST * fastest));
    let seen = |(memory, step): &(f64, f64)| *memory <= most && *step <= slowest;
    let at = |layout: &Layout| (layout.memory, layout.step);
    let front: Vec<&Layout> = found.front.iter().filter(|layout| seen(&at(layout))).collect();
    let corners = front.windows(2).map(|pair| (pair[0].memory, pair[1].step));
    let mut stairs: Vec<(f64, f64)> = front.iter().map(|layout| at(layout)).chain(corners).collect();
    stairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let cloud = found.cloud.iter().map(|&(step, memory)| (memory, step)).filter(seen).collect();
    let (mut points, mut names): (Vec<_>, Vec<_>) =
        front.iter().map(|layout| (at(layout), words::layout(&layout.choice))).unzip();
    // From left to right: the smallest first.
    points.reverse();
    names.reverse();
    Chart {
        label: format!(
            "{} layouts by step time and memory; {} of them, joined by a line, are the Pareto front: no layout is both faster and smaller.",
            grouped(found.all as u64),
            grouped(found.front.len() as u64)
        ),
        across: Axis::linear((0.0, most)).written(Writing::Unit(Unit::Bytes)).named("Tensors on the fullest GPU"),
        up: Axis::log10((fastest, slowest))
            .at(TIMES
                .map(|t| (t * fastest, Unit::Seconds.format(t * fastest)))
                .into_iter()
                .filter(|(t, _)| *t <= slowest))
            .named("Step time"),
        series: vec![
            Series::band("", Ink::Idle, vec![(capacity, fastest, slowest), (most, fastest, slowest)]),
            Series::dots("", Ink::Edge, Shape::Small, cloud),
            Series::fine("", Ink::Accent, crate::chart::Stroke::Solid, stairs),
            Series::dots("Pareto front (no layout is both faster and smaller)", Ink::Accent, Shape::Ring, points)
                .with_names(names),
        ],
        rules: vec![Rule::across(capacity, format!("GPU memory: {}", bytes_decimal(capacity)))],
        marks: here
            .map(at)
            .filter(seen)
            .map(|point| Mark::new(point, Unit::Seconds.format(point.1)))
            .into_iter()
            .collect(),
    }
}
