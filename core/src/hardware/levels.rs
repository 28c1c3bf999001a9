//! `memory-hierarchy`: where a GPU's data may be, from registers to the host: how much, how fast, how far.
//!
//! Sizes and bandwidths are of the whole GPU: of all its SMs together where each has its own. Registers: 64 K of 32 bits in each SM; a
//! clock brings each FP32 lane the three operands of a fused multiply-add. Shared memory and L1: 32 banks of four bytes a clock in each
//! SM (CUDA C++ Programming Guide). L2: 5,120 bytes a clock (NVIDIA A100 white paper). HBM, NVLink and PCIe: [`super::ALL`] and
//! [`super::links`]. Latencies in cycles: Luo et al. 2024, arXiv 2402.13499, table IV (A100, H100 PCIe); Chips and Cheese 2025 (B200).
//! What nobody has published is left out.

use super::links::{self, LATENCY_SOURCE};
use super::{Accelerator, find};
use crate::declare::{Field, Measure, Model, Param, Takes, choice, measure, whole};
use crate::options;
use crate::quantity::{Unit, bytes_binary, number, unbroken};
use crate::units::{GIB, KIB, MIB};

/// A GPU whose levels are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gpu {
    /// Ampere.
    A100,
    /// Hopper.
    #[default]
    H100,
    /// Hopper, with slower links, for export.
    H800,
    /// Blackwell.
    B200,
}

options!(Gpu {
    A100: "a100", "A100";
    H100: "h100", "H100";
    H800: "h800", "H800";
    B200: "b200", "B200";
});

/// What is drawn over the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// Bytes a second.
    #[default]
    Bandwidth,
    /// Seconds until the first byte.
    Latency,
}

options!(Show {
    Bandwidth: "bandwidth", "bandwidth";
    Latency: "latency", "latency";
});

/// A level of the hierarchy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// What a person calls it.
    pub name: &'static str,
    /// Who shares it.
    pub shared_by: &'static str,
    /// Bytes of the whole GPU.
    pub size: f64,
    /// Bytes of the one unit that a thread can reach: an SM's, where each has its own.
    pub unit: f64,
    /// Bytes a second, in one direction.
    pub bandwidth: Option<f64>,
    /// Seconds until the first byte.
    pub latency: Option<f64>,
    /// Where the numbers are from.
    pub source: &'static str,
}

/// The levels of a GPU, the nearest first.
pub const LEVELS: usize = 6;

/// What is special about a GPU.
struct Facts {
    accelerator: &'static str,
    sms: f64,
    clock: f64,
    /// FP32 lanes of an SM.
    lanes: f64,
    /// L1 and shared memory of an SM, bytes.
    near: f64,
    /// L2, bytes.
    l2: f64,
    l2_bandwidth: Option<f64>,
    /// Cycles of shared memory, L2 and HBM.
    cycles: [Option<f64>; 3],
    nvlink: &'static str,
    pcie: &'static str,
    measured: &'static str,
}

const LUO: &str = "Luo et al. 2024, table IV";
const CHEESE: &str = "Chips and Cheese 2025";

impl Gpu {
    fn facts(self) -> Facts {
        let hopper = Facts {
            accelerator: "h100-80",
            sms: 132.0,
            clock: 1.98e9,
            lanes: 128.0,
            near: 256.0 * KIB,
            l2: 50.0 * MIB,
            l2_bandwidth: Some(5120.0),
            cycles: [Some(29.0), Some(263.0), Some(478.8)],
            nvlink: "nvlink4",
            pcie: "pcie5",
            measured: LUO,
        };
        match self {
            Self::A100 => Facts {
                accelerator: "a100-80",
                sms: 108.0,
                clock: 1.41e9,
                lanes: 64.0,
                near: 192.0 * KIB,
                l2: 40.0 * MIB,
                cycles: [Some(29.0), Some(261.5), Some(466.3)],
                nvlink: "nvlink3",
                pcie: "pcie4",
                ..hopper
            },
            Self::H100 => hopper,
            Self::H800 => Facts { nvlink: "nvlink4-h800", ..hopper },
            Self::B200 => Facts {
                accelerator: "b200",
                sms: 148.0,
                clock: 1.965e9,
                l2: 126.0 * MIB,
                l2_bandwidth: None,
                cycles: [Some(39.0), Some(150e-9 * 1.965e9), None],
                nvlink: "nvlink5",
                measured: CHEESE,
                ..hopper
            },
        }
    }

