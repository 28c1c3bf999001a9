//! What a GPU can reach for each byte that it moves: roofs, and what lies under them.

use ringside_core::hardware::{self, Accelerator};
use ringside_core::quantity::{Unit, number};
use ringside_core::roofline::own::Point;
use ringside_core::roofline::{BESIDE, Placed, Roof};

use super::spread;
use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Stroke, Writing};

/// Operations for each byte that are drawn, and operations a second.
const INTENSITIES: (f64, f64) = (0.1, 10_000.0);
const RATES: (f64, f64) = (1e11, 1e16);

/// What was measured here.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// The learner's own GPU and its roof.
    pub own: Option<(String, Roof)>,
    /// Kernels of the ladder by which the roof was found.
    pub ladder: Vec<Point>,
    /// Other kernels.
    pub kept: Vec<Point>,
}

/// The GPUs that are drawn beside the chosen one.
pub fn beside() -> impl Iterator<Item = &'static Accelerator> {
    BESIDE.iter().filter_map(|id| hardware::find(id))
}

fn roof_line(roof: Roof) -> Vec<(f64, f64)> {
    let ridge = Some(roof.ridge()).filter(|at| (INTENSITIES.0..INTENSITIES.1).contains(at));
    let mut across: Vec<f64> = spread(INTENSITIES, 50).chain(ridge).collect();
    across.sort_by(f64::total_cmp);
    across.into_iter().map(|intensity| (intensity, roof.attainable(intensity))).collect()
}

fn dots(name: &str, ink: Ink, shape: Shape, points: &[Point]) -> Series {
    let places = points.iter().map(|p| (p.intensity, p.rate)).collect();
    Series::dots(name, ink, shape, places).with_names(points.iter().map(|p| p.label.clone()).collect())
}

/// The chart.
pub fn chart(placed: &Placed, measured: &Measured) -> Chart {
    let Placed { params, roof, layer, chosen } = placed;
    let strokes = [Stroke::Solid, Stroke::Dashed, Stroke::Dotted];
    let others = beside().zip(strokes).filter(|(gpu, _)| gpu.id != params.gpu.id);
    let mut series: Vec<Series> =
        others.map(|(gpu, stroke)| Series::fine(gpu.name, Ink::Edge, stroke, roof_line(Roof::of(gpu)))).collect();
    series.push(Series::line(params.gpu.name, Ink::Weights, roof_line(*roof)));
    if let Some((device, roof)) = &measured.own {
        series
            .push(Series::line(format!("{device}, measured"), Ink::Gradients, roof_line(*roof)).stroke(Stroke::Dashed));
    }
    let places = layer.iter().map(|o| (o.intensity(), roof.attainable(o.intensity()))).collect();
    let names = layer.iter().map(|o| o.label.to_owned()).collect();
    // What was measured on a small device lies lower than what is drawn without it.
    let points = measured.kept.iter().chain(&measured.ladder).map(|p| p.rate);
    let own = measured.own.iter().map(|(_, roof)| roof.attainable(INTENSITIES.0));
    let least = points.chain(own).filter(|rate| *rate > 0.0).fold(RATES.0, f64::min);
    let rates = (10_f64.powf(least.log10().floor()), RATES.1);
    series.push(Series::dots("Operations of the layer", Ink::Weights, Shape::Disc, places).with_names(names));
    if !measured.kept.is_empty() {
        series.push(dots("Your kernels", Ink::Activations, Shape::Diamond, &measured.kept));
    }
    if !measured.ladder.is_empty() {
        series.push(dots("Intensity ladder", Ink::Gradients, Shape::Small, &measured.ladder));
    }
    let (intensity, ridge) = (chosen.intensity(), roof.ridge());
    let rate = roof.attainable(intensity);
    let ridges = |gpu: &Accelerator| format!("{}: ridge point {}", gpu.name, number(Roof::of(gpu).ridge()));
    Chart {
        label: format!(
            "Attainable operations per second over operations per byte. {}. {} lies at {}.",
            beside().map(ridges).collect::<Vec<_>>().join(", "),
            chosen.label,
            number(intensity)
        ),
        across: Axis::log10(INTENSITIES).named("Arithmetic intensity, FLOP/byte"),
        up: Axis::log10(rates).written(Writing::Unit(Unit::FlopPerSecond)).named("Attainable FLOP/s"),
        series,
        rules: vec![Rule::across(ridge, format!("ridge {}", number(ridge))).ink(Ink::Soft)],
        marks: vec![Mark::new((intensity, rate), Unit::FlopPerSecond.format(rate))],
    }
}
