//! Somebody's run: what is pasted or dropped is recognized and read, and predictions stand next to what was measured. Nothing leaves the
//! browser; the run stands in the fragment of the address, which browsers keep from every server.

mod cards;
mod files;
mod node;
mod report;

use leptos::prelude::*;
use ringside_core::run::{Card, Report, Run, compare, read};

use crate::deferred::{PageView, lazy};
use crate::router;
use crate::store::store;
use crate::ui::copy_link::copy_link;
use crate::ui::drop_zone::drop_zone;
use crate::ui::said::{Said, say};
use crate::ui::{file, unique_id};

/// What the fragment of a link begins with that holds a run.
const NAME: &str = "r=";
/// The longest fragment: mail and chats cut longer links.
const LONGEST: usize = 60_000;

lazy! {
    /// Downloads the page.
    run: pub fn load() -> PageView {
        view
    }
}

/// What is on the page.
#[derive(Clone, Copy)]
struct Desk {
    run: RwSignal<Run>,
    cards: RwSignal<Vec<Card>>,
    /// What replaced what, and what else is to be said.
    said: Said,
    report: Memo<Report>,
}

impl Desk {
    /// Puts what a card says into the run.
    fn add(self, card: Card) {
        let replaced = self.run.try_update(|run| run.take(&card.run)).unwrap_or_default();
        self.said.set((!replaced.is_empty()).then(|| Ok(format!("Replaced: {}.", replaced.join("; ")))));
        self.cards.update(|cards| cards.push(card));
        self.keep();
    }

    /// Puts the run into the address.
    fn keep(self) {
        let address =
            self.run.with_untracked(|run| if run.is_empty() { Some("run/".to_owned()) } else { link_to(run) });
        if let Some(address) = address {
            // A browser that does not take it shows an older link.
            router::replace(&crate::ui::link::whole(&address));
        }
    }

    fn clear(self) {
        self.run.set(Run::default());
        self.cards.set(Vec::new());
        self.said.set(None);
        self.keep();
    }
}

/// The address of the page with this run; none where it is too long for a link.
fn link_to(run: &Run) -> Option<String> {
    let text = String::from(js_sys::encode_uri_component(&run.write()));
    (text.len() <= LONGEST).then(|| format!("run/#{NAME}{text}"))
}

/// The run of the address, if it has one. A fragment is read as it stands in the bar.
fn linked() -> Option<Result<Run, String>> {
    let hash = location().hash().unwrap_or_default();
    let text = hash.trim_start_matches('#').strip_prefix(NAME)?;
    let text = js_sys::decode_uri_component(text).map(String::from);
    Some(
        text.map_err(|_| "The link is cut off. Ask for run.toml instead.".to_owned())
            .and_then(|text| Run::parse(&text)),
    )
}

fn view() -> AnyView {
    let run = RwSignal::new(Run::default());
    let said: Said = RwSignal::new(None);
    match linked() {
        Some(Ok(linked)) => run.set(linked),
        Some(Err(why)) => said.set(Some(Err(format!("The link holds no run that can be read. {why}")))),
        None => {}
    }
    let report = Memo::new(move |_| run.with(compare));
    let desk = Desk { run, cards: RwSignal::new(Vec::new()), said, report };
    let is_empty = move || run.with(Run::is_empty);
    view! {
        <article class="run-page">
            <h1>"Your run"</h1>
            <p class="lede">
                "Paste what a run has: its configuration, launch flags, ten lines of output, what nvidia-smi or nccl-tests print, a trace. Predictions stand next to what was measured, and the gap is divided among causes. Nothing leaves your browser."
            </p>
            {input(desk)}
            {say(said)}
            {move || desk.cards.with(|all| cards::list(all))}
            <Show when=move || !is_empty()>{actions(desk)}</Show>
            <div aria-live="polite">{move || (!is_empty()).then(|| report::view(&report.get()))}</div>
            {move || node::of(&run.get())}
            {editor(desk)}
        </article>
    }
    .into_any()
}

