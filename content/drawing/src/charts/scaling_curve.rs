//! Speed over GPUs beside a straight line, and what a step is made of on each number of them.

use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::scaling::{Curve, MAX_GPUS, Params, Scaling, Step};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};
use crate::figure::{About, Figure, Table};
use crate::picture::Picture;

/// The parts of a step, from the bottom. The first is work, the others are [`Step::waits`].
const PARTS: [(&str, Ink); 5] = [
    ("Work", Ink::Weights),
    ("Idle for lack of sequences", Ink::Idle),
    ("Exposed communication", Ink::Communication),
    ("Bubble", Ink::Optimizer),
    ("Straggler wait", Ink::Gradients),
];

/// One step as parts of one, the lowest first.
fn parts(step: &Step) -> [f64; 5] {
    let [idle, communication, bubble, straggle] = step.waits();
    [step.compute, idle, communication, bubble, straggle].map(|part| part / step.time())
}

/// Times as fast as one GPU.
fn speed(curve: &Curve) -> Chart {
    let max = MAX_GPUS as f64;
    let axis = |name: &str| Axis::log2((1.0, max)).written(Writing::Grouped).named(name);
    let points = curve.steps.iter().step_by(2).map(|s| format!("{} on {}", number(s.speedup()), grouped(s.gpus)));
    let gpus = if curve.here.gpus == 1 { "GPU" } else { "GPUs" };
    let half = Some(curve.half()).filter(|at| *at > 1.0 && *at < max);
    let rule =
        |at: f64| Rule::across(at, format!("half of the time at work: up to {}", grouped(at as u64))).ink(Ink::Soft);
    let doublings = curve.steps.iter().map(|s| s.gpus as f64);
    Chart {
        label: format!("Speed as a multiple of one GPU: {}.", points.collect::<Vec<_>>().join(", ")),
        across: axis("GPUs"),
        up: axis("Times as fast as one GPU"),
        series: vec![
            Series::fine("Linear", Ink::Edge, Stroke::Solid, doublings.map(|n| (n, n)).collect()),
            Series::line("Speed", Ink::Weights, curve.steps.iter().map(|s| (s.gpus as f64, s.speedup())).collect()),
        ],
        rules: half.map(rule).into_iter().collect(),
        marks: vec![Mark::new(
            (curve.here.gpus as f64, curve.here.speedup()),
            format!("{} {gpus}: {}×", grouped(curve.here.gpus), number(curve.here.speedup())),
        )],
    }
}

/// What a step is made of.
fn step(curve: &Curve) -> Chart {
    let work =
        curve.steps.iter().map(|s| format!("{} of it on {}", Unit::Fraction.format(s.efficiency()), grouped(s.gpus)));
    let series = PARTS.into_iter().enumerate().map(|(part, (name, ink))| {
        let ends = |step: &Step, upto: usize| parts(step).iter().take(upto).sum::<f64>();
        let tops = curve.steps.iter().map(|s| (s.gpus as f64, ends(s, part + 1))).collect();
        let here = parts(&curve.here).get(part).copied().unwrap_or_default();
        let name = format!("{name} {}", Unit::Fraction.format(here));
        Series::bars(name, ink, tops).over(curve.steps.iter().map(|s| ends(s, part)).collect())
    });
    let half = std::f64::consts::SQRT_2;
    Chart {
        label: format!("How much of a step is work: {}.", work.collect::<Vec<_>>().join(", ")),
        across: Axis::log2((1.0 / half, MAX_GPUS as f64 * half)).written(Writing::Binary).named("GPUs"),
        up: Axis::linear((0.0, 1.0)).written(Writing::Unit(Unit::Fraction)).named("What a step is made of"),
        series: series.collect(),
        rules: Vec::new(),
        marks: vec![Mark::new(
            (curve.here.gpus as f64, curve.here.efficiency()),
            format!("{} of it work", Unit::Fraction.format(curve.here.efficiency())),
        )],
    }
}

impl Figure for Params {
    fn about(&mut self) -> Option<About<'_>> {
        Some(About::Model(&mut self.model))
    }

    fn subtitle(&self) -> String {
        let scaling = if self.scaling == Scaling::Strong { "strong" } else { "weak" };
        format!("{} on {} {}, {scaling} scaling", self.model.name(), grouped(self.gpus), self.gpu.name)
    }

    fn finding(&self, curve: &Curve) -> String {
        curve.finding()
    }

    fn picture(&self, curve: &Curve) -> Picture {
        Picture::Over(vec![(1.2, speed(curve).into()), (1.0, step(curve).into())])
    }

    /// A row for every doubling.
    fn table(&self, curve: &Curve) -> Table {
        let row = |s: &Step| {
            let seconds = |time: f64| Unit::Seconds.format(time);
            vec![
                grouped(s.gpus),
                seconds(s.time()),
                number(s.speedup()),
                Unit::Fraction.format(s.efficiency()),
                seconds(s.compute),
                seconds(s.idle),
                seconds(s.communication),
                seconds(s.bubble),
                seconds(s.straggle),
                number(s.sequences),
            ]
        };
        let heads = [
            "step",
            "times one GPU",
            "efficiency",
            "work",
            "no sequence",
            "exposed communication",
            "bubble",
            "slowest",
            "sequences",
        ];
        Table::new("GPUs", heads, curve.steps.iter().map(row).collect())
    }
}
