//! The audience's window: what the presenter's shows, over all of it.

use gloo_timers::callback::Interval;
use js_sys::{Array, Function, Object, Reflect};
use leptos::html;
use leptos::prelude::*;
use ringside_core::query::Query;
use ringside_learner::hands::letter;
use ringside_learner::talk::{Letter, Now, Pointed, Said, came_back};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{HtmlElement, KeyboardEvent, Window};

use super::line::{self, Line};
use super::timer;
use crate::deferred::deferred;
use crate::page;
use crate::shell::deck::SLIDES;
use crate::shell::figures;
use crate::shell::projector::stage::{self, Stage};
use crate::shell::projector::{PRESENT, PROJECTING, fit, folds, room, text};
use crate::ui::figure::Titled;
use crate::ui::later::Later;
use crate::ui::{dom, link};
use crate::widgets::{self, Module, Props};

/// How often it is looked whether a page on show has more slides by now, in milliseconds.
const LOOK: u32 = 500;

/// The window of the talk `talk`; of the first that speaks, if it is empty.
pub(super) fn view(talk: String) -> AnyView {
    page::title("Audience");
    let known = line::remembered().filter(|now| talk.is_empty() || now.talk == talk);
    let now = RwSignal::new(known.unwrap_or(Now { talk, ..Now::default() }));
    let query = RwSignal::new(Query::parse(&now.with_untracked(|now| now.query.clone())));
    let node = NodeRef::<html::Div>::new();
    let pointed = RwSignal::new(None::<Pointed>);
    let more = RwSignal::new(None::<(f64, f64)>);
    let room = Room { now, node, more, said: StoredValue::new(None) };
    let line = follow(room, query, pointed);

    let size = Later::after(150);
    let refit = move || {
        size.run(move || {
            if let Some(place) = node.get_untracked() {
                let figure = dom::find(&place, "[data-widget]");
                fit::fit(figure.as_deref().unwrap_or(&place));
                if let Some(text) = text_of(&place) {
                    text::fit(&text);
                }
                room.say_folds(line);
            }
        });
    };
    Effect::new(move |_| {
        let Some(place) = node.get() else { return };
        Stage::aim(place.into());
        if let Some(root) = document().document_element() {
            // Without it everything is there, in small type.
            let _ = root.set_attribute(PROJECTING, "bare");
        }
    });
    Effect::new(move |_| {
        now.track();
        query.track();
        refit();
    });
    dom::on(&window(), "resize", move |_| refit());
    on_cleanup(|| {
        stage::strike();
        fit::undo();
        if let Some(root) = document().document_element() {
            let _ = root.remove_attribute(PROJECTING);
        }
    });

    let widget = Memo::new(move |_| now.with(|now| now.widget.clone()));
    provide_context(Titled(Memo::new(move |_| now.with(|now| now.title.clone())).into()));
    let figure = move || match widgets::find(&widget.get()) {
        Some(widget) => deferred(
            || widget.to_show(),
            move |module: Module| {
                refit();
                (module.view)(Props { query, alone: false, compact: false })
            },
        )
        .into_any(),
        None => ().into_any(),
    };
    let question = Memo::new(move |_| now.with(|now| now.exercise.as_ref().map(|(_, question)| question.clone())));
    let answer = Memo::new(move |_| now.with(|now| now.answer.clone()));
    let hands = Memo::new(move |_| now.with(|now| (now.hands.clone(), now.listed, now.right.clone())));
    let hands = move || hands.with(|(hands, listed, right)| counted(hands, *listed, right));
    // The options that are right, once the room sees the answer.
    let right = Memo::new(move |_| now.with(|now| now.right.clone()));
    Effect::new(move |_| {
        question.track();
        let (Some(place), right) = (node.get(), right.get()) else { return };
        for (nth, option) in dom::all(&place, ".room-question > :first-child > ol[type=A] > li").iter().enumerate() {
            // One that can't be marked is named by its letter in the answer.
            let _ = option.class_list().toggle_with_force("right", right.contains(&nth));
        }
    });
    let question = move || {
        question.get().map(|html| {
            view! {
                <div class="room-question">
                    <div inner_html=html></div>
                    {hands}
                    <div class="room-answer" aria-live="polite" hidden=move || answer.with(String::is_empty) inner_html=answer></div>
                </div>
            }
        })
    };
    let text = Memo::new(move |_| now.with(|now| now.text.clone()));
    let text = move || {
        let html = text.get();
        (!html.is_empty()).then(|| view! { <div class="room-question room-text" inner_html=html></div> })
    };
    // A mission or a lab is a page with keys of its own.
    let page_on_show = Memo::new(move |_| now.with(|now| now.page.clone()));
    let page_on_show = move || {
        let address = page_on_show.get();
        // From its first slide on: a mission's brief.
        let source = link::whole(&format!("{address}?{PRESENT}=1"));
        // It comes and goes on by itself.
        let looking = (!address.is_empty()).then(|| Interval::new(LOOK, move || room.say_folds(line)));
        let _looking = StoredValue::new_local(looking);
        (!address.is_empty()).then(|| view! { <iframe class="room-page" title="The page on show" src=source></iframe> })
    };
    // Over what is on show, as the presenter has it under the pointer.
    let pointer = move || {
        let (Pointed { on, at: (x, y) }, place) = (pointed.get()?, node.get()?);
        let on = dom::find(&place, super::POINTED_AT.get(on)?)?.get_bounding_client_rect();
        let (x, y) = (on.left() + x * on.width(), on.top() + y * on.height());
        let (x, y) = (format!("{x:.0}px"), format!("{y:.0}px"));
        Some(view! { <div class="room-pointer" style=("left", x) style=("top", y)></div> })
    };
    let screen = |_| {
        room::fill_screen();
        let place = figures::meant(None, "");
        // The keys go to the figure.
        if let Some(figure) = place.and_then(|place| figures::within(&place)) {
            let _ = figure.unchecked_ref::<HtmlElement>().focus();
        }
    };
    view! {
        <div
            class="audience"
            node_ref=node
            data-at=move || now.with(|now| now.at)
            data-blank=move || now.with(|now| now.blank).to_string()
        >
            <h1 class="visually-hidden">"What the room sees"</h1>
            {figure}
            {question}
            {text}
            {page_on_show}
            {pointer}
            {timer::countdown(now)}
            <div class="room-question sans" hidden=move || now.with(Now::is_shown)>
                <p>"Waiting for the presenter’s window."</p>
            </div>
            {move || {
                let (x, y) = more.get()?;
                let (x, y) = (format!("{x:.0}px"), format!("{y:.0}px"));
                Some(view! { <div class="room-more" style=("left", x) style=("top", y)>"More below " <kbd>"→"</kbd></div> })
            }}
            <button type="button" class="audience-fill secondary" on:click=screen>"Fill the screen"</button>
            <Show when=move || now.with(|now| now.blank)>
                <div class="room-blank" role="status"><span class="visually-hidden">"The screen is blank."</span></div>
            </Show>
        </div>
    }
    .into_any()
}

