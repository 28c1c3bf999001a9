//! Which random streams of a job are equal: a matrix to fill, over the run that comes of it.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::seed_streams::{Params, Stream};

use super::one_picture::{self, Own};
use super::{Module, Props};
use crate::ui::state::State;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// The path to a cell's stream.
type Cell = fn(&mut Params) -> &mut Stream;

/// The rows: what is drawn, and its cells over replicas, tensor-parallel ranks and stages.
const ROWS: &[(&str, [Option<Cell>; 3])] = &[
    ("Initial weights", [Some(|p| &mut p.init_dp), Some(|p| &mut p.init_tp), None]),
    ("Order of the data", [Some(|p| &mut p.data_dp), None, Some(|p| &mut p.data_pp)]),
    ("Dropout, whole tensors", [Some(|p| &mut p.drop_dp), Some(|p| &mut p.drop_whole), None]),
    ("Dropout, sharded tensors", [None, Some(|p| &mut p.drop_shard), None]),
];

/// The columns.
const OVER: [&str; 3] = ["data-parallel replicas", "tensor-parallel ranks", "pipeline stages"];

fn view(props: Props) -> AnyView {
    one_picture::view::<Params>(props, |live| Own { above: Some(matrix(live.state).into_any()), ..Own::default() })
}

/// The matrix: each cell is a button that says what it is.
fn matrix(state: State<Params>) -> impl IntoView {
    let row = move |(what, cells): &'static (&'static str, [Option<Cell>; 3])| {
        let cells = cells.iter().zip(OVER).map(move |(cell, over)| {
            let Some(cell) = *cell else { return view! { <td class="none">"–"</td> }.into_any() };
            let value = Memo::new(move |_| state.params().with(|p| *cell(&mut p.clone())));
            let flip = move |_| {
                state.update(|p| {
                    let stream = cell(p);
                    *stream = if stream.equal() { Stream::Different } else { Stream::Equal };
                });
            };
            view! {
                <td>
                    <button
                        type="button"
                        class="stream"
                        class:different=move || !value.get().equal()
                        aria-label=move || format!("{what} over {over}: {}", value.get().label())
                        on:click=flip
                    >
                        {move || value.get().label()}
                    </button>
                </td>
            }
            .into_any()
        });
        view! {
            <tr>
                <th scope="row">{*what}</th>
                {cells.collect_view()}
            </tr>
        }
    };
    view! {
        <table class="streams">
            <caption>"Do these ranks draw the same numbers? Press to change."</caption>
            <thead>
                <tr>
                    <th scope="col">"Stream"</th>
                    {OVER.map(|over| view! { <th scope="col">{over}</th> }).into_iter().collect_view()}
                </tr>
            </thead>
            <tbody>{ROWS.iter().map(row).collect_view()}</tbody>
        </table>
    }
}
