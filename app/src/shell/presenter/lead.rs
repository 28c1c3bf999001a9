//! The presenter's window.

use gloo_timers::future::TimeoutFuture;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::schema::{Chapter, Status};
use ringside_core::exercise::Worked;
use ringside_core::query::Query;
use ringside_learner::hands;
use ringside_learner::lecture::{self, LIST};
use ringside_learner::talk::{self, Letter, Now, Said, Slide, Step};
use wasm_bindgen::JsCast as _;
use web_sys::KeyboardEvent;

use super::line::{self, Line, new_talk};
use super::{AUDIENCE, CHAPTER, next, pointer, timer};
use crate::clock;
use crate::data::library;
use crate::deferred::deferred;
use crate::page;
use crate::shell::answer;
use crate::shell::deck::{self, list};
use crate::shell::shortcuts::{on_nothing, typing};
use crate::shell::{teach, votes};
use crate::ui::hands::Hands;
use crate::ui::{dom, link};
use crate::widgets::{self, Module, Props};

/// How long other windows have to say which talks are led and which have lost their presenter, in milliseconds.
const GREETING: u32 = 200;
/// What `<html>` bears while nothing of the site is around the page.
const BY_ITSELF: &str = "data-by-itself";

/// What other windows said while this one came.
#[derive(Default)]
struct Heard {
    /// Talks that are led.
    led: Vec<String>,
    /// What rooms see.
    rooms: Vec<Now>,
}

/// A talk.
#[derive(Clone, Copy)]
pub(super) struct Talk {
    pub(super) now: RwSignal<Now>,
    /// The state of the figure on show.
    query: RwSignal<Query>,
    slides: RwSignal<Vec<Slide>>,
    problems: RwSignal<Vec<String>>,
    line: StoredValue<Option<Line>>,
    /// While this window comes; nothing afterwards.
    heard: StoredValue<Option<Heard>>,
    /// Whether the room's figure goes on below what is seen there.
    folded: RwSignal<bool>,
    /// What the room goes on seeing while its screen is held.
    held: RwSignal<Option<Now>>,
    /// The show of hands for the exercise on show, once it has begun.
    hands: RwSignal<Option<Hands>>,
    /// Whether hands are being counted, by keys as well.
    counting: RwSignal<bool>,
    /// Where they are counted: it has the focus, so that no key goes to a button that was pressed before.
    tally: NodeRef<html::Div>,
}

