//! The controls.

use leptos::prelude::*;
use ringside_core::ddp::{ALL_STEPS, ENTRY, MAX_MICROBATCHES, Params, Skip};
use ringside_core::hardware::links;
use ringside_core::quantity::{Unit, number};
use ringside_core::units::MIB;

use super::State;
use crate::ui::presets::{Preset, presets};
use crate::ui::segmented::Segmented;
use crate::ui::slider::{Scale, Slider};
use crate::widgets::fields::Fields;
use crate::widgets::model_input::ModelInput;
use crate::widgets::param;

/// Steps worth looking at: what each is called, and its parameters.
const PRESETS: &[Preset] = &[
    ("GPT-2 on two nodes", ""),
    ("Its first iteration", "iteration=first"),
    ("Over 100 Gb/s Ethernet, one GPU a node", "node=1&net=eth-100"),
    ("Buckets of 1 MiB", "bucket-cap-mb=1&node=1&net=eth-100"),
    ("One bucket of everything", "bucket-cap-mb=100000&first-bucket-mb=100000&node=1&net=eth-100"),
    ("Four micro-batches under no_sync", "microbatches=4&node=1&net=eth-100"),
    ("… and without", "microbatches=4&no-sync=false&node=1&net=eth-100"),
    ("A layer is skipped", "skip=true&node=1&net=eth-100"),
    ("find_unused_parameters", "skip=true&find-unused=true&node=1&net=eth-100"),
];

/// All of them, or only those that matter most.
pub(super) fn view(state: State, input: ModelInput, compact: bool) -> AnyView {
    let fields = Fields::new(state, &ENTRY);
    if compact {
        return view! {
            <div class="control-row">{ranks(fields)} {fields.link("net", "Link between nodes", links::BETWEEN, |p| &mut p.net)} {limit(state, "bucket-cap-mb", "Bucket, MiB", |p| &mut p.cap)}</div>
        }
        .into_any();
    }
    let count = Signal::derive(move || state.params().with(|p| p.model.size().map_or(0.0, |size| size.params)));
    view! {
        {presets(state, "Examples", PRESETS.iter().copied(), |p| Params { step: ALL_STEPS, ..*p })}
        <div class="control-row">
            {input.select(count, None)} {fields.gpu_and_links(|p| &mut p.gpu, |p| &mut p.link, |p| &mut p.net)} {fields.link("link", "Link within a node", links::INSIDE, |p| &mut p.link)} {fields.link("net", "Link between nodes", links::BETWEEN, |p| &mut p.net)} {dtype(state)}
        </div>
        {input.panel()}
        <div class="control-grid">
            {ranks(fields)} {fields.doubling("node", "Ranks in a node", 6, |p| &mut p.node)}
            {limit(state, "bucket-cap-mb", "Bucket, MiB", |p| &mut p.cap)}
            {first_limit(state)}
            {fields.doubling("seq", "Tokens of a sequence", 17, |p| &mut p.seq)}
            {fields.doubling("mbs", "Sequences at once", 8, |p| &mut p.mbs)} {mfu(state)} {microbatches(state)}
        </div>
        <div class="control-row">
            {fields.switch("no-sync", "no_sync", ["off", "on"], |p| &mut p.no_sync)}
            {fields.switch("find-unused", "find_unused_parameters", ["off", "on"], |p| &mut p.find_unused)}
            {fields.switch("view", "gradient_as_bucket_view", ["off", "on"], |p| &mut p.view)}
            {iteration(state)} {fields.switch("path", "Stands out", ["all", "critical path"], |p| &mut p.path)}
        </div>
        <details class="fold">
            <summary>"A skipped layer, measured times"</summary>
            <div class="control-grid">
                {skip(state)} {skip_layer(state)} {backward(state)} {search(state)}
            </div>
        </details>
    }
    .into_any()
}

fn ranks(fields: Fields<Params>) -> AnyView {
    fields.doubling("ranks", "Ranks", 14, |p| &mut p.ranks)
}

