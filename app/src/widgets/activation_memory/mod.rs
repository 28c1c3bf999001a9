//! What the forward pass keeps for the backward pass: over a step, term by term, stage by stage, under each policy of
//! recomputation, and off the GPU.

mod curve;
mod offload;
mod tables;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::memory::activations::{Activations, Params};
use ringside_core::memory::layout::Layout;
use ringside_core::quantity::grouped;
use ringside_drawing::columns::Columns;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::{Module, Props, outcome, readings};
use crate::ui;
use crate::ui::columns;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

type Shown = outcome::Shown<Activations>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Shown::new(params, Params::evaluate, |p| Params { layout: Layout::default(), ..*p });
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let tokens = format!("{} × {} tokens", grouped(p.mbs), grouped(p.seq));
            format!("{} · {tokens} · {}", p.model.name(), p.layout.in_words())
        })
    });
    let finding = Signal::derive(move || shown.error().unwrap_or_else(|| shown.with(Activations::finding)));
    let size = Signal::derive(move || params.with(|p| p.model.size().map_or(0.0, |size| size.params)));
    let controls = Controls::of(state).special("model", input.select(size, None)).draw();
    let below = view! {
        {readings(shown)}
        {tables::terms(shown)}
        {(!props.compact).then(|| {
            view! {
                {tables::policies(state, shown)}
                {offload::view(shown)}
            }
        })}
        {input.panel()}
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            input
            finding
            controls
            below=Some(below.into_any())
            table=move || tables::course(shown)
        >
            {shown.frame(view! { {curve::view(shown)} {stages(shown)} }.into_any())}
        </ModelFigure>
    }
    .into_any()
}

/// The numbers that matter most.
fn readings(shown: Shown) -> AnyView {
    let quantities = Memo::new(move |_| shown.with(|a| a.params.quantities(a)));
    readings::view(&Params::ENTRY, quantities)
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
