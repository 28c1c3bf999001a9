//! A pipeline's step to scale: who computes what when, where devices wait and for what, what they keep meanwhile; two
//! schedules beside each other, played in time.

mod canvas;
mod export;
mod numbers;
mod svg;
mod track;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::pipeline::{Kind, Params, Schedule, Timeline, explain};
use ringside_core::quantity::{Unit, counted};
use ringside_drawing::timeline::{Window, strip};

pub(super) use canvas::Probe;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::timeline::overview;
use crate::ui::transport::{Playback, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// A schedule and what came of it.
#[derive(Debug, Clone)]
struct Run {
    schedule: Schedule,
    timeline: Timeline,
    /// Which blocks are on the critical path; empty if it is not asked for.
    path: Vec<bool>,
}

/// The runs on show: the schedule's, and that of the one it is compared with.
#[derive(Debug, Clone)]
struct Runs {
    params: Params,
    runs: Vec<Run>,
    /// Why there are none; empty if there are.
    error: String,
    /// The longest step of them, in milliseconds.
    end: f64,
    /// The most chunks that a device keeps of all of them, in micro-batches.
    peak: f64,
}

impl Runs {
    fn new(params: &Params) -> Self {
        let mut error = String::new();
        let mut runs = Vec::new();
        let other = params.compare.filter(|other| *other != params.schedule);
        for schedule in [Some(params.schedule), other].into_iter().flatten() {
            match params.timeline(schedule) {
                Ok(timeline) => {
                    let mut path = Vec::new();
                    if params.path {
                        path.resize(timeline.blocks.len(), false);
                        let on = timeline.critical_path();
                        on.iter().for_each(|block| path[*block as usize] = true);
                    }
                    runs.push(Run { schedule, timeline, path });
                }
                Err(fault) => error = fault.to_string(),
            }
        }
        let most = |of: fn(&Timeline) -> f64| runs.iter().map(|r| of(&r.timeline)).fold(0.0, f64::max);
        let (end, peak) = (most(Timeline::makespan), most(Timeline::worst_peak));
        Self { params: *params, runs, error, end, peak }
    }

    /// When something begins or ends in any of the runs, as fractions of the longest; equal parts where that is too often.
    fn moments(&self) -> Vec<f64> {
        let next = |at: f64| self.runs.iter().filter_map(|r| r.timeline.change(at, true)).min_by(f64::total_cmp);
        let mut moments = Vec::new();
        let mut at = 0.0;
        while let Some(time) = next(at) {
            if moments.len() == STEPS {
                return (1..=STEPS).map(|i| i as f64 / STEPS as f64).collect();
            }
            moments.push((time / self.end).min(1.0));
            at = time;
        }
        if let Some(last) = moments.last_mut() {
            *last = 1.0;
        }
        moments
    }
}

/// Most steps in which a run is played.
const STEPS: usize = 300;
/// How long it is played, in milliseconds.
const PLAYED: f64 = 12_000.0;

/// What the parts of the figure share.
#[derive(Clone, Copy)]
struct Shown {
    runs: Memo<Runs>,
    /// The part of the time that is seen.
    window: RwSignal<Window>,
    /// Up to where the step has been played, as a fraction of the longest; 1 shows all of it.
    played: RwSignal<f64>,
    /// The block that is pointed at: the run it is of, and its index.
    cursor: RwSignal<Option<(usize, u32)>>,
    /// The width of the drawing, in pixels.
    width: RwSignal<f64>,
}

impl Shown {
    /// Looks at a run. Tracks.
    fn with<T: Default>(self, run: usize, look: impl FnOnce(&Runs, &Run) -> T) -> T {
        self.runs.with(|runs| runs.runs.get(run).map(|r| look(runs, r)).unwrap_or_default())
    }
}

/// The class of what is kept.
const KEPT: &str = "activations";
/// The classes of kinds of work, by [`ringside_drawing::scenes::pipeline::shade`], then that of what is kept.
const CLASSES: [&str; 4] = ["forward", "backward", "weight-gradient", KEPT];

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Shown {
        // Every change of the parameters is another run: comparing them all would take longer than showing them.
        runs: Memo::new_with_compare(move |_| params.with(Runs::new), |_, _| true),
        window: RwSignal::new(Window::ALL),
        played: RwSignal::new(1.0),
        cursor: RwSignal::new(None),
        width: RwSignal::new(960.0),
    };
    // Another run has other blocks.
    Effect::new(move |before: Option<Params>| {
        let now = params.get();
        if before.is_some_and(|before| Params { path: now.path, ..before } != now) {
            shown.cursor.set(None);
            shown.played.set(1.0);
        }
        now
    });

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let stages = counted(p.stages.into(), "stage", "stages");
            let microbatches = counted(p.microbatches.into(), "micro-batch", "micro-batches");
            format!("{} · {stages} · {microbatches}", p.schedule.label())
        })
    });
    let finding = Signal::derive(move || {
        shown.runs.with(|runs| match runs.runs.as_slice() {
            [] => runs.error.clone(),
            [run, others @ ..] => runs.params.finding(&run.timeline, others.first().map(|r| &r.timeline)),
        })
    });
    let controls = Controls::of(state).draw();
    let compared = Memo::new(move |_| shown.runs.with(|runs| runs.runs.len() > 1));
    let moments = Memo::new(move |_| shown.runs.with(Runs::moments));
    let steps = Signal::derive(move || moments.with(Vec::len));
    let step = Signal::derive(move || {
        let played = shown.played.get();
        moments.with(|m| m.partition_point(|moment| *moment <= played))
    });
    let to_step = move |step: usize| {
        let moment = |m: &Vec<f64>| step.checked_sub(1).map_or(0.0, |i| m.get(i).copied().unwrap_or(1.0));
        shown.played.set(moments.with_untracked(moment));
    };
    let playback = Playback::new(Signal::derive(move || PLAYED / steps.get().max(1) as f64));
    let place = Signal::derive(move || {
        let played = shown.played.get();
        shown.runs.with(|runs| Unit::Seconds.format(runs.end * played / 1e3))
    });
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding
            controls
            transport=view! { <Transport steps step set=to_step playback place alone=props.alone /> }.into_any()
            below=(!props.compact).then(|| view! { {readings(shown)} {export::view(shown)} }.into_any())
            table=move || numbers::view(shown)
        >
            {legend(shown)}
            {track::view(shown, 0)}
            <Show when=move || compared.get()>{track::view(shown, 1)}</Show>
            {overview(shown.window, working(shown), "Devices at work, over the step")}
            <p class="timeline-about" class:how-to=move || shown.cursor.get().is_none() aria-live="polite">{move || about(shown)}</p>
        </ModelFigure>
    }
    .into_any()
}

