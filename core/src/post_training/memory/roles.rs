//! The models of a job: who they are, and which of them each method has.

use super::{Params, Where};
use crate::declare::{List, one_of};
use crate::model::shape::Gated;
use crate::model::{Attention, ModelRef, Norms, Shape, presets};
use crate::options;
use crate::post_training::adapters::{Targets, Variant};
use crate::post_training::held::{Held, Load, Tune};

/// How a model is trained after pre-training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Supervised fine-tuning.
    Sft,
    /// A reward model on pairs.
    Reward,
    /// Direct preference optimization on pairs.
    Dpo,
    /// Proximal policy optimization.
    #[default]
    Ppo,
    /// Group relative policy optimization.
    Grpo,
}

options!(Method {
    Sft: "sft", "SFT";
    Reward: "reward", "Reward model";
    Dpo: "dpo", "DPO";
    Ppo: "ppo", "PPO";
    Grpo: "grpo", "GRPO";
});

/// A model of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Generates, and is trained.
    Policy,
    /// What the policy was at first.
    Reference,
    /// Scores answers.
    Reward,
    /// Predicts the score.
    Critic,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Policy, Self::Reference, Self::Reward, Self::Critic];

    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match self {
            Role::Policy => "Policy",
            Role::Reference => "Reference",
            Role::Reward => "Reward model",
            Role::Critic => "Critic",
        }
    }
}

impl Method {
    /// Whether a role has a part in it.
    pub const fn has(self, role: Role) -> bool {
        match self {
            Method::Sft => matches!(role, Role::Policy),
            Method::Reward => matches!(role, Role::Reward),
            Method::Dpo => matches!(role, Role::Policy | Role::Reference),
            Method::Grpo => !matches!(role, Role::Critic),
            Method::Ppo => true,
        }
    }

    /// Whether a role is trained.
    pub const fn trains(self, role: Role) -> bool {
        match self {
            Method::Reward => matches!(role, Role::Reward),
            Method::Ppo => matches!(role, Role::Policy | Role::Critic),
            _ => matches!(role, Role::Policy),
        }
    }

    /// Whether answers are generated.
    pub const fn generates(self) -> bool {
        matches!(self, Method::Ppo | Method::Grpo)
    }

    /// Sequences of one example: two of a pair.
    pub const fn sequences(self) -> u64 {
        if matches!(self, Method::Reward | Method::Dpo) { 2 } else { 1 }
    }
}

/// OPT models that are no presets: Zhang et al. 2022, arXiv:2205.01068, Table 1: (layers, width, heads), and OPT-350M's narrower embedding.
const OPT: [(&str, &str, (u64, u64, u64)); 6] = [
    ("opt-350m", "OPT 350M", (24, 1024, 16)),
    ("opt-1.3b", "OPT 1.3B", (24, 2048, 32)),
    ("opt-2.7b", "OPT 2.7B", (32, 2560, 32)),
    ("opt-30b", "OPT 30B", (48, 7168, 56)),
    ("opt-66b", "OPT 66B", (64, 9216, 72)),
    ("opt-175b", "OPT 175B", (96, 12288, 96)),
];

/// Presets that a reward model or a critic can be.
const OF_PRESETS: [&str; 8] =
    ["llama-3.2-1b", "llama-2-7b", "llama-3-8b", "llama-3-70b", "qwen2.5-7b", "opt-6.7b", "opt-13b", "gpt3-175b"];

const COUNT: usize = 1 + OPT.len() + OF_PRESETS.len();

const IDS: [&str; COUNT] = {
    let mut ids = ["same"; COUNT];
    let mut i = 1;
    while i < COUNT {
        ids[i] = if i <= OF_PRESETS.len() { OF_PRESETS[i - 1] } else { OPT[i - 1 - OF_PRESETS.len()].0 };
        i += 1;
    }
    ids
};

const NAMES: [&str; COUNT] = {
    let mut names = presets::names(&IDS);
    names[0] = "the policy’s";
    let mut i = 0;
    while i < OPT.len() {
        names[1 + OF_PRESETS.len() + i] = OPT[i].1;
        i += 1;
    }
    names
};

