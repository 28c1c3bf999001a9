//! Where links go: each scheme of the content, checked and turned into an `href`.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use ringside_core::explore::Explored;
use ringside_core::query::Query;

use crate::evaluated::evaluated;
use crate::html::escape;
use crate::language::Lang;
use crate::markdown::scan::{CHAPTER, FigureHead};
use crate::names::Kind;
use crate::schema::Status;
use crate::source::Spot;
use crate::world::World;

/// The schemes, for "did you mean".
const SCHEMES: [&str; 7] = ["see:", "term:", "source:", "chapter:", "widget:", "https:", "http:"];

/// Where the link stands.
#[derive(Clone, Copy)]
pub(crate) struct Here<'s> {
    /// The chapter.
    pub(crate) slug: Option<&'s str>,
    /// The language of the page: a link to a chapter leads to its text in it, where there is one.
    pub(crate) lang: Lang,
    /// The figures of the chapter.
    pub(crate) figures: &'s [FigureHead],
    /// How many of them stand above; in an exercise, whose place is not known, the chapter's first.
    pub(crate) above: usize,
}

/// The opening tag of a link to `destination`; empty if it is broken, and then there is no closing one either. What is wrong
/// with it is reported at `spot`.
pub(crate) fn link(world: &World<'_>, here: Here<'_>, destination: &str, spot: Spot<'_>) -> String {
    let sink = world.sink;
    let broken = String::new();
    if destination.starts_with("https://") || destination.starts_with("http://") {
        let valid = destination.bytes().all(|b| b.is_ascii_graphic() && !b"\"'<>`{}\\".contains(&b));
        if !valid {
            sink.report(spot, "This URL has characters that a URL cannot have; write them percent-encoded.");
            return broken;
        }
        return plain(format!("<a href=\"{}\" rel=\"noopener external\">", escape(destination)));
    }
    if let Some(anchor) = destination.strip_prefix('#') {
        let Some(slug) = here.slug else {
            sink.report(
                spot,
                "A link to an anchor of this page can only stand in a chapter; write `chapter:slug#anchor`.",
            );
            return broken;
        };
        return chapter(world, (slug, here.lang), Some(anchor), spot);
    }
    let Some((scheme, rest)) = destination.split_once(':') else {
        sink.report(spot, format!(
            "“{}” is a relative link; links are `chapter:slug#anchor`, `widget:id?query`, `term:id`, `source:id`, `see:?query`, `#anchor` or a full URL.",
            ringside_core::query::shorten(destination)
        ));
        return broken;
    };
    match scheme {
        "term" => {
            if !world.names.resolve(Kind::Term, rest, spot, sink) {
                return broken;
            }
            let id = escape(rest);
            plain(format!("<a class=\"term\" data-term=\"{id}\" href=\"reference/#{id}\">"))
        }
        "source" => {
            let Some(source) = world.sources.get(rest).filter(|_| world.names.resolve(Kind::Source, rest, spot, sink))
            else {
                world.names.resolve(Kind::Source, rest, spot, sink);
                return broken;
            };
            plain(source_link(rest, &source.title, &source.url))
        }
        "chapter" => {
            let (slug, anchor) = match rest.split_once('#') {
                Some((slug, anchor)) => (slug, Some(anchor)),
                None => (rest, None),
            };
            chapter(world, (slug, here.lang), anchor, spot)
        }
        "widget" => {
            let (id, query) = rest.split_once('?').unwrap_or((rest, ""));
            if !world.names.resolve(Kind::Widget, id, spot, sink) {
                return broken;
            }
            let query = Query::parse(query);
            check_query(world, id, &query, spot);
            plain(format!("<a href=\"{}\">", escape(&page(&format!("w/{id}/"), &query))))
        }
        "see" => see(world, here, rest, spot),
        _ => {
            let message = format!(
                "Links of the kind “{}:” are not allowed; links are `chapter:`, `widget:`, `term:`, `source:`, `see:`, `#anchor`, `https:` and `http:`.",
                ringside_core::query::shorten(scheme)
            );
            sink.report_near(spot, message, &format!("{scheme}:"), &SCHEMES);
            broken
        }
    }
}

fn plain(open: String) -> String {
    open
}

/// The opening tag of a link to a source.
pub(crate) fn source_link(id: &str, title: &str, url: &str) -> String {
    format!(
        "<a class=\"source\" data-source=\"{}\" href=\"{}\" title=\"{}\" rel=\"noopener external\">",
        escape(id),
        escape(url),
        escape(title)
    )
}

