//! The ranks of a stage on two grids, that of attention and that of experts, with a group lit on both.

mod drawing;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::expert_grid::{Layout, Params};
use ringside_core::quantity::counted;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::outcome::Shown;
use super::{Module, Props, readings};
use crate::ui::dom;
use crate::ui::markup::renewed;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let shown = Shown::new(params, |p| p.evaluate().map(|layout| (*p, layout)), |_| Params::standard());
    let with = move |look: fn(&Params, &Layout) -> String| shown.with(|(p, layout)| look(p, layout));
    let finding = Signal::derive(move || shown.error().unwrap_or_else(|| with(Params::finding)));
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let (gpus, experts) = (counted(p.gpus, "GPU", "GPUs"), counted(p.experts, "expert", "experts"));
            format!("{gpus} · {experts} · rank {}", p.rank)
        })
    });
    let quantities = Memo::new(move |_| shown.with(|(p, layout)| p.quantities(layout)));
    let press = move |event: leptos::ev::MouseEvent| {
        let cell = dom::closest_element(&event, "[data-rank]").map(|cell| dom::attribute(&cell, "data-rank"));
        if let Some(rank) = cell.and_then(|text| text.parse().ok()) {
            state.update(|p| p.rank = rank);
        }
    };
    let picture = move || with(drawing::picture);
    view! {
        <ModelFigure
            props
            state
            subtitle
            finding
            controls=Controls::of(state).draw()
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=move || table(shown)
        >
            {shown.frame(view! { <div class="expert-grid" on:click=press use:renewed=picture></div> }.into_any())}
        </ModelFigure>
    }
    .into_any()
}

/// Where each rank of the stage lies.
fn table(shown: Shown<(Params, Layout)>) -> AnyView {
    let rows = move || {
        shown.with(|(p, layout)| {
            let row = |rank: u64| {
                let places = |[a, b, c, _]: [u64; 4]| format!("{a}, {b}, {c}");
                view! {
                    <tr>
                        <th scope="row">{rank}</th>
                        <td class="number">{places(layout.attention.place(rank))}</td>
                        <td class="number">{places(layout.experts.place(rank))}</td>
                        <td>{p.holds(layout, rank)}</td>
                    </tr>
                }
            };
            layout.stage(p.rank).into_iter().map(row).collect_view()
        })
    };
    view! {
        <Table
            caption="Where each rank of the stage lies"
            columns=[words("Rank"), numbers("tp, cp, dp"), numbers("etp, ep, edp"), words("Holds")]
            rows=rows.into_any()
        />
    }
    .into_any()
}
