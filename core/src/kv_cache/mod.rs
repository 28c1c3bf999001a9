//! What generation keeps of the past, layer by layer: keys and values, a latent, or a state of fixed size.
//!
//! A layer keeps so many values of each token it still looks back on. Multi-head attention keeps heads × (key width + value
//! width); grouped-query attention (Ainslie et al. 2023, arXiv:2305.13245) and multi-query attention (Shazeer 2019,
//! arXiv:1911.02150) the same of fewer heads; multi-head latent attention kv_lora_rank + qk_rope_head_dim, once for all heads
//! (DeepSeek-V2, arXiv:2405.04434, §2.1 and Table 1). A layer with a sliding window keeps its last tokens only. A layer of
//! linear attention or of a state-space model keeps a state that does not grow.
//!
//! Every cache of this crate is computed here: [`Cache::of`] a [`Shape`], or put together by hand.

pub mod blocks;
pub mod decode;
pub mod figure;
pub mod models;
mod rank;
mod shape;
#[cfg(test)]
mod tests;

use crate::declare::Origin;
pub use rank::{Kind, token_layers, values_per_rank};

use crate::model::layers::Heads;
use crate::model::{Attention, Shape};

/// Where the sizes of caches come from.
pub const ORIGIN: Origin = Origin::Of(
    "Shazeer 2019 (multi-query), arXiv:1911.02150; Ainslie et al. 2023 (grouped-query), arXiv:2305.13245; DeepSeek-V2 (latent), arXiv:2405.04434, §2.1 and Table 1",
);

/// What a layer keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// Of each token, a key and a value for each of some heads.
    Heads {
        /// Heads of keys and of values.
        kv_heads: u64,
        /// Width of a key.
        key: u64,
        /// Width of a value.
        value: u64,
    },
    /// Of each token, a latent for all heads and a rotary key that they share.
    Latent {
        /// Width of the latent (kv_lora_rank).
        rank: u64,
        /// Width of the rotary key (qk_rope_head_dim).
        rope: u64,
    },
    /// Of each token, the key of an indexer, which chooses the tokens that attention reads (DeepSeek-V3.2).
    Index {
        /// Heads of queries that are compared with it.
        heads: u64,
        /// Its width.
        key: u64,
    },
    /// A state, however many tokens there were.
    State {
        /// Values of the state.
        values: u64,
    },
}

impl Keeps {
    /// Values that one token adds; none to a state.
    pub const fn values_per_token(self) -> u64 {
        match self {
            Keeps::Heads { kv_heads, key, value } => kv_heads.saturating_mul(key.saturating_add(value)),
            Keeps::Latent { rank, rope } => rank.saturating_add(rope),
            Keeps::Index { key, .. } => key,
            Keeps::State { .. } => 0,
        }
    }
}

/// Layers that keep the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layers {
    /// How many there are.
    pub count: u64,
    /// What each keeps.
    pub keeps: Keeps,
    /// Tokens that each looks back on; none for all of them.
    pub window: Option<u64>,
    /// Tokens that a query reads at the most, where an indexer chooses among those kept.
    pub reads: Option<u64>,
    /// Tokens that make one row: 1, or more where older tokens are compressed (DeepSeek-V4).
    pub every: u64,
    /// They keep something else too and are counted there.
    pub also: bool,
}

impl Layers {
    const NONE: Self = Self::all(0, Keeps::State { values: 0 });

    /// Layers that keep the same of all tokens.
    pub const fn all(count: u64, keeps: Keeps) -> Self {
        Self { count, keeps, window: None, reads: None, every: 1, also: false }
    }

    /// Values that a token adds to all of them, windows not taken into account.
    pub fn values_per_token(&self) -> u64 {
        self.count.saturating_mul(self.keeps.values_per_token()) / self.every.max(1)
    }

    /// Rows of one of them when a sequence has `tokens`.
    pub fn rows(&self, tokens: u64, keeping: Keeping) -> u64 {
        keeping.tokens(tokens, self.window) / self.every.max(1)
    }

    /// Values of the state of one of them; none where a cache grows.
    pub const fn state(&self) -> u64 {
        match self.keeps {
            Keeps::State { values } => values,
            _ => 0,
        }
    }
}

/// Groups of layers that a cache may have.
pub const GROUPS: usize = 6;

/// Bytes of a value of a state. The recurrences are computed in fp32 and kept so (vLLM, `mamba_ssm_cache_dtype`;
/// flash-linear-attention), whatever keys and values are kept in.
pub const STATE_BYTES: f64 = 4.0;

/// How an engine keeps the tokens of one sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keeping {
    /// What attention needs: all tokens, or those in the window.
    #[default]
    Needed,
    /// transformers' `DynamicCache` after a prefill: a window keeps one token fewer, since the next token brings its own.
    Transformers,
    /// Pages, at the most that vLLM (0.9.2, `kv_cache_interface.py`) sets aside: a window keeps window − 1 tokens and those of
    /// one batch, rounded up to pages, and one page more because it may begin in the middle of one.
    Paged {
        /// Tokens of a page.
        page: u64,
        /// Tokens computed together (`max_num_batched_tokens`).
        batch: u64,
    },
}

