//! Where to begin: a few questions, each chosen by the answers before it.
//!
//! The rule. The areas stand in the order of the course. The first question is a third of the way into them; a right answer
//! sends the search behind its area and a wrong one before it, again a third of the way into what is left, until nothing is
//! left between what was answered and what was not. Then the last area that was passed gets a second question, because one
//! right answer may be luck; if that one goes wrong, the search goes on before it. [`MOST`] questions end it in any case.
//!
//! What it claims. An area is *known* with two right answers and none wrong, *probably known* with one. A chapter may be
//! skimmed only if one of its own exercises was answered right and none wrong. Of an area that no question was about, nothing
//! is said.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::seed_from;

/// The most questions that are asked.
pub const MOST: usize = 8;

/// An area of skill.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Area {
    /// What a person calls it.
    pub name: String,
    /// The slug of the chapter to begin with, if it is not known.
    pub chapter: String,
    /// The slugs of the chapters that it is about.
    pub covers: Vec<String>,
    /// `<chapter>/<exercise>`, of which one or two are asked.
    pub exercises: Vec<String>,
}

/// A question that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// `<chapter>/<exercise>`.
    pub exercise: String,
    /// Whether the first answer was right.
    pub right: bool,
}

/// What the answers show of an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Two right answers and none wrong.
    Known,
    /// One right answer and none wrong.
    Probably,
    /// A right one and a wrong one.
    Mixed,
    /// A wrong answer and none right.
    NotYet,
    /// Nothing: it was not asked about.
    NotAsked,
}

impl Shown {
    /// For the learner.
    pub fn label(self) -> &'static str {
        match self {
            Shown::Known => "Known: two right answers",
            Shown::Probably => "Probably known: one right answer",
            Shown::Mixed => "One right, one wrong",
            Shown::NotYet => "Not yet",
            Shown::NotAsked => "Not asked",
        }
    }
}

/// What came of the answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What they show of each area, in order.
    pub areas: Vec<Shown>,
    /// The area to begin with; none if the last one was passed.
    pub begin: Option<usize>,
    /// The slugs of the chapters that may be skimmed.
    pub skim: Vec<String>,
}

/// The next question: its exercise, `<chapter>/<exercise>`. None once enough is known. The same seed and the same answers give
/// the same question.
pub fn next(areas: &[Area], answered: &[Answered], seed: u64) -> Option<String> {
    if answered.len() >= MOST {
        return None;
    }
    let asked = |area: &Area| answered.iter().filter(|a| area.exercises.contains(&a.exercise)).count();
    let search = search(areas, answered);
    let area = match search.open {
        Some(area) => area,
        None => search.begin.checked_sub(1).filter(|last| asked(&areas[*last]) == 1)?,
    };
    let area = areas.get(area)?;
    let all = area.exercises.len();
    let first = (seed_from(&area.name, seed) % all.max(1) as u64) as usize;
    let turned = area.exercises.iter().cycle().skip(first).take(all);
    turned.into_iter().find(|key| !answered.iter().any(|a| a.exercise == **key)).cloned()
}

/// What the answers so far come to.
pub fn found(areas: &[Area], answered: &[Answered]) -> Found {
    let begin = search(areas, answered).begin;
    let chapter_of = |key: &str| key.split('/').next().unwrap_or_default().to_owned();
    let wrong: BTreeSet<String> = answered.iter().filter(|a| !a.right).map(|a| chapter_of(&a.exercise)).collect();
    let mut skim: Vec<String> = Vec::new();
    for slug in answered.iter().filter(|a| a.right).map(|a| chapter_of(&a.exercise)) {
        if !wrong.contains(&slug) && !skim.contains(&slug) {
            skim.push(slug);
        }
    }
    Found {
        areas: areas.iter().map(|area| shown(area, answered)).collect(),
        begin: (begin < areas.len()).then_some(begin),
        skim,
    }
}

fn shown(area: &Area, answered: &[Answered]) -> Shown {
    let of = |right| answered.iter().filter(|a| a.right == right && area.exercises.contains(&a.exercise)).count();
    match (of(true), of(false)) {
        (0, 0) => Shown::NotAsked,
        (0, _) => Shown::NotYet,
        (1, 0) => Shown::Probably,
        (_, 0) => Shown::Known,
        _ => Shown::Mixed,
    }
}

/// How far the search has come.
struct Search {
    /// The area to ask about next; none if there is nothing left between what was passed and what was not.
    open: Option<usize>,
    /// The first area that was not passed, as far as is known.
    begin: usize,
}

