//! Models with experts, and their routers as published.

use crate::declare::{List, one_of};
use crate::model::presets;
use crate::moe::route::{Gate, Groups, Router};

const IDS: [&str; 4] = ["mixtral-8x7b", "gpt-oss-20b", "qwen3-30b-a3b", "deepseek-v3"];

/// The choices of a parameter.
pub const LIST: List = List { ids: &IDS, labels: &presets::names(&IDS) };

/// A choice of one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Model(pub &'static str);

one_of!(Model, IDS);

/// A model with experts, from its preset's shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published {
    /// What a person reads.
    pub name: &'static str,
    /// Parameters.
    pub total: f64,
    /// Those that a token uses.
    pub active: f64,
    /// The input embedding, which is looked up.
    pub lookup: f64,
    /// Layers with experts.
    pub layers: f64,
    /// Width of a hidden vector.
    pub hidden: u64,
    /// Routed experts of a layer.
    pub experts: u64,
    /// Width of one.
    pub width: u64,
    /// Width of all shared experts together.
    pub shared: u64,
    /// The router.
    pub router: Router,
    /// GPUs over which its experts are spread as it is run: DeepSeek-V3 on 64 (arXiv:2412.19437, §3.2), the others on a node.
    pub spread: u64,
}

impl Published {
    /// Parameters of an expert: three matrices of hidden × width.
    pub fn expert(&self) -> f64 {
        3.0 * self.hidden as f64 * self.width as f64
    }
}

impl Model {
    /// The gate, the groups and the scale of its router: `norm_topk_prob`, `scoring_func`, `n_group`, `topk_group` and
    /// `routed_scaling_factor` of `config.json`, and the code of transformers where it says nothing.
    fn router(self, top_k: usize) -> Router {
        let plain = Router { gate: Gate::Softmax { renormalised: true }, top_k, groups: None, scale: 1.0 };
        match self.0 {
            "gpt-oss-20b" => Router { gate: Gate::Chosen, ..plain },
            "deepseek-v3" => Router {
                gate: Gate::Sigmoid { renormalised: true },
                groups: Some(Groups { count: 8, kept: 4, best: 2 }),
                scale: 2.5,
                ..plain
            },
            _ => plain,
        }
    }

    /// What it is.
    pub fn published(self) -> Published {
        let preset = presets::find(self.0);
        let shape = preset.map(|p| p.shape).unwrap_or_default();
        let count = shape.count().unwrap_or_default();
        let moe = shape.moe;
        let experts = moe.map_or(1, |m| m.num_experts);
        Published {
            name: preset.map_or("", |p| p.name),
            total: count.total as f64,
            lookup: count.lookup as f64,
            active: count.active as f64,
            layers: moe.map_or(0.0, |m| m.layers as f64),
            hidden: shape.hidden_size,
            experts,
            width: moe.map_or(0, |m| m.intermediate_size),
            shared: moe.map_or(0, |m| m.shared_intermediate_size),
            router: self.router(moe.map_or(1, |m| m.num_experts_per_tok as usize)),
            spread: if self.0 == "deepseek-v3" { 64 } else { 8 },
        }
    }
}
