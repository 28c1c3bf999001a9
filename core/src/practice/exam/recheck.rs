//! Marking a result again, from the file alone.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{
    Answered, Definitions, Evaluator, ExamResult, MADE_WITH, Mark, Points, QuizSpec, fingerprint, in_words, verdict,
};
use crate::exercise::fnv1a;
use crate::query::shorten;

/// A result marked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recheck {
    /// The learner's name as they typed it.
    pub learner: String,
    /// What was asked, by the file.
    pub quiz: QuizSpec,
    /// When it was begun, by the learner's clock, in Unix seconds.
    pub started: i64,
    /// When it was handed in.
    pub ended: i64,
    /// One for each exercise of the quiz, in its order, then what else the file has.
    pub items: Vec<Rechecked>,
    /// What is odd about the file as a whole: sentences.
    pub notes: Vec<String>,
}

/// An answer marked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rechecked {
    /// `<chapter>/<exercise>`.
    pub exercise: String,
    /// The seed of its parameters, by the file.
    pub seed: u64,
    /// The answer as typed.
    pub answer: String,
    /// The verdict in the file.
    pub claimed: String,
    /// The verdict now; nothing if it cannot be marked or does not belong to the quiz.
    pub verdict: Option<&'static str>,
    /// What it counts for now; nothing where there is no verdict, or the parameters are not the quiz's.
    pub mark: Option<Mark>,
    /// How many points a whole answer has.
    pub worth: usize,
    /// The points that a person gave it: see [`Recheck::give`].
    pub given: Option<usize>,
    /// Of an answer that isn't right as a whole: how many of its parts are, and how many it has. Nothing where it has none.
    pub parts: Option<[usize; 2]>,
    /// How that compares with the file.
    pub finding: Finding,
    /// The same for a person: a sentence; empty for [`Finding::Agrees`].
    pub say: String,
}

/// How marking an answer again compares with what the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// The same verdict of the same exercise.
    Agrees,
    /// The exercise, or Ringside, is not what it was, or the file was edited; the verdict may be the same.
    Changed,
    /// Another verdict, though exercise and Ringside are the same: most likely the file was edited.
    Contradicts,
    /// The parameters are not those of the quiz: the file was edited. It does not count.
    OtherSeed,
    /// The quiz has the exercise and the file has no answer to it.
    Missing,
    /// The quiz does not have this exercise, or the file answers it twice. It does not count.
    Surplus,
    /// It cannot be marked: the exercise is unknown here or cannot be computed.
    Unknown,
}

impl Recheck {
    /// The points that it has so far.
    pub fn points(&self) -> Points {
        self.counting().map(Rechecked::points).sum()
    }

    /// How many answers a person has to mark.
    pub fn to_mark(&self) -> usize {
        self.counting().filter(|item| item.is_to_mark()).count()
    }

    /// How many points the quiz has.
    pub fn of(&self) -> usize {
        self.counting().map(|item| item.worth).sum()
    }

    /// The answers to what the quiz asks.
    fn counting(&self) -> impl Iterator<Item = &Rechecked> {
        self.items.iter().filter(|item| item.finding != Finding::Surplus)
    }

    /// What an answer of this file is known by where points are kept: it changes with the answer, and names nobody.
    pub fn id_of(&self, item: &Rechecked) -> String {
        let text = [&self.learner, &item.exercise, &item.seed.to_string(), &item.answer].map(String::as_str).join("\n");
        format!("{:016x}", fnv1a(format!("{text}\n{}\n{}", self.started, self.ended).bytes()))
    }

    /// Gives the answers that only a person can mark the points that `given` has for them, by [`Self::id_of`].
    pub fn give(&mut self, given: &BTreeMap<String, usize>) {
        let points: Vec<Option<usize>> = self
            .items
            .iter()
            .map(|item| given.get(&self.id_of(item)).map(|points| (*points).min(item.worth)))
            .collect();
        for (item, points) in self.items.iter_mut().zip(points) {
            item.given = points.filter(|_| item.mark == Some(Mark::Unclear));
        }
    }

    /// Whether the file says of every answer what this does.
    pub fn agrees(&self) -> bool {
        self.notes.is_empty() && self.items.iter().all(|i| i.finding == Finding::Agrees)
    }

    /// The result and what is odd about it: a sentence or two.
    pub fn say(&self) -> String {
        let whole = self.counting().all(|item| item.worth == 1 && item.in_part().is_none());
        let unit = if whole { "right" } else { "points" };
        let mut text = format!("{} of {} {unit}", self.points(), self.of());
        match self.to_mark() {
            0 => {}
            n => text.push_str(&format!(", {n} to mark")),
        }
        let odd = self.items.iter().filter(|i| i.finding != Finding::Agrees).count();
        text.push_str(match (odd, self.notes.is_empty()) {
            (0, true) => ". The file agrees with this in every answer.",
            (0, false) => ". The file agrees with this in every answer, but look at its notes.",
            _ => ". The file does not agree with this everywhere: look at the answers that are marked.",
        });
        text
    }
}

