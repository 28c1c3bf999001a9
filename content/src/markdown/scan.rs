//! A chapter's text before it is rendered: its front matter, the anchors that can be linked to, and its figures.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use ringside_core::query::Query;

use super::fence::{Fence, WidgetFence};
use crate::diagnostic::Sink;
use crate::html::slug;
use crate::source::{Located, SourceFile};

/// What the first pass finds in a `chapter.md`.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    /// The TOML between the `+++` lines, if there is any.
    pub(crate) front: Option<Located<'a>>,
    /// Everything after it.
    pub(crate) body: Located<'a>,
    /// The anchors of the headings, in order.
    pub(crate) headings: Vec<String>,
    /// The widgets, in order.
    pub(crate) figures: Vec<FigureHead>,
    /// Everything that a link can point to.
    pub(crate) anchors: BTreeSet<String>,
    /// The links to other chapters, in order.
    pub(crate) links: Vec<ChapterLink>,
}

/// A link to another chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChapterLink {
    /// The slug of that chapter.
    pub(crate) to: String,
    /// The heading under which the link stands; empty above the first.
    pub(crate) under: String,
}

/// A widget's place.
#[derive(Debug, Clone)]
pub(crate) struct FigureHead {
    pub(crate) id: String,
    pub(crate) widget: String,
    pub(crate) query: Query,
    pub(crate) after: Option<String>,
}

/// What Markdown has in a chapter.
pub(crate) const CHAPTER: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_SMART_PUNCTUATION)
    .union(Options::ENABLE_HEADING_ATTRIBUTES)
    .union(Options::ENABLE_MATH);

impl<'a> Scan<'a> {
    /// Looks through a chapter.
    pub(crate) fn new(file: &'a SourceFile) -> Self {
        let (front, body) = parts(file);
        Self::of(front, body)
    }

    /// Looks through a chapter whose front matter and text are these.
    pub(crate) fn of(front: Option<Located<'a>>, body: Located<'a>) -> Self {
        let mut scan = Scan {
            front,
            headings: Vec::new(),
            figures: Vec::new(),
            anchors: BTreeSet::new(),
            links: Vec::new(),
            body,
        };
        let text = scan.body.text.clone();
        let mut heading: Option<(Option<String>, String)> = None;
        let mut fence: Option<(String, String)> = None;
        for event in Parser::new_ext(&text, CHAPTER) {
            match event {
                Event::Start(Tag::Heading { id, .. }) => {
                    heading = Some((id.map(|i| i.to_string()), String::new()));
                }
                Event::End(TagEnd::Heading(_)) => {
                    if let Some((id, text)) = heading.take() {
                        let wanted = id.filter(|i| crate::names::is_id(i)).unwrap_or_else(|| slug(&text));
                        let id = scan.free(&wanted);
                        scan.headings.push(id);
                    }
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    if let Some(to) = dest_url.strip_prefix("chapter:") {
                        let to = to.split('#').next().unwrap_or_default().to_owned();
                        let under = scan.headings.last().cloned().unwrap_or_default();
                        scan.links.push(ChapterLink { to, under });
                    }
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    fence = Some((info.to_string(), String::new()));
                }
                Event::End(TagEnd::CodeBlock) => {
                    if let Some((info, body)) = fence.take() {
                        scan.fence(&info, &body);
                    }
                }
                Event::Text(t) | Event::Code(t) | Event::InlineMath(t) => {
                    if let Some((_, text)) = &mut heading {
                        text.push_str(&t);
                    } else if let Some((_, body)) = &mut fence {
                        body.push_str(&t);
                    }
                }
                Event::SoftBreak | Event::HardBreak => {
                    if let Some((_, text)) = &mut heading {
                        text.push(' ');
                    }
                }
                _ => {}
            }
        }
        scan
    }

    fn fence(&mut self, info: &str, body: &str) {
        match Fence::parse(info) {
            Fence::Widget(fence) => {
                let file = SourceFile::missing("");
                let WidgetFence { widget, id, after, .. } = fence;
                let query =
                    super::fence::parameters(&file.located().replaced(body.to_owned(), Vec::new()), &Sink::default());
                let wanted = id.unwrap_or_else(|| format!("fig-{}", self.figures.len() + 1));
                let id = self.free(&wanted);
                self.figures.push(FigureHead { id, widget, query, after });
            }
            Fence::Exercise(id) => {
                self.anchors.insert(format!("exercise-{id}"));
            }
            _ => {}
        }
    }

    /// `wanted` or, if that anchor is taken, the next number after it.
    fn free(&mut self, wanted: &str) -> String {
        let mut id = wanted.to_owned();
        let mut n = 2;
        while !self.anchors.insert(id.clone()) {
            id = format!("{wanted}-{n}");
            n += 1;
        }
        id
    }
}

/// A chapter's front matter, if there is any, and its text.
pub(crate) fn parts(file: &SourceFile) -> (Option<Located<'_>>, Located<'_>) {
    let all = file.located();
    let (front, body) = split_front_matter(&file.text);
    (front.map(|range| all.denoted(range.clone(), &file.text[range])), all.denoted(body.clone(), &file.text[body]))
}

/// The front matter, without its `+++` lines, and the rest.
fn split_front_matter(text: &str) -> (Option<Range<usize>>, Range<usize>) {
    let all = (None, 0..text.len());
    let first = text.find('\n').map_or(text.len(), |i| i + 1);
    if text[..first].trim_end() != "+++" {
        return all;
    }
    let mut at = first;
    for line in text[first..].split_inclusive('\n') {
        if line.trim_end() == "+++" {
            return (Some(first..at), at + line.len()..text.len());
        }
        at += line.len();
    }
    all
}
