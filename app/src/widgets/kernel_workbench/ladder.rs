//! The puzzles as a ladder: which there are, which are solved, and how fast.

use leptos::prelude::*;
use ringside_core::kernels::workbench::{PUZZLES, Params, Puzzle};
use ringside_core::quantity::Unit;

use super::kept;
use crate::ui::state::State;

/// One button for each puzzle.
pub(super) fn view(state: State<Params>) -> AnyView {
    let rungs = PUZZLES.iter().enumerate().map(|(i, puzzle)| rung(state, i + 1, puzzle)).collect_view();
    view! { <ol class="puzzles" aria-label="Puzzles">{rungs}</ol> }.into_any()
}

fn rung(state: State<Params>, number: usize, puzzle: &'static Puzzle) -> AnyView {
    let id = puzzle.id;
    let work = Memo::new(move |_| kept::of(id));
    let pressed = move || state.params().with(|p| p.puzzle.id == id).to_string();
    let choose = move |_| state.update(|p| p.puzzle = puzzle);
    let mark = move || match work.with(|w| (w.solved, w.looked_up)) {
        (true, false) => "✓",
        (_, true) => "◦",
        _ => "",
    };
    let said = move || match work.with(|w| (w.solved, w.looked_up)) {
        (true, false) => ", solved",
        (true, true) => ", solved after it was looked up",
        (false, true) => ", looked up",
        _ => "",
    };
    let best = move || {
        let best = work.with(|w| w.best.iter().map(|b| b.seconds).fold(f64::INFINITY, f64::min));
        best.is_finite().then(|| Unit::Seconds.format(best))
    };
    view! {
        <li>
            <button type="button" class="quiet" aria-pressed=pressed on:click=choose>
                <span class="rung-number">{number}</span>
                <span class="rung-title">{puzzle.title}<span class="visually-hidden">{said}</span></span>
                <span class="rung-best">{best}</span>
                <b aria-hidden="true">{mark}</b>
            </button>
        </li>
    }
    .into_any()
}
