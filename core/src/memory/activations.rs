//! What the forward pass keeps for the backward pass: activations, term by term, stage by stage.
//!
//! With s tokens of a sequence, b sequences of a micro-batch, h the width, a the heads and t tensor-parallel ranks, one
//! layer of a 16-bit GPT keeps (Korthikanti et al. 2022, arXiv:2205.05198, §4 and Table 2):
//!
//! | | bytes |
//! |---|---|
//! | alone | sbh (34 + 5as/h) |
//! | tensor parallel | sbh (10 + 24/t + 5as/(ht)) |
//! | with sequence parallelism too | sbh (34 + 5as/h) / t |
//! | with selective recomputation too | 34 sbh / t |
//! | full recomputation | 2 sbh |
//!
//! The 34 is 18 + 4f/h for an MLP of width f = 4h. [`Counting::Paper`] is that formula, with the model's own f: an MLP
//! without a gate, as many key–value heads as query heads, and dropout. [`Counting::Architecture`] counts what this
//! architecture keeps: its gate, its key–value heads or latents, its experts, and no dropout.
//!
//! A stage of a pipeline holds the activations of all micro-batches that are in flight on it: p − i of them on stage i
//! of p under 1F1B, more when interleaved (§4.2.3). Values are per GPU, in bytes, and exact sums of their terms. Not
//! counted: communication buffers, the workspace of kernels, and tokens as integers.

use super::layout::{LaidOut, Layout};
use super::offload::{Offload, offload};
use super::pipeline::Stage;
use super::shard::Shards;
use crate::declare::{
    Declaration, Field as _, Measure, Model, Origin, Origins, Param, Takes, all_apart, choice, headline, join, measure,
    origin, switch, whole,
};
use crate::hardware::{self, Accelerator};
use crate::model::shape::{Gated, SPECS as SHAPE};
use crate::model::{Attention, Component, ConfigProblem, ModelRef, ModelSize, QkNorm, Shape, Tensor, reference};
use crate::options;
use crate::quantity::{Unit, bytes_decimal, grouped, number};
use crate::query::{Query, Reader};
use crate::units::Bytes;

/// Where the bytes of activations come from.
pub const ORIGIN: Origin = Origin::Of(
    "Korthikanti et al. 2022, arXiv:2205.05198, §4 and Table 2; checked against Megatron-LM, calculon and EleutherAI’s cookbook",
);

/// What is computed again in the backward pass instead of being kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recompute {
    /// Nothing.
    #[default]
    None,
    /// The attention matrix: softmax, its dropout, and the weighted sum of values.
    Selective,
    /// Everything but the input of each layer.
    Full,
}

options!(Recompute {
    None: "none", "none";
    Selective: "selective", "selective";
    Full: "full", "full";
});

/// Whose count of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Counting {
    /// The formula of Korthikanti et al.
    #[default]
    Paper,
    /// What the architecture really keeps.
    Architecture,
}

options!(Counting {
    Paper: "paper", "34sbh formula";
    Architecture: "architecture", "this model";
});

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// The model; never a bare number of parameters.
    pub model: ModelRef,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Sequences of a micro-batch.
    pub mbs: u64,
    /// How the model and the sequence are split; `ep` is of no matter here.
    pub layout: Layout,
    /// What is recomputed.
    pub recompute: Recompute,
    /// FlashAttention: the attention matrix is never stored, only one fp32 number a row and head.
    pub flash: bool,
    /// Whose count.
    pub counting: Counting,
    /// The GPU, whose arithmetic an offload hides behind.
    pub gpu: &'static Accelerator,
}

/// The model that is meant if none is given.
const MODEL: &str = "llama-3-8b";
/// Most tokens of a sequence.
const MAX_SEQ: u64 = 100_000_000;
/// Most sequences of a micro-batch.
const MAX_MBS: u64 = 1_000_000;
/// Where the controls stand of what is not split.
const KEPT: &str = "Activations";

/// Tokens of a sequence.
pub(super) const SEQ: Declaration = whole("seq", "tokens of a sequence", [1, MAX_SEQ], "8192")
    .takes(Takes::Sequence)
    .label("Sequence length, tokens")
    .doubling(20);
/// Sequences of a micro-batch.
pub(super) const MBS: Declaration = whole("mbs", "sequences of a micro-batch", [1, MAX_MBS], "1")
    .takes(Takes::MicroBatch)
    .label("Micro-batch size, sequences")
    .doubling(8);
