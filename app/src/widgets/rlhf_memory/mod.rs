//! What every model of a job holds in every phase of a step, and how long the phases are.

mod numbers;
mod picture;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::post_training::memory::{Params, Placement, Step};
use ringside_core::quantity::grouped;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::outcome::Shown;
use super::{Module, Props, played};
use crate::ui::markup::renewed;
use crate::ui::state::State;
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// How fast it is played.
const PACE: Pace = Pace { whole: 12_000.0, longest: 1_800.0, shortest: 700.0 };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    // The phase that is looked at changes nothing of the step.
    let still = played::whole(params);
    let plain = |p: &Params| Params { tp: 1, gen_tp: 1, placement: Placement::Hybrid, ..*p };
    let shown = Shown::new(still, Params::evaluate, plain);
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));

    let steps = Signal::derive(move || shown.with(|s: &Step| s.phases.len()));
    // All of it is on show until somebody steps.
    let step = Signal::derive(move || match params.with(|p| p.step) as usize {
        0 => steps.get(),
        step => step.min(steps.get()),
    });
    let set = move |to: usize| state.update(|p| p.step = to.max(1) as u64);
    let place = Signal::derive(move || {
        shown.with(|s: &Step| {
            let at = step.get();
            let work = at.checked_sub(1).and_then(|i| s.phases.get(i)).map_or("", |phase| phase.work.label());
            format!("{at} of {}: {work}", s.phases.len())
        })
    });
    let playback = PACE.of(steps);
    let size = Signal::derive(move || params.with(|p| p.model.size().map_or(0.0, |size| size.params)));
    let controls = Controls::of(state).special("model", input.select(size, None)).draw();
    let picture = move || still.with(|p| shown.with(|s| picture::picture(p, s, params.with(|p| p.step) as usize)));
    let below = view! {
        {shown.readings(still)}
        {input.panel()}
    };
    view! {
        <ModelFigure
            props
            state
            input
            subtitle=Signal::derive(move || params.with(subtitle))
            finding=Signal::derive(move || still.with(|p| shown.with(|s| p.finding(s))))
            controls
            transport=view! { <Transport steps step set playback place alone=props.alone /> }.into_any()
            below=Some(below.into_any())
            table=move || numbers::view(shown)
        >
            {shown.frame(view! { <div class="rlhf" use:renewed=picture></div> }.into_any())}
        </ModelFigure>
    }
    .into_any()
}

fn subtitle(p: &Params) -> String {
    let (method, gpus) = (p.method.label(), grouped(p.gpus));
    format!("{method}, {} {}, {gpus} × {}", p.model.name(), p.tune.label(), p.gpu.name)
}
