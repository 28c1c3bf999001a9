//! The values of a parameter, one notch after another.

use crate::catalogue::{Declared, Entry};
use crate::declare::{Group, Scale};
use crate::model::reference::BY_COUNT;
use crate::query::{Kind, ParamSpec, Query, parse_number, plain};

/// The most notches of an axis. A scale with more is walked in equal strides.
const MOST: usize = 1024;
/// How many whole numbers are still walked one by one where no slider says how.
const ONE_BY_ONE: f64 = 128.0;
/// The notches of a range below zero that no slider says how to walk.
const EVENLY: usize = 200;
/// Powers of ten below its end that a range is walked down to.
const DECADES: i32 = 15;
/// The notches of a decade.
const LADDER: [&str; 10] = ["1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8"];

/// A parameter that a person sets, and the values that are tried of it, in order.
#[derive(Debug, Clone)]
pub struct Axis {
    param: Declared,
    notches: Notches,
}

#[derive(Debug, Clone)]
enum Notches {
    Numbers(Vec<f64>),
    Options(&'static [&'static str]),
}

/// The parameters of a figure that can be solved for: those with a label and at least two values.
pub fn axes(entry: &Entry) -> Vec<Axis> {
    entry.params().filter_map(Axis::of).collect()
}

impl Axis {
    /// The values of a parameter; none where no person has a name for it or there is nothing to choose.
    pub fn of(param: Declared) -> Option<Self> {
        // A step or a cursor is set by the drawing, and has no label of its own.
        if param.look.group == Group::Drawn && param.look.label == param.spec.name {
            return None;
        }
        let notches = match param.spec.kind {
            Kind::Choice(ids) => Notches::Options(ids),
            Kind::Integer { min, max } => Notches::Numbers(numbers(param, min as f64, max as f64)),
            Kind::Real { min, max } => Notches::Numbers(numbers(param, min, max)),
        };
        let axis = Self { param, notches };
        (axis.len() > 1).then_some(axis)
    }

    /// The parameter.
    pub fn param(&self) -> Declared {
        self.param
    }

    /// Its name in a query.
    pub fn name(&self) -> &'static str {
        self.param.spec.name
    }

    /// What a person calls it.
    pub fn label(&self) -> &'static str {
        self.param.look.label
    }

    /// How many values there are: at least two.
    pub fn len(&self) -> usize {
        match &self.notches {
            Notches::Numbers(numbers) => numbers.len(),
            Notches::Options(ids) => ids.len(),
        }
    }

    /// Whether there are none. There never are.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether its values have an order.
    pub fn is_ordered(&self) -> bool {
        matches!(self.notches, Notches::Numbers(_))
    }

    /// The value of a notch as a query has it; that of the last one beyond the end.
    pub fn text(&self, at: usize) -> String {
        let at = at.min(self.len().saturating_sub(1));
        match &self.notches {
            Notches::Numbers(numbers) => numbers.get(at).copied().map(plain).unwrap_or_default(),
            Notches::Options(ids) => ids.get(at).copied().unwrap_or_default().to_owned(),
        }
    }

    /// The value of a notch as a person reads it.
    pub fn written(&self, at: usize) -> String {
        self.write(&self.text(at))
    }

    /// A value of a query as a person reads it.
    pub fn write(&self, text: &str) -> String {
        written(self.param, text)
    }

    /// The state after the parameter's control was moved to a notch. None where the model does not take it with the other settings.
    pub fn turned(&self, entry: &Entry, base: &Query, at: usize) -> Option<Query> {
        self.set(entry, base, &self.text(at))
    }

    /// The state after the parameter's control was set to `text`, as a query has it. None where the model does not take it with the other settings.
    pub(super) fn set(&self, entry: &Entry, base: &Query, text: &str) -> Option<Query> {
        let query = (entry.turn)(base, self.name(), text);
        (self.value(&query) == self.read(text)).then_some(query)
    }

    /// The notch at which a state is, or the one below it.
    pub fn position(&self, query: &Query) -> Option<usize> {
        let value = self.value(query)?;
        match &self.notches {
            Notches::Numbers(numbers) => numbers.partition_point(|n| *n <= value + 1e-12 * value.abs()).checked_sub(1),
            Notches::Options(_) => Some(value as usize),
        }
    }

    /// The notches next to a state's value: the largest below it and the smallest above it.
    pub(super) fn around(&self, query: &Query) -> (Option<usize>, Option<usize>) {
        let (Some(value), Notches::Numbers(numbers)) = (self.value(query), &self.notches) else { return (None, None) };
        let near = 1e-12 * value.abs();
        let below = numbers.partition_point(|n| *n < value - near).checked_sub(1);
        let above = numbers.partition_point(|n| *n <= value + near);
        (below, (above < numbers.len()).then_some(above))
    }

    /// At most `most` notches, evenly spread, with both ends.
    pub(super) fn spread(&self, most: usize) -> Vec<usize> {
        let (len, most) = (self.len(), most.max(2));
        if len <= most {
            return (0..len).collect();
        }
        (0..most).map(|i| i * (len - 1) / (most - 1)).collect()
    }

    /// The value of a state: a number, or which of the options.
    fn value(&self, query: &Query) -> Option<f64> {
        self.read(query.get(self.name()).unwrap_or(self.param.spec.default))
    }

    fn read(&self, text: &str) -> Option<f64> {
        match &self.notches {
            Notches::Numbers(_) => parse_number(text),
            Notches::Options(ids) => ids.iter().position(|id| id.eq_ignore_ascii_case(text)).map(|at| at as f64),
        }
    }
}

