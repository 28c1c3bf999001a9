//! Things that a learner has to be told: read out by a screen reader, there until closed, never modal.

use leptos::prelude::*;

use crate::once::{self, Once};

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

thread_local! {
    static LIST: Once<List> = const { Once::new(None) };
}

/// Sets the list of notices up.
pub fn provide() {
    once::set(&LIST, List(RwSignal::new(Vec::new())));
}

/// Shows a notice, once: the same text is not repeated while it is there.
pub fn say(level: Level, text: String) {
    let List(list) = once::get(&LIST);
    let notice = Notice { level, text };
    if !list.with_untracked(|list| list.contains(&notice)) {
        list.update(|list| list.push(notice));
    }
}

/// The notices.
#[component]
pub fn Notices() -> impl IntoView {
    let List(list) = once::get(&LIST);
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
