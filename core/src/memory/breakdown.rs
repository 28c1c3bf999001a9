//! What one GPU holds, of the pipeline stage that holds the most, and whether it fits.
//!
//! With Ψ parameters in mixed precision and K bytes of optimizer state a parameter (12 for Adam: fp32 master copy,
//! momentum, variance), a GPU of N_d data-parallel ranks holds, by stage of ZeRO:
//! 0: (2 + 2 + K)Ψ · 1: 2Ψ + 2Ψ + KΨ/N_d · 2: 2Ψ + (2 + K)Ψ/N_d · 3: (2 + 2 + K)Ψ/N_d
//! (Rajbhandari et al., ZeRO, arXiv:1910.02054, §5.1–5.4 and Figure 1). [`Convention`] has the other ways of counting.
//! Under tensor, expert and pipeline parallelism Ψ is what a GPU of that stage holds ([`super::shard`]); activations
//! ([`super::activations`]) are counted once `seq` is given. In inference a GPU holds weights and the KV cache
//! ([`crate::kv_cache`]).
//!
//! Shards are Ψ/N_d exactly: padding to whole elements is not counted. What nobody can compute (CUDA context,
//! communication buffers, fragmentation) is a range beside the total ([`super::overhead`]).

use std::fmt;

use super::activations::{COUNTING, Counting, FLASH, GPU, MBS, RECOMPUTE, Recompute, SEQ};
use super::advice::{self, Suggestion};
use super::convention::{Concept, Convention};
use super::layout::{LaidOut, Layout};
use super::optimizer::Optimizer;
use super::overhead::{Basis, Overhead, Range};
use super::plan::{Parts, PipelineRow, Plan};
use super::precision::Dtype;
use super::shard::Held;
use super::verdict::Verdict;
use crate::declare::{
    Applies, Field as _, Measure, Model, Origin, Origins, Param, Takes, all_apart, all_quiet, applies, choice, doc,
    headline, join, measure, origin, switch, when, whole, within, yes_no,
};
use crate::hardware::Accelerator;
use crate::model::shape::SPECS as SHAPE;
use crate::model::{ConfigProblem, ModelRef, ModelSize, reference};
use crate::options;
use crate::quantity::{Unit, bytes_decimal, grouped, number};
use crate::query::{Problem, Query, Reader};
use crate::serving::step::Quant;
use crate::units::Bytes;

/// Most data-parallel ranks.
pub const MAX_DP: u64 = 65_536;

/// What the GPU is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Weights, gradients, optimizer states, activations.
    #[default]
    Training,
    /// Weights and the KV cache.
    Inference,
}

options!(Mode {
    Training: "training", "training";
    Inference: "inference", "inference";
});

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// The model.
    pub model: ModelRef,
    /// The type of weights and gradients. 16-bit types mean mixed precision with an fp32 master copy.
    pub dtype: Dtype,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// Whose way of counting.
    pub convention: Convention,
    /// ZeRO stage, 0 to 3.
    pub zero: u8,
    /// Data-parallel ranks, 1 to 65 536.
    pub dp: u64,
    /// The GPU whose memory it is compared with.
    pub gpu: &'static Accelerator,
    /// Training or inference.
    pub mode: Mode,
    /// How the model and the sequence are split, data parallelism and ZeRO aside.
    pub layout: Layout,
    /// Tokens of a sequence. Activations and the KV cache are counted only if it is given, and an architecture with it.
    pub seq: Option<u64>,
    /// Sequences of a micro-batch; in inference, those served at once.
    pub mbs: u64,
    /// What is computed again instead of kept.
    pub recompute: Recompute,
    /// FlashAttention: the attention matrix is never stored.
    pub flash: bool,
    /// Whose count of activations.
    pub counting: Counting,
    /// The type of the KV cache.
    pub kv_dtype: Dtype,
    /// In inference, weights have the form of the model's checkpoint.
    pub as_stored: bool,
}

/// Where the controls stand of what model states depend on.
const JOB: &str = "Precision and optimizer";
/// Where those stand of what is kept beside them.
const LOAD: &str = "Activations and KV cache";

