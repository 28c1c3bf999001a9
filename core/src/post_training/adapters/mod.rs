//! LoRA: two thin matrices beside each frozen one.
//!
//! W + (α/r)·BA with A of r × in and B of out × r (Hu et al. 2021, arXiv:2106.09685, §4.1): r(in + out) parameters for a matrix of
//! in × out. DoRA adds a magnitude for each output (Liu et al. 2024, arXiv:2402.09353); rank-stabilised LoRA divides by √r
//! (Kalajdzievski 2023, arXiv:2312.03732). Which matrices a name means is the business of the model's code: where q, k and v are one fused
//! matrix, an adapter on q is one on all three.

pub mod figure;
mod finding;
#[cfg(test)]
mod tests;

use crate::memory::shard::{Elements, split};
use crate::model::{Component, Family, ModelRef, Shape, Tensor};
use crate::options;

/// Which matrices get an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Targets {
    /// Queries and values, as in the paper.
    QueryValue,
    /// All of attention.
    Attention,
    /// The MLP alone.
    Mlp,
    /// Queries, values and the MLP.
    QueryValueMlp,
    /// Every linear layer but the head.
    #[default]
    AllLinear,
}

options!(Targets {
    QueryValue: "qv", "q, v";
    Attention: "qkvo", "q, k, v, o";
    Mlp: "mlp", "MLP";
    QueryValueMlp: "qv-mlp", "q, v, MLP";
    AllLinear: "all-linear", "all linear";
});

/// The kind of adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variant {
    /// α/r.
    #[default]
    Lora,
    /// With a magnitude for each output.
    Dora,
    /// α/√r.
    RankStabilised,
}

options!(Variant {
    Lora: "lora", "LoRA";
    Dora: "dora", "DoRA";
    RankStabilised: "rslora", "rsLoRA";
});

/// Which matrices a model's code has as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fused {
    /// None.
    #[default]
    Apart,
    /// Queries, keys and values.
    Qkv,
    /// These, and gate with up.
    QkvGateUp,
}

impl Fused {
    /// Those of a family, as transformers 4.57 has them.
    pub const fn of_family(family: Family) -> Self {
        match family {
            Family::Gpt2
            | Family::Codegen
            | Family::GptNeox
            | Family::GptBigcode
            | Family::Mpt
            | Family::Falcon
            | Family::Bloom => Self::Qkv,
            Family::Phi3 => Self::QkvGateUp,
            _ => Self::Apart,
        }
    }

    /// Those of a model; an architecture of the reader's own has none.
    pub fn of(model: &ModelRef) -> Self {
        const QKV: [&str; 5] = ["gpt2", "gpt3", "gpt-neox", "falcon", "bloom"];
        match model {
            ModelRef::Preset(preset) if preset.id == "starcoder" || QKV.iter().any(|id| preset.id.starts_with(id)) => {
                Self::Qkv
            }
            ModelRef::Preset(preset) if preset.id.starts_with("phi-3") => Self::QkvGateUp,
            _ => Self::Apart,
        }
    }
}

/// A matrix with an adapter, as often as it occurs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adapted {
    /// What it is called.
    pub name: &'static str,
    /// Inputs.
    pub inputs: u64,
    /// Outputs.
    pub outputs: u64,
    /// How often it occurs.
    pub count: u64,
    /// Ranks by which one of several tensor-parallel ranks divides its outputs and its inputs.
    by: (f64, f64),
}

/// The parts of an adapter that a rank and a kind decide.
#[derive(Debug, Clone, PartialEq)]
pub struct Adapter {
    /// The rank.
    pub rank: u64,
    /// The kind.
    pub variant: Variant,
    /// The matrices.
    pub matrices: Vec<Adapted>,
}

impl Targets {
    fn has(self, tensor: &Tensor) -> bool {
        let attention = matches!(tensor.component, Component::Attention | Component::Mixers);
        let query_value = attention && (tensor.name.starts_with("q_") || tensor.name == "v_proj");
        let mlp = matches!(tensor.component, Component::Mlp | Component::SharedExperts | Component::Experts);
        match self {
            Targets::QueryValue => query_value,
            Targets::Attention => attention,
            Targets::Mlp => mlp,
            Targets::QueryValueMlp => query_value || mlp,
            Targets::AllLinear => {
                attention || mlp || matches!(tensor.component, Component::Router) || tensor.name.starts_with("project_")
            }
        }
    }

