//! Somebody's run: what is pasted or dropped is recognized and read, and predictions stand next to what was measured. Nothing leaves the
//! browser; the run stands in the fragment of the address, which browsers keep from every server.

mod cards;
mod examples;
mod files;
mod node;
mod report;
mod versus;

use std::sync::Arc;

use leptos::prelude::*;
use ringside_content::search::LogReading;
use ringside_core::quantity::bound;
use ringside_core::run::{self, Card, Outcome, Run, Setting, compare, gather, read_all};
use ringside_core::setup::Setup;

use crate::deferred::{PageView, lazy};
use crate::router::{self, address};
use crate::store::store;
use crate::ui::copy_link::copy_link;
use crate::ui::drop_zone::drop_zone;
use crate::ui::said::{Said, say};
use crate::ui::{file, focus, focus_soon, link};

/// The longest fragment: mail and chats cut longer links.
const LONGEST: usize = 60_000;
/// Where texts are pasted.
const PASTE: &str = "run-paste";
/// What is still to be said.
const MISSING: &str = "run-missing";
/// What it comes to.
const VERDICT: &str = "run-verdict";
/// The card of what was said by hand.
const BY_HAND: &str = "What you said here";
/// The button that undoes.
const PUT_BACK: &str = "run-put-back";

lazy! {
    /// Downloads the page.
    run: pub fn load() -> PageView {
        view
    }
}

/// Something that was brought.
#[derive(Debug, Clone, PartialEq)]
struct Input {
    id: u32,
    card: Card,
    /// Its text, unless it was too long to be kept.
    text: Option<Arc<str>>,
    /// Where it may hold errors.
    log: Option<Log>,
}

/// Something that may hold errors.
#[derive(Debug, Clone, PartialEq)]
enum Log {
    Text(Arc<str>),
    /// Long output, which was looked at where it was read.
    Read(Arc<LogReading>),
}

