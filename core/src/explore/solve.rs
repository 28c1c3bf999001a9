//! Which value of a parameter meets a goal.

use super::{Axis, Goal, Relation, Sliced, apart, value, within, written};
use crate::catalogue::Entry;
use crate::quantity::{Unit, capital, counted, grouped};
use crate::query::Query;

/// How many values are looked at first, evenly spread over all.
const LOOK: usize = 33;
/// How many ranges or options a sentence names.
const NAMED: usize = 4;

/// A search for the value of one parameter, everything else as it is. It looks at values spread over the range first. Where the quantity only
/// rises or only falls over them and crosses the limit once, the place is bisected; otherwise every value is tried.
#[derive(Debug, Clone)]
pub struct Solve {
    entry: Entry,
    base: Query,
    axis: Axis,
    goal: Goal,
    /// By notch: nothing before it is tried, no value where the state is impossible.
    tried: Vec<Option<Option<f64>>>,
    look: Vec<usize>,
    phase: Phase,
    count: usize,
    /// Whether it was bisected.
    bisected: bool,
    /// Why a state was impossible.
    impossible: Option<String>,
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    Look(usize),
    Between { inside: usize, outside: usize },
    Scan(usize),
    Done,
}

/// A state that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The value of the parameter, as a person reads it.
    pub at: String,
    /// The value of the quantity.
    pub value: f64,
    /// The state.
    pub query: Query,
}

/// What came of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// A state that meets the goal: the one at the limit where the quantity crosses it once, otherwise the one nearest to the present state.
    pub found: Option<Point>,
    /// The next notch beyond it, where that does not meet the goal.
    pub next: Option<Point>,
    /// Where none meets it, the one that comes closest.
    pub closest: Option<Point>,
    /// Other options that meet it, where the parameter is a choice.
    pub others: Vec<Point>,
    /// How many values were tried.
    pub tried: usize,
    /// The sentence that says all of this.
    pub said: String,
}

impl Solve {
    /// The search for a value of `axis`, from the state `base`.
    pub fn new(entry: Entry, base: &Query, axis: Axis, goal: Goal) -> Self {
        let (base, look) = ((entry.read)(base).0, axis.spread(LOOK));
        let tried = vec![None; axis.len()];
        let phase = Phase::Look(0);
        Self { entry, base, axis, goal, tried, look, phase, count: 0, bisected: false, impossible: None }
    }

    fn attempt(&mut self, at: usize) {
        if self.tried.get(at).is_none_or(Option::is_some) {
            return;
        }
        self.count += 1;
        let result = match self.axis.turned(&self.entry, &self.base, at) {
            Some(query) => value(&self.entry, &query, self.goal.quantity.0),
            None => Err("The other settings rule it out.".to_owned()),
        };
        if let Err(why) = &result
            && self.impossible.is_none()
        {
            self.impossible = Some(why.clone());
        }
        if let Some(slot) = self.tried.get_mut(at) {
            *slot = Some(result.ok());
        }
    }

    fn value(&self, at: usize) -> Option<f64> {
        self.tried.get(at).copied().flatten().flatten()
    }

    fn meets(&self, at: usize) -> bool {
        self.value(at).is_some_and(|value| self.goal.meets(value))
    }

    fn inside(&self, at: usize) -> bool {
        self.value(at).is_some_and(|value| self.goal.inside(value))
    }

    /// What follows once the first look is done: where the limit is crossed, if it is crossed once by what only rises or only falls.
    fn after_look(&self) -> Phase {
        if self.look.len() == self.axis.len() {
            return Phase::Done;
        }
        let crossed: Vec<(usize, usize)> =
            pairs(&self.look).filter(|(a, b)| self.inside(*a) != self.inside(*b)).collect();
        match crossed.as_slice() {
            [(a, b)] if self.is_monotone() && self.value(*a).is_some() && self.value(*b).is_some() => {
                let (inside, outside) = if self.inside(*a) { (*a, *b) } else { (*b, *a) };
                Phase::Between { inside, outside }
            }
            _ => Phase::Scan(0),
        }
    }

    /// Whether the quantity only rises or only falls over the values looked at first.
    fn is_monotone(&self) -> bool {
        let values: Vec<f64> = self.look.iter().filter_map(|at| self.value(*at)).collect();
        self.axis.is_ordered() && (values.is_sorted() || values.iter().rev().is_sorted())
    }

