//! One sharded training step, event by event: ranks as columns, what each holds of every layer, memory over time, bytes on
//! the wire, and the strategies beside each other.

mod board;
mod compare;
mod course;
mod numbers;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::place;
use ringside_core::zero::{Event, Params, Run, State as Ranks, Strategy, bytes};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, played, readings};
use crate::ui;
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// What is on show: the whole step, and how far it is.
#[derive(Clone, Copy)]
struct Shown {
    run: super::outcome::Shown<Run>,
    step: Memo<usize>,
    ranks: Memo<Option<Ranks>>,
}

impl Shown {
    fn new(params: Memo<Params>) -> Self {
        let whole = played::whole(params);
        let run = super::outcome::Shown::new(whole, Run::new, |p| Params { strategy: Strategy::FullShard, ..*p });
        let step = played::step(params, move || run.with(Run::steps));
        let ranks = Memo::new(move |_| run.with(|run| Some(run.state(step.get()))));
        Self { run, step, ranks }
    }

    /// Looks at the run and at what the ranks hold now. Tracks.
    fn now<T: Default>(self, look: impl FnOnce(&Run, &Ranks, usize) -> T) -> T {
        self.ranks.with(|ranks| {
            self.run.with(|run| ranks.as_ref().map(|ranks| look(run, ranks, self.step.get())).unwrap_or_default())
        })
    }

    /// The event that has just happened; none before the first. Tracks.
    fn event(self) -> Option<Event> {
        self.run.with(|run| run.event(self.step.get()).copied())
    }

    fn finding(self) -> String {
        let step = self.step.get();
        self.run.error().unwrap_or_else(|| {
            self.run.with(|run| {
                let end = if step == run.steps() { format!(" {}", run.end_finding()) } else { String::new() };
                format!("{}{end} {}", run.step_finding(step), run.finding())
            })
        })
    }
}

/// How it is played.
const PACE: Pace = Pace { whole: 40_000.0, longest: 1400.0, shortest: 200.0 };

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Shown::new(params);

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            format!("{} · {} ranks · {} layers of {} × {}", p.strategy.label(), p.ranks, p.layers, p.width, p.width)
        })
    });
    let steps = Signal::derive(move || shown.run.with(Run::steps));
    let place = Signal::derive(move || place("Event", shown.step.get(), steps.get()));
    let playback = PACE.of(steps);
    let set = played::set(state);
    let controls = Controls::of(state).draw();
    let drawing = view! {
        <div class="zero-stepper">
            {now(shown)}
            {board::view(shown)}
        </div>
    }
    .into_any();
    let below = view! {
        <div class="zero-stepper">
            {course::view(shown, Callback::new(set))}
            {(!props.compact).then(|| compare::view(state))}
            {readings(shown)}
        </div>
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding=Signal::derive(move || shown.finding())
            controls
            transport=view! { <Transport steps step=shown.step set playback place alone=props.alone /> }.into_any()
            below=Some(below.into_any())
            table=move || numbers::view(shown)
        >
            {shown.run.frame(drawing)}
        </ModelFigure>
    }
    .into_any()
}

/// What has just happened; the finding above says why.
fn now(shown: Shown) -> impl IntoView {
    let what = move || shown.event().map_or("Before the step", |event| event.action.label());
    let of = move || shown.event().map(|event| event.layers());
    let pass = move || shown.event().map(|event| event.pass.label());
    let kind = move || format!("now {}", shown.event().map_or("", |event| board::kind(event.action)));
    view! {
        <div class=kind aria-hidden="true">
            <p>
                <b>{what}</b>
                <span>{of}</span>
                <small>{pass}</small>
            </p>
        </div>
    }
}

/// The quantities, for people and for scripts.
fn readings(shown: Shown) -> impl IntoView {
    let quantities =
        Memo::new(move |_| shown.run.with(|run| Params { step: shown.step.get(), ..run.params }.quantities(run)));
    readings::view(&Params::ENTRY, quantities)
}
