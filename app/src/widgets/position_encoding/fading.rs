//! What distance does to a score: tokens that fade, head by head, and curves over all distances.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::attention::position::{MAX_STEP, Params};
use ringside_core::quantity::{grouped, number};
use ringside_drawing::charts::position_encoding::{chart, slower};

use super::spread;
use crate::ui;
use crate::ui::markup::renewed;

/// Most heads that are drawn, and the tokens of each.
const ROWS: u64 = 8;
const TOKENS: u64 = MAX_STEP + 1;
/// Shades of what is left.
const SHADES: usize = 8;

/// ALiBi: for some heads what is left of each token up to the query, which moves.
fn heads(p: &Params) -> String {
    let mut text = String::new();
    for head in spread(p.heads, ROWS) {
        let slope = p.slope(head);
        let mut paths = [(); SHADES].map(|()| String::new());
        for key in 0..=p.step {
            let left = Params::left(slope, (p.step - key) as f64);
            let shade = ((left * SHADES as f64) as usize).min(SHADES - 1);
            // Writing to a string does not fail.
            let _ = write!(paths[shade], "M{key}.06 0h.88v1h-.88z");
        }
        let _ = write!(
            text,
            "<div class=\"fading-row\"><b>head {}</b><small>slope {}</small>\
             <svg viewBox=\"0 0 {TOKENS} 1\" preserveAspectRatio=\"none\">",
            grouped(head),
            number(slope)
        );
        for (shade, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            let _ = write!(text, "<path class=\"left-{shade}\" d=\"{path}\"/>");
        }
        let _ = write!(text, "<path class=\"query\" d=\"M{}.06 0h.88v1h-.88z\"/></svg></div>", p.step);
    }
    text
}

/// The rows.
pub(super) fn rows(params: Memo<Params>) -> AnyView {
    view! {
        <p class="positions-title">
            "What is left of each token’s weight" <small><i class="swatch query"></i> "query"</small>
            <small><i class="swatch between"></i> "all of it"</small>
        </p>
        <div class="fading-rows" aria-hidden="true" use:renewed=move || params.with(heads)></div>
    }
    .into_any()
}

/// The curve of equal vectors; or, for ALiBi, of the steepest head and of the flattest.
pub(super) fn curves(params: Memo<Params>) -> AnyView {
    ui::chart::view("fading", Memo::new(move |_| params.with(chart)))
}

/// How many times slower than in training each pair is turned, by each rule.
pub(super) fn slowed(params: Memo<Params>) -> AnyView {
    ui::chart::view("fading", Memo::new(move |_| params.with(slower)))
}
