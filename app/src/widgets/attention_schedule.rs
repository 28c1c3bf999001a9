//! The units of an SM in attention: tensor cores, exponentials and fp32 in time.

use leptos::prelude::*;
use ringside_core::attention::schedule::{Params, Task};
use ringside_core::declare::Model as _;
use ringside_core::quantity::number;
use ringside_drawing::picture::Picture;
use ringside_drawing::pictures::attention_schedule::picture;

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
    let schedule = Memo::new(move |_| params.with(Params::schedule));
    let quantities = Memo::new(move |_| params.with(|p| schedule.with(|s| p.quantities(s))));
    let lanes = Memo::new(move |_| params.with(|p| schedule.with(|s| Picture::from(picture(p, s)))));
    let subtitle = move || {
        params.with(|p| {
            let groups = if p.groups > 1 { "two groups" } else { "one group" };
            let order = if p.ahead { "one tile ahead" } else { "in turn" };
            format!("{}, {groups}, {order}", p.gpu.label())
        })
    };
    let table = move || {
        let rows = move || {
            schedule.with(|s| {
                let end = s.shown();
                let row = |task: &Task| {
                    view! {
                        <tr>
                            <th scope="row">{task.work.label()}</th>
                            <td class="number">{task.tile + 1}</td>
                            <td class="number">{task.group + 1}</td>
                            <td class="number">{number(task.from)}</td>
                            <td class="number">{number(task.to)}</td>
                        </tr>
                    }
                };
                s.tasks.iter().filter(|task| task.from < end).map(row).collect_view()
            })
        };
        let columns =
            [words("Work"), numbers("Tile"), numbers("Group"), numbers("From, clocks"), numbers("To, clocks")];
        view! { <Table columns rows=rows.into_any() /> }.into_any()
    };
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(subtitle)
            finding=Signal::derive(move || params.with(|p| schedule.with(|s| p.finding(s))))
            controls=Controls::of(state).draw()
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=table
        >
            {ui::picture::view("attention-lanes", lanes)}
        </ModelFigure>
    }
    .into_any()
}
