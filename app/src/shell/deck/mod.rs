//! States to step through: those that a chapter sets, in the order of its text, or those of a [`list`].

pub(super) mod list;
pub(super) mod pictures;
mod text;

use std::collections::BTreeMap;

use leptos::prelude::*;
use ringside_content::schema::{Chapter, Course, Status};
use ringside_core::quantity::capital;
use ringside_core::query::{Query, shorten};
use ringside_learner::talk::{Shows, Slide};
use web_sys::Element;

use crate::data;
use crate::ui::{dom, link};

/// Marks a part of a page that is a slide by itself, and says what it is called.
pub(super) const SLIDE: &str = "data-slide";
/// All of them.
pub(super) const SLIDES: &str = "[data-slide]";

/// The address of a slide, relative to the site's base; empty for one that has none.
pub(super) fn address(slide: &Slide) -> String {
    match &slide.shows {
        Shows::Figure { widget, query } => link::to_widget(widget, query),
        Shows::Exercise { chapter, id, .. } => of_exercise(chapter, id),
        Shows::Text(_) => String::new(),
        Shows::Page(address) => address.clone(),
    }
}

/// The address of an exercise, relative to the site's base.
pub(super) fn of_exercise(chapter: &str, id: &str) -> String {
    format!("chapter/{chapter}/#exercise-{id}")
}

/// Numbers the slides of a chapter: its states, and apart from them its exercises.
fn number(slides: &mut [Slide]) {
    let (mut states, mut exercises) = (0, 0);
    for slide in slides {
        slide.number = match slide.shows {
            Shows::Exercise { .. } => {
                exercises += 1;
                format!("E{exercises}")
            }
            Shows::Figure { .. } | Shows::Text(_) | Shows::Page(_) => {
                states += 1;
                states.to_string()
            }
        };
    }
}

/// The slides that the page marks itself; otherwise the figures of the chapter that is open, if one is.
pub(super) fn of_page() -> Vec<Slide> {
    let Some(body) = document().body() else { return Vec::new() };
    let own = marked(&body);
    if own.is_empty() { figures(slides(&body, "")) } else { own }
}

/// The parts of a page that are slides by themselves. A slide within another comes before it.
fn marked(root: &Element) -> Vec<Slide> {
    let mut places: Vec<web_sys::HtmlElement> = Vec::new();
    for place in dom::all(root, SLIDES) {
        let before = places.last().is_some_and(|last| last.contains(Some(&place)));
        places.insert(places.len() - usize::from(before), place);
    }
    let mut slides: Vec<Slide> = places
        .iter()
        .map(|place| Slide {
            number: String::new(),
            place: place.id(),
            // It is in its place.
            shows: Shows::Text(String::new()),
            label: dom::attribute(place, SLIDE),
            notes: String::new(),
            first: true,
        })
        .collect();
    number(&mut slides);
    slides
}

/// Figures of one widget, from the chapter that it belongs to.
pub(super) async fn of_widget(course: &Course, id: &str) -> Vec<Slide> {
    let has = |c: &&Chapter| c.status == Status::Written && c.widgets.iter().any(|w| w == id);
    let Some(chapter) = course.chapters().find(has) else { return Vec::new() };
    // Without the chapter there is nothing to step through; the figure is there all the same.
    let mut slides = figures(read(&chapter.slug).await.unwrap_or_default());
    slides.retain(|slide| matches!(&slide.shows, Shows::Figure { widget, .. } if widget == id));
    // On its own page a figure is its own deck.
    number(&mut slides);
    slides
}

fn figures(mut slides: Vec<Slide>) -> Vec<Slide> {
    slides.retain(|slide| matches!(slide.shows, Shows::Figure { .. }));
    slides
}

/// Everything that a chapter shows, with its notes.
///
/// # Errors
/// A sentence: it cannot be fetched.
pub(super) async fn of_chapter(slug: &str) -> Result<Vec<Slide>, String> {
    Ok(titled(read(slug).await?).await)
}

/// The same; exercises go by their ids.
async fn read(slug: &str) -> Result<Vec<Slide>, String> {
    let missing = |_| format!("There is no chapter “{}” here, or it could not be fetched.", shorten(slug));
    let root = detached(&data::fetch_text(&format!("chapters/{slug}.html")).await.map_err(missing)?)?;
    let mut slides = slides(&root, slug);
    if root.query_selector("[data-notes]").ok().flatten().is_some() {
        let notes = detached(&data::fetch_text(&format!("chapters/{slug}.notes.html")).await?)?;
        for slide in &mut slides {
            let text = |number: &str| dom::find(&notes, &format!("[data-notes=\"{number}\"]")).map(|n| n.inner_html());
            slide.notes = slide.notes.split_whitespace().filter_map(text).collect();
        }
    }
    Ok(slides)
}