const OWN: [Param<Params>; 9] = [
    reference::MODEL.own_control(),
    reference::COUNT.own_control(),
    reference::GUESS.apart(),
    choice(
        "dtype",
        "type of weights and gradients; bf16 and fp16 keep an fp32 master copy in the optimizer",
        Dtype::TRAINING_LIST,
        "bf16",
    )
    .label("Precision")
    .more(JOB)
    .at(|p: &mut Params| p.dtype.slot()),
    choice("optimizer", "optimizer", Optimizer::LIST, "adamw")
        .label("Optimizer")
        .more(JOB)
        .at(|p: &mut Params| p.optimizer.slot()),
    choice(
        "convention",
        "whose way of counting: the ZeRO paper’s, DeepSpeed’s, Megatron-LM’s",
        Convention::LIST,
        "zero",
    )
    .label("Counting convention")
    .more(JOB)
    .at(|p: &mut Params| p.convention.slot()),
    whole("zero", "ZeRO stage", [0, 3], "0")
        .takes(Takes::Zero)
        .label("ZeRO stage")
        .drawn()
        .at(|p: &mut Params| p.zero.slot()),
    whole("dp", "data-parallel ranks", [1, MAX_DP], "64")
        .takes(Takes::Data)
        .label("Data-parallel ranks")
        .doubling(16)
        .main()
        .at(|p: &mut Params| p.dp.slot()),
    GPU.main().at(|p: &mut Params| p.gpu.slot()),
];

const BESIDE: [Param<Params>; 8] = all_quiet([
    choice("mode", "training, or inference: weights and KV cache", Mode::LIST, "training")
        .label("Workload")
        .more(LOAD)
        .at(|p: &mut Params| p.mode.slot()),
    SEQ.doc("tokens of a sequence; activations and the KV cache are counted if it is given")
        .default("")
        .more(LOAD)
        .at(|p: &mut Params| p.seq.slot()),
    MBS.doc("sequences of a micro-batch; in inference, those served at once")
        .more(LOAD)
        .at(|p: &mut Params| p.mbs.slot()),
    RECOMPUTE.more(LOAD).at(|p: &mut Params| p.recompute.slot()),
    FLASH.default("true").more(LOAD).at(|p: &mut Params| p.flash.slot()),
    COUNTING.default("architecture").more(LOAD).at(|p: &mut Params| p.counting.slot()),
    choice("kv_dtype", "in inference: type of the KV cache", Dtype::CACHE_LIST, "bf16")
        .label("Cache format")
        .more(LOAD)
        .at(|p: &mut Params| p.kv_dtype.slot()),
    switch("as_stored", "in inference: whether weights are as the model’s checkpoint stores them", true)
        .label("Weights")
        .labels(&["in the precision above", "as in the checkpoint"])
        .more(LOAD)
        .at(|p: &mut Params| p.as_stored.slot()),
]);

impl LaidOut for Params {
    fn layout(&mut self) -> &mut Layout {
        &mut self.layout
    }
}

