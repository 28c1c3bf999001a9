//! GPT-2 and the families with rules, or names of fields, of their own that have one MLP in each layer.

use serde_json::Value;

use super::fields::{Absent, Fields, GPT, HF, dense_width, usual};
use super::llama::LAYER_NORMS;
use crate::model::shape::{Attention, Gated, MAX_LAYERS, MAX_ROWS, MAX_WIDTH, Norms, Shape, Sliding};
use crate::query::shorten;

/// GPT-2 (`modeling_gpt2.py`) and StarCoder (`modeling_gpt_bigcode.py`): learned positions, biases everywhere.
pub(super) fn gpt2(f: &mut Fields<'_>, bigcode: bool) -> Shape {
    let h = f.need(&["n_embd", "hidden_size"], "the model width", 768, MAX_WIDTH);
    let heads = f.need(&["n_head", "num_attention_heads"], "the number of heads", 12, MAX_WIDTH);
    let head_dim = f.divide(GPT, h, heads);
    let multi_query = bigcode && f.flag("multi_query", true);
    Shape {
        hidden_size: h,
        num_hidden_layers: f.need(&["n_layer", "num_hidden_layers"], "the number of layers", 12, MAX_LAYERS),
        num_attention_heads: heads,
        vocab_size: f.need(&["vocab_size"], "the number of tokens", 50_257, MAX_ROWS),
        attention: Attention::Heads { kv_heads: if multi_query { 1 } else { heads }, head_dim },
        qkv_bias: true,
        o_bias: true,
        intermediate_size: f.maybe("n_inner", MAX_ROWS).unwrap_or(h.saturating_mul(4)),
        gated_mlp: Gated::No,
        mlp_bias: true,
        norms: LAYER_NORMS,
        position_rows: f.need(&["n_positions", "max_position_embeddings"], "the number of positions", 1024, MAX_ROWS),
        tie_word_embeddings: f.flag("tie_word_embeddings", true),
        ..Shape::default()
    }
}

/// BLOOM (`modeling_bloom.py`): the MLP is 4 × width whatever `n_inner` says; ALiBi; a norm on the embedding.
pub(super) fn bloom(f: &mut Fields<'_>) -> Shape {
    let h = f.need(&["hidden_size", "n_embed", "n_embd"], "the model width", 4096, MAX_WIDTH);
    f.unused(&["n_inner"]);
    let heads = f.need(&["n_head", "num_attention_heads"], "the number of heads", 32, MAX_WIDTH);
    let head_dim = f.divide(("n_embed", "n_head"), h, heads);
    Shape {
        hidden_size: h,
        num_hidden_layers: f.need(&["n_layer", "num_hidden_layers"], "the number of layers", 30, MAX_LAYERS),
        num_attention_heads: heads,
        vocab_size: f.need(&["vocab_size"], "the number of tokens", 250_880, MAX_ROWS),
        attention: Attention::Heads { kv_heads: heads, head_dim },
        qkv_bias: true,
        o_bias: true,
        intermediate_size: h.saturating_mul(4),
        gated_mlp: Gated::No,
        mlp_bias: true,
        norms: Norms { embedding: true, ..LAYER_NORMS },
        tie_word_embeddings: f.flag("tie_word_embeddings", true),
        ..Shape::default()
    }
}

/// Falcon (`modeling_falcon.py`): 7B has one norm a layer and one key–value head, the "new decoder architecture" of
/// 40B and 180B has two norms and groups, and RW-1B is plain multi-head attention with biases.
pub(super) fn falcon(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let (h, heads) = (usual.hidden_size, usual.num_attention_heads);
    let new = f.flag("new_decoder_architecture", false);
    let multi_query = f.flag("multi_query", true);
    let parallel = f.flag("parallel_attn", true);
    let bias = f.flag("bias", false);
    let kv_heads = match (new, multi_query) {
        (true, _) => f.size("num_kv_heads", Absent::Derived(heads), heads, MAX_WIDTH),
        (false, multi) => {
            f.unused(&["num_kv_heads"]);
            if multi { 1 } else { heads }
        }
    };
    let norms = f.size("num_ln_in_parallel_attn", Absent::Derived(0), 0, 2);
    let two_norms = !parallel || norms == 2 || (new && norms == 0);
    Shape {
        attention: Attention::Heads { kv_heads, head_dim: f.divide(HF, h, heads) },
        qkv_bias: bias,
        o_bias: bias,
        intermediate_size: f.maybe("ffn_hidden_size", MAX_ROWS).unwrap_or(h.saturating_mul(4)),
        gated_mlp: Gated::No,
        mlp_bias: bias,
        norms: Norms { per_layer: if two_norms { 2 } else { 1 }, ..LAYER_NORMS },
        tie_word_embeddings: f.flag("tie_word_embeddings", true),
        ..usual
    }
}

