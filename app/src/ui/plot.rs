//! Curves over two logarithmic axes.
//!
//! A curve is a path in percent of the drawing, so that it can be stretched to any size; numbers and names are not stretched
//! with it.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_drawing::scale::{Log, percent};

/// An axis: its scale, and where on it a line and a number stand.
#[derive(Debug, Clone)]
pub struct Axis {
    scale: Log,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// From `from` to `to`, both over 0, with these ticks.
    pub fn new((from, to): (f64, f64), ticks: impl IntoIterator<Item = (f64, String)>) -> Self {
        let scale = Log::between(from, to);
        Self { scale, ticks: ticks.into_iter().map(|(at, text)| (scale.percent(at), text)).collect() }
    }
}

/// Two axes.
#[derive(Debug, Clone)]
pub struct Axes {
    /// From left to right.
    pub across: Axis,
    /// From the bottom to the top.
    pub up: Axis,
}

impl Axes {
    /// Where a point is, in percent from the left and from the top; on the edge for what is beyond.
    pub fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.across.scale.percent(x).min(100.0), 100.0 - self.up.scale.percent(y).min(100.0))
    }

    /// The path of a curve.
    pub fn curve(&self, points: impl IntoIterator<Item = (f64, f64)>) -> String {
        self.path(points, "L", "")
    }

    /// The path of dots: strokes of no length, which have round ends.
    pub fn dots(&self, points: impl IntoIterator<Item = (f64, f64)>) -> String {
        self.path(points, "M", "h0")
    }

    fn path(&self, points: impl IntoIterator<Item = (f64, f64)>, next: &str, after: &str) -> String {
        let mut path = String::new();
        for point in points {
            let (x, y) = self.place(point);
            // Writing to a string does not fail.
            let _ = write!(path, "{}{x:.2} {y:.2}{after}", if path.is_empty() { "M" } else { next });
        }
        path
    }
}

/// A line from the bottom to the top, with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Its class.
    pub class: &'static str,
    /// Where it stands on the axis across.
    pub at: f64,
    /// What it is.
    pub text: String,
    /// In which row over the drawing the text stands, from the lowest.
    pub row: u32,
}

/// A circle on a curve, with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Where it is.
    pub at: (f64, f64),
    /// What it is.
    pub text: String,
    /// Whether the text stands under it.
    pub under: bool,
}

/// The height of a row of text over the drawing, and how far the lowest is above it, in pixels.
const ROW: f64 = 18.0;
const ABOVE: f64 = 10.0;
/// A mark lower than this, in percent, has no room for text under it.
const LOWEST: f64 = 85.0;

/// Draws curves, each with its class; `label` says what is to be seen.
pub fn view(
    axes: Axes,
    curves: Vec<(&'static str, Signal<String>)>,
    rules: Signal<Vec<Rule>>,
    marks: Signal<Vec<Mark>>,
    label: Signal<String>,
) -> AnyView {
    let axes = StoredValue::new(axes);
    let place = move |point| axes.with_value(|axes| axes.place(point));
    let last = axes.with_value(|axes| axes.across.ticks.len().saturating_sub(1));
    let across = axes.with_value(|axes| axes.across.ticks.clone()).into_iter().enumerate().map(|(i, (at, text))| {
        let anchor = if i == last && at > 97.0 { "end" } else { "middle" };
        view! {
            <line x1=percent(at) x2=percent(at) y2="100%" />
            <text class:odd=i % 2 == 1 x=percent(at) y="100%" dy="19" text-anchor=anchor>{text}</text>
        }
    });
    let up = axes.with_value(|axes| axes.up.ticks.clone()).into_iter().map(|(at, text)| {
        let at = percent(100.0 - at);
        view! {
            <line y1=at.clone() y2=at.clone() x2="100%" />
            <text dx="-8" y=at dy=".35em" text-anchor="end">{text}</text>
        }
    });
    let paths = curves.into_iter().map(|(class, path)| view! { <path class=class d=path /> });
    let rule = move |rule: Rule| {
        let (x, _) = place((rule.at, 1.0));
        let left = x > 62.0;
        let up = ABOVE + ROW * f64::from(rule.row);
        view! {
            <g class=rule.class>
                <line x1=percent(x) x2=percent(x) y1=-up - ROW / 2.0 y2="100%" />
                <text
                    x=percent(x)
                    y=-up
                    dx=if left { "-7" } else { "7" }
                    text-anchor=if left { "end" } else { "start" }
                >
                    {rule.text}
                </text>
            </g>
        }
    };
    let mark = move |mark: Mark| {
        let (x, y) = place(mark.at);
        let left = x > 62.0;
        view! {
            <circle cx=percent(x) cy=percent(y) r="5" />
            <text
                class="label"
                x=percent(x)
                y=percent(y)
                dx=if left { "-9" } else { "9" }
                dy=if mark.under && y < LOWEST { "20" } else { "-9" }
                text-anchor=if left { "end" } else { "start" }
            >
                {mark.text}
            </text>
        }
    };
    view! {
        <svg class="log-plot" role="img" aria-label=move || label.get()>
            <g class="ticks">{across.collect_view()} {up.collect_view()}</g>
            <svg viewBox="0 0 100 100" preserveAspectRatio="none">{paths.collect_view()}</svg>
            <g class="rules">{move || rules.get().into_iter().map(rule).collect_view()}</g>
            <g class="marks">{move || marks.get().into_iter().map(mark).collect_view()}</g>
        </svg>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_lie_evenly_and_nothing_leaves_the_drawing() {
        let axis = |range| Axis::new(range, []);
        let axes = Axes { across: axis((1.0, 1e4)), up: axis((1e-3, 1e1)) };
        assert_eq!(axes.curve([(1.0, 1e-3), (100.0, 0.1), (1e9, 1e9)]), "M0.00 100.00L50.00 50.00L100.00 0.00");
        assert_eq!(axes.dots([(10.0, 1e-2), (0.1, 1e-9)]), "M25.00 75.00h0M0.00 100.00h0");
        assert_eq!(axes.curve([]), "");
    }
}
