//! Amdahl's and Gustafson's laws: the smallest example of a widget. CONTRIBUTING.md walks through this file.

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::amdahl::{Params, Speedup};
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_drawing::charts::amdahl::chart;

use super::controls::Controls;
use super::{Module, Props, readings};
use crate::deferred::NotLoaded;
use crate::ui;
use crate::ui::figure::Figure;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// Downloads the widget.
#[wasm_split(widget_amdahl, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &Params::ENTRY })
}

/// A widget is its parameters, a memo of the model's result, and a view of the two.
fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let result = Memo::new(move |_| params.get().speedup());

    let subtitle = Signal::derive(move || {
        params.with(|p| format!("{} serial, {} processors", Unit::Fraction.format(p.serial), grouped(p.n)))
    });
    view! {
        <Figure
            id=Params::ID
            title=Params::TITLE
            subtitle
            query=props.query
            alone=props.alone
            problems=state.problems()
            finding=Signal::derive(move || params.get().finding())
            notes=String::new()
            main=Controls::of(state).few()
            below=Some(readings(params, result).into_any())
            table=move || table(params)
        >
            {ui::chart::view("laws", Memo::new(move |_| params.with(chart)))}
        </Figure>
    }
    .into_any()
}

/// The quantities, for people and for scripts.
fn readings(params: Memo<Params>, result: Memo<Speedup>) -> impl IntoView {
    let quantities = Memo::new(move |_| params.with(|p| result.with(|s| p.quantities(s))));
    view! { <dl class="readings">{readings::all(&Params::ENTRY, quantities)}</dl> }
}

/// The curve as a table: a row for every power of four.
fn table(params: Memo<Params>) -> AnyView {
    let row = move |i: usize| {
        let cell = move |law: fn(&(f64, Speedup)) -> String| {
            move || params.get().curve().nth(i).map(|point| law(&point)).unwrap_or_default()
        };
        view! {
            <tr>
                <th scope="row">{cell(|(n, _)| grouped(*n as u64))}</th>
                <td class="number">{cell(|(_, s)| number(s.amdahl))}</td>
                <td class="number">{cell(|(_, s)| number(s.gustafson))}</td>
                <td class="number">{cell(|(_, s)| Unit::Fraction.format(s.efficiency))}</td>
            </tr>
        }
    };
    view! {
        <Table
            columns=[words("Processors"), numbers("Amdahl"), numbers("Gustafson"), numbers("Efficiency")]
            rows=(0..=64).step_by(8).map(row).collect_view().into_any()
        />
    }
    .into_any()
}
