//! A table that sorts by any of its columns, and says how often each number has that of a row to compare with.

use leptos::prelude::*;
use ringside_core::quantity::number;
use ringside_drawing::table::{Cell, Row, ordered};

use super::unique_id;

fn cell_view(cell: &Cell, with: Option<&Cell>) -> AnyView {
    let times = cell.value.zip(with.and_then(|w| w.value)).filter(|(_, base)| *base != 0.0);
    let times =
        times.map(|(value, base)| view! { <small class="times">{format!("×{}", number(value / base))}</small> });
    let class = cell.value.is_some().then_some("number");
    let text = cell.text.clone();
    let text = match cell.href {
        Some(href) => view! { <a href=href rel="noopener external">{text}</a> }.into_any(),
        None => text.into_any(),
    };
    view! { <td class=class>{text} " " {times}</td> }.into_any()
}

/// The table. A click on a head sorts by it, largest first; another one turns that around.
pub fn view(label: &'static str, heads: &'static [&'static str], rows: Vec<Row>) -> AnyView {
    let by = RwSignal::new(None::<(usize, bool)>);
    let base = RwSignal::new(None::<usize>);
    let select = unique_id("compare");
    let options = rows
        .iter()
        .enumerate()
        .map(|(i, row)| view! { <option value=i.to_string()>{row.name.clone()}</option> })
        .collect_view();
    let rows = StoredValue::new(rows);
    let sort = move |column: usize| {
        by.update(|by| *by = Some((column, matches!(by, Some((same, false)) if *same == column))));
    };
    let head = move |(i, name): (usize, &&'static str)| {
        let way = move || match by.get() {
            Some((column, turned)) if column == i && turned => "ascending",
            Some((column, _)) if column == i => "descending",
            _ => "none",
        };
        view! {
            <th scope="col" aria-sort=way>
                <button type="button" class="sorts" on:click=move |_| sort(i)>{*name}</button>
            </th>
        }
    };
    let body = move || {
        let (by, base) = (by.get(), base.get());
        rows.with_value(|rows| {
            let base = base.and_then(|i| rows.get(i));
            let row = |i: usize| {
                let row = rows.get(i)?;
                let cells = row.cells.iter().enumerate();
                let cells =
                    cells.map(|(i, cell)| cell_view(cell, base.and_then(|base| base.cells.get(i)))).collect_view();
                Some(view! { <tr id=row.id.clone()><th scope="row">{row.name.clone()}</th> {cells}</tr> })
            };
            ordered(rows, by).into_iter().filter_map(row).collect_view()
        })
    };
    view! {
        <p class="compare sans">
            <label for=select.clone()>"Compare with "</label>
            <select id=select on:change=move |event| base.set(event_target_value(&event).parse().ok())>
                <option value="">"nothing"</option>
                {options}
            </select>
        </p>
        <div class="scrolls" role="region" aria-label=format!("{label}, table") tabindex="0">
            <table class="sorted">
                <thead>
                    <tr>{heads.iter().enumerate().map(head).collect_view()}</tr>
                </thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
    .into_any()
}
