//! The parameters of a step, and the model in the catalogue.

use super::sampler::{Sampler, Split};
use super::timeline::Timeline;
use crate::declare::{
    Applies, Declaration, Field, Measure, Model, Origin, Origins, Param, Scale, Takes, all_apart, applies, choice,
    headline, join, measure, origin, real, switch, when, whole,
};
use crate::hardware::links::{self, Link};
use crate::hardware::{self, Accelerator};
use crate::model::shape::SPECS as SHAPE;
use crate::model::{ModelRef, Preset, presets, reference};
use crate::network::Fabric;
use crate::options;
use crate::quantity::{Unit, grouped, number};
use crate::query::{ParamSpec, Query, Reader};
use crate::units::MIB;

/// What PyTorch takes where `bucket_cap_mb` is not set, in MiB: for all buckets but the first, and for the first.
const DEFAULT_CAP: f64 = 25.0;
const DEFAULT_FIRST: f64 = 1.0;

/// Most micro-batches of a step.
pub const MAX_MICROBATCHES: u64 = 8;
/// The `step` of a step that is shown whole.
pub const ALL_STEPS: u64 = 1_000_000;
const MAX_RANKS: u64 = 16_384;
const MAX_DATASET: u64 = 1_000_000_000_000;

/// The type of the gradients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GradientType {
    /// 4 bytes.
    #[default]
    Fp32,
    /// 2 bytes.
    Bf16,
}

options!(GradientType {
    Fp32: "fp32", "fp32";
    Bf16: "bf16", "bf16";
});

/// Which iteration it is: the first has a single bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Iteration {
    /// The first.
    First,
    /// Any other.
    #[default]
    Later,
}

options!(Iteration {
    First: "first", "first";
    Later: "later", "a later one";
});

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The model; never a bare number of parameters.
    pub model: ModelRef,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Sequences of a micro-batch, on each rank.
    pub mbs: u64,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// The share of its peak that the arithmetic reaches.
    pub mfu: f64,
    /// A backward pass that was measured, in milliseconds; 0 to count it.
    pub backward_ms: f64,
    /// Ranks.
    pub ranks: u64,
    /// Ranks in a node.
    pub node: u64,
    /// The link within nodes.
    pub link: &'static Link,
    /// The link between nodes: one port for each rank.
    pub net: &'static Link,
    /// The type of the gradients.
    pub gradients: GradientType,
    /// `bucket_cap_mb`, in MiB.
    pub cap: f64,
    /// The limit of the first bucket, in MiB.
    pub first: f64,
    /// Which iteration it is.
    pub iteration: Iteration,
    /// `find_unused_parameters`.
    pub find_unused: bool,
    /// What looking for one unused parameter takes, in microseconds.
    pub search_us: f64,
    /// Whether a layer is left out of the forward pass, so that its parameters get no gradient.
    pub skip: bool,
    /// Which, from 0.
    pub skip_layer: u64,
    /// Micro-batches of the step, 1 to [`MAX_MICROBATCHES`].
    pub microbatches: u64,
    /// Whether all but the last of them run under `no_sync`.
    pub no_sync: bool,
    /// `gradient_as_bucket_view`.
    pub view: bool,
    /// Whether the step is inside a `Join` context.
    pub join: bool,
    /// Samples of the data set.
    pub dataset: u64,
    /// How they are dealt out.
    pub split: Split,
    /// Whether they are shuffled.
    pub shuffle: bool,
    /// The epoch, from 0.
    pub epoch: u64,
    /// Whether `set_epoch` is called.
    pub set_epoch: bool,
    /// Whether the critical path stands out.
    pub path: bool,
    /// Pieces of work that are done, in the order in which they end. Beyond the last, all are.
    pub step: u64,
}

const MODEL: ParamSpec = ParamSpec { default: "gpt2", ..reference::SPECS[0] };

/// The heading of the controls of the data set.
pub const DATA: &str = "Who reads which sample";
const WORK: &str = "The work";
const MACHINE: &str = "The machine";
const BUCKETS: &str = "Buckets";
const ITERATION: &str = "The iteration";

/// A whole number, set by a slider by powers of two.
const fn doubling(name: &'static str, doc: &'static str, most: u64, default: &'static str, power: u32) -> Declaration {
    whole(name, doc, [1, most], default).format(|n| grouped(n as u64)).doubling(power)
}

