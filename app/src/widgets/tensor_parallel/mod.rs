//! A layer cut across ranks, step by step: the map of the steps, the matrices of this one, and what a layer costs.

mod ladder;
mod map;
mod matrices;
mod numbers;
mod rank;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{counted, plural};
use ringside_core::tensor_parallel::{Params, Run, Split};

use super::controls::{Controls, declared};
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::{Module, Props, outcome};
use crate::ui;
use crate::ui::transport::{Playback, Transport};
use crate::widgets::readings;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// What is on show: all steps, how many are done, and whose memory is looked at.
#[derive(Clone, Copy)]
struct Shown {
    run: outcome::Shown<Run>,
    step: Memo<usize>,
    rank: Memo<Option<usize>>,
}

impl Shown {
    fn new(params: Memo<Params>) -> Self {
        // Neither changes what the ranks do: it is worked out once for all steps.
        let whole = Memo::new(move |_| Params { step: 0, rank: None, ..params.get() });
        let run = outcome::Shown::new(whole, Run::new, |_| Params::standard());
        let step = Memo::new(move |_| params.with(|p| p.step).min(run.with(Run::steps)));
        Self { run, step, rank: Memo::new(move |_| params.with(|p| p.rank.map(|rank| rank as usize))) }
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

/// How long a step is shown while it plays, in milliseconds.
const PACE: f64 = 1800.0;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Shown::new(params);
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| *p = Params { model, ..p.rewound() }));

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let sp = if p.sp { " · sequence parallel" } else { "" };
            let (ranks, tokens) = (plural(&p.tp.to_string(), "rank"), counted(p.seq * p.mbs, "token", "tokens"));
            format!("{} · {ranks} · {}{sp} · {tokens}", p.model.name(), p.split.label())
        })
    });
    let steps = Signal::derive(move || shown.run.with(Run::steps));
    let set = move |step: usize| state.update(|p| p.step = step);
    let drawing = view! {
        <div class="tensor">{map::view(shown, set)} {matrices::view(shown)}</div>
    }
    .into_any();
    let transport = view! {
        <Transport steps step=shown.step set playback=Playback::new(Signal::from(PACE)) alone=props.alone />
    };
    let below = view! {
        <div class="tensor">
            {(!props.compact).then(|| view! { {input.panel()} {ladder::view(shown)} })} {readings(shown)}
        </div>
    };
    let count = Signal::derive(move || params.with(|p| p.model.size().map_or(0.0, |size| size.params)));
    let controls = Controls::of(state)
        .special("model", input.select(count, None))
        .special("rank", rank::view(state))
        .special("sp", sequence(state))
        .draw();
    view! {
        <ModelFigure
            subtitle
            props
            state
            input
            finding=Signal::derive(move || shown.finding())
            notes=Signal::derive(move || shown.run.with(notes))
            controls
            transport=transport.into_any()
            below=Some(below.into_any())
            table=move || numbers::view(shown)
        >
            {shown.run.frame(drawing)}
        </ModelFigure>
    }
    .into_any()
}

/// Sequence parallelism: only one split has it.
fn sequence(state: State) -> impl IntoView {
    let other = move || state.params().with(|p| p.split != Split::PAIR);
    view! { <fieldset class="bare" disabled=other>{declared(state, "sp")}</fieldset> }
}

/// What is drawn, in small print.
fn notes(run: &Run) -> String {
    let sizes = run.drawn.small.sizes;
    let drawn = run.params.drawn();
    let fewer = if run.params.tp as usize > drawn {
        format!("{drawn} of the {} ranks, and ", run.params.tp)
    } else {
        String::new()
    };
    format!(
        "Drawn: {fewer}a model of {} tokens, width {}, {} query and {} key–value heads, computed in full on every change. Bytes and \
         times are those of the model chosen, in 16 bits.",
        sizes.tokens, sizes.hidden, sizes.heads, sizes.kv_heads
    )
}

fn readings(shown: Shown) -> impl IntoView {
    let quantities = Memo::new(move |_| shown.run.with(|run| run.params.quantities(run)));
    readings::view(&Params::ENTRY, quantities)
}
