//! What a figure has around it while it is projected: the keys, a bar of buttons, the question that it waits for, the spotlight, the blank
//! screen.

use std::cell::RefCell;

use gloo_timers::future::TimeoutFuture;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::query::Query;
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{HtmlElement, KeyboardEvent, MutationObserver, MutationObserverInit};

use super::question::Question;
use super::stage::{self, Stage};
use super::{PRESENT, PROJECTING, asked, fit, folds, held};
use crate::data::library;
use crate::page;
use crate::router::{self, Route, address};
use crate::shell::deck::{self, Shows, Slide};
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
            if let Some(place) = figures::meant(from.as_deref(), named.trim_start_matches('#')) {
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
        notices::say(Level::Info, "There is no figure on this page to project.".to_owned());
        drop(on_its_way);
    });
}

/// Ends the projection.
fn leave() {
    let Some(owner) = OPEN.take() else { return };
    owner.cleanup();
    let figure = document().query_selector(".projected [data-widget], .projected[data-widget]").ok().flatten();
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
struct Room {
    stage: StoredValue<Stage, LocalStorage>,
    slides: RwSignal<Vec<Slide>>,
    /// The slide that is shown, or was before a control was moved.
    at: RwSignal<Option<usize>>,
    /// A state for a figure that is not there yet.
    wanted: StoredValue<Option<Query>>,
    bare: RwSignal<bool>,
    blank: RwSignal<bool>,
    light: RwSignal<bool>,
    dot: RwSignal<bool>,
    frozen: RwSignal<bool>,
    question: Question,
    /// Where the figure goes on below what is seen.
    more: RwSignal<Option<(f64, f64)>>,
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
        Islands::new().put(host.clone().unchecked_into(), Box::new(move || view(room)));
        let host = SendWrapper::new(host);
        on_cleanup(move || host.remove());
    }
    room.find();
    // A chapter that was asked for by the number of a state.
    let number = asked().and_then(|text| text.parse::<usize>().ok()).and_then(|n| n.checked_sub(1));
    match number.filter(|_| room.in_chapter()) {
        Some(index) => room.go(index),
        None => note(Some(room)),
    }
    room.watch();
    room.listen();
    fill_screen();
    let figure = room.stage.with_value(Stage::figure);
    if let Some(figure) = figure {
        // Keys go to the page and not to what was pressed.
        let _ = figure.set_attribute("tabindex", "-1");
        let _ = figure.focus();
    }
}

impl Room {
    /// Whether the page is the chapter that the slides are of.
    fn in_chapter(self) -> bool {
        self.stage.with_value(|stage| stage.place().has_attribute("data-slot-widget"))
    }

    /// Finds the slide that is on show, if it is one.
    fn find(self) {
        let (id, state) = self.stage.with_value(|stage| {
            let state = stage.figure().map(|figure| dom::attribute(&figure, "data-query"));
            (stage.id(), state.map(|text| Query::parse(&text)))
        });
        let in_chapter = self.in_chapter();
        let here = |slide: &Slide| !in_chapter || slide.place == id;
        let found = self.slides.with_untracked(|slides| {
            let is_same = |s: &Slide| matches!(&s.shows, Shows::Figure { query, .. } if state.as_ref() == Some(query));
            let same = slides.iter().position(|s| here(s) && is_same(s));
            // In a chapter the figure's own beginning is where its slides begin.
            same.or_else(|| slides.iter().position(|s| in_chapter && here(s)))
        });
        self.at.set(found);
    }

    /// Shows a slide, if there is one of this number from 0.
    fn go(self, index: usize) {
        let Some(slide) = self.slides.with_untracked(|slides| slides.get(index).cloned()) else { return };
        if self.in_chapter()
            && self.stage.with_value(Stage::id) != slide.place
            && let Some(place) = document().get_element_by_id(&slide.place)
        {
            self.stage.set_value(Stage::aim(place.unchecked_into()));
            self.watch();
        }
        self.at.set(Some(index));
        if let Some(figure) = self.stage.with_value(Stage::figure) {
            folds::unroll(&figure);
        }
        if let Shows::Figure { query, .. } = slide.shows {
            self.wanted.set_value(Some(query));
        }
        self.settle();
        note(Some(self));
    }

