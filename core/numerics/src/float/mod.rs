//! Number formats to the bit: what each code means, what every real number becomes, and what lies next to it.
//!
//! A [`Format`] is a sign, an exponent and a mantissa, and a rule for the codes that are no numbers. Values are held as
//! `f64`, in which every value of every format here is exact, so decoding loses nothing and arithmetic of a narrower
//! format is emulated by rounding after each operation: for `+ − × ÷ √` on formats of at most 24 significant bits
//! rounding twice, to 53 bits and then to the format, is the same as once (Figueroa, "When is double rounding
//! innocuous?", SIGNUM Newsletter 30(3), 1995: 53 ≥ 2·24 + 2).
//!
//! Sources: IEEE 754-2019, table 3.5, for fp64, fp32 and fp16; NVIDIA A100 whitepaper, p. 27, for tf32 and bf16; OCP 8-bit
//! Floating Point Specification (OFP8) 1.0, table 1, for e5m2 and e4m3 (here e4m3fn, its name in ml_dtypes and
//! PyTorch); OCP Microscaling Formats (MX) 1.0, section 5.3, for fp6, fp4, E8M0 and int8. `e4m3` with a largest value of
//! 240 is the IEEE-like type of ml_dtypes, which reserves a whole exponent for infinities and NaN.

pub mod block;
pub mod elementary;
mod round;
pub mod sums;

pub use round::{Overflow, Rounder, Rounding};

/// Which codes are no finite numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Specials {
    /// The largest exponent is kept for them: infinity with a mantissa of zero, NaN with any other (IEEE 754).
    InfinityAndNan,
    /// Only the code with all exponent and mantissa bits set is NaN; there is no infinity (`fn` in ml_dtypes' names).
    NanOnly,
    /// Every code is a number (`fn` formats of six and four bits).
    Finite,
    /// A power of two without sign or zero; all bits set is NaN (E8M0).
    Scale,
    /// A whole number in two's complement.
    Integer,
}

/// A number format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Its name in queries: `fp16`, `e4m3fn`.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// Bits of the exponent field.
    pub exponent_bits: u32,
    /// Bits of the mantissa field; of an integer, those of its magnitude.
    pub mantissa_bits: u32,
    /// What is subtracted from the exponent field.
    pub bias: i32,
    /// Which codes are no finite numbers.
    pub specials: Specials,
}

const fn ieee(id: &'static str, name: &'static str, exponent_bits: u32, mantissa_bits: u32) -> Format {
    let bias = (1 << (exponent_bits - 1)) - 1;
    Format { id, name, exponent_bits, mantissa_bits, bias, specials: Specials::InfinityAndNan }
}

const fn with(format: Format, specials: Specials) -> Format {
    Format { specials, ..format }
}

/// IEEE 754 binary64.
pub const FP64: Format = ieee("fp64", "fp64", 11, 52);
/// IEEE 754 binary32.
pub const FP32: Format = ieee("fp32", "fp32", 8, 23);
/// The 19 bits of an fp32 number that A100's tensor cores read.
pub const TF32: Format = ieee("tf32", "tf32", 8, 10);
/// The upper half of an fp32 number.
pub const BF16: Format = ieee("bf16", "bf16", 8, 7);
/// IEEE 754 binary16.
pub const FP16: Format = ieee("fp16", "fp16", 5, 10);
/// OFP8 E5M2.
pub const E5M2: Format = ieee("e5m2", "fp8 e5m2", 5, 2);
/// OFP8 E4M3, `float8_e4m3fn` in PyTorch: up to 448.
pub const E4M3FN: Format = with(ieee("e4m3fn", "fp8 e4m3fn", 4, 3), Specials::NanOnly);
/// ml_dtypes' `float8_e4m3`, which has infinities: up to 240.
pub const E4M3: Format = ieee("e4m3", "fp8 e4m3 (IEEE-like)", 4, 3);
/// MX FP6 E3M2.
pub const E3M2: Format = with(ieee("e3m2", "fp6 e3m2", 3, 2), Specials::Finite);
/// MX FP6 E2M3.
pub const E2M3: Format = with(ieee("e2m3", "fp6 e2m3", 2, 3), Specials::Finite);
/// MX FP4 E2M1.
pub const E2M1: Format = with(ieee("e2m1", "fp4 e2m1", 2, 1), Specials::Finite);
/// The scale of an MX block.
pub const E8M0: Format = with(ieee("e8m0", "E8M0 scale", 8, 0), Specials::Scale);
/// Eight bits in two's complement.
pub const INT8: Format =
    Format { id: "int8", name: "int8", exponent_bits: 0, mantissa_bits: 7, bias: 0, specials: Specials::Integer };

