//! `memory-hierarchy`: where a GPU's data may be, from registers to the host: how much, how fast, how far.
//!
//! Sizes and bandwidths are of the whole GPU: of all its SMs together where each has its own. Registers: 64 K of 32 bits in each SM; a
//! clock brings each FP32 lane the three operands of a fused multiply-add. Shared memory and L1: 32 banks of four bytes a clock in each
//! SM (CUDA C++ Programming Guide). Everything else is in the GPU's row of [`super::ALL`] and in [`super::links`]. What nobody has
//! published is left out.

use super::links;
use super::{Accelerator, CHIPS};
use crate::declare::{Field, Measure, Model, Origin, Origins, Param, choice, headline, measure, origin, when, whole};
use crate::options;
use crate::quantity::{Unit, bytes_binary, number, unbroken};
use crate::units::{GIB, KIB};

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

/// Bytes of the registers of an SM.
const REGISTERS: f64 = 256.0 * KIB;

/// The levels of a GPU. One that it does not have holds nothing.
pub fn of(gpu: &Accelerator) -> [Level; LEVELS] {
    let chip = gpu.chip_or_h100();
    let (sms, near) = (chip.sms as f64, chip.near as f64);
    let peers = links::of(gpu).0.filter(|link| link.id != gpu.ports.host);
    let link = |name, shared_by, size: f64, link: Option<&'static links::Link>| Level {
        name,
        shared_by,
        size: if link.is_some() { size } else { 0.0 },
        unit: if link.is_some() { size } else { 0.0 },
        bandwidth: link.map(|link| link.bandwidth),
        latency: link.map(|link| link.latency),
        source: link.map_or("", |link| link.source.title),
    };
    let measured = if chip.measured.is_empty() { chip.source } else { chip.measured };
    [
        Level {
            name: "registers",
            shared_by: "a thread",
            size: REGISTERS * sms,
            unit: REGISTERS,
            bandwidth: Some(sms * chip.lanes as f64 * 12.0 * chip.clock),
            latency: Some(1.0 / chip.clock),
            source: "three operands of 4 B for each FP32 lane and clock",
        },
        Level {
            name: "shared memory and L1",
            shared_by: "a block",
            size: near * sms,
            unit: near,
            bandwidth: Some(sms * 128.0 * chip.clock),
            latency: chip.latency.near,
            source: measured,
        },
        Level {
            name: "L2",
            shared_by: "all SMs",
            size: chip.l2 as f64,
            unit: chip.l2 as f64,
            bandwidth: chip.l2_bandwidth,
            latency: chip.latency.l2,
            source: measured,
        },
        Level {
            name: chip.dram,
            shared_by: "all SMs",
            size: gpu.memory.0,
            unit: gpu.memory.0,
            bandwidth: Some(gpu.bandwidth),
            latency: chip.latency.memory,
            source: gpu.source.title,
        },
        link("the HBM of seven others, over NVLink", "eight GPUs on an NVSwitch", 7.0 * gpu.memory.0, peers),
        link("the host’s memory, over PCIe", "everything on the host", HOST, links::find(gpu.ports.host)),
    ]
}