    /// Where it is in the end. What was not tried is not counted as meeting the goal; after a bisection it lies on one side or the other.
    pub fn outcome(&self) -> Outcome {
        let found = self.place();
        let next = found.and_then(|at| self.beyond(at));
        let closest = if found.is_none() { self.nearest_to_limit() } else { None };
        let others = if self.axis.is_ordered() { Vec::new() } else { self.meeting() };
        let others = others.into_iter().filter(|at| Some(*at) != found).filter_map(|at| self.point(at)).collect();
        let said = self.say(found, next, closest);
        let point = |at: Option<usize>| at.and_then(|at| self.point(at));
        Outcome { found: point(found), next: point(next), closest: point(closest), others, tried: self.count, said }
    }

    fn point(&self, at: usize) -> Option<Point> {
        let query = self.axis.turned(&self.entry, &self.base, at)?;
        Some(Point { at: self.axis.written(at), value: self.value(at)?, query })
    }

    fn meeting(&self) -> Vec<usize> {
        (0..self.axis.len()).filter(|at| self.meets(*at)).collect()
    }

    fn nearest_to_limit(&self) -> Option<usize> {
        let distance = |at: &usize| self.value(*at).map(|value| (value - self.goal.limit).abs());
        let tried = (0..self.axis.len()).filter(|at| self.value(*at).is_some());
        tried.min_by(|a, b| distance(a).unwrap_or(f64::MAX).total_cmp(&distance(b).unwrap_or(f64::MAX)))
    }

    /// The notch to be opened.
    fn place(&self) -> Option<usize> {
        if self.goal.relation == Relation::Equal {
            return self.nearest_to_limit().filter(|at| self.meets(*at));
        }
        let meeting = self.meeting();
        let now = self.axis.position(&self.base).unwrap_or(0);
        let edges = || meeting.iter().copied().filter(|at| self.beyond(*at).is_some());
        let nearest = |places: &mut dyn Iterator<Item = usize>| places.min_by_key(|at| at.abs_diff(now));
        match edges().count() {
            // The limit is crossed once.
            1 if self.axis.is_ordered() => edges().next(),
            _ => nearest(&mut meeting.iter().copied()),
        }
    }

    /// The neighbour of a notch that meets the goal, if it was tried, is possible and does not meet it.
    fn beyond(&self, at: usize) -> Option<usize> {
        if !self.axis.is_ordered() {
            return None;
        }
        let fails = |at: &usize| self.value(*at).is_some_and(|value| !self.goal.meets(value));
        at.checked_add(1).filter(fails).or_else(|| at.checked_sub(1).filter(fails))
    }

    fn say(&self, found: Option<usize>, next: Option<usize>, closest: Option<usize>) -> String {
        let (_, label, _) = self.goal.quantity;
        let (name, quantity) = (within(self.axis.label()), within(label));
        let write =
            |at: usize| self.value(at).map(|value| written(&self.entry, self.goal.quantity, value)).unwrap_or_default();
        let limit = format!("{} {}", self.goal.relation.label(), self.goal.limit_text());
        let all = self.axis.len();
        let tried = if self.count < all {
            format!("{} of {} values were tried", grouped(self.count as u64), grouped(all as u64))
        } else {
            format!("All {} values were tried", grouped(all as u64))
        };
        let Some(at) = found else {
            let closest = closest.map_or_else(
                || self.impossible.as_ref().map(|why| format!(" None of them is possible: {why}")).unwrap_or_default(),
                |at| format!(" The closest is {} at {}.", write(at), self.axis.written(at)),
            );
            let range = if self.axis.is_ordered() {
                format!(" from {} to {}", self.axis.written(0), self.axis.written(all.saturating_sub(1)))
            } else {
                String::new()
            };
            return format!("No value of {name}{range} makes {quantity} {limit}.{closest} {tried}.");
        };
        let opened = self.axis.written(at);
        if self.goal.relation == Relation::Equal {
            return format!("{} is {} with {name} at {opened}. {tried}.", capital(label), write(at));
        }
        let meeting = self.meeting();
        let impossible = (0..all).filter(|at| self.tried.get(*at).is_some_and(|t| *t == Some(None))).count();
        let impossible = match (&self.impossible, impossible) {
            (Some(why), 1..) => {
                let values = counted(impossible as u64, "value is", "values are");
                format!(" {values} not possible with the other settings: {why}")
            }
            _ => String::new(),
        };
        if !self.bisected && meeting.len() == all {
            return format!("Every value of {name} makes {quantity} {limit}. {tried}.");
        }
        match next {
            Some(next) if self.bisected || self.is_one_sided(at, next) => {
                let which = if next > at { "or less" } else { "or more" };
                let [value, beyond] = match (self.value(at), self.value(next)) {
                    (Some(value), Some(beyond)) => apart(&self.entry, self.goal.quantity, [value, beyond]),
                    _ => [write(at), write(next)],
                };
                format!(
                    "{} is {limit} with {name} at {opened} {which}: {value} at {opened}, {beyond} at {}. {tried}.{impossible}",
                    capital(label),
                    self.axis.written(next)
                )
            }
            _ if self.axis.is_ordered() => {
                let ranges = self.ranges(&meeting);
                format!(
                    "{} is {limit} with {name} at {ranges}; {} at {opened}. {tried}, because {quantity} crosses the limit more than once or has no value in between.{impossible}",
                    capital(label),
                    write(at)
                )
            }
            _ => {
                let names: Vec<String> = meeting.iter().take(NAMED).map(|at| self.axis.written(*at)).collect();
                let more = meeting.len().saturating_sub(NAMED);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let make = if meeting.len() == 1 { "makes" } else { "make" };
                format!(
                    "{} of {all} options for {name} {make} {quantity} {limit}: {}{more}.{impossible}",
                    meeting.len(),
                    names.join(", ")
                )
            }
        }
    }

