//! The pieces as a table, input to output.

use leptos::prelude::*;
use ringside_core::quantity::{Unit, grouped};

use super::Shown;
use crate::ui::table::{Table, numbers, words};

/// A row for every piece: what it is, how often, its parameters and its FLOPs.
pub(super) fn view(shown: Shown) -> AnyView {
    let ids = move || shown.with(|a| a.pieces.iter().map(|p| p.id).collect::<Vec<_>>());
    let row = move |id: &'static str| {
        let look = move |look: fn(&ringside_core::model::anatomy::Piece) -> String| move || shown.piece(id, look);
        view! {
            <tr>
                <th scope="row">{id}</th>
                <td class="number">{look(|p| grouped(p.copies * p.layers))}</td>
                <td>{look(|p| p.formula.clone())}</td>
                <td class="number">{look(|p| grouped(p.params as u64))}</td>
                <td class="number">{look(|p| if p.flops > 0.0 { Unit::Flop.format(p.flops) } else { "–".to_owned() })}</td>
                <td>{look(|p| p.code.to_owned())}</td>
            </tr>
        }
    };
    let total = move || shown.with(|a| grouped(a.count.total));
    let flops = move || shown.with(|a| Unit::Flop.format(a.flops.total()));
    let rows = view! {
        <For each=ids key=|id| *id children=row />
        <tr class="sum">
            <th scope="row">"Together"</th>
            <td></td>
            <td></td>
            <td class="number">{total}</td>
            <td class="number">{flops}</td>
            <td></td>
        </tr>
    };
    view! {
        <Table
            caption="Every piece, input to output"
            columns=[
                words("Piece"),
                numbers("Times"),
                words("Parameters of one"),
                numbers("Parameters"),
                numbers("FLOPs per token"),
                words("In nanoGPT"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
