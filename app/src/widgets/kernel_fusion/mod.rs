//! An operation in many kernels and in one: what each moves, how long that should take, and how long it takes here.

mod bars;
mod launches;
mod numbers;
mod sizes;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::kernels::fusion::{self, Params, Run};
use ringside_core::kernels::glass::Source;
use ringside_core::kernels::measured::Measured;
use ringside_core::kernels::rows::{Op, Sizes, Way};
use ringside_core::network::measured::Fit;
use ringside_core::quantity::{Unit, exact, grouped, number, unbroken};

use super::controls::Controls;
use super::glass::Glass;
use super::kernels::{Job, Runner, kept};
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::segmented::Segmented;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// The state, and what was measured.
#[derive(Clone, Copy)]
struct Shown {
    state: State,
    runner: Runner,
    glass: Glass,
}

fn job(run: Run) -> Job {
    Job {
        family: run.op.id(),
        kernel: run.kernel.id,
        sizes: run.sizes.list().to_vec(),
        query: run.sizes.query().to_string(),
    }
}

impl Shown {
    fn with<T>(self, look: impl FnOnce(&Params) -> T) -> T {
        self.state.params().with(look)
    }

    /// Chooses a kernel.
    fn choose(self, id: &str) {
        if let Some(way) = Way::find(id) {
            self.state.update(|p| p.kernel = way);
        }
    }

    /// What was measured of a kernel at the sizes on show. Tracks.
    fn at(self, kernel: &str) -> Option<Measured> {
        let (op, sizes) = self.with(|p| (p.op.id(), p.sizes.query().to_string()));
        self.runner.last(op, kernel, &sizes)
    }

    /// What was measured of the chosen kernel. Tracks.
    fn chosen(self) -> Option<Measured> {
        self.at(self.with(|p| p.kernel.id()))
    }

    /// What explains everything that was measured of the operation, on whatever ran last. Tracks.
    fn explained(self) -> Option<Fit> {
        let op = self.with(|p| p.op);
        self.runner.measured().with(|all| fusion::explain(op, all))
    }

    /// Runs every kernel of the operation at the sizes on show.
    fn run(self) {
        let Params { op, sizes, .. } = self.state.params().get_untracked();
        let jobs = op.kernels().iter().map(|kernel| job(Run { op, kernel, sizes })).collect();
        self.runner.run(jobs, |_| None);
    }

    /// Runs every kernel of the operation on one row, and then on more and more of them.
    fn sweep(self) {
        let Params { op, sizes, .. } = self.state.params().get_untracked();
        let first = op.kernels().first().map(|kernel| job(Run { op, kernel, sizes: Sizes { rows: 1, ..sizes } }));
        self.runner.run(first.into_iter().collect(), |all| fusion::next(all).map(job));
    }

    fn finding(self) -> String {
        let mut text = self.with(Params::finding);
        let chosen = self.chosen();
        if let Some(m) = &chosen {
            let device = m.ran_on();
            let verdict = if m.verified {
                format!("all {} values that were checked are right", exact(m.checked).unwrap_or_default())
            } else {
                "it is not all right: do not trust its time".to_owned()
            };
            text += &format!(" On {device} a run took {}; {verdict}", unbroken(&Unit::Seconds.format(m.seconds)));
            let unfused = self.at("unfused").filter(|_| m.kernel != "unfused" && m.seconds > 0.0);
            text += &unfused.map_or_else(String::new, |unfused| {
                format!(". The unfused one took {} times as long", number(unfused.seconds / m.seconds))
            });
            text += ".";
        }
        text
    }
}

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let shown = Shown { state, runner: Runner::new(), glass: Glass::new() };
    if state.params().with_untracked(|p| p.run) {
        shown.run();
    }
    let subtitle = Signal::derive(move || {
        shown.with(|p| {
            let Sizes { rows, cols } = p.sizes;
            format!("{} of {} rows of {}, in f32", p.op.label(), grouped(rows), grouped(cols))
        })
    });
    let controls =
        Controls::of(state).special("kernel", kernels(shown)).special("launch", launches::view(state)).draw();
    let below = view! {
        <div class="bench fusion">
            {shown.glass.view()}
            {shown.runner.messages(move || shown.runner.measured().with(|all| all.last().cloned()))}
            {sizes::view(shown)}
            {readings(shown)}
            {(!props.compact).then(|| kept::view(shown.runner, &Op::ALL.map(Op::id)))}
        </div>
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding=Signal::derive(move || shown.finding())
            controls
            transport=actions(shown)
            below=Some(below.into_any())
            table=move || numbers::view(shown)
        >
            <div class="bench fusion">{bars::view(shown)}</div>
        </ModelFigure>
    }
    .into_any()
}

fn actions(shown: Shown) -> AnyView {
    let busy = Memo::new(move |_| !shown.runner.idle());
    let meant = move || {
        let (family, kernel) = shown.with(|p| (p.op.id().to_owned(), p.kernel.id().to_owned()));
        Source::Kernel { family, kernel, sizes: Vec::new() }
    };
    let start = view! {
        <button type="button" disabled=move || busy.get() on:click=move |_| shown.run()>"Run at this size"</button>
        <button type="button" class="secondary" disabled=move || busy.get() on:click=move |_| shown.sweep()>
            "Run on more and more rows"
        </button>
        {shown.glass.button(meant)}
    };
    shown.runner.actions(start.into_any())
}

/// What was measured, and what the model says.
fn readings(shown: Shown) -> AnyView {
    let quantities = Memo::new(move |_| shown.with(|p| p.quantities(&p.compared())));
    let known = Memo::new(move |_| shown.chosen().is_some());
    let explained = Memo::new(move |_| shown.explained().is_some());
    let of =
        move |look: fn(&Measured) -> f64| Signal::derive(move || shown.chosen().as_ref().map(look).unwrap_or_default());
    let fitted =
        move |look: fn(&Fit) -> f64| Signal::derive(move || shown.explained().as_ref().map(look).unwrap_or_default());
    view! {
        <dl class="readings">
            <Show when=move || known.get()>
                {readings::one("measured-time", "Measured time", Unit::Seconds, of(|m| m.seconds))}
                {readings::verified("Correct result", of(|m| f64::from(u8::from(m.verified))))}
            </Show>
            <Show when=move || explained.get()>
                {readings::one("measured-launch", "Measured launch time", Unit::Seconds, fitted(|f| f.cost.latency))}
                {readings::one("measured-bandwidth", "Measured memory bandwidth", Unit::BytesPerSecond, fitted(|f| f.cost.peak()))}
                {readings::one("measured-off", "Largest error of the fit", Unit::Fraction, fitted(|f| f.off))}
            </Show>
        </dl>
        {readings::view(&Params::ENTRY, quantities)}
    }
    .into_any()
}

/// The kernels of the operation: another operation has others.
fn kernels(shown: Shown) -> impl IntoView {
    let op = Memo::new(move |_| shown.with(|p| p.op));
    let value = Signal::derive(move || shown.with(|p| p.kernel.id()));
    let set = Callback::new(move |id: &'static str| shown.choose(id));
    move || {
        let options = op.get().kernels().iter().map(|kernel| (kernel.id, kernel.label)).collect();
        view! { <Segmented name="kernel" label="Kernels" options value set /> }
    }
}
