//! A training run: its loss over the days, steps and tokens over the batch, its learning rate, optimizers side by side.

use ringside_core::quantity::{Unit, capital, grouped, number};
use ringside_core::training_run::batch::{self, trades};
use ringside_core::training_run::{DAY, HOUR, Params, Run, Show, Start};

use crate::chart::{Axis, Chart, Ink, Mark, Rule as Line, Series, Shape, Stroke, Writing};
use crate::figure::{Figure, Table};
use crate::picture::Picture;

const COUNT: Writing = Writing::Unit(Unit::Count);

/// The unit in which a time is read along an axis, in seconds.
fn unit(seconds: f64) -> (f64, &'static str) {
    let units = [(DAY, "days"), (HOUR, "hours"), (60.0, "minutes")];
    units.into_iter().find(|(unit, _)| seconds >= 2.0 * unit).unwrap_or((1.0, "seconds"))
}

/// The loss over the time of this model, and of the best one for as many FLOPs.
fn loss(run: &Run) -> Chart {
    let (each, name) = unit(run.seconds());
    let curve: Vec<(f64, f64)> = run.curve().into_iter().map(|(seconds, loss)| (seconds / each, loss)).collect();
    let compute = run.compute();
    let end = run.seconds() / each;
    let best = curve.iter().map(|(at, _)| (*at, run.surface.loss(run.surface.optimum(compute * at / end))));
    let best: Vec<(f64, f64)> = best.collect();
    let last = run.loss();
    let low = best.last().map_or(last, |(_, loss)| loss.min(last));
    // The first hundredth of a run would take all of the room.
    let from = curve.iter().find(|(at, _)| *at >= 0.01 * end).map_or(last + 1.0, |(_, loss)| *loss);
    let high = from.max(low + 0.2);
    let inside = |points: Vec<(f64, f64)>| points.into_iter().filter(|(_, loss)| *loss <= high).collect();
    Chart {
        label: format!(
            "Predicted loss over {name}: {last:.3} after {} {name}. The best size for these FLOPs would have {low:.3}.",
            number(end)
        ),
        across: Axis::linear((0.0, end)).named(format!("{}, if the run is planned to end then", capital(name))),
        up: Axis::linear((low - 0.04, high)).named("Loss, nats per token"),
        series: vec![
            Series::fine("the best size for each length", Ink::Optimizer, Stroke::Dashed, inside(best)).in_key(),
            Series::line(format!("{} parameters", COUNT.write(run.size.params)), Ink::Weights, inside(curve)).in_key(),
        ],
        rules: Vec::new(),
        marks: vec![Mark::new((end, last), format!("{last:.3}"))],
    }
}

/// Steps and tokens over the fewest possible, over the batch.
fn batch_size(run: &Run) -> Chart {
    let critical = run.critical();
    let all = trades(run.tokens, run.batch, critical);
    let (from, to) = (critical / 64.0, critical * 64.0);
    let all: Vec<f64> = all.iter().map(|t| t.batch).filter(|b| (from..=to).contains(b)).collect();
    let of = |factor: fn(f64, f64) -> f64| all.iter().map(|b| (*b, factor(*b, critical))).collect::<Vec<_>>();
    let here = run.batch.clamp(from, to);
    let (steps, tokens) = (batch::step_factor(here, critical), batch::token_factor(here, critical));
    Chart {
        label: format!(
            "Steps and tokens for one loss over the batch, as multiples of the fewest. At {} tokens: {} and {}.",
            COUNT.write(run.batch),
            number(steps),
            number(tokens)
        ),
        across: Axis::log10((from, to)).written(COUNT).named("Tokens of a batch"),
        up: Axis::log10((1.0, 64.0)).named("Times the fewest"),
        series: vec![
            Series::line("steps", Ink::Weights, of(batch::step_factor)),
            Series::line("tokens", Ink::Gradients, of(batch::token_factor)).stroke(Stroke::Dashed),
        ],
        rules: vec![Line::across(critical, format!("critical: {}", COUNT.write(critical))).ink(Ink::Soft)],
        marks: vec![Mark::new((here, steps), number(steps)), Mark::new((here, tokens), number(tokens))],
    }
}

