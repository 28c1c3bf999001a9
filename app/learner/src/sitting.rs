//! A quiz being taken, as the store keeps it: one at a time, so that a reload loses nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::doc::Doc;

/// A quiz being taken, or handed in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sitting {
    /// What is asked: the query of its link, without the page's own names.
    pub quiz: String,
    /// The learner's name as typed.
    pub learner: String,
    /// When it was begun, in Unix seconds.
    pub started: i64,
    /// When it was handed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<i64>,
    /// By `<chapter>/<exercise>`.
    #[serde(default)]
    pub answers: BTreeMap<String, String>,
}

impl Sitting {
    /// How many of `exercises` have an answer.
    pub fn answered(&self, exercises: &[String]) -> usize {
        exercises.iter().filter(|e| self.answers.get(*e).is_some_and(|a| !a.trim().is_empty())).count()
    }
}

/// The one in a document.
pub fn read(doc: &Doc) -> Option<Sitting> {
    Sitting::deserialize(&doc.quiz).ok()
}

/// Puts one in, or takes it out. What cannot be read is kept aside.
pub fn write(doc: &mut Doc, sitting: Option<&Sitting>) {
    doc.put("quiz", |doc| &mut doc.quiz, sitting);
}

/// The name of a learner's file: `ringside-quiz-ada-lovelace-2026-03-02.json`, without the end.
pub fn file_stem(learner: &str, day: &str) -> String {
    let plain: String = learner.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let mut name = plain.split_whitespace().collect::<Vec<_>>().join("-");
    name = name.chars().take(60).collect();
    if name.is_empty() { format!("ringside-quiz-{day}") } else { format!("ringside-quiz-{name}-{day}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc;
    use serde_json::json;

    #[test]
    fn it_survives_the_store() {
        let mut doc = Doc::default();
        assert_eq!(read(&doc), None);
        let mut sitting =
            Sitting { quiz: "e=a/b&seed=7".into(), learner: "Ada".into(), started: 5, ..Sitting::default() };
        sitting.answers.insert("a/b".into(), "60 GB".into());
        sitting.answers.insert("a/c".into(), " ".into());
        write(&mut doc, Some(&sitting));
        let again = doc::read(&doc::write(&doc)).expect("reads");
        assert_eq!(read(&again), Some(sitting.clone()));
        assert_eq!(sitting.answered(&["a/b".into(), "a/c".into(), "a/d".into()]), 1);
        write(&mut doc, None);
        assert_eq!(doc, Doc::default());
        doc.quiz = json!([1]);
        write(&mut doc, Some(&sitting));
        assert_eq!(doc.rest["quiz-unreadable-1"], json!([1]));
    }

    #[test]
    fn a_file_is_named_after_its_learner() {
        assert_eq!(file_stem(" Ada  Lovelace/../", "2026-03-02"), "ringside-quiz-ada-lovelace-2026-03-02");
        assert_eq!(file_stem("Ångström", "d"), "ringside-quiz-ångström-d");
        assert_eq!(file_stem("!?", "d"), "ringside-quiz-d");
        assert_eq!(file_stem(&"x".repeat(500), "d").len(), "ringside-quiz--d".len() + 60);
    }
}
