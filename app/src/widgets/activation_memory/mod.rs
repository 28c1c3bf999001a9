//! What the forward pass keeps for the backward pass: over a step, term by term, stage by stage, under each policy of
//! recomputation, and off the GPU.

mod curve;
mod offload;
mod tables;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::memory::activations::{Activations, ENTRY, Params, activations};
use ringside_core::memory::layout::Layout;
use ringside_core::quantity::grouped;

use super::fields::Fields;
use super::model_input::ModelInput;
use super::{Module, Props, readings};
use crate::deferred::NotLoaded;
use crate::ui;
use crate::ui::columns::{self, Columns};
use crate::ui::figure::Figure;

/// Downloads the widget.
#[wasm_split(widget_activation_memory, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &ENTRY })
}

type State = ui::state::State<Params>;

type Shown = super::outcome::Shown<Activations>;

fn view(props: Props) -> AnyView {
    let state = State::new(props.query, Params::read, Params::query);
    let params = state.params();
    let compute = |p: &Params| activations(p).map_err(|e| e.message);
    let shown = Shown::new(params, compute, |p| Params { layout: Layout::default(), ..*p });
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let tokens = format!("{} × {} tokens", grouped(p.mbs), grouped(p.seq));
            format!("{} · {tokens} · {}", p.model.name(), p.layout.in_words())
        })
    });
    let finding = Signal::derive(move || shown.error().unwrap_or_else(|| shown.with(Activations::finding)));
    let drawing = view! {
        {curve::view(shown)}
        {readings(shown)}
        {stages(shown)}
        {tables::terms(shown)}
        {(!props.compact).then(|| {
            view! {
                {tables::policies(state, shown)}
                {offload::view(state, shown)}
            }
        })}
    }
    .into_any();
    let figure = view! {
        <Figure
            id=ENTRY.id
            title=ENTRY.title
            subtitle
            query=props.query
            alone=props.alone
            problems=state.problems()
            finding
            notes=String::new()
            controls=controls(state, input, props.compact)
            table=move || tables::course(shown)
        >
            {shown.frame(drawing)}
        </Figure>
    };
    input.drop_zone(figure.into_any())
}

fn controls(state: State, input: ModelInput, compact: bool) -> AnyView {
    let fields = Fields::new(state, &ENTRY);
    let exactly = Signal::derive(move || state.params().with(|p| p.model.size().map_or(0.0, |size| size.params)));
    let words = move || state.params().with(|p| p.layout.in_words());
    let grid = view! {
        <div class="control-grid">
            {fields.doubling("seq", "Tokens of a sequence", 20, |p| &mut p.seq)}
            {fields.doubling("mbs", "Sequences at once", 8, |p| &mut p.mbs)}
            {fields.recompute(|p| &mut p.recompute)}
            {compact.then(|| fields.flash(|p| &mut p.flash))}
        </div>
    };
    if compact {
        return grid.into_any();
    }
    view! {
        <div class="control-row">
            {input.select(exactly, None)}
            {fields.flash(|p| &mut p.flash)}
            {fields.counting(|p| &mut p.counting)}
        </div>
        {input.panel()}
        {grid}
        <details class="fold">
            <summary>"Split the model: " <span>{words}</span></summary>
            <div class="control-grid">{fields.layout(|p| &mut p.layout)}</div>
        </details>
    }
    .into_any()
}

/// The numbers that matter most.
fn readings(shown: Shown) -> AnyView {
    let quantities = Memo::new(move |_| shown.with(|a| a.quantities()));
    let names = [
        ("activations-per-layer", "A layer keeps"),
        ("activations", "The fullest GPU keeps"),
        ("activations-peak", "At its peak"),
        ("in-flight", "Micro-batches in flight"),
        ("recompute-flops-fraction", "FLOPs added"),
    ];
    view! { <dl class="readings loaded">{readings::some(&ENTRY, quantities, &names)}</dl> }.into_any()
}

/// The stages of the pipeline, if there are several.
fn stages(shown: Shown) -> AnyView {
    let why = Memo::new(move |_| shown.with(Activations::why_worst));
    let label = Signal::derive(move || why.get().unwrap_or_default());
    let columns = Signal::derive(move || {
        shown.with(|a| {
            let marked = usize::try_from(a.worst.stage.index).unwrap_or_default();
            let parts = |i: usize| a.stages.get(i).map_or([0.0; 2], |s| [s.layers.0, s.embedding.0 + s.head.0]);
            Columns::new(a.stages.len(), marked, parts)
        })
    });
    view! {
        <Show when=move || why.with(Option::is_some)>
            <div class="stages">
                <p class="stages-head">
                    <i class="swatch activations" aria-hidden="true"></i>
                    "layers of each pipeline stage, "
                    <i class="swatch ends" aria-hidden="true"></i>
                    "embedding and head"
                </p>
                {columns::view(columns, ["activations", "ends"], label)}
                <p>{label}</p>
            </div>
        </Show>
    }
    .into_any()
}
