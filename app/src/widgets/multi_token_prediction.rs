//! Several tokens at once: what drafting with further heads is worth, over the tokens drafted.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::speculative::figure::{MOST, Params};
use ringside_core::speculative::tokens;
use ringside_drawing::charts::multi_token_prediction::chart;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));
    let outcome = Memo::new(move |_| params.with(Params::outcome));
    let quantities = Memo::new(move |_| params.with(|p| outcome.with(|o| p.quantities(o))));
    let subtitle = Signal::derive(move || {
        params.with(|p| format!("{}, {} drafted, {} together", p.model.name(), p.drafted, grouped(p.batch)))
    });
    view! {
        <ModelFigure
            props
            state
            input
            subtitle
            finding=Signal::derive(move || params.with(|p| outcome.with(|o| p.finding(o))))
            controls=Controls::of(state).special("model", input.choose_any()).draw()
            below=Some(view! { {readings::view(&Params::ENTRY, quantities)} {input.panel()} }.into_any())
            table=move || table(params)
        >
            {ui::chart::view("drafting", Memo::new(move |_| params.with(chart)))}
        </ModelFigure>
    }
    .into_any()
}

/// Every number of tokens drafted.
fn table(params: Memo<Params>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            let row = |drafted: u32| {
                let other = Params { drafted, ..*p };
                let outcome = other.outcome();
                view! {
                    <tr>
                        <th scope="row" class="number">{drafted}</th>
                        <td class="number">{number(tokens(p.alpha, drafted))}</td>
                        <td class="number">{Unit::Seconds.format(outcome.check)}</td>
                        <td class="number">{number(other.speedup(&outcome))}</td>
                    </tr>
                }
            };
            (0..=MOST).map(row).collect_view()
        })
    };
    view! {
        <Table
            columns=[numbers("Drafted"), numbers("tokens of a pass"), numbers("checking"), numbers("times as fast")]
            rows=rows.into_any()
        />
    }
    .into_any()
}
