//! A fleet: what each replica does over time, and the three routers on the same sessions.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, grouped};
use ringside_core::serving::fleet::{Params, Policy, Run};
use ringside_drawing::picture::Picture;
use ringside_drawing::pictures::fleet::picture;

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
    let lanes = Memo::new(move |_| {
        let drawn = params.with(|p| shown.with(|o| Some(Picture::from(picture(p, o)))));
        drawn.unwrap_or_else(|| Picture::Over(Vec::new()))
    });
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let machine = p.machine.words();
            format!("{} replicas of {machine}, {} sessions", grouped(p.replicas), grouped(p.sessions))
        })
    });
    view! {
        <ModelFigure
            props
            state
            input
            subtitle
            finding=Signal::derive(move || params.with(|p| shown.with(|o| p.finding(o))))
            controls=Controls::of(state).special("model", input.choose_any()).draw()
            below=Some(view! { {shown.readings(params)} {input.panel()} }.into_any())
            table=move || table(params)
        >
            {shown.frame(ui::picture::view("fleet-lanes", lanes))}
        </ModelFigure>
    }
    .into_any()
}

/// The routers on the same sessions.
fn table(params: Memo<Params>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            let row = |(policy, run): (Policy, Run)| {
                view! {
                    <tr>
                        <th scope="row">{policy.label()}</th>
                        <td class="number">{Unit::Fraction.format(run.hit_rate())}</td>
                        <td class="number">{Unit::Ratio.format(p.imbalance(&run))}</td>
                        <td class="number">{Unit::Seconds.format(run.first(0.5))}</td>
                        <td class="number">{Unit::Seconds.format(run.first(0.99))}</td>
                        <td class="number">{Unit::Count.format(run.throughput() / p.gpus() as f64)}</td>
                    </tr>
                }
            };
            p.policies().unwrap_or_default().into_iter().map(row).collect_view()
        })
    };
    view! {
        <Table
            columns=[
                words("Router"),
                numbers("Prefix hit rate"),
                numbers("Load imbalance"),
                numbers("TTFT, median"),
                numbers("TTFT, p99"),
                numbers("Tokens/s per GPU"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
