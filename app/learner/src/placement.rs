//! The questions that find where to begin, as the store keeps them, and what came of them.

use ringside_core::practice::placement::{self, Answered, Area};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::doc::Doc;

/// The questions being answered and what came of them, as the store keeps them. `begin` and `skim` are read by every page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sitting {
    /// What the questions are drawn with.
    pub seed: u64,
    /// What was answered, in order.
    #[serde(default)]
    pub answered: Vec<Answered>,
    /// How many questions were put on the screen: one that was is not asked anew.
    #[serde(default)]
    pub begun: usize,
    /// Whether there is no further question.
    #[serde(default)]
    pub done: bool,
    /// The slug of the chapter to begin with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begin: Option<String>,
    /// The slugs of chapters that may be skimmed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skim: Vec<String>,
    /// What this version does not know: of an earlier one, the answers to its twelve questions.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Sitting {
    /// Takes note of an answer, and of what all of them come to.
    pub fn answer(&mut self, areas: &[Area], exercise: String, right: bool) {
        self.answered.push(Answered { exercise, right });
        self.done = placement::next(areas, &self.answered, self.seed).is_none();
        let found = placement::found(areas, &self.answered);
        self.begin = found.begin.and_then(|i| areas.get(i)).map(|area| area.chapter.clone());
        self.skim = found.skim;
    }
}

/// The one in a document.
pub fn read(doc: &Doc) -> Option<Sitting> {
    Sitting::deserialize(&doc.placement).ok()
}

/// Puts one in, or takes it out. What cannot be read is kept aside.
pub fn write(doc: &mut Doc, sitting: Option<&Sitting>) {
    doc.put("placement", |doc| &mut doc.placement, sitting);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc;
    use serde_json::json;

    #[test]
    fn the_answers_of_an_earlier_version_are_kept() {
        let text = r#"{"version":2,"placement":{"seed":7,"answers":{"c/e":"12"},"done":true}}"#;
        let mut doc = doc::read(text).expect("reads");
        let sitting = read(&doc).expect("a sitting");
        assert_eq!((sitting.answered.len(), sitting.rest["answers"].clone()), (0, json!({ "c/e": "12" })));
        write(&mut doc, Some(&sitting));
        assert_eq!(doc.placement["answers"]["c/e"], "12");
    }

    #[test]
    fn every_page_can_read_where_it_sends_the_learner() {
        let area = |slug: &str| Area {
            name: slug.into(),
            chapter: slug.into(),
            covers: vec![slug.into()],
            exercises: vec![format!("{slug}/x"), format!("{slug}/y")],
        };
        let areas = ["a", "b"].map(area);
        let mut sitting = Sitting { seed: 1, ..Sitting::default() };
        while let Some(exercise) = placement::next(&areas, &sitting.answered, sitting.seed) {
            let right = exercise.starts_with("a/");
            sitting.answer(&areas, exercise, right);
        }
        assert!(sitting.done);
        let mut doc = Doc::default();
        assert!(!doc.is_placed());
        write(&mut doc, Some(&sitting));
        assert!(doc.is_placed());
        let (begin, skim) = doc.placed();
        assert_eq!((begin, skim.collect::<Vec<_>>()), (Some("b"), vec!["a"]));
    }
}
