//! What is around a chapter's text on its page: where it belongs, its headings, its neighbours, its other languages.
//!
//! All of it is rendered here, so that the page needs no other file to be read; the app adds what is alive in the places
//! that `data-slot-…` marks. The site around a page is English: what is in another language says so, and so does what is English in it.

use crate::extent::{is_section, legs_of};
use crate::html::escape;
use crate::language::{self, Lang, attribute};
use crate::markdown::Page;
use crate::schema::{Chapter, Course, Extent, Html, Status};
use crate::words::duration;
use crate::world::World;

/// A chapter as it is read in one language.
pub(crate) struct Reading<'a> {
    pub(crate) lang: Lang,
    pub(crate) title: &'a str,
    pub(crate) lede: &'a Html,
    pub(crate) page: &'a Page,
    /// How long its sections take, which is the same in every language.
    pub(crate) extents: &'a [Extent],
    /// How many sections are translated, and how many there are.
    pub(crate) sections: [usize; 2],
}

/// The page of a written chapter.
pub(crate) fn article(world: &World<'_>, course: &Course, chapter: &Chapter, reading: &Reading<'_>) -> String {
    let lang = reading.lang;
    let (slug, title) = (escape(&chapter.slug), escape(reading.title));
    let part = course.parts.iter().find(|part| part.chapters.iter().any(|c| c.slug == chapter.slug));
    let part = foreign(&escape(part.map_or("", |part| &part.title)), lang.english());
    let place = language::PLACE.with(lang, &[("number", &chapter.number.to_string())]);
    format!(
        "<article class=\"chapter-page\"{} data-chapter=\"{slug}\" data-title=\"{title}\">\n\
         <p class=\"eyebrow sans\">{part} · {place}</p>\n\
         <h1>{title}</h1>\n\
         {}<p class=\"lede\">{}</p>\n\
         {}<div class=\"go-on sans\" data-slot-go-on hidden></div>\n\
         <div class=\"chapter-text\">\n{}</div>\n\
         <p class=\"mark-done\" data-slot-done></p>\n\
         {}{}</article>\n",
        attribute(lang.marked()),
        languages(world, chapter, reading),
        reading.lede.0,
        outline(chapter, reading),
        reading.page.html,
        comes_back(world, course, chapter, lang),
        around(world, course, chapter, lang),
    )
}

/// Words in a language other than that around them.
fn foreign(words: &str, code: Option<&str>) -> String {
    if code.is_none() { words.to_owned() } else { format!("<span{}>{words}</span>", attribute(code)) }
}

/// Links to the chapter in its other languages, and what of it is translated.
fn languages(world: &World<'_>, chapter: &Chapter, reading: &Reading<'_>) -> String {
    let lang = reading.lang;
    let there = Lang::ALL.into_iter().filter(|other| world.language_of(&chapter.slug, *other) == *other);
    let mut said: Vec<String> = there
        .filter(|other| *other != lang)
        .map(|other| {
            let (code, page) = (other.code(), escape(&other.chapter(&chapter.slug)));
            format!("<a href=\"{page}\" hreflang=\"{code}\" lang=\"{code}\" rel=\"alternate\">{}</a>", other.name())
        })
        .collect();
    if said.is_empty() {
        return String::new();
    }
    let [done, all] = reading.sections;
    if lang != Lang::En {
        said.push(if done == all {
            language::TRANSLATED_WHOLE.to(lang).to_owned()
        } else {
            language::TRANSLATED.with(lang, &[("done", &done.to_string()), ("all", &all.to_string())])
        });
    }
    let name = language::LANGUAGES.to(lang);
    format!("<p class=\"languages sans\" role=\"group\" aria-label=\"{name}\">{}</p>\n", said.join(" · "))
}

/// A chapter for who reads in `lang`: its page and its title, in that language if it is there.
fn named(world: &World<'_>, chapter: &Chapter, lang: Lang) -> [String; 2] {
    match world.titles.get(&(chapter.slug.clone(), lang)) {
        Some(title) => [escape(&lang.chapter(&chapter.slug)), escape(title)],
        None => [escape(&chapter.href()), foreign(&escape(&chapter.title), lang.english())],
    }
}