/// The host's memory: 2 TiB, that of a DGX H100 and a DGX A100 of 640 GB.
const HOST: f64 = 2048.0 * GIB;
/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// The GPU.
    pub gpu: &'static Accelerator,
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
    const SUMMARY: &'static str = "Registers, shared memory, L2, HBM, NVLink and PCIe of a GPU: how much, how fast and how far, and the nearest that holds your data.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("gpu", "the GPU", CHIPS, "h100-80").label("GPU").main().at(|p| p.gpu.slot()),
        choice("show", "what is drawn over the size", Show::LIST, "bandwidth")
            .label("Chart")
            .main()
            .at(|p| p.show.slot()),
        whole("bytes", "bytes of what is to be kept", [1, 1 << MOST], "16777216")
            .label("Your data")
            .unit(Unit::Bytes)
            .format(bytes_binary)
            .doubling(MOST)
            .main()
            .at(|p| p.bytes.slot()),
    ];
    const ORIGIN: Origin = super::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "CUDA C++ Programming Guide, “Compute Capabilities”: registers and their operands, times the SMs and the clock of the data sheet",
            ),
            &["registers", "registers-bandwidth"],
        ),
        origin(
            Origin::Of(
                "CUDA C++ Programming Guide, “Shared Memory”: 32 banks of 4 bytes per clock, times the SMs and the clock of the data sheet",
            ),
            &["near-bandwidth"],
        ),
        origin(super::links::ORIGIN, &["nvlink-bandwidth", "pcie-bandwidth"]),
        origin(Origin::Rows, &["read", "read-hbm", "read-pcie"]),
    ];
    const QUANTITIES: &'static [Measure<Self, [Level; LEVELS]>] = &[
        measure("registers", "Register file, all SMs", Unit::Bytes, |_, l| l[0].size),
        measure("near", "Shared memory and L1, all SMs", Unit::Bytes, |_, l| l[1].size),
        measure("near-of-sm", "Shared memory and L1 per SM", Unit::Bytes, |_, l| l[1].unit),
        measure("l2", "L2 cache", Unit::Bytes, |_, l| l[2].size),
        measure("hbm", "HBM capacity", Unit::Bytes, |_, l| l[3].size),
        when(
            |_, l| l[0].bandwidth.is_some(),
            measure("registers-bandwidth", "Register bandwidth", Unit::BytesPerSecond, |_, l| {
                or_nothing(l[0].bandwidth)
            }),
        ),
        when(
            |_, l| l[1].bandwidth.is_some(),
            measure("near-bandwidth", "Shared-memory bandwidth", Unit::BytesPerSecond, |_, l| {
                or_nothing(l[1].bandwidth)
            }),
        ),
        when(
            |_, l| l[2].bandwidth.is_some(),
            measure("l2-bandwidth", "L2 bandwidth", Unit::BytesPerSecond, |_, l| or_nothing(l[2].bandwidth)),
        ),
        headline(
            "What all SMs together read from the GPU’s memory.",
            measure("hbm-bandwidth", "HBM bandwidth", Unit::BytesPerSecond, |_, l| or_nothing(l[3].bandwidth)),
        ),
        when(
            |_, l| l[4].bandwidth.is_some(),
            measure("nvlink-bandwidth", "NVLink bandwidth, one way", Unit::BytesPerSecond, |_, l| {
                or_nothing(l[4].bandwidth)
            }),
        ),
        measure("pcie-bandwidth", "PCIe bandwidth, one way", Unit::BytesPerSecond, |_, l| or_nothing(l[5].bandwidth)),
        when(
            |_, l| l[1].latency.is_some(),
            measure("near-latency", "Shared-memory latency", Unit::Seconds, |_, l| or_nothing(l[1].latency)),
        ),
        when(
            |_, l| l[2].latency.is_some(),
            measure("l2-latency", "L2 latency", Unit::Seconds, |_, l| or_nothing(l[2].latency)),
        ),
        when(
            |_, l| l[3].latency.is_some(),
            headline(
                "From a load that misses every cache to its data.",
                measure("hbm-latency", "HBM latency", Unit::Seconds, |_, l| or_nothing(l[3].latency)),
            ),
        ),
        when(
            |p, l| p.shared(l).and_then(|i| p.read_from(l, i)).is_some(),
            headline(
                "From the nearest level that all SMs share and that holds the data.",
                measure("read", "Time to read your data once, nearest shared level", Unit::Seconds, |p, l| {
                    p.shared(l).and_then(|i| p.read_from(l, i)).unwrap_or(0.0)
                }),
            ),
        ),
        when(
            |p, l| p.read_from(l, 3).is_some(),
            headline(
                "If no cache helps.",
                measure("read-hbm", "Time to read your data once from HBM", Unit::Seconds, |p, l| {
                    p.read_from(l, 3).unwrap_or(0.0)
                }),
            ),
        ),
        when(
            |p, l| p.read_from(l, 5).is_some(),
            headline(
                "From the host’s memory.",
                measure("read-pcie", "Time to read your data once over PCIe", Unit::Seconds, |p, l| {
                    p.read_from(l, 5).unwrap_or(0.0)
                }),
            ),
        ),
    ];

    fn evaluate(&self) -> Result<[Level; LEVELS], String> {
        Ok(of(self.gpu))
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

    /// The nearest level that holds the data for every SM to read.
    fn shared(&self, levels: &[Level; LEVELS]) -> Option<usize> {
        self.nearest(levels).and_then(|_| (2..LEVELS).find(|&i| self.bytes as f64 <= levels[i].size))
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
        let levels = of(self.gpu);
        let data = bytes_binary(self.bytes as f64);
        let (Some(nearest), Some(shared)) = (self.nearest(&levels), self.shared(&levels)) else {
            return format!(
                "{data} fit nowhere in this machine: split them over several nodes, or leave them on disk."
            );
        };
        let time = |i: usize| self.read_from(&levels, i).map(|s| unbroken(&Unit::Seconds.format(s)));
        let level = |i: usize| levels.get(i).map_or("", |level| level.name);
        let fit = match levels.get(nearest) {
            Some(own) if nearest < 2 => format!(
                "{data} fit in the {} of all SMs only in pieces of at most {}, which no other SM can read. The nearest level that holds them for every SM is {}",
                own.name,
                bytes_binary(own.unit),
                level(shared)
            ),
            _ => format!("{data} fit in {}", level(nearest)),
        };
        let read = match time(shared) {
            Some(time) => format!(", where reading them once takes {time}"),
            None => ", whose bandwidth the vendor doesn’t publish".to_owned(),
        };
        let further = match (shared, time(3), time(5)) {
            (2, Some(time), _) => format!(" From {} it takes {time}.", level(3)),
            (3, _, Some(pcie)) => format!(" Over PCIe it would take {pcie}."),
            _ => String::new(),
        };
        format!("{fit}{read}.{further}{}", self.steps(&levels))
    }

    /// How much slower, or how much farther away, each level is than others.
    fn steps(&self, levels: &[Level; LEVELS]) -> String {
        let ratio = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| number(a / b));
        let [registers, near, _, memory, nvlink, pcie] = levels;
        if self.show == Show::Latency {
            return match ratio(memory.latency, near.latency) {
                Some(times) => format!(
                    " {} takes {times} times as long to answer as shared memory. Nothing a thread does makes that shorter, so other warps have to fill the time.",
                    memory.name
                ),
                None => format!(" Nobody has published how long its {} takes to answer.", memory.name),
            };
        }
        let faster = |of: &Level| ratio(of.bandwidth, memory.bandwidth).unwrap_or_default();
        let links = [("NVLink", nvlink), ("PCIe", pcie)].map(|(name, link)| {
            let times = ratio(memory.bandwidth, link.bandwidth)?;
            Some(format!("{name} has 1/{times} of {}’s bandwidth", memory.name))
        });
        let links: Vec<String> = links.into_iter().flatten().collect();
        format!(
            " The registers of the {} are {} times as fast as its {}, and shared memory is {} times; {}.",
            self.gpu.name,
            faster(registers),
            memory.name,
            faster(near),
            links.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::MIB;

    fn gpu(id: &str) -> &'static Accelerator {
        super::super::find(id).unwrap_or_else(|| panic!("{id}"))
    }

    /// NVIDIA's A100 white paper: 40 MB of L2, 27 MB of registers, 192 KB of L1 in each of 108 SMs; L2 at 5,120 B a clock is 7.2 TB/s.
    #[test]
    fn the_levels_of_an_a100_are_those_of_its_white_paper() {
        let [registers, near, l2, ..] = of(gpu("a100-80"));
        assert_eq!((registers.size / MIB, near.unit / KIB, l2.size / MIB), (27.0, 192.0, 40.0));
        assert!((l2.bandwidth.unwrap_or(0.0) / 7.2e12 - 1.0).abs() < 0.01);
        assert!((near.bandwidth.unwrap_or(0.0) / 19.5e12 - 1.0).abs() < 0.01);
    }

    #[test]
    fn each_level_is_slower_than_the_one_before() {
        for id in CHIPS.ids {
            let levels = of(gpu(id));
            for of in [|l: &Level| l.bandwidth, |l: &Level| l.latency.map(|s| 1.0 / s)] {
                let known: Vec<f64> = levels.iter().filter_map(of).collect();
                assert!(known.windows(2).all(|w| w[0] > w[1]), "{id}: {known:?}");
            }
        }
    }

    /// Links that were made when this figure had names of its own for GPUs.
    #[test]
    fn names_of_before_are_still_read() {
        for (before, now) in [("h100", "h100-80"), ("a100", "a100-80"), ("h800", "h800"), ("b200", "b200")] {
            let (params, problems) = Params::read(&crate::query::Query::parse(&format!("gpu={before}")));
            assert_eq!((params.gpu.id, problems), (now, Vec::new()));
        }
    }

    #[test]
    fn data_are_placed_where_they_fit() {
        let at = |bytes: u64| Params { bytes, ..Params::standard() };
        let place = |bytes: u64| at(bytes).nearest(&of(gpu("h100-80")));
        assert_eq!(
            [place(1 << 20), place(40 << 20), place(1 << 30), place(1 << 38), place(1 << 42)],
            [Some(0), Some(2), Some(3), Some(4), None]
        );
        let starts = |bytes: u64, begin: &str| {
            let finding = at(bytes).finding();
            assert!(finding.starts_with(begin), "{finding}");
        };
        starts(1 << 30, "1 GiB fit in HBM, where reading them once takes");
        // No SM reads another's registers, so what fits there in pieces is read from L2, of which no bandwidth is known.
        starts(16 << 20, "16 MiB fit in the registers of all SMs only in pieces of at most 256 KiB");
        assert!(
            at(16 << 20).finding().contains("is L2, whose bandwidth the vendor doesn’t publish. From HBM it takes")
        );
        let card = Params { gpu: gpu("rtx-4090"), bytes: 1 << 36, ..Params::standard() };
        assert!(card.finding().starts_with("64 GiB fit in the host’s memory, over PCIe"), "{}", card.finding());
    }
}
