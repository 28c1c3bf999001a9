//! The compute capabilities whose rules [`super::definition`] knows.

use crate::options;

/// The compute capability by whose rules an SM hands out what it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Capability {
    /// The GPU's own.
    #[default]
    OfGpu,
    /// Maxwell.
    Cc50,
    /// Maxwell.
    Cc52,
    /// Pascal, P100.
    Cc60,
    /// Pascal.
    Cc61,
    /// Volta.
    Cc70,
    /// Xavier.
    Cc72,
    /// Turing.
    Cc75,
    /// Ampere, A100.
    Cc80,
    /// Ampere.
    Cc86,
    /// Orin.
    Cc87,
    /// Ada.
    Cc89,
    /// Hopper.
    Cc90,
    /// Blackwell, B200.
    Cc100,
    /// Blackwell, B300.
    Cc103,
    /// Thor.
    Cc110,
    /// Blackwell.
    Cc120,
    /// Blackwell, GB10.
    Cc121,
}

options!(Capability {
    OfGpu: "gpu", "the GPU’s";
    Cc50: "5.0", "5.0";
    Cc52: "5.2", "5.2";
    Cc60: "6.0", "6.0";
    Cc61: "6.1", "6.1";
    Cc70: "7.0", "7.0";
    Cc72: "7.2", "7.2";
    Cc75: "7.5", "7.5";
    Cc80: "8.0", "8.0";
    Cc86: "8.6", "8.6";
    Cc87: "8.7", "8.7";
    Cc89: "8.9", "8.9";
    Cc90: "9.0", "9.0";
    Cc100: "10.0", "10.0";
    Cc103: "10.3", "10.3";
    Cc110: "11.0", "11.0";
    Cc120: "12.0", "12.0";
    Cc121: "12.1", "12.1";
});

impl Capability {
    /// Major and minor; none for the GPU's own.
    pub fn numbers(self) -> Option<(u32, u32)> {
        let (major, minor) = self.id().split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    }
}
