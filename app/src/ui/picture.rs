//! A picture on the page: a chart that is read by pointer and keys, the lanes and cells with which the page is served, or several of them.

use leptos::html;
use leptos::prelude::*;
use ringside_drawing::chart::{Chart, Frame};
use ringside_drawing::picture::Picture;

use super::chart::{self, Room, keep_measured};

/// Draws a picture as large as its class makes it.
pub fn view(class: &'static str, picture: Memo<Picture>) -> AnyView {
    let place = NodeRef::<html::Div>::new();
    let room = room(place);
    let markup = move || room.get().map(|frame| picture.with(|picture| picture.in_page(frame))).unwrap_or_default();
    view! { <div class=format!("chart {class}") node_ref=place inner_html=markup></div> }.into_any()
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

/// Any picture; `class` is that of each part.
pub fn live(class: &'static str, picture: Memo<Picture>) -> AnyView {
    let kind = Memo::new(move |_| picture.with(kind));
    let drawn = move || match kind.get() {
        Kind::Chart => chart::view(class, Memo::new(move |_| picture.with(chart_of))),
        Kind::Form => view(class, picture),
        Kind::Several { axis, shares } => {
            let part = |(i, share): (usize, f64)| {
                let part = Memo::new(move |_| picture.with(|picture| part_of(picture, i)));
                view! { <div style:--share=format!("{share:.3}")>{live(class, part)}</div> }
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
