//! The drawing: one stacked bar for each ZeRO stage, against the memory of the GPU.

use leptos::prelude::*;
use ringside_core::memory::{Breakdown, Concept, Mode};
use ringside_core::quantity::bytes_decimal;

use super::{Shown, State, class, stage_name};
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
    let parts = std::array::from_fn::<_, CONCEPTS, _>(|i| {
        let part = move |look: fn(&Part) -> String| move || bar.with(|b| look(&b.parts[i]));
        let thin = move || bar.with(|b| b.parts[i].width < THIN);
        view! {
            <rect
                class=format!("part {}", class(Concept::ALL[i]))
                class:thin=thin
                x=part(|p| percent(p.start))
                width=part(|p| percent(p.width))
                height="100%"
            />
        }
    });
    let labels = std::array::from_fn::<_, CONCEPTS, _>(|i| {
        let class = class(Concept::ALL[i]);
        // Where the states are labelled one by one, the whole is labelled only in narrow figures.
        let fit = move || {
            bar.with(|b| {
                let fit = b.parts[i].fit(false);
                let states = i == OPTIMIZER && b.labels_states() && fit == ANYWHERE;
                let fit = if b.parts[i].width > 0.0 { fit } else { NOWHERE };
                format!("on-{class} {} {fit}", if states { "narrow-only" } else { "" })
            })
        };
        view! {
            <text class=fit x=move || bar.with(|b| percent(b.parts[i].start)) dx="8" y="50%" dy=".35em">
                <tspan class=move || bar.with(|b| b.parts[i].fit(true))>{move || bar.with(|b| b.parts[i].name)} " "</tspan>
                <tspan>{move || bar.with(|b| b.parts[i].amount.clone())}</tspan>
            </text>
        }
    });
    let edges = std::array::from_fn::<_, MAX_STATES, _>(|i| {
        let edge = move || bar.with(|b| percent(b.states[i].start));
        let hidden = move || i == 0 || bar.with(|b| b.states[i].width < THIN);
        view! { <line class="edge" class:nowhere=hidden x1=edge x2=edge y2="100%" /> }
    });
    let states = std::array::from_fn::<_, MAX_STATES, _>(|i| {
        let fit = move || {
            let fits = bar.with(|b| b.states[i].width > 0.0 && b.labels_states());
            format!("on-optimizer {}", if fits { WIDE } else { NOWHERE })
        };
        let edge = move || bar.with(|b| percent(b.states[i].start));
        view! {
            <text class=fit x=edge dx="8" y="50%" dy=".35em">
                {move || bar.with(|b| format!("{} {}", b.states[i].name, b.states[i].amount))}
            </text>
        }
    });
    // Where the bar is too short for labels they come after it, in the same order.
    let apart = move || {
        bar.with(|b| {
            let short = b.end < 40.0 && b.parts.iter().any(|p| p.width > 0.0 && p.fit(false) == NOWHERE);
            let there = b.parts.iter().filter(|p| p.width > 0.0).map(|p| p.amount.as_str());
            if short { there.collect::<Vec<_>>().join(" + ") } else { String::new() }
        })
    };
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
                <svg class="bar" aria-hidden="true">{parts.into_iter().collect_view()} {edges.into_iter().collect_view()}</svg>
                // A layer of its own: labels lie over the line of the capacity.
                <svg class="bar labels" aria-hidden="true">
                    {states.into_iter().collect_view()} {labels.into_iter().collect_view()}
                </svg>
                <span class="bar-end" style:left=move || bar.with(|b| percent(b.end))>
                    <b>{move || bar.with(|b| b.total.clone())}</b>
                    <span class="fits">{fits}</span>
                    <small class="apart">{apart}</small>
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
    let at = Memo::new(move |_| {
        shown.with(|b| Some(b.capacity.0)).filter(|c| scale().shows(*c)).map(|c| scale().percent(c))
    });
    let x = move || percent(at.get().unwrap_or(100.0));
    let on_the_left = move || at.get().is_some_and(|at| at < 55.0);
    let name = move || {
        let arrow = if at.get().is_none() { " →" } else { "" };
        shown.with(|b| format!("one {}{arrow}", b.params.gpu.name))
    };
    view! {
        <svg class="axis capacity" aria-hidden="true">
            <line class:nowhere=move || at.get().is_none() x1=x x2=x y1="-18" y2="100%" />
            <text
                x=x
                dx=move || if on_the_left() { "7" } else { "-7" }
                y="-8"
                text-anchor=move || if on_the_left() { "start" } else { "end" }
            >
                {name}
            </text>
        </svg>
    }
}
