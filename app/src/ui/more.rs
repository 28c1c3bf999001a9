//! Main controls, and others that are shown when they are asked for.

use leptos::html;
use leptos::prelude::*;
use web_sys::{Node, Storage};

use super::unique_id;

/// `main` in a row, and `more` behind a button. Whether they are open is remembered for the session. Where they stand beside the drawing they
/// open by themselves when something outside the figure, such as a link, sets one of them; over the drawing they would push it down, and a dot
/// says that some are set. What a page shows its figure with is no such thing.
#[component]
pub(super) fn More(
    /// The widget's id.
    id: &'static str,
    main: AnyView,
    more: Option<AnyView>,
    /// Whether any of `more` is set to something else than its default.
    is_set: Signal<bool>,
    /// Whether the figure stands on its own page: it was then a link that set them.
    alone: bool,
) -> impl IntoView {
    let is_set = Memo::new(move |_| is_set.get());
    let open = RwSignal::new(remembered(id));
    let row = NodeRef::<html::Div>::new();
    Effect::new(move |before: Option<bool>| {
        let (Some(row), now) = (row.get(), is_set.get()) else { return before.unwrap_or_default() };
        let was_set = before.unwrap_or(!alone);
        if now && !was_set && is_beside_the_drawing(&row) && !has_focus_around(&row) {
            open.set(true);
        }
        now
    });
    let flip = move |_| {
        open.update(|open| *open = !*open);
        remember(id, open.get_untracked());
    };
    let others = more.map(|more| (unique_id("more"), more));
    let button = others.as_ref().map(|(controlled, _)| {
        let controlled = controlled.clone();
        view! {
            <button
                type="button"
                class="quiet more-button"
                aria-expanded=move || open.get().to_string()
                aria-controls=controlled
                on:click=flip
            >
                "More" <span class="more-of-what">" controls"</span>
                <i class="more-set" hidden=move || !is_set.get()><span class="visually-hidden">": some are set"</span></i>
            </button>
        }
    });
    view! {
        <div class="control-row main-controls" node_ref=row>{main} {button}</div>
        {others
            .map(|(id, more)| {
                view! { <div class="more-controls" id=id hidden=move || !open.get()>{more}</div> }
            })}
    }
}

/// Whether the focus is in the figure around `row`: a change is then the learner's own, and nothing opens under the hand.
fn has_focus_around(row: &web_sys::Element) -> bool {
    let figure = row.closest("figure").ok().flatten();
    let focus = document().active_element();
    figure.zip(focus).is_some_and(|(figure, focus)| figure.contains(Some(AsRef::<Node>::as_ref(&focus))))
}

/// Whether the controls stand beside the drawing, where they move nothing.
fn is_beside_the_drawing(row: &web_sys::Element) -> bool {
    let figure = row.closest("figure").ok().flatten();
    let drawing = figure.and_then(|figure| figure.query_selector("[data-drawing]").ok().flatten());
    drawing.is_some_and(|drawing| drawing.get_bounding_client_rect().right() <= row.get_bounding_client_rect().left())
}

fn storage() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

fn key(id: &str) -> String {
    format!("ringside.more.{id}")
}

fn remembered(id: &str) -> bool {
    storage().is_some_and(|storage| matches!(storage.get_item(&key(id)), Ok(Some(_))))
}

fn remember(id: &str, open: bool) {
    if let Some(storage) = storage() {
        // A browser that keeps nothing forgets this too.
        let _ = if open { storage.set_item(&key(id), "open") } else { storage.remove_item(&key(id)) };
    }
}
