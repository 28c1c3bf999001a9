//! A cluster through weeks of failures: its time as strips, where it went, and what the checkpoint interval does to it.

mod causes;
mod log;
mod numbers;
mod weeks;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::failure::{Failures, Outcome, View};
use ringside_core::quantity::{Unit, counted, place};
use ringside_drawing::charts::failure_campaign as charts;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::outcome::Shown;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Failures::ENTRY };

type State = ui::state::State<Failures>;

/// How fast it is played.
const PACE: Pace = Pace { whole: 20_000.0, longest: 900.0, shortest: 40.0 };

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    // The event that is looked at changes nothing of the campaign.
    let still = Memo::new(move |_| params.with(|p| Failures { event: 0, ..p.clone() }));
    let shown = Shown::new(still, Failures::outcome, |p| Failures { days: 1, ..p.clone() });
    let show = Memo::new(move |_| params.with(|p| p.view));
    let is_campaign = move || show.get() == View::Campaign;

    let steps = Signal::derive(move || shown.with(|o: &Outcome| o.campaign.events.len()));
    // All of it is on show until somebody steps.
    let step = Signal::derive(move || match params.with(|p| p.event) as usize {
        0 => steps.get(),
        event => event.min(steps.get()),
    });
    let set = move |to: usize| state.update(|p| p.event = to.max(1) as u64);
    let place = Signal::derive(move || place("Event", step.get(), steps.get()));
    let playback = PACE.of(steps);

    let controls = Controls::of(state).draw();
    let quantities = Memo::new(move |_| still.with(|p| shown.with(|o| p.quantities(o))));
    let drawing = move || match show.get() {
        View::Campaign => weeks::view(params, shown, step),
        View::Interval | View::Target | View::Size | View::Storage => {
            let chart =
                Memo::new(move |_| still.with(|p| shown.with(|o| Some(charts::chart(p, o)))).unwrap_or_default());
            ui::chart::view("failure-chart", chart)
        }
    };
    let by_size =
        Memo::new(move |_| still.with(|p| shown.with(|o| Some(charts::useful_by_size(p, o)))).unwrap_or_default());
    let below = view! {
        <div class="failures">
            {move || (show.get() == View::Size).then(|| ui::chart::view("failure-chart", by_size))}
            {move || (show.get() == View::Size).then(|| causes::view(still))}
            {readings::view(&Failures::ENTRY, quantities)}
            {log::view(state)}
        </div>
    };
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || {
                params.with(|p| {
                    let gpus = counted(p.gpus, "GPU", "GPUs");
                    format!("{gpus}, {} checkpoints every {}", p.save.label(), Unit::Seconds.format(p.interval))
                })
            })
            finding=Signal::derive(move || still.with(|p| shown.with(|o| p.finding(o))))
            controls
            transport=view! {
                <div class="bare" class:nowhere=move || !is_campaign()>
                    <Transport steps step set playback place alone=props.alone />
                </div>
            }
                .into_any()
            below=Some(below.into_any())
            table=move || numbers::view(still, shown)
        >
            {shown.frame(drawing.into_any())}
        </ModelFigure>
    }
    .into_any()
}