    /// Whether every value that is possible meets the goal up to `at`, where `next` is beyond it, and no other does.
    fn is_one_sided(&self, at: usize, next: usize) -> bool {
        let inside = |i: usize| if next > at { i <= at } else { i >= at };
        (0..self.axis.len()).all(|i| self.value(i).is_none() || self.meets(i) == inside(i))
    }

    /// Runs of notches as a person reads them: `1 to 8, 64 to 128`.
    fn ranges(&self, meeting: &[usize]) -> String {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for at in meeting {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == *at => *last = *at,
                _ => runs.push((*at, *at)),
            }
        }
        let write = |(from, to): &(usize, usize)| match (self.axis.written(*from), self.axis.written(*to)) {
            (from, to) if from == to => from,
            (from, to) => format!("{from} to {to}"),
        };
        let named: Vec<String> = runs.iter().take(NAMED).map(write).collect();
        let more = runs.len().saturating_sub(NAMED);
        if more == 0 { named.join(", ") } else { format!("{} and {more} more ranges", named.join(", ")) }
    }
}

impl Goal {
    /// The limit as a person reads it.
    pub fn limit_text(&self) -> String {
        let unit: Unit = self.quantity.2;
        unit.format(self.limit)
    }
}

impl Sliced for Solve {
    fn step(&mut self) -> bool {
        match self.phase {
            Phase::Look(i) => {
                if let Some(at) = self.look.get(i).copied() {
                    self.attempt(at);
                }
                self.phase = if i + 1 < self.look.len() { Phase::Look(i + 1) } else { self.after_look() };
                self.bisected = matches!(self.phase, Phase::Between { .. });
            }
            Phase::Between { inside, outside } if inside.abs_diff(outside) > 1 => {
                let at = usize::midpoint(inside, outside);
                self.attempt(at);
                self.phase = match self.value(at) {
                    // Between two that are possible lies one that is not: what was taken for granted does not hold.
                    None => Phase::Scan(0),
                    Some(_) if self.inside(at) => Phase::Between { inside: at, outside },
                    Some(_) => Phase::Between { inside, outside: at },
                };
                self.bisected = matches!(self.phase, Phase::Between { .. });
            }
            Phase::Between { .. } => {
                let nowhere = self.goal.relation == Relation::Equal && self.place().is_none();
                // Where none equals the limit, every value is tried before that is said.
                self.phase = if nowhere { Phase::Scan(0) } else { Phase::Done };
                self.bisected = !nowhere;
            }
            Phase::Scan(at) => {
                let next = (at..self.axis.len()).find(|at| self.tried.get(*at).is_some_and(Option::is_none));
                match next {
                    Some(next) => {
                        self.attempt(next);
                        self.phase = Phase::Scan(next + 1);
                    }
                    None => self.phase = Phase::Done,
                }
            }
            Phase::Done => return false,
        }
        !matches!(self.phase, Phase::Done)
    }

    fn progress(&self) -> (usize, usize) {
        (self.count, if self.bisected { self.count } else { self.axis.len() })
    }
}

fn pairs(list: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    list.iter().copied().zip(list.iter().copied().skip(1))
}
