//! A tiny transformer in few bits: its loss beside that of fp32, what each operation lost, its gradients under the loss scale,
//! and the scaler step by step.

mod numbers;
mod operations;
mod scaler;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::loss_scaling::{Params, Shown, View};
use ringside_drawing::chart::Chart;
use ringside_drawing::charts::loss_scaling;

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
    // Neither what is shown of a run nor the step that is looked at changes it.
    let whole = Memo::new(move |_| Params { view: View::Train, step: 1, ..params.get() });
    let shown = Memo::new(move |_| whole.get().shown());
    let show = Memo::new(move |_| params.with(|p| p.view));

    let controls = Controls::of(state).draw();

    let subtitle = Signal::derive(move || {
        params.with(|p| match p.view {
            View::Scaler => format!("{} steps", p.overflows.0.len()),
            _ => format!("{} · loss scaling: {}", p.compute.label(), p.scaling.label()),
        })
    });
    let of = move |chart: fn(&Params, &Shown) -> Chart| {
        chart::view("loss-chart", Memo::new(move |_| params.with(|p| shown.with(|s| chart(p, s)))))
    };
    let drawing = move || match show.get() {
        View::Train => of(loss_scaling::run),
        View::Gradients => of(loss_scaling::gradients),
        View::Scaler => view! {
            {of(loss_scaling::scaler)}
            {scaler::view(state)}
        }
        .into_any(),
    };
    let below = view! {
        <div class="loss-scaling">
            <div class:nowhere=move || show.get() == View::Scaler>{operations::step(state, shown)}</div>
            <div class:nowhere=move || show.get() != View::Train>{operations::view(params, shown)}</div>
            {quantities(params, shown)}
        </div>
    }
    .into_any();
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding=Signal::derive(move || params.with(|p| shown.with(|s| p.finding(s))))
            controls
            below=Some(below)
            table=move || numbers::view(shown)
        >
            <div class="loss-scaling">
                {drawing}
            </div>
        </ModelFigure>
    }
    .into_any()
}

fn quantities(params: Memo<Params>, shown: Memo<Shown>) -> AnyView {
    let all = Memo::new(move |_| params.with(|p| shown.with(|s| p.quantities(s))));
    readings::view(&Params::ENTRY, all)
}
