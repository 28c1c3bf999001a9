//! The ladder: a row for each kernel, with what it asks of memory and what was measured.

use leptos::prelude::*;
use ringside_core::kernels::Rung;
use ringside_core::kernels::measured::Measured;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_drawing::scale::{Linear, percent};

use super::{Bench, Guest};
use crate::ui::table::{Table, numbers, words};

/// The table; its first cells choose a kernel.
pub(super) fn view(bench: Bench) -> AnyView {
    let fastest = Memo::new(move |_| {
        let guest = bench.of_guest().map_or(0.0, |m| m.rate());
        bench.sizes.with(|(sizes, _)| {
            bench
                .runner
                .measured()
                .with(|all| all.iter().filter(|m| m.sizes == *sizes).map(Measured::rate).fold(guest, f64::max))
        })
    });
    // Kernels stay the same ones whatever the sizes are.
    let rows = bench.ladder.get_untracked().into_iter().enumerate().map(|(i, rung)| row(bench, i, rung, fastest));
    view! {
        <Table
            scroll="The kernels"
            class="bench-ladder"
            columns=[
                words("Kernel"),
                numbers("Memory traffic"),
                numbers("Workgroups"),
                words("Speed"),
                numbers("Time (middle half)"),
                numbers("Error / rounding"),
            ]
            rows=view! {
                {rows.collect_view()}
                {move || bench.guest.get().map(|guest| visiting(bench, guest, fastest))}
            }
            .into_any()
        />
    }
    .into_any()
}

fn row(bench: Bench, i: usize, rung: Rung, fastest: Memo<f64>) -> AnyView {
    let id = rung.id;
    let asked = move || {
        let bytes = bench.ladder.with(|all| all.get(i).map_or(0, |rung| rung.needs.asked.total()));
        Unit::Bytes.format(bytes as f64)
    };
    let workgroups =
        move || bench.ladder.with(|all| all.get(i).map_or_else(String::new, |rung| grouped(rung.needs.workgroups)));
    let pressed = move || (bench.kernel.get() == id).to_string();
    let name = view! {
        <button type="button" class="quiet" aria-pressed=pressed on:click=move |_| bench.set_kernel.run(id)>
            {rung.label}
        </button>
    };
    let running = move || bench.runner.now().is_some_and(|job| job.kernel == id);
    let needs = [asked.into_any(), workgroups.into_any()];
    cells(name.into_any(), needs, running, Memo::new(move |_| bench.of(id)), fastest)
}

/// The row of the guest. No control of the figure names it, so that its name runs it.
fn visiting(bench: Bench, Guest { label, needs, job }: Guest, fastest: Memo<f64>) -> AnyView {
    let mine = job.clone();
    let disabled = move || !bench.runner.idle();
    let name = view! {
        <button type="button" class="quiet" disabled=disabled on:click=move |_| bench.runner.run(vec![job.clone()], |_| None)>
            {format!("Run: {label}")}
        </button>
    };
    let running = move || bench.runner.now().is_some_and(|job| job == mine);
    let needs = [Unit::Bytes.format(needs.asked.total() as f64), grouped(needs.workgroups)].map(IntoAny::into_any);
    cells(name.into_any(), needs, running, Memo::new(move |_| bench.of_guest()), fastest)
}

fn cells(
    name: AnyView,
    [asked, workgroups]: [AnyView; 2],
    running: impl Fn() -> bool + Send + Sync + 'static,
    measured: Memo<Option<Measured>>,
    fastest: Memo<f64>,
) -> AnyView {
    let width = move || {
        let rate = measured.with(|m| m.as_ref().map_or(0.0, Measured::rate));
        percent(if rate > 0.0 { Linear::to(fastest.get()).percent(rate) } else { 0.0 })
    };
    let cell = move |text: fn(&Measured) -> String| move || measured.with(|m| m.as_ref().map(text));
    let wrong = move || measured.with(|m| m.as_ref().is_some_and(|m| !m.verified));
    view! {
        <tr class:running=running class:wrong=wrong>
            <th scope="row">{name}</th>
            <td class="number">{asked}</td>
            <td class="number">{workgroups}</td>
            <td class="bench-speed">
                <svg aria-hidden="true"><rect class="track" width="100%" height="100%" /><rect width=width height="100%" /></svg>
                <span>{cell(|m| Unit::FlopPerSecond.format(m.rate()))}</span>
            </td>
            <td class="number">{cell(timed)}</td>
            <td class="number">{cell(error)}</td>
        </tr>
    }
    .into_any()
}

/// [`spread`], and that it was not the GPU's, if it was not.
fn timed(m: &Measured) -> String {
    if m.instead.is_empty() { spread(m) } else { format!("on the CPU: {}", spread(m)) }
}

/// The median and the middle half of the runs.
pub(super) fn spread(m: &Measured) -> String {
    let seconds = |s: f64| Unit::Seconds.format(s);
    if m.rounds < 3 {
        return format!("{}, {} run{}", seconds(m.seconds), m.rounds, if m.rounds == 1 { "" } else { "s" });
    }
    format!("{} ({} to {})", seconds(m.seconds), seconds(m.low), seconds(m.high))
}

/// The error where it comes closest to its bound.
pub(super) fn error(m: &Measured) -> String {
    let share = if m.bound > 0.0 { m.max_error / m.bound } else { 0.0 };
    if m.verified { format!("{} ✓", Unit::Fraction.format(share)) } else { format!("{}: wrong", number(m.max_error)) }
}
