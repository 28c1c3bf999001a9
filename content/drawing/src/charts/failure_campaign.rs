//! Time lost over the checkpoint interval, which intervals and recoveries reach a target, and failures over the size of a job.

use ringside_core::failure::campaign::Cause;
use ringside_core::failure::rates::{PUBLISHED, Rates};
use ringside_core::failure::storage::{LLAMA3_STORAGE, Save};
use ringside_core::failure::{DAY, Failures, Outcome, View};
use ringside_core::quantity::{Unit, grouped};

use super::spread;
use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Stroke, Writing};

const TIME: Writing = Writing::Unit(Unit::Seconds);
const PART: Writing = Writing::Unit(Unit::Fraction);
/// Intervals that are drawn, in seconds.
const INTERVALS: (f64, f64) = (10.0, 1e5);
/// What storage takes, in bytes a second.
const BANDWIDTHS: (f64, f64) = (1e9, 1e13);
/// GPUs that are drawn.
const SIZES: (f64, f64) = (8.0, 131_072.0);

/// The chart of a view that is one.
pub fn chart(params: &Failures, outcome: &Outcome) -> Chart {
    match params.view {
        View::Campaign | View::Interval => interval(params, outcome),
        View::Target => target(params, outcome),
        View::Size => size(params, outcome),
        View::Storage => storage(params, outcome),
    }
}

/// Intervals as people say them.
fn intervals() -> Axis {
    let ticks = [10.0, 60.0, 600.0, 3600.0, 36_000.0].map(|s| (s, Unit::Seconds.format(s)));
    Axis::log10(INTERVALS).at(ticks).written(TIME).named("Computation between two checkpoints")
}

/// Times up to `top` in whole minutes, six of them at most.
fn minutes(top: f64) -> impl Iterator<Item = (f64, String)> {
    let step =
        [1.0, 2.0, 5.0, 10.0, 20.0, 30.0].into_iter().map(|minutes| 60.0 * minutes).find(|step| top / step <= 6.0);
    let step = step.unwrap_or(3600.0 * (top / 21_600.0).ceil());
    (0..=(top / step) as u32).map(move |i| f64::from(i) * step).map(|s| (s, Unit::Seconds.format(s)))
}

/// What is wasted at each interval: lived through, and as Daly's model has it.
fn interval(params: &Failures, o: &Outcome) -> Chart {
    let best = o.curve.best().map_or(0.1, |point| point.wasted);
    let top = (3.0 * best).clamp(0.2, 1.0);
    let model = spread(INTERVALS, 96).map(|t| (t, 1.0 - o.efficiency(t))).filter(|(_, wasted)| *wasted <= top);
    let lived = o.curve.points.iter().map(|p| (p.interval, p.wasted)).filter(|(_, wasted)| *wasted <= top);
    let here = 1.0 - o.campaign.share(Cause::Useful);
    Chart {
        label: params.finding(o),
        across: intervals(),
        up: Axis::linear((0.0, top)).written(PART).named("Of the time is not useful work"),
        series: vec![
            Series::fine("Daly’s model: failures alone", Ink::Ink, Stroke::Dashed, model.collect()).in_key(),
            Series::dots("simulated", Ink::Weights, Shape::Disc, lived.collect()),
        ],
        rules: vec![
            Rule::across(o.daly, "").ink(Ink::Soft),
            Rule::across(o.young, format!("Young {}", Unit::Seconds.format(o.young))).ink(Ink::Soft),
        ],
        marks: vec![Mark::new((params.interval, here.min(top)), Unit::Fraction.format(here))],
    }
}

/// The longest recovery with which the target is reached, by interval.
fn target(params: &Failures, o: &Outcome) -> Chart {
    let longest: Vec<(f64, f64)> =
        spread(INTERVALS, 96).map(|t| (t, o.longest_recovery(t, params.target).max(0.0))).collect();
    let top = longest.iter().map(|point| point.1).fold(o.recovery, f64::max) * 1.2;
    let name = format!("{} or more is useful", Unit::Fraction.format(params.target / 100.0));
    Chart {
        label: params.finding(o),
        across: intervals(),
        up: Axis::linear((0.0, top)).at(minutes(top)).written(TIME).named("Recovery time"),
        series: vec![Series::area(name, Ink::Weights, longest)],
        rules: vec![
            Rule::across(o.optimum, format!("best interval {}", Unit::Seconds.format(o.optimum))).ink(Ink::Soft),
        ],
        marks: vec![Mark::new(
            (params.interval, o.recovery),
            format!("now: {} useful", Unit::Fraction.format(o.efficiency(params.interval))),
        )],
    }
}

