//! `float-bits`: one number in two formats, what lies beside it, sums of small updates, and gradients that fall off the end.

use super::elementary::exp;
use super::sums::{Course, Updates};
use super::{ALL, Class, Format, IDS, Overflow, Rounding, Specials, exponent, find, power_of_two};
use crate::declare::{
    Choose, Field, List, Measure, Model, Param, Scale, Slot, Text, choice, measure, real, switch, text, whole,
};
use crate::mix::Stream;
use crate::options;
use crate::quantity::{Unit, number, significant};
use crate::query::{parse_number, plain, shorten};

/// What the figure shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The bits of one number, and the number line around it.
    #[default]
    Bits,
    /// Spacing against magnitude.
    Spacing,
    /// The same small update added again and again.
    Sum,
    /// Gradients by exponent.
    Gradients,
}

options!(View {
    Bits: "bits", "Bits";
    Spacing: "spacing", "Spacing";
    Sum: "sum", "Sum";
    Gradients: "gradients", "Gradients";
});

/// A number as it is given: as a number, or as a code of the first format.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A number; may be infinite, never NaN.
    Number(f64),
    /// A code, which may stand for NaN: `0x3c00`.
    Code(u64),
}

impl Default for Value {
    fn default() -> Self {
        Self::Number(0.0)
    }
}

impl Text for Value {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let wrong = || {
            format!(
                "value must be a number such as 0.1 or 6e-8, inf, -inf, or a code of the first format such as 0x3c00, not “{}”.",
                shorten(text)
            )
        };
        let lower = text.trim().to_ascii_lowercase();
        *self = match lower.strip_prefix("0x") {
            Some(digits) => Self::Code(u64::from_str_radix(digits, 16).map_err(|_| wrong())?),
            None => Self::Number(match lower.as_str() {
                "" => 0.0,
                "inf" | "infinity" => f64::INFINITY,
                "-inf" | "-infinity" => f64::NEG_INFINITY,
                "-0" => -0.0,
                _ => parse_number(&lower).ok_or_else(wrong)?,
            }),
        };
        Ok(())
    }

    fn write(&self) -> String {
        match *self {
            Self::Code(code) => format!("0x{code:x}"),
            Self::Number(x) if x.is_infinite() => if x > 0.0 { "inf" } else { "-inf" }.to_owned(),
            Self::Number(x) if x == 0.0 && x.is_sign_negative() => "-0".to_owned(),
            Self::Number(x) => plain(x),
        }
    }
}

impl Field for Value {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}

/// The formats, for a choice.
pub const FORMATS: List = List {
    ids: &IDS,
    labels: &{
        let mut labels = [""; ALL.len()];
        let mut i = 0;
        while i < labels.len() {
            labels[i] = ALL[i].name;
            i += 1;
        }
        labels
    },
};

impl Choose for Format {
    fn id(&self) -> &'static str {
        self.id
    }

    fn choose(&mut self, id: &str) {
        *self = find(id).unwrap_or(*self);
    }
}

impl Field for Format {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Choice(self)
    }
}

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// What is shown.
    pub view: View,
    /// The number.
    pub value: Value,
    /// The first format, and the one beside it.
    pub formats: [Format; 2],
    /// Whether what is too large becomes the largest value.
    pub saturate: bool,
    /// What the sum starts from.
    pub start: f64,
    /// What is added each time.
    pub update: f64,
    /// How often.
    pub steps: u32,
    /// Whether sums are rounded stochastically.
    pub stochastic: bool,
    /// The seed of stochastic rounding and of the gradients.
    pub seed: u64,
    /// log₂ of the median gradient.
    pub median: f64,
    /// Standard deviation of log₂ of the gradients.
    pub spread: f64,
    /// What the gradients are multiplied by: 2 to this power.
    pub scale: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            view: View::Bits,
            value: Value::default(),
            formats: [super::FP16, super::BF16],
            saturate: false,
            start: 1.0,
            update: 0.0,
            steps: 1,
            stochastic: false,
            seed: 1,
            median: 0.0,
            spread: 1.0,
            scale: 0.0,
        }
    }
}

