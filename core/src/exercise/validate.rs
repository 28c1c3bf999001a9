//! Everything that an author can get wrong in an exercise.

use super::draw::same;
use super::resolve::Evaluate;
use super::{Choice, Exercise, Kind, Number, Params, Template, draw, environment, resolve};
use crate::answer::{Outcome, Tolerance, write};
use crate::catalogue;
use crate::query::{Kind as ParamKind, ParamSpec, Query, Reader, did_you_mean};

/// What is wrong with `exercise`, a sentence each, beginning with the field; nothing for one that is ready. Tries it
/// with the seeds from 0 to `seeds` − 1; a problem that several seeds have is reported for the first of them.
///
/// Templates are taken as they will be filled: hand them over as rendered, since LaTeX has braces of its own.
pub fn validate(exercise: &Exercise, evaluate: Evaluate<'_>, seeds: u64) -> Vec<String> {
    let mut report = Report::default();
    fields(exercise, &mut report);
    match &exercise.kind {
        Kind::Number(number) => number_fields(exercise, number, &mut report),
        Kind::Predict(predict) => {
            number_fields(exercise, &predict.number, &mut report);
            report.unless(!predict.unlocks.trim().is_empty(), || "unlocks: Name the figure to unlock.".into());
            report.unless(!predict.reveal.trim().is_empty(), || {
                "reveal: Say what the figure shows, for when it is uncovered.".into()
            });
        }
        Kind::Choice(choice) => choice_fields(choice, &mut report),
    }
    parameters(exercise, &mut report);
    if report.fatal {
        return report.messages;
    }
    for seed in 0..seeds.max(1) {
        report.seed = seed;
        attempt(exercise, &draw(exercise, seed), evaluate, &mut report);
        if exercise.draw.is_empty() {
            break;
        }
    }
    report.messages
}

#[derive(Default)]
struct Report {
    messages: Vec<String>,
    /// What is reported once, whichever seed has it.
    seen: Vec<String>,
    seed: u64,
    /// Whether to evaluate is pointless.
    fatal: bool,
}

impl Report {
    fn say(&mut self, message: String) {
        if !self.messages.contains(&message) {
            self.messages.push(message);
        }
    }

    fn unless(&mut self, fine: bool, message: impl FnOnce() -> String) {
        if !fine {
            self.say(message());
        }
    }

    /// Reports what is wrong with this seed, once for each `topic`.
    fn of_seed(&mut self, topic: &str, message: String) {
        if self.seen.iter().any(|s| s == topic) {
            return;
        }
        self.seen.push(topic.to_owned());
        let seed = if self.seed == 0 { String::new() } else { format!(" (First with seed {}.)", self.seed) };
        self.messages.push(format!("{message}{seed}"));
    }
}

fn fields(exercise: &Exercise, report: &mut Report) {
    let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    report.unless(!exercise.id.is_empty() && exercise.id.chars().all(kebab), || {
        format!("id: “{}” must be made of lower-case letters, digits and hyphens.", exercise.id)
    });
    report.unless(!exercise.skill.trim().is_empty(), || "skill: Name the skill that this trains.".into());
    report
        .unless((1..=3).contains(&exercise.level), || format!("level: It must be 1, 2 or 3, not {}.", exercise.level));
    report.unless(!exercise.prompt.trim().is_empty(), || "prompt: There is no question.".into());
    report.unless(exercise.title.as_ref().is_none_or(|t| !t.trim().is_empty()), || {
        "title: It is empty; leave it out instead.".into()
    });
    for (field, texts) in [("hints", &exercise.hints), ("solution", &exercise.solution)] {
        for (i, text) in texts.iter().enumerate() {
            report.unless(!text.trim().is_empty(), || format!("{field}: Number {} is empty.", i + 1));
        }
    }
}

fn number_fields(exercise: &Exercise, number: &Number, report: &mut Report) {
    report.unless(!exercise.solution.is_empty(), || {
        "solution: A number needs a worked solution, with the numbers of the question.".into()
    });
    if let Err(error) = Tolerance::parse(&number.tolerance, number.unit) {
        report.say(format!("tolerance: {error}"));
        report.fatal = true;
    }
    for (i, mistake) in number.mistakes.iter().enumerate() {
        let i = i + 1;
        report.unless(!mistake.say.trim().is_empty(), || format!("mistake {i}, say: There is nothing to say to it."));
        report.unless(!mistake.set.is_empty() || mistake.answer.is_some(), || {
            format!("mistake {i}: It needs set or answer, or it is the right answer.")
        });
    }
}

fn choice_fields(choice: &Choice, report: &mut Report) {
    let right = choice.options.iter().filter(|o| o.right).count();
    report.unless(choice.options.len() >= 2, || "options: There must be at least two to choose from.".into());
    report.unless(right > 0, || "options: None is right; set right = true.".into());
    report.unless(right <= 1 || choice.several, || {
        format!("options: {right} are right, and several is not set: set several = true, or leave one right.")
    });
    report.unless(!choice.several || right < choice.options.len(), || {
        "options: All are right, so that there is nothing to find out.".into()
    });
    for (i, option) in choice.options.iter().enumerate() {
        let i = i + 1;
        report.unless(!option.text.trim().is_empty(), || format!("option {i}, text: It is empty."));
        let what = if option.right { "why it is right" } else { "what is wrong with it" };
        report.unless(!option.say.trim().is_empty(), || format!("option {i}, say: Say {what}."));
    }
}