/// All formats, from the most bits to the fewest.
pub const ALL: [Format; 13] = [FP64, FP32, TF32, BF16, FP16, E5M2, E4M3FN, E4M3, E3M2, E2M3, E2M1, E8M0, INT8];

/// The names of [`ALL`], in its order.
pub const IDS: [&str; 13] = {
    let mut ids = [""; 13];
    let mut i = 0;
    while i < ids.len() {
        ids[i] = ALL[i].id;
        i += 1;
    }
    ids
};

/// The format with this id.
pub fn find(id: &str) -> Option<Format> {
    ALL.into_iter().find(|f| f.id == id)
}

/// What kind of thing a code stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Zero.
    Zero,
    /// Below the smallest normal number, without the implicit leading one.
    Subnormal,
    /// A number with an implicit leading one, or a whole number.
    Normal,
    /// Infinity.
    Infinity,
    /// Not a number.
    Nan,
}

/// 2ⁿ, exactly; 0 below the smallest `f64`, infinity above the largest.
pub fn power_of_two(n: i32) -> f64 {
    match n {
        1024.. => f64::INFINITY,
        -1022..1024 => f64::from_bits(((n + 1023) as u64) << 52),
        -1074..-1022 => f64::from_bits(1 << (n + 1074)),
        _ => 0.0,
    }
}

/// ⌊log₂ |x|⌋ of a finite x other than zero, exactly.
pub fn exponent(x: f64) -> i32 {
    let bits = x.abs().to_bits();
    if bits >> 52 == 0 { bits.ilog2() as i32 - 1074 } else { (bits >> 52) as i32 - 1023 }
}

impl Format {
    /// Whether it has a sign bit.
    pub const fn signed(self) -> bool {
        !matches!(self.specials, Specials::Scale)
    }

    /// Bits of a code.
    pub const fn bits(self) -> u32 {
        self.exponent_bits + self.mantissa_bits + self.signed() as u32
    }

    const fn field(self) -> u64 {
        (1 << self.exponent_bits) - 1
    }

    const fn mantissa_mask(self) -> u64 {
        (1 << self.mantissa_bits) - 1
    }

    /// Exponent of the smallest normal number; 0 for integers, which are all one apart.
    pub const fn min_exponent(self) -> i32 {
        match self.specials {
            Specials::Scale => -self.bias,
            Specials::Integer => self.mantissa_bits as i32,
            _ => 1 - self.bias,
        }
    }

    /// The code of the largest finite number.
    pub const fn max_code(self) -> u64 {
        let all = (self.field() << self.mantissa_bits) | self.mantissa_mask();
        match self.specials {
            Specials::InfinityAndNan => ((self.field() - 1) << self.mantissa_bits) | self.mantissa_mask(),
            Specials::NanOnly | Specials::Scale => all - 1,
            Specials::Finite | Specials::Integer => all,
        }
    }

    /// The largest finite value.
    pub fn max(self) -> f64 {
        self.decode(self.max_code())
    }

    /// The least value: minus the largest, except for integers (−128) and scales (2⁻¹²⁷).
    pub fn min(self) -> f64 {
        match self.specials {
            Specials::Scale => self.min_normal(),
            Specials::Integer => -power_of_two(self.mantissa_bits as i32),
            _ => -self.max(),
        }
    }

    /// The smallest positive number with all its significant bits; 1 for integers.
    pub fn min_normal(self) -> f64 {
        if self.specials == Specials::Integer { 1.0 } else { power_of_two(self.min_exponent()) }
    }

    /// The smallest positive number.
    pub fn min_positive(self) -> f64 {
        power_of_two(self.min_exponent() - self.mantissa_bits as i32)
    }

    /// The distance from 1 to the next number above it.
    pub fn epsilon(self) -> f64 {
        self.spacing(1.0)
    }

    /// The distance between neighbours in the binade of `x`: of its values between 2ᵉ and 2ᵉ⁺¹, e = ⌊log₂ |x|⌋, and below the
    /// smallest normal number that of subnormals. Beyond the largest value, as if the exponents went on.
    pub fn spacing(self, x: f64) -> f64 {
        let e = if x == 0.0 || !x.is_finite() { self.min_exponent() } else { exponent(x).max(self.min_exponent()) };
        match self.specials {
            Specials::Integer => 1.0,
            _ => power_of_two(e - self.mantissa_bits as i32),
        }
    }

    /// The sign, exponent field and mantissa field of a code; of an integer, its sign, 0 and the other bits.
    pub const fn fields(self, code: u64) -> (bool, u64, u64) {
        let mantissa = code & self.mantissa_mask();
        let exponent = (code >> self.mantissa_bits) & self.field();
        (self.signed() && (code >> (self.bits() - 1)) & 1 == 1, exponent, mantissa)
    }

