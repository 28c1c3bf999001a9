//! The state of the planner: a job, what of its layout is fixed, and what the fastest layout comes to.

use super::cluster::{Axis, Cluster};
use super::job::{Choice, Job, Step};
use super::search::{Layout, Pins, Search};
use super::traffic::Traffic;
use super::words;
use crate::declare::{
    Aim, Decision, Declaration, Field as _, List, Measure, Model, Origin, Origins, Param, Scale, Slot, Takes,
    all_apart, choice, headline, join, lever, lever_of, measure, origin, switch, whole, within,
};
use crate::hardware::{self, links};
use crate::model::shape::SPECS as SHAPE;
use crate::model::{ModelRef, reference};
use crate::quantity::{Unit, grouped};
use crate::query::{Query, Reader, plain};
use crate::setup::{Setup, fill};
use crate::training_run::{self, share};

/// The parameters: a job, and what of its layout is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
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

/// The model that is laid out where none is named.
const MODEL: &str = "gpt3-175b";

/// Where controls stand.
const JOB: &str = "The job";
const CLUSTER: &str = "The cluster";
/// Those of what can be fixed.
const PINS: &str = "Pin an axis, or leave it free";

const JOBS: [Param<Params>; 8] = [
    choice("gpu", "GPU", hardware::LIST, "a100-80").label("GPU").main().at(|p: &mut Params| p.cluster.gpu.slot()),
    whole("node", "GPUs in a node", [1, MAX_NODE], "8")
        .takes(Takes::Node)
        .label("GPUs per node")
        .doubling(6)
        .more(CLUSTER)
        .at(|p| p.cluster.node.slot()),
    whole("nodes", "nodes", [1, MAX_NODES], "128")
        .takes(Takes::Nodes)
        .label("Nodes")
        .doubling(12)
        .main()
        .at(|p| p.cluster.nodes.slot()),
    choice("link", "link inside a node", links::INSIDE_LIST, "nvlink3")
        .label("Link within a node")
        .more(CLUSTER)
        .at(|p| p.cluster.link.slot()),
    choice("net", "link between nodes, a port for each GPU", links::BETWEEN_LIST, "hdr")
        .label("Link between nodes, one port per GPU")
        .more(CLUSTER)
        .at(|p| p.cluster.net.slot()),
    whole("seq", "tokens of a sequence", [1, MAX_SEQ], "2048")
        .takes(Takes::Sequence)
        .label("Sequence length, tokens")
        .doubling(18)
        .more(JOB)
        .at(|p| p.seq.slot()),
    whole("batch", "sequences per step", [1, MAX_BATCH], "1536")
        .takes(Takes::Batch)
        .label("Sequences per step")
        .slider(Scale::Quarters(2, 14))
        .main()
        .at(|p| p.batch.slot()),
    switch("flash", "FlashAttention: the attention matrix is never stored", true)
        .label("Attention matrix")
        .labels(&["stored", "never: Flash"])
        .more(JOB)
        .at(|p| p.flash.slot()),
];

/// A number of ranks or the like that can be fixed: free at the left end, then powers of two.
const fn pin(
    name: &'static str,
    doc: &'static str,
    most: u64,
    default: &'static str,
    label: &'static str,
) -> Declaration {
    whole(name, doc, [0, most], default)
        .label(label)
        .format(|n| if n < 1.0 { "free".to_owned() } else { grouped(n as u64) })
        .slider(Scale::FromZero(6))
        .more(PINS)
}