    /// Whether a matrix of this kind is adapted.
    pub fn has_mlp(self) -> bool {
        !matches!(self, Targets::QueryValue | Targets::Attention)
    }
}

impl Adapter {
    /// The adapter of an architecture on one of `tp` tensor-parallel ranks; all of it with 1.
    pub fn new(shape: &Shape, fused: Fused, targets: Targets, rank: u64, variant: Variant, tp: u64) -> Self {
        // A router or experts that are kept as plain tensors are no linear modules.
        let plain = |t: &Tensor| match shape.moe {
            Some(moe) => {
                (moe.router_bias && t.name == "router") || (moe.expert_bias && t.component == Component::Experts)
            }
            None => false,
        };
        let mut matrices: Vec<Adapted> = Vec::with_capacity(12);
        let tensors = shape.tensors();
        let groups: [(&[&str], &'static str); 2] =
            [(&["q_proj", "k_proj", "v_proj"], "qkv_proj"), (&["gate_proj", "up_proj"], "gate_up_proj")];
        let groups = match fused {
            Fused::Apart => &groups[..0],
            Fused::Qkv => &groups[..1],
            Fused::QkvGateUp => &groups[..],
        };
        for tensor in tensors.iter().filter(|t| t.is_matrix() && targets.has(t) && !plain(t)) {
            let group = groups.iter().find(|(names, _)| names.contains(&tensor.name));
            let name = group.map_or(tensor.name, |(_, name)| *name);
            if matrices.iter().any(|m| m.name == name) {
                continue;
            }
            let outputs = group.map_or(tensor.rows, |(names, _)| {
                tensors.iter().filter(|t| names.contains(&t.name)).map(|t| t.rows).fold(0, u64::saturating_add)
            });
            let by = split(tensor, shape, tp);
            matrices.push(Adapted { name, inputs: tensor.cols, outputs, count: tensor.count, by });
        }
        Self { rank, variant, matrices }
    }

    /// Matrices that are adapted, each as often as it occurs.
    pub fn modules(&self) -> u64 {
        self.matrices.iter().map(|m| m.count).fold(0, u64::saturating_add)
    }

    /// Tensors of the adapter's file.
    pub fn tensors(&self) -> u64 {
        self.modules().saturating_mul(if self.variant == Variant::Dora { 3 } else { 2 })
    }

    /// Parameters that are trained, on all ranks together.
    pub fn params(&self) -> u64 {
        let one = |m: &Adapted| {
            let magnitudes = if self.variant == Variant::Dora { m.outputs } else { 0 };
            let pair = self.rank.saturating_mul(m.inputs.saturating_add(m.outputs));
            pair.saturating_add(magnitudes).saturating_mul(m.count)
        };
        self.matrices.iter().map(one).fold(0, u64::saturating_add)
    }

    /// What one rank holds: A is cut where the matrix's inputs are, B where its outputs are.
    pub fn elements(&self) -> Elements {
        let one = |m: &Adapted| {
            let (outputs, inputs) = (m.outputs as f64 / m.by.0, m.inputs as f64 / m.by.1);
            let (rank, count) = (self.rank as f64, m.count as f64);
            let magnitudes = if self.variant == Variant::Dora { outputs } else { 0.0 };
            Elements {
                params: (rank * (inputs + outputs) + magnitudes) * count,
                hidden_matrices: rank * (inputs + outputs) * count,
                factors: (inputs + outputs + 2.0 * rank + magnitudes) * count,
                ..Elements::default()
            }
        };
        self.matrices.iter().map(one).fold(Elements::default(), |sum, one| sum + one)
    }

    /// What the product BA is multiplied by.
    pub fn scaling(&self, alpha: f64) -> f64 {
        let rank = self.rank.max(1) as f64;
        alpha / if self.variant == Variant::RankStabilised { rank.sqrt() } else { rank }
    }
}
