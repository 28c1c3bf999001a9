//! The strategies beside each other, at the same parameters.

use leptos::prelude::*;
use ringside_core::quantity::number;
use ringside_core::zero::{Memory, Params, Run, Strategy};
use ringside_drawing::scale::{Linear, percent};

use super::{State, board};
use crate::ui::debounced::debounced;
use crate::ui::table::{Table, numbers, words};
use crate::widgets::played::Played as _;

/// What there is to say of one.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    strategy: Strategy,
    /// None if it cannot be run so.
    run: Option<Summary>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Summary {
    peak: Memory,
    resting: f64,
    volume: f64,
    exposed: f64,
    leaving: f64,
    matches: bool,
}

fn rows(params: &Params) -> Vec<Row> {
    let one = |strategy| {
        let run = Run::new(&Params { strategy, ..*params }).ok();
        let summary = |run: Run| {
            let end = run.mark(run.steps());
            Summary {
                peak: run.mark(run.peak()).memory,
                resting: run.resting().total(),
                volume: run.volume(),
                exposed: end.exposed,
                leaving: end.leaving,
                matches: run.check.matches(),
            }
        };
        Row { strategy, run: run.map(summary) }
    };
    Strategy::ALL.map(one).into()
}

/// The table; a strategy in it is a button that shows it.
pub(super) fn view(state: State) -> AnyView {
    // Whichever is on show, all are compared.
    let params = state.params();
    let alike = Memo::new(move |_| params.with(|p| Params { strategy: Strategy::Ddp, ..p.at_start() }));
    let at_rest = debounced(alike);
    let rows = Memo::new(move |_| at_rest.with(rows));
    let body = move || {
        rows.with(|rows| {
            let runs = || rows.iter().filter_map(|row| row.run);
            let most = Linear::to(runs().map(|run| run.peak.total()).fold(0.0, f64::max));
            let widest = Linear::to(runs().map(|run| run.volume).fold(0.0, f64::max));
            rows.iter().map(|row| line(state, row, most, widest)).collect_view()
        })
    };
    view! {
        <Table
            scroll="The strategies beside each other"
            caption="The strategies beside each other"
            class="strategies"
            columns=[
                words("strategy"),
                words("peak per rank"),
                numbers("between steps"),
                words("sent per rank"),
                numbers("exposed"),
                numbers("leaves a node"),
                words("result"),
            ]
            rows=body.into_any()
        />
    }
    .into_any()
}

fn line(state: State, row: &Row, most: Linear, widest: Linear) -> AnyView {
    let strategy = row.strategy;
    let is_on_show = move || state.params().with(|p| p.strategy == strategy);
    let show = move |_| state.update(|p| *p = Params { strategy, ..p.at_start() });
    let bytes = super::bytes;
    let cells = match row.run {
        None => view! { <td colspan="6">"not with these nodes"</td> }.into_any(),
        Some(run) => view! {
            <td class="amount">{board::bar(&run.peak, most)}<b>{bytes(run.peak.total())}</b></td>
            <td class="number">{bytes(run.resting)}</td>
            <td class="amount">
                <span class="stack"><i class="swatch wire" style:width=percent(widest.percent(run.volume))></i></span>
                <b>{format!("{}\u{a0}Ψ", number(run.volume))}</b>
            </td>
            <td class="number">{bytes(run.exposed)}</td>
            <td class="number">{bytes(run.leaving)}</td>
            <td>{if run.matches { "✓ one rank’s" } else { "differs" }}</td>
        }
        .into_any(),
    };
    view! {
        <tr class:here=is_on_show>
            <th scope="row">
                <button type="button" class="quiet" aria-pressed=move || is_on_show().to_string() on:click=show>
                    {strategy.label()}
                </button>
            </th>
            {cells}
        </tr>
    }
    .into_any()
}
