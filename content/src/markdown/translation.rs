//! A chapter in another language: `chapter.<code>.md` next to `chapter.md`.
//!
//! It has the sections that are translated, by the ids of their headings; the others stay English. In a section everything but words is as in
//! `chapter.md`: headings, figures, exercises and code labs in the same order, and between two of them the same links, expressions, formulas,
//! listings, boxes and footnotes, in any order, since another language has another order of words.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};
use ringside_core::query::shorten;

use super::fence::Fence;
use super::scan::{self, CHAPTER, Scan};
use crate::diagnostic::Sink;
use crate::html::slug;
use crate::source::{Located, SourceFile};

/// A chapter as it is read in another language.
pub(crate) struct Translation<'a> {
    /// Its text, with English sections in the place of those that aren't translated.
    pub(crate) scan: Scan<'a>,
    /// Where the text is English.
    pub(crate) english: Vec<Range<usize>>,
    /// How many sections are translated, and how many there are, by headings of level 2.
    pub(crate) sections: [usize; 2],
}

impl<'a> Translation<'a> {
    /// What `file` makes of the chapter `original`. What differs in it is reported.
    pub(crate) fn of(original: &Scan<'a>, file: &'a SourceFile, sink: &Sink) -> Self {
        let (front, body) = scan::parts(file);
        let (mine, theirs) = (sections(&original.body.text), sections(&body.text));
        let ids: Vec<&str> = mine.iter().map(|section| section.id.as_str()).collect();
        for (i, section) in theirs.iter().enumerate() {
            let spot = body.spot(section.range.start);
            if !ids.contains(&section.id.as_str()) {
                let message = format!("chapter.md has no section “#{}” of level 2.", shorten(&section.id));
                sink.report_near(spot, message, &section.id, &ids);
            } else if theirs.iter().take(i).any(|before| before.id == section.id) {
                sink.report(spot, format!("The section “#{}” is here twice.", section.id));
            }
        }
        let (mut pieces, mut english, mut at) = (Vec::new(), Vec::new(), 0);
        let (mut done, mut all) = (0, 0);
        for section in mine {
            let found =
                theirs.iter().find(|other| other.id == section.id && !body.text[other.range.clone()].trim().is_empty());
            let (text, range) = match found {
                Some(other) => {
                    let [original, translated] = [(&original.body, &section), (&body, other)];
                    compare(
                        &Skeleton::of(original.0, &original.1.range),
                        &Skeleton::of(translated.0, &translated.1.range),
                        sink,
                    );
                    (&body, &other.range)
                }
                None => (&original.body, &section.range),
            };
            let piece = text.denoted(range.clone(), &text.text[range.clone()]);
            let ends = at + piece.text.len();
            if found.is_none() && section.has_words {
                english.push(at..ends);
            }
            at = ends;
            pieces.push(piece);
            if !section.id.is_empty() {
                all += 1;
                done += usize::from(found.is_some());
            }
        }
        let text = Located::joined(pieces).unwrap_or(body);
        Self { scan: Scan::of(front, text), english, sections: [done, all] }
    }
}

/// What of two lines of text, say a summary and its translation, differs is reported.
pub(crate) fn compare_lines(original: &Located<'_>, translated: &Located<'_>, sink: &Sink) {
    let [original, translated] = [original, translated].map(|text| Skeleton::of(text, &(0..text.text.len())));
    compare(&original, &translated, sink);
}

/// The text from one heading of level 2 to the next, and before the first of them.
#[derive(Debug, Default)]
struct Part {
    /// The anchor of its heading; empty before the first.
    id: String,
    range: Range<usize>,
    /// Whether there is anything in it that can be translated.
    has_words: bool,
}

fn sections(text: &str) -> Vec<Part> {
    let mut parts = vec![Part::default()];
    let mut heading: Option<(Option<String>, String)> = None;
    for (event, range) in Parser::new_ext(text, CHAPTER).into_offset_iter() {
        let Some(last) = parts.last_mut() else { break };
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H2, id, .. }) => {
                last.range.end = range.start;
                heading = Some((id.map(|id| id.to_string()), String::new()));
                parts.push(Part { range: range.start..range.start, ..Part::default() });
            }
            Event::End(TagEnd::Heading(HeadingLevel::H2)) => {
                if let Some((id, words)) = heading.take() {
                    (last.id, last.has_words) = (id.unwrap_or_else(|| slug(&words)), true);
                }
            }
            Event::Start(Tag::Paragraph) => last.has_words = true,
            Event::Text(words) | Event::Code(words) => {
                if let Some((_, text)) = &mut heading {
                    text.push_str(&words);
                }
            }
            _ => {}
        }
    }
    if let Some(last) = parts.last_mut() {
        last.range.end = text.len();
    }
    parts
}

