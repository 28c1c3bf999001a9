//! Accelerators: how much memory, how much bandwidth, how many operations a second, what their SMs and caches hold, and who says so.
//! [`links`] has what connects them, [`constants`] what expressions call all of it.
//!
//! # One capacity
//!
//! [`Accelerator::memory`] is what a process sees: what PyTorch's out-of-memory messages call the total capacity, and of which vLLM takes its
//! share. It is the one capacity that figures, searches, exercises and `/run` compare with. The label says something else: HBM stacks
//! come in binary gigabytes, so the driver of an "80 GB" H100 reports 81 559 MiB (85.5 × 10⁹ bytes, [`Accelerator::reported`]), of which a
//! process sees 79.1 GiB (84.9 × 10⁹ bytes). Where nobody says what a process sees, `Accelerator::seen` is `None` and the label
//! ([`Accelerator::sold`]), read as decimal gigabytes, is taken.

pub mod constants;
pub mod levels;
pub mod links;
mod names;
mod table;

pub use names::{MAKERS, in_place_of_id, named, other, others};
pub use table::ALL;

use crate::declare::{List, Origin, Takes, chosen_by_id};
use crate::quantity::{bytes_binary, bytes_decimal};
use crate::units::Bytes;

/// Where the facts of a GPU come from.
pub const ORIGIN: Origin =
    Origin::Of("The vendor’s data sheet or a published measurement, as /reference/ names it for each GPU");

/// US dollars for an hour of a GPU, where nothing else is said: what DeepSeek-V3's report charges for an H800 (arXiv:2412.19437, table 1).
pub const PRICE: &str = "2";

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
    /// What a process sees as total memory; see the module's notes. It differs by some 0.1 GiB with the driver, and by more with ECC.
    pub memory: Bytes,
    /// Who says that a process sees so much. None where nobody does, and `memory` is as sold.
    pub seen: Option<&'static str>,
    /// Memory as sold: the label, in decimal gigabytes.
    pub sold: Bytes,
    /// What `nvidia-smi` reports as total memory, where a source gives it.
    pub reported: Option<Bytes>,
    /// Peak memory bandwidth, bytes a second.
    pub bandwidth: f64,
    /// Peak dense matrix-multiply rate in `peak_dtype` with fp32 accumulation, FLOP a second, without sparsity.
    pub peak: f64,
    /// The 16-bit type that `peak` is for: `bf16`, or `fp16` on hardware that has no bf16.
    pub peak_dtype: &'static str,
    /// Peak dense rate of 8-bit floats, FLOP a second. None for one without fp8 units, and for Gaudi, where it is not twice `peak`.
    pub fp8: Option<f64>,
    /// What it is attached to.
    pub ports: Ports,
    /// Its SMs and caches, where they are known: of NVIDIA's GPUs.
    pub chip: Option<Chip>,
    /// The vendor's document for memory, bandwidth and rates.
    pub source: Source,
}

/// The links that an accelerator comes with, by id; empty for what is not in [`links`] or not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    /// To the others of its node.
    pub inside: &'static str,
    /// The port between nodes that it has in its vendor's reference node (DGX A100: HDR; DGX H100, H200, B200 and GB200 NVL72: NDR;
    /// DGX B300: XDR; AMD's MI300X platform: 400 Gb/s Ethernet).
    pub between: &'static str,
    /// To the host.
    pub host: &'static str,
}

/// A GPU as a kernel meets it: its SMs, and the memory between them and its HBM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chip {
    /// Compute capability: 9.0 is `(9, 0)`.
    pub capability: (u32, u32),
    /// SMs.
    pub sms: u64,
    /// Boost clock, hertz.
    pub clock: f64,
    /// Most threads of an SM at once.
    pub threads: u64,
    /// Shared memory of an SM, bytes.
    pub shared: u64,
    /// Shared memory that a block may opt in to, bytes.
    pub block_shared: u64,
    /// FP32 lanes of an SM.
    pub lanes: u64,
    /// L1 and shared memory of an SM together, bytes.
    pub near: u64,
    /// L2, bytes.
    pub l2: u64,
    /// The kind of its memory: "HBM" or "GDDR".
    pub dram: &'static str,
    /// What L2 moves, bytes a second, where the vendor says it.
    pub l2_bandwidth: Option<f64>,
    /// How long an idle memory takes to answer.
    pub latency: Latencies,
    /// Where the rest is from.
    pub source: &'static str,
    /// Who measured the latencies; empty if nobody has.
    pub measured: &'static str,
}

/// Seconds until the first byte, measured on an idle GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latencies {
    /// Of shared memory.
    pub near: Option<f64>,
    /// Of L2.
    pub l2: Option<f64>,
    /// Of the GPU's memory.
    pub memory: Option<f64>,
}

/// The course's GPU: an H100 with 80 GB.
pub const H100: &Accelerator = &ALL[position("h100-80")];

