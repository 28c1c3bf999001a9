//! A search for the fastest shape of a matmul kernel on the learner's own GPU, drawn as it goes on.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::kernels::config::Config;
use ringside_core::kernels::glass::Source;
use ringside_core::kernels::measured::Measured;
use ringside_core::kernels::tuner::{self, FAMILY, Params, Run, SPACE, Trial};
use ringside_core::quantity::{Unit, grouped, number};
use ringside_drawing::charts::matmul_tuner::chart;

use super::controls::Controls;
use super::glass::Glass;
use super::kernels::{Job, Runner, kept};
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn job((kernel, (query, sizes)): Run) -> Job {
    Job { family: FAMILY, kernel, sizes, query: query.to_string() }
}

/// The search: its state, what runs it, and what it tried, here or on an earlier visit.
#[derive(Clone, Copy)]
struct Search {
    state: State<Params>,
    runner: Runner,
    trials: Memo<Vec<Trial>>,
}

impl Search {
    fn new(state: State<Params>) -> Self {
        let runner = Runner::new();
        let trials = Memo::new(move |_| {
            let mut all = kept::all();
            runner.measured().with(|new| {
                all.retain(|old| !new.iter().any(|m| m.same_run(old)));
                all.extend(new.iter().cloned());
            });
            let trials: Vec<Trial> = all.iter().filter_map(Trial::of).collect();
            state.params().with(|p| p.mine(&trials))
        });
        let search = Self { state, runner, trials };
        // A search that has ended, or was stopped, leaves its winner.
        Effect::new(move |was_idle: Option<bool>| {
            let idle = runner.idle();
            if idle && was_idle == Some(false) {
                search.keep();
            }
            idle
        });
        search
    }

    /// Keeps the fastest of what was tried now, and forgets those that are slower on the same GPU.
    fn keep(self) {
        let measured = self.runner.measured().get_untracked();
        let rate = |m: &&Measured| Trial::of(m).map_or(0.0, |trial| trial.rate);
        let Some(best) = measured.iter().max_by(|a, b| rate(a).total_cmp(&rate(b))) else { return };
        let Some(won) = Trial::of(best).filter(|trial| trial.rate > 0.0) else { return };
        kept::replace(best.clone(), |old| {
            Trial::of(old)
                .is_some_and(|old| (old.n, old.config.numbers, &old.device) == (won.n, won.config.numbers, &won.device))
        });
    }

    fn start(self) {
        self.runner.measured().update(|all| all.retain(|m| m.family != FAMILY));
        let first = self.state.params().with_untracked(Params::first);
        self.runner.run(vec![job(first)], |all| tuner::next(all).map(job));
    }

    fn one(self) {
        self.runner.run(vec![job(self.state.params().with_untracked(Params::chosen))], |_| None);
    }
}

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let search = Search::new(state);
    let quantities = Memo::new(move |_| params.with(|p| p.quantities(&p.config())));
    let landscape = Memo::new(move |_| search.trials.with(|trials| params.with(|p| chart(p, trials))));
    let idle = Memo::new(move |_| search.runner.idle());
    let glass = Glass::new();
    let meant = move || {
        let (kernel, (_, sizes)) = params.with(Params::chosen);
        Source::Kernel { family: FAMILY.to_owned(), kernel: kernel.to_owned(), sizes }
    };
    let start = view! {
        <button type="button" disabled=move || !idle.get() on:click=move |_| search.start()>"Search"</button>
        <button type="button" class="secondary" disabled=move || !idle.get() on:click=move |_| search.one()>
            "Run this shape"
        </button>
        {glass.button(meant)}
    };
    let last = move || search.runner.measured().with(|all| all.last().cloned());
    let fastest = move |id, label, of: fn(&Trial) -> f64, unit| {
        let value = Signal::derive(move || search.trials.with(|trials| tuner::best(trials).map_or(0.0, of)));
        readings::one(id, label, unit, value)
    };
    let below = view! {
        <div class="bench">
            {glass.view()}
            {search.runner.messages(last)}
            <dl class="readings">
                {fastest("tried-best", "Fastest shape", |trial| trial.rate, Unit::FlopPerSecond)}
                {readings::one(
                    "tried",
                    "Shapes tried",
                    Unit::Count,
                    Signal::derive(move || search.trials.with(|trials| tuner::ranked(trials).len() as f64)),
                )}
            </dl>
            {readings::view(&Params::ENTRY, quantities)}
        </div>
    };
    view! {
        <ModelFigure
            subtitle=Signal::derive(move || {
                params.with(|p| format!("{} cubed, {}: {} shapes", grouped(p.n), p.numbers.label(), p.fitting().len()))
            })
            props
            state
            finding=Signal::derive(move || search.trials.with(|trials| params.with(|p| p.finding(trials))))
            controls=Controls::of(state).draw()
            transport=search.runner.actions(start.into_any())
            below=Some(below.into_any())
            table=move || table(search)
        >
            {ui::chart::view("landscape", landscape)}
        </ModelFigure>
    }
    .into_any()
}

/// Every shape with what is known of it before, and how fast it was.
fn table(search: Search) -> AnyView {
    let row = move |shape: &'static tuner::Shape| {
        let config = move || search.state.params().with(|p| Config { numbers: p.numbers, ..shape.config });
        let rate = move || {
            let speeds = search.trials.with(|trials| {
                let of = tuner::ranked(trials).into_iter().filter(|t| Config { group: 8, ..t.config } == config());
                of.map(|t| t.rate).fold(0.0, f64::max)
            });
            if speeds > 0.0 { Unit::FlopPerSecond.format(speeds) } else { String::new() }
        };
        view! {
            <tr>
                <th scope="row">{shape.label}</th>
                <td class="number">{move || number(config().intensity())}</td>
                <td class="number">{move || number(config().inner_intensity())}</td>
                <td class="number">{move || config().registers()}</td>
                <td class="number">{move || Unit::Bytes.format(config().workgroup_memory() as f64)}</td>
                <td class="number">{rate}</td>
            </tr>
        }
    };
    view! {
        <Table
            columns=[
                words("Shape"),
                numbers("FLOP/byte, memory"),
                numbers("FLOP/byte, workgroup memory"),
                numbers("Registers, about"),
                numbers("Workgroup memory"),
                numbers("Speed"),
            ]
            rows=(move || SPACE.iter().map(row).collect_view()).into_any()
        />
    }
    .into_any()
}
