//! `kv-tiers`: where a prefix's cache may lie, and whether it is faster to fetch it from there or to compute it again.
//!
//! A prefix is found in whole blocks of tokens. Fetching `n` of them into a GPU takes
//!
//! copies · c + bytes / (ρ · link),
//!
//! where a copy is one contiguous piece. While each layer keeps its keys and its values in tensors of their own (vLLM up to 0.11), a block is
//! 2 × layers pieces; from 0.12 to 0.28 a block of all layers was one piece (vLLM, "Inside vLLM's New KV Offloading Connector", 8 January 2026, its table of
//! block sizes). The cost of a copy and the part of PCIe that is reached are measured there too (Figure 4, an H100's copy engine). From a disk the
//! slower of the disk and the way from the host counts, because one piece is read while another is copied. Over a network each GPU has a port of its own.
//! Nothing is charged for waiting behind other copies.
//!
//! Computing it again takes what a pass over the whole prompt takes longer than one that finds the prefix in the cache ([`Engine::step`]).

mod finding;
#[cfg(test)]
mod tests;

use super::machine::{self, Machine, Serves};
use super::step::{Chunk, Engine, Reach};
use crate::declare::{
    Applies, Field as _, List, Measure, Model, Origin, Origins, Param, Scale, applies, choice, headline, join, measure,
    origin, real, when, whole, words, written,
};
use crate::hardware::links::{self, Link};
use crate::kv_cache::{Cache, Keeping, Keeps};
use crate::model::{ModelRef, reference};
use crate::options;
use crate::quantity::{Unit, bytes_binary, dollars};
use crate::query::{Query, Reader};
use crate::units::{GB, TB};

/// Seconds that a copy takes beside moving its bytes: `cudaMemcpyAsync` between host and H100 (vLLM's Figure 4: 3.1 to 3.7 µs for pieces of 4 KiB
/// to 16 MiB).
pub const COPY: f64 = 3.3e-6;
/// The part of a port that large copies reach: 51.2 of PCIe 5's 63 GB/s (the same figure).
pub const REACHED: f64 = 0.82;
/// Seconds until the first byte of a disk: a read of an NVMe drive.
const DISK_LATENCY: f64 = 100e-6;
/// Most tokens of a prefix.
pub const MOST: u64 = 1 << 20;
/// Seconds of a month of 30 days.
const MONTH: f64 = 30.0 * 86_400.0;
/// Hits that the prices are for.
const HITS: f64 = 1000.0;

/// The model where none is given.
const MODEL: &str = "llama-3-8b";

/// Tokens of a block.
pub(super) const BLOCKS: List = List { ids: &["16", "32", "64", "128", "256"], labels: &[] };

/// Where the cache lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tier {
    /// In the GPU's own memory.
    Hbm,
    /// In the host's memory.
    #[default]
    Host,
    /// On a local disk.
    Disk,
    /// In the memory of another machine.
    Peer,
}

options!(Tier {
    Hbm: "hbm", "HBM";
    Host: "host", "host memory";
    Disk: "disk", "local disk";
    Peer: "peer", "a peer";
});

/// What of the cache is one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// The keys, or the values, of a block in one layer.
    Layers,
    /// A block in all layers.
    #[default]
    Block,
}

options!(Layout {
    Layers: "layers", "one piece per layer";
    Block: "block", "one piece for all layers";
});

