//! A warp's 32 addresses: the sectors that they touch in global memory, the banks that they meet in shared memory, and what the
//! pattern costs on the learner's GPU.

mod banks;
mod numbers;
mod sectors;
mod timed;

use leptos::prelude::*;
use ringside_core::coalescing::{Cost, Params, STEPS, View, Width, measured};
use ringside_core::declare::Model as _;

use super::controls::Controls;
use super::kernels::{Runner, kept};
use super::model_figure::ModelFigure;
use super::outcome::Shown;
use super::{Module, Props};
use crate::ui;
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// How it is played.
const PACE: Pace = Pace { whole: 14_000.0, longest: 900.0, shortest: 150.0 };

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let runner = Runner::new();
    let whole = Memo::new(move |_| params.with(|p| Params { step: STEPS, ..*p }));
    let shown = Shown::new(whole, Params::cost, |p| Params { width: Width::Four, ..*p });
    let controls = Controls::of(state);
    let steps = Signal::derive(move || whole.with(|p| p.steps() as usize));
    let step = Memo::new(move |_| params.with(|p| p.step as usize).min(steps.get()));
    let set = move |to: usize| {
        state.update(|p| p.step = if to == steps.get_untracked() { STEPS } else { to as u64 });
    };
    let place = Signal::derive(move || {
        let what = if params.with(|p| p.view == View::Global) { "Lane" } else { "Pass" };
        format!("{what} {} of {}", step.get(), steps.get())
    });
    let drawing = view! {
        <div class="coalescing">
            {move || match params.with(|p| p.view) {
                View::Global => sectors::view(params, step),
                View::Shared => banks::view(params, shown, step),
            }}
        </div>
    };
    let below = view! {
        <div class="coalescing">
            {timed::view(params, runner)}
            {quantities(params, shown)}
            {(!props.compact).then(|| kept::view(runner, &[measured::FAMILY]))}
        </div>
    };
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || params.with(Params::subtitle))
            finding=Signal::derive(move || params.with(Params::finding) + &timed::finding(params, runner))
            controls=controls.draw()
            transport=view! { <Transport steps step set playback=PACE.of(steps) place alone=props.alone /> }.into_any()
            below=Some(below.into_any())
            table=move || numbers::view(params)
        >
            {shown.frame(drawing.into_any())}
        </ModelFigure>
    }
    .into_any()
}

fn quantities(params: Memo<Params>, shown: Shown<Cost>) -> impl IntoView {
    shown.readings(params)
}
