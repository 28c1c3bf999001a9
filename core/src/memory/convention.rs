//! Who counts how: ZeRO's paper, DeepSpeed's estimators, Megatron-LM.
//!
//! The three agree on what exists and differ in what they count. With 16-bit weights and Adam, before sharding:
//!
//! | | weights | gradients | master, m, v | bytes per parameter |
//! |---|---|---|---|---|
//! | `zero` | 2 | 2 | 4 + 4 + 4 | 16 |
//! | `deepspeed` | 2 | 2, and an fp32 copy: 4 | 12 | 20; its stage-3 estimate leaves the 16-bit gradients out: 18 |
//! | `megatron` | 2 | fp32 main gradients only: 4 | 12 | 18 |
//!
//! Training in fp32 has no master copy and no second gradient copy, so that they all count 4 + 4 + 8 = 16 with Adam.

use super::optimizer::Optimizer;
use super::precision::Dtype;
use super::shard::{Elements, Held};
use crate::declare::Origin;
use crate::options;
use crate::quantity::{count, number};

/// Where the counts of model states come from.
pub const ORIGIN: Origin = Origin::Of(
    "Rajbhandari et al. 2020 (ZeRO), arXiv:1910.02054, §3.1, §5 and Figure 1; microsoft/DeepSpeed at 38327e0, deepspeed/runtime/zero/stage_1_and_2.py and stage3.py (estimate_zero2_model_states_mem_needs, estimate_zero3_model_states_mem_needs); NVIDIA/Megatron-LM at d98e8a6, megatron/training/theoretical_memory_usage.py",
);

/// Whose way of counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Convention {
    /// The ZeRO paper's 2Ψ + 2Ψ + KΨ.
    #[default]
    Zero,
    /// DeepSpeed's estimators.
    DeepSpeed,
    /// Megatron-LM's report.
    Megatron,
}

/// What a term of memory is for. A concept has one colour in every chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Concept {
    /// The weights that the forward pass reads.
    Weights,
    /// What the backward pass writes.
    Gradients,
    /// What the optimizer keeps between steps: master copy and moments.
    Optimizer,
    /// What the forward pass keeps for the backward pass.
    Activations,
    /// The keys and values of the tokens before, in inference.
    KvCache,
}

impl Concept {
    /// All concepts, in the order in which they are stacked.
    pub const ALL: [Concept; 5] =
        [Concept::Weights, Concept::Gradients, Concept::Optimizer, Concept::Activations, Concept::KvCache];

    /// The id of its quantity.
    pub const fn id(self) -> &'static str {
        match self {
            Concept::Weights => "weights",
            Concept::Gradients => "gradients",
            Concept::Optimizer => "optimizer",
            Concept::Activations => "activations",
            Concept::KvCache => "kv-cache",
        }
    }

    /// What a person reads, in a sentence.
    pub const fn in_text(self) -> &'static str {
        match self {
            Concept::Weights => "weights",
            Concept::Gradients => "gradients",
            Concept::Optimizer => "optimizer states",
            Concept::Activations => "activations",
            Concept::KvCache => "KV cache",
        }
    }

    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match self {
            Concept::Weights => "Weights",
            Concept::Gradients => "Gradients",
            Concept::Optimizer => "Optimizer states",
            Concept::Activations => "Activations",
            Concept::KvCache => "KV cache",
        }
    }
}

/// One thing that a GPU holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// `weights`, `gathered-layer`, `gradients`, `gradients-fp32`, `master`, `momentum`, `variance`, `absmax`.
    pub id: &'static str,
    /// What a person reads.
    pub label: &'static str,
    /// What it is for.
    pub concept: Concept,
    /// Bytes of one element.
    pub bytes: f64,
    /// Elements before ZeRO partitions them.
    pub elements: f64,
    /// What the elements are, if they are not all parameters.
    pub of: &'static str,
    /// Ranks that share it: those that ZeRO partitions over if this stage does, otherwise 1.
    pub ranks: f64,
    /// Whether it is of routed experts only, because other ranks share those.
    pub of_experts: bool,
}

impl Term {
    /// Bytes on one GPU.
    pub fn total(&self) -> f64 {
        self.bytes * self.elements / self.ranks
    }

    /// The formula with its numbers put in: "2 bytes × 30 B / 64".
    pub fn formula(&self) -> String {
        let bytes = if self.bytes == 1.0 { "1 byte".to_owned() } else { format!("{} bytes", number(self.bytes)) };
        let of = if self.of.is_empty() { String::new() } else { format!(" {}", self.of) };
        let shared = if self.ranks > 1.0 { format!(" / {}", number(self.ranks)) } else { String::new() };
        format!("{bytes} × {}{of}{shared}", count(self.elements))
    }
}

