//! Who reads which sample: the index lists of a few ranks, with what is read twice or not at all.

use leptos::prelude::*;
use ringside_core::ddp::{ENTRY, Params, Split};
use ringside_core::quantity::grouped;

use super::State;
use crate::ui::rested::rested;
use crate::ui::select::{Group, Select};
use crate::ui::slider::{Scale, Slider};
use crate::ui::table::{Table, numbers, words};
use crate::widgets::fields::Fields;
use crate::widgets::{param, readings};

/// Whether a quantity is one of the data set.
pub(super) fn is_of_data(id: &str) -> bool {
    matches!(id, "samples-per-rank" | "repeated" | "dropped" | "steps-missing")
}

/// Most ranks in the table, and most samples of each at either end.
const RANKS: u64 = 6;
const FIRST: u64 = 5;
const LAST: u64 = 3;

/// The data set, its controls and the lists.
pub(super) fn view(state: State) -> AnyView {
    let params = state.params();
    let at_rest = rested(params);
    let fields = Fields::new(state, &ENTRY);
    let said = move || params.with(Params::sampling);
    let quantities = Memo::new(move |_| params.with(|p| ENTRY.measured(|id| p.shared(id))));
    view! {
        <details class="fold sharing" open>
            <summary>"Who reads which sample: " <span>"DistributedSampler"</span></summary>
            <div class="control-row">
                {split(state)} {fields.switch("shuffle", "Shuffle", ["off", "on"], |p| &mut p.shuffle)}
                {fields.switch("set-epoch", "set_epoch", ["forgotten", "called"], |p| &mut p.set_epoch)}
                {fields.switch("join", "Join", ["off", "on"], |p| &mut p.join)}
            </div>
            <div class="control-grid">{dataset(state)} {epoch(state)}</div>
            <p>{said}</p>
            <div class="scroll" tabindex="0" role="group" aria-label="Samples of each rank">{move || at_rest.with(table)}</div>
            <p class="fine">"Padding, dealing out and dropping are as in PyTorch. The shuffled order is ours: PyTorch’s generator would give another."</p>
            <dl class="readings">{readings::only(&ENTRY, quantities, is_of_data)}</dl>
        </details>
    }
    .into_any()
}

fn split(state: State) -> impl IntoView {
    let groups = vec![Group { label: "", options: Split::ALL.map(|s| (s.id(), s.label())).to_vec() }];
    let value = Signal::derive(move || state.params().with(|p| p.split.id()));
    let set = move |id: &'static str| {
        if let Some(split) = Split::find(id) {
            state.update(|p| p.split = split);
        }
    };
    view! { <Select name="sampler" label="What does not divide evenly" groups value set /> }
}

fn dataset(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.dataset as f64));
    let set = move |to: f64| state.update(|p| p.dataset = to as u64);
    let format = |n: f64| grouped(n as u64);
    view! { <Slider spec=param(&ENTRY, "dataset") label="Samples" value set scale=Scale::Decades(1, 9) format /> }
}

fn epoch(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.epoch as f64));
    let set = move |to: f64| state.update(|p| p.epoch = to as u64);
    let format = |n: f64| grouped(n as u64);
    let scale = Scale::Linear { min: 0.0, max: 9.0, step: 1.0 };
    view! { <Slider spec=param(&ENTRY, "epoch") label="Epoch" value set scale format /> }
}

/// The lists of the first ranks and the last.
fn table(params: &Params) -> AnyView {
    let sampler = params.sampler();
    let last = params.ranks.saturating_sub(1);
    let shown: Vec<u64> =
        if params.ranks <= RANKS { (0..=last).collect() } else { (0..RANKS - 1).chain([last]).collect() };
    let row = |rank: u64| {
        let n = sampler.samples(rank);
        let places: Vec<u64> =
            if n <= FIRST + LAST { (0..n).collect() } else { (0..FIRST).chain(n - LAST..n).collect() };
        let cell = |(i, k): (usize, &u64)| {
            let gap = i > 0 && places.get(i - 1).is_some_and(|before| before + 1 < *k);
            let text = sampler.at(rank, *k).map(|(index, again)| {
                view! { <span class:again=again>{index.to_string()} {again.then_some(" again")}</span> }
            });
            view! { {gap.then_some("… ")} {text} " " }
        };
        let list = places.iter().enumerate().map(cell).collect_view();
        view! {
            <tr>
                <th scope="row">{format!("rank {rank}")}</th>
                <td class="samples">{list}</td>
                <td class="number">{grouped(n)}</td>
                <td class="number">{grouped(params.batches(rank))}</td>
            </tr>
        }
    };
    view! {
        <Table
            columns=[words("Rank"), words("Samples, in its order"), numbers("Samples"), numbers("Batches")]
            rows=shown.into_iter().map(row).collect_view().into_any()
        />
    }
    .into_any()
}
