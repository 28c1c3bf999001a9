//! Writing a chapter: its files in an editor, and beside them what the site will make of them.

mod desk;
mod editor;
mod link;
mod mistakes;

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::quantity::listed;
use ringside_learner::draft;

use crate::data::{Fragment, Remote};
use crate::deferred::{PageView, lazy};
use crate::router;
use crate::shell::chapter;
use crate::ui::trouble::trouble;
use crate::{exercises, page};
use desk::{Desk, Received};

/// The chapter's folder in the address.
const NAME: &str = "chapter";

lazy! {
    /// Downloads the page.
    author: pub fn load() -> PageView {
        view
    }
}

fn view() -> AnyView {
    on_cleanup(exercises::forget_draft);
    let source = Remote::<Fragment>::new("source.json".into());
    view! { <div class="author">{source.show(desk)}</div> }.into_any()
}

fn desk(source: Arc<Fragment>) -> AnyView {
    let folder = router::query().get(NAME).map(str::to_owned);
    let desk = match Desk::new(&source.0, folder) {
        Ok(desk) => desk,
        Err(why) => return trouble(why, || _ = location().reload()),
    };
    Effect::new(move |before: Option<()>| {
        let folder = desk.folder.get();
        if before.is_some() {
            router::replace(&format!("author/?{NAME}={folder}"));
        }
    });
    let offered = Offered::new();
    let hash = router::address().hash();
    Effect::new(move |_| offered.look(desk, &hash.get()));
    view! {
        {offered.view(desk)}
        <section class="author-desk sans" aria-label="The chapter’s files">{editor::view(desk)} {mistakes::view(desk)}</section>
        <section class="author-preview" aria-label="The chapter as the site shows it">{preview(desk)}</section>
    }
    .into_any()
}

/// What came of a link that holds a draft.
#[derive(Clone, Copy)]
struct Offered {
    said: RwSignal<Option<Result<String, String>>>,
    /// A draft that would replace another of the same chapter.
    waiting: RwSignal<Option<Received>>,
}

impl Offered {
    fn new() -> Self {
        Self { said: RwSignal::new(None), waiting: RwSignal::new(None) }
    }

    /// Opens the draft of a fragment, if it has one.
    fn look(self, desk: Desk, hash: &str) {
        let Some(letters) = draft::letters(hash).map(str::to_owned) else { return };
        let on_its_way = page::pending();
        spawn_local(async move {
            match link::read(&letters).await.and_then(|shared| desk.taken_up(shared)) {
                Ok(shared) if desk.would_lose(&shared) => self.waiting.set(Some(shared)),
                Ok(shared) => self.open(desk, shared),
                Err(why) => self.said.set(Some(Err(why))),
            }
            drop(on_its_way);
        });
    }

    fn open(self, desk: Desk, shared: Received) {
        let (folder, changes) = (shared.folder.clone(), shared.changes.clone());
        self.waiting.set(None);
        desk.receive(shared);
        // A reload must not replace what is written from now on.
        router::replace(&format!("author/?{NAME}={folder}"));
        let changes = if changes.is_empty() { String::new() } else { format!(" It changes {}.", listed(&changes)) };
        self.said.set(Some(Ok(format!(
            "The draft of {folder} is in the editor.{changes} What you change of it stays in this browser."
        ))));
    }

    fn view(self, desk: Desk) -> AnyView {
        let ask = move |shared: Received| {
            let folder = shared.folder.clone();
            let kept = folder.clone();
            let keep = move |_| {
                self.waiting.set(None);
                desk.open(kept.clone());
            };
            view! {
                <div class="message">
                    <p>{format!("The link holds a draft of {folder}, and you have changed that chapter yourself.")}</p>
                    <p>
                        <button type="button" on:click=move |_| self.open(desk, shared.clone())>"Replace mine with it"</button>
                        " "
                        <button type="button" class="secondary" on:click=keep>"Keep mine"</button>
                    </p>
                </div>
            }
        };
        view! {
            <div class="author-offered sans">
                {crate::ui::said::say(self.said)}
                {move || self.waiting.get().map(ask)}
            </div>
        }
        .into_any()
    }
}

/// The chapter, alive.
fn preview(desk: Desk) -> AnyView {
    let shown = move || {
        desk.shown.get().map(|draft| {
            if draft.html.is_empty() {
                return view! {
                    <h1>"Nothing to show yet"</h1>
                    <p>"The chapter has no page as long as its manifest and its files do not agree: see the list of mistakes."</p>
                }
                .into_any();
            }
            chapter::draft(draft)
        })
    };
    view! {
        <div role="alert">
            {move || desk.trouble.get().map(|why| view! { <p class="message sans">{why}</p> })}
        </div>
        {shown}
    }
    .into_any()
}