impl Model for Params {
    type Result = Breakdown;
    const ID: &'static str = "memory-breakdown";
    const TITLE: &'static str = "Memory breakdown";
    const SUMMARY: &'static str =
        "What a model takes on each GPU, in training or inference, under any layout, and whether it fits.";
    const PARAMS: &'static [Param<Self>] =
        &join::<_, 60>(&[&OWN, &BESIDE, &all_quiet(Layout::params()), &all_apart(&SHAPE)]);
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["optimizer", "convention"], |p| p.mode == Mode::Training),
        applies(&["mbs"], |p| p.model.shape().is_some()),
        applies(&["recompute", "flash", "counting"], |p| p.mode == Mode::Training && p.model.shape().is_some()),
        applies(&["as_stored"], |p| p.mode == Mode::Inference && p.model.stored().quant != Quant::Bf16),
        applies(&["kv_dtype"], |p| p.mode == Mode::Inference && p.model.shape().is_some()),
    ];
    const ORIGIN: Origin = crate::memory::convention::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(crate::model::params::ORIGIN, &["params"]),
        origin(crate::memory::activations::ORIGIN, &["activations"]),
        origin(crate::kv_cache::ORIGIN, &["kv-cache", "kv-per-token"]),
        origin(crate::memory::overhead::ORIGIN, &["overhead-low", "overhead-high"]),
        origin(crate::hardware::ORIGIN, &["capacity"]),
        origin(Origin::Rows, &["total", "headroom", "fits", "max-sequences"]),
        origin(Origin::Controls, &["gpus"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Breakdown>] = &[
        measure("params", "Parameters", Unit::Count, |_, b| b.size.params),
        headline(
            "What a GPU holds of the weights.",
            measure("weights", "Weights", Unit::Bytes, |_, b| b.parts.weights.0),
        ),
        when(
            |p, _| p.mode == Mode::Training,
            headline(
                "What a GPU holds of the gradients.",
                measure("gradients", "Gradients", Unit::Bytes, |_, b| b.parts.gradients.0),
            ),
        ),
        when(
            |p, _| p.mode == Mode::Training,
            headline(
                "What a GPU holds of the optimizer’s states.",
                measure("optimizer", "Optimizer states", Unit::Bytes, |_, b| b.parts.optimizer.0),
            ),
        ),
        within(
            |_, b| b.capacity.0,
            headline("All of what a GPU holds.", measure("total", "Total", Unit::Bytes, |_, b| b.total.0)),
        ),
        measure("master", "Master weights", Unit::Bytes, |_, b| b.part("master").0),
        measure("momentum", "Momentum", Unit::Bytes, |_, b| b.part("momentum").0),
        measure("variance", "Variance", Unit::Bytes, |_, b| b.part("variance").0),
        measure("total-zero-0", "Total without ZeRO", Unit::Bytes, |_, b| b.stages[0].total.0),
        measure("total-zero-1", "Total with ZeRO-1", Unit::Bytes, |_, b| b.stages[1].total.0),
        measure("total-zero-2", "Total with ZeRO-2", Unit::Bytes, |_, b| b.stages[2].total.0),
        measure("total-zero-3", "Total with ZeRO-3", Unit::Bytes, |_, b| b.stages[3].total.0),
        measure("bytes-per-param", "Bytes per parameter, unsharded", Unit::Ratio, |_, b| b.bytes_per_param()),
        measure("capacity", "GPU memory", Unit::Bytes, |_, b| b.capacity.0),
        measure("headroom", "Memory left", Unit::Bytes, |_, b| b.headroom.0),
        yes_no(measure("fits", "Fits", Unit::Count, |_, b| f64::from(u8::from(b.verdict.possible())))),
        when(
            |p, _| p.mode == Mode::Training && p.seq.is_some(),
            headline(
                "What a GPU keeps from forward passes for backward passes.",
                measure("activations", "Activations", Unit::Bytes, |_, b| b.parts.activations.0),
            ),
        ),
        when(
            |p, _| p.mode == Mode::Inference,
            headline(
                "Keys and values of all tokens of all sequences.",
                measure("kv-cache", "KV cache", Unit::Bytes, |_, b| b.parts.kv_cache.0),
            ),
        ),
        when(
            |p, _| p.mode == Mode::Inference,
            measure("kv-per-token", "KV cache per token", Unit::Bytes, |_, b| b.kv_per_token.0),
        ),
        when(
            |p, _| p.mode == Mode::Inference,
            measure("max-sequences", "Sequences whose KV cache fits", Unit::Count, |_, b| b.max_sequences()),
        ),
        doc(
            "CUDA context, communication buffers and fragmentation.",
            measure("overhead-low", "Overhead beyond the plan, low estimate", Unit::Bytes, |_, b| {
                b.overhead.total().low.0
            }),
        ),
        doc(
            "CUDA context, communication buffers and fragmentation.",
            measure("overhead-high", "Overhead beyond the plan, high estimate", Unit::Bytes, |_, b| {
                b.overhead.total().high.0
            }),
        ),
        measure("gpus", "GPUs", Unit::Count, |p, _| p.gpus()),
        measure("worst-stage", "Fullest pipeline stage (first is 0)", Unit::Count, |_, b| b.worst.stage.index as f64),
    ];

    fn evaluate(&self) -> Result<Breakdown, String> {
        breakdown(self).map_err(|e| e.to_string())
    }

    fn translate(query: &mut Query) {
        super::translate_switches(query);
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        let query = reader.query();
        self.model = ModelRef::read(reader, query);
        if self.model.shape().is_some() {
            return;
        }
        if self.seq.take().is_some() {
            reader.problem("seq", "Activations and the KV cache follow from sizes: give a model, not only params.");
        }
        if self.layout.ep > 1 {
            self.layout.ep = 1;
            reader.problem("ep", "ep splits experts: give a model that has some. It was ignored.");
        }
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The architecture is impossible, or cannot be laid out so.
    Model(ConfigProblem),
    /// A number is out of range: its name, its value, and what is valid.
    OutOfRange(&'static str, u64, &'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Model(problem) => problem.fmt(f),
            Error::OutOfRange(name, value, valid) => write!(f, "{name} must be a whole number {valid}, not {value}."),
        }
    }
}

