//! Llama, and the families that differ from it in switches only.

use serde_json::Value;

use super::experts;
use super::family::Family;
use super::fields::{Absent, Fields, HF, dense_width, usual};
use crate::model::shape::{Gated, MAX_LAYERS, MAX_ROWS, Norms, QkNorm, Shape, Sliding};

/// Two layer norms with biases, and one at the end.
pub(super) const LAYER_NORMS: Norms = Norms { per_layer: 2, bias: true, last: true, embedding: false, mlp: false };

/// The families that differ from Llama (`modeling_llama.py`) in switches only.
pub(super) fn llama_like(f: &mut Fields<'_>, family: Family) -> Shape {
    use Family::*;
    let usual = usual(f);
    let (h, layers, heads) = (usual.hidden_size, usual.num_hidden_layers, usual.num_attention_heads);

    // Heads: what the class has for key–value heads and head_dim where the file has nothing.
    let (kv, dim) = match family {
        Mistral | Mixtral => (Absent::Class(8), None),
        Qwen2 => (Absent::Class(32), None),
        Qwen2Moe => (Absent::Class(16), None),
        Qwen3 => (Absent::Class(32), Some(128)),
        Qwen3Moe => (Absent::Class(4), None),
        Gemma2 => (Absent::Class(4), Some(256)),
        Gemma => (Absent::Class(16), Some(256)),
        Gemma3 => (Absent::Class(4), Some(256)),
        Starcoder2 => (Absent::Class(2), None),
        GptOss => (Absent::Class(8), Some(64)),
        Glm | Glm4 => (Absent::Class(2), Some(128)),
        Glm4Moe | PhiMoe => (Absent::Class(8), None),
        Llama4 => (Absent::Class(8), Some(128)),
        StableLm => (Absent::Class(32), None),
        Bitnet => (Absent::Class(5), None),
        Ernie | SmolLm3 => (Absent::Class(4), None),
        ErnieDense => (Absent::Class(2), Some(128)),
        _ => (Absent::Derived(heads), None),
    };
    let attention = f.heads(HF, h, heads, kv, dim);
    let (qkv_bias, o_bias) = match family {
        Llama | Llama4 | Qwen3 | Qwen3Moe | Gemma | Gemma2 | Gemma3 | Olmo | Olmo2 | Olmo3 | Olmoe | PhiMoe
        | Cohere | Cohere2 | Granite | GraniteMoe | Bitnet | SmolLm3 | Nemotron | Arcee => {
            let bias = f.flag("attention_bias", false);
            (bias, bias)
        }
        Glm | Glm4 => (f.flag("attention_bias", true), false),
        Glm4Moe => (f.flag("attention_bias", false), false),
        StableLm => (f.flag("use_qkv_bias", false), false),
        Ernie | ErnieDense => {
            let bias = f.flag("use_bias", false);
            (bias, bias)
        }
        GptOss => {
            let bias = f.flag("attention_bias", true);
            (bias, bias)
        }
        Starcoder2 => {
            let bias = f.flag("use_bias", true);
            (bias, bias)
        }
        Qwen2 => (true, false),
        Qwen2Moe => (f.flag("qkv_bias", true), false),
        Phi => (true, true),
        _ => (false, false),
    };
    let mlp_bias = match family {
        Llama | Granite | SmolLm3 | Nemotron | Arcee => f.flag("mlp_bias", false),
        Phi => true,
        Starcoder2 | Ernie | ErnieDense => qkv_bias,
        _ => false,
    };
    let qk_norm = match family {
        Qwen3 | Qwen3Moe | Gemma3 => QkNorm::Head,
        Olmo2 | Olmo3 | Olmoe => QkNorm::Full,
        Cohere if f.flag("use_qk_norm", false) => QkNorm::Full,
        Glm4Moe if f.flag("use_qk_norm", false) => QkNorm::Head,
        Phi if f.flag("qk_layernorm", false) => QkNorm::Head,
        _ => QkNorm::None,
    };
    let norms = match family {
        Phi => Norms { per_layer: 1, ..LAYER_NORMS },
        Starcoder2 | PhiMoe | Nemotron => LAYER_NORMS,
        StableLm => stablelm_norms(f),
        Gemma2 | Gemma3 | Glm4 => Norms { per_layer: 4, ..Norms::default() },
        Cohere | Cohere2 => Norms { per_layer: 1, ..Norms::default() },
        Olmo => Norms { per_layer: 0, last: false, ..Norms::default() },
        Bitnet => Norms { per_layer: 3, mlp: true, ..Norms::default() },
        _ => Norms::default(),
    };
    match family {
        Llama4 => f.unused(&["use_qk_norm"]),
        Qwen3Moe => f.expect("use_qk_norm", &Value::from(true)),
        // Names for what the class does anyway.
        Cohere2 => f.unused(&["layer_switch", "use_embedding_sharing", "use_gated_activation"]),
        Ernie => {
            f.unused(&["moe_capacity", "moe_use_aux_free"]);
            // Shared experts would have them too.
            f.expect("use_bias", &Value::from(false));
        }
        GptOss => f.unused(&["experts_per_token"]),
        // Gemma 2’s files and Phi-4-mini’s have these beside what the class reads.
        Gemma2 => f.unused(&["sliding_window_size"]),
        // Half the window to each side, as EmbeddingGemma has it.
        Gemma3 => f.expect("use_bidirectional_attention", &Value::from(false)),
        Phi3 => f.unused(&["full_attn_mod"]),
        _ => {}
    }
    let moe = experts::moe(f, family, layers);
    let all_experts = moe.is_some_and(|m| m.layers >= layers);
    Shape {
        attention,
        qkv_bias,
        o_bias,
        qk_norm,
        attention_sinks: family == GptOss,
        intermediate_size: match family {
            _ if all_experts => {
                f.unused(&["intermediate_size", "intermediate_size_mlp"]);
                0
            }
            Llama4 => f.need(&["intermediate_size_mlp"], "the width of a dense MLP", 16_384, MAX_ROWS),
            _ => dense_width(f),
        },
        gated_mlp: if matches!(family, Phi | Starcoder2 | Nemotron | Arcee) { Gated::No } else { Gated::Yes },
        mlp_bias,
        moe,
        norms,
        tie_word_embeddings: f.flag(
            "tie_word_embeddings",
            matches!(family, Gemma | Gemma2 | Gemma3 | Starcoder2 | Cohere | Cohere2 | Ernie | ErnieDense | SmolLm3),
        ),
        lm_head_bias: family == Phi || (family == PhiMoe && f.flag("lm_head_bias", false)),
        sliding: sliding(f, family, layers),
        ..usual
    }
}

