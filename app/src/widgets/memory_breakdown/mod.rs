//! Where the memory of one GPU goes: weights, gradients and optimizer states under ZeRO 0 to 3, and whether they fit.

mod bars;
mod controls;
mod numbers;
mod readout;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::memory::breakdown::ENTRY;
use ringside_core::memory::{Breakdown, Concept, Params, breakdown};

use super::model_input::ModelInput;
use super::{Module, Props};
use crate::deferred::NotLoaded;
use crate::ui;
use crate::ui::figure::Figure;

/// Downloads the widget.
#[wasm_split(widget_memory_breakdown, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &ENTRY })
}

type State = ui::state::State<Params>;

/// The result on show. There is none only for parameters that no query can give.
#[derive(Clone, Copy)]
struct Shown(Memo<Result<Breakdown, String>>);

impl Shown {
    /// Looks at the result. Tracks.
    fn with<T: Default>(self, look: impl FnOnce(&Breakdown) -> T) -> T {
        self.0.with(|result| result.as_ref().map(look).unwrap_or_default())
    }
}

fn view(props: Props) -> AnyView {
    let state = State::new(props.query, Params::read, Params::query);
    let params = state.params();
    let shown = Shown(Memo::new(move |_| params.with(|p| breakdown(p).map_err(|e| e.to_string()))));
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let master = if p.dtype.is_mixed() { " with fp32 master weights" } else { "" };
            format!("{} · {} · {}{master}", p.model.name(), p.optimizer.label(), p.dtype.id())
        })
    });
    let finding =
        Signal::derive(move || shown.0.with(|result| result.as_ref().map_or_else(Clone::clone, Breakdown::finding)));
    let notes = Signal::derive(move || shown.with(|b| b.notes.join(" ")));
    let controls = if props.compact { controls::few(state, shown) } else { controls::all(state, shown, input) };
    let figure = view! {
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
            table=move || numbers::view(shown)
        >
            {bars::view(state, shown)}
            {readout::view(state, shown)}
        </Figure>
    };
    input.drop_zone(figure.into_any())
}

/// The class that colours a concept.
fn class(concept: Concept) -> &'static str {
    concept.id()
}

/// What a ZeRO stage is called, and what it shards beyond the stage before.
fn stage_name(stage: u8) -> (&'static str, &'static str) {
    match stage {
        0 => ("DDP", "nothing sharded"),
        1 => ("ZeRO-1", "optimizer sharded"),
        2 => ("ZeRO-2", "and gradients"),
        _ => ("ZeRO-3", "and weights"),
    }
}