/// What a format makes of the number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// The format.
    pub format: Format,
    /// The code.
    pub code: u64,
    /// What it stands for.
    pub value: f64,
    /// What kind of thing that is.
    pub class: Class,
    /// |number − value|, with the largest value for an infinite one; 0 for NaN.
    pub error: f64,
    /// The value below and the value above.
    pub neighbours: [Option<f64>; 2],
}

/// What a format makes of the gradients.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fate {
    /// The part that becomes zero.
    pub zero: f64,
    /// The part that is held as subnormal numbers.
    pub subnormal: f64,
    /// The part that becomes infinite, NaN, or the largest value.
    pub overflowed: f64,
}

/// Everything that the figure shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The number, exactly.
    pub number: f64,
    /// In both formats.
    pub held: [Held; 2],
    /// The sum in both formats.
    pub sums: [Course; 2],
    /// Gradients by exponent, from [`LOWEST`].
    pub gradients: Vec<u32>,
    /// What becomes of them in both formats.
    pub fates: [Fate; 2],
}

/// The lowest exponent in the histogram, and the highest.
pub const LOWEST: i32 = -56;
/// The highest.
pub const HIGHEST: i32 = 24;
/// Gradients in it.
pub const GRADIENTS: u32 = 2048;
/// Most steps of a sum, as a power of two.
const STEPS: u32 = 16;

fn power(exponent: f64) -> String {
    format!("2{}", superscript(exponent as i64))
}

