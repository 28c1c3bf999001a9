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
#[cfg(test)]
mod tests;

pub use rank::{Kind, token_layers, values_per_rank};

use crate::model::{Attention, Shape};

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
}

impl Layers {
    const NONE: Self = Self { count: 0, keeps: Keeps::State { values: 0 }, window: None };
}

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

/// The cache of a model: up to two groups of layers, each of which keeps the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cache {
    /// The groups; one of no layers where all keep the same.
    pub layers: [Layers; 2],
}

impl Cache {
    /// All layers keep the same.
    pub const fn same(count: u64, keeps: Keeps) -> Self {
        Self { layers: [Layers { count, keeps, window: None }, Layers::NONE] }
    }

    /// That of an architecture.
    pub fn of(shape: &Shape) -> Self {
        let keeps = match shape.attention {
            Attention::Heads { kv_heads, head_dim } => Keeps::Heads { kv_heads, key: head_dim, value: head_dim },
            Attention::Latent { kv_lora_rank, qk_rope_head_dim, .. } => {
                Keeps::Latent { rank: kv_lora_rank, rope: qk_rope_head_dim }
            }
        };
        let layers = shape.num_hidden_layers;
        let (window, short) = shape.sliding.map_or((None, 0), |s| (Some(s.window), s.layers.min(layers)));
        Self {
            layers: [
                Layers { count: layers.saturating_sub(short), keeps, window: None },
                Layers { count: short, keeps, window },
            ],
        }
    }

    /// Layers in all.
    pub fn count(&self) -> u64 {
        self.layers.iter().map(|l| l.count).fold(0, u64::saturating_add)
    }

    /// Values that a token adds in all layers, windows not taken into account.
    pub fn values_per_token(&self) -> u64 {
        let values = |l: &Layers| l.count.saturating_mul(l.keeps.values_per_token());
        self.layers.iter().map(values).fold(0, u64::saturating_add)
    }

    /// Bytes that a token adds at `bytes` a value, windows not taken into account.
    pub fn bytes_per_token(&self, bytes: f64) -> f64 {
        self.values_per_token() as f64 * bytes
    }

    /// Bytes of the states of one sequence.
    pub fn state_bytes(&self) -> f64 {
        let state = |l: &Layers| match l.keeps {
            Keeps::State { values } => l.count as f64 * values as f64 * STATE_BYTES,
            _ => 0.0,
        };
        self.layers.iter().map(state).sum()
    }

    /// Bytes of what grows with the tokens of one sequence, at `bytes` a value.
    pub fn growing_bytes(&self, tokens: u64, bytes: f64, keeping: Keeping) -> f64 {
        let grown =
            |l: &Layers| l.count as f64 * l.keeps.values_per_token() as f64 * keeping.tokens(tokens, l.window) as f64;
        self.layers.iter().map(grown).sum::<f64>() * bytes
    }

    /// Bytes of one sequence of `tokens` tokens at `bytes` a value: what attention needs, and states.
    pub fn bytes(&self, tokens: u64, bytes: f64) -> f64 {
        self.growing_bytes(tokens, bytes, Keeping::Needed) + self.state_bytes()
    }
}
