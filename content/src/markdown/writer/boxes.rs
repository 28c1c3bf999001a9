//! Block quotes and the boxes that they can be: notes, warnings, margin notes.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::{Events, Flavour, Writer};
use crate::language::{self, Phrase};

/// The boxes that a block quote can be, with their class and heading.
const BOXES: [(&str, &str, Option<Phrase>); 7] = [
    ("NOTE", "note", Some(language::BOX_NOTE)),
    ("TIP", "tip", Some(language::BOX_TIP)),
    ("IMPORTANT", "important", Some(language::BOX_IMPORTANT)),
    ("WARNING", "warning", Some(language::BOX_WARNING)),
    ("CAUTION", "caution", Some(language::BOX_CAUTION)),
    ("BREAKS", "breaks", Some(language::BOX_BREAKS)),
    ("ASIDE", "aside", None),
];

impl Writer<'_, '_> {
    /// A block quote, which may be a box: `> [!NOTE] Optional title`.
    pub(super) fn block_quote(&mut self, events: &Events<'_>, i: usize) -> usize {
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
        if let Some(label) = label.map(|label| label.to(self.now)) {
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
        if self.out.len() == text_begins && label.is_none() {
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
}
