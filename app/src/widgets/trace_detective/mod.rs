//! A profiler's trace: simulated with causes that are set or to be found, or the learner's own; and what it shows.

mod about;
mod canvas;
mod game;
mod keys;
mod numbers;
mod own;
mod picked;
mod pointer;
mod rows;
mod viewer;

use std::sync::Arc;

use leptos::prelude::*;
use ringside_core::detective::{self, Outcome, Own, Params, View};
use ringside_core::quantity::capital;
use ringside_core::trace::diagnosis::Finding;
use ringside_core::trace::layout::{lanes, partners};
use ringside_core::trace::look::Look;
use ringside_core::trace::{Span, Trace, Track};

use picked::Picked;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::drop_zone::drop_zone;
use crate::ui::file;
use ringside_core::declare::Model as _;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// What is on show: traces, and what they show.
#[derive(Debug, Clone, PartialEq)]
struct Scene {
    traces: Vec<Trace>,
    /// How each event of each trace is drawn.
    looks: Vec<Vec<Look>>,
    own: Own,
    /// The earliest and the latest time, in nanoseconds.
    extent: (i64, i64),
}

impl Scene {
    fn new(traces: Vec<Trace>, own: Own) -> Self {
        let starts = traces.iter().filter_map(Trace::extent);
        let extent = starts.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 1));
        Self { looks: traces.iter().map(Look::of_all).collect(), traces, own, extent }
    }

    /// The simulated traces.
    fn simulated(params: &Params, outcome: &Outcome) -> Self {
        let (traces, findings) = (outcome.traces.clone(), outcome.findings.clone());
        let finding = params.finding(outcome);
        let own = Own { lanes: lanes(&traces), findings, finding, profile: None };
        Self::new(traces, own)
    }

    /// For each trace, which of its names have `search` in them, whatever their case.
    fn named(&self, search: &str) -> Vec<Vec<bool>> {
        let has = |name: &str| name.to_lowercase().contains(search);
        self.traces.iter().map(|trace| trace.names.iter().map(has).collect()).collect()
    }

    /// The span that is chosen.
    fn span(&self, (trace, span): Chosen) -> Option<(&Trace, &Span)> {
        let trace = self.traces.get(trace)?;
        Some((trace, trace.spans.get(span as usize)?))
    }
}

/// An event: which trace, which of its spans.
type Chosen = (usize, u32);

/// What the parts of the figure share.
#[derive(Clone, Copy)]
struct Shown {
    scene: Memo<Arc<Scene>>,
    /// The times that are seen, in nanoseconds.
    window: RwSignal<(f64, f64)>,
    width: RwSignal<f64>,
    chosen: RwSignal<Option<Chosen>>,
    /// What the chosen event caused, or what caused it.
    partners: Memo<Vec<u32>>,
    /// The part that is selected.
    picked: RwSignal<Option<Picked>>,
    /// Events of which only the name is asked for.
    search: RwSignal<String>,
    /// Rows that are folded: trace and track.
    folded: RwSignal<Vec<(usize, u32)>>,
    /// How many events were looked at.
    looks: RwSignal<u32>,
}

impl Shown {
    fn new(scene: Memo<Arc<Scene>>) -> Self {
        let chosen = RwSignal::new(None::<Chosen>);
        let of_chosen = move |_: Option<&Vec<u32>>| {
            let Some((trace, span)) = chosen.get() else { return Vec::new() };
            scene.with(|s| s.traces.get(trace).map(|t| partners(t, span)).unwrap_or_default())
        };
        let (from, to) = scene.with_untracked(|s| s.extent);
        let shown = Self {
            scene,
            window: RwSignal::new((from as f64, to as f64)),
            width: RwSignal::new(900.0),
            chosen,
            partners: Memo::new(of_chosen),
            picked: RwSignal::new(None),
            search: RwSignal::new(String::new()),
            folded: RwSignal::new(Vec::new()),
            looks: RwSignal::new(0),
        };
        // Another trace has other events, and is seen whole. Rows stay folded if they are the same.
        Effect::new(move |before: Option<Vec<Vec<Track>>>| {
            let tracks: Vec<Vec<Track>> = scene.with(|s| s.traces.iter().map(|t| t.tracks.clone()).collect());
            shown.chosen.set(None);
            shown.picked.set(None);
            if before.is_some_and(|before| before != tracks) {
                shown.folded.set(Vec::new());
            }
            shown.all();
            tracks
        });
        shown
    }

    /// Shows everything.
    fn all(self) {
        let (from, to) = self.scene.with_untracked(|s| s.extent);
        self.window.set((from as f64, to as f64));
    }

    /// Looks at an event, and moves as little as needed for it to be seen.
    fn look_at(self, chosen: Chosen) {
        if self.chosen.get_untracked() != Some(chosen) {
            self.looks.update(|n| *n += 1);
        }
        self.chosen.set(Some(chosen));
        if let Some(times) = self.scene.with_untracked(|s| s.span(chosen).map(|(_, s)| (s.start, s.end()))) {
            self.show(times);
        }
    }

