//! What is projected, how it is stepped through, and the keys for it.

use std::cell::RefCell;

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::route::Route;
use ringside_core::query::Query;
use ringside_learner::talk::{Shows, Slide};
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{HtmlElement, KeyboardEvent, MutationObserver, MutationObserverInit, ResizeObserver};

use super::question::Question;
use super::stage::{self, Stage};
use super::{PRESENT, PROJECTING, asked, bar, fit, folds};
use crate::data::library;
use crate::page;
use crate::router::{self, address};
use crate::shell::deck;
use crate::shell::figures;
use crate::shell::notices::{self, Level};
use crate::shell::shortcuts::{on_nothing, typing};
use crate::ui::figure::set_state;
use crate::ui::islands::Islands;
use crate::ui::later::Later;
use crate::ui::{dom, link};

thread_local! {
    /// What belongs to the projection goes with it.
    static OPEN: RefCell<Option<Owner>> = const { RefCell::new(None) };
}

/// How long a figure that is still on its way is waited for: so many times so many milliseconds.
const PATIENCE: (u32, u32) = (200, 50);

/// See [`super::Room`].
pub(super) fn toggle(from: Option<HtmlElement>) {
    if is_open() { leave() } else { begin(from) }
}

/// See [`super::Room`].
pub(super) fn open() {
    if !is_open() {
        begin(None);
    }
}

fn is_open() -> bool {
    OPEN.with_borrow(Option::is_some)
}

fn begin(from: Option<HtmlElement>) {
    let owner = Owner::new();
    OPEN.set(Some(owner.clone()));
    let by_address = asked().is_some();
    let on_its_way = page::pending();
    spawn_local(async move {
        let (times, pause) = PATIENCE;
        for _ in 0..times {
            let named = location().hash().unwrap_or_default();
            let named = named.trim_start_matches('#');
            if let Some(place) = stage::meant(from.as_deref()).or_else(|| figures::meant(from.as_deref(), named)) {
                owner.with(|| enter(place));
                drop(on_its_way);
                return;
            }
            // Whoever presses the key sees what is there; a page that was asked for may still be coming.
            if !by_address {
                break;
            }
            TimeoutFuture::new(pause).await;
            if !is_open() {
                return;
            }
        }
        OPEN.set(None);
        notices::say(Level::Info, "There is nothing on this page to project.".to_owned());
        drop(on_its_way);
    });
}

/// Ends the projection.
pub(super) fn leave() {
    let Some(owner) = OPEN.take() else { return };
    owner.cleanup();
    let seen = |what: &str| document().query_selector(what).ok().flatten();
    let figure = seen(".projected [data-widget], .projected[data-widget]").or_else(|| seen(".projected"));
    stage::strike();
    fit::undo();
    if let Some(root) = document().document_element() {
        let _ = root.remove_attribute(PROJECTING);
    }
    if document().fullscreen_element().is_some() {
        document().exit_fullscreen();
    }
    note(None);
    if let Some(figure) = figure {
        figure.scroll_into_view();
        // Without the focus the page can still be used.
        let _ = figure.unchecked_ref::<HtmlElement>().focus();
    }
}

/// What is projected, and how.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub(super) stage: StoredValue<Stage, LocalStorage>,
    pub(super) slides: RwSignal<Vec<Slide>>,
    /// The slide that is shown, or was before a control was moved.
    pub(super) at: RwSignal<Option<usize>>,
    /// A state for a figure that is not there yet.
    wanted: StoredValue<Option<Query>>,
    pub(super) bare: RwSignal<bool>,
    pub(super) blank: RwSignal<bool>,
    pub(super) light: RwSignal<bool>,
    pub(super) dot: RwSignal<bool>,
    pub(super) frozen: RwSignal<bool>,
    pub(super) question: Question,
    /// Where the figure goes on below what is seen.
    pub(super) more: RwSignal<Option<(f64, f64)>>,
    resize: Later,
}