/// Hands, each with a bar beside its letter, and those that are `right` marked. What answers say stands there unless the exercise lists it.
/// An answer that nobody wrote down has nothing to say to a room.
fn counted(hands: &[(String, u32)], listed: bool, right: &[usize]) -> Option<AnyView> {
    let most = hands.iter().map(|(_, hands)| *hands).max().unwrap_or_default().max(1);
    let row = |(nth, (text, count)): (usize, &(String, u32))| {
        let share = format!("{:.1}%", 100.0 * f64::from(*count) / f64::from(most));
        view! {
            <li style=("--share", share) class:right=right.contains(&nth)>
                <b>{letter(nth)}</b>
                <span class="room-bar-of" aria-hidden="true"></span>
                <b class="hands-count">{*count}</b>
                " "
                <span inner_html=if listed { String::new() } else { text.clone() }></span>
            </li>
        }
    };
    let rows: Vec<_> = hands.iter().enumerate().filter(|(_, (text, _))| !text.is_empty()).map(row).collect();
    (!rows.is_empty()).then(|| {
        view! { <ol class="room-counted" aria-label="Show of hands" aria-live="polite">{rows}</ol> }.into_any()
    })
}

/// The exercise, the text or the picture in a place, if it is seen.
fn text_of(place: &HtmlElement) -> Option<HtmlElement> {
    dom::find(place, ".room-question:not([hidden])")
}

/// What the room sees, and where.
#[derive(Clone, Copy)]
struct Room {
    now: RwSignal<Now>,
    node: NodeRef<html::Div>,
    /// Where it goes on below what is seen.
    more: RwSignal<Option<(f64, f64)>>,
    /// What the presenter was told of that last, of this slide.
    said: StoredValue<Option<bool>>,
}

/// Whether a page that is projected has a slide after the one that it shows.
fn has_next(page: &Window) -> Option<bool> {
    let slides = page.document()?.query_selector_all(SLIDES).ok()?.length();
    let search = page.location().search().ok()?;
    let at: u32 = Query::parse(search.trim_start_matches('?')).get(PRESENT)?.parse().ok()?;
    Some(at < slides)
}