/// Time between failures over the size of a job, as published and as this rate has it.
fn size(params: &Failures, o: &Outcome) -> Chart {
    let line = |rates: Rates| {
        let of = Failures { rates, ..params.clone() };
        spread(SIZES, 14).map(|gpus| (gpus, of.mtbf_of(gpus))).collect::<Vec<_>>()
    };
    let others = Rates::ALL.into_iter().filter(|rates| *rates != params.rates && *rates != Rates::Own);
    let strokes = [Stroke::Dashed, Stroke::Dotted, Stroke::Solid];
    let mut series: Vec<Series> = others
        .zip(strokes)
        .map(|(rates, stroke)| Series::fine(rates.label(), Ink::Edge, stroke, line(rates)).in_key())
        .collect();
    series.push(Series::line(params.rates.label(), Ink::Weights, line(params.rates)).in_key());
    let names = PUBLISHED
        .iter()
        .map(|(gpus, mtbf, whose)| format!("{whose}: {} GPUs, {}", grouped(*gpus as u64), Unit::Seconds.format(*mtbf)));
    let published = PUBLISHED.iter().map(|(gpus, mtbf, _)| (*gpus, *mtbf)).collect();
    series.push(Series::dots("published", Ink::Gradients, Shape::Diamond, published).with_names(names.collect()));
    let ticks = [(60.0, "1 min"), (3600.0, "1 h"), (DAY, "1 day"), (10.0 * DAY, "10 days"), (100.0 * DAY, "100 days")];
    let ticks = ticks.map(|(s, text)| (s, text.to_owned()));
    Chart {
        label: params.finding(o),
        across: Axis::log2(SIZES).written(Writing::Grouped).named("GPUs of one job"),
        up: Axis::log10((60.0, 1e8)).at(ticks).written(TIME).named("Between two failures"),
        series,
        rules: Vec::new(),
        marks: vec![Mark::new((params.gpus as f64, o.mtbf.clamp(60.0, 1e8)), Unit::Seconds.format(o.mtbf))],
    }
}

/// Time until a checkpoint is in storage, over what storage takes: rank 0 alone, and every rank.
fn storage(params: &Failures, o: &Outcome) -> Chart {
    let line = |save: Save| {
        let of = |storage: f64| Failures { save, storage, write: 0.0, ..params.clone() }.store().write();
        spread(BANDWIDTHS, 80).map(|storage| (storage, of(storage))).collect::<Vec<_>>()
    };
    let (single, sharded) = (line(Save::Single), line(Save::Sharded));
    let all = || single.iter().chain(&sharded).map(|point| point.1);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let ticks = [1.0, 10.0, 60.0, 600.0, 3600.0, 36_000.0].map(|s| (s, Unit::Seconds.format(s)));
    let [sustained, peak] = LLAMA3_STORAGE;
    Chart {
        label: params.finding(o),
        across: Axis::log10(BANDWIDTHS).written(Writing::Unit(Unit::BytesPerSecond)).named("What storage takes"),
        up: Axis::log10((low / 2.0, high * 2.0)).at(ticks).written(TIME).named("Until the checkpoint is in storage"),
        series: vec![
            Series::fine("rank 0 writes", Ink::Gradients, Stroke::Dashed, single).in_key(),
            Series::line("every rank writes", Ink::Weights, sharded).in_key(),
        ],
        rules: vec![
            Rule::across(sustained, "Llama 3, sustained").ink(Ink::Soft),
            Rule::across(peak, "").ink(Ink::Soft).stroke(Stroke::Dotted),
        ],
        marks: vec![Mark::new(
            (params.storage, o.store.write().clamp(low, high)),
            Unit::Seconds.format(o.store.write()),
        )],
    }
}

/// The part of the time that is useful at the best interval of each size.
pub fn useful_by_size(params: &Failures, o: &Outcome) -> Chart {
    let part = |gpus: f64| {
        let mtbf = params.mtbf_of(gpus);
        let best = ringside_core::failure::interval::exact(o.cost, mtbf);
        ringside_core::failure::interval::efficiency(best, o.cost, mtbf, o.recovery)
    };
    let here = part(params.gpus as f64);
    Chart {
        label: format!(
            "Useful work at the best interval over the size of a job: {} here.",
            Unit::Fraction.format(here)
        ),
        across: Axis::log2(SIZES)
            .written(Writing::Grouped)
            .named("GPUs of one job, checkpoint and recovery as they are now"),
        up: Axis::linear((0.0, 1.0)).written(PART).named("Useful work at the best interval"),
        series: vec![Series::line("", Ink::Weights, spread(SIZES, 56).map(|gpus| (gpus, part(gpus))).collect())],
        rules: Vec::new(),
        marks: vec![Mark::new((params.gpus as f64, here), Unit::Fraction.format(here))],
    }
}
