//! `occupancy`: how many blocks of a kernel an SM holds, which of its resources runs out first, and whether more would help.
//!
//! [`definition`] is NVIDIA's. Whether more warps help is Little's law: to keep a memory busy that answers after `latency` and moves
//! `bandwidth`, latency × bandwidth bytes have to be on their way. An SM has its share of the bandwidth; a warp with `loads`
//! independent loads of `bytes` bytes a thread has 32 × loads × bytes on the way.
//!
//! SMs, clocks, bandwidths and the latency of an idle memory are in the GPU's row of [`crate::hardware`].

mod capability;
pub mod definition;
mod finding;
mod room;

pub use capability::Capability;
pub use room::Room;

use crate::declare::{
    Field, Measure, Model, Origin, Origins, Param, Scale, choice, headline, measure, origin, switch, when, whole,
    within, words,
};
use crate::hardware::{self, Accelerator, Chip};
use crate::options;
use crate::quantity::{Unit, grouped};
use definition::{Launch, Limit, MAX_BLOCK, Residency, Sm, WARP, WITHOUT_OPT_IN};

/// Bytes that a thread loads at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Width {
    /// Half a word: an fp16 or bf16.
    Two,
    /// A word: a float.
    #[default]
    Four,
    /// Two words.
    Eight,
    /// Four words: a `float4`.
    Sixteen,
}

options!(Width {
    Two: "2", "2 B";
    Four: "4", "4 B";
    Eight: "8", "8 B";
    Sixteen: "16", "16 B";
});

impl Width {
    /// As a number of bytes.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
            Self::Sixteen => 16,
        }
    }
}

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// Threads of a block.
    pub block: u64,
    /// Registers of a thread.
    pub registers: u64,
    /// Shared memory that the launch asks for, bytes.
    pub dynamic: u64,
    /// Shared memory that the kernel declares, bytes.
    pub declared: u64,
    /// Whether the kernel opts in to more than 48 KiB.
    pub opt_in: bool,
    /// Barriers of a block.
    pub barriers: u64,
    /// The part of L1 and shared memory that is to be shared memory, percent.
    pub carveout: u64,
    /// Cycles of the SM until memory answers, by hand.
    pub latency: Option<u64>,
    /// Independent loads of a thread that are on their way at once.
    pub loads: u64,
    /// Bytes that a thread loads at once.
    pub width: Width,
    /// The rules.
    pub capability: Capability,
    /// Threads of the SM, by hand.
    pub threads: Option<u64>,
    /// Registers of the SM, by hand.
    pub sm_registers: Option<u64>,
    /// Shared memory of the SM, by hand, bytes.
    pub sm_shared: Option<u64>,
    /// Shared memory that a block may opt in to, by hand, bytes.
    pub block_shared: Option<u64>,
    /// Shared memory that the driver takes of each block, by hand, bytes.
    pub reserved: Option<u64>,
}

/// What an SM holds, and what that is good for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// The SM.
    pub sm: Sm,
    /// What it holds.
    pub residency: Residency,
    /// Warps of a block.
    pub block_warps: u64,
    /// Warps that are resident.
    pub warps: u64,
    /// Bytes that a warp has on the way.
    pub warp_bytes: u64,
    /// Seconds until memory answers.
    pub latency: f64,
    /// Bytes that have to be on the way in an SM for its share of the memory's bandwidth.
    pub needed_bytes: f64,
}

impl Held {
    /// Resident warps of those that the SM can hold, 0 to 1.
    pub fn occupancy(&self) -> f64 {
        self.warps as f64 / self.sm.warps().max(1) as f64
    }

    /// Warps that keep the memory busy.
    pub fn needed_warps(&self) -> u64 {
        (self.needed_bytes / self.warp_bytes.max(1) as f64).ceil() as u64
    }

    /// The part of the bandwidth that so many warps can ask for, 0 to 1.
    pub fn reach(&self, warps: f64) -> f64 {
        (warps * self.warp_bytes as f64 / self.needed_bytes).min(1.0)
    }
}

const BY_HAND: &str = "The SM, by hand";
const HIDING: &str = "Hiding the memory’s latency";
const KIBS: fn(f64) -> String = |bytes| format!("{} KiB", crate::quantity::number(bytes / 1024.0));
/// The most shared memory that any parameter may have, bytes.
const MAX_SHARED: u64 = 512 << 10;