impl Keeping {
    /// Tokens that a layer has room for when the sequence has `tokens`.
    pub fn tokens(self, tokens: u64, window: Option<u64>) -> u64 {
        match (self, window) {
            (Keeping::Needed, Some(window)) => tokens.min(window),
            (Keeping::Transformers, Some(window)) => tokens.min(window.saturating_sub(1)),
            (Keeping::Needed | Keeping::Transformers, None) => tokens,
            (Keeping::Paged { page, .. }, None) => pages(tokens, page),
            (Keeping::Paged { page, batch }, Some(window)) => {
                let kept = window.saturating_sub(1).saturating_add(batch).min(tokens);
                pages(kept, page).saturating_add(page.max(1))
            }
        }
    }
}

/// Tokens of the pages that hold `tokens`.
fn pages(tokens: u64, page: u64) -> u64 {
    tokens.div_ceil(page.max(1)).saturating_mul(page.max(1))
}

/// The cache of a model: groups of layers, each of which keeps the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cache {
    /// The groups: full attention, a window, a state, an indexer’s keys, compressed rows. Of no layers where the model has none.
    pub layers: [Layers; GROUPS],
}

impl Cache {
    /// All layers keep the same.
    pub const fn same(count: u64, keeps: Keeps) -> Self {
        Self::of_two(Layers::all(count, keeps), Layers::NONE)
    }

    /// Two groups of layers.
    pub const fn of_two(first: Layers, second: Layers) -> Self {
        let mut layers = [Layers::NONE; GROUPS];
        layers[0] = first;
        layers[1] = second;
        Self { layers }
    }

    /// That of an architecture.
    pub fn of(shape: &Shape) -> Self {
        let kinds = &shape.kinds;
        let [usual, windowed] = shape.heads();
        let heads =
            |own: Heads| Keeps::Heads { kv_heads: own.kv_heads, key: own.head_dim, value: shape.value_dim(own) };
        let keeps = match (shape.attention, kinds.compressed) {
            // One row is key and value.
            (Attention::Heads { head_dim, .. }, Some(_)) => Keeps::Latent { rank: head_dim, rope: 0 },
            (Attention::Heads { .. }, None) => heads(usual),
            (Attention::Latent { kv_lora_rank, qk_rope_head_dim, .. }, _) => {
                Keeps::Latent { rank: kv_lora_rank, rope: qk_rope_head_dim }
            }
        };
        let short = shape.window_layers();
        let full = Layers::all(shape.attention_layers().saturating_sub(short), keeps);
        let own = if kinds.windowed.is_some() { heads(windowed) } else { keeps };
        let window = Layers { window: shape.sliding.map(|s| s.window), ..Layers::all(short, own) };
        // Layers that read few of their tokens are not told from others: where any chooses, nearly all do.
        let top = kinds.indexer.filter(|i| kinds.compressed.is_none() && i.choosing > 0).map(|i| i.top);
        let mut cache = Self::of_two(Layers { reads: top, ..full }, window);
        if let Some(state) = kinds.state {
            let values = state.mixer.state(shape.hidden_size).into_iter().fold(0, u64::saturating_add);
            let also = state.beside_attention;
            cache.layers[2] = Layers { also, ..Layers::all(state.layers, Keeps::State { values }) };
        }
        if let Some(index) = kinds.indexer {
            let every = kinds.compressed.map_or(1, |c| c.near[0].max(1));
            cache.layers[3] = Layers {
                every,
                also: true,
                ..Layers::all(index.layers, Keeps::Index { heads: index.heads, key: index.dim })
            };
        }
        if let Some(c) = kinds.compressed {
            let rows =
                |[every, layers]: [u64; 2]| Layers { every: every.max(1), also: true, ..Layers::all(layers, keeps) };
            let top = kinds.indexer.map(|i| i.top.saturating_mul(c.near[0].max(1)));
            cache.layers[4] = Layers { reads: top, ..rows(c.near) };
            cache.layers[5] = rows(c.far);
        }
        cache
    }

    /// Layers in all.
    pub fn count(&self) -> u64 {
        self.layers.iter().filter(|l| !l.also).map(|l| l.count).fold(0, u64::saturating_add)
    }

    /// Values that a token adds in all layers, windows not taken into account; where older tokens are compressed, those of compressed rows.
    pub fn values_per_token(&self) -> u64 {
        let compressed = self.layers.iter().any(|l| l.every > 1 && l.count > 0);
        let grows = |l: &&Layers| !(compressed && l.window.is_some());
        self.layers.iter().filter(grows).map(Layers::values_per_token).fold(0, u64::saturating_add)
    }

    /// Bytes that a token adds at `bytes` a value, windows not taken into account.
    pub fn bytes_per_token(&self, bytes: f64) -> f64 {
        self.values_per_token() as f64 * bytes
    }

    /// Bytes of the states of one sequence.
    pub fn state_bytes(&self) -> f64 {
        self.layers.iter().map(|l| l.count as f64 * l.state() as f64 * STATE_BYTES).sum()
    }

    /// Bytes of what grows with the tokens of one sequence, at `bytes` a value.
    pub fn growing_bytes(&self, tokens: u64, bytes: f64, keeping: Keeping) -> f64 {
        let grown = |l: &Layers| l.count as f64 * l.keeps.values_per_token() as f64 * l.rows(tokens, keeping) as f64;
        self.layers.iter().map(grown).sum::<f64>() * bytes
    }

    /// Bytes of one sequence of `tokens` tokens at `bytes` a value: what attention needs, and states.
    pub fn bytes(&self, tokens: u64, bytes: f64) -> f64 {
        self.growing_bytes(tokens, bytes, Keeping::Needed) + self.state_bytes()
    }
}
