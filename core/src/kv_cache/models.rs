//! Models whose caches are compared: those of [`presets`], and a few more whose layers a [`Shape`] has no
//! names for.

use super::{Cache, Keeps, Layers};
use crate::declare::{List, one_of};
use crate::model::{Attention, Shape, presets};

/// What decides the cache of a model and the work of a step on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    /// The name in a query string.
    pub id: &'static str,
    /// What a person reads.
    pub name: &'static str,
    /// Query heads.
    pub heads: u64,
    /// Width of the part of a key without position, and of the rotary part where it is kept apart.
    pub key: [u64; 2],
    /// Width of a value.
    pub value: u64,
    /// Its own cache.
    pub cache: Cache,
    /// Parameters of the whole model.
    pub parameters: u64,
    /// Those of them that stay in 16 bits when the rest is quantized: embedding, output matrix, norms, routers.
    pub tables: u64,
}

/// Models of [`presets`].
const OF_PRESETS: [&str; 11] = [
    "gpt3-175b",
    "llama-2-7b",
    "llama-3-8b",
    "llama-3-70b",
    "llama-3.1-405b",
    "falcon-7b",
    "mistral-7b-v0.1",
    "gemma-2-27b",
    "gpt-oss-20b",
    "qwen3-30b-a3b",
    "deepseek-v3",
];

/// Models with layers of their own. Sizes and parameters are those of their `config.json`, counted by transformers 4.57.6 on the
/// meta device, but DeepSeek 67B's: DeepSeek-AI 2024, arXiv:2401.02954, Table 2 (95 layers of 64 heads, 8 of them for keys and
/// values), and its parameters counted from that. Of the tables, embedding and output matrix are counted, not their norms.
const OTHERS: [Named; 5] = [
    Named {
        id: "deepseek-67b",
        name: "DeepSeek 67B",
        heads: 64,
        key: [128, 0],
        value: 128,
        cache: Cache::same(95, Keeps::Heads { kv_heads: 8, key: 128, value: 128 }),
        parameters: 67_425_001_472,
        tables: 2 * 102_400 * 8192,
    },
    Named {
        id: "deepseek-v2",
        name: "DeepSeek-V2 (236B)",
        heads: 128,
        key: [128, 64],
        value: 128,
        cache: Cache::same(60, Keeps::Latent { rank: 512, rope: 64 }),
        parameters: 235_741_434_880,
        tables: 2 * 102_400 * 5120,
    },
    // Three layers of Gated DeltaNet, 32 heads with a state of 128 × 128, to one of attention.
    Named {
        id: "qwen3-next-80b-a3b",
        name: "Qwen3-Next 80B-A3B",
        heads: 16,
        key: [256, 0],
        value: 256,
        cache: Cache::of_two(
            Layers::all(12, Keeps::Heads { kv_heads: 2, key: 256, value: 256 }),
            Layers::all(36, Keeps::State { values: 32 * 128 * 128 }),
        ),
        parameters: 79_674_391_296,
        tables: 2 * 151_936 * 2048,
    },
    // Seven layers of lightning attention, 64 heads with a state of 128 × 128, to one of attention.
    Named {
        id: "minimax-text-01",
        name: "MiniMax-Text-01 (456B)",
        heads: 64,
        key: [128, 0],
        value: 128,
        cache: Cache::of_two(
            Layers::all(10, Keeps::Heads { kv_heads: 8, key: 128, value: 128 }),
            Layers::all(70, Keeps::State { values: 64 * 128 * 128 }),
        ),
        parameters: 456_089_655_296,
        tables: 2 * 200_064 * 6144,
    },
    // A state of 16 and the last four inputs for each of 5120 channels; no heads.
    Named {
        id: "mamba-2.8b",
        name: "Mamba 2.8B",
        heads: 1,
        key: [1, 0],
        value: 1,
        cache: Cache::same(64, Keeps::State { values: 5120 * (16 + 4) }),
        parameters: 2_768_345_600,
        tables: 50_280 * 2560,
    },
];

/// How many there are.
pub const COUNT: usize = OF_PRESETS.len() + OTHERS.len();

const IDS: [&str; COUNT] = {
    let mut ids = [""; COUNT];
    let mut i = 0;
    while i < COUNT {
        ids[i] = if i < OF_PRESETS.len() { OF_PRESETS[i] } else { OTHERS[i - OF_PRESETS.len()].id };
        i += 1;
    }
    ids
};

const NAMES: [&str; COUNT] = {
    let mut names = presets::names(&IDS);
    let mut i = 0;
    while i < OTHERS.len() {
        names[OF_PRESETS.len() + i] = OTHERS[i].name;
        i += 1;
    }
    names
};

/// The choices of a parameter.
pub const LIST: List = List { ids: &IDS, labels: &NAMES };

/// The model with this id.
pub fn find(id: &str) -> Option<Named> {
    if let Some(other) = OTHERS.iter().find(|named| named.id == id) {
        return Some(*other);
    }
    let preset = OF_PRESETS.contains(&id).then(|| presets::find(id)).flatten()?;
    Some(Named::of(preset.id, preset.name, &preset.shape))
}

impl Named {
    /// That of an architecture.
    pub fn of(id: &'static str, name: &'static str, shape: &Shape) -> Self {
        let (key, value) = match shape.attention {
            Attention::Heads { head_dim, .. } => ([head_dim, 0], head_dim),
            Attention::Latent { qk_nope_head_dim, qk_rope_head_dim, v_head_dim, .. } => {
                ([qk_nope_head_dim, qk_rope_head_dim], v_head_dim)
            }
        };
        let count = shape.count().unwrap_or_default();
        Self {
            id,
            name,
            heads: shape.num_attention_heads,
            key,
            value,
            cache: Cache::of(shape),
            parameters: count.total,
            tables: count.total - count.quantized(),
        }
    }
}

/// All of them, in the order of [`LIST`].
pub fn all() -> impl Iterator<Item = Named> {
    IDS.iter().filter_map(|id| find(id))
}

/// A choice of one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Model(pub &'static str);

impl Model {
    /// What it is.
    pub fn named(self) -> Named {
        find(self.0).unwrap_or(OTHERS[0])
    }
}

one_of!(Model, IDS);
