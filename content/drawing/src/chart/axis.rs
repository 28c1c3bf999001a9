//! An axis: where a number stands on it, and which numbers are written.

use ringside_core::quantity::{Unit, grouped, number};

/// How numbers lie on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Kind {
    /// Evenly.
    #[default]
    Linear,
    /// By powers of two.
    Log2,
    /// By powers of ten.
    Log10,
}

/// How numbers of an axis are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Writing {
    /// To three digits.
    #[default]
    Number,
    /// To three digits, with a prefix and its unit.
    Unit(Unit),
    /// Whole, with a space between thousands.
    Grouped,
    /// Whole, multiples of 1024 as `16k`.
    Binary,
}

impl Writing {
    /// A number as it is written.
    pub fn write(self, value: f64) -> String {
        match self {
            Writing::Number => number(value),
            Writing::Unit(unit) => unit.format(value),
            Writing::Grouped => grouped(value.round().max(0.0) as u64),
            Writing::Binary => {
                let whole = value.round().max(0.0) as u64;
                if whole >= 1024 && whole.is_multiple_of(1024) { format!("{}k", whole / 1024) } else { grouped(whole) }
            }
        }
    }
}

/// Numbers from one end to the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What they count, with the unit where the numbers have none.
    pub name: String,
    kind: Kind,
    from: f64,
    to: f64,
    writing: Writing,
    /// What is written instead of round numbers.
    fixed: Option<Vec<(f64, String)>>,
}

/// A number that is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The number.
    pub value: f64,
    /// As it is written; empty for a stroke between two of them.
    pub text: String,
}

/// How much longer a stretch of one decade must be than its number to have strokes or numbers in it, in pixels.
const ROOM_FOR_STROKES: f64 = 46.0;

impl Axis {
    fn new(kind: Kind, (from, to): (f64, f64)) -> Self {
        Self { name: String::new(), kind, from, to, writing: Writing::Number, fixed: None }
    }

    /// Evenly from one number to another, which is larger.
    pub fn linear(range: (f64, f64)) -> Self {
        let (from, to) = range;
        let sound = from.is_finite() && to.is_finite() && to > from;
        Self::new(Kind::Linear, if sound { range } else { (0.0, 1.0) })
    }

    /// By powers of two, from a number over 0 to one that is larger.
    pub fn log2(range: (f64, f64)) -> Self {
        Self::new(Kind::Log2, positive(range, 2.0))
    }

    /// By powers of ten, from a number over 0 to one that is larger.
    pub fn log10(range: (f64, f64)) -> Self {
        Self::new(Kind::Log10, positive(range, 10.0))
    }

    /// With a name.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// With numbers written so.
    pub fn written(self, writing: Writing) -> Self {
        Self { writing, ..self }
    }

    /// With these numbers and no others; none for an axis without.
    pub fn at(self, ticks: impl IntoIterator<Item = (f64, String)>) -> Self {
        Self { fixed: Some(ticks.into_iter().collect()), ..self }
    }

    /// Its ends.
    pub fn range(&self) -> (f64, f64) {
        (self.from, self.to)
    }

    /// Whether equal distances are equal differences, so that parts add up.
    pub fn is_linear(&self) -> bool {
        matches!(self.kind, Kind::Linear)
    }

    /// A number as this axis writes it.
    pub fn write(&self, value: f64) -> String {
        let fixed = self.fixed.iter().flatten().find(|(at, _)| *at == value);
        fixed.map_or_else(|| self.writing.write(value), |(_, text)| text.clone())
    }

    /// Where a number stands: 0 at the beginning and 1 at the end; infinite or none for what no logarithm reaches.
    pub fn fraction(&self, value: f64) -> f64 {
        match self.kind {
            Kind::Linear => (value - self.from) / (self.to - self.from),
            _ if value <= 0.0 => f64::NEG_INFINITY,
            _ => (value / self.from).ln() / (self.to / self.from).ln(),
        }
    }

    /// The number that stands there.
    pub fn value(&self, fraction: f64) -> f64 {
        match self.kind {
            Kind::Linear => self.from + fraction * (self.to - self.from),
            _ => self.from * (self.to / self.from).powf(fraction),
        }
    }

