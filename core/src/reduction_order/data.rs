//! Arrays to be summed: drawn, or one's own.

use crate::declare::{Field, Slot, Text};
use crate::options;
use crate::query::shorten;

/// What the numbers are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Data {
    /// From −1 to 1: gradients.
    #[default]
    Signed,
    /// From 0 to 1.
    Positive,
    /// Over 33 binades.
    Wide,
    /// 1 and a thousandth: losses of tokens.
    MeanOne,
    /// The second half undoes the first.
    Cancel,
    /// One's own.
    Own,
}

options!(Data {
    Signed: "signed", "from −1 to 1";
    Positive: "positive", "from 0 to 1";
    Wide: "wide", "very different in size";
    MeanOne: "mean-one", "all close to 1";
    Cancel: "cancel", "that cancel";
    Own: "own", "your own";
});

/// How they are ordered before they are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// As they come.
    #[default]
    None,
    /// The least first.
    Ascending,
    /// The greatest first.
    Descending,
    /// The smallest first, whatever its sign.
    BySize,
}

options!(Sort {
    None: "none", "as they come";
    Ascending: "asc", "least first";
    Descending: "desc", "greatest first";
    BySize: "abs-asc", "smallest first";
});

/// The most numbers.
pub const MOST: usize = 8192;

/// Numbers that somebody typed or pasted.
#[derive(Debug, Clone, PartialEq)]
pub struct Values(pub Vec<f32>);

/// The numbers where none are given: the first and the third cancel, and whether the others survive depends on the order.
pub(super) const STANDARD: &str = "1e8,1,-1e8,1,1e8,1,-1e8,1";

impl Default for Values {
    fn default() -> Self {
        Self(STANDARD.split(',').filter_map(number).collect())
    }
}

/// A finite number that fp32 holds, to which it is rounded once.
fn number(text: &str) -> Option<f32> {
    let text = text.trim().replace('−', "-");
    let value = match text.strip_prefix("0x") {
        Some(bits) if bits.len() == 8 => f32::from_bits(u32::from_str_radix(bits, 16).ok()?),
        _ => crate::decimal::parse(&text)? as f32,
    };
    value.is_finite().then_some(value)
}

impl Text for Values {
    fn read(&mut self, text: &str) -> Result<(), String> {
        *self = Self::default();
        let parts: Vec<&str> = text.split([',', ' ', '\n', '\t', ';']).filter(|part| !part.is_empty()).collect();
        if parts.is_empty() || parts.len() > MOST {
            return Err(format!(
                "There must be 1 to {MOST} numbers, with commas between them, such as 1e8, 1, -1e8, 1."
            ));
        }
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            let Some(value) = number(part) else {
                return Err(format!(
                    "“{}” is no number that fp32 holds: write 1.5, 1e-8 or 8 hexadecimal digits such as 0x3dcccccd.",
                    shorten(part)
                ));
            };
            values.push(value);
        }
        self.0 = values;
        Ok(())
    }

    fn write(&self) -> String {
        self.0.iter().map(|v| format!("{v}")).map(|v| short(&v)).collect::<Vec<_>>().join(",")
    }
}

/// Rust writes 1e30 with thirty zeros; a link does not.
fn short(text: &str) -> String {
    if text.len() <= 9 {
        text.to_owned()
    } else {
        text.parse::<f32>().map_or_else(|_| text.to_owned(), |v| format!("{v:e}"))
    }
}

impl Field for Values {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}

/// The numbers of Numerical Recipes' generator: 24 bits of each 32.
struct Lcg(u32);

impl Lcg {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0
    }

    /// A multiple of 2⁻²³ from −1 to below 1.
    fn signed(&mut self) -> f64 {
        (f64::from(self.next() >> 8) - 8_388_608.0) / 8_388_608.0
    }
}

impl Data {
    /// `n` numbers of this kind, all exact in fp32. None for one's own.
    pub fn draw(self, n: usize, seed: u32) -> Vec<f32> {
        let mut lcg = Lcg(seed);
        let mut one = |_| match self {
            Self::Positive => f64::from(lcg.next() >> 8) / 16_777_216.0,
            Self::Wide => {
                let value = lcg.signed();
                value * crate::float::power_of_two((lcg.next() >> 24) as i32 % 33 - 16)
            }
            Self::MeanOne => 1.0 + lcg.signed() / 1024.0,
            Self::Cancel => lcg.signed() * 1024.0,
            Self::Signed | Self::Own => lcg.signed(),
        };
        let mut values: Vec<f32> = (0..n).map(|i| one(i) as f32).collect();
        if self == Self::Cancel {
            let half = n / 2;
            for i in half..n {
                values[i] = -values[i - half];
            }
        }
        values
    }
}

impl Sort {
    /// In this order.
    pub fn sorted(self, mut values: Vec<f32>) -> Vec<f32> {
        match self {
            Self::None => {}
            Self::Ascending => values.sort_by(f32::total_cmp),
            Self::Descending => values.sort_by(|a, b| b.total_cmp(a)),
            Self::BySize => values.sort_by(|a, b| a.abs().total_cmp(&b.abs())),
        }
        values
    }
}
