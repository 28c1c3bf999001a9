//! How large a model for a budget: four views of seven laws, with the runs that were made.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, number};
use ringside_core::scaling_laws::runs::RUNS;
use ringside_core::scaling_laws::{Law, Outcome, Params, Show};
use ringside_drawing::charts::scaling_laws::chart;

use super::controls::{Controls, declared};
use super::model_figure::ModelFigure;
use super::outcome::Shown;
use super::{Module, Props};
use crate::ui;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let shown = Shown::new(params, Params::evaluate, Clone::clone);
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            format!("{} FLOP, {} parameters, {}", number(p.compute), Unit::Count.format(p.params), p.law.label())
        })
    });
    let drawn = Memo::new(move |_| params.with(|p| shown.with(|o: &Outcome| chart(p, o))));
    let controls = Controls::of(state).draw();
    let notes = Signal::derive(move || {
        params.with(|p| {
            let none = if p.law.surface().is_none() {
                "This law has no formula for the loss: the curves are Besiroglu’s. "
            } else {
                ""
            };
            format!("{none}{}. Losses belong to one tokenizer and one mixture of text.", p.law.source())
        })
    });
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding=Signal::derive(move || match params.with(|p| p.show) {
                Show::Frontier => shown.with(Outcome::frontier_finding),
                _ => shown.with(Outcome::finding),
            })
            notes
            controls
            below=Some(shown.readings(params))
            table=move || tables(params)
        >
            <div class="views">{declared(state, "show")}</div>
            {ui::chart::view("plane", drawn)}
        </ModelFigure>
    }
    .into_any()
}

/// Every law at this budget, and every run.
fn tables(params: Memo<Params>) -> AnyView {
    let laws = move || {
        let compute = params.with(|p| p.compute);
        let row = |law: Law| {
            let best = law.optimum(compute);
            view! {
                <tr>
                    <th scope="row">{law.label()}</th>
                    <td class="number">{format!("{:.3}", law.exponent())}</td>
                    <td class="number">{Unit::Count.format(best.params)}</td>
                    <td class="number">{Unit::Count.format(best.tokens)}</td>
                    <td class="number">{number(best.ratio())}</td>
                </tr>
            }
        };
        Law::ALL.map(row).collect_view()
    };
    let runs = RUNS.iter().map(|run| {
        view! {
            <tr>
                <th scope="row">{run.name}</th>
                <td class="number">{run.year}</td>
                <td class="number">{Unit::Count.format(run.at.params)}</td>
                <td class="number">{Unit::Count.format(run.at.tokens)}</td>
                <td class="number">{number(run.at.compute())}</td>
                <td class="number">{number(run.at.ratio())}</td>
                <td>{run.source}</td>
            </tr>
        }
    });
    view! {
        <Table
            caption="What each law spends this budget on"
            columns=[words("Law"), numbers("exponent"), numbers("parameters"), numbers("tokens"), numbers("tokens for each")]
            rows=laws.into_any()
        />
        <Table
            caption="Runs"
            columns=[
                words("Run"),
                numbers("year"),
                numbers("parameters a token uses"),
                numbers("tokens"),
                numbers("6ND, FLOPs"),
                numbers("tokens for each"),
                words("source"),
            ]
            rows=runs.collect_view().into_any()
        />
    }
    .into_any()
}
