//! Playing a mission: moves, what follows from each, and what is said of it.

use super::scope::{Models, Scope, plain_name};
use super::{ANSWER, Decision, Finding, MOST_SEED, Made, Mission, link};
use crate::exercise::{self, Template, fnv1a};
use crate::mix::Stream;
use crate::query::{Query, parse_number, plain, shorten};

/// The most moves of a run.
pub const MOST_MOVES: usize = 200;

/// What a learner does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// Makes the decision that is next: its free parameters, or `answer`.
    Decide(Query),
    /// Goes back to a decision, counted from 0.
    Back(usize),
}

/// A move that was made, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The decision, counted from 0.
    pub decision: usize,
    /// What was decided; nothing for going back.
    pub answer: Option<Query>,
    /// What is said of it: HTML.
    pub said: Vec<String>,
    /// The state before it, in the order of [`Mission::state`].
    pub before: Vec<f64>,
    /// The state after it.
    pub after: Vec<f64>,
    /// Whether the decision has to be made again.
    pub again: bool,
    /// Whether it turned out badly.
    pub bad: bool,
}

/// A mission that is being played.
#[derive(Clone)]
pub struct Game<'a> {
    mission: &'a Mission,
    models: &'a Models<'a>,
    scope: Scope,
    /// What there was before each decision that has been made, and before the next.
    before: Vec<Scope>,
    /// What was done.
    pub steps: Vec<Step>,
    /// Whether texts are filled and states are kept; a search does without.
    tells: bool,
}

impl<'a> Game<'a> {
    /// At the beginning.
    ///
    /// # Errors
    /// What is wrong with the mission's state, or with a model that it asks at the beginning: a sentence.
    pub fn new(mission: &'a Mission, models: &'a Models<'a>, seed: u64) -> Result<Self, String> {
        Self::begin(mission, models, seed).map_err(|found| found.message)
    }

    /// At the beginning, or where what is wrong stands.
    pub(super) fn begin(mission: &'a Mission, models: &'a Models<'a>, seed: u64) -> Result<Self, Finding> {
        let mut scope = Scope::default();
        scope.set("seed", seed.clamp(1, MOST_SEED) as f64, None);
        for variable in mission.state.iter().filter(|variable| !variable.draw.is_empty()) {
            let mut stream = Stream::new(seed ^ fnv1a(variable.id.bytes()));
            let nth = stream.below(variable.draw.len() as u64) as usize;
            let value = variable.draw.get(nth).copied().filter(|v| v.is_finite()).unwrap_or_default();
            scope.set(&variable.id, value, Some(variable.unit.unit()));
        }
        let at = |list: &str, i: usize| {
            let place = format!("{list} {}", i + 1);
            move |message| Finding { place, message }
        };
        for (i, asked) in mission.model.iter().enumerate() {
            let params = scope.fill(&asked.params).map_err(at("model", i))?;
            scope.ask(models, &asked.model, &asked.id, &params).map_err(at("model", i))?;
        }
        for (i, variable) in mission.state.iter().enumerate().filter(|(_, variable)| variable.draw.is_empty()) {
            let value = scope.eval(variable.start.as_str()).map_err(at("state", i))?;
            scope.set(&variable.id, value, Some(variable.unit.unit()));
        }
        Ok(Self { mission, models, before: vec![scope.clone()], scope, steps: Vec::new(), tells: true })
    }

    /// Plays `moves` from the beginning, as far as they go: what was played, and why it ended before the last move, if it did.
    ///
    /// # Errors
    /// What is wrong with the mission's state: a sentence.
    pub fn replay(
        mission: &'a Mission,
        models: &'a Models<'a>,
        seed: u64,
        moves: &[Move],
    ) -> Result<(Self, Option<String>), String> {
        let mut game = Self::new(mission, models, seed)?;
        for (i, one) in moves.iter().enumerate() {
            if let Err(why) = game.go(one) {
                return Ok((game, Some(format!("Move {} was left out, with those after it: {why}", i + 1))));
            }
        }
        Ok((game, None))
    }

    /// The same without words and without a way back, for a search.
    #[must_use]
    pub(super) fn silent(mut self) -> Self {
        self.tells = false;
        self
    }

