//! WGSL's arithmetic on words. Nothing traps: a quotient by zero is the dividend, as WebGPU has it.

use half::f16;
use naga::{BinaryOperator as B, MathFunction as M};

use crate::program::{Kind, Unary};

pub(crate) fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// A result of this kind: an f16 is rounded after each operation.
pub(crate) fn rounded(kind: Kind, value: f32) -> u32 {
    if kind == Kind::F16 { f16::from_f32(value).to_f32().to_bits() } else { value.to_bits() }
}

/// An operation on a pair of words.
pub(crate) fn binary(op: B, kind: Kind, a: u32, b: u32) -> u32 {
    let (x, y) = (a as i32, b as i32);
    match kind {
        Kind::F32 | Kind::F16 => {
            let (p, q) = (f(a), f(b));
            match op {
                B::Add => rounded(kind, p + q),
                B::Subtract => rounded(kind, p - q),
                B::Multiply => rounded(kind, p * q),
                B::Divide => rounded(kind, p / q),
                B::Modulo => rounded(kind, p % q),
                B::Equal => u32::from(p == q),
                B::NotEqual => u32::from(p != q),
                B::Less => u32::from(p < q),
                B::LessEqual => u32::from(p <= q),
                B::Greater => u32::from(p > q),
                B::GreaterEqual => u32::from(p >= q),
                _ => 0,
            }
        }
        Kind::I32 => match op {
            B::Add => x.wrapping_add(y) as u32,
            B::Subtract => x.wrapping_sub(y) as u32,
            B::Multiply => x.wrapping_mul(y) as u32,
            B::Divide => x.checked_div(y).unwrap_or(x) as u32,
            B::Modulo => x.checked_rem(y).unwrap_or(0) as u32,
            B::Less => u32::from(x < y),
            B::LessEqual => u32::from(x <= y),
            B::Greater => u32::from(x > y),
            B::GreaterEqual => u32::from(x >= y),
            B::ShiftRight => (x >> (b & 31)) as u32,
            _ => words(op, a, b),
        },
        Kind::U32 | Kind::Bool => words(op, a, b),
    }
}

fn words(op: B, a: u32, b: u32) -> u32 {
    match op {
        B::Add => a.wrapping_add(b),
        B::Subtract => a.wrapping_sub(b),
        B::Multiply => a.wrapping_mul(b),
        B::Divide => a.checked_div(b).unwrap_or(a),
        B::Modulo => a.checked_rem(b).unwrap_or(0),
        B::Equal => u32::from(a == b),
        B::NotEqual => u32::from(a != b),
        B::Less => u32::from(a < b),
        B::LessEqual => u32::from(a <= b),
        B::Greater => u32::from(a > b),
        B::GreaterEqual => u32::from(a >= b),
        B::And | B::LogicalAnd => a & b,
        B::InclusiveOr | B::LogicalOr => a | b,
        B::ExclusiveOr => a ^ b,
        B::ShiftLeft => a << (b & 31),
        B::ShiftRight => a >> (b & 31),
    }
}

pub(crate) fn unary(op: Unary, kind: Kind, a: u32) -> u32 {
    match op {
        Unary::Negate if kind.float() => (-f(a)).to_bits(),
        Unary::Negate => (a as i32).wrapping_neg() as u32,
        Unary::Not => u32::from(a == 0),
        Unary::Complement => !a,
        Unary::IsNan => u32::from(f(a).is_nan()),
        Unary::IsInf => u32::from(f(a).is_infinite()),
    }
}

/// A conversion, which keeps to the range of what it goes to.
pub(crate) fn cast(from: Kind, to: Kind, a: u32) -> u32 {
    match (from, to) {
        (_, Kind::Bool) if from.float() => u32::from(f(a) != 0.0),
        (_, Kind::Bool) => u32::from(a != 0),
        (Kind::F32 | Kind::F16, Kind::I32) => f(a) as i32 as u32,
        (Kind::F32 | Kind::F16, Kind::U32) => f(a) as u32,
        (Kind::F32 | Kind::F16, _) => rounded(to, f(a)),
        (Kind::I32, Kind::F32 | Kind::F16) => rounded(to, a as i32 as f32),
        (_, Kind::F32 | Kind::F16) => rounded(to, a as f32),
        _ => a,
    }
}

/// Whether [`math`] computes a function.
pub(crate) fn knows(fun: M) -> bool {
    !matches!(
        fun,
        M::Modf
            | M::Frexp
            | M::Dot4I8Packed
            | M::Dot4U8Packed
            | M::Outer
            | M::FaceForward
            | M::Reflect
            | M::Refract
            | M::Inverse
            | M::Transpose
            | M::Determinant
            | M::Pack4x8snorm
            | M::Pack4x8unorm
            | M::Pack2x16snorm
            | M::Pack2x16unorm
            | M::Pack2x16float
            | M::Pack4xI8
            | M::Pack4xU8
            | M::Pack4xI8Clamp
            | M::Pack4xU8Clamp
            | M::Unpack4x8snorm
            | M::Unpack4x8unorm
            | M::Unpack2x16snorm
            | M::Unpack2x16unorm
            | M::Unpack2x16float
            | M::Unpack4xI8
            | M::Unpack4xU8
            | M::Dot
            | M::Cross
            | M::Distance
            | M::Length
            | M::Normalize
    )
}

