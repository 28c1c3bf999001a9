//! The time of a synchronous step over the number of ranks: expected, with and without one slow rank.

use ringside_core::quantity::Unit;
use ringside_core::stragglers::{Cure, Outcome, Params};

use super::spread;
use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};

/// Ranks that are drawn.
const SIZES: (f64, f64) = (2.0, 16_384.0);

/// A step over an undisturbed rank's computation, by the number of ranks.
pub fn chart(params: &Params, o: &Outcome) -> Chart {
    let line =
        |of: Params| spread(SIZES, 26).map(|ranks| (ranks, of.expected(ranks.round() as u64))).collect::<Vec<_>>();
    let bare = Params { slow: 0.0, cure: Cure::Nothing, ..*params };
    let mut series = vec![Series::fine("no slow rank", Ink::Ink, Stroke::Dotted, line(bare)).in_key()];
    if params.slow > 0.0 && params.cure != Cure::Nothing {
        let untreated = line(Params { cure: Cure::Nothing, ..*params });
        series.push(Series::fine("nothing done", Ink::Warn, Stroke::Dashed, untreated).in_key());
    }
    let name = match params.cure {
        Cure::Nothing if params.slow > 0.0 => "with one slow rank",
        Cure::Nothing => "as it is",
        Cure::Swap => "swapped for a spare",
        Cure::Backup => "first n of n + k",
    };
    series.push(Series::line(name, Ink::Weights, line(*params)).in_key());
    let low = series.iter().flat_map(|s| s.points.iter().map(|p| p.1)).fold(1.0, f64::min);
    let top = series.iter().flat_map(|s| s.points.iter().map(|p| p.1)).fold(1.1, f64::max);
    Chart {
        label: params.finding(o),
        across: Axis::log2(SIZES).written(Writing::Grouped).named("Ranks that step together"),
        up: Axis::linear((low, low + (top - low) * 1.1)).named("A step, over an undisturbed rank’s computation"),
        series,
        rules: Vec::<Rule>::new(),
        marks: vec![Mark::new((params.ranks as f64, o.step), Unit::Ratio.format(o.step))],
    }
}
