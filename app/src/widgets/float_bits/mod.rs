//! One number in two formats: bits to flip, the number line around it, spacing, sums of small updates, and gradients that fall
//! off the end.

mod bits;
mod line;
mod numbers;
mod value;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::float::bits::{Params, Shown, View, written};
use ringside_drawing::chart::Chart;
use ringside_drawing::charts::float_bits;

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
    let shown = Memo::new(move |_| params.get().shown());
    let show = Memo::new(move |_| params.with(|p| p.view));

    let controls = Controls::of(state).special("value", value::control(state, show));
    let controls = controls.draw();

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let [a, b] = p.formats;
            match p.view {
                View::Bits => format!("{} in {} and {}", written(p.number()), a.name, b.name),
                view => format!("{} · {} and {}", view.label(), a.name, b.name),
            }
        })
    });
    let of = move |chart: fn(&Params, &Shown) -> Chart| {
        chart::view("float-chart", Memo::new(move |_| params.with(|p| shown.with(|s| chart(p, s)))))
    };
    let drawing = move || match show.get() {
        View::Bits => view! {
            {bits::view(state, shown)}
            {line::view(shown)}
        }
        .into_any(),
        View::Spacing => chart::view("float-chart", Memo::new(move |_| params.with(float_bits::spacing))),
        View::Sum => of(float_bits::sum),
        View::Gradients => of(float_bits::gradients),
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
            table=move || numbers::view(params, shown)
        >
            <div class="float-bits">
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
