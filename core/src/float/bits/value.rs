//! The number of the figure, as a link has it.

use crate::declare::{Field, Slot, Text};
use crate::query::{parse_number, plain, shorten};

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
        Self::Number(0.1)
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
        *self = Self::default();
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
