//! The game: name the cause, show the event that says so, repair it, and see the step again.

use std::sync::Arc;

use leptos::prelude::*;
use ringside_core::detective::{Case, MOST_CASES, Outcome, Params, View, choices};
use ringside_core::quantity::{Unit, capital};
use ringside_core::trace::simulate::Cause;

use super::{Shown, State};

/// Wrong causes beside the right ones.
const OTHERS: usize = 4;

/// What the case says of itself.
pub(super) fn title(params: &Params) -> String {
    let case = Case::of(params.case, params.seed);
    match params.case {
        0 => format!("a fresh case: {}", case.title),
        n => format!("case {n} of {MOST_CASES}: {}", case.title),
    }
}

/// How far a case is.
#[derive(Clone, Copy)]
struct Progress {
    /// The cause that was named and is right.
    named: RwSignal<Option<Cause>>,
    /// Whether its evidence was shown.
    shown: RwSignal<bool>,
    /// Causes that were repaired.
    repaired: RwSignal<Vec<Cause>>,
    message: RwSignal<String>,
}

pub(super) fn view(state: State, shown: Shown, outcome: Memo<Arc<Outcome>>) -> impl IntoView {
    let params = state.params();
    let case = Memo::new(move |_| params.with(|p| (p.case, p.seed)));
    let progress = Progress {
        named: RwSignal::new(None),
        shown: RwSignal::new(false),
        repaired: RwSignal::new(Vec::new()),
        message: RwSignal::new(String::new()),
    };
    Effect::new(move |before: Option<()>| {
        case.track();
        progress.named.set(None);
        progress.shown.set(false);
        progress.repaired.set(Vec::new());
        shown.looks.set(0);
        if before.is_some() {
            progress.message.set(String::new());
        }
    });
    let go = move |number: u64, seed: u64| {
        state.update(|p| (p.view, p.case, p.seed, p.repair) = (View::Game, number, seed, Cause::None));
    };
    let next = move |_| {
        let (number, seed) = case.get_untracked();
        go(number % MOST_CASES + 1, seed);
    };
    let fresh = move |_| {
        let (_, seed) = case.get_untracked();
        go(0, seed % 9999 + 1);
    };
    let causes = Memo::new(move |_| {
        let (number, seed) = case.get();
        let right = Case::of(number, seed).causes;
        choices(&right, OTHERS, seed.wrapping_mul(31).wrapping_add(number))
    });
    let name = move |cause: Cause| {
        let pressed = move || (progress.named.get() == Some(cause)).to_string();
        let done = move || progress.repaired.with(|all| all.contains(&cause));
        view! {
            <button
                type="button"
                class="preset"
                aria-pressed=pressed
                disabled=done
                on:click=move |_| name_cause(progress, case.get_untracked(), cause)
            >
                {capital(cause.label())}
            </button>
        }
    };
    let names = move || causes.get().into_iter().map(name).collect_view();
    let budget = move || {
        let (number, seed) = case.get();
        let (used, all) = (shown.looks.get(), Case::of(number, seed).looks);
        format!("{} of {all} looks left", all.saturating_sub(used))
    };
    let show = move |_| show_evidence(progress, shown, outcome);
    let repair = move |_| {
        if let Some(cause) = progress.named.get_untracked() {
            state.update(|p| p.repair = cause);
            repaired(progress, case.get_untracked(), cause, outcome, shown);
        }
    };
    view! {
        <section class="trace-game">
            <div class="trace-steps">
                <div role="group" aria-label="1. Name the cause">
                    <p><b>"1. Name the cause"</b></p>
                    <div class="presets">{names}</div>
                </div>
                <div>
                    <p><b>"2. Choose an event in the trace that says so"</b> " " <span class="fine">{budget}</span></p>
                    <button type="button" class="secondary" disabled=move || progress.named.get().is_none() on:click=show>
                        "This event says so"
                    </button>
                </div>
                <div>
                    <p><b>"3. Repair it, and record the step again"</b></p>
                    <button type="button" class="secondary" disabled=move || !progress.shown.get() on:click=repair>
                        {move || progress.named.get().map_or("Repair", Cause::repair)}
                    </button>
                </div>
            </div>
            <p class="trace-verdict" role="status">{move || progress.message.get()}</p>
            <div class="trace-next">
                <button type="button" class="secondary" on:click=next>"Next case"</button>
                <button type="button" class="secondary" on:click=fresh>"A fresh case"</button>
            </div>
        </section>
    }
}

fn name_cause(progress: Progress, (number, seed): (u64, u64), cause: Cause) {
    let right = Case::of(number, seed).causes.contains(&cause);
    progress.shown.set(false);
    progress.named.set(right.then_some(cause));
    let name = capital(cause.label());
    progress.message.set(if right {
        format!("{name} it is. Which event says so?")
    } else {
        format!("{name}: the trace does not show that. Look at what the CPU does while the GPU waits, and at what runs alone.")
    });
}

fn show_evidence(progress: Progress, shown: Shown, outcome: Memo<Arc<Outcome>>) {
    let (Some(cause), Some((trace, span))) = (progress.named.get_untracked(), shown.chosen.get_untracked()) else {
        progress.message.set("Choose an event in the trace first.".to_owned());
        return;
    };
    let says = outcome.with_untracked(|o| {
        // What is diagnosed is rank 0.
        trace == 0 && o.findings.iter().any(|f| f.cause == Some(cause) && f.evidence.contains(&span))
    });
    progress.shown.set(says);
    progress.message.set(if says {
        "Yes. Now the repair.".to_owned()
    } else if trace != 0 {
        "Show it on rank 0.".to_owned()
    } else {
        "This event happens in any step. Which one would not be there, or be much shorter, without the cause?"
            .to_owned()
    });
}

fn repaired(progress: Progress, (number, seed): (u64, u64), cause: Cause, outcome: Memo<Arc<Outcome>>, shown: Shown) {
    let gained = outcome.with_untracked(|o| o.gain());
    let gained = Unit::Fraction.format((gained * 1000.0).round() / 1000.0);
    progress.repaired.update(|all| {
        if !all.contains(&cause) {
            all.push(cause);
        }
    });
    progress.named.set(None);
    progress.shown.set(false);
    let case = Case::of(number, seed);
    let left = case.causes.iter().filter(|c| progress.repaired.with_untracked(|all| !all.contains(c))).count();
    let looks = shown.looks.get_untracked();
    progress.message.set(match left {
        0 if looks <= case.looks => format!("{gained} of the step gained. Solved with {looks} looks."),
        0 => format!("{gained} of the step gained. Solved, with {looks} looks instead of {}.", case.looks),
        _ => format!("{gained} of the step gained. Something else is left."),
    });
}