/// A limit of buckets, in MiB.
const fn limit(name: &'static str, doc: &'static str, default: &'static str) -> Declaration {
    real(name, doc, [0.001, 1e6], default).format(number).each(Unit::Bytes, MIB).slider(Scale::Quarters(0, 12))
}

const OWN: [Param<Params>; 28] = [
    doubling("seq", "tokens of a sequence", 1_000_000, "1024", 17)
        .takes(Takes::Sequence)
        .label("Sequence length, tokens")
        .more(WORK)
        .at(|p| p.seq.slot()),
    doubling("mbs", "sequences of a micro-batch, on each rank", 1_000_000, "8", 8)
        .takes(Takes::MicroBatch)
        .label("Micro-batch size, sequences")
        .main()
        .at(|p| p.mbs.slot()),
    choice("gpu", "the GPU", hardware::LIST, "h100-80").label("GPU").more(MACHINE).at(|p| p.gpu.slot()),
    real("mfu", "share of the GPU’s peak that a step without waiting reaches", [0.01, 1.0], crate::training_run::MFU)
        .takes(Takes::Mfu)
        .label("MFU without communication")
        .slider(Scale::Linear { min: 0.05, max: 1.0, step: 0.05 })
        .more(WORK)
        .at(|p| p.mfu.slot()),
    real("backward-ms", "backward pass of a micro-batch in ms, if measured; 0 to count it from FLOPs", [0.0, 1e6], "0")
        .label("Measured backward pass")
        .each(Unit::Seconds, 1e-3)
        .format(|ms| if ms > 0.0 { Unit::Seconds.format(ms / 1e3) } else { "from FLOPs".to_owned() })
        .slider(Scale::Linear { min: 0.0, max: 500.0, step: 5.0 })
        .more(WORK)
        .at(|p| p.backward_ms.slot()),
    doubling("ranks", "data-parallel ranks", MAX_RANKS, "16", 14)
        .takes(Takes::Gpus)
        .label("Ranks")
        .main()
        .at(|p| p.ranks.slot()),
    doubling("node", "ranks in a node", MAX_RANKS, "8", 6)
        .takes(Takes::Node)
        .label("Ranks per node")
        .more(MACHINE)
        .at(|p| p.node.slot()),
    choice("link", "link within a node", links::INSIDE_LIST, "nvlink4")
        .label("Link within a node")
        .more(MACHINE)
        .at(|p| p.link.slot()),
    choice("net", "link between nodes, a port for each rank", links::BETWEEN_LIST, "ndr")
        .label("Link between nodes")
        .main()
        .at(|p| p.net.slot()),
    choice("grad-dtype", "type of the gradients", GradientType::LIST, "fp32")
        .label("Gradients")
        .more(BUCKETS)
        .at(|p| p.gradients.slot()),
    limit("bucket-cap-mb", "limit of a bucket, MiB", "25").label("Bucket, MiB").main().at(|p| p.cap.slot()),
    limit("first-bucket-mb", "limit of the first bucket, MiB", "1")
        .label("First bucket, MiB")
        .more(BUCKETS)
        .at(|p| p.first.slot()),
    choice("iteration", "which iteration", Iteration::LIST, "later")
        .label("Iteration")
        .more(ITERATION)
        .at(|p| p.iteration.slot()),
    switch("find-unused", "find_unused_parameters", false)
        .label("find_unused_parameters")
        .more(ITERATION)
        .at(|p| p.find_unused.slot()),
    real(
        "search-us",
        "time to look at one parameter when looking for unused ones, µs; ours, not measured",
        [0.0, 1e4],
        "2",
    )
    .label("Search time per parameter")
    .each(Unit::Seconds, 1e-6)
    .format(|us| Unit::Seconds.format(us / 1e6))
    .slider(Scale::Linear { min: 0.0, max: 50.0, step: 1.0 })
    .more(ITERATION)
    .at(|p| p.search_us.slot()),
    switch("skip", "whether a layer is left out in this iteration", false)
        .label("Layers")
        .labels(&["all run", "one is skipped"])
        .more(ITERATION)
        .at(|p| p.skip.slot()),
    whole("skip-layer", "the layer that is left out, from 0", [0, 9999], "6")
        .label("Skipped layer")
        .slider(Scale::Linear { min: 0.0, max: 127.0, step: 1.0 })
        .more(ITERATION)
        .at(|p| p.skip_layer.slot()),
    whole("microbatches", "micro-batches per step", [1, MAX_MICROBATCHES], "1")
        .label("Micro-batches")
        .steps(1.0)
        .more(WORK)
        .at(|p| p.microbatches.slot()),
    switch("no-sync", "no_sync for all but the last of them", true)
        .label("no_sync")
        .more(WORK)
        .at(|p| p.no_sync.slot()),
    switch("view", "gradient_as_bucket_view", false)
        .label("gradient_as_bucket_view")
        .more(BUCKETS)
        .at(|p| p.view.slot()),
    switch("join", "whether the step is inside a Join context", false).label("Join").more(DATA).at(|p| p.join.slot()),
    whole("dataset", "samples of the data set", [1, MAX_DATASET], "1003")
        .label("Samples")
        .format(|n| grouped(n as u64))
        .slider(Scale::Decades(1, 9))
        .more(DATA)
        .at(|p| p.dataset.slot()),
    choice("sampler", "what is done with samples that do not divide evenly", Split::LIST, "pad")
        .label("Uneven remainder")
        .more(DATA)
        .at(|p| p.split.slot()),
    switch("shuffle", "whether samples are shuffled", true).label("Shuffle").more(DATA).at(|p| p.shuffle.slot()),
    whole("epoch", "epoch, from 0", [0, 1_000_000], "0")
        .label("Epoch")
        .format(|n| grouped(n as u64))
        .slider(Scale::Linear { min: 0.0, max: 9.0, step: 1.0 })
        .more(DATA)
        .at(|p| p.epoch.slot()),
    switch("set-epoch", "whether set_epoch is called", true)
        .label("set_epoch")
        .labels(&["forgotten", "called"])
        .more(DATA)
        .at(|p| p.set_epoch.slot()),
    switch("path", "whether the critical path stands out", false)
        .label("Highlight")
        .labels(&["all", "critical path"])
        .at(|p| p.path.slot()),
    whole("step", "pieces of work that are done; beyond the last, all are", [0, ALL_STEPS], "1000000")
        .drawn()
        .at(|p| p.step.slot()),
];

