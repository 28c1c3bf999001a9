//! The controls: a job, and a pin for each axis.

use leptos::prelude::*;
use ringside_core::hardware::links::{BETWEEN, INSIDE};
use ringside_core::memory::activations::Recompute;
use ringside_core::planner::{ENTRY, Params};
use ringside_core::quantity::grouped;

use super::{Shown, State};
use crate::ui::presets::{Preset, presets};
use crate::ui::segmented::Segmented;
use crate::ui::slider::{Scale, Slider};
use crate::widgets::fields::Fields;
use crate::widgets::model_input::ModelInput;
use crate::widgets::param;

/// Jobs worth looking at: what each is called, and what is not the default.
const PRESETS: &[Preset] = &[
    ("GPT-3 on 1024 A100", ""),
    ("Everything free", "tp=0&cp=1&mbs=0&zero=any"),
    (
        "Llama 3 405B on 16,384 H100",
        "model=llama-3.1-405b&gpu=h100-80&nodes=2048&link=nvlink4&net=ndr&seq=8192&batch=2048&tp=0&mbs=1&zero=any",
    ),
    (
        "405B at 131,072 tokens",
        "model=llama-3.1-405b&gpu=h100-80&nodes=2048&link=nvlink4&net=ndr&seq=131072&batch=128&tp=8&cp=0&mbs=1",
    ),
    (
        "DeepSeek-V3 on 2048 H100",
        "model=deepseek-v3&gpu=h100-80&nodes=256&link=nvlink4&net=ndr&seq=4096&batch=15360&tp=1&ep=0&mbs=1",
    ),
    (
        "Llama 3 8B on one node",
        "model=llama-3-8b&gpu=h100-80&nodes=1&link=nvlink4&net=ndr&seq=8192&batch=64&tp=0&mbs=0&zero=any",
    ),
];

pub(super) fn view(shown: Shown, input: ModelInput, compact: bool) -> AnyView {
    let state = shown.state;
    let exactly = Signal::derive(move || state.params().with(|p| p.model.size().map_or(0.0, |size| size.params)));
    let fields = Fields::new(state, &ENTRY);
    let presets = presets(state, "Examples", PRESETS.iter().copied(), Clone::clone);
    let pins = view! {
        <fieldset class="bare planner-pins">
            <legend>"Pin an axis, or leave it free"</legend>
            <div class="control-grid">
                {pin(state, "tp", "Tensor", |p| &mut p.pins.tp)} {pin(state, "cp", "Context", |p| &mut p.pins.cp)}
                {pin(state, "ep", "Expert", |p| &mut p.pins.ep)} {pin(state, "pp", "Pipeline", |p| &mut p.pins.pp)}
                {pin(state, "vpp", "Chunks of a stage", |p| &mut p.pins.chunks)}
                {pin(state, "mbs", "Micro-batch", |p| &mut p.pins.mbs)}
            </div>
            <div class="control-row">{zero(state)} {recompute(state)} {free(state)}</div>
        </fieldset>
    };
    if compact {
        return view! { {presets} {pins} }.into_any();
    }
    view! {
        {presets}
        <div class="control-row">
            {input.select(exactly, None)} {fields.gpu_and_links(|p| &mut p.cluster.gpu, |p| &mut p.cluster.link, |p| &mut p.cluster.net)}
            {fields.link("link", "Inside a node", INSIDE, |p| &mut p.cluster.link)}
            {fields.link("net", "Between nodes, a port for each GPU", BETWEEN, |p| &mut p.cluster.net)}
        </div>
        {input.panel()}
        <div class="control-grid">
            {whole(state, "node", "GPUs in a node", Scale::Doubling(6), |p| &mut p.cluster.node)}
            {whole(state, "nodes", "Nodes", Scale::Doubling(12), |p| &mut p.cluster.nodes)}
            {whole(state, "batch", "Sequences of a step", Scale::Quarters(2, 14), |p| &mut p.batch)}
            {whole(state, "seq", "Tokens of a sequence", Scale::Doubling(18), |p| &mut p.seq)}
        </div>
        {pins}
    }
    .into_any()
}

type At<T> = fn(&mut Params) -> &mut T;

fn get<T: Copy>(state: State, at: At<T>) -> T {
    let mut params = state.params().get();
    *at(&mut params)
}

fn whole(state: State, name: &'static str, label: &'static str, scale: Scale, at: At<u64>) -> AnyView {
    let value = Signal::derive(move || get(state, at) as f64);
    let set = move |to: f64| state.update(|p| *at(p) = to as u64);
    let format = |n: f64| grouped(n as u64);
    view! { <Slider spec=param(&ENTRY, name) label value set scale format /> }.into_any()
}

/// Free at the left end, then powers of two.
fn pin(state: State, name: &'static str, label: &'static str, at: At<Option<u64>>) -> AnyView {
    let value = Signal::derive(move || get(state, at).unwrap_or(0) as f64);
    let set = move |to: f64| state.update(|p| *at(p) = Some(to as u64).filter(|n| *n > 0));
    let format = |n: f64| if n < 1.0 { "free".to_owned() } else { grouped(n as u64) };
    view! { <Slider spec=param(&ENTRY, name) label value set scale=Scale::FromZero(6) format /> }.into_any()
}

fn zero(state: State) -> AnyView {
    const STAGES: [&str; 4] = ["0", "1", "2", "3"];
    let options = vec![("any", "free"), ("0", "0"), ("1", "1"), ("2", "2"), ("3", "3")];
    let value = Signal::derive(move || {
        let stage = state.params().with(|p| p.pins.zero);
        stage.and_then(|z| STAGES.get(usize::from(z)).copied()).unwrap_or("any")
    });
    let set = move |id: &'static str| state.update(|p| p.pins.zero = id.parse().ok());
    view! { <Segmented name="zero" label="ZeRO" options value set /> }.into_any()
}

fn recompute(state: State) -> AnyView {
    let options = vec![("any", "free"), ("none", "nothing"), ("selective", "attention"), ("full", "all")];
    let value = Signal::derive(move || state.params().with(|p| p.pins.recompute.map_or("any", Recompute::id)));
    let set = move |id: &'static str| {
        state.update(|p| p.pins.recompute = Some(id).and_then(Recompute::find));
    };
    view! { <Segmented name="recompute" label="Recomputed" options value set /> }.into_any()
}

fn free(state: State) -> AnyView {
    let all = move || state.params().with(|p| *p == p.freed());
    view! {
        <button type="button" class="secondary" disabled=all on:click=move |_| state.update(|p| *p = p.freed())>
            "Free all"
        </button>
    }
    .into_any()
}
