//! A completion in time: what it takes over the length of the prompt.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::editor_latency::{Kept, Params};
use ringside_core::fim::format::Order;
use ringside_core::quantity::{Unit, grouped};
use ringside_drawing::charts::editor_latency::chart;

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
    let quantities = Memo::new(move |_| params.with(|p| p.quantities(&p.times())));
    let subtitle =
        move || params.with(|p| format!("{} on one {}, {} tokens", p.name(), p.gpu.name, grouped(p.context)));
    view! {
        <ModelFigure
            props
            state
            input
            subtitle=Signal::derive(subtitle)
            finding=Signal::derive(move || params.with(|p| p.finding(&p.times())))
            controls=Controls::of(state).special("model", input.choose_any()).draw()
            below=Some(view! { {readings::view(&Params::ENTRY, quantities)} {input.panel()} }.into_any())
            table=move || table(params)
        >
            {ui::chart::view("latency-chart", Memo::new(move |_| params.with(chart)))}
        </ModelFigure>
    }
    .into_any()
}

/// What it takes for prompts of some lengths.
fn table(params: Memo<Params>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            let row = |power: u32| {
                let context = 1_u64 << power;
                let at = |kept, order| {
                    let params = Params { context, kept, order, ..*p };
                    let times = params.times();
                    if params.fits(&times) { Unit::Seconds.format(times.whole) } else { "doesn’t fit".to_owned() }
                };
                view! {
                    <tr>
                        <th scope="row" class="number">{grouped(context)}</th>
                        <td class="number">{at(Kept::Nothing, Order::Psm)}</td>
                        <td class="number">{at(Kept::Prompt, Order::Psm)}</td>
                        <td class="number">{at(Kept::Prompt, Order::Spm)}</td>
                        <td class="number">{Unit::Bytes.format(Params { context, ..*p }.times().cache)}</td>
                    </tr>
                }
            };
            (6..=17).map(row).collect_view()
        })
    };
    view! {
        <Table
            columns=[
                numbers("Tokens of the prompt"),
                numbers("nothing kept"),
                numbers("prefix first"),
                numbers("suffix first"),
                numbers("cache"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
