//! What distance does to a score: over all distances.

use ringside_core::attention::position::{Params, Scheme};
use ringside_core::attention::stretch::Stretch;
use ringside_core::quantity::{Unit, grouped, number};

use super::spread;
use crate::chart::{Axis, Chart, Ink, Rule, Series, Stroke, Writing};

/// The distances that are drawn, and the heights.
const DISTANCES: (f64, f64) = (1.0, 131_072.0);
const HEIGHTS: (f64, f64) = (-0.4, 1.0);
/// Points of a curve.
const FINE: u32 = 272;

/// The chart: the score of equal vectors; or, for ALiBi, what is left of the weight in the steepest head and in the flattest.
pub fn chart(p: &Params) -> Chart {
    let curve = |of: &dyn Fn(f64) -> f64| spread(DISTANCES, FINE).map(|distance| (distance, of(distance))).collect();
    let (name, series) = match p.scheme {
        Scheme::Rope => {
            let score = Series::line("Score", Ink::Activations, curve(&|distance| p.score(distance)));
            ("Score of a query and a key that are equal", vec![score])
        }
        Scheme::Alibi => {
            let [steep, flat] = p.slopes();
            let line = |name, ink, slope| Series::line(name, ink, curve(&|distance| Params::left(slope, distance)));
            let flattest = line("Flattest head", Ink::Optimizer, flat).stroke(Stroke::Dashed);
            ("Weight that is left", vec![line("Steepest head", Ink::Activations, steep), flattest])
        }
    };
    let distance = p.distance as f64;
    let mut rules =
        vec![Rule::across(distance.max(1.0), format!("{} apart", grouped(p.distance))).stroke(Stroke::Solid)];
    if p.scheme == Scheme::Rope {
        let trained = p.trained as f64;
        rules.push(Rule::across(trained, format!("longest in training: {}", grouped(p.trained))).ink(Ink::Warn));
    }
    let values = [1.0, 16.0, 256.0, 4096.0, 65536.0].map(|distance| {
        let value = match p.scheme {
            Scheme::Rope => number(p.score(distance)),
            Scheme::Alibi => p.slopes().map(|slope| number(Params::left(slope, distance))).join(" and "),
        };
        format!("{value} at {}", grouped(distance as u64))
    });
    Chart {
        label: format!("{name}, over the distance between them: {}.", values.join(", ")),
        across: Axis::log2(DISTANCES).written(Writing::Unit(Unit::Count)).named("Tokens between the two"),
        up: Axis::linear(HEIGHTS).named(name),
        series,
        rules,
        marks: Vec::new(),
    }
}

/// How many times slower than in training each pair is turned, by each rule; that in use is the heaviest.
pub fn slower(p: &Params) -> Chart {
    const INKS: [Ink; Stretch::ALL.len()] = [Ink::Gradients, Ink::Optimizer, Ink::Weights, Ink::Activations];
    let last = p.pairs().saturating_sub(1);
    let by = |stretch: Stretch| {
        let way = Params { stretch, ..*p };
        (0..=last).map(|i| (i as f64, way.slower(i))).collect::<Vec<_>>()
    };
    let mut strokes = [Stroke::Dashed, Stroke::Dotted, Stroke::Solid].into_iter().cycle();
    let series = Stretch::ALL.iter().zip(INKS).map(|(stretch, ink)| {
        if *stretch == p.stretch {
            Series::line(stretch.label(), ink, by(*stretch))
        } else {
            Series::fine(stretch.label(), ink, strokes.next().unwrap_or(Stroke::Dashed), by(*stretch))
        }
    });
    let first_unturned = (0..=last).find(|i| p.is_unturned(*i));
    let rules = first_unturned
        .map(|i| Rule::across(i as f64, "from here on less than one turn in training".to_owned()).ink(Ink::Warn));
    let ends = Stretch::ALL.map(|stretch| {
        let way = Params { stretch, ..*p };
        format!("{}: {} to {}", stretch.label(), number(way.slower(0)), number(way.slower(last)))
    });
    Chart {
        label: format!("Times slower than in training, from pair 0 to pair {last}. {}.", ends.join("; ")),
        across: Axis::linear((0.0, last.max(1) as f64)).named("Pair"),
        up: Axis::log2((1.0, p.scale.max(2.0))).named("Times slower than in training"),
        series: series.collect(),
        rules: rules.into_iter().collect(),
        marks: Vec::new(),
    }
}