impl Log {
    fn text(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// What was there before something was taken away, and what is said of that.
type Before = Option<(String, Vec<Input>)>;

/// What is on the page.
#[derive(Clone, Copy)]
struct Desk {
    /// In the order in which it came: the later replaces the earlier.
    inputs: RwSignal<Vec<Input>>,
    /// What stands in the field and isn't read yet.
    pasted: RwSignal<String>,
    /// What the inputs make together, and what replaced what.
    gathered: Memo<(Run, Vec<String>)>,
    before: RwSignal<Before>,
    said: Said,
    /// What is read aloud of the last input.
    heard: RwSignal<String>,
    ids: StoredValue<u32>,
    /// The fragment that the page wrote itself.
    written: StoredValue<String>,
}

impl Desk {
    fn new() -> Self {
        let inputs = RwSignal::new(Vec::<Input>::new());
        let gathered = Memo::new(move |_| inputs.with(|inputs| gather(inputs.iter().map(|input| &input.card))));
        Self {
            inputs,
            pasted: RwSignal::new(String::new()),
            gathered,
            before: RwSignal::new(None),
            said: RwSignal::new(None),
            heard: RwSignal::new(String::new()),
            ids: StoredValue::new(0),
            written: StoredValue::new(String::new()),
        }
    }

    fn input(self, card: Card) -> Input {
        self.heard.set(format!("{}: {}, {}.", card.title(), card.kind.label(), card.outcome.label().to_lowercase()));
        self.ids.update_value(|id| *id += 1);
        Input { id: self.ids.get_value(), card, text: None, log: None }
    }

    /// Adds what a card says to the run, and keeps its log if that may hold errors.
    fn add(self, card: Card, log: Option<Log>) {
        // By now the page may be gone.
        if self.inputs.is_disposed() {
            return;
        }
        let text = match &log {
            Some(Log::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let log = log.filter(|_| card.may_hold_errors());
        let input = Input { text, log, ..self.input(card) };
        self.before.set(None);
        self.said.set(None);
        self.inputs.update(|inputs| inputs.push(input));
    }

    /// Replaces everything, and keeps what was there.
    fn replace(self, inputs: Vec<Input>, said: String) {
        let before = self.inputs.get_untracked();
        self.said.set(None);
        self.before.set((!before.is_empty()).then_some((said, before)));
        self.inputs.set(inputs);
    }

    /// Puts a setting into the run that somebody gives by hand. It counts more than what was read.
    fn give(self, setting: Setting, value: &str) {
        let is_own = |input: &Input| input.card.name == BY_HAND;
        let own = self.inputs.with_untracked(|inputs| {
            inputs.iter().find(|input| is_own(input)).map(|input| input.card.run.clone()).unwrap_or_default()
        });
        match setting.put(&own, value) {
            Ok(run) => {
                let input = self.input(run::file(BY_HAND, &run.write()));
                self.said.set(None);
                self.inputs.update(|inputs| {
                    inputs.retain(|input| !is_own(input));
                    inputs.push(input);
                });
                request_animation_frame(|| _ = focus(MISSING) || focus(VERDICT));
            }
            Err(why) => self.said.set(Some(Err(why))),
        }
    }

    fn remove(self, id: u32) {
        let (gone, kept): (Vec<Input>, Vec<Input>) =
            self.inputs.get_untracked().into_iter().partition(|input| input.id == id);
        if let Some(gone) = gone.first() {
            self.replace(kept, format!("{} was removed.", gone.card.title()));
            focus_soon(PUT_BACK.to_owned());
        }
    }

    /// Puts a text back into the field, below what stands there.
    fn edit(self, id: u32) {
        let (gone, kept): (Vec<Input>, Vec<Input>) =
            self.inputs.get_untracked().into_iter().partition(|input| input.id == id);
        let Some((title, text)) = gone.first().and_then(|gone| Some((gone.card.title(), gone.text.clone()?))) else {
            return;
        };
        self.pasted.update(|pasted| {
            if !pasted.is_empty() && !pasted.ends_with('\n') {
                pasted.push('\n');
            }
            pasted.push_str(&text);
        });
        self.replace(kept, format!("{title} is in the field again."));
        focus_soon(PASTE.to_owned());
    }

    fn put_back(self) {
        if let Some((_, inputs)) = self.before.get_untracked() {
            self.before.set(None);
            self.inputs.set(inputs);
        }
    }

    fn is_empty(self) -> bool {
        self.gathered.with(|(run, _)| run.is_empty())
    }

    fn run<T>(self, look: impl FnOnce(&Run) -> T) -> T {
        self.gathered.with(|(run, _)| look(run))
    }

    /// Takes what a link brings, unless it is what stands here.
    fn follow(self) {
        let Some(text) = fragment() else { return };
        if self.written.with_value(|written| *written == text) {
            return;
        }
        self.written.set_value(text.clone());
        match js_sys::decode_uri_component(&text).map(String::from) {
            Ok(text) => {
                let mut card = run::file("The link’s run", &text);
                if card.outcome == Outcome::Read {
                    card.said = "This link has the run’s settings, not the files that they came from.".to_owned();
                }
                let input = self.input(card);
                self.replace(vec![input], "The link’s run replaced what was here.".to_owned());
            }
            Err(_) => self.said.set(Some(Err(
                "The link holds no run that can be read, because its end is missing. Ask for run.toml instead."
                    .to_owned(),
            ))),
        }
    }

    /// Puts the run into the address.
    fn keep(self) {
        let fragment = untrack(|| self.run(encoded));
        let address = match &fragment {
            Some(text) => format!("run/#{}{text}", link::RUN),
            // A link that couldn't be read stays as long as its card does.
            None if self.inputs.with_untracked(|inputs| inputs.iter().any(|i| i.card.outcome == Outcome::Refused)) => {
                return;
            }
            None => "run/".to_owned(),
        };
        self.written.set_value(fragment.unwrap_or_default());
        // A browser that does not take it shows an older link.
        router::replace(&link::whole(&address));
    }
}

/// A run as it stands in a link; none where it is empty, or too long.
fn encoded(run: &Run) -> Option<String> {
    let text = String::from(js_sys::encode_uri_component(&run.write()));
    (!run.is_empty() && text.len() <= LONGEST).then_some(text)
}

/// The run of the address, if it has one. A fragment is read as it stands in the bar.
fn fragment() -> Option<String> {
    let hash = location().hash().unwrap_or_default();
    hash.trim_start_matches('#').strip_prefix(link::RUN).map(str::to_owned)
}

fn view() -> AnyView {
    let desk = Desk::new();
    let files = files::Files::new(desk);
    Effect::new(move |_| {
        address().track();
        desk.follow();
    });
    file::on_handed_over(move |file| files.take(vec![file]));
    Effect::new(move |ran: Option<()>| {
        desk.gathered.track();
        if ran.is_some() {
            desk.keep();
        }
    });
    let report = Memo::new(move |_| desk.run(compare));
    let stops = move || {
        desk.inputs.with(|inputs| {
            let stops = run::stops(inputs.iter().map(|input| &input.card));
            let stops: Vec<_> = stops.into_iter().map(|(name, stop)| (name.to_owned(), stop.clone())).collect();
            (!stops.is_empty()).then(|| report::stops(&stops))
        })
    };
    let has_any = move || desk.inputs.with(|inputs| !inputs.is_empty());
    view! {
        <article class="run-page">
            <h1>{move || Some(desk.run(|run| run.name.clone())).filter(|name| !name.is_empty()).unwrap_or_else(|| "Your run".to_owned())}</h1>
            <p class="lede no-print">
                "Compare what your run should take with what it took, and see where the gap comes from. Nothing leaves your browser."
            </p>
            {move || desk.run(origin)}
            {input(desk, files)}
            {say(desk.said)}
            {undo(desk)}
            <p class="visually-hidden" role="status">{desk.heard}</p>
            <div aria-live="polite">
                {stops}
                {move || {
                    (!desk.is_empty())
                        .then(|| view! { <p class="finding run-verdict" role="note" id=VERDICT tabindex="-1">{report.with(|r| bound(&r.verdict))}</p> })
                }}
            </div>
            <Show when=has_any fallback=move || examples::view(desk)>
                {cards::list(desk)}
                {cards::on_paper(desk)}
                {replaced(desk)}
            </Show>
            {move || (!desk.is_empty()).then(|| report::view(desk, &report.get()))}
            {move || desk.run(node::of)}
            {move || desk.inputs.with(|inputs| run::versus(inputs.iter().map(|input| &input.card))).map(versus::of_traces)}
            {move || desk.inputs.with(|inputs| run::grown(inputs.iter().map(|input| &input.card))).map(versus::of_snapshots)}
            <Show when=move || !desk.is_empty()>{actions(desk)}</Show>
            {editor(desk)}
        </article>
    }
    .into_any()
}

/// Where a run comes from, and what is to be known of it.
fn origin(run: &Run) -> Option<AnyView> {
    let line = |name: &'static str, text: &str| (!text.is_empty()).then(|| view! { <p>{name} {text.to_owned()}</p> });
    let lines = [line("Source: ", &run.source), line("Note: ", &run.note)];
    lines.iter().any(Option::is_some).then(|| view! { <div class="run-origin small sans">{lines}</div> }.into_any())
}

/// Where things are pasted, dropped and chosen.
fn input(desk: Desk, files: files::Files) -> AnyView {
    let pasted = desk.pasted;
    let count = StoredValue::new(0_u32);
    let take = move || {
        let text = pasted.get_untracked();
        if text.trim().is_empty() {
            return;
        }
        count.update_value(|count| *count += 1);
        let name = format!("Pasted text {}", count.get_value());
        if text.len() > files::AT_ONCE
            && let Some(file) = file::of_text(&name, &text)
        {
            pasted.set(String::new());
            files.take(vec![file]);
            return focus_soon(PASTE.to_owned());
        }
        let read = read_all(&name, &text);
        // What was refused may be mended where it stands.
        if read.iter().any(|(card, _)| card.outcome != Outcome::Refused) {
            pasted.set(String::new());
        }
        for (card, own) in read {
            desk.add(card, Some(Log::text(&own)));
        }
        focus_soon(PASTE.to_owned());
    };
    let by_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            take();
        }
    };
    let content = view! {
        <label class="run-paste sans">
            <span>"Paste configurations, launch scripts, output or errors, in any order, also several in one text"</span>
            <textarea
                id=PASTE
                rows="5"
                spellcheck="false"
                autocomplete="off"
                prop:value=move || pasted.get()
                on:input=move |event| pasted.set(event_target_value(&event))
                on:keydown=by_key
            ></textarea>
        </label>
        <p class="actions sans">
            <button type="button" disabled=move || pasted.with(|text| text.trim().is_empty()) on:click=move |_| take()>
                "Read it"
            </button>
            <label class="run-files">
                "Choose files or drop them here "
                <input type="file" multiple on:change=move |event| files.take(file::all_chosen(&event)) />
            </label>
        </p>
        {files.progress()}
    }
    .into_any();
    view! { <div class="run-input no-print">{drop_zone(move |dropped| files.take(dropped), content)}</div> }.into_any()
}

/// What was taken away, and the way back.
fn undo(desk: Desk) -> AnyView {
    view! {
        <div role="status" class="sans no-print">
            {move || {
                desk.before
                    .get()
                    .map(|(said, _)| {
                        view! {
                            <p class="actions">
                                {said}
                                <button type="button" id=PUT_BACK class="secondary" on:click=move |_| desk.put_back()>
                                    "Put it back"
                                </button>
                            </p>
                        }
                    })
            }}
        </div>
    }
    .into_any()
}

/// What a later input said otherwise than an earlier one.
fn replaced(desk: Desk) -> AnyView {
    (move || {
        desk.gathered.with(|(_, replaced)| {
            let lines = replaced.iter().map(|line| view! { <li>{line.clone()}</li> }).collect_view();
            (!replaced.is_empty()).then(|| {
                view! {
                    <div class="message">
                        <p>"Your inputs disagree. This is what counts:"</p>
                        <ul>{lines}</ul>
                    </div>
                }
            })
        })
    })
    .into_any()
}

/// What can be done with the run.
fn actions(desk: Desk) -> AnyView {
    let setup = Memo::new(move |_| desk.run(|run| run.setup().0));
    let adopted = move |kept: &str| {
        let mut own = Setup::read(kept).0;
        setup.with(|setup| own.adopt(setup));
        own
    };
    let is_kept = Memo::new(move |_| store().with(|doc| adopted(&doc.setup) == Setup::read(&doc.setup).0));
    let keep = move |_| store().update(|doc| doc.setup = untrack(|| adopted(&doc.setup)).query().to_string());
    let save = move |_| {
        let text = untrack(|| desk.run(Run::write));
        desk.said.set(Some(file::save("run.toml", "application/toml", &text)));
    };
    let print = move |_| {
        // A browser that cannot print says so.
        let _ = window().print();
    };
    let start_over = move |_| {
        desk.replace(Vec::new(), "Everything was removed.".to_owned());
        focus_soon(PUT_BACK.to_owned());
    };
    let link = Memo::new(move |_| desk.run(encoded));
    let share = move || {
        if link.with(Option::is_some) {
            let address = move || {
                link.get_untracked().map_or_else(|| "run/".to_owned(), |text| format!("run/#{}{text}", link::RUN))
            };
            copy_link("Copy a link", address)
        } else {
            view! { <span class="small">"This run is too long for a link. Send run.toml."</span> }.into_any()
        }
    };
    view! {
        <section class="run-keep sans no-print">
            <h2>"Keep it or hand it on"</h2>
            <p class="actions">
                <button type="button" class="secondary" on:click=save>
                    "Download run.toml"
                </button>
                {share}
                <button type="button" class="quiet" on:click=print>
                    "Print"
                </button>
                <button type="button" class="quiet" on:click=start_over>
                    "Start over"
                </button>
            </p>
            <Show when=move || setup.with(|setup| !setup.is_empty())>
                <p class="actions">
                    <button type="button" class="secondary" disabled=is_kept on:click=keep>
                        {move || if is_kept.get() { "Kept as my setup ✓" } else { "Use as my setup" }}
                    </button>
                    <span class="small">
                        "Every figure that can use this model and cluster then has a button “My setup”. "
                        <a href="lab/#my-setup">"See my setup"</a>
                    </span>
                </p>
            </Show>
        </section>
    }
    .into_any()
}

/// The run file, to be read and changed by hand.
fn editor(desk: Desk) -> AnyView {
    let text = RwSignal::new(String::new());
    let is_changed = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let reset = move || {
        text.set(untrack(|| desk.run(Run::write)));
        is_changed.set(false);
        problem.set(None);
    };
    Effect::new(move |_| {
        desk.gathered.track();
        // What somebody writes is theirs.
        if !is_changed.get_untracked() {
            reset();
        }
    });
    let apply = move |_| {
        let card = run::file("run.toml, edited", &text.get_untracked());
        if card.outcome == Outcome::Refused && !card.said.is_empty() {
            problem.set(Some(card.said));
            return;
        }
        let input = desk.input(card);
        is_changed.set(false);
        desk.replace(vec![input], "Your edits replaced what was here.".to_owned());
        reset();
    };
    view! {
        <details class="run-file no-print">
            <summary class="sans">"Edit run.toml"</summary>
            <label class="run-paste sans">
                <span>"Everything above follows from this file"</span>
                <textarea
                    rows="18"
                    spellcheck="false"
                    autocomplete="off"
                    prop:value=move || text.get()
                    on:input=move |event| {
                        text.set(event_target_value(&event));
                        is_changed.set(true);
                    }
                ></textarea>
            </label>
            {move || problem.get().map(|why| view! { <div class="message" role="alert"><p>{why}</p></div> })}
            <p class="actions sans">
                <button type="button" disabled=move || !is_changed.get() on:click=apply>
                    "Apply my edits"
                </button>
                <button type="button" class="quiet" disabled=move || !is_changed.get() on:click=move |_| reset()>
                    "Undo my edits"
                </button>
            </p>
        </details>
    }
    .into_any()
}
