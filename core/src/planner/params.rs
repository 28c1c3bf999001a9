//! The state of the planner, and its model in the catalogue.

use super::cluster::{Axis, Cluster};
use super::job::{Choice, Job};
use super::search::{Pins, Search};
use super::words;
use crate::catalogue::{Entry, Evaluation, Measures, Parameters};
use crate::hardware::links::{self, BETWEEN_IDS, INSIDE_IDS, Link};
use crate::hardware::{self, Accelerator};
use crate::memory::activations::Recompute;
use crate::model::shape::SPECS as SHAPE;
use crate::model::{ModelRef, presets, reference};
use crate::quantity::Unit;
use crate::query::{ParamSpec, Problem, Query, Reader, choice, join, whole};

/// The parameters: a job, and what of its layout is fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The model; never a bare number of parameters.
    pub model: ModelRef,
    /// The cluster.
    pub cluster: Cluster,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Sequences of a step.
    pub batch: u64,
    /// FlashAttention.
    pub flash: bool,
    /// What is fixed.
    pub pins: Pins,
}

/// Most GPUs of a node.
const MAX_NODE: u64 = 72;
/// Most nodes.
const MAX_NODES: u64 = 16_384;
/// Most ranks of any kind that can be pinned.
const MAX_PIN: u64 = 65_536;
/// Longest sequence.
const MAX_SEQ: u64 = 10_000_000;
/// Largest batch, in sequences.
const MAX_BATCH: u64 = 1_000_000;

const OWN: [ParamSpec; 8] = [
    choice("gpu", "GPU", &hardware::IDS, "a100-80"),
    whole("node", "GPUs in a node", 1, MAX_NODE, "8"),
    whole("nodes", "nodes", 1, MAX_NODES, "128"),
    choice("link", "link inside a node", &INSIDE_IDS, "nvlink3"),
    choice("net", "link between nodes, a port for each GPU", &BETWEEN_IDS, "hdr"),
    whole("seq", "tokens of a sequence", 1, MAX_SEQ, "2048"),
    whole("batch", "sequences of a step", 1, MAX_BATCH, "1536"),
    choice("flash", "FlashAttention: the attention matrix is never stored", &["true", "false"], "true"),
];

const PINS: [ParamSpec; 8] = [
    whole("tp", "tensor-parallel ranks; 0 for whatever is best", 0, MAX_PIN, "8"),
    whole("cp", "context-parallel ranks; 0 for whatever is best", 0, MAX_PIN, "1"),
    whole("ep", "expert-parallel ranks; 0 for whatever is best", 0, MAX_PIN, "1"),
    whole("pp", "pipeline stages; 0 for whatever is best", 0, MAX_PIN, "0"),
    whole("vpp", "chunks of each stage, more than 1 is the interleaved schedule; 0 for whatever is best", 0, 64, "0"),
    whole("mbs", "sequences of a micro-batch; 0 for whatever is best", 0, 1024, "1"),
    choice("zero", "stage of ZeRO, or any", &["any", "0", "1", "2", "3"], "1"),
    choice("recompute", "what the backward pass computes again, or any", &["any", "none", "selective", "full"], "any"),
];

const MODEL: ParamSpec = ParamSpec { default: "gpt3-175b", ..reference::SPECS[0] };

const PARAMS: [ParamSpec; 52] = join(&[&[MODEL], &OWN, &PINS, &[reference::SPECS[2]], &SHAPE]);

