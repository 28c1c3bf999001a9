//! The landscape that a tuner searched: speed over what a shape asks of memory.

use ringside_core::kernels::config::Config;
use ringside_core::kernels::tuner::{self, Params, Trial};
use ringside_core::quantity::{Unit, number};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Writing};

/// FLOP for each byte from memory that are drawn.
const INTENSITIES: (f64, f64) = (6.0, 96.0);
/// Results of an invocation, by which shapes are told apart: up to so many, with this name and sign.
const KINDS: [(u64, &str, Ink, Shape); 3] = [
    (16, "16 results in registers", Ink::Gradients, Shape::Diamond),
    (32, "32 results", Ink::Activations, Shape::Square),
    (u64::MAX, "64 or more", Ink::Weights, Shape::Disc),
];

fn kind(config: &Config) -> usize {
    let own = config.own_rows * config.own_cols;
    KINDS.iter().position(|(most, ..)| own <= *most).unwrap_or(KINDS.len() - 1)
}

/// The chart of what was tried, and of what was not.
pub fn chart(p: &Params, trials: &[Trial]) -> Chart {
    let (best, ranked) = (tuner::best(trials), tuner::ranked(trials));
    let top = best.map_or(1e12, |best| best.rate * 1.15);
    let tried = |config: Config| trials.iter().any(|trial| Config { group: config.group, ..trial.config } == config);
    let left: Vec<Config> = p
        .fitting()
        .into_iter()
        .map(|shape| Config { numbers: p.numbers, ..shape.config })
        .filter(|config| !tried(*config))
        .collect();
    let mut series = Vec::new();
    for (i, (_, name, ink, shape)) in KINDS.into_iter().enumerate() {
        let mine: Vec<&Trial> = ranked.iter().copied().filter(|trial| kind(&trial.config) == i).collect();
        let places = mine.iter().map(|trial| (trial.config.intensity(), trial.rate)).collect();
        let names = mine.iter().map(|trial| trial.config.name()).collect();
        series.push(Series::dots(name, ink, shape, places).with_names(names));
    }
    if !left.is_empty() {
        let places = left.iter().map(|config| (config.intensity(), 0.0)).collect();
        let names = left.iter().map(Config::name).collect();
        series.push(Series::dots("Not tried yet", Ink::Soft, Shape::Ring, places).with_names(names));
    }
    let chosen = p.config();
    let said = match best {
        Some(best) => format!(
            "{} shapes tried. The fastest is {}, at {}.",
            ranked.len(),
            best.config.name(),
            Unit::FlopPerSecond.format(best.rate)
        ),
        None => format!("{} shapes, none tried yet.", left.len()),
    };
    Chart {
        label: format!("Speed over FLOP for each byte from memory. {said}"),
        across: Axis::log2(INTENSITIES).named("FLOP for each byte from memory"),
        up: Axis::linear((0.0, top)).written(Writing::Unit(Unit::FlopPerSecond)).named("Speed, measured"),
        series,
        rules: vec![
            Rule::across(chosen.intensity(), format!("this shape: {}", number(chosen.intensity()))).ink(Ink::Soft),
        ],
        marks: best
            .map(|best| {
                Mark::new(
                    (best.config.intensity(), best.rate),
                    format!("fastest: {}", Unit::FlopPerSecond.format(best.rate)),
                )
            })
            .into_iter()
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(shape: &tuner::Shape, rate: f64) -> Trial {
        Trial {
            n: 512,
            config: shape.config,
            turn: 0,
            rate,
            middle: [rate; 2],
            device: "a GPU".to_owned(),
            software: false,
        }
    }

    #[test]
    fn what_is_tried_leaves_the_foot_and_the_fastest_is_marked() {
        let params = Params { n: 512, ..Params::default() };
        let before = chart(&params, &[]);
        let all = params.fitting();
        assert_eq!(before.series.iter().map(|s| s.points.len()).sum::<usize>(), all.len());
        assert!(before.marks.is_empty());
        let trials: Vec<Trial> = all.iter().zip(1..).map(|(shape, i)| trial(shape, 1e11 * f64::from(i))).collect();
        let after = chart(&params, &trials);
        assert!(after.series.iter().all(|s| s.name != "Not tried yet"));
        assert_eq!(after.series.iter().map(|s| s.points.len()).sum::<usize>(), all.len());
        assert_eq!(after.marks.len(), 1);
        assert!(
            after
                .series
                .iter()
                .flat_map(|s| &s.points)
                .all(|(x, y)| { (INTENSITIES.0..INTENSITIES.1).contains(x) && *y < after.up.range().1 })
        );
    }
}
