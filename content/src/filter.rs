//! Which sources are listed, and in which order: plain data that a link carries.

use ringside_core::query::{Kind, ParamSpec, Problem, Query, Reader, did_you_mean, shorten};

/// The choices of one filter: what a link says, and what a person reads. The first filters nothing.
pub type Choices = &'static [(&'static str, &'static str)];

/// The filters of which a few choices are all in sight: the name in a link, the label, the choices.
pub const BARS: [(&str, &str, Choices); 6] = [
    ("layer", "Layer", &[("", "All"), ("1", "1"), ("2", "2"), ("3", "3"), ("4", "4"), ("5", "5")]),
    ("week", "Week", &[("", "All"), ("1", "1"), ("2", "2"), ("3", "3"), ("4", "4")]),
    ("priority", "Priority", &[("", "All"), ("3", "Must read"), ("2", "Recommended"), ("1", "Optional")]),
    ("time", "Time", &[("", "Any"), ("30", "≤ 30 min"), ("60", "≤ 1 h"), ("120", "≤ 2 h"), ("more", "More")]),
    ("read", "Read", &[("", "All"), ("no", "Unread"), ("yes", "Read")]),
    ("sort", "Sorted by", &[("", "Chapter"), ("priority", "Priority")]),
];

/// The kinds of source.
pub const KINDS: Choices = &[
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

/// What a link may say.
pub const SPECS: [ParamSpec; 9] = [
    spec("q", "words that must all occur", &[]),
    spec("layer", "layer of understanding", &["1", "2", "3", "4", "5"]),
    spec("week", "week of the plan", &["1", "2", "3", "4"]),
    spec("priority", "3 must read, 2 recommended, 1 optional", &["3", "2", "1"]),
    spec("time", "at most so many minutes, or more than two hours", &["30", "60", "120", "more"]),
    spec("kind", "kind of source", &["paper", "docs", "blog", "code", "course", "book", "tool", "talk"]),
    spec("chapter", "slug of a chapter", &[]),
    spec("read", "read or not", &["no", "yes"]),
    spec("sort", "order, if not by chapter", &["priority"]),
];

const fn spec(name: &'static str, doc: &'static str, choices: &'static [&'static str]) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Choice(choices), default: "" }
}

/// The filters. What is empty does not filter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filters {
    /// Words that must all occur, in any case.
    pub text: String,
    /// A layer, `1` to `5`.
    pub layer: &'static str,
    /// A week of the plan, `1` to `4`.
    pub week: &'static str,
    /// A priority, `1` to `3`.
    pub priority: &'static str,
    /// At most so many minutes, or `more` than two hours.
    pub time: &'static str,
    /// A kind of source.
    pub kind: &'static str,
    /// The slug of a chapter.
    pub chapter: String,
    /// `yes` or `no`.
    pub read: &'static str,
    /// The order: by `priority`, or else by chapter.
    pub sort: &'static str,
}

/// What the filters ask about one source, as the page has it. Lists are separated by spaces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// The layers it belongs to.
    pub layers: String,
    /// The weeks of the plan in which it is read.
    pub weeks: String,
    /// Its priority.
    pub priority: String,
    /// How long it takes.
    pub minutes: u32,
    /// Its kind.
    pub kind: String,
    /// The chapters it belongs to.
    pub chapters: String,
    /// The text in which words are looked for, in lower case.
    pub text: String,
}