/// What is computed again.
pub(super) const RECOMPUTE: Declaration = choice(
    "recompute",
    "what the backward pass computes again: nothing, the attention matrix, or every layer",
    Recompute::LIST,
    "none",
)
.label("Recomputation");
/// Whether the attention matrix is stored.
pub(super) const FLASH: Declaration = switch("flash", "FlashAttention: the attention matrix is never stored", false)
    .label("Attention matrix")
    .labels(&["stored", "never: Flash"]);
/// Whose count of a layer.
pub(super) const COUNTING: Declaration =
    choice("counting", "the paper’s formula, or what this architecture keeps", Counting::LIST, "paper")
        .label("Activation formula");
/// The GPU.
pub(super) const GPU: Declaration =
    choice("gpu", "GPU whose memory and arithmetic are compared with", hardware::LIST, "h100-80").label("GPU");

const SIZES: [Param<Params>; 3] = [
    reference::MODEL.default(MODEL).own_control(),
    SEQ.main().at(|p: &mut Params| p.seq.slot()),
    MBS.more(KEPT).at(|p: &mut Params| p.mbs.slot()),
];

const POLICY: [Param<Params>; 5] = [
    RECOMPUTE.main().at(|p: &mut Params| p.recompute.slot()),
    FLASH.main().at(|p: &mut Params| p.flash.slot()),
    COUNTING.more(KEPT).at(|p: &mut Params| p.counting.slot()),
    GPU.more("Offload").at(|p: &mut Params| p.gpu.slot()),
    reference::GUESS.apart(),
];

impl LaidOut for Params {
    fn layout(&mut self) -> &mut Layout {
        &mut self.layout
    }
}

impl Model for Params {
    type Result = Activations;
    const ID: &'static str = "activation-memory";
    const TITLE: &'static str = "Activation memory";
    const SUMMARY: &'static str =
        "What the forward pass keeps for the backward pass, on each stage, and what recomputing it costs.";
    const PARAMS: &'static [Param<Self>] = &join::<_, 50>(&[&SIZES, &Layout::splits(), &POLICY, &all_apart(&SHAPE)]);
    const ORIGIN: Origin = ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(
            crate::memory::offload::ORIGIN,
            &[
                "offload-activations-bandwidth",
                "offload-weights-bandwidth",
                "offload-optimizer-bandwidth",
                "offload-optimizer-nvme",
            ],
        ),
        origin(
            Origin::Of(
                "Narayanan et al. 2021, arXiv:2104.04473, §2.2; Korthikanti et al. 2022, arXiv:2205.05198, §4.2.3",
            ),
            &["in-flight", "worst-stage"],
        ),
        origin(
            Origin::Of("Korthikanti et al. 2022, arXiv:2205.05198, eq. 9, for this model’s matrices"),
            &["recompute-flops-fraction"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Activations>] = &[
        headline(
            "What one layer keeps for the backward pass of one micro-batch.",
            measure("activations-per-layer", "Activations per layer and micro-batch", Unit::Bytes, |_, a| {
                a.per_layer.0
            }),
        ),
        headline(
            "What the fullest GPU keeps for the backward passes of all micro-batches in flight.",
            measure("activations", "Activations on the fullest GPU", Unit::Bytes, |_, a| a.worst.total.0),
        ),
        headline(
            "The fullest GPU while it recomputes or computes the loss.",
            measure("activations-peak", "Peak activation memory, fullest GPU", Unit::Bytes, |_, a| a.peak().0),
        ),
        measure("attention-matrix", "Attention matrix per layer", Unit::Bytes, |_, a| a.matrix.0),
        headline(
            "Micro-batches whose activations the first pipeline stage holds.",
            measure("in-flight", "Micro-batches in flight, first stage", Unit::Ratio, |_, a| {
                a.stages.first().map_or(0.0, |s| s.stage.in_flight)
            }),
        ),
        measure("worst-stage", "Fullest stage (first is 0)", Unit::Count, |_, a| a.worst.stage.index as f64),
        headline(
            "What recomputation costs, over a training step without it.",
            measure("recompute-flops-fraction", "FLOPs added by recomputation", Unit::Fraction, |_, a| {
                a.recompute_flops
            }),
        ),
        measure("recompute-working", "Working memory per recomputed layer", Unit::Bytes, |_, a| a.worst.working.0),
        measure("activations-head", "Activations of the output head", Unit::Bytes, |_, a| a.worst.head.0),
        measure(
            "offload-activations-bandwidth",
            "Bandwidth to hide offloaded activations",
            Unit::BytesPerSecond,
            |_, a| a.offload[0].bandwidth(),
        ),
        measure(
            "offload-weights-bandwidth",
            "Bandwidth to hide offloaded weights and gradients",
            Unit::BytesPerSecond,
            |_, a| a.offload[1].bandwidth(),
        ),
        measure(
            "offload-optimizer-bandwidth",
            "Bandwidth to hide offloaded optimizer states",
            Unit::BytesPerSecond,
            |_, a| a.offload[2].bandwidth(),
        ),
        measure("offload-optimizer-nvme", "Slowdown with optimizer states on one NVMe drive", Unit::Ratio, |_, a| {
            a.offload[2].slowdown(super::offload::LINKS[2].bandwidth)
        }),
    ];

    fn evaluate(&self) -> Result<Activations, String> {
        activations(self).map_err(|e| e.message)
    }

    fn translate(query: &mut Query) {
        super::translate_switches(query);
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }
}

impl Params {
    fn check(&self) -> Result<&Shape, ConfigProblem> {
        let Some(shape) = self.model.shape() else {
            return Err(ConfigProblem::new(
                "model",
                "Activations follow from sizes, not from a number of parameters: choose a model, or give its sizes.",
            ));
        };
        if let Some(problem) = shape.check().into_iter().next() {
            return Err(problem);
        }
        if self.seq == 0 || self.mbs == 0 {
            return Err(ConfigProblem::new("seq", "seq and mbs must both be at least 1."));
        }
        self.layout.check(&self.model, self.layout.ep)?;
        Ok(shape)
    }
}

/// Which part of a layer keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Attention.
    Attention,
    /// The MLP or the experts.
    Mlp,
    /// The norms.
    Norms,
}

