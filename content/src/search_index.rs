//! `search.json`: one entry for every place that a reader may look for.

use ringside_core::catalogue;

use crate::data::{ChapterExercise, Formula, Group, Lab, Listed, Searched};
use crate::diagnostic::Sink;
use crate::html::text_of;
use crate::markdown::Page;
use crate::schema::{
    AskedQuestion, Chapter, Course, EntryKind, Glossary, Html, Page as PageOf, Readings, SearchEntry, SearchIndex,
    Signs,
};
use crate::source::Located;

/// Collects the entries.
#[derive(Default)]
pub(crate) struct Builder(Vec<SearchEntry>);

impl Builder {
    /// A chapter of the manifest, written or planned.
    pub(crate) fn chapter(&mut self, part: &str, chapter: &Chapter) {
        let skills: Vec<String> = chapter.skills.iter().map(|s| text_of(&s.text)).collect();
        self.0.push(SearchEntry {
            kind: EntryKind::Chapter,
            title: chapter.title.clone(),
            context: part.to_owned(),
            href: chapter.href(),
            text: format!("{} {}", chapter.question, skills.join(" ")),
            ..SearchEntry::default()
        });
    }

    /// The sections and exercises of a written chapter.
    pub(crate) fn page(&mut self, slug: &str, title: &str, page: &Page, exercises: &[ChapterExercise<'_>]) {
        for section in &page.sections {
            let begins = section.id.is_empty();
            self.0.push(SearchEntry {
                kind: EntryKind::Section,
                title: if begins { title.to_owned() } else { section.title.clone() },
                context: title.to_owned(),
                href: if begins { format!("chapter/{slug}/") } else { format!("chapter/{slug}/#{}", section.id) },
                text: section.text.clone(),
                ..SearchEntry::default()
            });
        }
        for exercise in exercises {
            self.0.push(SearchEntry {
                kind: EntryKind::Exercise,
                title: exercise.title(),
                context: title.to_owned(),
                href: exercise.indexed(slug).href(),
                text: exercise.plain.clone(),
                ..SearchEntry::default()
            });
        }
    }

    /// The widgets, by what they are for.
    pub(crate) fn widgets(&mut self, groups: &[Group]) {
        let figures = groups.iter().flat_map(|group| &group.figures);
        for (figure, entry) in figures.filter_map(|figure| Some((figure, catalogue::find(&figure.id)?))) {
            let quantities: Vec<&str> = entry.quantities().map(|(_, label, _)| label).collect();
            self.0.push(SearchEntry {
                kind: EntryKind::Widget,
                title: entry.title.to_owned(),
                context: if figure.want == entry.title { String::new() } else { figure.want.clone() },
                href: format!("w/{}/", entry.id),
                words: figure.words.clone(),
                text: format!("{} {}.", entry.summary, quantities.join(", ")),
            });
        }
    }

    /// The labs.
    pub(crate) fn labs(&mut self, labs: &[Lab]) {
        for lab in labs {
            self.0.push(SearchEntry {
                kind: EntryKind::Lab,
                title: lab.title.clone(),
                context: lab.question.clone(),
                href: format!("lab/{}/", lab.slug),
                text: text_of(&Html(format!("{} {}", lab.text.0, lab.text.1))),
                ..SearchEntry::default()
            });
        }
    }

    /// The formulas, by what they compute and of what.
    pub(crate) fn formulas(&mut self, formulas: &[Formula], course: &Course) {
        for formula in formulas {
            let slug = formula.place.split('#').next().unwrap_or_default();
            let means: Vec<&str> = formula.symbols.iter().map(|s| s.means.as_str()).collect();
            self.0.push(SearchEntry {
                kind: EntryKind::Formula,
                title: formula.name.clone(),
                context: course.chapter(slug).map(|c| c.title.clone()).unwrap_or_default(),
                href: format!("reference/#formula-{}", formula.id),
                text: format!("{}.", means.join(", ")),
                ..SearchEntry::default()
            });
        }
    }

    /// The missions, with their decisions.
    pub(crate) fn missions(&mut self, missions: &[Listed]) {
        for one in missions {
            let Listed { slug, mission, .. } = one;
            let decisions: Vec<&str> = mission.decision.iter().map(|d| d.title.as_str()).collect();
            self.0.push(SearchEntry {
                kind: EntryKind::Mission,
                title: mission.title.clone(),
                context: mission.question.clone(),
                href: format!("mission/{slug}/"),
                text: format!("{} {}.", one.plain(), decisions.join(", ")),
                ..SearchEntry::default()
            });
        }
    }

    /// The pages that are not of the course's text.
    pub(crate) fn pages(&mut self) {
        for page in PageOf::ALL {
            self.0.push(SearchEntry {
                kind: EntryKind::Page,
                title: page.title().to_owned(),
                href: format!("{}/", page.path()),
                text: page.description().to_owned(),
                ..SearchEntry::default()
            });
        }
    }

    /// What logs say.
    pub(crate) fn signs(&mut self, signs: &Signs) {
        for sign in &signs.0 {
            let lines: Vec<&str> = sign.lines.iter().map(|line| line.trim_matches(['^', '$'])).collect();
            self.0.push(SearchEntry {
                kind: EntryKind::Message,
                title: sign.title.clone(),
                context: sign.section.title.clone(),
                href: sign.section.href.clone(),
                text: format!("{}. {} {}", lines.join(" · "), text_of(&sign.means), text_of(&sign.remedy)),
                ..SearchEntry::default()
            });
        }
    }

    /// The glossary.
    pub(crate) fn terms(&mut self, glossary: &Glossary) {
        for term in &glossary.terms {
            self.0.push(SearchEntry {
                kind: EntryKind::Term,
                title: term.term.clone(),
                context: term.also.join(", "),
                href: format!("reference/#{}", term.id),
                text: text_of(&term.definition),
                ..SearchEntry::default()
            });
        }
    }

    /// The sources.
    pub(crate) fn sources(&mut self, readings: &Readings) {
        for source in &readings.sources {
            let year = source.year.map(|y| format!(", {y}")).unwrap_or_default();
            let look_for: Vec<String> = source.look_for.iter().map(text_of).collect();
            self.0.push(SearchEntry {
                kind: EntryKind::Source,
                title: source.title.clone(),
                context: format!("{}{year}", source.authors),
                href: source.url.clone(),
                text: format!("{} {}", text_of(&source.insight), look_for.join(" ")),
                ..SearchEntry::default()
            });
        }
    }

    /// All entries, kind by kind, with what people call them.
    pub(crate) fn finish(mut self, searched: Searched<'_>, sink: &Sink) -> SearchIndex {
        self.0.sort_by_key(|e| e.kind);
        // Exercises and messages lead to sections as well, and are no places of their own.
        let is_place = |kind| {
            use EntryKind::{Chapter, Lab, Mission, Page, Section, Term, Widget};
            matches!(kind, Chapter | Section | Widget | Term | Lab | Mission | Page)
        };
        let mut places = |at: &Located<'_>| -> Vec<usize> {
            let is_it = |(_, e): &(usize, &SearchEntry)| e.href == at.text && is_place(e.kind);
            let found: Vec<usize> = self.0.iter().enumerate().filter(is_it).map(|(i, _)| i).collect();
            if found.is_empty() && !self.is_unread(&at.text) {
                sink.report(at.spot(0), format!("The course has no page, section or figure `{}`.", at.text));
            }
            found
        };
        let asked = searched.questions.iter().map(|(pages, ask)| {
            let at = pages.iter().flat_map(&mut places).filter_map(|i| u32::try_from(i).ok()).collect();
            AskedQuestion { ask: ask.clone(), at }
        });
        let asked = asked.collect();
        let called: Vec<_> = searched.places.into_iter().map(|(at, words)| (places(&at), words)).collect();
        for (at, words) in called {
            for i in at {
                let Some(entry) = self.0.get_mut(i) else { continue };
                let comma = if entry.words.is_empty() { "" } else { ", " };
                entry.words.push_str(comma);
                entry.words.push_str(&words);
            }
        }
        SearchIndex { entries: self.0, same: searched.same, asked }
    }

    /// Whether an address is of a chapter that could not be read: its sections are not missed as well.
    fn is_unread(&self, href: &str) -> bool {
        let page = href.split('#').next().unwrap_or_default();
        let is_on_page = |e: &SearchEntry| e.kind == EntryKind::Section && e.href.starts_with(page);
        self.0.iter().any(|e| e.kind == EntryKind::Chapter && e.href == page) && !self.0.iter().any(is_on_page)
    }
}
