//! Two drawings over the same sizes: time, and bus bandwidth.

use leptos::prelude::*;
use ringside_core::collective::Algo;
use ringside_core::network::Cost;
use ringside_core::network::sizes::{Point, RANGE, Sizes};
use ringside_core::quantity::Unit;

use super::Shown;
use crate::ui::plot::{self, Axes, Axis, Mark, Rule};

/// What is drawn over the sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Over {
    Time,
    Bandwidth,
}

impl Over {
    fn axes(self) -> Axes {
        let ticks = |unit: Unit, powers: std::ops::RangeInclusive<i32>, step: usize| {
            powers.step_by(step).map(move |power| 10_f64.powi(power)).map(move |at| (at, unit.format(at)))
        };
        let up = match self {
            Over::Time => Axis::new(self.range(), ticks(Unit::Seconds, -6..=2, 2)),
            Over::Bandwidth => Axis::new(self.range(), ticks(Unit::BytesPerSecond, 6..=12, 1)),
        };
        Axes { across: Axis::new(RANGE, ticks(Unit::Bytes, 1..=10, 1)), up }
    }

    /// The heights that are drawn.
    fn range(self) -> (f64, f64) {
        match self {
            Over::Time => (1e-6, 100.0),
            Over::Bandwidth => (1e6, 2e12),
        }
    }

    /// The height of a line at a size.
    fn of(self, sizes: &Sizes, cost: Cost, bytes: f64) -> f64 {
        match self {
            Over::Time => cost.time(bytes),
            Over::Bandwidth => sizes.busbw(cost, bytes),
        }
    }

    /// The height of a measurement.
    fn measured(self, sizes: &Sizes, bytes: f64, time: f64) -> f64 {
        match self {
            Over::Time => time,
            Over::Bandwidth => sizes.measured_busbw(bytes, time),
        }
    }

    fn curve(self, sizes: &Sizes, cost: Option<Cost>) -> Vec<(f64, f64)> {
        let cost = cost.into_iter();
        let points = cost.flat_map(|cost| Sizes::sizes().map(move |bytes| (bytes, self.of(sizes, cost, bytes))));
        // A line along the foot of the drawing would say that it stays there.
        points.filter(|(_, height)| *height >= self.range().0).collect()
    }

    fn dots(self, sizes: &Sizes, time: fn(&Point) -> Option<f64>) -> Vec<(f64, f64)> {
        let points = sizes.params.measured.iter();
        points.filter_map(|p| time(p).map(|time| (p.bytes, self.measured(sizes, p.bytes, time)))).collect()
    }

    fn view(self, shown: Shown) -> AnyView {
        let axes = self.axes();
        let path = |draw: fn(Over, &Sizes, &Axes) -> String| {
            let axes = axes.clone();
            Signal::from(Memo::new(move |_| shown.with(|s| draw(self, s, &axes))))
        };
        let curves = vec![
            ("ring", path(|over, s, axes| axes.curve(over.curve(s, Some(s.ring))))),
            ("tree", path(|over, s, axes| axes.curve(over.curve(s, s.tree)))),
            ("fit", path(|over, s, axes| axes.curve(over.curve(s, s.fit.map(|fit| fit.cost))))),
            ("in-place", path(|over, s, axes| axes.dots(over.dots(s, |p| p.in_place)))),
            ("out-of-place", path(|over, s, axes| axes.dots(over.dots(s, |p| Some(p.time))))),
        ];
        let rules = Signal::derive(move || shown.with(rules));
        let marks = Signal::derive(move || {
            shown.with(|s| {
                let bytes = s.params.bytes;
                let height = self.of(s, s.chosen, bytes);
                let text = match self {
                    Over::Time => Unit::Seconds.format(height),
                    Over::Bandwidth => Unit::BytesPerSecond.format(height),
                };
                vec![Mark { at: (bytes, height), text, under: self == Over::Bandwidth }]
            })
        });
        let label = Signal::derive(move || shown.with(|s| self.in_words(s)));
        plot::view(axes, curves, rules, marks, label)
    }

    /// What the drawing shows, for who does not see it.
    fn in_words(self, sizes: &Sizes) -> String {
        let (from, to) = RANGE;
        let ends = |cost: Cost| {
            let text = |bytes: f64| match self {
                Over::Time => Unit::Seconds.format(self.of(sizes, cost, bytes)),
                Over::Bandwidth => Unit::BytesPerSecond.format(self.of(sizes, cost, bytes)),
            };
            format!("from {} to {}", text(from), text(to))
        };
        let what = if self == Over::Time { "Time" } else { "Bus bandwidth" };
        let tree = sizes.tree.map_or(String::new(), |tree| format!("; by tree {}", ends(tree)));
        let (least, most) = (Unit::Bytes.format(from), Unit::Bytes.format(to));
        format!("{what} of buffers from {least} to {most}: by ring {}{tree}.", ends(sizes.ring))
    }
}

/// Where latency ends and where the ring takes over, if that is in the drawing.
fn rules(sizes: &Sizes) -> Vec<Rule> {
    let shown = |at: &f64| (RANGE.0..=RANGE.1).contains(at);
    let rule =
        |class, row, at: f64, text: &str| Rule { class, at, row, text: format!("{text} {}", Unit::Bytes.format(at)) };
    let half = Some(sizes.chosen.half_size()).filter(shown).map(|at| rule("half", 0, at, "latency = bandwidth:"));
    let cross = sizes.crossover.filter(shown).map(|at| rule("cross", 1, at, "ring = tree:"));
    half.into_iter().chain(cross).collect()
}

/// Both, and what the lines are.
pub(super) fn view(shown: Shown) -> AnyView {
    let measured = Memo::new(move |_| shown.with(|s| !s.params.measured.is_empty()));
    let tree = Memo::new(move |_| shown.with(|s| s.tree.is_some()));
    let chosen = move |algo: Algo| move || shown.with(|s| s.params.algo == algo);
    view! {
        <div class="cost-plots">
            <ul class="legend">
                <li class:asked=chosen(Algo::Ring)><i class="swatch ring" aria-hidden="true"></i>"Ring"</li>
                <li class:asked=chosen(Algo::DoubleBinaryTree) hidden=move || !tree.get()>
                    <i class="swatch tree" aria-hidden="true"></i>
                    "Tree"
                </li>
                <li hidden=move || !measured.get()>
                    <i class="swatch out-of-place" aria-hidden="true"></i>
                    "Measured, out of place"
                </li>
                <li hidden=move || !measured.get()><i class="swatch in-place" aria-hidden="true"></i>"in place"</li>
                <li hidden=move || !measured.get()><i class="swatch fit" aria-hidden="true"></i>"Fitted to it"</li>
            </ul>
            <div class="plots">
                <div>
                    <p class="plot-title">"Time"</p>
                    {Over::Time.view(shown)}
                </div>
                <div>
                    <p class="plot-title">"Bus bandwidth"</p>
                    {Over::Bandwidth.view(shown)}
                </div>
            </div>
        </div>
    }
    .into_any()
}
