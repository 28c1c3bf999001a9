//! Accelerators: how much memory, how much bandwidth, how many operations a second, and who says so. [`links`] has what
//! connects them.
//!
//! # GB or GiB
//!
//! [`Accelerator::memory`] is the capacity as the vendor sells it, read as **decimal** gigabytes: an "80 GB" H100 is
//! 80 × 10⁹ bytes. The silicon usually has more: its driver reports 81 559 MiB (85.5 × 10⁹ bytes), because HBM stacks
//! come in binary gigabytes and some is kept for ECC and the driver. What is over is about what the CUDA context, the
//! communication buffers and fragmentation take, so comparing a model's own bytes with the marketed decimal figure is
//! the conservative reading and the default. [`Accelerator::reported`] is the driver's figure where there is a source.

pub mod levels;
pub mod links;
mod table;

pub use table::ALL;

use crate::declare::List;
use crate::units::Bytes;

/// Where a number is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// The document's title.
    pub title: &'static str,
    /// Its address.
    pub url: &'static str,
}

/// One accelerator: a GPU, or what a vendor sells as one device (a TPU chip, a Gaudi card).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accelerator {
    /// The name in a query string: `h100-80`.
    pub id: &'static str,
    /// What a person reads: "H100 SXM 80 GB".
    pub name: &'static str,
    /// Memory as sold, in decimal gigabytes; see the module's notes.
    pub memory: Bytes,
    /// What `nvidia-smi` reports as total memory, where a source gives it.
    pub reported: Option<Bytes>,
    /// Peak memory bandwidth, bytes a second.
    pub bandwidth: f64,
    /// Peak dense matrix-multiply rate in `peak_dtype` with fp32 accumulation, FLOP a second, without sparsity.
    pub peak: f64,
    /// The 16-bit type that `peak` is for: `bf16`, or `fp16` on hardware that has no bf16.
    pub peak_dtype: &'static str,
    /// The vendor's document for all of it but `reported`.
    pub source: Source,
}

impl Accelerator {
    /// Peak dense rate of 8-bit floats, FLOP a second: twice [`Accelerator::peak`] on those whose data sheet (its `source`) says so.
    /// None for one without fp8 units, and for Gaudi, where it is not twice as much.
    pub fn fp8(&self) -> Option<f64> {
        const TWICE: [&str; 11] = [
            "rtx-4090",
            "l40s-48",
            "h100-pcie-80",
            "h100-80",
            "h200-141",
            "b200",
            "gb200",
            "b300",
            "mi300x",
            "mi325x",
            "mi355x",
        ];
        TWICE.contains(&self.id).then_some(2.0 * self.peak)
    }
}

/// The source of every [`Accelerator::reported`].
pub const REPORTED_SOURCE: Source = Source {
    title: "Why does an NVIDIA H100 80GB card offer 85.52 GB? (total memory by NVML, per GPU)",
    url: "https://thundergolfer.com/blog/nvidia-gpu-memory-capacity",
};

/// The accelerator with this id; case does not matter.
pub fn find(id: &str) -> Option<&'static Accelerator> {
    ALL.iter().find(|a| a.id.eq_ignore_ascii_case(id))
}

/// Every id, in the order of [`ALL`].
pub const IDS: [&str; ALL.len()] = each(false);

const NAMES: [&str; ALL.len()] = each(true);

/// The choices of a `gpu` parameter.
pub const LIST: List = List { ids: &IDS, labels: &NAMES };

const fn each(name: bool) -> [&'static str; ALL.len()] {
    let mut all = [""; ALL.len()];
    let mut i = 0;
    while i < ALL.len() {
        all[i] = if name { ALL[i].name } else { ALL[i].id };
        i += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_every_number_is_there() {
        for (i, a) in ALL.iter().enumerate() {
            assert!(ALL.iter().skip(i + 1).all(|b| b.id != a.id), "{} is there twice", a.id);
            assert!(a.memory.0 > 1e9 && a.bandwidth > 1e11 && a.peak > 1e13, "{}", a.id);
            assert!(a.source.url.starts_with("https://") && !a.source.title.is_empty(), "{}", a.id);
            assert!(a.reported.is_none_or(|r| r.0 > a.memory.0 * 0.99), "{}", a.id);
        }
        assert_eq!(find("H100-80").map(|a| a.memory.0), Some(80e9));
        assert_eq!(find("abacus"), None);
    }
}