const PINNED: [Param<Params>; 8] = [
    pin("tp", "tensor-parallel ranks; 0 for whatever is best", MAX_PIN, "8", "Tensor parallel")
        .takes_or(Takes::Tensor, "0")
        .at(|p: &mut Params| Slot::Whole(&mut p.pins.tp)),
    pin("cp", "context-parallel ranks; 0 for whatever is best", MAX_PIN, "1", "Context parallel")
        .takes_or(Takes::Context, "0")
        .at(|p| Slot::Whole(&mut p.pins.cp)),
    pin("ep", "expert-parallel ranks; 0 for whatever is best", MAX_PIN, "1", "Expert parallel")
        .takes_or(Takes::Expert, "0")
        .at(|p| Slot::Whole(&mut p.pins.ep)),
    pin("pp", "pipeline stages; 0 for whatever is best", MAX_PIN, "0", "Pipeline stages")
        .takes_or(Takes::Pipeline, "0")
        .at(|p| Slot::Whole(&mut p.pins.pp)),
    pin(
        "vpp",
        "chunks of each stage, more than 1 is the interleaved schedule; 0 for whatever is best",
        64,
        "0",
        "Virtual stages per rank",
    )
    .at(|p| Slot::Whole(&mut p.pins.chunks)),
    pin("mbs", "sequences of a micro-batch; 0 for whatever is best", 1024, "1", "Micro-batch")
        .takes_or(Takes::MicroBatch, "0")
        .at(|p| Slot::Whole(&mut p.pins.mbs)),
    choice(
        "zero",
        "stage of ZeRO, or any",
        List { ids: &["any", "0", "1", "2", "3"], labels: &["free", "0", "1", "2", "3"] },
        "1",
    )
    .takes_or(Takes::Zero, "any")
    .label("ZeRO stage")
    .more(PINS)
    .at(|p| Slot::Choice(&mut p.pins.zero)),
    choice(
        "recompute",
        "what the backward pass computes again, or any",
        List { ids: &["any", "none", "selective", "full"], labels: &["free", "none", "selective", "full"] },
        "any",
    )
    .label("Recomputation")
    .more(PINS)
    .at(|p| Slot::Choice(&mut p.pins.recompute)),
];

/// The ranks of the fastest layout along an axis.
const fn ranks(id: &'static str, label: &'static str, of: fn(&Params, &Plan) -> f64) -> Measure<Params, Plan> {
    measure(id, label, Unit::Count, of)
}

/// Seconds of the fastest layout's step.
const fn time(id: &'static str, label: &'static str, of: fn(&Params, &Plan) -> f64) -> Measure<Params, Plan> {
    measure(id, label, Unit::Seconds, of)
}

/// Bytes that a GPU sends in it.
const fn sent(id: &'static str, label: &'static str, of: fn(&Params, &Plan) -> f64) -> Measure<Params, Plan> {
    measure(id, label, Unit::Bytes, of)
}