/// OPT (`modeling_opt.py`): learned positions with two rows more than it has positions.
pub(super) fn opt(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let (h, heads) = (usual.hidden_size, usual.num_attention_heads);
    let bias = f.flag("enable_bias", true);
    let positions = f.need(&["max_position_embeddings"], "the number of positions", 2048, MAX_ROWS - 2);
    let affine = f.flag("layer_norm_elementwise_affine", true);
    let last = f.flag("do_layer_norm_before", true) && !f.flag("_remove_final_layer_norm", false);
    Shape {
        attention: Attention::Heads { kv_heads: heads, head_dim: f.divide(HF, h, heads) },
        qkv_bias: bias,
        o_bias: bias,
        intermediate_size: f.need(&["ffn_dim"], "the width of the MLP", 16_384, MAX_ROWS),
        gated_mlp: Gated::No,
        mlp_bias: bias,
        norms: Norms { per_layer: if affine { 2 } else { 0 }, last: last && affine, ..LAYER_NORMS },
        position_rows: positions.saturating_add(2),
        word_embed_proj_dim: f.maybe("word_embed_proj_dim", MAX_WIDTH).filter(|&w| w != h),
        tie_word_embeddings: f.flag("tie_word_embeddings", true),
        ..usual
    }
}

/// GPT-NeoX (`modeling_gpt_neox.py`).
pub(super) fn gpt_neox(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let (h, heads) = (usual.hidden_size, usual.num_attention_heads);
    let bias = f.flag("attention_bias", true);
    Shape {
        attention: Attention::Heads { kv_heads: heads, head_dim: f.divide(HF, h, heads) },
        qkv_bias: bias,
        o_bias: bias,
        intermediate_size: dense_width(f),
        gated_mlp: Gated::No,
        mlp_bias: true,
        norms: LAYER_NORMS,
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        ..usual
    }
}

/// GPT-Neo (`modeling_gpt_neo.py`): learned positions; no biases on q, k and v; every other layer has a window.
pub(super) fn gpt_neo(f: &mut Fields<'_>) -> Shape {
    let h = f.need(&["hidden_size"], "the model width", 2048, MAX_WIDTH);
    let heads = f.need(&["num_heads", "num_attention_heads"], "the number of heads", 16, MAX_WIDTH);
    let layers = f.need(&["num_layers", "num_hidden_layers"], "the number of layers", 24, MAX_LAYERS);
    f.unused(&["attention_types"]);
    let local = match f.value("attention_layers") {
        Some(Value::Array(list)) => list.iter().filter(|kind| kind.as_str() == Some("local")).count() as u64,
        _ => layers / 2,
    };
    let window = f.size("window_size", Absent::Class(256), 0, 1_000_000_000);
    Shape {
        hidden_size: h,
        num_hidden_layers: layers,
        num_attention_heads: heads,
        vocab_size: f.need(&["vocab_size"], "the number of tokens", 50_257, MAX_ROWS),
        attention: Attention::Heads { kv_heads: heads, head_dim: f.divide(("hidden_size", "num_heads"), h, heads) },
        o_bias: true,
        intermediate_size: f.maybe("intermediate_size", MAX_ROWS).unwrap_or(h.saturating_mul(4)),
        gated_mlp: Gated::No,
        mlp_bias: true,
        norms: LAYER_NORMS,
        position_rows: f.need(&["max_position_embeddings"], "the number of positions", 2048, MAX_ROWS),
        tie_word_embeddings: f.flag("tie_word_embeddings", true),
        sliding: (window > 0 && local > 0).then_some(Sliding { window, layers: local.min(layers) }),
        ..Shape::default()
    }
}

