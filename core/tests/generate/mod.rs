//! Inputs that several tests generate.

use proptest::prelude::*;
use ringside_core::model::shape::Gated;
use ringside_core::model::{Attention, Moe, Norms, QkNorm, Shape, Sliding};

/// Enough cases for every run, and for a thorough one as many as PROPTEST_CASES says: 100,000 take minutes.
pub fn cases() -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let usual = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if asked { usual } else { ProptestConfig { cases: 2000, ..usual } }
}

/// Any sound architecture: every switch, every kind of attention, mixtures of experts or not.
pub fn shapes() -> impl Strategy<Value = Shape> {
    let sizes = (1..4000_u64, 1..200_u64, 1..2_000_000_u64, 1..64_u64, 1..100_000_u64);
    let attention = prop_oneof![
        (1..5_u64, 1..512_u64).prop_map(|(kv_heads, head_dim)| Attention::Heads { kv_heads, head_dim }),
        (prop::option::of(1..2000_u64), 1..1000_u64, 1..300_u64, 0..100_u64, 1..300_u64).prop_map(
            |(q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim)| Attention::Latent {
                q_lora_rank,
                kv_lora_rank,
                qk_nope_head_dim,
                qk_rope_head_dim,
                v_head_dim
            }
        ),
    ];
    let moe = prop::option::of((1..300_u64, 1..9_u64, 1..5000_u64, 0..3000_u64, any::<[bool; 3]>(), 1..200_u64));
    let more = (0..9_u64, any::<[bool; 12]>(), 0..5000_u64, prop::option::of(1..3000_u64), 0..3_u8);
    let sliding = prop::option::of((1..100_000_u64, 1..200_u64));
    (sizes, attention, moe, more, sliding).prop_map(|(sizes, attention, moe, more, sliding)| {
        let (hidden_size, num_hidden_layers, vocab_size, groups, intermediate_size) = sizes;
        let (per_layer, flags, position_rows, word_embed_proj_dim, qk_norm) = more;
        let [qkv, o, sinks, gated, mlp_bias, norm_bias, last, embedding, tie, head_bias, ..] = flags;
        let kv = if let Attention::Heads { kv_heads, .. } = attention { kv_heads } else { 1 };
        Shape {
            hidden_size,
            num_hidden_layers,
            vocab_size,
            num_attention_heads: groups * kv,
            attention,
            qkv_bias: qkv || o,
            o_bias: o,
            qk_norm: [QkNorm::None, QkNorm::Head, QkNorm::Full][usize::from(qk_norm)],
            attention_sinks: sinks,
            intermediate_size,
            gated_mlp: if gated { Gated::Yes } else { Gated::No },
            mlp_bias,
            moe: moe.map(|(num_experts, used, width, shared, [a, b, c], layers)| Moe {
                layers: layers.min(num_hidden_layers),
                num_experts,
                num_experts_per_tok: used.min(num_experts),
                intermediate_size: width,
                shared_intermediate_size: shared,
                expert_bias: a,
                router_bias: b,
                shared_gate: c,
            }),
            norms: Norms { per_layer, bias: norm_bias, last, embedding, mlp: norm_bias && !last },
            position_rows,
            word_embed_proj_dim: word_embed_proj_dim.filter(|&w| w != hidden_size),
            tie_word_embeddings: tie,
            lm_head_bias: head_bias,
            sliding: sliding.map(|(window, layers)| Sliding { window, layers: layers.min(num_hidden_layers) }),
        }
    })
}
