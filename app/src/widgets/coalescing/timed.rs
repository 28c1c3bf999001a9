//! The same pattern as a kernel on the learner's GPU, beside a copy: how many times as long it was to take, and how many it took.

use leptos::prelude::*;
use ringside_core::coalescing::{Params, measured};
use ringside_core::kernels::glass::Source;
use ringside_core::quantity::{Unit, number, unbroken};
use ringside_drawing::scale::{Linear, percent};

use crate::widgets::glass::Glass;
use crate::widgets::kernels::{Job, Runner};
use crate::widgets::readings;

fn job(run: &measured::Run) -> Job {
    let (query, sizes) = run.gather.sizes();
    Job { family: measured::FAMILY, kernel: measured::KERNEL, sizes, query: query.to_string() }
}

/// The ratio that was measured of the pattern on show; none before. Tracks.
fn ratio(params: Memo<Params>, runner: Runner) -> Option<f64> {
    params.with(|p| runner.measured().with(|all| p.ratio(all)))
}

/// What was measured, in a sentence; empty before. Tracks.
pub(super) fn finding(params: Memo<Params>, runner: Runner) -> String {
    let Some(measured) = ratio(params, runner) else { return String::new() };
    let predicted = params.with(|p| p.run().map_or(1.0, |run| run.predicted()));
    let device = runner.measured().with(|all| all.last().map(|m| m.ran_on().to_owned()).unwrap_or_default());
    let verdict = match measured / predicted {
        r if r < 0.75 => {
            "It is faster than its traffic: a cache may have kept sectors until their other values were needed."
        }
        r if r > 1.33 => {
            "It is slower than its traffic, so something else limits it, such as too few loads in flight, or pages that are not mapped."
        }
        _ => "The traffic explains that within a third.",
    };
    format!(
        " On {device} the pattern took {} times as long as a copy, and its traffic predicts {} times. {verdict}",
        number(measured),
        number(predicted)
    )
}

/// What can be done, what came of it, and both ratios as bars.
pub(super) fn view(params: Memo<Params>, runner: Runner) -> AnyView {
    let run = Memo::new(move |_| params.with(Params::run));
    let none = move || run.with(Option::is_none);
    let busy = Memo::new(move |_| !runner.idle());
    let time = move |_| {
        let Some(run) = run.get_untracked() else { return };
        let copy = params.with_untracked(Params::copy);
        let jobs = if run.gather == copy.gather { vec![job(&copy)] } else { vec![job(&copy), job(&run)] };
        runner.run(jobs, |_| None);
    };
    let glass = Glass::new();
    let meant = move || {
        let Job { family, kernel, sizes, .. } = job(&run.get().unwrap_or_else(|| params.with(Params::copy)));
        Source::Kernel { family: family.to_owned(), kernel: kernel.to_owned(), sizes }
    };
    let start = view! {
        <button type="button" disabled=move || busy.get() || none() on:click=time>"Time it on this GPU"</button>
        <Show when=move || !none()>{glass.button(meant)}</Show>
    };
    let why = move || {
        none().then(|| {
            let text = if params.with(|p| p.view == ringside_core::coalescing::View::Shared) {
                "Only patterns of global memory are timed."
            } else {
                "Only values of 4 bytes are timed: choose 4 bytes per value."
            };
            view! { <p class="fine">{text}</p> }
        })
    };
    let known = Memo::new(move |_| ratio(params, runner).is_some());
    let measured = Signal::derive(move || ratio(params, runner).unwrap_or_default());
    let seconds = Signal::derive(move || {
        run.with(|run| {
            let found = |all: &Vec<_>| {
                run.and_then(|run| run.find(all).map(|m: &ringside_core::kernels::measured::Measured| m.seconds))
            };
            runner.measured().with(found).unwrap_or_default()
        })
    });
    view! {
        <section class="timed bench">
            <p class="plot-title">"On your GPU"</p>
            {runner.actions(start.into_any())}
            {why}
            {glass.view()}
            {runner.messages(move || runner.measured().with(|all| all.last().cloned()))}
            <Show when=move || known.get()>
                {bars(run, measured)}
                <dl class="readings">
                    {readings::one("measured-ratio", "Measured time over a plain copy", Unit::Ratio, measured)}
                    {readings::one("measured-time", "Measured time", Unit::Seconds, seconds)}
                </dl>
            </Show>
        </section>
    }
    .into_any()
}

/// Both ratios, as long as they are.
fn bars(run: Memo<Option<measured::Run>>, measured: Signal<f64>) -> AnyView {
    let predicted = Signal::derive(move || run.with(|run| run.map_or(1.0, |run| run.predicted())));
    let bar = move |name: &'static str, class: &'static str, value: Signal<f64>| {
        let width = move || percent(Linear::to(predicted.get().max(measured.get()).max(1.0)).percent(value.get()));
        view! {
            <div class="timed-bar">
                <span>{name}</span>
                <div><i class=class style:width=width></i></div>
                <b>{move || unbroken(&format!("{} ×", number(value.get())))}</b>
            </div>
        }
    };
    view! {
        <div class="timed-bars" aria-hidden="true">
            {bar("predicted", "vain", predicted)} {bar("measured", "used", measured)}
        </div>
    }
    .into_any()
}
