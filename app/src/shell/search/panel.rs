//! The box itself: a field, what was understood, and what answers it.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use leptos::ev::{ClipboardEvent, KeyboardEvent};
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::schema::{EntryKind, SearchEntry, Sign, Signs};
use ringside_content::search::{Answer, Hit, Index, answer};
use ringside_content::words;
use ringside_core::ask::{Answered, RUN};
use ringside_core::query::Query;
use ringside_core::run::{Content, content};
use wasm_bindgen::JsCast;

use super::{Place, signs};
use crate::data::library;
use crate::ui::debounced::debounced;
use crate::ui::drop_zone::drop_zone;
use crate::ui::file;

thread_local! {
    /// The index, built when the box is first used.
    static INDEX: RefCell<Option<Arc<Index>>> = const { RefCell::new(None) };
}

/// Most results that are shown.
const MOST: usize = 30;
/// Most bytes of a file that are read in the box, on the page. A longer one goes to the page that reads it in a worker.
const LARGEST: usize = 2_000_000;

/// A file that another page reads: what it is, and the way there.
#[derive(Debug, Clone, PartialEq)]
struct Elsewhere {
    what: &'static str,
    href: &'static str,
    words: &'static str,
}

const TRACE: Elsewhere = Elsewhere {
    what: "This is a profiler trace.",
    href: "w/trace-detective/",
    words: "Open it in the trace detective, which says what is slow",
};
const SNAPSHOT: Elsewhere = Elsewhere {
    what: "This is a memory snapshot.",
    href: "w/caching-allocator/",
    words: "Open it in the caching allocator, which shows its segments",
};

const LONG: Elsewhere = Elsewhere {
    what: "This file is too long for the box.",
    href: "run/",
    words: "Read it as a run, where output, traces and snapshots may be long",
};

/// What is known and shown.
#[derive(Clone, Copy)]
struct Field {
    text: RwSignal<String>,
    answer: Memo<Answer>,
    signs: Signal<Arc<Signs>>,
    index: RwSignal<Option<Arc<Index>>>,
    chosen: RwSignal<usize>,
    /// Whether a log is asked for, though the field is still empty.
    wants_log: RwSignal<bool>,
    elsewhere: RwSignal<Option<Elsewhere>>,
    /// The file that is for another page.
    given: StoredValue<Option<web_sys::File>, LocalStorage>,
    /// What was asked for last: a file that was still being read by then comes too late.
    turn: StoredValue<u32>,
    trouble: RwSignal<Option<String>>,
    id: &'static str,
    done: Callback<()>,
}

