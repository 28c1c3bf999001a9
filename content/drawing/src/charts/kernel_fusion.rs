//! Time over the rows of the matrix: predicted, and as measured.

use ringside_core::kernels::fusion::{MAX, Params, points};
use ringside_core::kernels::measured::Measured;
use ringside_core::kernels::rows::Kernel;
use ringside_core::quantity::{Unit, counted, grouped};

use crate::chart::{Axis, Chart, Ink, Mark, Series, Shape, Stroke, Writing};

/// The times that are drawn.
const TIMES: (f64, f64) = (1e-7, 1.0);

/// The chosen kernel, or the one that is best where the unfused one is chosen.
fn fused(p: &Params) -> Option<&'static Kernel> {
    p.op.kernel(p.kernel.id()).filter(|kernel| kernel.id != "unfused").or_else(|| p.op.kernels().last())
}

/// The chart, with what was measured here.
pub fn chart(p: &Params, measured: &[Measured]) -> Chart {
    let kernels = [(p.op.kernels().first(), Ink::Gradients, Stroke::Dashed), (fused(p), Ink::Weights, Stroke::Solid)];
    let lines = kernels.iter().filter_map(|(kernel, ink, stroke)| {
        let kernel = (*kernel)?;
        Some(Series::line(kernel.label, *ink, p.curve(kernel)).stroke(*stroke))
    });
    let dots = kernels.iter().filter_map(|(kernel, ink, _)| {
        let points = points(p.op, (*kernel)?, p.sizes.cols, measured);
        let shape = if *ink == Ink::Weights { Shape::Disc } else { Shape::Diamond };
        let name = format!("{}, measured here", kernel.as_ref()?.label);
        (!points.is_empty()).then(|| Series::dots(name, *ink, shape, points))
    });
    let here = p.op.kernel(p.kernel.id()).map(|kernel| p.predict(kernel, p.sizes).time());
    let mark = |seconds: f64| {
        Mark::new((p.sizes.rows as f64, seconds), format!("predicted {}", Unit::Seconds.format(seconds)))
    };
    let said = |kernel: Option<&'static Kernel>| {
        let points = kernel.map(|kernel| p.curve(kernel)).unwrap_or_default();
        let said = |(rows, time): &(f64, f64)| {
            format!("{} for {}", Unit::Seconds.format(*time), counted(*rows as u64, "row", "rows"))
        };
        points.iter().step_by(7).map(said).collect::<Vec<_>>().join(", ")
    };
    Chart {
        label: format!("Predicted time. Unfused: {}. Fused: {}.", said(p.op.kernels().first()), said(fused(p))),
        across: Axis::log2((1.0, MAX as f64))
            .written(Writing::Grouped)
            .named(format!("Rows of {}", grouped(p.sizes.cols))),
        up: Axis::log10(TIMES)
            .written(Writing::Unit(Unit::Seconds))
            .named(format!("Time, predicted for {}", p.gpu.name)),
        series: lines.chain(dots).collect(),
        rules: Vec::new(),
        marks: here.map(mark).into_iter().collect(),
    }
}
