//! Everything that an author can get wrong in an exercise.

use std::borrow::Cow;

use super::draw::same;
use super::resolve::Evaluate;
use super::{
    Env, Exercise, Kernel, Kind, Number, OptionDef, Params, Task, Template, Value, draw, environment, query, resolve,
    right_order,
};
use crate::answer::{Outcome, Tolerance, find_unit, write};
use crate::catalogue;
use crate::quantity::Unit;
use crate::query::{ParamSpec, Query, Reader, did_you_mean};

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
        }
        Kind::Choice(choice) => options_fields("option", &choice.options, choice.several, &mut report),
        Kind::Sketch(sketch) => {
            report.unless(!sketch.unlocks.trim().is_empty(), || "unlocks: Name the figure to unlock.".into());
            report.unless(sketch.at.len() >= 2, || "at: A sketch needs at least two points.".into());
        }
        Kind::Order(order) => {
            report.unless(order.items.len() >= 3, || "items: There must be at least three to put in order.".into());
            report.unless(order.by.is_some() == order.unit.is_some(), || {
                "unit: It says what by counts; they stand together.".into()
            });
        }
        Kind::Match(pairs) => {
            report.unless(pairs.pairs.len() >= 2, || "pairs: There must be at least two to choose from.".into());
        }
        Kind::Label(label) => {
            report.unless(label.parts.len() >= 2, || "parts: There must be at least two to tell apart.".into());
        }
        Kind::Task(task) => task_fields(exercise, task, &mut report),
        Kind::Trace(trace) => {
            options_fields("cause", &trace.causes, false, &mut report);
            report.unless(trace.changes.len() >= 2, || "changes: There must be at least two to choose from.".into());
            report.unless(trace.factor > 1.0, || "factor: It must be greater than 1.".into());
            report.unless(exercise.model.is_some(), || "model: There is nothing to measure without one.".into());
        }
        Kind::Explain(explain) => {
            report.unless(explain.rubric.len() >= 2, || "rubric: Name at least two points of a good answer.".into());
        }
        Kind::Kernel(_) => kernel_fields(exercise, &mut report),
    }
    for (field, text) in texts(&exercise.kind) {
        report.unless(!text.trim().is_empty(), || format!("{field}: It is empty."));
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
    if let Some(asked) = &number.written_in
        && find_unit(asked).is_none_or(|found| !found.measure.fits(number.unit) || found.name != *asked)
    {
        report.say(format!("written_in: “{asked}” is no unit of what is asked for."));
    }
    for (i, mistake) in number.mistakes.iter().enumerate() {
        let i = i + 1;
        report.unless(!mistake.say.trim().is_empty(), || format!("mistake {i}, say: There is nothing to say to it."));
        report.unless(!mistake.set.is_empty() || mistake.answer.is_some(), || {
            format!("mistake {i}: It needs set or answer, or it is the right answer.")
        });
    }
}

/// Options, called `what`, of which one or several are right.
fn options_fields(what: &str, options: &[OptionDef], several: bool, report: &mut Report) {
    let right = options.iter().filter(|o| o.right).count();
    report.unless(options.len() >= 2, || format!("{what}s: There must be at least two to choose from."));
    report.unless(right > 0, || format!("{what}s: None is right; set right = true."));
    report.unless(right <= 1 || several, || {
        format!("{what}s: {right} are right, and several is not set: set several = true, or leave one right.")
    });
    report.unless(!several || right < options.len(), || {
        format!("{what}s: All are right, so that there is nothing to find out.")
    });
    for (i, option) in options.iter().enumerate() {
        let why = if option.right { "why it is right" } else { "what is wrong with it" };
        report.unless(!option.say.trim().is_empty(), || format!("{what} {}, say: Say {why}.", i + 1));
    }
}

