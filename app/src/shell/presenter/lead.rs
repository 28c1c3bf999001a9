//! The presenter's window.

use gloo_timers::callback::Interval;
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::schema::{Chapter, Status};
use ringside_core::query::Query;
use wasm_bindgen::JsCast as _;
use web_sys::KeyboardEvent;

use super::line::{Line, Now, Said, Step};
use super::{AUDIENCE, CHAPTER, next};
use crate::clock;
use crate::data::library;
use crate::deferred::deferred;
use crate::page;
use crate::shell::answer;
use crate::shell::deck::{self, LIST, Slide};
use crate::ui::{dom, link};
use crate::widgets::{self, Module, Props};

/// A talk.
#[derive(Clone, Copy)]
struct Talk {
    now: RwSignal<Now>,
    /// The state of the figure on show.
    query: RwSignal<Query>,
    slides: RwSignal<Vec<Slide>>,
    problems: RwSignal<Vec<String>>,
    line: StoredValue<Option<Line>>,
}

/// The window for a deck, as [`Now::deck`] names it; for any, if it is empty.
pub(super) fn view(deck: Query) -> AnyView {
    page::title("Presenter");
    let deck = deck.to_string();
    let known = Now::remembered().filter(|known| deck.is_empty() || known.deck == deck);
    let now = known.unwrap_or(Now { deck, ..Now::default() });
    let talk = Talk {
        query: RwSignal::new(Query::parse(&now.query)),
        now: RwSignal::new(now),
        slides: RwSignal::new(Vec::new()),
        problems: RwSignal::new(Vec::new()),
        line: StoredValue::new(None),
    };
    talk.line.set_value(Some(Line::open(move |said| talk.hear(said))));
    talk.fetch();
    // The other window may know where the talk is.
    talk.say(&Said::Hello);
    Effect::new(move |_| {
        let query = talk.query.with(ToString::to_string);
        if talk.now.with_untracked(|now| now.query != query) {
            talk.now.update(|now| now.query = query);
        }
    });
    Effect::new(move |_| {
        let now = talk.now.get();
        // Whoever shows nothing yet has nothing to say.
        if now.is_shown() {
            now.remember();
            talk.say(&Said::Now(now));
        }
    });
    dom::on(&window(), "keydown", move |event| {
        if let Some(step) = Step::of(event.unchecked_ref::<KeyboardEvent>()) {
            event.prevent_default();
            talk.step(step);
        }
    });
    let is_chosen = Memo::new(move |_| talk.now.with(|now| !now.deck.is_empty()));
    view! {
        <article class="presenter">
            <h1>"Presenter"</h1>
            {move || if is_chosen.get() { talk.view() } else { choose().into_any() }}
        </article>
    }
    .into_any()
}

/// Which chapter, if the address does not say.
fn choose() -> impl IntoView {
    let chapters = move || {
        let course = library().course.ready()?;
        let written = course.chapters().filter(|c| c.status == Status::Written);
        let entry = |c: &Chapter| {
            let href = format!("presenter/?{}", Query::new([(CHAPTER, c.slug.as_str())]));
            view! { <li><a href=href>{format!("{} · {}", c.number, c.title)}</a></li> }
        };
        Some(written.map(entry).collect_view())
    };
    view! {
        <p>
            "Two windows of one browser: this one has the notes, the next state, a timer and the answers; the other is for the projector. What do you present?"
        </p>
        <ul>{chapters}</ul>
        <p>"Or states of your own, from a " <a href="lecture/">"lecture list"</a> "."</p>
    }
}

impl Talk {
    fn say(self, said: &Said) {
        if let Some(line) = self.line.try_get_value().flatten() {
            line.say(said);
        }
    }

    fn hear(self, said: Said) {
        match said {
            Said::Hello if self.now.with_untracked(Now::is_shown) => self.say(&Said::Now(self.now.get_untracked())),
            Said::Hello => {}
            Said::Moved(query) => self.query.set(Query::parse(&query)),
            Said::Asked(step) => self.step(step),
            Said::Now(theirs) => self.resume(theirs),
        }
    }

