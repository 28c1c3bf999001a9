//! Lab 04: a loss scaler's course, and how far low precision is from fp32.

use super::block::Block;
use super::{Rows, Within};
use crate::loss_scaling::scaler::{Scaler, Settings};
use crate::quantity::{Unit, count};

/// How far the last loss in low precision may be from that in fp32.
const NEAR: f64 = 1.1;

pub(super) fn hold(block: &mut Block<'_>) -> Rows {
    let mut rows = Rows::default();
    let steps = block.whole("steps", 1.0, 1e6);
    let settings = Settings {
        initial: block.number("scale", 1.0, 1e38),
        interval: block.whole("interval", 1.0, 1e9) as u32,
        ..Settings::PYTORCH
    };
    let flushed = block.numbers("flushed");
    let (mut scales, mut skipped, mut last) = (Vec::new(), Vec::new(), [0.0; 4]);
    block.within("runs", |runs| {
        for (name, last) in ["fp32", "bf16", "fp16", "fp16-unscaled"].into_iter().zip(&mut last) {
            runs.within(name, |run| {
                *last = run.number("last", 0.0, 1e30);
                if name == "fp16" {
                    scales = run.numbers("scales");
                    // A run without an overflow has an empty list.
                    skipped = run.maybe_numbers("skipped");
                }
            });
        }
    });
    let mut scaler = Scaler::new(settings);
    let mut wrong = 0.0;
    for (step, &scale) in scales.iter().enumerate() {
        if scale != scaler.scale {
            wrong += 1.0;
        }
        scaler.update(skipped.contains(&(step as f64)));
    }
    rows.add("Steps that the scale is told for", (steps, scales.len() as f64), Unit::Count, Within::Exactly, |_| {
        "The list is cut short.".into()
    });
    rows.add(
        "Steps whose scale is not that of GradScaler’s rule",
        (0.0, wrong),
        Unit::Count,
        Within::Exactly,
        |_| {
            "The scale did not follow: doubled after the interval, halved at an overflow. Was another scaler used?"
                .into()
        },
    );
    let low = |_: f64| {
        "The last loss is far from that in fp32: too many steps were skipped, or gradients were lost.".to_owned()
    };
    let [fp32, bf16, fp16, unscaled] = last;
    rows.add("Last loss in bf16", (fp32, bf16), Unit::Ratio, Within::Times(NEAR), low);
    rows.add("Last loss in fp16, scaled", (fp32, fp16), Unit::Ratio, Within::Times(NEAR), low);
    rows.right(
        "Without a scale fp16 stays behind",
        unscaled > NEAR * fp32,
        "It learned as much without a scale: the gradients of this network fit fp16 as they are. Take a smaller --unit.",
    );
    if let [plain, scaled] = flushed.as_slice() {
        rows.add(
            "Gradients that fp16 makes zero, scaled by 2¹⁰, against unscaled",
            (*plain, *scaled),
            Unit::Fraction,
            Within::AtMost,
            |_| "A scale can only lift gradients over fp16’s least number, 2⁻²⁴.".into(),
        );
    }
    rows.finding = match (skipped.len(), skipped.last()) {
        (0, _) => "Nothing overflowed: begin with a larger scale, or train longer.".into(),
        (n, Some(end)) => format!(
            "{} of {} steps were skipped, the last of them step {}. Each cost a batch and halved the scale.",
            count(n as f64),
            count(steps),
            count(*end)
        ),
        (_, None) => String::new(),
    };
    rows
}
