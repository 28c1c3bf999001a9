//! The numbers themselves: of the layer that the event is about, the first of each shard on each rank.

use leptos::prelude::*;
use ringside_core::zero::{Memory, Run, State as Ranks};

use super::Shown;
use crate::ui::table::{Column, Table, numbers, words};

/// The tables; they follow the events.
pub(super) fn view(shown: Shown) -> AnyView {
    (move || shown.now(|run, state, step| Some(view! { {values(run, state, step)} {memory(run, state, step)} })))
        .into_any()
}

fn values(run: &Run, state: &Ranks, step: usize) -> AnyView {
    let layer = run.event(step).map_or(0, |event| event.first);
    let shards = run.params.sharers();
    let blocks = ["parameters", "gradients", "first moment"].into_iter().enumerate().map(|(which, name)| {
        let rows = (0..run.params.ranks).map(|rank| {
            let numbers = state.numbers(rank, layer);
            let cells = numbers.get(which).cloned().unwrap_or_default().into_iter().map(|number| {
                let text = number.map_or_else(|| "–".to_owned(), |number| number.to_string());
                view! { <td class="number">{text}</td> }
            });
            view! { <tr><th scope="row">{format!("{name}, rank {rank}")}</th>{cells.collect_view()}</tr> }
        });
        rows.collect_view()
    });
    let columns: Vec<Column> =
        [words("on")].into_iter().chain((0..shards).map(|shard| numbers(format!("shard {shard}")))).collect();
    view! {
        <Table
            caption=format!("After event {step}: the first number of each shard of layer {layer}")
            columns
            rows=blocks.collect_view().into_any()
        />
    }
    .into_any()
}

fn memory(run: &Run, state: &Ranks, step: usize) -> AnyView {
    let bytes = |value: f64| view! { <td class="number">{super::bytes(value)}</td> };
    let rows = (0..run.params.ranks).map(|rank| {
        let memory = state.memory(rank);
        view! {
            <tr>
                <th scope="row">{format!("rank {rank}")}</th>
                {memory.parts().map(bytes).into_iter().collect_view()}
                {bytes(memory.total())}
                {bytes(state.sent(rank))}
            </tr>
        }
    });
    let amounts = Memory::LABELS.into_iter().chain(["Together", "Sent so far"]);
    let columns: Vec<Column> = [words("rank")].into_iter().chain(amounts.map(numbers)).collect();
    view! {
        <Table
            caption=format!("After event {step}: what each rank holds, and has sent")
            columns
            rows=rows.collect_view().into_any()
        />
    }
    .into_any()
}
