//! Writes HTML from the events of the Markdown parser.
//!
//! Here are the text, the elements and the links; what has rules of its own has a file of its own.

mod boxes;
mod fences;
mod footnotes;
mod headings;

use std::collections::BTreeMap;
use std::ops::Range;

pub(super) use fences::listing;

use pulldown_cmark::{Alignment, Event, Options, Parser, Tag, TagEnd};
use ringside_core::exercise::export::plain_text;

use super::links::{self, Here};
use super::scan::{FigureHead, Scan};
use super::{ASIDE_END, Page, Section, Slot, bind, figure, maths, values};
use crate::diagnostic::Mode;
use crate::html::{escape, escape_into, text_of};
use crate::language::{self, Lang};
use crate::markdown::Heading;
use crate::schema::Html;
use crate::source::{Located, Spot};
use crate::world::World;

/// What stands between two cells of a table in text without markup.
const CELL: &str = " · ";

/// What kind of text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    /// A whole chapter.
    Chapter,
    /// A few blocks.
    Blocks,
    /// A few blocks with headings, which are no anchors.
    Slide,
    /// One line.
    Inline,
}

pub(super) struct Writer<'w, 'a> {
    world: &'w World<'a>,
    text: &'w Located<'a>,
    flavour: Flavour,
    slug: Option<&'w str>,
    anchors: &'w [String],
    heads: &'w [FigureHead],
    exercises: &'w [Slot],
    /// The page's language.
    lang: Lang,
    /// Which parts of the text are in English all the same.
    english: &'w [Range<usize>],
    /// The language of what is written just now.
    now: Lang,
    placed: Vec<&'w str>,
    out: String,
    /// The text since the last heading, without markup.
    plain: String,
    /// What ends the open elements whose end is not always the same.
    closers: Vec<&'static str>,
    /// Where the text of the link that was opened last begins.
    link_text: usize,
    table: Option<Table>,
    headings: usize,
    heading: Option<(u8, String, usize)>,
    last_level: u8,
    /// The level of the aside that is open.
    aside: Option<u8>,
    widgets: Vec<String>,
    outline: Vec<Heading>,
    sections: Vec<Section>,
    title: (String, String),
    footnotes: Footnotes<'a>,
    sources_placed: bool,
    rest: Option<Range<usize>>,
    notes: Vec<Html>,
    paragraphs: usize,
    /// Where the last formula began that was not closed.
    dollar: Option<usize>,
}

struct Table {
    alignments: Vec<Alignment>,
    cell: usize,
    in_head: bool,
}

#[derive(Default)]
struct Footnotes<'a> {
    /// By label, in the order of their first mention: counted from 1.
    numbers: BTreeMap<String, usize>,
    /// Rendered definitions, by label, and where they stand.
    definitions: BTreeMap<String, (String, Spot<'a>)>,
    /// The text that waits while a definition is written.
    waiting: Vec<(String, String, Spot<'a>)>,
}

type Events<'e> = [(Event<'e>, Range<usize>)];

impl<'w, 'a> Writer<'w, 'a> {
    pub(super) fn new(world: &'w World<'a>, text: &'w Located<'a>, flavour: Flavour, slug: Option<&'w str>) -> Self {
        let heads = slug.and_then(|s| world.scans.get(s)).map_or(&[][..], |s| &s.figures);
        Self {
            world,
            text,
            flavour,
            slug,
            anchors: &[],
            heads,
            exercises: &[],
            lang: Lang::En,
            english: &[],
            now: Lang::En,
            placed: Vec::new(),
            out: String::with_capacity(text.text.len() * 2),
            plain: String::new(),
            closers: Vec::new(),
            link_text: 0,
            table: None,
            headings: 0,
            heading: None,
            last_level: 1,
            aside: None,
            widgets: Vec::new(),
            outline: Vec::new(),
            sections: Vec::new(),
            title: Default::default(),
            footnotes: Footnotes::default(),
            sources_placed: false,
            rest: None,
            notes: Vec::new(),
            paragraphs: 0,
            dollar: None,
        }
    }

