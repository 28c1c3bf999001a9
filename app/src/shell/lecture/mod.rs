//! A lecture list: states in order, kept as a small text file and as a link, run as a deck, printed as a handout.

pub(super) mod add;
mod handout;
mod order;
mod qr;

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::schema::{Chapter, Status};
use ringside_core::quantity::counted;
use ringside_learner::lecture;
use ringside_learner::talk::Slide;
use wasm_bindgen::JsCast as _;

use super::deck;
use super::deck::{list as lists, pictures};
use super::{print, teach};
use crate::data::library;
use crate::deferred::{PageView, lazy};
use crate::router::{self, Pending, address};
use crate::store::store;
use crate::ui::copy_link::copy_link;
use crate::ui::file;
use crate::ui::later::Later;
use crate::ui::link;
use crate::ui::said::{Said, say};

/// The most bytes of a list's file that are read: its pictures are in it.
const MOST_OF_A_FILE: f64 = 2e7;

lazy! {
    /// Downloads the page.
    teaching: pub fn load() -> PageView {
        view
    }
}

fn view() -> AnyView {
    let own = || store().peek(|doc| doc.lecture.clone());
    let list = RwSignal::new(lists::in_address().unwrap_or_else(own));
    // One that came with a link does not take the place of the instructor's own until it is asked to.
    let is_own = RwSignal::new(list.with_untracked(|list| lists::in_address().is_none() || *list == own()));
    keep_in_address(list, is_own);
    keep_in_store(list, is_own);
    let said: Said = RwSignal::new(None);
    let title = RwSignal::new(String::new());
    let picking = RwSignal::new(None::<Arc<Picking>>);
    let added = RwSignal::new(None::<[String; 2]>);
    let add = move |event: leptos::ev::Event| {
        let Some(select) = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlSelectElement>().ok()) else { return };
        let slug = select.value();
        select.set_value("");
        pick_from(slug, picking, said);
    };
    let chapters = move || {
        let course = library().course.ready()?;
        let written = course.chapters().filter(|c| c.status == Status::Written);
        let option =
            |c: &Chapter| view! { <option value=c.slug.clone()>{format!("{} · {}", c.number, c.title)}</option> };
        Some(written.map(option).collect_view())
    };
    let save =
        move |_| said.set(Some(file::save("lecture.txt", "text/plain", &pictures::to_file(&list.get_untracked()))));
    let choose = move |event: leptos::ev::Event| {
        let Some(chosen) = file::chosen(&event) else { return };
        spawn_local(async move {
            match file::read_text(&chosen, MOST_OF_A_FILE).await.and_then(|text| pictures::from_file(&text)) {
                Ok(text) => drop(list.try_set(text)),
                Err(why) => drop(said.try_set(Some(Err(why)))),
            }
        });
    };
    let picture = move |event: leptos::ev::Event| {
        let Some(chosen) = file::chosen(&event) else { return };
        spawn_local(async move {
            match pictures::add(&chosen).await {
                Ok(name) => {
                    let caption = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem).replace('-', " ");
                    list.try_update(|list| *list = lecture::with_line(list, &format!("![{caption}]({name})"), ""));
                }
                Err(why) => drop(said.try_set(Some(Err(why)))),
            }
        });
    };
    let take = move |_| is_own.set(true);
    let print = move |_| print::whole_page();
    print::on_keys(print::whole_page);
    view! {
        <article class="lecture">
            {teach::pages()}
            <h1>"Lecture"</h1>
            <p class="lede">"Your talk as a list: one slide per line, its address and then its title."</p>
            <label class="sans lecture-add">
                "Add a chapter’s slides: "
                <select on:change=add>
                    <option value="">"choose a chapter"</option>
                    {chapters}
                </select>
            </label>
            {move || picking.get().map(|from| pick(from, picking, list, added))}
            {undo(added, list)}
            <div class="message" hidden=move || is_own.get()>
                <p>"This list came with a link. What you change is in this page’s address; your own list is as it was."</p>
                <p><button type="button" class="secondary" on:click=take>"Make it my list"</button></p>
            </div>
            {order::view(list)}
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
                "An address can point to a figure, a chapter’s state (" <code>"chapter/…/?present=2"</code>
                "), an exercise, a mission or a lab. “Add to lecture” on every figure and exercise writes it here. Lines that begin with " <code>">"</code>
                " are a text slide in Markdown, and " <code>"![caption](name)"</code>
                " is a picture of yours: kept in this tab and in the list’s file, but in no link. Lines that begin with " <code>"//"</code>
                " are notes on the line before, which only you see; " <code>"// 5 min"</code> " says how long it takes."
            </p>
            <label class="sans lecture-add">
                "Title of the handout: "
                <input type="text" maxlength="120" prop:value=title on:input=move |event| title.set(event_target_value(&event)) />
            </label>
            <p class="actions sans">
                <a class="button" href=move || list.with(|list| lecture::address_of("presenter", list))>"Present it"</a>
                <button type="button" class="secondary" on:click=print>"Print the handout"</button>
                <button type="button" class="secondary" on:click=save>"Save as a file"</button>
                {copy_link("Copy link", move || list.with_untracked(|list| lecture::address_of("lecture", list)))}
                <label for="lecture-file">"Open a file"</label>
                <input type="file" id="lecture-file" accept=".txt,text/plain" on:change=choose />
                <label for="lecture-picture">"Add a picture"</label>
                <input type="file" id="lecture-picture" accept="image/png,image/jpeg,image/webp" on:change=picture />
            </p>
            {say(said)}
            {handout::view(list, title)}
        </article>
    }
    .into_any()
}

