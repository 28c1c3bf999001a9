//! Every request with what became of it, and requests of one's own.

use leptos::prelude::*;
use ringside_core::quantity::{Unit, grouped};
use ringside_core::serving::figure::{ALL_STEPS, Params, Shown as Served};
use ringside_core::serving::requests::Trace;

use crate::ui::lined::Lined;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::widgets::outcome::Shown;

/// Every request.
pub(super) fn table(params: Memo<Params>, shown: Shown<Served>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            shown.with(|s| {
                let row = |(i, (request, outcome)): (usize, (&_, &ringside_core::serving::simulate::Outcome))| {
                    let request: &ringside_core::serving::requests::Request = request;
                    let kept = if outcome.keeps(request, p.slo()) { "kept" } else { "broken" };
                    view! {
                        <tr>
                            <th scope="row">{grouped(i as u64 + 1)}</th>
                            <td class="number">{Unit::Seconds.format(request.arrival)}</td>
                            <td class="number">{grouped(request.prompt)}</td>
                            <td class="number">{grouped(request.output)}</td>
                            <td class="number">{Unit::Seconds.format(outcome.first(request))}</td>
                            <td class="number">{Unit::Seconds.format(outcome.per_token())}</td>
                            <td class="number">{outcome.preempted}</td>
                            <td>{kept}</td>
                        </tr>
                    }
                };
                let s = &s.schedule;
                Some(s.requests.iter().zip(&s.outcomes).enumerate().map(row).collect_view())
            })
        })
    };
    view! {
        <Table
            scroll="Every request"
            caption="Every request"
            columns=[
                words("Request"),
                numbers("comes"),
                numbers("prompt"),
                numbers("answer"),
                numbers("first token after"),
                numbers("each next"),
                numbers("preempted"),
                words("promise"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}

/// Requests of one's own, typed or pasted.
pub(super) fn own(state: State<Params>, shown: Shown<Served>) -> AnyView {
    let text = Signal::derive(move || state.params().with(|p| p.trace.0.clone()));
    let set = move |text: String| {
        state.update(|p| {
            p.trace = Trace(text.trim().to_owned());
            p.step = ALL_STEPS;
        });
    };
    let remarks = Memo::new(move |_| shown.with(|s| s.wrong.iter().map(|w| (w.line, w.why.clone())).collect()));
    view! {
        <details class="fold batching-own" open=move || state.params().with(|p| !p.trace.0.is_empty())>
            <summary>"Your own requests"</summary>
            <Lined
                label="A line for each request, in tokens: prompt answer, or seconds prompt answer; rows of Azure’s LLM inference traces as they are"
                text
                set
                remarks
            />
            <div class="batching-examples">
                <button type="button" class="quiet" on:click=move |_| set(LENGTHS.to_owned())>"Lengths"</button>
                <button type="button" class="quiet" on:click=move |_| set(AZURE.to_owned())>"Azure’s form"</button>
                <button type="button" class="quiet" on:click=move |_| set(String::new())>"Clear"</button>
            </div>
        </details>
    }
    .into_any()
}

const LENGTHS: &str = "512 64\n512 64\n128 200\n3000 16\n64 32\n800 120";
const AZURE: &str = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.98,4808,10\n2023-11-16 18:17:04.03,3180,8\n2023-11-16 \
                     18:17:04.08,110,27\n2023-11-16 18:17:04.12,7433,14\n2023-11-16 18:17:04.20,34,12";