impl Part {
    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match self {
            Part::Attention => "attention",
            Part::Mlp => "MLP",
            Part::Norms => "norms",
        }
    }
}

/// One thing that a layer keeps of one micro-batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// `attention-input`, `softmax`, …
    pub id: &'static str,
    /// What a person reads.
    pub label: &'static str,
    /// The part of the layer.
    pub part: Part,
    /// Bytes of one element: 2, 1 for a dropout mask, 4 for fp32.
    pub bytes: f64,
    /// Elements over all ranks.
    pub elements: f64,
    /// Ranks that share it.
    pub ranks: f64,
    /// Whether it is the attention matrix: what selective recomputation and FlashAttention do not keep.
    pub is_matrix: bool,
}

impl Term {
    /// Bytes on one GPU.
    pub fn total(&self) -> f64 {
        self.bytes * self.elements / self.ranks
    }

    /// The formula with its numbers put in: "2 bytes × 33.6 M / 8".
    pub fn formula(&self) -> String {
        let bytes = if self.bytes == 1.0 { "1 byte".to_owned() } else { format!("{} bytes", number(self.bytes)) };
        let shared = if self.ranks > 1.0 { format!(" / {}", number(self.ranks)) } else { String::new() };
        format!("{bytes} × {}{shared}", crate::quantity::count(self.elements))
    }
}

/// What layers keep, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Activations {
    /// What was asked.
    pub params: Params,
    /// What one layer keeps of one micro-batch; the heavier kind, where some are mixtures of experts.
    pub terms: Vec<Term>,
    /// What the layer computes again, or never stores, instead.
    pub dropped: Vec<Term>,
    /// The sum of `terms`.
    pub per_layer: Bytes,
    /// The attention matrix of one layer, whether kept or not.
    pub matrix: Bytes,
    /// Stage by stage.
    pub stages: Vec<StageMemory>,
    /// The fullest stage.
    pub worst: StageMemory,
    /// FLOPs added by recomputation, as a fraction of forward and backward without it. Attention counted whole.
    ///
    /// Korthikanti et al. give 2.7 % for GPT-3 with selective recomputation: their equation 9 adds s/6h, which is three
    /// passes over the attention matrix. Recomputation runs it forward once, which is a third of that.
    pub recompute_flops: f64,
    /// What could be moved off the fullest GPU.
    pub offload: [Offload; 3],
}

