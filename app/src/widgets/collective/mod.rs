//! Six collective operations, step by step: ranks in a circle, what each holds, what is on its way, and what it costs.

mod circle;
mod flights;
mod ledger;
mod numbers;

use leptos::prelude::*;
use ringside_core::collective::data::State as Data;
use ringside_core::collective::{Algo, Params, Run};
use ringside_core::declare::Model as _;
use ringside_core::quantity::Unit;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, played};
use crate::ui;
use crate::ui::select::{Group, Select};
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// What is on show: the whole operation, and how far it is.
#[derive(Clone, Copy)]
struct Shown {
    run: Memo<Result<Run, String>>,
    step: Memo<usize>,
    data: Memo<Option<Data>>,
}

impl Shown {
    fn new(params: Memo<Params>) -> Self {
        let whole = played::whole(params);
        let run = Memo::new(move |_| whole.with(Run::new));
        let steps = move || run.with(|r| r.as_ref().map_or(0, Run::steps));
        let step = played::step(params, steps);
        let data = Memo::new(move |_| run.with(|r| r.as_ref().ok().map(|r| r.state(step.get()))));
        Self { run, step, data }
    }

    /// Looks at the operation, if it is possible. Tracks.
    fn with<T: Default>(self, look: impl FnOnce(&Run) -> T) -> T {
        self.run.with(|run| run.as_ref().map(look).unwrap_or_default())
    }

    /// Looks at the operation and what the ranks hold now. Tracks.
    fn now<T: Default>(self, look: impl FnOnce(&Run, &Data, usize) -> T) -> T {
        self.data.with(|data| {
            self.with(|run| data.as_ref().map(|data| look(run, data, self.step.get())).unwrap_or_default())
        })
    }

    fn steps(self) -> usize {
        self.with(Run::steps)
    }

    fn finding(self) -> String {
        let step = self.step.get();
        self.run.with(|run| match run {
            Ok(run) => {
                let end = if step == run.steps() { format!(" {}", run.end_finding()) } else { String::new() };
                format!("{}{end} {}", run.step_finding(step), run.finding())
            }
            Err(why) => why.clone(),
        })
    }
}

/// How it is played.
const PACE: Pace = Pace { whole: 16_000.0, longest: 1100.0, shortest: 160.0 };

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Shown::new(params);

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            format!(
                "{} · {} · {} ranks · {}",
                p.op.label(),
                p.algo.label().to_lowercase(),
                p.ranks,
                Unit::Bytes.format(p.bytes)
            )
        })
    });
    let controls = Controls::of(state).special("algo", algorithm(state)).draw();
    let set = played::set(state);
    let steps = Signal::derive(move || shown.steps());
    let playback = PACE.of(steps);
    // Asked for by more than one, at every step.
    let finding = Memo::new(move |_| shown.finding());
    let possible = Memo::new(move |_| shown.run.with(Result::is_ok));
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding
            controls
            transport=view! { <Transport steps step=shown.step set playback alone=props.alone /> }.into_any()
            below=(!props.compact).then(|| ledger::readings(shown))
            table=move || numbers::view(shown)
        >
            <div class="collective" class:impossible=move || !possible.get()>
                <div class="collective-picture">{circle::view(shown, playback)}</div>
                <div class="collective-side" data-answer="">{ledger::view(shown)}</div>
                {ledger::phases(shown)}
            </div>
        </ModelFigure>
    }
    .into_any()
}

/// Only the algorithms that do the operation.
fn algorithm(state: State) -> impl IntoView {
    let op = Memo::new(move |_| state.params().with(|p| p.op));
    let value = Signal::derive(move || state.params().with(|p| p.algo.id()));
    let set = move |id: &'static str| {
        if let Some(algo) = Algo::find(id) {
            state.update(|p| (p.algo, p.step) = (algo, 0));
        }
    };
    move || {
        let now = state.params().with_untracked(|p| p.algo);
        // One that does not do it can only come from a link; it is there to be seen.
        let fit = Algo::ALL.into_iter().filter(|a| a.does(op.get()) || *a == now);
        let groups = vec![Group { label: "", options: fit.map(|a| (a.id(), a.label())).collect() }];
        view! { <Select name="algo" label="Algorithm" groups value set /> }
    }
}
