//! Amdahl's and Gustafson's laws: the smallest example of a widget. CONTRIBUTING.md walks through this file.

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::amdahl::{MAX_N, Params, Speedup};
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_drawing::scale::{Log, percent};

use super::controls::Controls;
use super::{Module, Props, readings};
use crate::deferred::NotLoaded;
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
            {drawing(params, result)}
        </Figure>
    }
    .into_any()
}

/// A law: its name, and what it makes of a result.
type Law = (&'static str, fn(&Speedup) -> f64);

/// Both laws over the number of processors, both axes logarithmic: a straight line and one that bends to its limit.
fn drawing(params: Memo<Params>, result: Memo<Speedup>) -> impl IntoView {
    let scale = Log::to(MAX_N as f64);
    let height = move |speedup: f64| 100.0 - scale.percent(speedup);
    let here = move || percent(scale.percent(params.get().n as f64));
    let laws: [Law; 2] = [("Gustafson", |s| s.gustafson), ("Amdahl", |s| s.amdahl)];
    let curves = laws.map(|(_, law)| {
        let points = move || {
            let point = |(n, s): (f64, Speedup)| format!("{:.2},{:.2} ", scale.percent(n), height(law(&s)));
            params.get().curve().map(point).collect::<String>()
        };
        view! { <polyline points=points /> }
    });
    // Each label keeps clear of its curve: Gustafson's lies over it on the left, Amdahl's under it on the right.
    let points = laws.map(|(name, law)| {
        let up = move || percent(height(law(&result.get())));
        let left = move || params.get().n > if name == "Amdahl" { 1024 } else { 16 };
        view! {
            <circle cx=here cy=up r="5" />
            <text
                class="label"
                x=here
                y=up
                dx=move || if left() { "-10" } else { "10" }
                dy=if name == "Amdahl" { "24" } else { "-10" }
                text-anchor=move || if left() { "end" } else { "start" }
            >
                {move || format!("{name} {}", number(law(&result.get())))}
            </text>
        }
    });
    let limit = move || percent(height(result.get().limit.min(MAX_N as f64)));
    let ticks = [1, 16, 256, 4096, MAX_N].map(|n| {
        let (across, up) = (percent(scale.percent(n as f64)), percent(height(n as f64)));
        view! {
            <line x1=across.clone() x2=across.clone() y2="100%" />
            <line y1=up.clone() y2=up.clone() x2="100%" />
            <text x=across y="100%" dy="18" text-anchor=if n == MAX_N { "end" } else { "middle" }>{grouped(n)}</text>
            <text dx="-8" y=up dy=".35em" text-anchor="end">{grouped(n)}</text>
        }
    });
    view! {
        <svg class="laws" aria-hidden="true">
            <g class="ticks">{ticks.into_iter().collect_view()}</g>
            <g class="limit" class:nowhere=move || result.get().limit.is_infinite()>
                <line y1=limit y2=limit x2="100%" />
                <text x="100%" y=limit dy="-6" text-anchor="end">{move || format!("limit {}", number(result.get().limit))}</text>
            </g>
            <svg viewBox="0 0 100 100" preserveAspectRatio="none">{curves.into_iter().collect_view()}</svg>
            {points.into_iter().collect_view()}
        </svg>
        <p class="fine">"Across: processors. Up: how many times as fast as one."</p>
    }
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
