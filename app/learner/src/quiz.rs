//! The address of a quiz: what it asks, how long it should take, and whether it is still being composed.

use ringside_core::practice::exam::QuizSpec;
use ringside_core::query::{Query, shorten};

use crate::{MOST_MINUTES, minutes};

/// What an address says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// The exercises and the seed.
    pub spec: QuizSpec,
    /// How long it should take, in minutes; 0 for as long as it takes.
    pub minutes: u32,
    /// Whether it is being composed: also where there are no exercises.
    pub compose: bool,
}

impl Link {
    /// Reads a query, with or without its `?`, and says what of it cannot be used.
    pub fn read(search: &str) -> (Self, Vec<String>) {
        let query = Query::parse(search.trim_start_matches('?'));
        let of_page = |name: &str| matches!(name, "compose" | "minutes");
        let (spec, problems) = QuizSpec::read(&Query::new(query.iter().filter(|(name, _)| !of_page(name))));
        let mut messages: Vec<String> = problems.into_iter().map(|p| p.message).collect();
        let minutes = match query.get("minutes").map(str::trim).filter(|text| !text.is_empty()) {
            None => 0,
            Some(text) => minutes(text).filter(|m| *m <= MOST_MINUTES).unwrap_or_else(|| {
                let text = shorten(text);
                messages.push(format!(
                    "minutes must be a whole number from 0 to {MOST_MINUTES}, not “{text}”; no time is set."
                ));
                0
            }),
        };
        let compose = query.get("compose").is_some() || spec.exercises.is_empty();
        (Self { spec, minutes, compose }, messages)
    }

    /// The address of the quiz, relative to the site's base.
    pub fn href(&self) -> String {
        let mut query = self.spec.to_query();
        if self.minutes > 0 {
            query.set("minutes", self.minutes.to_string());
        }
        if self.compose {
            query.set("compose", "1");
        }
        format!("quiz/?{query}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_back() {
        let (link, problems) = Link::read("?e=a/b,c/d&seed=7&minutes=20");
        assert_eq!((link.minutes, link.compose, link.spec.seed, problems.len()), (20, false, 7, 0));
        assert_eq!(link.href(), "quiz/?e=a/b,c/d&seed=7&minutes=20");
        assert_eq!(Link::read(link.href().trim_start_matches("quiz/")), (link.clone(), vec![]));
        let composed = Link { compose: true, minutes: 0, ..link };
        assert_eq!(Link::read(composed.href().trim_start_matches("quiz/")), (composed, vec![]));
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        assert_eq!(Link::read(""), (Link { compose: true, ..Link::default() }, vec![]));
        let (link, problems) = Link::read("?e=a/b&minutes=soon&seed=x&colour=red");
        assert_eq!((link.minutes, link.spec.exercises.len(), problems.len()), (0, 1, 3));
        assert!(problems.iter().any(|p| p.contains("minutes must be a whole number from 0 to 600, not “soon”")));
    }
}
