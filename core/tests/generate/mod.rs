//! Inputs that several tests generate.

use proptest::prelude::*;
use ringside_core::model::layers::{Heads, Indexer, Kinds, Mixer, OutputGate, StateLayers};
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
    (sizes, attention, moe, more, sliding, kinds()).prop_map(|(sizes, attention, moe, more, sliding, kinds)| {
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
            kinds: fitting(kinds, attention, num_hidden_layers, moe.map_or(0, |m| m.5.min(num_hidden_layers))),
        }
    })
}

/// What may differ from layer to layer, layers aside: in most models nothing does.
fn kinds() -> impl Strategy<Value = Kinds> {
    let mixer =
        prop_oneof![
            (1..99_u64, 1..99_u64, 1..300_u64, 1..300_u64, 1..9_u64).prop_map(
                |(key_heads, value_heads, key_dim, value_dim, kernel)| Mixer::Delta {
                    key_heads,
                    value_heads,
                    key_dim,
                    value_dim,
                    kernel
                }
            ),
            (1..99_u64, 1..300_u64, 1..9_u64, any::<bool>())
                .prop_map(|(heads, head_dim, kernel, full_gate)| Mixer::Kimi { heads, head_dim, kernel, full_gate }),
            (1..99_u64, 1..300_u64, 1..9_u64, 1..300_u64, 1..9_u64, any::<[bool; 3]>()).prop_map(
                |(heads, head_dim, groups, state, kernel, [conv_bias, bias, norm])| Mixer::Mamba {
                    heads,
                    head_dim,
                    groups,
                    state,
                    kernel,
                    conv_bias,
                    bias,
                    norm
                }
            ),
            (1..9_u64, any::<bool>()).prop_map(|(kernel, bias)| Mixer::Conv { kernel, bias }),
            (1..99_u64, 1..300_u64).prop_map(|(heads, head_dim)| Mixer::Lightning { heads, head_dim }),
        ];
    let state = prop::option::of((1..200_u64, mixer, any::<bool>()));
    let index = prop::option::of((1..200_u64, 1..99_u64, 1..300_u64, 1..5000_u64, any::<bool>()));
    let windowed = prop::option::of((1..99_u64, 1..99_u64, 1..300_u64));
    let numbers = (0..50_u64, 0..50_u64, 0..3_u8, 0..8_u64, 0..5000_u64, any::<[bool; 3]>());
    let some = (state, index, windowed, numbers).prop_map(|(state, index, windowed, numbers)| {
        let (without_mixer, without_mlp, gate, streams, expert_latent, [one_projection, beside, router_scales]) =
            numbers;
        Kinds {
            state: state.map(|(layers, mixer, beside_attention)| StateLayers { layers, mixer, beside_attention }),
            without_mixer,
            without_mlp,
            gate: [OutputGate::None, OutputGate::Wide, OutputGate::Head][usize::from(gate)],
            indexer: index.map(|(layers, heads, dim, top, normed)| Indexer {
                layers,
                choosing: layers,
                heads,
                dim,
                top,
                normed,
            }),
            windowed: windowed.map(|(heads, kv_heads, head_dim)| Heads { heads, kv_heads, head_dim }),
            one_projection,
            streams,
            expert_latent,
            dense_beside_experts: beside,
            router_scales,
            ..Kinds::default()
        }
    });
    prop_oneof![2 => Just(Kinds::default()), 1 => some]
}

/// The same with no more layers of any kind than there are.
fn fitting(mut kinds: Kinds, attention: Attention, layers: u64, moe: u64) -> Kinds {
    kinds.windowed = kinds.windowed.filter(|_| matches!(attention, Attention::Heads { .. }));
    if let Some(state) = &mut kinds.state {
        state.layers = state.layers.min(layers);
    }
    let alone = kinds.state.filter(|s| !s.beside_attention).map_or(0, |s| s.layers);
    kinds.without_mixer = kinds.without_mixer.min(layers - alone);
    let attending = layers - alone - kinds.without_mixer;
    kinds.indexer = kinds.indexer.filter(|_| attending > 0).map(|index| Indexer {
        layers: index.layers.min(attending),
        choosing: index.choosing.min(attending),
        ..index
    });
    let experts = if kinds.dense_beside_experts { 0 } else { moe };
    kinds.without_mlp = kinds.without_mlp.min(layers - experts);
    kinds
}
