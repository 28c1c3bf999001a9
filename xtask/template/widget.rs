//! {title}: what the drawing shows.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::grouped;
use ringside_core::{snake}::Params;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let quantities = Memo::new(move |_| params.with(|p| p.quantities(&p.pairs())));
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || params.with(|p| grouped(p.n)))
            finding=Signal::derive(move || params.with(Params::finding))
            controls=Controls::of(state).draw()
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=move || table(params)
        >
            {drawing(params)}
        </ModelFigure>
    }
    .into_any()
}

/// How many there are and how many pairs, as bars to the same scale.
fn drawing(params: Memo<Params>) -> impl IntoView {
    let width = move || params.with(|p| format!("{}%", 100 * p.n / p.pairs().pairs.max(p.n)));
    view! {
        <svg class="{id}" aria-hidden="true">
            <rect y="10%" width=width height="35%" />
            <rect y="55%" width="100%" height="35%" />
        </svg>
    }
}

/// The same as a table.
fn table(params: Memo<Params>) -> AnyView {
    let row = move || {
        params.with(|p| {
            view! {
                <tr>
                    <th scope="row">{grouped(p.n)}</th>
                    <td class="number">{grouped(p.pairs().pairs)}</td>
                </tr>
            }
        })
    };
    view! { <Table columns=[words("How many"), numbers("ordered pairs")] rows=row.into_any() /> }.into_any()
}
