//! What the forward pass keeps for the backward pass: over a step, term by term, stage by stage, under each policy of
//! recomputation, and off the GPU.

mod offload;
mod tables;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::memory::activations::{Activations, Params};
use ringside_drawing::columns::Columns;

use super::one_picture::{self, Own};
use super::{Module, Props};
use crate::ui::columns;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type Live = one_picture::Live<Params>;

fn view(props: Props) -> AnyView {
    one_picture::view::<Params>(props, |live| {
        let below = view! {
            <p class="why-peak">{move || live.with(|_, a| a.why_peak())}</p>
            {stages(live)}
        };
        let under = view! {
            {tables::terms(live)}
            {(!live.compact).then(|| view! { {tables::policies(live)} {offload::view(live)} })}
        };
        Own { below: Some(below.into_any()), under: Some(under.into_any()), ..Own::default() }
    })
}

/// The stages of the pipeline, if there are several.
fn stages(live: Live) -> AnyView {
    let why = Memo::new(move |_| live.with(|_, a| a.why_worst()));
    let label = Signal::derive(move || why.get().unwrap_or_default());
    let columns = Signal::derive(move || {
        live.with(|_, a: &Activations| {
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
