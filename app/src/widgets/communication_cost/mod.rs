//! Time and bus bandwidth against the size of the buffer, by ring and by tree, with what nccl-tests measured over them.

mod measure;
mod numbers;
mod plots;

use leptos::prelude::*;
use ringside_core::collective::Algo;
use ringside_core::declare::Model as _;
use ringside_core::network::sizes::{Params, Sizes};
use ringside_core::quantity::{Unit, grouped};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, outcome, readings};
use crate::ui;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

type Shown = outcome::Shown<Sizes>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Shown::new(params, Sizes::new, |p| Params { algo: Algo::Ring, ..p.clone() });

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let algo = if p.algo == Algo::Ring { "ring" } else { "tree" };
            let ranks = grouped(p.ranks as u64);
            format!("{} by {algo} · {ranks} GPUs · {}", p.op.label(), Unit::Bytes.format(p.bytes))
        })
    });
    let finding = Signal::derive(move || shown.error().unwrap_or_else(|| shown.with(Sizes::finding)));
    let quantities = Memo::new(move |_| shown.with(|s| s.params.quantities(s)));
    let below = view! {
        {readings::view(&Params::ENTRY, quantities)}
        {(!props.compact).then(|| measure::view(state, shown))}
    };
    let controls = Controls::of(state).draw();
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding
            controls
            below=Some(below.into_any())
            table=move || numbers::view(shown)
        >
            {shown.frame(plots::view(shown).into_any())}
        </ModelFigure>
    }
    .into_any()
}
