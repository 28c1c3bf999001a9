//! One flat tensor as two strips: cut as it was saved, and as it is loaded.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::resume::{Params, Resumed};

use crate::ui::markup::renewed;

/// Units of the drawing.
const WIDE: f64 = 1000.0;
const HIGH: f64 = 46.0;
/// Where the lower strip begins.
const LOWER: f64 = 130.0;
/// Pieces up to which each has its number.
const NUMBERED: u64 = 32;

/// Both strips, and which pieces the rank on show reads.
pub(super) fn view(params: Memo<Params>, run: Memo<Resumed>) -> AnyView {
    let picture = move || params.with(|p| run.with(|r| strips(p, r)));
    view! { <div class="shards" tabindex="0" role="group" aria-label="Shards" use:renewed=picture></div> }.into_any()
}

fn strips(p: &Params, r: &Resumed) -> String {
    let rank = p.shown_rank();
    let (first, last) = r.shards.reads.get(rank as usize).copied().unwrap_or_default();
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDE} {:.0}\" role=\"img\" aria-label=\"Rank {rank} reads files {first} to {last}\"><text class=\"name\" x=\"0\" \
         y=\"14\">files, one of each rank that saved</text>",
        LOWER + HIGH + 26.0
    );
    let (from, to) = (rank as f64 / p.to as f64 * WIDE, (rank + 1) as f64 / p.to as f64 * WIDE);
    // Writing to a string does not fail.
    let _ =
        write!(svg, "<path class=\"part\" d=\"M{from:.1} {:.0}V{LOWER}H{to:.1}V{:.0}z\" />", 22.0 + HIGH, 22.0 + HIGH);
    strip(&mut svg, p.from, 22.0, |file| if (first..=last).contains(&file) { "read" } else { "piece" });
    strip(&mut svg, p.to, LOWER, |other| if other == rank { "loads" } else { "piece" });
    let _ = write!(svg, "<text class=\"name\" x=\"0\" y=\"{:.0}\">ranks that load</text></svg>", LOWER + HIGH + 20.0);
    svg
}

/// A strip of so many pieces.
fn strip(svg: &mut String, pieces: u64, top: f64, class: impl Fn(u64) -> &'static str) {
    let wide = WIDE / pieces as f64;
    for piece in 0..pieces {
        let x = piece as f64 * wide;
        let class = class(piece);
        let _ =
            write!(svg, "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{top}\" width=\"{wide:.1}\" height=\"{HIGH}\" />");
        if pieces <= NUMBERED {
            let (x, y) = (x + wide / 2.0, top + HIGH / 2.0 + 5.0);
            let _ = write!(
                svg,
                "<text class=\"on-{class}\" x=\"{x:.1}\" y=\"{y:.0}\" text-anchor=\"middle\">{piece}</text>"
            );
        }
    }
}