    pub(super) fn with_chapter(mut self, scan: &'w Scan<'a>, exercises: &'w [Slot]) -> Self {
        self.anchors = &scan.headings;
        self.heads = &scan.figures;
        self.exercises = exercises;
        self
    }

    /// For a page in another language, whose text is in English in these places.
    pub(super) fn in_language(mut self, lang: Lang, english: &'w [Range<usize>]) -> Self {
        (self.lang, self.now, self.english) = (lang, lang, english);
        self
    }

    /// Writes a piece.
    pub(super) fn piece(mut self, options: Options) -> Html {
        self.run(options);
        Html(self.out.trim_end().to_owned())
    }

    /// Writes a chapter.
    pub(super) fn page(mut self, options: Options) -> Page {
        self.run(options);
        self.end_aside();
        self.remaining_exercises();
        self.write_footnotes();
        self.end_section(String::new(), String::new());
        Page {
            html: self.out,
            outline: self.outline,
            widgets: self.widgets,
            sections: self.sections,
            notes: self.notes,
            exercises: self.placed.into_iter().map(str::to_owned).collect(),
            rest: self.rest.unwrap_or_default(),
        }
    }

    fn run(&mut self, options: Options) {
        let text = self.text;
        let events: Vec<_> = Parser::new_ext(&text.text, options).into_offset_iter().collect();
        let (mut i, mut depth) = (0, 0_usize);
        while let Some((_, range)) = events.get(i) {
            let at_top = depth == 0;
            if at_top {
                self.turn_to_language_at(range.start);
            }
            let begins = self.out.len();
            let next = self.event(&events, i);
            if at_top && self.now != self.lang {
                self.mark_english(begins);
            }
            for (event, _) in events.get(i..next).unwrap_or_default() {
                match event {
                    // What is in one is written where the notes are.
                    Event::Start(Tag::FootnoteDefinition(_)) | Event::End(TagEnd::FootnoteDefinition) => {}
                    Event::Start(_) => depth += 1,
                    Event::End(_) => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            i = next;
        }
    }

    /// Before what is written of the byte `at` of the text. Where English begins on a page in another language, that is said.
    fn turn_to_language_at(&mut self, at: usize) {
        let now = if self.english.iter().any(|range| range.contains(&at)) { Lang::En } else { self.lang };
        if std::mem::replace(&mut self.now, now) != now && now != self.lang {
            // It stands before a section, and in no aside of the one before.
            self.end_aside();
            let note = language::UNTRANSLATED.to(self.lang);
            self.out.push_str(&format!("<p class=\"untranslated sans\">{}</p>\n", escape(note)));
        }
    }

    /// Says of the element that begins at this byte of what is written that it is English, on a page in another language.
    fn mark_english(&mut self, begins: usize) {
        // A heading may end the aside before it.
        let ended = self.out.get(begins..).is_some_and(|written| written.starts_with(ASIDE_END));
        let begins = begins + if ended { ASIDE_END.len() } else { 0 };
        let written = self.out.get(begins..).unwrap_or_default();
        let (Some(english), true) = (self.lang.english(), written.starts_with('<')) else { return };
        let tag = written.split('>').next().unwrap_or_default();
        let name = tag.find(' ').unwrap_or(tag.len());
        if !tag.starts_with("</") && !tag.contains(" lang=") {
            self.out.insert_str(begins + name, &language::attribute(Some(english)));
        }
    }

    /// Writes the event `i` and says which is next.
    fn event(&mut self, events: &Events<'_>, i: usize) -> usize {
        let (event, range) = &events[i];
        let spot = self.text.spot(range.start);
        match event {
            Event::Start(Tag::BlockQuote(_)) => return self.block_quote(events, i),
            Event::Start(Tag::CodeBlock(kind)) => return self.code_block(events, i, kind),
            Event::Start(tag) => self.start(tag, spot),
            Event::End(tag) => self.end(tag),
            Event::Text(t) => self.prose(t, range.clone()),
            Event::Code(t) => self.code(t, spot),
            Event::InlineMath(t) => self.formula(t, false, spot),
            Event::DisplayMath(t) => self.formula(t, true, spot),
            Event::Html(t) | Event::InlineHtml(t) => {
                let comment = t.trim_start().starts_with("<!--");
                let message = if comment {
                    "HTML comments are shown as text; take this one out."
                } else {
                    "Raw HTML is shown as text, not executed; write it in Markdown, or in backticks if it is meant."
                };
                self.trouble(spot, message, true);
                escape_into(&mut self.out, t);
            }
            Event::FootnoteReference(label) => self.footnote_reference(label),
            Event::SoftBreak => {
                self.out.push('\n');
                self.plain.push(' ');
            }
            Event::HardBreak => {
                self.out.push_str("<br>\n");
                self.plain.push(' ');
            }
            Event::Rule => self.out.push_str("<hr>\n"),
            Event::TaskListMarker(_) => {}
        }
        i + 1
    }

    /// Reports, and in lenient mode shows, a mistake.
    fn trouble(&mut self, spot: Spot<'_>, message: &str, in_line: bool) {
        let before = self.world.sink.len();
        self.world.sink.report(spot, message);
        self.show_troubles(before, in_line);
    }

    /// Shows what was reported since there were `before` diagnostics.
    fn show_troubles(&mut self, before: usize, in_line: bool) {
        if self.world.mode == Mode::Strict {
            return;
        }
        let element = if in_line { "span" } else { "div" };
        for message in self.world.sink.messages_after(before) {
            self.out
                .push_str(&format!("<{element} class=\"diagnostic\" role=\"note\">{}</{element}>", escape(&message)));
        }
    }

    fn prose(&mut self, text: &str, range: Range<usize>) {
        let source = &self.text.text;
        if text == "[" && self.flavour == Flavour::Chapter && source[range.end..].starts_with('^') {
            let label = source[range.end + 1..].split(']').next().unwrap_or_default();
            if !label.is_empty() && label.len() < 40 && !label.contains(char::is_whitespace) {
                self.trouble(
                    self.text.spot(range.start),
                    &format!("The footnote “{label}” is not defined; write `[^{label}]: …`."),
                    true,
                );
            }
        }
        self.lonely_dollar(text, &range);
        let rest = bind::after_formula(&mut self.out, text);
        escape_into(&mut self.out, &bind::units(rest));
        self.plain.push_str(text);
    }

    /// A `$` that begins a formula and is never closed; the first of a paragraph, since those after it follow from it.
    fn lonely_dollar(&mut self, text: &str, range: &Range<usize>) {
        let source = &self.text.text;
        let Some(at) = text.find('$').map(|n| range.start + n) else { return };
        let after = source[at..].chars().nth(1).unwrap_or(' ');
        let escaped = source[..at].ends_with('\\');
        if escaped || after.is_whitespace() || after.is_ascii_digit() || !source[at..].starts_with('$') {
            return;
        }
        let same =
            self.dollar.is_some_and(|last| source.get(last..at).is_some_and(|between| !between.contains("\n\n")));
        self.dollar = Some(at);
        if !same {
            let message = "This formula is not closed, or its braces are not. Write `\\$` for a dollar.";
            self.trouble(self.text.spot(at), message, true);
        }
    }

    fn code(&mut self, code: &str, spot: Spot<'_>) {
        let Some(source) = code.strip_prefix('=').filter(|_| code.len() > 1) else {
            self.out.push_str("<code>");
            escape_into(&mut self.out, code);
            self.out.push_str("</code>");
            self.plain.push_str(code);
            return;
        };
        match values::compute(source) {
            Ok(value) => {
                self.out.push_str(&figure::data(value.value, &value.text));
                self.plain.push_str(&value.text);
            }
            Err(trouble) => {
                let before = self.world.sink.len();
                let options: Vec<&str> = trouble.options.iter().map(String::as_str).collect();
                self.world.sink.report_near(spot, trouble.message, &trouble.given, &options);
                self.show_troubles(before, true);
                self.out.push_str("<code>");
                escape_into(&mut self.out, code);
                self.out.push_str("</code>");
            }
        }
    }

    fn formula(&mut self, latex: &str, display: bool, spot: Spot<'_>) {
        let formula = maths::mathml(latex, display);
        self.plain.push_str(&plain_text(formula.as_deref().unwrap_or(latex)));
        match formula {
            // A formula can be wider than a phone: it scrolls, also with the keyboard.
            Ok(html) if display => {
                let name = language::FORMULA.to(self.now);
                self.out.push_str(&format!(
                    "<span class=\"math-block\" role=\"group\" aria-label=\"{name}\" tabindex=\"0\">"
                ));
                self.out.push_str(&html);
                self.out.push_str("</span>");
            }
            Ok(html) => {
                bind::before_formula(&mut self.out);
                self.out.push_str(&html);
            }
            Err(message) => {
                self.trouble(spot, &message, true);
                self.out.push_str("<code>");
                escape_into(&mut self.out, latex);
                self.out.push_str("</code>");
            }
        }
    }

    fn start(&mut self, tag: &Tag<'_>, spot: Spot<'a>) {
        if self.flavour == Flavour::Inline {
            self.start_in_line(tag, spot);
            return;
        }
        match tag {
            Tag::Paragraph => self.out.push_str("<p>"),
            Tag::Heading { level, id, classes, .. } => self.start_heading(*level, id.as_ref(), classes, spot),
            Tag::List(None) => self.out.push_str("<ul>\n"),
            Tag::List(Some(1)) => self.out.push_str("<ol>\n"),
            Tag::List(Some(n)) => self.out.push_str(&format!("<ol start=\"{n}\">\n")),
            Tag::Item => self.out.push_str("<li>"),
            Tag::Table(alignments) => {
                self.table = Some(Table { alignments: alignments.clone(), cell: 0, in_head: false });
                // A table can be wider than a phone: it scrolls, also with the keyboard.
                let name = language::TABLE_NAME.to(self.now);
                self.out.push_str(&format!(
                    "<div class=\"table-scroll\" role=\"group\" aria-label=\"{name}\" tabindex=\"0\">\n<table>\n"
                ));
            }
            Tag::TableHead => {
                self.begin_row(true);
                self.out.push_str("<thead>\n<tr>");
            }
            Tag::TableRow => {
                self.begin_row(false);
                self.out.push_str("<tr>");
            }
            Tag::TableCell => self.start_cell(),
            Tag::FootnoteDefinition(label) => {
                let waiting = std::mem::take(&mut self.out);
                self.footnotes.waiting.push((label.to_string(), waiting, spot));
            }
            tag => self.start_span(tag, spot),
        }
    }

    /// Only what fits in a line is written; the rest is reported, once.
    fn start_in_line(&mut self, tag: &Tag<'_>, spot: Spot<'_>) {
        match tag {
            Tag::Paragraph if self.paragraphs == 0 => self.paragraphs = 1,
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. } => {
                self.start_span(tag, spot);
            }
            Tag::Item | Tag::TableHead | Tag::TableRow | Tag::TableCell => self.out.push(' '),
            _ => {
                self.trouble(
                    spot,
                    "Only one line of text fits here: no second paragraph, list, heading or other block.",
                    true,
                );
                self.out.push(' ');
                self.plain.push(' ');
            }
        }
    }

    fn start_span(&mut self, tag: &Tag<'_>, spot: Spot<'_>) {
        match tag {
            Tag::Emphasis => self.out.push_str("<em>"),
            Tag::Strong => self.out.push_str("<strong>"),
            Tag::Strikethrough => self.out.push_str("<del>"),
            Tag::Link { dest_url, .. } => self.start_link(dest_url, spot),
            Tag::Image { .. } => {
                self.trouble(spot, "Images are not allowed; figures are widgets, drawn from ringside-core.", true);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: &TagEnd) {
        let in_line = self.flavour == Flavour::Inline;
        match tag {
            TagEnd::Emphasis => self.out.push_str("</em>"),
            TagEnd::Strong => self.out.push_str("</strong>"),
            TagEnd::Strikethrough => self.out.push_str("</del>"),
            TagEnd::Link => self.end_link(),
            _ if in_line => {}
            TagEnd::Paragraph => {
                self.out.push_str("</p>\n");
                self.plain.push(' ');
            }
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::BlockQuote(_) => {
                let closer = self.closers.pop().unwrap_or_default();
                self.out.push_str(closer);
            }
            TagEnd::List(ordered) => self.out.push_str(if *ordered { "</ol>\n" } else { "</ul>\n" }),
            TagEnd::Item => {
                self.out.push_str("</li>\n");
                self.plain.push(' ');
            }
            TagEnd::Table => {
                self.table = None;
                self.out.push_str("</tbody>\n</table>\n</div>\n");
            }
            TagEnd::TableHead => {
                self.out.push_str("</tr>\n</thead>\n<tbody>\n");
                self.end_plain_row();
            }
            TagEnd::TableRow => {
                self.out.push_str("</tr>\n");
                self.end_plain_row();
            }
            TagEnd::TableCell => {
                self.end_cell();
                self.plain.push_str(CELL);
            }
            TagEnd::FootnoteDefinition => {
                if let Some((label, waiting, spot)) = self.footnotes.waiting.pop() {
                    let definition = std::mem::replace(&mut self.out, waiting);
                    self.footnotes.definitions.insert(label, (definition, spot));
                }
            }
            _ => {}
        }
    }

    /// In text without markup cells stand apart, and rows more so.
    fn end_plain_row(&mut self) {
        let end = self.plain.trim_end_matches(CELL).len();
        self.plain.truncate(end);
        self.plain.push_str("; ");
    }

    fn begin_row(&mut self, in_head: bool) {
        if let Some(table) = &mut self.table {
            table.cell = 0;
            table.in_head = in_head;
        }
    }

    fn start_cell(&mut self) {
        let Some(table) = &mut self.table else { return };
        let class = match table.alignments.get(table.cell) {
            Some(Alignment::Right) => " class=\"right\"",
            Some(Alignment::Center) => " class=\"center\"",
            _ => "",
        };
        table.cell += 1;
        let tag = if table.in_head { "<th scope=\"col\"" } else { "<td" };
        self.out.push_str(&format!("{tag}{class}>"));
    }

    fn end_cell(&mut self) {
        let head = self.table.as_ref().is_some_and(|t| t.in_head);
        let opened = self.out.rfind("<th").filter(|_| head).unwrap_or(self.out.len());
        let empty = self.out.get(opened..).is_some_and(|cell| cell.find('>').is_some_and(|end| end + 1 == cell.len()));
        if empty {
            // What heads a column without a word is no heading.
            self.out.truncate(opened);
            self.out.push_str("<td></td>");
        } else {
            self.out.push_str(if head { "</th>" } else { "</td>" });
        }
    }

    /// The opening tag of a link; nothing if it is broken, which is said.
    fn open_link(&mut self, destination: &str, spot: Spot<'_>) -> String {
        let before = self.world.sink.len();
        let above = if self.flavour == Flavour::Chapter { self.widgets.len() } else { self.heads.len().min(1) };
        let here = Here { slug: self.slug, lang: self.lang, figures: self.heads, above };
        let link = links::link(self.world, here, destination, spot);
        self.show_troubles(before, true);
        link
    }

    fn start_link(&mut self, destination: &str, spot: Spot<'_>) {
        let link = self.open_link(destination, spot);
        self.closers.push(if link.is_empty() { "" } else { "</a>" });
        self.out.push_str(&link);
        self.link_text = self.out.len();
    }

    fn end_link(&mut self) {
        let closer = self.closers.pop().unwrap_or_default();
        let text = self.out.get(self.link_text..).unwrap_or_default();
        // Not every browser names a link after a formula.
        if !closer.is_empty() && text.starts_with("<math") && text.trim_end_matches('\u{2060}').ends_with("</math>") {
            let label = format!(" aria-label=\"{}\"", escape(&text_of(&Html(text.to_owned()))));
            self.out.insert_str(self.link_text.saturating_sub(1), &label);
        }
        self.out.push_str(closer);
    }
}

/// `text` with every run of white space as one space.
fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
