//! Items to put in order: by buttons, by the keyboard on them, or dragged.

use leptos::prelude::*;
use ringside_core::answer::write;
use ringside_core::exercise::input::indices;
use ringside_core::exercise::{Kind, Order, Ordered, Placed, option_order, right_order};
use wasm_bindgen::JsCast as _;

use super::frame;
use super::session::Session;
use crate::ui::unique_id;

/// The list, the button and the verdict.
pub(super) fn form(session: Session) -> AnyView {
    let id = StoredValue::new(unique_id("order"));
    let moved = RwSignal::new(String::new());
    let dragged = StoredValue::new(None::<usize>);
    let place = move |from: usize, to: usize| {
        let mut order = shown(session);
        if from >= order.len() || to >= order.len() {
            return;
        }
        let item = order.remove(from);
        order.insert(to, item);
        session.input.set(text_of(&order));
        session.keep_input();
        moved.set(format!("Moved to place {} of {}.", to + 1, order.len()));
    };
    let row = move |(at, item): (usize, usize), count: usize| {
        let text =
            session.fill(&look(session, |o| o.items.get(item).map(|i| i.text.clone())).flatten().unwrap_or_default());
        // The focus goes with the item, since its row is made anew.
        let step = move |to: Option<usize>, which: &'static str| {
            if let Some(to) = to {
                place(at, to);
                request_animation_frame(move || focus(&format!("{}-{to}-{which}", id.get_value())));
            }
        };
        let spoken = at + 1;
        view! {
            <li
                draggable="true"
                on:dragstart=move |_| dragged.set_value(Some(at))
                on:dragover=move |event| event.prevent_default()
                on:drop=move |event| {
                    event.prevent_default();
                    if let Some(from) = dragged.get_value() {
                        place(from, at);
                    }
                }
            >
                <span class="order-text" inner_html=text></span>
                <button
                    type="button"
                    class="quiet"
                    id=format!("{}-{at}-up", id.get_value())
                    disabled=at == 0
                    aria-label=format!("Move number {spoken} up")
                    on:click=move |_| step(at.checked_sub(1), "up")
                >
                    "↑"
                </button>
                <button
                    type="button"
                    class="quiet"
                    id=format!("{}-{at}-down", id.get_value())
                    disabled=at + 1 == count
                    aria-label=format!("Move number {spoken} down")
                    on:click=move |_| step(Some(at + 1), "down")
                >
                    "↓"
                </button>
            </li>
        }
        .into_any()
    };
    let rows = move || {
        let order = shown(session);
        let count = order.len();
        order.into_iter().enumerate().map(|numbered| row(numbered, count)).collect_view()
    };
    let [first, last] = look(session, |o| o.ends.clone()).unwrap_or_default();
    let submit = move |_| {
        session.input.set(text_of(&shown(session)));
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
        <ol class="order">{rows}</ol>
        <p class="order-end">{last}</p>
        <p class="visually-hidden" role="status">{moved}</p>
        <button type="button" on:click=submit>"Check"</button>
        <div role="status">{move || verdict(session)}</div>
    }
    .into_any()
}

fn verdict(session: Session) -> Option<AnyView> {
    let given = read(session, &session.submitted()?);
    let right = right(session)?.ok()?;
    let said = |item: usize| look(session, |o| o.items.get(item).map(|i| i.say.clone())).flatten().unwrap_or_default();
    let unit = look(session, |o| o.unit).flatten();
    let text = match right.check(&given) {
        Placed::Right => session.fill(&look(session, |o| o.say.clone()).unwrap_or_default()),
        Placed::Swapped { early, .. } => {
            format!("<p>Not yet. This one stands too early:</p>{}", session.fill(&said(early)))
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
            {frame::verdict(is_right, true, text)}
            {values}
        }
        .into_any(),
    )
}

/// The order on show: the learner's, or the one to begin with.
fn shown(session: Session) -> Vec<usize> {
    let given = session.input.with(|input| read(session, input));
    if !given.is_empty() {
        return given;
    }
    let seed = session.attempt.with(|a| a.seed);
    let begin = session.exercise.with_value(|e| option_order(e, seed));
    let written = look(session, |o| o.by.is_none()).unwrap_or_default();
    // Whether an order that is computed happens to be right, only its model could say.
    if written { Ordered { ranks: (0..begin.len()).collect(), values: Vec::new() }.begin(begin) } else { begin }
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

fn focus(id: &str) {
    let button = document().get_element_by_id(id).filter(|b| !b.has_attribute("disabled"));
    if let Some(button) = button.and_then(|b| b.dyn_into::<web_sys::HtmlElement>().ok()) {
        // Without the focus the button can still be reached.
        let _ = button.focus();
    }
}