/// A whole number in superscript digits.
pub fn superscript(n: i64) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        c => c.to_digit(10).and_then(|d| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(d as usize)).unwrap_or(c),
    };
    n.to_string().chars().map(digit).collect()
}

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "float-bits";
    const TITLE: &'static str = "A number in two formats";
    const SUMMARY: &'static str =
        "The bits of a number in two formats, the values beside it, and what sums and gradients lose there.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("view", "what is shown", View::LIST, "bits").label("Show").main().at(|p| p.view.slot()),
        choice("format", "the first format", FORMATS, "fp16").label("Format").main().at(|p| p.formats[0].slot()),
        choice("other", "the format beside it", FORMATS, "bf16").label("Beside it").main().at(|p| p.formats[1].slot()),
        text("value", "the number: decimal, inf, or a code of the first format such as 0x3c00", "0.1")
            .main()
            .label("Number")
            .at(|p| p.value.slot()),
        real("update", "what is added at each step", [-1e6, 1e6], "0.0001")
            .label("Update")
            .main()
            .at(|p| p.update.slot()),
        whole("steps", "how often it is added", [1, 1 << STEPS], "1024")
            .label("Steps")
            .doubling(STEPS)
            .more("The sum")
            .at(|p| p.steps.slot()),
        real("start", "what the sum starts from", [-1e6, 1e6], "1")
            .label("Start")
            .more("The sum")
            .at(|p| p.start.slot()),
        switch("stochastic", "whether the sum is rounded stochastically", false)
            .label("Stochastic rounding")
            .more("The sum")
            .at(|p| p.stochastic.slot()),
        real("scale", "log₂ of what the gradients are multiplied by", [0.0, 32.0], "0")
            .label("Loss scale")
            .format(power)
            .steps(1.0)
            .main()
            .at(|p| p.scale.slot()),
        real("median", "log₂ of the median gradient", [-50.0, 0.0], "-24")
            .label("Median gradient")
            .format(power)
            .steps(1.0)
            .more("The gradients")
            .at(|p| p.median.slot()),
        real("spread", "standard deviation of log₂ of the gradients", [0.0, 12.0], "4")
            .label("Spread, in powers of two")
            .slider(Scale::Linear { min: 0.0, max: 12.0, step: 0.5 })
            .more("The gradients")
            .at(|p| p.spread.slot()),
        switch("saturate", "whether what is too large becomes the largest value", false)
            .label("Saturate")
            .more("Rounding")
            .at(|p| p.saturate.slot()),
        whole("seed", "seed of stochastic rounding and of the gradients", [1, 999], "1")
            .label("Seed")
            .more("Rounding")
            .at(|p| p.seed.slot()),
    ];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        measure("bits", "Bits", Unit::Count, |p, _| p.formats[0].bits().into()),
        measure("exponent-bits", "Exponent bits", Unit::Count, |p, _| p.formats[0].exponent_bits.into()),
        measure("mantissa-bits", "Mantissa bits", Unit::Count, |p, _| p.formats[0].mantissa_bits.into()),
        measure("value", "Value held", Unit::Ratio, |_, s| s.held[0].finite()),
        measure("error", "Error", Unit::Ratio, |_, s| s.held[0].error),
        measure("relative-error", "Relative error", Unit::Fraction, |_, s| s.relative(0)),
        measure("spacing", "Spacing there", Unit::Ratio, |_, s| s.held[0].spacing()),
        measure("below", "The value below", Unit::Ratio, |_, s| s.held[0].neighbours[0].unwrap_or(s.held[0].finite())),
        measure("above", "The value above", Unit::Ratio, |_, s| s.held[0].neighbours[1].unwrap_or(s.held[0].finite())),
        measure("overflows", "Infinite or NaN", Unit::Count, |_, s| f64::from(!s.held[0].value.is_finite())),
        measure("largest", "Largest value", Unit::Ratio, |p, _| p.formats[0].max()),
        measure("smallest-normal", "Smallest normal value", Unit::Ratio, |p, _| p.formats[0].min_normal()),
        measure("smallest", "Smallest value over 0", Unit::Ratio, |p, _| p.formats[0].min_positive()),
        measure("epsilon", "Spacing above 1", Unit::Ratio, |p, _| p.formats[0].epsilon()),
        measure("other-value", "Value held beside it", Unit::Ratio, |_, s| s.held[1].finite()),
        measure("other-relative-error", "Relative error beside it", Unit::Fraction, |_, s| s.relative(1)),
        measure("other-spacing", "Spacing beside it", Unit::Ratio, |_, s| s.held[1].spacing()),
        measure("other-overflows", "Infinite or NaN beside it", Unit::Count, |_, s| {
            f64::from(!s.held[1].value.is_finite())
        }),
        measure("sum", "Sum", Unit::Ratio, |_, s| finite(s.sums[0].last, 0.0)),
        measure("sum-kept", "Part of the updates that arrived", Unit::Fraction, |_, s| finite(s.sums[0].kept(), 0.0)),
        measure("sum-exact", "Exact sum", Unit::Ratio, |_, s| s.sums[0].exact),
        measure("other-sum", "Sum beside it", Unit::Ratio, |_, s| finite(s.sums[1].last, 0.0)),
        measure("other-sum-kept", "Part that arrived beside it", Unit::Fraction, |_, s| finite(s.sums[1].kept(), 0.0)),
        measure("lost", "Gradients that become zero", Unit::Fraction, |_, s| s.fates[0].zero),
        measure("subnormal", "Gradients held as subnormals", Unit::Fraction, |_, s| s.fates[0].subnormal),
        measure("overflowed", "Gradients that overflow", Unit::Fraction, |_, s| s.fates[0].overflowed),
        measure("other-lost", "Gradients that become zero beside it", Unit::Fraction, |_, s| s.fates[1].zero),
        measure("other-overflowed", "Gradients that overflow beside it", Unit::Fraction, |_, s| s.fates[1].overflowed),
    ];

    fn evaluate(&self) -> Result<Shown, String> {
        Ok(self.shown())
    }
}

fn finite(x: f64, otherwise: f64) -> f64 {
    if x.is_finite() { x } else { otherwise }
}

impl Fate {
    fn of(format: Format, gradients: &[f64]) -> Self {
        let part = 1.0 / gradients.len().max(1) as f64;
        let mut fate = Self::default();
        for g in gradients {
            match format.nearest(*g) {
                0.0 => fate.zero += part,
                held if !held.is_finite() || (held == format.max() && *g > held) => fate.overflowed += part,
                held if held < format.min_normal() => fate.subnormal += part,
                _ => {}
            }
        }
        fate
    }
}

impl Held {
    fn of(format: Format, x: f64, code: u64) -> Self {
        let value = format.decode(code);
        let error =
            if x.is_nan() || value.is_nan() { 0.0 } else { finite((finite(x, format.max()) - value).abs(), 0.0) };
        let neighbours = [format.next_down(value), format.next_up(value)];
        Self { format, code, value, class: format.class(code), error, neighbours }
    }

    /// The value; the largest for an infinite one, 0 for NaN.
    fn finite(&self) -> f64 {
        match self.value {
            v if v.is_nan() => 0.0,
            v if v.is_infinite() => self.format.max().copysign(v),
            v => v,
        }
    }

