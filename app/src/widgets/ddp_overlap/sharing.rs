//! Who reads which sample: the index lists of a few ranks, with what is read twice or not at all.

use leptos::prelude::*;
use ringside_core::ddp::Params;
use ringside_core::quantity::grouped;

use crate::ui::debounced::debounced;
use crate::ui::table::{Table, numbers, words};

/// Most ranks in the table, and most samples of each at either end.
const RANKS: u64 = 6;
const FIRST: u64 = 5;
const LAST: u64 = 3;

/// The data set, its `controls` and the lists.
pub(super) fn view(params: Memo<Params>, controls: AnyView) -> AnyView {
    let at_rest = debounced(params);
    let said = move || params.with(Params::sampling);
    view! {
        <details class="fold sharing" open>
            <summary>"Who reads which sample: " <span>"DistributedSampler"</span></summary>
            {controls}
            <p>{said}</p>
            <div class="scroll" tabindex="0" role="group" aria-label="Samples of each rank">{move || at_rest.with(table)}</div>
            <p class="fine">"Padding, dealing out and dropping are as in PyTorch. The shuffled order is ours: PyTorch’s generator would give another."</p>
        </details>
    }
    .into_any()
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