fn parameters(exercise: &Exercise, report: &mut Report) {
    for (name, candidates) in &exercise.draw {
        report.unless(!candidates.is_empty(), || format!("draw: There are no candidates for {name}."));
        for (i, value) in candidates.iter().enumerate() {
            let repeated = candidates.iter().take(i).any(|other| same(other.as_str(), value.as_str()));
            report.unless(!repeated, || format!("draw: {name} has {} twice.", value.as_str()));
        }
        let written = exercise.params.get(name).map_or("", |v| v.as_str());
        let other = candidates.iter().any(|v| !same(v.as_str(), written));
        report.unless(other || candidates.is_empty(), || {
            format!("draw: {name} has no candidate but the value in params, so that nothing is ever drawn.")
        });
    }
    let Some(model) = &exercise.model else {
        report.unless(!needs_model(exercise), || {
            "model: It is missing, and so are parameters: there is nothing to compute the answer from.".into()
        });
        return;
    };
    let Some(entry) = catalogue::find(model) else {
        let ids: Vec<&str> = catalogue::ALL.iter().map(|e| e.id).collect();
        let hint = did_you_mean(model, &ids);
        report.say(format!("model: There is no model “{model}”{hint}. There are: {}.", ids.join(", ")));
        report.fatal = true;
        return;
    };
    check_values("params", &exercise.params, entry.params, report);
    for (name, candidates) in &exercise.draw {
        for value in candidates {
            let one = Params::from([(name.clone(), value.clone())]);
            check_values("draw", &one, entry.params, report);
        }
    }
    let mistakes = exercise.number().map_or(&[][..], |n| &n.mistakes);
    for (i, mistake) in mistakes.iter().enumerate() {
        check_values(&format!("mistake {}, set", i + 1), &mistake.set, entry.params, report);
    }
}

fn needs_model(exercise: &Exercise) -> bool {
    exercise.number().is_some() && exercise.params.is_empty()
}

/// Checks values against the specifications of a model's parameters.
fn check_values(field: &str, params: &Params, specs: &'static [ParamSpec], report: &mut Report) {
    for (name, value) in params {
        let query = Query::new([(name.as_str(), value.as_str())]);
        let mut reader = Reader::new(specs, &query);
        match specs.iter().find(|s| s.name == name).map(|s| s.kind) {
            Some(ParamKind::Choice(_)) => {
                reader.choice(name);
            }
            Some(_) => {
                reader.real_or_none(name);
            }
            None => {}
        }
        for problem in reader.finish() {
            report.fatal = true;
            report.say(format!("{field}: {}", problem.message));
        }
    }
}

/// The exercise with one set of parameters.
fn attempt(exercise: &Exercise, parameters: &Query, evaluate: Evaluate<'_>, report: &mut Report) {
    let env = match environment(exercise, parameters, evaluate) {
        Ok(env) => env,
        Err(error) => {
            let error = if error.starts_with("answer") { error } else { format!("params: {error}") };
            return report.of_seed("environment", error);
        }
    };
    let mut fill = |field: String, text: &str| match Template::fill(text, &env) {
        Ok(filled) => Some(filled),
        Err(error) => {
            report.of_seed(&field, format!("{field}: {error}"));
            None
        }
    };
    fill("prompt".into(), &exercise.prompt);
    for (field, texts) in [("hint", &exercise.hints), ("solution step", &exercise.solution)] {
        for (i, text) in texts.iter().enumerate() {
            fill(format!("{field} {}", i + 1), text);
        }
    }
    match &exercise.kind {
        Kind::Number(_) => {}
        Kind::Predict(predict) => {
            fill("reveal".into(), &predict.reveal);
        }
        Kind::Choice(choice) => {
            let mut texts: Vec<Option<String>> = Vec::new();
            for (i, option) in choice.options.iter().enumerate() {
                texts.push(fill(format!("option {}, text", i + 1), &option.text));
                fill(format!("option {}, say", i + 1), &option.say);
            }
            for (i, text) in texts.iter().enumerate() {
                if let Some(first) = texts.iter().take(i).position(|t| t.is_some() && t == text) {
                    let message = format!("options: Number {} and number {} read the same.", first + 1, i + 1);
                    report.of_seed("same options", message);
                }
            }
        }
    }
    if exercise.number().is_some() {
        number(exercise, parameters, evaluate, report);
    }
}

fn number(exercise: &Exercise, parameters: &Query, evaluate: Evaluate<'_>, report: &mut Report) {
    let resolved = match resolve(exercise, parameters, evaluate) {
        Ok(resolved) => resolved,
        Err(error) => return report.of_seed("resolve", error),
    };
    let (expected, unit) = (resolved.expected, resolved.unit);
    let said = write(expected, unit, 6);
    if expected == 0.0 && matches!(resolved.tolerance, Tolerance::Relative(_)) {
        let message = "tolerance: The answer is 0, of which no percentage is anything; give an amount or exact.";
        report.of_seed("zero", message.into());
    }
    for (i, mistake) in resolved.mistakes.iter().enumerate() {
        if resolved.tolerance.accepts(mistake.value, expected) {
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
