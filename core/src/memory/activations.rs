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

use super::pipeline::{Pipeline, Stage};
use crate::catalogue::{Entry, Evaluation};
use crate::model::shape::{Gated, SPECS as SHAPE};
use crate::model::{Attention, ConfigProblem, ModelRef, QkNorm, Shape, presets, reference};
use crate::quantity::{Quantity, Unit, bytes_decimal, grouped, number};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader, join};
use crate::units::Bytes;

/// What is computed again in the backward pass instead of being kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recompute {
    /// Nothing.
    None,
    /// The attention matrix: softmax, its dropout, and the weighted sum of values.
    Selective,
    /// Everything but the input of each layer.
    Full,
}

impl Recompute {
    /// The name in a query string.
    pub const fn id(self) -> &'static str {
        match self {
            Recompute::None => "none",
            Recompute::Selective => "selective",
            Recompute::Full => "full",
        }
    }

    fn find(id: &str) -> Self {
        match id {
            "selective" => Recompute::Selective,
            "full" => Recompute::Full,
            _ => Recompute::None,
        }
    }
}

/// Whose count of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// The formula of Korthikanti et al.
    Paper,
    /// What the architecture really keeps.
    Architecture,
}

impl Counting {
    /// The name in a query string.
    pub const fn id(self) -> &'static str {
        match self {
            Counting::Paper => "paper",
            Counting::Architecture => "architecture",
        }
    }
}

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The model; never a bare number of parameters.
    pub model: ModelRef,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Sequences of a micro-batch.
    pub mbs: u64,
    /// Tensor-parallel ranks; divides the heads.
    pub tp: u64,
    /// Sequence parallelism: what tensor parallelism leaves whole is split along the sequence over the same ranks.
    pub sp: bool,
    /// Context-parallel ranks: every activation is split along the sequence over them.
    pub cp: u64,
    /// The pipeline: stages, virtual stages of each, micro-batches of a step.
    pub pipeline: Pipeline,
    /// What is recomputed.
    pub recompute: Recompute,
    /// FlashAttention: the attention matrix is never stored, only one fp32 number a row and head.
    pub flash: bool,
    /// Whose count.
    pub counting: Counting,
}

const fn ranks(name: &'static str, doc: &'static str, max: u64) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Integer { min: 1, max }, default: "1" }
}

const fn flag(name: &'static str, doc: &'static str) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Choice(&["false", "true", "0", "1"]), default: "false" }
}

const MODEL: ParamSpec = ParamSpec { default: "llama-3-8b", ..reference::SPECS[0] };
const MAX_SEQ: u64 = 100_000_000;
const MAX_RANKS: u64 = 65_536;

const OWN: [ParamSpec; 13] = [
    MODEL,
    ParamSpec {
        name: "seq",
        doc: "tokens of a sequence",
        kind: Kind::Integer { min: 1, max: MAX_SEQ },
        default: "8192",
    },
    ranks("mbs", "sequences of a micro-batch", 1_000_000),
    ranks("tp", "tensor-parallel ranks", MAX_RANKS),
    flag("sp", "sequence parallelism over the tensor-parallel ranks"),
    ranks("cp", "context-parallel ranks", MAX_RANKS),
    ranks("pp", "pipeline stages", MAX_RANKS),
    ranks("vpp", "virtual stages of each pipeline stage: more than 1 is the interleaved schedule", 10_000),
    ranks("microbatches", "micro-batches of a step", 1_000_000),
    ParamSpec {
        name: "recompute",
        doc: "what the backward pass computes again: nothing, the attention matrix, or every layer",
        kind: Kind::Choice(&["none", "selective", "full"]),
        default: "none",
    },
    flag("flash", "FlashAttention: the attention matrix is never stored"),
    ParamSpec {
        name: "counting",
        doc: "the paper’s formula, or what this architecture keeps",
        kind: Kind::Choice(&["paper", "architecture"]),
        default: "paper",
    },
    reference::SPECS[2],
];

const PARAMS: [ParamSpec; 46] = join(&[&OWN, &SHAPE]);

const QUANTITIES: &[(&str, &str, Unit)] = &[
    ("activations-per-layer", "Activations of one layer and micro-batch", Unit::Bytes),
    ("activations", "Activations on the fullest GPU", Unit::Bytes),
    ("activations-peak", "with the layer being recomputed", Unit::Bytes),
    ("attention-matrix", "of one layer: the attention matrix", Unit::Bytes),
    ("in-flight", "Micro-batches in flight on the first stage", Unit::Ratio),
    ("worst-stage", "Fullest stage, from 0", Unit::Count),
    ("recompute-flops-fraction", "FLOPs added by recomputation", Unit::Fraction),
];