/// Presses the key of a remote in another window.
fn turn(page: &Window) {
    let key = Object::new();
    let event = Reflect::set(&key, &"key".into(), &"PageDown".into())
        .and_then(|_| Reflect::get(page, &"KeyboardEvent".into()))
        .and_then(|event| Reflect::construct(event.unchecked_ref::<Function>(), &Array::of2(&"keydown".into(), &key)));
    if let Ok(event) = event {
        // A page that takes no key stays where it is.
        let _ = page.dispatch_event(event.unchecked_ref());
    }
}

impl Room {
    /// What goes on below, where it does: the figure, or the text.
    fn folds(self) -> Option<HtmlElement> {
        let place = self.node.get_untracked()?;
        dom::find(&place, "[data-widget]").or_else(|| text_of(&place))
    }

    /// The window of the mission or the lab on show.
    fn page(self) -> Option<Window> {
        let place = self.node.get_untracked()?;
        let frame = dom::find(&place, ".room-page")?;
        let window = Reflect::get(&frame, &"contentWindow".into()).ok().filter(JsValue::is_object)?;
        // A window of another frame is no instance of this one's.
        Some(window.unchecked_into())
    }

    /// Says, here and to the presenter, whether there is more of what is seen, below it or on a page's next slide, so that the next step
    /// turns to it.
    fn say_folds(self, line: Line) {
        let below = self.folds().and_then(|seen| folds::below(&seen));
        let is_more = below.is_some() || self.page().is_some_and(|page| has_next(&page).unwrap_or_default());
        if self.more.try_get_untracked() != Some(below) {
            self.more.try_set(below);
        }
        if self.said.try_get_value() != Some(Some(is_more)) {
            self.said.try_set_value(Some(is_more));
            line.say(&self.now.with_untracked(|now| now.talk.clone()), Said::Folded(is_more));
        }
    }

    /// Turns to it.
    fn unfold(self) {
        if let Some(page) = self.page() {
            turn(&page);
        } else if let Some(seen) = self.folds() {
            folds::visit(&seen, true);
        }
    }
}

/// Keeps all as the presenter's window has it, and tells it what is moved and pressed here.
fn follow(room: Room, query: RwSignal<Query>, pointed: RwSignal<Option<Pointed>>) -> Line {
    let now = room.now;
    // What was heard last is not said again.
    let heard = StoredValue::new(query.get_untracked());
    // What was said and has not come back yet: what comes back of it is older than what is on show.
    let said = StoredValue::new(Vec::<String>::new());
    let line = StoredValue::new(None::<Line>);
    let talk = move || now.with_untracked(|now| now.talk.clone());
    let say = move |said: Said| {
        if let Some(line) = line.try_get_value().flatten() {
            line.say(&talk(), said);
        }
    };
    let show = move |shown: Now| {
        let is_overtaken = said.try_update_value(|said| came_back(said, &shown.query)).unwrap_or_default();
        line::remember(&shown);
        if !is_overtaken {
            let state = Query::parse(&shown.query);
            heard.set_value(state.clone());
            if query.with_untracked(|q| *q != state) {
                query.set(state);
            }
        }
        if now.with_untracked(|now| now.at != shown.at) {
            pointed.set(None);
        }
        // The presenter knows nothing of what is below until it is said.
        room.said.set_value(None);
        now.set(shown);
    };
    let unfold = move || {
        room.unfold();
        if let Some(line) = line.get_value() {
            room.say_folds(line);
        }
    };
    let opened = Line::open(false, move |letter: Letter| {
        let ours = talk();
        match letter.said {
            // A presenter who has come anew may go on with this talk.
            Said::Hello
                if letter.leads
                    && (letter.talk.is_empty() || letter.talk == ours)
                    && now.with_untracked(Now::is_shown) =>
            {
                say(Said::Now(now.get_untracked()));
            }
            Said::Now(shown) if letter.leads && (ours.is_empty() || letter.talk == ours) => show(shown),
            Said::Unfold if letter.leads && letter.talk == ours => unfold(),
            Said::Pointed(at) if letter.leads && letter.talk == ours => pointed.set(at),
            _ => {}
        }
    });
    line.set_value(Some(opened));
    say(Said::Hello);
    Effect::new(move |_| {
        query.with(|q| {
            if heard.with_value(|heard| heard != q) {
                heard.set_value(q.clone());
                said.update_value(|said| said.push(q.to_string()));
                say(Said::Moved(q.to_string()));
            }
        });
    });
    dom::on(&window(), "keydown", move |event| {
        // A remote's keys go to the window that has the focus.
        if let Some(step) = line::step(event.unchecked_ref::<KeyboardEvent>()) {
            event.prevent_default();
            say(Said::Asked(step));
        }
    });
    opened
}
