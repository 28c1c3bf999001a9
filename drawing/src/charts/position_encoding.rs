//! What distance does to a score: over all distances.

use ringside_core::attention::position::{Params, Scheme};
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
