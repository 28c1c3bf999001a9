//! What a file says beyond the rule by which it is counted. A field that no rule reads and whose name is that of a size says that
//! the model is another than the library's class builds, so its total is a guess.

use serde_json::Value;

/// Words of a name by which a number, a list or an object is a size.
const SIZES: [&str; 50] = [
    "attention",
    "attn",
    "block",
    "blocks",
    "conv",
    "delta",
    "depth",
    "dim",
    "embd",
    "embed",
    "embedding",
    "embeddings",
    "expert",
    "experts",
    "ffn",
    "global",
    "group",
    "groups",
    "head",
    "heads",
    "hidden",
    "hybrid",
    "index",
    "indexer",
    "inner",
    "intermediate",
    "kv",
    "latent",
    "layer",
    "layers",
    "linear",
    "local",
    "lora",
    "mamba",
    "mlp",
    "moe",
    "mtp",
    "proj",
    "projection",
    "projector",
    "rank",
    "recurrent",
    "shared",
    "size",
    "sizes",
    "ssm",
    "state",
    "states",
    "width",
    "window",
];
/// Words by which a number with a fraction is one.
const FACTORS: [&str; 5] = ["expand", "expansion", "mult", "multiple", "ratio"];
/// Words by which a switch adds weights.
const SWITCHES: [&str; 13] =
    ["bias", "biases", "conv", "cross", "gate", "gated", "indexer", "moe", "qk", "shared", "sparse", "tie", "tied"];
/// Words by which a text names a kind of layer.
const KINDS: [&str; 3] = ["pattern", "type", "types"];
/// Words of experts, and of layers that are no softmax attention: no rule of another family comes near their total.
const EXPERTS: [&str; 3] = ["expert", "experts", "moe"];
const OTHER_LAYERS: [&str; 7] = ["conv", "delta", "hybrid", "linear", "mamba", "recurrent", "ssm"];

/// Names that families give one number, of routed experts.
pub(super) const COUNTS_OF_EXPERTS: [&str; 4] =
    ["moe_num_experts", "n_routed_experts", "num_experts", "num_local_experts"];

/// Names that read like sizes and change nothing that is counted: positions, scales, routing, generation, how a matrix is stored,
/// how weights begin.
const NO_SIZES: [&str; 41] = [
    "_attn_implementation",
    "attention_multiplier",
    "attn_implementation",
    "audio_config",
    "auto_map",
    "bias_dropout_fusion",
    "chunk_size_feed_forward",
    "cross_attention_hidden_size",
    "embedding_multiplier",
    "ep_size",
    "generation_config",
    "hidden_act",
    "hidden_activation",
    "id2label",
    "init_config",
    "init_device",
    "label2id",
    "logits_scaling",
    "max_window_layers",
    "n_group",
    "num_beam_groups",
    "original_max_position_embeddings",
    "position_embedding_type",
    "pretraining_tp",
    "problem_type",
    "quantization_config",
    "compression_config",
    "query_pre_attn_scalar",
    "rescale_every",
    "residual_multiplier",
    "scale_attention_softmax_in_fp32",
    "scale_embedding",
    "skip_bias_add",
    "task_specific_params",
    "topk_group",
    "padded_vocab_size",
    "unpadded_vocab_size",
    "vision_config",
    "model_type",
    "tokenizer_class",
    "torch_dtype",
];
/// How names of positions begin, and those of switches that leave something out.
const NO_SIZES_BEGIN: [&str; 4] = ["no_", "rope", "rotary", "partial_rotary"];

fn has(name: &str, words: &[&str]) -> bool {
    name.split(['_', '.', '-', ' ']).any(|word| words.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// Whether a name is known to be no size.
pub(super) fn is_no_size(name: &str) -> bool {
    NO_SIZES.contains(&name) || NO_SIZES_BEGIN.iter().any(|begin| name.starts_with(begin))
}

/// Whether a field with this name and value changes what is to be counted, as far as its name tells.
pub(super) fn concerns_sizes(name: &str, value: &Value) -> bool {
    if is_no_size(name) {
        return false;
    }
    match value {
        Value::Null => false,
        Value::Bool(on) => *on && has(name, &SWITCHES),
        Value::Number(n) if n.is_f64() => n.as_f64() != Some(0.0) && has(name, &FACTORS),
        Value::Number(n) => n.as_i64().is_none_or(|n| n > 0) && (has(name, &SIZES) || has(name, &FACTORS)),
        Value::String(text) => {
            has(name, &KINDS) && has(name, &SIZES) && !is_softmax(value) && !text.eq_ignore_ascii_case("default")
        }
        Value::Array(list) => has(name, &SIZES) && !list.iter().all(is_softmax),
        Value::Object(inner) => !inner.is_empty() && has(name, &SIZES),
    }
}

/// Whether a kind of layer is softmax attention.
pub(super) fn is_softmax(kind: &Value) -> bool {
    matches!(
        kind.as_str(),
        Some("attention" | "full_attention" | "sliding_attention" | "chunked_attention" | "global" | "local")
    )
}

/// Why a model of no known family is not counted by another's rule, if what that rule does not read is the most of it.
pub(super) fn no_guess(unread: &[String]) -> Option<&'static str> {
    let any = |words: &[&str]| unread.iter().any(|said| has(said, words));
    if any(&EXPERTS) {
        Some("experts")
    } else if any(&OTHER_LAYERS) || unread.iter().any(|said| said.starts_with("layer_types")) {
        Some("layers that are not softmax attention")
    } else {
        None
    }
}