    /// Goes on where the other window is, if that is in this talk and this window has shown nothing yet.
    fn resume(self, theirs: Now) {
        let is_other = |ours: &Now| !ours.deck.is_empty() && ours.deck != theirs.deck;
        if self.now.with_untracked(|ours| ours.is_shown() || is_other(ours)) {
            return;
        }
        let is_fetched = self.now.with_untracked(|ours| !ours.deck.is_empty());
        self.query.set(Query::parse(&theirs.query));
        self.now.set(theirs);
        if !is_fetched {
            self.fetch();
        }
    }

    /// Fetches the deck; shows its first slide if the talk begins.
    fn fetch(self) {
        let from = Query::parse(&self.now.with_untracked(|now| now.deck.clone()));
        if from.is_empty() {
            return;
        }
        let on_its_way = page::pending();
        spawn_local(async move {
            let (slides, mut problems) = match (from.get(CHAPTER), from.get(LIST)) {
                (Some(slug), _) => match deck::of_chapter(slug).await {
                    Ok(slides) => (slides, Vec::new()),
                    Err(why) => (Vec::new(), vec![why]),
                },
                (None, list) => deck::of_list(list.unwrap_or_default()).await,
            };
            if slides.is_empty() && problems.is_empty() {
                problems.push("There is nothing in it to show.".to_owned());
            }
            self.problems.try_set(problems);
            if self.slides.try_set(slides).is_none() && self.now.with_untracked(|now| !now.is_shown()) {
                self.go(0);
            }
            drop(on_its_way);
        });
    }

    fn go(self, at: usize) {
        let Some(slide) = self.slides.with_untracked(|slides| slides.get(at).cloned()) else { return };
        let mut next = self.now.get_untracked().showing(at, &slide);
        if next.since == 0 && at > 0 {
            next.since = clock::now();
        }
        let asked = next.exercise.clone();
        self.query.set(Query::parse(&next.query));
        self.now.set(next);
        // What there is to choose from comes with the model.
        if let Some((key, prompt)) = asked {
            spawn_local(async move {
                let Ok(whole) = answer::question(&key, &prompt).await else { return };
                let is_on_show = |now: &Now| now.exercise.as_ref().is_some_and(|(on_show, _)| *on_show == key);
                if self.now.try_with_untracked(is_on_show).unwrap_or_default() {
                    self.now.update(|now| now.exercise = Some((key, whole)));
                }
            });
        }
    }

    fn step(self, step: Step) {
        let at = self.now.with_untracked(|now| now.at);
        match step {
            Step::On => self.go(at + 1),
            Step::Back => at.checked_sub(1).into_iter().for_each(|before| self.go(before)),
            Step::To(at) => self.go(at),
            Step::Blank => self.now.update(|now| now.blank = !now.blank),
        }
    }

    fn view(self) -> AnyView {
        let problems = move || self.problems.get().into_iter().map(|why| view! { <p class="message">{why}</p> });
        let trouble = move || problems().collect_view();
        view! {
            {trouble}
            {self.bar()}
            <div class="presenter-sides">
                <div class="presenter-stage">
                    <p class="presenter-label sans">{move || self.slide(0).map(|slide| slide.label)}</p>
                    {self.figure()}
                    {self.question()}
                </div>
                {self.aside()}
            </div>
        }
        .into_any()
    }

    /// The slide that is so many on from the one on show. Tracks.
    fn slide(self, on: usize) -> Option<Slide> {
        let at = self.now.with(|now| now.at);
        self.slides.with(|slides| slides.get(at + on).cloned())
    }