impl Model for Params {
    type Result = Plan;
    const ID: &'static str = "parallel-planner";
    const TITLE: &'static str = "Parallel planner";
    const SUMMARY: &'static str =
        "Every way to lay a model out over a cluster: how long a step takes, what a GPU holds, and why.";
    const PARAMS: &'static [Param<Self>] = &join::<_, { 1 + JOBS.len() + PINNED.len() + 1 + SHAPE.len() }>(&[
        &[reference::MODEL.default(MODEL).own_control()],
        &JOBS,
        &PINNED,
        &[reference::GUESS.apart()],
        &all_apart(&SHAPE),
    ]);
    const ORIGIN: Origin = Origin::Own(
        "one time per layout from kernels at achieved rates, collectives and closed forms of the schedules; checked against the MFU of published runs, nothing tuned",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Of("Chowdhery et al. 2022 (PaLM), arXiv:2204.02311, Appendix B"), &["mfu"]),
        origin(
            Origin::Own("memory-breakdown’s states, activations and buffers on the fullest stage"),
            &["memory", "layouts-valid"],
        ),
        origin(
            Origin::Own("every division of the GPUs that the model’s layers, heads and experts allow"),
            &["layouts"],
        ),
        origin(Origin::Controls, &["gpus"]),
        origin(
            Origin::Definition,
            &[
                "tp",
                "cp",
                "ep",
                "dp",
                "pp",
                "vpp",
                "microbatches",
                "mbs",
                "zero",
                "tensor-nodes",
                "data-nodes",
                "pipeline-nodes",
            ],
        ),
        origin(Origin::Rows, &["tokens-per-second", "bubble-fraction", "communication-fraction"]),
        origin(super::efficiency::ORIGIN, &["time-compute", "time-elementwise", "time-optimizer"]),
        origin(
            Origin::Of("Korthikanti et al. 2022, arXiv:2205.05198, §5 and Table 4, priced with the planner’s kernels"),
            &["time-recompute"],
        ),
        origin(
            Origin::Of(
                "Shoeybi et al. 2019 (Megatron-LM), arXiv:1909.08053, §3; Korthikanti et al. 2022, arXiv:2205.05198, §4.2.2",
            ),
            &["time-tensor", "bytes-tensor"],
        ),
        origin(
            Origin::Of("Liu et al. 2023 (Ring Attention), arXiv:2310.01889, §3; Llama 3, arXiv:2407.21783, §3.3.2"),
            &["time-context", "bytes-context"],
        ),
        origin(crate::moe::cost::ORIGIN, &["time-expert", "bytes-expert"]),
        origin(
            Origin::Of("Narayanan et al. 2021, arXiv:2104.04473, §2.2"),
            &["time-bubble", "time-send", "bytes-pipeline"],
        ),
        origin(crate::network::ORIGIN, &["time-data"]),
        origin(Origin::Of("Rajbhandari et al. 2020 (ZeRO), arXiv:1910.02054, §7"), &["bytes-data"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Plan>] = &[
        within(
            |_, p| p.layouts as f64,
            headline(
                "Layouts that fit in memory, of all that are possible.",
                measure("layouts-valid", "Layouts that fit", Unit::Count, |_, p| p.valid as f64),
            ),
        ),
        measure("layouts", "Possible layouts", Unit::Count, |_, p| p.layouts as f64),
        headline(
            "The fastest layout that fits, or the one that is selected.",
            time("step-time", "Step time", |_, p| p.step.total()),
        ),
        headline(
            "Model FLOPs over what the GPUs’ peak would compute in that time.",
            measure("mfu", "MFU", Unit::Fraction, |_, p| p.mfu),
        ),
        within(
            |params, _| params.cluster.gpu.memory.0,
            headline(
                "What the fullest GPU holds.",
                measure("memory", "Memory on the fullest GPU", Unit::Bytes, |_, p| p.memory),
            ),
        ),
        headline(
            "Throughput of the whole job.",
            measure("tokens-per-second", "Tokens/s", Unit::Count, |params, p| {
                params.seq as f64 * params.batch as f64 / p.step.total()
            }),
        ),
        measure("gpus", "GPUs", Unit::Count, |params, _| params.cluster.gpus() as f64),
        ranks("tp", "Tensor-parallel ranks", |_, p| p.choice.degrees.tp as f64),
        ranks("cp", "Context-parallel ranks", |_, p| p.choice.degrees.cp as f64),
        ranks("ep", "Expert-parallel ranks", |_, p| p.choice.degrees.ep as f64),
        ranks("dp", "Data-parallel ranks", |_, p| p.choice.degrees.dp as f64),
        ranks("pp", "Pipeline stages", |_, p| p.choice.degrees.pp as f64),
        measure("vpp", "Virtual stages per rank", Unit::Count, |_, p| p.choice.chunks as f64),
        measure("microbatches", "Micro-batches per step", Unit::Count, |_, p| p.microbatches as f64),
        measure("mbs", "Micro-batch size, sequences", Unit::Count, |_, p| p.choice.mbs as f64),
        measure("zero", "ZeRO stage", Unit::Count, |_, p| f64::from(p.choice.zero)),
        time("time-compute", "Matrix products", |_, p| p.step.stage.compute),
        time("time-elementwise", "Element-wise kernels", |_, p| p.step.stage.elementwise),
        time("time-recompute", "Recomputation", |_, p| p.step.stage.recompute),
        time("time-tensor", "Tensor parallelism, exposed", |_, p| p.step.stage.tensor),
        time("time-context", "Context parallelism, exposed", |_, p| p.step.stage.context),
        time("time-expert", "Expert parallelism, exposed", |_, p| p.step.stage.expert),
        time("time-send", "Sends between stages, exposed", |_, p| p.step.send),
        time("time-bubble", "Pipeline bubble", |_, p| p.step.bubble),
        time("time-data", "Data parallelism, exposed", |_, p| p.step.data),
        time("time-optimizer", "Optimizer", |_, p| p.step.optimizer),
        measure("bubble-fraction", "Bubble share of step time", Unit::Fraction, |_, p| p.step.bubble / p.step.total()),
        measure("communication-fraction", "Exposed communication share of step time", Unit::Fraction, |_, p| {
            p.step.communication() / p.step.total()
        }),
        ranks("tensor-nodes", "Nodes per tensor-parallel group", |params, p| p.nodes(params, Axis::Tensor)),
        ranks("data-nodes", "Nodes per data-parallel group", |params, p| p.nodes(params, Axis::Data)),
        ranks("pipeline-nodes", "Nodes per pipeline", |params, p| p.nodes(params, Axis::Pipeline)),
        sent("bytes-tensor", "Sent per GPU for tensor parallelism", |_, p| p.bytes(Axis::Tensor)),
        sent("bytes-context", "Sent per GPU for context parallelism", |_, p| p.bytes(Axis::Context)),
        sent("bytes-expert", "Sent per GPU for expert parallelism", |_, p| p.bytes(Axis::Expert)),
        sent("bytes-data", "Sent per GPU for data parallelism", |_, p| p.bytes(Axis::Data)),
        sent("bytes-pipeline", "Sent per GPU between stages", |_, p| p.bytes(Axis::Pipeline)),
    ];

    const DECISION: Option<Decision> = Some(Decision {
        quantities: &["memory"],
        aim: Aim::Within,
        judges: &[],
        words: ["No layout fits", "A layout fits"],
        levers: &[
            lever_of("flash", &["true"], "It costs nothing: FlashAttention is also faster."),
            lever_of("recompute", &["any"], "Layers may be recomputed: up to a third more FLOPs."),
            lever_of("zero", &["any"], "ZeRO-3 communicates 50% more; stages 1 and 2 don’t."),
            lever_of("pp", &["0"], "A pipeline has a bubble."),
            lever_of("tp", &["0"], "Tensor parallelism communicates in every layer."),
            lever_of("ep", &["0"], "Tokens travel to their experts."),
            lever_of("cp", &["0"], "Keys and values travel around a ring."),
            lever_of("mbs", &["1"], "Smaller matrix products reach less of the GPU’s peak."),
            lever("gpu", "It costs larger GPUs."),
            lever_of("nodes", &["2", "4", "8", "16", "32", "64", "128", "256", "512", "1024"], "It costs more nodes."),
        ],
        not_counted: "Not counted in the memory: the CUDA context, communication buffers and fragmentation, several GB.",
    });

    fn evaluate(&self) -> Result<Plan, String> {
        let search = self.search()?.run();
        search
            .best()
            .map(|best| Plan::of(search.job(), best.choice, [search.valid(), search.layouts().len()]))
            .ok_or_else(|| words::why_none(&search))
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        let query = reader.query();
        self.model = ModelRef::read_shape(reader, MODEL);
        let Cluster { gpu, link, net, .. } = self.cluster;
        [self.cluster.link, self.cluster.net] = links::with_gpu(gpu, query, [link, net]);
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }

    fn follow(&mut self, before: &Self) {
        let Cluster { gpu, link, net, .. } = self.cluster;
        [self.cluster.link, self.cluster.net] = links::follow([before.cluster.gpu, gpu], [link, net]);
        // The layout that the figure opens with is one for its own model.
        if self.model != before.model && self.pins == before.pins && self.pins == Self::standard().pins {
            self.pins = Pins::default();
        }
    }
}

