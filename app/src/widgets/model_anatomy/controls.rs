//! The controls.

use leptos::prelude::*;
use ringside_core::model::anatomy::{Axis, ENTRY, Measure};
use ringside_core::quantity::grouped;
use ringside_core::query::ParamSpec;

use super::{Shown, Sizes, State};
use crate::ui::segmented::Segmented;
use crate::ui::slider::{Scale, Slider};
use crate::widgets::model_input::ModelInput;
use crate::widgets::param;

/// All of them.
pub(super) fn all(state: State, shown: Shown, input: ModelInput, sizes: Sizes) -> AnyView {
    view! {
        <div class="control-row">{input.select(shown.quantity("params"), None)} {show(state)} {causal(state)}</div>
        {input.panel()}
        <div class="control-grid">{Axis::ALL.map(|axis| size(axis, state, sizes)).into_iter().collect_view()}</div>
    }
    .into_any()
}

/// Those that matter most.
pub(super) fn few(state: State, shown: Shown, input: ModelInput) -> AnyView {
    view! { <div class="control-row">{input.select(shown.quantity("params"), None)} {show(state)}</div> }.into_any()
}

fn show(state: State) -> AnyView {
    let options = vec![(Measure::Params.id(), "Parameters"), (Measure::Flops.id(), "FLOPs")];
    let value = Signal::derive(move || state.params().with(|p| p.show.id()));
    let set = move |id| {
        let measure = if id == Measure::Flops.id() { Measure::Flops } else { Measure::Params };
        state.update(|p| p.show = measure);
    };
    view! { <Segmented name="show" label="Areas are" options value set /> }.into_any()
}

fn causal(state: State) -> AnyView {
    let options = vec![("true", "Causal half"), ("false", "Whole")];
    let value = Signal::derive(move || if state.params().with(|p| p.causal) { "true" } else { "false" });
    let set = move |id| state.update(|p| p.causal = id == "true");
    view! { <Segmented name="causal" label="Attention matrix" options value set /> }.into_any()
}

/// The slider of a size.
fn size(axis: Axis, state: State, sizes: Sizes) -> AnyView {
    let (spec, scale) = match axis {
        Axis::Width => (ParamSpec { default: "4096", ..param(&ENTRY, axis.id()) }, Scale::Quarters(8, 15)),
        Axis::Depth => (
            ParamSpec { default: "32", ..param(&ENTRY, axis.id()) },
            Scale::Linear { min: 1.0, max: axis.range().1 as f64, step: 1.0 },
        ),
        Axis::Vocabulary => (ParamSpec { default: "32000", ..param(&ENTRY, axis.id()) }, Scale::Quarters(10, 20)),
        Axis::Sequence => (param(&ENTRY, axis.id()), Scale::Quarters(7, 20)),
    };
    let value = Signal::derive(move || state.params().with(|p| p.size(axis) as f64));
    let set = move |to: f64| sizes.set(axis, to as u64);
    view! { <Slider spec label=axis.label() value set scale format=|n| grouped(n as u64) /> }.into_any()
}
