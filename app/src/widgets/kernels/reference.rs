//! What was measured on GPUs that others can look up, under the learner's own.

use leptos::prelude::*;
use ringside_core::kernels::reference::{self, Row};

use crate::ui::table::{Table, numbers, words};

/// A table for each session that has measurements of this family; nothing where there are none.
pub(super) fn view(family: &'static str) -> AnyView {
    let tables = reference::all().into_iter().filter_map(|session| {
        let caption = session.caption(family)?;
        let rows = session.rows(family).into_iter().map(row).collect_view();
        Some(view! {
            <details class="numbers">
                <summary>{caption}</summary>
                <Table
                    scroll="Reference measurements"
                    columns=[words("Kernel"), words("Sizes"), numbers("Speed"), numbers("Time, median")]
                    rows=rows.into_any()
                />
            </details>
        })
    });
    tables.collect_view().into_any()
}

fn row([kernel, sizes, speed, time]: Row) -> impl IntoView {
    view! {
        <tr>
            <th scope="row">{kernel}</th>
            <td>{sizes}</td>
            <td class="number">{speed}</td>
            <td class="number">{time}</td>
        </tr>
    }
}