/// The window for a deck, as [`Now::deck`] names it; for any, if it is empty.
pub(super) fn view(deck: Query) -> AnyView {
    let deck = deck.to_string();
    let known = line::remembered().filter(|known| deck.is_empty() || known.deck == deck);
    let now = known.unwrap_or(Now { deck, ..Now::default() });
    let talk = Talk {
        query: RwSignal::new(Query::parse(&now.query)),
        now: RwSignal::new(now),
        slides: RwSignal::new(Vec::new()),
        problems: RwSignal::new(Vec::new()),
        line: StoredValue::new(None),
        heard: StoredValue::new(Some(Heard::default())),
        folded: RwSignal::new(false),
        held: RwSignal::new(None),
        hands: RwSignal::new(None),
        counting: RwSignal::new(false),
        tally: NodeRef::new(),
    };
    talk.line.set_value(Some(Line::open(true, move |letter| talk.hear(letter))));
    // Another window may know where the talk is.
    talk.say(Said::Hello);
    talk.settle();
    Effect::new(move |_| {
        let query = talk.query.with(ToString::to_string);
        if talk.now.with_untracked(|now| now.query != query) {
            talk.now.update(|now| now.query = query);
        }
    });
    Effect::new(move |_| {
        let now = talk.now.get();
        if now.is_told() {
            line::remember(&now);
        }
    });
    let for_room = Memo::new(move |_| talk.for_room());
    Effect::new(move |_| {
        let seen = for_room.get();
        if seen.is_told() {
            talk.say(Said::Now(seen));
        }
    });
    // What is counted is the room's to see.
    Effect::new(move |_| {
        let hands = talk.hands.get().filter(|_| talk.counting.get());
        let listed = hands.is_some_and(Hands::is_written);
        let counted = hands.map(|hands| hands.answers.get()).unwrap_or_default();
        let counted: Vec<(String, u32)> = counted.into_iter().map(|answer| (answer.text, answer.hands)).collect();
        if talk.now.with_untracked(|now| now.hands != counted) {
            talk.now.update(|now| (now.hands, now.listed) = (counted, listed));
        }
    });
    dom::on(&window(), "keydown", move |event| {
        let key: &KeyboardEvent = event.unchecked_ref();
        if talk.counts(key) {
            event.prevent_default();
        } else if let Some(step) = line::step(key) {
            event.prevent_default();
            talk.step(step);
        }
    });
    let is_chosen = Memo::new(move |_| talk.now.with(|now| !now.deck.is_empty()));
    Effect::new(move |_| {
        if talk.tally.get().is_some() {
            talk.focus_tally();
        }
    });
    Effect::new(move |_| {
        if let Some(root) = document().document_element() {
            // Where it cannot be said, the site stays around the page.
            let _ = if is_chosen.get() { root.set_attribute(BY_ITSELF, "") } else { root.remove_attribute(BY_ITSELF) };
        }
    });
    on_cleanup(|| {
        if let Some(root) = document().document_element() {
            let _ = root.remove_attribute(BY_ITSELF);
        }
    });
    view! {
        <article class="presenter">
            {move || (!is_chosen.get()).then(teach::pages)}
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
    pub(super) fn say(self, said: Said) {
        if let Some(line) = self.line.try_get_value().flatten() {
            line.say(&self.name(), said);
        }
    }

    /// Which talk it is.
    fn name(self) -> String {
        self.now.with_untracked(|now| now.talk.clone())
    }

    /// What the room sees. Tracks.
    fn for_room(self) -> Now {
        self.now.get().held_at(self.held.get())
    }

    /// Whether the room's screen is held.
    pub(super) fn is_held(self) -> bool {
        self.held.with_untracked(Option::is_some)
    }

    fn hear(self, letter: Letter) {
        let is_ours = letter.talk == self.name();
        let is_coming = self.heard.with_value(Option::is_some);
        match letter.said {
            Said::Hello if letter.leads && !is_coming => self.say(Said::Led),
            Said::Hello if (is_ours || letter.talk.is_empty()) && self.now.with_untracked(Now::is_shown) => {
                self.say(Said::Now(untrack(move || self.for_room())));
            }
            Said::Led if is_coming => self.note(|heard| heard.led.push(letter.talk)),
            Said::Now(theirs) if is_coming && !letter.leads => self.note(|heard| heard.rooms.push(theirs)),
            _ if !is_ours || letter.leads => {}
            Said::Moved(query) if !self.is_held() => self.query.set(Query::parse(&query)),
            // A digit is a count then, and the room's window doesn't count.
            Said::Asked(Step::To(_)) if self.counting.get_untracked() => {}
            Said::Asked(step) => self.step(step),
            Said::Folded(is) => self.folded.set(is),
            _ => {}
        }
    }

    fn note(self, what: impl FnOnce(&mut Heard)) {
        self.heard.update_value(|heard| {
            if let Some(heard) = heard {
                what(heard);
            }
        });
    }

    /// Once the others have answered: goes on with a talk that has lost its presenter, if it is this one; otherwise this talk is a new one.
    fn settle(self) {
        let on_its_way = page::pending();
        spawn_local(async move {
            TimeoutFuture::new(GREETING).await;
            let Some(heard) = self.heard.try_update_value(Option::take).flatten() else { return };
            let is_led = |talk: &String| heard.led.contains(talk);
            let ours = self.now.get_untracked();
            let lost = heard.rooms.into_iter().find(|room| {
                let same_deck = ours.deck.is_empty() || ours.deck == room.deck;
                !room.talk.is_empty() && !heard.led.contains(&room.talk) && same_deck
            });
            match lost {
                // A window that was duplicated is a talk of its own.
                _ if !ours.talk.is_empty() && is_led(&ours.talk) => self.now.update(|now| now.talk = new_talk()),
                Some(room) if !ours.is_shown() => {
                    self.query.set(Query::parse(&room.query));
                    self.now.set(room);
                }
                _ if ours.talk.is_empty() => self.now.update(|now| now.talk = new_talk()),
                _ => {}
            }
            self.fetch();
            drop(on_its_way);
        });
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
                (None, list) => list::read_list(list.unwrap_or_default()).await,
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
        self.folded.set(false);
        self.hands.set(None);
        self.counting.set(false);
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
            Step::On if self.folded.get_untracked() && !self.is_held() => self.say(Said::Unfold),
            Step::On => self.go(at + 1),
            Step::Back => at.checked_sub(1).into_iter().for_each(|before| self.go(before)),
            Step::To(number) => {
                let at = self.slides.with_untracked(|slides| talk::at_number(slides, number));
                at.into_iter().for_each(|at| self.go(at));
            }
            Step::Blank => self.now.update(|now| now.blank = !now.blank),
            Step::Hold => self.held.update(|held| {
                *held = if held.is_some() { None } else { Some(self.now.get_untracked()) };
            }),
        }
    }

    /// Counts hands by keys, while there is something to count. Yields whether the key was for that.
    fn counts(self, event: &KeyboardEvent) -> bool {
        let free = dom::is_plain(event) && !typing(event) && (event.key() != "Enter" || on_nothing(event));
        let counts = free
            && self.counting.get_untracked()
            && self.hands.get_untracked().is_some_and(|hands| hands.type_or_press(&event.key()));
        // Enter after a number belongs to the count, whatever was pressed before.
        if counts {
            self.focus_tally();
        }
        counts
    }

    fn focus_tally(self) {
        if let Some(tally) = self.tally.get_untracked() {
            // Without the focus it still counts, except by Enter.
            let _ = tally.focus();
        }
    }

    /// Begins a show of hands, or goes on with the one that there was; ends it for now.
    fn flip_hands(self) {
        if self.hands.with_untracked(Option::is_none) {
            self.ask_hands();
        }
        self.counting.update(|is| *is = !*is);
    }

    /// Puts the options that the exercise on show has to the room, or answers that are said aloud.
    fn ask_hands(self) {
        let html =
            self.now.with_untracked(|now| now.exercise.as_ref().map(|(_, html)| html.clone()).unwrap_or_default());
        let Ok(root) = document().create_element("div") else { return };
        root.set_inner_html(&html);
        let answer = |(nth, option): (usize, web_sys::HtmlElement)| hands::Answer {
            key: nth.to_string(),
            text: option.inner_html(),
            hands: 0,
        };
        let options: Vec<hands::Answer> =
            dom::all(&root, "ol[type=A] > li").into_iter().enumerate().map(answer).collect();
        self.hands.set(Some(if options.is_empty() { Hands::in_order(2) } else { Hands::written(options) }));
    }

    fn view(self) -> AnyView {
        let problems = move || self.problems.get().into_iter().map(|why| view! { <p class="message">{why}</p> });
        let trouble = move || problems().collect_view();
        view! {
            {trouble}
            {self.bar()}
            <div class="presenter-sides">
                <div class="presenter-stage">
                    <p class="presenter-label sans">{move || self.slide(0).map(|slide| slide.title())}</p>
                    {self.figure()}
                    {self.text()}
                    {self.page()}
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
        let place = move || slides.with(|slides| talk::place(slides, now.with(|now| now.at)));
        let open = move |_| {
            let talk = self.name();
            let address = link::whole(&format!("presenter/?{}", Query::new([(AUDIENCE, talk.as_str())])));
            // A browser that forbids it says so itself; the address can be opened by hand.
            let _ = window().open_with_url_and_target(&address, &format!("ringside-audience-{talk}"));
        };
        view! {
            <div class="presenter-bar sans" role="toolbar" aria-label="The talk">
                <button type="button" on:click=open>"Open the audience’s window"</button>
                <button type="button" class="secondary" title="Page Up" on:click=move |_| self.step(Step::Back)>"‹ Previous"</button>
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
                <button
                    type="button"
                    class="secondary"
                    title="The room’s screen stays as it is while you look at something else"
                    aria-pressed=move || self.held.with(Option::is_some).to_string()
                    on:click=move |_| self.step(Step::Hold)
                >
                    "Freeze " <kbd>"F"</kbd>
                </button>
                {pointer::view(self)}
                {timer::view(now)}
                {timer::for_room(now)}
                <a class="quiet" href=move || self.way_out()>"Leave"</a>
            </div>
        }
    }

    /// Where the talk came from: its list, or its chapter.
    fn way_out(self) -> String {
        let from = Query::parse(&self.now.with(|now| now.deck.clone()));
        match (from.get(LIST), from.get(CHAPTER)) {
            (Some(list), _) => lecture::address_of("lecture", list),
            (None, Some(slug)) => format!("chapter/{slug}/"),
            _ => "lecture/".to_owned(),
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

    /// The text or the picture on show.
    fn text(self) -> impl IntoView {
        let text = Memo::new(move |_| self.now.with(|now| now.text.clone()));
        move || {
            let html = text.get();
            (!html.is_empty()).then(|| view! { <div class="room-question room-text" inner_html=html></div> })
        }
    }

    /// The mission or the lab on show.
    fn page(self) -> impl IntoView {
        let page = Memo::new(move |_| self.now.with(|now| now.page.clone()));
        move || {
            let address = page.get();
            (!address.is_empty()).then(|| {
                view! {
                    <p class="sans">
                        "The room’s window has this page. Use it there: its keys are those of the projector. "
                        <a href=address target="_blank">"Open it beside this window"</a>
                    </p>
                }
            })
        }
    }

    /// The exercise on show, and its answer.
    fn question(self) -> impl IntoView {
        let now = self.now;
        let question = move || now.with(|now| now.exercise.as_ref().map(|(_, html)| html.clone()).unwrap_or_default());
        let key = Memo::new(move |_| now.with(|now| now.exercise.as_ref().map(|(key, _)| key.clone())));
        move || {
            let key = key.get()?;
            let answered = RwSignal::new(None::<Result<Worked, String>>);
            spawn_local(async move {
                answered.try_set(Some(answer::to(&key).await));
            });
            let is_shown = Memo::new(move |_| now.with(|now| !now.answer.is_empty()));
            let show = move |_| {
                let shown = answered.with_untracked(|came| match came {
                    Some(Ok(answer)) => (answer.html(), answer.right().to_vec()),
                    _ => Default::default(),
                });
                now.update(|now| {
                    (now.answer, now.right) = if now.answer.is_empty() { shown } else { Default::default() };
                });
            };
            let is_there = move || answered.with(|answer| matches!(answer, Some(Ok(_))));
            Some(view! {
                <section class="presenter-question" aria-label="The exercise on screen">
                    <div class="room-question" inner_html=question></div>
                    <h2>{move || if is_shown.get() { "Answer (shown to the room)" } else { "Answer (only you see it)" }}</h2>
                    <div class="presenter-answer">{move || answered.get().map(answer::view)}</div>
                    <p class="actions sans" hidden=move || !is_there()>
                        <button type="button" class="secondary" on:click=show>
                            {move || if is_shown.get() { "Hide the answer" } else { "Show the answer to the room" }}
                        </button>
                        <button
                            type="button"
                            class="secondary"
                            aria-expanded=move || self.counting.get().to_string()
                            on:click=move |_| self.flip_hands()
                        >
                            "Show of hands"
                        </button>
                    </p>
                    {move || self.hands.get().filter(|_| self.counting.get()).map(|hands| view! {
                        <div node_ref=self.tally tabindex="-1" role="group" aria-label="Show of hands">{hands.counting()}</div>
                        <p class="room-keys sans">
                            "Type how many hands each answer has; " <kbd>"Enter"</kbd> " goes to the next one. " <kbd>"+"</kbd> " and " <kbd>"−"</kbd>
                            " count one by one."
                        </p>
                        {votes::button(hands)}
                    })}
                </section>
            })
        }
    }

    /// What is next, notes, and the whole deck to choose from.
    fn aside(self) -> impl IntoView {
        let notes = move || {
            let notes = self.slide(0).map(|slide| slide.notes).filter(|notes| !notes.is_empty());
            notes.unwrap_or_else(|| "<p>No notes for this slide.</p>".to_owned())
        };
        let entry = move |(at, slide): (usize, Slide)| {
            let is_on_show = move || (self.now.with(|now| now.at) == at).then_some("step");
            view! {
                <li>
                    <button type="button" class="quiet" aria-current=is_on_show on:click=move |_| self.go(at)>
                        {slide.title()}
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
                <h2>"All slides"</h2>
                <ol class="presenter-all sans">{all}</ol>
            </aside>
        }
    }
}
