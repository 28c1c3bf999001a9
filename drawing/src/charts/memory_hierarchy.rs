//! The levels of a GPU's memory: bandwidth or latency over size, those of the others behind it, and the data to be placed.

use ringside_core::hardware::levels::{Gpu, Params, Show};
use ringside_core::quantity::{Unit, bytes_binary};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Stroke, Writing};

/// Sizes that are drawn: 4 MiB to 8 TiB.
const SIZES: (i32, i32) = (22, 43);

/// The chart.
pub fn chart(p: &Params) -> Chart {
    let levels = p.gpu.levels();
    let points = |gpu: Gpu| -> Vec<(f64, f64)> { gpu.levels().iter().filter_map(|level| p.point(level)).collect() };
    let strokes = [Stroke::Dotted, Stroke::Dashed, Stroke::Solid];
    let others = Gpu::ALL.into_iter().filter(|gpu| *gpu != p.gpu).zip(strokes);
    let other = |(gpu, stroke): (Gpu, Stroke)| Series::fine(gpu.label(), Ink::Edge, stroke, points(gpu)).in_key();
    let mut series: Vec<Series> = others.map(other).collect();
    series.push(Series::line("", Ink::Weights, points(p.gpu)));
    let names = levels.iter().filter(|level| p.point(level).is_some()).map(|level| level.name.to_owned()).collect();
    series.push(Series::dots(p.gpu.label(), Ink::Weights, Shape::Disc, points(p.gpu)).with_names(names));
    let (unit, range, up) = match p.show {
        Show::Bandwidth => (Unit::BytesPerSecond, (1e10, 1e15), "Bandwidth"),
        Show::Latency => (Unit::Seconds, (1e-10, 1e-5), "Latency"),
    };
    let short = |name: &'static str| match name {
        "the HBM of seven others, over NVLink" => "NVLink",
        "the host’s memory, over PCIe" => "PCIe",
        other => other,
    };
    let marks = levels.iter().filter_map(|level| p.point(level).map(|at| Mark::new(at, short(level.name)))).collect();
    let said = levels
        .iter()
        .filter_map(|level| p.point(level).map(|(_, value)| format!("{} {}", level.name, unit.format(value))));
    Chart {
        label: format!("{up} over size on {}: {}.", p.gpu.label(), said.collect::<Vec<_>>().join(", ")),
        across: Axis::log2((2_f64.powi(SIZES.0), 2_f64.powi(SIZES.1)))
            .at((SIZES.0..=SIZES.1).step_by(4).map(|e| (2_f64.powi(e), bytes_binary(2_f64.powi(e)))))
            .named("Size, of the whole GPU"),
        up: Axis::log10(range).written(Writing::Unit(unit)).named(up),
        series,
        rules: vec![Rule::across(
            (p.bytes as f64).clamp(2_f64.powi(SIZES.0), 2_f64.powi(SIZES.1)),
            format!("your data, {}", bytes_binary(p.bytes as f64)),
        )],
        marks,
    }
}
