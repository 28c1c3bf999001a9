//! Every lane as a table.

use leptos::prelude::*;
use ringside_core::coalescing::memory::{LINE, SECTOR};
use ringside_core::coalescing::{LANES, Params, View};
use ringside_core::quantity::grouped;

use crate::ui::table::{Table, numbers};

pub(super) fn view(params: Memo<Params>) -> AnyView {
    (move || params.with(|p| if p.view == View::Global { sectors(p) } else { banks(p) })).into_any()
}

fn sectors(p: &Params) -> AnyView {
    let row = |(lane, address): (usize, u64)| {
        view! {
            <tr>
                <th scope="row" class="number">{lane}</th>
                <td class="number">{grouped(address)}</td>
                <td class="number">{grouped(address / SECTOR)}</td>
                <td class="number">{grouped(address / LINE)}</td>
            </tr>
        }
    };
    let rows = p.access(LANES).addresses.into_iter().enumerate().map(row).collect_view();
    view! {
        <Table columns=[numbers("Lane"), numbers("First byte"), numbers("Sector"), numbers("Line")] rows=rows.into_any() />
    }
    .into_any()
}

fn banks(p: &Params) -> AnyView {
    let rows = p.banks().places.into_iter().map(|place| {
        view! {
            <tr>
                <th scope="row" class="number">{place.lane}</th>
                <td class="number">{place.row}</td>
                <td class="number">{place.col}</td>
                <td class="number">{place.word}</td>
                <td class="number">{place.bank}</td>
                <td class="number">{place.pass + 1}</td>
            </tr>
        }
    });
    view! {
        <Table
            columns=[numbers("Lane"), numbers("Row"), numbers("Column"), numbers("Word"), numbers("Bank"), numbers("Pass")]
            rows=rows.collect_view().into_any()
        />
    }
    .into_any()
}