/// The state of the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// The machine.
    pub machine: Machine,
    /// Where the cache lies.
    pub tier: Tier,
    /// What of it is one piece.
    pub layout: Layout,
    /// Tokens of the prefix.
    pub tokens: u64,
    /// Tokens of the prompt after it.
    pub after: u64,
    /// Tokens of a block.
    pub block: u64,
    /// Seconds that a copy takes beside its bytes.
    pub copy: f64,
    /// The link to the host.
    pub link: &'static Link,
    /// Bytes a second of the disk that a GPU has for itself, in GB.
    pub disk: f64,
    /// The link to the peer.
    pub net: &'static Link,
    /// Bytes of host memory for caches, for each GPU, in GB.
    pub host_size: f64,
    /// Bytes of disk for caches, for each GPU, in TB.
    pub disk_size: f64,
    /// Seconds between two uses of the prefix.
    pub between: f64,
    /// US dollars for an hour of a GPU.
    pub price: f64,
    /// US dollars for a GB of the host's memory for a month.
    pub host_price: f64,
    /// The same of the disk.
    pub disk_price: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            machine: Machine::default(),
            tier: Tier::default(),
            layout: Layout::default(),
            tokens: 0,
            after: 0,
            block: 0,
            copy: 0.0,
            link: &links::INSIDE[0],
            disk: 0.0,
            net: &links::BETWEEN[0],
            host_size: 0.0,
            disk_size: 0.0,
            between: 0.0,
            price: 0.0,
            host_price: 0.0,
            disk_price: 0.0,
        }
    }
}

impl Serves for Params {
    fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }
}

/// A prefix that is found, on one of the GPUs that share each layer.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// Tokens that are found: whole blocks.
    pub found: u64,
    /// Bytes of their cache.
    pub bytes: f64,
    /// Copies that it takes.
    pub copies: f64,
    /// Seconds to fetch it, from each tier in the order of [`Tier::ALL`].
    pub fetch: [f64; Tier::ALL.len()],
    /// Seconds that computing it again takes longer than having it.
    pub recompute: f64,
    /// Seconds of the pass over the rest of the prompt.
    pub rest: f64,
}

impl Point {
    /// Seconds to fetch it from a tier.
    pub fn from(&self, tier: Tier) -> f64 {
        self.fetch[tier as usize]
    }

    /// Whether fetching from a tier takes no longer than computing again.
    pub fn fetches(&self, tier: Tier) -> bool {
        self.from(tier) <= self.recompute
    }
}

/// What comes of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The prefix that is set.
    pub here: Point,
    /// The same in the other layout.
    pub other: Point,
    /// The least tokens from which on fetching is faster, for each tier; none where it never is.
    pub breaks_even: [Option<u64>; Tier::ALL.len()],
    /// Tokens whose cache fits into each tier, of all GPUs of a replica together.
    pub capacity: [f64; Tier::ALL.len()],
    /// Bytes that a token leaves on one GPU.
    pub per_token: f64,
    /// US dollars a second for keeping the prefix in each tier.
    pub keeping: [f64; Tier::ALL.len()],
    /// US dollars for computing it again.
    pub computing: f64,
}

impl Outcome {
    /// Seconds between uses at which keeping costs as much as computing again; none where keeping costs nothing.
    pub fn worth_keeping(&self, tier: Tier) -> Option<f64> {
        let each = self.keeping[tier as usize];
        (each > 0.0).then(|| self.computing / each)
    }
}

/// What [`Machine::params`] has without groups: one prompt is computed by one group.
const MACHINE: [Param<Params>; Machine::PARAMS - 1] = {
    let [gpu, quant, kv_bits, reach, _, activations, share] = Machine::params::<Params>();
    [gpu, quant, kv_bits, reach, activations, share]
};

/// A quotient; 0 by nothing, in states in which it is not shown.
fn ratio(above: f64, below: f64) -> f64 {
    if below > 0.0 { above / below } else { 0.0 }
}

const PLACES: &str = "Tiers";
const MONEY: &str = "Money";

