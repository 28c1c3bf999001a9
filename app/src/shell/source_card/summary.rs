//! The learner's own summary of a source: behind a disclosure, kept as it is typed.

use leptos::prelude::*;

use crate::deferred::lazy;
use crate::store::store;
use crate::ui::later::Later;
use crate::ui::unique_id;

/// The summary of the source with this id and title.
pub(super) type View = fn(String, String) -> AnyView;

lazy! {
    /// Downloads the view.
    home: pub(super) fn load() -> View {
        view
    }
}

fn view(id: String, title: String) -> AnyView {
    let store = store();
    let id = StoredValue::new(id);
    let stored = Memo::new(move |_| {
        let note = |id: &String| store.with(|doc| doc.sources.get(id).map(|note| note.summary.clone()));
        id.with_value(note).unwrap_or_default()
    });
    // What has been typed and is not in the store yet.
    let unsaved = RwSignal::new(None::<String>);
    let rest = Later::after(600);
    let save = move || {
        rest.cancel();
        if let Some(summary) = unsaved.get_untracked() {
            store.update(|doc| doc.sources.entry(id.get_value()).or_default().summary = summary);
            unsaved.set(None);
        }
    };
    let typed = move |event| {
        unsaved.set(Some(event_target_value(&event)));
        rest.run(save);
    };
    // Nothing typed is lost by leaving the field, the page or the site.
    let leaving = window_event_listener(leptos::ev::pagehide, move |_| save());
    on_cleanup(move || {
        leaving.remove();
        save();
    });

    let open = RwSignal::new(false);
    let field_id = unique_id("summary");
    let state = move || match (unsaved.with(Option::is_some), stored.with(String::is_empty)) {
        (true, _) => "saving …",
        (false, true) => "",
        (false, false) => "kept in this browser",
    };
    view! {
        <details class="source-summary" on:toggle=move |_| open.set(true)>
            <summary>
                {move || if stored.with(String::is_empty) { "Write a one-page summary" } else { "Your summary" }}
            </summary>
            <Show when=move || open.get()>
                <label class="visually-hidden" for=field_id.clone()>{format!("One-page summary of {title}")}</label>
                <textarea
                    id=field_id.clone()
                    rows="8"
                    placeholder="What is the problem, the idea, the evidence, and what would you do differently now?"
                    prop:value=move || unsaved.get().unwrap_or_else(|| stored.get())
                    on:input=typed
                    on:blur=move |_| save()
                ></textarea>
                <p class="source-kept">{state}</p>
            </Show>
        </details>
    }
    .into_any()
}
