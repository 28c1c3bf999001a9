//! A number with its unit.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::export::{Foreseen, Form, Leaves};
use super::kind::{ExerciseKind, Field, Posed, Slip, Visit, sets_of};
use super::names::{Evaluate, environment, names_of};
use super::paper::List;
use super::report::Report;
use super::{Env, Exercise, Params, Template, query};
use crate::answer::{Mistake, Named, Outcome, Question, Tolerance, Verdict, find_unit, suited, units_of, write};
use crate::expr::{begins_name, continues_name};
use crate::quantity::Unit;
use crate::query::Query;

/// `kind = "number"`: a number with its unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// What is right: an expression over the model's quantities and numeric parameters, in base units (bytes,
    /// seconds, FLOP, a fraction of one). Ids are written with `_` where they have `-`.
    pub answer: String,
    /// What the answer counts: `bytes`, `seconds`, `flop`, `flop-per-second`, `bytes-per-second`, `count`, `ratio` or
    /// `fraction`.
    pub unit: Unit,
    /// How close is right: `"2%"`, `"exact"`, or an amount such as `"0.5 GB"` or `"3"`.
    #[serde(default = "default_tolerance")]
    pub tolerance: String,
    /// Whether the learner may answer with an expression over the names of the parameters. Over symbols that the prompt
    /// defines, as in "n = {ranks}", it always may.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expression: bool,
    /// The unit that the prompt names, such as `GB`: a bare number is in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_in: Option<String>,
    /// Whether converting to that unit is the question, so that the same amount in another unit is sent back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub converts: bool,
    /// Wrong answers that are worth a sentence of their own (`[[exercise.mistake]]`).
    #[serde(default, rename = "mistake", skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<MistakeDef>,
}

/// A wrong answer that learners give for a reason.
///
/// Its value is computed like the answer's: from the same model with some parameters changed, from another expression,
/// or from both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MistakeDef {
    /// Parameters as someone who makes this mistake has them.
    #[serde(default, skip_serializing_if = "Params::is_empty")]
    pub set: Params,
    /// The expression as someone who makes this mistake has it; the exercise's own if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// What to say to them: a Markdown template with the names of the exercise, plus `mistake` for the wrong value.
    /// Say what went wrong, not only what is right.
    pub say: String,
}

pub(super) fn default_tolerance() -> String {
    "2%".to_owned()
}

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
    /// The unit that the prompt names.
    pub written_in: Option<String>,
    /// Whether converting to it is the question.
    pub converts: bool,
}

impl Resolved {
    /// Judges what a learner typed.
    pub fn check(&self, input: &str) -> Verdict {
        let Self { expected, unit, tolerance, converts, .. } = *self;
        let (mistakes, names, written_in) = (&self.mistakes, &self.names, self.written_in.as_deref());
        Question { expected, unit, tolerance, mistakes, names, written_in, converts }.check(input)
    }
}

/// How much of a number that isn't a whole one may be lost where the page wants it exactly, but takes it rounded: half of the third digit.
const ROUNDED: f64 = 0.005;

impl Resolved {
    /// The unit in which a platform that reads bare numbers asks for the answer.
    fn one_unit(&self) -> Option<Named> {
        if let Some(asked) = &self.written_in {
            return find_unit(asked);
        }
        let whole = |named: &Named| {
            let value = self.expected / named.factor;
            value.abs() >= 1.0 && (value - value.round()).abs() <= 1e-9 * value.abs()
        };
        // A whole number is asked for where nothing of it is rounded away.
        let exact = || units_of(self.unit).into_iter().filter(whole).max_by(|a, b| a.factor.total_cmp(&b.factor));
        let few = self.unit == Unit::Count && self.expected.abs() < 1e6;
        match self.tolerance {
            _ if few || self.unit == Unit::Ratio => None,
            Tolerance::Exact if self.unit != Unit::Fraction => exact().or_else(|| suited(self.expected, self.unit)),
            _ => suited(self.expected, self.unit),
        }
    }

    /// What it comes to outside the page.
    fn leaves(&self) -> Leaves {
        let unit = self.one_unit();
        let factor = unit.as_ref().map_or(1.0, |unit| unit.factor);
        let value = self.expected / factor;
        let whole = (value - value.round()).abs() <= 1e-9 * value.abs();
        let tolerance = match self.tolerance {
            Tolerance::Relative(part) => part * value.abs(),
            Tolerance::Absolute(amount) => amount / factor,
            Tolerance::Exact if whole => 0.0,
            Tolerance::Exact => ROUNDED * value.abs(),
        };
        let name = unit.map(|unit| unit.name).unwrap_or_default();
        let below = match (name.as_str(), self.unit) {
            ("", _) => "<p>Answer with a number.</p>".to_owned(),
            ("%", _) => "<p>Answer in percent.</p>".to_owned(),
            ("k", Unit::Count) => "<p>Answer in thousands.</p>".to_owned(),
            ("M", Unit::Count) => "<p>Answer in millions.</p>".to_owned(),
            ("B", Unit::Count) => "<p>Answer in billions (10⁹).</p>".to_owned(),
            ("T", Unit::Count) => "<p>Answer in trillions (10¹²).</p>".to_owned(),
            (name, _) => format!("<p>Answer in {name}.</p>"),
        };
        let mistakes = self.foreseen(value, tolerance, factor);
        let form = Form::Number { value, tolerance, unit: name, mistakes };
        Leaves::As { below, explained: String::new(), form, lost: "", picture: None }
    }