fn search(areas: &[Area], answered: &[Answered]) -> Search {
    let (mut low, mut high) = (0, areas.len());
    while low < high {
        let at = low + (high - low) / 3;
        match shown(&areas[at], answered) {
            // There is nothing to ask about it: it is not known.
            Shown::NotAsked if areas[at].exercises.is_empty() => high = at,
            Shown::NotAsked => return Search { open: Some(at), begin: low },
            Shown::Known | Shown::Probably => low = at + 1,
            Shown::Mixed | Shown::NotYet => high = at,
        }
    }
    Search { open: None, begin: low }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn areas(count: usize) -> Vec<Area> {
        let area = |i: usize| Area {
            name: format!("area {i}"),
            chapter: format!("c{i}"),
            covers: vec![format!("c{i}"), format!("d{i}")],
            exercises: vec![format!("c{i}/x"), format!("c{i}/y"), format!("d{i}/z")],
        };
        (0..count).map(area).collect()
    }

    /// Answers every question by what is known of its area; yields the answers.
    fn sit(areas: &[Area], seed: u64, mut knows: impl FnMut(usize) -> bool) -> Vec<Answered> {
        let mut answered = Vec::new();
        while let Some(exercise) = next(areas, &answered, seed) {
            let area = areas.iter().position(|a| a.exercises.contains(&exercise)).unwrap_or(usize::MAX);
            answered.push(Answered { exercise, right: knows(area) });
        }
        answered
    }

    #[test]
    fn it_finds_where_knowledge_ends() {
        let areas = areas(12);
        for end in 0..=12 {
            for seed in 0..5 {
                let answered = sit(&areas, seed, |area| area < end);
                let found = found(&areas, &answered);
                assert_eq!(found.begin, (end < 12).then_some(end), "knows {end}");
                if end > 0 {
                    assert_eq!(found.areas[end - 1], Shown::Known);
                }
                assert!(answered.len() <= 6, "{end}: {}", answered.len());
            }
        }
        // A newcomer is asked three questions.
        assert_eq!(sit(&areas, 1, |_| false).len(), 3);
    }

    #[test]
    fn a_second_answer_that_is_wrong_takes_the_first_back() {
        let areas = areas(12);
        let mut times = 0;
        let answered = sit(&areas, 3, |area| {
            times += usize::from(area == 5);
            area < 5 || (area == 5 && times == 1)
        });
        let found = found(&areas, &answered);
        assert_eq!((found.begin, found.areas[5]), (Some(5), Shown::Mixed));
    }

    #[test]
    fn seeds_differ_and_what_there_is_nothing_to_ask_about_is_not_known() {
        let mut areas = areas(12);
        let first = next(&areas, &[], 1);
        assert_eq!(first, next(&areas, &[], 1));
        assert!((2..20).any(|seed| next(&areas, &[], seed) != first));
        areas.iter_mut().for_each(|a| a.exercises.clear());
        assert_eq!((next(&areas, &[], 1), found(&areas, &[]).begin), (None, Some(0)));
        assert_eq!((next(&[], &[], 1), found(&[], &[]).begin), (None, None));
    }

    proptest! {
        #[test]
        fn it_ends_asks_nothing_twice_and_claims_no_more_than_was_measured(
            count in 0..20_usize, seed: u64, answers in prop::collection::vec(any::<bool>(), MOST),
        ) {
            let areas = areas(count);
            let mut given = answers.into_iter();
            let answered = sit(&areas, seed, |_| given.next().unwrap_or_default());
            prop_assert!(answered.len() <= MOST);
            let keys: BTreeSet<&str> = answered.iter().map(|a| a.exercise.as_str()).collect();
            prop_assert_eq!(keys.len(), answered.len());

            let found = found(&areas, &answered);
            for (area, shown) in areas.iter().zip(&found.areas) {
                let of = |right| answered.iter().filter(|a| a.right == right && area.exercises.contains(&a.exercise)).count();
                match shown {
                    Shown::Known => prop_assert!(of(true) >= 2 && of(false) == 0),
                    Shown::Probably => prop_assert!(of(true) == 1 && of(false) == 0),
                    Shown::NotAsked => prop_assert!(of(true) + of(false) == 0),
                    Shown::Mixed | Shown::NotYet => prop_assert!(of(false) > 0),
                }
            }
            // A right answer lets one chapter be skimmed, its own, and a wrong one none.
            let rights = answered.iter().filter(|a| a.right).count();
            prop_assert!(found.skim.len() <= rights);
            for slug in &found.skim {
                let own = |a: &&Answered| a.exercise.starts_with(&format!("{slug}/"));
                prop_assert!(answered.iter().filter(own).all(|a| a.right) && answered.iter().any(|a| own(&a)));
            }
            // Where to begin was never passed.
            if let Some(begin) = found.begin {
                prop_assert!(!matches!(found.areas[begin], Shown::Known | Shown::Probably));
            }
        }
    }
}
