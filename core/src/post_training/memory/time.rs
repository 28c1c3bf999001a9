//! How long the phases of a step take, at part of a GPU's peaks.
//!
//! A forward pass is the model's FLOPs ([`Shape::forward_flops`], causal); training is three of them, with an adapter two, since frozen
//! weights need no gradient, and one more where layers are recomputed. Generation reads the weights once for each token of a batch, or computes
//! longer than that; attention over the past is [`crate::kv_cache::decode`]. Every answer is as long as the longest. What GPUs say to one another
//! inside a phase is left out: these are the times of the arithmetic and of the memory, and a real run takes longer.

use super::phases::{Phase, Step, Work as Phases};
use super::{Params, Role};
use crate::declare::Origin;
use crate::kv_cache::Keeps;
use crate::kv_cache::decode::{Way, Work, work};
use crate::kv_cache::models::Named;
use crate::memory::activations::Recompute;
use crate::memory::offload::LINKS;
use crate::model::{ModelRef, Shape};
use crate::post_training::held::Tune;

/// Where the times of phases come from.
pub const ORIGIN: Origin = Origin::Own(
    "FLOPs and bytes of each phase at the shares of the GPU’s peaks that you set, without communication inside a phase",
);

/// Generation on one engine.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Generation {
    /// Engines.
    pub engines: f64,
    /// Sequences that each generates in all.
    pub share: f64,
    /// Of these, at once.
    pub at_once: f64,
    /// Times that it begins anew.
    pub waves: f64,
    /// Seconds of reading the prompts.
    pub prefill: f64,
    /// Seconds of generating.
    pub decode: f64,
    /// Bytes of the cache on one GPU.
    pub cache: f64,
}

impl Params {
    fn shape(&self, role: Role) -> Shape {
        self.model_of(role).shape().copied().unwrap_or_default()
    }

    /// FLOPs of a forward pass over one sequence.
    fn forward(&self, role: Role) -> f64 {
        let flops = self.shape(role).forward_flops(self.tokens(), true);
        let head = if matches!(role, Role::Reward | Role::Critic) { flops.lm_head } else { 0.0 };
        (flops.total() - head) * self.tokens() as f64
    }

    /// FLOPs a second of one GPU in large products.
    fn rate(&self) -> f64 {
        self.gpu.peak * self.mfu / 100.0
    }

    /// Seconds of a forward pass over every sequence, on `gpus` GPUs.
    pub fn scoring(&self, role: Role, gpus: u64) -> f64 {
        self.forward(role) * self.sequences() / (gpus.max(1) as f64 * self.rate())
    }

    /// Seconds of training on every sequence.
    pub fn training(&self, role: Role, gpus: u64) -> f64 {
        let backward = if matches!(self.tune_of(role), Some(Tune::Full)) { 2.0 } else { 1.0 };
        let again = if self.recompute == Recompute::Full { 1.0 } else { 0.0 };
        self.scoring(role, gpus) * (1.0 + backward + again) * self.epochs as f64
    }

    /// Bytes of the policy's weights on one GPU of an engine.
    pub fn engine_weights(&self) -> f64 {
        let count = self.model.size().map_or(0.0, |size| size.params);
        count * self.dtype.bytes().min(2.0) / self.gen_tp.max(1) as f64
    }

    /// Bytes of the cache of one sequence on one GPU of an engine.
    fn sequence_cache(&self) -> f64 {
        let shape = self.shape(Role::Policy);
        crate::kv_cache::values_per_rank(&shape, self.gen_tp)
            * crate::kv_cache::token_layers(&shape, self.tokens(), shape.num_hidden_layers)
            * self.kv_dtype.bytes()
    }

    /// Generation on `gpus` GPUs with `room` bytes for the cache on each.
    pub fn generation(&self, gpus: u64, room: f64) -> Generation {
        let shape = self.shape(Role::Policy);
        let tp = self.gen_tp.max(1) as f64;
        let engines = (gpus as f64 / tp).floor().max(1.0);
        let share = (self.sequences() / engines).ceil().max(1.0);
        let each = self.sequence_cache().max(1.0);
        // One sequence is generated even where it does not fit: the verdict says so.
        let fit = (room / each).floor().max(1.0);
        let at_once = share.min(fit).min(if self.at_once == 0 { f64::INFINITY } else { self.at_once as f64 });
        let waves = (share / at_once).ceil();
        let (rate, bandwidth) = (self.rate(), self.gpu.bandwidth * self.mbu / 100.0);
        let count = shape.count().unwrap_or_default();
        let active = count.active as f64;
        // Of an embedding that is not the output matrix too, a row is read for each token.
        let unread = count.lookup as f64 * self.dtype.bytes().min(2.0) / tp;
        let prefill = shape.forward_flops(self.prompt, true).total() * self.prompt as f64 * share / (tp * rate);
        let weights = ((self.engine_weights() - unread) / bandwidth).max(2.0 * active * at_once / (tp * rate));
        let past = self.prompt as f64 + 0.5 * self.response as f64;
        let named = named(&self.model, &shape);
        let way = if matches!(named.cache.layers[0].keeps, Keeps::Latent { .. }) { Way::Absorbed } else { Way::Cached };
        let attention: f64 = named
            .cache
            .layers
            .iter()
            .map(|layers| {
                let flop = work(&named, layers.keeps, way).flop;
                // The heads of an engine's GPUs share both.
                let on_rank = Work { flop: flop / tp, values: layers.keeps.values_on_rank(self.gen_tp) as f64 };
                let seen = layers.window.map_or(past, |window| past.min(window as f64));
                layers.count as f64 * seen * on_rank.seconds(self.kv_dtype.bytes(), rate, bandwidth)
            })
            .sum();
        let decode = waves * self.response as f64 * (weights + at_once * attention);
        Generation { engines, share, at_once, waves, prefill, decode, cache: at_once * each }
    }

    /// The part of a step's FLOPs that generation does.
    pub fn flop_share(&self, step: &Step) -> f64 {
        if !self.method.generates() {
            return 0.0;
        }
        let one = self.forward(Role::Policy) * self.sequences();
        let each = |phase: &Phase| match phase.work {
            Phases::Sync => 0.0,
            Phases::Generate => one,
            // Times are FLOPs over one rate.
            Phases::Score(_) | Phases::Train(_) => phase.seconds * self.rate() * self.split().0 as f64,
        };
        one / step.phases.iter().map(each).sum::<f64>().max(f64::MIN_POSITIVE)
    }

    /// Seconds in which the engines get the policy's new weights over the link.
    pub fn weight_sync(&self) -> f64 {
        self.engine_weights() / self.link.bandwidth
    }

    /// Seconds in which so many bytes go from host memory to a GPU.
    pub fn loading(&self, bytes: f64) -> f64 {
        bytes / LINKS[0].bandwidth
    }
}

/// What decoding needs to know of the policy.
fn named(model: &ModelRef, shape: &Shape) -> Named {
    match model {
        ModelRef::Preset(preset) => Named::of(preset.id, preset.name, shape),
        _ => Named::of("", "", shape),
    }
}
