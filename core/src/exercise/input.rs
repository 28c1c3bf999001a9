//! The form in which an answer is kept and exported, by kind, whether it is right, and an answer that is.
//!
//! | kind | form | example |
//! |---|---|---|
//! | number, predict | what was typed | `60 GB` |
//! | choice | indices of the chosen options | `0,2` |
//! | order | indices of the items in their order | `2,0,1` |
//! | match, label | for each item on the left the index of its partner, or nothing | `1,,0` |
//! | task | the state of the figure | `params=30e9&zero=2` |
//! | trace | the cause, then the change | `2;0` |
//! | sketch | the points in base units | `6e10,3e10` |
//! | explain, kernel, program | the text | |

use super::kind::Posed;
pub use super::kind::Slip;
use super::names::Evaluate;
use super::paper::{Key, List, Marks};
pub use super::written::{cause_and_change, chosen, indices, partners, picked, points, write_partners, write_points};
use super::{Exercise, Template};

/// What an answer is, in a word that stands in exported results: `right`, `wrong`, `empty`, `unreadable`, `unmarked` for what
/// only its author, a GPU or a run can mark, or for a number the id of its [`Outcome`](crate::answer::Outcome).
///
/// # Errors
/// Why the exercise cannot be marked: a sentence.
pub fn mark(exercise: &Exercise, seed: u64, answer: &str, evaluate: Evaluate<'_>) -> Result<&'static str, String> {
    exercise.kind.mark(&Posed::new(exercise, seed, evaluate), answer)
}

/// What went wrong in an answer that is not right, for whoever teaches. Where the kind has no sentence of its own for it: what was answered.
///
/// # Errors
/// Why it cannot be said: a sentence.
pub fn slips(exercise: &Exercise, seed: u64, answer: &str, evaluate: Evaluate<'_>) -> Result<Vec<Slip>, String> {
    let slips = exercise.kind.slips(&Posed::new(exercise, seed, evaluate), answer)?;
    if !slips.is_empty() || answer.trim().is_empty() {
        return Ok(slips);
    }
    let words = in_words(exercise, seed, answer, evaluate);
    if words.is_empty() {
        return Ok(vec![Slip { say: crate::query::shorten(answer.trim()), is_html: false }]);
    }
    Ok(vec![Slip { say: words.join(" · "), is_html: true }])
}

/// An answer that is right: the exercise's own solution. Nothing for what only its author, a GPU or a run can mark.
///
/// # Errors
/// Why the exercise cannot be solved: a sentence.
pub fn solve(exercise: &Exercise, seed: u64, evaluate: Evaluate<'_>) -> Result<Option<String>, String> {
    exercise.kind.solve(&Posed::new(exercise, seed, evaluate))
}

/// An answer that is kept as places in a list, in the words of the exercise, one piece each. Nothing for an answer that was typed
/// or is a state.
pub fn in_words(exercise: &Exercise, seed: u64, answer: &str, evaluate: Evaluate<'_>) -> Vec<String> {
    let words = exercise.kind.in_words(answer);
    match Posed::new(exercise, seed, evaluate).environment() {
        Ok(env) => words.into_iter().map(|text| Template::fill(&text, &env).unwrap_or(text)).collect(),
        Err(_) => words,
    }
}

/// What changes with the right answer and does not stand in the exercise's text; nothing where its text says what is right.
///
/// # Errors
/// Why it cannot be computed: a sentence.
pub fn fingerprint(exercise: &Exercise, seed: u64, evaluate: Evaluate<'_>) -> Result<Option<String>, String> {
    exercise.kind.fingerprint(&Posed::new(exercise, seed, evaluate))
}

/// What is under the prompt of `exercise` with the parameters of `seed`, in the order that the page has. Nothing where an
/// empty line is enough.
///
/// # Errors
/// Why it cannot be computed: a sentence.
pub fn on_paper(exercise: &Exercise, seed: u64, evaluate: Evaluate<'_>) -> Result<Vec<List>, String> {
    let posed = Posed::new(exercise, seed, evaluate);
    exercise.kind.on_paper(&posed, &posed.environment()?)
}

/// The answer to `exercise` with the parameters of seed 0, for whoever presents or marks it: what is right, and which
/// of the lettered options that is.
///
/// # Errors
/// Why it cannot be computed: a sentence.
pub fn answer_key(exercise: &Exercise, evaluate: Evaluate<'_>) -> Result<Key, String> {
    let posed = Posed::new(exercise, 0, evaluate);
    let pieces = exercise.kind.answer_key(&posed, &posed.environment()?)?;
    let right = exercise.kind.right(&posed);
    let marks = match (right.is_empty(), exercise.kind.is_in_order()) {
        (false, _) => Marks::Letters,
        (true, true) => Marks::Numbers,
        (true, false) => Marks::None,
    };
    Ok(Key { pieces, marks, right })
}
