//! What every rank holds in this step, as a table.

use leptos::prelude::*;
use ringside_core::collective::data::{Held, State as Data, number, plain_sum};
use ringside_core::collective::{Op, Run};
use ringside_core::quantity::Unit;

use super::Shown;
use crate::ui::table::{Column, Table, numbers, words};

/// Most ranks whose chunks each have a cell of the table; with more, a rank's are counted.
const WHOLE: usize = 16;

/// The table; it follows the steps.
pub(super) fn view(shown: Shown) -> AnyView {
    (move || {
        shown.now(|run, data, step| {
            let small = run.params.ranks <= WHOLE && run.params.op != Op::AllToAll;
            Some(if small { chunks(run, data, step) } else { counts(run, data, step) })
        })
    })
    .into_any()
}

fn caption(run: &Run, step: usize) -> String {
    format!("After step {step} of {}", run.steps())
}

fn chunks(run: &Run, data: &Data, step: usize) -> AnyView {
    let n = run.params.ranks;
    let columns: Vec<Column> =
        [words("rank")].into_iter().chain((0..n).map(|chunk| numbers(format!("chunk {chunk}")))).collect();
    let rows = (0..n).map(|rank| {
        let cells = (0..n).map(|chunk| {
            let value = data.cell(rank, chunk).value;
            let text = match data.held(rank, chunk) {
                Held::Nothing => "–".to_owned(),
                Held::Spent => "passed on".to_owned(),
                Held::Part(_) => value.to_string(),
                Held::Whole => format!("{value} ✓"),
            };
            view! { <td class="number">{text}</td> }
        });
        view! { <tr><th scope="row">{format!("rank {rank}")}</th>{cells.collect_view()}</tr> }
    });
    let sums = matches!(run.params.op, Op::Reduce | Op::AllReduce | Op::ReduceScatter).then(|| {
        let cells = (0..n).map(|chunk| view! { <td class="number">{plain_sum(n, chunk, number).to_string()}</td> });
        view! { <tr class="sum"><th scope="row">"sum, from rank 0 to the last"</th>{cells.collect_view()}</tr> }
    });
    let rows = view! { {rows.collect_view()} {sums} };
    view! {
        <Table
            caption=caption(run, step)
            columns
            rows=rows.into_any()
        />
    }
    .into_any()
}

fn counts(run: &Run, data: &Data, step: usize) -> AnyView {
    let cost = run.cost_until(step);
    let rows = (0..run.params.ranks).map(|rank| {
        let whole = (0..data.chunks()).filter(|&chunk| data.complete(rank, chunk)).count();
        let wanted = (0..data.chunks()).filter(|&chunk| data.wanted(rank, chunk) != 0).count();
        let amount = |list: &[f64], unit: Unit| unit.format(list.get(rank).copied().unwrap_or_default());
        view! {
            <tr>
                <th scope="row">{format!("rank {rank}")}</th>
                <td class="number">{format!("{whole} of {wanted}")}</td>
                <td class="number">{amount(&cost.sent, Unit::Bytes)}</td>
                <td class="number">{amount(&cost.received, Unit::Bytes)}</td>
                <td class="number">{amount(&cost.idle, Unit::Seconds)}</td>
            </tr>
        }
    });
    view! {
        <Table
            caption=caption(run, step)
            columns=[words("rank"), numbers("chunks done"), numbers("sent"), numbers("received"), numbers("idle")]
            rows=rows.collect_view().into_any()
        />
    }
    .into_any()
}