pub(super) fn view(place: Place) -> AnyView {
    let (text, index) = (RwSignal::new(place.text), RwSignal::new(None::<Arc<Index>>));
    let signs = Signal::derive(move || library().signs.ready().unwrap_or_default());
    Effect::new(move |_| {
        if let Some(of) = library().search.ready() {
            let built = INDEX.with_borrow_mut(|kept| Arc::clone(kept.get_or_insert_with(|| Arc::new(Index::of(of)))));
            index.set(Some(built));
        }
    });
    let now = Memo::new(move |_| text.get());
    let still = debounced(now);
    let answer = Memo::new(move |_| {
        let Some(index) = index.get() else { return Answer::default() };
        // A log takes longer to read than a question.
        let text = if now.with(|text| text.contains('\n')) { still.get() } else { now.get() };
        signs.with(|signs| answer(&index, signs, &text, MOST))
    });
    let own = Field {
        text,
        answer,
        signs,
        index,
        chosen: RwSignal::new(0),
        wants_log: RwSignal::new(false),
        elsewhere: RwSignal::new(None),
        given: StoredValue::new_local(None),
        turn: StoredValue::new(0),
        trouble: RwSignal::new(None),
        id: place.id,
        done: place.done,
    };
    let long = Memo::new(move |_| own.wants_log.get() || text.with(|text| text.contains('\n')));
    let content = view! {
        <div class="search" class:log=long>
            {move || if long.get() { own.long_field() } else { own.field() }}
            <p class="search-state" role="status">{move || own.state(long.get())}</p>
            {move || own.elsewhere.get().map(|other| {
                view! {
                    <p class="search-elsewhere">
                        {other.what} " " <a href=other.href on:click=move |_| own.leave()>{other.words}</a> "."
                    </p>
                }
            })}
            {move || long.get().then(|| own.to_run())}
            {move || long.get().then(files)}
            {move || {
                let figures = if long.get() { own.answer.with(|a| a.figures.clone()) } else { Vec::new() };
                let alone = |figure| view! { <div class="results">{own.alone(&figure)}</div> };
                figures.into_iter().map(alone).collect_view()
            }}
            {move || own.signs_seen(long.get())}
            {move || (!long.get()).then(|| own.results())}
            {move || own.is_empty(long.get()).then(|| own.examples())}
            <p class="search-keys">
                {move || if long.get() {
                    view! {
                        <button type="button" class="quiet" on:click=move |_| own.clear()>"Back to the search"</button>
                    }.into_any()
                } else {
                    view! {
                        <span aria-hidden="true">
                            <kbd>"↑"</kbd> " " <kbd>"↓"</kbd> " choose " <kbd>"Enter"</kbd> " open"
                        </span>
                        <button type="button" class="quiet" on:click=move |_| own.wants_log.set(true)>"Paste a log"</button>
                    }.into_any()
                }}
            </p>
        </div>
    };
    drop_zone(move |files| own.take(files), content.into_any())
}

/// What was read, and what the figure says of it.
fn answered(figure: &Answered) -> AnyView {
    view! {
        <span class="result-kind">"Answer"</span>
        <span class="result-title">{figure.title}</span>
        <span class="result-context">{figure.read_as()}</span>
        <span class="result-said">{figure.says.clone()}</span>
    }
    .into_any()
}

/// What says that a file which a log needs could not be had, and offers to try again.
fn files() -> AnyView {
    view! {
        {library().search.show(|_| ().into_any())}
        {library().signs.show(|_| ().into_any())}
    }
    .into_any()
}

/// Gives a field the focus when it is there.
fn focused<E>() -> NodeRef<E>
where
    E: leptos::tachys::html::element::ElementType + 'static,
    E::Output: AsRef<web_sys::HtmlElement> + JsCast + Clone + 'static,
{
    let field = NodeRef::<E>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            // A field without focus can still be clicked.
            let _ = AsRef::<web_sys::HtmlElement>::as_ref(&field).focus();
        }
    });
    field
}

impl Field {
    /// Goes to the page that the file is for, with it.
    fn leave(self) {
        file::hand_over(self.given.try_update_value(Option::take).flatten());
        self.done.run(());
    }

    fn clear(self) {
        self.turn.update_value(|turn| *turn += 1);
        self.text.set(String::new());
        self.wants_log.set(false);
        self.elsewhere.set(None);
        self.trouble.set(None);
        self.chosen.set(0);
    }

    fn write(self, text: String) {
        self.turn.update_value(|turn| *turn += 1);
        self.chosen.set(0);
        self.elsewhere.set(None);
        self.trouble.set(None);
        self.text.set(text);
    }

    fn is_empty(self, long: bool) -> bool {
        !long && self.text.with(|text| text.trim().is_empty())
    }

    /// The options: what an error means, figures that take the numbers, then the places.
    fn count(self) -> usize {
        let meant = self.signs.with(|signs| self.answer.with(|a| a.diagnoses(signs).count()));
        meant + self.answer.with(|a| a.figures.len() + a.found.hits.len())
    }

    fn id_of(self, i: usize) -> String {
        format!("{}-results-{i}", self.id)
    }

    /// The id of the link to the page that reads what was pasted.
    fn reads_it(self) -> String {
        format!("{}-reads-it", self.id)
    }

    fn option(self, i: usize) -> Option<web_sys::HtmlElement> {
        document().get_element_by_id(&self.id_of(i))?.dyn_into().ok()
    }

