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
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::presets::Preset;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// States worth comparing.
const STATES: [Preset; 5] = [
    ("Round robin", "policy=round-robin&prefill=0&dies=0"),
    ("Prefix-aware", "policy=prefix&prefill=0&bound=2&dies=0"),
    ("No load bound", "policy=prefix&prefill=0&bound=0&dies=0"),
    ("Prefill pool of 2", "policy=prefix&replicas=4&prefill=2&bound=1.5&dies=0"),
    ("A replica dies", "policy=round-robin&prefill=0&dies=20"),
];

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let input = ModelInput::serving(state);
    let shown = Shown::new(params, Params::evaluate, |_| Params::standard());
    let quantities = Memo::new(move |_| params.with(|p| shown.with(|o| p.quantities(o))));
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
    let figure = view! {
        <ModelFigure
            props
            state
            subtitle
            finding=Signal::derive(move || params.with(|p| shown.with(|o| p.finding(o))))
            notes="Simulated step by step, with one draw of sessions. The router takes no time and knows every cache and every load as they are. A request that \
                   is retried starts again from its prompt."
                .to_owned()
            presets=ui::presets::partial(state, "States", STATES)
            controls=Controls::of(state).special("model", input.choose_any()).draw()
            below=Some(view! { {readings::view(&Params::ENTRY, quantities)} {input.panel()} }.into_any())
            table=move || table(params)
        >
            {shown.frame(ui::picture::view("fleet-lanes", lanes))}
        </ModelFigure>
    };
    input.drop_zone(figure.into_any())
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