impl Model for Params {
    type Result = Held;
    const ID: &'static str = "occupancy";
    const TITLE: &'static str = "Occupancy";
    const SUMMARY: &'static str = "The blocks of a kernel that an SM holds at once, which of its resources runs out, and whether more warps would help.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("gpu", "the GPU", hardware::CHIPS, "h100-80").label("GPU").main().at(|p| p.gpu.slot()),
        whole("block_size", "threads of a block", [1, MAX_BLOCK], "256")
            .label("Threads per block")
            .slider(Scale::Linear { min: 32.0, max: MAX_BLOCK as f64, step: 32.0 })
            .main()
            .at(|p| p.block.slot()),
        whole("regs_per_thread", "registers of a thread", [0, 256], "64")
            .label("Registers per thread")
            .slider(Scale::Linear { min: 16.0, max: 256.0, step: 8.0 })
            .main()
            .at(|p| p.registers.slot()),
        whole("dynamic_smem", "shared memory that the launch asks for, bytes", [0, MAX_SHARED], "16384")
            .label("Shared memory per block")
            .format(KIBS)
            .slider(Scale::Linear { min: 0.0, max: 232_448.0, step: 1024.0 })
            .main()
            .at(|p| p.dynamic.slot()),
        whole("static_smem", "shared memory that the kernel declares, bytes", [0, MAX_SHARED], "0")
            .label("Static shared memory, bytes")
            .each(Unit::Bytes, 1.0)
            .more("The launch")
            .at(|p| p.declared.slot()),
        switch("opt_in", "whether the kernel opts in to more than 48 KiB of shared memory", true)
            .label("Opt in to more than 48 KiB")
            .more("The launch")
            .at(|p| p.opt_in.slot()),
        whole("barriers", "barriers of a block", [0, 16], "1")
            .label("Barriers per block")
            .steps(1.0)
            .more("The launch")
            .at(|p| p.barriers.slot()),
        whole("carveout", "the part of shared memory that is not left to L1, percent", [0, 100], "100")
            .label("Shared-memory carve-out, percent")
            .each(Unit::Fraction, 0.01)
            .steps(1.0)
            .more("The launch")
            .at(|p| p.carveout.slot()),
        whole("loads", "independent loads of a thread that are on their way at once", [1, 16], "1")
            .label("Loads in flight per thread")
            .steps(1.0)
            .more(HIDING)
            .at(|p| p.loads.slot()),
        choice("load_bytes", "bytes that a thread loads at once", Width::LIST, "4")
            .label("Bytes per load")
            .more(HIDING)
            .at(|p| p.width.slot()),
        whole("latency", "cycles until memory answers; empty for what was measured on an idle GPU", [50, 4000], "")
            .label("Memory latency, cycles")
            .more(HIDING)
            .at(|p| p.latency.slot()),
        choice("cc", "the compute capability by whose rules the SM hands out what it has", Capability::LIST, "gpu")
            .label("Compute capability")
            .more(BY_HAND)
            .at(|p| p.capability.slot()),
        whole("max_threads_per_sm", "threads of an SM; empty for the GPU’s", [32, 4096], "")
            .label("Threads per SM")
            .more(BY_HAND)
            .at(|p| p.threads.slot()),
        whole("regs_per_sm", "registers of an SM; empty for the GPU’s", [1024, 1 << 20], "")
            .label("Registers per SM")
            .more(BY_HAND)
            .at(|p| p.sm_registers.slot()),
        whole("smem_per_sm", "shared memory of an SM, bytes; empty for the GPU’s", [1024, MAX_SHARED], "")
            .label("Shared memory per SM, bytes")
            .more(BY_HAND)
            .at(|p| p.sm_shared.slot()),
        whole(
            "smem_per_block_optin",
            "shared memory that a block may opt in to, bytes; empty for the GPU’s",
            [1024, MAX_SHARED],
            "",
        )
        .label("Maximum shared memory per block, bytes")
        .more(BY_HAND)
        .at(|p| p.block_shared.slot()),
        whole(
            "reserved_smem_per_block",
            "shared memory that the driver takes of each block, bytes; empty for the GPU’s",
            [0, 8192],
            "",
        )
        .label("Reserved shared memory per block, bytes")
        .more(BY_HAND)
        .at(|p| p.reserved.slot()),
    ];
    const ORIGIN: Origin = definition::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(crate::hardware::ORIGIN, &["memory-latency"]),
        origin(
            Origin::Of("Little 1961: latency × bandwidth; Volkov 2010, “Better Performance at Lower Occupancy”, GTC"),
            &["bytes-in-flight", "bytes-needed", "warps-needed", "bandwidth-reached"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Held>] = &[
        headline(
            "Resident warps over the most that an SM holds.",
            measure("occupancy", "Occupancy", Unit::Fraction, |_, h| h.occupancy()),
        ),
        words(
            &["Warp slots", "Registers", "Shared memory", "Block slots", "Barriers"],
            headline(
                "The resource that runs out first.",
                measure("limited-by", "Limited by", Unit::Count, |_, h| {
                    let first = h.residency.limits().next();
                    Limit::ALL.iter().position(|limit| Some(*limit) == first).unwrap_or(0) as f64
                }),
            ),
        ),
        headline(
            "Blocks that fit on an SM together.",
            measure("active-blocks", "Resident blocks per SM", Unit::Count, |_, h| h.residency.blocks as f64),
        ),
        within(
            |_, h| h.sm.warps() as f64,
            measure("active-warps", "Resident warps per SM", Unit::Count, |_, h| h.warps as f64),
        ),
        measure("sm-warps", "Maximum warps per SM", Unit::Count, |_, h| h.sm.warps() as f64),
        measure("limit-warps", "Blocks allowed by warp slots", Unit::Count, |_, h| allowed(h, Limit::Warps)),
        measure("limit-registers", "Blocks allowed by registers", Unit::Count, |_, h| allowed(h, Limit::Registers)),
        measure("limit-shared", "Blocks allowed by shared memory", Unit::Count, |_, h| allowed(h, Limit::Shared)),
        measure("limit-blocks", "Blocks allowed by block slots", Unit::Count, |_, h| allowed(h, Limit::Blocks)),
        measure("limit-barriers", "Blocks allowed by barriers", Unit::Count, |_, h| allowed(h, Limit::Barriers)),
        measure("limiting-factors", "Limiting resources, NVIDIA’s bit mask", Unit::Count, |_, h| {
            f64::from(h.residency.bits())
        }),
        measure("block-warps", "Warps per block", Unit::Count, |_, h| h.block_warps as f64),
        measure("block-registers", "Registers allocated per block", Unit::Count, |_, h| {
            h.residency.block_registers as f64
        }),
        measure("block-shared", "Shared memory allocated per block", Unit::Bytes, |_, h| {
            h.residency.block_shared as f64
        }),
        measure("idle-lanes", "Unused threads in a block’s last warp", Unit::Count, |p, h| {
            (h.block_warps * WARP - p.block) as f64
        }),
        when(
            |p, h| p.fewer_registers(h) > 0,
            headline(
                "With at most so many, one more block fits.",
                measure("fewer-registers", "Registers per thread for one more block", Unit::Count, |p, h| {
                    p.fewer_registers(h) as f64
                }),
            ),
        ),
        measure("best-block", "Block size with the highest occupancy", Unit::Count, |p, _| p.best_block().0 as f64),
        measure("best-occupancy", "Highest occupancy at any block size", Unit::Fraction, |p, h| {
            p.best_block().1 as f64 / h.sm.warps().max(1) as f64
        }),
        measure("memory-latency", "Memory latency", Unit::Seconds, |_, h| h.latency),
        measure("bytes-in-flight", "Bytes in flight per SM", Unit::Bytes, |_, h| (h.warps * h.warp_bytes) as f64),
        measure("bytes-needed", "Bytes in flight to hide latency", Unit::Bytes, |_, h| h.needed_bytes),
        measure("warps-needed", "Warps to hide latency", Unit::Count, |_, h| h.needed_warps() as f64),
        headline(
            "Bytes in flight over the bytes that hide the latency.",
            measure("bandwidth-reached", "Memory bandwidth the warps can sustain", Unit::Fraction, |_, h| {
                h.reach(h.warps as f64)
            }),
        ),
    ];

    fn evaluate(&self) -> Result<Held, String> {
        self.held()
    }

    fn follow(&mut self, before: &Self) {
        if self.gpu != before.gpu {
            let Self { threads, sm_registers, sm_shared, block_shared, reserved, .. } = self;
            for by_hand in [threads, sm_registers, sm_shared, block_shared, reserved] {
                *by_hand = None;
            }
            self.capability = Capability::OfGpu;
        }
    }
}

