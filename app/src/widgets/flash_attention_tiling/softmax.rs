//! The softmax of one row: its scores by blocks, the running maximum over them, and the running sum, whose older parts shrink
//! whenever the maximum grows.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::attention::algorithm::{Algo, Direction};
use ringside_core::attention::online::{Row, Taken};
use ringside_core::attention::{MAX_SEQ, Params, Run};
use ringside_core::declare::Model as _;
use ringside_core::quantity::{grouped, number};
use ringside_drawing::scale::{Linear, percent};

use super::{Shown, State};
use crate::ui::slider::{Scale, Slider};
use crate::widgets::param;

/// Most bars; of more scores the largest of each group is drawn.
const BARS: usize = 512;

/// The scores as paths.
#[derive(Clone, PartialEq, Default)]
struct Bars {
    count: usize,
    past: String,
    now: String,
    future: String,
    edges: String,
    max: String,
}

impl Bars {
    fn of(row: &Row, seq: u64, taken: usize) -> Self {
        let taken = taken.min(row.blocks.len());
        let group = (seq as usize).div_ceil(BARS).max(1);
        let mut bars = Self { count: (seq as usize).div_ceil(group), ..Self::default() };
        let low = row.scores.iter().copied().fold(f32::INFINITY, f32::min);
        let high = row.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let height = |score: f32| f64::from((score - low) / (high - low).max(f32::MIN_POSITIVE)) * 90.0 + 4.0;
        let place = |column: u64| column as f64 / group as f64;
        let last = taken.checked_sub(1).and_then(|i| row.blocks.get(i)).map_or((0, 0), |b| b.columns);
        for (i, scores) in row.scores.chunks(group).enumerate() {
            let top = height(scores.iter().copied().fold(f32::NEG_INFINITY, f32::max));
            let column = (i * group) as u64;
            let path = match column {
                c if c >= last.1 => &mut bars.future,
                c if c >= last.0 => &mut bars.now,
                _ => &mut bars.past,
            };
            // Writing to a string does not fail.
            let _ = write!(path, "M{i}.1 100v-{top:.1}h.8v{top:.1}z");
        }
        for block in row.blocks.iter().skip(1).take(BARS / 4) {
            let _ = write!(bars.edges, "M{:.2} 0v100", place(block.columns.0));
        }
        for (i, block) in row.blocks.iter().take(taken).enumerate() {
            let y = 100.0 - height(block.max[1]);
            let command = if i == 0 { 'M' } else { 'L' };
            let _ =
                write!(bars.max, "{command}{:.2} {y:.1}L{:.2} {y:.1}", place(block.columns.0), place(block.columns.1));
        }
        bars
    }
}

/// The panel.
pub(super) fn view(shown: Shown, state: State) -> AnyView {
    let taken = Memo::new(move |_| shown.watched.with(|w| w.run.taken(w.number, shown.step.get())));
    let bars = Memo::new(move |_| {
        shown
            .watched
            .with(|w| w.softmax.as_ref().map(|row| Bars::of(row, w.run.params.seq, taken.get())).unwrap_or_default())
    });
    let path = move |class: &'static str, look: fn(&Bars) -> &String| {
        view! { <path class=class d=move || bars.with(|b| look(b).clone()) /> }
    };
    let there = Memo::new(move |_| shown.watched.with(|w| w.softmax.is_some()));
    view! {
        <div class="softmax-head">
            <p class="tiling-title">
                {move || shown.watched.with(|w| format!("Softmax of row {}", grouped(w.number)))}
                <small>{move || shown.watched.with(|w| format!(" its scores with {} keys, first head", grouped(w.run.params.seq)))}</small>
            </p>
            <div class="softmax-row">{row(state)}</div>
        </div>
        <Show
            when=move || there.get()
            fallback=|| view! { <p class="fine">"This row has too many numbers to be worked out here. Fewer tokens, or an earlier row under a causal mask, can be."</p> }
        >
            <svg
                class="softmax-scores"
                viewBox=move || bars.with(|b| format!("0 0 {} 100", b.count.max(1)))
                preserveAspectRatio="none"
                aria-hidden="true"
            >
                {path("future", |b| &b.future)} {path("past", |b| &b.past)} {path("now", |b| &b.now)} {path("edges", |b| &b.edges)}
                {path("max", |b| &b.max)}
            </svg>
            {move || shown.watched.with(|w| w.softmax.as_ref().map(|row| sum(&w.run, row, taken.get())))}
        </Show>
    }
    .into_any()
}