/// HTML of our own build, not on the page.
fn detached(html: &str) -> Result<Element, String> {
    let root = document().create_element("div").map_err(|_| "The page cannot be read.".to_owned())?;
    root.set_inner_html(html);
    Ok(root)
}

/// The same slides, each exercise by its title but for those on a figure, which go by the figure’s.
async fn titled(mut slides: Vec<Slide>) -> Vec<Slide> {
    let is_exercise = |slide: &Slide| matches!(slide.shows, Shows::Exercise { .. }) && !slide.first;
    if !slides.iter().any(is_exercise) {
        return slides;
    }
    // Without the list of all exercises they go by their ids.
    let Ok(all) = data::library().exercises.wait().await else { return slides };
    for slide in slides.iter_mut().filter(|slide| is_exercise(slide)) {
        let Shows::Exercise { chapter, id, .. } = &slide.shows else { continue };
        let key = format!("{chapter}/{id}");
        if let Some(exercise) = all.exercises.iter().find(|e| e.key == key) {
            slide.label = format!("Exercise: {}", exercise.title);
        }
    }
    slides
}

/// Those under `root`; the notes of each are the numbers of its places for notes.
fn slides(root: &Element, chapter: &str) -> Vec<Slide> {
    let query = |element: &Element| Query::parse(&dom::attribute(element, "data-query"));
    let bases: BTreeMap<String, (String, String, Query)> = dom::all(root, "[data-slot-widget]")
        .into_iter()
        .map(|slot| (slot.id(), (dom::attribute(&slot, "data-slot-widget"), title_in(&slot), query(&slot))))
        .collect();
    // What is predicted of a figure before it is seen.
    let asked: BTreeMap<String, String> = dom::all(root, "[data-slot-widget][data-after]")
        .into_iter()
        .map(|slot| (dom::attribute(&slot, "data-after"), title_in(&slot)))
        .collect();
    let mut slides: Vec<Slide> = Vec::new();
    // Figures of one name are told apart by what stands over them.
    let named = |label: &str| bases.values().filter(|(_, title, _)| title == label).count();
    let mut heading = String::new();
    let called = |label: &str, heading: &str| {
        if named(label) < 2 || heading.is_empty() { label.to_owned() } else { format!("{label}: {heading}") }
    };
    for element in dom::all(root, "h2, [data-slot-widget], a.see[data-see], [data-slot-exercise], [data-notes]") {
        if element.tag_name().eq_ignore_ascii_case("h2") {
            heading = element.text_content().unwrap_or_default().trim().to_owned();
            continue;
        }
        let slide = |place: String, shows: Shows, label: String, first: bool| Slide {
            number: String::new(),
            place,
            shows,
            label,
            notes: String::new(),
            first,
        };
        if element.has_attribute("data-notes") {
            if let Some(last) = slides.last_mut() {
                last.notes.push_str(&format!(" {}", dom::attribute(&element, "data-notes")));
            }
        } else if element.has_attribute("data-slot-exercise") {
            let id = dom::attribute(&element, "data-slot-exercise");
            let shows = Shows::Exercise { chapter: chapter.to_owned(), id: id.clone(), prompt: element.inner_html() };
            let figure = asked.get(&id);
            let label = figure
                .map_or_else(|| format!("Exercise {id}"), |figure| format!("Predict: {}", called(figure, &heading)));
            slides.push(slide(element.id(), shows, label, figure.is_some()));
        } else if element.has_attribute("data-see") {
            // What an exercise points to is part of its answer.
            let in_exercise = element.closest("[data-slot-exercise]").ok().flatten().is_some();
            let id = dom::attribute(&element, "data-see");
            let Some((widget, title, base)) = bases.get(&id).filter(|_| !in_exercise) else { continue };
            let text = element.text_content().unwrap_or_default();
            // By itself a link's words may say nothing: “See it happen”.
            let label = format!("{title}: {}", text.trim_end_matches(['→', ' ', '\u{a0}']));
            let shows = Shows::Figure { widget: widget.clone(), query: base.with(&query(&element)) };
            slides.push(slide(id, shows, label, false));
        } else if let Some((widget, title, query)) = bases.get(&element.id()) {
            let shows = Shows::Figure { widget: widget.clone(), query: query.clone() };
            slides.push(slide(element.id(), shows, called(title, &heading), true));
        }
    }
    number(&mut slides);
    slides
}

/// What the figure in a place of a chapter is called, alive or still.
fn title_in(slot: &Element) -> String {
    let title = dom::find(slot, ".figure-title, .still caption").and_then(|title| title.text_content());
    title.unwrap_or_else(|| in_words(&dom::attribute(slot, "data-slot-widget")))
}

/// A widget's id as words: “Memory breakdown”.
fn in_words(id: &str) -> String {
    capital(&id.replace('-', " "))
}