/// What one stage of the pipeline keeps at its fullest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageMemory {
    /// The stage: its layers and the micro-batches in flight.
    pub stage: Stage,
    /// Activations of its layers, all micro-batches in flight.
    pub layers: Bytes,
    /// The dropout mask of the embedding, on the first stage ([`Counting::Paper`] only).
    pub embedding: Bytes,
    /// The inputs of the last norm and of the output matrix, and fp32 logits, on the last stage.
    pub head: Bytes,
    /// The sum of the three.
    pub total: Bytes,
    /// What one of its layers needs while it is recomputed, beyond what is kept; 0 if nothing is.
    pub working: Bytes,
    /// The highest point of a step: `total`, or, when the head's activations are gone, the rest with the layer being
    /// recomputed.
    pub peak: Bytes,
}

/// What one policy of recomputation comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy {
    /// The policy.
    pub recompute: Recompute,
    /// What one layer keeps of one micro-batch.
    pub per_layer: Bytes,
    /// What the fullest GPU keeps.
    pub kept: Bytes,
    /// Its highest point.
    pub peak: Bytes,
    /// FLOPs added, as a fraction of those without.
    pub flops: f64,
}

/// One point of the course of a step; see [`Activations::curve`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Whether it is in the backward pass.
    pub backward: bool,
    /// The layer of the stage that has just run, from 1; 0 for the embedding, one more than the layers for the head.
    pub layer: u64,
    /// Activations at that moment.
    pub bytes: Bytes,
}

/// Computes what is kept. An error if the layout does not fit the model: `tp` that does not divide the heads, more
/// stages than layers, virtual stages that do not come out even.
pub fn activations(params: &Params) -> Result<Activations, ConfigProblem> {
    let shape = params.check()?;
    let kinds = [false, true].map(|moe| Layer::new(params, shape, moe));
    let [dense, mixture] = &kinds;
    let sorts = shape.sorts();
    let heavier = match (sorts[0] > 0, sorts[1] > 0) {
        (true, true) if dense.kept() > mixture.kept() => dense,
        (true, false) => dense,
        _ => mixture,
    };
    let stages: Vec<StageMemory> = params
        .layout
        .pipeline
        .stages(shape.num_hidden_layers)
        .map(|stage| {
            let first = stage.first_layer;
            let dense_layers = sorts[0].saturating_sub(first).min(stage.layers) as f64;
            let layers = stage.layers as f64;
            let one = dense_layers * dense.kept() + (layers - dense_layers) * mixture.kept();
            let whole = params.token_elements() * shape.hidden_size as f64 / params.sequence_ranks();
            let last = stage.index + 1 == params.layout.pipeline.stages;
            let embedding = match params.counting {
                Counting::Paper if stage.index == 0 => whole * stage.in_flight,
                _ => 0.0,
            };
            let logits =
                params.token_elements() * shape.vocab_size as f64 / (params.layout.tp * params.layout.cp) as f64;
            let head = if last { 4.0 * whole + 4.0 * logits } else { 0.0 };
            let kept = one * stage.in_flight;
            let working = [(dense, dense_layers), (mixture, layers - dense_layers)];
            let working =
                working.into_iter().filter(|(_, n)| *n > 0.0).map(|(kind, _)| kind.working()).fold(0.0, f64::max);
            StageMemory {
                stage,
                layers: Bytes(kept),
                embedding: Bytes(embedding),
                head: Bytes(head),
                total: Bytes(kept + embedding + head),
                working: Bytes(working),
                peak: Bytes(kept + embedding + working.max(head)),
            }
        })
        .collect();
    let worst = stages.iter().copied().reduce(|a, b| if b.total.0 > a.total.0 { b } else { a });
    let Some(worst) = worst else {
        return Err(ConfigProblem::new("pp", "A pipeline has at least one stage."));
    };
    let recompute_flops = recompute_flops(params, shape);
    let size = ModelSize::of(shape)?;
    let held =
        Shards::new(&params.model, &size, &params.layout).held(&worst.stage, params.layout.pipeline.stages).params();
    let kept = worst.layers.0 / worst.stage.in_flight.max(f64::MIN_POSITIVE);
    Ok(Activations {
        params: *params,
        per_layer: Bytes(heavier.kept()),
        matrix: Bytes(heavier.matrix()),
        terms: heavier.terms.clone(),
        dropped: heavier.dropped(),
        stages,
        worst,
        recompute_flops,
        offload: offload(params, shape, kept, worst.stage.in_flight, held, recompute_flops),
    })
}