/// Where things are pasted, dropped and chosen.
fn input(desk: Desk) -> AnyView {
    let pasted = RwSignal::new(String::new());
    let files = files::Files::new(desk);
    let id = unique_id("run-files");
    let take = move |_| {
        let text = pasted.get_untracked();
        if !text.trim().is_empty() {
            desk.add(read("Pasted text", &text));
            pasted.set(String::new());
        }
    };
    let content = view! {
        <label class="run-paste sans">
            <span>"Paste one thing at a time, in any order"</span>
            <textarea
                rows="6"
                spellcheck="false"
                prop:value=move || pasted.get()
                on:input=move |event| pasted.set(event_target_value(&event))
            ></textarea>
        </label>
        <p class="actions sans">
            <button type="button" disabled=move || pasted.with(|text| text.trim().is_empty()) on:click=take>
                "Read what I pasted"
            </button>
            <label class="run-files" for=id.clone()>
                "Choose files "
                <input type="file" id=id multiple on:change=move |event| files.take(file::all_chosen(&event)) />
            </label>
            <span class="small">"or drop them here"</span>
        </p>
        {files.progress()}
    }
    .into_any();
    view! { <div class="run-input no-print">{drop_zone(move |dropped| files.take(dropped), content)}</div> }.into_any()
}

/// What can be done with the run.
fn actions(desk: Desk) -> AnyView {
    let kept = RwSignal::new(false);
    let keep = move |_| {
        let setup = desk.run.with_untracked(|run| run.setup().0.query().to_string());
        store().update(|doc| doc.setup = setup);
        kept.set(true);
    };
    let save = move |_| {
        let text = desk.run.with_untracked(Run::write);
        desk.said.set(Some(file::save("run.toml", "application/toml", &text)));
    };
    let print = move |_| {
        // A browser that cannot print says so.
        let _ = window().print();
    };
    let has_setup = move || desk.run.with(|run| !run.setup().0.is_empty());
    view! {
        <p class="actions sans no-print">
            <Show when=has_setup>
                <button type="button" on:click=keep>
                    <span aria-live="polite">{move || if kept.get() { "Kept as my setup ✓" } else { "Use as my setup" }}</span>
                </button>
            </Show>
            <button type="button" class="quiet" on:click=save>
                "Download run.toml"
            </button>
            {copy_link("Copy a link", move || desk.run.with_untracked(link_to).unwrap_or_else(|| "run/".to_owned()))}
            <button type="button" class="quiet" on:click=print>
                "Print"
            </button>
            <button type="button" class="quiet" on:click=move |_| desk.clear()>
                "Start over"
            </button>
        </p>
    }
    .into_any()
}

/// The run file, to be read and changed by hand.
fn editor(desk: Desk) -> AnyView {
    let text = RwSignal::new(String::new());
    let problem = RwSignal::new(None::<String>);
    Effect::new(move |_| text.set(desk.run.with(Run::write)));
    let apply = move |_| match Run::parse(&text.get_untracked()) {
        Ok(run) => {
            problem.set(None);
            desk.run.set(run);
            desk.keep();
        }
        Err(why) => problem.set(Some(why)),
    };
    view! {
        <details class="run-file no-print">
            <summary class="sans">"Edit run.toml"</summary>
            <label class="run-paste sans">
                <span>"Everything above follows from this file"</span>
                <textarea
                    rows="18"
                    spellcheck="false"
                    prop:value=move || text.get()
                    on:input=move |event| text.set(event_target_value(&event))
                ></textarea>
            </label>
            <p class="actions sans">
                <button type="button" on:click=apply>
                    "Apply"
                </button>
            </p>
            {move || problem.get().map(|why| view! { <p class="message" role="alert">{why}</p> })}
        </details>
    }
    .into_any()
}