fn dtype(state: State) -> impl IntoView {
    let options = vec![("fp32", "fp32"), ("bf16", "bf16")];
    let value = Signal::derive(move || if state.params().with(|p| p.fp32) { "fp32" } else { "bf16" });
    let set = move |id: &'static str| state.update(|p| p.fp32 = id == "fp32");
    view! { <Segmented name="grad-dtype" label="Gradients" options value set /> }
}

fn limit(state: State, name: &'static str, label: &'static str, at: fn(&mut Params) -> &mut f64) -> impl IntoView {
    let value = Signal::derive(move || *at(&mut state.params().get()));
    let set = move |to: f64| state.update(|p| *at(p) = to);
    view! { <Slider spec=param(&ENTRY, name) label value set scale=Scale::Quarters(0, 12) format=number /> }
}

/// The limit that the first bucket really has.
fn first_limit(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.limits()[0] / MIB));
    let set = move |to: f64| state.update(|p| p.first = to);
    let spec = param(&ENTRY, "first-bucket-mb");
    view! { <Slider spec label="First bucket, MiB" value set scale=Scale::Quarters(0, 12) format=number /> }
}

fn mfu(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.mfu));
    let set = move |to: f64| state.update(|p| p.mfu = to);
    let scale = Scale::Linear { min: 0.05, max: 1.0, step: 0.05 };
    view! { <Slider spec=param(&ENTRY, "mfu") label="MFU" value set scale format=number /> }
}

fn microbatches(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.microbatches as f64));
    let set = move |to: f64| state.update(|p| p.microbatches = to as u64);
    let scale = Scale::Linear { min: 1.0, max: MAX_MICROBATCHES as f64, step: 1.0 };
    view! { <Slider spec=param(&ENTRY, "microbatches") label="Micro-batches" value set scale format=number /> }
}

fn iteration(state: State) -> impl IntoView {
    let options = vec![("first", "first"), ("later", "a later one")];
    let value = Signal::derive(move || if state.params().with(|p| p.first_iteration) { "first" } else { "later" });
    let set = move |id: &'static str| state.update(|p| p.first_iteration = id == "first");
    view! { <Segmented name="iteration" label="Iteration" options value set /> }
}

fn skip(state: State) -> impl IntoView {
    let options = vec![("false", "all run"), ("true", "one is skipped")];
    let value = Signal::derive(move || if state.params().with(|p| p.skip == Skip::None) { "false" } else { "true" });
    let set = move |id: &'static str| {
        state.update(|p| p.skip = if id == "true" { Skip::Layer(p.skip_layer as u32) } else { Skip::None });
    };
    view! { <Segmented name="skip" label="Layers" options value set /> }
}

fn skip_layer(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.skip_layer as f64));
    let set = move |to: f64| {
        state.update(|p| {
            p.skip_layer = to as u64;
            if p.skip != Skip::None {
                p.skip = Skip::Layer(to as u32);
            }
        });
    };
    let scale = Scale::Linear { min: 0.0, max: 127.0, step: 1.0 };
    view! { <Slider spec=param(&ENTRY, "skip-layer") label="The skipped layer" value set scale format=number /> }
}

fn backward(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.backward_ms));
    let set = move |to: f64| state.update(|p| p.backward_ms = to);
    let format = |ms: f64| if ms > 0.0 { Unit::Seconds.format(ms / 1e3) } else { "from FLOPs".to_owned() };
    let scale = Scale::Linear { min: 0.0, max: 500.0, step: 5.0 };
    view! { <Slider spec=param(&ENTRY, "backward-ms") label="Backward pass, measured" value set scale format /> }
}

fn search(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.search_us));
    let set = move |to: f64| state.update(|p| p.search_us = to);
    let format = |us: f64| Unit::Seconds.format(us / 1e6);
    let scale = Scale::Linear { min: 0.0, max: 50.0, step: 1.0 };
    view! { <Slider spec=param(&ENTRY, "search-us") label="Search, for each parameter" value set scale format /> }
}
