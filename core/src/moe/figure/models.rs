//! Models with experts, and their routers as published.

use crate::model::{ModelRef, Moe};
use crate::moe::route::{Gate, Groups, Router};

/// A model with experts, from its preset's shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// What a person reads.
    pub name: String,
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

/// Most experts of a layer whose routing is drawn and computed.
pub const MOST_EXPERTS: u64 = 1024;

/// The gate, the groups and the scale of a router: `norm_topk_prob`, `scoring_func`, `n_group`, `topk_group` and `routed_scaling_factor` of
/// `config.json`, and the code of transformers where it says nothing. Of a model that is not among these a shape says only whether the
/// router has a bias that corrects it, which comes with sigmoids (DeepSeek-V3 and its successors).
fn router(id: &str, moe: Option<Moe>) -> Router {
    let top_k = moe.map_or(1, |m| m.num_experts_per_tok as usize);
    let plain = Router { gate: Gate::Softmax { renormalised: true }, top_k, groups: None, scale: 1.0 };
    match id {
        "gpt-oss-20b" | "gpt-oss-120b" => Router { gate: Gate::Chosen, ..plain },
        "deepseek-v3" => Router {
            gate: Gate::Sigmoid { renormalised: true },
            groups: Some(Groups { count: 8, kept: 4, best: 2 }),
            scale: 2.5,
            ..plain
        },
        _ if moe.is_some_and(|m| m.router_bias && !m.expert_bias) => {
            Router { gate: Gate::Sigmoid { renormalised: true }, ..plain }
        }
        _ => plain,
    }
}

impl Published {
    /// What a model is; one without experts has a single one, of no width.
    pub fn of(model: &ModelRef) -> Self {
        let shape = model.shape().copied().unwrap_or_default();
        let count = shape.count().unwrap_or_default();
        let moe = shape.moe;
        let id = if let ModelRef::Preset(preset) = model { preset.id } else { "" };
        let experts = moe.map_or(1, |m| m.num_experts.clamp(1, MOST_EXPERTS));
        let spread = if id == "deepseek-v3" { 64 } else { 8 };
        Published {
            name: model.name(),
            total: count.total as f64,
            lookup: count.lookup as f64,
            active: count.active as f64,
            layers: moe.map_or(0.0, |m| m.layers as f64),
            hidden: shape.hidden_size,
            experts,
            width: moe.map_or(0, |m| m.intermediate_size),
            shared: moe.map_or(0, |m| m.shared_intermediate_size),
            router: router(id, moe),
            // The most of these that the experts come out over.
            spread: (0..=u64::trailing_zeros(spread))
                .map(|p| 1 << p)
                .filter(|n| experts.is_multiple_of(*n))
                .max()
                .unwrap_or(1),
        }
    }

    /// Parameters of an expert: three matrices of hidden × width.
    pub fn expert(&self) -> f64 {
        3.0 * self.hidden as f64 * self.width as f64
    }
}