fn task_fields(exercise: &Exercise, task: &Task, report: &mut Report) {
    report.unless(exercise.model.is_some(), || "model: A task is about the figure of a model.".into());
    report.unless(!task.goals.is_empty(), || "goals: There is nothing to reach.".into());
    report.unless(!task.wins.is_empty(), || "wins: Show at least one way to do it.".into());
    report.unless(!exercise.hints.is_empty(), || "hints: A task needs at least one.".into());
    report.unless(!exercise.solution.is_empty(), || "solution: A task needs a way to do it, step by step.".into());
    for (i, goal) in task.goals.iter().enumerate() {
        report.unless(goal.at_most.is_some() || goal.at_least.is_some(), || {
            format!("goal {}: It needs at_most or at_least.", i + 1)
        });
    }
}

fn kernel_fields(exercise: &Exercise, report: &mut Report) {
    report.unless(exercise.model.as_deref() == Some(Kernel::MODEL), || {
        format!("model: A kernel is written on the workbench: “{}”.", Kernel::MODEL)
    });
    report.unless(exercise.params.contains_key(Kernel::PUZZLE), || "params: Name the puzzle.".into());
    report.unless(exercise.draw.is_empty(), || "draw: Another puzzle is another exercise.".into());
    report.unless(!exercise.hints.is_empty(), || "hints: A kernel needs at least one.".into());
    report.unless(!exercise.solution.is_empty(), || "solution: Say how it is written, step by step.".into());
}

/// The templates of a kind, each after the field that it is in; `say` of options, of which messages say more, left out.
fn texts(kind: &Kind) -> Vec<(String, &str)> {
    let mut all = Vec::new();
    let mut add = |field: String, text| all.push((field, text));
    let nth = |what: &str, i: usize, field: &str| format!("{what} {}, {field}", i + 1);
    match kind {
        Kind::Number(_) => {}
        Kind::Predict(predict) => add("reveal".into(), predict.reveal.as_str()),
        Kind::Sketch(sketch) => add("reveal".into(), sketch.reveal.as_str()),
        Kind::Choice(choice) => {
            for (i, option) in choice.options.iter().enumerate() {
                add(nth("option", i, "text"), &option.text);
            }
        }
        Kind::Order(order) => {
            add("say".into(), &order.say);
            for (i, item) in order.items.iter().enumerate() {
                add(nth("item", i, "text"), &item.text);
                add(nth("item", i, "say"), &item.say);
            }
        }
        Kind::Match(pairs) => {
            for (i, pair) in pairs.pairs.iter().enumerate() {
                add(nth("pair", i, "left"), &pair.left);
                add(nth("pair", i, "right"), &pair.right);
                add(nth("pair", i, "say"), &pair.say);
            }
            for (i, extra) in pairs.extra.iter().enumerate() {
                add(format!("extra {}", i + 1), extra);
            }
        }
        Kind::Label(label) => {
            for (i, part) in label.parts.iter().enumerate() {
                add(nth("part", i, "text"), &part.text);
                add(nth("part", i, "say"), &part.say);
            }
        }
        Kind::Task(task) => {
            add("say".into(), &task.say);
            for (i, goal) in task.goals.iter().enumerate() {
                add(nth("goal", i, "text"), &goal.text);
            }
        }
        Kind::Trace(trace) => {
            for (i, cause) in trace.causes.iter().enumerate() {
                add(nth("cause", i, "text"), &cause.text);
            }
            for (i, change) in trace.changes.iter().enumerate() {
                add(nth("change", i, "text"), &change.text);
            }
        }
        Kind::Explain(explain) => {
            add("model_answer".into(), &explain.model_answer);
            for (i, point) in explain.rubric.iter().enumerate() {
                add(format!("rubric {}", i + 1), point);
            }
        }
        Kind::Kernel(kernel) => add("say".into(), &kernel.say),
    }
    all
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
    for (field, set) in sets(&exercise.kind) {
        check_values(&field, &set, &specs, report);
    }
    if let Kind::Task(task) = &exercise.kind {
        let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
        for name in task.fixed.iter().filter(|name| !names.contains(&name.as_str())) {
            report.say(format!("fixed: There is no parameter “{name}”{}.", did_you_mean(name, &names)));
        }
    }
}