/// This model in the catalogue: the fastest layout that fits.
pub const ENTRY: Entry = Entry {
    id: "parallel-planner",
    title: "Parallel planner",
    summary: "Every way to lay a model out over a cluster: how long a step takes, what a GPU holds, and why.",
    params: Parameters::Specs(&PARAMS),
    quantities: Measures::List(&[
        ("layouts-valid", "Layouts that fit", Unit::Count),
        ("layouts", "Layouts that are possible", Unit::Count),
        ("step-time", "A step of the fastest", Unit::Seconds),
        ("mfu", "Its model FLOPs utilization", Unit::Fraction),
        ("memory", "Tensors on its fullest GPU", Unit::Bytes),
        ("tokens-per-second", "Tokens a second", Unit::Count),
        ("gpus", "GPUs", Unit::Count),
        ("tp", "Tensor-parallel ranks", Unit::Count),
        ("cp", "Context-parallel ranks", Unit::Count),
        ("ep", "Expert-parallel ranks", Unit::Count),
        ("dp", "Data-parallel ranks", Unit::Count),
        ("pp", "Pipeline stages", Unit::Count),
        ("vpp", "Chunks of a stage", Unit::Count),
        ("microbatches", "Micro-batches of a step", Unit::Count),
        ("mbs", "Sequences of a micro-batch", Unit::Count),
        ("zero", "Stage of ZeRO", Unit::Count),
        ("time-compute", "Matrix products", Unit::Seconds),
        ("time-elementwise", "Element-wise kernels", Unit::Seconds),
        ("time-recompute", "Recomputation", Unit::Seconds),
        ("time-tensor", "Waiting for tensor parallelism", Unit::Seconds),
        ("time-context", "Waiting for context parallelism", Unit::Seconds),
        ("time-expert", "Waiting for expert parallelism", Unit::Seconds),
        ("time-send", "Waiting for other stages", Unit::Seconds),
        ("time-bubble", "Pipeline bubble", Unit::Seconds),
        ("time-data", "Waiting for other replicas", Unit::Seconds),
        ("time-optimizer", "Optimizer", Unit::Seconds),
        ("bubble-fraction", "Bubble, of the step", Unit::Fraction),
        ("communication-fraction", "Waiting for other ranks, of the step", Unit::Fraction),
        ("tensor-nodes", "Nodes of a tensor-parallel group", Unit::Count),
        ("data-nodes", "Nodes of a data-parallel group", Unit::Count),
        ("pipeline-nodes", "Nodes of a pipeline", Unit::Count),
        ("bytes-tensor", "Bytes a GPU sends for tensor parallelism", Unit::Bytes),
        ("bytes-context", "Bytes a GPU sends for context parallelism", Unit::Bytes),
        ("bytes-expert", "Bytes a GPU sends for expert parallelism", Unit::Bytes),
        ("bytes-data", "Bytes a GPU sends for data parallelism", Unit::Bytes),
        ("bytes-pipeline", "Bytes a GPU sends to other stages", Unit::Bytes),
    ]),
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        let result = params.search().map(Search::run).and_then(|search| match search.best() {
            Some(best) => Ok(measure(&search, &best.choice)),
            None => Err(words::why_none(&search)),
        });
        let quantities = result.map(|value| ENTRY.measured(|id| value(id)));
        Evaluation::new(params.query(), problems, quantities)
    },
};

/// The value of each quantity of [`ENTRY`] for a layout; 0 for any other id.
fn measure(search: &Search, choice: &Choice) -> impl Fn(&str) -> f64 + use<> {
    let job = search.job();
    let (step, d) = (job.step(choice), choice.degrees);
    let total = step.total();
    let traffic = job.traffic(choice);
    let memory = job.memory(choice).get(usize::from(choice.zero)).map_or(0.0, |held| held.tensors);
    let (valid, all) = (search.valid() as f64, search.layouts().len() as f64);
    let tokens = job.seq as f64 * job.batch as f64;
    let (mfu, gpus, microbatches) = (job.mfu(total), job.cluster.gpus() as f64, job.microbatches(choice) as f64);
    let (node, vpp, mbs, zero) = (job.cluster.node, choice.chunks, choice.mbs, choice.zero);
    move |id: &str| {
        if let Some(name) = id.strip_prefix("time-") {
            return step.parts().iter().find(|(part, ..)| *part == name).map_or(0.0, |part| part.2);
        }
        let axis = |name: &str| Axis::ALL.into_iter().find(|axis| axis.label() == name);
        if let Some(name) = id.strip_prefix("bytes-") {
            return traffic.iter().find(|t| axis(name) == Some(t.axis)).map_or(0.0, |t| t.bytes);
        }
        if let Some(axis) = id.strip_suffix("-nodes").and_then(axis) {
            let group = d.group(axis, node);
            return group.ranks.div_ceil(group.local) as f64;
        }
        if let Some(axis) = Axis::find(id) {
            return d.of(axis) as f64;
        }
        match id {
            "layouts-valid" => valid,
            "layouts" => all,
            "step-time" => total,
            "mfu" => mfu,
            "memory" => memory,
            "tokens-per-second" => tokens / total,
            "gpus" => gpus,
            "vpp" => vpp as f64,
            "microbatches" => microbatches,
            "mbs" => mbs as f64,
            "zero" => f64::from(zero),
            "bubble-fraction" => step.bubble / total,
            "communication-fraction" => step.communication() / total,
            _ => 0.0,
        }
    }
}

