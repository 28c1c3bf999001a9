//! Writes HTML from the events of the Markdown parser.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::fence::{self, Fence, WidgetFence};
use super::links::{self, Here};
use super::scan::{FigureHead, Scan};
use super::{Page, Section, Slot, figure, highlight, maths, values};
use crate::html::{escape, escape_into};
use crate::names::Kind;
use crate::schema::{Figure, Heading, Html, Preset};
use crate::site::Mode;
use crate::source::{Located, Spot};
use crate::world::World;

/// What kind of text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    /// A whole chapter.
    Chapter,
    /// A few blocks.
    Blocks,
    /// One line.
    Inline,
}

/// The boxes that a block quote can be, with their class and heading.
const BOXES: [(&str, &str, &str); 7] = [
    ("NOTE", "note", "Note"),
    ("TIP", "tip", "Tip"),
    ("IMPORTANT", "important", "Important"),
    ("WARNING", "warning", "Warning"),
    ("CAUTION", "caution", "Caution"),
    ("BREAKS", "breaks", "Where it breaks"),
    ("ASIDE", "aside", ""),
];

pub(super) struct Writer<'w, 'a> {
    world: &'w World<'a>,
    text: &'w Located<'a>,
    flavour: Flavour,
    slug: Option<&'w str>,
    anchors: &'w [String],
    heads: &'w [FigureHead],
    exercises: &'w [Slot],
    placed: Vec<&'w str>,
    out: String,
    /// The text since the last heading, without markup.
    plain: String,
    /// What ends the open elements whose end is not always the same.
    closers: Vec<&'static str>,
    /// Open links: their preset and where their text begins.
    open_links: Vec<(Option<(String, String)>, usize)>,
    table: Option<Table>,
    headings: usize,
    heading: Option<(u8, String, usize)>,
    last_level: u8,
    figures: Vec<Figure>,
    outline: Vec<Heading>,
    sections: Vec<Section>,
    title: (String, String),
    footnotes: Footnotes,
    images: usize,
    sources_placed: bool,
    rest_placed: bool,
    paragraphs: usize,
    words: usize,
}

struct Table {
    alignments: Vec<Alignment>,
    cell: usize,
    in_head: bool,
}

