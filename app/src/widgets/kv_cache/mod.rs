//! A cache for many requests: the pool step by step with every table, what attention reads through one of them, and the requests
//! that fit beside the weights.

mod fit;
mod pool;
mod tables;
mod walk;

use leptos::prelude::*;
use ringside_core::declare::{Model as _, Text as _};
use ringside_core::kv_cache::blocks::figure::{ALL_STEPS, Params, Shown, View};
use ringside_core::kv_cache::blocks::requests::{FORM, Requests, listed};
use ringside_core::kv_cache::blocks::serve::Keeper;
use ringside_core::quantity::grouped;

use super::controls::{self, Controls};
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::{Module, Props, outcome, readings};
use crate::ui;
use crate::ui::lined::Lined;
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// How it is played.
const PACE: Pace = Pace { whole: 24_000.0, longest: 1100.0, shortest: 90.0 };

type Seen = outcome::Shown<Shown>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Seen::new(params, Params::evaluate, |p| Params { keeper: Keeper::Paged, ..p.clone() });
    let show = Memo::new(move |_| params.with(|p| p.view));
    let is = move |view: View| move || show.get() == view;
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.choose(model)));
    let size = Signal::derive(move || params.with(|p| p.model.size().map_or(0.0, |size| size.params)));

    // Beside the weights what counts is the model and the length of a request.
    let either = move |pool: AnyView, fit: AnyView| {
        view! {
            <div class="bare" class:nowhere=is(View::Fit)>{pool}</div>
            <div class="bare" class:nowhere=move || show.get() != View::Fit>{fit}</div>
        }
    };
    let of = move |name: &'static str| controls::declared(state, name);
    let controls = Controls::of(state)
        .special("keeper", either(of("keeper"), input.select(size, None)))
        .special("blocks", either(of("blocks"), of("tokens")))
        .draw();

    let subtitle = Signal::derive(move || {
        params.with(|p| match p.view {
            View::Fit => format!("{} on {} × {}", p.model.name(), p.tp, p.gpu.name),
            _ => format!("{} × {} tokens: {}", grouped(p.blocks), grouped(p.block), p.keeper.label()),
        })
    });
    let quantities = Memo::new(move |_| params.with(|p| shown.with(|s| p.quantities(s))));
    let drawing = move || match show.get() {
        View::Pool => view! {
            {pool::view(params, shown)}
            {tables::view(params, shown)}
            <p class="kv-step" data-answer="">{move || params.with(|p| shown.with(|s| p.caption(s)))}</p>
        }
        .into_any(),
        View::Walk => walk::view(state, shown),
        View::Fit => fit::view(params, shown),
    };
    let below = view! {
        {readings::view(&Params::ENTRY, quantities)}
        {(!props.compact).then(|| requests(state))}
        {input.panel()}
    };
    view! {
        <ModelFigure
            props
            state
            input
            subtitle
            finding=Signal::derive(move || {
                shown.error().unwrap_or_else(|| params.with(|p| shown.with(|s| p.finding(s))))
            })
            controls
            transport=transport(state, shown, props.alone)
            below=Some(below.into_any())
            table=move || tables::all(params, shown)
        >
            {shown.frame(view! { <div class="kv-cache">{drawing}</div> }.into_any())}
        </ModelFigure>
    }
    .into_any()
}

/// Steps of the pool, or blocks that attention reads.
fn transport(state: State, shown: Seen, alone: bool) -> AnyView {
    let params = state.params();
    let walks = Memo::new(move |_| params.with(|p| p.view == View::Walk));
    let steps = Signal::derive(move || shown.with(|s| if walks.get() { s.visits.len() } else { s.run.ticks.len() }));
    let step = Signal::derive(move || {
        params.with(|p| {
            shown.with(|s| if walks.get() { p.blocks_read(s) } else { (p.step as usize).min(s.run.ticks.len()) })
        })
    });
    let set = move |to: usize| {
        let all = to == steps.get_untracked();
        state.update(|p| match p.view {
            View::Walk => p.at = if all { ALL_STEPS } else { to as u64 },
            View::Pool | View::Fit => p.step = to as u64,
        });
    };
    let place = Signal::derive(move || {
        let what = if walks.get() { "Block" } else { "Step" };
        format!("{what} {} of {}", grouped(step.get() as u64), grouped(steps.get() as u64))
    });
    let is_fit = move || params.with(|p| p.view == View::Fit);
    view! {
        <div class="bare" class:nowhere=is_fit>
            <Transport steps step set playback=PACE.of(steps) place alone />
        </div>
    }
    .into_any()
}

/// The list of requests, to be changed.
fn requests(state: State) -> AnyView {
    let params = state.params();
    let remarks = RwSignal::new(Vec::new());
    let text = Signal::derive(move || params.with(|p| p.requests.write().replace(',', "\n")));
    let set = move |text: String| {
        // What is wrong stays beside what was typed; until it is right the requests are as they were.
        let (read, wrong) = listed(&text);
        let is_right = wrong.is_empty() && !read.is_empty();
        remarks.set(wrong);
        if !is_right {
            return;
        }
        let requests = Requests(read);
        state.update(|p| {
            p.requests = requests;
            p.step = 1;
        });
    };
    view! {
        <details class="fold kv-requests">
            <summary>"Your own requests"</summary>
            <Lined label=format!("One to a line: {FORM}") text set remarks=remarks least=4 />
        </details>
    }
    .into_any()
}