    /// A field for a question.
    fn field(self) -> AnyView {
        let keydown = move |event: KeyboardEvent| {
            let count = untrack(|| self.count());
            match event.key().as_str() {
                "ArrowDown" if count > 0 => self.chosen.update(|i| *i = (*i + 1) % count),
                "ArrowUp" if count > 0 => self.chosen.update(|i| *i = (*i + count - 1) % count),
                "Enter" => self.option(self.chosen.get_untracked()).iter().for_each(web_sys::HtmlElement::click),
                _ => return,
            }
            event.prevent_default();
            if let Some(option) = self.option(self.chosen.get_untracked()) {
                let nearest = web_sys::ScrollIntoViewOptions::new();
                nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
                option.scroll_into_view_with_scroll_into_view_options(&nearest);
            }
        };
        let node = focused::<html::Input>();
        view! {
            <input
                node_ref=node
                type="text"
                inputmode="search"
                role="combobox"
                aria-label="Ask a question, or search the course"
                aria-autocomplete="list"
                aria-controls=format!("{}-results", self.id)
                aria-expanded=move || (self.count() > 0).to_string()
                aria-activedescendant=move || (self.count() > 0).then(|| self.id_of(self.chosen.get()))
                placeholder=words::ASK
                autocomplete="off"
                spellcheck="false"
                prop:value=self.text
                on:input=move |event| self.write(event_target_value(&event))
                on:keydown=keydown
                on:paste=move |event| {
                    if let Some(text) = lines_of(&event) {
                        event.prevent_default();
                        self.write(text);
                    }
                }
            />
        }
        .into_any()
    }

    /// A field for a log or a file's text.
    fn long_field(self) -> AnyView {
        let (id, keys) = (format!("{}-log", self.id), format!("{}-log-keys", self.id));
        let node = focused::<html::Textarea>();
        // Enter goes where the text is read; a line is added with Shift.
        let keydown = move |event: KeyboardEvent| {
            if event.key() == "Enter" && !event.shift_key() && !event.is_composing() {
                event.prevent_default();
                let link = document().get_element_by_id(&self.reads_it());
                link.and_then(|link| link.dyn_into::<web_sys::HtmlElement>().ok()).iter().for_each(|link| link.click());
            }
        };
        view! {
            <label for=id.clone()>"A log: what a job printed"</label>
            <textarea
                node_ref=node
                id=id
                rows="7"
                spellcheck="false"
                autocomplete="off"
                aria-describedby=keys.clone()
                prop:value=self.text
                on:input=move |event| self.write(event_target_value(&event))
                on:keydown=keydown
            ></textarea>
            <p class="visually-hidden" id=keys>"Enter goes on with this text, Shift and Enter begins a line."</p>
        }
        .into_any()
    }

    /// The way to the page that compares a run, with what was pasted.
    fn to_run(self) -> AnyView {
        let open = move |_| {
            file::hand_over(file::of_text("Pasted text", &self.text.get_untracked()));
            self.done.run(());
        };
        view! {
            <p class="search-elsewhere">
                {move || {
                    let text = self.text.with(|text| !text.trim().is_empty());
                    text.then(|| view! {
                        "Is it a run’s configuration or output? "
                        <a id=self.reads_it() href="run/" on:click=open>"Compare the run with what the models predict"</a>
                        " " <kbd aria-hidden="true">"Enter"</kbd>
                    })
                }}
            </p>
        }
        .into_any()
    }

