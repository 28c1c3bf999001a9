//! What it has cost so far: bytes by rank, the busiest link, who is idle; and the phases over time.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::collective::Params;
use ringside_core::collective::cost::Cost;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, unbroken};
use ringside_drawing::scale::{Linear, percent};

use super::Shown;
use crate::widgets::readings;

/// The height of the bars' drawing.
const HEIGHT: f64 = 100.0;

/// One bar for each rank.
#[derive(Debug, Clone, PartialEq, Default)]
struct Bars {
    ranks: usize,
    sent: String,
    rest: String,
    /// The ranks of which neither end of a message is in this step, as bars' feet.
    idle: String,
    most: String,
}

impl Bars {
    fn of(shown: Shown, cost: &Cost) -> Self {
        shown.with(|run| {
            let most = run.cost.most_sent();
            let scale = Linear::to(most);
            let mut bars = Self { ranks: run.params.ranks, most: Unit::Bytes.format(most), ..Self::default() };
            let done = shown.step.get().checked_sub(1).and_then(|i| run.schedule.steps.get(i));
            for rank in 0..run.params.ranks {
                let height =
                    |bytes: &[f64]| scale.percent(bytes.get(rank).copied().unwrap_or_default()) / 100.0 * HEIGHT;
                let (now, whole) = (height(&cost.sent), height(&run.cost.sent));
                let left = rank as f64 + 0.1;
                // Writing to a string does not fail.
                let _ = write!(bars.sent, "M{left:.2} {HEIGHT}h.8V{:.2}h-.8z", HEIGHT - now);
                let _ = write!(bars.rest, "M{left:.2} {:.2}h.8V{:.2}h-.8z", HEIGHT - now, HEIGHT - whole);
                let works = done
                    .is_none_or(|step| step.transfers.iter().any(|t| [t.from, t.to].map(usize::from).contains(&rank)));
                if !works {
                    let _ = write!(bars.idle, "M{left:.2} {:.2}h.8v5h-.8z", HEIGHT + 3.0);
                }
            }
            bars
        })
    }
}

/// The bars, and what is to be said of them now.
pub(super) fn view(shown: Shown) -> impl IntoView {
    let cost = Memo::new(move |_| shown.with(|run| Some(run.cost_until(shown.step.get()))));
    let bars = Memo::new(move |_| cost.with(|cost| cost.as_ref().map(|c| Bars::of(shown, c)).unwrap_or_default()));
    let breaks = breaks(shown);
    let path = move |class: &'static str, look: fn(&Bars) -> &String| {
        view! { <path class=class d=move || bars.with(|b| look(b).clone()) /> }
    };
    view! {
        <p class="side-title">"Sent so far, by rank"<small>{move || bars.with(|b| format!(" at most {}", b.most))}</small></p>
        <svg
            class="sent"
            viewBox=move || bars.with(|b| format!("0 0 {} 108", b.ranks))
            preserveAspectRatio="none"
            aria-hidden="true"
        >
            {path("rest", |b| &b.rest)} {path("done", |b| &b.sent)} {path("idle", |b| &b.idle)}
        </svg>
        <p class="fine ends"><span>"rank 0"</span><span>{move || bars.with(|b| b.ranks.saturating_sub(1))}</span></p>
        <dl class="facts">
            <div><dt>"Gone so far"</dt><dd>{move || cost.with(|c| c.as_ref().map(gone))}</dd></div>
            <div><dt>"Busiest link"</dt><dd>{move || shown.with(|run| busiest(&run.cost))}</dd></div>
            <div><dt>"Idle in this step"</dt><dd>{move || idle(shown)}</dd></div>
            <div hidden=move || !breaks.get()><dt>"Wait for ever"</dt><dd>{move || stuck(shown)}</dd></div>
        </dl>
    }
}

/// Whether a cable is broken.
fn breaks(shown: Shown) -> Memo<bool> {
    Memo::new(move |_| shown.with(|run| run.params.broken().is_some()))
}

/// The quantities of the whole operation.
pub(super) fn readings(shown: Shown) -> AnyView {
    let quantities = Memo::new(move |_| shown.with(|run| run.params.quantities(run)));
    readings::view(&Params::ENTRY, quantities)
}

fn gone(cost: &Cost) -> String {
    let bytes: f64 = cost.sent.iter().sum();
    unbroken(&format!("{}, {}", Unit::Seconds.format(cost.time()), Unit::Bytes.format(bytes)))
}

fn busiest(cost: &Cost) -> String {
    let (from, to, bytes) = cost.busiest_link();
    format!("{from} → {to}: {}", unbroken(&Unit::Bytes.format(bytes)))
}

/// Which ranks neither send nor receive, in few words.
fn idle(shown: Shown) -> String {
    shown.with(|run| {
        let Some(step) = shown.step.get().checked_sub(1).and_then(|i| run.schedule.steps.get(i)) else {
            return "nothing sent yet".to_owned();
        };
        let works = |rank: usize| step.transfers.iter().any(|t| [t.from, t.to].map(usize::from).contains(&rank));
        let ranks: Vec<usize> = (0..run.params.ranks).filter(|&rank| !works(rank)).collect();
        named(&ranks, run.params.ranks)
    })
}

/// Which ranks wait for ever by now, in few words.
fn stuck(shown: Shown) -> String {
    shown.with(|run| {
        let step = shown.step.get();
        let waits = |rank: &usize| run.stuck.get(*rank).copied().flatten().is_some_and(|since| since < step);
        let ranks: Vec<usize> = (0..run.params.ranks).filter(waits).collect();
        named(&ranks, run.params.ranks)
    })
}

/// Some of `all` ranks: by their numbers if they are few.
fn named(ranks: &[usize], all: usize) -> String {
    match ranks {
        [] => "no rank".to_owned(),
        few @ ([_] | [_, _] | [_, _, _]) => {
            let names: Vec<String> = few.iter().map(ToString::to_string).collect();
            format!("rank {}", names.join(", "))
        }
        many => format!("{} of {all} ranks", many.len()),
    }
}

/// The phases as a strip over the steps.
pub(super) fn phases(shown: Shown) -> impl IntoView {
    let strip = move || {
        shown.with(|run| {
            let all = Linear::to(run.steps() as f64);
            let phases = run.phases().into_iter().map(|(name, steps)| {
                let width = percent(all.percent(steps as f64));
                let text = format!("{name}, {steps}");
                view! { <span style:width=width>{text}</span> }
            });
            Some(phases.collect_view())
        })
    };
    view! { <div class="phases" aria-hidden="true" data-answer="">{strip}</div> }
}
