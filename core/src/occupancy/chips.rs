//! GPUs, as far as it takes to say what one of their SMs holds and what its memory asks of it.
//!
//! Limits by compute capability: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". SMs, clock and
//! bandwidth: NVIDIA's architecture white papers, named with each chip.

use super::definition::{Sm, WITHOUT_OPT_IN};
use crate::options;
use crate::units::KIB;

/// A GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gpu {
    /// Volta.
    V100,
    /// Turing.
    T4,
    /// Ampere, for data centres.
    A100,
    /// Ampere, for games.
    Rtx3090,
    /// Ada.
    Rtx4090,
    /// Hopper.
    #[default]
    H100,
    /// Blackwell, for data centres.
    B200,
    /// Blackwell, for games.
    Rtx5090,
}

options!(Gpu {
    V100: "v100", "V100 · 7.0";
    T4: "t4", "T4 · 7.5";
    A100: "a100", "A100 · 8.0";
    Rtx3090: "rtx-3090", "RTX 3090 · 8.6";
    Rtx4090: "rtx-4090", "RTX 4090 · 8.9";
    H100: "h100", "H100 · 9.0";
    B200: "b200", "B200 · 10.0";
    Rtx5090: "rtx-5090", "RTX 5090 · 12.0";
});

/// What is known of a GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chip {
    /// One of its SMs.
    pub sm: Sm,
    /// SMs.
    pub sms: u64,
    /// Boost clock, hertz.
    pub clock: f64,
    /// Peak bandwidth of its memory, bytes a second.
    pub bandwidth: f64,
    /// Where SMs, clock and bandwidth are from.
    pub source: &'static str,
}

const fn chip(
    cc: (u32, u32),
    (threads, shared_kib, block_shared_kib): (u64, u64, u64),
    (sms, clock_mhz, bandwidth_gb_s): (u64, u32, u32),
    source: &'static str,
) -> Chip {
    let kib = KIB as u64;
    // From Ampere on the driver takes 1 KiB of each block's shared memory.
    let reserved = if cc.0 >= 8 { kib } else { 0 };
    let sm = Sm {
        cc,
        threads,
        registers: 65_536,
        block_registers: 65_536,
        shared: shared_kib * kib,
        block_shared: WITHOUT_OPT_IN,
        block_shared_opt_in: block_shared_kib * kib,
        reserved,
    };
    Chip { sm, sms, clock: clock_mhz as f64 * 1e6, bandwidth: bandwidth_gb_s as f64 * 1e9, source }
}

impl Gpu {
    /// What is known of it.
    pub const fn chip(self) -> Chip {
        match self {
            Self::V100 => chip((7, 0), (2048, 96, 96), (80, 1530, 900), "NVIDIA Tesla V100 white paper (SXM2)"),
            Self::T4 => chip((7, 5), (1024, 64, 64), (40, 1590, 320), "NVIDIA Turing white paper (T4)"),
            Self::A100 => chip((8, 0), (2048, 164, 163), (108, 1410, 2039), "NVIDIA A100 white paper (SXM, 80 GB)"),
            Self::Rtx3090 => chip((8, 6), (1536, 100, 99), (82, 1695, 936), "NVIDIA Ampere GA102 white paper"),
            Self::Rtx4090 => chip((8, 9), (1536, 100, 99), (128, 2520, 1008), "NVIDIA Ada white paper"),
            Self::H100 => chip((9, 0), (2048, 228, 227), (132, 1980, 3350), "NVIDIA H100 white paper (SXM5)"),
            Self::B200 => {
                chip((10, 0), (2048, 228, 227), (148, 1965, 8000), "Chips and Cheese (2025), NVIDIA HGX specifications")
            }
            Self::Rtx5090 => chip((12, 0), (1536, 100, 99), (170, 2407, 1792), "NVIDIA RTX Blackwell white paper"),
        }
    }

    /// What a person calls it, without its compute capability.
    pub fn name(self) -> &'static str {
        self.label().split(" · ").next().unwrap_or_default()
    }
}

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
