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
use super::{Module, Props, outcome, readings};
use crate::ui;
use crate::ui::presets::Preset;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

type Shown = outcome::Shown<Course>;

/// A run that lives, one that dies at each of the three moments, and two that were measured.
const STATES: [Preset; 6] = [
    ("it lives", "seq=8192&zero=3&dp=8"),
    ("dies at step 1", "seq=1024&zero=0&dp=8"),
    ("dies at step 2", "seq=11264&zero=1&dp=8"),
    ("dies at step 3,000", "seq=8192&zero=3&dp=8&late=32768"),
    (
        "measured, tp 2 × dp 4",
        "model=llama-3-70b&num_hidden_layers=12&seq=4096&tp=2&sp=true&dp=4&microbatches=4&zero=1&convention=megatron&gpu=b200",
    ),
    (
        "measured, 32,768 tokens over cp 8",
        "model=llama-3-70b&num_hidden_layers=12&seq=32768&sp=true&cp=8&dp=1&microbatches=4&zero=1&convention=megatron&gpu=b200",
    ),
];

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
    let all = Memo::new(move |_| params.with(|p| shown.with(|c| p.quantities(c))));
    let figure = view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || {
                params.with(|p| {
                    let tokens = grouped(p.run.seq.unwrap_or_default());
                    format!("{} · {tokens} tokens · ZeRO-{} over {}", p.run.model.name(), p.run.zero, grouped(p.run.dp))
                })
            })
            finding=Signal::derive(move || shown.error().unwrap_or_else(|| shown.with(Course::finding)))
            notes="The areas are modelled. Not in them: CUDA context, communication buffers, temporaries. Measured peaks: MooreThreads/SimuMax, docs/b200, Megatron-LM on eight B200s; only peaks were recorded, no course."
            presets=ui::presets::presets(state, "Runs", STATES, |p| *p)
            controls=Controls::of(state).special("model", input.select(size, None)).draw()
            below=Some(
                view! {
                    {readings::view(&Params::ENTRY, all)}
                    {input.panel()}
                }
                    .into_any(),
            )
            table=move || table(shown)
        >
            {shown.frame(ui::chart::view("first-steps-chart", drawn))}
        </ModelFigure>
    };
    input.drop_zone(figure.into_any())
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
