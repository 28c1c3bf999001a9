//! Items to put in order: by buttons, by the arrow keys on them, or dragged.

use leptos::prelude::*;
use ringside_content::language;
use ringside_core::answer::write;
use ringside_core::exercise::input::indices;
use ringside_core::exercise::{Kind, Order, Ordered, Placed, option_order, right_order};
use web_sys::KeyboardEvent;

use super::session::Session;
use super::{frame, plain};
use crate::ui::{dom, focus_soon, unique_id};

/// The list while it is put in order.
#[derive(Clone, Copy)]
struct Sorting {
    session: Session,
    id: StoredValue<String>,
    /// What was moved where, for who does not see it.
    moved: RwSignal<String>,
    dragged: RwSignal<Option<usize>>,
    over: RwSignal<Option<usize>>,
}

impl Sorting {
    fn place(self, from: usize, to: usize) {
        let mut order = untrack(|| shown(self.session));
        if from >= order.len() || to >= order.len() {
            return;
        }
        let item = order.remove(from);
        order.insert(to, item);
        self.session.input.set(text_of(&order));
        self.session.keep_input();
        self.moved.set(format!("{}: place {} of {}.", plain(&text(self.session, item)), to + 1, order.len()));
    }

    /// The item that stands at a place of `count`.
    fn row(self, (at, item): (usize, usize), count: usize) -> AnyView {
        let text = text(self.session, item);
        let name = plain(&text);
        // The focus goes with the item. At an end of the list the button that led there is off; the other is not.
        let step = move |up: bool| {
            let to = if up { at.checked_sub(1) } else { (at + 1 < count).then_some(at + 1) };
            if let Some(to) = to {
                self.place(at, to);
                let up = if up { to > 0 } else { to + 1 == count };
                focus_soon(button(self.id, to, up));
            }
        };
        let key = move |event: KeyboardEvent| {
            let up = match event.key().as_str() {
                "ArrowUp" => true,
                "ArrowDown" => false,
                _ => return,
            };
            event.prevent_default();
            step(up);
        };
        let early = move || too_early(self.session) == Some(item);
        view! {
            <li
                draggable="true"
                class:early=early
                class:over=move || self.over.get() == Some(at)
                class:dragged=move || self.dragged.get() == Some(at)
                on:keydown=key
                on:dragstart=move |event| {
                    dom::drag(&event);
                    self.dragged.set(Some(at));
                }
                on:dragend=move |_| {
                    self.dragged.set(None);
                    self.over.set(None);
                }
                on:dragover=move |event| {
                    if self.dragged.get_untracked().is_some() {
                        event.prevent_default();
                        self.over.set(Some(at));
                    }
                }
                on:drop=move |event| {
                    event.prevent_default();
                    self.over.set(None);
                    if let Some(from) = self.dragged.get_untracked() {
                        self.place(from, at);
                    }
                }
            >
                <span class="order-text" inner_html=text></span>
                <button
                    type="button"
                    class="quiet"
                    id=button(self.id, at, true)
                    disabled=at == 0
                    aria-label=format!("Move {name} up")
                    on:click=move |_| step(true)
                >
                    "↑"
                </button>
                <button
                    type="button"
                    class="quiet"
                    id=button(self.id, at, false)
                    disabled=at + 1 == count
                    aria-label=format!("Move {name} down")
                    on:click=move |_| step(false)
                >
                    "↓"
                </button>
            </li>
        }
        .into_any()
    }

    fn rows(self) -> impl IntoView {
        let order = shown(self.session);
        let count = order.len();
        order.into_iter().enumerate().map(|numbered| self.row(numbered, count)).collect_view()
    }
}

