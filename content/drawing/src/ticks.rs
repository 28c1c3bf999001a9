//! Lines at the ticks of a linear axis, each with its number.

use std::fmt::Write as _;

use super::scale::{Linear, percent};

/// Where a tick is, in percent of the axis, and its number as text, without signs that mean something in markup.
pub type Tick = (f64, String);

/// The ticks of a scale, each written by `text`.
pub fn ticks(scale: Linear, text: fn(f64) -> String) -> Vec<Tick> {
    scale.ticks().map(|tick| (scale.percent(tick), text(tick))).collect()
}

/// From the left to the right, with numbers under the drawing. Every other one is `odd`.
pub fn across(ticks: &[Tick]) -> String {
    let mut svg = String::new();
    for (i, (at, text)) in ticks.iter().enumerate() {
        let odd = if i % 2 == 1 { " class=\"odd\"" } else { "" };
        let x = percent(*at);
        // Writing to a string does not fail; so below.
        let _ = write!(
            svg,
            "<g{odd}><line x1=\"{x}\" x2=\"{x}\" y2=\"100%\"/>\
             <text x=\"{x}\" y=\"100%\" dy=\"18\" text-anchor=\"middle\">{text}</text></g>"
        );
    }
    svg
}

/// From the bottom to the top, with numbers to the left of the drawing.
pub fn up(ticks: &[Tick]) -> String {
    let mut svg = String::new();
    for (at, text) in ticks {
        let y = percent(100.0 - at);
        let _ = write!(
            svg,
            "<line y1=\"{y}\" y2=\"{y}\" x2=\"100%\"/>\
             <text x=\"-8\" y=\"{y}\" dy=\".35em\" text-anchor=\"end\">{text}</text>"
        );
    }
    svg
}
