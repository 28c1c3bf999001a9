//! The numbers behind the drawing, as tables: GB and GiB side by side.

use leptos::prelude::*;
use ringside_core::quantity::{bytes_binary, bytes_decimal, number};

use super::{Shown, stage_name};

/// Term by term for the chosen stage, then the four stages, then where the GPU's memory is from.
pub(super) fn view(shown: Shown) -> AnyView {
    let stage = move || shown.with(|b| stage_name(b.params.zero).0);
    let total = move || shown.with(|b| b.total.0);
    let ids = move || shown.with(|b| b.rows.iter().map(|r| r.term.id).collect::<Vec<_>>());
    let term = move |id: &'static str| {
        // The cells follow the term; the row is made once.
        let look = move |look: fn(&ringside_core::memory::Row) -> String| {
            move || shown.with(|b| b.rows.iter().find(|r| r.term.id == id).map(look).unwrap_or_default())
        };
        view! {
            <tr>
                <th scope="row">{look(|r| r.term.label.to_owned())}</th>
                <td>{look(|r| r.formula.clone())}</td>
                <td class="number">{look(|r| bytes_decimal(r.bytes.0))}</td>
                <td class="number">{look(|r| bytes_binary(r.bytes.0))}</td>
            </tr>
        }
    };
    let stages = [0, 1, 2, 3].map(|stage| {
        let look = move |look: fn(&ringside_core::memory::StageRow) -> String| {
            move || shown.with(|b| b.stages.get(usize::from(stage)).map(look).unwrap_or_default())
        };
        view! {
            <tr>
                <th scope="row">{stage_name(stage).0}</th>
                <td class="number">{look(|s| bytes_decimal(s.weights.0))}</td>
                <td class="number">{look(|s| bytes_decimal(s.gradients.0))}</td>
                <td class="number">{look(|s| bytes_decimal(s.optimizer.0))}</td>
                <td class="number">{look(|s| bytes_decimal(s.total.0))}</td>
                <td class="number">{look(|s| bytes_binary(s.total.0))}</td>
                <td>{look(|s| if s.fits { "fits".into() } else { "does not fit".into() })}</td>
                <td class="number">{look(|s| number(s.communication))}</td>
            </tr>
        }
    });
    let capacity = move || {
        shown.with(|b| {
            let sold = b.capacity.0;
            format!("{}: {} as sold, which is {}", b.params.gpu.name, bytes_decimal(sold), bytes_binary(sold))
        })
    };
    let reported =
        move || shown.with(|b| b.params.gpu.reported.map(|r| format!("; its driver reports {}", bytes_binary(r.0))));
    let source = move || shown.with(|b| (b.params.gpu.source.url, b.params.gpu.source.title));
    view! {
        <table>
            <caption>"On each GPU with " {stage} ", term by term"</caption>
            <thead>
                <tr>
                    <th scope="col">"Term"</th>
                    <th scope="col">"Formula"</th>
                    <th scope="col" class="number">"GB = 10⁹ bytes"</th>
                    <th scope="col" class="number">"GiB = 2³⁰ bytes"</th>
                </tr>
            </thead>
            <tbody>
                <For each=ids key=|id| *id children=term />
                <tr class="sum">
                    <th scope="row">"Total"</th>
                    <td></td>
                    <td class="number">{move || bytes_decimal(total())}</td>
                    <td class="number">{move || bytes_binary(total())}</td>
                </tr>
            </tbody>
        </table>
        <table>
            <caption>"The four stages. Communication: elements that a rank sends in a step, in parameters"</caption>
            <thead>
                <tr>
                    <th scope="col">"Stage"</th>
                    <th scope="col" class="number">"Weights"</th>
                    <th scope="col" class="number">"Gradients"</th>
                    <th scope="col" class="number">"Optimizer"</th>
                    <th scope="col" class="number">"Total"</th>
                    <th scope="col" class="number">"in GiB"</th>
                    <th scope="col">"Fits"</th>
                    <th scope="col" class="number">"Communication"</th>
                </tr>
            </thead>
            <tbody>{stages.into_iter().collect_view()}</tbody>
        </table>
        <p class="fine">
            {capacity} {reported} ". Source: "
            <a href=move || source().0 target="_blank" rel="noopener">{move || source().1}</a>
            "."
        </p>
    }
    .into_any()
}
