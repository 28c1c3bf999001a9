//! Spacing against magnitude, the course of a sum, and gradients by exponent.

use ringside_core::float::bits::{HIGHEST, LOWEST, Params, Shown};
use ringside_core::float::{Format, power_of_two};
use ringside_core::quantity::grouped;

use super::powers_of_two;
use crate::chart::{Axis, Chart, Ink, Rule, Series, Stroke, Writing};

/// Magnitudes that are drawn.
const MAGNITUDES: (f64, f64) = (1e-12, 1e12);
/// Spacings that are drawn.
const SPACINGS: (f64, f64) = (1e-20, 1e12);

/// The inks of the two formats, and the stroke of the second.
const INKS: [Ink; 2] = [Ink::Weights, Ink::Gradients];

fn line(params: &Params, i: usize, points: Vec<(f64, f64)>) -> Series {
    let stroke = if i == 0 { Stroke::Solid } else { Stroke::Dashed };
    Series::line(params.formats[i].name, INKS[i], points).stroke(stroke)
}

/// Spacing against magnitude: a staircase for each format, which begins and ends where the format does.
pub fn spacing(params: &Params) -> Chart {
    let inside = |(x, _): &(f64, f64)| (MAGNITUDES.0..=MAGNITUDES.1).contains(x);
    let steps = |i: usize| Params::spacings(params.formats[i]).into_iter().filter(inside).collect();
    Chart {
        label: format!("Spacing against magnitude, of {} and {}.", params.formats[0].name, params.formats[1].name),
        across: Axis::log10(MAGNITUDES).named("Magnitude"),
        up: Axis::log10(SPACINGS).named("Distance between neighbours"),
        series: [0, 1].map(|i| line(params, i, steps(i))).into(),
        ..Chart::default()
    }
}

/// The course of a sum: both formats and the exact one.
pub fn sum(params: &Params, shown: &Shown) -> Chart {
    let courses = [0, 1].map(|i| {
        let points = shown.sums[i].points.iter().filter(|(_, v)| v.is_finite()).map(|(n, v)| (f64::from(*n), *v));
        points.collect::<Vec<_>>()
    });
    let start = courses[0].first().map_or(params.start, |p| p.1);
    let steps = f64::from(params.steps);
    let exact = vec![(0.0, start), (steps, shown.sums[0].exact)];
    let values = courses.iter().flatten().chain(&exact).map(|p| p.1);
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    let room = ((high - low) * 0.06).max(high.abs().max(1e-300) * 1e-6);
    let [first, second] = courses;
    Chart {
        label: params.finding(shown),
        across: Axis::linear((0.0, steps)).written(Writing::Grouped).named("Additions"),
        up: Axis::linear((low - room, high + room)).named("Sum"),
        series: vec![
            Series::fine("exact", Ink::Ink, Stroke::Dotted, exact),
            line(params, 0, first),
            line(params, 1, second),
        ],
        ..Chart::default()
    }
}

/// What becomes of the gradients of a binade: which of [`FATES`].
fn fate(format: Format, e: i32) -> usize {
    let middle = power_of_two(e) * 1.4;
    match format.nearest(middle) {
        0.0 => 2,
        held if !held.is_finite() || middle > format.max() => 3,
        held if held < format.min_normal() => 1,
        _ => 0,
    }
}

/// What can become of a gradient, with its ink.
pub(super) const FATES: [(&str, Ink); 4] = [
    ("held", Ink::Weights),
    ("held as subnormal, with fewer bits", Ink::Optimizer),
    ("becomes zero", Ink::Idle),
    ("overflows", Ink::Warn),
];

/// Columns by exponent, told apart by what becomes of them.
pub(super) fn columns(counts: impl Iterator<Item = (i32, f64)>, fate: impl Fn(i32) -> usize) -> Vec<Series> {
    let mut points: [Vec<(f64, f64)>; 4] = Default::default();
    for (e, count) in counts.filter(|(_, count)| *count > 0.0) {
        points[fate(e)].push((power_of_two(e), count));
    }
    let series = FATES.into_iter().zip(points).filter(|(_, points)| !points.is_empty());
    series.map(|((name, ink), points)| Series::bars(name, ink, points)).collect()
}

/// Gradients by exponent, and where the two formats end.
pub fn gradients(params: &Params, shown: &Shown) -> Chart {
    let format = params.formats[0];
    let counts = shown.gradients.iter().enumerate().map(|(i, n)| (LOWEST + i as i32, f64::from(*n)));
    let most = shown.gradients.iter().copied().max().unwrap_or(1).max(1);
    let range = (power_of_two(LOWEST), power_of_two(HIGHEST));
    let ends = params.formats.into_iter().zip(INKS).flat_map(|(format, ink)| {
        let begins = (format.min_positive(), format!("{} begins", format.name));
        let ends = (format.max(), format!("{} ends", format.name));
        [begins, ends].map(|(at, text)| Rule::across(at, text).ink(ink))
    });
    Chart {
        label: params.finding(shown),
        across: powers_of_two((LOWEST, HIGHEST), 8).named("Gradient, times the loss scale"),
        up: Axis::linear((0.0, f64::from(most) * 1.1)).named(format!("Of {} gradients", grouped(2048))),
        series: columns(counts, |e| fate(format, e)),
        rules: ends.filter(|rule| within(rule, range)).collect(),
        ..Chart::default()
    }
}

fn within(rule: &Rule, (from, to): (f64, f64)) -> bool {
    matches!(rule.at, crate::chart::At::Across(at) if (from..=to).contains(&at))
}