impl Model for Params {
    type Result = Timeline;
    const ID: &'static str = "ddp-overlap";
    const TITLE: &'static str = "Data parallelism, overlapped";
    const SUMMARY: &'static str =
        "One backward pass with its gradient buckets: which all-reduces hide behind it, and what is left exposed.";
    const PARAMS: &'static [Param<Self>] = &join::<_, { 2 + OWN.len() + SHAPE.len() }>(&[
        &[Declaration::of(MODEL).takes(Takes::Model).apart()],
        &OWN,
        &all_apart(&[reference::SPECS[2]]),
        &all_apart(&SHAPE),
    ]);
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["search-us"], |p| p.find_unused),
        applies(&["skip-layer"], |p| p.skip),
        applies(&["no-sync"], |p| p.microbatches > 1),
    ];
    const ORIGIN: Origin = Origin::Of(
        "Li et al. 2020 (PyTorch Distributed), arXiv:2006.15704, §3.2 and §4.2; PyTorch 2.7, torch/csrc/distributed/c10d/reducer.cpp, replayed tensor by tensor",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Own("backward takes twice the forward FLOPs at a stated MFU, tensor by tensor"),
            &["compute", "step-mfu"],
        ),
        origin(crate::network::ORIGIN, &["communication"]),
        origin(Origin::Rows, &["overlap-fraction", "efficiency"]),
        origin(
            Origin::Of("PyTorch 2.7, torch/utils/data/distributed.py, DistributedSampler"),
            &["samples-per-rank", "repeated", "dropped", "steps-missing"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Timeline>] = &[
        headline(
            "Forward pass, backward pass and the all-reduces that outlast it.",
            measure("step-time", "Step time without the optimizer", Unit::Seconds, |_, t| t.end()),
        ),
        measure("compute", "Compute time", Unit::Seconds, |_, t| t.computing),
        measure("communication", "All-reduce time, end to end", Unit::Seconds, |_, t| t.communicating),
        headline(
            "All-reduce time that the backward pass doesn’t cover.",
            measure("exposed", "Exposed all-reduce time", Unit::Seconds, |_, t| t.exposed),
        ),
        headline(
            "All-reduce time that runs while the backward pass computes.",
            measure("overlap-fraction", "Overlapped share of all-reduce time", Unit::Fraction, |_, t| t.hidden()),
        ),
        measure("efficiency", "Compute share of step time", Unit::Fraction, |_, t| t.computing_share()),
        when(
            |p, _| p.backward_ms == 0.0,
            measure("step-mfu", "MFU of the step", Unit::Fraction, |p, t| p.mfu * t.computing_share()),
        ),
        measure("buckets", "Buckets", Unit::Count, |_, t| t.buckets.len() as f64),
        when(
            |_, t| t.stalled > 0,
            headline(
                "Buckets that wait for a gradient that never comes, so the next forward pass raises an error.",
                measure("stalled", "Buckets that never start", Unit::Count, |_, t| t.stalled as f64),
            ),
        ),
        measure("last-bucket", "Size of the last bucket", Unit::Bytes, |_, t| {
            t.buckets.last().map_or(0.0, |b| b.bytes)
        }),
        measure("bytes", "All-reduced per step", Unit::Bytes, |_, t| t.reduced),
        headline(
            "DDP’s buckets are a second copy of the gradients, unless gradients are views of them.",
            measure("gradient-memory", "Memory of gradients and buckets", Unit::Bytes, |p, t| {
                t.gradients * if p.view { 1.0 } else { 2.0 }
            }),
        ),
        measure("samples-per-rank", "Samples per epoch, rank 0", Unit::Count, |p, _| p.sampler().samples(0) as f64),
        measure("repeated", "Samples read twice", Unit::Count, |p, _| p.sampler().repeated() as f64),
        measure("dropped", "Samples never read", Unit::Count, |p, _| p.sampler().dropped() as f64),
        measure("steps-missing", "Missing batches, last rank", Unit::Count, |p, _| {
            (p.batches(0) - p.batches(p.ranks.saturating_sub(1))) as f64
        }),
    ];

    fn evaluate(&self) -> Result<Timeline, String> {
        Timeline::new(self)
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        let query = reader.query();
        self.model = ModelRef::read_shape(reader, MODEL.default);
        [self.link, self.net] = links::with_gpu(self.gpu, query, [self.link, self.net]);
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }

    fn follow(&mut self, before: &Self) {
        [self.link, self.net] = links::follow([before.gpu, self.gpu], [self.link, self.net]);
    }
}

