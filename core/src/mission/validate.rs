//! What is wrong with a mission, before anybody plays it.

use std::collections::BTreeSet;

use super::play::{Game, MOST_TRIES, Move, careless};
use super::search::follow;
use super::{Asked, Decision, Made, Mission, Models, SEED};
use crate::exercise::query;
use crate::query::{Kind, did_you_mean};

/// What is wrong, and where: `decision 3, case 2`, `state 1`, or nothing for the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The list and the place in it, counted from 1: `decision 3`.
    pub place: String,
    /// A sentence.
    pub message: String,
}

struct Findings(Vec<Finding>);

impl Findings {
    fn say(&mut self, place: &str, message: impl Into<String>) {
        let finding = Finding { place: place.to_owned(), message: message.into() };
        if !self.0.contains(&finding) {
            self.0.push(finding);
        }
    }

    fn unless(&mut self, holds: bool, place: &str, message: impl FnOnce() -> String) {
        if !holds {
            self.say(place, message());
        }
    }
}

/// How many decisions a mission has.
const DECISIONS: std::ops::RangeInclusive<usize> = 6..=10;

/// Everything that is wrong with a mission, as far as it can be played.
pub fn validate(mission: &Mission, models: &Models<'_>) -> Vec<Finding> {
    let mut found = Findings(Vec::new());
    found.unless(DECISIONS.contains(&mission.decision.len()), "", || {
        format!("A mission has six to ten decisions; this one has {}.", mission.decision.len())
    });
    found.unless((5..=120).contains(&mission.minutes), "", || "`minutes` must be from 5 to 120.".into());
    names(mission, &mut found);
    for (i, model) in mission.model.iter().enumerate() {
        asked(model, &format!("model {}", i + 1), models, &mut found);
    }
    for (i, decision) in mission.decision.iter().enumerate() {
        form(decision, &format!("decision {}", i + 1), models, &mut found);
    }
    if found.0.is_empty() {
        played(mission, models, &mut found);
    }
    found.0
}