fn recompute_flops(params: &Params, shape: &Shape) -> f64 {
    let flops = shape.forward_flops(params.seq, false);
    let again = match params.recompute {
        Recompute::None => 0.0,
        Recompute::Selective => flops.scores + flops.values,
        Recompute::Full => flops.total() - flops.lm_head - flops.other,
    };
    let model = 3.0 * flops.total();
    if model > 0.0 { again / model } else { 0.0 }
}

impl Params {
    /// Tokens of a micro-batch: s·b.
    fn token_elements(&self) -> f64 {
        self.seq as f64 * self.mbs as f64
    }

    /// Ranks that share what is split along the sequence: cp, times tp with sequence parallelism.
    fn sequence_ranks(&self) -> f64 {
        let l = &self.layout;
        (if l.sp { l.tp } else { 1 }) as f64 * l.cp as f64
    }
}

/// One kind of layer: what it would keep with nothing recomputed, and what it keeps.
struct Layer {
    all: Vec<Term>,
    terms: Vec<Term>,
}

impl Layer {
    fn new(params: &Params, shape: &Shape, moe: bool) -> Self {
        let all = match params.counting {
            Counting::Paper => paper(params, shape, moe),
            Counting::Architecture => architecture(params, shape, moe),
        };
        let terms = match params.recompute {
            Recompute::None => all.iter().filter(|t| !(params.flash && t.is_matrix)).copied().collect(),
            Recompute::Selective => all.iter().filter(|t| !t.is_matrix && t.id != "log-sum-exp").copied().collect(),
            Recompute::Full => vec![Term {
                id: "layer-input",
                label: "Input of the layer",
                part: Part::Norms,
                bytes: 2.0,
                elements: params.token_elements() * shape.hidden_size as f64,
                ranks: params.sequence_ranks(),
                is_matrix: false,
            }],
        };
        Self { all, terms }
    }

    fn kept(&self) -> f64 {
        self.terms.iter().map(Term::total).sum()
    }

    fn dropped(&self) -> Vec<Term> {
        self.all.iter().filter(|t| !self.terms.contains(t)).copied().collect()
    }

    fn matrix(&self) -> f64 {
        self.all.iter().filter(|t| t.is_matrix).map(Term::total).sum()
    }

    /// What comes back while the layer is recomputed: everything it does not keep (the input of a layer is the input of its
    /// first norm). With FlashAttention the matrix never
    /// comes back.
    fn working(&self) -> f64 {
        let flash = self.all.iter().any(|t| t.id == "log-sum-exp");
        let all: f64 = self.all.iter().filter(|t| !(flash && t.is_matrix)).map(Term::total).sum();
        let missing = all - self.kept();
        missing.max(0.0)
    }
}

/// Collects terms: tokens × width elements, split over all ranks or along the sequence only.
struct Terms {
    list: Vec<Term>,
    tokens: f64,
    seq: f64,
    heads: f64,
    split: f64,
    along: f64,
    /// The share of the layers that have what is being added.
    share: f64,
}

impl Terms {
    fn new(params: &Params, shape: &Shape) -> Self {
        Self {
            list: Vec::with_capacity(24),
            tokens: params.token_elements(),
            seq: params.seq as f64,
            heads: shape.num_attention_heads as f64,
            split: (params.layout.tp * params.layout.cp) as f64,
            along: params.sequence_ranks(),
            share: 1.0,
        }
    }

    fn push(&mut self, (id, label): (&'static str, &'static str), part: Part, bytes: f64, width: f64, ranks: f64) {
        let elements = self.tokens * width * self.share;
        if elements > 0.0 {
            self.list.push(Term { id, label, part, bytes, elements, ranks, is_matrix: false });
        }
    }

    /// Split over the tensor-parallel ranks.
    fn split(&mut self, name: (&'static str, &'static str), part: Part, bytes: f64, width: f64) {
        self.push(name, part, bytes, width, self.split);
    }

    /// Whole on every tensor-parallel rank, unless there is sequence parallelism.
    fn whole(&mut self, name: (&'static str, &'static str), part: Part, bytes: f64, width: f64) {
        self.push(name, part, bytes, width, self.along);
    }

