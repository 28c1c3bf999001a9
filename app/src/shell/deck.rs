//! States to step through: those that a chapter sets, in the order of its text, or those of a list.
//!
//! A list is a text ([`lines`]): on each line the address of a state, relative to the site's base or whole, and after a space what to call it.
//! `w/<id>/?…` is a widget's state, `chapter/<slug>/?present=<n>` one that a chapter sets, `chapter/<slug>/` all of them, and
//! `chapter/<slug>/#exercise-<id>` an exercise. Empty lines, and lines that begin with `#`, say nothing.

use std::collections::BTreeMap;

use leptos::prelude::*;
use ringside_content::schema::{Chapter, Course, Status};
use ringside_core::query::{Query, shorten};
use web_sys::Element;

use super::embed::EMBED;
use super::projector::PRESENT;
use crate::data::{self, base_path};
use crate::ui::{dom, link};
use crate::widgets;

/// The name of a list in an address. It stands behind the `#`, so that it may be long and is sent to no server.
pub(super) const LIST: &str = "list";
/// The most lines of a list that are read.
const MOST: usize = 200;

/// The list in the address of this page, if there is one.
pub(super) fn in_address() -> Option<String> {
    let hash = location().hash().unwrap_or_default();
    Query::parse(hash.trim_start_matches('#')).get(LIST).map(str::to_owned)
}

/// A page with a list in its address.
pub(super) fn address_of(page: &str, list: &str) -> String {
    if list.trim().is_empty() { format!("{page}/") } else { format!("{page}/#{}", Query::new([(LIST, list)])) }
}

/// What is on a slide.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shows {
    /// A figure in a state.
    Figure {
        /// The widget's id.
        widget: String,
        /// All of its state.
        query: Query,
    },
    /// An exercise.
    Exercise {
        /// The chapter's slug.
        chapter: String,
        /// The exercise's id.
        id: String,
        /// Its prompt with the numbers of the page: HTML of our own build.
        prompt: String,
    },
}

/// A state of the deck.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slide {
    /// The id of its place in the chapter.
    pub(super) place: String,
    pub(super) shows: Shows,
    /// What the chapter says of it.
    pub(super) label: String,
    /// The notes that follow it in the chapter: HTML of our own build.
    pub(super) notes: String,
}

impl Slide {
    /// Its address, relative to the site's base.
    pub(super) fn address(&self) -> String {
        match &self.shows {
            Shows::Figure { widget, query } => link::to_widget(widget, query),
            Shows::Exercise { chapter, id, .. } => format!("chapter/{chapter}/#exercise-{id}"),
        }
    }
}

/// Figures of the chapter that is open, if one is.
pub(super) fn of_page() -> Vec<Slide> {
    let slides = document().body().map(|body| slides(&body, ""));
    figures(slides.unwrap_or_default())
}

/// Figures of one widget, from the chapter that it belongs to.
pub(super) async fn of_widget(course: &Course, id: &str) -> Vec<Slide> {
    let has = |c: &&Chapter| c.status == Status::Written && c.widgets.iter().any(|w| w == id);
    let Some(chapter) = course.chapters().find(has) else { return Vec::new() };
    // Without the chapter there is nothing to step through; the figure is there all the same.
    let mut slides = figures(read(&chapter.slug).await.unwrap_or_default());
    slides.retain(|slide| matches!(&slide.shows, Shows::Figure { widget, .. } if widget == id));
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
    let detached = |html: String| {
        let root = document().create_element("div").map_err(|_| "The page cannot be read.".to_owned())?;
        root.set_inner_html(&html);
        Ok::<Element, String>(root)
    };
    let root = detached(data::fetch_text(&format!("chapters/{slug}.html")).await?)?;
    let mut slides = slides(&root, slug);
    if root.query_selector("[data-notes]").ok().flatten().is_some() {
        let notes = detached(data::fetch_text(&format!("chapters/{slug}.notes.html")).await?)?;
        for slide in &mut slides {
            let text = |number: &str| dom::find(&notes, &format!("[data-notes=\"{number}\"]")).map(|n| n.inner_html());
            slide.notes = slide.notes.split_whitespace().filter_map(text).collect();
        }
    }
    Ok(slides)
}