impl Accelerator {
    /// Its chip, and an [`H100`]'s where nothing is known. [`CHIPS`] lists those that have one of their own.
    pub fn chip_or_h100(&self) -> &Chip {
        const OF_H100: &Chip = match &H100.chip {
            Some(chip) => chip,
            None => &table::GH100,
        };
        self.chip.as_ref().unwrap_or(OF_H100)
    }

    /// How much of its memory a process sees, who says so, and what the label and the driver say instead: sentences.
    pub fn capacity(&self) -> String {
        let [sees, sold] = [self.memory, self.sold].map(|bytes| bytes_decimal(bytes.0));
        let binary = bytes_binary(self.memory.0);
        let driver = self.reported.map(|bytes| format!(" Its driver reports {}.", bytes_binary(bytes.0)));
        let capacity = match self.seen {
            Some(source) => {
                format!(
                    "A process sees {sees} of the {}, which is {binary} ({source}). It is sold as {sold}.",
                    self.name
                )
            }
            None => format!(
                "The {} is sold as {sold}, which is {binary}. Nobody in our sources says how much of it a process sees, so all of it is taken.",
                self.name
            ),
        };
        capacity + &driver.unwrap_or_default()
    }

    /// Its name, with its memory if that is not part of the name.
    pub fn with_memory(&self) -> String {
        let memory = bytes_decimal(self.memory.0);
        if self.name.ends_with(&memory) { self.name.to_owned() } else { format!("{}: {memory}", self.name) }
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

/// GPUs that are commonly rented or sold, by memory: what somebody with another is told of first.
const COMMON: [&str; 10] =
    ["rtx-4090", "rtx-5090", "l40s-48", "a6000-48", "a100-40", "a100-80", "h100-80", "h200-141", "b200", "b300"];

/// Whether an accelerator is one of those.
pub fn is_common(gpu: &Accelerator) -> bool {
    COMMON.contains(&gpu.id)
}

/// Accelerators that are sold with more memory than this one: of its maker, if that isn't NVIDIA, then `COMMON` ones, then the others, each by
/// memory. What a process sees would call an A100 of 80 GB larger than an H100 of 80 GB.
pub fn larger(than: &Accelerator) -> Vec<&'static Accelerator> {
    let maker =
        |gpu: &Accelerator| ["mi", "gaudi", "tpu", "trainium"].into_iter().find(|maker| gpu.id.starts_with(maker));
    let rank = |gpu: &Accelerator| match maker(gpu) {
        Some(own) if maker(than) == Some(own) => 0,
        _ => 1 + u8::from(!is_common(gpu)),
    };
    let mut larger: Vec<_> = ALL.iter().filter(|gpu| gpu.sold.0 > than.sold.0).collect();
    larger.sort_by(|a, b| rank(a).cmp(&rank(b)).then(a.sold.0.total_cmp(&b.sold.0)));
    larger
}

/// Every id, in the order of [`ALL`].
pub const IDS: [&str; ALL.len()] = each(false);

const NAMES: [&str; ALL.len()] = each(true);

/// The choices of a `gpu` parameter.
pub const LIST: List = List { ids: &IDS, labels: &NAMES };

/// The choices of a `gpu` parameter where the figure is about SMs and caches: those whose [`Accelerator::chip`] is known.
pub const CHIPS: List = List { ids: &with_chip(false), labels: &with_chip(true) };

const fn each(name: bool) -> [&'static str; ALL.len()] {
    let mut all = [""; ALL.len()];
    let mut i = 0;
    while i < ALL.len() {
        all[i] = if name { ALL[i].name } else { ALL[i].id };
        i += 1;
    }
    all
}

const fn chips() -> usize {
    let (mut count, mut i) = (0, 0);
    while i < ALL.len() {
        count += ALL[i].chip.is_some() as usize;
        i += 1;
    }
    count
}

const fn with_chip(name: bool) -> [&'static str; chips()] {
    let mut all = [""; chips()];
    let (mut count, mut i) = (0, 0);
    while i < ALL.len() {
        if ALL[i].chip.is_some() {
            all[count] = if name { ALL[i].name } else { ALL[i].id };
            count += 1;
        }
        i += 1;
    }
    all
}

/// The place of an accelerator in [`ALL`]; one that is not there does not compile.
const fn position(id: &str) -> usize {
    let mut i = 0;
    while i < ALL.len() {
        let (known, wanted) = (ALL[i].id.as_bytes(), id.as_bytes());
        let mut same = if known.len() == wanted.len() { 0 } else { usize::MAX };
        while same < wanted.len() {
            same = if known[same] == wanted[same] { same + 1 } else { usize::MAX };
        }
        if same == wanted.len() {
            return i;
        }
        i += 1;
    }
    usize::MAX
}

chosen_by_id!(Accelerator, &ALL[0], find, |_: &[&str]| Some(Takes::Gpu););

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever a row says is there, can be found, and is in order: an SM holds less than the L2, each memory is farther
    /// than the one before, and every number has a source.
    #[test]
    fn ids_are_unique_and_every_number_is_there() {
        for (i, a) in ALL.iter().enumerate() {
            let id = a.id;
            assert!(ALL.iter().skip(i + 1).all(|b| b.id != id), "{id} is there twice");
            assert!(a.sold.0 > 1e9 && a.bandwidth > 1e11 && a.peak > 1e13, "{id}");
            assert!(a.source.url.starts_with("https://") && !a.source.title.is_empty(), "{id}");
            assert!(a.reported.is_none_or(|r| r.0 > a.sold.0 * 0.99), "{id}");
            // What a process sees is about the label, read as decimal or as binary gigabytes, and less than what the driver reports. Where
            // nobody says, it's the label.
            let is_near = (0.97..1.075).contains(&(a.memory.0 / a.sold.0));
            let says = |source: &str| source.contains("issue") || source.contains("pull request");
            assert!(a.seen.map_or(a.memory == a.sold, |source| is_near && says(source)), "{id}");
            assert!(a.reported.is_none_or(|reported| a.memory.0 < reported.0), "{id}");
            let is_trainium = ["trainium2", "trainium3"].contains(&id);
            let fits = |rate: f64| rate == 2.0 * a.peak || is_trainium && (1.9..4.0).contains(&(rate / a.peak));
            assert!(a.fp8.is_none_or(fits), "{id}");
            assert!(["bf16", "fp16"].contains(&a.peak_dtype), "{id}");
            let (inside, between) = links::of(a);
            for (port, list, found) in [
                (a.ports.inside, links::INSIDE, inside),
                (a.ports.between, links::BETWEEN, between),
                (a.ports.host, links::INSIDE, links::find(a.ports.host)),
            ] {
                assert_eq!(port.is_empty(), found.is_none(), "{id}: {port}");
                assert!(found.is_none_or(|link| list.contains(link)), "{id}: {port}");
            }
            let Some(chip) = a.chip else { continue };
            assert!((10..=200).contains(&chip.sms) && (1e9..3e9).contains(&chip.clock), "{id}");
            assert!([64, 128].contains(&chip.lanes) && [1024, 1536, 2048].contains(&chip.threads), "{id}");
            assert!(chip.block_shared <= chip.shared && chip.shared <= chip.near && chip.near < chip.l2, "{id}");
            assert!(["HBM", "GDDR"].contains(&chip.dram), "{id}");
            assert!(!a.ports.host.is_empty() && !chip.source.is_empty(), "{id}");
            let Latencies { near, l2, memory } = chip.latency;
            assert_eq!(chip.measured.is_empty(), near.is_none() && l2.is_none() && memory.is_none(), "{id}");
            let known: Vec<f64> = [near, l2, memory].into_iter().flatten().collect();
            assert!(known.windows(2).all(|w| w[0] < w[1]) && known.iter().all(|t| (5e-9..1e-6).contains(t)), "{id}");
        }
        assert_eq!(find("H100-80").map(|a| (a.sold.0, a.memory.0)), Some((80e9, 79.11 * crate::units::GIB)));
        let known = ["rtx-4090", "rtx-5090", "a100-80", "h100-80", "b200"];
        assert!(known.iter().all(|id| find(id).is_some_and(|a| a.seen.is_some())));
        assert_eq!(find("abacus"), None);
        assert_eq!((H100.id, H100.chip.map(|chip| chip.sms)), ("h100-80", Some(132)));
        assert_eq!(CHIPS.ids.len(), CHIPS.labels.len());
        assert!(CHIPS.ids.iter().all(|id| find(id).is_some_and(|a| a.chip.is_some())));
    }

    #[test]
    fn a_capacity_says_what_it_is_and_who_says_so() {
        let of = |id| find(id).map(Accelerator::capacity).unwrap_or_default();
        assert_eq!(
            of("h100-80"),
            "A process sees 84.9 GB of the H100 SXM 80 GB, which is 79.1 GiB (vllm-project/vllm issue 27508). It is sold as 80 GB. Its driver reports 79.6 GiB."
        );
        assert_eq!(
            of("gaudi3"),
            "The Gaudi 3 128 GB is sold as 128 GB, which is 119 GiB. Nobody in our sources says how much of it a process sees, so all of it is taken."
        );
    }

    /// 479 cycles of an H100 PCIe and 466 of an A100, by the clocks of the boards that were measured.
    #[test]
    fn memory_answers_after_as_many_nanoseconds_as_were_measured() {
        let ns = |id| find(id).and_then(|a| a.chip?.latency.memory).map(|s| (s * 1e9).round());
        assert_eq!(
            ["h100-80", "h100-pcie-80", "h800", "a100-80", "b200"].map(ns),
            [Some(273.0), Some(273.0), Some(273.0), Some(331.0), None]
        );
    }
}
