//! A picture on the page: a chart that is read by pointer and keys, the lanes and cells with which the page is served, or several of them.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html;
use leptos::prelude::*;
use ringside_core::query::Query;
use ringside_drawing::chart::{Chart, Frame};
use ringside_drawing::picture::Picture;

use wasm_bindgen::JsCast as _;
use web_sys::Element;

use super::chart::{self, Room, keep_measured};
use super::dom;
use super::markup::renewed;

/// Draws a form as large as its class makes it; `press` is told what a press on a part of it sets.
fn form(class: &'static str, picture: Memo<Picture>, press: Callback<Query>) -> AnyView {
    let place = NodeRef::<html::Div>::new();
    let room = room(place);
    let drawn = Memo::new(move |_| {
        room.get().map(|frame| picture.with(|picture| picture.with_presses(frame))).unwrap_or_default()
    });
    let can_press = Memo::new(move |_| drawn.with(|(_, presses)| !presses.is_empty()));
    // Its markup is renewed in place, so that what was pressed keeps the focus.
    let presses = move || {
        can_press.get().then(|| {
            let markup = move || drawn.with(|(_, presses)| presses.clone());
            view! {
                <div
                    class="presses"
                    role="toolbar"
                    aria-label="Parts to press"
                    use:renewed=markup
                    on:click=move |event: MouseEvent| {
                        if let Some(part) = dom::closest_element(&event, PART) {
                            press.run(sets(&part));
                        }
                    }
                    on:keydown=move |event: KeyboardEvent| {
                        let part = dom::is_plain(&event).then(|| dom::closest_element(&event, PART));
                        let Some(part) = part.flatten() else { return };
                        match event.key().as_str() {
                            "Enter" | " " => press.run(sets(&part)),
                            key => match beside(&part, key) {
                                Some(next) => _ = next.unchecked_into::<web_sys::SvgElement>().focus(),
                                None => return,
                            },
                        }
                        event.prevent_default();
                    }
                ></div>
            }
        })
    };
    view! {
        <div class=format!("chart {class}") style:--rows=move || picture.with(Picture::rows).to_string() node_ref=place>
            <div class="form" inner_html=move || drawn.with(|(picture, _)| picture.clone())></div>
            {presses}
        </div>
    }
    .into_any()
}

/// A part that can be pressed.
const PART: &str = "[data-sets]";

/// What pressing a part sets.
fn sets(part: &Element) -> Query {
    Query::parse(&dom::attribute(part, "data-sets"))
}

/// The part next to this one in the direction of an arrow key.
fn beside(part: &Element, key: &str) -> Option<Element> {
    let [across, down] = match key {
        "ArrowRight" => [1.0, 0.0],
        "ArrowLeft" => [-1.0, 0.0],
        "ArrowDown" => [0.0, 1.0],
        "ArrowUp" => [0.0, -1.0],
        _ => return None,
    };
    let place = |part: &Element| ["x", "y"].map(|name| dom::attribute(part, name).parse().unwrap_or(0.0_f64));
    let [x, y] = place(part);
    let siblings = part.parent_element()?.children();
    let others = (0..siblings.length()).filter_map(|i| siblings.item(i));
    let far = |other: &Element| {
        let [right, below] = place(other);
        let (right, below) = (right - x, below - y);
        let ahead = right * across + below * down;
        // What lies to the side is farther than what lies ahead.
        (ahead > 1.0).then(|| ahead + 8.0 * (right * down + below * across).abs())
    };
    let ahead = others.filter_map(|other| far(&other).map(|far| (far, other)));
    ahead.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, other)| other)
}

/// What a picture is made of. While that stays, its parts change in place.
#[derive(Clone, PartialEq)]
enum Kind {
    Chart,
    Form,
    /// Several, each with its share of the width or of the height.
    Several {
        axis: &'static str,
        shares: Vec<f64>,
    },
}

fn kind(picture: &Picture) -> Kind {
    let several = |axis, all: &[(f64, Picture)]| {
        let whole: f64 = all.iter().map(|(share, _)| share).sum();
        Kind::Several { axis, shares: all.iter().map(|(share, _)| share / whole).collect() }
    };
    match picture {
        Picture::Chart(_) => Kind::Chart,
        Picture::Lanes(_) | Picture::Cells(_) => Kind::Form,
        Picture::Beside(all) => several("wide", all),
        Picture::Over(all) => several("high", all),
    }
}

fn chart_of(picture: &Picture) -> Chart {
    match picture {
        Picture::Chart(chart) => chart.as_ref().clone(),
        _ => Chart::default(),
    }
}

fn part_of(picture: &Picture, i: usize) -> Picture {
    match picture {
        Picture::Beside(all) | Picture::Over(all) => all.get(i).map(|(_, part)| part.clone()).unwrap_or_default(),
        _ => Picture::default(),
    }
}

/// Any picture; `class` is that of each part, and `press` is told what a press sets.
pub fn live(class: &'static str, picture: Memo<Picture>, press: Callback<Query>) -> AnyView {
    let kind = Memo::new(move |_| picture.with(kind));
    let drawn = move || match kind.get() {
        Kind::Chart => chart::view(class, Memo::new(move |_| picture.with(chart_of))),
        Kind::Form => form(class, picture, press),
        Kind::Several { axis, shares } => {
            let part = |(i, share): (usize, f64)| {
                let part = Memo::new(move |_| picture.with(|picture| part_of(picture, i)));
                view! { <div style:--share=format!("{share:.3}")>{live(class, part, press)}</div> }
            };
            let parts = shares.into_iter().enumerate().map(part).collect_view();
            view! { <div class=format!("pictures {axis}")>{parts}</div> }.into_any()
        }
    };
    drawn.into_any()
}

/// The room of a place, measured whenever it changes; none before it is there.
pub fn room(place: NodeRef<html::Div>) -> Signal<Option<Frame>> {
    let room = RwSignal::new(None::<Room>);
    Effect::new(move |_| {
        let Some(place) = place.get() else { return };
        keep_measured(place.into(), room);
    });
    Signal::derive(move || room.with(|room| room.as_ref().map(|room| room.frame)))
}
