//! What this step moves, what has moved, and the blocks of the watched row, as tables.

use leptos::prelude::*;
use ringside_core::attention::Run;
use ringside_core::attention::online::{Row, Taken};
use ringside_core::quantity::{grouped, number};

use super::Shown;
use crate::ui::table::{Table, numbers, silent, words};

/// Most blocks that are listed.
const MOST: usize = 64;

/// The tables; they follow the steps.
pub(super) fn view(shown: Shown) -> AnyView {
    view! {
        {move || shown.now(moves)}
        {move || {
            shown.watched.with(|w| {
                let taken = w.run.taken(w.number, shown.step.get());
                w.softmax.as_ref().map(|row| blocks(w.number, row, taken))
            })
        }}
    }
    .into_any()
}

fn moves(run: &Run, step: u64) -> AnyView {
    let now = step.checked_sub(1).and_then(|i| run.plan.at(i));
    let moves = now.map_or_else(Vec::new, |s| run.plan.moves(&s));
    let rows = moves.iter().map(|m| {
        view! {
            <tr>
                <th scope="row">{m.label()}</th>
                <td>{if m.store { "to HBM" } else { "from HBM" }}</td>
                <td class="number">{grouped(m.bytes)}</td>
            </tr>
        }
    });
    let so_far = run.plan.until(step);
    let total = |name: &'static str, bytes: u64| {
        view! {
            <tr class="sum">
                <th scope="row">{name}</th>
                <td>"one head, so far"</td>
                <td class="number">{grouped(bytes)}</td>
            </tr>
        }
    };
    let rows = view! {
        {rows.collect_view()} {total("Read", so_far.read)} {total("Written", so_far.written)}
    };
    view! {
        <Table
            caption=format!("Step {} of {}: what moves, in bytes of one head", grouped(step), grouped(run.steps()))
            columns=[words("Block"), words("Moves"), numbers("Bytes")]
            rows=rows.into_any()
        />
    }
    .into_any()
}

fn blocks(number_of_row: u64, row: &Row, taken: usize) -> AnyView {
    let text = |value: f32| if value.is_finite() { number(f64::from(value)) } else { "−∞".to_owned() };
    let line = |(i, block): (usize, &Taken)| {
        view! {
            <tr>
                <th scope="row">{format!("{}–{}", grouped(block.columns.0), grouped(block.columns.1.saturating_sub(1)))}</th>
                <td>{if i < taken { "taken in" } else { "to come" }}</td>
                <td class="number">{text(block.block_max)}</td>
                <td class="number">{text(block.max[1])}</td>
                <td class="number">{text(block.factor)}</td>
                <td class="number">{text(block.added)}</td>
                <td class="number">{text(block.sum[1])}</td>
            </tr>
        }
    };
    let rest = row.blocks.len().saturating_sub(MOST);
    let more = (rest > 0).then(|| view! { <p class="fine">{format!("And {} more blocks.", grouped(rest as u64))}</p> });
    view! {
        <Table
            caption=format!("Row {}, block by block", grouped(number_of_row))
            columns=[
                words("Keys"),
                silent("State"),
                numbers("Largest score"),
                numbers("m after it"),
                numbers("Factor"),
                numbers("Adds to ℓ"),
                numbers("ℓ after it"),
            ]
            rows=row.blocks.iter().enumerate().take(MOST).map(line).collect_view().into_any()
        />
        {more}
    }
    .into_any()
}