    fn step(self, forward: bool) {
        if forward && self.question.uncover() {
            return;
        }
        if self.stage.with_value(Stage::figure).is_some_and(|figure| folds::visit(&figure, forward)) {
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

    fn refit(self) {
        self.resize.run(move || {
            self.stage.try_with_value(Stage::fit);
            self.look();
        });
    }

    /// Looks for what is folded away.
    fn look(self) {
        let figure = self.stage.try_with_value(Stage::figure).flatten();
        self.more.try_set(figure.and_then(|figure| folds::below(&figure)));
    }

    /// Follows what changes on the stage: a figure that has come, text that was not there.
    fn watch(self) {
        // A key or a click belongs to nothing; what it begins belongs to the projection.
        if let Some(owner) = OPEN.with_borrow(Clone::clone) {
            owner.with(|| self.observe());
        }
    }

    fn observe(self) {
        let changed = Closure::<dyn FnMut()>::new(move || self.settle());
        let Ok(observer) = MutationObserver::new(changed.as_ref().unchecked_ref()) else { return };
        let options = MutationObserverInit::new();
        options.set_child_list(true);
        options.set_subtree(true);
        let place = self.stage.with_value(|stage| stage.place().clone());
        // Unwatched, it is enlarged when the window changes.
        let _ = observer.observe_with_options(&place, &options);
        let kept = SendWrapper::new((observer, changed));
        on_cleanup(move || kept.0.disconnect());
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
        if event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key() {
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
            key if self.question.press(key) => {}
            digit => match digit.parse::<usize>() {
                Ok(n) if (1..=9).contains(&n) => self.go(n - 1),
                _ => return,
            },
        }
        event.prevent_default();
    }
}

fn flip(signal: RwSignal<bool>) {
    signal.update(|on| *on = !*on);
}

/// Writes into the address of a chapter or a widget that it is projected, and which slide of a chapter it is at.
fn note(room: Option<Room>) {
    if !matches!(address().route().get_untracked(), Route::Chapter(_) | Route::Widget(_)) {
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

fn view(room: Room) -> AnyView {
    let count = move || room.slides.with(Vec::len);
    let label = move || {
        let Some(at) = room.at.get() else { return String::new() };
        room.slides.with(|all| {
            all.get(at).map(|slide| format!("{} · {}", deck::place(all, at), slide.label)).unwrap_or_default()
        })
    };
    // The page's own heading is behind the figure.
    let title = document().title();
    let numbers = move || {
        let labels = room.slides.with(|s| s.iter().take(9).map(|s| s.label.clone()).collect::<Vec<_>>());
        let number = |(i, label): (usize, String)| {
            view! {
                <button
                    type="button"
                    class="quiet"
                    title=label.clone()
                    aria-label=format!("{}: {label}", i + 1)
                    aria-pressed=move || (room.at.get() == Some(i)).to_string()
                    on:click=move |_| room.go(i)
                >
                    {i + 1}
                </button>
            }
        };
        labels.into_iter().enumerate().map(number).collect_view()
    };
    let switch = |text: &'static str, key: &'static str, signal: RwSignal<bool>| {
        view! {
            <button
                type="button"
                class="quiet"
                aria-pressed=move || signal.get().to_string()
                on:click=move |_| flip(signal)
            >
                {text}
                " "
                <kbd>{key}</kbd>
            </button>
        }
    };
    let light = RwSignal::new((50.0, 50.0));
    let (x, y) = (move || format!("{}px", light.get().0), move || format!("{}px", light.get().1));
    let moved = window_event_listener(ev::pointermove, move |event| {
        if room.light.get_untracked() || room.dot.get_untracked() {
            light.set((f64::from(event.client_x()), f64::from(event.client_y())));
        }
    });
    on_cleanup(move || moved.remove());
    view! {
        <section aria-label="In the room">
        <h1 class="visually-hidden">{title}</h1>
        <div class="room-bar" role="toolbar" aria-label="Projector">
            <div class="room-slides" hidden=move || count() == 0>
                <button type="button" class="quiet" aria-label="The state before" title="Page Up, or an arrow key" on:click=move |_| room.step(false)>
                    "‹"
                </button>
                {numbers}
                <button type="button" class="quiet" aria-label="The next state" title="Page Down, an arrow key or Space" on:click=move |_| room.step(true)>
                    "›"
                </button>
            </div>
            <p aria-live="polite">{label}</p>
            {switch("Hide controls", "H", room.bare)}
            {switch("Spotlight", "S", room.light)}
            {switch("Pointer", "L", room.dot)}
            {switch("Freeze", "F", room.frozen)}
            {switch("Blank", "B", room.blank)}
            <button type="button" class="quiet" on:click=|_| leave()>"Leave " <kbd>"Esc"</kbd></button>
        </div>
        {room.question.view()}
        {move || {
            let (x, y) = room.more.get()?;
            let (x, y) = (format!("{x:.0}px"), format!("{y:.0}px"));
            Some(
                view! {
                    <button
                        type="button"
                        class="room-more"
                        style=("left", x)
                        style=("top", y)
                        on:click=move |_| room.step(true)
                    >
                        "More below " <kbd>"→"</kbd>
                    </button>
                },
            )
        }}
        <Show when=move || room.frozen.get()>{held::view(room.stage)}</Show>
        <Show when=move || room.light.get()>
            <div
                class="room-light"
                style=("--x", x)
                style=("--y", y)
            ></div>
        </Show>
        <Show when=move || room.dot.get()>
            <div class="room-pointer" style=("left", x) style=("top", y)></div>
        </Show>
        <Show when=move || room.blank.get()>
            <button
                type="button"
                class="room-blank"
                aria-label="The screen is blank. Press B to show the figure again."
                on:click=move |_| room.blank.set(false)
            ></button>
        </Show>
        </section>
    }
    .into_any()
}
