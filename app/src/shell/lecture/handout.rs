//! The handout: each state with its figure, its caption, and a code that opens it again.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::practice::date;
use ringside_learner::talk::{Shows, Slide};
use wasm_bindgen::JsCast as _;

use super::qr;
use crate::clock;
use crate::deferred::deferred;
use crate::page;
use crate::shell::answer;
use crate::shell::deck::{self, list as lists};
use crate::ui::islands::Islands;
use crate::ui::later::Later;
use crate::ui::{link, near};
use crate::widgets::{self, Module, Props};

/// All states of a list under a title and the day, and what is wrong with it.
pub(super) fn view(list: RwSignal<String>, title: RwSignal<String>) -> impl IntoView {
    let found = RwSignal::new((Vec::<Slide>::new(), Vec::<String>::new()));
    let rest = Later::after(400);
    let read = move || {
        let on_its_way = page::pending();
        spawn_local(async move {
            let text = list.get_untracked();
            let new = lists::read_list(&text).await;
            // Something else may have been typed meanwhile.
            if list.try_with_untracked(|now| *now == text).unwrap_or_default() {
                found.try_set(new);
            }
            drop(on_its_way);
        });
    };
    Effect::new(move |before: Option<()>| {
        list.track();
        if before.is_some() { rest.run(read) } else { read() }
    });
    let problems = move || {
        let problems = found.with(|(_, problems)| problems.clone());
        problems.into_iter().map(|why| view! { <li>{why}</li> }).collect_view()
    };
    // The first text of a lecture says what it is.
    let called = move || {
        let first = || {
            found.with(|(slides, _)| {
                slides.first().filter(|s| matches!(s.shows, Shows::Text(_))).map(|s| s.label.clone())
            })
        };
        Some(title.get())
            .filter(|title| !title.trim().is_empty())
            .or_else(first)
            .unwrap_or_else(|| "Lecture".to_owned())
    };
    view! {
        <div role="alert">
            <ul class="message" hidden=move || found.with(|(_, problems)| problems.is_empty())>{problems}</ul>
        </div>
        <header class="handout-head">
            <p class="handout-title">{called}</p>
            <p class="handout-date sans">{date::iso(clock::today())}</p>
        </header>
        <ol class="handout">
            {move || found.with(|(slides, _)| slides.iter().map(state).collect_view())}
        </ol>
    }
}

fn state(slide: &Slide) -> AnyView {
    let address = Some(deck::address(slide)).filter(|address| !address.is_empty()).map(|address| link::whole(&address));
    let from = address.map(|address| {
        view! { <p class="handout-from sans">{qr::view(&address)} <a href=address.clone()>{address.clone()}</a></p> }
    });
    let is_text = matches!(slide.shows, Shows::Text(_));
    // A text with a title of its own, and a picture with its caption, are not called by it twice.
    let says_itself = matches!(&slide.shows, Shows::Text(html) if html.contains("<h") || html.contains("<figcaption"));
    let shown = match &slide.shows {
        Shows::Exercise { chapter, id, prompt } => {
            let question = RwSignal::new(prompt.clone());
            let (key, prompt) = (format!("{chapter}/{id}"), prompt.clone());
            let on_its_way = page::pending();
            spawn_local(async move {
                // Without its model it is there without what there is to choose from.
                if let Ok(whole) = answer::question(&key, &prompt).await {
                    question.try_set(whole);
                }
                drop(on_its_way);
            });
            view! { <div class="prompt" inner_html=question></div> <div class="room-to-answer"></div> }.into_any()
        }
        // Its code opens it.
        Shows::Page(_) => ().into_any(),
        Shows::Text(html) => view! { <div class="handout-text" inner_html=html.clone()></div> }.into_any(),
        Shows::Figure { widget, query } => {
            let node = NodeRef::<html::Div>::new();
            let islands = Islands::new();
            let (widget, query) = (widgets::find(widget), RwSignal::new(query.clone()));
            Effect::new(move |_| {
                let (Some(place), Some(widget)) = (node.get(), widget) else { return };
                let show = move |module: Module| (module.view)(Props { query, alone: false, compact: true });
                let here = place.clone();
                near::when_near(&here, move || {
                    islands
                        .put(place.unchecked_into(), Box::new(move || deferred(|| widget.to_show(), show).into_any()));
                });
            });
            view! { <div class="handout-figure" node_ref=node></div> }.into_any()
        }
    };
    view! {
        <li class:of-text=is_text>
            <h2>{if says_itself { slide.number.clone() } else { slide.title() }}</h2>
            {shown}
            {from}
        </li>
    }
    .into_any()
}
