//! The editor: which chapter, which of its files, its text, and the ways in and out.

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_learner::draft::File;
use wasm_bindgen::JsValue;

use super::desk::{Desk, Discarded};
use super::{link, mistakes};
use crate::page;
use crate::shell::teach;
use crate::ui::copy_link::from_here;
use crate::ui::said::{Said, say};
use crate::ui::{clipboard, file, script, unique_id};

/// The largest file that is taken, in bytes: twenty times the longest chapter.
const MAX_FILE: f64 = 2e6;

/// The id of the text, by which the list of mistakes leads into it.
pub(super) const TEXT: &str = "author-text";

pub(super) fn view(desk: Desk) -> AnyView {
    let said: Said = RwSignal::new(None);
    let discarded = RwSignal::new(None::<Discarded>);
    view! {
        {teach::pages()}
        <div class="author-bar">{choice(desk)}</div>
        {beginning(desk, said)}
        {tabs(desk)}
        <p class="author-note">
            "Tab indents. " <kbd>"Esc"</kbd> " and then " <kbd>"Tab"</kbd>
            " leaves the editor. " <kbd>"Ctrl Space"</kbd> " offers the names that fit."
        </p>
        {text(desk, said)}
        {ways(desk, said, discarded)}
        {say(said)}
        {move || discarded.get().map(|last| put_back(desk, last, discarded))}
    }
    .into_any()
}

fn choice(desk: Desk) -> AnyView {
    let id = unique_id("author-chapter");
    let options = move || {
        let here = desk.folder.get();
        let option = |folder: String| {
            let selected = folder == here;
            view! { <option value=folder.clone() selected=selected>{folder.clone()}</option> }
        };
        desk.folders().into_iter().map(option).collect_view()
    };
    view! {
        <label for=id.clone()>"Chapter"</label>
        <select id=id name="chapter" on:change=move |event| desk.open(event_target_value(&event))>{options}</select>
    }
    .into_any()
}

/// A new chapter, and what it is called in addresses.
fn beginning(desk: Desk, said: Said) -> AnyView {
    let id = unique_id("author-slug");
    let slug = RwSignal::new(String::new());
    let begin = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        match desk.begin(slug.get_untracked().trim()) {
            Ok(()) => {
                slug.set(String::new());
                said.set(None);
            }
            Err(why) => said.set(Some(Err(why))),
        }
    };
    view! {
        <form class="author-bar" on:submit=begin>
            <label for=id.clone()>"Slug of a new one"</label>
            <input
                type="text"
                id=id
                placeholder="my-chapter"
                autocapitalize="off"
                spellcheck="false"
                prop:value=slug
                on:input=move |event| slug.set(event_target_value(&event))
            />
            <button type="submit" class="secondary">"New chapter"</button>
        </form>
    }
    .into_any()
}

/// Which of the files is in the editor.
fn tabs(desk: Desk) -> AnyView {
    let tab = move |of: File| {
        let label = move || if desk.changed(of) { format!("{} ●", of.name()) } else { of.name().to_owned() };
        let title = move || if desk.changed(of) { "Changed" } else { "As in the course" };
        view! {
            <label title=title>
                <input
                    type="radio"
                    name="file"
                    value=of.name()
                    prop:checked=move || desk.file.get() == of
                    on:change=move |_| desk.file.set(of)
                />
                <span>{label}</span>
            </label>
        }
    };
    view! { <div class="segmented" role="radiogroup" aria-label="File">{File::ALL.map(tab).collect_view()}</div> }
        .into_any()
}

fn text(desk: Desk, said: Said) -> AnyView {
    script::ask(link::SCRIPT);
    let over = RwSignal::new(false);
    let drop_here = move |event: leptos::ev::DragEvent| {
        event.prevent_default();
        over.set(false);
        take(desk, said, file::dropped(&event));
    };
    let input = move |event: leptos::ev::Event| {
        // Of the field, or of the editor: both have a value.
        let target = event.target().map(JsValue::from).unwrap_or_default();
        let value = js_sys::Reflect::get(&target, &"value".into()).ok().and_then(|value| value.as_string());
        if let Some(value) = value {
            desk.write(desk.file.get_untracked(), value);
        }
    };
    // Another file comes with its beginning in view, and with a history of its own.
    let which = Memo::new(move |_| (desk.folder.get(), desk.file.get()));
    view! {
        <div
            class="author-text"
            class:over=over
            on:input=input
            on:dragover=move |event| {
                event.prevent_default();
                over.set(true);
            }
            on:dragleave=move |_| over.set(false)
            on:drop=drop_here
        >
            {move || element(desk, which.get().1)}
        </div>
    }
    .into_any()
}