/// A layout of a job, and what it comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The layout.
    pub choice: Choice,
    /// Its step.
    pub step: Step,
    /// Its model FLOPs utilization.
    pub mfu: f64,
    /// Bytes of the tensors on its fullest GPU.
    pub memory: f64,
    /// Micro-batches of its step.
    pub microbatches: u64,
    /// What each of its axes sends.
    pub traffic: Vec<Traffic>,
    /// Layouts of the job that fit.
    pub valid: usize,
    /// All that are possible.
    pub layouts: usize,
}

impl Plan {
    /// What comes of one layout of a job, of which so many fit and so many are possible.
    pub fn of(job: &Job, choice: Choice, [valid, layouts]: [usize; 2]) -> Self {
        let step = job.step(&choice);
        Self {
            mfu: job.mfu(step.total()),
            memory: job.memory(&choice).get(usize::from(choice.zero)).map_or(0.0, |held| held.tensors),
            microbatches: job.microbatches(&choice),
            traffic: job.traffic(&choice),
            valid,
            layouts,
            choice,
            step,
        }
    }

    /// Nodes over which a group along `axis` lies.
    fn nodes(&self, params: &Params, axis: Axis) -> f64 {
        let group = self.choice.degrees.group(axis, params.cluster.node);
        group.ranks.div_ceil(group.local) as f64
    }