    /// What a code stands for. Bits above the format's own are ignored.
    pub fn class(self, code: u64) -> Class {
        let (_, exponent, mantissa) = self.fields(code);
        let all_ones = exponent == self.field() && mantissa == self.mantissa_mask();
        match self.specials {
            Specials::Integer if self.decode(code) == 0.0 => Class::Zero,
            Specials::Integer => Class::Normal,
            Specials::Scale | Specials::NanOnly if all_ones => Class::Nan,
            Specials::Scale => Class::Normal,
            Specials::InfinityAndNan if exponent == self.field() && mantissa == 0 => Class::Infinity,
            Specials::InfinityAndNan if exponent == self.field() => Class::Nan,
            _ if exponent > 0 => Class::Normal,
            _ if mantissa > 0 => Class::Subnormal,
            _ => Class::Zero,
        }
    }

    /// The value of a code, exactly. Bits above the format's own are ignored.
    pub fn decode(self, code: u64) -> f64 {
        let (negative, exponent, mantissa) = self.fields(code);
        if self.specials == Specials::Integer {
            let offset = if negative { power_of_two(self.mantissa_bits as i32) } else { 0.0 };
            return mantissa as f64 - offset;
        }
        let magnitude = match self.class(code) {
            Class::Nan => f64::NAN,
            Class::Infinity => f64::INFINITY,
            Class::Zero => 0.0,
            Class::Subnormal => mantissa as f64 * self.min_positive(),
            Class::Normal => {
                let one = 1_u64 << self.mantissa_bits;
                (one | mantissa) as f64 * power_of_two(exponent as i32 - self.bias - self.mantissa_bits as i32)
            }
        };
        if negative { -magnitude } else { magnitude }
    }

    /// The code of NaN; of a format without, what ml_dtypes makes of NaN: minus zero, and 0 of an integer.
    pub const fn nan_code(self) -> u64 {
        let exponent = self.field() << self.mantissa_bits;
        match self.specials {
            Specials::InfinityAndNan => exponent | (1 << (self.mantissa_bits - 1)),
            Specials::NanOnly | Specials::Scale => exponent | self.mantissa_mask(),
            Specials::Finite => 1 << (self.bits() - 1),
            Specials::Integer => 0,
        }
    }

    /// The code of `x` once it is rounded. NaN becomes [`Format::nan_code`], with the sign of `x` if it was an overflow.
    pub fn encode(self, x: f64, rounding: Rounding<'_>, overflow: Overflow) -> u64 {
        if x.is_nan() { self.nan_code() } else { self.pack(self.round(x, rounding, overflow), x.is_sign_negative()) }
    }

    /// The code of a value of this format.
    fn pack(self, value: f64, negative: bool) -> u64 {
        let sign = if negative && self.signed() { 1 << (self.bits() - 1) } else { 0 };
        if self.specials == Specials::Integer {
            return (value as i64 as u64) & ((1 << self.bits()) - 1);
        }
        if value.is_nan() {
            return self.nan_code() | sign;
        }
        if value.is_infinite() {
            return sign | (self.field() << self.mantissa_bits);
        }
        if value == 0.0 {
            return sign;
        }
        let e = exponent(value);
        if e < self.min_exponent() {
            return sign | (value.abs() / self.min_positive()) as u64;
        }
        let steps = (value.abs() / power_of_two(e - self.mantissa_bits as i32)) as u64;
        sign | (((e + self.bias) as u64) << self.mantissa_bits) | (steps & self.mantissa_mask())
    }

    /// The smallest finite value greater than `x`, which need not be one of the format's. `None` above the largest, and for NaN.
    pub fn next_up(self, x: f64) -> Option<f64> {
        if x.is_nan() || x >= self.max() {
            return None;
        }
        if x < self.min() {
            return Some(self.min());
        }
        let below = self.round(x, Rounding::Down, Overflow::Saturate);
        Some(match self.specials {
            Specials::Integer => below + 1.0,
            _ if below >= 0.0 => self.decode(self.pack(below, false) + 1),
            _ => 0.0 - self.decode(self.pack(-below, false) - 1),
        })
    }

    /// The largest finite value less than `x`, which need not be one of the format's. `None` below the least, and for NaN.
    pub fn next_down(self, x: f64) -> Option<f64> {
        if x.is_nan() || x <= self.min() {
            return None;
        }
        if x > self.max() {
            return Some(self.max());
        }
        let above = self.round(x, Rounding::Up, Overflow::Saturate);
        Some(match self.specials {
            Specials::Integer => above - 1.0,
            _ if above > 0.0 => self.decode(self.pack(above, false) - 1),
            _ => -self.decode(self.pack(-above, false) + 1),
        })
    }
}

#[cfg(test)]
mod tests;
