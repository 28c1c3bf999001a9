//! Fenced blocks: listings, widgets, exercises, sources, notes.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use ringside_core::exercise;

use super::{Events, Flavour, Writer};
use crate::evaluated::evaluated;
use crate::html::escape;
use crate::language::{self, Lang};
use crate::markdown::fence::{self, Fence, WidgetFence};
use crate::markdown::{Slot, figure, highlight, links, scan};
use crate::names::Kind;
use crate::source::{Located, Spot};
use crate::world::slug_of;

/// Code, already highlighted. It can be wider than a phone: it scrolls, also with the keyboard.
pub(crate) fn listing(class: &str, html: &str) -> String {
    format!("<pre class=\"code\" tabindex=\"0\"><code class=\"language-{class}\">{html}</code></pre>\n")
}

/// Highlighted code with links over its lines, by number, each indented as its line is.
fn beside(code: &str, html: &str, links: &[(usize, String)]) -> String {
    if links.is_empty() {
        return html.to_owned();
    }
    let mut out = String::new();
    for (number, (line, marked)) in code.lines().zip(html.split_inclusive('\n')).enumerate() {
        let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
        for (_, link) in links.iter().filter(|(of, _)| *of == number) {
            out.push_str(&format!("<span class=\"line-step\">{indent}{link}</span>"));
        }
        out.push_str(marked);
    }
    out
}

