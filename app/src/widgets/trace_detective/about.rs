//! What is chosen, and what is in view: the words beside the drawing.

use leptos::prelude::*;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::trace::Sort;
use ringside_core::trace::layout::{partners, sums};

use super::Shown;
use super::canvas::short;
use crate::ui::table::{Table, numbers, words};

/// Names in the table of what is in view.
const NAMES: usize = 8;

fn time(nanoseconds: i64) -> String {
    Unit::Seconds.format(nanoseconds as f64 / 1e9)
}

pub(super) fn view(shown: Shown) -> impl IntoView {
    view! {
        <p class="trace-about" aria-live="polite">{move || chosen(shown)}</p>
        <div class="trace-go">
            <button type="button" class="secondary" disabled=move || !has_partner(shown) on:click=move |_| go(shown)>
                "Go to its launch, or to what it launched"
            </button>
        </div>
        {in_view(shown)}
    }
}

fn has_partner(shown: Shown) -> bool {
    let Some((trace, span)) = shown.chosen.get() else { return false };
    shown.scene.with(|s| s.traces.get(trace).is_some_and(|t| !partners(t, span).is_empty()))
}

fn go(shown: Shown) {
    let Some((trace, span)) = shown.chosen.get_untracked() else { return };
    let other = shown.scene.with_untracked(|s| s.traces.get(trace).and_then(|t| partners(t, span).first().copied()));
    if let Some(other) = other {
        shown.look_at((trace, other));
    }
}

/// The event that is chosen, in words.
fn chosen(shown: Shown) -> String {
    let Some(chosen) = shown.chosen.get() else {
        return "Press an event, or move among them with the arrow keys. W and S zoom, A and D move, Enter goes from a launch to its kernel."
            .to_owned();
    };
    shown.scene.with(|scene| {
        let Some((trace, span)) = scene.span(chosen) else { return String::new() };
        let begins = time(span.start - scene.extent.0);
        let mut text = format!("{}: {}, from {begins}.", trace.name(span), time(span.length));
        let others = partners(trace, chosen.1);
        let other = others.first().and_then(|i| trace.spans.get(*i as usize));
        match (other, span.sort.is_work()) {
            (Some(launch), true) => {
                let waited = time((span.start - launch.end()).max(0));
                text += &format!(" Launched by {}, {waited} before it began.", trace.name(launch));
            }
            (Some(work), false) => {
                let more = if others.len() > 1 { format!(" and {} more", others.len() - 1) } else { String::new() };
                text += &format!(" It launches {}{more}.", short(trace.name(work)));
            }
            (None, true) => text += " Its launch is not in the trace.",
            (None, false) if span.sort == Sort::Call && span.length > 100_000 => text += " The CPU waits in it.",
            _ => {}
        }
        if let Some(rate) = trace.bandwidth(chosen.1) {
            text += &format!(" {} GB/s.", number(rate));
        }
        if let Some(collective) = trace.collective(chosen.1) {
            let bytes = Unit::Bytes.format(collective.bytes as f64);
            text += &format!(" {} of {bytes} over {} ranks.", collective.name, collective.group);
        }
        text
    })
}

/// What is in view, summed by name: the table beside the drawing.
fn in_view(shown: Shown) -> impl IntoView {
    let rows = move || {
        let (from, to) = shown.window.get();
        shown.scene.with(|scene| {
            let Some(trace) = scene.traces.first() else { return Vec::new() };
            let sums = sums(trace, from as i64, to as i64);
            let row = |(name, count, total): (u32, u64, i64)| {
                let name = short(trace.names.get(name)).to_owned();
                view! {
                    <tr>
                        <th scope="row">{name}</th>
                        <td class="number">{grouped(count)}</td>
                        <td class="number">{time(total)}</td>
                        <td class="number">{time(total / i64::try_from(count.max(1)).unwrap_or(1))}</td>
                    </tr>
                }
            };
            sums.into_iter().take(NAMES).map(row).collect::<Vec<_>>()
        })
    };
    let columns = [words("In view on the first rank"), numbers("events"), numbers("together"), numbers("each")];
    view! { <div class="trace-sums"><Table scroll="What is in view, summed" columns rows=rows.into_any() /></div> }
}
