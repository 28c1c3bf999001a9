//! What can be chosen of a run.

use super::network;
use crate::declare::{Field, Slot, Text};
use crate::float::Format;
use crate::options;
use crate::query::shorten;

/// What the figure shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The run: its loss, and what each operation lost.
    #[default]
    Train,
    /// Gradients by exponent.
    Gradients,
    /// A dynamic scaler through overflows.
    Scaler,
}

options!(View {
    Train: "train", "Training";
    Gradients: "gradients", "Gradients";
    Scaler: "scaler", "Scaler";
});

/// What the network computes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compute {
    /// fp32.
    Fp32,
    /// Products in tf32.
    Tf32,
    /// bf16.
    Bf16,
    /// fp16.
    #[default]
    Fp16,
    /// Products in fp8, each tensor scaled.
    Fp8,
    /// Products in fp8, nothing scaled.
    Fp8Raw,
}

options!(Compute {
    Fp32: "fp32", "fp32";
    Tf32: "tf32", "tf32";
    Bf16: "bf16", "bf16";
    Fp16: "fp16", "fp16";
    Fp8: "fp8", "fp8, scaled";
    Fp8Raw: "fp8-raw", "fp8, not scaled";
});

impl Compute {
    /// For the network.
    pub const fn network(self) -> network::Compute {
        match self {
            Self::Fp32 => network::Compute::Fp32,
            Self::Tf32 => network::Compute::Tf32,
            Self::Bf16 => network::Compute::Bf16,
            Self::Fp16 => network::Compute::Fp16,
            Self::Fp8 => network::Compute::Fp8 { scaled: true },
            Self::Fp8Raw => network::Compute::Fp8 { scaled: false },
        }
    }

    /// The format in which gradients are held.
    pub const fn held(self) -> Format {
        self.network().held()
    }
}

/// What the loss is multiplied by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loss {
    /// Nothing.
    #[default]
    None,
    /// The same at every step.
    Static,
    /// PyTorch's dynamic scaler.
    PyTorch,
    /// Megatron's.
    Megatron,
}

options!(Loss {
    None: "none", "none";
    Static: "static", "fixed";
    PyTorch: "pytorch", "PyTorch";
    Megatron: "megatron", "Megatron";
});

/// Steps, each with an overflow or without: `0010`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overflows(pub Vec<bool>);

/// Most steps of a scaler.
pub const MAX_OVERFLOWS: usize = 64;

/// The steps where none are given.
pub(super) const STANDARD: &str = "0011000000001000";

impl Overflows {
    fn of(text: &str) -> Self {
        Self(text.bytes().map(|b| b == b'1').collect())
    }
}

impl Default for Overflows {
    fn default() -> Self {
        Self::of(STANDARD)
    }
}

impl Text for Overflows {
    fn read(&mut self, text: &str) -> Result<(), String> {
        *self = Self::default();
        if text.is_empty() || text.len() > MAX_OVERFLOWS || text.bytes().any(|b| b != b'0' && b != b'1') {
            return Err(format!(
                "overflows must be 0 for a clean step and 1 for one with an overflow, at most {MAX_OVERFLOWS} of them, \
                 such as 0010, not “{}”.",
                shorten(text)
            ));
        }
        *self = Self::of(text);
        Ok(())
    }

    fn write(&self) -> String {
        self.0.iter().map(|o| if *o { '1' } else { '0' }).collect()
    }
}

impl Field for Overflows {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}
