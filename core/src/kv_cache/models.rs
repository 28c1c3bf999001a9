//! Models whose caches are compared: those of [`presets`], a reader's own, and two more that have no [`Shape`].

use super::{Cache, Keeps};
use crate::declare::{List, one_of};
use crate::model::{Attention, ModelRef, Shape, presets};
use crate::query::{Query, Reader};

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

/// Models of [`presets`] that are drawn beside each other.
const OF_PRESETS: [&str; 14] = [
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
    "deepseek-v2",
    "qwen3-next-80b-a3b",
    "minimax-text-01",
];

/// Models without a [`Shape`]. DeepSeek 67B: DeepSeek-AI 2024, arXiv:2401.02954, Table 2 (95 layers of 64 heads, 8 of them for keys and
/// values), and its parameters counted from that. Mamba 2.8B: its `config.json`, counted by transformers 4.57.6 on the meta device. Of the
/// tables, embedding and output matrix are counted, not their norms.
const OTHERS: [Named; 2] = [
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

/// Those that are drawn beside each other, as the choices of a parameter.
pub const LIST: List = List { ids: &IDS, labels: &NAMES };

/// Every model that a parameter can name: [`presets::CHOICES`], then those without a shape.
const CHOICES: [&str; presets::CHOICES.len() + OTHERS.len()] = join(&presets::CHOICES, [OTHERS[0].id, OTHERS[1].id]);

/// What a person calls each of [`CHOICES`].
const LABELS: [&str; CHOICES.len()] = join(&presets::LABELS, [OTHERS[0].name, OTHERS[1].name]);

/// All of them, as a parameter takes them.
pub const EVERY: List = List { ids: &CHOICES, labels: &LABELS };

/// The models without a shape, by id and name.
pub const WITHOUT_SHAPE: [(&str, &str); OTHERS.len()] =
    [(OTHERS[0].id, OTHERS[0].name), (OTHERS[1].id, OTHERS[1].name)];

const fn join<const N: usize>(first: &[&'static str], last: [&'static str; OTHERS.len()]) -> [&'static str; N] {
    let mut all = [""; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < first.len() { first[i] } else { last[i - first.len()] };
        i += 1;
    }
    all
}

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

/// A choice of one of [`LIST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drawn(pub &'static str);

impl Drawn {
    /// What it is.
    pub fn named(self) -> Named {
        find(self.0).unwrap_or(OTHERS[0])
    }
}

one_of!(Drawn, IDS);

/// The model that is looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "as of ModelRef: being Copy is what signals and closures want")]
pub enum Model {
    /// One without a shape.
    Other(&'static Named),
    /// Any other.
    Of(ModelRef),
}

impl Model {
    /// Reads one of [`EVERY`], or the sizes of a reader's own; the preset called `default` if none is given.
    pub fn read(reader: &mut Reader<'_>, default: &str) -> Self {
        let choice = reader.choice("model");
        match OTHERS.iter().find(|named| named.id == choice) {
            Some(named) => Self::Other(named),
            None => Self::Of(ModelRef::read_shape(reader, default)),
        }
    }

    /// The one with this id.
    pub fn find(id: &str) -> Option<Self> {
        let other = OTHERS.iter().find(|named| named.id == id).map(Self::Other);
        other.or_else(|| Some(Self::Of(ModelRef::Preset(presets::find(id)?))))
    }

    /// The pairs that [`Model::read`] reads back to the same.
    pub fn query(&self) -> Query {
        match self {
            Self::Other(named) => Query::new([("model", named.id)]),
            Self::Of(model) => model.query(),
        }
    }

    /// What it is.
    pub fn named(&self) -> Named {
        match self {
            Self::Other(named) => **named,
            Self::Of(ModelRef::Preset(preset)) => Named::of(preset.id, preset.name, &preset.shape),
            Self::Of(model) => Named::of("custom", "Your model", model.shape().unwrap_or(&presets::ALL[0].shape)),
        }
    }

    /// As other figures have it; a number of parameters where it has no shape.
    pub const fn as_ref(&self) -> ModelRef {
        match self {
            Self::Other(named) => ModelRef::Count(named.parameters),
            Self::Of(model) => *model,
        }
    }
}