impl std::error::Error for Error {}

impl Params {
    /// These parameters with `changes` put over them. A change of `model` drops `params` and the other way round, so
    /// that neither is reported as a contradiction.
    pub fn with(&self, changes: &Query) -> (Self, Vec<Problem>) {
        let of_model = |name: &str| reference::SPECS.iter().chain(&SHAPE).any(|s| s.name == name);
        let replaces = changes.iter().any(|(n, v)| matches!(n, "model" | "params") && !v.trim().is_empty());
        let kept = self.query();
        let kept = Query::new(kept.iter().filter(|(n, _)| !(replaces && of_model(n))));
        Self::read(&kept.with(changes))
    }

    /// GPUs of the whole job: tp × cp × pp × dp.
    pub fn gpus(&self) -> f64 {
        self.layout.gpus() * self.dp as f64
    }

    pub(super) fn check(&self) -> Result<ModelSize, Error> {
        if self.zero > 3 {
            return Err(Error::OutOfRange("zero", self.zero.into(), "from 0 to 3"));
        }
        if !(1..=MAX_DP).contains(&self.dp) {
            return Err(Error::OutOfRange("dp", self.dp, "from 1 to 65,536"));
        }
        self.layout.check(&self.model, self.dp).map_err(Error::Model)?;
        self.model.size().map_err(Error::Model)
    }

    /// Bytes on the fullest GPU at each stage of ZeRO, and what is beside them and cannot be computed. An error if the layout
    /// is impossible.
    pub fn totals(&self) -> Result<[(Bytes, Range); 4], Error> {
        let plan = Plan::new(self)?;
        Ok([0, 1, 2, 3].map(|zero| {
            let worst = plan.worst(zero);
            (worst.parts.total(), overhead(&plan, &worst, zero).total())
        }))
    }

    /// Bytes on the fullest GPU at these parameters, and whether they fit; none if the parameters are impossible.
    pub fn judged(&self) -> Option<(Bytes, Verdict)> {
        let plan = Plan::new(self).ok()?;
        let worst = plan.worst(self.zero);
        let total = worst.parts.total();
        Some((total, Verdict::of(total, overhead(&plan, &worst, self.zero).total(), self.gpu.memory)))
    }
}

/// One term of the breakdown.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// `weights`, `master`, `activations-layers`, `kv-cache`, …; twice, if routed experts are shared by other ranks.
    pub id: &'static str,
    /// What a person reads.
    pub label: String,
    /// What it is for.
    pub concept: Concept,
    /// Bytes on one GPU.
    pub bytes: Bytes,
    /// "2 bytes × 30 B / 64".
    pub formula: String,
    /// Bytes for each parameter, if it is one element for each.
    pub each: Option<f64>,
    /// Whether it is of routed experts only, which other ranks share.
    pub of_experts: bool,
}

/// One ZeRO stage, for the side-by-side comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageRow {
    /// 0 to 3.
    pub stage: u8,
    /// What the fullest GPU holds.
    pub parts: Parts,
    /// The sum of the parts.
    pub total: Bytes,
    /// Whether it fits.
    pub verdict: Verdict,
    /// Elements that each rank sends in a step, in units of its parameters: 2 up to stage 2, 3 at stage 3 (ZeRO §7);
    /// 0 alone.
    pub communication: f64,
}

