//! Footnotes: numbered as they are mentioned, written at the end.

use super::Writer;
use crate::html::escape;
use crate::source::Spot;

impl Writer<'_, '_> {
    pub(super) fn footnote_reference(&mut self, label: &str) {
        let next = self.footnotes.numbers.len() + 1;
        let first = !self.footnotes.numbers.contains_key(label);
        let n = *self.footnotes.numbers.entry(label.to_owned()).or_insert(next);
        let id = if first { format!(" id=\"fnref-{n}\"") } else { String::new() };
        let page = self.own_page();
        self.out.push_str(&format!(
            "<sup class=\"footnote-ref\"><a{id} href=\"{page}#fn-{n}\" role=\"doc-noteref\" aria-label=\"Footnote {n}\">{n}</a></sup>"
        ));
    }

    pub(super) fn write_footnotes(&mut self) {
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