/// The parameters that a kind changes somewhere, each after the field that they are in.
fn sets(kind: &Kind) -> Vec<(String, Cow<'_, Params>)> {
    fn each<'a, T>(what: &str, all: &'a [T], set: fn(&T) -> &Params) -> Vec<(String, Cow<'a, Params>)> {
        all.iter().enumerate().map(|(i, one)| (format!("{what} {}, set", i + 1), Cow::Borrowed(set(one)))).collect()
    }
    match kind {
        Kind::Number(number) => each("mistake", &number.mistakes, |m| &m.set),
        Kind::Predict(predict) => each("mistake", &predict.number.mistakes, |m| &m.set),
        Kind::Order(order) => each("item", &order.items, |item| &item.set),
        Kind::Trace(trace) => each("change", &trace.changes, |change| &change.set),
        Kind::Task(task) => {
            task.wins.iter().enumerate().map(|(i, win)| (format!("win {}", i + 1), Cow::Borrowed(win))).collect()
        }
        Kind::Sketch(sketch) => {
            let one = |at: &Value| Params::from([(sketch.over.clone(), at.clone())]);
            sketch.at.iter().map(|at| ("at".to_owned(), Cow::Owned(one(at)))).collect()
        }
        Kind::Choice(_) | Kind::Match(_) | Kind::Label(_) | Kind::Explain(_) | Kind::Kernel(_) => Vec::new(),
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
    let mut filled: Vec<(String, String)> = Vec::new();
    for (field, text) in texts(&exercise.kind) {
        if let Some(text) = fill(field.clone(), text) {
            filled.push((field, text));
        }
    }
    if let Some((what, options)) = options_of(&exercise.kind) {
        for (i, option) in options.iter().enumerate() {
            fill(format!("{what} {}, say", i + 1), &option.say);
        }
    }
    alike(&filled, report);
    if let Err(error) = proof(exercise, &env, parameters, evaluate, report) {
        report.of_seed("proof", error);
    }
    if exercise.number().is_some() {
        number(exercise, parameters, evaluate, report);
    }
}

/// The options of a kind that say why, with what messages call them.
fn options_of(kind: &Kind) -> Option<(&'static str, &[OptionDef])> {
    match kind {
        Kind::Choice(choice) => Some(("option", &choice.options)),
        Kind::Trace(trace) => Some(("cause", &trace.causes)),
        _ => None,
    }
}

/// What a learner chooses from must not read the same.
fn alike(filled: &[(String, String)], report: &mut Report) {
    let choices = ["option", "item", "pair", "extra", "part", "cause", "change"];
    let told_apart: Vec<_> = filled
        .iter()
        .filter(|(field, _)| choices.iter().any(|c| field.starts_with(c)))
        .filter(|(field, _)| !field.ends_with(", say") && !field.ends_with(", left"))
        .collect();
    for (i, (field, text)) in told_apart.iter().enumerate() {
        if let Some((first, _)) = told_apart.iter().take(i).find(|(_, other)| other == text) {
            report.of_seed("same texts", format!("{field}: It reads the same as {first}."));
        }
    }
}

/// The smallest share of a bar that can be seen and pointed at.
const LEAST_PART: f64 = 0.03;

