//! Footnotes: numbered as they are mentioned, written at the end.

use super::Writer;
use crate::html::escape;
use crate::language;

impl Writer<'_, '_> {
    pub(super) fn footnote_reference(&mut self, label: &str) {
        let next = self.footnotes.numbers.len() + 1;
        let first = !self.footnotes.numbers.contains_key(label);
        let n = *self.footnotes.numbers.entry(label.to_owned()).or_insert(next);
        let id = if first { format!(" id=\"fnref-{n}\"") } else { String::new() };
        let (page, name) = (self.own_page(), language::FOOTNOTE.with(self.now, &[("number", &n.to_string())]));
        self.out.push_str(&format!(
            "<sup class=\"footnote-ref\"><a{id} href=\"{page}#fn-{n}\" role=\"doc-noteref\" aria-label=\"{name}\">{n}</a></sup>"
        ));
    }

    pub(super) fn write_footnotes(&mut self) {
        let mut notes: Vec<(usize, String)> = Vec::new();
        let definitions = std::mem::take(&mut self.footnotes.definitions);
        for (label, (html, spot)) in definitions {
            match self.footnotes.numbers.get(&label) {
                Some(n) => notes.push((*n, html)),
                None => {
                    self.trouble(spot, &format!("Nothing refers to the footnote “{label}”."), false);
                }
            }
        }
        if notes.is_empty() {
            return;
        }
        notes.sort();
        let page = self.own_page();
        let [name, back] = [language::FOOTNOTES, language::BACK].map(|phrase| phrase.to(self.lang));
        self.out
            .push_str(&format!("<section class=\"footnotes\" role=\"doc-endnotes\" aria-label=\"{name}\">\n<ol>\n"));
        for (n, html) in notes {
            self.out.push_str(&format!(
                "<li id=\"fn-{n}\" value=\"{n}\">{html}<a href=\"{page}#fnref-{n}\" role=\"doc-backlink\" aria-label=\"{back}\">↩</a></li>\n"
            ));
        }
        self.out.push_str("</ol>\n</section>\n");
    }

    fn own_page(&self) -> String {
        escape(&self.lang.chapter(self.slug.unwrap_or_default()))
    }
}