    /// Its levels.
    pub fn levels(self) -> [Level; LEVELS] {
        let f = self.facts();
        let hbm: &Accelerator = find(f.accelerator).unwrap_or(&super::ALL[0]);
        let link = |id: &str| links::INSIDE.iter().find(|link| link.id == id).unwrap_or(&links::INSIDE[0]);
        let (nvlink, pcie) = (link(f.nvlink), link(f.pcie));
        let seconds = |cycles: Option<f64>| cycles.map(|cycles| cycles / f.clock);
        let registers = 256.0 * KIB;
        [
            Level {
                name: "registers",
                shared_by: "a thread",
                size: registers * f.sms,
                unit: registers,
                bandwidth: Some(f.sms * f.lanes * 12.0 * f.clock),
                latency: Some(1.0 / f.clock),
                source: "three operands of 4 B for each FP32 lane and clock",
            },
            Level {
                name: "shared memory and L1",
                shared_by: "a block",
                size: f.near * f.sms,
                unit: f.near,
                bandwidth: Some(f.sms * 128.0 * f.clock),
                latency: seconds(f.cycles[0]),
                source: f.measured,
            },
            Level {
                name: "L2",
                shared_by: "all SMs",
                size: f.l2,
                unit: f.l2,
                bandwidth: f.l2_bandwidth.map(|bytes| bytes * f.clock),
                latency: seconds(f.cycles[1]),
                source: f.measured,
            },
            Level {
                name: "HBM",
                shared_by: "all SMs",
                size: hbm.memory.0,
                unit: hbm.memory.0,
                bandwidth: Some(hbm.bandwidth),
                latency: seconds(f.cycles[2]),
                source: hbm.source.title,
            },
            Level {
                name: "the HBM of seven others, over NVLink",
                shared_by: "eight GPUs on an NVSwitch",
                size: 7.0 * hbm.memory.0,
                unit: 7.0 * hbm.memory.0,
                bandwidth: Some(nvlink.bandwidth),
                latency: Some(nvlink.latency),
                source: nvlink.source.title,
            },
            Level {
                name: "the host’s memory, over PCIe",
                shared_by: "everything on the host",
                size: HOST,
                unit: HOST,
                bandwidth: Some(pcie.bandwidth),
                latency: Some(pcie.latency),
                source: pcie.source.title,
            },
        ]
    }
}

/// The host's memory: 2 TiB, that of a DGX H100 and a DGX A100 of 640 GB.
const HOST: f64 = 2048.0 * GIB;
/// Where the latency of links is from.
pub const LINKS_ARE_FROM: &str = LATENCY_SOURCE.title;

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// The GPU.
    pub gpu: Gpu,
    /// What is drawn.
    pub show: Show,
    /// Bytes of what is to be kept.
    pub bytes: u64,
}

/// The largest amount to place, a power of two: 4 TiB.
const MOST: u32 = 42;

