//! The controls, and the questions as buttons.

use leptos::prelude::*;
use ringside_core::model::presets;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::scaling::{ENTRY, MODELS, Params, QUESTIONS, Scaling, Sharding};

use super::State;
use crate::ui;
use crate::ui::segmented::Segmented;
use crate::ui::select::{Group, Select};
use crate::ui::slider::{Scale, Slider};
use crate::widgets::fields::Fields;
use crate::widgets::{param, wiring};

pub(super) fn view(state: State, compact: bool) -> AnyView {
    let fields = Fields::new(state, &ENTRY);
    let strong = Memo::new(move |_| state.params().with(|p| p.scaling == Scaling::Strong));
    let share = |name, label, get: fn(&Params) -> f64, change: fn(&mut Params, f64), step: f64, max: f64| {
        let value = Signal::derive(move || state.params().with(get));
        let set = move |v: f64| state.update(|p| change(p, v));
        let scale = Scale::Linear { min: 0.0, max, step };
        view! { <Slider spec=param(&ENTRY, name) label value set scale format=|v| Unit::Fraction.format(v) /> }
            .into_any()
    };
    let mfu = Scale::Linear { min: 0.05, max: 1.0, step: 0.05 };
    let batch = view! {
        <div hidden=move || !strong.get()>{fields.doubling("batch", "Sequences of a step", 14, |p| &mut p.batch)}</div>
        <div hidden=move || strong.get()>{fields.doubling("each", "Sequences of a replica", 10, |p| &mut p.each)}</div>
    };
    let first = view! {
        {ui::presets::presets(state, "Questions", QUESTIONS.iter().map(|q| (q.name, q.query)), Clone::clone)}
        <div class="control-row">{scaling(state)} {(!compact).then(|| view! { {model(state)} {fields.gpu_and_links(|p| &mut p.gpu, |p| &mut p.wires.link, |p| &mut p.wires.net)} {sharding(state)} })}</div>
        <div class="control-grid">
            {fields.doubling("gpus", "GPUs", 14, |p| &mut p.gpus)}
            {batch}
        </div>
    };
    if compact {
        return first.into_any();
    }
    view! {
        {first}
        <details class="fold">
            <summary>"The job: " <span>{move || state.params().with(words)}</span></summary>
            <div class="control-grid">
                {fields.doubling("tp", "Tensor-parallel ranks", 6, |p| &mut p.tp)}
                {fields.doubling("pp", "Pipeline stages", 6, |p| &mut p.pp)}
                {fields.doubling("mbs", "Sequences of a micro-batch", 8, |p| &mut p.mbs)}
                {fields.doubling("seq", "Tokens of a sequence", 17, |p| &mut p.seq)}
                <Slider
                    spec=param(&ENTRY, "mfu")
                    label="One GPU alone reaches"
                    value=Signal::derive(move || state.params().with(|p| p.mfu))
                    set=move |v: f64| state.update(|p| p.mfu = v)
                    scale=mfu
                    format=|v| Unit::Fraction.format(v)
                />
                {share("overlap", "Overlap allowed", |p| p.overlap, |p, v| p.overlap = v, 0.05, 1.0)}
                {share("jitter", "GPUs’ times differ by", |p| p.jitter, |p, v| p.jitter = v, 0.005, 0.2)}
            </div>
        </details>
        {wiring::fold(state, &ENTRY, |p| &mut p.wires)}
    }
    .into_any()
}

fn words(p: &Params) -> String {
    format!(
        "tensor {} × pipeline {}, {} tokens, {} apart",
        number(p.tp as f64),
        number(p.pp as f64),
        grouped(p.seq),
        Unit::Fraction.format(p.jitter)
    )
}

fn scaling(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.scaling.id()));
    let set = move |id: &'static str| {
        let scaling = if id == Scaling::Weak.id() { Scaling::Weak } else { Scaling::Strong };
        state.update(|p| p.scaling = scaling);
    };
    let options = vec![(Scaling::Strong.id(), "same batch"), (Scaling::Weak.id(), "batch grows")];
    view! { <Segmented name="scaling" label="Strong or weak scaling" options value set /> }
}

fn sharding(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.sharding.id()));
    let set = move |id: &'static str| {
        let sharding = if id == Sharding::Fsdp.id() { Sharding::Fsdp } else { Sharding::Ddp };
        state.update(|p| p.sharding = sharding);
    };
    let options = vec![(Sharding::Ddp.id(), "DDP"), (Sharding::Fsdp.id(), "FSDP")];
    view! { <Segmented name="sharding" label="Weights" options value set /> }
}

fn model(state: State) -> impl IntoView {
    let options = MODELS.iter().filter_map(|id| presets::find(id)).map(|p| (p.id, p.name)).collect();
    let value = Signal::derive(move || state.params().with(|p| p.model.id));
    let set = move |id: &'static str| {
        if let Some(model) = presets::find(id) {
            state.update(|p| p.model = model);
        }
    };
    view! { <Select name="model" label="Model" groups=vec![Group { label: "", options }] value set /> }
}