    /// The attention matrix: b·a·s² elements.
    fn matrix(&mut self, (id, label): (&'static str, &'static str), bytes: f64) {
        let elements = self.tokens * self.seq * self.heads * self.share;
        let part = Part::Attention;
        self.list.push(Term { id, label, part, bytes, elements, ranks: self.split, is_matrix: true });
    }

    fn log_sum_exp(&mut self) {
        let heads = self.heads;
        self.split(("log-sum-exp", "FlashAttention’s log-sum-exp, fp32"), Part::Attention, 4.0, heads);
    }
}

/// The terms of §4.1, with f for 4h: attention 11sbh + 5as²b, MLP 3sbh + 4sbf, norms 4sbh.
fn paper(params: &Params, shape: &Shape, moe: bool) -> Vec<Term> {
    use Part::{Attention, Mlp, Norms};
    let h = shape.hidden_size as f64;
    let f = match shape.moe {
        Some(m) if moe => m.intermediate_size as f64 * m.num_experts_per_tok as f64 + m.shared_intermediate_size as f64,
        _ => shape.intermediate_size as f64,
    };
    let mut t = Terms::new(params, shape);
    t.whole(("norm-inputs", "Inputs of the two norms"), Norms, 2.0, 2.0 * h);
    t.whole(("attention-input", "Input of q, k and v"), Attention, 2.0, h);
    t.split(("queries-keys", "Queries and keys"), Attention, 2.0, 2.0 * h);
    t.split(("values", "Values"), Attention, 2.0, h);
    t.matrix(("softmax", "Softmax of the scores"), 2.0);
    t.matrix(("softmax-mask", "Its dropout mask"), 1.0);
    t.matrix(("softmax-dropout", "The softmax after dropout"), 2.0);
    if params.flash {
        t.log_sum_exp();
    }
    t.split(("projection-input", "Input of the output projection"), Attention, 2.0, h);
    t.whole(("attention-mask", "Dropout mask after attention"), Attention, 1.0, h);
    t.whole(("mlp-input", "Input of the MLP"), Mlp, 2.0, h);
    t.split(("activation-input", "Input of the GeLU"), Mlp, 2.0, f);
    t.split(("down-input", "Input of the second matrix"), Mlp, 2.0, f);
    t.whole(("mlp-mask", "Dropout mask after the MLP"), Mlp, 1.0, h);
    t.list
}

