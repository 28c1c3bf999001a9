//! The families with a mixture of experts.

use std::collections::BTreeSet;

use serde_json::Value;

use super::family::Family;
use super::fields::{Absent, Fields, HF, describe, usual};
use crate::model::layers::Kinds;
use crate::model::problem::ConfigProblem;
use crate::model::shape::{Attention, MAX_EXPERTS, MAX_LAYERS, MAX_ROWS, MAX_WIDTH, Moe, Shape};

const EXPERTS: &str = "the number of routed experts";

/// DeepSeek-V2 (`modeling_deepseek_v2.py`) and V3 (`modeling_deepseek_v3.py`), without the multi-token-prediction layer, as the
/// library builds it. What is only like them may have heads as Llama has, as DeepSeekMoE has (`modeling_deepseek.py`).
pub(super) fn deepseek(f: &mut Fields<'_>, family: Family) -> Shape {
    let usual = usual(f);
    let layers = usual.num_hidden_layers;
    let expert = f.need(&["moe_intermediate_size"], "the width of an expert", 2048, MAX_ROWS);
    let v2 = family == Family::DeepseekV2;
    let (rank, class, chosen) = match family {
        Family::DeepseekV2 => (1536, 0, 6),
        Family::Glm4MoeLite => (768, 1, 4),
        Family::GlmMoeDsa => (2048, 3, 8),
        _ => (1536, 3, 8),
    };
    let dense = dense_first(f, class, layers);
    if family == Family::Glm4MoeLite && f.value("mlp_layer_types").is_none() {
        // The class makes one layer dense, whatever the file says.
        f.expect("first_k_dense_replace", &Value::from(1));
    }
    let shared = f.size("n_shared_experts", Absent::Class(if v2 { 2 } else { 1 }), 0, MAX_EXPERTS);
    let bias = f.flag("attention_bias", false);
    f.expect("moe_layer_freq", &Value::from(1));
    let moe = Moe {
        layers: layers.saturating_sub(dense),
        num_experts: f.need(&["n_routed_experts"], "the number of routed experts", 256, MAX_EXPERTS),
        num_experts_per_tok: if v2 {
            f.need(&["num_experts_per_tok"], "experts per token", chosen, MAX_EXPERTS)
        } else {
            f.size("num_experts_per_tok", Absent::Class(chosen), 1, MAX_EXPERTS)
        },
        intermediate_size: expert,
        shared_intermediate_size: shared.saturating_mul(expert),
        shared_gate: false,
        expert_bias: false,
        router_bias: !v2,
    };
    let moe = (moe.layers > 0).then_some(moe);
    Shape {
        attention: if f.guessing && f.value("kv_lora_rank").is_none() {
            let heads = usual.num_attention_heads;
            f.heads(HF, usual.hidden_size, heads, Absent::Derived(heads), None)
        } else {
            latent(f, rank)
        },
        qkv_bias: bias,
        o_bias: bias,
        intermediate_size: super::mixed::width_beside(f, moe, layers),
        moe,
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        kinds: Kinds {
            indexer: match family {
                Family::DeepseekV32 | Family::GlmMoeDsa => super::mixed::indexer(f, layers),
                _ => None,
            },
            ..Kinds::default()
        },
        ..usual
    }
}

/// How many layers come before the experts: by `mlp_layer_types` or `is_moe_layer`, else `first_k_dense_replace`.
pub(super) fn dense_first(f: &mut Fields<'_>, class: u64, layers: u64) -> u64 {
    let sparse = |kind: &Value| match kind {
        Value::Bool(sparse) => Some(*sparse),
        Value::String(kind) if kind == "sparse" || kind == "moe" => Some(true),
        Value::String(kind) if kind == "dense" => Some(false),
        _ => None,
    };
    for name in ["mlp_layer_types", "is_moe_layer"] {
        let Some(list) = f.value(name) else { continue };
        let kinds: Option<Vec<bool>> = list.as_array().and_then(|list| list.iter().map(sparse).collect());
        f.unused(&["first_k_dense_replace", "first_last_k_dense_replace"]);
        match kinds {
            Some(kinds) if kinds.len() as u64 == layers => {
                return kinds.iter().filter(|sparse| !**sparse).count() as u64;
            }
            _ => f.problem(name, format!("{name}: expected dense or sparse for each of {layers} layers.")),
        }
    }
    f.size("first_k_dense_replace", Absent::Class(class), 0, MAX_LAYERS).min(layers)
}

/// Routed experts in `layers` layers, their number under one of `names`.
pub(super) fn routed(f: &mut Fields<'_>, layers: u64, names: &[&'static str], class: u64) -> Moe {
    Moe {
        num_experts: f.need(names, EXPERTS, 128, MAX_EXPERTS),
        num_experts_per_tok: f.size("num_experts_per_tok", Absent::Class(class), class, MAX_EXPERTS),
        intermediate_size: f.need(&["moe_intermediate_size"], "the width of an expert", 1408, MAX_ROWS),
        ..plain(layers)
    }
}

