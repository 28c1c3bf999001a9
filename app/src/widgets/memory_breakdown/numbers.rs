//! The numbers behind the drawing, as tables: GB and GiB side by side.

use leptos::prelude::*;
use ringside_core::memory::{Breakdown, Mode, Row, StageRow};
use ringside_core::quantity::{bytes_binary, bytes_decimal, grouped, number};
use ringside_drawing::memory::stage_name;

use super::Shown;
use crate::deferred::lazy;
use crate::ui::table::{Table, numbers, words};

/// The tables of a result.
pub(super) type View = fn(Shown) -> AnyView;

lazy! {
    /// Downloads them: few look.
    memory_numbers: pub(super) fn load() -> View {
        view
    }
}

/// Rows of the table of pipeline stages: what is beyond is summed up in a sentence.
const MOST_STAGES: usize = 64;

/// Term by term for the chosen stage, the four stages of ZeRO, those of the pipeline, then where the GPU's memory is from.
fn view(shown: Shown) -> AnyView {
    let stage = move || shown.with(|b| stage_name(b.params.mode, b.params.zero)[0]);
    let total = move || shown.with(|b| b.total.0);
    let ids = move || shown.with(|b| b.rows.iter().map(|r| (r.id, r.of_experts)).collect::<Vec<_>>());
    let term = move |id: (&'static str, bool)| {
        // The cells follow the term; the row is made once.
        let look = move |look: fn(&Row) -> String| {
            move || shown.with(|b| b.rows.iter().find(|r| (r.id, r.of_experts) == id).map(look).unwrap_or_default())
        };
        view! {
            <tr>
                <th scope="row">{look(|r| r.label.clone())}</th>
                <td>{look(|r| r.formula.clone())}</td>
                <td class="number">{look(|r| bytes_decimal(r.bytes.0))}</td>
                <td class="number">{look(|r| bytes_binary(r.bytes.0))}</td>
            </tr>
        }
    };
    let stages = [0, 1, 2, 3].map(|stage| {
        let look = move |look: fn(&StageRow) -> String| {
            move || shown.with(|b| b.stages.get(usize::from(stage)).map(look).unwrap_or_default())
        };
        view! {
            <tr>
                <th scope="row">{stage_name(Mode::Training, stage)[0]}</th>
                <td class="number">{look(|s| bytes_decimal(s.parts.weights.0))}</td>
                <td class="number">{look(|s| bytes_decimal(s.parts.gradients.0))}</td>
                <td class="number">{look(|s| bytes_decimal(s.parts.optimizer.0))}</td>
                <td class="number">{look(|s| bytes_decimal(s.parts.activations.0))}</td>
                <td class="number">{look(|s| bytes_decimal(s.total.0))}</td>
                <td class="number">{look(|s| bytes_binary(s.total.0))}</td>
                <td>{look(|s| s.verdict.label().into())}</td>
                <td class="number">{look(|s| number(s.communication))}</td>
            </tr>
        }
    });
    let capacity = move || shown.with(|b| b.params.gpu.capacity());
    let source = move || shown.with(|b| (b.params.gpu.source.url, b.params.gpu.source.title));
    let rows = view! {
        <For each=ids key=|id| *id children=term />
        <tr class="sum">
            <th scope="row">"Total"</th>
            <td></td>
            <td class="number">{move || bytes_decimal(total())}</td>
            <td class="number">{move || bytes_binary(total())}</td>
        </tr>
    };
    view! {
        <Table
            caption=Signal::derive(move || format!("On each GPU with {}, term by term", stage()))
            columns=[words("Term"), words("Formula"), numbers("GB = 10⁹ bytes"), numbers("GiB = 2³⁰ bytes")]
            rows=rows.into_any()
        />
        <table class:nowhere=move || shown.with(|b| b.params.mode == Mode::Inference)>
            <caption>"The four stages of ZeRO. Communication: elements that a rank sends in a step, in parameters"</caption>
            <thead>
                <tr>
                    <th scope="col">"Stage"</th>
                    <th scope="col" class="number">"Weights"</th>
                    <th scope="col" class="number">"Gradients"</th>
                    <th scope="col" class="number">"Optimizer"</th>
                    <th scope="col" class="number">"Activations"</th>
                    <th scope="col" class="number">"Total"</th>
                    <th scope="col" class="number">"in GiB"</th>
                    <th scope="col">"Fits"</th>
                    <th scope="col" class="number">"Communication"</th>
                </tr>
            </thead>
            <tbody>{stages.into_iter().collect_view()}</tbody>
        </table>
        <Show when=move || shown.with(|b| b.pipeline.len() > 1)>{pipeline(shown)}</Show>
        <p class="fine">
            {capacity} " Data sheet: "
            <a href=move || source().0 target="_blank" rel="noopener">{move || source().1}</a>
            "."
        </p>
    }
    .into_any()
}

fn pipeline(shown: Shown) -> AnyView {
    let stages = move || 0..shown.with(|b| b.pipeline.len().min(MOST_STAGES));
    let row = move |i: usize| {
        let look =
            move |look: fn(&Breakdown, usize) -> Option<String>| move || shown.with(|b| look(b, i).unwrap_or_default());
        view! {
            <tr>
                <th scope="row">{grouped(i as u64 + 1)}</th>
                <td class="number">{look(|b, i| Some(grouped(b.pipeline.get(i)?.stage.layers)))}</td>
                <td class="number">{look(|b, i| Some(number(b.pipeline.get(i)?.stage.in_flight)))}</td>
                <td class="number">{look(|b, i| Some(bytes_decimal(b.pipeline.get(i)?.parts.states().0)))}</td>
                <td class="number">{look(|b, i| Some(bytes_decimal(b.pipeline.get(i)?.parts.activations.0)))}</td>
                <td class="number">{look(|b, i| Some(bytes_decimal(b.pipeline.get(i)?.parts.kv_cache.0)))}</td>
                <td class="number">{look(|b, i| Some(bytes_decimal(b.pipeline.get(i)?.parts.total().0)))}</td>
            </tr>
        }
    };
    let rest = move || {
        let more = shown.with(|b| b.pipeline.len().saturating_sub(MOST_STAGES));
        (more > 0).then(|| format!("{} more stages are not listed.", grouped(more as u64)))
    };
    let rows = view! { <For each=stages key=|i| *i children=row /> };
    view! {
        <Table
            caption="Each stage of the pipeline"
            columns=[
                words("Stage"),
                numbers("Layers"),
                numbers("In flight"),
                numbers("Model states"),
                numbers("Activations"),
                numbers("KV cache"),
                numbers("Total"),
            ]
            rows=rows.into_any()
        />
        <p class="fine">{rest}</p>
    }
    .into_any()
}