    /// What is said of the whole.
    fn state(self, long: bool) -> String {
        if let Some(why) = self.trouble.get() {
            return why;
        }
        if self.index.with(Option::is_none) {
            return if library().search.get().is_some_and(|got| got.is_err()) {
                String::new()
            } else {
                "Loading …".to_owned()
            };
        }
        if long {
            let signs = library().signs.get();
            return self.answer.with(|a| match (a.figures.first(), signs) {
                (Some(_), _) if a.is_measured => a.summary(),
                (Some(figure), _) if figure.figure == RUN => {
                    "A server’s command. It never leaves your browser.".to_owned()
                }
                (Some(_), _) => "A model’s configuration. It never leaves your browser.".to_owned(),
                // Without the signs nothing is known of a log.
                (None, None) => "Loading …".to_owned(),
                (None, Some(Err(_))) => String::new(),
                (None, Some(Ok(_))) => a.summary(),
            });
        }
        let count = self.count();
        self.answer.with(|a| match (&a.found.meant, count) {
            (_, 0) => "Ask in your own words, paste an error or a log, or drop a config.json.".to_owned(),
            (_, n)
                if let Some(caption) = a.found.caption().filter(|_| n > 0 && a.figures.is_empty() && !a.is_log()) =>
            {
                caption.to_owned()
            }
            (Some(meant), n) => format!("{} for “{meant}”", words::count(n, "result", "results")),
            (None, MOST..) => format!("The first {MOST} results"),
            (None, n) => words::count(n, "result", "results"),
        })
    }

