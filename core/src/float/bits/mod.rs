//! `float-bits`: one number in two formats, what lies beside it, sums of small updates, and gradients that fall off the end.

mod finding;
mod held;
mod value;
mod writing;

pub use held::{Fate, Held};
pub use value::Value;
pub(crate) use writing::power;
pub use writing::{superscript, written};

use held::finite;

use super::elementary::exp;
use super::sums::{Course, Updates};
use super::{ALL, Format, IDS, Overflow, Rounding, exponent, find, power_of_two};
use crate::declare::{
    Applies, Choose, Field, List, Measure, Model, Origin, Origins, Param, Scale, Slot, applies, choice, headline,
    measure, origin, real, switch, text, when, whole, yes_no,
};
use crate::mix::Stream;
use crate::options;
use crate::quantity::Unit;

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

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "float-bits";
    const TITLE: &'static str = "A number in two formats";
    const SUMMARY: &'static str =
        "The bits of a number in two formats, the values beside it, and what sums and gradients lose there.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("view", "what is shown", View::LIST, "bits").label("Show").main().at(|p| p.view.slot()),
        choice("format", "the first format", FORMATS, "fp16").label("Format").main().at(|p| p.formats[0].slot()),
        choice("other", "the format beside it", FORMATS, "bf16")
            .label("Compared with")
            .main()
            .at(|p| p.formats[1].slot()),
        text("value", "the number: decimal, inf, or a code of the first format such as 0x3c00", "0.1")
            .main()
            .label("Number")
            .at(|p| p.value.slot()),
        real("update", "what is added at each step", [-1e6, 1e6], "0.0001")
            .label("Update")
            .drawn()
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
            .drawn()
            .at(|p| p.scale.slot()),
        real("median", "log₂ of the median gradient", [-50.0, 0.0], "-24")
            .label("Median gradient")
            .format(power)
            .steps(1.0)
            .more("The gradients")
            .at(|p| p.median.slot()),
        real("spread", "standard deviation of log₂ of the gradients", [0.0, 12.0], "4")
            .label("Spread, powers of two")
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
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["steps", "start", "stochastic"], |p| p.view == View::Sum),
        applies(&["median", "spread"], |p| p.view == View::Gradients),
        applies(&["saturate"], |p| p.view == View::Bits),
        applies(&["seed"], |p| matches!(p.view, View::Sum | View::Gradients)),
    ];
    const ORIGIN: Origin = Origin::Of(
        "IEEE 754-2019, table 3.5 and §4.3; NVIDIA A100 whitepaper, p. 27 (tf32, bf16); OCP OFP8 1.0, table 1; OCP Microscaling Formats 1.0, §5.3; checked against ml_dtypes 0.6.0",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "Sums rounded after each addition as IEEE 754-2019, §4.3, says; stochastic rounding and Kahan 1965 (CACM 8(1)) where chosen",
            ),
            &["sum", "sum-kept", "other-sum", "other-sum-kept"],
        ),
        origin(Origin::Definition, &["sum-exact", "error", "relative-error", "other-relative-error"]),
        origin(
            Origin::Own("gradients drawn from a log-normal distribution that you set, rounded to the format"),
            &["lost", "subnormal", "overflowed", "other-lost", "other-overflowed"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        measure("bits", "Bits", Unit::Count, |p, _| p.formats[0].bits().into()),
        measure("exponent-bits", "Exponent bits", Unit::Count, |p, _| p.formats[0].exponent_bits.into()),
        measure("mantissa-bits", "Mantissa bits", Unit::Count, |p, _| p.formats[0].mantissa_bits.into()),
        when(
            |p, _| p.view == View::Bits,
            headline(
                "The closest number that the format has.",
                measure("value", "Stored value", Unit::Ratio, |_, s| s.held[0].finite()),
            ),
        ),
        when(|p, _| p.view == View::Bits, measure("error", "Error", Unit::Ratio, |_, s| s.held[0].error)),
        when(
            |p, _| p.view == View::Bits,
            headline(
                "The rounding error over the value.",
                measure("relative-error", "Relative error", Unit::Fraction, |_, s| s.relative(0)),
            ),
        ),
        when(
            |p, _| p.view == View::Bits,
            headline(
                "The distance to the next number that the format has.",
                measure("spacing", "Spacing at that value", Unit::Ratio, |_, s| s.held[0].spacing()),
            ),
        ),
        when(
            |p, _| p.view == View::Bits,
            measure("below", "Next value below", Unit::Ratio, |_, s| {
                s.held[0].neighbours[0].unwrap_or(s.held[0].finite())
            }),
        ),
        when(
            |p, _| p.view == View::Bits,
            measure("above", "Next value above", Unit::Ratio, |_, s| {
                s.held[0].neighbours[1].unwrap_or(s.held[0].finite())
            }),
        ),
        when(
            |p, _| p.view == View::Bits,
            yes_no(measure("overflows", "Overflows to infinity or NaN", Unit::Count, |_, s| {
                f64::from(!s.held[0].value.is_finite())
            })),
        ),
        when(
            |p, _| p.view == View::Spacing,
            headline(
                "What is larger overflows.",
                measure("largest", "Largest value", Unit::Ratio, |p, _| p.formats[0].max()),
            ),
        ),
        when(
            |p, _| p.view == View::Spacing,
            headline(
                "Below it, numbers lose digits.",
                measure("smallest-normal", "Smallest normal value", Unit::Ratio, |p, _| p.formats[0].min_normal()),
            ),
        ),
        when(
            |p, _| p.view == View::Spacing,
            headline(
                "What is less than half of it becomes zero.",
                measure("smallest", "Smallest positive value", Unit::Ratio, |p, _| p.formats[0].min_positive()),
            ),
        ),
        when(
            |p, _| p.view == View::Spacing,
            headline(
                "The distance from 1 to the next number.",
                measure("epsilon", "Machine epsilon", Unit::Ratio, |p, _| p.formats[0].epsilon()),
            ),
        ),
        when(
            |p, _| p.view == View::Bits,
            measure("other-value", "Stored value, second format", Unit::Ratio, |_, s| s.held[1].finite()),
        ),
        when(
            |p, _| p.view == View::Bits,
            headline(
                "The rounding error over the value, in the other format.",
                measure("other-relative-error", "Relative error, second format", Unit::Fraction, |_, s| s.relative(1)),
            ),
        ),
        when(
            |p, _| p.view == View::Bits,
            measure("other-spacing", "Spacing, second format", Unit::Ratio, |_, s| s.held[1].spacing()),
        ),
        when(
            |p, _| p.view == View::Bits,
            yes_no(measure("other-overflows", "Overflows to infinity or NaN, second format", Unit::Count, |_, s| {
                f64::from(!s.held[1].value.is_finite())
            })),
        ),
        when(
            |p, _| p.view == View::Sum,
            headline(
                "What adding the updates one by one comes to.",
                measure("sum", "Sum", Unit::Ratio, |_, s| finite(s.sums[0].last, 0.0)),
            ),
        ),
        when(
            |p, _| p.view == View::Sum,
            headline(
                "The share of the exact total that survives rounding.",
                measure("sum-kept", "Share of updates kept", Unit::Fraction, |_, s| finite(s.sums[0].kept(), 0.0)),
            ),
        ),
        when(|p, _| p.view == View::Sum, measure("sum-exact", "Exact sum", Unit::Ratio, |_, s| s.sums[0].exact)),
        when(
            |p, _| p.view == View::Sum,
            headline(
                "What adding the updates one by one comes to in the other format.",
                measure("other-sum", "Sum, second format", Unit::Ratio, |_, s| finite(s.sums[1].last, 0.0)),
            ),
        ),
        when(
            |p, _| p.view == View::Sum,
            headline(
                "The share of the exact total that survives rounding in the other format.",
                measure("other-sum-kept", "Share of updates kept, second format", Unit::Fraction, |_, s| {
                    finite(s.sums[1].kept(), 0.0)
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Gradients,
            headline(
                "Gradients too small for the format.",
                measure("lost", "Gradients flushed to zero", Unit::Fraction, |_, s| s.fates[0].zero),
            ),
        ),
        when(
            |p, _| p.view == View::Gradients,
            headline(
                "Gradients that keep fewer digits than the format has.",
                measure("subnormal", "Gradients held as subnormals", Unit::Fraction, |_, s| s.fates[0].subnormal),
            ),
        ),
        when(
            |p, _| p.view == View::Gradients,
            headline(
                "Gradients too large for the format.",
                measure("overflowed", "Gradients that overflow", Unit::Fraction, |_, s| s.fates[0].overflowed),
            ),
        ),
        when(
            |p, _| p.view == View::Gradients,
            headline(
                "Gradients too small for the other format.",
                measure("other-lost", "Gradients flushed to zero, second format", Unit::Fraction, |_, s| {
                    s.fates[1].zero
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Gradients,
            measure("other-overflowed", "Gradients that overflow, second format", Unit::Fraction, |_, s| {
                s.fates[1].overflowed
            }),
        ),
    ];

    fn evaluate(&self) -> Result<Shown, String> {
        Ok(self.shown())
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

#[cfg(test)]
mod tests;
