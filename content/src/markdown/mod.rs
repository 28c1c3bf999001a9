//! Markdown to HTML, with what the course adds to it.
//!
//! [`chapter`] renders a whole `chapter.md`; [`inline`] and [`template`] render the pieces of Markdown in the data files
//! and exercises. One writer serves all three. It writes every tag itself, so nothing from the source reaches the
//! output unescaped: raw HTML is shown as text.

mod bind;
pub(crate) mod fence;
mod figure;
mod highlight;
mod links;
mod maths;
pub(crate) mod scan;
mod template;
pub(crate) mod translation;
pub(crate) mod values;
mod writer;

use std::ops::Range;

use pulldown_cmark::Options;

use crate::language::Lang;
use crate::schema::Html;
use crate::source::Located;
use crate::world::World;

use scan::{CHAPTER, Scan};
use translation::Translation;
use writer::{Flavour, Writer};

pub(crate) use figure::{quantities, slot, still};
pub(crate) use links::{check_query, portable};
pub(crate) use maths::mathml;

/// A rendered chapter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Page {
    pub(crate) html: String,
    pub(crate) outline: Vec<Heading>,
    /// Its widgets, in order.
    pub(crate) widgets: Vec<String>,
    /// The text before the first heading, then of each section.
    pub(crate) sections: Vec<Section>,
    /// Notes for whoever presents it, in order; the text has their places.
    pub(crate) notes: Vec<Html>,
    /// The ids of its exercises, in the order in which they stand on it.
    pub(crate) exercises: Vec<String>,
    /// Which of them stand at the end, under its fence `exercises`.
    pub(crate) rest: Range<usize>,
}

/// A heading of level 2 or 3.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heading {
    /// Its anchor.
    pub(crate) id: String,
    pub(crate) level: u8,
    /// Whether what stands under it is an aside, which opens.
    pub(crate) aside: bool,
    /// Its text, without markup.
    pub(crate) text: String,
    /// Whether it is in English.
    pub(crate) is_english: bool,
}

/// Stands for how long an aside takes, in its summary, until that is known.
pub(crate) const ASIDE_TIME: &str = " <span data-aside-time></span>";

/// Ends an aside.
pub(crate) const ASIDE_END: &str = "</details>\n";

/// A heading and the text below it, up to the next one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Section {
    /// The anchor; empty before the first heading.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) text: String,
}

/// What stands in a chapter's place for an exercise until the app has mounted it: its id and its prompt.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) id: String,
    pub(crate) prompt: Html,
}

/// Renders the body of a chapter. `exercises` are those of its file, in order.
pub(crate) fn chapter(world: &World<'_>, slug: &str, scan: &Scan<'_>, exercises: &[Slot]) -> Page {
    Writer::new(world, &scan.body, Flavour::Chapter, Some(slug)).with_chapter(scan, exercises).page(CHAPTER)
}

/// Renders the body of a chapter in another language.
pub(crate) fn translated(
    world: &World<'_>,
    slug: &str,
    lang: Lang,
    Translation { scan, english, .. }: &Translation<'_>,
    exercises: &[Slot],
) -> Page {
    let writer = Writer::new(world, &scan.body, Flavour::Chapter, Some(slug)).with_chapter(scan, exercises);
    writer.in_language(lang, english).page(CHAPTER)
}

/// Renders a text that is no chapter's: without exercises, and without anchors of its own to link to.
pub(crate) fn page(world: &World<'_>, scan: &Scan<'_>) -> Page {
    Writer::new(world, &scan.body, Flavour::Chapter, None).with_chapter(scan, &[]).page(CHAPTER)
}

/// A listing in one of the languages that are highlighted.
pub(crate) fn listing(language: &str, code: &str) -> String {
    let (class, html) = highlight::highlight(language, code).unwrap_or_else(|| ("text", crate::html::escape(code)));
    writer::listing(class, &html)
}

/// Renders what fits in a line.
pub(crate) fn inline(world: &World<'_>, slug: Option<&str>, text: &Located<'_>) -> Html {
    inline_in(world, slug, text, Lang::En)
}

/// The same, for a page in one of the languages.
pub(crate) fn inline_in(world: &World<'_>, slug: Option<&str>, text: &Located<'_>, lang: Lang) -> Html {
    Writer::new(world, text, Flavour::Inline, slug).in_language(lang, &[]).piece(PIECE)
}

/// Renders a template: Markdown in which `{…}` stays as it is.
pub(crate) fn template(world: &World<'_>, slug: &str, text: &Located<'_>, inline: bool) -> Html {
    let (protected, pieces, lonely) = template::protect(text);
    for at in lonely {
        let message =
            "A brace here begins or ends a number to fill in, and has no partner; write {{ or }} for a brace.";
        world.sink.report(text.spot(at), message);
    }
    let flavour = if inline { Flavour::Inline } else { Flavour::Blocks };
    let rendered = Writer::new(world, &protected, flavour, Some(slug)).piece(PIECE);
    Html(template::restore(&rendered.0, &pieces))
}

/// Renders what stands on a slide of a lecture: blocks and headings.
pub(crate) fn slide(world: &World<'_>, text: &Located<'_>) -> Html {
    Writer::new(world, text, Flavour::Slide, None).piece(PIECE)
}

/// What Markdown has in a piece: no footnotes, no anchors.
const PIECE: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_SMART_PUNCTUATION)
    .union(Options::ENABLE_MATH);