/// ℓ as a bar of what each block is worth in it now, and the last step of the recurrence with its numbers.
fn sum(run: &Run, row: &Row, taken: usize) -> AnyView {
    let taken = taken.min(row.blocks.len());
    let parts = row.parts(taken);
    let most = row.blocks.iter().map(|b| f64::from(b.sum[1])).fold(0.0, f64::max);
    let scale = Linear::to(most);
    let last = parts.len().saturating_sub(1);
    let segment = |(i, part): (usize, &f64)| {
        view! { <span class:now=i == last style:width=percent(scale.percent(*part))></span> }
    };
    let facts = match taken.checked_sub(1).and_then(|i| row.blocks.get(i)) {
        None => {
            view! { <p class="softmax-none">"No block of this row has been taken in: m = −∞, ℓ = 0."</p> }.into_any()
        }
        Some(_) if run.params.direction == Direction::Backward => backward(run, row),
        Some(block) => recurrence(run, row, block, taken),
    };
    view! {
        <div class="softmax-sum" aria-hidden="true">
            <b>"ℓ"</b>
            <div class="sum-bar">{parts.iter().enumerate().map(segment).collect_view()}</div>
        </div>
        {facts}
    }
    .into_any()
}

fn signed(value: f32) -> String {
    if value == f32::NEG_INFINITY { "−∞".to_owned() } else { number(f64::from(value)) }
}

fn fact(name: &'static str, value: String) -> impl IntoView {
    view! { <div><dt>{name}</dt><dd>{value}</dd></div> }
}

fn recurrence(run: &Run, row: &Row, block: &Taken, taken: usize) -> AnyView {
    let [before, after] = block.max;
    let [sum, new] = block.sum;
    let factor = number(f64::from(block.factor));
    let standard = run.params.algo == Algo::Standard;
    let (from, to) = block.columns;
    let place = if standard {
        "all at once".to_owned()
    } else {
        format!("{taken} of {}: keys {} to {}", row.blocks.len(), grouped(from), grouped(to.saturating_sub(1)))
    };
    let done = taken == row.blocks.len();
    let plain = done.then(|| {
        let text = format!(
            "m = {}, ℓ = {}; no number of O differs by more than {}",
            number(row.plain.max),
            number(row.plain.sum),
            number(row.difference())
        );
        fact("Plain softmax, fp64", text)
    });
    view! {
        <dl class="softmax-facts">
            {fact("Block", place)} {fact("Largest score", format!("m: {} → {}", signed(before), signed(after)))}
            {fact("The past is worth", format!("e^(m − m′) = {factor}"))}
            {fact("Sum", format!("ℓ: {} × {factor} + {} = {}", number(f64::from(sum)), number(f64::from(block.added)), number(f64::from(new))))}
            {fact("First number of O", signed(block.output))} {plain}
        </dl>
    }
    .into_any()
}

fn backward(run: &Run, row: &Row) -> AnyView {
    let text = match run.params.algo {
        Algo::Standard => "P, the whole row: it was stored".to_owned(),
        Algo::Flash1 => {
            let last = row.blocks.last();
            format!(
                "m = {} and ℓ = {}: P is made again as e^(S − m)/ℓ",
                last.map_or(String::new(), |b| signed(b.max[1])),
                last.map_or(String::new(), |b| number(f64::from(b.sum[1])))
            )
        }
        Algo::Flash2 => format!("L = m + ln ℓ = {}: P is made again as e^(S − L)", number(row.lse())),
    };
    view! { <dl class="softmax-facts">{fact("Kept of the forward pass", text)}</dl> }.into_any()
}

/// The row that is watched, of as many as there are.
fn row(state: State) -> impl IntoView {
    let last = Memo::new(move |_| state.params().with(|p| p.seq.min(MAX_SEQ) - 1));
    let value = Signal::derive(move || state.params().with(|p| p.row.min(p.seq.saturating_sub(1)) as f64));
    let set = move |n: f64| state.update(|p| p.row = n as u64);
    let format = |n: f64| grouped(n as u64);
    move || {
        let scale = Scale::Linear { min: 0.0, max: last.get().max(1) as f64, step: 1.0 };
        view! { <Slider spec=param(&Params::ENTRY, "row") label="Row" value set scale format /> }
    }
}
