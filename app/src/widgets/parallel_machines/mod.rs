//! The same small computation on four machines, step by step.

mod drawing;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::machines::{Kind, Params, Run, Work};
use ringside_core::quantity::{Unit, grouped, number};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::outcome::Shown;
use super::{Module, Props, played};
use crate::ui::markup::renewed;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// How fast it is played.
const PACE: Pace = Pace { whole: 12_000.0, longest: 700.0, shortest: 60.0 };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    // Only what the run depends on: a step back and forth runs nothing anew.
    let still = played::whole(params);
    let shown = Shown::new(still, Params::evaluate, Clone::clone);
    let steps = Signal::derive(move || shown.with(|run: &Run| run.steps.len()));
    let step = played::step(params, move || steps.get());
    let set = played::set(state);
    let playback = PACE.of(steps);
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let machine = if p.machine == Kind::Systolic {
                format!("{0} × {0} cells", p.lanes)
            } else {
                format!("{} of {} lanes", p.units, p.lanes)
            };
            format!("{}, {}: {machine}", p.work.label(), p.machine.label())
        })
    });
    let controls = Controls::of(state).draw();
    let picture = move || params.with(|p| shown.with(|run| drawing::picture(p, run, step.get())));
    let caption = move || shown.with(|run| drawing::caption(run, step.get()));
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding=Signal::derive(move || still.with(|p| shown.with(|run| p.finding(run))))
            controls
            transport=view! { <Transport steps step set playback alone=props.alone /> }.into_any()
            below=Some(shown.readings(still))
            table=move || table(still)
        >
            <ul class="legend machines-legend">
                <li><i class="swatch works" aria-hidden="true"></i>"works"</li>
                <li><i class="swatch masked" aria-hidden="true"></i>"has no part in it"</li>
                <li><i class="swatch waits" aria-hidden="true"></i>"waits"</li>
            </ul>
            <div class="machines" tabindex="0" role="group" aria-label="The machine" use:renewed=picture></div>
            <p class="machines-step">{caption}</p>
        </ModelFigure>
    }
    .into_any()
}

/// Every computation on this machine.
fn table(params: Memo<Params>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            let row = |work: Work| {
                let Ok(run) = (Params { work, ..p.clone() }).evaluate() else { return ().into_any() };
                view! {
                    <tr>
                        <th scope="row">{work.label()}</th>
                        <td class="number">{grouped(run.steps.len() as u64)}</td>
                        <td class="number">{number(run.time())}</td>
                        <td class="number">{Unit::Fraction.format(run.utilisation())}</td>
                        <td class="number">{number(run.speedup())}</td>
                        <td class="number">{Unit::Bytes.format(run.near() + run.far())}</td>
                        <td class="number">{number(run.messages())}</td>
                    </tr>
                }
                .into_any()
            };
            Work::ALL.map(row).collect_view()
        })
    };
    view! {
        <Table
            caption="Every computation on this machine"
            columns=[
                words("Computation"),
                numbers("steps"),
                numbers("time"),
                numbers("lanes work"),
                numbers("times one lane"),
                numbers("memory"),
                numbers("messages"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
