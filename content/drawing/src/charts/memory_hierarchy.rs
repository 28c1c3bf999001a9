//! The levels of a GPU's memory: bandwidth or latency over size, those of the others behind it, and the data to be placed.

use ringside_core::hardware::levels::{LEVELS, Level, Params, Show, of};
use ringside_core::hardware::{self, Accelerator};
use ringside_core::quantity::{Unit, bytes_binary};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Stroke, Writing};
use crate::figure::{Column, Figure, Table};
use crate::picture::Picture;

/// Sizes that are drawn: 4 MiB to 8 TiB.
const SIZES: (i32, i32) = (22, 43);

/// The GPUs that are drawn behind the one in front.
const BEHIND: [&str; 4] = ["a100-80", "h100-80", "h800", "b200"];

/// The chart.
fn chart(p: &Params) -> Chart {
    let levels = of(p.gpu);
    let points = |gpu: &Accelerator| -> Vec<(f64, f64)> { of(gpu).iter().filter_map(|level| p.point(level)).collect() };
    let strokes = [Stroke::Dotted, Stroke::Dashed, Stroke::Solid];
    let others = BEHIND.iter().filter_map(|id| hardware::find(id)).filter(|gpu| gpu.id != p.gpu.id).zip(strokes);
    let other =
        |(gpu, stroke): (&'static Accelerator, Stroke)| Series::fine(gpu.name, Ink::Edge, stroke, points(gpu)).in_key();
    let mut series: Vec<Series> = others.map(other).collect();
    series.push(Series::line("", Ink::Weights, points(p.gpu)));
    let names = levels.iter().filter(|level| p.point(level).is_some()).map(|level| level.name.to_owned()).collect();
    series.push(Series::dots(p.gpu.name, Ink::Weights, Shape::Disc, points(p.gpu)).with_names(names));
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
        label: format!("{up} over size on {}: {}.", p.gpu.name, said.collect::<Vec<_>>().join(", ")),
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

impl Figure for Params {
    fn subtitle(&self) -> String {
        format!("{}, {} over size", self.gpu.name, self.show.label())
    }

    fn finding(&self, _: &[Level; LEVELS]) -> String {
        self.finding()
    }

    fn picture(&self, _: &[Level; LEVELS]) -> Picture {
        chart(self).into()
    }

    /// Every level with its numbers and where they are from.
    fn table(&self, levels: &[Level; LEVELS]) -> Table {
        let or = |value: Option<f64>, unit: Unit| value.map_or_else(|| "not published".to_owned(), |v| unit.format(v));
        let row = |level: &Level| {
            vec![
                level.name.to_owned(),
                level.shared_by.to_owned(),
                bytes_binary(level.size),
                or(level.bandwidth, Unit::BytesPerSecond),
                or(level.latency, Unit::Seconds),
                level.source.to_owned(),
            ]
        };
        let columns = [
            Column::Words("Level"),
            Column::Words("Shared by"),
            Column::Numbers("Size"),
            Column::Numbers("Bandwidth"),
            Column::Numbers("Latency"),
            Column::Words("From"),
        ];
        Table::of(columns, levels.iter().filter(|level| level.size > 0.0).map(row).collect())
    }
}
