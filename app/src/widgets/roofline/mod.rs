//! A layer's operations under the roofs of GPUs, and the roof of the learner's own, measured.

mod drawing;
mod numbers;
mod operations;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::hardware::Accelerator;
use ringside_core::kernels::measured::Measured;
use ringside_core::quantity::{Unit, grouped, number, unbroken};
use ringside_core::roofline::layer::{Load, Phase};
use ringside_core::roofline::own::{self, FAMILIES, Point};
use ringside_core::roofline::{BESIDE, Params, Placed, Roof};
use ringside_drawing::charts::roofline::beside;

use super::controls::Controls;
use super::kernels::{Job, Runner, kept};
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::{Module, Props, outcome, readings};
use crate::ui;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// The state, what the model makes of it, and what was measured.
#[derive(Clone, Copy)]
struct Shown {
    state: State,
    placed: Memo<Placed>,
    outcome: outcome::Shown<Placed>,
    runner: Runner,
    /// What is kept, and after it what was measured now.
    measured: Memo<Vec<Measured>>,
    own: Memo<Option<(String, Roof)>>,
}

fn job((family, kernel, (query, sizes)): own::Run) -> Job {
    Job { family, kernel, sizes, query: query.to_string() }
}

impl Shown {
    fn new(state: State) -> Self {
        let runner = Runner::new();
        let outcome = outcome::Shown::new(state.params(), Params::evaluate, |_| Params::standard());
        let placed = Memo::new(move |_| {
            outcome.with(|placed| Some(placed.clone())).unwrap_or_else(|| Placed::new(&Params::standard()))
        });
        let measured = Memo::new(move |_| {
            let mut all = kept::all();
            runner.measured().with(|new| {
                all.retain(|old| !new.iter().any(|m| m.same_run(old)));
                all.extend(new.iter().cloned());
            });
            all
        });
        let own = Memo::new(move |_| measured.with(|all| own::roof(all)));
        Self { state, placed, outcome, runner, measured, own }
    }

    fn measure(self) {
        self.runner.run(vec![job(own::first())], |all| own::next(all).map(job));
    }

    /// What was measured, of the ladder or of other kernels. Tracks.
    fn points(self, ladder: bool) -> Vec<Point> {
        self.measured.with(|all| {
            let wanted = |m: &&Measured| (m.family == "intensity") == ladder;
            all.iter().filter(wanted).filter_map(own::point).filter(|p| p.intensity > 0.0).collect()
        })
    }

    fn finding(self) -> String {
        if let Some(why) = self.outcome.error() {
            return why;
        }
        let mut text = self.placed.with(Placed::finding);
        if let Some((device, roof)) = self.own.get() {
            let chosen = self.placed.with(|p| p.chosen);
            let bound = if roof.is_compute_bound(&chosen) { "compute bound" } else { "memory bound" };
            text += &format!(
                " On {device}, measured in f32: {}, {}, a ridge point at {}. There it would be {bound}.",
                unbroken(&Unit::BytesPerSecond.format(roof.bandwidth)),
                unbroken(&Unit::FlopPerSecond.format(roof.peak)),
                number(roof.ridge())
            );
        }
        text
    }
}

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let shown = Shown::new(state);
    if state.params().with_untracked(|p| p.run) {
        shown.measure();
    }
    let subtitle = Signal::derive(move || {
        state.params().with(|p| {
            let Load { phase, seq, batch, .. } = p.load;
            let what = match phase {
                Phase::Prefill => format!("{} × {} tokens at once", grouped(batch), grouped(seq)),
                Phase::Decode => format!("one token for each of {}, after {}", grouped(batch), grouped(seq)),
            };
            format!("A layer of {}, {what}, in 16 bits", p.model.name())
        })
    });
    let model = Signal::derive(move || state.params().with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));
    let controls = Controls::of(state).special("model", input.choose_any()).draw();
    let below = view! {
        <div class="bench">
            {actions(shown)}
            {shown.runner.messages(move || shown.runner.measured().with(|all| all.last().cloned()))}
            {operations::view(shown)}
            {readings(shown)}
            {input.panel()}
            {(!props.compact).then(|| view! { {kept::view(shown.runner, &FAMILIES)} {sources(shown)} })}
        </div>
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            input
            finding=Signal::derive(move || shown.finding())
            controls
            below=Some(below.into_any())
            table=move || numbers::view(shown)
        >
            {shown.outcome.frame(view! { <div class="bench roofline">{drawing::view(shown)}</div> }.into_any())}
        </ModelFigure>
    }
    .into_any()
}

fn actions(shown: Shown) -> AnyView {
    let busy = Memo::new(move |_| !shown.runner.idle());
    let start = view! {
        <button type="button" disabled=move || busy.get() on:click=move |_| shown.measure()>"Measure this GPU"</button>
    };
    shown.runner.actions(start.into_any())
}

/// What was measured, and what the model says.
fn readings(shown: Shown) -> AnyView {
    let quantities = Memo::new(move |_| shown.placed.with(|p| p.params.quantities(p)));
    let known = Memo::new(move |_| shown.own.with(Option::is_some));
    let own = move |label: &'static str, quantity: &'static str, unit: Unit, look: fn(&Roof) -> f64| {
        let value = Signal::derive(move || shown.own.with(|own| own.as_ref().map_or(0.0, |(_, roof)| look(roof))));
        readings::one(quantity, label, unit, value)
    };
    view! {
        <Show when=move || known.get()>
            <dl class="readings">
                {own("Bandwidth, measured", "own-bandwidth", Unit::BytesPerSecond, |roof| roof.bandwidth)}
                {own("Peak, measured", "own-peak", Unit::FlopPerSecond, |roof| roof.peak)}
                {own("Ridge point, measured", "own-ridge", Unit::Ratio, Roof::ridge)}
            </dl>
        </Show>
        {readings::view(&Params::ENTRY, quantities)}
    }
    .into_any()
}

/// Where the numbers of the GPUs are from.
fn sources(shown: Shown) -> AnyView {
    let source = |gpu: &'static Accelerator| {
        view! { <li>{gpu.name} ": " <a href=gpu.source.url rel="noopener external">{gpu.source.title}</a></li> }
    };
    let chosen = move || {
        let gpu = shown.placed.with(|p| p.params.gpu);
        (!BESIDE.contains(&gpu.id)).then(|| source(gpu))
    };
    view! {
        <details class="fold">
            <summary>"Where the roofs are from"</summary>
            <ul class="fine">{beside().map(source).collect_view()} {chosen}</ul>
        </details>
    }
    .into_any()
}
