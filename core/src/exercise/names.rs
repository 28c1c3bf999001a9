//! The names that an exercise has for one set of parameters, with their values.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::{Env, Exercise};
use crate::catalogue::Evaluation;
use crate::query::Query;

/// Computes an exercise's model. Passed in, since the browser loads a model's code when it is first needed; see
/// [`by_catalogue`].
pub type Evaluate<'a> = &'a dyn Fn(&Query) -> Evaluation;

/// Evaluates an exercise's model by the catalogue, where all of that is loaded anyway. What has been evaluated is kept:
/// hundreds of draws come to a few states.
pub fn by_catalogue(exercise: &Exercise) -> impl Fn(&Query) -> Evaluation + use<> {
    let model = exercise.model.clone().unwrap_or_default();
    let known = RefCell::new(BTreeMap::new());
    move |query: &Query| match crate::catalogue::find(&model) {
        Some(entry) => known.borrow_mut().entry(query.to_string()).or_insert_with(|| (entry.evaluate)(query)).clone(),
        None => Evaluation { error: Some(format!("There is no model “{model}”.")), ..Evaluation::default() },
    }
}

/// The names for the templates of an exercise of any kind, with `parameters` from [`draw`](super::draw). For a number
/// `answer` is among them. The error is a sentence.
pub fn environment(exercise: &Exercise, parameters: &Query, evaluate: Evaluate<'_>) -> Result<Env, String> {
    let env = names_of(exercise, parameters, evaluate)?;
    match exercise.number() {
        Some(number) => {
            let expected = env.eval(&number.answer).map_err(|e| format!("answer: {e}"))?;
            Ok(env.with("answer", expected, number.unit))
        }
        None => Ok(env),
    }
}

/// The names of the exercise with these parameters; the error is a sentence.
pub(super) fn names_of(exercise: &Exercise, parameters: &Query, evaluate: Evaluate<'_>) -> Result<Env, String> {
    let Some(model) = &exercise.model else {
        return Ok(Env::of_parameters(parameters));
    };
    let evaluation = evaluate(parameters);
    if let Some(error) = &evaluation.error {
        return Err(format!("The model “{model}” has no result: {error}"));
    }
    if let Some(problem) = evaluation.problems.first() {
        return Err(problem.message.clone());
    }
    Ok(Env::new(&evaluation))
}