    /// The mission that is played.
    pub(super) fn mission(&self) -> &'a Mission {
        self.mission
    }

    /// Which decision is next, counted from 0; as many as there are when it is over.
    pub fn next(&self) -> usize {
        self.before.len().saturating_sub(1)
    }

    /// The decision that is next.
    pub fn decision(&self) -> Option<&'a Decision> {
        self.mission.decision.get(self.next())
    }

    /// Whether all decisions are made.
    pub fn is_over(&self) -> bool {
        self.decision().is_none()
    }

    /// The state, in the order of [`Mission::state`].
    pub fn values(&self) -> Vec<f64> {
        self.mission.state.iter().map(|v| self.scope.number(&v.id).unwrap_or_default()).collect()
    }

    /// The value of an expression now.
    ///
    /// # Errors
    /// A sentence.
    pub fn eval(&self, expression: &str) -> Result<f64, String> {
        self.scope.eval(expression)
    }

    /// A template as it reads now.
    ///
    /// # Errors
    /// A sentence for the author.
    pub fn fill(&self, template: &str) -> Result<String, String> {
        Template::fill(template, &self.scope)
    }

    /// The state of the widget of the decision that is next, as it is found.
    ///
    /// # Errors
    /// What is wrong with its parameters: a sentence.
    pub fn posed(&self) -> Result<Query, String> {
        self.decision().map_or_else(|| Ok(Query::default()), |decision| self.scope.fill(&decision.given))
    }

    /// Of a widget's state, what is the decision: the free parameters.
    pub fn chosen(&self, state: &Query) -> Query {
        let free = self.decision().map_or(&[][..], |d| d.free.as_slice());
        Query::new(free.iter().filter_map(|name| Some((name.as_str(), state.get(name)?))))
    }

    /// Makes a move.
    ///
    /// # Errors
    /// Why it cannot be made: a sentence. Nothing has changed then.
    pub fn go(&mut self, one: &Move) -> Result<(), String> {
        if self.steps.len() >= MOST_MOVES {
            return Err(format!("A run has at most {MOST_MOVES} moves. Begin again."));
        }
        match one {
            Move::Decide(answer) => self.decide(answer),
            Move::Back(decision) => self.back(*decision),
        }
    }

    fn assign(&self, scope: &mut Scope, lines: &[String]) -> Result<(), String> {
        let is_variable = |name: &str| self.mission.state.iter().any(|v| v.id == name);
        lines.iter().try_for_each(|line| scope.assign(line, &is_variable))
    }

    fn decide(&mut self, answer: &Query) -> Result<(), String> {
        let decision = self.decision().ok_or("All decisions are made. Go back to one of them, or begin again.")?;
        check(decision, answer)?;
        // A search throws a game away that a move of it fails.
        let before = if self.tells { self.values() } else { Vec::new() };
        let mut scope = if self.tells { self.scope.clone() } else { std::mem::take(&mut self.scope) };
        let mut says: Vec<&str> = Vec::new();
        let (mut again, mut bad) = (false, false);
        let value = answer.get(ANSWER).unwrap_or_default();
        match decision.made() {
            Made::Widget(widget) => {
                let state = scope.fill(&decision.given)?.with(answer);
                scope.ask(self.models, widget, &decision.id, &state)?;
            }
            Made::Number(counted) => {
                scope.set_text(&decision.id, value);
                scope.set(&decision.id, parse_number(value).unwrap_or_default(), Some(counted.unit()));
            }
            Made::Choice(options) => {
                scope.set_text(&decision.id, value);
                for option in options {
                    let name = format!("{}_{}", decision.id, plain_name(&option.id));
                    scope.set(&name, f64::from(u8::from(option.id == value)), None);
                }
                if let Some(option) = options.iter().find(|option| option.id == value) {
                    self.assign(&mut scope, &option.then)?;
                    says.push(&option.say);
                    (again, bad) = (option.again, option.bad);
                }
            }
        }
        if !again {
            for asked in &decision.model {
                let params = scope.fill(&asked.params)?;
                scope.ask(self.models, &asked.model, &asked.id, &params)?;
            }
            self.assign(&mut scope, &decision.then)?;
            says.push(&decision.say);
            for case in &decision.case {
                if scope.holds(&case.when)? {
                    self.assign(&mut scope, &case.then)?;
                    says.push(&case.say);
                    (again, bad) = (case.again, bad || case.bad);
                    break;
                }
            }
        }
        let said = if self.tells { fill_all(&says, &scope)? } else { Vec::new() };
        self.scope = scope;
        let mut step = Step {
            decision: self.next(),
            answer: Some(answer.clone()),
            said,
            before,
            after: Vec::new(),
            again,
            bad: bad || again,
        };
        if self.tells {
            step.after = self.values();
        }
        if again {
            // What it cost is gone; the decision is still to be made.
            if let Some(last) = self.before.last_mut() {
                last.clone_from(&self.scope);
            }
        } else {
            self.before.push(if self.tells { self.scope.clone() } else { Scope::default() });
        }
        self.steps.push(step);
        Ok(())
    }

    fn back(&mut self, to: usize) -> Result<(), String> {
        let next = self.next();
        let Some((before, decision)) = self.before.get(to).filter(|_| to < next).zip(self.mission.decision.get(to))
        else {
            return Err(format!("Decision {} has not been made yet.", to + 1));
        };
        let mut scope = before.clone();
        for variable in self.mission.state.iter().filter(|v| v.spent) {
            let now = self.scope.number(&variable.id).unwrap_or_default();
            scope.set(&variable.id, now, Some(variable.unit.unit()));
        }
        self.assign(&mut scope, &decision.back)?;
        let before = self.values();
        self.scope = scope;
        self.before.truncate(to);
        self.before.push(self.scope.clone());
        let after = self.values();
        self.steps.push(Step { decision: to, answer: None, said: Vec::new(), before, after, again: false, bad: false });
        Ok(())
    }

    /// What the decisions that count were: by decision, the answers that had to be made again, and the last.
    pub fn path(&self) -> Vec<Vec<Query>> {
        let mut path: Vec<Vec<Query>> = Vec::new();
        for step in &self.steps {
            match &step.answer {
                None => path.truncate(step.decision),
                Some(answer) => {
                    if path.len() == step.decision {
                        path.push(Vec::new());
                    }
                    if let Some(list) = path.last_mut() {
                        list.push(answer.clone());
                    }
                }
            }
        }
        path
    }

    /// The expressions of the mission's outcomes and its score at the end.
    ///
    /// # Errors
    /// A sentence.
    pub fn score(&self) -> Result<f64, String> {
        self.scope.eval(&self.mission.score.value)
    }
}

