//! What a GPU holds through its first steps and much later: modelled areas, the GPU's capacity, and peaks that were measured.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::memory::Layout;
use ringside_core::memory::first_steps::{Course, Moment, Params, When};
use ringside_core::quantity::{bytes_decimal, grouped};
use ringside_drawing::charts::first_steps::chart;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::{Module, Props, outcome};
use crate::ui;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

type Shown = outcome::Shown<Course>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Shown::new(params, Params::evaluate, |p| {
        let mut plain = *p;
        plain.run.layout = Layout::default();
        plain
    });
    let model = Signal::derive(move || params.with(|p| p.run.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.run.model = model));
    let size = Signal::derive(move || params.with(|p| p.run.model.size().map_or(0.0, |size| size.params)));
    let drawn = Memo::new(move |_| shown.with(|c| Some(chart(c))).unwrap_or_default());
    view! {
        <ModelFigure
            props
            state
            input
            subtitle=Signal::derive(move || {
                params.with(|p| {
                    let tokens = grouped(p.run.seq.unwrap_or_default());
                    format!("{} · {tokens} tokens · ZeRO-{} over {}", p.run.model.name(), p.run.zero, grouped(p.run.dp))
                })
            })
            finding=Signal::derive(move || shown.error().unwrap_or_else(|| shown.with(Course::finding)))
            controls=Controls::of(state).special("model", input.select(size, None)).draw()
            below=Some(
                view! {
                    {shown.readings(params)}
                    {input.panel()}
                }
                    .into_any(),
            )
            table=move || table(shown)
        >
            {shown.frame(ui::chart::view("first-steps-chart", drawn))}
        </ModelFigure>
    }
    .into_any()
}

/// The peaks of the course, with what they consist of.
fn table(shown: Shown) -> AnyView {
    let rows = move || {
        shown
            .with(|c| {
                let whens = [When::Load, When::Passes(1), When::Update(1), When::Passes(2), When::Late];
                let fullest = |when: When| {
                    let most = |a: &&Moment, b: &&Moment| a.held.total().total_cmp(&b.held.total());
                    c.moments.iter().filter(|m| m.when == when).max_by(most)
                };
                let row = |m: &Moment| {
                    let h = m.held;
                    let cell = |bytes: f64| view! { <td class="number">{bytes_decimal(bytes)}</td> };
                    view! {
                        <tr>
                            <th scope="row">{m.name.clone()}</th>
                            {cell(h.weights)}
                            {cell(h.master)}
                            {cell(h.moments)}
                            {cell(h.gradients)}
                            {cell(h.activations)}
                            {cell(h.total())}
                        </tr>
                    }
                };
                whens.into_iter().filter_map(fullest).map(row).collect_view()
            })
            .into_any()
    };
    view! {
        <Table
            scroll="The peaks"
            columns=[
                words("Moment"),
                numbers("Weights"),
                numbers("Master copy"),
                numbers("Moments"),
                numbers("Gradients"),
                numbers("Activations"),
                numbers("Together"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