/// The editor of a file, around a plain field that serves until its script is there.
fn element(desk: Desk, file: File) -> AnyView {
    let (label, language) = (format!("Text of {}", file.name()), file.language());
    let text = move || desk.text(file);
    let spell = (file == File::Text).to_string();
    let (inner_label, inner_spell) = (label.clone(), spell.clone());
    view! {
        <author-editor
            id=TEXT
            label=label
            language=language
            spell=spell
            prop:value=text
            prop:marks=move || mistakes::marks(desk, file)
            prop:words=desk.words
        >
            <textarea aria-label=inner_label spellcheck=inner_spell autocapitalize="off" prop:value=text></textarea>
        </author-editor>
    }
    .into_any()
}

fn ways(desk: Desk, said: Said, discarded: RwSignal<Option<Discarded>>) -> AnyView {
    let id = unique_id("author-files");
    let name = move || desk.file.get().name();
    let save = move |_| {
        let (name, text) = untrack(|| (name(), desk.whole(desk.file.get())));
        said.set(Some(file::save(name, "text/plain", &text)));
    };
    let discard = move |_| {
        said.set(None);
        discarded.set(Some(desk.discard()));
    };
    let by_hand = RwSignal::new(None::<String>);
    let share = move |_| {
        spawn_local(async move {
            by_hand.set(None);
            let made = link::address(&desk.shared()).await.map(|address| crate::ui::link::whole(&address));
            said.set(Some(match made {
                Ok(whole) if clipboard::copy(&whole).await => {
                    Ok(format!("Copied: a link of {} characters that holds what you changed.", whole.len()))
                }
                Ok(whole) => {
                    by_hand.set(Some(whole));
                    Ok("The link holds what you changed.".to_owned())
                }
                Err(why) => Err(why),
            }));
        });
    };
    view! {
        <div class="author-ways">
            <button type="button" on:click=save>{move || format!("Download {}", name())}</button>
            <button type="button" class="secondary" disabled=move || !desk.changed(desk.file.get()) on:click=discard>
                "Discard my changes"
            </button>
            <button type="button" class="secondary" on:click=share>"Copy a link to this draft"</button>
            <span class="author-open">
                <label for=id.clone()>"Open files"</label>
                <input
                    type="file"
                    id=id
                    accept=".md,.toml"
                    multiple
                    on:change=move |event| take(desk, said, file::all_chosen(&event))
                />
            </span>
        </div>
        {from_here(by_hand)}
        <p class="author-note">
            "What you write stays in this browser. To publish it, put the files into "
            <code>{move || format!("content/chapters/{}/", desk.folder.get())}</code>
            " and build the site."
        </p>
    }
    .into_any()
}

fn put_back(desk: Desk, last: Discarded, discarded: RwSignal<Option<Discarded>>) -> AnyView {
    let name = last.file.name();
    let undo = move |_| {
        desk.put_back(last.clone());
        discarded.set(None);
    };
    view! {
        <p class="went-well" role="status">
            {name} " is as it was in the course. " <button type="button" class="quiet" on:click=undo>"Put my changes back"</button>
        </p>
    }
    .into_any()
}

/// Takes files by their names into the chapter.
fn take(desk: Desk, said: Said, files: Vec<web_sys::File>) {
    for chosen in files {
        let on_its_way = page::pending();
        spawn_local(async move {
            let name = chosen.name();
            let read = match File::named(&name) {
                None => {
                    let known = File::ALL.map(File::name).join(", ");
                    Err(format!("{name} is none of a chapter’s files, which are {known}."))
                }
                Some(_) if chosen.size() > MAX_FILE => Err(format!("{name} is too large for a text of a chapter.")),
                Some(of) => file::read_text(&chosen, 2e6).await.map(|text| (of, text)),
            };
            said.try_set(Some(read.map(|(of, text)| {
                // A manifest is opened whole, or as the entry that is edited here.
                if of == File::Manifest && !text.contains("[[part]]") {
                    desk.write(of, text);
                } else {
                    desk.write_whole(of, text);
                }
                desk.file.set(of);
                format!("{name} is in the editor.")
            })));
            drop(on_its_way);
        });
    }
}
