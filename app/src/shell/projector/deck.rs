//! The states that a chapter sets, in the order of its text: each figure as it begins, and each "see it" link.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::schema::{Chapter, Course, Status};
use ringside_core::query::Query;
use web_sys::Element;

use crate::data::{self, library};
use crate::ui::dom;

/// A state of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slide {
    /// The id of the figure's place in the chapter that is open; none where the figure stands alone.
    pub(super) place: Option<String>,
    /// All of its state.
    pub(super) query: Query,
    /// What the chapter says of it.
    pub(super) label: String,
}

/// Of the chapter that is open, if one is.
pub(super) fn of_page() -> Vec<Slide> {
    let document = document();
    document.body().map(|body| slides(&body, None)).unwrap_or_default()
}

/// Of the widget with this id, from the chapter that it belongs to, put into `slides` once they are there.
pub(super) fn of_widget(id: String, slides: RwSignal<Vec<Slide>>) {
    let chapter = move |course: Arc<Course>| {
        let of = |c: &&Chapter| c.status == Status::Written && c.widgets.contains(&id);
        course.chapters().find(of).map(|c| (id.clone(), c.slug.clone()))
    };
    Effect::new(move |_| {
        let Some((id, slug)) = library().course.ready().and_then(&chapter) else { return };
        spawn_local(async move {
            // Without the chapter there is nothing to step through; the figure is there all the same.
            let Ok(html) = data::fetch_text(&format!("chapters/{slug}.html")).await else { return };
            let Ok(root) = document().create_element("div") else { return };
            root.set_inner_html(&html);
            let found = self::slides(&root, Some(&id)).into_iter().map(|slide| Slide { place: None, ..slide });
            slides.try_set(found.collect());
        });
    });
}

/// Those under `root`, of all widgets or of one.
fn slides(root: &Element, only: Option<&str>) -> Vec<Slide> {
    let query = |element: &Element| Query::parse(&dom::attribute(element, "data-query"));
    let is_meant = |widget: &str| only.is_none_or(|only| only == widget);
    let bases: BTreeMap<String, Query> = dom::all(root, "[data-slot-widget]")
        .into_iter()
        .filter(|slot| is_meant(&dom::attribute(slot, "data-slot-widget")))
        .map(|slot| (slot.id(), query(&slot)))
        .collect();
    let mut slides = Vec::new();
    for element in dom::all(root, "[data-slot-widget], a.see[data-see]") {
        let is_link = element.has_attribute("data-see");
        // What an exercise points to is part of its answer.
        let in_exercise = element.closest("[data-slot-exercise]").ok().flatten().is_some();
        let id = if is_link { dom::attribute(&element, "data-see") } else { element.id() };
        let Some(base) = bases.get(&id).filter(|_| !in_exercise) else { continue };
        let (query, label) = if is_link {
            let text = element.text_content().unwrap_or_default();
            (base.with(&query(&element)), text.trim_end_matches(['→', ' ', '\u{a0}']).to_owned())
        } else {
            (base.clone(), "As the chapter begins".to_owned())
        };
        slides.push(Slide { place: Some(id), query, label });
    }
    slides
}