/// What is typed is in the address, so that a reload and a link bring it back.
fn keep_in_address(list: RwSignal<String>, is_own: RwSignal<bool>) {
    // Another list may be opened from a link while this page is open.
    let moved = address();
    Effect::new(move |before: Option<()>| {
        moved.track();
        if before.is_some()
            && let Some(given) = lists::in_address()
        {
            if list.with_untracked(|list| *list != given) {
                is_own.set(false);
            }
            list.set(given);
        }
    });
    let rest = Pending::after(300);
    Effect::new(move |before: Option<()>| {
        list.track();
        if before.is_some() {
            rest.run(move || {
                let address = link::whole(&list.with_untracked(|list| lecture::address_of("lecture", list)));
                // A browser that refuses leaves an older list in the bar; the text is on the page.
                router::replace(&address);
            });
        }
    });
}

/// The instructor's own list is there again without a link.
fn keep_in_store(list: RwSignal<String>, is_own: RwSignal<bool>) {
    let rest = Later::after(300);
    Effect::new(move |before: Option<()>| {
        list.track();
        if is_own.get() && before.is_some() {
            rest.run(move || store().update(|doc| doc.lecture = list.get_untracked()));
        }
    });
}

/// A chapter whose slides are to be chosen from.
struct Picking {
    title: String,
    question: String,
    slides: Vec<Slide>,
}

/// Offers the slides of a chapter: its figures and what is predicted of them are wanted, further states and exercises can be.
fn pick_from(slug: String, picking: RwSignal<Option<Arc<Picking>>>, said: Said) {
    spawn_local(async move {
        let course = library().course.wait().await;
        let chapter = course.ok().and_then(|course| course.chapters().find(|c| c.slug == slug).cloned());
        match deck::of_chapter(&slug).await {
            Ok(slides) => {
                let (title, question) = chapter.map(|c| (c.title, c.question)).unwrap_or_default();
                drop(picking.try_set(Some(Arc::new(Picking { title, question, slides }))));
            }
            Err(why) => drop(said.try_set(Some(Err(why)))),
        }
    });
}

/// The slides that a chapter offers, to choose from.
fn pick(
    from: Arc<Picking>,
    picking: RwSignal<Option<Arc<Picking>>>,
    list: RwSignal<String>,
    added: RwSignal<Option<[String; 2]>>,
) -> AnyView {
    let wanted = RwSignal::new(from.slides.iter().map(|slide| slide.first).collect::<Vec<_>>());
    let is_wanted = move |at: usize| wanted.with(|wanted| wanted.get(at).copied().unwrap_or_default());
    let rows = from.slides.iter().enumerate().map(|(at, slide)| {
        let set = move |event| {
            let on = event_target_checked(&event);
            wanted.update(|wanted| wanted.iter_mut().skip(at).take(1).for_each(|is| *is = on));
        };
        view! {
            <li class:further=!slide.first>
                <label><input type="checkbox" prop:checked=move || is_wanted(at) on:change=set /> " " {slide.label.clone()}</label>
            </li>
        }
    });
    let rows = rows.collect_view();
    let title = from.title.clone();
    let count = Memo::new(move |_| wanted.with(|wanted| wanted.iter().filter(|is| **is).count()));
    let all = move |on: bool| wanted.update(|wanted| wanted.fill(on));
    let add = move |_| {
        let before = list.get_untracked();
        let chosen = from.slides.iter().zip(wanted.get_untracked()).filter(|(_, is)| *is);
        let lines: Vec<(String, &str)> =
            chosen.map(|(slide, _)| (deck::address(slide), slide.label.as_str())).collect();
        let lines = lines.iter().map(|(address, label)| (address.as_str(), *label));
        let after = lecture::with_chapter(&before, &from.title, &from.question, lines);
        list.set(after.clone());
        added.set(Some([before, after]));
        picking.set(None);
    };
    view! {
        <fieldset class="lecture-pick sans">
            <legend>{title}</legend>
            <p class="hint">
                "Figures and the predictions before them are selected. Further views of a figure and exercises are yours to add; a title slide comes first."
            </p>
            <ul>{rows}</ul>
            <p class="actions">
                <button type="button" disabled=move || count.get() == 0 on:click=add>
                    {move || format!("Add {}", counted(count.get() as u64, "slide", "slides"))}
                </button>
                <button type="button" class="secondary" on:click=move |_| all(true)>"Select all"</button>
                <button type="button" class="secondary" on:click=move |_| all(false)>"Select none"</button>
                <button type="button" class="quiet" on:click=move |_| picking.set(None)>"Cancel"</button>
            </p>
        </fieldset>
    }
    .into_any()
}

/// Takes a chapter out again that was just added, as long as nothing else was changed.
fn undo(added: RwSignal<Option<[String; 2]>>, list: RwSignal<String>) -> AnyView {
    let before =
        Memo::new(move |_| added.get().filter(|[_, after]| list.with(|list| list == after)).map(|[before, _]| before));
    let shown = move || {
        before.get().map(|before| {
            view! {
                <p class="sans">
                    "The chapter is at the end of your list. "
                    <button type="button" class="secondary" on:click=move |_| list.set(before.clone())>"Undo"</button>
                </p>
            }
        })
    };
    view! { <div role="status">{shown}</div> }.into_any()
}
