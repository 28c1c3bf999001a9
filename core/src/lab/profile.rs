//! Lab 06: what the profiler counts in a step, and what a fault costs.

use super::block::Block;
use super::{Rows, Within};
use crate::quantity::Unit;
use crate::setup::Measurable;

/// Elementwise operations that the profiler counts beside the matmuls.
const NEAR: f64 = 1.05;
/// Times move more than counts.
const NEAR_TIME: f64 = 1.6;

pub(super) fn hold(block: &mut Block<'_>) -> Rows {
    let mut rows = Rows::default();
    let layers = block.whole("layers", 1.0, 10_000.0);
    let [width, batch] = ["width", "batch"].map(|name| block.whole(name, 1.0, 1e7));
    let fault = block.text("fault");
    let delay = block.number("delay", 0.0, 1e5);
    let small = block.whole("small", 0.0, 1e9);
    let launch = block.seconds("launch_seconds");
    let [sound, faulty] = ["sound", "faulty"].map(|name| {
        block.within(name, |run| {
            [run.seconds("seconds"), run.number("flops", 0.0, 1e18), run.number("matmuls", 0.0, 1e9)]
        })
    });
    let ([before, flops, matmuls], [after, ..]) = (sound, faulty);
    // One matmul forward and two backward for each layer; nobody needs the gradient of the rows that come in.
    let expected = 3.0 * layers - 1.0;
    rows.add("Matmuls in a step", (expected, matmuls), Unit::Count, Within::Exactly, |_| {
        "The model was changed, or the profiler kept another number of steps.".into()
    });
    rows.add(
        "FLOPs in a step",
        (expected * 2.0 * batch * width * width, flops),
        Unit::Flop,
        Within::Times(NEAR),
        |_| {
            "The profiler counts matmuls, convolutions, additions and products only, and by shapes, not by what ran."
                .into()
        },
    );
    let cost = match fault.as_str() {
        "loader" | "straggler" => Some(delay),
        "small" => Some(small * layers * launch),
        _ => None,
    };
    if let Some(cost) = cost {
        rows.add(
            format!("A step with the fault “{fault}”"),
            (before + cost, after),
            Unit::Seconds,
            Within::Times(NEAR_TIME),
            |ratio| {
                if ratio > 1.0 {
                    "More than the fault alone: another process had the cores, or an operation costs more here than its launch."
                } else {
                    "Less than the fault: a part of it hid behind other work."
                }
                .into()
            },
        );
    }
    rows.keep(Measurable::Launch, launch);
    if before > 0.0 {
        rows.keep(Measurable::Flops, flops / before);
    }
    rows.finding = format!(
        "The sound step takes {} and the faulty one {}: {} of it does no work.",
        Unit::Seconds.format(before),
        Unit::Seconds.format(after),
        Unit::Fraction.format(if after > 0.0 { (1.0 - before / after).max(0.0) } else { 0.0 })
    );
    rows
}