impl Rechecked {
    /// The points that it has so far.
    pub fn points(&self) -> Points {
        let whole = Points::whole(if self.mark == Some(Mark::Right) { self.worth } else { 0 });
        self.in_part().unwrap_or(whole)
    }

    /// The points that a person gave it, or that its right parts have; nothing where its mark says all.
    pub fn in_part(&self) -> Option<Points> {
        let given = self.given.map(Points::whole);
        let parts = self.parts.filter(|[right, _]| *right > 0 && self.mark == Some(Mark::Wrong));
        given.or_else(|| parts.map(|parts| Points::part(parts, self.worth)))
    }

    /// Whether a person has to mark it, and hasn't.
    pub fn is_to_mark(&self) -> bool {
        self.mark == Some(Mark::Unclear) && self.given.is_none()
    }
}

/// Marks a result again. Only the quiz and the answers are taken from the file.
pub fn recheck(result: &ExamResult, definitions: &Definitions, evaluate: Evaluator<'_>) -> Recheck {
    let quiz = &result.quiz;
    let mut notes = Vec::new();
    if result.ended < result.started {
        notes.push("It was handed in before it was begun: a clock was set, or the file was edited.".to_owned());
    }
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut items = Vec::new();
    for id in &quiz.exercises {
        if !seen.insert(id) {
            notes.push(format!("The quiz lists “{}” twice. It counts once.", shorten(id)));
            continue;
        }
        items.push(match result.answers.iter().find(|a| a.exercise == *id) {
            Some(answered) => again(result, answered, definitions, evaluate),
            None => Rechecked {
                worth: definitions.get(id).map_or(1, |exercise| exercise.worth()),
                given: None,
                parts: None,
                exercise: id.clone(),
                seed: quiz.seed_of(id, &result.learner),
                answer: String::new(),
                claimed: String::new(),
                verdict: None,
                mark: Some(Mark::Unanswered),
                finding: Finding::Missing,
                say: "The file has no entry for this exercise, not even an empty one: it was edited.".to_owned(),
            },
        });
    }
    let mut answered: BTreeSet<&str> = BTreeSet::new();
    for extra in &result.answers {
        let first = answered.insert(&extra.exercise);
        if first && seen.contains(extra.exercise.as_str()) {
            continue;
        }
        let say = if first { "The quiz does not ask this." } else { "The file answers this a second time." };
        items.push(item(extra, None, Finding::Surplus, format!("{say} It does not count.")));
    }
    let (learner, quiz) = (result.learner.clone(), quiz.clone());
    Recheck { learner, quiz, started: result.started, ended: result.ended, items, notes }
}

fn item(answered: &Answered, verdict: Option<&'static str>, finding: Finding, say: String) -> Rechecked {
    Rechecked {
        exercise: answered.exercise.clone(),
        seed: answered.seed,
        answer: answered.answer.clone(),
        claimed: answered.verdict.clone(),
        verdict,
        mark: verdict.map(Mark::of),
        worth: 1,
        given: None,
        parts: None,
        finding,
        say,
    }
}

fn again(result: &ExamResult, a: &Answered, definitions: &Definitions, evaluate: Evaluator<'_>) -> Rechecked {
    let definition = definitions.get(&a.exercise);
    let worth = definition.map_or(1, |exercise| exercise.worth());
    let parts = definition.and_then(|exercise| exercise.parts(&a.answer));
    Rechecked { worth, parts, ..marked(result, a, definitions, evaluate) }
}

fn marked(result: &ExamResult, a: &Answered, definitions: &Definitions, evaluate: Evaluator<'_>) -> Rechecked {
    let Some(definition) = definitions.get(&a.exercise) else {
        return item(a, None, Finding::Unknown, "This version of the course does not have the exercise.".to_owned());
    };
    let computed = verdict(definition, a.seed, &a.answer, evaluate)
        .and_then(|verdict| Ok((verdict, fingerprint(definition, a.seed, evaluate)?)));
    let (verdict, print) = match computed {
        Ok(computed) => computed,
        Err(why) => return item(a, None, Finding::Unknown, format!("It cannot be marked here. {why}")),
    };
    let same = verdict == a.verdict;
    let said = in_words(&a.verdict).map_or_else(|| shorten(&a.verdict), str::to_owned);
    let claim = format!("the file says “{said}”, and it is “{}”", in_words(verdict).unwrap_or(verdict));
    let (finding, say) = if a.seed != result.quiz.seed_of(&a.exercise, &result.learner) {
        let say = "These are not the numbers that the quiz asks with, so the file was edited. It does not count.";
        return Rechecked { mark: None, ..item(a, Some(verdict), Finding::OtherSeed, say.to_owned()) };
    } else if same && print == a.fingerprint {
        (Finding::Agrees, String::new())
    } else if print == a.fingerprint && result.made_with == MADE_WITH {
        (Finding::Contradicts, format!("The exercise is the same, but {claim}: most likely the file was edited."))
    } else {
        let what = if print == a.fingerprint { "Ringside has" } else { "The exercise has" };
        let then = if same { "the verdict is the same".to_owned() } else { claim };
        (Finding::Changed, format!("{what} changed since, or the file was edited; {then}."))
    };
    item(a, Some(verdict), finding, say)
}
