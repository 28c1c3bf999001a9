//! The curve as a table: a row for every doubling.

use leptos::prelude::*;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::scaling::Step;

use super::Shown;
use crate::ui::table::{self, Table, numbers, words};

/// A column: its head, and what it says of a step.
type Column = (&'static str, fn(&Step) -> String);

const COLUMNS: [Column; 9] = [
    ("step", |s| Unit::Seconds.format(s.time())),
    ("times one GPU", |s| number(s.speedup())),
    ("efficiency", |s| Unit::Fraction.format(s.efficiency())),
    ("work", |s| Unit::Seconds.format(s.compute)),
    ("no sequence", |s| Unit::Seconds.format(s.idle)),
    ("exposed communication", |s| Unit::Seconds.format(s.communication)),
    ("bubble", |s| Unit::Seconds.format(s.bubble)),
    ("slowest", |s| Unit::Seconds.format(s.straggle)),
    ("sequences", |s| number(s.sequences)),
];

pub(super) fn view(shown: Shown) -> AnyView {
    let columns: Vec<table::Column> =
        [words("GPUs")].into_iter().chain(COLUMNS.map(|(head, _)| numbers(head))).collect();
    let row = |step: &Step| {
        let cells = COLUMNS.map(|(_, text)| view! { <td class="number">{text(step)}</td> });
        view! { <tr><th scope="row">{grouped(step.gpus)}</th>{cells.into_iter().collect_view()}</tr> }
    };
    let rows = move || shown.with(|c| c.steps.iter().map(row).collect_view());
    view! {
        <Table columns rows=rows.into_any() />
    }
    .into_any()
}