#[derive(Default)]
struct Footnotes {
    /// By label, in the order of their first mention: counted from 1.
    numbers: BTreeMap<String, usize>,
    /// Rendered definitions, by label, and where they stand.
    definitions: BTreeMap<String, (String, usize)>,
    /// The text that waits while a definition is written.
    waiting: Vec<(String, String, usize)>,
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
            placed: Vec::new(),
            out: String::with_capacity(text.text.len() * 2),
            plain: String::new(),
            closers: Vec::new(),
            open_links: Vec::new(),
            table: None,
            headings: 0,
            heading: None,
            last_level: 1,
            figures: Vec::new(),
            outline: Vec::new(),
            sections: Vec::new(),
            title: Default::default(),
            footnotes: Footnotes::default(),
            images: 0,
            sources_placed: false,
            rest_placed: false,
            paragraphs: 0,
            words: 0,
        }
    }

    pub(super) fn with_chapter(mut self, scan: &'w Scan<'a>, exercises: &'w [Slot]) -> Self {
        self.anchors = &scan.headings;
        self.heads = &scan.figures;
        self.exercises = exercises;
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
        self.remaining_exercises();
        self.write_footnotes();
        self.end_section(String::new(), String::new());
        Page {
            html: self.out,
            outline: self.outline,
            figures: self.figures,
            sections: self.sections,
            words: self.words,
        }
    }

    fn run(&mut self, options: Options) {
        let text = self.text;
        let events: Vec<_> = Parser::new_ext(&text.text, options).into_offset_iter().collect();
        let mut i = 0;
        while i < events.len() {
            i = self.event(&events, i);
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

    // ---------------------------------------------------------------- text

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
        escape_into(&mut self.out, text);
        self.plain.push_str(text);
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
        match maths::mathml(latex, display) {
            // A formula can be wider than a phone: it scrolls, also with the keyboard.
            Ok(html) if display => {
                self.out.push_str("<span class=\"math-block\" role=\"group\" aria-label=\"Formula\" tabindex=\"0\">");
                self.out.push_str(&html);
                self.out.push_str("</span>");
            }
            Ok(html) => self.out.push_str(&html),
            Err(message) => {
                self.trouble(spot, &message, true);
                self.out.push_str("<code>");
                escape_into(&mut self.out, latex);
                self.out.push_str("</code>");
            }
        }
    }

    // ---------------------------------------------------------------- elements

    fn start(&mut self, tag: &Tag<'_>, spot: Spot<'_>) {
        if self.flavour == Flavour::Inline {
            self.start_in_line(tag, spot);
            return;
        }
        match tag {
            Tag::Paragraph => self.out.push_str("<p>"),
            Tag::Heading { level, id, .. } => self.start_heading(*level, id.as_ref(), spot),
            Tag::List(None) => self.out.push_str("<ul>\n"),
            Tag::List(Some(1)) => self.out.push_str("<ol>\n"),
            Tag::List(Some(n)) => self.out.push_str(&format!("<ol start=\"{n}\">\n")),
            Tag::Item => self.out.push_str("<li>"),
            Tag::Table(alignments) => {
                self.table = Some(Table { alignments: alignments.clone(), cell: 0, in_head: false });
                // A table can be wider than a phone: it scrolls, also with the keyboard.
                self.out.push_str(
                    "<div class=\"table-scroll\" role=\"group\" aria-label=\"Table\" tabindex=\"0\">\n<table>\n",
                );
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
                self.footnotes.waiting.push((label.to_string(), waiting, spot.at));
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
                self.images += 1;
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
            TagEnd::TableHead => self.out.push_str("</tr>\n</thead>\n<tbody>\n"),
            TagEnd::TableRow => self.out.push_str("</tr>\n"),
            TagEnd::TableCell => {
                let head = self.table.as_ref().is_some_and(|t| t.in_head);
                self.out.push_str(if head { "</th>" } else { "</td>" });
                self.plain.push(' ');
            }
            TagEnd::FootnoteDefinition => {
                if let Some((label, waiting, at)) = self.footnotes.waiting.pop() {
                    let definition = std::mem::replace(&mut self.out, waiting);
                    self.footnotes.definitions.insert(label, (definition, at));
                }
            }
            _ => {}
        }
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

    // ---------------------------------------------------------------- headings

    fn start_heading(&mut self, level: HeadingLevel, given: Option<&CowStr<'_>>, spot: Spot<'_>) {
        let level = level as u8;
        if self.flavour != Flavour::Chapter {
            self.trouble(spot, "There are no headings here.", false);
            self.out.push_str("<p><strong>");
            return;
        }
        if level == 1 {
            self.trouble(spot, "Headings of a chapter begin at `##`; its title is in the front matter.", false);
        } else if level > self.last_level + 1 {
            let message = format!(
                "This heading is of level {level} under one of level {}; no level may be left out.",
                self.last_level
            );
            self.trouble(spot, &message, false);
        }
        self.last_level = level.max(2);
        let id = self.anchors.get(self.headings).cloned().unwrap_or_else(|| format!("section-{}", self.headings));
        self.headings += 1;
        if let Some(given) = given.filter(|g| ***g != *id) {
            let message = if crate::names::is_id(given) {
                format!("The anchor “#{given}” is taken; this heading has become “#{id}”.")
            } else {
                format!("An anchor is made of a-z, 0-9, “-” and “.”; “{given}” is not.")
            };
            self.trouble(spot, &message, false);
        }
        self.out.push_str(&format!("<h{} id=\"{}\">", self.last_level, escape(&id)));
        self.heading = Some((self.last_level, id, self.plain.len()));
    }

    fn end_heading(&mut self) {
        let Some((level, id, start)) = self.heading.take() else {
            self.out.push_str("</strong></p>\n");
            return;
        };
        self.out.push_str(&format!("</h{level}>\n"));
        let text = collapse(self.plain.get(start..).unwrap_or_default());
        self.plain.truncate(start);
        self.end_section(id.clone(), text.clone());
        if level <= 3 {
            self.outline.push(Heading { id, level, text });
        }
    }

    /// Puts the text since the last heading away, and notes the heading of the next.
    fn end_section(&mut self, id: String, title: String) {
        let text = collapse(&std::mem::take(&mut self.plain));
        self.words += text.split_whitespace().count();
        let (last_id, last_title) = std::mem::replace(&mut self.title, (id, title));
        if !last_id.is_empty() || !text.is_empty() {
            self.sections.push(Section { id: last_id, title: last_title, text });
        }
    }

    // ---------------------------------------------------------------- links

    fn start_link(&mut self, destination: &str, spot: Spot<'_>) {
        let before = self.world.sink.len();
        let above = if self.flavour == Flavour::Chapter { self.figures.len() } else { self.heads.len().min(1) };
        let here = Here { slug: self.slug, figures: self.heads, above };
        let link = links::link(self.world, here, destination, spot);
        self.show_troubles(before, true);
        self.closers.push(if link.open.is_empty() { "" } else { "</a>" });
        self.out.push_str(&link.open);
        self.open_links.push((link.preset, self.plain.len()));
    }

    fn end_link(&mut self) {
        let closer = self.closers.pop().unwrap_or_default();
        self.out.push_str(closer);
        let Some((Some((figure, query)), start)) = self.open_links.pop() else { return };
        let label = collapse(self.plain.get(start..).unwrap_or_default());
        if let Some(figure) = self.figures.iter_mut().find(|f| f.id == figure) {
            figure.presets.push(Preset { label, query });
        }
    }

    // ---------------------------------------------------------------- boxes

    /// A block quote, which may be a box: `> [!NOTE] Optional title`.
    fn block_quote(&mut self, events: &Events<'_>, i: usize) -> usize {
        let (_, range) = &events[i];
        let spot = self.text.spot(range.start);
        if self.flavour == Flavour::Inline {
            self.trouble(
                spot,
                "Only one line of text fits here: no second paragraph, list, heading or other block.",
                true,
            );
            return i + 1;
        }
        let source = &self.text.text;
        let line = range.start..source[range.start..].find('\n').map_or(source.len(), |n| range.start + n);
        let marker = source[line.clone()]
            .find("[!")
            .map(|n| line.start + n)
            .filter(|&at| source[line.start..at].chars().all(|c| c == '>' || c == ' '));
        let close = marker.and_then(|at| source[at..line.end].find(']').map(|n| at + n + 1));
        let paragraph = matches!(events.get(i + 1), Some((Event::Start(Tag::Paragraph), _)));
        let (Some(at), Some(close), true) = (marker, close, paragraph) else {
            self.out.push_str("<blockquote>\n");
            self.closers.push("</blockquote>\n");
            return i + 1;
        };
        let name = &source[at + 2..close - 1];
        let Some((_, class, label)) = BOXES.iter().find(|(n, _, _)| n.eq_ignore_ascii_case(name)) else {
            let names: Vec<&str> = BOXES.iter().map(|b| b.0).collect();
            let before = self.world.sink.len();
            let message =
                format!("There is no box “{}”; boxes are {}.", ringside_core::query::shorten(name), names.join(", "));
            self.world.sink.report_near(spot, message, name, &names);
            self.show_troubles(before, false);
            self.out.push_str("<blockquote>\n");
            self.closers.push("</blockquote>\n");
            return i + 1;
        };
        if *class == "aside" {
            self.out.push_str("<aside class=\"margin-note\" role=\"note\">\n");
            self.closers.push("</aside>\n");
        } else {
            self.out.push_str(&format!("<div class=\"admonition {class}\" role=\"note\">\n"));
            self.closers.push("</div>\n");
        }
        // The rest of the line is the title; the paragraph goes on behind it, unless markup straddles the line's end.
        let title_begins = self.out.len();
        self.out.push_str("<p class=\"admonition-title\">");
        if !label.is_empty() {
            self.out.push_str(&format!("<span class=\"admonition-kind\">{label}</span>"));
            if !source[close..line.end].trim().is_empty() {
                self.out.push(' ');
            }
        }
        let text_begins = self.out.len();
        let mut next = i + 2;
        let mut depth = 0_usize;
        while let Some((event, range)) = events.get(next) {
            match event {
                Event::End(TagEnd::Paragraph) => break,
                Event::SoftBreak | Event::HardBreak if depth == 0 => break,
                Event::Start(_) => depth += 1,
                Event::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if range.end <= close {
                next += 1;
            } else if let (Event::Text(text), true) = (event, self.out.len() == text_begins) {
                // The beginning of the title, perhaps of a text that began in the marker.
                let text = if range.start < close { source.get(close..range.end).unwrap_or_default() } else { text };
                self.prose(text.trim_start(), range.start.max(close)..range.end);
                next += 1;
            } else {
                next = self.event(events, next);
            }
        }
        if self.out.len() == text_begins && label.is_empty() {
            self.out.truncate(title_begins);
        } else {
            self.out.push_str("</p>\n");
            self.plain.push(' ');
        }
        match events.get(next) {
            Some((Event::End(TagEnd::Paragraph), _)) => next + 1,
            Some((Event::SoftBreak | Event::HardBreak, _)) => {
                self.out.push_str("<p>");
                next + 1
            }
            _ => {
                self.out.push_str("<p>");
                next
            }
        }
    }

    // ---------------------------------------------------------------- fences

    fn code_block(&mut self, events: &Events<'_>, i: usize, kind: &CodeBlockKind<'_>) -> usize {
        let (_, range) = &events[i];
        let spot = self.text.spot(range.start);
        let mut body = String::new();
        let mut begins = None;
        let mut next = i + 1;
        while let Some((event, range)) = events.get(next) {
            next += 1;
            match event {
                Event::Text(text) => {
                    begins.get_or_insert(range.start);
                    body.push_str(text);
                }
                _ => break,
            }
        }
        if self.flavour == Flavour::Inline {
            self.trouble(
                spot,
                "Only one line of text fits here: no second paragraph, list, heading or other block.",
                true,
            );
            return next;
        }
        let info = match kind {
            CodeBlockKind::Fenced(info) => info.as_ref(),
            CodeBlockKind::Indented => "",
        };
        let begins = begins.unwrap_or(range.start);
        match Fence::parse(info) {
            Fence::Code(language) => self.listing(&language, &body, spot),
            _ if self.flavour != Flavour::Chapter => {
                self.trouble(spot, "Widgets, exercises and sources can only be placed in a chapter’s text.", false);
            }
            Fence::Widget(fence) => {
                let body = self.text.denoted(begins..range.end.max(begins), &body);
                self.widget(&fence, &body, spot);
            }
            Fence::Exercise(id) => self.exercise(&id, spot),
            Fence::Exercises => {
                self.rest_placed = true;
                self.rest_of_exercises();
            }
            Fence::Sources => self.sources(spot),
        }
        next
    }

    fn listing(&mut self, language: &str, code: &str, spot: Spot<'_>) {
        let name = if language.is_empty() { "text" } else { language };
        let (class, html) = highlight::highlight(name, code).unwrap_or_else(|| {
            let before = self.world.sink.len();
            let names = highlight::names();
            let message = format!(
                "There is no highlighting for “{}”; languages are python, rust, wgsl, bash, json and text.",
                ringside_core::query::shorten(name)
            );
            self.world.sink.report_near(spot, message, name, &names);
            self.show_troubles(before, false);
            ("text", escape(code))
        });
        // A listing can be wider than a phone: it scrolls, also with the keyboard.
        self.out.push_str(&format!(
            "<pre class=\"code\" tabindex=\"0\"><code class=\"language-{class}\">{html}</code></pre>\n"
        ));
    }

    fn widget(&mut self, fence: &WidgetFence, body: &Located<'_>, spot: Spot<'_>) {
        let before = self.world.sink.len();
        let sink = self.world.sink;
        let query = fence::parameters(body, sink);
        let head = self.heads.get(self.figures.len());
        let id = head.map_or_else(|| format!("fig-{}", self.figures.len() + 1), |h| h.id.clone());
        for word in &fence.extra {
            let message = format!("“{word}” means nothing here; a widget is `widget id #anchor after=exercise`.");
            sink.report_near(spot, message, word.split('=').next().unwrap_or_default(), &["after"]);
        }
        if let Some(given) = fence.id.as_ref().filter(|g| **g != id || !crate::names::is_id(g)) {
            if crate::names::is_id(given) {
                sink.report(spot, format!("The anchor “#{given}” is taken; this figure has become “#{id}”."));
            } else {
                sink.report(spot, format!("An anchor is made of a-z, 0-9, “-” and “.”; “{given}” is not."));
            }
        }
        if let Some(after) = &fence.after
            && self.world.names.resolve(Kind::Exercise, after, spot, sink)
        {
            let exercise = self.world.exercises.get(after).cloned().unwrap_or_default();
            if Some(exercise.chapter.as_str()) != self.slug {
                sink.report(spot, format!("The exercise “{after}” is in another chapter: “{}”.", exercise.chapter));
            } else if exercise.kind != "predict" {
                let message = format!(
                    "Only a predict exercise can unlock a figure; “{after}” is of the kind “{}”.",
                    exercise.kind
                );
                sink.report(spot, message);
            }
        }
        let known = self.world.names.resolve(Kind::Widget, &fence.widget, spot, sink);
        if known && let Some(entry) = self.world.widget(&fence.widget) {
            let evaluation = (entry.evaluate)(&query);
            for problem in &evaluation.problems {
                let at = find_key(&body.text, &problem.name);
                sink.report(body.spot(at), problem.message.clone());
            }
            if let Some(error) = &evaluation.error {
                sink.report(spot, error.clone());
            }
            self.out.push_str(&figure::slot(entry, &id, &query, fence.after.as_deref()));
        }
        self.show_troubles(before, false);
        self.figures.push(Figure {
            id,
            widget: fence.widget.clone(),
            query: query.to_string(),
            after: fence.after.clone(),
            presets: Vec::new(),
        });
    }

    fn exercise(&mut self, id: &str, spot: Spot<'_>) {
        let Some(slot) = self.exercises.iter().find(|e| e.id == id) else {
            let before = self.world.sink.len();
            let ids: Vec<&str> = self.exercises.iter().map(|e| e.id.as_str()).collect();
            let message = format!(
                "There is no exercise “{}” in this chapter’s exercises.toml.",
                ringside_core::query::shorten(id)
            );
            self.world.sink.report_near(spot, message, id, &ids);
            self.show_troubles(before, false);
            return;
        };
        if self.placed.contains(&slot.id.as_str()) {
            self.trouble(spot, &format!("The exercise “{id}” is placed twice."), false);
            return;
        }
        self.place(slot);
    }

    fn place(&mut self, slot: &'w Slot) {
        self.placed.push(&slot.id);
        let id = escape(&slot.id);
        self.out.push_str(&format!(
            "<div class=\"exercise-slot\" id=\"exercise-{id}\" data-slot-exercise=\"{id}\">\n{}\n</div>\n",
            slot.prompt.0
        ));
    }

    /// Places every exercise that has no place of its own.
    fn rest_of_exercises(&mut self) {
        let text = &self.text.text;
        let own: Vec<String> = Parser::new_ext(text, super::scan::CHAPTER)
            .filter_map(|event| match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => match Fence::parse(&info) {
                    Fence::Exercise(id) => Some(id),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        for slot in self.exercises {
            if !self.placed.contains(&slot.id.as_str()) && !own.contains(&slot.id) {
                self.place(slot);
            }
        }
    }

    /// At the end of a chapter, whatever was not placed at all.
    fn remaining_exercises(&mut self) {
        if self.rest_placed {
            return;
        }
        for slot in self.exercises {
            if !self.placed.contains(&slot.id.as_str()) {
                let spot = self.text.spot(self.text.text.trim_end().len());
                let message = format!(
                    "The exercise “{}” has no place in this chapter; write an `exercises` fence for all that are left.",
                    slot.id
                );
                self.trouble(spot, &message, false);
                self.place(slot);
            }
        }
    }

    fn sources(&mut self, spot: Spot<'_>) {
        if std::mem::replace(&mut self.sources_placed, true) {
            self.trouble(spot, "The sources are placed twice.", false);
            return;
        }
        let slug = self.slug.unwrap_or_default();
        let mut sources: Vec<(&String, _)> = self
            .world
            .source_order
            .iter()
            .filter_map(|id| self.world.sources.get(id).map(|s| (id, s)))
            .filter(|(_, s)| s.chapters.iter().any(|c| c == slug))
            .collect();
        sources.sort_by_key(|(_, s)| std::cmp::Reverse(s.priority));
        self.out.push_str("<div class=\"sources-slot\" data-slot-sources>\n<ul>\n");
        for (id, source) in sources {
            let open = links::source_link(id, &source.title, &source.url);
            self.out.push_str(&format!("<li>{open}{}</a></li>\n", escape(&source.title)));
        }
        self.out.push_str("</ul>\n</div>\n");
    }

    // ---------------------------------------------------------------- footnotes

    fn footnote_reference(&mut self, label: &str) {
        let next = self.footnotes.numbers.len() + 1;
        let first = !self.footnotes.numbers.contains_key(label);
        let n = *self.footnotes.numbers.entry(label.to_owned()).or_insert(next);
        let id = if first { format!(" id=\"fnref-{n}\"") } else { String::new() };
        let page = self.own_page();
        self.out.push_str(&format!(
            "<sup class=\"footnote-ref\"><a{id} href=\"{page}#fn-{n}\" role=\"doc-noteref\" aria-label=\"Footnote {n}\">{n}</a></sup>"
        ));
    }

    fn write_footnotes(&mut self) {
        let mut notes: Vec<(usize, String)> = Vec::new();
        let definitions = std::mem::take(&mut self.footnotes.definitions);
        for (label, (html, at)) in definitions {
            match self.footnotes.numbers.get(&label) {
                Some(n) => notes.push((*n, html)),
                None => {
                    let spot = Spot { file: self.text.file, at };
                    self.trouble(spot, &format!("Nothing refers to the footnote “{label}”."), false);
                }
            }
        }
        if notes.is_empty() {
            return;
        }
        notes.sort();
        let page = self.own_page();
        self.out.push_str("<section class=\"footnotes\" role=\"doc-endnotes\" aria-label=\"Footnotes\">\n<ol>\n");
        for (n, html) in notes {
            self.out.push_str(&format!(
                "<li id=\"fn-{n}\" value=\"{n}\">{html}<a href=\"{page}#fnref-{n}\" role=\"doc-backlink\" aria-label=\"Back to the text\">↩</a></li>\n"
            ));
        }
        self.out.push_str("</ol>\n</section>\n");
    }

    fn own_page(&self) -> String {
        format!("chapter/{}/", escape(self.slug.unwrap_or_default()))
    }
}

/// Where a TOML text sets `key`, or its beginning.
fn find_key(text: &str, key: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line
            .trim_start()
            .trim_start_matches('"')
            .strip_prefix(key)
            .is_some_and(|rest| rest.trim_start().trim_start_matches('"').trim_start().starts_with('='))
        {
            return at;
        }
        at += line.len();
    }
    0
}

/// `text` with every run of white space as one space.
fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
