//! A source of the reading map: what it is, what to look for in it, and what the learner made of it.

use leptos::prelude::*;
use ringside_content::schema::{Html, Source};

use crate::store::doc::{Doc, SourceNote};
use crate::store::store;
use crate::ui::later::Later;
use crate::ui::unique_id;

/// A source with its "read" tick and its one-page summary.
#[component]
pub fn SourceCard(
    /// The source.
    source: Source,
    /// Whether what to look for, the insight and the summary wait behind a button: for long lists.
    #[prop(optional)]
    folded: bool,
) -> impl IntoView {
    let store = store();
    let Source { id, title, authors, year, url, kind, priority, minutes, look_for, insight, .. } = source;
    let id = StoredValue::new(id);
    let is_read = Memo::new(move |_| store.with(|doc| note(doc, id).is_some_and(|n| n.read)));
    let tick = move |event| {
        let read = event_target_checked(&event);
        store.update(|doc| doc.sources.entry(id.get_value()).or_default().read = read);
    };
    let open = RwSignal::new(false);
    let about = [Some(authors), year.map(|y| y.to_string()), Some(kind)].into_iter().flatten().collect::<Vec<_>>();
    view! {
        <article class="source sans" class:read=is_read data-source=id.get_value() data-priority=priority>
            <div class="source-head">
                <h3><a href=url rel="noopener external">{title.clone()}</a></h3>
                <label class="source-read">
                    <input type="checkbox" prop:checked=is_read on:change=tick />
                    "Read"
                    <span class="visually-hidden">{format!(": {title}")}</span>
                </label>
            </div>
            <p class="source-about">
                <b>{priority_name(priority)}</b>
                " · "
                {duration(minutes)}
                " · "
                {about.join(" · ")}
            </p>
            {if folded {
                let panel = unique_id("source");
                let controls = panel.clone();
                let rest = (look_for, insight, title.clone());
                view! {
                    <button
                        type="button"
                        class="quiet disclose"
                        aria-label=format!("What to look for in {title}, and your summary")
                        aria-expanded=move || open.get().to_string()
                        aria-controls=controls
                        on:click=move |_| open.update(|open| *open = !*open)
                    ></button>
                    <div id=panel hidden=move || !open.get()>
                        {move || {
                            let (look_for, insight, title) = rest.clone();
                            open.get().then(|| details(id, look_for, insight, title))
                        }}
                    </div>
                }
                    .into_any()
            } else {
                details(id, look_for, insight, title).into_any()
            }}
        </article>
    }
}

/// What to look for, what to take away, and the learner's summary.
fn details(id: StoredValue<String>, look_for: Vec<Html>, insight: Html, title: String) -> impl IntoView {
    view! {
        {(!look_for.is_empty())
            .then(|| {
                let items = look_for.into_iter().map(|Html(html)| view! { <li inner_html=html></li> }).collect_view();
                view! {
                    <p class="source-label">"Look for"</p>
                    <ul class="source-look">{items}</ul>
                }
            })}
        {(!insight.is_empty())
            .then(|| {
                view! {
                    <p class="source-label">"Take away"</p>
                    <p class="source-insight" inner_html=insight.0></p>
                }
            })}
        <Summary id title />
    }
}

/// The learner's own summary: behind a disclosure, kept as it is typed.
#[component]
fn Summary(id: StoredValue<String>, title: String) -> impl IntoView {
    let store = store();
    let stored = Memo::new(move |_| store.with(|doc| note(doc, id).map(|n| n.summary.clone()).unwrap_or_default()));
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
            // A page lists many sources: a field is made when it is wanted.
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
}

fn note(doc: &Doc, id: StoredValue<String>) -> Option<&SourceNote> {
    id.with_value(|id| doc.sources.get(id))
}

/// The name of a priority.
pub fn priority_name(priority: u8) -> &'static str {
    match priority {
        3 => "Must read",
        2 => "Recommended",
        _ => "Optional",
    }
}

/// A time to plan with: "45 min", "1 h 30 min".
pub fn duration(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}
