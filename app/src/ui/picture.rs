//! A picture on the page that isn't a chart: the lanes and cells with which the page is served, as large as their place.

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

/// The same of what may be a chart in some states: that is read by pointer and keys.
pub fn live(class: &'static str, picture: Memo<Picture>) -> AnyView {
    let is_chart = Memo::new(move |_| picture.with(|picture| matches!(picture, Picture::Chart(_))));
    let chart = move |_: Option<&Chart>| {
        picture.with(|picture| match picture {
            Picture::Chart(chart) => chart.as_ref().clone(),
            _ => Chart::default(),
        })
    };
    let drawn = move || if is_chart.get() { chart::view(class, Memo::new(chart)) } else { view(class, picture) };
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
