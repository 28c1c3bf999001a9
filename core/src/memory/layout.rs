//! How a model is laid out over GPUs: tensor, sequence, context, expert, pipeline and data parallelism.
//!
//! A job has tp × cp × pp × dp GPUs. Tensor-parallel ranks split matrices, context-parallel ranks split the sequence,
//! pipeline stages split the layers, data-parallel ranks split the batch. Expert parallelism takes its ranks from the
//! dp × cp that would otherwise hold the same experts, as Megatron-LM does (`--expert-model-parallel-size`). ZeRO
//! partitions over dp × cp ranks, and experts over dp × cp / ep.

use super::convention::Sharding;
use super::pipeline::Pipeline;
use crate::declare::{Declaration, Field as _, Param, Takes, join, switch, whole};
use crate::model::{ConfigProblem, ModelRef};
use crate::quantity::grouped;

/// A layout, data parallelism and ZeRO aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Tensor-parallel ranks; divides the query heads.
    pub tp: u64,
    /// Sequence parallelism over the tensor-parallel ranks.
    pub sp: bool,
    /// Context-parallel ranks.
    pub cp: u64,
    /// Expert-parallel ranks; divides the experts and dp × cp.
    pub ep: u64,
    /// The pipeline: stages, virtual stages of each, micro-batches of a step.
    pub pipeline: Pipeline,
}

impl Default for Layout {
    /// Nothing split.
    fn default() -> Self {
        Self { tp: 1, sp: false, cp: 1, ep: 1, pipeline: Pipeline { stages: 1, virtual_stages: 1, microbatches: 1 } }
    }
}

/// Most ranks of any kind.
pub const MAX_RANKS: u64 = 65_536;
/// Most virtual stages of a pipeline stage.
const MAX_VIRTUAL: u64 = 10_000;
/// Most micro-batches of a step.
const MAX_MICROBATCHES: u64 = 1_000_000;

/// A model that is laid out.
pub trait LaidOut {
    /// Its layout.
    fn layout(&mut self) -> &mut Layout;
}

/// Where the controls of a layout stand.
const SPLIT: &str = "Split the model";

const fn from_one(name: &'static str, doc: &'static str, max: u64) -> Declaration {
    whole(name, doc, [1, max], "1").more(SPLIT)
}

impl Layout {
    /// Its parameters without `ep`, of a model that has one: those that activations depend on.
    pub const fn splits<P: LaidOut>() -> [Param<P>; 6] {
        [
            from_one("tp", "tensor-parallel ranks", MAX_RANKS)
                .takes(Takes::Tensor)
                .label("Tensor-parallel ranks")
                .doubling(6)
                .at(|p: &mut P| p.layout().tp.slot()),
            switch("sp", "sequence parallelism over the tensor-parallel ranks", false)
                .label("Sequence parallelism")
                .more(SPLIT)
                .at(|p: &mut P| p.layout().sp.slot()),
            from_one("cp", "context-parallel ranks", MAX_RANKS)
                .takes(Takes::Context)
                .label("Context-parallel ranks")
                .doubling(7)
                .at(|p: &mut P| p.layout().cp.slot()),
            from_one("pp", "pipeline stages", MAX_RANKS)
                .takes(Takes::Pipeline)
                .label("Pipeline stages")
                .doubling(7)
                .at(|p: &mut P| p.layout().pipeline.stages.slot()),
            from_one(
                "vpp",
                "virtual stages of each pipeline stage: more than 1 is the interleaved schedule",
                MAX_VIRTUAL,
            )
            .label("Virtual stages per rank")
            .doubling(4)
            .at(|p: &mut P| p.layout().pipeline.virtual_stages.slot()),
            from_one("microbatches", "micro-batches per step", MAX_MICROBATCHES)
                .label("Micro-batches per step")
                .doubling(10)
                .at(|p: &mut P| p.layout().pipeline.microbatches.slot()),
        ]
    }

    /// All of its parameters, of a model that has one.
    pub const fn params<P: LaidOut>() -> [Param<P>; 7] {
        let ep = from_one("ep", "expert-parallel ranks, taken from dp × cp", MAX_RANKS)
            .takes(Takes::Expert)
            .label("Expert-parallel ranks")
            .doubling(8)
            .at(|p: &mut P| p.layout().ep.slot());
        join(&[&Self::splits(), &[ep]])
    }

    /// In a few words: "tp 8 · sp · pp 16 · 16 micro-batches", or "nothing split".
    pub fn in_words(&self) -> String {
        let p = self.pipeline;
        let named = |name: &str, n: u64| (n > 1).then(|| format!("{name} {}", grouped(n)));
        let parts = [
            named("tp", self.tp),
            self.sp.then(|| "sp".to_owned()),
            named("cp", self.cp),
            named("ep", self.ep),
            named("pp", p.stages),
            named("vpp", p.virtual_stages),
            (p.microbatches > 1).then(|| format!("{} micro-batches", grouped(p.microbatches))),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { "nothing split".to_owned() } else { parts.join(" · ") }
    }

    /// GPUs that share one sequence, or one copy of the model: tp × cp × pp.
    pub fn gpus(&self) -> f64 {
        self.model_ranks() * self.cp as f64
    }

    /// GPUs of one copy of the model's parameters: tp × pp.
    pub fn model_ranks(&self) -> f64 {
        self.tp as f64 * self.pipeline.stages as f64
    }

    /// How ZeRO stage `stage` partitions over `dp` data-parallel ranks of this layout.
    pub fn sharding(&self, stage: u8, dp: u64) -> Sharding {
        let ranks = dp.max(1) as f64 * self.cp.max(1) as f64;
        Sharding { stage, ranks, expert_ranks: (ranks / self.ep.max(1) as f64).max(1.0) }
    }

    /// An error if `model` cannot be laid out so over `dp` data-parallel ranks: it says what would have to divide what.
    pub fn check(&self, model: &ModelRef, dp: u64) -> Result<(), ConfigProblem> {
        let (tp, ep) = (self.tp, self.ep);
        let at_least_one = [tp, self.cp, ep, self.pipeline.stages, self.pipeline.virtual_stages];
        if at_least_one.contains(&0) || self.pipeline.microbatches == 0 {
            return Err(ConfigProblem::new("tp", "tp, cp, ep, pp, vpp and microbatches must all be at least 1."));
        }
        let replicas = dp.saturating_mul(self.cp);
        if !replicas.is_multiple_of(ep) {
            let message =
                format!("ep must divide dp × cp, whose ranks it takes: {replicas} ranks cannot be grouped by {ep}.");
            return Err(ConfigProblem::new("ep", message));
        }
        let Some(shape) = model.shape() else {
            return match ep {
                1 => Ok(()),
                _ => Err(ConfigProblem::new("ep", "ep splits experts: choose a model that has some, or ep = 1.")),
            };
        };
        let heads = shape.num_attention_heads;
        if !heads.is_multiple_of(tp) {
            let message = format!("tp must divide the number of query heads: {heads} heads cannot be split over {tp}.");
            return Err(ConfigProblem::new("tp", message));
        }
        let experts = shape.moe.map_or(1, |m| m.num_experts);
        if !experts.is_multiple_of(ep) {
            let message = match shape.moe {
                None => "ep splits experts, and this model has none: ep must be 1.".to_owned(),
                Some(_) => {
                    format!("ep must divide the number of experts: {experts} experts cannot be split over {ep}.")
                }
            };
            return Err(ConfigProblem::new("ep", message));
        }
        self.pipeline.check(shape.num_hidden_layers)
    }
}
