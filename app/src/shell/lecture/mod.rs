//! A lecture list: states in order, kept as a small text file and as a link, run as a deck, printed as a handout.

mod handout;
mod qr;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;
use ringside_content::schema::{Chapter, Status};
use wasm_bindgen::JsCast as _;

use super::deck;
use crate::data::library;
use crate::deferred::{NotLoaded, Page};
use crate::page;
use crate::router::{self, address};
use crate::ui::copy_link::copy_link;
use crate::ui::file;
use crate::ui::later::Later;
use crate::ui::link;
use crate::ui::said::{Said, say};

/// Downloads the page.
#[wasm_split(lecture, wasm_split_path = leptos::wasm_split, fallible)]
pub fn load() -> Result<Page, NotLoaded> {
    Ok(view)
}

fn view() -> AnyView {
    page::title("Lecture");
    let list = RwSignal::new(deck::in_address().unwrap_or_default());
    keep_in_address(list);
    let said: Said = RwSignal::new(None);
    let add = move |event: leptos::ev::Event| {
        let Some(select) = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlSelectElement>().ok()) else { return };
        let slug = select.value();
        select.set_value("");
        append_chapter(slug, list, said);
    };
    let chapters = move || {
        let course = library().course.ready()?;
        let written = course.chapters().filter(|c| c.status == Status::Written);
        let option =
            |c: &Chapter| view! { <option value=c.slug.clone()>{format!("{} · {}", c.number, c.title)}</option> };
        Some(written.map(option).collect_view())
    };
    let save = move |_| said.set(Some(file::save("lecture.txt", "text/plain", &list.get_untracked())));
    let choose = move |event: leptos::ev::Event| {
        let Some(chosen) = file::chosen(&event) else { return };
        spawn_local(async move {
            match file::read_text(&chosen, 2e5).await {
                Ok(text) => drop(list.try_set(text)),
                Err(why) => drop(said.try_set(Some(Err(why)))),
            }
        });
    };
    let print = move |_| {
        // A browser that cannot print says so.
        let _ = window().print();
    };
    view! {
        <article class="lecture">
            <h1>"Lecture"</h1>
            <p class="lede">"States to step through in a talk, and to hand out: one line for each, its address and what to call it."</p>
            <label class="sans lecture-add">
                "Add all that a chapter shows: "
                <select on:change=add>
                    <option value="">"choose a chapter"</option>
                    {chapters}
                </select>
            </label>
            <label class="sans lecture-list">
                "The list"
                <textarea
                    rows="8"
                    spellcheck="false"
                    placeholder="w/memory-breakdown/?params=30e9&zero=3 Sixteen bytes, sharded"
                    prop:value=move || list.get()
                    on:input=move |event| list.set(event_target_value(&event))
                ></textarea>
            </label>
            <p class="hint sans">
                "An address is that of a figure, of a chapter’s state (" <code>"chapter/…/?present=2"</code>
                ") or of an exercise, as " <kbd>"c"</kbd> " and the buttons above figures and exercises copy it."
            </p>
            <p class="actions sans">
                <a class="button" href=move || list.with(|list| deck::address_of("presenter", list))>"Present it"</a>
                <button type="button" class="secondary" on:click=print>"Print the handout"</button>
                <button type="button" class="secondary" on:click=save>"Save as a file"</button>
                {copy_link("Copy link", move || list.with_untracked(|list| deck::address_of("lecture", list)))}
                <label for="lecture-file">"Open a file"</label>
                <input type="file" id="lecture-file" accept=".txt,text/plain" on:change=choose />
            </p>
            {say(said)}
            {handout::view(list)}
        </article>
    }
    .into_any()
}

/// What is typed is in the address, so that a reload and a link bring it back.
fn keep_in_address(list: RwSignal<String>) {
    // Another list may be opened from a link while this page is open.
    let moved = address();
    Effect::new(move |before: Option<()>| {
        moved.track();
        if before.is_some()
            && let Some(given) = deck::in_address()
        {
            list.set(given);
        }
    });
    let rest = Later::after(300);
    Effect::new(move |before: Option<()>| {
        list.track();
        if before.is_some() {
            rest.run(move || {
                let address = link::whole(&list.with_untracked(|list| deck::address_of("lecture", list)));
                // A browser that refuses leaves an older list in the bar; the text is on the page.
                router::replace(&address);
            });
        }
    });
}

/// Puts all that a chapter shows at the end of the list.
fn append_chapter(slug: String, list: RwSignal<String>, said: Said) {
    spawn_local(async move {
        match deck::of_chapter(&slug).await {
            Ok(slides) => {
                let line = |slide: deck::Slide| format!("{} {}", slide.address(), slide.label.replace('\n', " "));
                let lines: Vec<String> = slides.into_iter().map(line).collect();
                list.try_update(|list| {
                    let before = if list.is_empty() || list.ends_with('\n') { "" } else { "\n" };
                    *list = format!("{list}{before}{}\n", lines.join("\n"));
                });
            }
            Err(why) => drop(said.try_set(Some(Err(why)))),
        }
    });
}
