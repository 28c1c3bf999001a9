//! Writing a chapter: its files in an editor, and beside them what the site will make of them.

mod desk;
mod editor;
mod files;
mod mistakes;

use std::sync::Arc;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

use crate::data::{Fragment, Remote};
use crate::deferred::{NotLoaded, Page};
use crate::router;
use crate::shell::chapter;
use crate::ui::trouble::trouble;
use crate::{exercises, page};
use desk::Desk;

/// The chapter's folder in the address.
const NAME: &str = "chapter";

/// Downloads the page.
#[wasm_split(author, wasm_split_path = leptos::wasm_split, fallible)]
pub fn load() -> Result<Page, NotLoaded> {
    Ok(view)
}

fn view() -> AnyView {
    page::title("Author");
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
    view! {
        <section class="author-desk sans" aria-label="The chapter’s files">{editor::view(desk)} {mistakes::view(desk)}</section>
        <section class="author-preview" aria-label="The chapter as the site shows it">{preview(desk)}</section>
    }
    .into_any()
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
