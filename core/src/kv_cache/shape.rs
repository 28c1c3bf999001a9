//! What a model keeps of each token, asked of its architecture.

use super::Cache;
use crate::model::Shape;

impl Shape {
    /// Values that one token adds to the KV cache of one attention layer: 2 × kv_heads × head_dim, or for MLA
    /// kv_lora_rank + qk_rope_head_dim (DeepSeek-V2, Table 1).
    pub fn kv_values_per_token_per_layer(&self) -> u64 {
        Cache::of(self).layers[0].keeps.values_per_token()
    }

    /// Bytes that one sequence keeps whatever its length: the states of layers with a state of fixed size.
    pub fn state_bytes(&self) -> f64 {
        Cache::of(self).state_bytes()
    }

    /// Bytes that one token adds to the KV cache, all layers, at `bytes` per value; windows not taken into account.
    pub fn kv_bytes_per_token(&self, bytes: f64) -> f64 {
        Cache::of(self).bytes_per_token(bytes)
    }

    /// Bytes of the KV cache of one sequence of `tokens` tokens at `bytes` per value: a layer with a window keeps at
    /// most that many.
    pub fn kv_bytes(&self, tokens: u64, bytes: f64) -> f64 {
        Cache::of(self).bytes(tokens, bytes)
    }
}