/// Parts into which the strip divides the step.
const PARTS: usize = 240;

/// How many devices work in the course of the step, over the time of the longest, as the rows are.
fn working(shown: Shown) -> Memo<String> {
    Memo::new(move |_| shown.with(0, |runs, run| strip(&run.timeline.working(runs.end, PARTS))))
}

/// What the block that is pointed at waits for.
fn about(shown: Shown) -> String {
    match shown.cursor.get() {
        Some((run, block)) => shown.with(run, |_, r| explain(&r.timeline, block)),
        None => "Point at a block, or move between blocks with the arrow keys, to see what it waits for.".to_owned(),
    }
}

/// What the colours mean.
fn legend(shown: Shown) -> impl IntoView {
    let split = move || {
        shown.runs.with(|runs| runs.runs.iter().any(|r| r.timeline.blocks.iter().any(|b| b.op.kind == Kind::Weight)))
    };
    let split = Memo::new(move |_| split());
    let chunks = Memo::new(move |_| shown.runs.with(|runs| runs.runs.iter().any(|r| r.timeline.fleet.chunks > 1)));
    let backward = move || if split.get() { "Backward (input; whole where it is long)" } else { "Backward" };
    view! {
        <ul class="timeline-legend">
            <li><i class="swatch forward" aria-hidden="true"></i>"Forward"</li>
            <li><i class="swatch backward" aria-hidden="true"></i>{backward}</li>
            <li hidden=move || !split.get()><i class="swatch weight-gradient" aria-hidden="true"></i>"Weight gradient"</li>
            <li><i class="swatch idle" aria-hidden="true"></i>"Idle"</li>
            <li><i class="swatch activations" aria-hidden="true"></i>"Micro-batches kept"</li>
            <li hidden=move || !chunks.get()><i class="swatch striped forward" aria-hidden="true"></i>"A later chunk: underlined"</li>
        </ul>
    }
}

/// The quantities of the schedule.
fn readings(shown: Shown) -> impl IntoView {
    let measured = move |runs: &Runs, run: &Run| runs.params.quantities(&run.timeline);
    let quantities = Memo::new(move |_| shown.with(0, measured));
    readings::view(&Params::ENTRY, quantities)
}