impl<'w> Writer<'w, '_> {
    pub(super) fn code_block(&mut self, events: &Events<'_>, i: usize, kind: &CodeBlockKind<'_>) -> usize {
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
        if let (CodeBlockKind::Fenced(_), Some(why)) = (kind, fence::unclosed(&self.text.text[range.clone()])) {
            self.world.sink.report_cut(spot, why);
        }
        let begins = begins.unwrap_or(range.start);
        match Fence::parse(info) {
            Fence::Code(language) => self.listing(&language, &body, spot),
            _ if self.flavour != Flavour::Chapter => {
                self.trouble(
                    spot,
                    "Widgets, exercises, sources and notes can only be placed in a chapter’s text.",
                    false,
                );
            }
            Fence::Widget(fence) => {
                let body = self.text.denoted(begins..range.end.max(begins), &body);
                self.widget(&fence, &body, spot);
            }
            Fence::Exercise(id) => self.exercise(&id, spot),
            Fence::Exercises => self.rest_of_exercises(),
            Fence::Sources => self.sources(spot),
            Fence::Lab(lab, part) => {
                let body = self.text.denoted(begins..range.end.max(begins), &body);
                self.lab(&lab, &part, &body, spot);
            }
            Fence::Notes => {
                let body = self.text.denoted(begins..range.end.max(begins), &body);
                self.notes(&body);
            }
        }
        next
    }

    fn listing(&mut self, language: &str, code: &str, spot: Spot<'_>) {
        let name = if language.is_empty() { "text" } else { language };
        let (class, html) = highlight::highlight(name, code).unwrap_or_else(|| {
            let before = self.world.sink.len();
            let names = highlight::names();
            let message = format!(
                "There is no highlighting for “{}”; languages are python, rust, c, wgsl, bash, json and text.",
                ringside_core::query::shorten(name)
            );
            self.world.sink.report_near(spot, message, name, &names);
            self.show_troubles(before, false);
            ("text", escape(code))
        });
        self.out.push_str(&listing(class, &html));
    }

    fn widget(&mut self, fence: &WidgetFence, body: &Located<'_>, spot: Spot<'_>) {
        let before = self.world.sink.len();
        let sink = self.world.sink;
        let query = fence::parameters(body, sink);
        let head = self.heads.get(self.widgets.len());
        let id = head.map_or_else(|| format!("fig-{}", self.widgets.len() + 1), |h| h.id.clone());
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
            } else if !exercise::Kind::unlocking().any(|kind| kind == exercise.kind) {
                let message = format!(
                    "Only a {} exercise can unlock a figure; “{after}” is of the kind “{}”.",
                    exercise::Kind::unlocking().collect::<Vec<_>>().join(" or "),
                    exercise.kind
                );
                sink.report(spot, message);
            }
        }
        let known = self.world.names.resolve(Kind::Widget, &fence.widget, spot, sink);
        if known && let Some(entry) = self.world.widget(&fence.widget) {
            let evaluation = evaluated(entry, &query);
            for problem in &evaluation.problems {
                let at = find_key(&body.text, &problem.name);
                sink.report(body.spot(at), problem.message.clone());
            }
            if let Some(error) = &evaluation.error {
                sink.report(spot, error.clone());
            }
            let begins = self.out.len();
            self.out.push_str(&figure::slot(entry, &id, &query, fence.after.as_deref(), self.lang));
            self.mark_english(begins);
        }
        self.show_troubles(before, false);
        self.widgets.push(fence.widget.clone());
    }

    /// Notes for whoever presents: a file of their own, and in the text the place that they belong to. They are of the English page.
    fn notes(&mut self, body: &Located<'_>) {
        if self.lang != Lang::En {
            return;
        }
        let html = Writer::new(self.world, body, Flavour::Blocks, self.slug).piece(super::super::PIECE);
        self.notes.push(html);
        self.out.push_str(&format!("<div hidden data-notes=\"{}\"></div>\n", self.notes.len()));
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
        let (id, begins) = (escape(&slot.id), self.out.len());
        self.out.push_str(&format!(
            "<div class=\"exercise-slot\" id=\"exercise-{id}\" data-slot-exercise=\"{id}\">\n{}\n</div>\n",
            slot.prompt.0
        ));
        self.mark_english(begins);
    }

    /// Places every exercise that has no place of its own.
    fn rest_of_exercises(&mut self) {
        let text = &self.text.text;
        let own: Vec<String> = Parser::new_ext(text, scan::CHAPTER)
            .filter_map(|event| match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => match Fence::parse(&info) {
                    Fence::Exercise(id) => Some(id),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        let first = self.placed.len();
        for slot in self.exercises {
            if !self.placed.contains(&slot.id.as_str()) && !own.contains(&slot.id) {
                self.place(slot);
            }
        }
        self.rest.get_or_insert(first..self.placed.len());
    }

    /// At the end of a chapter, whatever was not placed at all.
    pub(super) fn remaining_exercises(&mut self) {
        if self.rest.is_some() {
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

    /// A part of a lab's script, with a link to the lab that runs it, and over the lines that `steps` quote a link to the step of a
    /// figure that each is.
    fn lab(&mut self, lab: &str, part: &str, steps: &Located<'_>, spot: Spot<'_>) {
        let tree = self.world.tree;
        let slugs: Vec<&str> = tree.labs().iter().map(|folder| slug_of(folder)).collect();
        let Some(folder) = tree.labs().iter().find(|folder| slug_of(folder) == lab) else {
            let message = format!("There is no lab “{}”.", ringside_core::query::shorten(lab));
            self.world.sink.report_near(spot, message, lab, &slugs);
            return;
        };
        let script = tree.script(folder).map(|file| file.text.as_str()).unwrap_or_default();
        let Some(code) = between(script, &format!("# [{part}]\n"), &format!("# [/{part}]\n")) else {
            let marks: Vec<&str> =
                script.lines().filter_map(|line| line.strip_prefix("# [")?.strip_suffix(']')).collect();
            let message = format!("The lab’s script has no part “{}”.", ringside_core::query::shorten(part));
            self.world.sink.report_near(spot, message, part, &marks);
            return;
        };
        let code = code.trim_end();
        let links = self.lines_of(code, steps);
        let (class, html) = highlight::highlight("python", code).unwrap_or_else(|| ("text", escape(code)));
        self.out.push_str(&listing(class, &beside(code, &html, &links)));
        let number = folder.split('-').next().unwrap_or_default();
        let name = language::LAB.with(self.now, &[("number", &escape(number))]);
        let link = format!("<a href=\"lab/{}/\">{name}</a>", escape(lab));
        let from = language::FROM_LAB.with(self.now, &[("lab", &link)]);
        self.out.push_str(&format!("<p class=\"from-lab sans\">{from}</p>\n"));
    }

    /// The links that `steps` has, one in a line, `a piece of the code [what it is](see:…)`: each with the number of the line of `code`
    /// that it quotes, from 0.
    fn lines_of(&mut self, code: &str, steps: &Located<'_>) -> Vec<(usize, String)> {
        let mut links = Vec::new();
        let mut at = 0;
        for step in steps.text.split_inclusive('\n') {
            let spot = steps.spot(at);
            at += step.len();
            let step = step.trim();
            if step.is_empty() {
                continue;
            }
            let parts =
                step.strip_suffix(')').and_then(|step| step.rsplit_once("](")).and_then(|(head, destination)| {
                    head.rsplit_once(" [").map(|(quoted, says)| (quoted.trim(), says.trim(), destination))
                });
            let Some((quoted, says, destination)) = parts.filter(|(.., destination)| destination.starts_with("see:"))
            else {
                self.trouble(
                    spot,
                    "A step of a lab is a piece of its code and a link: `self.send(index) [a bucket is full](see:?…)`.",
                    false,
                );
                continue;
            };
            let mut lines =
                code.lines().enumerate().filter(|(_, line)| line.contains(quoted)).map(|(number, _)| number);
            let (Some(line), None) = (lines.next(), lines.next()) else {
                let message = format!(
                    "“{}” must be in one line of the lab’s part, and in no other.",
                    ringside_core::query::shorten(quoted)
                );
                self.trouble(spot, &message, false);
                continue;
            };
            let open = self.open_link(destination, spot);
            if !open.is_empty() {
                links.push((line, format!("{open}{} →</a>", escape(says))));
            }
        }
        links
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
        let begins = self.out.len();
        self.out.push_str("<div class=\"sources-slot\" data-slot-sources>\n<ul>\n");
        for (id, source) in sources {
            let open = links::source_link(id, &source.title, &source.url);
            self.out.push_str(&format!("<li>{open}{}</a></li>\n", escape(&source.title)));
        }
        self.out.push_str("</ul>\n</div>\n");
        self.mark_english(begins);
    }
}

/// What stands between two marks.
fn between<'t>(text: &'t str, begin: &str, end: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(begin)?;
    Some(rest.split_once(end)?.0)
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
