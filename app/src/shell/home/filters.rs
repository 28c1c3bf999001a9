//! Which sources are listed, and in which order: plain data that a link carries.

use std::collections::BTreeSet;

use ringside_content::schema::{Course, Source};
use ringside_core::query::{Kind, ParamSpec, Problem, Query, Reader, did_you_mean, shorten};

/// The choices of one filter: what a link says, and what a person reads.
pub(super) type Choices = &'static [(&'static str, &'static str)];

pub(super) const LAYERS: Choices = &[("", "All"), ("1", "1"), ("2", "2"), ("3", "3"), ("4", "4"), ("5", "5")];
pub(super) const WEEKS: Choices = &[("", "All"), ("1", "1"), ("2", "2"), ("3", "3"), ("4", "4")];
pub(super) const PRIORITIES: Choices = &[("", "All"), ("3", "Must read"), ("2", "Recommended"), ("1", "Optional")];
pub(super) const TIMES: Choices =
    &[("", "Any"), ("30", "≤ 30 min"), ("60", "≤ 1 h"), ("120", "≤ 2 h"), ("more", "More")];
pub(super) const READ: Choices = &[("", "All"), ("no", "Unread"), ("yes", "Read")];
pub(super) const SORTS: Choices = &[("", "Chapter"), ("priority", "Priority")];
pub(super) const KINDS: Choices = &[
    ("", "All"),
    ("paper", "Papers"),
    ("docs", "Documentation"),
    ("blog", "Articles"),
    ("code", "Code"),
    ("course", "Courses"),
    ("book", "Books"),
    ("tool", "Tools"),
    ("talk", "Talks"),
];

const SPECS: &[ParamSpec] = &[
    spec("layer", "layer of understanding", &["1", "2", "3", "4", "5"]),
    spec("week", "week of the plan", &["1", "2", "3", "4"]),
    spec("priority", "3 must read, 2 recommended, 1 optional", &["3", "2", "1"]),
    spec("time", "at most so many minutes, or more than two hours", &["30", "60", "120", "more"]),
    spec("kind", "kind of source", &["paper", "docs", "blog", "code", "course", "book", "tool", "talk"]),
    spec("read", "read or not", &["no", "yes"]),
    spec("sort", "order, if not by chapter", &["priority"]),
    spec("chapter", "slug of a chapter", &[]),
    spec("q", "words that must all occur", &[]),
];

const fn spec(name: &'static str, doc: &'static str, choices: &'static [&'static str]) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Choice(choices), default: "" }
}

/// The filters. What is empty does not filter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Filters {
    pub layer: &'static str,
    pub week: &'static str,
    pub priority: &'static str,
    pub time: &'static str,
    pub kind: &'static str,
    pub read: &'static str,
    pub sort: &'static str,
    pub chapter: String,
    pub text: String,
}

impl Filters {
    /// Reads a link. What it says wrongly is reported, and nothing is filtered by it.
    pub(super) fn from_query(query: &Query, course: &Course) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(SPECS, query);
        let mut filters = Self {
            layer: reader.choice("layer"),
            week: reader.choice("week"),
            priority: reader.choice("priority"),
            time: reader.choice("time"),
            kind: reader.choice("kind"),
            read: reader.choice("read"),
            sort: reader.choice("sort"),
            chapter: String::new(),
            text: query.get("q").unwrap_or_default().to_owned(),
        };
        match query.get("chapter").filter(|slug| !slug.is_empty()) {
            Some(slug) if course.chapter(slug).is_some() => filters.chapter = slug.to_owned(),
            Some(slug) => {
                let slugs: Vec<&str> = course.chapters().map(|c| c.slug.as_str()).collect();
                let hint = did_you_mean(slug, &slugs);
                reader.problem("chapter", format!("There is no chapter “{}”{hint}. It was ignored.", shorten(slug)));
            }
            None => {}
        }
        (filters, reader.finish())
    }

    /// What [`Self::from_query`] reads back to the same.
    pub(super) fn to_query(&self) -> Query {
        let pairs = [
            ("q", self.text.as_str()),
            ("layer", self.layer),
            ("week", self.week),
            ("priority", self.priority),
            ("time", self.time),
            ("kind", self.kind),
            ("chapter", &self.chapter),
            ("read", self.read),
            ("sort", self.sort),
        ];
        Query::new(pairs.into_iter().filter(|(_, value)| !value.is_empty()))
    }

    /// Whether they leave anything out. The order does not.
    pub(super) fn narrow(&self) -> bool {
        *self != Self { sort: self.sort, ..Self::default() }
    }

    /// Which of `sources` they keep, `read` being the ids of those that are read.
    pub(super) fn keep(&self, sources: &[Source], read: &BTreeSet<String>) -> Vec<bool> {
        let words: Vec<String> = self.text.split_whitespace().map(str::to_lowercase).collect();
        let one = |list: &[u8], chosen: &str| chosen.is_empty() || list.iter().any(|n| n.to_string() == chosen);
        sources
            .iter()
            .map(|source| {
                one(&source.layers, self.layer)
                    && one(&source.weeks, self.week)
                    && one(&[source.priority], self.priority)
                    && match self.time {
                        "more" => source.minutes > 120,
                        time => time.parse().map_or(true, |most: u32| source.minutes <= most),
                    }
                    && (self.kind.is_empty() || source.kind == self.kind)
                    && (self.chapter.is_empty() || source.chapters.contains(&self.chapter))
                    && (self.read.is_empty() || read.contains(&source.id) == (self.read == "yes"))
                    && (words.is_empty() || {
                        let text = searched(source);
                        words.iter().all(|word| text.contains(word))
                    })
            })
            .collect()
    }
}

