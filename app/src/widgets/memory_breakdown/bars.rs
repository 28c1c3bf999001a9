//! The drawing: one stacked bar for each ZeRO stage, against the memory of the GPU.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::memory::{Breakdown, Concept, Mode};
use ringside_core::quantity::bytes_decimal;

use super::{Shown, State, class, stage_name};
use crate::ui::dom::escaped;
use crate::ui::scale::{Linear, percent};
use crate::ui::ticks;

/// The memory of the GPU is on the axis unless it is this many times the largest bar: the bars are the subject.
const CAPACITY_WITHIN: f64 = 4.0;
/// The narrowest visible part of a bar, in percent of the axis.
const HAIR: f64 = 0.35;
/// Parts narrower than this touch: a gap between them would be wider than they are.
const THIN: f64 = 2.0;
/// Most parts of the optimizer states: master copy, two moments, their scales.
const MAX_STATES: usize = 4;

/// A stretch of a bar, in percent of the axis, with what it is called and how much it is.
#[derive(Debug, Clone, PartialEq, Default)]
struct Part {
    start: f64,
    width: f64,
    name: &'static str,
    amount: String,
}

/// Concepts of a bar.
const CONCEPTS: usize = Concept::ALL.len();
/// Which of them is the optimizer's.
const OPTIMIZER: usize = Concept::Optimizer as usize;

/// A bar: its parts, the states that the optimizer's part consists of, and where it ends.
#[derive(Debug, Clone, PartialEq, Default)]
struct Bar {
    parts: [Part; CONCEPTS],
    states: [Part; MAX_STATES],
    end: f64,
    total: String,
    fits: bool,
}

impl Bar {
    fn of(b: &Breakdown, stage: usize, scale: Linear) -> Option<Self> {
        let row = b.stages.get(stage)?;
        let mut end = 0.0;
        let mut put = |name, bytes: f64, least: f64| {
            let start = end;
            let width = if bytes > 0.0 { scale.percent(bytes).max(least) } else { 0.0 };
            end += width;
            Part { start, width, name, amount: bytes_decimal(bytes) }
        };
        let parts = Concept::ALL.map(|concept| put(concept.id(), row.parts.of(concept).0, HAIR));
        // Every stage shards the optimizer's states alike, so that their shares are those of the stage on show.
        let mut states: [Part; MAX_STATES] = Default::default();
        let mut start = parts[OPTIMIZER].start;
        let of_optimizer = b.rows.iter().filter(|r| r.concept == Concept::Optimizer && !r.of_experts);
        for (state, r) in states.iter_mut().zip(of_optimizer) {
            let share = b.part(r.id) / b.parts.optimizer;
            let width = parts[OPTIMIZER].width * share;
            *state = Part { start, width, name: r.id, amount: bytes_decimal(row.parts.optimizer.0 * share) };
            start += width;
        }
        Some(Self { parts, states, end, total: bytes_decimal(row.total.0), fits: row.fits })
    }

    /// Its parts that are there, each with its concept.
    fn there(&self) -> impl Iterator<Item = (Concept, &Part)> {
        Concept::ALL.into_iter().zip(&self.parts).filter(|(_, part)| part.width > 0.0)
    }

    /// The parts, and the edges between the optimizer's states, as markup: the browser reads it faster than it is told of
    /// each change.
    fn drawing(&self) -> String {
        let mut svg = String::new();
        for (concept, part) in self.there() {
            let thin = if part.width < THIN { " thin" } else { "" };
            let (class, x, width) = (class(concept), percent(part.start), percent(part.width));
            // Writing to a string does not fail; so below.
            let _ = write!(svg, "<rect class=\"part {class}{thin}\" x=\"{x}\" width=\"{width}\" height=\"100%\"/>");
        }
        for state in self.states.iter().skip(1).filter(|s| s.width >= THIN) {
            let x = percent(state.start);
            let _ = write!(svg, "<line class=\"edge\" x1=\"{x}\" x2=\"{x}\" y2=\"100%\"/>");
        }
        svg
    }

    /// What is written on the parts, as markup. Names and amounts have no signs that mean something there.
    fn labels(&self) -> String {
        let mut svg = String::new();
        let mut put = |class: &str, start, text: &str| {
            let x = percent(start);
            let _ = write!(svg, "<text class=\"{class}\" x=\"{x}\" dx=\"8\" y=\"50%\" dy=\".35em\">{text}</text>");
        };
        let of_states = self.labels_states();
        for state in self.states.iter().filter(|s| of_states && s.width > 0.0) {
            put(&format!("on-optimizer {WIDE}"), state.start, &format!("{} {}", state.name, state.amount));
        }
        for (concept, part) in self.there() {
            let fit = part.fit(false);
            if fit == NOWHERE {
                continue;
            }
            // Where the states are labelled one by one, the whole is labelled only in narrow figures.
            let narrow = if concept == Concept::Optimizer && of_states && fit == ANYWHERE { "narrow-only" } else { fit };
            let name = match part.fit(true) {
                NOWHERE => String::new(),
                with_name => format!("<tspan class=\"{with_name}\">{} </tspan>", part.name),
            };
            put(&format!("on-{} {narrow}", class(concept)), part.start, &format!("{name}{}", part.amount));
        }
        svg
    }

    /// The amounts, where the bar is too short for labels: they come after it, in the same order.
    fn apart(&self) -> String {
        if self.end >= 40.0 || self.there().all(|(_, part)| part.fit(false) != NOWHERE) {
            return String::new();
        }
        self.there().map(|(_, part)| part.amount.as_str()).collect::<Vec<_>>().join(" + ")
    }

