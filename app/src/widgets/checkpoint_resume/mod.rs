//! A run resumed from a checkpoint that lacks something, beside the run that was never interrupted; and shards that other ranks load.

mod shards;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{grouped, number};
use ringside_core::resume::{Params, Resumed, View};
use ringside_drawing::charts::checkpoint_resume;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui::chart;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    // Neither the view nor the rank on show changes the runs.
    let still = Memo::new(move |_| Params { view: View::Resume, rank: 0, ..params.get() });
    let run = Memo::new(move |_| still.with(Params::resumed));
    let show = Memo::new(move |_| params.with(|p| p.view));
    let controls = Controls::of(state).draw();
    let quantities = Memo::new(move |_| params.with(|p| run.with(|r| p.quantities(r))));
    let losses = Memo::new(move |_| params.with(|p| run.with(|r| checkpoint_resume::chart(p, r))));
    let drawing = move || match show.get() {
        View::Resume => chart::view("resume-chart", losses),
        View::Reshard => shards::view(params, run),
    };
    let subtitle = Signal::derive(move || {
        params.with(|p| match p.view {
            View::Resume => format!("saved after step {}, lacks {}", grouped(p.at.into()), p.missing.label()),
            View::Reshard => format!("{} ranks saved, {} load", grouped(p.from), grouped(p.to)),
        })
    });
    view! {
        <ModelFigure
            props
            state
            subtitle
            finding=Signal::derive(move || params.with(|p| run.with(|r| p.finding(r))))
            controls
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=move || table(run)
        >
            {drawing}
        </ModelFigure>
    }
    .into_any()
}

/// Both runs step by step.
fn table(run: Memo<Resumed>) -> AnyView {
    let rows = move || {
        run.with(|r| {
            let row = |(i, step): (usize, &ringside_core::loss_scaling::network::Step)| {
                let resumed = i.checked_sub(r.begins()).and_then(|i| r.resumed.get(i));
                let loss = resumed.map_or_else(|| "–".to_owned(), |step| number(step.loss));
                let skipped = resumed.is_some_and(|step| step.skipped);
                view! {
                    <tr>
                        <th scope="row">{i + 1}</th>
                        <td class="number">{number(step.loss)}</td>
                        <td class="number">{loss}</td>
                        <td>{if skipped { "skipped" } else { "" }}</td>
                    </tr>
                }
            };
            r.whole.iter().enumerate().map(row).collect_view()
        })
    };
    let columns =
        [numbers("Step"), numbers("Loss, never interrupted"), numbers("Loss, resumed"), words("Resumed update")];
    view! { <Table columns rows=rows.into_any() /> }.into_any()
}