    /// What is written along so many pixels, where a text needs so many.
    pub fn ticks(&self, length: f64, need: impl Fn(&str) -> f64) -> Vec<Tick> {
        let all = match &self.fixed {
            Some(fixed) => fixed.iter().map(|(value, text)| Tick { value: *value, text: text.clone() }).collect(),
            None => match self.kind {
                Kind::Linear => return self.round(length, &need),
                Kind::Log2 => self.powers(2.0),
                Kind::Log10 => self.powers(10.0),
            },
        };
        let shown = self.thinned(all, length, &need);
        if self.fixed.is_none() && self.kind == Kind::Log10 { self.within(shown, length, &need) } else { shown }
    }

    fn powers(&self, base: f64) -> Vec<Tick> {
        let exponent = |value: f64| value.log2() / base.log2();
        let (first, last) = ((exponent(self.from) - 1e-9).ceil(), (exponent(self.to) + 1e-9).floor());
        (first as i32..=last as i32).map(|power| self.tick(base.powi(power))).collect()
    }

    fn tick(&self, value: f64) -> Tick {
        Tick { value, text: self.writing.write(value) }
    }

    /// Every one, every second or every third … of them: the most that stand clear of each other. The others stay as strokes.
    fn thinned(&self, ticks: Vec<Tick>, length: f64, need: &impl Fn(&str) -> f64) -> Vec<Tick> {
        let places: Vec<(f64, f64)> = ticks.iter().map(|t| (self.fraction(t.value) * length, need(&t.text))).collect();
        let clear = |every: usize, first: usize| {
            let mut end = f64::NEG_INFINITY;
            places.iter().skip(first).step_by(every).all(|(at, wide)| {
                let fits = at - wide / 2.0 >= end;
                end = at + wide / 2.0;
                fits
            })
        };
        // A power whose exponent is a multiple of the step stays, so that 1 is among them: 1, 8, 64.
        let first = |every: usize| match self.fixed {
            Some(_) => 0,
            None => {
                let base: f64 = if self.kind == Kind::Log2 { 2.0 } else { 10.0 };
                let exponent = ticks.first().map_or(0.0, |t| (t.value.log2() / base.log2()).round()) as i64;
                (-exponent).rem_euclid(every as i64) as usize
            }
        };
        let every = [1, 2, 3, 4, 5, 6, 8, 10, 12].into_iter().find(|every| clear(*every, first(*every)));
        let (every, first) = every.map_or((ticks.len().max(1), 0), |every| (every, first(every)));
        let stays = |i: usize| i >= first && (i - first).is_multiple_of(every);
        let thin = |(i, tick): (usize, Tick)| if stays(i) { tick } else { Tick { text: String::new(), ..tick } };
        ticks.into_iter().enumerate().map(thin).collect()
    }

    /// Between powers of ten, where they are few and far apart: 2 and 5 as numbers, or 2 to 9 as strokes.
    fn within(&self, shown: Vec<Tick>, length: f64, need: &impl Fn(&str) -> f64) -> Vec<Tick> {
        let decade = (self.fraction(10.0 * self.from) * length).abs();
        if decade < ROOM_FOR_STROKES || shown.iter().any(|t| t.text.is_empty()) {
            return shown;
        }
        // Between 5 and 10 there are three tenths of a decade, and half of each number's width.
        let numbers = shown.iter().all(|t| need(&self.writing.write(t.value * 5.0)) < 0.28 * decade);
        let start = 10_f64.powf((self.from.log10() + 1e-9).floor());
        let mut ticks = Vec::new();
        let mut power = start;
        while power <= self.to * (1.0 + 1e-9) {
            for digit in 1..10 {
                let value = power * f64::from(digit);
                if value >= self.from * (1.0 - 1e-9) && value <= self.to * (1.0 + 1e-9) {
                    let written = digit == 1 || (numbers && (digit == 2 || digit == 5));
                    ticks.push(if written { self.tick(value) } else { Tick { value, text: String::new() } });
                }
            }
            power *= 10.0;
        }
        ticks
    }