impl Model for Params {
    type Result = [Level; LEVELS];
    const ID: &'static str = "memory-hierarchy";
    const TITLE: &'static str = "The memory hierarchy";
    const SUMMARY: &'static str = "Registers, shared memory, L2, HBM, NVLink and PCIe of four GPUs: how much, how fast and how far, and the nearest that holds your data.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("gpu", "the GPU", Gpu::LIST, "h100").takes(Takes::Gpu).label("GPU").main().at(|p| p.gpu.slot()),
        choice("show", "what is drawn over the size", Show::LIST, "bandwidth")
            .label("Over size")
            .main()
            .at(|p| p.show.slot()),
        whole("bytes", "bytes of what is to be kept", [1, 1 << MOST], "16777216")
            .label("Your data")
            .format(bytes_binary)
            .doubling(MOST)
            .main()
            .at(|p| p.bytes.slot()),
    ];
    const QUANTITIES: &'static [Measure<Self, [Level; LEVELS]>] = &[
        measure("registers", "Registers", Unit::Bytes, |_, l| l[0].size),
        measure("near", "Shared memory and L1", Unit::Bytes, |_, l| l[1].size),
        measure("near-of-sm", "Shared memory and L1 of an SM", Unit::Bytes, |_, l| l[1].unit),
        measure("l2", "L2", Unit::Bytes, |_, l| l[2].size),
        measure("hbm", "HBM", Unit::Bytes, |_, l| l[3].size),
        measure("registers-bandwidth", "Bandwidth of the registers", Unit::BytesPerSecond, |_, l| {
            or_nothing(l[0].bandwidth)
        }),
        measure("near-bandwidth", "Bandwidth of shared memory", Unit::BytesPerSecond, |_, l| {
            or_nothing(l[1].bandwidth)
        }),
        measure("l2-bandwidth", "Bandwidth of L2; 0 where it is not published", Unit::BytesPerSecond, |_, l| {
            or_nothing(l[2].bandwidth)
        }),
        measure("hbm-bandwidth", "Bandwidth of HBM", Unit::BytesPerSecond, |_, l| or_nothing(l[3].bandwidth)),
        measure("nvlink-bandwidth", "Bandwidth of NVLink, one way", Unit::BytesPerSecond, |_, l| {
            or_nothing(l[4].bandwidth)
        }),
        measure("pcie-bandwidth", "Bandwidth of PCIe, one way", Unit::BytesPerSecond, |_, l| {
            or_nothing(l[5].bandwidth)
        }),
        measure("near-latency", "Latency of shared memory", Unit::Seconds, |_, l| or_nothing(l[1].latency)),
        measure("l2-latency", "Latency of L2", Unit::Seconds, |_, l| or_nothing(l[2].latency)),
        measure("hbm-latency", "Latency of HBM; 0 where it is not published", Unit::Seconds, |_, l| {
            or_nothing(l[3].latency)
        }),
        measure(
            "read",
            "Time to read your data once from where they fit; 0 where they do not",
            Unit::Seconds,
            |p, l| p.nearest(l).and_then(|i| p.read_from(l, i)).unwrap_or(0.0),
        ),
        measure("read-hbm", "Time to read your data once from HBM", Unit::Seconds, |p, l| {
            p.read_from(l, 3).unwrap_or(0.0)
        }),
        measure("read-pcie", "Time to read your data once over PCIe", Unit::Seconds, |p, l| {
            p.read_from(l, 5).unwrap_or(0.0)
        }),
    ];

    fn evaluate(&self) -> Result<[Level; LEVELS], String> {
        Ok(self.gpu.levels())
    }
}

fn or_nothing(value: Option<f64>) -> f64 {
    value.unwrap_or(0.0)
}

impl Params {
    /// The nearest level that holds the data, by its number.
    pub fn nearest(&self, levels: &[Level; LEVELS]) -> Option<usize> {
        levels.iter().position(|level| self.bytes as f64 <= level.size)
    }

    /// Seconds to read the data once from a level.
    fn read_from(&self, levels: &[Level; LEVELS], level: usize) -> Option<f64> {
        let level = levels.get(level)?;
        Some(self.bytes as f64 / level.bandwidth?)
    }

    /// What is drawn of a level: its size and its bandwidth, or its latency.
    pub fn point(&self, level: &Level) -> Option<(f64, f64)> {
        let value = match self.show {
            Show::Bandwidth => level.bandwidth,
            Show::Latency => level.latency,
        };
        value.map(|value| (level.size, value))
    }