/// A value of a parameter as a person reads it.
pub(super) fn written(param: Declared, text: &str) -> String {
    match param.spec.kind {
        Kind::Choice(ids) => {
            let label = ids.iter().position(|id| *id == text).and_then(|at| param.look.labels.get(at).copied());
            let none = if param.is_model() { BY_COUNT } else { "none" };
            label.unwrap_or(if text.is_empty() { none } else { text }).to_owned()
        }
        Kind::Integer { .. } | Kind::Real { .. } if text.is_empty() => "none".to_owned(),
        Kind::Integer { .. } | Kind::Real { .. } => {
            parse_number(text).map_or_else(|| text.to_owned(), param.look.format)
        }
    }
}

/// The numbers of a parameter from `min` to `max`: the positions of its slider, or a ladder over its range.
fn numbers(Declared { spec, look, .. }: Declared, min: f64, max: f64) -> Vec<f64> {
    let whole = matches!(spec.kind, Kind::Integer { .. });
    let all = match look.scale {
        Some(scale) => positions(scale),
        None if whole && max - min <= ONE_BY_ONE => (0..=(max - min) as usize).map(|i| min + i as f64).collect(),
        None if min < 0.0 => (0..=EVENLY).map(|i| min + (max - min) * i as f64 / EVENLY as f64).collect(),
        None => ladder(min, max, whole),
    };
    tidy(spec, all)
}

fn positions(scale: Scale) -> Vec<f64> {
    let last = scale.last().max(0.0) as usize;
    let stride = last / MOST + 1;
    (0..last).step_by(stride).chain([last]).map(|at| scale.value(at as f64)).collect()
}

/// Ten steps a decade; for whole numbers the powers of two as well, in which GPUs are counted.
fn ladder(min: f64, max: f64, whole: bool) -> Vec<f64> {
    let top = max.max(f64::MIN_POSITIVE).log10().ceil() as i32;
    let from = if min > 0.0 { min.log10().floor() as i32 } else { top - DECADES };
    let decades = (from.max(top - 2 * DECADES)..=top)
        .flat_map(|power| LADDER.iter().filter_map(move |step| parse_number(&format!("{step}e{power}"))));
    let doubled = (0..64).map(|power| 2_f64.powi(power)).filter(|_| whole);
    decades.chain(doubled).chain([min, max]).collect()
}

/// Those that the parameter takes, in order, each once.
fn tidy(spec: &ParamSpec, mut all: Vec<f64>) -> Vec<f64> {
    // Written and read as text, as a link has them.
    all = all.into_iter().filter_map(|value| parse_number(&plain(value))).collect();
    all.retain(|value| spec.refuses(*value).is_none());
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}