    fn bar(self) -> impl IntoView {
        let Self { now, slides, .. } = self;
        let place = move || format!("{} of {}", now.with(|now| now.at) + 1, slides.with(Vec::len).max(1));
        let tick = RwSignal::new(());
        let _ticking = StoredValue::new_local(Interval::new(1000, move || {
            tick.try_set(());
        }));
        let gone = move || {
            tick.track();
            let since = now.with(|now| now.since);
            let seconds = if since == 0 { 0 } else { (clock::now() - since).max(0) };
            format!("{}:{:02}", seconds / 60, seconds % 60)
        };
        let open = move |_| {
            let address = link::whole(&format!("presenter/?{AUDIENCE}"));
            // A browser that forbids it says so itself; the address can be opened by hand.
            let _ = window().open_with_url_and_target(&address, "ringside-audience");
        };
        view! {
            <div class="presenter-bar sans" role="toolbar" aria-label="The talk">
                <button type="button" on:click=open>"Open the audience’s window"</button>
                <button type="button" class="secondary" title="Page Up" on:click=move |_| self.step(Step::Back)>"‹ Before"</button>
                <b class="presenter-place" data-at=move || now.with(|now| now.at)>{place}</b>
                <button type="button" class="secondary" title="Page Down" on:click=move |_| self.step(Step::On)>"Next ›"</button>
                <button
                    type="button"
                    class="secondary"
                    aria-pressed=move || now.with(|now| now.blank).to_string()
                    on:click=move |_| self.step(Step::Blank)
                >
                    "Blank " <kbd>"B"</kbd>
                </button>
                <span class="presenter-clock" role="timer" aria-label="Since the talk began">{gone}</span>
                <button type="button" class="quiet" on:click=move |_| now.update(|now| now.since = clock::now())>
                    "Start the clock again"
                </button>
            </div>
        }
    }

    fn figure(self) -> impl IntoView {
        let Self { now, query, .. } = self;
        let widget = Memo::new(move |_| now.with(|now| now.widget.clone()));
        move || {
            let widget = widgets::find(&widget.get())?;
            let show = move |module: Module| (module.view)(Props { query, alone: false, compact: false });
            Some(deferred(|| widget.to_show(), show))
        }
    }

    /// The exercise on show, and its answer.
    fn question(self) -> impl IntoView {
        let now = self.now;
        let question = move || now.with(|now| now.exercise.as_ref().map(|(_, html)| html.clone()).unwrap_or_default());
        let key = Memo::new(move |_| now.with(|now| now.exercise.as_ref().map(|(key, _)| key.clone())));
        move || {
            let key = key.get()?;
            let answered = RwSignal::new(None);
            spawn_local(async move {
                answered.try_set(Some(answer::to(&key).await));
            });
            Some(view! {
                <section class="presenter-question" aria-label="The exercise on screen">
                    <div class="room-question" inner_html=question></div>
                    <h2>"The answer, for you alone"</h2>
                    <div class="presenter-answer">{move || answered.get().map(answer::view)}</div>
                </section>
            })
        }
    }

    /// What is next, notes, and the whole deck to choose from.
    fn aside(self) -> impl IntoView {
        let notes = move || {
            let notes = self.slide(0).map(|slide| slide.notes).filter(|notes| !notes.is_empty());
            notes.unwrap_or_else(|| "<p>There are no notes here.</p>".to_owned())
        };
        let entry = move |(at, slide): (usize, Slide)| {
            let is_on_show = move || (self.now.with(|now| now.at) == at).then_some("step");
            view! {
                <li>
                    <button type="button" class="quiet" aria-current=is_on_show on:click=move |_| self.go(at)>
                        {slide.label}
                    </button>
                </li>
            }
        };
        let all = move || self.slides.get().into_iter().enumerate().map(entry).collect_view();
        view! {
            <aside class="presenter-aside" aria-label="For you alone">
                {next::view(Memo::new(move |_| self.slide(1)))}
                <h2>"Notes"</h2>
                <div class="presenter-notes" inner_html=notes></div>
                <h2>"All of it"</h2>
                <ol class="presenter-all sans">{all}</ol>
            </aside>
        }
    }
}