fn is_name(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn names(mission: &Mission, found: &mut Findings) {
    let states = mission.state.iter().enumerate().map(|(i, v)| (format!("state {}", i + 1), &v.id));
    let decisions = mission.decision.iter().enumerate().map(|(i, d)| (format!("decision {}", i + 1), &d.id));
    let models = mission.model.iter().enumerate().map(|(i, m)| (format!("model {}", i + 1), &m.id));
    let mut seen = BTreeSet::from(["seed".to_owned()]);
    for (place, id) in states.chain(decisions).chain(models) {
        found.unless(is_name(id), &place, || {
            format!("“{id}” is no name: write lower-case letters, digits and _, a letter first.")
        });
        found.unless(seen.insert(id.clone()), &place, || format!("The name “{id}” is taken."));
    }
}

fn asked(model: &Asked, place: &str, models: &Models<'_>, found: &mut Findings) {
    found.unless(models.entry(&model.model).is_some(), place, || format!("There is no model “{}”.", model.model));
}

fn form(decision: &Decision, place: &str, models: &Models<'_>, found: &mut Findings) {
    let ways = [decision.widget.is_some(), decision.number.is_some(), !decision.option.is_empty()];
    if ways.iter().filter(|way| **way).count() != 1 {
        found.say(
            place,
            "A decision is made in a `widget`, as one of its `option`s, or as a `number`: write one of them.",
        );
        return;
    }
    match decision.made() {
        Made::Choice(_) | Made::Number(_) => found.unless(decision.show.is_empty(), place, || {
            "`show` names quantities of a widget; this decision has none.".into()
        }),
        Made::Widget(id) => {
            let Some(entry) = models.entry(id) else {
                found.say(place, format!("There is no widget “{id}”."));
                return;
            };
            let known: Vec<&str> = entry.specs().iter().map(|spec| spec.name).collect();
            for name in decision.free.iter().chain(&decision.unlisted).chain(decision.given.keys()) {
                found.unless(known.contains(&name.as_str()), place, || {
                    format!("The widget “{id}” has no parameter “{name}”{}.", did_you_mean(name, &known))
                });
            }
            let is_text = |name: &&String| {
                entry.param(name).is_some_and(|p| matches!(p.spec.kind, Kind::Choice(options) if options.is_empty()))
            };
            if let Some(text) = decision.free.iter().find(is_text) {
                found.say(place, format!("{text} is a text of its widget’s own; a decision cannot be made of it."));
            }
            found.unless(!decision.free.is_empty(), place, || {
                "Say which parameters are `free`: they are the decision.".into()
            });
            let quantities: Vec<&str> = entry.quantities().map(|(id, ..)| id).collect();
            for name in &decision.show {
                found.unless(quantities.contains(&name.as_str()), place, || {
                    format!("The widget “{id}” has no quantity “{name}”{}.", did_you_mean(name, &quantities))
                });
            }
        }
    }
    let names = decision.names();
    for key in decision.tries.keys().chain(decision.careless.keys()).chain(decision.limits.keys()) {
        found.unless(names.contains(&key.as_str()), place, || {
            format!("“{key}” is not decided here; {} is.", names.join(", "))
        });
    }
    let missing: Vec<&str> = names.iter().copied().filter(|name| !decision.careless.contains_key(*name)).collect();
    found.unless(missing.is_empty(), place, || format!("`careless` does not say {}.", missing.join(", ")));
    for model in &decision.model {
        asked(model, place, models, found);
        found.unless(is_name(&model.id), place, || format!("“{}” is no name for what a model says.", model.id));
    }
    let product: usize = decision.tries.values().map(Vec::len).fold(1, usize::saturating_mul);
    found.unless(product <= MOST_TRIES, place, || {
        format!("`tries` come to {product} answers; a search tries at most {MOST_TRIES}.")
    });
    let count = decision.candidates().len();
    found.unless(count >= 2, place, || {
        "There is nothing to decide: `tries` or `option` need at least two answers.".into()
    });
    found.unless(decision.limits.values().all(|[low, high]| low <= high), place, || {
        "A limit begins with the smaller number.".into()
    });
    let Made::Choice(options) = decision.made() else { return };
    let ids: BTreeSet<&str> = options.iter().map(|o| o.id.as_str()).collect();
    found.unless(ids.len() == options.len(), place, || "Two options have the same id.".into());
    found.unless(options.iter().any(|o| !o.again), place, || "No option goes on.".into());
}

/// Plays what can be played: somebody careless, and every other answer to each decision.
fn played(mission: &Mission, models: &Models<'_>, found: &mut Findings) {
    let game = match Game::begin(mission, models, SEED) {
        Ok(game) => game,
        Err(Finding { place, message }) => return found.say(&place, message),
    };
    if let Err(why) = game.fill(&mission.brief) {
        found.say("", format!("brief: {why}"));
    }
    if let Err(why) = game.picture() {
        found.say("", format!("board: {why}"));
    }
    let mut game = game;
    for (i, (decision, answers)) in mission.decision.iter().zip(careless(mission)).enumerate() {
        let place = format!("decision {}", i + 1);
        if let Err(why) = game.fill(&decision.ask) {
            found.say(&place, format!("ask: {why}"));
        }
        for option in &decision.option {
            found.unless(!option.text.contains('{'), &place, || {
                format!("option {}: its text is listed afterwards, too, where nothing is filled in. Put numbers into `ask`.", option.id)
            });
        }
        if let Err(why) = game.clone().go(&Move::Decide(query(&decision.careless))) {
            found.say(&place, format!("careless: {why}"));
        }
        let outcomes = outcomes(decision, &game, &place, found);
        found.unless(outcomes >= 2 || is_read_later(mission, i), &place, || {
            "Whatever is decided here, the same follows.".into()
        });
        let next = answers.into_iter().chain(decision.candidates()).find_map(|answer| {
            let mut tried = game.clone();
            tried.go(&Move::Decide(answer)).ok()?;
            (tried.next() > i).then_some(tried)
        });
        let Some(next) = next else {
            return found.say(&place, "No answer that is listed goes on.");
        };
        game = next;
    }
    for (name, outcome) in mission.outcome.iter().map(|o| ("outcome", o)).chain([("score", &mission.score)]) {
        if let Err(why) = game.eval(&outcome.value) {
            found.say("", format!("{name} “{}”: {why}", outcome.label));
        }
    }
    if let Err(why) = game.fill(&mission.end) {
        found.say("", format!("end: {why}"));
    }
    for i in 0..mission.decision.len() {
        if let Err(why) = game.clone().go(&Move::Back(i)) {
            found.say(&format!("decision {}", i + 1), format!("back: {why}"));
        }
    }
    if let Err(why) = follow(mission, models, SEED, &careless(mission), true) {
        found.say("", format!("careless: {why}"));
    }
}

/// Whether anything after a decision reads what was decided: its consequence comes later.
fn is_read_later(mission: &Mission, i: usize) -> bool {
    let Some(id) = mission.decision.get(i).map(|d| d.id.as_str()) else { return false };
    let (prefix, own) = (format!("{id}_"), format!("@{id}"));
    let later = mission.decision.iter().skip(i + 1).any(|d| {
        let params = d.given.values().chain(d.model.iter().flat_map(|m| m.params.values()));
        let lines = d.then.iter().chain(d.case.iter().flat_map(|c| c.then.iter().chain([&c.when])));
        let options = d.option.iter().flat_map(|o| &o.then);
        let reads = |text: &str| text.contains(&prefix) || text.contains(&own);
        params.map(|value| value.as_str()).any(reads) || lines.chain(options).any(|line| reads(line))
    });
    later || mission.outcome.iter().chain([&mission.score]).any(|o| o.value.contains(&prefix))
}

/// How many different states the answers to a decision lead to; says which cannot be tried.
fn outcomes(decision: &Decision, game: &Game<'_>, place: &str, found: &mut Findings) -> usize {
    let mut states: Vec<Vec<f64>> = Vec::new();
    let mut failed = Vec::new();
    for answer in decision.candidates() {
        let mut tried = game.clone();
        match tried.go(&Move::Decide(answer.clone())) {
            Ok(()) => {
                let mut state = tried.values();
                state.push(tried.next() as f64);
                if !states.contains(&state) {
                    states.push(state);
                }
            }
            // A widget says why one of its states is impossible; an expression that is wrong is the author's.
            Err(why) if !matches!(decision.made(), Made::Widget(_)) || why.starts_with('“') => {
                failed.push((answer, why))
            }
            Err(_) => {}
        }
    }
    for (answer, why) in failed.into_iter().take(2) {
        found.say(place, format!("{answer}: {why}"));
    }
    states.len()
}