    /// The distance between neighbours around the value.
    pub fn spacing(&self) -> f64 {
        self.format.spacing(self.finite())
    }

    /// How the code makes the value, in words: `+2⁻⁴ × (1 + 614/1024)`.
    pub fn formula(&self) -> String {
        let f = self.format;
        let (negative, field, mantissa) = f.fields(self.code);
        let sign = if negative { "−" } else { "+" };
        let of = 1_u64 << f.mantissa_bits;
        match self.class {
            Class::Nan => "not a number".to_owned(),
            Class::Infinity => format!("{sign}infinity"),
            Class::Zero => format!("{sign}0"),
            _ if f.specials == Specials::Integer => format!("{}", self.value),
            _ if f.specials == Specials::Scale => power((field as i64 - i64::from(f.bias)) as f64),
            Class::Subnormal => format!("{sign}{} × {mantissa}/{of}", power(f64::from(f.min_exponent()))),
            Class::Normal => {
                let e = power((field as i64 - i64::from(f.bias)) as f64);
                if mantissa == 0 { format!("{sign}{e}") } else { format!("{sign}{e} × (1 + {mantissa}/{of})") }
            }
        }
    }

    /// What kind of thing it is, for people.
    pub fn kind(&self) -> &'static str {
        match self.class {
            Class::Zero => "zero",
            Class::Subnormal => "subnormal",
            Class::Normal if self.format.specials == Specials::Integer => "whole number",
            Class::Normal => "normal",
            Class::Infinity => "infinity",
            Class::Nan => "not a number",
        }
    }

    /// The value to all the digits that a person reads.
    pub fn text(&self) -> String {
        written(self.value)
    }
}

/// A number to nine digits; infinity and NaN by name.
pub fn written(x: f64) -> String {
    match x {
        x if x.is_nan() => "NaN".to_owned(),
        x if x.is_infinite() => if x > 0.0 { "∞" } else { "−∞" }.to_owned(),
        x if x == 0.0 && x.is_sign_negative() => "−0".to_owned(),
        x => significant(x, 9).replace('-', "−").replace("e−", "e-"),
    }
}

impl Shown {
    fn relative(&self, i: usize) -> f64 {
        let x = self.number.abs();
        if x == 0.0 || !x.is_finite() { 0.0 } else { finite(self.held[i].error / x, 0.0) }
    }

    /// The stretch of the number line to draw, around the number: three spacings of the coarser format to each side.
    pub fn stretch(&self) -> (f64, f64) {
        let [a, b] = &self.held;
        let centre = if self.number.is_finite() { self.number } else { a.finite() };
        let near = |h: &Held| if centre.abs() <= h.format.max() { h.format.spacing(centre) } else { 0.0 };
        let reach = match near(a).max(near(b)) {
            0.0 => centre.abs() * 0.5 + 1.0,
            spacing => spacing * 2.6,
        };
        ((centre - reach).max(f64::MIN), (centre + reach).min(f64::MAX))
    }

    /// The values of a format on that stretch, at most `most`; none if there are more.
    pub fn values(&self, i: usize, most: usize) -> Option<Vec<f64>> {
        let (from, to) = self.stretch();
        let format = self.held[i].format;
        if (to - from) / format.spacing(from.abs().min(to.abs())) > 8.0 * most as f64 {
            return None;
        }
        let mut values = Vec::new();
        let mut at = format.next_up(from);
        while let Some(v) = at.filter(|v| *v <= to) {
            if values.len() >= most {
                return None;
            }
            values.push(v);
            at = format.next_up(v);
        }
        Some(values)
    }
}

impl Params {
    /// The number, exactly.
    pub fn number(&self) -> f64 {
        match self.value {
            Value::Number(x) => x,
            Value::Code(code) => self.formats[0].decode(code),
        }
    }

    fn overflow(&self) -> Overflow {
        if self.saturate { Overflow::Saturate } else { Overflow::Special }
    }

    /// This with one bit of the number in format `i` flipped. NaN is a code of the first format.
    pub fn flipped(&self, i: usize, bit: u32) -> Self {
        let format = self.formats[i];
        let code = self.held(i).code ^ (1 << bit);
        let value = match format.decode(code) {
            value if !value.is_nan() => Value::Number(value),
            _ if i == 0 => Value::Code(code),
            _ => Value::Code(self.formats[0].nan_code()),
        };
        Self { value, ..*self }
    }

