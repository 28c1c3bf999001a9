//! What an exercise expects, for one set of parameters.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

use super::{Env, Exercise, MistakeDef, Number, Template, query};
use crate::answer::{Mistake, Question, Tolerance, Verdict};
use crate::catalogue::Evaluation;
use crate::expr::{begins_name, continues_name};
use crate::quantity::Unit;
use crate::query::Query;

/// Computes an exercise's model. Passed in, since the browser loads a model's code when it is first needed; see
/// [`by_catalogue`].
pub type Evaluate<'a> = &'a dyn Fn(&Query) -> Evaluation;

/// An exercise with its numbers in place.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The right answer, in base units.
    pub expected: f64,
    /// What it counts.
    pub unit: Unit,
    /// How close is right.
    pub tolerance: Tolerance,
    /// The declared mistakes, in the exercise's order, their sentences filled in.
    pub mistakes: Vec<Mistake>,
    /// For the templates of this exercise; `answer` is in it.
    pub env: Env,
    /// What the learner may use in an expression: the symbols that the prompt defines, and the parameters' names where the
    /// exercise says so.
    pub names: Vec<(String, f64)>,
    /// The unit that the answer has to be in, where converting it is the question.
    pub written_in: Option<String>,
}

impl Resolved {
    /// Judges what a learner typed.
    pub fn check(&self, input: &str) -> Verdict {
        let Self { expected, unit, tolerance, .. } = *self;
        let (mistakes, names, written_in) = (&self.mistakes, &self.names, self.written_in.as_deref());
        Question { expected, unit, tolerance, mistakes, names, written_in }.check(input)
    }
}

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

/// What `exercise` expects with `parameters` from [`draw`](super::draw). An error, a sentence, if it does not ask for
/// a number or cannot be computed.
pub fn resolve(exercise: &Exercise, parameters: &Query, evaluate: Evaluate<'_>) -> Result<Resolved, String> {
    let Some(number) = exercise.number() else {
        return Err(format!("The exercise “{}” does not ask for a number.", exercise.id));
    };
    let env = environment(exercise, parameters, evaluate)?;
    let expected = env.number("answer").unwrap_or(f64::NAN);
    let unit = number.unit;
    let tolerance = Tolerance::parse(&number.tolerance, unit).map_err(|e| format!("tolerance: {e}"))?;
    let mut mistakes = Vec::with_capacity(number.mistakes.len());
    for (i, def) in number.mistakes.iter().enumerate() {
        let mistake = mistake(exercise, number, def, parameters, evaluate, &env);
        mistakes.push(mistake.map_err(|e| format!("mistake {}, {e}", i + 1))?);
    }
    let mut names = symbols_of(&exercise.prompt, &env);
    if number.expression {
        names.extend(parameters_of(exercise, &env));
    }
    let written_in = number.written_in.clone();
    Ok(Resolved { expected, unit, tolerance, mistakes, env, names, written_in })
}

fn mistake(
    exercise: &Exercise,
    number: &Number,
    def: &MistakeDef,
    parameters: &Query,
    evaluate: Evaluate<'_>,
    env: &Env,
) -> Result<Mistake, String> {
    let wrong = if def.set.is_empty() {
        env.clone()
    } else {
        let changed = parameters.with(&query(&def.set));
        names_of(exercise, &changed, evaluate).map_err(|e| format!("set: {e}"))?
    };
    let formula = def.answer.as_ref().unwrap_or(&number.answer);
    let value = wrong.eval(formula).map_err(|e| format!("answer: {e}"))?;
    let named = env.clone().with("mistake", value, number.unit);
    let say = Template::fill(&def.say, &named).map_err(|e| format!("say: {e}"))?;
    Ok(Mistake { value, say })
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

/// The symbols that a prompt defines by writing `n = {…}`, with their values.
fn symbols_of(prompt: &str, env: &Env) -> Vec<(String, f64)> {
    let symbol = |hole: Range<usize>| {
        let before = prompt.get(..hole.start.checked_sub(1)?)?.trim_end().strip_suffix('=')?.trim_end();
        let from = before.trim_end_matches(continues_name).len();
        let name = before.get(from..).filter(|name| name.starts_with(begins_name))?;
        let formula = prompt.get(hole)?.split('|').next()?.trim();
        Some((name.to_owned(), env.eval(formula).ok()?))
    };
    Template::holes(prompt).unwrap_or_default().into_iter().filter_map(symbol).collect()
}

/// The numbers that the exercise itself sets: what its prompt can have told the learner.
fn parameters_of(exercise: &Exercise, env: &Env) -> Vec<(String, f64)> {
    let mut names: Vec<(String, f64)> = Vec::new();
    for name in exercise.params.keys().chain(exercise.draw.keys()) {
        let name = crate::expr::name_of(name);
        let known = names.iter().any(|(n, _)| *n == name);
        if let Some(value) = env.text(&name).and_then(crate::query::parse_number).filter(|_| !known) {
            names.push((name, value));
        }
    }
    names
}
