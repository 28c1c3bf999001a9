//! The same layer by each method, beside each other.

use leptos::prelude::*;
use ringside_core::context_parallel::{Method, Params, Run, Split};
use ringside_core::quantity::Unit;

use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// Methods and splits that differ.
const WAYS: [(Method, Split, &str); 5] = [
    (Method::Ring, Split::Contiguous, "ring, contiguous"),
    (Method::Ring, Split::Zigzag, "ring, zig-zag"),
    (Method::AllGather, Split::Contiguous, "all-gather, contiguous"),
    (Method::AllGather, Split::Zigzag, "all-gather, zig-zag"),
    (Method::Ulysses, Split::Zigzag, "Ulysses"),
];

/// A row for each way; that of the figure is marked.
pub(super) fn view(state: State<Params>) -> AnyView {
    let rows = move || {
        state.params().with(|p| {
            let row = |(method, split, name): (Method, Split, &'static str)| {
                let is_on_show = p.method == method && (method == Method::Ulysses || p.split == split);
                let current = is_on_show.then_some("true");
                let way = Params { method, split, step: 0, ..*p };
                let cells = match Run::new(way) {
                    Ok(run) => [
                        Unit::Seconds.format(run.total),
                        Unit::Fraction.format(run.idle()),
                        Unit::Seconds.format(run.exposed),
                        Unit::Bytes.format(way.sent_now()),
                        Unit::Bytes.format(way.kv_held()),
                    ]
                    .map(|text| view! { <td class="number">{text}</td> })
                    .into_iter()
                    .collect_view()
                    .into_any(),
                    Err(why) => view! { <td colspan="5">{why}</td> }.into_any(),
                };
                view! { <tr aria-current=current><th scope="row">{name}</th>{cells}</tr> }
            };
            WAYS.map(row).into_iter().collect_view()
        })
    };
    view! {
        <Table
            scroll="Each way"
            caption="The same pass of the layer, each way"
            columns=[
                words("Method"),
                numbers("attention"),
                numbers("time not computing"),
                numbers("exposed"),
                numbers("sent per rank"),
                numbers("keys and values held"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
