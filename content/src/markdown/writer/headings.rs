//! Headings, the outline, and the sections of the search index.

use pulldown_cmark::{CowStr, HeadingLevel};

use super::{Flavour, Writer, collapse};
use crate::html::escape;
use crate::language::Lang;
use crate::markdown::{ASIDE_END, ASIDE_TIME, Heading, Section};
use crate::source::Spot;

impl Writer<'_, '_> {
    pub(super) fn start_heading(
        &mut self,
        level: HeadingLevel,
        given: Option<&CowStr<'_>>,
        classes: &[CowStr<'_>],
        spot: Spot<'_>,
    ) {
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
        self.begin_aside(classes, spot);
        self.out.push_str(&format!("<h{} id=\"{}\">", self.last_level, escape(&id)));
        self.heading = Some((self.last_level, id, self.plain.len()));
    }

    pub(super) fn end_heading(&mut self) {
        let Some((level, id, start)) = self.heading.take() else {
            let close = if self.flavour == Flavour::Slide { self.closers.pop() } else { None };
            self.out.push_str(close.unwrap_or("</strong></p>\n"));
            return;
        };
        let aside = self.aside == Some(level);
        self.out.push_str(&format!("</h{level}>"));
        // How long it takes is known once the page is written.
        self.out.push_str(if aside { ASIDE_TIME } else { "" });
        self.out.push_str(if aside { "</summary>\n" } else { "\n" });
        let text = collapse(self.plain.get(start..).unwrap_or_default());
        self.plain.truncate(start);
        self.end_section(id.clone(), text.clone());
        if level <= 3 {
            self.outline.push(Heading { id, level, aside, text, is_english: self.now == Lang::En });
        }
    }

    /// Ends the aside that this heading does not belong to, and begins the one that it names. `self.last_level` is its level.
    fn begin_aside(&mut self, classes: &[CowStr<'_>], spot: Spot<'_>) {
        let level = self.last_level;
        let is_aside = classes.iter().any(|class| &**class == "aside");
        if let Some(other) = classes.iter().find(|class| &***class != "aside") {
            self.trouble(
                spot,
                &format!("Unknown class “{other}” on this heading. The only one is `.aside`, which folds the section."),
                false,
            );
        }
        let Some(open) = self.aside else {
            if is_aside {
                self.open_aside(level, spot);
            }
            return;
        };
        if level > open {
            if is_aside {
                self.trouble(spot, "There are no asides in an aside.", false);
            }
            return;
        }
        self.end_aside();
        if is_aside {
            self.open_aside(level, spot);
        } else if level > 2 {
            self.trouble(spot, "An aside stands at the end of its section: move this heading before it.", false);
        }
    }

    fn open_aside(&mut self, level: u8, spot: Spot<'_>) {
        if level > 3 {
            return self.trouble(spot, "An aside has a heading of level 2 or 3.", false);
        }
        self.out.push_str("<details class=\"aside-fold\">\n<summary>");
        self.aside = Some(level);
    }

    /// Ends the aside that is open, if one is.
    pub(super) fn end_aside(&mut self) {
        if self.aside.take().is_some() {
            self.out.push_str(ASIDE_END);
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
