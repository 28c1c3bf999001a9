//! What is exported, and as what: the address of the page for it.

use ringside_core::exercise::export::scorm::Version;
use ringside_core::exercise::export::{Format, MAX_VARIANTS};
use ringside_core::query::Query;

use crate::quiz::Link;

/// How many variants an exercise has in an export, unless said.
const USUAL: usize = 3;
/// The same where every learner is to have numbers of their own.
const EACH: usize = 20;

/// What is exported.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A quiz that came with the address.
    Quiz(Link),
    /// A chapter, by its slug.
    Chapter(String),
    /// A mission, by its slug.
    Mission(String),
    /// A course of the syllabus, by its id.
    Course(String),
}

impl What {
    /// Whether it can become this: a mission is no question, and a course is a cartridge alone.
    pub fn becomes(&self, to: As) -> bool {
        match (self, to) {
            (Self::Course(_), As::Cartridge) => true,
            (Self::Course(_), _) | (_, As::Cartridge) => false,
            (Self::Mission(_), As::Questions(_)) => false,
            _ => true,
        }
    }
}

/// What it becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum As {
    /// Questions in a file.
    Questions(Format),
    /// A package that opens a page.
    Package(Version),
    /// A whole course.
    Cartridge,
}

impl As {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        Format::ALL.map(Self::Questions).into_iter().chain(Version::ALL.map(Self::Package)).chain([Self::Cartridge])
    }

    /// Its name in an address.
    pub fn id(self) -> &'static str {
        match self {
            Self::Questions(format) => format.id(),
            Self::Package(version) => version.id(),
            Self::Cartridge => "cartridge",
        }
    }

    /// What people call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Questions(format) => format.label(),
            Self::Package(version) => version.label(),
            Self::Cartridge => "Common Cartridge 1.1",
        }
    }
}

/// The page's state; the address has all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// What is exported.
    pub what: What,
    /// What it becomes.
    pub to: As,
    /// How many questions an exercise becomes.
    pub variants: usize,
}

impl State {
    /// Reads an address.
    pub fn read(query: &Query) -> Self {
        let of = |name: &str| query.get(name).map(str::to_owned);
        let own = |name: &str| matches!(name, "chapter" | "mission" | "course" | "as" | "variants");
        let quiz = Link::read(&Query::new(query.iter().filter(|(name, _)| !own(name))).to_string()).0;
        let what = match (of("chapter"), of("mission"), of("course")) {
            _ if !quiz.spec.exercises.is_empty() => What::Quiz(Link { compose: false, ..quiz }),
            (_, _, Some(id)) => What::Course(id),
            (_, Some(slug), None) => What::Mission(slug),
            (slug, None, None) => What::Chapter(slug.unwrap_or_default()),
        };
        let given = of("as").and_then(|id| As::all().find(|to| to.id() == id));
        let usual = if matches!(&what, What::Quiz(link) if link.spec.each) { EACH } else { USUAL };
        let most = of("variants").and_then(|text| text.parse().ok()).unwrap_or(usual);
        let mut state =
            Self { what, to: given.unwrap_or(As::Questions(Format::Moodle)), variants: most.clamp(1, MAX_VARIANTS) };
        state.settle();
        state
    }

    /// With the first of `choices` where the address names none of them.
    pub fn among(mut self, choices: &[(String, What)]) -> Self {
        if let Some((_, first)) = choices.first().filter(|_| choices.iter().all(|(_, what)| *what != self.what)) {
            self.what = first.clone();
            self.settle();
        }
        self
    }

    /// As the first that it can become, unless it can become what is asked for.
    pub fn settle(&mut self) {
        if let Some(first) = As::all().find(|to| self.what.becomes(*to)).filter(|_| !self.what.becomes(self.to)) {
            self.to = first;
        }
    }

    /// The address of the page, relative to the site’s base.
    pub fn href(&self) -> String {
        let mut query = match &self.what {
            What::Quiz(link) => Query::parse(link.href().split_once('?').map_or("", |(_, query)| query)),
            What::Chapter(slug) => Query::new([("chapter", slug.as_str())]),
            What::Mission(slug) => Query::new([("mission", slug.as_str())]),
            What::Course(id) => Query::new([("course", id.as_str())]),
        };
        query.set("as", self.to.id());
        query.set("variants", self.variants.to_string());
        format!("export/?{query}")
    }

    /// The page that a package opens, relative to the site's base.
    pub fn path(&self) -> String {
        match &self.what {
            What::Quiz(link) => link.href(),
            What::Chapter(slug) => format!("chapter/{slug}/"),
            What::Mission(slug) => format!("mission/{slug}/"),
            What::Course(id) => format!("syllabus/#{id}"),
        }
    }
}

/// A file's name without its end, from a title.
pub fn stem(title: &str) -> String {
    let plain: String = title.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    let words = plain.split_whitespace().collect::<Vec<_>>().join("-");
    let short: String = words.chars().take(60).collect();
    format!("ringside-{}", short.trim_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_after_what_is_in_it() {
        assert_eq!(stem("Chapter 03 · Where the memory goes"), "ringside-chapter-03-where-the-memory-goes");
        assert_eq!(stem("../é?"), "ringside-");
    }

    #[test]
    fn an_address_reads_back() {
        for href in
            ["export/?e=a/b,c/d&seed=7&as=gift&variants=5", "export/?mission=the-budget&as=scorm2004&variants=3"]
        {
            let query = Query::parse(href.split_once('?').map_or("", |(_, query)| query));
            assert_eq!(State::read(&query).href(), href);
        }
        for (each, variants) in [("&each=1", EACH), ("", USUAL), ("&each=1&variants=2", 2)] {
            let state = State::read(&Query::parse(&format!("e=a/b{each}")));
            assert_eq!(state.variants, variants, "{each}");
        }
        for query in ["course=term", "course=term&as=scorm12", "course=term&as=gift"] {
            let state = State::read(&Query::parse(query));
            assert_eq!(state.href(), "export/?course=term&as=cartridge&variants=3", "{query}");
        }
        assert_eq!(State::read(&Query::parse("chapter=zero&as=cartridge")).to, As::Questions(Format::Moodle));
        let settled = State::read(&Query::parse("mission=x&as=moodle&variants=900"));
        assert_eq!((settled.to, settled.variants), (As::Package(Version::V12), MAX_VARIANTS));
    }

    #[test]
    fn an_address_that_names_nothing_there_exports_the_first_choice() {
        let chapter = ("Chapter 03".to_owned(), What::Chapter("memory-accounting".into()));
        let mission = ("Mission".to_owned(), What::Mission("the-budget".into()));
        let read = |query: &str, choices: &[(String, What)]| State::read(&Query::parse(query)).among(choices).href();
        let both = [chapter, mission.clone()];
        for unknown in
            ["mission=nope&as=scorm12&variants=3", "chapter=nope&as=scorm12", "chapter=&as=scorm12", "as=scorm12"]
        {
            assert_eq!(read(unknown, &both), "export/?chapter=memory-accounting&as=scorm12&variants=3", "{unknown}");
        }
        let there = "mission=the-budget&as=scorm2004&variants=3";
        assert_eq!(read(there, &both), format!("export/?{there}"));
        assert_eq!(read("as=moodle", &[mission]), "export/?mission=the-budget&as=scorm12&variants=3", "no question");
    }
}
