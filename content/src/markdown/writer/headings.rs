//! Headings, the outline, and the sections of the search index.

use pulldown_cmark::{CowStr, HeadingLevel};

use super::{Flavour, Writer, collapse};
use crate::html::escape;
use crate::language::Lang;
use crate::markdown::{Heading, Section};
use crate::source::Spot;

impl Writer<'_, '_> {
    pub(super) fn start_heading(&mut self, level: HeadingLevel, given: Option<&CowStr<'_>>, spot: Spot<'_>) {
        let level = level as u8;
        if self.flavour == Flavour::Slide {
            self.out.push_str(if level == 1 { "<h2>" } else { "<h3>" });
            self.closers.push(if level == 1 { "</h2>\n" } else { "</h3>\n" });
            return;
        }
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

    pub(super) fn end_heading(&mut self) {
        let Some((level, id, start)) = self.heading.take() else {
            let close = if self.flavour == Flavour::Slide { self.closers.pop() } else { None };
            self.out.push_str(close.unwrap_or("</strong></p>\n"));
            return;
        };
        self.out.push_str(&format!("</h{level}>\n"));
        let text = collapse(self.plain.get(start..).unwrap_or_default());
        self.plain.truncate(start);
        self.end_section(id.clone(), text.clone());
        if level <= 3 {
            self.outline.push(Heading { id, level, text, is_english: self.now == Lang::En });
        }
    }

    /// Puts the text since the last heading away, and notes the heading of the next.
    pub(super) fn end_section(&mut self, id: String, title: String) {
        let text = collapse(&std::mem::take(&mut self.plain));
        let (last_id, last_title) = std::mem::replace(&mut self.title, (id, title));
        if !last_id.is_empty() || !text.is_empty() {
            self.sections.push(Section { id: last_id, title: last_title, text });
        }
    }
}