/// The choices of a role's model.
pub const LIST: List = List { ids: &IDS, labels: &NAMES };

/// A choice of one of them: the policy's own architecture, or another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoleModel(pub &'static str);

one_of!(RoleModel, IDS);

impl Default for RoleModel {
    fn default() -> Self {
        Self(IDS[0])
    }
}

/// An OPT model that is no preset.
pub fn opt(id: &str) -> Option<ModelRef> {
    let (_, _, (layers, width, heads)) = OPT.into_iter().find(|(other, ..)| *other == id)?;
    let narrow = id == "opt-350m";
    let shape = Shape {
        hidden_size: width,
        num_hidden_layers: layers,
        vocab_size: 50_272,
        num_attention_heads: heads,
        attention: Attention::Heads { kv_heads: heads, head_dim: width / heads },
        qkv_bias: true,
        o_bias: true,
        intermediate_size: 4 * width,
        gated_mlp: Gated::No,
        mlp_bias: true,
        norms: Norms { per_layer: 2, bias: true, last: !narrow, embedding: false, mlp: false },
        position_rows: 2050,
        word_embed_proj_dim: narrow.then_some(512),
        tie_word_embeddings: true,
        ..Shape::default()
    };
    Some(ModelRef::own(shape))
}

impl RoleModel {
    /// The architecture.
    pub fn model(self, policy: ModelRef) -> ModelRef {
        presets::find(self.0).map(ModelRef::Preset).or_else(|| opt(self.0)).unwrap_or(policy)
    }
}

impl Params {
    /// The model of a role.
    pub fn model_of(&self, role: Role) -> ModelRef {
        match role {
            Role::Policy | Role::Reference => self.model,
            Role::Reward => self.reward.model(self.model),
            Role::Critic => self.critic.model(self.model),
        }
    }

    /// Whether a role is a model of its own on some GPU's or host's memory: with an adapter, the reference is the policy without it.
    pub fn is_there(&self, role: Role) -> bool {
        self.method.has(role)
            && match role {
                Role::Reference => self.reference != Where::Nowhere,
                Role::Reward => self.method.trains(role) || self.reward_at != Where::Nowhere,
                _ => true,
            }
    }

    /// How a role is trained; none if it is frozen.
    pub fn tune_of(&self, role: Role) -> Option<Tune> {
        let tune = match role {
            Role::Critic => self.critic_tune,
            Role::Reward => Tune::Full,
            _ => self.tune,
        };
        self.method.trains(role).then_some(tune)
    }

    /// The load of a role on `gpus` GPUs.
    pub fn load(&self, role: Role, gpus: u64) -> Load {
        let trained = self.method.trains(role);
        Load {
            model: self.model_of(role),
            scalar: matches!(role, Role::Reward | Role::Critic),
            tune: self.tune_of(role),
            targets: Targets::AllLinear,
            rank: self.rank,
            variant: Variant::Lora,
            dtype: if trained { self.dtype } else { self.frozen_dtype },
            optimizer: self.optimizer,
            tp: self.tp,
            dp: gpus / self.tp.max(1),
            zero: match role {
                Role::Critic => self.critic_zero,
                _ if trained => self.zero,
                _ if self.shard_frozen => 3,
                _ => 0,
            },
            seq: self.tokens(),
            mbs: self.mbs.saturating_mul(self.method.sequences()),
            recompute: self.recompute,
            gpu: self.gpu,
        }
    }

    /// What a role takes on each of `gpus` GPUs; nothing if it is not there.
    pub fn held(&self, role: Role, gpus: u64) -> Result<Held, String> {
        if !self.is_there(role) {
            return Ok(Held::default());
        }
        let mut held = self.load(role, gpus).held().map_err(|e| format!("{}: {e}", role.label()))?;
        if self.offload && self.method.trains(role) {
            held.parts.optimizer = Default::default();
        }
        Ok(held)
    }
}
