//! A run in which something is wrong: its signals, what can be done, what it costs, and what others did.

mod answer;
mod numbers;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::loss_detective::Params;
use ringside_drawing::charts::loss_detective as signals;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::chart;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    // Neither what it costs nor whether the cause is told changes the run.
    let plan = Memo::new(move |_| params.with(Params::plan));
    let story = Memo::new(move |_| plan.get().run());
    let controls = Controls::of(state).draw();
    let signal = move |signal: signals::Signal| {
        let drawn = Memo::new(move |_| params.with(|p| story.with(|s| signals::chart(p, s, signal))));
        let class = if signal == signals::Signal::Loss { "signal-chart first" } else { "signal-chart" };
        chart::view(class, drawn)
    };
    let all = Memo::new(move |_| params.with(|p| story.with(|s| p.quantities(s))));
    let below = view! {
        <div class="loss-detective">
            {answer::view(state)} {readings::view(&Params::ENTRY, all)} {answer::published(state)}
        </div>
    };
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || {
                params.with(|p| format!("run {} · {}", p.case.label(), p.done()))
            })
            finding=Signal::derive(move || params.with(|p| story.with(|s| p.finding(s))))
            controls
            below=Some(below.into_any())
            table=move || numbers::view(story)
        >
            <div class="loss-detective signals">{signals::Signal::ALL.map(signal).into_iter().collect_view()}</div>
        </ModelFigure>
    }
    .into_any()
}
