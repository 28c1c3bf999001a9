//! What drives a quantity: each parameter moved by one notch.

use super::{Axis, NOT_HERE, Sliced, apart, axes, value, within, written};
use crate::catalogue::{Entry, Named};
use crate::query::Query;

/// The most bars.
pub const MOST: usize = 10;
/// The most options of a choice that are tried.
const OPTIONS: usize = 24;
/// How many values without a result a sentence names.
const NAMED: usize = 3;

/// The effect of every setting on a quantity, everything else as it is: of which model it is about is no setting, and left out. A number is moved one notch down and one up; of a choice every other
/// option is tried, and the ones with the smallest and the largest result count.
#[derive(Debug, Clone)]
pub struct Drivers {
    entry: Entry,
    base: Query,
    quantity: Named,
    axes: Vec<Axis>,
    /// What is still to be tried: which parameter, which notch. The last comes first.
    left: Vec<(usize, usize)>,
    now: Option<f64>,
    all: usize,
    /// What was tried: which parameter, which notch, what came of it.
    tried: Vec<(usize, usize, f64)>,
    /// What was tried and leaves the quantity without a value: a run that never ends has no time.
    without: Vec<(usize, usize)>,
}

/// One value of a parameter and what comes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// The value, as a person reads it.
    pub to: String,
    /// The value of the quantity then.
    pub value: f64,
    /// The state.
    pub query: Query,
}

/// The effect of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Driver {
    /// What a person calls the parameter.
    pub label: &'static str,
    /// Its value now, as a person reads it.
    pub from: String,
    /// The move with the smallest result, if that is below the present one.
    pub low: Option<Move>,
    /// The move with the largest result, if that is above the present one.
    pub high: Option<Move>,
    /// How far the quantity moves, at most.
    pub effect: f64,
}

impl Drivers {
    /// The drivers of a quantity in the state `base`.
    pub fn new(entry: Entry, base: &Query, quantity: Named) -> Self {
        let base = (entry.read)(base).0;
        let mut axes = axes(&entry);
        axes.retain(|axis| !axis.param().is_model());
        let moves = |(i, axis): (usize, &Axis)| {
            let notches: Vec<usize> = if axis.is_ordered() {
                let (below, above) = axis.around(&base);
                below.into_iter().chain(above).collect()
            } else {
                let now = axis.position(&base);
                (0..axis.len().min(OPTIONS)).filter(|at| Some(*at) != now).collect()
            };
            notches.into_iter().map(move |at| (i, at)).collect::<Vec<_>>()
        };
        let left: Vec<_> = axes.iter().enumerate().flat_map(moves).rev().collect();
        let all = left.len() + 1;
        Self { entry, base, quantity, axes, left, now: None, all, tried: Vec::new(), without: Vec::new() }
    }

    /// The value of the quantity now, once that is known.
    pub fn now(&self) -> Option<f64> {
        self.now
    }

    /// The parameters that move the quantity, the one that moves it most first: at most [`MOST`].
    pub fn ranked(&self) -> Vec<Driver> {
        let mut drivers: Vec<Driver> = (0..self.axes.len()).filter_map(|i| self.driver(i)).collect();
        drivers.sort_by(|a, b| b.effect.total_cmp(&a.effect));
        drivers.truncate(MOST);
        drivers
    }

    fn driver(&self, i: usize) -> Option<Driver> {
        let (now, axis) = (self.now?, self.axes.get(i)?);
        let tried = || self.tried.iter().filter(move |(of, ..)| *of == i).map(|(_, at, value)| (*at, *value));
        let by_value = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
        let made = |(at, value): (usize, f64)| {
            let query = axis.turned(&self.entry, &self.base, at)?;
            Some(Move { to: axis.written(at), value, query })
        };
        let low = tried().min_by(by_value).filter(|(_, value)| *value < now).and_then(made);
        let high = tried().max_by(by_value).filter(|(_, value)| *value > now).and_then(made);
        let effect = [&low, &high].into_iter().flatten().map(|m| (m.value - now).abs()).reduce(f64::max)?;
        let from = axis.write(self.base.get(axis.name()).unwrap_or(axis.param().spec.default));
        Some(Driver { label: axis.label(), from, low, high, effect })
    }

    /// What the bars show, in a sentence.
    pub fn said(&self) -> String {
        let write = |value: f64| written(&self.entry, self.quantity, value);
        let (_, label, _) = self.quantity;
        let quantity = within(label);
        let Some(now) = self.now else { return format!("This state has no result, so nothing drives {quantity}.") };
        match self.ranked().first() {
            None => {
                format!("No setting changes {quantity} in one step. It stays at {}.{}", write(now), self.say_without())
            }
            Some(first) => {
                let furthest = [&first.low, &first.high].into_iter().flatten();
                let furthest = furthest.max_by(|a, b| (a.value - now).abs().total_cmp(&(b.value - now).abs()));
                let moved = furthest.map(|m| {
                    let (from, to) = (&first.from, &m.to);
                    let [before, after] = apart(&self.entry, self.quantity, [now, m.value]);
                    format!(" {label} is {before} with “{from}” and {after} with “{to}”.")
                });
                format!("Largest effect: {}.{}{}", first.label, moved.unwrap_or_default(), self.say_without())
            }
        }
    }

    /// Which values leave the quantity without a result.
    fn say_without(&self) -> String {
        let named = self.without.iter().take(NAMED).filter_map(|(i, at)| {
            let axis = self.axes.get(*i)?;
            Some(format!("{} at “{}”", axis.label(), axis.written(*at)))
        });
        let named: Vec<String> = named.collect();
        match self.without.len().saturating_sub(NAMED) {
            _ if named.is_empty() => String::new(),
            0 => format!(" No result with {}.", named.join(", ")),
            more => format!(" No result with {} and {more} more.", named.join(", ")),
        }
    }
}

impl Sliced for Drivers {
    fn step(&mut self) -> bool {
        let id = self.quantity.0;
        if self.tried.is_empty() && self.now.is_none() {
            self.now = value(&self.entry, &self.base, id).ok();
            if self.now.is_none() {
                self.left.clear();
            }
        } else if let Some((i, at)) = self.left.pop() {
            let query = self.axes.get(i).and_then(|axis| axis.turned(&self.entry, &self.base, at));
            match query.map(|query| value(&self.entry, &query, id)) {
                Some(Ok(value)) => self.tried.push((i, at, value)),
                Some(Err(why)) if why == NOT_HERE => self.without.push((i, at)),
                Some(Err(_)) | None => {}
            }
        }
        !self.left.is_empty()
    }

    fn progress(&self) -> (usize, usize) {
        (self.all.saturating_sub(self.left.len()), self.all)
    }
}