    fn held(&self, i: usize) -> Held {
        let (format, x) = (self.formats[i], self.number());
        let code = match self.value {
            Value::Code(code) if i == 0 => code & (u64::MAX >> (64 - format.bits())),
            _ => format.encode(x, Rounding::NearestEven, self.overflow()),
        };
        Held::of(format, x, code)
    }

    fn gradients(&self) -> Vec<f64> {
        let mut stream = Stream::new(self.seed);
        let (median, spread) = (self.median + self.scale, self.spread);
        (0..GRADIENTS).map(|_| exp(std::f64::consts::LN_2 * (median + spread * stream.normal()))).collect()
    }

    /// Computes all of it.
    pub fn shown(&self) -> Shown {
        let sum = |format| {
            let stochastic = self.stochastic.then_some(self.seed);
            Updates { format, start: self.start, update: self.update, steps: self.steps, stochastic }.run()
        };
        let values = self.gradients();
        let mut gradients = vec![0; (HIGHEST - LOWEST) as usize];
        for g in &values {
            let place = (exponent(*g) - LOWEST).clamp(0, HIGHEST - LOWEST - 1);
            gradients[place as usize] += 1;
        }
        Shown {
            number: self.number(),
            held: [self.held(0), self.held(1)],
            sums: self.formats.map(sum),
            gradients,
            fates: self.formats.map(|f| Fate::of(f, &values)),
        }
    }