fn enter(place: HtmlElement) {
    let widget = dom::attribute(&place, "data-widget");
    let stage = Stage::aim(place);
    let slides = if widget.is_empty() { deck::of_page() } else { Vec::new() };
    let room = Room {
        at: RwSignal::new(None),
        slides: RwSignal::new(slides),
        stage: StoredValue::new_local(stage),
        wanted: StoredValue::new(None),
        bare: RwSignal::new(false),
        blank: RwSignal::new(false),
        light: RwSignal::new(false),
        dot: RwSignal::new(false),
        frozen: RwSignal::new(false),
        question: Question::none(),
        more: RwSignal::new(None),
        resize: Later::after(120),
    };
    if !widget.is_empty() {
        let course = library().course;
        Effect::new(move |_| {
            let (Some(course), widget) = (course.ready(), widget.clone()) else { return };
            spawn_local(async move {
                room.slides.try_set(deck::of_widget(&course, &widget).await);
            });
        });
    }
    Effect::new(move |_| {
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute(PROJECTING, if room.bare.get() { "bare" } else { "" });
        }
        room.refit();
    });
    if let Some(body) = document().body()
        && let Ok(host) = document().create_element("div")
    {
        let _ = host.set_attribute("class", "room sans");
        let _ = body.append_child(&host);
        Islands::new().put(host.clone().unchecked_into(), Box::new(move || bar::view(room)));
        let host = SendWrapper::new(host);
        on_cleanup(move || host.remove());
    }
    room.find();
    // A chapter that was asked for by the number of a state.
    let number = asked().and_then(|text| text.parse::<usize>().ok()).and_then(|n| n.checked_sub(1));
    match number.filter(|_| room.has_places()) {
        Some(index) => room.go(index),
        None => note(Some(room)),
    }
    room.watch();
    room.listen();
    fill_screen();
    if let Some(figure) = room.stage.with_value(Stage::seen) {
        // Keys go to the page and not to what was pressed.
        let _ = figure.set_attribute("tabindex", "-1");
        let _ = figure.focus();
    }
}

impl Room {
    /// Whether the slides are places of the page.
    fn has_places(self) -> bool {
        self.stage.with_value(|stage| stage.place().has_attribute("data-slot-widget") || stage.is_slide())
    }

    /// Finds the slide that is on show, if it is one.
    fn find(self) {
        let (id, state) = self.stage.with_value(|stage| {
            let state = stage.figure().map(|figure| dom::attribute(&figure, "data-query"));
            (stage.id(), state.map(|text| Query::parse(&text)))
        });
        let has_places = self.has_places();
        let here = |slide: &Slide| !has_places || slide.place == id;
        let found = self.slides.with_untracked(|slides| {
            let is_same = |s: &Slide| matches!(&s.shows, Shows::Figure { query, .. } if state.as_ref() == Some(query));
            let same = slides.iter().position(|s| here(s) && is_same(s));
            // In a chapter the figure's own beginning is where its slides begin.
            same.or_else(|| slides.iter().position(|s| has_places && here(s)))
        });
        self.at.set(found);
    }

    /// Shows a slide, if there is one of this number from 0.
    pub(super) fn go(self, index: usize) {
        let Some(slide) = self.slides.with_untracked(|slides| slides.get(index).cloned()) else { return };
        let is_elsewhere = |stage: &Stage| stage.id() != slide.place || !stage.place().is_connected();
        if self.has_places()
            && self.stage.with_value(is_elsewhere)
            && let Some(place) = document().get_element_by_id(&slide.place)
        {
            self.stage.set_value(Stage::aim(place.unchecked_into()));
            // All slides of a page that marks its own are watched already.
            if !self.stage.with_value(Stage::is_slide) {
                self.watch();
            }
        }
        self.at.set(Some(index));
        if let Some(seen) = self.stage.with_value(Stage::seen) {
            folds::unroll(&seen);
        }
        if let Shows::Figure { query, .. } = slide.shows {
            self.wanted.set_value(Some(query));
        }
        self.settle();
        note(Some(self));
    }

