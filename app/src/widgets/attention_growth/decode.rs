//! The SMs in a step of decoding: how many blocks of the cache each of them reads.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::attention::decode::GPU;
use ringside_core::attention::growth::Params;
use ringside_core::quantity::{Unit, grouped};

use crate::ui::markup::renewed;

/// SMs of a row.
const ROW: u64 = 22;

/// A cell for each SM, filled by the blocks that it reads.
fn cells(p: &Params) -> String {
    let decode = p.decode();
    let (mut beds, mut busy) = (String::new(), String::new());
    for n in 0..decode.sms {
        let (x, y) = ((n % ROW) as f64 + 0.08, (n / ROW) as f64 + 0.08);
        let filled = 0.84 * decode.of(n) as f64 / decode.waves.max(1) as f64;
        // Writing to a string does not fail.
        let _ = write!(beds, "M{x:.2} {y:.2}h.84v.84h-.84z");
        if filled > 0.0 {
            let _ = write!(busy, "M{x:.2} {:.3}h.84v{filled:.3}h-.84z", y + 0.84 - filled);
        }
    }
    format!("<path class=\"idles\" d=\"{beds}\"/><path class=\"reads\" d=\"{busy}\"/>")
}

/// What they come to.
fn says(p: &Params) -> String {
    let decode = p.decode();
    let blocks = match decode.blocks {
        1 => "1 block of work".to_owned(),
        n => format!("{} blocks of work", grouped(n)),
    };
    format!(
        "The next token, in each layer: {blocks} for the {} SMs of an {}. They draw {} of its bandwidth, and attention takes {}.",
        grouped(decode.sms),
        GPU.name,
        Unit::Fraction.format(decode.drawn),
        Unit::Seconds.format(decode.read)
    )
}

/// The grid and its sentence.
pub(super) fn view(params: Memo<Params>) -> impl IntoView {
    let rows = move || params.with(|p| p.decode().sms.div_ceil(ROW));
    view! {
        <p class="growth-title">{move || params.with(says)}</p>
        <svg
            class="growth-sms"
            viewBox=move || format!("0 0 {ROW} {}", rows())
            preserveAspectRatio="none"
            aria-hidden="true"
            use:renewed=move || params.with(cells)
        ></svg>
    }
}
