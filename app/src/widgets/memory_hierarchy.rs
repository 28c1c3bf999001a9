//! The levels of a GPU's memory to scale, and where one's data fit.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::hardware::levels::{LINKS_ARE_FROM, Level, Params, of};
use ringside_core::quantity::{Unit, bytes_binary};
use ringside_drawing::charts::memory_hierarchy::chart;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let quantities = Memo::new(move |_| params.with(|p| p.quantities(&of(p.gpu))));
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || params.with(|p| format!("{}, {} over size", p.gpu.name, p.show.label())))
            finding=Signal::derive(move || params.with(Params::finding))
            notes=format!("Registers and shared memory of all SMs together; links in one direction. Latency of links: {LINKS_ARE_FROM}.")
            controls=Controls::of(state).draw()
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=move || table(params)
        >
            {ui::chart::view("levels", Memo::new(move |_| params.with(chart)))}
        </ModelFigure>
    }
    .into_any()
}

/// Every level with its numbers and where they are from.
fn table(params: Memo<Params>) -> AnyView {
    let or = |value: Option<f64>, unit: Unit| value.map_or_else(|| "not published".to_owned(), |v| unit.format(v));
    let row = move |level: Level| {
        view! {
            <tr>
                <th scope="row">{level.name}</th>
                <td>{level.shared_by}</td>
                <td class="number">{bytes_binary(level.size)}</td>
                <td class="number">{or(level.bandwidth, Unit::BytesPerSecond)}</td>
                <td class="number">{or(level.latency, Unit::Seconds)}</td>
                <td>{level.source}</td>
            </tr>
        }
    };
    let rows = move || params.with(|p| of(p.gpu)).into_iter().filter(|level| level.size > 0.0).map(row).collect_view();
    view! {
        <Table
            columns=[
                words("Level"),
                words("Shared by"),
                numbers("Size"),
                numbers("Bandwidth"),
                numbers("Latency"),
                words("From"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