/// Multi-head latent attention; `class` is the width of the query latent where the file says nothing, 0 for none.
pub(super) fn latent(f: &mut Fields<'_>, class: u64) -> Attention {
    // The class derives these two from the others.
    f.unused(&["head_dim", "num_key_value_heads", "qk_head_dim"]);
    // Only null leaves the latent out: the class makes 0 one without width.
    let q_lora_rank = match f.raw("q_lora_rank") {
        Some(Value::Null) => None,
        None if class == 0 => None,
        _ => Some(f.size("q_lora_rank", Absent::Class(class), 0, MAX_WIDTH)),
    };
    Attention::Latent {
        q_lora_rank,
        kv_lora_rank: f.need(&["kv_lora_rank"], "the width of the cached latent", 512, MAX_WIDTH),
        qk_nope_head_dim: f.need(&["qk_nope_head_dim"], "the width of a head without position", 128, MAX_WIDTH),
        qk_rope_head_dim: f.need(&["qk_rope_head_dim"], "the width of the rotary part of a head", 64, MAX_WIDTH),
        v_head_dim: f.need(&["v_head_dim"], "the width of a value head", 128, MAX_WIDTH),
    }
}

/// Says that a layer that predicts further tokens is not counted.
pub(super) fn without_prediction(f: &mut Fields<'_>) {
    // Each of them alone says that there are some; two may disagree, and neither counts.
    const NAMES: [&str; 5] = [
        "num_nextn_predict_layers",
        "mtp_num_hidden_layers",
        "num_mtp_modules",
        "num_mtp_layers",
        "mtp_transformer_layers",
    ];
    f.unused(&["use_mtp", "mtp_use_dedicated_embeddings"]);
    f.unused(&NAMES);
    if let Some(name) = NAMES.into_iter().find(|name| f.quiet(&[name]).is_some_and(|n| n > 0)) {
        f.warnings.push(ConfigProblem::new(
            name,
            "The multi-token-prediction layer is not counted: the library does not build it either.",
        ));
    }
}

/// DBRX (`modeling_dbrx.py`): sizes of attention and experts in objects of their own.
pub(super) fn dbrx(f: &mut Fields<'_>) -> Shape {
    let h = f.need(&["d_model"], "the model width", 6144, MAX_WIDTH);
    let heads = f.need(&["n_heads"], "the number of heads", 48, MAX_WIDTH);
    let layers = f.need(&["n_layers"], "the number of layers", 40, MAX_LAYERS);
    let kv_heads = f.inside("attn_config", "kv_n_heads", 1, MAX_WIDTH);
    let moe = Moe {
        num_experts: f.inside("ffn_config", "moe_num_experts", 1, MAX_EXPERTS),
        num_experts_per_tok: f.inside("ffn_config", "moe_top_k", 1, MAX_EXPERTS),
        intermediate_size: f.inside("ffn_config", "ffn_hidden_size", 1, MAX_ROWS),
        ..plain(layers)
    };
    Shape {
        hidden_size: h,
        num_hidden_layers: layers,
        num_attention_heads: heads,
        vocab_size: f.need(&["vocab_size"], "the number of tokens", 100_352, MAX_ROWS),
        attention: Attention::Heads { kv_heads, head_dim: f.divide(("d_model", "n_heads"), h, heads) },
        moe: Some(moe),
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        ..Shape::default()
    }
}

/// Experts in `layers` layers, without sizes yet, shared ones or biases.
pub(super) const fn plain(layers: u64) -> Moe {
    Moe {
        layers,
        num_experts: 0,
        num_experts_per_tok: 0,
        intermediate_size: 0,
        shared_intermediate_size: 0,
        shared_gate: false,
        expert_bias: false,
        router_bias: false,
    }
}