/// GPT-J (`modeling_gptj.py`) and CodeGen (`modeling_codegen.py`): attention and MLP side by side after one norm, and a bias on
/// the output matrix.
pub(super) fn gptj(f: &mut Fields<'_>) -> Shape {
    let h = f.need(&["n_embd", "hidden_size"], "the model width", 4096, MAX_WIDTH);
    let heads = f.need(&["n_head", "num_attention_heads"], "the number of heads", 16, MAX_WIDTH);
    Shape {
        hidden_size: h,
        num_hidden_layers: f.need(&["n_layer", "num_hidden_layers"], "the number of layers", 28, MAX_LAYERS),
        num_attention_heads: heads,
        vocab_size: f.need(&["vocab_size"], "the number of tokens", 50_400, MAX_ROWS),
        attention: Attention::Heads { kv_heads: heads, head_dim: f.divide(GPT, h, heads) },
        intermediate_size: f.maybe("n_inner", MAX_ROWS).unwrap_or(h.saturating_mul(4)),
        gated_mlp: Gated::No,
        mlp_bias: true,
        norms: Norms { per_layer: 1, ..LAYER_NORMS },
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        lm_head_bias: true,
        ..Shape::default()
    }
}

/// MPT (`modeling_mpt.py`): ALiBi and no biases. The code that files bring along (llm-foundry, `llmfoundry/models/mpt`) also has
/// fewer key–value heads, which are counted, and other positions, norms and MLPs, which are not.
pub(super) fn mpt(f: &mut Fields<'_>) -> Shape {
    let h = f.need(&["d_model", "hidden_size"], "the model width", 4096, MAX_WIDTH);
    let heads = f.need(&["n_heads", "num_attention_heads"], "the number of heads", 32, MAX_WIDTH);
    // The library’s class has 4, whatever the file says; the code that files bring along does as it says.
    let ratio = f.size("expansion_ratio", Absent::Class(4), 4, 1000);
    f.expect("expansion_ratio", &Value::from(4));
    f.unused(&["learned_pos_emb"]);
    f.expect("no_bias", &Value::Bool(true));
    f.expect_within("attn_config", "alibi", &Value::Bool(true));
    f.expect_within("ffn_config", "ffn_type", &Value::from("mptmlp"));
    let kv_heads = match f.within("attn_config", "attn_type").and_then(Value::as_str) {
        None | Some("multihead_attention") => heads,
        Some("multiquery_attention") => 1,
        Some("grouped_query_attention") => f.inside("attn_config", "kv_n_heads", 1, MAX_WIDTH),
        Some(other) => {
            f.doubts.push(format!("attn_config.attn_type {}", shorten(other)));
            heads
        }
    };
    Shape {
        hidden_size: h,
        num_hidden_layers: f.need(&["n_layers", "num_hidden_layers"], "the number of layers", 32, MAX_LAYERS),
        num_attention_heads: heads,
        vocab_size: f.need(&["vocab_size"], "the number of tokens", 50_432, MAX_ROWS),
        attention: Attention::Heads { kv_heads, head_dim: f.divide(("d_model", "n_heads"), h, heads) },
        intermediate_size: h.saturating_mul(ratio),
        gated_mlp: Gated::No,
        norms: Norms { bias: false, ..LAYER_NORMS },
        tie_word_embeddings: f.flag("tie_word_embeddings", true),
        ..Shape::default()
    }
}

/// XGLM (`modeling_xglm.py`): sinusoidal positions, which are no weights; biases everywhere.
pub(super) fn xglm(f: &mut Fields<'_>) -> Shape {
    let h = f.need(&["d_model", "hidden_size"], "the model width", 1024, MAX_WIDTH);
    let heads = f.need(&["attention_heads", "num_attention_heads"], "the number of heads", 16, MAX_WIDTH);
    Shape {
        hidden_size: h,
        num_hidden_layers: f.need(&["num_layers", "num_hidden_layers"], "the number of layers", 24, MAX_LAYERS),
        num_attention_heads: heads,
        vocab_size: f.need(&["vocab_size"], "the number of tokens", 256_008, MAX_ROWS),
        attention: Attention::Heads { kv_heads: heads, head_dim: f.divide(("d_model", "attention_heads"), h, heads) },
        qkv_bias: true,
        o_bias: true,
        intermediate_size: f.need(&["ffn_dim"], "the width of the MLP", 4096, MAX_ROWS),
        gated_mlp: Gated::No,
        mlp_bias: true,
        norms: LAYER_NORMS,
        tie_word_embeddings: f.flag("tie_word_embeddings", true),
        ..Shape::default()
    }
}