/// The latency of an idle memory: the chip's own, or an H100's where nobody has published it. Seconds.
pub fn idle_latency(chip: &Chip) -> f64 {
    chip.latency.memory.or(hardware::H100.chip.and_then(|chip| chip.latency.memory)).unwrap_or_default()
}

/// An SM of this chip.
pub fn sm_of(chip: &Chip) -> Sm {
    Sm {
        cc: chip.capability,
        threads: chip.threads,
        registers: 65_536,
        block_registers: 65_536,
        shared: chip.shared,
        block_shared: WITHOUT_OPT_IN,
        block_shared_opt_in: chip.block_shared,
        // From Ampere on the driver takes 1 KiB of each block's shared memory.
        reserved: if chip.capability.0 >= 8 { 1024 } else { 0 },
    }
}

/// Blocks that this allows; as many as the SM manages where a kernel needs none of it.
fn allowed(held: &Held, limit: Limit) -> f64 {
    let most = held.sm.max_blocks().unwrap_or_default();
    held.residency.allows(limit).unwrap_or(most) as f64
}

impl Params {
    /// The SM: the GPU's, with what was set by hand.
    pub fn sm(&self) -> Sm {
        let own = sm_of(self.gpu.chip_or_h100());
        let registers = self.sm_registers.unwrap_or(own.registers);
        Sm {
            cc: self.capability.numbers().unwrap_or(own.cc),
            threads: self.threads.unwrap_or(own.threads),
            registers,
            block_registers: registers,
            shared: self.sm_shared.unwrap_or(own.shared),
            block_shared_opt_in: self.block_shared.unwrap_or(own.block_shared_opt_in),
            reserved: self.reserved.unwrap_or(own.reserved),
            ..own
        }
    }