/// The list, the button and the verdict.
pub(super) fn form(session: Session) -> AnyView {
    let sorting = Sorting {
        session,
        id: StoredValue::new(unique_id("order")),
        moved: RwSignal::new(String::new()),
        dragged: RwSignal::new(None),
        over: RwSignal::new(None),
    };
    let moved = sorting.moved;
    let [first, last] = look(session, |o| o.ends.clone()).unwrap_or_default();
    let submit = move |_| {
        moved.set(String::new());
        session.input.set(text_of(&untrack(|| shown(session))));
        session.when_asked(
            move || self::right(session),
            move |right| {
                let came = session.input.with_untracked(|input| right.check(&read(session, input)));
                session.submit(came == Placed::Right, true);
            },
        );
    };
    view! {
        <p class="order-end">{first}</p>
        <ol class="order">{move || sorting.rows()}</ol>
        <p class="order-end">{last}</p>
        <p class="visually-hidden" role="status">{moved}</p>
        <button type="button" lang=session.lang.marked() class:secondary=session.exam on:click=submit>
            {if session.exam { "Use this order" } else { language::CHECK.to(session.lang) }}
        </button>
        <div role="status">{move || verdict(session)}</div>
    }
    .into_any()
}

/// The id of the button at a place that moves its item up, or down.
fn button(id: StoredValue<String>, at: usize, up: bool) -> String {
    id.with_value(|id| format!("{id}-{at}-{}", if up { "up" } else { "down" }))
}

/// What an item says: HTML.
fn text(session: Session, item: usize) -> String {
    session.fill(&look(session, |o| o.items.get(item).map(|i| i.text.clone())).flatten().unwrap_or_default())
}

fn verdict(session: Session) -> Option<AnyView> {
    let given = read(session, &session.submitted()?);
    let right = right(session)?.ok()?;
    let said = |item: usize| look(session, |o| o.items.get(item).map(|i| i.say.clone())).flatten().unwrap_or_default();
    let unit = look(session, |o| o.unit).flatten();
    let remark = match right.check(&given) {
        Placed::Right => session.fill(&look(session, |o| o.say.clone()).unwrap_or_default()),
        Placed::Swapped { early, late } => {
            let [early_text, late_text] = [early, late].map(|item| text(session, item));
            let why = session.fill(&said(early));
            format!("<p>Not yet. “{early_text}” is too early: it belongs after “{late_text}”.</p>{why}")
        }
        Placed::Incomplete => "<p>Some item is missing.</p>".to_owned(),
    };
    let is_right = right.check(&given) == Placed::Right;
    let values = unit.filter(|_| is_right).map(|unit| {
        let values = given.iter().filter_map(|i| right.values.get(*i));
        let values = values.map(|v| write(*v, unit, 3)).collect::<Vec<_>>().join(" < ");
        view! { <p class="order-values">{values}</p> }
    });
    Some(
        view! {
            {frame::verdict(is_right, true, remark)}
            {values}
        }
        .into_any(),
    )
}

/// The item that stands too early in what was submitted, as long as that is what is on show.
fn too_early(session: Session) -> Option<usize> {
    let given = read(session, &session.submitted()?);
    match right(session)?.ok()?.check(&given) {
        Placed::Swapped { early, .. } => Some(early),
        Placed::Right | Placed::Incomplete => None,
    }
}

/// The order on show: the learner's, or one to begin with, which is not the right one as soon as the model that knows which
/// one that is has come.
fn shown(session: Session) -> Vec<usize> {
    let given = session.input.with(|input| read(session, input));
    if !given.is_empty() {
        return given;
    }
    let seed = session.attempt.with(|a| a.seed);
    let order = session.exercise.with_value(|e| option_order(e, seed));
    match right(session) {
        Some(Ok(right)) => right.begin(order),
        _ => order,
    }
}

fn read(session: Session, input: &str) -> Vec<usize> {
    let count = look(session, |o| o.items.len()).unwrap_or_default();
    indices(input, count).unwrap_or_default()
}

fn text_of(order: &[usize]) -> String {
    order.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

fn right(session: Session) -> Option<Result<Ordered, String>> {
    session.ask(|exercise, query, evaluate| match &exercise.kind {
        Kind::Order(order) => right_order(exercise, order, query, evaluate),
        _ => Err(String::new()),
    })
}

fn look<T>(session: Session, look: impl FnOnce(&Order) -> T) -> Option<T> {
    session.exercise.with_value(|e| match &e.kind {
        Kind::Order(order) => Some(look(order)),
        _ => None,
    })
}
