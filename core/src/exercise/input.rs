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
//! | explain, kernel | the text | |

use super::order::{Placed, right_order};
use super::pairs::check_partners;
use super::resolve::{Evaluate, resolve};
use super::{Exercise, Kind, draw, query};
use crate::decimal;
use crate::query::Query;

/// Indices below `n`, separated by commas; nothing if one cannot be read.
pub fn indices(text: &str, n: usize) -> Option<Vec<usize>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().ok().filter(|i| *i < n)).collect()
}

/// An index below `n`, or none, for each of `items`; nothing if one cannot be read.
pub fn partners(text: &str, items: usize, n: usize) -> Option<Vec<Option<usize>>> {
    if text.trim().is_empty() {
        return Some(vec![None; items]);
    }
    let one = |part: &str| match part.trim() {
        "" => Some(None),
        part => part.parse().ok().filter(|i| *i < n).map(Some),
    };
    let all: Option<Vec<_>> = text.split(',').map(one).collect();
    all.filter(|all| all.len() == items)
}

/// The text of [`partners`].
pub fn write_partners(partners: &[Option<usize>]) -> String {
    partners.iter().map(|p| p.map(|p| p.to_string()).unwrap_or_default()).collect::<Vec<_>>().join(",")
}

/// A cause and a change, `cause;change`; either may be missing.
pub fn cause_and_change(text: &str) -> (Option<usize>, Option<usize>) {
    let (cause, change) = text.split_once(';').unwrap_or((text, ""));
    (cause.trim().parse().ok(), change.trim().parse().ok())
}

/// Finite numbers separated by commas, none where nothing stands between two of them; nothing if one cannot be read.
pub fn points(text: &str) -> Option<Vec<Option<f64>>> {
    let point = |part: &str| match part.trim() {
        "" => Some(None),
        part => decimal::parse(part).filter(|v| v.is_finite()).map(Some),
    };
    text.split(',').map(point).collect()
}

/// What an answer is, in a word that stands in exported results: `right`, `wrong`, `empty`, `unreadable`, `unmarked` for what
/// only its author or a GPU can mark, or for a number the id of its [`Outcome`](crate::answer::Outcome).
///
/// # Errors
/// Why the exercise cannot be marked: a sentence.
pub fn mark(exercise: &Exercise, seed: u64, answer: &str, evaluate: Evaluate<'_>) -> Result<&'static str, String> {
    let parameters = draw(exercise, seed);
    let verdict = |right: bool| if right { "right" } else { "wrong" };
    let list = |found: Option<Vec<usize>>, judge: &dyn Fn(&[usize]) -> &'static str| match found {
        None => "unreadable",
        Some(found) if found.is_empty() => "empty",
        Some(found) => judge(&found),
    };
    let partnered = |items: usize, n: usize| match partners(answer, items, n) {
        None => "unreadable",
        Some(all) if all.iter().all(Option::is_none) => "empty",
        Some(all) => verdict(check_partners(items, &all).is_right()),
    };
    Ok(match &exercise.kind {
        Kind::Number(_) | Kind::Predict(_) => resolve(exercise, &parameters, evaluate)?.check(answer).outcome.id(),
        Kind::Choice(choice) => {
            list(indices(answer, choice.options.len()), &|chosen| verdict(choice.check(chosen).is_right()))
        }
        Kind::Order(order) => {
            let right = right_order(exercise, order, &parameters, evaluate)?;
            list(indices(answer, order.items.len()), &|given| verdict(right.check(given) == Placed::Right))
        }
        Kind::Match(pairs) => partnered(pairs.pairs.len(), pairs.pairs.len() + pairs.extra.len()),
        Kind::Label(label) => partnered(label.parts.len(), label.parts.len()),
        Kind::Task(_) if answer.trim().is_empty() => "empty",
        Kind::Task(task) => {
            // A state without a result is an answer, and a wrong one.
            let state = Query::parse(answer);
            verdict(task.judge(exercise, &parameters, &state, evaluate).is_ok_and(|judged| judged.is_right()))
        }
        Kind::Trace(trace) => match cause_and_change(answer) {
            (None, None) => "empty",
            (Some(cause), Some(change)) => {
                let proves = trace.measure(exercise, change, &parameters, evaluate).is_ok_and(|m| m.proves);
                verdict(trace.is_cause(cause) && proves)
            }
            _ => "wrong",
        },
        Kind::Sketch(sketch) => match points(answer) {
            None => "unreadable",
            Some(drawn) if drawn.iter().all(Option::is_none) => "empty",
            Some(drawn) => verdict(sketch.curve(exercise, &parameters, evaluate)?.is_near(&drawn)),
        },
        Kind::Explain(_) | Kind::Kernel(_) if answer.trim().is_empty() => "empty",
        Kind::Explain(_) | Kind::Kernel(_) => "unmarked",
    })
}

/// An answer that is right: the exercise's own solution. Nothing for what only its author or a GPU can mark.
///
/// # Errors
/// Why the exercise cannot be solved: a sentence.
pub fn solve(exercise: &Exercise, seed: u64, evaluate: Evaluate<'_>) -> Result<Option<String>, String> {
    let parameters = draw(exercise, seed);
    let list = |all: &mut dyn Iterator<Item = usize>| all.map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    Ok(Some(match &exercise.kind {
        // Fifteen digits are all that a double has.
        Kind::Number(_) | Kind::Predict(_) => format!("{:.14e}", resolve(exercise, &parameters, evaluate)?.expected),
        Kind::Choice(choice) => {
            list(&mut choice.options.iter().enumerate().filter(|(_, option)| option.right).map(|(i, _)| i))
        }
        Kind::Order(order) => {
            let ranks = right_order(exercise, order, &parameters, evaluate)?.ranks;
            let mut items: Vec<usize> = (0..ranks.len()).collect();
            items.sort_by_key(|i| ranks.get(*i));
            list(&mut items.into_iter())
        }
        Kind::Match(pairs) => list(&mut (0..pairs.pairs.len())),
        Kind::Label(label) => list(&mut (0..label.parts.len())),
        Kind::Task(task) => {
            let win = task.wins.first().ok_or("The task declares no state that does it.")?;
            parameters.with(&query(win)).to_string()
        }
        Kind::Trace(trace) => {
            let cause = trace.causes.iter().position(|c| c.right).ok_or("The trace has no right cause.")?;
            let proves = |i: &usize| trace.measure(exercise, *i, &parameters, evaluate).is_ok_and(|m| m.proves);
            let change = (0..trace.changes.len()).find(proves).ok_or("The trace has no change that proves it.")?;
            format!("{cause};{change}")
        }
        Kind::Sketch(sketch) => {
            // Nine digits: a browser's last bits may differ.
            let values = sketch.curve(exercise, &parameters, evaluate)?.values;
            values.iter().map(|v| format!("{v:.8e}")).collect::<Vec<_>>().join(",")
        }
        Kind::Explain(_) | Kind::Kernel(_) => return Ok(None),
    }))
}
