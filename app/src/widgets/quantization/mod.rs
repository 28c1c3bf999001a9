//! Scales and few bits: outliers under every recipe, delayed scaling, quantization-aware training, and accumulation.

mod numbers;
mod recipes;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantization::{Params, Shown, View};
use ringside_drawing::chart::Chart;
use ringside_drawing::charts::quantization;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::chart;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    // What is shown changes none of it.
    let whole = Memo::new(move |_| Params { view: View::Recipes, ..params.get() });
    let shown = Memo::new(move |_| whole.get().shown());
    let show = Memo::new(move |_| params.with(|p| p.view));

    let controls = Controls::of(state).draw();

    let subtitle = Signal::derive(move || {
        params.with(|p| match p.view {
            View::Recipes => p.recipe.name.to_owned(),
            view => view.label().to_owned(),
        })
    });
    let of = move |chart: fn(&Params, &Shown) -> Chart| {
        chart::view("scales-chart", Memo::new(move |_| params.with(|p| shown.with(|s| chart(p, s)))))
    };
    let drawing = move || match show.get() {
        View::Recipes => recipes::view(state, shown),
        View::Delayed => of(quantization::delayed),
        View::Training => of(quantization::training),
        View::Accumulate => of(quantization::accumulate),
    };
    let below = quantities(params, shown);
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding=Signal::derive(move || params.with(|p| shown.with(|s| p.finding(s))))
            controls
            below=Some(below)
            table=move || numbers::view(shown)
        >
            <div class="quantization">
                {drawing}
            </div>
        </ModelFigure>
    }
    .into_any()
}

fn quantities(params: Memo<Params>, shown: Memo<Shown>) -> AnyView {
    let all = Memo::new(move |_| params.with(|p| shown.with(|s| p.quantities(s))));
    readings::view(&Params::ENTRY, all)
}