/// The routed experts of a family that has some.
pub(super) fn moe(f: &mut Fields<'_>, family: Family, layers: u64) -> Option<Moe> {
    let none = plain(layers);
    let found = match family {
        Family::Mixtral | Family::GptOss | Family::PhiMoe | Family::GraniteMoe => {
            let oss = family == Family::GptOss;
            let (class, like) = if oss { (4, 32) } else { (2, 8) };
            Moe {
                num_experts: f.need(&["num_local_experts", "num_experts"], EXPERTS, like, MAX_EXPERTS),
                num_experts_per_tok: f.size("num_experts_per_tok", Absent::Class(class), class, MAX_EXPERTS),
                intermediate_size: f.need(&["intermediate_size"], "the width of an expert", 14_336, MAX_ROWS),
                expert_bias: oss,
                router_bias: oss,
                ..none
            }
        }
        Family::Qwen2Moe | Family::Qwen3Moe => {
            let step = f.size("decoder_sparse_step", Absent::Derived(1), 1, MAX_LAYERS).max(1);
            let dense_only = dense_only_layers(f);
            let sparse =
                (0..layers.min(MAX_LAYERS)).filter(|i| (i + 1).is_multiple_of(step) && !dense_only.contains(i));
            let shared = family == Family::Qwen2Moe;
            let class = if shared { 4 } else { 8 };
            Moe {
                layers: sparse.count() as u64,
                num_experts: f.need(&["num_experts", "num_local_experts"], EXPERTS, 128, MAX_EXPERTS),
                num_experts_per_tok: f.size("num_experts_per_tok", Absent::Class(class), class, MAX_EXPERTS),
                intermediate_size: f.need(&["moe_intermediate_size"], "the width of an expert", 1408, MAX_ROWS),
                shared_intermediate_size: if shared {
                    f.need(&["shared_expert_intermediate_size"], "the width of the shared expert", 5632, MAX_ROWS)
                } else {
                    0
                },
                shared_gate: shared,
                ..none
            }
        }
        Family::Olmoe => Moe {
            num_experts: f.need(&["num_experts"], EXPERTS, 64, MAX_EXPERTS),
            num_experts_per_tok: f.size("num_experts_per_tok", Absent::Class(8), 8, MAX_EXPERTS),
            intermediate_size: f.need(&["intermediate_size"], "the width of an expert", 1024, MAX_ROWS),
            ..none
        },
        Family::Llama4 => llama4(f, layers),
        Family::Ernie => ernie(f, layers),
        Family::Glm4Moe => {
            let dense = f.size("first_k_dense_replace", Absent::Class(1), 0, MAX_LAYERS).min(layers);
            let expert = f.need(&["moe_intermediate_size"], "the width of an expert", 1408, MAX_ROWS);
            Moe {
                layers: layers - dense,
                num_experts: f.need(&["n_routed_experts"], EXPERTS, 128, MAX_EXPERTS),
                num_experts_per_tok: f.size("num_experts_per_tok", Absent::Class(8), 8, MAX_EXPERTS),
                intermediate_size: expert,
                shared_intermediate_size: expert.saturating_mul(f.size(
                    "n_shared_experts",
                    Absent::Class(1),
                    0,
                    MAX_EXPERTS,
                )),
                router_bias: true,
                ..none
            }
        }
        _ => return None,
    };
    (found.layers > 0).then_some(found)
}

/// Llama 4 (`modeling_llama4.py`): a shared expert as wide as a routed one, in every layer or every few.
fn llama4(f: &mut Fields<'_>, layers: u64) -> Moe {
    let step = f.size("interleave_moe_layer_step", Absent::Class(1), 1, MAX_LAYERS).max(1);
    let expert = f.need(&["intermediate_size"], "the width of an expert", 8192, MAX_ROWS);
    Moe {
        layers: match f.value("moe_layers") {
            Some(Value::Array(list)) => {
                let own: BTreeSet<u64> =
                    list.iter().filter_map(Value::as_u64).filter(|layer| *layer < layers).collect();
                own.len() as u64
            }
            _ => layers / step,
        },
        num_experts: f.need(&["num_local_experts"], EXPERTS, 16, MAX_EXPERTS),
        num_experts_per_tok: f.size("num_experts_per_tok", Absent::Class(1), 1, MAX_EXPERTS),
        intermediate_size: expert,
        shared_intermediate_size: expert,
        ..plain(layers)
    }
}

/// ERNIE 4.5 (`modeling_ernie4_5_moe.py`): names of its own, and a correction bias in every router.
fn ernie(f: &mut Fields<'_>, layers: u64) -> Moe {
    let start = f.size("moe_layer_start_index", Absent::Class(1), 0, MAX_LAYERS);
    let end = f.quiet(&["moe_layer_end_index"]).map_or(layers, |last| last.saturating_add(1)).min(layers);
    let every = f.size("moe_layer_interval", Absent::Class(1), 1, MAX_LAYERS).max(1);
    let expert = f.need(&["moe_intermediate_size"], "the width of an expert", 1536, MAX_ROWS);
    Moe {
        layers: (start.min(MAX_LAYERS)..end.min(MAX_LAYERS)).filter(|i| (i + 1).is_multiple_of(every)).count() as u64,
        num_experts: f.need(&["moe_num_experts"], EXPERTS, 64, MAX_EXPERTS),
        num_experts_per_tok: f.size("moe_k", Absent::Class(6), 6, MAX_EXPERTS),
        intermediate_size: expert,
        shared_intermediate_size: expert.saturating_mul(f.size(
            "moe_num_shared_experts",
            Absent::Class(2),
            0,
            MAX_EXPERTS,
        )),
        router_bias: true,
        ..plain(layers)
    }
}

/// The layers that `mlp_only_layers` keeps dense.
pub(super) fn dense_only_layers(f: &mut Fields<'_>) -> Vec<u64> {
    match f.value("mlp_only_layers") {
        None => Vec::new(),
        Some(Value::Array(list)) if list.iter().all(Value::is_u64) => list.iter().filter_map(Value::as_u64).collect(),
        Some(other) => {
            let got = describe(other);
            f.problem("mlp_only_layers", format!("mlp_only_layers: expected a list of layer numbers, got {got}."));
            Vec::new()
        }
    }
}
