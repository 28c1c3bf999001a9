//! The controls.

use leptos::prelude::*;
use ringside_core::pipeline::{ENTRY, Params, Schedule};
use ringside_core::quantity::{grouped, number};
use ringside_core::query::Query;

use super::State;
use crate::ui::presets::{Preset, presets};
use crate::ui::segmented::Segmented;
use crate::ui::select::{Group, Select};
use crate::ui::slider::{Scale, Slider};
use crate::widgets::param;

/// Runs worth looking at: what each is called, and its parameters.
const PRESETS: &[Preset] = &[
    ("GPipe, 4 × 4", "schedule=gpipe&stages=4&microbatches=4"),
    ("1F1B beside GPipe", "schedule=1f1b&compare=gpipe&stages=4&microbatches=8"),
    ("Interleaved beside 1F1B", "schedule=interleaved&compare=1f1b&stages=4&microbatches=8&chunks=2"),
    ("Zero bubble, H1 and H2", "schedule=zb-h1&compare=zb-h2&stages=4&microbatches=8"),
    ("DualPipeV beside ZB-V", "schedule=dualpipe-v&compare=zb-v&stages=4&microbatches=10"),
    ("PipeDream", "schedule=pipedream&stages=4&microbatches=8"),
    ("A straggler", "schedule=1f1b&stages=4&microbatches=12&slow-stage=2&slow-by=1.5&path=true"),
    ("64 × 512", "schedule=interleaved&stages=64&microbatches=512&chunks=4"),
];

/// What is not compared.
const NONE: &str = "none";

/// The examples.
pub(super) fn examples(state: State) -> AnyView {
    presets(state, "Examples", PRESETS.iter().copied(), Clone::clone)
}

/// The controls that matter most.
pub(super) fn main(state: State) -> AnyView {
    view! { {schedule(state)} {compare(state)} {stages(state)} {microbatches(state)} }.into_any()
}

/// The others.
pub(super) fn more(state: State) -> AnyView {
    let time = |name, label, get: fn(&Params) -> f64, set: fn(&mut Params, f64), scale| {
        let value = Signal::derive(move || state.params().with(get));
        let set = move |to: f64| state.update(|p| set(p, to));
        view! { <Slider spec=param(&ENTRY, name) label value set scale format=milliseconds /> }
    };
    let quarters = Scale::Linear { min: 0.25, max: 4.0, step: 0.25 };
    let from_zero = Scale::Linear { min: 0.0, max: 4.0, step: 0.25 };
    view! {
        {path(state)} {chunks(state)}
        {time("t-f", "Forward", |p| p.forward, |p, to| p.forward = to, quarters)}
        {time("t-b", "Backward, input", |p| p.input, |p, to| p.input = to, quarters)}
        {time("t-w", "Backward, weights", |p| p.weight, |p, to| p.weight = to, from_zero)}
        {time("t-comm", "Latency", |p| p.latency, |p, to| p.latency = to, from_zero)}
        {slow_stage(state)} {slow_by(state)}
    }
    .into_any()
}

/// Whether one of [`more`] is not at its default.
pub(super) fn more_is_set(params: Memo<Params>) -> Signal<bool> {
    const MAIN: [&str; 4] = ["schedule", "compare", "stages", "microbatches"];
    let default = StoredValue::new(Params::read(&Query::default()).0.query());
    let differs = move |now: &Query| {
        default.with_value(|default| now.iter().any(|(name, v)| !MAIN.contains(&name) && default.get(name) != Some(v)))
    };
    Signal::derive(move || params.with(|p| differs(&p.query())))
}

fn milliseconds(value: f64) -> String {
    format!("{} ms", number(value))
}

fn options() -> Vec<(&'static str, &'static str)> {
    Schedule::ALL.iter().map(|s| (s.id(), s.label())).collect()
}

fn schedule(state: State) -> impl IntoView {
    let groups = vec![Group { label: "", options: options() }];
    let value = Signal::derive(move || state.params().with(|p| p.schedule.id()));
    let set = move |id: &'static str| {
        if let Some(schedule) = Schedule::find(id) {
            state.update(|p| p.schedule = schedule);
        }
    };
    view! { <Select name="schedule" label="Schedule" groups value set /> }
}

fn compare(state: State) -> impl IntoView {
    let mut options = options();
    options.insert(0, (NONE, "nothing"));
    let groups = vec![Group { label: "", options }];
    let value = Signal::derive(move || state.params().with(|p| p.compare.map_or(NONE, Schedule::id)));
    let set = move |id: &'static str| state.update(|p| p.compare = Schedule::find(id));
    view! { <Select name="compare" label="Beside it" groups value set /> }
}

fn path(state: State) -> impl IntoView {
    let options = vec![("false", "All blocks"), ("true", "Critical path")];
    let value = Signal::derive(move || if state.params().with(|p| p.path) { "true" } else { "false" });
    let set = move |id| state.update(|p| p.path = id == "true");
    view! { <Segmented name="path" label="Stands out" options value set /> }
}

fn stages(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| f64::from(p.stages)));
    let set = move |to: f64| state.update(|p| *p = p.resized(to as u32));
    let scale = Scale::Linear { min: 1.0, max: 64.0, step: 1.0 };
    view! { <Slider spec=param(&ENTRY, "stages") label="Stages" value set scale format=whole /> }
}

fn microbatches(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| f64::from(p.microbatches)));
    let set = move |to: f64| state.update(|p| p.microbatches = to as u32);
    let scale = Scale::Quarters(2, 9);
    view! { <Slider spec=param(&ENTRY, "microbatches") label="Micro-batches" value set scale format=whole /> }
}

fn chunks(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| f64::from(p.chunks)));
    let set = move |to: f64| state.update(|p| p.chunks = to as u32);
    let scale = Scale::Linear { min: 1.0, max: 4.0, step: 1.0 };
    view! { <Slider spec=param(&ENTRY, "chunks") label="Chunks, if interleaved" value set scale format=whole /> }
}

fn slow_stage(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| f64::from(p.slow_stage)));
    let set = move |to: f64| state.update(|p| p.slow_stage = (to as u32).min(p.stages.saturating_sub(1)));
    let scale = Scale::Linear { min: 0.0, max: 63.0, step: 1.0 };
    view! { <Slider spec=param(&ENTRY, "slow-stage") label="Slow device" value set scale format=whole /> }
}

fn slow_by(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.slow_by));
    let set = move |to: f64| state.update(|p| p.slow_by = to);
    let scale = Scale::Linear { min: 1.0, max: 4.0, step: 0.1 };
    view! { <Slider spec=param(&ENTRY, "slow-by") label="It takes" value set scale format=|v| format!("{} ×", number(v)) /> }
}

fn whole(value: f64) -> String {
    grouped(value as u64)
}
