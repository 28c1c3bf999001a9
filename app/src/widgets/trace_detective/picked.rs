//! The part of the drawing that is selected: some lanes between two times, and what is in it, summed.

use std::collections::BTreeSet;

use leptos::prelude::*;
use ringside_core::quantity::{Unit, grouped};
use ringside_core::trace::select::{OfKind, OfName, Selection, select};

use super::canvas::short;
use super::rows::Row;
use super::{Scene, Shown};
use crate::ui::debounced::debounced;
use crate::ui::table::{Table, numbers, words};

/// Names in the table.
const NAMES: usize = 8;

/// An end of a selection that is made by keys: a lane and one of its events.
pub(super) type End = (usize, u32);

/// The part that is selected.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Picked {
    /// From when to when, in nanoseconds.
    pub times: (i64, i64),
    /// Which lanes, by their index.
    pub lanes: BTreeSet<usize>,
    /// Between which events, if it was made by keys: where it began, and the end that moves.
    pub ends: Option<(End, End)>,
}

impl Picked {
    /// What lies between two times and two heights.
    pub fn within(scene: &Scene, rows: &[Row], times: (f64, f64), heights: (f64, f64)) -> Self {
        let ordered = |(a, b): (f64, f64)| (a.min(b), a.max(b));
        let ((from, to), (top, bottom)) = (ordered(times), ordered(heights));
        let hit = rows.iter().filter(|row| row.y < bottom && row.bottom() > top);
        let lanes = hit.flat_map(|row| row.lanes(scene)).collect();
        Self { times: (from as i64, to as i64), lanes, ends: None }
    }

    /// What lies between two events, and on all rows between theirs.
    pub fn between(scene: &Scene, rows: &[Row], ends: (End, End)) -> Option<Self> {
        let of = |(lane, span): End| {
            let trace = scene.traces.get(scene.own.lanes.get(lane)?.trace)?;
            let row = rows.iter().position(|row| row.lane == lane)?;
            Some((trace.spans.get(span as usize)?, row))
        };
        let ((a, first), (b, last)) = (of(ends.0)?, of(ends.1)?);
        let between = rows.get(first.min(last)..=first.max(last))?;
        let lanes = between.iter().flat_map(|row| row.lanes(scene)).collect();
        Some(Self { times: (a.start.min(b.start), a.end().max(b.end())), lanes, ends: Some(ends) })
    }
}

fn time(nanoseconds: i64) -> String {
    Unit::Seconds.format(nanoseconds as f64 / 1e9)
}

/// What is summed: the selection, or what is in view on the first rank.
fn summed(scene: &Scene, window: (f64, f64), picked: Option<&Picked>) -> (Selection, (i64, i64)) {
    let times = picked.map_or((window.0 as i64, window.1 as i64), |picked| picked.times);
    let lanes = scene.own.lanes.iter().enumerate();
    let lanes = lanes.filter(|(i, lane)| picked.map_or(lane.trace == 0, |picked| picked.lanes.contains(i)));
    (select(&scene.traces, &scene.looks, lanes.map(|(_, lane)| lane), times), times)
}

/// The selection, or what is in view, summed by kind and by name.
pub(super) fn view(shown: Shown) -> impl IntoView {
    let part = debounced(Memo::new(move |_| (shown.window.get(), shown.picked.get())));
    // Neither is ever like the one before.
    let found = Memo::new_with_compare(
        move |_| part.with(|(window, picked)| shown.scene.with(|scene| summed(scene, *window, picked.as_ref()))),
        |_, _| true,
    );
    let says = move || {
        found.with(|(selection, (from, to))| {
            let (count, length) = (grouped(selection.count()), time(to - from));
            match part.with(|(_, picked)| picked.as_ref().map(|picked| picked.lanes.len())) {
                Some(1) => format!("Selected: {length} on one row, with {count} events."),
                Some(rows) => format!("Selected: {length} on {rows} rows, with {count} events."),
                None => format!("In view on the first rank: {length}, with {count} events."),
            }
        })
    };
    let cells = |count: u64, total: i64| {
        view! {
            <td class="number">{grouped(count)}</td>
            <td class="number">{time(total)}</td>
            <td class="number">{time(total / i64::try_from(count.max(1)).unwrap_or(1))}</td>
        }
    };
    let kinds = move || {
        found.with(|(selection, (from, to))| {
            let row = |sum: &OfKind| {
                let share = sum.covered as f64 / (to - from).max(1) as f64;
                let share = Unit::Fraction.format((share * 1000.0).round() / 1000.0);
                view! {
                    <tr>
                        <th scope="row">{sum.look.label()}</th>
                        {cells(sum.count, sum.time)}
                        <td class="number">{share}</td>
                    </tr>
                }
            };
            selection.kinds.iter().map(row).collect::<Vec<_>>()
        })
    };
    let names = move || {
        found.with(|(selection, _)| {
            let row = |sum: &OfName| {
                view! { <tr><th scope="row">{short(&sum.name).to_owned()}</th>{cells(sum.count, sum.time)}</tr> }
            };
            selection.names.iter().take(NAMES).map(row).collect::<Vec<_>>()
        })
    };
    let more = move || {
        let left = found.with(|(selection, _)| selection.names.len().saturating_sub(NAMES));
        (left > 0).then(|| format!("{} more names.", grouped(left as u64)))
    };
    let clear = move |_| shown.picked.set(None);
    let of_kinds = [words("Kind"), numbers("events"), numbers("together"), numbers("each"), numbers("of the time")];
    let of_names = [words("Name"), numbers("events"), numbers("together"), numbers("each")];
    view! {
        <section class="trace-sums">
            <p class="trace-picked">
                <span role="status">{says}</span>
                <button type="button" class="quiet" hidden=move || shown.picked.with(Option::is_none) on:click=clear>
                    "Clear the selection"
                </button>
            </p>
            <Table scroll="Sums by kind" columns=of_kinds rows=kinds.into_any() />
            <Table scroll="Sums by name" columns=of_names rows=names.into_any() />
            <p class="fine">{more}</p>
        </section>
    }
}
