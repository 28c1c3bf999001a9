//! The steps, and the costs by the number of ranks, as tables.

use leptos::prelude::*;
use ringside_core::quantity::{Unit, number};
use ringside_core::tensor_parallel::Run;
use ringside_core::tensor_parallel::trace::{Panel, Phase, Step};

use super::Shown;

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
        <table>
            <caption>{format!("The small model on {ranks} ranks, after step {now}")}</caption>
            <thead>
                <tr>
                    <th scope="col">"step"</th>
                    <th scope="col">"where"</th>
                    <th scope="col">"what"</th>
                    <th scope="col">"from"</th>
                    <th scope="col">"to"</th>
                    <th scope="col" class="number">"numbers sent by a rank"</th>
                </tr>
            </thead>
            <tbody>{run.drawn.ranks.steps.iter().enumerate().map(row).collect_view()}</tbody>
        </table>
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
        <table>
            <caption>{format!("One layer of {}, forward and backward", run.params.model.name())}</caption>
            <thead>
                <tr>
                    <th scope="col">"ranks"</th>
                    <th scope="col">"nodes"</th>
                    <th scope="col" class="number">"sent by a rank"</th>
                    <th scope="col" class="number">"arithmetic"</th>
                    <th scope="col" class="number">"collectives"</th>
                    <th scope="col" class="number">"waited for"</th>
                    <th scope="col" class="number">"share waiting"</th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
    .into_any()
}