impl Filters {
    /// Reads a link of a site with these chapters. What it says wrongly is reported, and nothing is filtered by it.
    pub fn read(query: &Query, chapters: &[&str]) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(&SPECS, query);
        let mut filters = Self {
            text: query.get("q").unwrap_or_default().to_owned(),
            layer: reader.choice("layer"),
            week: reader.choice("week"),
            priority: reader.choice("priority"),
            time: reader.choice("time"),
            kind: reader.choice("kind"),
            chapter: String::new(),
            read: reader.choice("read"),
            sort: reader.choice("sort"),
        };
        match query.get("chapter").filter(|slug| !slug.is_empty()) {
            Some(slug) if chapters.contains(&slug) => filters.chapter = slug.to_owned(),
            Some(slug) => {
                let hint = did_you_mean(slug, chapters);
                reader.problem("chapter", format!("There is no chapter “{}”{hint}. It was ignored.", shorten(slug)));
            }
            None => {}
        }
        (filters, reader.finish())
    }

    /// What [`Self::read`] reads back to the same.
    pub fn query(&self) -> Query {
        let values = [
            self.text.as_str(),
            self.layer,
            self.week,
            self.priority,
            self.time,
            self.kind,
            &self.chapter,
            self.read,
            self.sort,
        ];
        Query::new(SPECS.iter().map(|spec| spec.name).zip(values).filter(|(_, value)| !value.is_empty()))
    }

    /// Whether they leave anything out. The order does not.
    pub fn narrow(&self) -> bool {
        *self != Self { sort: self.sort, ..Self::default() }
    }

    /// No filters, in the same order.
    pub fn cleared(&self) -> Self {
        Self { sort: self.sort, ..Self::default() }
    }

    /// Whether they keep a source, which is `read` or not.
    pub fn keep(&self, source: &Facts, read: bool) -> bool {
        let one = |list: &str, chosen: &str| chosen.is_empty() || list.split(' ').any(|item| item == chosen);
        one(&source.layers, self.layer)
            && one(&source.weeks, self.week)
            && one(&source.priority, self.priority)
            && match self.time {
                "more" => source.minutes > 120,
                time => time.parse().map_or(true, |most: u32| source.minutes <= most),
            }
            && one(&source.kind, self.kind)
            && one(&source.chapters, &self.chapter)
            && (self.read.is_empty() || read == (self.read == "yes"))
            && self.text.split_whitespace().all(|word| source.text.contains(&word.to_lowercase()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAPTERS: [&str; 2] = ["memory-accounting", "attention"];

    #[test]
    fn a_link_reads_back_the_same_and_what_it_says_wrongly_is_named() {
        let text = "q=zero%20paper&layer=2&week=1&priority=3&time=more&kind=docs&chapter=memory-accounting&read=no&sort=priority";
        let (filters, problems) = Filters::read(&Query::parse(text), &CHAPTERS);
        assert_eq!(problems, []);
        assert_eq!(filters.query().to_string(), text);

        let wrong = "layer=6&chapter=memory-acounting&colour=red&time=60";
        let (filters, problems) = Filters::read(&Query::parse(wrong), &CHAPTERS);
        assert_eq!(filters, Filters { time: "60", ..Filters::default() });
        assert_eq!(problems.len(), 3);
        assert!(problems.iter().any(|p| p.message.contains("did you mean “memory-accounting”")));
    }

    #[test]
    fn every_choice_that_is_offered_is_one_that_a_link_may_say() {
        for (name, choices) in BARS.map(|(name, _, choices)| (name, choices)).into_iter().chain([("kind", KINDS)]) {
            let Some(Kind::Choice(said)) = SPECS.iter().find(|s| s.name == name).map(|s| s.kind) else {
                panic!("{name} is not a choice");
            };
            let values: Vec<&str> = choices.iter().map(|(value, _)| *value).filter(|v| !v.is_empty()).collect();
            assert_eq!(values, said, "{name}");
        }
    }

    #[test]
    fn sources_are_kept_when_every_filter_agrees() {
        let source = |minutes, layers: &str, text: &str, chapters: &str| Facts {
            minutes,
            layers: layers.into(),
            text: text.into(),
            chapters: chapters.into(),
            priority: "3".into(),
            ..Facts::default()
        };
        let sources = [
            source(30, "1 2", "zero: memory", "memory-accounting attention"),
            source(121, "3", "rings", "data-parallel"),
            source(120, "", "", "memory"),
        ];
        // The second is read.
        let kept = |filters: Filters| [0, 1, 2].map(|i| filters.keep(&sources[i], i == 1));
        assert_eq!(kept(Filters::default()), [true; 3]);
        assert_eq!(kept(Filters { layer: "2", ..Filters::default() }), [true, false, false]);
        assert_eq!(kept(Filters { time: "120", ..Filters::default() }), [true, false, true]);
        assert_eq!(kept(Filters { time: "more", ..Filters::default() }), [false, true, false]);
        assert_eq!(kept(Filters { read: "yes", ..Filters::default() }), [false, true, false]);
        assert_eq!(kept(Filters { read: "no", ..Filters::default() }), [true, false, true]);
        assert_eq!(kept(Filters { chapter: "memory".into(), ..Filters::default() }), [false, false, true]);
        assert_eq!(kept(Filters { text: "  MEMORY zero ".into(), ..Filters::default() }), [true, false, false]);
        assert_eq!(kept(Filters { text: "memory rings".into(), ..Filters::default() }), [false; 3]);
        let filters = Filters { sort: "priority", read: "no", ..Filters::default() };
        assert!(filters.narrow() && !filters.cleared().narrow());
        assert_eq!(filters.cleared().sort, "priority");
    }
}