    /// The declared mistakes in a unit of `factor`, each with a reach that ends before the answer's and halfway to its neighbor.
    fn foreseen(&self, value: f64, tolerance: f64, factor: f64) -> Vec<Foreseen> {
        let part = (tolerance / value.abs()).clamp(0.005, 0.02);
        let all: Vec<f64> = self.mistakes.iter().map(|m| m.value / factor).collect();
        let mut foreseen: Vec<Foreseen> = Vec::new();
        for (mistake, wrong) in self.mistakes.iter().zip(&all) {
            let to_answer = (wrong - value).abs() - tolerance;
            let apart =
                all.iter().map(|other| (wrong - other).abs()).filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min);
            let reach = (part * wrong.abs()).min(0.49 * apart).min(0.99 * to_answer);
            let said = foreseen.iter().any(|f| f.value == *wrong);
            if reach.is_finite() && reach >= 0.0 && wrong.is_finite() && to_answer > 0.0 && !said {
                foreseen.push(Foreseen { value: *wrong, tolerance: reach, say: mistake.say.clone() });
            }
        }
        foreseen
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
    let (written_in, converts) = (number.written_in.clone(), number.converts);
    Ok(Resolved { expected, unit, tolerance, mistakes, env, names, written_in, converts })
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
        let fact = |text: &str| crate::hardware::constants::find(text).map(|(value, _)| value);
        let value = env.text(&name).and_then(|text| crate::query::parse_number(text).or_else(|| fact(text)));
        if let Some(value) = value.filter(|_| !known) {
            names.push((name, value));
        }
    }
    names
}

impl ExerciseKind for Number {
    fn number(&self) -> Option<&Number> {
        Some(self)
    }

    fn texts(&mut self, visit: Visit<'_>) {
        for (i, mistake) in self.mistakes.iter_mut().enumerate() {
            visit(Field::blocks("say").within("mistake", i).with_names_of_its_own(), &mut mistake.say);
        }
    }

    fn sets(&self) -> Vec<(String, Cow<'_, Params>)> {
        sets_of("mistake", &self.mistakes, |mistake| &mistake.set)
    }

    fn review(&self, exercise: &Exercise, report: &mut Report) {
        report.unless(!exercise.solution.is_empty(), || {
            "solution: A number needs a worked solution, with the numbers of the question.".into()
        });
        if let Err(error) = Tolerance::parse(&self.tolerance, self.unit) {
            report.fatal(format!("tolerance: {error}"));
        }
        if let Some(asked) = &self.written_in
            && find_unit(asked).is_none_or(|found| !found.measure.fits(self.unit) || found.name != *asked)
        {
            report.say(format!("written_in: “{asked}” is no unit of what is asked for."));
        }
        report.unless(!self.converts || self.written_in.is_some(), || {
            "converts: To which unit? Name it in written_in.".to_owned()
        });
        for (i, mistake) in self.mistakes.iter().enumerate() {
            let i = i + 1;
            report
                .unless(!mistake.say.trim().is_empty(), || format!("mistake {i}, say: There is nothing to say to it."));
            report.unless(!mistake.set.is_empty() || mistake.answer.is_some(), || {
                format!("mistake {i}: It needs set or answer, or it is the right answer.")
            });
        }
    }

    fn prove(&self, posed: &Posed<'_>, _env: &Env, report: &mut Report) -> Result<(), String> {
        told_apart(posed, slips, report);
        Ok(())
    }