/// StableLM: one norm where attention and MLP stand side by side.
fn stablelm_norms(f: &mut Fields<'_>) -> Norms {
    if f.flag("qk_layernorm", false) {
        f.problem("qk_layernorm", "qk_layernorm: true is not known for stablelm; only false can be counted.".into());
    }
    Norms { per_layer: if f.flag("use_parallel_residual", false) { 1 } else { 2 }, ..LAYER_NORMS }
}

/// Layers with a window where all but every `period`-th have one.
fn all_but_every(f: &mut Fields<'_>, names: &[&str], period: u64, layers: u64) -> u64 {
    let period = f.quiet(names).unwrap_or(period).max(1);
    layers - layers / period
}

/// Which layers have a window, and how wide.
fn sliding(f: &mut Fields<'_>, family: Family, layers: u64) -> Option<Sliding> {
    const MAX: u64 = 1_000_000_000;
    let alternate = layers.div_ceil(2);
    let (window, by_rule) = match family {
        Family::Mistral => (f.size("sliding_window", Absent::Class(4096), 0, MAX), layers),
        Family::Mixtral | Family::Phi3 | Family::PhiMoe | Family::Starcoder2 => {
            (f.size("sliding_window", Absent::Derived(0), 0, MAX), layers)
        }
        Family::Gemma2 => (f.size("sliding_window", Absent::Class(4096), 0, MAX), alternate),
        Family::Gemma3 => {
            let names = ["sliding_window_pattern", "_sliding_window_pattern"];
            (f.size("sliding_window", Absent::Class(4096), 0, MAX), all_but_every(f, &names, 6, layers))
        }
        Family::Cohere2 | Family::Olmo3 => {
            let by_rule = all_but_every(f, &["sliding_window_pattern"], 4, layers);
            (f.size("sliding_window", Absent::Class(4096), 0, MAX), by_rule)
        }
        Family::Llama4 => {
            let by_rule = all_but_every(f, &["no_rope_layer_interval"], 4, layers);
            (f.size("attention_chunk_size", Absent::Class(8192), 0, MAX), by_rule)
        }
        Family::GptOss => (f.size("sliding_window", Absent::Class(128), 0, MAX), alternate),
        Family::Qwen2 | Family::Qwen2Moe | Family::Qwen3 | Family::Qwen3Moe => {
            if !f.flag("use_sliding_window", false) {
                f.unused(&["sliding_window"]);
                return None;
            }
            let from = f.size("max_window_layers", Absent::Class(28), layers, MAX_LAYERS);
            (f.size("sliding_window", Absent::Class(4096), 0, MAX), layers.saturating_sub(from))
        }
        _ => return None,
    };
    f.doubt_empty_window();
    let sliding_layers = f.sliding_types(layers).unwrap_or(by_rule);
    (window > 0 && sliding_layers > 0).then_some(Sliding { window, layers: sliding_layers })
}