/// Something that is the same in every language.
struct Fixed<'t, 'a> {
    what: &'static str,
    text: String,
    of: &'t Located<'a>,
    at: usize,
}

impl Fixed<'_, '_> {
    /// What it is, in a message.
    fn name(&self) -> String {
        format!("{} `{}`", self.what, shorten(self.text.lines().next().unwrap_or_default()))
    }

    fn line(&self) -> usize {
        self.of.spot(self.at).line_and_column().0
    }

    fn is(&self, other: &Self) -> bool {
        self.what == other.what && self.text == other.text
    }
}

/// What of a section is the same in every language.
struct Skeleton<'t, 'a> {
    text: &'t Located<'a>,
    /// Headings, figures and exercises, in order.
    blocks: Vec<Fixed<'t, 'a>>,
    /// What stands before the first block, after it, …
    between: Vec<Vec<Fixed<'t, 'a>>>,
    /// Where it begins.
    begins: usize,
    /// Notes for whoever presents, which are English only.
    notes: Vec<usize>,
}

impl<'t, 'a> Skeleton<'t, 'a> {
    fn of(text: &'t Located<'a>, range: &Range<usize>) -> Self {
        let mut skeleton =
            Self { text, blocks: Vec::new(), between: vec![Vec::new()], begins: range.start, notes: Vec::new() };
        let source = text.text.get(range.clone()).unwrap_or_default();
        let mut fence: Option<(String, String, usize)> = None;
        let mut heading: Option<(HeadingLevel, Option<String>, String)> = None;
        for (event, within) in Parser::new_ext(source, CHAPTER).into_offset_iter() {
            let at = range.start + within.start;
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    fence = Some((info.to_string(), String::new(), at));
                }
                Event::End(TagEnd::CodeBlock) => {
                    if let Some((info, body, at)) = fence.take() {
                        skeleton.fence(&info, &body, at);
                    }
                }
                Event::Start(Tag::Heading { level, id, classes, .. }) => {
                    // An aside there is one here.
                    let classes = classes.iter().map(|class| format!(" .{class}")).collect();
                    skeleton.block("the heading", classes, at);
                    heading = Some((level, id.map(|id| id.to_string()), String::new()));
                }
                Event::End(TagEnd::Heading(_)) => {
                    if let (Some((level, id, words)), Some(block)) = (heading.take(), skeleton.blocks.last_mut()) {
                        let (level, id) = ("#".repeat(level as usize), id.unwrap_or_else(|| slug(&words)));
                        block.text = format!("{level} {{#{id}{}}}", block.text);
                    }
                }
                Event::Text(words) => {
                    if let Some((_, body, _)) = &mut fence {
                        body.push_str(&words);
                    } else if let Some((_, _, text)) = &mut heading {
                        text.push_str(&words);
                    }
                }
                Event::Code(code) => match (code.strip_prefix('='), &mut heading) {
                    (Some(_), _) => skeleton.item("the expression", code.to_string(), at),
                    (None, Some((_, _, text))) => text.push_str(&code),
                    (None, None) => {}
                },
                Event::InlineMath(latex) | Event::DisplayMath(latex) => {
                    skeleton.item("the formula", format!("${latex}$"), at);
                }
                Event::Start(Tag::Link { dest_url, .. }) => skeleton.item("the link", dest_url.to_string(), at),
                Event::FootnoteReference(label) => skeleton.item("the footnote", format!("[^{label}]"), at),
                Event::Start(Tag::FootnoteDefinition(label)) => {
                    skeleton.item("the footnote", format!("[^{label}]:"), at);
                }
                Event::Start(Tag::BlockQuote(_)) => {
                    let line = source.get(within.start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
                    let kind = line.split_once("[!").and_then(|(_, rest)| rest.split_once(']')).map(|(kind, _)| kind);
                    skeleton.item("the box", format!("[!{}]", kind.unwrap_or_default()), at);
                }
                _ => {}
            }
        }
        skeleton
    }

    fn fence(&mut self, info: &str, body: &str, at: usize) {
        let whole = format!("{info}\n{}", body.trim());
        match Fence::parse(info) {
            Fence::Notes => self.notes.push(at),
            Fence::Code(_) => self.item("the listing", whole, at),
            Fence::Lab(..) => self.block("the lab", without_brackets(&whole), at),
            Fence::Widget(_) => self.block("the figure", whole, at),
            Fence::Exercise(_) | Fence::Exercises => self.block("the exercise", whole, at),
            Fence::Sources => self.block("the fence", whole, at),
        }
    }

    fn block(&mut self, what: &'static str, text: String, at: usize) {
        self.blocks.push(Fixed { what, text, of: self.text, at });
        self.between.push(Vec::new());
    }

    fn item(&mut self, what: &'static str, text: String, at: usize) {
        let item = Fixed { what, text, of: self.text, at };
        if let Some(last) = self.between.last_mut() {
            last.push(item);
        }
    }
}

