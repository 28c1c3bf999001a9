//! Lines at the ticks of a linear axis, each with its number.

use std::fmt::Write as _;

use leptos::prelude::*;

use super::scale::{Linear, percent};

/// Where a tick is, in percent of the axis, and its number as text, without signs that mean something in markup.
pub type Tick = (f64, String);

/// The ticks of a scale, each written by `text`.
pub fn ticks(scale: Linear, text: fn(f64) -> String) -> Vec<Tick> {
    scale.ticks().map(|tick| (scale.percent(tick), text(tick))).collect()
}

/// From the left to the right, with numbers under the drawing. Every other one is `odd`.
pub fn across(ticks: Memo<Vec<Tick>>) -> AnyView {
    all(ticks, |i, at, text, svg| {
        let odd = if i % 2 == 1 { " class=\"odd\"" } else { "" };
        let x = percent(at);
        // Writing to a string does not fail; so below.
        let _ = write!(
            svg,
            "<g{odd}><line x1=\"{x}\" x2=\"{x}\" y2=\"100%\"/><text x=\"{x}\" y=\"100%\" dy=\"18\" text-anchor=\"middle\">{text}</text></g>"
        );
    })
}

/// From the bottom to the top, with numbers to the left of the drawing.
pub fn up(ticks: Memo<Vec<Tick>>) -> AnyView {
    all(ticks, |_, at, text, svg| {
        let y = percent(100.0 - at);
        let _ = write!(
            svg,
            "<line y1=\"{y}\" y2=\"{y}\" x2=\"100%\"/><text x=\"-8\" y=\"{y}\" dy=\".35em\" text-anchor=\"end\">{text}</text>"
        );
    })
}

/// Adds the tick of this number, at this place and with this text, to the markup.
type Draw = fn(usize, f64, &str, &mut String);

fn all(ticks: Memo<Vec<Tick>>, draw: Draw) -> AnyView {
    let markup = move || {
        let mut svg = String::new();
        ticks.with(|list| list.iter().enumerate().for_each(|(i, (at, text))| draw(i, *at, text, &mut svg)));
        svg
    };
    view! { <g class="ticks" inner_html=markup></g> }.into_any()
}