fn chapter(world: &World<'_>, (slug, lang): (&str, Lang), anchor: Option<&str>, spot: Spot<'_>) -> String {
    if !world.names.resolve(Kind::Chapter, slug, spot, world.sink) {
        return String::new();
    }
    let written = world.entries.get(slug).is_some_and(|e| e.status == Status::Written);
    if !written {
        if anchor.is_some() {
            let message =
                format!("The chapter “{slug}” is planned and has no text yet, so nothing in it can be linked to.");
            world.sink.report(spot, message);
        }
        // A planned chapter has a place in the map and no page of its own.
        return plain(format!("<a href=\"./#{}\">", escape(slug)));
    }
    let page = escape(&world.language_of(slug, lang).chapter(slug));
    let Some(anchor) = anchor else {
        return plain(format!("<a href=\"{page}\">"));
    };
    let anchors: Vec<&str> = world.scans.get(slug).into_iter().flat_map(|s| &s.anchors).map(String::as_str).collect();
    if !anchors.contains(&anchor) {
        let message = format!("The chapter “{slug}” has no anchor “#{}”.", ringside_core::query::shorten(anchor));
        world.sink.report_near(spot, message, anchor, &anchors);
        return String::new();
    }
    plain(format!("<a href=\"{page}#{}\">", escape(anchor)))
}

fn see(world: &World<'_>, here: Here<'_>, rest: &str, spot: Spot<'_>) -> String {
    let (target, query) = rest.split_once('?').unwrap_or((rest, ""));
    let figure = if let Some(id) = target.strip_prefix('#') {
        let found = here.figures.iter().find(|f| f.id == id);
        if found.is_none() {
            let ids: Vec<&str> = here.figures.iter().map(|f| f.id.as_str()).collect();
            let message = format!("There is no figure “#{}” in this chapter.", ringside_core::query::shorten(id));
            world.sink.report_near(spot, message, id, &ids);
            return String::new();
        }
        found
    } else if target.is_empty() {
        here.above.checked_sub(1).and_then(|i| here.figures.get(i))
    } else {
        world.sink.report(spot, "A `see:` link is `see:?name=value` or `see:#figure?name=value`.");
        return String::new();
    };
    let Some(figure) = figure else {
        world.sink.report(spot, "There is no widget above this link that it could set; name one: `see:#figure?…`.");
        return String::new();
    };
    let changes = Query::parse(query);
    if changes.is_empty() {
        world.sink.report(spot, "A `see:` link must set a parameter: `see:?name=value`.");
        return String::new();
    }
    let merged = figure.query.with(&changes);
    check_query(world, &figure.widget, &merged, spot);
    format!(
        "<a class=\"see\" data-see=\"{}\" data-query=\"{}\" href=\"{}\">",
        escape(&figure.id),
        escape(&changes.to_string()),
        escape(&page(&format!("w/{}/", figure.widget), &merged))
    )
}

/// A page with a query, if there is one.
pub(super) fn page(path: &str, query: &Query) -> String {
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// Reports what the model says about a query.
pub(crate) fn check_query(world: &World<'_>, widget: &str, query: &Query, spot: Spot<'_>) {
    let Some(entry) = world.widget(widget) else { return };
    let evaluation = evaluated(entry, query);
    for problem in &evaluation.problems {
        world.sink.report(spot, problem.message.clone());
    }
    for problem in Explored::of(query).iter().flat_map(|explored| explored.problems(entry)) {
        world.sink.report(spot, problem);
    }
    if let Some(error) = &evaluation.error {
        world.sink.report(spot, error.clone());
    }
}

/// `text` with what links into the site replaced by its words: a text that leaves the site has no page to link from.
pub(crate) fn portable(text: &str) -> String {
    let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
    let mut words: Option<Range<usize>> = None;
    for (event, range) in Parser::new_ext(text, CHAPTER).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) if !dest_url.starts_with("http") => {
                words = Some(range.start..range.start);
            }
            Event::End(TagEnd::Link) => {
                let Some(within) = words.take() else { continue };
                out.push_str(&text[copied..range.start]);
                out.push_str(&text[within]);
                copied = range.end;
            }
            _ => {
                if let Some(within) = &mut words {
                    let start = if within.start == within.end { range.start } else { within.start };
                    *within = start..range.end;
                }
            }
        }
    }
    out.push_str(&text[copied..]);
    out
}

#[cfg(test)]
mod tests {
    use super::portable;

    #[test]
    fn a_link_into_the_site_leaves_its_words() {
        let text =
            "See [`x` of *y*](chapter:a#b), [Python](https://python.org) and [NCCL](source:n).\n\n- [a](widget:b)";
        let left = "See `x` of *y*, [Python](https://python.org) and NCCL.\n\n- a";
        assert_eq!(portable(text), left);
    }
}