/// Links to where the course comes back to this chapter, so that every link between chapters leads both ways.
fn comes_back(world: &World<'_>, course: &Course, chapter: &Chapter, lang: Lang) -> String {
    let back = world.leading_to(&chapter.slug);
    let links: Vec<String> = course
        .chapters()
        .filter_map(|c| {
            let (_, under) = back.iter().find(|(slug, _)| *slug == c.slug)?;
            let anchor = if under.is_empty() { String::new() } else { format!("#{}", escape(under)) };
            let [page, title] = named(world, c, lang);
            Some(format!("<a href=\"{page}{anchor}\">{:02} {title}</a>", c.number))
        })
        .collect();
    if links.is_empty() {
        return String::new();
    }
    let text = language::COMES_BACK.with(lang, &[("chapters", &links.join(", "))]);
    format!("<p class=\"comes-back sans\">{text}</p>\n")
}

/// Its sections, in legs of about ten minutes, and its asides.
fn outline(chapter: &Chapter, Reading { lang, page, extents, .. }: &Reading<'_>) -> String {
    let legs = legs_of(extents, chapter.minutes);
    let address = escape(&lang.chapter(&chapter.slug));
    let items: String = page
        .outline
        .iter()
        .filter(|heading| is_section(heading))
        .enumerate()
        .map(|(i, heading)| {
            let (id, text) = (
                escape(&heading.id),
                foreign(&escape(&heading.text), heading.is_english.then(|| lang.english()).flatten()),
            );
            if let Some(aside) = extents.get(i).filter(|extent| extent.aside) {
                let time = language::ASIDE.with(*lang, &[("time", &duration(aside.minutes()))]);
                return format!(
                    "<li class=\"outline-aside\"><a href=\"{address}#{id}\">{text}</a> <small>{time}</small></li>\n"
                );
            }
            let leg = legs.iter().position(|(first, _)| *first == i).filter(|_| legs.len() > 1);
            let leg = leg.map_or(String::new(), |at| {
                let (number, time) = ((at + 1).to_string(), duration(legs[at].1));
                format!(
                    "<li class=\"leg\">{}</li>\n",
                    language::LEG.with(*lang, &[("number", &number), ("time", &time)])
                )
            });
            format!("{leg}<li><a href=\"{address}#{id}\">{text}</a></li>\n")
        })
        .collect();
    let phrase = if legs.len() > 1 { language::OUTLINE_LEGS } else { language::OUTLINE };
    let summary = phrase.with(*lang, &[("time", &duration(chapter.minutes)), ("legs", &legs.len().to_string())]);
    format!(
        "<div class=\"rail\"><details class=\"outline sans\">\n<summary>{summary}</summary>\n\
         <ol>\n{items}</ol>\n</details></div>\n"
    )
}

/// Links to the chapter before and the one after. One that is not written yet is on the map.
fn around(world: &World<'_>, course: &Course, chapter: &Chapter, lang: Lang) -> String {
    let chapters: Vec<&Chapter> = course.chapters().collect();
    let at = chapters.iter().position(|c| c.slug == chapter.slug);
    let link = |at: Option<usize>, rel: &str, word: &str| {
        let Some(c) = at.and_then(|at| chapters.get(at)) else { return String::new() };
        let [page, mut title] = named(world, c, lang);
        if c.status == Status::Planned {
            title = language::PLANNED.with(lang, &[("title", &title)]);
        }
        format!("<a rel=\"{rel}\" href=\"{page}\"><small>{word}</small><span>{title}</span></a>\n")
    };
    format!(
        "<nav class=\"around sans\" aria-label=\"{}\">\n{}{}</nav>\n",
        language::CHAPTERS.to(lang),
        link(at.and_then(|at| at.checked_sub(1)), "prev", language::PREVIOUS.to(lang)),
        link(at.map(|at| at + 1), "next", language::NEXT.to(lang))
    )
}