impl Model for Params {
    type Result = Outcome;
    const ID: &'static str = "kv-tiers";
    const TITLE: &'static str = "Fetch or recompute";
    const SUMMARY: &'static str = "Whether a cached prefix is fetched from host memory, a disk or a peer faster than it is computed again, by model, \
                                   layout and link, and from which length on.";
    const PARAMS: &'static [Param<Self>] = &join::<Self, { 17 + Machine::PARAMS - 1 + reference::OWN }>(&[
        &[
            reference::MODEL.default(MODEL).own_control(),
            choice("tier", "where the prefix’s cache lies", Tier::LIST, "host")
                .label("Cache lies in")
                .main()
                .at(|p: &mut Params| p.tier.slot()),
            choice("layout", "what of the cache is one contiguous piece", Layout::LIST, "block")
                .label("Layout")
                .main()
                .at(|p| p.layout.slot()),
            whole("tokens", "tokens of the prefix", [256, MOST], "8192")
                .label("Prefix tokens")
                .doubling(20)
                .main()
                .at(|p| p.tokens.slot()),
            machine::tp::<Self>(),
            whole("after", "tokens of the prompt after the prefix", [1, 1 << 17], "256")
                .label("Prompt tokens after the prefix")
                .doubling(17)
                .more("Prompt and blocks")
                .at(|p| p.after.slot()),
            choice("block", "tokens per block", BLOCKS, "16")
                .label("Tokens per block")
                .more("Prompt and blocks")
                .at(|p| p.block.slot()),
            real("copy", "seconds that each copy takes beside moving its bytes", [0.0, 100e-6], "0.0000033")
                .label("Fixed cost per copy")
                .unit(Unit::Seconds)
                .slider(Scale::Linear { min: 0.0, max: 20e-6, step: 0.1e-6 })
                .more("Prompt and blocks")
                .at(|p| p.copy.slot()),
            choice("link", "link between GPU and host", links::INSIDE_LIST, "pcie5")
                .label("Link to the host")
                .more(PLACES)
                .at(|p| p.link.slot()),
            real("disk", "GB per second that a GPU reads from its disk", [0.1, 1000.0], "7")
                .label("Disk reads, GB/s per GPU")
                .slider(Scale::Linear { min: 1.0, max: 60.0, step: 1.0 })
                .more(PLACES)
                .at(|p| p.disk.slot()),
            choice("net", "link to the peer, a port per GPU", links::BETWEEN_LIST, "ndr")
                .label("Link to the peer")
                .more(PLACES)
                .at(|p| p.net.slot()),
            real("host-size", "GB of host memory for caches, per GPU", [1.0, 100_000.0], "200")
                .label("Host memory for caches, GB per GPU")
                .slider(Scale::Linear { min: 10.0, max: 1000.0, step: 10.0 })
                .more(PLACES)
                .at(|p| p.host_size.slot()),
            real("disk-size", "TB of disk for caches, per GPU", [0.01, 10_000.0], "3.84")
                .label("Disk for caches, TB per GPU")
                .slider(Scale::Linear { min: 0.5, max: 30.0, step: 0.5 })
                .more(PLACES)
                .at(|p| p.disk_size.slot()),
            real("between", "seconds between two uses of the prefix", [0.1, 1e7], "600")
                .label("Time between uses")
                .unit(Unit::Seconds)
                .slider(Scale::Decades(0, 6))
                .more(MONEY)
                .at(|p| p.between.slot()),
            real("price", "US dollars per GPU-hour", [0.0, 1000.0], "2.5")
                .label("US$ per GPU-hour")
                .slider(Scale::Linear { min: 0.0, max: 12.0, step: 0.1 })
                .more(MONEY)
                .at(|p| p.price.slot()),
            real("host-price", "US dollars per GB of host memory and month; assumed", [0.0, 1000.0], "3")
                .label("US$ per GB of host memory and month")
                .slider(Scale::Linear { min: 0.0, max: 10.0, step: 0.1 })
                .more(MONEY)
                .at(|p| p.host_price.slot()),
            real("disk-price", "US dollars per GB of disk and month; assumed", [0.0, 1000.0], "0.08")
                .label("US$ per GB of disk and month")
                .slider(Scale::Linear { min: 0.0, max: 1.0, step: 0.01 })
                .more(MONEY)
                .at(|p| p.disk_price.slot()),
        ],
        &MACHINE,
        &reference::own(),
    ]);
    const APPLIES: &'static [Applies<Self>] = &[applies(&["layout", "copy"], |p: &Self| p.tier != Tier::Hbm)];
    const ORIGIN: Origin = Origin::Own(
        "copies × cost per copy + bytes over achieved bandwidth; copy cost and bandwidth measured by vLLM, “Inside vLLM’s New KV Offloading Connector”, 8 January 2026, Figure 4",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(crate::serving::step::ORIGIN, &["recompute", "first-computed"]),
        origin(crate::kv_cache::ORIGIN, &["bytes", "bytes-per-token"]),
        origin(Origin::Controls, &["layers"]),
        origin(
            Origin::Of("vLLM, “Inside vLLM’s New KV Offloading Connector”, 8 January 2026, table of block sizes"),
            &["copies", "copy-bytes"],
        ),
        origin(
            Origin::Rows,
            &["faster", "speedup", "first-fetched", "hit-cost", "recompute-cost", "worth-keeping", "needed-bandwidth"],
        ),
        origin(Origin::Of("vLLM, vllm/v1/core/kv_cache_utils.py: whole blocks only"), &["found"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Outcome>] = &[
        headline(
            "From the tier into the GPU’s memory, while nothing else is copied.",
            measure("fetch", "Time to fetch", Unit::Seconds, |p, o| o.here.from(p.tier)),
        ),
        headline(
            "How much longer a pass over the whole prompt takes than one that has the prefix.",
            measure("recompute", "Time to recompute", Unit::Seconds, |_, o| o.here.recompute),
        ),
        when(
            |p, o| o.breaks_even[p.tier as usize].is_some(),
            headline(
                "The shortest prefix that is fetched at least as fast as it is computed.",
                measure("break-even", "Break-even prefix, tokens", Unit::Count, |p, o| {
                    o.breaks_even[p.tier as usize].unwrap_or(0) as f64
                }),
            ),
        ),
        headline(
            "Tokens whose cache fits into the tier, per replica.",
            measure("capacity", "Capacity in tokens", Unit::Count, |p, o| o.capacity[p.tier as usize]),
        ),
        headline(
            "What the tier costs from one use to the next.",
            written(
                dollars,
                measure("hit-cost", "Cost per 1,000 hits", Unit::Ratio, |p, o| {
                    HITS * o.keeping[p.tier as usize] * p.between
                }),
            ),
        ),
        written(
            dollars,
            measure("recompute-cost", "Cost to recompute 1,000 times", Unit::Ratio, |_, o| HITS * o.computing),
        ),
        when(
            |p, o| o.worth_keeping(p.tier).is_some(),
            measure("worth-keeping", "Longest time between uses that pays", Unit::Seconds, |p, o| {
                o.worth_keeping(p.tier).unwrap_or(0.0)
            }),
        ),
        words(
            &["Recompute", "Fetch"],
            measure("faster", "Faster", Unit::Count, |p, o| f64::from(u8::from(o.here.fetches(p.tier)))),
        ),
        when(
            |p, _| p.tier != Tier::Hbm,
            measure("speedup", "Speedup of fetching", Unit::Ratio, |p, o| ratio(o.here.recompute, o.here.from(p.tier))),
        ),
        measure("found", "Tokens found", Unit::Count, |_, o| o.here.found as f64),
        measure("bytes", "Cache of the prefix per GPU", Unit::Bytes, |_, o| o.here.bytes),
        measure("bytes-per-token", "Cache per token and GPU", Unit::Bytes, |_, o| o.per_token),
        when(|p, _| p.tier != Tier::Hbm, measure("copies", "Copies per GPU", Unit::Count, |_, o| o.here.copies)),
        when(
            |p, _| p.tier != Tier::Hbm,
            written(
                bytes_binary,
                measure("copy-bytes", "Bytes per copy", Unit::Bytes, |_, o| o.here.bytes / o.here.copies),
            ),
        ),
        when(
            |p, _| p.tier != Tier::Hbm,
            measure("bandwidth", "Achieved bandwidth per GPU", Unit::BytesPerSecond, |p, o| {
                ratio(o.here.bytes, o.here.from(p.tier))
            }),
        ),
        when(
            |p, _| p.tier != Tier::Hbm,
            measure("full-bandwidth", "Bandwidth of large copies", Unit::BytesPerSecond, |p, _| p.bandwidth(p.tier)),
        ),
        when(
            |_, o| o.here.recompute > 0.0,
            measure("needed-bandwidth", "Bandwidth at which both are equal", Unit::BytesPerSecond, |_, o| {
                ratio(o.here.bytes, o.here.recompute)
            }),
        ),
        measure("first-fetched", "Time to first token, fetched", Unit::Seconds, |p, o| {
            o.here.from(p.tier) + o.here.rest
        }),
        measure("first-computed", "Time to first token, recomputed", Unit::Seconds, |_, o| {
            o.here.recompute + o.here.rest
        }),
        measure("fetch-host", "Time to fetch from host memory", Unit::Seconds, |_, o| o.here.from(Tier::Host)),
        measure("fetch-disk", "Time to fetch from the disk", Unit::Seconds, |_, o| o.here.from(Tier::Disk)),
        measure("fetch-peer", "Time to fetch from a peer", Unit::Seconds, |_, o| o.here.from(Tier::Peer)),
        measure("layers", "Layers", Unit::Count, |p, _| p.cache().count() as f64),
    ];

    fn evaluate(&self) -> Result<Outcome, String> {
        self.outcome()
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.machine.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.machine.model.query()
    }
}

impl Params {
    fn cache(&self) -> Cache {
        self.machine.model.shape().map_or(Cache::same(0, Keeps::State { values: 0 }), Cache::of)
    }

    fn reached(&self) -> f64 {
        if self.machine.reach == Reach::Peak { 1.0 } else { REACHED }
    }

    /// Bytes a second of one large copy out of a tier into a GPU; nothing for the GPU's own memory.
    pub fn bandwidth(&self, tier: Tier) -> f64 {
        let host = self.link.bandwidth * self.reached();
        match tier {
            Tier::Hbm => 0.0,
            Tier::Host => host,
            Tier::Disk => host.min(self.disk * GB),
            Tier::Peer => self.net.bandwidth * self.reached(),
        }
    }

    /// Contiguous pieces of the cache of `tokens` tokens on one GPU.
    fn copies(&self, cache: &Cache, tokens: u64) -> f64 {
        let there = || cache.layers.iter().filter(|layers| layers.count > 0);
        let blocks = |window| Keeping::Needed.tokens(tokens, window).div_ceil(self.block.max(1)) as f64;
        match self.layout {
            Layout::Layers => there()
                .map(|layers| {
                    let pieces = match layers.keeps {
                        // Keys and values are tensors of their own.
                        Keeps::Heads { .. } => 2.0 * blocks(layers.window),
                        Keeps::Latent { .. } | Keeps::Index { .. } => blocks(layers.window),
                        Keeps::State { .. } => 1.0,
                    };
                    layers.count as f64 * pieces
                })
                .sum(),
            Layout::Block => {
                let grows = there().filter(|layers| layers.state() == 0);
                let state = there().any(|layers| layers.state() > 0);
                grows.map(|layers| blocks(layers.window)).fold(0.0, f64::max) + f64::from(u8::from(state))
            }
        }
    }

    /// Bytes of the cache of `tokens` tokens on one GPU.
    fn bytes(&self, cache: &Cache, tokens: u64) -> f64 {
        let (tp, each) = (self.machine.tp, f64::from(self.machine.kv_bits) / 8.0);
        let of = |layers: &crate::kv_cache::Layers| {
            layers.count as f64 * layers.keeps.values_on_rank(tp) as f64 * layers.rows(tokens, Keeping::Needed) as f64
        };
        let grown: f64 = cache.layers.iter().filter(|layers| layers.state() == 0).map(of).sum();
        grown * each + cache.state_bytes() / tp as f64
    }

    /// A prefix of `tokens` tokens, by an engine of the machine.
    pub fn point(&self, engine: &Engine, tokens: u64) -> Point {
        let found = tokens / self.block.max(1) * self.block;
        let cache = self.cache();
        let (bytes, copies) = (self.bytes(&cache, found), self.copies(&cache, found));
        let copying = copies * self.copy;
        let over = |tier| copying + bytes / self.bandwidth(tier);
        let disk = DISK_LATENCY + over(Tier::Host).max(bytes / (self.disk * GB));
        let pass = |new, past| engine.step([Chunk { new, past }]).time();
        let rest = pass(self.after, found);
        Point {
            found,
            bytes,
            copies,
            fetch: [0.0, over(Tier::Host), disk, self.net.latency + over(Tier::Peer)],
            recompute: (pass(self.after + found, 0) - rest).max(0.0),
            rest,
        }
    }

    /// Whether the GPUs have room for a prefix's cache.
    pub fn fits(&self, engine: &Engine, point: &Point) -> bool {
        point.bytes * self.machine.tp as f64 <= engine.room
    }

    /// The fewest tokens from which on fetching from a tier is at least as fast, if it ever is for a prefix that fits. Computing again grows faster
    /// with the length than fetching does, because of attention.
    fn breaks_even(&self, engine: &Engine, tier: Tier) -> Option<u64> {
        let of = |blocks: u64| self.point(engine, blocks * self.block);
        let fetches = |blocks: u64| of(blocks).fetches(tier);
        let (mut bad, mut good) = (0, MOST / self.block.max(1));
        if !fetches(good) {
            return None;
        }
        while good - bad > 1 {
            let middle = u64::midpoint(bad, good);
            if fetches(middle) { good = middle } else { bad = middle }
        }
        self.fits(engine, &of(good)).then_some(good * self.block)
    }

    /// An engine of the machine, which says how long a pass takes.
    ///
    /// # Errors
    /// Why there is none: a sentence.
    pub fn engine(&self) -> Result<Engine, String> {
        self.in_range()?;
        self.machine.deployment().engine()
    }

    fn outcome(&self) -> Result<Outcome, String> {
        let engine = self.engine()?;
        let here = self.point(&engine, self.tokens);
        if here.bytes <= 0.0 {
            return Err("This model keeps no cache, so there is nothing to fetch.".to_owned());
        }
        if !self.fits(&engine, &here) {
            return Err(format!(
                "The prefix’s cache takes {} and HBM has {} for caches. A shorter prefix, fewer bits or more GPUs are needed.",
                Unit::Bytes.format(here.bytes * self.machine.tp as f64),
                Unit::Bytes.format(engine.room)
            ));
        }
        let layout = if self.layout == Layout::Block { Layout::Layers } else { Layout::Block };
        let tp = self.machine.tp as f64;
        let all = here.bytes * tp;
        let memory = self.machine.gpu.memory.0;
        let hour = self.price / 3600.0;
        let stored = |price: f64| price / MONTH * all / GB;
        let host = self.host_size * GB * tp;
        let tokens = |room: f64| if engine.per_token > 0.0 { (room / engine.per_token).floor() } else { 0.0 };
        Ok(Outcome {
            other: Self { layout, ..self.clone() }.point(&engine, self.tokens),
            breaks_even: Tier::ALL.map(|tier| self.breaks_even(&engine, tier)),
            capacity: [engine.tokens_that_fit(), tokens(host), tokens(self.disk_size * TB * tp), tokens(host)],
            per_token: engine.per_token / tp,
            // A share of the GPU's memory costs that share of the GPU.
            keeping: [hour * all / memory, stored(self.host_price), stored(self.disk_price), stored(self.host_price)],
            computing: here.recompute * tp * hour,
            here,
        })
    }
}