/// Solves the exercise, and checks that what must not solve it does not.
fn proof(
    exercise: &Exercise,
    env: &Env,
    parameters: &Query,
    evaluate: Evaluate<'_>,
    report: &mut Report,
) -> Result<(), String> {
    match &exercise.kind {
        Kind::Order(order) => {
            let right = right_order(exercise, order, parameters, evaluate)?;
            for i in 0..right.ranks.len() {
                if let Some(first) = right.ranks.iter().take(i).position(|rank| Some(rank) == right.ranks.get(i)) {
                    let message = format!("item {}: It comes out equal to item {}.", i + 1, first + 1);
                    report.of_seed("equal items", message);
                }
            }
        }
        Kind::Label(label) => {
            let sizes = label.sizes(env)?;
            let whole: f64 = sizes.iter().sum();
            for (i, size) in sizes.iter().enumerate() {
                if *size < LEAST_PART * whole {
                    let message = format!("part {}, size: It is under 3% of the bar; nothing could be seen.", i + 1);
                    report.of_seed("small parts", message);
                }
                let near = |other: &&f64| (*other - size).abs() < 0.05 * size.abs();
                if sizes.iter().take(i).any(|other| near(&other)) {
                    report.of_seed("equal parts", format!("part {}, size: Another part is as large.", i + 1));
                }
            }
        }
        Kind::Task(task) => {
            if task.judge(exercise, parameters, parameters, evaluate)?.is_right() {
                report.of_seed("start", "goals: The state in which the task begins meets them already.".into());
            }
            for (i, win) in task.wins.iter().enumerate() {
                let judged = task.judge(exercise, parameters, &parameters.with(&query(win)), evaluate)?;
                if let Some(goal) = judged.met.iter().position(|met| !met) {
                    report.of_seed(&format!("win {i}"), format!("win {}: It does not meet goal {}.", i + 1, goal + 1));
                } else if let Some(name) = judged.strayed.first() {
                    report.of_seed(&format!("win {i}"), format!("win {}: It changes {name}, which is fixed.", i + 1));
                }
            }
        }
        Kind::Trace(trace) => {
            let mut proofs = 0;
            for (i, change) in trace.changes.iter().enumerate() {
                let measured = trace.measure(exercise, i, parameters, evaluate)?;
                proofs += usize::from(measured.proves);
                let env =
                    env.clone().with("before", measured.before, trace.unit).with("after", measured.after, trace.unit);
                if let Err(error) = Template::fill(&change.say, &env) {
                    report.of_seed(&format!("change {i}"), format!("change {}, say: {error}", i + 1));
                }
            }
            if proofs == 0 || proofs == trace.changes.len() {
                let message = format!("changes: {proofs} of {} prove anything.", trace.changes.len());
                report.of_seed("proofs", message);
            }
            for id in &trace.evidence {
                // Ids have hyphens where names have underscores.
                if id.contains('_') || env.unit(&crate::expr::name_of(id)).is_none() {
                    report.of_seed("evidence", format!("evidence: The model has no quantity “{id}”."));
                }
            }
        }
        Kind::Sketch(sketch) => {
            let curve = sketch.curve(exercise, parameters, evaluate)?;
            if curve.values.iter().any(|v| *v < 0.0 || *v > curve.up_to) {
                report.of_seed("up_to", "up_to: The curve leaves what can be drawn.".into());
            }
        }
        Kind::Number(_) | Kind::Predict(_) | Kind::Choice(_) | Kind::Match(_) | Kind::Explain(_) | Kind::Kernel(_) => {}
    }
    Ok(())
}

/// Wrong answers that no author needs to foresee, and what they are. A prediction may be as far off as its author likes, but
/// not by a factor of two.
fn obvious(expected: f64, unit: Unit, prediction: bool) -> Vec<(&'static str, f64)> {
    let mut all = vec![("twice as much", 2.0 * expected), ("half of it", expected / 2.0)];
    match unit {
        _ if prediction => {}
        Unit::Bytes | Unit::BytesPerSecond => {
            all.push(("the number of GiB, written as GB", expected / 1.024_f64.powi(3)));
        }
        Unit::Count if expected.fract() == 0.0 && expected.abs() <= 100.0 => {
            all.extend([("one more", expected + 1.0), ("one less", expected - 1.0)]);
        }
        Unit::Ratio if expected != 0.0 => all.push(("the ratio upside down", 1.0 / expected)),
        Unit::Fraction => all.push(("the other part", 1.0 - expected)),
        _ => {}
    }
    // 1 upside down and a half's other half are no mistakes; nor is anything of 0.
    all.retain(|(_, wrong)| (wrong - expected).abs() > 1e-9 * expected.abs());
    all
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
    for (what, wrong) in obvious(expected, unit, matches!(exercise.kind, Kind::Predict(_))) {
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
