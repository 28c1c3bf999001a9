//! A training step on more and more GPUs: how fast it gets, what of it is work, and what the rest waits for.

mod drawing;
mod numbers;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::grouped;
use ringside_core::scaling::{Curve, Params, Scaling};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::{Module, Props, outcome, readings};
use crate::ui;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

type Shown = outcome::Shown<Curve>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));
    let shown = Shown::new(params, Curve::new, |p| Params { tp: 1, pp: 1, ..*p });

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let scaling = if p.scaling == Scaling::Strong { "strong" } else { "weak" };
            format!("{} on {} {}, {scaling} scaling", p.model.name(), grouped(p.gpus), p.gpu.name)
        })
    });
    let finding = Signal::derive(move || shown.error().unwrap_or_else(|| shown.with(Curve::finding)));
    let controls = Controls::of(state).special("model", input.choose_any()).draw();
    view! {
        <ModelFigure
            subtitle
            props
            state
            input
            finding
            controls
            below=Some(view! { {readings(shown)} {input.panel()} }.into_any())
            table=move || numbers::view(shown)
        >
            {shown.frame(drawing::view(shown).into_any())}
        </ModelFigure>
    }
    .into_any()
}

/// The quantities, for people and for scripts.
fn readings(shown: Shown) -> AnyView {
    let quantities = Memo::new(move |_| shown.with(|c| c.params.quantities(c)));
    readings::view(&Params::ENTRY, quantities)
}
