//! The puzzles as a ladder: which there are, which are solved, and how well.

use leptos::prelude::*;

use super::kept;

/// A puzzle of a ladder.
pub(in crate::widgets) struct Rung {
    /// Its id.
    pub id: &'static str,
    /// Its key in the store.
    pub key: String,
    /// What a person calls it.
    pub title: &'static str,
    /// How well it was solved, in a few characters. Tracks.
    pub best: Signal<Option<String>>,
}

/// One button for each puzzle. `chosen` is the id of the one on show.
pub(in crate::widgets) fn view(
    rungs: impl IntoIterator<Item = Rung>,
    chosen: Signal<&'static str>,
    choose: Callback<&'static str>,
) -> AnyView {
    let rungs = rungs.into_iter().enumerate().map(|(i, rung)| row(i + 1, rung, chosen, choose)).collect_view();
    view! { <ol class="puzzles" aria-label="Puzzles">{rungs}</ol> }.into_any()
}

fn row(number: usize, rung: Rung, chosen: Signal<&'static str>, choose: Callback<&'static str>) -> AnyView {
    let Rung { id, key, title, best } = rung;
    let work = Memo::new(move |_| kept::of(&key));
    let pressed = move || (chosen.get() == id).to_string();
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
    view! {
        <li>
            <button type="button" class="quiet" aria-pressed=pressed on:click=move |_| choose.run(id)>
                <span class="rung-number">{number}</span>
                <span class="rung-title">{title}<span class="visually-hidden">{said}</span></span>
                <span class="rung-best">{best}</span>
                <b aria-hidden="true">{mark}</b>
            </button>
        </li>
    }
    .into_any()
}
