//! Amdahl's and Gustafson's laws, and one's own times: the smallest example of a widget. CONTRIBUTING.md walks through this file.

use leptos::prelude::*;
use ringside_core::amdahl::measured::Measured;
use ringside_core::amdahl::{Params, Speedup};
use ringside_core::declare::{Model as _, Text as _};
use ringside_core::quantity::{Unit, grouped, number};
use ringside_drawing::charts::amdahl::chart;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::ui::unique_id;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// A widget is its parameters, a memo of the model's result, and a view of the two.
fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let quantities = Memo::new(move |_| params.with(|p| p.quantities(&p.speedup())));
    let subtitle = Signal::derive(move || {
        params.with(|p| format!("{} serial, {} processors", Unit::Fraction.format(p.serial), grouped(p.n)))
    });
    let below = view! {
        {readings::view(&Params::ENTRY, quantities)}
        {(!props.compact).then(|| measured(state))}
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding=Signal::derive(move || params.with(Params::finding))
            controls=Controls::of(state).draw()
            below=Some(below.into_any())
            table=move || table(params)
        >
            {ui::chart::view("laws", Memo::new(move |_| params.with(chart)))}
        </ModelFigure>
    }
    .into_any()
}

/// One's own times, typed or pasted, and the serial fraction that each of them shows.
fn measured(state: State<Params>) -> AnyView {
    let id = unique_id("measured");
    let wrong = RwSignal::new(None::<String>);
    let typed = move |event| {
        let mut read = Measured::default();
        match read.read(&event_target_value(&event)) {
            Ok(()) => {
                wrong.set(None);
                state.update(|p| p.measured = read);
            }
            Err(why) => wrong.set(Some(why)),
        }
    };
    let text = move || state.params().with(|p| p.measured.write().replace(',', "\n").replace(':', " "));
    let rows = move || {
        state.params().with(|p| {
            let fractions = p.measured.fractions();
            let row = |((n, psi), (_, e)): ((f64, f64), (f64, f64))| {
                view! {
                    <tr>
                        <th scope="row">{number(n)}</th>
                        <td class="number">{number(psi)}</td>
                        <td class="number">{Unit::Fraction.format(e)}</td>
                    </tr>
                }
            };
            p.measured.speedups().into_iter().zip(fractions).map(row).collect_view()
        })
    };
    view! {
        <details class="fold own-times" open=move || state.params().with(|p| !p.measured.0.is_empty())>
            <summary>"Your own times"</summary>
            <div class="own-times-body">
                <div>
                    <label for=id.clone()>"Processors and seconds, a line each; the first on one processor"</label>
                    <textarea id=id rows="7" spellcheck="false" prop:value=text on:change=typed></textarea>
                    <div role="alert">{move || wrong.get().map(|why| view! { <p class="message">{why}</p> })}</div>
                </div>
                <Table
                    columns=[words("Processors"), numbers("speed-up"), numbers("serial share, Karp–Flatt")]
                    rows=rows.into_any()
                />
            </div>
        </details>
    }
    .into_any()
}

/// The curves as a table: a row for every power of four.
fn table(params: Memo<Params>) -> AnyView {
    let row = move |i: usize| {
        let cell = move |law: fn(&(f64, Speedup)) -> String| {
            move || params.with(|p| p.curve().nth(i).map(|point| law(&point)).unwrap_or_default())
        };
        view! {
            <tr>
                <th scope="row">{cell(|(n, _)| grouped(*n as u64))}</th>
                <td class="number">{cell(|(_, s)| number(s.amdahl))}</td>
                <td class="number">{cell(|(_, s)| number(s.gustafson))}</td>
                <td class="number">{cell(|(_, s)| number(s.costly))}</td>
                <td class="number">{cell(|(_, s)| Unit::Fraction.format(s.efficiency))}</td>
            </tr>
        }
    };
    view! {
        <Table
            columns=[
                words("Processors"),
                numbers("Amdahl"),
                numbers("Gustafson"),
                numbers("Amdahl, with the cost"),
                numbers("efficiency"),
            ]
            rows=(0..=64).step_by(8).map(row).collect_view().into_any()
        />
    }
    .into_any()
}
