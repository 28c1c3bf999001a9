//! The steps, and the costs by the number of ranks, as tables.

use leptos::prelude::*;
use ringside_core::quantity::{Unit, number};
use ringside_core::tensor_parallel::Run;
use ringside_core::tensor_parallel::trace::{Panel, Phase, Step};

use super::Shown;
use crate::ui::table::{Table, numbers, words};

/// Both tables; the first marks the step that was done last.
pub(super) fn view(shown: Shown) -> AnyView {
    (move || shown.run.with(|run| Some(view! { {steps(run, shown.step.get())} {ladder(run)} }.into_any()))).into_any()
}

fn held(list: &[Panel]) -> String {
    list.iter().map(|p| format!("{} ({})", p.name, p.holding())).collect::<Vec<_>>().join(", ")
}

fn steps(run: &Run, now: usize) -> AnyView {
    let ranks = run.params.drawn();
    let row = |(i, step): (usize, &Step)| {
        let phase = if step.phase == Phase::Forward { "forward" } else { "backward" };
        let sent = step.exchange.map_or_else(String::new, |e| number(e.sent(ranks)));
        view! {
            <tr aria-current=(i + 1 == now).then_some("step")>
                <th scope="row">{i + 1}</th>
                <td>{format!("{}, {phase}", step.part.label())}</td>
                <td>{step.title}</td>
                <td>{held(&step.inputs)}</td>
                <td>{held(&step.outputs)}</td>
                <td class="number">{sent}</td>
            </tr>
        }
    };
    view! {
        <Table
            caption=format!("The small model on {ranks} ranks, after step {now}")
            columns=[
                words("step"),
                words("where"),
                words("what"),
                words("from"),
                words("to"),
                numbers("numbers sent per rank"),
            ]
            rows=run.drawn.ranks.steps.iter().enumerate().map(row).collect_view().into_any()
        />
    }
    .into_any()
}

fn ladder(run: &Run) -> AnyView {
    let rows = run.ladder().into_iter().map(|r| {
        let time = |seconds| Unit::Seconds.format(seconds);
        view! {
            <tr>
                <th scope="row">{r.tp}</th>
                <td>{if r.across { "several" } else { "one" }}</td>
                <td class="number">{Unit::Bytes.format(r.cost.bytes)}</td>
                <td class="number">{time(r.cost.compute)}</td>
                <td class="number">{time(r.cost.communication)}</td>
                <td class="number">{time(r.cost.exposed)}</td>
                <td class="number">{Unit::Fraction.format(r.cost.share())}</td>
            </tr>
        }
    });
    view! {
        <Table
            caption=format!("One layer of {}, forward and backward", run.params.model.name())
            columns=[
                words("ranks"),
                words("nodes"),
                numbers("sent per rank"),
                numbers("arithmetic"),
                numbers("collectives"),
                numbers("waited for"),
                numbers("share waiting"),
            ]
            rows=rows.collect_view().into_any()
        />
    }
    .into_any()
}
