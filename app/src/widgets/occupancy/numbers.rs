//! Every resource as a table.

use leptos::prelude::*;
use ringside_core::occupancy::definition::Limit;
use ringside_core::occupancy::{Held, Params, Room};
use ringside_core::quantity::{bytes_binary, grouped};

use crate::ui::table::{Table, numbers, words};
use crate::widgets::outcome::Shown;

pub(super) fn view(params: Memo<Params>, shown: Shown<Held>) -> AnyView {
    let row = |room: Room| {
        let amount = |n: f64| if room.limit == Limit::Shared { bytes_binary(n) } else { grouped(n as u64) };
        view! {
            <tr>
                <th scope="row">{room.limit.label()}</th>
                <td class="number">{amount(room.capacity)}</td>
                <td class="number">{amount(room.block)}</td>
                <td class="number">{room.allows.map_or_else(|| "any number".to_owned(), grouped)}</td>
                <td>{if room.limits { "yes" } else { "" }}</td>
            </tr>
        }
    };
    let rows = move || params.with(|p| shown.with(|held| held.rooms(p))).into_iter().map(row).collect_view();
    view! {
        <Table
            columns=[
                words("Resource"),
                numbers("An SM has"),
                numbers("A block is given"),
                numbers("Blocks"),
                words("Limits"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
