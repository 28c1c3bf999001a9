//! The parameters of a step, and the model in the catalogue.

use super::sampler::{Sampler, Split};
use super::timeline::Timeline;
use crate::catalogue::{Entry, Evaluation, Measures, Parameters};
use crate::hardware::links::{self, Link};
use crate::hardware::{self, Accelerator};
use crate::model::shape::SPECS as SHAPE;
use crate::model::{ModelRef, Preset, presets, reference};
use crate::network::Fabric;
use crate::quantity::{Quantity, Unit};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader, join, plain, whole};
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

/// A layer that has no part in this iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// All layers have.
    None,
    /// This one is left out of the forward pass, so that its parameters get no gradient.
    Layer(u32),
}

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
    /// Whether gradients are in fp32 (4 bytes) or in bf16 (2).
    pub fp32: bool,
    /// `bucket_cap_mb`, in MiB.
    pub cap: f64,
    /// The limit of the first bucket, in MiB.
    pub first: f64,
    /// Whether it is the first iteration.
    pub first_iteration: bool,
    /// `find_unused_parameters`.
    pub find_unused: bool,
    /// What looking for one unused parameter takes, in microseconds.
    pub search_us: f64,
    /// A layer that is left out.
    pub skip: Skip,
    /// The layer of [`Skip::Layer`], kept while none is skipped.
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

const fn real(name: &'static str, doc: &'static str, min: f64, max: f64, default: &'static str) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Real { min, max }, default }
}

const fn flag(name: &'static str, doc: &'static str, default: &'static str) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Choice(&["false", "true"]), default }
}

const OWN: [ParamSpec; 29] = [
    MODEL,
    whole("seq", "tokens of a sequence", 1, 1_000_000, "1024"),
    whole("mbs", "sequences of a micro-batch, on each rank", 1, 1_000_000, "8"),
    ParamSpec { name: "gpu", doc: "the GPU", kind: Kind::Choice(&hardware::IDS), default: "h100-80" },
    real("mfu", "share of the GPU’s peak that the arithmetic reaches", 0.01, 1.0, "0.4"),
    real("backward-ms", "backward pass of a micro-batch in ms, if measured; 0 to count it from FLOPs", 0.0, 1e6, "0"),
    whole("ranks", "data-parallel ranks", 1, MAX_RANKS, "16"),
    whole("node", "ranks in a node", 1, MAX_RANKS, "8"),
    ParamSpec { name: "link", doc: "link within a node", kind: Kind::Choice(&links::INSIDE_IDS), default: "nvlink4" },
    ParamSpec {
        name: "net",
        doc: "link between nodes, a port for each rank",
        kind: Kind::Choice(&links::BETWEEN_IDS),
        default: "ndr",
    },
    ParamSpec {
        name: "grad-dtype",
        doc: "type of the gradients",
        kind: Kind::Choice(&["fp32", "bf16"]),
        default: "fp32",
    },
    real("bucket-cap-mb", "limit of a bucket, MiB", 0.001, 1e6, "25"),
    real("first-bucket-mb", "limit of the first bucket, MiB", 0.001, 1e6, "1"),
    ParamSpec { name: "iteration", doc: "which iteration", kind: Kind::Choice(&["first", "later"]), default: "later" },
    flag("find-unused", "find_unused_parameters", "false"),
    real(
        "search-us",
        "time to look at one parameter when looking for unused ones, µs; ours, not measured",
        0.0,
        1e4,
        "2",
    ),
    flag("skip", "whether a layer is left out in this iteration", "false"),
    whole("skip-layer", "the layer that is left out, from 0", 0, 9999, "6"),
    whole("microbatches", "micro-batches of a step", 1, MAX_MICROBATCHES, "1"),
    flag("no-sync", "no_sync for all but the last of them", "true"),
    flag("view", "gradient_as_bucket_view", "false"),
    flag("join", "whether the step is inside a Join context", "false"),
    whole("dataset", "samples of the data set", 1, MAX_DATASET, "1003"),
    ParamSpec {
        name: "sampler",
        doc: "what is done with samples that do not divide evenly",
        kind: Kind::Choice(&["pad", "drop", "uneven"]),
        default: "pad",
    },
    flag("shuffle", "whether samples are shuffled", "true"),
    whole("epoch", "epoch, from 0", 0, 1_000_000, "0"),
    flag("set-epoch", "whether set_epoch is called", "true"),
    flag("path", "whether the critical path stands out", "false"),
    whole("step", "pieces of work that are done; beyond the last, all are", 0, ALL_STEPS, "1000000"),
];

const PARAMS: [ParamSpec; 63] = join(&[&OWN, &[reference::SPECS[2]], &SHAPE]);

/// This model in the catalogue.
pub const ENTRY: Entry = Entry {
    id: "ddp-overlap",
    title: "Data parallelism, overlapped",
    summary: "One backward pass with its gradient buckets: which all-reduces hide behind it, and what is left exposed.",
    params: Parameters::Specs(&PARAMS),
    quantities: Measures::List(&[
        ("step-time", "Step, without the optimizer", Unit::Seconds),
        ("compute", "of it computing", Unit::Seconds),
        ("communication", "All-reduces, end to end", Unit::Seconds),
        ("exposed", "of them exposed", Unit::Seconds),
        ("overlap-fraction", "Hidden share of the all-reduces", Unit::Fraction),
        ("efficiency", "Share of the step that computes", Unit::Fraction),
        ("buckets", "Buckets", Unit::Count),
        ("stalled", "Buckets that never start", Unit::Count),
        ("last-bucket", "Last bucket", Unit::Bytes),
        ("bytes", "All-reduced in a step", Unit::Bytes),
        ("gradient-memory", "Gradients and buckets", Unit::Bytes),
        ("samples-per-rank", "Samples of rank 0 in an epoch", Unit::Count),
        ("repeated", "Samples read twice", Unit::Count),
        ("dropped", "Samples read by nobody", Unit::Count),
        ("steps-missing", "Batches that the last rank is short of", Unit::Count),
    ]),
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        let result = Timeline::new(&params).map(|timeline| params.quantities(&timeline));
        Evaluation::new(params.query(), problems, result)
    },
};

