//! Which random streams of a job are equal: a matrix to fill, and the run that comes of it.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::number;
use ringside_core::seed_streams::{Params, Shown, Stream};
use ringside_drawing::charts::seed_streams;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::chart;
use crate::ui::table::{Table, numbers};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// The path to a cell's stream.
type Cell = fn(&mut Params) -> &mut Stream;

/// The rows: what is drawn, and its cells over replicas, tensor-parallel ranks and stages.
const ROWS: &[(&str, [Option<Cell>; 3])] = &[
    ("Initial weights", [Some(|p| &mut p.init_dp), Some(|p| &mut p.init_tp), None]),
    ("Order of the data", [Some(|p| &mut p.data_dp), None, Some(|p| &mut p.data_pp)]),
    ("Dropout, whole tensors", [Some(|p| &mut p.drop_dp), Some(|p| &mut p.drop_whole), None]),
    ("Dropout, sharded tensors", [None, Some(|p| &mut p.drop_shard), None]),
];

/// The columns.
const OVER: [&str; 3] = ["data-parallel replicas", "tensor-parallel ranks", "pipeline stages"];

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    // What dropout drops changes no loss: the network has none.
    let trained = Memo::new(move |_| Params { dropout: 0.0, ..params.get() });
    let shown = Memo::new(move |_| trained.with(|p| Shown { run: p.run(), right: p.right().run() }));
    let drawn = Memo::new(move |_| params.with(|p| shown.with(|s| seed_streams::chart(p, s))));
    let all = Memo::new(move |_| params.with(|p| shown.with(|s| p.quantities(s))));
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(|| "2 replicas × 2 tensor-parallel ranks × 2 stages".to_owned())
            finding=Signal::derive(move || params.with(|p| shown.with(|s| p.finding(s))))
            controls=Controls::of(state).draw()
            below=Some(readings::view(&Params::ENTRY, all))
            table=move || table(shown)
        >
            <div class="seed-streams">{matrix(state)} {chart::view("seed-chart", drawn)}</div>
        </ModelFigure>
    }
    .into_any()
}

/// The matrix: each cell is a button that says what it is.
fn matrix(state: State) -> impl IntoView {
    let row = move |(what, cells): &'static (&'static str, [Option<Cell>; 3])| {
        let cells = cells.iter().zip(OVER).map(move |(cell, over)| {
            let Some(cell) = *cell else { return view! { <td class="none">"–"</td> }.into_any() };
            let value = Memo::new(move |_| state.params().with(|p| *cell(&mut p.clone())));
            let flip = move |_| {
                state.update(|p| {
                    let stream = cell(p);
                    *stream = if stream.equal() { Stream::Different } else { Stream::Equal };
                });
            };
            view! {
                <td>
                    <button
                        type="button"
                        class="stream"
                        class:different=move || !value.get().equal()
                        aria-label=move || format!("{what} over {over}: {}", value.get().label())
                        on:click=flip
                    >
                        {move || value.get().label()}
                    </button>
                </td>
            }
            .into_any()
        });
        view! {
            <tr>
                <th scope="row">{*what}</th>
                {cells.collect_view()}
            </tr>
        }
    };
    view! {
        <table class="streams">
            <caption>"Do these ranks draw the same numbers? Press to change."</caption>
            <thead>
                <tr>
                    <th scope="col">"Stream"</th>
                    {OVER.map(|over| view! { <th scope="col">{over}</th> }).into_iter().collect_view()}
                </tr>
            </thead>
            <tbody>{ROWS.iter().map(row).collect_view()}</tbody>
        </table>
    }
}

/// The losses step by step.
fn table(shown: Memo<Shown>) -> AnyView {
    let rows = move || {
        shown.with(|s| {
            let row = |(i, losses): (usize, &[f64; 2])| {
                let right = s.right.losses.get(i).map_or(f64::NAN, |l| l[0]);
                let apart = s.run.apart.get(i).copied().unwrap_or_default();
                view! {
                    <tr>
                        <th scope="row">{i + 1}</th>
                        <td class="number">{number(losses[0])}</td>
                        <td class="number">{number(losses[1])}</td>
                        <td class="number">{number(right)}</td>
                        <td class="number">{number(apart)}</td>
                    </tr>
                }
            };
            s.run.losses.iter().enumerate().map(row).collect_view()
        })
    };
    view! {
        <Table
            columns=[
                numbers("Step"),
                numbers("Loss of replica 0"),
                numbers("Loss of replica 1"),
                numbers("With the right streams"),
                numbers("Replicas apart"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