    /// Magnitude and spacing of a format, from its smallest value to its largest: both ends of every binade.
    pub fn spacings(format: Format) -> Vec<(f64, f64)> {
        let (from, to) = (exponent(format.min_positive()), exponent(format.max()));
        let ends = |e: i32| [(power_of_two(e), e), (power_of_two(e + 1).min(format.max()), e)];
        (from..=to).flat_map(ends).map(|(x, e)| (x, format.spacing(power_of_two(e)))).collect()
    }
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, shown: &Shown) -> String {
        match self.view {
            View::Bits => self.bits_finding(shown),
            View::Spacing => {
                let [a, b] = self.formats;
                format!(
                    "From 1 to 2, neighbours of {} are {} apart and those of {} {}. {} ends at {} and {} at {}; the \
                     smallest numbers over 0 are {} and {}.",
                    a.name,
                    number(a.epsilon()),
                    b.name,
                    number(b.epsilon()),
                    a.name,
                    number(a.max()),
                    b.name,
                    number(b.max()),
                    number(a.min_positive()),
                    number(b.min_positive())
                )
            }
            View::Sum => self.sum_finding(shown),
            View::Gradients => self.gradients_finding(shown),
        }
    }

    fn bits_finding(&self, shown: &Shown) -> String {
        let one = |h: &Held| {
            if h.value == shown.number {
                return format!("{} holds {} exactly", h.format.name, written(shown.number));
            }
            if !h.value.is_finite() && shown.number.is_finite() {
                let largest = number(h.format.max());
                return format!("{} makes {} of it, because its largest number is {largest}", h.format.name, h.text());
            }
            if shown.number.is_nan() {
                return format!("{} holds {}", h.format.name, h.text());
            }
            format!("{} holds {}, off by {}", h.format.name, h.text(), number(h.error))
        };
        let [a, b] = &shown.held;
        let apart = format!(
            "Neighbours there are {} apart in {} and {} in {}.",
            number(a.spacing()),
            a.format.name,
            number(b.spacing()),
            b.format.name
        );
        if a.format == b.format { format!("{}. {apart}", one(a)) } else { format!("{}; {}. {apart}", one(a), one(b)) }
    }

    fn sum_finding(&self, shown: &Shown) -> String {
        let one = |i: usize| {
            let (course, name) = (&shown.sums[i], self.formats[i].name);
            let last = written(course.last);
            match course.stalled {
                Some(step) if !self.stochastic => format!(
                    "{name} ends at {last}: step {step} is the first that changes nothing, because the update is no \
                     more than half the spacing"
                ),
                _ => format!("{name} ends at {last}"),
            }
        };
        let exact = format!("The exact sum is {}.", written(shown.sums[0].exact));
        let how = if self.stochastic { " Rounding up as often as the rest is large, the losses cancel." } else { "" };
        format!("{}; {}. {exact}{how}", one(0), one(1))
    }

    fn gradients_finding(&self, shown: &Shown) -> String {
        let one = |i: usize| {
            let (fate, name) = (shown.fates[i], self.formats[i].name);
            let over = if fate.overflowed > 0.0 {
                format!(" and {} overflow", Unit::Fraction.format(fate.overflowed))
            } else {
                String::new()
            };
            format!("{} of these gradients become zero in {name}{over}", Unit::Fraction.format(fate.zero))
        };
        let scaled = if self.scale > 0.0 {
            format!(" All are multiplied by {} here.", power(self.scale))
        } else {
            String::new()
        };
        format!("{}; {}.{scaled}", one(0), one(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    fn at(query: &str) -> (Params, Shown) {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, []);
        (params, params.shown())
    }

    #[test]
    fn a_tenth_is_not_a_tenth() {
        let (params, shown) = at("");
        assert_eq!((shown.held[0].code, shown.held[1].code), (0x2e66, 0x3dcd));
        assert_eq!(shown.held[0].formula(), "+2⁻⁴ × (1 + 614/1024)");
        assert!(params.finding(&shown).starts_with("fp16 holds 0.0999755859, off by"), "{}", params.finding(&shown));
        let values = shown.values(0, 200).expect("few");
        assert!(values.len() > 20 && values.contains(&shown.held[0].value), "{values:?}");
        assert!(shown.values(1, 200).expect("few").len() >= 5);
    }

    #[test]
    fn a_flipped_bit_flips_back_also_through_nan() {
        for query in ["value=0.1", "value=inf&format=e5m2", "value=448&format=e4m3fn", "value=-3&format=int8"] {
            let (params, shown) = at(query);
            for bit in 0..params.formats[0].bits() {
                let there = params.flipped(0, bit);
                let read = Params::read(&there.query()).0;
                assert_eq!(read.held(0).code, shown.held[0].code ^ (1 << bit), "{query} {bit}");
                assert_eq!(read.flipped(0, bit).held(0).code, shown.held[0].code, "{query} {bit}");
            }
        }
    }

    #[test]
    fn what_is_too_large_is_said() {
        let (params, shown) = at("value=70000&other=e4m3fn");
        assert_eq!(shown.held[0].class, Class::Infinity);
        let finding = params.finding(&shown);
        assert!(finding.contains("fp16 makes ∞ of it, because its largest number is 65504"), "{finding}");
        assert!(finding.contains("fp8 e4m3fn makes NaN of it"), "{finding}");
        assert_eq!(at("value=70000&other=e4m3fn&saturate=true").1.held[1].value, 448.0);
    }

    #[test]
    fn sums_stall_and_gradients_vanish() {
        let (params, shown) = at("view=sum");
        assert!((shown.sums[0].kept() - 1.0).abs() < 0.1 || shown.sums[0].stalled.is_some());
        assert_eq!(shown.sums[1].kept(), 0.0);
        assert!(params.finding(&shown).contains("bf16 ends at 1: step 1 is the first"), "{}", params.finding(&shown));
        let (_, shown) = at("view=gradients");
        assert!(shown.fates[0].zero > 0.3 && shown.fates[1].zero == 0.0, "{:?}", shown.fates);
        let (_, shown) = at("view=gradients&scale=16");
        assert!(shown.fates[0].zero < 0.001 && shown.fates[0].overflowed < 0.001, "{:?}", shown.fates);
        assert_eq!(shown.gradients.iter().sum::<u32>(), GRADIENTS);
    }

    #[test]
    fn every_format_beside_every_number_can_be_shown() {
        for id in IDS {
            for value in ["0", "-0", "1e-300", "1e300", "inf", "-448", "0xff", "2.5"] {
                let (params, shown) = at(&format!("format={id}&value={value}"));
                assert!(!params.finding(&shown).is_empty());
                let (from, to) = shown.stretch();
                assert!(from < to && from.is_finite() && to.is_finite(), "{id} {value} {from} {to}");
                _ = shown.values(0, 100);
            }
        }
    }
}
