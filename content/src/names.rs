//! Ids: who defines them, who uses them, and whether that fits.

use std::collections::BTreeMap;

use crate::diagnostic::Sink;
use crate::source::Spot;

/// What an id stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Layer,
    Week,
    Part,
    Chapter,
    Skill,
    Source,
    Term,
    Widget,
    Exercise,
}

impl Kind {
    fn noun(self) -> &'static str {
        match self {
            Kind::Layer => "layer",
            Kind::Week => "week",
            Kind::Part => "part",
            Kind::Chapter => "chapter",
            Kind::Skill => "skill",
            Kind::Source => "source",
            Kind::Term => "glossary term",
            Kind::Widget => "widget",
            Kind::Exercise => "exercise",
        }
    }

    fn home(self) -> &'static str {
        match self {
            Kind::Layer | Kind::Part | Kind::Chapter | Kind::Skill => " in course.toml",
            Kind::Week => " in plan.toml",
            Kind::Source => " in readings.toml",
            Kind::Term => " in glossary.toml",
            Kind::Widget | Kind::Exercise => "",
        }
    }
}

/// All ids.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    defined: BTreeMap<Kind, BTreeMap<String, Spot<'a>>>,
}

impl<'a> Names<'a> {
    /// Notes a definition; a second one of the same id is reported.
    pub(crate) fn define(&mut self, kind: Kind, id: &str, spot: Spot<'a>, sink: &Sink) {
        let free_form = matches!(kind, Kind::Layer | Kind::Week);
        if !free_form && !is_id(id) && !id.is_empty() {
            let noun = kind.noun();
            sink.report(spot, format!("The id of a {noun} is made of a-z, 0-9, “-” and “.”; “{id}” is not."));
        }
        let of_kind = self.defined.entry(kind).or_default();
        if let Some(first) = of_kind.get(id) {
            let (line, _) = first.line_and_column();
            let message =
                format!("There are two {}s “{id}”; the first is at content/{}:{line}.", kind.noun(), first.file.path);
            sink.report(spot, message);
        } else if !id.is_empty() {
            of_kind.insert(id.to_owned(), spot);
        }
    }

    /// Whether it is defined.
    pub(crate) fn has(&self, kind: Kind, id: &str) -> bool {
        self.defined.get(&kind).is_some_and(|ids| ids.contains_key(id))
    }

    /// Whether it is defined; reported if it is not.
    pub(crate) fn resolve(&self, kind: Kind, id: &str, spot: Spot<'_>, sink: &Sink) -> bool {
        if self.has(kind, id) {
            return true;
        }
        let options: Vec<&str> =
            self.defined.get(&kind).into_iter().flat_map(|ids| ids.keys()).map(String::as_str).collect();
        sink.report_near(spot, format!("There is no {} “{id}”{}.", kind.noun(), kind.home()), id, &options);
        false
    }

    /// The definitions of a kind, by id.
    pub(crate) fn all(&self, kind: Kind) -> impl Iterator<Item = (&str, Spot<'a>)> {
        self.defined.get(&kind).into_iter().flatten().map(|(id, spot)| (id.as_str(), *spot))
    }
}

/// Whether `id` can stand in a URL and in a query as it is.
pub(crate) fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.')
}
