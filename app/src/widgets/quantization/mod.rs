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

    let is = move |views: &'static [View]| move || views.contains(&show.get());
    let controls = Controls::of(state)
        .only_while(&["outlier"], is(&[View::Recipes, View::Training]))
        .only_while(&["history", "jump", "margin"], is(&[View::Delayed]))
        .only_while(&["bits", "per-channel"], is(&[View::Training]))
        .only_while(&["k", "kept", "promote"], is(&[View::Accumulate]));
    let controls = controls.draw();

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
    let below = quantities(params, shown, show).into_any();
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

/// The quantities of each view.
const fn read(view: View) -> readings::Names {
    match view {
        View::Recipes => &[("error", "Error"), ("zero", "Become zero"), ("bits-per-value", "Bits per value")],
        View::Delayed => &[
            ("saturated", "Saturated at the jump"),
            ("jump-error", "Error at the jump"),
            ("steps-saturated", "Steps that saturate"),
        ],
        View::Training => &[
            ("float-loss", "Loss without rounding"),
            ("rounded-loss", "Rounded afterwards"),
            ("aware-loss", "Trained with rounding"),
            ("levels", "Levels per weight"),
        ],
        View::Accumulate => &[("sum-error", "Error of the sum"), ("promoted-error", "With promotion every 128")],
    }
}

fn quantities(params: Memo<Params>, shown: Memo<Shown>, show: Memo<View>) -> impl IntoView {
    let all = Memo::new(move |_| params.with(|p| shown.with(|s| p.quantities(s))));
    readings::of_view(&Params::ENTRY, all, move || read(show.get()))
}