    /// Bytes that a GPU sends along `axis`.
    fn bytes(&self, axis: Axis) -> f64 {
        self.traffic.iter().find(|t| t.axis == axis).map_or(0.0, |t| t.bytes)
    }
}

impl Params {
    /// The job; an error, a sentence, if the model is impossible.
    pub fn job(&self) -> Result<Job, String> {
        let job = Job::new(self.model, self.cluster, [self.seq, self.batch], self.flash);
        job.map_err(|problem| problem.message)
    }

    /// The same job in [`training_run`], at the MFU of a layout of it: what is set beside the model and the GPUs.
    pub fn in_a_run(&self, job: &Job, layout: &Layout) -> [(&'static str, String); 4] {
        [
            ("seq", self.seq.to_string()),
            ("batch", plain(job.tokens())),
            ("mfu", share(job.mfu(layout.step))),
            ("recompute", share(job.recomputed(&layout.choice))),
        ]
    }

    /// The run of this job at the MFU of a layout of it, in the state of [`training_run`].
    pub fn run(&self, job: &Job, layout: &Layout) -> Query {
        let Cluster { gpu, node, nodes, .. } = self.cluster;
        let (node, nodes) = (Some(node), Some(nodes));
        let setup = Setup { model: Some(self.model), gpu: Some(gpu), node, nodes, ..Setup::default() };
        fill(training_run::Params::ENTRY.params(), &setup, &Query::new(self.in_a_run(job, layout))).query
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::activations::Recompute;

    #[test]
    fn what_is_free_and_what_is_pinned_is_read_and_written() {
        let (params, problems) = Params::read(&Query::parse("tp=0&pp=4&zero=any&recompute=selective"));
        assert_eq!(problems, []);
        let pins = params.pins;
        assert_eq!((pins.tp, pins.pp, pins.zero, pins.recompute), (None, Some(4), None, Some(Recompute::Selective)));
        for name in ["tp", "zero"] {
            assert!(["0", "any"].contains(&params.query().get(name).unwrap_or_default()), "{name}");
        }
        for zero in [None, Some(0), Some(1), Some(2), Some(3)] {
            let params = Params { pins: Pins { zero, ..params.freed().pins }, ..params };
            assert_eq!(Params::read(&params.query()), (params, vec![]));
        }
        assert_eq!(Params::standard().pins.zero, Some(1));
    }
}