    fn mark(&self, posed: &Posed<'_>, answer: &str) -> Result<&'static str, String> {
        Ok(resolve(posed.exercise, &posed.parameters, posed.evaluate)?.check(answer).outcome.id())
    }

    fn slips(&self, posed: &Posed<'_>, answer: &str) -> Result<Vec<Slip>, String> {
        let verdict = resolve(posed.exercise, &posed.parameters, posed.evaluate)?.check(answer);
        // What an author declares is Markdown, which the build renders.
        let is_html = matches!(verdict.outcome, Outcome::DeclaredMistake { .. });
        let said = (!verdict.is_right()).then(|| Slip { say: verdict.say().to_owned(), is_html });
        Ok(said.into_iter().filter(|slip| !slip.say.is_empty()).collect())
    }

    fn solve(&self, posed: &Posed<'_>) -> Result<Option<String>, String> {
        // Fifteen digits are all that a double has.
        Ok(Some(format!("{:.14e}", resolve(posed.exercise, &posed.parameters, posed.evaluate)?.expected)))
    }

    fn in_words(&self, _answer: &str) -> Vec<String> {
        Vec::new()
    }

    fn on_paper(&self, _posed: &Posed<'_>, _env: &Env) -> Result<Vec<List>, String> {
        Ok(Vec::new())
    }

    fn answer_key(&self, posed: &Posed<'_>, _env: &Env) -> Result<Vec<String>, String> {
        let resolved = resolve(posed.exercise, &posed.parameters, posed.evaluate)?;
        Ok(vec![resolved.unit.format(resolved.expected)])
    }

    fn leaves(&self, posed: &Posed<'_>, _env: &Env) -> Result<Leaves, String> {
        Ok(resolve(posed.exercise, &posed.parameters, posed.evaluate)?.leaves())
    }

    fn fingerprint(&self, posed: &Posed<'_>) -> Result<Option<String>, String> {
        // Nine digits: a browser's last bits may differ.
        Ok(Some(format!("{:.8e}", resolve(posed.exercise, &posed.parameters, posed.evaluate)?.expected)))
    }
}

/// What the obvious wrong answers are besides twice and half of the right one, from the right one and its unit.
type Slips = fn(f64, Unit) -> Vec<(&'static str, f64)>;

/// The slips that no author needs to foresee.
fn slips(expected: f64, unit: Unit) -> Vec<(&'static str, f64)> {
    match unit {
        Unit::Bytes | Unit::BytesPerSecond => {
            vec![("the number of GiB, written as GB", expected / 1.024_f64.powi(3))]
        }
        Unit::Count if expected.fract() == 0.0 && expected.abs() <= 100.0 => {
            vec![("one more", expected + 1.0), ("one less", expected - 1.0)]
        }
        Unit::Ratio if expected != 0.0 => vec![("the ratio upside down", 1.0 / expected)],
        Unit::Fraction => vec![("the other part", 1.0 - expected)],
        _ => Vec::new(),
    }
}

/// Reports wrong answers that would count as right: the obvious ones, and the declared mistakes.
pub(super) fn told_apart(posed: &Posed<'_>, slips: Slips, report: &mut Report) {
    let resolved = match resolve(posed.exercise, &posed.parameters, posed.evaluate) {
        Ok(resolved) => resolved,
        Err(error) => return report.of_seed("resolve", error),
    };
    let (expected, unit) = (resolved.expected, resolved.unit);
    let said = write(expected, unit, 6);
    if expected == 0.0 && matches!(resolved.tolerance, Tolerance::Relative(_)) {
        let message = "tolerance: The answer is 0, of which no percentage is anything; give an amount or exact.";
        report.of_seed("zero", message.into());
    }
    let mut obvious = vec![("twice as much", 2.0 * expected), ("half of it", expected / 2.0)];
    obvious.extend(slips(expected, unit));
    // 1 upside down and a half's other half are no mistakes; nor is anything of 0.
    obvious.retain(|(_, wrong)| (wrong - expected).abs() > 1e-9 * expected.abs());
    for (what, wrong) in obvious {
        if resolved.tolerance.accepts(wrong, expected) {
            let message = format!(
                "tolerance: {} of {said} lets {} pass, {what}.",
                resolved.tolerance.describe(unit),
                write(wrong, unit, 6)
            );
            report.of_seed(what, message);
        }
    }
    for (i, mistake) in resolved.mistakes.iter().enumerate() {
        // As it is, and as somebody would type it: to three digits.
        let typed = format!("{:.2e}", mistake.value);
        if resolved.tolerance.accepts(mistake.value, expected) || resolved.check(&typed).is_right() {
            let message = format!(
                "mistake {}: It comes to {}, which is {} of the answer, {said}, and would count as right.",
                i + 1,
                write(mistake.value, unit, 6),
                resolved.tolerance.describe(unit)
            );
            report.of_seed(&format!("mistake {i}"), message);
            continue;
        }
        let verdict = resolved.check(&format!("{:e}", mistake.value));
        let twin = match verdict.outcome {
            Outcome::DeclaredMistake { index } => (index != i).then_some(index),
            _ => None,
        };
        if let Some(twin) = twin {
            let message = format!(
                "mistake {}: It comes to {}, the same as mistake {}, so that its sentence is never said.",
                i + 1,
                write(mistake.value, unit, 6),
                twin + 1
            );
            report.of_seed(&format!("mistake {i}"), message);
        }
    }
    // Fifteen digits are all that a double has.
    if !resolved.check(&format!("{expected:.14e}")).is_right() {
        report.of_seed("own answer", format!("answer: Its own value, {said}, typed in, is not counted as right."));
    }
}
