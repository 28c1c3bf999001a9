//! Where the memory of one GPU goes, in training under ZeRO 0 to 3 and any layout, or in inference, and whether it fits.

mod bars;
mod controls;
mod numbers;
mod pipeline;
mod readout;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::memory::breakdown::ENTRY;
use ringside_core::memory::{Breakdown, Concept, Layout, Mode, Params, breakdown};

use super::model_input::ModelInput;
use super::{Module, Props, export};
use crate::deferred::{NotLoaded, deferred};
use crate::ui;
use crate::ui::figure::Figure;

/// Downloads the widget.
#[wasm_split(widget_memory_breakdown, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &ENTRY })
}

/// Downloads what is shown where the model is not chosen, and no more: for the first screen of the site.
#[wasm_split(memory_glance, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load_glance() -> Result<Module, NotLoaded> {
    Ok(Module { view: glance, model: &ENTRY })
}

type State = ui::state::State<Params>;

type Shown = super::outcome::Shown<Breakdown>;

fn view(props: Props) -> AnyView {
    let (state, shown) = begin(props);
    let params = state.params();
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));
    let controls = if props.compact { controls::few(state, shown) } else { controls::all(state, shown, input) };
    let below = view! {
        {pipeline::view(shown)}
        {readout::view(state, shown)}
        {(!props.compact).then(|| deferred(export::load, move |view: export::View| view(params.into())))}
    };
    input.drop_zone(figure(props, state, shown, controls, below.into_any()))
}

/// The controls that matter most, the bars and the numbers.
fn glance(props: Props) -> AnyView {
    let (state, shown) = begin(props);
    figure(props, state, shown, controls::few(state, shown), readout::view(state, shown).into_any())
}

fn begin(props: Props) -> (State, Shown) {
    let state = State::new(props.query, Params::read, Params::query);
    let compute = |p: &Params| breakdown(p).map_err(|e| e.to_string());
    (state, Shown::new(state.params(), compute, |p| Params { layout: Layout::default(), ..*p }))
}

/// The bars between the controls and what is `below` them.
fn figure(props: Props, state: State, shown: Shown, controls: AnyView, below: AnyView) -> AnyView {
    let params = state.params();
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let what = match p.mode {
                Mode::Inference => "inference".to_owned(),
                Mode::Training if p.dtype.is_mixed() => format!("{} with fp32 master weights", p.optimizer.label()),
                Mode::Training => p.optimizer.label().to_owned(),
            };
            let split =
                if p.layout == Layout::default() { String::new() } else { format!(" · {}", p.layout.in_words()) };
            format!("{} · {} · {what}{split}", p.model.name(), p.dtype.id())
        })
    });
    let finding = Signal::derive(move || shown.error().unwrap_or_else(|| shown.with(Breakdown::finding)));
    let notes = Signal::derive(move || shown.with(|b| b.notes.join(" ")));
    let drawing = view! {
        {bars::view(state, shown)}
        {below}
    }
    .into_any();
    view! {
        <Figure
            id=ENTRY.id
            title=ENTRY.title
            subtitle
            query=props.query
            alone=props.alone
            problems=state.problems()
            finding
            notes
            controls
            table=move || deferred(numbers::load, move |view: numbers::View| view(shown))
        >
            {shown.frame(drawing)}
        </Figure>
    }
    .into_any()
}

/// The class that colours a concept.
fn class(concept: Concept) -> &'static str {
    concept.id()
}

/// What a ZeRO stage is called, and what it shards beyond the stage before.
fn stage_name(mode: Mode, stage: u8) -> (&'static str, &'static str) {
    match (mode, stage) {
        (Mode::Inference, _) => ("Serving", "weights and cache"),
        (_, 0) => ("DDP", "nothing sharded"),
        (_, 1) => ("ZeRO-1", "optimizer sharded"),
        (_, 2) => ("ZeRO-2", "and gradients"),
        _ => ("ZeRO-3", "and weights"),
    }
}
