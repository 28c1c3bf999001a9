//! The editor: which chapter, which of its files, its text, and the ways in and out.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::desk::{Desk, Discarded};
use super::files::File;
use crate::page;
use crate::ui::file;
use crate::ui::said::{Said, say};
use crate::ui::unique_id;

/// The largest file that is taken, in bytes: twenty times the longest chapter.
const MAX_FILE: f64 = 2e6;

/// The id of the text, by which the list of mistakes leads into it.
pub(super) const TEXT: &str = "author-text";

pub(super) fn view(desk: Desk) -> AnyView {
    let said: Said = RwSignal::new(None);
    let discarded = RwSignal::new(None::<Discarded>);
    view! {
        <div class="author-bar">
            {choice(desk)}
            <button type="button" class="secondary" on:click=move |_| desk.begin()>"New chapter"</button>
        </div>
        {tabs(desk)}
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
    let node = NodeRef::<html::Textarea>::new();
    let over = RwSignal::new(false);
    // Another file comes with its beginning in view.
    Effect::new(move |_| {
        desk.folder.track();
        desk.file.track();
        if let Some(text) = node.get_untracked() {
            text.set_scroll_top(0);
        }
    });
    let drop_here = move |event: leptos::ev::DragEvent| {
        event.prevent_default();
        over.set(false);
        take(desk, said, file::dropped(&event));
    };
    view! {
        <textarea
            id=TEXT
            node_ref=node
            class:over=over
            aria-label=move || format!("Text of {}", desk.file.get().name())
            spellcheck=move || (desk.file.get() == File::Text).to_string()
            autocapitalize="off"
            prop:value=move || desk.text(desk.file.get())
            on:input=move |event| desk.write(desk.file.get_untracked(), event_target_value(&event))
            on:dragover=move |event| {
                event.prevent_default();
                over.set(true);
            }
            on:dragleave=move |_| over.set(false)
            on:drop=drop_here
        ></textarea>
    }
    .into_any()
}

fn ways(desk: Desk, said: Said, discarded: RwSignal<Option<Discarded>>) -> AnyView {
    let id = unique_id("author-files");
    let name = move || desk.file.get().name();
    let save = move |_| {
        let (name, text) = untrack(|| (name(), desk.text(desk.file.get())));
        said.set(Some(file::save(name, "text/plain", &text)));
    };
    let discard = move |_| {
        said.set(None);
        discarded.set(Some(desk.discard()));
    };
    view! {
        <div class="author-ways">
            <button type="button" on:click=save>{move || format!("Download {}", name())}</button>
            <button type="button" class="secondary" disabled=move || !desk.changed(desk.file.get()) on:click=discard>
                "Discard my changes"
            </button>
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
                desk.write(of, text);
                desk.file.set(of);
                format!("{name} is in the editor.")
            })));
            drop(on_its_way);
        });
    }
}
