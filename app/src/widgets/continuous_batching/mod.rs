//! Requests come, a scheduler fills steps with them: slots over time, and the rate at which the promise breaks.

mod picture;
mod requests;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::number;
use ringside_core::serving::figure::{Params, View};
use ringside_drawing::charts::continuous_batching as charts;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::outcome::Shown;
use super::{Module, Props, played, serving_command};
use crate::ui;
use crate::ui::markup::renewed;
use crate::ui::state::State;
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// How fast it is played.
const PACE: Pace = Pace { whole: 16_000.0, longest: 700.0, shortest: 30.0 };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let input = ModelInput::serving(state);
    // Only what the schedule depends on: a step back and forth schedules nothing anew.
    let still = played::whole(params);
    let shown = Shown::new(still, Params::evaluate, |p| Params { view: p.view, ..Params::standard() });
    let show = Memo::new(move |_| params.with(|p| p.view));
    let is_schedule = move || show.get() == View::Schedule;
    let steps = Signal::derive(move || shown.with(|s| s.schedule.steps.len()));
    let step = Signal::derive(move || params.with(|p| shown.with(|s| p.at(s))));
    let set = played::set(state);
    let playback = PACE.of(steps);
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let load = if p.trace.0.is_empty() {
                format!("{} per second", number(p.rate))
            } else {
                "your own requests".to_owned()
            };
            format!("{}, {load}", p.machine.words())
        })
    });
    let controls = Controls::of(state).special("model", input.choose_any()).draw();
    let caption = move || params.with(|p| shown.with(|s| p.caption(s)));
    let figure = move || match show.get() {
        View::Schedule => {
            let place = NodeRef::new();
            let room = ui::picture::room(place);
            let drawing = move || {
                let room = room.get();
                room.map(|room| params.with(|p| shown.with(|s| picture::picture(p, s, room)))).unwrap_or_default()
            };
            view! {
                <div
                    class="batching"
                    tabindex="0"
                    role="group"
                    aria-label="Slots over time"
                    node_ref=place
                    use:renewed=drawing
                ></div>
                <p class="batching-step">{caption}</p>
            }
            .into_any()
        }
        View::Goodput | View::Latency => {
            let chart =
                Memo::new(move |_| still.with(|p| shown.with(|s| Some(charts::chart(p, s)))).unwrap_or_default());
            ui::chart::view("batching-chart", chart)
        }
    };
    let command = (!props.compact).then(|| {
        serving_command::view(
            move |server| params.with(|p| p.serve(server).write(server)),
            move |read| {
                let mut left = Vec::new();
                state.update(|p| left = p.take(read));
                left
            },
            Signal::derive(move || params.with(|p| p.machine.quant)),
        )
    });
    let below = view! {
        {shown.readings(params)}
        {(!props.compact).then(|| requests::own(state, shown))}
        {input.panel()}
        {command}
    };
    view! {
        <ModelFigure
            props
            state
            input
            subtitle
            finding=Signal::derive(move || still.with(|p| shown.with(|s| p.finding(s))))
            controls
            transport=view! {
                <div class="bare" class:nowhere=move || !is_schedule()>
                    <Transport steps step set playback alone=props.alone />
                </div>
            }
                .into_any()
            below=Some(below.into_any())
            table=move || requests::table(still, shown)
        >
            {move || is_schedule().then(legend)}
            {shown.frame(figure.into_any())}
        </ModelFigure>
    }
    .into_any()
}

fn legend() -> AnyView {
    view! {
        <ul class="legend batching-legend">
            <li><i class="swatch prefill" aria-hidden="true"></i>"prompt"</li>
            <li><i class="swatch decode" aria-hidden="true"></i>"tokens"</li>
            <li><i class="swatch stalled" aria-hidden="true"></i>"waits for others’ prompts"</li>
            <li><i class="swatch padding" aria-hidden="true"></i>"ended, slot kept"</li>
        </ul>
    }
    .into_any()
}
