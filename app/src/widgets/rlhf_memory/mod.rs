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
use super::{Module, Props, played, readings};
use crate::ui;
use crate::ui::markup::renewed;
use crate::ui::presets::Preset;
use crate::ui::state::State;
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// Why each of them exists.
const STATES: [Preset; 7] = [
    ("PPO, four alike", "method=ppo&tune=full&critic-tune=full&placement=hybrid&reference=gpu"),
    ("through adapters", "method=ppo&tune=lora&critic-tune=lora&placement=hybrid&reference=none"),
    ("GRPO, scored by a rule", "method=grpo&tune=full&placement=hybrid&reward-at=none&reference=gpu"),
    ("swapped", "method=ppo&tune=full&critic-tune=full&placement=swapped&reference=gpu"),
    ("apart", "method=ppo&tune=full&critic-tune=full&placement=apart&gpus=16&gen-gpus=8&reference=gpu"),
    ("at once, a step old", "method=ppo&tune=full&critic-tune=full&placement=async&gpus=16&gen-gpus=8&reference=gpu"),
    ("DPO", "method=dpo&tune=full&reference=gpu"),
];

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
    let quantities = Memo::new(move |_| still.with(|p| shown.with(|s: &Step| p.quantities(s))));
    let picture = move || still.with(|p| shown.with(|s| picture::picture(p, s, params.with(|p| p.step) as usize)));
    let below = view! {
        {readings::view(&Params::ENTRY, quantities)}
        {input.panel()}
    };
    let figure = view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || params.with(subtitle))
            finding=Signal::derive(move || still.with(|p| shown.with(|s| p.finding(s))))
            notes="States and activations as in chapters 03 and 04, with FlashAttention. A critic and a reward model have one number in place of \
                   logits. Times are FLOPs and bytes over the given part of the GPU’s peaks; messages inside a phase are left out, and every \
                   answer is as long as the longest, so a real step takes longer. What comes from host memory comes over PCIe 5."
                .to_owned()
            presets=ui::presets::partial(state, "States", STATES)
            controls
            transport=view! { <Transport steps step set playback place alone=props.alone /> }.into_any()
            below=Some(below.into_any())
            table=move || numbers::view(shown)
        >
            {shown.frame(view! { <div class="rlhf" use:renewed=picture></div> }.into_any())}
        </ModelFigure>
    };
    input.drop_zone(figure.into_any())
}

fn subtitle(p: &Params) -> String {
    let (method, gpus) = (p.method.label(), grouped(p.gpus));
    format!("{method}, {} {}, {gpus} × {}", p.model.name(), p.tune.label(), p.gpu.name)
}
