//! The run next to the models of the course's figures.

use std::sync::Arc;

use leptos::prelude::*;
use ringside_core::program::{Comparison, Puzzle, Row};

use super::{Shown, State};
use crate::ui::link::to_widget;
use crate::ui::table::{Table, numbers, words};

/// A table for each model that fits the run, and what is not compared.
pub(super) fn view(shown: Shown, state: State, puzzle: Arc<Puzzle>) -> AnyView {
    let tables = move || {
        let compared = shown.with(|outcome| state.params().with_untracked(|p| p.compare(&puzzle, outcome)));
        let without = compared.without.into_iter().map(|why| view! { <p class="fine">{why}</p> });
        view! {
            {compared.with.into_iter().map(table).collect_view()}
            {without.collect_view()}
        }
    };
    view! {
        <details class="fold rank-models" open=true>
            <summary>"Next to the model"</summary>
            {tables}
        </details>
    }
    .into_any()
}

pub(super) fn table(comparison: Comparison) -> AnyView {
    let finding = comparison.finding();
    let Comparison { title, figure, name, state, note, rows } = comparison;
    let address = to_widget(figure, &state);
    view! {
        <Table
            scroll="The run next to the model"
            caption=title
            columns=[words("Quantity"), numbers("This run"), numbers("Model"), numbers("Run over model")]
            rows=rows.into_iter().map(row).collect_view().into_any()
        />
        <p class="fine">
            {finding} " " {note} " " <a href=address>{format!("Open this state in “{name}”")}</a>
        </p>
    }
    .into_any()
}

fn row(row: Row) -> impl IntoView {
    let ratio = row.ratio_in_words();
    let Row { what, run, model, unit } = row;
    view! {
        <tr>
            <th scope="row">{what}</th>
            <td class="number">{unit.format(run)}</td>
            <td class="number">{unit.format(model)}</td>
            <td class="number">{ratio}</td>
        </tr>
    }
}