    /// Multiples of 1, 2, 2.5 or 5 times a power of ten: as many as stand clear of each other.
    fn round(&self, length: f64, need: &impl Fn(&str) -> f64) -> Vec<Tick> {
        let span = self.to - self.from;
        let multiples = |step: f64| {
            let (first, last) = ((self.from / step - 1e-9).ceil(), (self.to / step + 1e-9).floor());
            let count = (last - first).max(0.0) as usize;
            (0..=count).map(move |i| (first + i as f64) * step)
        };
        let power = 10_f64.powf((span / MOST).log10().floor());
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0, 20.0, 25.0, 50.0, 100.0].map(|m| m * power);
        let fits = |step: &f64| {
            let widest = multiples(*step).map(|v| need(&self.writing.write(v))).fold(0.0, f64::max);
            span / step <= MOST && step / span * length >= widest
        };
        let step = steps.into_iter().find(fits).unwrap_or(100.0 * power);
        multiples(step).map(|value| self.tick(if value.abs() < step * 1e-9 { 0.0 } else { value })).collect()
    }
}

/// Most steps of a linear axis.
const MOST: f64 = 8.0;

fn positive((from, to): (f64, f64), base: f64) -> (f64, f64) {
    let from = if from.is_finite() && from > 0.0 { from } else { 1.0 };
    (from, if to.is_finite() && to > from { to } else { from * base })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(axis: &Axis, length: f64, need: f64) -> Vec<String> {
        let ticks = axis.ticks(length, |_| need);
        ticks.into_iter().map(|t| t.text).filter(|t| !t.is_empty()).collect()
    }

    #[test]
    fn linear_numbers_are_round_and_stand_clear() {
        let bytes = Axis::linear((0.0, 412e9)).written(Writing::Unit(Unit::Bytes));
        assert_eq!(written(&bytes, 400.0, 30.0), ["0 B", "100 GB", "200 GB", "300 GB", "400 GB"]);
        assert_eq!(written(&bytes, 100.0, 30.0), ["0 B", "200 GB", "400 GB"]);
        assert_eq!(written(&Axis::linear((-0.4, 1.0)), 200.0, 30.0), ["−0.25", "0", "0.25", "0.5", "0.75", "1"]);
        assert_eq!(written(&Axis::linear((0.0, 7.0)), 300.0, 30.0), ["0", "1", "2", "3", "4", "5", "6", "7"]);
        for range in [(0.0, 0.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)] {
            assert_eq!(Axis::linear(range).range(), (0.0, 1.0));
        }
    }

    #[test]
    fn powers_are_thinned_from_one_on() {
        let doubling = Axis::log2((1.0, 65536.0)).written(Writing::Binary);
        assert_eq!(written(&doubling, 1600.0, 30.0).len(), 17);
        assert_eq!(written(&doubling, 300.0, 60.0), ["1", "16", "256", "4k", "64k"]);
        let decades = Axis::log10((0.1, 1e4));
        assert_eq!(written(&decades, 200.0, 30.0), ["0.1", "1", "10", "100", "1,000", "10,000"]);
        assert_eq!(written(&decades, 100.0, 35.0), ["1", "100", "10,000"]);
    }

    #[test]
    fn few_decades_have_numbers_between() {
        let axis = Axis::log10((1.0, 100.0));
        assert_eq!(written(&axis, 300.0, 20.0), ["1", "2", "5", "10", "20", "50", "100"]);
        let ticks = axis.ticks(100.0, |_| 30.0);
        assert_eq!(ticks.len(), 19);
        assert_eq!(ticks.iter().filter(|t| t.text.is_empty()).count(), 16);
    }

    #[test]
    fn places_and_numbers_agree() {
        for axis in [Axis::linear((-1.0, 3.0)), Axis::log2((1.0, 64.0)), Axis::log10((1e-6, 1e2))] {
            for part in [0.0, 0.25, 1.0] {
                assert!((axis.fraction(axis.value(part)) - part).abs() < 1e-12, "{axis:?}");
            }
        }
        assert_eq!(Axis::log10((1.0, 10.0)).fraction(0.0), f64::NEG_INFINITY);
    }
}
