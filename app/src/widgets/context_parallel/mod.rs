//! One sequence on several ranks: which blocks of the attention matrix each computes, whose keys and values it has, and its time.

mod compare;
mod drawing;

use leptos::prelude::*;
use ringside_core::context_parallel::{Method, Params, Pass, Run};
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, counted, grouped};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::outcome::Shown;
use super::{Module, Props, played, readings};
use crate::ui::markup::renewed;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// How it is played.
const PACE: Pace = Pace { whole: 12_000.0, longest: 1800.0, shortest: 500.0 };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let whole = played::whole(params);
    let shown = Shown::new(whole, |p| Run::new(*p), |p| Params { ranks: 1, ..*p });
    let steps = Signal::derive(move || shown.with(|run: &Run| run.params.steps()));
    let step = played::step(params, move || steps.get());
    let set = played::set(state);
    let place = Signal::derive(move || whole.with(|p| place(p, step.get(), steps.get())));
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let ranks = counted(p.ranks, "rank", "ranks");
            format!("{} · {} · {ranks} · {} tokens", p.method.label(), p.pass.label(), grouped(p.seq))
        })
    });
    let finding = Signal::derive(move || shown.error().unwrap_or_else(|| shown.with(|run| run.finding(step.get()))));
    let quantities = Memo::new(move |_| shown.with(|run| run.params.quantities(run)));
    let controls = Controls::of(state).draw();
    let picture = move || shown.with(|run| drawing::picture(run, step.get()));
    let below = view! {
        {(!props.compact).then(|| compare::view(state))}
        {readings::view(&Params::ENTRY, quantities)}
    };
    view! {
        <ModelFigure
            props
            state
            subtitle
            finding
            controls
            transport=view! { <Transport steps step set playback=PACE.of(steps) place alone=props.alone /> }.into_any()
            below=Some(below.into_any())
            table=move || table(shown)
        >
            {shown.frame(view! { <div class="context-parallel" use:renewed=picture></div> }.into_any())}
        </ModelFigure>
    }
    .into_any()
}

/// Where it is.
fn place(p: &Params, step: usize, steps: usize) -> String {
    match (p.method, step) {
        (_, 0) => "Before attention".to_owned(),
        (Method::Ring, step) if p.pass == Pass::Backward && step == steps && steps > 1 => {
            "Gradients come home".to_owned()
        }
        (Method::AllGather, 3) => "Reduce-scatter".to_owned(),
        (Method::Ring, step) => format!("Step {step} of {steps}"),
        (Method::AllGather, 1) => "All-gather".to_owned(),
        (Method::Ulysses, 1) => "First all-to-all".to_owned(),
        (_, 2) => "Attention".to_owned(),
        _ => "Second all-to-all".to_owned(),
    }
}

/// What each rank has and does.
fn table(shown: Shown<Run>) -> AnyView {
    let rows = move || {
        shown.with(|run| {
            let p = &run.params;
            let row = |(rank, attention): (usize, &f64)| {
                let [early, late] = p.split.chunks(rank as u64, p.ranks);
                let waits = run.total - attention;
                view! {
                    <tr>
                        <th scope="row">{rank}</th>
                        <td class="number">{format!("{early} and {late}")}</td>
                        <td class="number">{Unit::Seconds.format(*attention)}</td>
                        <td class="number">{Unit::Seconds.format(if waits > 1e-9 * run.total { waits } else { 0.0 })}</td>
                    </tr>
                }
            };
            run.attention.iter().enumerate().map(row).collect_view()
        })
    };
    let caption = Signal::derive(move || {
        shown.with(|run| format!("Ranks, with the sequence in {} chunks", 2 * run.params.ranks))
    });
    view! {
        <Table
            caption
            columns=[words("Rank"), numbers("chunks"), numbers("attention"), numbers("waits")]
            rows=rows.into_any()
        />
    }
    .into_any()
}
