//! Things that a learner has to be told: read out by a screen reader, there until closed, never modal.

use leptos::prelude::*;

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// It went as asked.
    Info,
    /// Something could not be done or kept.
    Warning,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Notice {
    level: Level,
    text: String,
}

#[derive(Clone, Copy)]
struct List(RwSignal<Vec<Notice>>);

/// Puts the list of notices into the context.
pub fn provide() {
    provide_context(List(RwSignal::new(Vec::new())));
}

/// Shows a notice, once: the same text is not repeated while it is there.
pub fn say(level: Level, text: String) {
    let Some(List(list)) = use_context::<List>() else { return };
    let notice = Notice { level, text };
    if !list.with_untracked(|list| list.contains(&notice)) {
        list.update(|list| list.push(notice));
    }
}

/// The notices.
#[component]
pub fn Notices() -> impl IntoView {
    let List(list) = expect_context();
    let close = move |index: usize| {
        list.update(|list| {
            if index < list.len() {
                list.remove(index);
            }
        });
    };
    view! {
        <div class="notices" role="status" aria-live="polite">
            {move || {
                list.get()
                    .into_iter()
                    .enumerate()
                    .map(|(index, notice)| {
                        view! {
                            <div class="notice" class:warning=notice.level == Level::Warning>
                                <p>{notice.text}</p>
                                <button type="button" class="quiet" aria-label="Close this notice" on:click=move |_| close(index)>
                                    "✕"
                                </button>
                            </div>
                        }
                    })
                    .collect_view()
            }}
        </div>
    }
}
