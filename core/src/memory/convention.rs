//! Who counts how: ZeRO's paper, DeepSpeed's estimators, Megatron-LM.
//!
//! The three agree on what exists and differ in what they count. With 16-bit weights and Adam, before sharding:
//!
//! | | weights | gradients | master, m, v | bytes a parameter |
//! |---|---|---|---|---|
//! | `zero` | 2 | 2 | 4 + 4 + 4 | 16 |
//! | `deepspeed` | 2 | 2, and an fp32 copy: 4 | 12 | 20; its stage-3 estimate leaves the 16-bit gradients out: 18 |
//! | `megatron` | 2 | fp32 main gradients only: 4 | 12 | 18 |
//!
//! Training in fp32 has no master copy and no second gradient copy, so that they all count 4 + 4 + 8 = 16 with Adam.
//!
//! Sources: Rajbhandari et al., ZeRO, arXiv:1910.02054, §3.1 and §5; microsoft/DeepSpeed
//! `deepspeed/runtime/zero/stage_1_and_2.py` (`estimate_zero2_model_states_mem_needs`) and `stage3.py`
//! (`estimate_zero3_model_states_mem_needs`) at 38327e0; NVIDIA/Megatron-LM
//! `megatron/training/theoretical_memory_usage.py` at d98e8a6.

use super::optimizer::Optimizer;
use super::precision::Dtype;
use crate::model::ModelSize;
use crate::quantity::{count, number};

/// Whose way of counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Convention {
    /// The ZeRO paper's 2Ψ + 2Ψ + KΨ.
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
}

impl Concept {
    /// All concepts, in the order in which they are stacked.
    pub const ALL: [Concept; 3] = [Concept::Weights, Concept::Gradients, Concept::Optimizer];

    /// The id of its quantity.
    pub const fn id(self) -> &'static str {
        match self {
            Concept::Weights => "weights",
            Concept::Gradients => "gradients",
            Concept::Optimizer => "optimizer",
        }
    }

    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match self {
            Concept::Weights => "Weights",
            Concept::Gradients => "Gradients",
            Concept::Optimizer => "Optimizer states",
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
    /// Elements in the whole model.
    pub elements: f64,
    /// What the elements are, if they are not all parameters.
    pub of: &'static str,
    /// Ranks that share it: `dp` if this ZeRO stage partitions it, otherwise 1.
    pub ranks: f64,
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

/// How far the model states are partitioned over `dp` ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sharding {
    /// ZeRO stage, 0 to 3.
    pub stage: u8,
    /// Data-parallel ranks, at least 1.
    pub dp: u64,
}

impl Sharding {
    /// What a stage partitions: optimizer states from 1 on, gradients from 2 on, weights from 3 on (ZeRO §5).
    fn ranks(self, concept: Concept) -> f64 {
        let from = match concept {
            Concept::Optimizer => 1,
            Concept::Gradients => 2,
            Concept::Weights => 3,
        };
        if self.stage >= from { self.dp.max(1) as f64 } else { 1.0 }
    }
}

impl Convention {
    /// All conventions, the default first.
    pub const ALL: [Convention; 3] = [Convention::Zero, Convention::DeepSpeed, Convention::Megatron];

    /// The name in a query string.
    pub const fn id(self) -> &'static str {
        match self {
            Convention::Zero => "zero",
            Convention::DeepSpeed => "deepspeed",
            Convention::Megatron => "megatron",
        }
    }

    /// Whose it is: "the ZeRO paper".
    pub const fn label(self) -> &'static str {
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

    /// The convention with this name.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.id() == id)
    }

    /// Everything that one GPU holds, weights first. All terms are finite and not negative.
    pub fn terms(self, size: &ModelSize, dtype: Dtype, optimizer: Optimizer, sharding: Sharding) -> Vec<Term> {
        let n = size.params;
        let mixed = dtype.is_mixed();
        let mut terms = Vec::with_capacity(8);
        let mut add = |id, label, concept, bytes, elements, of| {
            let ranks = sharding.ranks(concept);
            terms.push(Term { id, label, concept, bytes, elements, of, ranks });
        };
        let half = dtype.bytes();

        add("weights", "Weights", Concept::Weights, half, n, "");
        match self {
            Convention::Zero => add("gradients", "Gradients", Concept::Gradients, half, n, ""),
            Convention::Megatron => add("gradients", "Main gradients, fp32", Concept::Gradients, 4.0, n, ""),
            Convention::DeepSpeed => {
                // The stage-3 estimate counts the fp32 copy only: 18 bytes where stage 2 counts 2 + 18.
                if !mixed || sharding.stage < 3 {
                    add("gradients", "Gradients", Concept::Gradients, half, n, "");
                }
            }
        }
        if mixed {
            add("master", "Master weights, fp32", Concept::Optimizer, 4.0, n, "");
        }
        for s in optimizer.states(size) {
            add(s.id, s.label, Concept::Optimizer, s.bytes, s.elements, s.of);
        }
        if self == Convention::DeepSpeed && mixed {
            // The fp32 copy belongs to the optimizer's partition: it is sharded from stage 1 on.
            let ranks = if sharding.stage >= 1 { sharding.dp.max(1) as f64 } else { 1.0 };
            let concept = Concept::Gradients;
            let label = "Gradients, fp32 copy";
            terms.push(Term { id: "gradients-fp32", label, concept, bytes: 4.0, elements: n, of: "", ranks });
        }
        if self == Convention::DeepSpeed && sharding.stage == 3 {
            let (label, of) = ("Largest layer, gathered while it runs", "of the largest layer");
            let elements = size.largest_layer;
            let concept = Concept::Weights;
            terms.push(Term { id: "gathered-layer", label, concept, bytes: 4.0, elements, of, ranks: 1.0 });
        }
        terms.sort_by_key(|t| t.concept);
        terms
    }
}