/// The text in which the text filter looks, in lower case.
fn searched(source: &Source) -> String {
    let mut text = format!("{} {} {} ", source.title, source.authors, source.id);
    text.extend(source.year.map(|year| year.to_string()));
    for html in source.look_for.iter().chain([&source.insight]) {
        let mut in_tag = false;
        text.push(' ');
        text.extend(html.0.chars().filter(|&c| {
            let shown = !in_tag && c != '<';
            in_tag = c == '<' || (in_tag && c != '>');
            shown
        }));
    }
    text.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringside_content::schema::{Chapter, Part};

    fn course() -> Course {
        let chapter = Chapter { slug: "memory-accounting".into(), ..Chapter::default() };
        let part = Part { chapters: vec![chapter], ..Part::default() };
        Course { parts: vec![part], ..Course::default() }
    }

    #[test]
    fn a_link_reads_back_the_same_and_what_it_says_wrongly_is_named() {
        let text = "q=zero%20paper&layer=2&week=1&priority=3&time=more&kind=docs&chapter=memory-accounting&read=no&sort=priority";
        let (filters, problems) = Filters::from_query(&Query::parse(text), &course());
        assert_eq!(problems, []);
        assert_eq!(filters.to_query().to_string(), text);

        let wrong = "layer=6&chapter=memory-acounting&colour=red&time=60";
        let (filters, problems) = Filters::from_query(&Query::parse(wrong), &course());
        assert_eq!(filters, Filters { time: "60", ..Filters::default() });
        assert_eq!(problems.len(), 3);
        assert!(problems.iter().any(|p| p.message.contains("did you mean “memory-accounting”")));
    }

    #[test]
    fn every_choice_that_is_offered_is_one_that_a_link_may_say() {
        let offered = [
            ("layer", LAYERS),
            ("week", WEEKS),
            ("priority", PRIORITIES),
            ("time", TIMES),
            ("kind", KINDS),
            ("read", READ),
            ("sort", SORTS),
        ];
        for (name, choices) in offered {
            let Some(Kind::Choice(said)) = SPECS.iter().find(|s| s.name == name).map(|s| s.kind) else {
                panic!("{name} is not a choice");
            };
            let values: Vec<&str> = choices.iter().map(|(value, _)| *value).filter(|v| !v.is_empty()).collect();
            assert_eq!(values, said, "{name}");
        }
    }

    #[test]
    fn sources_are_kept_when_every_filter_agrees() {
        let source = |id: &str, minutes, layers: &[u8], title: &str| Source {
            id: id.into(),
            title: title.into(),
            minutes,
            layers: layers.into(),
            priority: 3,
            ..Source::default()
        };
        let sources =
            [source("a", 30, &[1, 2], "ZeRO: memory"), source("b", 121, &[3], "Rings"), source("c", 120, &[], "")];
        let read = BTreeSet::from(["b".to_owned()]);
        let kept = |filters: Filters| filters.keep(&sources, &read);
        assert_eq!(kept(Filters::default()), [true; 3]);
        assert_eq!(kept(Filters { layer: "2", ..Filters::default() }), [true, false, false]);
        assert_eq!(kept(Filters { time: "120", ..Filters::default() }), [true, false, true]);
        assert_eq!(kept(Filters { time: "more", ..Filters::default() }), [false, true, false]);
        assert_eq!(kept(Filters { read: "yes", ..Filters::default() }), [false, true, false]);
        assert_eq!(kept(Filters { read: "no", ..Filters::default() }), [true, false, true]);
        assert_eq!(kept(Filters { text: "  MEMORY zero ".into(), ..Filters::default() }), [true, false, false]);
        assert_eq!(kept(Filters { text: "memory rings".into(), ..Filters::default() }), [false; 3]);
        assert!(!Filters { sort: "priority", ..Filters::default() }.narrow());
        assert!(Filters { read: "no", ..Filters::default() }.narrow());
    }
}
