//! Fetching a prefix from each tier, and computing it again, over its length.

use ringside_core::quantity::{Unit, count, grouped};
use ringside_core::serving::tiers::{MOST, Outcome, Params, Point, Tier};

use super::spread;
use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};
use crate::figure::{About, Column, Figure, Table};
use crate::picture::Picture;

/// Shortest prefix of the axis.
const LEAST: f64 = 256.0;
/// Steps of a curve.
const STEPS: u32 = 36;

/// The chart.
fn chart(params: &Params, outcome: &Outcome) -> Chart {
    let engine = params.engine().ok();
    let at = |tokens: f64| {
        let engine = engine.as_ref()?;
        Some(params.point(engine, tokens.round() as u64)).filter(|point| params.fits(engine, point))
    };
    let points: Vec<Point> = spread((LEAST, MOST as f64), STEPS).filter_map(at).collect();
    let curve = |of: &dyn Fn(&Point) -> f64| -> Vec<(f64, f64)> {
        points.iter().map(|point| (point.found as f64, of(point))).filter(|(_, y)| *y > 0.0).collect()
    };
    let of = |tier: Tier, name: &str, ink, stroke| {
        let line = curve(&|point| point.from(tier));
        if tier == params.tier {
            Series::line(name, ink, line).stroke(stroke).in_key()
        } else {
            Series::fine(name, ink, stroke, line).in_key()
        }
    };
    let series = vec![
        Series::line("recompute", Ink::Gradients, curve(&|point| point.recompute)).in_key(),
        of(Tier::Host, "from host memory", Ink::Kv, Stroke::Solid),
        of(Tier::Peer, "from a peer", Ink::Communication, Stroke::Dashed),
        of(Tier::Disk, "from the disk", Ink::Weights, Stroke::Dotted),
    ];
    let all = || series.iter().flat_map(|s| &s.points).map(|p| p.1);
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let range = if most > 0.0 { (least / 1.5, most * 2.0) } else { (1e-3, 1.0) };
    let here = outcome.here.from(params.tier);
    let marks = [here, outcome.here.recompute]
        .into_iter()
        .filter(|y| *y > 0.0)
        .map(|y| Mark::new((outcome.here.found as f64, y), Unit::Seconds.format(y)));
    let even = outcome.breaks_even[params.tier as usize].map(|tokens| tokens as f64);
    let rules = even.filter(|tokens| (LEAST..MOST as f64).contains(tokens) && params.tier != Tier::Hbm);
    Chart {
        label: params.finding(outcome),
        across: Axis::log2((LEAST, MOST as f64)).written(Writing::Binary).named("Prefix tokens"),
        up: Axis::log10(range).written(Writing::Unit(Unit::Seconds)).named("Time"),
        rules: rules.map(|tokens| Rule::across(tokens, "break-even").stroke(Stroke::Dotted)).into_iter().collect(),
        marks: marks.collect(),
        series,
    }
}

impl Figure for Params {
    fn about(&mut self) -> Option<About<'_>> {
        Some(About::Machine(&mut self.machine))
    }

    fn subtitle(&self) -> String {
        format!("{}, {} prefix tokens", self.machine.words(), grouped(self.tokens))
    }

    fn finding(&self, o: &Outcome) -> String {
        self.finding(o)
    }

    fn picture(&self, o: &Outcome) -> Picture {
        chart(self, o).into()
    }

    /// Every tier.
    fn table(&self, o: &Outcome) -> Table {
        let row = |tier: Tier| {
            let i = tier as usize;
            vec![
                tier.label().to_owned(),
                Unit::Seconds.format(o.here.from(tier)),
                Unit::Seconds.format(o.here.recompute),
                if o.here.fetches(tier) { "fetch" } else { "recompute" }.to_owned(),
                o.breaks_even[i].map_or_else(|| "never".to_owned(), grouped),
                count(o.capacity[i]),
                o.worth_keeping(tier).map_or_else(|| "always".to_owned(), |s| Unit::Seconds.format(s)),
            ]
        };
        let columns = [
            Column::Words("Tier"),
            Column::Numbers("Fetch"),
            Column::Numbers("Recompute"),
            Column::Words("Faster"),
            Column::Numbers("Break-even prefix, tokens"),
            Column::Numbers("Capacity in tokens"),
            Column::Numbers("Longest time between uses that pays"),
        ];
        Table::of(columns, Tier::ALL.into_iter().map(row).collect())
    }
}
