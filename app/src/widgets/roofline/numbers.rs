//! Every operation on every roof, as a table.

use leptos::prelude::*;
use ringside_core::quantity::{Unit, number};
use ringside_core::roofline::Roof;
use ringside_core::roofline::layer::Operation;

use super::{Shown, beside};
use crate::ui::table::{Table, numbers, words};

pub(super) fn view(shown: Shown) -> AnyView {
    let roofs = move || {
        let mut roofs: Vec<(String, Roof)> = beside().map(|gpu| (gpu.name.to_owned(), Roof::of(gpu))).collect();
        roofs.extend(shown.own.get());
        roofs
    };
    let row = move |operation: &Operation| {
        let cell = |(_, roof): (String, Roof)| {
            let bound = if roof.is_compute_bound(operation) { "arithmetic" } else { "memory" };
            view! { <td class="number">{format!("{}, {bound}", Unit::Seconds.format(roof.time(operation)))}</td> }
        };
        view! {
            <tr>
                <th scope="row">{operation.label}</th>
                <td class="number">{Unit::Flop.format(operation.flop)}</td>
                <td class="number">{Unit::Bytes.format(operation.bytes)}</td>
                {roofs().into_iter().map(cell).collect_view()}
            </tr>
        }
    };
    let table = move || {
        let mut columns = vec![words("Operation"), numbers("Work"), numbers("Moved")];
        columns
            .extend(roofs().into_iter().map(|(name, roof)| numbers(format!("{name}, ridge {}", number(roof.ridge())))));
        let rows = shown.placed.with(|p| p.layer.iter().map(row).collect_view()).into_any();
        view! { <Table caption="Least time of each operation, and what limits it" columns rows /> }
    };
    table.into_any()
}