fn fill_all(says: &[&str], scope: &Scope) -> Result<Vec<String>, String> {
    says.iter().filter(|say| !say.trim().is_empty()).map(|say| Template::fill(say, scope)).collect()
}

/// Whether an answer is one that the decision takes.
fn check(decision: &Decision, answer: &Query) -> Result<(), String> {
    let names = decision.names();
    for (name, value) in answer.iter() {
        if !names.contains(&name) {
            return Err(format!("{}: “{}” is not a part of this decision.", decision.title, shorten(name)));
        }
        if !link::can_write(value) {
            return Err(format!("{}: “{}” is no value of {name}.", decision.title, shorten(value)));
        }
    }
    let given = || answer.get(ANSWER).ok_or_else(|| format!("{}: There is no answer yet.", decision.title));
    let is_one = match decision.made() {
        Made::Widget(_) => true,
        Made::Number(_) => parse_number(given()?).is_some(),
        Made::Choice(options) => {
            let value = given()?;
            options.iter().any(|option| option.id == value)
        }
    };
    if !is_one {
        return Err(format!("{}: “{}” is none of its answers.", decision.title, shorten(given()?)));
    }
    for (name, [least, most]) in &decision.limits {
        let Some(value) = answer.get(name).and_then(parse_number) else { continue };
        if !(*least..=*most).contains(&value) {
            let (least, most) = (plain(*least), plain(*most));
            return Err(format!(
                "{}: {name} must be from {least} to {most} here, not {}.",
                decision.title,
                plain(value)
            ));
        }
    }
    Ok(())
}

impl Decision {
    /// Every answer that a search tries, in the order in which they are listed.
    pub fn candidates(&self) -> Vec<Query> {
        if let Made::Choice(options) = self.made() {
            return options.iter().map(|option| Query::new([(ANSWER, option.id.as_str())])).collect();
        }
        let mut all = vec![Query::default()];
        for (name, values) in &self.tries {
            all = all
                .iter()
                .flat_map(|query| {
                    values.iter().map(move |value| query.with(&Query::new([(name.as_str(), value.as_str())])))
                })
                .collect();
            if all.len() > MOST_TRIES {
                all.truncate(MOST_TRIES);
            }
        }
        all
    }
}

/// The most answers to one decision that are tried.
pub(super) const MOST_TRIES: usize = 400;

/// By decision, what somebody decides who does not think.
pub fn careless(mission: &Mission) -> Vec<Vec<Query>> {
    mission.decision.iter().map(|decision| vec![exercise::query(&decision.careless)]).collect()
}
