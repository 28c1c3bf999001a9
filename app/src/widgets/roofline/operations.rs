//! The operations of the layer, one below the other: where each lies, what limits it, and how long it takes at least.

use leptos::prelude::*;
use ringside_core::quantity::{Unit, number};
use ringside_core::roofline::layer::Operation;
use ringside_core::roofline::{Chosen, KERNEL, PRODUCT, Placed};
use ringside_drawing::scale::{Linear, percent};

use super::Shown;
use crate::ui::table::{Table, numbers, words};

pub(super) fn view(shown: Shown) -> AnyView {
    let ids = Memo::new(move |_| {
        shown.placed.with(|p| {
            let kernel = (p.chosen.id == KERNEL).then_some(KERNEL);
            p.layer.iter().map(|o| o.id).chain([PRODUCT]).chain(kernel).collect::<Vec<_>>()
        })
    });
    let rows = move || ids.get().into_iter().map(|id| row(shown, id)).collect_view();
    view! {
        <Table
            scroll="The operations of the layer"
            class="roof-operations"
            columns=[
                words("Operation"),
                numbers("FLOP/byte"),
                words("Limited by"),
                numbers("At best"),
                words("Minimum time"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}

/// The operation with this id: of the layer, or one of the learner's own.
fn find(placed: &Placed, id: &str) -> Operation {
    placed.layer.iter().find(|operation| operation.id == id).copied().unwrap_or_else(|| placed.params.other(id))
}

fn row(shown: Shown, id: &'static str) -> AnyView {
    let operation = Memo::new(move |_| shown.placed.with(|p| find(p, id)));
    let roof = move || shown.placed.with(|p| p.roof);
    let pressed = move || (shown.placed.with(|p| p.chosen.id) == id).to_string();
    let compute = Memo::new(move |_| roof().is_compute_bound(&operation.get()));
    let time = move || roof().time(&operation.get());
    let width = move || {
        let longest = |p: &Placed| p.layer.iter().map(|o| p.roof.time(o)).fold(0.0, f64::max);
        percent(Linear::to(shown.placed.with(longest)).percent(time()).min(100.0))
    };
    let choose = move |_| shown.state.update(|p| p.op = Chosen(id));
    view! {
        <tr class:compute=move || compute.get()>
            <th scope="row">
                <button type="button" class="quiet" aria-pressed=pressed on:click=choose>
                    {move || operation.get().label}
                </button>
            </th>
            <td class="number">{move || number(operation.get().intensity())}</td>
            <td>{move || if compute.get() { "arithmetic" } else { "memory" }}</td>
            <td class="number">{move || Unit::FlopPerSecond.format(roof().attainable(operation.get().intensity()))}</td>
            <td class="bench-speed">
                <svg aria-hidden="true"><rect class="track" width="100%" height="100%" /><rect width=width height="100%" /></svg>
                <span>{move || Unit::Seconds.format(time())}</span>
            </td>
        </tr>
    }
    .into_any()
}