fn gpu(id: &str) -> &'static Accelerator {
    hardware::find(id).unwrap_or(&hardware::ALL[0])
}

fn link(id: &str) -> &'static Link {
    links::find(id).unwrap_or(&links::INSIDE[0])
}

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(&PARAMS, query);
        let preset = presets::find(MODEL.default).unwrap_or(&presets::ALL[0]);
        let model = ModelRef::read_shape(&mut reader, query, preset);
        let own = gpu(reader.choice("gpu"));
        let named = [link(reader.choice("link")), link(reader.choice("net"))];
        let [inside, between] = links::with_gpu(own, query, named);
        let cluster = Cluster {
            gpu: own,
            node: reader.integer("node").clamp(1, MAX_NODE),
            nodes: reader.integer("nodes").clamp(1, MAX_NODES),
            link: inside,
            net: between,
        };
        let mut pin = |name: &str| Some(reader.integer(name)).filter(|n| *n > 0);
        let mut pins = Pins {
            tp: pin("tp"),
            cp: pin("cp"),
            ep: pin("ep"),
            pp: pin("pp"),
            chunks: pin("vpp"),
            mbs: pin("mbs"),
            ..Pins::default()
        };
        pins.zero = reader.choice("zero").parse().ok();
        pins.recompute = Some(reader.choice("recompute")).and_then(Recompute::find);
        let params = Self {
            model,
            cluster,
            seq: reader.integer("seq").clamp(1, MAX_SEQ),
            batch: reader.integer("batch").clamp(1, MAX_BATCH),
            flash: reader.choice("flash") == "true",
            pins,
        };
        (params, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        let mut query = self.model.query();
        let (c, p) = (&self.cluster, &self.pins);
        let free = |pin: Option<u64>| pin.unwrap_or(0).to_string();
        for (name, value) in [
            ("gpu", c.gpu.id.to_owned()),
            ("node", c.node.to_string()),
            ("nodes", c.nodes.to_string()),
            ("link", c.link.id.to_owned()),
            ("net", c.net.id.to_owned()),
            ("seq", self.seq.to_string()),
            ("batch", self.batch.to_string()),
            ("flash", self.flash.to_string()),
            ("tp", free(p.tp)),
            ("cp", free(p.cp)),
            ("ep", free(p.ep)),
            ("pp", free(p.pp)),
            ("vpp", free(p.chunks)),
            ("mbs", free(p.mbs)),
            ("zero", p.zero.map_or_else(|| "any".to_owned(), |zero| zero.to_string())),
            ("recompute", p.recompute.map_or("any", Recompute::id).to_owned()),
        ] {
            query.set(name, value);
        }
        query
    }

    /// The job; an error, a sentence, if the model is impossible.
    pub fn job(&self) -> Result<Job, String> {
        let job = Job::new(self.model, self.cluster, [self.seq, self.batch], self.flash);
        job.map_err(|problem| problem.message)
    }

    /// A search through the layouts; an error, a sentence, if the model is impossible.
    pub fn search(&self) -> Result<Search, String> {
        self.job().map(|job| Search::new(job, self.pins))
    }

    /// The same with every axis free.
    #[must_use]
    pub fn freed(self) -> Self {
        Self { pins: Pins::default(), ..self }
    }

    /// The same with one layout pinned.
    #[must_use]
    pub fn pinned(self, choice: &Choice) -> Self {
        let d = choice.degrees;
        let pins = Pins {
            tp: Some(d.tp),
            cp: Some(d.cp),
            ep: Some(d.ep),
            pp: Some(d.pp),
            chunks: Some(choice.chunks),
            mbs: Some(choice.mbs),
            zero: Some(choice.zero),
            recompute: Some(choice.recompute),
        };
        Self { pins, ..self }
    }
}