fn preset() -> &'static Preset {
    presets::find(MODEL.default).unwrap_or(&presets::ALL[0])
}

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(&PARAMS, query);
        let model = ModelRef::read_shape(&mut reader, query, preset());
        let is = |reader: &mut Reader<'_>, name| reader.choice(name) == "true";
        let skip_layer = reader.integer("skip-layer");
        let skips = is(&mut reader, "skip");
        let gpu = hardware::find(reader.choice("gpu")).unwrap_or(&hardware::ALL[0]);
        let named = [
            links::find(reader.choice("link")).unwrap_or(&links::INSIDE[0]),
            links::find(reader.choice("net")).unwrap_or(&links::BETWEEN[0]),
        ];
        let [link, net] = links::with_gpu(gpu, query, named);
        let params = Self {
            model,
            seq: reader.integer("seq").max(1),
            mbs: reader.integer("mbs").max(1),
            gpu,
            mfu: reader.real("mfu"),
            backward_ms: reader.real("backward-ms"),
            ranks: reader.integer("ranks").max(1),
            node: reader.integer("node").max(1),
            link,
            net,
            fp32: reader.choice("grad-dtype") == "fp32",
            cap: reader.real("bucket-cap-mb"),
            first: reader.real("first-bucket-mb"),
            first_iteration: reader.choice("iteration") == "first",
            find_unused: is(&mut reader, "find-unused"),
            search_us: reader.real("search-us"),
            skip: if skips { Skip::Layer(skip_layer as u32) } else { Skip::None },
            skip_layer,
            microbatches: reader.integer("microbatches").clamp(1, MAX_MICROBATCHES),
            no_sync: is(&mut reader, "no-sync"),
            view: is(&mut reader, "view"),
            join: is(&mut reader, "join"),
            dataset: reader.integer("dataset").max(1),
            split: Split::find(reader.choice("sampler")).unwrap_or(Split::Pad),
            shuffle: is(&mut reader, "shuffle"),
            epoch: reader.integer("epoch"),
            set_epoch: is(&mut reader, "set-epoch"),
            path: is(&mut reader, "path"),
            step: reader.integer("step"),
        };
        (params, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        let mut query = self.model.query();
        let mut set = |name: &str, value: String| query.set(name, value);
        set("seq", self.seq.to_string());
        set("mbs", self.mbs.to_string());
        set("gpu", self.gpu.id.to_owned());
        set("mfu", plain(self.mfu));
        set("backward-ms", plain(self.backward_ms));
        set("ranks", self.ranks.to_string());
        set("node", self.node.to_string());
        set("link", self.link.id.to_owned());
        set("net", self.net.id.to_owned());
        set("grad-dtype", if self.fp32 { "fp32" } else { "bf16" }.to_owned());
        set("bucket-cap-mb", plain(self.cap));
        set("first-bucket-mb", plain(self.first));
        set("iteration", if self.first_iteration { "first" } else { "later" }.to_owned());
        set("find-unused", self.find_unused.to_string());
        set("search-us", plain(self.search_us));
        set("skip", (self.skip != Skip::None).to_string());
        set("skip-layer", self.skip_layer.to_string());
        set("microbatches", self.microbatches.to_string());
        set("no-sync", self.no_sync.to_string());
        set("view", self.view.to_string());
        set("join", self.join.to_string());
        set("dataset", self.dataset.to_string());
        set("sampler", self.split.id().to_owned());
        set("shuffle", self.shuffle.to_string());
        set("epoch", self.epoch.to_string());
        set("set-epoch", self.set_epoch.to_string());
        set("path", self.path.to_string());
        set("step", self.step.to_string());
        query
    }

    /// The machine.
    pub fn fabric(&self) -> Fabric {
        Fabric::nodes(self.node as usize, self.link, self.net)
    }

    /// Bytes of a gradient's element.
    pub fn element(&self) -> f64 {
        if self.fp32 { 4.0 } else { 2.0 }
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

    /// The numbers of [`ENTRY`].
    pub fn quantities(&self, timeline: &Timeline) -> Vec<Quantity> {
        ENTRY.measured(|id| match id {
            "step-time" => timeline.end(),
            "compute" => timeline.computing,
            "communication" => timeline.communicating,
            "exposed" => timeline.exposed,
            "overlap-fraction" => timeline.hidden(),
            "efficiency" if timeline.end() > 0.0 => timeline.computing / timeline.end(),
            "efficiency" => 1.0,
            "buckets" => timeline.buckets.len() as f64,
            "stalled" => timeline.stalled as f64,
            "last-bucket" => timeline.buckets.last().map_or(0.0, |b| b.bytes),
            "bytes" => timeline.reduced,
            "gradient-memory" => timeline.gradients * if self.view { 1.0 } else { 2.0 },
            id => self.shared(id),
        })
    }

    /// The value of a quantity of the data set, which needs no timeline; 0 for any other id.
    pub fn shared(&self, id: &str) -> f64 {
        let sampler = self.sampler();
        match id {
            "samples-per-rank" => sampler.samples(0) as f64,
            "repeated" => sampler.repeated() as f64,
            "dropped" => sampler.dropped() as f64,
            "steps-missing" => (self.batches(0) - self.batches(self.ranks.saturating_sub(1))) as f64,
            _ => 0.0,
        }
    }
}
