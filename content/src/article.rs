//! What is around a chapter's text on its page: where it belongs, its headings, its neighbours.
//!
//! All of it is rendered here, so that the page needs no other file to be read; the app adds what is alive in the places
//! that `data-slot-…` marks.

use crate::extent::{is_section, legs_of};
use crate::html::escape;
use crate::markdown::Page;
use crate::schema::{Chapter, Course, Extent, Html, Status};
use crate::words::duration;

/// The page of a written chapter.
///
/// `back` has the chapters that link to this one, each with the heading under which it first does.
pub(crate) fn article(
    course: &Course,
    chapter: &Chapter,
    lede: &Html,
    (page, extents): (&Page, &[Extent]),
    back: &[(&str, &str)],
) -> String {
    let (slug, title) = (escape(&chapter.slug), escape(&chapter.title));
    let part = course.parts.iter().find(|part| part.chapters.iter().any(|c| c.slug == chapter.slug));
    let part = escape(part.map_or("", |part| &part.title));
    format!(
        "<article class=\"chapter-page\" data-chapter=\"{slug}\" data-title=\"{title}\">\n\
         <p class=\"eyebrow sans\">{part} · chapter {}</p>\n\
         <h1>{title}</h1>\n\
         <p class=\"lede\">{}</p>\n\
         {}<div class=\"go-on sans\" data-slot-go-on hidden></div>\n\
         <div class=\"chapter-text\">\n{}</div>\n\
         <p class=\"mark-done\" data-slot-done></p>\n\
         {}{}</article>\n",
        chapter.number,
        lede.0,
        outline(chapter, page, extents),
        page.html,
        comes_back(course, back),
        around(course, chapter),
    )
}

/// Links to where the course comes back to this chapter, so that every link between chapters leads both ways.
fn comes_back(course: &Course, back: &[(&str, &str)]) -> String {
    let links: Vec<String> = course
        .chapters()
        .filter_map(|c| {
            let (slug, under) = back.iter().find(|(slug, _)| *slug == c.slug)?;
            let anchor = if under.is_empty() { String::new() } else { format!("#{}", escape(under)) };
            Some(format!("<a href=\"chapter/{}/{anchor}\">{:02} {}</a>", escape(slug), c.number, escape(&c.title)))
        })
        .collect();
    if links.is_empty() {
        return String::new();
    }
    format!("<p class=\"comes-back sans\">The course comes back to this in {}.</p>\n", links.join(", "))
}

/// Its sections, in legs of about ten minutes, and its asides.
fn outline(chapter: &Chapter, page: &Page, extents: &[Extent]) -> String {
    let legs = legs_of(extents, chapter.minutes);
    let items: String = page
        .outline
        .iter()
        .filter(|heading| is_section(heading))
        .enumerate()
        .map(|(i, heading)| {
            let (id, text) = (escape(&heading.id), escape(&heading.text));
            if let Some(aside) = extents.get(i).filter(|extent| extent.aside) {
                let minutes = duration(aside.minutes());
                let href = format!("chapter/{}/#{id}", escape(&chapter.slug));
                return format!(
                    "<li class=\"outline-aside\"><a href=\"{href}\">{text}</a> <small>Aside · {minutes}</small></li>\n"
                );
            }
            let leg = legs.iter().position(|(first, _)| *first == i).filter(|_| legs.len() > 1);
            let leg = leg.map_or(String::new(), |at| {
                format!("<li class=\"leg\">Leg {} · {}</li>\n", at + 1, duration(legs[at].1))
            });
            format!("{leg}<li><a href=\"chapter/{}/#{id}\">{text}</a></li>\n", escape(&chapter.slug))
        })
        .collect();
    let legs = if legs.len() > 1 { format!(" in {} legs", legs.len()) } else { String::new() };
    format!(
        "<div class=\"rail\"><details class=\"outline sans\">\n<summary>In this chapter · {}{legs}</summary>\n\
         <ol>\n{items}</ol>\n</details></div>\n",
        duration(chapter.minutes)
    )
}

/// Links to the chapter before and the one after. One that is not written yet is on the map.
fn around(course: &Course, chapter: &Chapter) -> String {
    let chapters: Vec<&Chapter> = course.chapters().collect();
    let at = chapters.iter().position(|c| c.slug == chapter.slug);
    let link = |at: Option<usize>, rel: &str, word: &str| {
        let Some(c) = at.and_then(|at| chapters.get(at)) else { return String::new() };
        let (href, title) = (escape(&c.href()), escape(&c.title));
        let planned = if c.status == Status::Planned { " (planned)" } else { "" };
        format!("<a rel=\"{rel}\" href=\"{href}\"><small>{word}</small><span>{title}{planned}</span></a>\n")
    };
    format!(
        "<nav class=\"around sans\" aria-label=\"Chapters\">\n{}{}</nav>\n",
        link(at.and_then(|at| at.checked_sub(1)), "prev", "Previous"),
        link(at.map(|at| at + 1), "next", "Next")
    )
}