/// What a 16-bit implementation with fused activation functions keeps of this architecture, without dropout: each
/// matrix's input, what the attention and the activation function need, and each norm's input.
fn architecture(params: &Params, shape: &Shape, moe: bool) -> Vec<Term> {
    use Part::{Attention as Attn, Mlp, Norms};
    let h = shape.hidden_size as f64;
    let heads = shape.num_attention_heads as f64;
    let mut t = Terms::new(params, shape);
    t.whole(("norm-inputs", "Inputs of the norms"), Norms, 2.0, shape.norms.per_layer as f64 * h);
    t.whole(("attention-input", "Input of the first projections"), Attn, 2.0, h);
    // Layers that are not alike count as their mean.
    let of = |layers: u64, all: u64| layers as f64 / all.max(1) as f64;
    t.share = of(shape.attention_layers(), shape.num_hidden_layers);
    let output = match shape.attention {
        Attention::Heads { kv_heads, head_dim } => {
            let (mut q, mut kv) = (heads * head_dim as f64, kv_heads as f64 * head_dim as f64);
            if let Some(own) = shape.kinds.windowed {
                let windowed = of(shape.window_layers(), shape.attention_layers());
                let mean = |a: f64, b: u64| a + windowed * (b as f64 * own.head_dim as f64 - a);
                (q, kv) = (mean(q, own.heads), mean(kv, own.kv_heads));
            }
            if shape.qk_norm != QkNorm::None {
                t.split(("qk-norm-inputs", "Inputs of the query and key norms"), Norms, 2.0, q + kv);
            }
            t.split(("queries", "Queries"), Attn, 2.0, q);
            t.split(("keys", "Keys"), Attn, 2.0, kv);
            // Values and the output of all heads, where a value isn't as wide as a key.
            let value = of(shape.value_dim(shape.heads()[0]), head_dim);
            t.split(("values", "Values"), Attn, 2.0, kv * value);
            q * value
        }
        Attention::Latent { q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim } => {
            // Each latent is kept twice: before its norm and, as the input of its up-projection, after it.
            let latent = q_lora_rank.unwrap_or(0) as f64 + kv_lora_rank as f64;
            t.whole(("latents", "Latents, before and after their norms"), Attn, 2.0, 2.0 * latent);
            let qk = heads * (qk_nope_head_dim as f64 + qk_rope_head_dim as f64);
            t.split(("queries", "Queries"), Attn, 2.0, qk);
            t.split(("keys", "Keys"), Attn, 2.0, qk);
            let values = heads * v_head_dim as f64;
            t.split(("values", "Values"), Attn, 2.0, values);
            values
        }
    };
    t.matrix(("softmax", "Softmax of the scores"), 2.0);
    if params.flash {
        t.log_sum_exp();
    }
    t.split(("projection-input", "Input of the output projection"), Attn, 2.0, output);
    if let Some(state) = shape.kinds.state {
        t.share = of(state.layers, shape.num_hidden_layers);
        let mixer = |t: &Tensor| t.component == Component::Mixers && matches!(t.name, "mixer_in" | "mixer_out");
        let width = |t: Tensor| if t.name == "mixer_in" { t.rows } else { t.cols } as f64;
        let wide = shape.tensors().into_iter().filter(mixer).map(width).sum();
        t.split(("linear-layers", "Inputs, gates and outputs of linear and state-space layers"), Attn, 2.0, wide);
    }

    let [plain, mixtures] = shape.sorts();
    t.share = if moe { of(shape.moe_layers(), mixtures) } else { of(shape.dense_layers(), plain) };
    let gated = shape.gated_mlp == Gated::Yes;
    let mut mlp = |before: (&'static str, &'static str), after: (&'static str, &'static str), f: f64| {
        t.split(before, Mlp, 2.0, if gated { 2.0 * f } else { f });
        t.split(after, Mlp, 2.0, f);
    };
    match shape.moe {
        Some(m) if moe => {
            let used = m.num_experts_per_tok as f64;
            mlp(("expert-hidden", "Gate and up of the experts"), ("expert-down-input", "Their products"), {
                m.intermediate_size as f64 * used
            });
            let shared = m.shared_intermediate_size as f64;
            mlp(
                ("shared-hidden", "Gate and up of the shared experts"),
                ("shared-down-input", "Their products"),
                shared,
            );
            t.whole(("mlp-input", "Input of the router and shared experts"), Mlp, 2.0, h);
            t.whole(("expert-input", "Tokens sent to experts"), Mlp, 2.0, h * used);
            t.whole(("router-probabilities", "Router probabilities, fp32"), Mlp, 4.0, m.num_experts as f64);
            if shape.kinds.dense_beside_experts {
                let f = shape.intermediate_size as f64;
                let kept = if gated { 3.0 * f } else { 2.0 * f };
                t.split(("beside-experts", "Inside of the MLP beside the experts"), Mlp, 2.0, kept);
            }
        }
        _ => {
            let hidden = if gated { "Gate and up" } else { "Input of the activation function" };
            let f = shape.intermediate_size as f64;
            mlp(("activation-input", hidden), ("down-input", "Input of the down projection"), f);
            t.whole(("mlp-input", "Input of the MLP"), Mlp, 2.0, h);
        }
    }
    t.list
}

impl Activations {
    /// Activations on the fullest stage through the step of one more micro-batch: forward layer by layer, the head if it
    /// is there, then backward, with the others that are in flight below it all the while. While a layer is recomputed,
    /// what it had not kept is there too. The highest point is the peak.
    pub fn curve(&self) -> Vec<Point> {
        let StageMemory { stage, layers, embedding, head, .. } = self.worst;
        let n = stage.layers;
        let flights = stage.in_flight.max(1.0);
        let one = layers.0 / flights / n.max(1) as f64;
        let base = self.others().0;
        let mask = embedding.0 / flights;
        let mut points = vec![Point { backward: false, layer: 0, bytes: Bytes(base + mask) }];
        let forward = (1..=n).map(|l| Point { backward: false, layer: l, bytes: Bytes(base + mask + one * l as f64) });
        points.extend(forward);
        let full = base + mask + one * n as f64 + head.0;
        if head.0 > 0.0 {
            points.push(Point { backward: true, layer: n + 1, bytes: Bytes(full) });
        }
        let backward = (1..=n).rev().map(|l| {
            let kept = base + mask + one * l as f64;
            Point { backward: true, layer: l, bytes: Bytes(kept + self.worst.working.0) }
        });
        points.extend(backward);
        points
    }