/// The learning rate over the tokens.
fn learning_rate(run: &Run) -> Chart {
    let points = run.schedule.curve().into_iter().map(|(part, rate)| (part * run.tokens, rate)).collect();
    let mean = run.schedule.mean();
    let left = run.schedule.left(run.decays()).into_iter().map(|(part, left)| (part * run.tokens, left)).collect();
    Chart {
        label: format!(
            "The learning rate over the tokens, as a part of its peak: {} on average. Of the initial weights, decay leaves {}.",
            Unit::Fraction.format(mean),
            Unit::Fraction.format(run.initial_left())
        ),
        across: Axis::linear((0.0, run.tokens)).written(COUNT).named("Tokens"),
        up: Axis::linear((0.0, 1.1)).written(Writing::Unit(Unit::Fraction)).named("Learning rate over its peak"),
        series: vec![
            Series::line(run.schedule.shape.label(), Ink::Weights, points).in_key(),
            Series::line("share of an update left at the end", Ink::Gradients, left).stroke(Stroke::Dashed).in_key(),
        ],
        rules: vec![
            Line::up(mean, format!("mean {}", Unit::Fraction.format(mean))).stroke(Stroke::Dotted).ink(Ink::Soft),
        ],
        marks: Vec::new(),
    }
}

/// Bytes of state over the FLOPs of a step: each optimizer a point.
fn optimizers(run: &Run) -> Chart {
    let all = run.optimizers().map(|(rule, _, each, share)| (rule.label(), (share, each)));
    let here = (run.optimizer_share(), run.optimizer().state / run.size.total);
    let ends = all.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), (_, (x, _))| (low.min(*x), high.max(*x)));
    let top = all.iter().map(|(_, (_, y))| *y).fold(0.0, f64::max);
    let names = all.iter().map(|(name, _)| (*name).to_owned()).collect();
    let range = (ends.0 / 10.0, ends.1 * 20.0);
    let powers = (-10..=0).step_by(2).map(|power| (10_f64.powi(power), format!("{}%", 10_f64.powi(power + 2))));
    let ticks = powers.filter(|(share, _)| (range.0..=range.1).contains(share));
    Chart {
        label: format!(
            "Bytes of state for each parameter over the FLOPs of a step. {} keeps {} and computes {} of what the batch does.",
            run.rule.label(),
            number(here.1),
            Unit::Fraction.format(here.0)
        ),
        across: Axis::log10(range).at(ticks).named("FLOPs of a step over those of its batch"),
        up: Axis::linear((0.0, (top * 1.15).max(10.0))).named("Optimizer bytes per parameter"),
        series: vec![
            Series::dots("Optimizers", Ink::Weights, Shape::Disc, all.iter().map(|(_, at)| *at).collect())
                .with_names(names),
            Series::dots(run.rule.label(), Ink::Gradients, Shape::Square, vec![here]),
        ],
        rules: Vec::new(),
        marks: all.iter().map(|(name, at)| Mark::new(*at, *name)).collect(),
    }
}

impl Figure for Params {
    fn subtitle(&self) -> String {
        let (size, gpus) = (Unit::Count.format(self.params), grouped(self.gpus));
        format!("{size} parameters on {gpus} {}, MFU {}", self.gpu.name, Unit::Fraction.format(self.mfu))
    }

    fn finding(&self, run: &Run) -> String {
        match self.drawn() {
            _ if self.start == Start::Pretrained => run.finding(),
            Show::Loss => run.finding(),
            Show::Batch => run.batch_finding(),
            Show::Schedule => run.schedule_finding(),
            Show::Optimizers => run.optimizer_finding(),
        }
    }

    fn picture(&self, run: &Run) -> Picture {
        let chart = match self.drawn() {
            Show::Loss => loss(run),
            Show::Batch => batch_size(run),
            Show::Schedule => learning_rate(run),
            Show::Optimizers => optimizers(run),
        };
        chart.into()
    }

    /// Every optimizer for this model.
    fn table(&self, run: &Run) -> Table {
        let rows = run.optimizers().into_iter().map(|(rule, cost, each, share)| {
            vec![
                rule.label().to_owned(),
                Unit::Bytes.format(cost.state),
                number(each),
                Unit::Bytes.format(cost.traffic),
                Unit::Flop.format(cost.flop),
                Unit::Fraction.format(share),
            ]
        });
        let heads = ["state", "bytes per parameter", "moves", "computes", "of the batch’s FLOPs"];
        Table::new("Optimizer", heads, rows.collect()).captioned("A step of each optimizer, for the whole model")
    }
}
