//! `rlhf-memory`: every model of a job of fine-tuning or reinforcement learning, what it takes on a GPU in each phase of a step, and how long that is.
//!
//! States and activations are those of [`super::held`], and through it of [`crate::memory`].

mod finding;
mod params;
mod phases;
pub mod roles;
#[cfg(test)]
mod tests;
mod time;

pub use phases::{Phase, Step, Work};
pub use roles::{Method, Role, RoleModel};
pub use time::Generation;

use super::held::{Load, Tune};
use crate::hardware::Accelerator;
use crate::hardware::links::Link;
use crate::memory::activations::Recompute;
use crate::memory::{Dtype, Optimizer};
use crate::model::ModelRef;
use crate::options;

/// Which GPUs have which models, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Placement {
    /// All of them on all GPUs.
    #[default]
    Hybrid,
    /// On all GPUs in turn, in host memory otherwise.
    Swapped,
    /// Some GPUs generate while others wait.
    Apart,
    /// Some GPUs generate while others train on what came before.
    Async,
}

options!(Placement {
    Hybrid: "hybrid", "all on all GPUs";
    Swapped: "swapped", "in turn, the rest in host memory";
    Apart: "apart", "generation on GPUs of its own";
    Async: "async", "the same, at once: samples a step old";
});

impl Placement {
    /// Whether generation has GPUs of its own.
    pub const fn is_apart(self) -> bool {
        matches!(self, Placement::Apart | Placement::Async)
    }
}

/// Where a frozen model is while others work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Where {
    /// On the GPUs.
    #[default]
    Gpu,
    /// In host memory.
    Host,
    /// It is none.
    Nowhere,
}

options!(Where {
    Gpu: "gpu", "on the GPUs";
    Host: "host", "in host memory";
    Nowhere: "none", "none";
});

/// The part of a GPU's memory that generation may fill (vLLM's default of `gpu_memory_utilization`).
const USED: f64 = crate::kv_cache::figure::USED;

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// The method.
    pub method: Method,
    /// The policy and its reference.
    pub model: ModelRef,
    /// How the policy is trained.
    pub tune: Tune,
    /// GPUs in all.
    pub gpus: u64,
    /// Which of them have which models, and when.
    pub placement: Placement,
    /// The reward model.
    pub reward: RoleModel,
    /// The critic.
    pub critic: RoleModel,
    /// How the critic is trained.
    pub critic_tune: Tune,
    /// Where the reference is.
    pub reference: Where,
    /// Where the reward model is.
    pub reward_at: Where,
    /// Rank of adapters.
    pub rank: u64,
    /// Type of what is trained.
    pub dtype: Dtype,
    /// Type of what is frozen.
    pub frozen_dtype: Dtype,
    /// Optimizer.
    pub optimizer: Optimizer,
    /// Tensor-parallel ranks in training.
    pub tp: u64,
    /// Stage of ZeRO of the policy.
    pub zero: u8,
    /// Stage of ZeRO of the critic.
    pub critic_zero: u8,
    /// Whether frozen weights are partitioned as well.
    pub shard_frozen: bool,
    /// Whether optimizer states are in host memory.
    pub offload: bool,
    /// What is recomputed.
    pub recompute: Recompute,
    /// Sequences of a micro-batch.
    pub mbs: u64,
    /// Prompts of a step, or pairs, or examples.
    pub prompts: u64,
    /// Answers to each prompt.
    pub group: u64,
    /// Tokens of a prompt.
    pub prompt: u64,
    /// Tokens of an answer.
    pub response: u64,
    /// Passes of training over each step's answers.
    pub epochs: u64,
    /// GPUs that generate, where they are apart.
    pub gen_gpus: u64,
    /// Tensor-parallel ranks in generation.
    pub gen_tp: u64,
    /// Sequences at once on an engine; 0 for as many as fit.
    pub at_once: u64,
    /// Type of the cache.
    pub kv_dtype: Dtype,
    /// What new weights travel over.
    pub link: &'static Link,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// Percent of the peak that large products reach.
    pub mfu: f64,
    /// Percent of the bandwidth that generation reaches.
    pub mbu: f64,
    /// The phase on show; 0 for all.
    pub step: u64,
}

impl Params {
    /// Tokens of a whole sequence.
    pub fn tokens(&self) -> u64 {
        self.prompt.saturating_add(self.response)
    }

    /// Sequences of a step: answers, or both of each pair.
    pub fn sequences(&self) -> f64 {
        let answers = if self.method.generates() { self.answers() } else { 1 };
        self.prompts as f64 * answers as f64 * self.method.sequences() as f64
    }

    /// Answers to each prompt.
    pub fn answers(&self) -> u64 {
        if self.method == Method::Grpo { self.group } else { 1 }
    }

    fn tune_is_quantized(&self) -> bool {
        self.tune == Tune::Qlora
    }

    fn check(&self) -> Result<(), String> {
        let (gpus, engines) = self.split();
        if self.placement.is_apart() && self.method.generates() && self.gen_gpus >= self.gpus {
            return Err(format!(
                "{} of {} GPUs generate, and none is left to train: give fewer than {}.",
                self.gen_gpus, self.gpus, self.gpus
            ));
        }
        if !gpus.is_multiple_of(self.tp) {
            return Err(format!("{gpus} GPUs train, which cannot be grouped by tp {}: give a divisor.", self.tp));
        }
        if self.method.generates() && !engines.is_multiple_of(self.gen_tp) {
            return Err(format!(
                "{engines} GPUs generate, which cannot be grouped by {} for each engine: give a divisor.",
                self.gen_tp
            ));
        }
        let heads = self.model.shape().map_or(1, |shape| shape.num_attention_heads);
        if self.method.generates() && !heads.is_multiple_of(self.gen_tp) {
            return Err(format!("An engine’s {} GPUs must divide the {heads} query heads.", self.gen_tp));
        }
        Ok(())
    }

    /// Seconds of a step: generation and training one after the other, or the longer of both at once.
    pub fn seconds(&self, step: &Step) -> f64 {
        let engine = step.seconds(Work::on_engine);
        let rest = step.seconds(|work| !work.on_engine());
        if self.placement == Placement::Async && self.method.generates() { engine.max(rest) } else { engine + rest }
    }

    /// The part of all GPUs' time in which they wait for others.
    pub fn idle(&self, step: &Step) -> f64 {
        let total = self.seconds(step);
        if !(self.placement.is_apart() && self.method.generates()) || total <= 0.0 {
            return 0.0;
        }
        let (gpus, engines) = self.split();
        let busy =
            gpus as f64 * step.seconds(|work| !work.on_engine()) + engines as f64 * step.seconds(Work::on_engine);
        (1.0 - busy / (total * self.gpus as f64)).clamp(0.0, 1.0)
    }
}