    /// What the other micro-batches in flight keep on the fullest stage while one runs.
    pub fn others(&self) -> Bytes {
        let StageMemory { stage, layers, embedding, .. } = self.worst;
        (layers + embedding) * (1.0 - 1.0 / stage.in_flight.max(1.0))
    }

    /// Where the highest point of a step is, and why.
    pub fn why_peak(&self) -> String {
        let w = &self.worst;
        let peak = bytes_decimal(w.peak.0);
        if w.working.0 > 0.0 && w.peak > w.total {
            let working = bytes_decimal(w.working.0);
            return format!(
                "The step peaks at {peak} where the backward pass begins: all that is kept is there, and the last layer comes \
                 back whole, {working}, while it is recomputed."
            );
        }
        if w.head.0 > 0.0 {
            let head = bytes_decimal(w.head.0);
            return format!(
                "The step peaks at {peak} between the passes: every layer’s activations are there, and {head} of the head, \
                 whose logits are fp32."
            );
        }
        format!(
            "The step peaks at {peak} between the passes, when every layer’s activations are there and none has been used."
        )
    }

    /// Why the fullest stage is the fullest; none if there is only one.
    pub fn why_worst(&self) -> Option<String> {
        let least = self.stages.iter().min_by(|a, b| a.total.0.total_cmp(&b.total.0))?;
        let (w, n) = (&self.worst, self.stages.len() as u64);
        (n > 1).then(|| {
            let flights = |s: &StageMemory| {
                format!("{} layers × {} in flight", grouped(s.stage.layers), number(s.stage.in_flight))
            };
            let head = if w.head.0 > 0.0 { ", and the head" } else { "" };
            format!(
                "Stage {} of {} keeps the most: {}, for {}{head}. Stage {} keeps {}, for {}.",
                grouped(w.stage.index + 1),
                grouped(n),
                bytes_decimal(w.total.0),
                flights(w),
                grouped(least.stage.index + 1),
                bytes_decimal(least.total.0),
                flights(least)
            )
        })
    }

    /// What becomes of a term that is not kept.
    pub fn not_kept(&self, term: &Term) -> &'static str {
        let fused = self.params.flash && term.is_matrix;
        if fused || self.params.recompute == Recompute::None { "never stored" } else { "computed again" }
    }

    /// The same under each policy of recomputation.
    pub fn policies(&self) -> [Policy; 3] {
        [Recompute::None, Recompute::Selective, Recompute::Full].map(|recompute| {
            // What is possible stays possible: a policy changes nothing that is checked.
            let other = activations(&Params { recompute, ..self.params });
            let looked = |look: fn(&Activations) -> f64| other.as_ref().map_or(0.0, look);
            Policy {
                recompute,
                per_layer: Bytes(looked(|a| a.per_layer.0)),
                kept: Bytes(looked(|a| a.worst.total.0)),
                peak: Bytes(looked(|a| a.worst.peak.0)),
                flops: looked(|a| a.recompute_flops),
            }
        })
    }

    /// The highest point of [`Activations::curve`].
    pub fn peak(&self) -> Bytes {
        self.worst.peak
    }

    /// The picture in two or three sentences, with its numbers.
    pub fn finding(&self) -> String {
        let p = &self.params;
        let share = if self.per_layer.0 > 0.0 {
            let kept: f64 = self.terms.iter().filter(|t| t.is_matrix).map(Term::total).sum();
            kept / self.per_layer.0 * 100.0
        } else {
            0.0
        };
        let matrix = if share > 0.0 {
            format!("{}% of it the attention matrix", number(share.round()))
        } else {
            "none of it the attention matrix".to_owned()
        };
        let where_ = match p.layout.pipeline.stages {
            1 => "the GPU".to_owned(),
            n => format!("stage {} of {} is the fullest and", self.worst.stage.index + 1, grouped(n)),
        };
        let cost = match p.recompute {
            Recompute::None => String::new(),
            _ => format!(" Recomputing costs {}% more FLOPs.", number((self.recompute_flops * 1000.0).round() / 10.0)),
        };
        format!(
            "A layer keeps {} of each micro-batch, {matrix}; {where_} keeps {} at its fullest.{cost}",
            bytes_decimal(self.per_layer.0),
            bytes_decimal(self.worst.total.0)
        )
    }
}