    /// Moves as little as needed for a stretch of time to be seen: as close as before, or as it takes to see all of it.
    fn show(self, (start, end): (i64, i64)) {
        let (from, to) = self.window.get_untracked();
        let (start, end) = (start as f64, end as f64);
        if start < from || end > to {
            let span = (to - from).max((end - start) * 1.2);
            let middle = (start + end) / 2.0;
            self.window.set((middle - span / 2.0, middle + span / 2.0));
        }
    }
}

/// What is on show.
const SIMULATED: &str =
    "Simulated: durations are of the order of an H100’s, and no trace made here is of a real run. Rank 0 is diagnosed.";
const OWN: &str = "Your own file. The rank with the lowest number is diagnosed.";

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    // Neither is ever like the one before, and comparing all their events would take longer than drawing them.
    let outcome = Memo::new_with_compare(move |_| Arc::new(params.with(Params::outcome)), |_, _| true);
    let files = own::Files::new();
    if props.alone {
        file::on_handed_over(move |file| files.read(&[file]));
    }
    let make = move |_: Option<&Arc<Scene>>| match files.scene.get() {
        Some(own) => own,
        None => params.with(|p| outcome.with(|o| Arc::new(Scene::simulated(p, o)))),
    };
    let scene = Memo::new_with_compare(make, |_, _| true);
    let shown = Shown::new(scene);
    let is_own = Memo::new(move |_| files.scene.with(Option::is_some));
    let is_game = Memo::new(move |_| params.with(|p| p.view == View::Game) && !is_own.get());
    let is = move |view: View| params.with(|p| p.view == view);
    let controls = Controls::of(state).draw();
    let tells = Memo::new(move |_| is_own.get() || is(View::Explore));
    let subtitle = Signal::derive(move || match (is_own.get(), is_game.get()) {
        (true, _) => files.name.get(),
        (_, true) => params.with(game::title),
        _ if is(View::Verdict) => "a job that is too slow".to_owned(),
        _ => "simulated".to_owned(),
    });
    let finding = Signal::derive(move || scene.with(|s| s.own.finding.clone()));
    let below = view! {
        <div class="trace-below">
            <Show when=move || is_game.get()>{game::view(state, shown, outcome)}</Show>
            {about::view(shown)}
            {picked::view(shown)}
            <div class:nowhere=move || !tells.get()>{findings(shown)}</div>
            <Show when=move || !is_own.get() && is(View::Verdict)>
                <button type="button" class="secondary" on:click=move |_| state.update(|p| p.view = View::Explore)>
                    "Give up: show the cause"
                </button>
            </Show>
            {own::view(files)}
            <Show when=move || !is_own.get()>{quantities(params, outcome)}</Show>
        </div>
    }
    .into_any();
    let figure = view! {
        <ModelFigure
            props
            state
            subtitle
            finding
            notes=Signal::derive(move || if is_own.get() { OWN } else { SIMULATED }.to_owned())
            controls
            below=(!props.compact).then_some(below)
            table=move || numbers::view(shown)
        >
            {viewer::view(shown)}
        </ModelFigure>
    };
    // With a file on show, nothing is left of the simulated trace.
    let figure = view! { <div class:own-file=is_own>{figure}</div> };
    drop_zone(move |given| files.read(&given), figure.into_any())
}

/// What the trace shows: which cause, which events say so, what to try, and how much time it takes.
fn findings(shown: Shown) -> impl IntoView {
    let item = move |finding: Finding| {
        let share = ringside_core::quantity::Unit::Fraction.format((finding.share * 1000.0).round() / 1000.0);
        let gains = format!("{share} of this rank’s time.");
        let (title, said, remedy) = shown.scene.with(|s| {
            let of = |t| {
                (
                    detective::title(t, &finding),
                    capital(&detective::evidence(t, &finding)),
                    detective::remedy(t, &finding),
                )
            };
            s.traces.first().map(of).unwrap_or_default()
        });
        let evidence = StoredValue::new(finding.evidence);
        let show = move |_| {
            // The next of the events that say so.
            let now = shown.chosen.get_untracked().map(|c| c.1);
            let next = evidence.with_value(|all| {
                let at = all.iter().position(|i| Some(*i) == now).map_or(0, |i| i + 1);
                all.get(at).or_else(|| all.first()).copied()
            });
            if let Some(next) = next {
                shown.look_at((0, next));
            }
        };
        view! {
            <li>
                <p><b>{title}</b> ": " {gains}</p>
                <p>{said}</p>
                <p class="fine">"To try: " {remedy} "."</p>
                <button type="button" class="secondary" on:click=show>
                    {if finding.cause.is_some() { "Show the next event that says so" } else { "Show the next place" }}
                </button>
            </li>
        }
    };
    let list = move || shown.scene.with(|s| s.own.findings.clone()).into_iter().map(item).collect_view();
    view! {
        <section class="trace-findings">
            <p class="trace-title">"Diagnosis"</p>
            <ul>{list}</ul>
            <p class="fine" hidden=move || shown.scene.with(|s| !s.own.findings.is_empty())>
                "Nothing takes three percent of the time."
            </p>
        </section>
    }
}

/// The numbers of the simulated trace.
fn quantities(params: Memo<Params>, outcome: Memo<Arc<Outcome>>) -> impl IntoView {
    let quantities = Memo::new(move |_| params.with(|p| outcome.with(|o| p.quantities(o))));
    readings::view(&Params::ENTRY, quantities)
}
