//! Everything that an author can get wrong in an exercise.

use std::collections::BTreeSet;

use super::draw::same;
use super::kind::{Field, Posed, Role};
use super::names::Evaluate;
use super::report::Report;
use super::{Exercise, Params, Template};
use crate::catalogue;
use crate::query::{ParamSpec, Query, Reader, did_you_mean};

/// What is wrong with `exercise`, a sentence each, beginning with the field; nothing for one that is ready. Tries it
/// with the seeds from 0 to `seeds` − 1; a problem that several seeds have is reported for the first of them.
///
/// Templates are taken as they will be filled: hand them over as rendered, since LaTeX has braces of its own.
pub fn validate(exercise: &Exercise, evaluate: Evaluate<'_>, seeds: u64) -> Vec<String> {
    let mut report = Report::default();
    fields(exercise, &mut report);
    exercise.kind.review(exercise, &mut report);
    if let Some(unlocks) = exercise.kind.unlocks() {
        report.unless(!unlocks.trim().is_empty(), || "unlocks: Name the figure to unlock.".into());
    }
    let texts = exercise.kind.texts();
    for (field, text) in texts.iter().filter(|(field, _)| matches!(field.role, Role::Text | Role::Choice)) {
        report.unless(!text.trim().is_empty(), || format!("{field}: It is empty."));
    }
    parameters(exercise, &mut report);
    if report.fatal {
        return report.messages;
    }
    // Hundreds of seeds come to a few sets of parameters.
    let mut tried = BTreeSet::new();
    for seed in 0..seeds.max(1) {
        let posed = Posed::new(exercise, seed, evaluate);
        if tried.insert(posed.parameters.to_string()) {
            report.seed = seed;
            attempt(&posed, &texts, &mut report);
        }
    }
    report.messages
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
    let specs = entry.specs();
    check_values("params", &exercise.params, &specs, report);
    for (name, candidates) in &exercise.draw {
        for value in candidates {
            let one = Params::from([(name.clone(), value.clone())]);
            check_values("draw", &one, &specs, report);
        }
    }
    for (field, set) in exercise.kind.sets() {
        check_values(&field, &set, &specs, report);
    }
}

fn needs_model(exercise: &Exercise) -> bool {
    exercise.number().is_some() && exercise.params.is_empty()
}

/// Checks values against the specifications of a model's parameters.
fn check_values(field: &str, params: &Params, specs: &[&'static ParamSpec], report: &mut Report) {
    for (name, value) in params {
        let query = Query::new([(name.as_str(), value.as_str())]);
        for problem in Reader::over(specs.to_vec(), &query).finish() {
            report.fatal = true;
            report.say(format!("{field}: {}", problem.message));
        }
    }
}

/// The exercise with one set of parameters.
fn attempt(posed: &Posed<'_>, texts: &[(Field, String)], report: &mut Report) {
    let env = match posed.environment() {
        Ok(env) => env,
        Err(error) => {
            let error = if error.starts_with("answer") { error } else { format!("params: {error}") };
            return report.of_seed("environment", error);
        }
    };
    let exercise = posed.exercise;
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
    let mut choices = Vec::new();
    for (field, text) in texts.iter().filter(|(field, _)| field.role != Role::Own) {
        let filled = fill(field.to_string(), text);
        choices.extend(filled.filter(|_| field.role == Role::Choice).map(|text| (*field, text)));
    }
    alike(&choices, report);
    if let Err(error) = exercise.kind.prove(posed, &env, report) {
        report.of_seed("proof", error);
    }
}

/// What a learner chooses from must not read the same.
fn alike(choices: &[(Field, String)], report: &mut Report) {
    for (i, (field, text)) in choices.iter().enumerate() {
        if let Some((first, _)) = choices.iter().take(i).find(|(_, other)| other == text) {
            report.of_seed("same texts", format!("{field}: It reads the same as {first}."));
        }
    }
}
