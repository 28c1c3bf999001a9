//! A quiz as a link.

use serde::{Deserialize, Serialize};

use super::super::seed_from;
use super::{count, name};
use crate::exercise::parse_seed;
use crate::query::{Problem, Query, did_you_mean, shorten};

/// The most exercises that a quiz has.
pub const MAX_EXERCISES: usize = 100;

/// The longest title of a quiz, in characters.
pub const MAX_TITLE: usize = 120;

/// What a quiz asks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct QuizSpec {
    /// `<chapter>/<exercise>`, in order, each once.
    pub exercises: Vec<String>,
    /// 0 for the exercises as written, anything else for fresh parameters, the same for everyone.
    pub seed: u64,
    /// Whether every learner has parameters of their own: those of this seed and their name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub each: bool,
    /// What it is called; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
}

impl QuizSpec {
    /// Reads `e=memory-accounting/weights,memory-accounting/adam&seed=7`. What cannot be read is left out and named.
    /// Names that belong to the page have to be taken out before.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut spec = Self::default();
        let mut problems = Vec::new();
        let mut problem = |name: &str, value: &str, message: String| {
            problems.push(Problem { name: name.to_owned(), value: value.to_owned(), message, refused: false });
        };
        let separated = |c: char| c == ',' || c == ';' || c.is_whitespace();
        let mut too_many = 0_u64;
        for (name, value) in query.iter() {
            match name {
                "e" => {
                    for id in value.split(separated).filter(|id| !id.is_empty()) {
                        let known = id.to_ascii_lowercase();
                        if !is_id(&known) {
                            let example = "memory-accounting/weights";
                            let message = format!(
                                "“{}” is not an exercise: write chapter/exercise, as in {example}.",
                                shorten(id)
                            );
                            problem("e", id, message);
                        } else if spec.exercises.contains(&known) {
                            problem("e", id, format!("“{}” is listed twice. It is asked once.", shorten(id)));
                        } else if spec.exercises.len() >= MAX_EXERCISES {
                            too_many += 1;
                        } else {
                            spec.exercises.push(known);
                        }
                    }
                }
                "seed" => {}
                "each" if value.trim() == "1" => spec.each = true,
                "each" => {
                    let say = format!(
                        "each must be 1, for numbers of their own for every learner, not “{}”.",
                        shorten(value)
                    );
                    problem(name, value, say);
                }
                "title" => spec.title = title(value),
                _ => {
                    let hint = did_you_mean(name, &["e", "seed", "each", "title"]);
                    problem(name, value, format!("There is no parameter “{}”{hint}. It was ignored.", shorten(name)));
                }
            }
        }
        if too_many > 0 {
            let left_out = count(too_many, "exercise");
            problem("e", "", format!("A quiz has at most {MAX_EXERCISES} exercises. {left_out} were left out."));
        }
        if let Some(text) = query.get("seed").map(str::trim).filter(|text| !text.is_empty()) {
            match parse_seed(text) {
                Ok(seed) => spec.seed = seed,
                Err(why) => problem("seed", text, format!("{why}; 0 is used.")),
            }
        }
        (spec, problems)
    }

    /// The link's query; [`QuizSpec::read`] reads it back.
    pub fn to_query(&self) -> Query {
        let mut query = Query::new([("e", self.exercises.join(",")), ("seed", self.seed.to_string())]);
        if self.each {
            query.set("each", "1");
        }
        let title = title(&self.title);
        if !title.is_empty() {
            query.set("title", title);
        }
        query
    }

    /// Takes out the exercises that are not among `known`, and names them.
    pub fn keep_known(&mut self, known: &[&str]) -> Vec<Problem> {
        let mut problems = Vec::new();
        self.exercises.retain(|id| {
            let found = known.contains(&id.as_str());
            if !found {
                let hint = did_you_mean(id, known);
                let message = format!("There is no exercise “{}”{hint}. It was left out.", shorten(id));
                problems.push(Problem { name: "e".to_owned(), value: id.clone(), message, refused: false });
            }
            found
        });
        problems
    }

    /// The seed of one exercise for a learner, by their name as typed, which counts only where everybody has numbers of their own: 0 if the
    /// quiz's is, otherwise one of its own, so that two exercises with a parameter of the same name do not always draw alike. It does not
    /// depend on the exercise's place in the quiz, and is the same in every version.
    pub fn seed_of(&self, exercise: &str, learner: &str) -> u64 {
        let seed = if self.each { seed_from(&name(learner), self.seed) } else { self.seed };
        if seed == 0 { 0 } else { seed_from(exercise, seed) }
    }
}

/// A title as it is kept: in one line, not too long.
pub fn title(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_TITLE).collect()
}

/// `memory-accounting/weights`.
fn is_id(id: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    id.len() <= 200 && id.split_once('/').is_some_and(|(chapter, exercise)| part(chapter) && part(exercise))
}
