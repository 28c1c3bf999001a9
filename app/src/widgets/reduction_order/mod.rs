//! The same numbers added in many orders: where their sums lie, bit by bit; and two runs that one bit drives apart.

mod gpu;
mod numbers;
mod orders;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::grouped;
use ringside_core::reduction_order::data::Data;
use ringside_core::reduction_order::{Params, Shown, View};
use ringside_drawing::charts::reduction_order;

use super::controls::Controls;
use super::kernels::Runner;
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
    // Which order is looked at changes no sum.
    let plain = Memo::new(move |_| Params { order: <_>::default(), ..params.get() });
    let shown = Memo::new(move |_| plain.with(|p| Shown { sums: p.sums(), growth: p.growth() }));
    let show = Memo::new(move |_| params.with(|p| p.show));

    let sums = move || show.get() == View::Sums;
    let on_gpu = move || show.get() == View::Gpu;
    let runner = Runner::new();
    if params.with_untracked(|p| p.run && p.show == View::Gpu) {
        gpu::run(state, runner);
    }
    let controls = Controls::of(state).draw();
    let subtitle = Signal::derive(move || {
        params.with(|p| match p.show {
            View::Sums => {
                let n = if p.data == Data::Own { p.values.0.len() as u64 } else { p.n.into() };
                format!("{} numbers {}, in {}", grouped(n), p.data.label(), p.format.0.name)
            }
            View::Steps => format!("two runs of a tiny transformer · {} differs", p.start.label()),
            View::Gpu => format!("{} numbers in fp32, by six kernels", grouped(p.n.into())),
        })
    });
    let drawn = Memo::new(move |_| params.with(|p| shown.with(|s| reduction_order::chart(p, s))));
    let quantities = Memo::new(move |_| params.with(|p| shown.with(|s| p.quantities(s))));
    view! {
        <ModelFigure
            props
            state
            subtitle
            finding=Signal::derive(move || {
                gpu::finding(state, runner).unwrap_or_else(|| params.with(|p| shown.with(|s| p.finding(s))))
            })
            controls
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=move || numbers::view(params, shown)
        >
            <div class="reduction-order">
                <Show when=move || !on_gpu()><div data-seen="">{chart::view("sums-chart", drawn)}</div></Show>
                <Show when=sums>{orders::own(state)} {orders::view(state, shown)}</Show>
                <Show when=on_gpu>{gpu::view(state, runner)}</Show>
            </div>
        </ModelFigure>
    }
    .into_any()
}