/// The same slides, each exercise by its title.
async fn titled(mut slides: Vec<Slide>) -> Vec<Slide> {
    let is_exercise = |slide: &Slide| matches!(slide.shows, Shows::Exercise { .. });
    if !slides.iter().any(is_exercise) {
        return slides;
    }
    // Without the list of all exercises they go by their ids.
    let Ok(all) = data::fetch_index().await else { return slides };
    for slide in &mut slides {
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
    let bases: BTreeMap<String, (String, Query)> = dom::all(root, "[data-slot-widget]")
        .into_iter()
        .map(|slot| (slot.id(), (dom::attribute(&slot, "data-slot-widget"), query(&slot))))
        .collect();
    let mut slides: Vec<Slide> = Vec::new();
    for element in dom::all(root, "[data-slot-widget], a.see[data-see], [data-slot-exercise], [data-notes]") {
        let slide = |place: String, shows: Shows, label: String| Slide { place, shows, label, notes: String::new() };
        if element.has_attribute("data-notes") {
            if let Some(last) = slides.last_mut() {
                last.notes.push_str(&format!(" {}", dom::attribute(&element, "data-notes")));
            }
        } else if element.has_attribute("data-slot-exercise") {
            let id = dom::attribute(&element, "data-slot-exercise");
            let shows = Shows::Exercise { chapter: chapter.to_owned(), id: id.clone(), prompt: element.inner_html() };
            slides.push(slide(element.id(), shows, format!("Exercise {id}")));
        } else if element.has_attribute("data-see") {
            // What an exercise points to is part of its answer.
            let in_exercise = element.closest("[data-slot-exercise]").ok().flatten().is_some();
            let id = dom::attribute(&element, "data-see");
            let Some((widget, base)) = bases.get(&id).filter(|_| !in_exercise) else { continue };
            let text = element.text_content().unwrap_or_default();
            let label = text.trim_end_matches(['→', ' ', '\u{a0}']).to_owned();
            let shows = Shows::Figure { widget: widget.clone(), query: base.with(&query(&element)) };
            slides.push(slide(id, shows, label));
        } else if let Some((widget, query)) = bases.get(&element.id()) {
            let shows = Shows::Figure { widget: widget.clone(), query: query.clone() };
            slides.push(slide(element.id(), shows, "As the chapter begins".to_owned()));
        }
    }
    slides
}

/// Those of a list, and what is wrong with its lines.
pub(super) async fn of_list(text: &str) -> (Vec<Slide>, Vec<String>) {
    let (mut slides, mut problems) = (Vec::new(), Vec::new());
    let lines = lines(text);
    if lines.len() > MOST {
        problems.push(format!("The list has {} lines; only the first {MOST} are used.", lines.len()));
    }
    for (address, label) in lines.into_iter().take(MOST) {
        match of_address(&address).await {
            Ok(found) => {
                let several = found.len() > 1;
                slides.extend(found.into_iter().map(|slide| match label.as_str() {
                    "" => slide,
                    label if several => Slide { label: format!("{label}: {}", slide.label), ..slide },
                    label => Slide { label: label.to_owned(), ..slide },
                }));
            }
            Err(why) => problems.push(format!("{}: {why}", shorten(&address))),
        }
    }
    (slides, problems)
}

/// The lines of a list that say something: address and what it is called.
pub(super) fn lines(text: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let line = line.trim();
        let (address, label) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        (!line.is_empty() && !line.starts_with('#')).then(|| (address.to_owned(), label.trim().to_owned()))
    };
    text.lines().filter_map(line).collect()
}

async fn of_address(address: &str) -> Result<Vec<Slide>, String> {
    let url = web_sys::Url::new(&link::whole(address)).map_err(|_| "this is no address.".to_owned())?;
    let path = url.pathname();
    let path = path.strip_prefix(&base_path()).unwrap_or(&path).trim_matches('/').to_owned();
    let query = Query::parse(url.search().trim_start_matches('?'));
    match path.split('/').collect::<Vec<_>>().as_slice() {
        ["w", id] if widgets::find(id).is_some() => {
            let of_widget = query.iter().filter(|(name, _)| ![PRESENT, EMBED].contains(name));
            let shows = Shows::Figure { widget: (*id).to_owned(), query: Query::new(of_widget) };
            Ok(vec![Slide { place: String::new(), shows, label: (*id).replace('-', " "), notes: String::new() }])
        }
        ["chapter", slug] => {
            let mut slides = read(slug).await?;
            let (hash, present) = (url.hash(), query.get(PRESENT).unwrap_or_default());
            let place = hash.trim_start_matches('#');
            if place.starts_with("exercise-") {
                slides.retain(|slide| slide.place == place);
            } else {
                slides = figures(slides);
                if !place.is_empty() && !slides.iter().any(|slide| slide.place == place) {
                    return Err(format!("the chapter has no figure and no exercise “{}”.", shorten(place)));
                }
                match (present, present.parse::<usize>()) {
                    ("", _) if place.is_empty() => {}
                    ("", _) => slides.retain(|slide| slide.place == place),
                    (_, Ok(n)) if (1..=slides.len()).contains(&n) => {
                        slides = slides.into_iter().skip(n - 1).take(1).collect()
                    }
                    _ => {
                        let last = slides.len();
                        return Err(format!(
                            "its states are numbered 1 to {last}: “{}” is none of them.",
                            shorten(present)
                        ));
                    }
                }
            }
            if slides.is_empty() { Err("the chapter has none of this.".to_owned()) } else { Ok(titled(slides).await) }
        }
        _ => {
            Err("there is no such state here; it is the address of a figure, of a chapter or of an exercise."
                .to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_list_is_read_line_by_line() {
        let text = "# Monday\n\nw/amdahl/?n=8  Eight of them\r\n  chapter/zero-and-fsdp/?present=2\n";
        let line = |address: &str, label: &str| (address.to_owned(), label.to_owned());
        assert_eq!(lines(text), [line("w/amdahl/?n=8", "Eight of them"), line("chapter/zero-and-fsdp/?present=2", "")]);
    }
}