    /// Where the data fit, and what reading them costs there and one level further.
    pub fn finding(&self) -> String {
        let levels = self.gpu.levels();
        let data = bytes_binary(self.bytes as f64);
        let Some(nearest) = self.nearest(&levels) else {
            return format!("{data} fit nowhere in this machine: they have to be split over nodes, or stay on disk.");
        };
        let time = |i: usize| self.read_from(&levels, i).map(|s| unbroken(&Unit::Seconds.format(s)));
        let level = |i: usize| levels.get(i).map_or("", |level| level.name);
        let of_all = if nearest < 2 { " of all SMs together" } else { "" };
        let read = match time(nearest) {
            Some(time) => format!("where reading them once takes {time}"),
            None => "whose bandwidth is not published".to_owned(),
        };
        let further = match (nearest, time(3), time(5)) {
            (0..=2, Some(hbm), _) => format!(" From HBM it takes {hbm}."),
            (3, _, Some(pcie)) => format!(" Over PCIe it would take {pcie}."),
            _ => String::new(),
        };
        let ratio = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| number(a / b));
        let [registers, near, _, hbm, nvlink, pcie] = &levels;
        let steps = match self.show {
            Show::Bandwidth => format!(
                " The {}’s registers are {} times as fast as its HBM, shared memory {} times; NVLink has 1/{} of HBM’s bandwidth and PCIe 1/{}.",
                self.gpu.label(),
                ratio(registers.bandwidth, hbm.bandwidth).unwrap_or_default(),
                ratio(near.bandwidth, hbm.bandwidth).unwrap_or_default(),
                ratio(hbm.bandwidth, nvlink.bandwidth).unwrap_or_default(),
                ratio(hbm.bandwidth, pcie.bandwidth).unwrap_or_default(),
            ),
            Show::Latency => match ratio(hbm.latency, near.latency) {
                Some(times) => format!(
                    " HBM answers after {times} times as long as shared memory, and nothing a thread does makes that shorter: other warps fill the time."
                ),
                None => " Nobody has published how long its HBM takes to answer.".to_owned(),
            },
        };
        format!("{data} fit in {}{of_all}, {read}.{further}{steps}", level(nearest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NVIDIA's A100 white paper: 40 MB of L2, 27 MB of registers, 192 KB of L1 in each of 108 SMs; L2 at 5,120 B a clock is 7.2 TB/s.
    #[test]
    fn the_levels_of_an_a100_are_those_of_its_white_paper() {
        let [registers, near, l2, ..] = Gpu::A100.levels();
        assert_eq!((registers.size / MIB, near.unit / KIB, l2.size / MIB), (27.0, 192.0, 40.0));
        assert!((l2.bandwidth.unwrap_or(0.0) / 7.2e12 - 1.0).abs() < 0.01);
        assert!((near.bandwidth.unwrap_or(0.0) / 19.5e12 - 1.0).abs() < 0.01);
    }

    #[test]
    fn each_level_is_slower_than_the_one_before() {
        for gpu in Gpu::ALL {
            let levels = gpu.levels();
            for of in [|l: &Level| l.bandwidth, |l: &Level| l.latency.map(|s| 1.0 / s)] {
                let known: Vec<f64> = levels.iter().filter_map(of).collect();
                assert!(known.windows(2).all(|w| w[0] > w[1]), "{gpu:?}: {known:?}");
            }
        }
    }

    #[test]
    fn data_are_placed_where_they_fit() {
        let at = |bytes: u64| Params { bytes, ..Params::standard() };
        let place = |bytes: u64| at(bytes).nearest(&Gpu::H100.levels());
        assert_eq!(
            [place(1 << 20), place(40 << 20), place(1 << 30), place(1 << 38), place(1 << 42)],
            [Some(0), Some(2), Some(3), Some(4), None]
        );
        assert!(
            at(1 << 30).finding().starts_with("1 GiB fit in HBM, where reading them once takes"),
            "{}",
            at(1 << 30).finding()
        );
    }
}
