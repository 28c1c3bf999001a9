//! The five layers of understanding: the question that each answers, and the chapters that answer it.

use leptos::prelude::*;
use ringside_content::schema::{Chapter, Course};

use super::progress::Sum;
use super::to_chapter;
use crate::data::library;
use crate::store::store;

pub(super) fn view(course: &Course) -> AnyView {
    let bands = course
        .layers
        .iter()
        .map(|layer| {
            let on = |chapter: &&Chapter| chapter.layers.contains(&layer.id);
            band(Some(layer.id), layer.title.clone(), layer.question.clone(), course.chapters().filter(on).collect())
        })
        .collect_view();
    let around: Vec<&Chapter> = course.chapters().filter(|c| c.layers.is_empty()).collect();
    let around = (!around.is_empty()).then(|| {
        let question = "What goes on around all five: the budget before, the weeks during, and the model’s work after?";
        band(None, "Around the layers".to_owned(), question.to_owned(), around)
    });
    view! {
        <section id="layers" aria-labelledby="layers-title">
            <h2 id="layers-title">"Five layers of understanding"</h2>
            <ol class="layers">{bands} {around}</ol>
        </section>
    }
    .into_any()
}

fn band(id: Option<u8>, title: String, question: String, chapters: Vec<&Chapter>) -> AnyView {
    let chapters = chapters.into_iter().map(|c| view! { <li>{to_chapter(c)}</li> }).collect_view();
    let foot = id.map(|id| move || of_layer(id));
    view! {
        <li class="layer">
            <i class="numeral" aria-hidden="true">{id}</i>
            <div class="asks">
                <h3>{title}</h3>
                <p>{question}</p>
                {foot}
            </div>
            <ul class="on-layer sans">{chapters}</ul>
        </li>
    }
    .into_any()
}

/// How many sources there are for a layer, and how many of them are read.
fn of_layer(id: u8) -> Option<impl IntoView> {
    let readings = library().readings.ready()?;
    let of_layer = || readings.sources.iter().filter(|s| s.layers.contains(&id));
    let all = Sum::of(of_layer());
    let read = store().with(|doc| of_layer().filter(|s| doc.is_read(&s.id)).count());
    let read = (read > 0).then(|| format!(", {read} read"));
    Some(view! {
        <p class="foot sans">
            <a href=format!("./?layer={id}#sources")>{format!("{} sources", all.count)}</a>
            {format!(", {}", all.time())} {read}
        </p>
    })
}