/// What one GPU holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakdown {
    /// What was asked.
    pub params: Params,
    /// The sizes of the model, with its count by component where the architecture is known.
    pub size: ModelSize,
    /// Term by term, in the order of [`Concept::ALL`].
    pub rows: Vec<Row>,
    /// What the fullest GPU holds.
    pub parts: Parts,
    /// The sum of `parts`.
    pub total: Bytes,
    /// The four stages of ZeRO at these parameters, each at its fullest GPU.
    pub stages: [StageRow; 4],
    /// Every stage of the pipeline; one, if there is none or if only a number of parameters is known.
    pub pipeline: Vec<PipelineRow>,
    /// The fullest of them.
    pub worst: PipelineRow,
    /// What is beside the total and cannot be computed.
    pub overhead: Overhead,
    /// Bytes of the KV cache of one token over all layers; 0 if only a number of parameters is known.
    pub kv_per_token: Bytes,
    /// Memory of the GPU, as sold; see [`crate::hardware`].
    pub capacity: Bytes,
    /// `capacity` − `total`: what is left for all else; negative if it does not fit.
    pub headroom: Bytes,
    /// Whether it fits.
    pub verdict: Verdict,
    /// What was assumed and whose numbers these are, for the small print.
    pub notes: Vec<String>,
}

/// Computes what one GPU holds. An error if the layout is impossible for the model: it says what would have to divide what.
pub fn breakdown(params: &Params) -> Result<Breakdown, Error> {
    let plan = Plan::new(params)?;
    let capacity = params.gpu.memory;
    let stages = [0, 1, 2, 3].map(|stage| {
        let worst = plan.worst(stage);
        let total = worst.parts.total();
        let verdict = Verdict::of(total, overhead(&plan, &worst, stage).total(), capacity);
        StageRow { stage, parts: worst.parts, total, verdict, communication: communication(params, stage) }
    });
    let worst = plan.worst(params.zero);
    let total = worst.parts.total();
    let overhead = overhead(&plan, &worst, params.zero);
    Ok(Breakdown {
        params: *params,
        size: plan.size,
        rows: rows(&plan, &worst),
        parts: worst.parts,
        total,
        stages,
        pipeline: plan.rows(params.zero).collect(),
        worst,
        overhead,
        kv_per_token: Bytes(params.model.shape().map_or(0.0, |s| s.kv_bytes_per_token(params.kv_dtype.bytes()))),
        capacity,
        headroom: capacity - total,
        verdict: Verdict::of(total, overhead.total(), capacity),
        notes: advice::notes(params, &plan.size),
    })
}

fn communication(params: &Params, stage: u8) -> f64 {
    match params.stage(stage) {
        _ if params.mode == Mode::Inference || params.layout.sharding(stage, params.dp).ranks <= 1.0 => 0.0,
        3 => 3.0,
        _ => 2.0,
    }
}

/// Term by term for one pipeline stage.
fn rows(plan: &Plan, at: &PipelineRow) -> Vec<Row> {
    let p = &plan.params;
    let mut rows: Vec<Row> = plan
        .terms(&at.held, p.zero)
        .into_iter()
        .map(|term| Row {
            id: term.id,
            label: if term.of_experts { format!("{}, of the experts", term.label) } else { term.label.to_owned() },
            concept: term.concept,
            bytes: Bytes(term.total()),
            formula: term.formula(),
            each: term.of.is_empty().then_some(term.bytes),
            of_experts: term.of_experts,
        })
        .collect();
    let mut add = |id, label: &str, concept, bytes: Bytes, formula: String| {
        if bytes.0 > 0.0 {
            rows.push(Row { id, label: label.to_owned(), concept, bytes, formula, each: None, of_experts: false });
        }
    };
    let index = usize::try_from(at.stage.index).unwrap_or(usize::MAX);
    if let Some(kept) = plan.activations.as_ref().and_then(|a| a.stages.get(index)) {
        let concept = Concept::Activations;
        let flights = kept.stage.in_flight.max(1.0);
        let layers = format!(
            "{} layers × {} in flight × {}",
            grouped(kept.stage.layers),
            number(kept.stage.in_flight),
            bytes_decimal(kept.layers.0 / flights / kept.stage.layers.max(1) as f64)
        );
        add("activations-layers", "Activations of its layers", concept, kept.layers, layers);
        let mask = "dropout mask, 1 byte an element".to_owned();
        add("activations-embedding", "Activations of the embedding", concept, kept.embedding, mask);
        if kept.peak > kept.total {
            let again = kept.peak - kept.layers - kept.embedding;
            add("activations-again", "The layer being recomputed", concept, again, "what it had not kept".to_owned());
        } else {
            let head = "two inputs, and logits in fp32".to_owned();
            add("activations-head", "Activations of the head", concept, kept.head, head);
        }
    }
    let cache = format!(
        "{} × {} tokens × {} per token",
        grouped(p.mbs),
        grouped(p.seq.unwrap_or_default()),
        bytes_decimal(at.parts.kv_cache.0 / (p.mbs as f64 * p.seq.unwrap_or(1).max(1) as f64))
    );
    add("kv-cache", "KV cache", Concept::KvCache, at.parts.kv_cache, cache);
    rows
}

