//! Where to begin: a question for each area of skill, drawn by a seed, and what comes of the answers.

use serde::{Deserialize, Serialize};

use super::exam::Mark;
use super::seed_from;

/// An area of skill.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Area {
    /// What a person calls it.
    pub name: String,
    /// The slug of the chapter to begin with, if it is not known.
    pub chapter: String,
    /// The slugs of the chapters that may be skimmed, if it is.
    pub covers: Vec<String>,
    /// `<chapter>/<exercise>`, of which one is asked.
    pub exercises: Vec<String>,
}

/// The exercises that are asked, one for each area, in their order. The same seed draws the same ones in every version.
pub fn asked(areas: &[Area], seed: u64) -> Vec<String> {
    let one = |area: &Area| {
        let all = area.exercises.len().max(1) as u64;
        area.exercises.get((seed_from(&area.name, seed) % all) as usize).cloned()
    };
    areas.iter().filter_map(one).collect()
}

/// What came of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// The area to begin with: the first that is not known; none if all are.
    pub begin: Option<usize>,
    /// How many areas are known.
    pub known: usize,
}

/// Where to begin with these marks, one for each area in the order of the course. An area counts as known only where its question was
/// answered rightly: what is unclear or unanswered is worth a look.
pub fn placed(marks: &[Mark]) -> Placed {
    let known = |mark: &Mark| *mark == Mark::Right;
    Placed { begin: marks.iter().position(|m| !known(m)), known: marks.iter().filter(|m| known(m)).count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_each_area_is_asked_and_seeds_differ() {
        let area = |name: &str| Area {
            name: name.to_owned(),
            exercises: (0..3).map(|i| format!("{name}/{i}")).collect(),
            ..Area::default()
        };
        let areas: Vec<Area> = ["a", "b", "c"].map(area).into();
        let first = asked(&areas, 1);
        assert_eq!(first.len(), 3);
        assert!(first.iter().zip(&areas).all(|(key, area)| area.exercises.contains(key)));
        assert_eq!(first, asked(&areas, 1));
        assert!((2..20).any(|seed| asked(&areas, seed) != first));
        assert_eq!(asked(&[Area::default()], 1), Vec::<String>::new());
    }

    #[test]
    fn it_begins_with_the_first_that_is_not_known() {
        use Mark::{Right, Unanswered, Unclear, Wrong};
        assert_eq!(placed(&[Right, Wrong, Right]), Placed { begin: Some(1), known: 2 });
        assert_eq!(placed(&[Unclear, Right]), Placed { begin: Some(0), known: 1 });
        assert_eq!(placed(&[Right, Unanswered]).begin, Some(1));
        assert_eq!(placed(&[Right, Right]), Placed { begin: None, known: 2 });
        assert_eq!(placed(&[]), Placed { begin: None, known: 0 });
    }
}