    pub(super) fn step(self, forward: bool) {
        if forward && self.question.uncover() {
            return;
        }
        if self.stage.with_value(Stage::seen).is_some_and(|seen| folds::visit(&seen, forward)) {
            self.look();
            return;
        }
        let last = self.slides.with_untracked(Vec::len).saturating_sub(1);
        let next = match (self.at.get_untracked(), forward) {
            (None, true) => Some(0),
            (None, false) => None,
            (Some(at), true) => (at < last).then_some(at + 1),
            (Some(at), false) => at.checked_sub(1),
        };
        if let Some(next) = next {
            self.go(next);
        }
    }

    /// Puts the figure into the state that is wanted, once it is there and listens, and enlarges it.
    fn settle(self) {
        let set = move || {
            if self.stage.try_with_value(Stage::is_slide).unwrap_or_default() {
                self.catch_up();
            }
            let Some(figure) = self.stage.try_with_value(Stage::figure).flatten() else { return };
            let mut wanted = None;
            self.wanted.update_value(|slot| wanted = slot.take());
            if let Some(query) = wanted {
                set_state(&figure, &query.to_string());
            }
            self.question.find(self.stage);
        };
        set_timeout(set, std::time::Duration::ZERO);
        self.refit();
    }

    /// Follows a page that marks its own slides, and makes and takes away some as it goes on: to the first new one.
    fn catch_up(self) {
        let slides = deck::of_page();
        let is_gone = self.stage.with_value(|stage| !stage.place().is_connected());
        if !is_gone && self.slides.with_untracked(|before| *before == slides) {
            return;
        }
        let index = |place: &str| slides.iter().position(|slide| slide.place == place);
        let is_new = |slide: &Slide| self.slides.with_untracked(|all| all.iter().all(|old| old.place != slide.place));
        let at = slides
            .iter()
            .position(is_new)
            .or_else(|| index(&self.stage.with_value(Stage::id)))
            .or_else(|| index(&stage::meant(None)?.id()));
        self.slides.set(slides);
        if let Some(at) = at {
            self.go(at);
        }
    }

    fn refit(self) {
        self.resize.run(move || {
            self.stage.try_with_value(Stage::fit);
            self.look();
        });
    }

    /// Looks for what is folded away.
    fn look(self) {
        let seen = self.stage.try_with_value(Stage::seen).flatten();
        self.more.try_set(seen.and_then(|seen| folds::below(&seen)));
    }

    /// Follows what changes on the stage: a figure that has come, text that was not there.
    fn watch(self) {
        // A key or a click belongs to nothing; what it begins belongs to the projection.
        if let Some(owner) = OPEN.with_borrow(Clone::clone) {
            owner.with(|| self.observe());
        }
    }

    fn observe(self) {
        // What grows without a new element: a font or a style sheet that comes late, an editor's lines.
        let grown = Closure::<dyn FnMut()>::new(move || {
            if !self.stage.try_with_value(Stage::is_whole).unwrap_or(true) {
                self.refit();
            }
        });
        let Ok(sizes) = ResizeObserver::new(grown.as_ref().unchecked_ref()) else { return };
        let follow = {
            let sizes = sizes.clone();
            move || {
                sizes.disconnect();
                for part in self.stage.try_with_value(Stage::drawn).unwrap_or_default() {
                    sizes.observe(&part);
                }
            }
        };
        follow();
        let changed = Closure::<dyn FnMut()>::new(move || {
            follow();
            self.settle();
        });
        let Ok(observer) = MutationObserver::new(changed.as_ref().unchecked_ref()) else { return };
        let options = MutationObserverInit::new();
        options.set_child_list(true);
        options.set_subtree(true);
        let place = self.stage.with_value(Stage::watched);
        // Unwatched, it is enlarged when the window changes.
        let _ = observer.observe_with_options(&place, &options);
        let kept = SendWrapper::new((observer, changed, sizes, grown));
        on_cleanup(move || {
            kept.0.disconnect();
            kept.2.disconnect();
        });
    }

