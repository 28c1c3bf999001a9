//! A cluster drawn node by node, and the decisions of its scheduler, event by event.

mod jobs;
mod picture;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::counted;
use ringside_core::scheduler::Params;
use wasm_bindgen::JsCast as _;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::markup::renewed;
use crate::ui::state::State;
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// How fast it is played.
const PACE: Pace = Pace { whole: 14_000.0, longest: 900.0, shortest: 120.0 };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    // Only what the schedule depends on: a step back and forth schedules nothing anew.
    let still = Memo::new(move |_| params.with(|p| Params { step: 0, job: 0, node: 1, ..p.clone() }));
    let campaign = Memo::new(move |_| still.with(Params::campaign));
    let steps = Signal::derive(move || campaign.with(|c| c.schedule.steps.len()));
    let step = Signal::derive(move || params.with(|p| campaign.with(|c| p.shown(c))));
    let set = move |to: usize| state.update(|p| p.step = to as u64);
    let playback = PACE.of(steps);
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let own = if p.jobs.0.is_empty() { p.trace.label() } else { "your own jobs" };
            format!("{} of {}, {own}", counted(p.nodes, "node", "nodes"), counted(p.gpus, "GPU", "GPUs"))
        })
    });
    let quantities = Memo::new(move |_| params.with(|p| campaign.with(|c| p.quantities(c))));
    let controls = Controls::of(state).draw();
    let place = NodeRef::new();
    let room = ui::picture::room(place);
    let drawing = move || {
        room.get().map(|room| params.with(|p| campaign.with(|c| picture::picture(p, c, room)))).unwrap_or_default()
    };
    let caption = move || params.with(|p| campaign.with(|c| p.caption(c)));
    // The job that was pressed is looked at; pressed again, or beside any, none is.
    let press = move |event: leptos::ev::MouseEvent| {
        let target = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        let number = target.and_then(|t| t.get_attribute("data-job")).and_then(|text| text.parse().ok()).unwrap_or(0);
        if params.with_untracked(|p| p.job != number || number > 0) {
            state.update(|p| p.job = if p.job == number { 0 } else { number });
        }
    };
    let below = view! {
        {readings::view(&Params::ENTRY, quantities)}
        {(!props.compact).then(|| view! { {jobs::table(state, campaign)} {jobs::own(state, campaign)} })}
    };
    view! {
        <ModelFigure
            props
            state
            subtitle
            finding=Signal::derive(move || still.with(|p| campaign.with(|c| p.finding(c))))
            controls
            transport=view! { <Transport steps step set playback alone=props.alone /> }.into_any()
            below=Some(below.into_any())
            table=move || jobs::table(state, campaign)
        >
            {jobs::legend(campaign)}
            <div
                class="cluster"
                tabindex="0"
                role="group"
                aria-label="The cluster"
                node_ref=place
                on:click=press
                use:renewed=drawing
            ></div>
            {jobs::queue(params, campaign)}
            <p class="cluster-step" data-answer="">{caption}</p>
        </ModelFigure>
    }
    .into_any()
}
