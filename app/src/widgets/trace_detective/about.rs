//! The event that is chosen, in words.

use leptos::prelude::*;
use ringside_core::quantity::{Unit, number};
use ringside_core::trace::Sort;

use super::Shown;
use super::canvas::short;
use super::keys::follow;

fn time(nanoseconds: i64) -> String {
    Unit::Seconds.format(nanoseconds as f64 / 1e9)
}

pub(super) fn view(shown: Shown) -> impl IntoView {
    view! {
        <p class="trace-about" class:how-to=move || shown.chosen.get().is_none() aria-live="polite">{move || chosen(shown)}</p>
        <div class="trace-go">
            <button type="button" class="secondary" disabled=move || shown.partners.with(Vec::is_empty) on:click=move |_| follow(shown)>
                "Go to its launch, or to what it launched"
            </button>
        </div>
    }
}

/// The event that is chosen, in words.
fn chosen(shown: Shown) -> String {
    let Some(chosen) = shown.chosen.get() else {
        return "Press an event, or move among them with the arrow keys; Shift and arrows select. W and S zoom, A and D move, Enter goes from a \
                launch to its kernel."
            .to_owned();
    };
    shown.scene.with(|scene| {
        let Some((trace, span)) = scene.span(chosen) else { return String::new() };
        let begins = time(span.start - scene.extent.0);
        let mut text = format!("{}: {}, from {begins}.", trace.name(span), time(span.length));
        let others = shown.partners.get();
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
