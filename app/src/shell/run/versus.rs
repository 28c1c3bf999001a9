//! Two traces or two snapshots side by side.

use leptos::prelude::*;
use ringside_core::allocator::versus as snapshots;
use ringside_core::trace::versus as traces;

use crate::ui::table::{Table, numbers, words};

pub(super) fn of_traces(versus: traces::Versus) -> AnyView {
    let traces::Versus { names, lines, finding, notes, .. } = versus;
    let rows = lines.iter().map(|line| (line.label.clone(), line.texts(), line.difference_text()));
    view("Two traces side by side", names, rows, finding, notes)
}

pub(super) fn of_snapshots(versus: snapshots::Versus) -> AnyView {
    let snapshots::Versus { names, lines, finding, notes } = versus;
    let rows = lines.iter().map(|line| (line.label.clone(), line.texts(), line.difference_text()));
    view("Two snapshots side by side", names, rows, finding, notes)
}

fn view(
    title: &'static str,
    [first, second]: [String; 2],
    lines: impl Iterator<Item = (String, [String; 2], String)>,
    finding: String,
    notes: Vec<String>,
) -> AnyView {
    let rows = lines.map(|(label, [a, b], difference)| {
        view! {
            <tr>
                <th scope="row">{label}</th>
                <td class="number">{a}</td>
                <td class="number">{b}</td>
                <td class="number">{difference}</td>
            </tr>
        }
    });
    let rows = rows.collect_view().into_any();
    let columns = vec![words("Part"), numbers(first), numbers(second), numbers("Difference")];
    view! {
        <section class="run-versus">
            <h2>{title}</h2>
            <p class="finding">{finding}</p>
            {notes.into_iter().map(|note| view! { <p class="small">{note}</p> }).collect_view()}
            <Table scroll=title class="run-table" columns=columns rows=rows />
        </section>
    }
    .into_any()
}