fn preset() -> &'static Preset {
    presets::find(MODEL.default).unwrap_or(&presets::ALL[0])
}

impl Default for Params {
    fn default() -> Self {
        Self {
            model: ModelRef::Preset(preset()),
            seq: 1,
            mbs: 1,
            gpu: &hardware::ALL[0],
            mfu: 1.0,
            backward_ms: 0.0,
            ranks: 1,
            node: 1,
            link: &links::INSIDE[0],
            net: &links::BETWEEN[0],
            gradients: GradientType::default(),
            cap: DEFAULT_CAP,
            first: DEFAULT_FIRST,
            iteration: Iteration::default(),
            find_unused: false,
            search_us: 0.0,
            skip: false,
            skip_layer: 0,
            microbatches: 1,
            no_sync: true,
            view: false,
            join: false,
            dataset: 1,
            split: Split::default(),
            shuffle: true,
            epoch: 0,
            set_epoch: true,
            path: false,
            step: ALL_STEPS,
        }
    }
}

impl Params {
    /// The machine.
    pub fn fabric(&self) -> Fabric {
        Fabric::nodes(self.node as usize, self.link, self.net)
    }

    /// Bytes of a gradient's element.
    pub fn element(&self) -> f64 {
        if self.gradients == GradientType::Fp32 { 4.0 } else { 2.0 }
    }

    /// The limits of buckets, in bytes, first to last. As in PyTorch the first bucket has a smaller one only as long as
    /// `bucket_cap_mb` is left as it is: `_DEFAULT_FIRST_BUCKET_BYTES if bucket_bytes_cap_default else bucket_bytes_cap`
    /// (`torch/nn/parallel/distributed.py`, `_ddp_init_helper`). A first limit that is given holds.
    pub fn limits(&self) -> [f64; 2] {
        let first = if self.cap != DEFAULT_CAP && self.first == DEFAULT_FIRST { self.cap } else { self.first };
        [first * MIB, self.cap * MIB]
    }

    /// The data set as the ranks read it. Without `set_epoch` every epoch is shuffled like the first.
    pub fn sampler(&self) -> Sampler {
        let epoch = if self.set_epoch { self.epoch } else { 0 };
        Sampler { dataset: self.dataset, ranks: self.ranks, split: self.split, shuffle: self.shuffle.then_some(epoch) }
    }

    /// Batches of `rank` in an epoch; the last may be smaller.
    pub fn batches(&self, rank: u64) -> u64 {
        self.sampler().samples(rank).div_ceil(self.mbs)
    }
}
