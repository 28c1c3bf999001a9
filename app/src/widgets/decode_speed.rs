//! What a pass of decoding costs over the batch, and what drafting and fewer bits for weights are worth there.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::serving::machine::Machine;
use ringside_core::speculative::serving::{LARGEST, Outcome, Params};
use ringside_drawing::charts::decode_speed::chart;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::outcome::Shown;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let input = ModelInput::serving(state);
    let shown = Shown::new(params, |p| p.evaluate().map(Some), |p| Params { machine: Machine::default(), ..*p });
    let quantities =
        Memo::new(move |_| params.with(|p| shown.with(|o| o.as_ref().map(|o| p.quantities(o)).unwrap_or_default())));
    let subtitle =
        Signal::derive(move || params.with(|p| format!("{}, {} together", p.machine.words(), grouped(p.batch))));
    let drawn = Memo::new(move |_| shown.with(|o| o.as_ref().map(chart).unwrap_or_default()));
    let controls = Controls::of(state).special("model", input.choose_any()).draw();
    view! {
        <ModelFigure
            props
            state
            input
            subtitle
            finding=Signal::derive(move || {
                shown.error().unwrap_or_else(|| shown.with(|o| o.as_ref().map(Outcome::finding).unwrap_or_default()))
            })
            controls
            below=Some(view! { {readings::view(&Params::ENTRY, quantities)} {input.panel()} }.into_any())
            table=move || table(shown)
        >
            {shown.frame(ui::chart::view("decode-speed", drawn))}
        </ModelFigure>
    }
    .into_any()
}

/// Every batch that is a power of two.
fn table(shown: Shown<Option<Outcome>>) -> AnyView {
    let row = |outcome: &Outcome, power: u32| {
        let batch = 1 << power;
        let pass = outcome.pass_at(batch);
        view! {
            <tr>
                <th scope="row" class="number">{grouped(batch)}</th>
                <td class="number">{Unit::Seconds.format(outcome.reads(&pass))}</td>
                <td class="number">{Unit::Seconds.format(outcome.computes(&pass))}</td>
                <td class="number">{Unit::Seconds.format(pass.time())}</td>
                <td class="number">{number(outcome.at_batch(batch))}</td>
            </tr>
        }
    };
    let rows = move || {
        shown.with(|o| {
            o.as_ref()
                .map(|o| (0..=LARGEST).map(|power| row(o, power).into_any()).collect::<Vec<_>>())
                .unwrap_or_default()
        })
    };
    view! {
        <Table
            columns=[
                numbers("Together"),
                numbers("reading, at the peak"),
                numbers("computing, at the peak"),
                numbers("the pass"),
                numbers("times as fast by the draft"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
