//! A training step on more and more GPUs: how fast it gets, what of it is work, and what the rest waits for.

mod controls;
mod drawing;
mod numbers;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::quantity::grouped;
use ringside_core::scaling::{Curve, ENTRY, Params, Scaling};

use super::outcome;
use super::{Module, Props, readings};
use crate::deferred::NotLoaded;
use crate::ui;
use crate::ui::figure::Figure;

/// Downloads the widget.
#[wasm_split(widget_scaling_curve, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &ENTRY })
}

type State = ui::state::State<Params>;

type Shown = outcome::Shown<Curve>;

fn view(props: Props) -> AnyView {
    let state = State::new(props.query, Params::read, Params::query);
    let params = state.params();
    let shown = Shown::new(params, Curve::new, |p| Params { tp: 1, pp: 1, ..*p });

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let scaling = if p.scaling == Scaling::Strong { "strong" } else { "weak" };
            format!("{} on {} {}, {scaling} scaling", p.model.name, grouped(p.gpus), p.gpu.name)
        })
    });
    let finding = Signal::derive(move || shown.error().unwrap_or_else(|| shown.with(Curve::finding)));
    let drawing = view! {
        {drawing::view(shown)}
        {readings(shown)}
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
            notes="Whether the model fits the memory of the GPUs is not asked here; the memory figures are."
                .to_owned()
            controls=controls::view(state, props.compact)
            table=move || numbers::view(shown)
        >
            {shown.frame(drawing)}
        </Figure>
    }
    .into_any()
}

/// The quantities, for people and for scripts.
fn readings(shown: Shown) -> AnyView {
    let quantities = Memo::new(move |_| shown.with(|c| ENTRY.measured(|id| c.quantity(id))));
    view! { <dl class="readings loaded">{readings::all(&ENTRY, quantities)}</dl> }.into_any()
}
