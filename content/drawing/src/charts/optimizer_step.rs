//! The way of two weights through a bowl.

use ringside_core::optimizer_step::{Params, Path, Problem, Rule};
use ringside_core::quantity::{Unit, capital, number, plural};

use crate::chart::{Axis, Chart, Ink, Mark, Series, Shape, Stroke};
use crate::figure::{Figure, Played, Table};
use crate::picture::Picture;

/// Levels of the loss that are drawn, as parts of that at the start.
const LEVELS: [f64; 5] = [1.0, 0.4, 0.15, 0.05, 0.01];
/// Points of a level.
const AROUND: usize = 96;
/// Half of the plane of the weights that is drawn.
const REACH: f64 = 5.0;

/// The bowl from above: levels of the loss, the way up to a step, and where it is.
fn bowl(params: &Params, path: &Path) -> Chart {
    let start = path.problem.loss(path.after(0));
    let reach = REACH.max(path.after(0)[0].abs() * 1.2).max(path.after(0)[1].abs() * 1.2);
    // Along the first weight the valley is long; where it is not turned, across it a closer look is due.
    let high = if params.angle == 0.0 { (2.2 * path.after(0)[1].abs()).max(1.5) } else { reach };
    let inside = |(x, y): &(f64, f64)| x.abs() <= reach && y.abs() <= high;
    let level = |part: f64| {
        let points = Problem::level(params.kappa, params.angle, part * start, AROUND);
        // A level that leaves the drawing comes back elsewhere: the longest stretch of it inside is drawn.
        let mut stretches: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
        for point in points {
            match (inside(&point), stretches.last_mut()) {
                (true, Some(last)) => last.push(point),
                (false, Some(last)) if !last.is_empty() => stretches.push(Vec::new()),
                _ => {}
            }
        }
        stretches
            .into_iter()
            .filter(|s| s.len() > 1)
            .map(|s| Series::fine("", Ink::Line, Stroke::Solid, s))
            .collect::<Vec<_>>()
    };
    let mut series: Vec<Series> = LEVELS.into_iter().flat_map(level).collect();
    let done = if params.step == 0 { path.at.len() } else { params.step as usize + 1 };
    let way: Vec<(f64, f64)> = path.at.iter().take(done).map(|[x, y]| (*x, *y)).filter(inside).collect();
    let names = (0..way.len()).map(|i| format!("after {i} steps")).collect();
    series.push(Series::line("", Ink::Weights, way.clone()));
    series.push(Series::dots("Weights after each step", Ink::Weights, Shape::Small, way).with_names(names));
    let here = path.after(done.saturating_sub(1));
    let mark = inside(&(here[0], here[1]))
        .then(|| Mark::new((here[0], here[1]), format!("loss {}", number(path.problem.loss(here)))));
    Chart {
        label: format!(
            "The two weights from above, with lines of equal loss. {} goes from ({}, {}) to ({}, {}) in {}.",
            capital(params.rule.label()),
            number(path.after(0)[0]),
            number(path.after(0)[1]),
            number(here[0]),
            number(here[1]),
            plural(&done.saturating_sub(1).to_string(), "step")
        ),
        across: Axis::linear((-reach, reach)).named("First weight"),
        up: Axis::linear((-high, high)).named("Second weight"),
        series,
        rules: Vec::new(),
        marks: mark.into_iter().collect(),
    }
}

/// The loss over the steps.
fn loss(params: &Params, path: &Path) -> Chart {
    let start = path.problem.loss(path.after(0)).max(1e-12);
    let points: Vec<(f64, f64)> =
        path.at.iter().enumerate().map(|(i, w)| (i as f64, (path.problem.loss(*w) / start).clamp(1e-8, 1e4))).collect();
    let last = points.len().saturating_sub(1) as f64;
    let low = points.iter().map(|(_, loss)| *loss).fold(0.01, f64::min);
    let high = points.iter().map(|(_, loss)| *loss).fold(1.0, f64::max);
    Chart {
        label: format!(
            "The loss over {}, as a part of that at the start: {} at the end.",
            plural(&number(last), "step"),
            points.last().map_or(String::new(), |p| number(p.1))
        ),
        across: Axis::linear((0.0, last.max(1.0))).named("Steps"),
        up: Axis::log10((low / 2.0, high * 2.0)).named("Loss over the start’s"),
        series: vec![Series::line(params.rule.label(), Ink::Weights, points)],
        rules: Vec::new(),
        marks: Vec::new(),
    }
}

impl Figure for Params {
    const PLAYS: bool = true;

    fn computed(&self) -> Self {
        Self { step: 0, ..self.clone() }
    }

    fn subtitle(&self) -> String {
        let (lr, kappa) = (number(self.lr), number(self.kappa));
        format!("{}, rate {lr}, κ {kappa}, batch {} of 8", self.rule.label(), self.batch)
    }

    fn finding(&self, path: &Path) -> String {
        self.finding(path)
    }

    fn picture(&self, path: &Path) -> Picture {
        Picture::Beside(vec![(1.3, bowl(self, path).into()), (1.0, loss(self, path).into())])
    }

    /// The whole way is on show until somebody steps.
    fn played(&self, path: &Path) -> Option<Played> {
        Some(Played::or_all(self.step as usize, path.changes.len()))
    }

    fn play(&mut self, step: usize) {
        self.step = step.max(1) as u64;
    }

    /// What an update of the layer takes, by rule.
    fn table(&self, _: &Path) -> Table {
        let row = |rule: Rule| {
            let [flop, bytes, state, intensity] = self.update(rule);
            let [bytes, state] = [bytes, state].map(|bytes| Unit::Bytes.format(bytes));
            vec![rule.label().to_owned(), Unit::Flop.format(flop), bytes, state, number(intensity)]
        };
        let heads = ["computes", "moves", "state", "FLOPs a byte"];
        Table::new("Rule", heads, Rule::ALL.into_iter().map(row).collect())
            .captioned("An update of a layer of m × n, in fp32")
    }
}