    fn listen(self) {
        let window = window();
        dom::on(&window, "keydown", move |event| self.press(event.unchecked_ref()));
        dom::on(&window, "resize", move |_| self.refit());
        dom::on(&window, "wheel", move |_| set_timeout(move || self.look(), std::time::Duration::from_millis(100)));
        // What was pressed may have answered it.
        dom::on(&window, "click", move |_| self.settle());
        dom::on(&document(), "fullscreenchange", |_| {
            if document().fullscreen_element().is_none() {
                leave();
            }
        });
        let route = address().route();
        Effect::new(move |before: Option<Route>| {
            let now = route.get();
            if before.is_some_and(|before| before != now) {
                // Not from within what it takes down.
                set_timeout(leave, std::time::Duration::ZERO);
            }
            now
        });
        Effect::new(move |_| {
            // Slides that came late.
            if self.slides.with(|s| !s.is_empty()) && self.at.get_untracked().is_none() {
                self.find();
            }
        });
    }

    fn press(self, event: &KeyboardEvent) {
        if !dom::is_plain(event) {
            return;
        }
        let key = event.key();
        match key.as_str() {
            // Presentation remotes have these.
            "PageDown" => self.step(true),
            "PageUp" => self.step(false),
            "ArrowRight" | "ArrowDown" | " " if on_nothing(event) => self.step(true),
            "ArrowLeft" | "ArrowUp" if on_nothing(event) => self.step(false),
            "Escape" if self.blank.get_untracked() => self.blank.set(false),
            "Escape" => leave(),
            _ if typing(event) => return,
            "b" | "B" | "." => flip(self.blank),
            "h" | "H" => flip(self.bare),
            "s" | "S" => flip(self.light),
            "l" | "L" => flip(self.dot),
            "f" | "F" => flip(self.frozen),
            // A button that has the focus is pressed.
            "Enter" if !on_nothing(event) => return,
            key if self.question.press(key) => {}
            _ if counts() => return,
            digit => match digit.parse::<usize>() {
                Ok(n) if (1..=9).contains(&n) => self.go(n - 1),
                _ => return,
            },
        }
        event.prevent_default();
    }
}

/// Whether a mission's vote is on stage, to which numbers belong.
fn counts() -> bool {
    let vote = ".mission-decision:is(.projected, :has(.projected)) [data-counts]";
    matches!(document().query_selector(vote), Ok(Some(_)))
}

pub(super) fn flip(signal: RwSignal<bool>) {
    signal.update(|on| *on = !*on);
}

/// Writes into the address of a chapter, a widget or a mission that it is projected, and which slide of the page it is at.
fn note(room: Option<Room>) {
    let route = address().route().get_untracked();
    if !matches!(route, Route::Chapter(..) | Route::Widget(_) | Route::Mission(_)) {
        return;
    }
    let location = location();
    let mut query = Query::new(router::query().iter().filter(|(name, _)| *name != PRESENT));
    let mut hash = location.hash().unwrap_or_default();
    if let Some(room) = room {
        let id = room.stage.with_value(Stage::id);
        let at = room.at.get_untracked().filter(|_| !id.is_empty());
        query.set(PRESENT, at.map(|at| (at + 1).to_string()).unwrap_or_default());
        if !id.is_empty() {
            hash = format!("#{id}");
        }
    }
    let mark = if query.is_empty() { "" } else { "?" };
    let path = location.pathname().unwrap_or_default();
    // A browser that refuses leaves an older address in the bar.
    router::replace(&link::whole(&format!("{path}{mark}{query}{hash}")));
}

/// Fills the screen, where the browser lets it be after a key or a click; the window otherwise.
pub(in crate::shell) fn fill_screen() {
    let navigator = window().navigator();
    let get = |of: &JsValue, name: &str| js_sys::Reflect::get(of, &name.into()).ok();
    let activation = get(&navigator, "userActivation").filter(|a| !a.is_undefined());
    let is_active = activation.is_none_or(|a| get(&a, "isActive").is_none_or(|on| on.is_truthy()));
    let Some(root) = document().document_element().filter(|_| is_active) else { return };
    let request = get(&root, "requestFullscreen").and_then(|f| f.dyn_into::<js_sys::Function>().ok());
    let Some(Ok(promise)) = request.map(|request| request.call0(&root)) else { return };
    if let Ok(promise) = promise.dyn_into::<js_sys::Promise>() {
        spawn_local(async move {
            // The window is filled all the same.
            let _ = JsFuture::from(promise).await;
        });
    }
}
