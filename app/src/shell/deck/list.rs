//! A lecture list: a text with a state on each line, and texts and pictures between them.
//!
//! A line is the address of a state, relative to the site's base or whole, and after a space what to call it.
//! `w/<id>/?…` is a widget's state, `chapter/<slug>/?present=<n>` one that a chapter sets, `chapter/<slug>/` all of them, and
//! `chapter/<slug>/#exercise-<id>` an exercise, `mission/<slug>/` a mission and `lab/<slug>/` a lab. Lines that begin with `>` are together a text, in Markdown. `![caption](name)` is a picture of
//! [`pictures`]. Lines that begin with `//` are notes on the line before, for whoever presents alone. Empty lines, and lines that begin with `#`, say nothing.

use leptos::prelude::*;
use ringside_content::language::Lang;
use ringside_core::query::{Query, shorten};

use super::{Shows, Slide, detached, figures, in_words, pictures, read, text, titled};
use crate::data::{self, base_path};
use crate::shell::embed::EMBED;
use crate::shell::projector::PRESENT;
use crate::ui::{dom, link};
use crate::widgets;

/// The name of a list in an address. It stands behind the `#`, so that it may be long and is sent to no server.
pub(in crate::shell) const LIST: &str = "list";
/// The most lines of a list that are read.
const MOST: usize = 200;

/// The list in the address of this page, if there is one.
pub(in crate::shell) fn in_address() -> Option<String> {
    let hash = location().hash().unwrap_or_default();
    Query::parse(hash.trim_start_matches('#')).get(LIST).map(str::to_owned)
}

/// A page with a list in its address.
pub(in crate::shell) fn address_of(page: &str, list: &str) -> String {
    if list.trim().is_empty() { format!("{page}/") } else { format!("{page}/#{}", Query::new([(LIST, list)])) }
}

/// A list with a line more.
pub(in crate::shell) fn with_line(list: &str, address: &str, label: &str) -> String {
    let before = if list.is_empty() || list.ends_with('\n') { "" } else { "\n" };
    let label = label.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{list}{before}{}\n", format!("{address} {label}").trim_end())
}

/// A line of a list, or several that belong together.
#[derive(Debug, Clone, PartialEq)]
enum Line {
    /// An address, and what it is called.
    State(String, String),
    /// Markdown.
    Text(String),
    /// A caption, and the name of a picture.
    Picture(String, String),
    /// A note on the line before.
    Note(String),
}

/// The lines of a list that say something.
fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut in_text = false;
    for line in text.lines().map(str::trim) {
        if let Some(more) = line.strip_prefix('>') {
            let more = more.strip_prefix(' ').unwrap_or(more);
            match lines.last_mut() {
                Some(Line::Text(text)) if in_text => {
                    text.push('\n');
                    text.push_str(more);
                }
                _ => lines.push(Line::Text(more.to_owned())),
            }
            in_text = true;
            continue;
        }
        in_text = false;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(note) = line.strip_prefix("//") {
            lines.push(Line::Note(note.trim().to_owned()));
            continue;
        }
        let picture =
            line.strip_prefix("![").and_then(|rest| rest.strip_suffix(')')).and_then(|rest| rest.split_once("]("));
        lines.push(match picture {
            Some((caption, name)) => Line::Picture(caption.trim().to_owned(), name.trim().to_owned()),
            None => {
                let (address, label) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                Line::State(address.to_owned(), label.trim().to_owned())
            }
        });
    }
    lines
}

/// How many lines of a list show something.
pub(in crate::shell) fn count(text: &str) -> usize {
    lines(text).iter().filter(|line| !matches!(line, Line::Note(_))).count()
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
    Slide { number: String::new(), place: String::new(), shows: Shows::Text(html), label, notes: String::new() }
}

/// What a figure is called. Its model says so, which comes with the code that the talk shows it with; without it the figure goes by its id.
async fn title_of_figure(id: &str) -> String {
    let Some(widget) = widgets::find(id) else { return in_words(id) };
    (widget.load)().await.map_or_else(|_| in_words(id), |module| module.model.title.to_owned())
}

/// What a text is called: its first line, without the marks of Markdown.
fn title_of(markdown: &str) -> String {
    let first = markdown.lines().map(|line| line.trim_matches(['#', '*', '-', '_', ' '])).find(|line| !line.is_empty());
    let words: String = first.unwrap_or("Text").chars().filter(|c| !matches!(c, '*' | '`')).collect();
    if words.chars().count() > 60 {
        format!("{} …", words.chars().take(60).collect::<String>().trim_end())
    } else {
        words
    }
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
            "there is no such state here; it is the address of a figure, a chapter, an exercise, a mission or a lab."
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_line_by_line() {
        let text = "# Monday\n\nw/amdahl/?n=8  Eight of them\r\n  chapter/zero-and-fsdp/?present=2\n";
        let line = |address: &str, label: &str| Line::State(address.to_owned(), label.to_owned());
        assert_eq!(lines(text), [line("w/amdahl/?n=8", "Eight of them"), line("chapter/zero-and-fsdp/?present=2", "")]);
    }

    #[test]
    fn texts_and_pictures_stand_between_states() {
        let text = "> # One\n>\n> - a\n\n> Two\n![A rack](rack.png)\nw/amdahl/\n";
        let all = lines(text);
        let expected = [
            Line::Text("# One\n\n- a".into()),
            Line::Text("Two".into()),
            Line::Picture("A rack".into(), "rack.png".into()),
            Line::State("w/amdahl/".into(), String::new()),
        ];
        assert_eq!((all.as_slice(), count(text)), (expected.as_slice(), 4));
        let noted = "w/amdahl/ Eight\n// Ask for hands first.\n//then wait\n";
        let note = |text: &str| Line::Note(text.to_owned());
        assert_eq!(lines(noted)[1..], [note("Ask for hands first."), note("then wait")]);
        assert_eq!(count(noted), 1);
        assert_eq!(title_of("\n## What **we** `saw`\n- a"), "What we saw");
        assert_eq!(title_of(""), "Text");
    }

    #[test]
    fn a_line_is_added_on_a_line_of_its_own() {
        assert_eq!(with_line("", "w/amdahl/", "Eight\nof them"), "w/amdahl/ Eight of them\n");
        assert_eq!(with_line("# Monday", "w/amdahl/", ""), "# Monday\nw/amdahl/\n");
    }
}