/// How far the model states are partitioned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharding {
    /// ZeRO stage, 0 to 3.
    pub stage: u8,
    /// Ranks that hold the same parameters, at least 1.
    pub ranks: f64,
    /// Ranks that hold the same routed experts, at least 1.
    pub expert_ranks: f64,
}

impl Sharding {
    /// The stage from which on a concept is partitioned (ZeRO §5); never, for what is no model state.
    const fn partitioned_from(concept: Concept) -> u8 {
        match concept {
            Concept::Optimizer => 1,
            Concept::Gradients => 2,
            Concept::Weights => 3,
            Concept::Activations | Concept::KvCache => u8::MAX,
        }
    }
}

options!(Convention {
    Zero: "zero", "ZeRO paper";
    DeepSpeed: "deepspeed", "DeepSpeed";
    Megatron: "megatron", "Megatron-LM";
});

impl Convention {
    /// Whose it is: "the ZeRO paper".
    pub const fn author(self) -> &'static str {
        match self {
            Convention::Zero => "the ZeRO paper",
            Convention::DeepSpeed => "DeepSpeed’s estimators",
            Convention::Megatron => "Megatron-LM",
        }
    }

    /// Where it is written down.
    pub const fn source(self) -> &'static str {
        match self {
            Convention::Zero => "Rajbhandari et al., ZeRO, arXiv:1910.02054, §3.1 and §5",
            Convention::DeepSpeed => {
                "microsoft/DeepSpeed deepspeed/runtime/zero/stage_1_and_2.py and stage3.py at 38327e0"
            }
            Convention::Megatron => "NVIDIA/Megatron-LM megatron/training/theoretical_memory_usage.py at d98e8a6",
        }
    }

    /// Everything that one GPU holds of the model's states, weights first; `gathered` is the number of elements of the
    /// largest layer. All terms are finite and not negative.
    pub fn terms(
        self,
        held: &Held,
        gathered: f64,
        dtype: Dtype,
        optimizer: Optimizer,
        sharding: Sharding,
    ) -> Vec<Term> {
        let mut terms = Vec::with_capacity(16);
        let apart = held.experts.params > 0.0 && sharding.expert_ranks != sharding.ranks;
        let parts = if apart {
            [Some((held.shared, sharding.ranks, false)), Some((held.experts, sharding.expert_ranks, true))]
        } else {
            [Some((held.all(), sharding.ranks, false)), None]
        };
        for (elements, ranks, of_experts) in parts.into_iter().flatten() {
            self.states(&elements, ranks, of_experts, (dtype, optimizer, sharding.stage), &mut terms);
        }
        if self == Convention::DeepSpeed && sharding.stage == 3 {
            terms.push(Term {
                id: "gathered-layer",
                label: "Largest layer, gathered while it runs",
                concept: Concept::Weights,
                bytes: 4.0,
                elements: gathered,
                of: "of the largest layer",
                ranks: 1.0,
                of_experts: false,
            });
        }
        terms.sort_by_key(|t| t.concept);
        terms
    }

    fn states(
        self,
        held: &Elements,
        ranks: f64,
        of_experts: bool,
        (dtype, optimizer, stage): (Dtype, Optimizer, u8),
        terms: &mut Vec<Term>,
    ) {
        let n = held.params;
        let (mixed, half) = (dtype.is_mixed(), dtype.bytes());
        let mut add = |id, label, concept, from: u8, bytes, elements, of| {
            let ranks = if stage >= from { ranks } else { 1.0 };
            terms.push(Term { id, label, concept, bytes, elements, of, ranks, of_experts });
        };
        let from = Sharding::partitioned_from;
        add("weights", "Weights", Concept::Weights, from(Concept::Weights), half, n, "");
        let gradients = from(Concept::Gradients);
        match self {
            Convention::Zero => add("gradients", "Gradients", Concept::Gradients, gradients, half, n, ""),
            Convention::Megatron => {
                add("gradients", "Main gradients, fp32", Concept::Gradients, gradients, 4.0, n, "");
            }
            Convention::DeepSpeed => {
                // The stage-3 estimate counts the fp32 copy only: 18 bytes where stage 2 counts 2 + 18.
                if !mixed || stage < 3 {
                    add("gradients", "Gradients", Concept::Gradients, gradients, half, n, "");
                }
            }
        }
        let states = from(Concept::Optimizer);
        if mixed {
            add("master", "Master weights, fp32", Concept::Optimizer, states, 4.0, n, "");
        }
        for s in optimizer.states(held) {
            add(s.id, s.label, Concept::Optimizer, states, s.bytes, s.elements, s.of);
        }
        if self == Convention::DeepSpeed && mixed {
            // The fp32 copy belongs to the optimizer's partition: it is sharded from stage 1 on.
            add("gradients-fp32", "Gradients, fp32 copy", Concept::Gradients, states, 4.0, n, "");
        }
    }
}
