//! An RL pipeline: engines, queue and trainer in time, and the four layouts beside each other.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::post_training::rollout::{Layout, Params, Run};
use ringside_core::quantity::{Unit, grouped};
use ringside_drawing::picture::Picture;
use ringside_drawing::pictures::rl_pipeline::picture;

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
    let outcome = Memo::new(move |_| params.with(Params::outcome));
    let quantities = Memo::new(move |_| params.with(|p| outcome.with(|o| p.quantities(o))));
    let lanes = Memo::new(move |_| params.with(|p| outcome.with(|o| Picture::from(picture(p, o)))));
    let subtitle = move || {
        params.with(|p| {
            format!(
                "{} GPUs generate, {} train on {} answers per step",
                grouped(p.engines),
                grouped(p.trainers),
                grouped(p.batch)
            )
        })
    };
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(subtitle)
            finding=Signal::derive(move || params.with(|p| outcome.with(|o| p.finding(o))))
            controls=Controls::of(state).draw()
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=move || table(params)
        >
            {ui::picture::view("rl-lanes", lanes)}
        </ModelFigure>
    }
    .into_any()
}

/// The layouts on the same answers.
fn table(params: Memo<Params>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            let row = |(layout, run): (&Layout, &Run)| {
                view! {
                    <tr>
                        <th scope="row">{layout.label()}</th>
                        <td class="number">{Unit::Ratio.format(run.rate)}</td>
                        <td class="number">{Unit::Fraction.format(run.generation.idle)}</td>
                        <td class="number">{Unit::Fraction.format(run.training.idle)}</td>
                        <td class="number">{Unit::Ratio.format(run.age)}</td>
                        <td class="number">{grouped(run.oldest)}</td>
                    </tr>
                }
            };
            Layout::ALL.iter().zip(&p.runs()).map(row).collect_view()
        })
    };
    view! {
        <Table
            columns=[
                words("Layout"),
                numbers("Samples/s"),
                numbers("Engines idle"),
                numbers("Trainer idle"),
                numbers("Mean staleness, versions"),
                numbers("Oldest, versions"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
