//! Fetch or recompute: seconds over the length of a prefix, from each tier.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, count, grouped};
use ringside_core::serving::tiers::{Outcome, Params, Tier};
use ringside_drawing::charts::kv_tiers::chart;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
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
    let input = ModelInput::serving(state);
    let shown = Shown::new(params, Params::evaluate, |_| Params::standard());
    let subtitle =
        Signal::derive(move || params.with(|p| format!("{}, {} prefix tokens", p.machine.words(), grouped(p.tokens))));
    let drawn = Memo::new(move |_| params.with(|p| shown.with(|o| Some(chart(p, o)))).unwrap_or_default());
    view! {
        <ModelFigure
            props
            state
            input
            subtitle
            finding=Signal::derive(move || params.with(|p| shown.with(|o| p.finding(o))))
            controls=Controls::of(state).special("model", input.choose_any()).draw()
            below=Some(view! { {shown.readings(params)} {input.panel()} }.into_any())
            table=move || table(shown)
        >
            {shown.frame(ui::chart::view("kv-tiers-chart", drawn))}
        </ModelFigure>
    }
    .into_any()
}

/// Every tier.
fn table(shown: Shown<Outcome>) -> AnyView {
    let rows = move || {
        shown.with(|o| {
            let row = |tier: Tier| {
                let i = tier as usize;
                let faster = if o.here.fetches(tier) { "fetch" } else { "recompute" };
                view! {
                    <tr>
                        <th scope="row">{tier.label()}</th>
                        <td class="number">{Unit::Seconds.format(o.here.from(tier))}</td>
                        <td class="number">{Unit::Seconds.format(o.here.recompute)}</td>
                        <td>{faster}</td>
                        <td class="number">{o.breaks_even[i].map_or_else(|| "never".to_owned(), grouped)}</td>
                        <td class="number">{count(o.capacity[i])}</td>
                        <td class="number">
                            {o.worth_keeping(tier).map_or_else(|| "always".to_owned(), |s| Unit::Seconds.format(s))}
                        </td>
                    </tr>
                }
            };
            Some(Tier::ALL.into_iter().map(row).collect_view())
        })
    };
    view! {
        <Table
            columns=[
                words("Tier"),
                numbers("Fetch"),
                numbers("Recompute"),
                words("Faster"),
                numbers("Break-even prefix, tokens"),
                numbers("Capacity in tokens"),
                numbers("Longest time between uses that pays"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