/// `text` without the words of its links.
fn without_brackets(text: &str) -> String {
    let mut parts = text.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + "[" + part.find(']').map_or(part, |end| &part[end..]))
}

/// Reports where what is translated isn't as the original.
fn compare(original: &Skeleton<'_, '_>, translated: &Skeleton<'_, '_>, sink: &Sink) {
    let spot = |at: usize| translated.text.spot(at);
    for at in &translated.notes {
        sink.report(spot(*at), "Notes for the presenter stay in chapter.md; take them out here.");
    }
    for (mine, theirs) in original.blocks.iter().zip(&translated.blocks) {
        if !mine.is(theirs) {
            let rest = if mine.text.lines().next() == theirs.text.lines().next() {
                " with the parameters that it has there".to_owned()
            } else {
                format!(", not {}", theirs.name())
            };
            sink.report(spot(theirs.at), format!("chapter.md has {} here (line {}){rest}.", mine.name(), mine.line()));
            return;
        }
    }
    if let Some(missing) = original.blocks.get(translated.blocks.len()) {
        let at = translated.blocks.last().map_or(translated.begins, |block| block.at);
        let message = format!(
            "chapter.md has {} (line {}) after this. It is missing here; add it.",
            missing.name(),
            missing.line()
        );
        sink.report(spot(at), message);
        return;
    }
    if let Some(more) = translated.blocks.get(original.blocks.len()) {
        sink.report(spot(more.at), format!("chapter.md doesn’t have {} here; take it out.", more.name()));
        return;
    }
    let starts = std::iter::once(translated.begins).chain(translated.blocks.iter().map(|block| block.at));
    for ((mine, theirs), at) in original.between.iter().zip(&translated.between).zip(starts) {
        let [mut missing, more] = [(mine, theirs), (theirs, mine)].map(|(these, those)| without(these, those));
        for extra in more {
            let same = missing.iter().position(|lost| lost.what == extra.what);
            let message = match same.map(|at| missing.remove(at)) {
                Some(lost) => {
                    format!("This is {}; chapter.md has {} (line {}).", extra.name(), lost.name(), lost.line())
                }
                None => format!("chapter.md doesn’t have {} here; take it out.", extra.name()),
            };
            sink.report(spot(extra.at), message);
        }
        for lost in missing {
            let message = format!(
                "Below this line {} is missing, which chapter.md has in line {}. Add it.",
                lost.name(),
                lost.line()
            );
            sink.report(spot(at), message);
        }
    }
}

/// Those of `these` that have no equal among `those`; each of those counts once.
fn without<'f, 't, 'a>(these: &'f [Fixed<'t, 'a>], those: &[Fixed<'t, 'a>]) -> Vec<&'f Fixed<'t, 'a>> {
    let mut left: Vec<&Fixed<'_, '_>> = those.iter().collect();
    let is_alone = |item: &&Fixed<'t, 'a>| match left.iter().position(|other| other.is(item)) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    };
    these.iter().filter(is_alone).collect()
}
