//! The slides of a lecture list (`ringside_learner::lecture` says how it is written).

use leptos::prelude::*;
use ringside_content::language::Lang;
use ringside_core::query::{Query, shorten};
use ringside_learner::lecture::{LIST, Line, lines, title_of};
use ringside_learner::talk::{Shows, Slide};

use super::{detached, figures, in_words, pictures, read, text, titled};
use crate::data::{self, base_path};
use crate::shell::embed::EMBED;
use crate::shell::projector::PRESENT;
use crate::ui::{dom, link};
use crate::widgets;

/// The most lines of a list that are read.
const MOST: usize = 200;

/// The list in the address of this page, if there is one.
pub(in crate::shell) fn in_address() -> Option<String> {
    let hash = location().hash().unwrap_or_default();
    Query::parse(hash.trim_start_matches('#')).get(LIST).map(str::to_owned)
}

/// The slides of a list, and what is wrong with its lines.
pub(in crate::shell) async fn read_list(text: &str) -> (Vec<Slide>, Vec<String>) {
    let (mut slides, mut problems) = (Vec::<Slide>::new(), Vec::new());
    let mut lines = lines(text);
    if lines.len() > MOST {
        problems.push(format!("The list has {} lines; only the first {MOST} are used.", lines.len()));
        lines.truncate(MOST);
    }
    let texts: Vec<&str> =
        lines.iter().filter_map(|l| if let Line::Text(text) = l { Some(text.as_str()) } else { None }).collect();
    let mut rendered = text::render(&texts).await.into_iter();
    for line in lines {
        match line {
            Line::State(address, label) => match of_address(&address).await {
                Ok(found) => {
                    let several = found.len() > 1;
                    for slide in found {
                        let label = match (label.as_str(), &slide.shows) {
                            ("", Shows::Figure { widget, .. }) if slide.label.is_empty() => {
                                title_of_figure(widget).await
                            }
                            ("", _) => slide.label,
                            (label, _) if several => format!("{label}: {}", slide.label),
                            (label, _) => label.to_owned(),
                        };
                        slides.push(Slide { label, ..slide });
                    }
                }
                Err(why) => problems.push(format!("{}: {why}", shorten(&address))),
            },
            Line::Text(text) => match rendered.next() {
                Some(Ok((html, wrong))) => {
                    let label = title_of(&text);
                    problems.extend(wrong.into_iter().map(|why| format!("“{}”: {why}", shorten(&label))));
                    slides.push(written(label, html));
                }
                Some(Err(why)) => problems.push(why),
                None => {}
            },
            Line::Note(note) => {
                if let Some(slide) = slides.last_mut() {
                    slide.notes.push_str(&format!("<p>{}</p>", dom::escaped(&note)));
                }
            }
            Line::Picture(caption, name) => match pictures::html(&name, &caption) {
                Ok(html) => slides.push(written(if caption.is_empty() { name } else { caption }, html)),
                Err(why) => problems.push(why),
            },
        }
    }
    for (at, slide) in slides.iter_mut().enumerate() {
        slide.number = (at + 1).to_string();
    }
    (slides, problems)
}

fn written(label: String, html: String) -> Slide {
    Slide {
        number: String::new(),
        place: String::new(),
        shows: Shows::Text(html),
        label,
        notes: String::new(),
        first: true,
    }
}

/// What a figure is called. Its model says so, which comes with the code that the talk shows it with; without it the figure goes by its id.
async fn title_of_figure(id: &str) -> String {
    let Some(widget) = widgets::find(id) else { return in_words(id) };
    (widget.load)().await.map_or_else(|_| in_words(id), |module| module.model.title.to_owned())
}

async fn of_address(address: &str) -> Result<Vec<Slide>, String> {
    let url = web_sys::Url::new(&link::whole(address)).map_err(|_| "this is no address.".to_owned())?;
    let path = url.pathname();
    let path = path.strip_prefix(&base_path()).unwrap_or(&path).trim_matches('/').to_owned();
    // A talk is in English.
    let (_, path) = Lang::of_path(&path);
    let query = Query::parse(url.search().trim_start_matches('?'));
    match path.split('/').collect::<Vec<_>>().as_slice() {
        ["w", id] if widgets::find(id).is_some() => {
            let of_widget = query.iter().filter(|(name, _)| ![PRESENT, EMBED].contains(name));
            let shows = Shows::Figure { widget: (*id).to_owned(), query: Query::new(of_widget) };
            Ok(vec![Slide { shows, ..written(String::new(), String::new()) }])
        }
        [kind @ ("mission" | "lab"), slug] => {
            let missing = |_| format!("there is no {kind} “{}” here, or it could not be fetched.", shorten(slug));
            let page = detached(&data::fetch_text(&format!("{kind}s/{slug}.html")).await.map_err(missing)?)?;
            let title = dom::find(&page, "h1").and_then(|h1| h1.text_content()).unwrap_or_else(|| in_words(slug));
            let shows = Shows::Page(format!("{kind}/{slug}/"));
            Ok(vec![Slide { shows, ..written(title, String::new()) }])
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
        _ => Err(
            "this isn’t the address of a figure, a chapter, an exercise, a mission or a lab. An address looks like w/memory-breakdown/."
                .to_owned(),
        ),
    }
}
