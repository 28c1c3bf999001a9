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
    /// Where it leads, and what that is called.
    link: Option<(&'static str, &'static str)>,
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
    show(Notice { level, text, link: None });
}

/// Shows that something went as asked, and where it is: an address, and what to call it. It takes the place of what was said of that before.
pub fn lead_to(text: String, link: (&'static str, &'static str)) {
    let List(list) = once::get(&LIST);
    list.update(|list| list.retain(|notice| notice.link != Some(link)));
    show(Notice { level: Level::Info, text, link: Some(link) });
}

fn show(notice: Notice) {
    let List(list) = once::get(&LIST);
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
                                <p>
                                    {notice.text}
                                    {notice.link.map(|(href, text)| view! { " " <a href=href>{text}</a> })}
                                </p>
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