/// Floating-point operations that a function counts for.
pub(crate) fn flop(fun: M) -> u64 {
    if fun == M::Fma { 2 } else { 1 }
}

/// Whether a special unit computes it.
pub(crate) fn special(fun: M) -> bool {
    matches!(
        fun,
        M::Cos
            | M::Cosh
            | M::Sin
            | M::Sinh
            | M::Tan
            | M::Tanh
            | M::Acos
            | M::Asin
            | M::Atan
            | M::Atan2
            | M::Asinh
            | M::Acosh
            | M::Atanh
            | M::Exp
            | M::Exp2
            | M::Log
            | M::Log2
            | M::Pow
            | M::Sqrt
            | M::InverseSqrt
    )
}

/// A function of words.
pub(crate) fn math(fun: M, kind: Kind, [a, b, c, d]: [u32; 4]) -> u32 {
    if kind.float() {
        return rounded(kind, floats(fun, f(a), f(b), f(c)));
    }
    let (x, y, z) = (a as i32, b as i32, c as i32);
    let signed = kind == Kind::I32;
    match fun {
        M::Abs if signed => x.wrapping_abs() as u32,
        M::Min if signed => x.min(y) as u32,
        M::Max if signed => x.max(y) as u32,
        M::Clamp if signed => x.max(y).min(z) as u32,
        M::Sign if signed => x.signum() as u32,
        M::Abs => a,
        M::Min => a.min(b),
        M::Max => a.max(b),
        M::Clamp => a.max(b).min(c),
        M::Sign => u32::from(a != 0),
        M::CountTrailingZeros => a.trailing_zeros(),
        M::CountLeadingZeros => a.leading_zeros(),
        M::CountOneBits => a.count_ones(),
        M::ReverseBits => a.reverse_bits(),
        M::FirstTrailingBit => {
            if a == 0 {
                u32::MAX
            } else {
                a.trailing_zeros()
            }
        }
        M::FirstLeadingBit => {
            let word = if signed && x < 0 { !a } else { a };
            if word == 0 { u32::MAX } else { 31 - word.leading_zeros() }
        }
        M::ExtractBits => {
            let offset = b.min(32);
            let count = c.min(32 - offset);
            if count == 0 {
                0
            } else if signed {
                ((a << (32 - count - offset)) as i32 >> (32 - count)) as u32
            } else {
                (a << (32 - count - offset)) >> (32 - count)
            }
        }
        M::InsertBits => {
            let offset = c.min(32);
            let count = d.min(32 - offset);
            if count == 0 {
                return a;
            }
            let mask = (u32::MAX >> (32 - count)) << offset;
            (a & !mask) | ((b << offset) & mask)
        }
        _ => a,
    }
}

fn floats(fun: M, a: f32, b: f32, c: f32) -> f32 {
    match fun {
        M::Abs => a.abs(),
        M::Min => a.min(b),
        M::Max => a.max(b),
        M::Clamp => a.max(b).min(c),
        M::Saturate => a.clamp(0.0, 1.0),
        M::Cos => a.cos(),
        M::Cosh => a.cosh(),
        M::Sin => a.sin(),
        M::Sinh => a.sinh(),
        M::Tan => a.tan(),
        M::Tanh => a.tanh(),
        M::Acos => a.acos(),
        M::Asin => a.asin(),
        M::Atan => a.atan(),
        M::Atan2 => a.atan2(b),
        M::Asinh => a.asinh(),
        M::Acosh => a.acosh(),
        M::Atanh => a.atanh(),
        M::Radians => a.to_radians(),
        M::Degrees => a.to_degrees(),
        M::Ceil => a.ceil(),
        M::Floor => a.floor(),
        M::Round => a.round_ties_even(),
        M::Fract => a - a.floor(),
        M::Trunc => a.trunc(),
        M::Ldexp => a * 2_f32.powi((b.to_bits() as i32).clamp(-300, 300)),
        M::Exp => a.exp(),
        M::Exp2 => a.exp2(),
        M::Log => a.ln(),
        M::Log2 => a.log2(),
        M::Pow => a.powf(b),
        M::Sign => {
            if a > 0.0 {
                1.0
            } else if a < 0.0 {
                -1.0
            } else {
                0.0
            }
        }
        // The product is exact in f64.
        M::Fma => (f64::from(a) * f64::from(b) + f64::from(c)) as f32,
        M::Mix => a * (1.0 - c) + b * c,
        M::Step => {
            if a <= b {
                1.0
            } else {
                0.0
            }
        }
        M::SmoothStep => {
            let t = ((c - a) / (b - a)).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        }
        M::Sqrt => a.sqrt(),
        M::InverseSqrt => 1.0 / a.sqrt(),
        M::QuantizeToF16 => f16::from_f32(a).to_f32(),
        _ => a,
    }
}