    /// Whether the optimizer's part is wide enough for a label on each of its states.
    fn labels_states(&self) -> bool {
        let mut there = self.states.iter().filter(|s| s.width > 0.0).peekable();
        there.peek().is_some() && there.all(|s| s.fit(true) != NOWHERE)
    }
}

/// Where a label fits: in any figure, in a wide one (class `wide-only`), or in none (class `nowhere`).
const ANYWHERE: &str = "";
const WIDE: &str = "wide-only";
const NOWHERE: &str = "nowhere";

impl Part {
    /// Whether the amount, or the name with it, fits into the part: by the narrowest plot of a wide figure (520 px) and of a
    /// phone (290 px), at 7 px a character and 12 px of margins.
    fn fit(&self, with_name: bool) -> &'static str {
        let characters = self.amount.chars().count() + if with_name { self.name.chars().count() + 1 } else { 0 };
        let needed = characters as f64 * 7.0 + 12.0;
        match self.width / 100.0 {
            w if w * 290.0 >= needed => ANYWHERE,
            w if w * 520.0 >= needed => WIDE,
            _ => NOWHERE,
        }
    }
}

/// Four bars; choosing one sets the stage.
pub(super) fn view(state: State, shown: Shown) -> impl IntoView {
    let scale = Memo::new(move |_| {
        shown.with(|b| {
            let largest = b.stages.iter().map(|s| s.total.0).fold(0.0, f64::max);
            let with_capacity = b.capacity.0 <= largest * CAPACITY_WITHIN;
            Some(Linear::to(if with_capacity { largest.max(b.capacity.0) } else { largest }))
        })
    });
    let scale = move || scale.get().unwrap_or(Linear::to(1.0));
    let rows = [0, 1, 2, 3].map(|stage| {
        let bar = Memo::new(move |_| shown.with(|b| Bar::of(b, usize::from(stage), scale())).unwrap_or_default());
        row(state, stage, bar)
    });
    view! {
        <div class="plot">
            {axis(scale)}
            <div class="bars" role="radiogroup" aria-label="ZeRO stage">{rows.into_iter().collect_view()}</div>
            {capacity(shown, scale)}
        </div>
    }
}

fn row(state: State, stage: u8, bar: Memo<Bar>) -> impl IntoView {
    let name = Memo::new(move |_| stage_name(state.params().with(|p| p.mode), stage));
    let selected = Memo::new(move |_| state.params().with(|p| p.stage(p.zero) == stage));
    let fits = move || bar.with(|b| if b.fits { "✓ fits" } else { "" });
    let spoken = move || {
        let (name, what) = name.get();
        bar.with(|b| format!("{name}, {what}: {}, {}", b.total, if b.fits { "fits" } else { "does not fit" }))
    };
    // In inference nothing is sharded: one bar is left.
    let gone = Memo::new(move |_| stage > 0 && state.params().with(|p| p.mode == Mode::Inference));
    view! {
        <label class="bar-row" class:selected=selected class:nowhere=gone>
            <span class="bar-name">
                <input
                    type="radio"
                    name="zero"
                    value=stage.to_string()
                    aria-label=spoken
                    prop:checked=selected
                    on:change=move |_| state.update(|p| p.zero = stage)
                />
                <b>{move || name.get().0}</b>
                <small>{move || name.get().1}</small>
            </span>
            <span class="bar-cell">
                <svg class="bar" aria-hidden="true" inner_html=move || bar.with(Bar::drawing)></svg>
                // A layer of its own: labels lie over the line of the capacity.
                <svg class="bar labels" aria-hidden="true" inner_html=move || bar.with(Bar::labels)></svg>
                <span class="bar-end" style:left=move || bar.with(|b| percent(b.end))>
                    <b>{move || bar.with(|b| b.total.clone())}</b>
                    <span class="fits">{fits}</span>
                    <small class="apart">{move || bar.with(Bar::apart)}</small>
                </span>
            </span>
        </label>
    }
}

/// Round amounts, under the bars.
fn axis(scale: impl Fn() -> Linear + Copy + Send + Sync + 'static) -> impl IntoView {
    let text = |amount: f64| if amount == 0.0 { "0".to_owned() } else { bytes_decimal(amount) };
    let ticks = Memo::new(move |_| ticks::ticks(scale(), text));
    view! { <svg class="axis" aria-hidden="true">{ticks::across(ticks)}</svg> }
}

/// The memory of the GPU, drawn through the bars. Off the axis, the label alone points to where the line would be.
fn capacity(shown: Shown, scale: impl Fn() -> Linear + Copy + Send + Sync + 'static) -> impl IntoView {
    let drawing = Memo::new(move |_| {
        shown.with(|b| {
            let at = Some(scale()).filter(|scale| scale.shows(b.capacity.0)).map(|scale| scale.percent(b.capacity.0));
            let x = percent(at.unwrap_or(100.0));
            let line = at.map(|_| format!("<line x1=\"{x}\" x2=\"{x}\" y1=\"-18\" y2=\"100%\"/>")).unwrap_or_default();
            let (dx, anchor) = if at.is_some_and(|at| at < 55.0) { (7, "start") } else { (-7, "end") };
            let arrow = if at.is_none() { " →" } else { "" };
            format!(
                "{line}<text x=\"{x}\" dx=\"{dx}\" y=\"-8\" text-anchor=\"{anchor}\">one {}{arrow}</text>",
                escaped(b.params.gpu.name)
            )
        })
    });
    view! { <svg class="axis capacity" aria-hidden="true" inner_html=move || drawing.get()></svg> }
}
