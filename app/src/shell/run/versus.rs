//! Two traces side by side.

use leptos::prelude::*;
use ringside_core::trace::versus::Versus;

use crate::ui::table::{Table, numbers, words};

pub(super) fn view(versus: Versus) -> AnyView {
    let Versus { names: [first, second], lines, finding, notes, .. } = versus;
    let rows = lines.into_iter().map(|line| {
        let [a, b] = line.texts();
        view! {
            <tr>
                <th scope="row">{line.label.clone()}</th>
                <td class="number">{a}</td>
                <td class="number">{b}</td>
                <td class="number">{line.difference_text()}</td>
            </tr>
        }
    });
    let rows = rows.collect_view().into_any();
    let columns = vec![words("Part"), numbers(first), numbers(second), numbers("Difference")];
    view! {
        <section class="run-versus">
            <h2>"Two traces side by side"</h2>
            <p class="finding">{finding}</p>
            {notes.into_iter().map(|note| view! { <p class="small">{note}</p> }).collect_view()}
            <Table scroll="Two traces side by side" class="run-table" columns=columns rows=rows />
        </section>
    }
    .into_any()
}
