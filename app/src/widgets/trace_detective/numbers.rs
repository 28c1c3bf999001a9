//! The numbers behind the drawing: each rank's time, and the kernels that take longest.

use leptos::prelude::*;
use ringside_core::quantity::{Unit, grouped};
use ringside_core::trace::breakdown::kernels;
use ringside_core::trace::ranks::compare;
use ringside_core::trace::rows::{Rows, Rules};

use super::Shown;
use super::canvas::short;
use crate::ui::table::{Table, numbers, words};

/// Kernels in the table.
const KERNELS: usize = 12;

fn time(nanoseconds: i64) -> String {
    Unit::Seconds.format(nanoseconds as f64 / 1e9)
}

pub(super) fn view(shown: Shown) -> AnyView {
    let ranks = move || {
        shown.scene.with(|scene| {
            let row = |rank: ringside_core::trace::ranks::Rank| {
                let of = rank.temporal;
                view! {
                    <tr>
                        <th scope="row">{rank.rank}</th>
                        <td class="number">{time(of.window)}</td>
                        <td class="number">{time(of.compute)}</td>
                        <td class="number">{time(of.idle)}</td>
                        <td class="number">{time(of.rest)}</td>
                        <td class="number">{time(rank.communication)}</td>
                    </tr>
                }
            };
            compare(&scene.traces).into_iter().map(row).collect_view()
        })
    };
    let longest = move || {
        shown.scene.with(|scene| {
            let Some(trace) = scene.traces.first() else { return Vec::new() };
            let rows = Rows::of(trace, Rules::Ours);
            let row = |kernel: ringside_core::trace::breakdown::Kernel<'_>| {
                let micros = |value: f64| Unit::Seconds.format(value / 1e6);
                view! {
                    <tr>
                        <th scope="row">{short(kernel.name).to_owned()}</th>
                        <td>{kernel.kind.label()}</td>
                        <td class="number">{grouped(kernel.time.count)}</td>
                        <td class="number">{micros(kernel.time.sum)}</td>
                        <td class="number">{micros(kernel.time.mean)}</td>
                    </tr>
                }
            };
            kernels(&rows).into_iter().take(KERNELS).map(row).collect::<Vec<_>>()
        })
    };
    let of_ranks = [
        words("Rank"),
        numbers("first to last kernel"),
        numbers("computing"),
        numbers("idle"),
        numbers("only communicating or copying"),
        numbers("collectives"),
    ];
    let of_kernels = [words("Kernel"), words("kind"), numbers("runs"), numbers("together"), numbers("mean")];
    view! {
        <Table columns=of_ranks rows=ranks.into_any() />
        <Table columns=of_kernels rows=longest.into_any() />
    }
    .into_any()
}