    /// Questions to begin with.
    fn examples(self) -> AnyView {
        let example = move |text: &'static str| {
            view! { <button type="button" class="secondary" on:click=move |_| self.write(text.to_owned())>{text}</button> }
        };
        view! { <p class="ask-examples">{words::EXAMPLES.map(example).collect_view()}</p> }.into_any()
    }

    /// What a log, or a line that was typed, means.
    fn signs_seen(self, long: bool) -> Option<AnyView> {
        self.answer
            .with(|a| (long || a.is_log()).then(|| self.signs.with(|signs| signs::list(&a.log, signs, self.done))))
    }

    /// The places.
    fn results(self) -> AnyView {
        let list = move |_| {
            (move || {
                let index = self.index.get()?;
                self.answer.with(|a| {
                    let meant: Vec<_> = self.signs.with(|signs| {
                        a.diagnoses(signs).enumerate().map(|(i, sign)| self.diagnosis(i, sign)).collect()
                    });
                    let from = meant.len();
                    let figures = a.figures.iter().enumerate().map(|(i, figure)| self.figure(from + i, figure));
                    let figures = figures.collect_view();
                    let from = from + a.figures.len();
                    let row = |(i, hit): (usize, &Hit)| Some(self.row(from + i, hit, index.entries().get(hit.index)?));
                    let rows = a.found.hits.iter().enumerate().filter_map(row).collect_view();
                    Some(view! { {meant} {figures} {rows} }.into_any())
                })
            })
            .into_any()
        };
        view! {
            <div id=format!("{}-results", self.id) role="listbox" aria-label="Results" class="results">
                {library().search.show(list)}
            </div>
        }
        .into_any()
    }

    fn choose(self, i: usize) {
        if self.chosen.get_untracked() != i {
            self.chosen.set(i);
        }
    }

    /// One of the list that keys move through.
    fn result(self, i: usize, class: &'static str, href: String, inside: AnyView) -> AnyView {
        view! {
            <a
                role="option"
                id=self.id_of(i)
                class=class
                tabindex="-1"
                href=href
                aria-selected=move || (self.chosen.get() == i).to_string()
                on:mousemove=move |_| self.choose(i)
                on:click=move |_| self.done.run(())
            >
                {inside}
            </a>
        }
        .into_any()
    }

    /// A figure that is set to what was read, as a result.
    fn figure(self, i: usize, figure: &Answered) -> AnyView {
        self.result(i, "result answer", figure.href(), answered(figure))
    }

    /// The same by itself, where no keys move through a list.
    fn alone(self, figure: &Answered) -> AnyView {
        view! {
            <a class="result answer" href=figure.href() on:click=move |_| self.done.run(())>
                {answered(figure)}
            </a>
        }
        .into_any()
    }

    /// What an error means, as a result: it leads to the section that teaches it.
    fn diagnosis(self, i: usize, sign: &Sign) -> AnyView {
        let inside = view! {
            <span class="result-kind">"Diagnosis"</span>
            <span class="result-title">{sign.title.clone()}</span>
            <span class="result-context">{sign.section.title.clone()}</span>
        };
        self.result(i, "result", sign.section.href.clone(), inside.into_any())
    }

    fn row(self, i: usize, hit: &Hit, entry: &SearchEntry) -> AnyView {
        let kind = match entry.kind {
            EntryKind::Chapter => "Chapter",
            EntryKind::Section => "Section",
            EntryKind::Widget => "Figure",
            EntryKind::Message => "Message",
            EntryKind::Formula => "Formula",
            EntryKind::Term => "Term",
            EntryKind::Source => "Source",
            EntryKind::Exercise => "Exercise",
            EntryKind::Lab => "Lab",
            EntryKind::Mission => "Mission",
            EntryKind::Page => "Page",
        };
        // A source is shown on the map, with what to look for in it, the learner's summary and the way out.
        let href = match entry.kind {
            EntryKind::Source => format!("./?{}#sources", Query::new([("q", entry.title.as_str())])),
            _ => entry.href.clone(),
        };
        let context = (!entry.context.is_empty() && entry.context != entry.title)
            .then(|| view! { <span class="result-context">{entry.context.clone()}</span> });
        let inside = view! {
            <span class="result-kind">{kind}</span>
            <span class="result-title">{marked(&entry.title, 0..entry.title.len(), &hit.title_marks)}</span>
            {context}
            <span class="result-text">{marked(&entry.text, hit.snippet.clone(), &hit.marks)}</span>
        };
        self.result(i, "result", href, inside.into_any())
    }

    /// Takes a file: one that is text goes into the field, of another the way to its page is shown.
    fn take(self, files: Vec<web_sys::File>) {
        let Some(given) = files.into_iter().next() else { return };
        self.clear();
        let turn = self.turn.get_value();
        spawn_local(async move {
            let start = file::start(&given, LARGEST).await;
            // By now the box may be gone.
            if self.turn.try_get_value() != Some(turn) {
                return;
            }
            let elsewhere = match start.as_ref().map(|(start, is_all)| (content(start), is_all)) {
                Err(why) => return self.trouble.set(Some(why.clone())),
                Ok((Err(why), _)) => return self.trouble.set(Some(why.to_owned())),
                Ok((Ok(Content::Trace), _)) => TRACE,
                Ok((Ok(Content::Snapshot), _)) => SNAPSHOT,
                Ok((Ok(Content::Text), false)) => LONG,
                Ok((Ok(Content::Text), true)) => {
                    let text = start.map(|(start, _)| String::from_utf8_lossy(&start).into_owned());
                    self.wants_log.set(true);
                    return self.text.set(text.unwrap_or_default());
                }
            };
            self.given.set_value(Some(given));
            self.elsewhere.set(Some(elsewhere));
        });
    }
}

/// The text of a paste that is more than a question: it has lines.
fn lines_of(event: &ClipboardEvent) -> Option<String> {
    let event: &web_sys::ClipboardEvent = event.unchecked_ref();
    let text = event.clipboard_data()?.get_data("text").ok()?;
    text.trim().contains('\n').then_some(text)
}

/// A piece of `text` with the marked ranges in `<mark>`.
fn marked(text: &str, piece: Range<usize>, marks: &[Range<usize>]) -> impl IntoView + use<> {
    let slice = |range: Range<usize>| text.get(range).unwrap_or_default().to_owned();
    let mut at = piece.start;
    let mut parts = Vec::new();
    for mark in marks {
        let before = slice(at..mark.start);
        parts.push(view! { {before} <mark>{slice(mark.clone())}</mark> });
        at = mark.end;
    }
    let (cut_before, cut_after) = (piece.start > 0, piece.end < text.len());
    view! { {cut_before.then_some("… ")} {parts} {slice(at..piece.end)} {cut_after.then_some(" …")} }
}