    /// The launch.
    pub fn launch(&self) -> Launch {
        let sm = self.sm();
        let most = if self.opt_in { sm.block_shared_opt_in.max(sm.block_shared) } else { sm.block_shared };
        Launch {
            block: self.block,
            registers: self.registers,
            static_shared: self.declared,
            dynamic_shared: self.dynamic,
            max_dynamic_shared: most.saturating_sub(self.declared),
            barriers: self.barriers,
            carveout: Some(self.carveout),
        }
    }

    /// What the SM holds.
    ///
    /// # Errors
    /// Where NVIDIA's definition has no answer: a sentence.
    pub fn held(&self) -> Result<Held, String> {
        let (sm, chip) = (self.sm(), self.gpu.chip_or_h100());
        let latency = self.latency.map_or(idle_latency(chip), |cycles| cycles as f64 / chip.clock);
        let residency = sm.holds(&self.launch())?;
        let block_warps = self.block.div_ceil(WARP);
        Ok(Held {
            sm,
            residency,
            block_warps,
            warps: residency.blocks * block_warps,
            warp_bytes: WARP * self.loads * self.width.bytes(),
            latency,
            needed_bytes: self.gpu.bandwidth / chip.sms as f64 * latency,
        })
    }

    /// The most registers of a thread with which registers allow one block more; 0 where none do.
    fn fewer_registers(&self, held: &Held) -> u64 {
        let more = held.residency.blocks + 1;
        let allows = |registers: &u64| {
            let launch = Launch { registers: *registers, ..self.launch() };
            held.sm.holds(&launch).is_ok_and(|r| r.allows(Limit::Registers).is_none_or(|blocks| blocks >= more))
        };
        (1..=255).rev().find(allows).unwrap_or_default()
    }

    /// The block size of the highest occupancy and the warps that it comes to, as `cudaOccupancyMaxPotentialBlockSize` finds it: the
    /// largest of several.
    fn best_block(&self) -> (u64, u64) {
        let mut best = (0, 0);
        for block in (WARP..=MAX_BLOCK).rev().step_by(WARP as usize) {
            let warps = Self { block, ..*self }.held().map_or(0, |held| held.warps);
            if warps > best.1 {
                best = (block, warps);
            }
        }
        best
    }

    /// Resident warps over one of the three that a kernel's author decides on: its values and the warps.
    pub fn curve(&self, over: Over) -> Vec<(f64, f64)> {
        let values: Vec<u64> = match over {
            Over::Block => (1..=32).map(|warps| warps * WARP).collect(),
            Over::Registers => (16..=255).collect(),
            Over::Shared => (0..=self.sm().block_shared_opt_in >> 10).map(|kib| kib << 10).collect(),
        };
        let at = |value: u64| {
            let params = match over {
                Over::Block => Self { block: value, ..*self },
                Over::Registers => Self { registers: value, ..*self },
                Over::Shared => Self { dynamic: value, ..*self },
            };
            (value as f64, params.held().map_or(0.0, |held| held.warps as f64))
        };
        values.into_iter().map(at).collect()
    }

    /// Where what is known of the GPU is from.
    pub fn sources(&self) -> String {
        let chip = self.gpu.chip_or_h100();
        let (major, minor) = chip.capability;
        let own = format!(
            "Rules: NVIDIA’s cuda_occupancy.h, compute capability {major}.{minor}. SMs and clock: {}. Bandwidth: {}.",
            chip.source, self.gpu.source.title
        );
        let idle = Unit::Seconds.format(idle_latency(chip));
        match (self.latency, chip.latency.memory) {
            (Some(_), _) => own,
            (None, Some(_)) => format!("{own} Latency: {idle} on an idle GPU ({}).", chip.measured),
            (None, None) => format!("{own} Latency: the H100’s {idle}, as nobody has published this GPU’s."),
        }
    }

    /// The state in a few words.
    pub fn subtitle(&self) -> String {
        let shared = KIBS((self.dynamic + self.declared) as f64);
        format!("{}: {} threads, {} registers, {shared} per block", self.gpu.name, grouped(self.block), self.registers)
    }
}

/// What a curve is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Threads of a block.
    Block,
    /// Registers of a thread.
    Registers,
    /// Shared memory of a block.
    Shared,
}
