//! How often a learner was right, by how sure they were.

use ringside_core::practice::mastery::{Bin, Calibration};
use ringside_core::quantity::Unit;

use crate::chart::{Axis, Chart, Ink, Mark, Series, Shape, Stroke, Writing};

/// The chart: beside the line on which whoever is well calibrated is.
pub fn chart(calibration: &Calibration) -> Chart {
    let filled: Vec<&Bin> = calibration.bins.iter().filter(|bin| bin.count > 0).collect();
    let axis = |name: &str| Axis::linear((0.0, 1.0)).written(Writing::Unit(Unit::Fraction)).named(name);
    let predictions =
        |bin: &Bin| if bin.count == 1 { "1 prediction".to_owned() } else { format!("{} predictions", bin.count) };
    let places: Vec<(f64, f64)> = filled.iter().map(|bin| (bin.confidence, bin.share)).collect();
    let names = filled.iter().map(|bin| format!("{}–{}% sure, {}", bin.from, bin.to, predictions(bin))).collect();
    Chart {
        label: calibration.finding(),
        across: axis("How sure you were"),
        up: axis("Right"),
        series: vec![
            Series::fine("As often right as sure", Ink::Edge, Stroke::Dashed, vec![(0.0, 0.0), (1.0, 1.0)]),
            Series { in_key: false, ..Series::dots("Right", Ink::Weights, Shape::Disc, places).with_names(names) },
        ],
        rules: Vec::new(),
        marks: filled.iter().map(|bin| Mark::new((bin.confidence, bin.share), predictions(bin))).collect(),
    }
}