/// This model in the catalogue.
pub const ENTRY: Entry = Entry {
    id: "activation-memory",
    title: "Activation memory",
    summary: "What the forward pass keeps for the backward pass, on each stage, and what recomputing it costs.",
    params: &PARAMS,
    quantities: QUANTITIES,
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        let query = params.query();
        match activations(&params) {
            Ok(result) => Evaluation { query, problems, quantities: result.quantities(), error: None },
            Err(error) => Evaluation { query, problems, quantities: Vec::new(), error: Some(error.message) },
        }
    },
};

fn default_model() -> ModelRef {
    ModelRef::Preset(presets::find(MODEL.default).unwrap_or(&presets::ALL[0]))
}

impl Default for Params {
    /// Llama 3 8B, one sequence of 8192 tokens, nothing split, nothing recomputed.
    fn default() -> Self {
        Self {
            model: default_model(),
            seq: 8192,
            mbs: 1,
            tp: 1,
            sp: false,
            cp: 1,
            pipeline: Pipeline { stages: 1, virtual_stages: 1, microbatches: 1 },
            recompute: Recompute::None,
            flash: false,
            counting: Counting::Paper,
        }
    }
}

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(&PARAMS, query);
        let preset = presets::find(MODEL.default).unwrap_or(&presets::ALL[0]);
        let mut int = |name: &str, max: u64| reader.integer(name).clamp(1, max);
        let (seq, mbs) = (int("seq", MAX_SEQ), int("mbs", 1_000_000));
        let (tp, cp) = (int("tp", MAX_RANKS), int("cp", MAX_RANKS));
        let pipeline = Pipeline {
            stages: int("pp", MAX_RANKS),
            virtual_stages: int("vpp", 10_000),
            microbatches: int("microbatches", 1_000_000),
        };
        let params = Self {
            model: ModelRef::read_shape(&mut reader, query, preset),
            seq,
            mbs,
            tp,
            cp,
            pipeline,
            sp: matches!(reader.choice("sp"), "true" | "1"),
            recompute: Recompute::find(reader.choice("recompute")),
            flash: matches!(reader.choice("flash"), "true" | "1"),
            counting: if reader.choice("counting") == "architecture" {
                Counting::Architecture
            } else {
                Counting::Paper
            },
        };
        (params, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        let mut query = self.model.query();
        let truth = |b: bool| if b { "true" } else { "false" };
        for (name, value) in [
            ("seq", self.seq),
            ("mbs", self.mbs),
            ("tp", self.tp),
            ("cp", self.cp),
            ("pp", self.pipeline.stages),
            ("vpp", self.pipeline.virtual_stages),
            ("microbatches", self.pipeline.microbatches),
        ] {
            query.set(name, value.to_string());
        }
        query.set("sp", truth(self.sp));
        query.set("recompute", self.recompute.id());
        query.set("flash", truth(self.flash));
        query.set("counting", self.counting.id());
        query
    }

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
        let heads = shape.num_attention_heads;
        let positive = [self.seq, self.mbs, self.tp, self.cp];
        if positive.contains(&0) {
            return Err(ConfigProblem::new("seq", "seq, mbs, tp and cp must all be at least 1."));
        }
        if !heads.is_multiple_of(self.tp) {
            let tp = self.tp;
            let message = format!("tp must divide the number of query heads: {heads} heads cannot be split over {tp}.");
            return Err(ConfigProblem::new("tp", message));
        }
        self.pipeline.check(shape.num_hidden_layers)?;
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
    /// The sum of `terms`.
    pub per_layer: Bytes,
    /// The attention matrix of one layer, whether kept or not.
    pub matrix: Bytes,
    /// What one layer needs while it is recomputed, beyond what is kept; 0 if nothing is.
    pub working: Bytes,
    /// Stage by stage.
    pub stages: Vec<StageMemory>,
    /// The fullest stage.
    pub worst: StageMemory,
    /// FLOPs added by recomputation, as a fraction of forward and backward without it. Attention counted whole.
    ///
    /// Korthikanti et al. give 2.7 % for GPT-3 with selective recomputation: their equation 9 adds s/6h, which is three
    /// passes over the attention matrix. Recomputation runs it forward once, which is a third of that.
    pub recompute_flops: f64,
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
    let heavier = match (shape.dense_layers() > 0, shape.moe_layers() > 0) {
        (true, true) if dense.kept() > mixture.kept() => dense,
        (true, false) => dense,
        _ => mixture,
    };
    let stages: Vec<StageMemory> = params
        .pipeline
        .stages(shape.num_hidden_layers)
        .map(|stage| {
            let first = stage.first_layer;
            let dense_layers = shape.dense_layers().saturating_sub(first).min(stage.layers) as f64;
            let layers = stage.layers as f64;
            let one = dense_layers * dense.kept() + (layers - dense_layers) * mixture.kept();
            let whole = params.token_elements() * shape.hidden_size as f64 / params.sequence_ranks();
            let last = stage.index + 1 == params.pipeline.stages;
            let embedding = match params.counting {
                Counting::Paper if stage.index == 0 => whole * stage.in_flight,
                _ => 0.0,
            };
            let logits = params.token_elements() * shape.vocab_size as f64 / (params.tp * params.cp) as f64;
            let head = if last { 4.0 * whole + 4.0 * logits } else { 0.0 };
            let kept = one * stage.in_flight;
            StageMemory {
                stage,
                layers: Bytes(kept),
                embedding: Bytes(embedding),
                head: Bytes(head),
                total: Bytes(kept + embedding + head),
            }
        })
        .collect();
    let worst = stages.iter().copied().reduce(|a, b| if b.total.0 > a.total.0 { b } else { a });
    let Some(worst) = worst else {
        return Err(ConfigProblem::new("pp", "A pipeline has at least one stage."));
    };
    Ok(Activations {
        params: *params,
        per_layer: Bytes(heavier.kept()),
        matrix: Bytes(heavier.matrix()),
        working: Bytes(heavier.working()),
        terms: heavier.terms.clone(),
        stages,
        worst,
        recompute_flops: recompute_flops(params, shape),
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
        (if self.sp { self.tp } else { 1 }) as f64 * self.cp as f64
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
}

impl Terms {
    fn new(params: &Params, shape: &Shape) -> Self {
        Self {
            list: Vec::with_capacity(24),
            tokens: params.token_elements(),
            seq: params.seq as f64,
            heads: shape.num_attention_heads as f64,
            split: (params.tp * params.cp) as f64,
            along: params.sequence_ranks(),
        }
    }

    fn push(&mut self, (id, label): (&'static str, &'static str), part: Part, bytes: f64, width: f64, ranks: f64) {
        let elements = self.tokens * width;
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
        let elements = self.tokens * self.seq * self.heads;
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
    let output = match shape.attention {
        Attention::Heads { kv_heads, head_dim } => {
            let (q, kv) = (heads * head_dim as f64, kv_heads as f64 * head_dim as f64);
            if shape.qk_norm != QkNorm::None {
                t.split(("qk-norm-inputs", "Inputs of the query and key norms"), Norms, 2.0, q + kv);
            }
            t.split(("queries", "Queries"), Attn, 2.0, q);
            t.split(("keys", "Keys"), Attn, 2.0, kv);
            t.split(("values", "Values"), Attn, 2.0, kv);
            q
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
        let base = (layers.0 + embedding.0) * (1.0 - 1.0 / flights);
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
            Point { backward: true, layer: l, bytes: Bytes(kept + self.working.0) }
        });
        points.extend(backward);
        points
    }

    /// The highest point of [`Activations::curve`].
    pub fn peak(&self) -> Bytes {
        let without_head = self.worst.layers.0 + self.worst.embedding.0 + self.working.0;
        Bytes(without_head.max(self.worst.total.0))
    }

    /// The quantities of the catalogue, in its order.
    pub fn quantities(&self) -> Vec<Quantity> {
        let values = [
            self.per_layer.0,
            self.worst.total.0,
            self.peak().0,
            self.matrix.0,
            self.stages.first().map_or(0.0, |s| s.stage.in_flight),
            self.worst.stage.index as f64,
            self.recompute_flops,
        ];
        QUANTITIES.iter().zip(values).map(|(&(id, label, unit), v)| Quantity::new(id, label, v, unit)).collect()
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
        let where_ = match p.pipeline.stages {
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