fn overhead(plan: &Plan, at: &PipelineRow, zero: u8) -> Overhead {
    let p = &plan.params;
    let l = &p.layout;
    let replicas = if p.mode == Mode::Training { p.dp } else { 1 };
    let groups = [l.tp, l.cp, l.ep, l.pipeline.stages, replicas].into_iter().filter(|n| *n > 1).count();
    let element = p.dtype.bytes();
    let zero = p.stage(zero);
    let Held { shared, experts } = at.held;
    let reduced = if zero >= 1 { (shared.params + experts.params) * element } else { 0.0 };
    // DeepSpeed's own estimate has the gathered layer among its weights.
    let gathered = if zero == 3 && p.convention != Convention::DeepSpeed {
        let module = plan.size.largest_layer / l.tp.max(1) as f64 * element;
        (module, module.max(2.0 * plan.shards.layer() * element))
    } else {
        (0.0, 0.0)
    };
    Overhead::of(&Basis {
        groups: groups as f64,
        tensors: (at.parts.states() + at.parts.activations).0,
        step: plan.activations.is_some(),
        cache: at.parts.kv_cache.0,
        reduced,
        element,
        gathered,
    })
}

impl Breakdown {
    /// Bytes of the terms with this id (`master`, `momentum`, `variance`, …); 0 if there is none.
    pub fn part(&self, id: &str) -> Bytes {
        self.rows.iter().filter(|r| r.id == id).map(|r| r.bytes).sum()
    }

    /// The lowest stage of ZeRO that fits, tightly or not.
    pub fn first_stage_that_fits(&self) -> Option<&StageRow> {
        self.stages.iter().find(|s| s.verdict.possible())
    }

    /// Sequences whose KV cache fits beside the weights; 0 if no cache is counted.
    pub fn max_sequences(&self) -> f64 {
        let each = self.parts.kv_cache.0 / self.params.mbs.max(1) as f64;
        let room = self.capacity - self.parts.states();
        if each > 0.0 { (room.0 / each).floor().max(0.0) } else { 0.0 }
    }

    /// Bytes of model states for each parameter on the fullest GPU, before ZeRO.
    pub fn bytes_per_param(&self) -> f64 {
        let [whole, ..] = &self.stages;
        let held = self.worst.held.params();
        if held > 0.0 { whole.parts.states().0 / held } else { 0.0 }
    }

    /// If it does not fit: the cheapest change that would make it fit, or that nothing tried would. Tries up to a few
    /// hundred layouts.
    pub fn suggestion(&self) -> Option<Suggestion> {
        (!self.verdict.possible()).then(|| advice::cheapest(&self.params, self.total))
    }

    /// The picture in one or two sentences, with its numbers.
    pub fn finding(&self) -> String {
        advice::finding(self)
    }

    /// Whether it fits and by how much, then whether it still does with all that cannot be computed.
    pub fn verdict(&self) -> [String; 2] {
        advice::verdict(self)
    }

    /// The answer to whether it fits: with which stage of ZeRO and not with which simpler one, or by how much not. Then the cheapest change
    /// that makes it fit, with a space before it; empty where it fits.
    pub fn answer(&self) -> [String; 2] {
        advice::answer(self)
    }

    /// Why the fullest pipeline stage is the fullest; none if there is only one.
    pub fn why_worst(&self) -> Option<String> {
        advice::why_worst(self)
    }

    /// What a concept consists of: "master 4, momentum 4, variance 4 bytes", "2 bytes × 30 B", "nothing".
    pub fn each(&self, concept: Concept) -> String {
        advice::each(self, concept)
    }
}
