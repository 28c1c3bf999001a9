//! How many GPUs so many users need: the time of a token over the throughput of a GPU, and the plan's place in it.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::serving::dynamo;
use ringside_core::serving::sizing::{Params, Plan, Size};
use ringside_drawing::charts::serving_planner;

use super::controls::Controls;
use super::export::listing;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::outcome::Shown;
use super::{Module, Props, serving_command};
use crate::ui;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let input = ModelInput::serving(state);
    let shown = Shown::new(params, Params::evaluate, |_| Params::standard());
    let subtitle = Signal::derive(move || {
        params.with(|p| format!("{} on {}, {}", p.machine.name(), p.machine.gpu.name, p.machine.quant.label()))
    });
    let command = (!props.compact).then(|| {
        serving_command::view(
            move |server| {
                params
                    .with(|p| shown.with(|plan| Some(p.serve(plan, server).write(server))))
                    .unwrap_or_else(|| Ok(String::new()))
            },
            move |read| {
                let mut left = Vec::new();
                state.update(|p| left = p.take(read));
                left
            },
            Signal::derive(move || params.with(|p| p.machine.quant)),
        )
    });
    let manifest = (!props.compact).then(|| {
        let written = Memo::new(move |_| {
            params
                .with(|p| shown.with(|plan| Some(dynamo::manifest(p, plan))))
                .unwrap_or_else(|| Ok(String::new()))
        });
        view! {
            <details class="export">
                <summary>"Kubernetes manifest with separate pools (Dynamo)"</summary>
                {listing(().into_any(), written, "The manifest as text")}
                <p>{move || params.with(|p| shown.with(|plan| p.pools(plan).ok().map(|pools| p.pooled(plan, &pools))))}</p>
                <p class="fine">
                    "One pool computes prompts, the other decodes, and the router sends a request to both. Pool sizes follow from the same model "
                    "as the plan, without queues. The time to send a cache from one pool to the other isn’t counted."
                </p>
            </details>
        }
    });
    let chart = Memo::new(move |_| {
        params.with(|p| shown.with(|plan| Some(serving_planner::chart(p, plan)))).unwrap_or_default()
    });
    view! {
        <ModelFigure
            props
            state
            input
            subtitle
            finding=Signal::derive(move || params.with(|p| shown.with(|plan| p.finding(plan))))
            controls=Controls::of(state).special("model", input.choose_any()).draw()
            below=Some(view! { {shown.readings(params)} {input.panel()} {command} {manifest} }.into_any())
            table=move || table(shown)
        >
            {shown.frame(ui::chart::view("planner-chart", chart))}
        </ModelFigure>
    }
    .into_any()
}

/// Every size of a replica.
fn table(shown: Shown<Plan>) -> AnyView {
    let rows = move || {
        shown.with(|plan| {
            let row = |size: &Size| {
                let gpus = size.gpus().map_or_else(|| "not possible".to_owned(), grouped);
                let limit = match (size.most, size.is_full()) {
                    (None, _) => "too slow for one user",
                    (Some(_), true) => "the cache",
                    (Some(_), false) => "the promise",
                };
                view! {
                    <tr>
                        <th scope="row">{grouped(size.replica())}</th>
                        <td class="number">{grouped(size.fit)}</td>
                        <td class="number">{size.most.map_or_else(String::new, |most| grouped(most.batch))}</td>
                        <td>{limit}</td>
                        <td class="number">{gpus}</td>
                        <td class="number">{Unit::Seconds.format(size.share.token)}</td>
                        <td class="number">{number(size.share.per_gpu)}</td>
                    </tr>
                }
            };
            Some(plan.sizes.iter().map(row).collect_view())
        })
    };
    view! {
        <Table
            columns=[
                words("GPUs per replica"),
                numbers("Users that fit"),
                numbers("Most users"),
                words("Limited by"),
                numbers("Total GPUs"),
                numbers("Time per token"),
                numbers("Tokens/s per GPU"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
