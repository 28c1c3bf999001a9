//! The families whose layers differ: linear attention or a state-space model in most, attention in some, one mixer or MLP each, heads of
//! their own where there is a window, an indexer or compressed rows.
//!
//! Source of the rules: Hugging Face transformers 5.x, `src/transformers/models/<family>/configuration_<family>.py` and
//! `modeling_<family>.py`; what the library does not build is said where it is counted.

use std::collections::BTreeSet;

use serde_json::Value;

use super::experts::{dense_first, latent, routed};
use super::family::Family;
use super::fields::{Absent, Fields, HF, dense_width, describe, said, usual};
use crate::model::layers::{Compressed, Heads, Indexer, Kinds, Mixer, OutputGate, StateLayers};
use crate::model::shape::{
    Attention, Gated, MAX_EXPERTS, MAX_LAYERS, MAX_ROWS, MAX_WIDTH, Moe, Norms, QkNorm, Shape, Sliding,
};

/// What one layer does, by the words and letters in which files say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layer {
    Full,
    Window,
    State,
    Mlp,
    Experts,
}

/// What a text in `layer_types`, or a letter of a pattern, means.
fn meaning(text: &str) -> Option<Layer> {
    Some(match text {
        "full_attention" | "attention" | "*" => Layer::Full,
        "sliding_attention" | "chunked_attention" => Layer::Window,
        "linear_attention" | "mamba" | "mamba2" | "conv" | "M" => Layer::State,
        "mlp" | "-" => Layer::Mlp,
        "moe" | "E" => Layer::Experts,
        _ => return None,
    })
}

/// How many layers are of each kind.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    full: u64,
    window: u64,
    state: u64,
    mlp: u64,
    experts: u64,
}

impl Counts {
    fn add(&mut self, layer: Layer) {
        match layer {
            Layer::Full => self.full += 1,
            Layer::Window => self.window += 1,
            Layer::State => self.state += 1,
            Layer::Mlp => self.mlp += 1,
            Layer::Experts => self.experts += 1,
        }
    }

    fn total(self) -> u64 {
        self.full + self.window + self.state + self.mlp + self.experts
    }
}

/// The layers that a list of texts names; `None` if there is no list. A text that is not known is a problem: such a layer is never
/// taken for another kind.
///
/// `state` are the words of the family's own layers with a state: another's word is another layer.
fn listed(f: &mut Fields<'_>, name: &'static str, layers: Option<u64>, state: &[&str]) -> Option<Counts> {
    let list = match f.value(name)? {
        Value::Array(list) => list,
        other => {
            let got = describe(other);
            f.problem(name, format!("{name}: expected a list with one text a layer, got {got}."));
            return None;
        }
    };
    let mut counts = Counts::default();
    for kind in list.iter().take(MAX_LAYERS as usize) {
        let own = |text: &&str| meaning(text) != Some(Layer::State) || state.contains(text);
        match kind.as_str().filter(own).and_then(meaning) {
            Some(layer) => counts.add(layer),
            None => {
                let got = describe(kind);
                f.problem(name, format!("{name} has {got}, a kind of layer that cannot be counted."));
                return None;
            }
        }
    }
    match layers {
        Some(layers) if counts.total() != layers && layers != 0 => {
            let message = format!("{name} has {} entries, but num_hidden_layers is {layers}.", list.len());
            f.problem(name, message);
            None
        }
        _ => Some(counts),
    }
}

/// `layer_types`, else every `interval`-th layer is full and the others are `other`.
fn typed(f: &mut Fields<'_>, layers: u64, interval: &'static str, class: u64, other: Layer) -> Counts {
    const STATE: &[&str] = &["linear_attention"];
    let every = match f.value(interval) {
        Some(value) => f.whole(interval, value, 1, MAX_LAYERS).unwrap_or(class),
        None => class,
    };
    if let Some(counts) = listed(f, "layer_types", Some(layers), STATE) {
        return counts;
    }
    if f.value("layer_types").is_none() && f.value(interval).is_none() {
        f.warn_class("layer_types", &format!("every {class}th layer has full attention"));
    }
    let full = layers / every.max(1);
    let mut counts = Counts { full, ..Counts::default() };
    match other {
        Layer::Window => counts.window = layers - full,
        _ => counts.state = layers - full,
    }
    counts
}

fn alone(layers: u64, mixer: Mixer) -> Option<StateLayers> {
    (layers > 0).then_some(StateLayers { layers, mixer, beside_attention: false })
}

/// A window, if any layer has one.
fn windows(f: &mut Fields<'_>, layers: u64, class: u64) -> Option<Sliding> {
    f.doubt_empty_window();
    let window = f.size("sliding_window", Absent::Class(class), 0, 1_000_000_000);
    (window > 0 && layers > 0).then_some(Sliding { window, layers })
}

/// A problem if a kind of layer is there that this family does not have.
fn only(f: &mut Fields<'_>, counts: Counts, allowed: &[Layer]) {
    let has = [
        (Layer::Full, counts.full),
        (Layer::Window, counts.window),
        (Layer::State, counts.state),
        (Layer::Mlp, counts.mlp),
        (Layer::Experts, counts.experts),
    ];
    if let Some((layer, _)) = has.into_iter().find(|(layer, n)| *n > 0 && !allowed.contains(layer)) {
        let what = match layer {
            Layer::Full => "full attention",
            Layer::Window => "a window",
            Layer::State => "a state of fixed size",
            Layer::Mlp => "an MLP alone",
            Layer::Experts => "experts alone",
        };
        let family = f.family;
        f.problem("layer_types", format!("layer_types has layers with {what}, which {family} does not have."));
    }
}

/// Whether a bias that the rule counts as absent is said to be there.
fn biases(f: &mut Fields<'_>, name: &'static str) -> bool {
    f.flag(name, false)
}

/// Qwen3-Next and Qwen3.5: gated delta nets, and every fourth layer attention with an output gate.
pub(super) fn qwen_next(f: &mut Fields<'_>, mixture: bool) -> Shape {
    let usual = usual(f);
    let (h, layers, heads) = (usual.hidden_size, usual.num_hidden_layers, usual.num_attention_heads);
    let counts = typed(f, layers, "full_attention_interval", 4, Layer::State);
    only(f, counts, &[Layer::Full, Layer::State]);
    let mixer = Mixer::Delta {
        key_heads: f.need(&["linear_num_key_heads"], "heads of keys of linear attention", 16, MAX_WIDTH),
        value_heads: f.need(&["linear_num_value_heads"], "heads of values of linear attention", 32, MAX_WIDTH),
        key_dim: f.need(&["linear_key_head_dim"], "the width of a key of linear attention", 128, MAX_WIDTH),
        value_dim: f.need(&["linear_value_head_dim"], "the width of a value of linear attention", 128, MAX_WIDTH),
        kernel: f.need(&["linear_conv_kernel_dim"], "inputs of the convolution", 4, MAX_WIDTH),
    };
    // A name for what the class does anyway.
    f.expect("attn_output_gate", &Value::from(true));
    let moe = mixture.then(|| {
        let step = f.size("decoder_sparse_step", Absent::Derived(1), 1, MAX_LAYERS).max(1);
        let dense = super::experts::dense_only_layers(f);
        let sparse = (0..layers.min(MAX_LAYERS)).filter(|i| (i + 1).is_multiple_of(step) && !dense.contains(i)).count();
        Moe {
            shared_intermediate_size: f.need(
                &["shared_expert_intermediate_size"],
                "the width of the shared expert",
                512,
                MAX_ROWS,
            ),
            shared_gate: true,
            ..routed(f, sparse as u64, &["num_experts"], 10)
        }
    });
    f.unused(&["mlp_only_layers"]);
    let bias = biases(f, "attention_bias");
    let moe = moe.filter(|m| m.layers > 0);
    Shape {
        attention: f.heads(HF, h, heads, Absent::Class(if mixture { 2 } else { 4 }), Some(256)),
        qkv_bias: bias,
        o_bias: bias,
        qk_norm: QkNorm::Head,
        intermediate_size: width_beside(f, moe, layers),
        moe,
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        kinds: Kinds { state: alone(counts.state, mixer), gate: OutputGate::Wide, ..Kinds::default() },
        ..usual
    }
}

/// The width of the dense MLP where some layer has one.
pub(super) fn width_beside(f: &mut Fields<'_>, moe: Option<Moe>, layers: u64) -> u64 {
    if moe.is_some_and(|m| m.layers >= layers) {
        f.unused(&["intermediate_size"]);
        0
    } else {
        dense_width(f)
    }
}

/// Mamba-2 under the names that Bamba, Granite and Falcon-H1 use.
fn mamba(f: &mut Fields<'_>, hidden: u64, norm: bool) -> Mixer {
    let heads = f.need(&["mamba_n_heads"], "heads of the state-space layers", 128, MAX_WIDTH);
    let expand = f.size("mamba_expand", Absent::Derived(2), 2, 64);
    let inner = match f.maybe("mamba_d_ssm", MAX_WIDTH) {
        Some(inner) => inner,
        None => expand.saturating_mul(hidden),
    };
    let head_dim = match f.value("mamba_d_head") {
        None => inner.checked_div(heads).unwrap_or(0),
        Some(Value::String(auto)) if auto == "auto" => inner.checked_div(heads).unwrap_or(0),
        Some(value) => f.whole("mamba_d_head", value, 1, MAX_WIDTH).unwrap_or(0),
    };
    if heads.saturating_mul(head_dim) != inner && inner > 0 && heads > 0 && head_dim > 0 {
        f.problem(
            "mamba_d_head",
            format!("mamba_n_heads {heads} times mamba_d_head {head_dim} is not the width of the state-space layers, {inner}."),
        );
    }
    Mixer::Mamba {
        heads,
        head_dim,
        groups: f.size("mamba_n_groups", Absent::Class(1), 1, MAX_WIDTH),
        state: f.need(&["mamba_d_state"], "the width of a state", 128, MAX_WIDTH),
        kernel: f.size("mamba_d_conv", Absent::Class(4), 4, MAX_WIDTH),
        conv_bias: f.flag("mamba_conv_bias", true),
        bias: f.flag("mamba_proj_bias", false),
        norm,
    }
}

/// Granite 4: Mamba-2 or attention, and in every layer an MLP that all tokens share, beside experts if there are any.
pub(super) fn granite_hybrid(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let (h, layers, heads) = (usual.hidden_size, usual.num_hidden_layers, usual.num_attention_heads);
    let counts = match listed(f, "layer_types", Some(layers), &["mamba", "linear_attention"]) {
        Some(counts) => counts,
        None => {
            if f.value("layer_types").is_none() {
                f.problem(
                    "layer_types",
                    "layer_types is missing: it says which layers are mamba and which attention.".into(),
                );
            }
            Counts::default()
        }
    };
    only(f, counts, &[Layer::Full, Layer::State]);
    let mixer = if counts.state > 0 {
        Some(mamba(f, h, true))
    } else {
        f.unused(&MAMBA);
        None
    };
    f.unused(&["mamba_chunk_size", "shared_intermediate_size", "num_local_experts", "num_experts_per_tok"]);
    let shared = f.need(&["shared_intermediate_size"], "the width of the MLP that all tokens share", 1024, MAX_ROWS);
    let experts = f.size("num_local_experts", Absent::Class(8), 0, MAX_EXPERTS);
    let moe = (experts > 0).then(|| Moe {
        intermediate_size: f.need(&["intermediate_size"], "the width of an expert", 512, MAX_ROWS),
        shared_intermediate_size: shared,
        num_experts: experts,
        num_experts_per_tok: f.need(&["num_experts_per_tok"], "experts per token", 6, MAX_EXPERTS),
        ..super::experts::plain(layers)
    });
    if moe.is_none() {
        f.unused(&["intermediate_size"]);
    }
    let bias = biases(f, "attention_bias");
    Shape {
        attention: f.heads(HF, h, heads, Absent::Derived(heads), None),
        qkv_bias: bias,
        o_bias: bias,
        intermediate_size: if moe.is_some() { 0 } else { shared },
        moe,
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        kinds: Kinds { state: mixer.and_then(|mixer| alone(counts.state, mixer)), ..Kinds::default() },
        ..usual
    }
}

/// Names of Mamba-2’s sizes.
const MAMBA: [&str; 9] = [
    "mamba_n_heads",
    "mamba_expand",
    "mamba_d_head",
    "mamba_n_groups",
    "mamba_d_state",
    "mamba_d_conv",
    "mamba_conv_bias",
    "mamba_proj_bias",
    "mamba_chunk_size",
];

/// Falcon-H1: attention and Mamba-2 side by side in every layer.
pub(super) fn falcon_h1(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let (h, layers, heads) = (usual.hidden_size, usual.num_hidden_layers, usual.num_attention_heads);
    f.unused(&["mamba_chunk_size", "mamba_use_mlp", "mamba_norm_before_gate", "mlp_multipliers", "ssm_multipliers"]);
    f.unused(&["ssm_in_multiplier", "ssm_out_multiplier", "lm_head_multiplier", "key_multiplier"]);
    f.unused(&["attention_in_multiplier", "attention_out_multiplier", "mlp_expansion_factor"]);
    let norm = f.flag("mamba_rms_norm", false);
    let mixer = mamba(f, h, norm);
    let bias = biases(f, "attention_bias");
    f.expect("projectors_bias", &Value::from(false));
    f.expect("mamba_proj_bias", &Value::from(false));
    Shape {
        attention: f.heads(HF, h, heads, Absent::Class(8), None),
        qkv_bias: bias,
        o_bias: bias,
        intermediate_size: dense_width(f),
        mlp_bias: biases(f, "mlp_bias"),
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        kinds: Kinds {
            state: (layers > 0).then_some(StateLayers { layers, mixer, beside_attention: true }),
            ..Kinds::default()
        },
        ..usual
    }
}

/// LFM2 and LFM2-MoE: short convolutions, and attention with normed queries and keys in some layers.
pub(super) fn lfm2(f: &mut Fields<'_>, mixture: bool) -> Shape {
    let h = f.need(&["hidden_size"], "the model width", 2048, MAX_WIDTH);
    let layers = f.need(&["num_hidden_layers"], "the number of layers", 16, MAX_LAYERS);
    let heads = f.need(&["num_attention_heads"], "the number of query heads", 32, MAX_WIDTH);
    f.unused(&["num_heads", "block_dim", "block_norm_eps", "block_use_swiglu", "block_use_xavier_init"]);
    f.unused(&["block_mlp_init_scale", "block_out_init_scale", "conv_use_xavier_init", "conv_dim", "conv_dim_out"]);
    let counts = match listed(f, "layer_types", Some(layers), &["conv"]) {
        Some(counts) => counts,
        None => match f.value("full_attn_idxs").and_then(Value::as_array) {
            Some(full) if f.value("layer_types").is_none() => {
                let full = (full.len() as u64).min(layers);
                Counts { full, state: layers - full, ..Counts::default() }
            }
            _ => {
                let message = "layer_types is missing: it says which layers are conv and which full_attention.";
                f.problem("layer_types", message.into());
                Counts::default()
            }
        },
    };
    f.unused(&["full_attn_idxs"]);
    only(f, counts, &[Layer::Full, Layer::State]);
    let mixer = Mixer::Conv {
        kernel: f.size("conv_L_cache", Absent::Class(3), 3, MAX_WIDTH),
        bias: f.flag("conv_bias", false),
    };
    let width = f.need(&["block_ff_dim", "intermediate_size"], "the width of the MLP", 12_288, MAX_ROWS);
    let moe = mixture.then(|| {
        let dense = f.size("num_dense_layers", Absent::Class(2), 0, MAX_LAYERS).min(layers);
        let bias = f.flag("use_expert_bias", true);
        Moe { router_bias: bias, ..routed(f, layers - dense, &["num_experts"], 4) }
    });
    let tied = f.flag("tie_embedding", true);
    Shape {
        hidden_size: h,
        num_hidden_layers: layers,
        num_attention_heads: heads,
        vocab_size: f.need(&["vocab_size"], "the number of tokens", 65_536, MAX_ROWS),
        attention: f.heads(HF, h, heads, Absent::Class(8), None),
        qk_norm: QkNorm::Head,
        intermediate_size: if mixture { width } else { cut_width(f, width) },
        moe: moe.filter(|m| m.layers > 0),
        tie_word_embeddings: f.flag("tie_word_embeddings", tied),
        kinds: Kinds { state: alone(counts.state, mixer), ..Kinds::default() },
        ..Shape::default()
    }
}

/// Two thirds of a width, rounded up to a multiple, as LFM2’s class makes its MLP unless told not to.
fn cut_width(f: &mut Fields<'_>, width: u64) -> u64 {
    let multiple = f.size("block_multiple_of", Absent::Class(256), 1, MAX_ROWS).max(1);
    let adjusted = f.flag("block_auto_adjust_ff_dim", true);
    f.expect("block_ffn_dim_multiplier", &Value::from(1.0));
    if adjusted { (width.saturating_mul(2) / 3).div_ceil(multiple).saturating_mul(multiple) } else { width }
}

/// Nemotron-H: one mixer a layer. Mamba-2, attention, an MLP or experts.
pub(super) fn nemotron_h(f: &mut Fields<'_>) -> Shape {
    let h = f.need(&["hidden_size"], "the model width", 4096, MAX_WIDTH);
    let counts = nemotron_layers(f);
    let layers = counts.total();
    let heads = f.need(&["num_attention_heads"], "the number of query heads", 32, MAX_WIDTH);
    let given = f.quiet(&["num_hidden_layers"]);
    if given.is_some_and(|n| n != layers) && layers > 0 {
        f.problem(
            "num_hidden_layers",
            format!("num_hidden_layers is {}, but {layers} layers are listed.", given.unwrap_or(0)),
        );
    }
    f.unused(&[
        "expand",
        "mamba_expand",
        "mamba_chunk_size",
        "chunk_size",
        "mtp_hybrid_override_pattern",
        "mtp_layers_block_type",
        // Of Mamba 1; the class projects one step size per head.
        "time_step_rank",
    ]);
    let mixer = Mixer::Mamba {
        heads: f.need(&["mamba_num_heads"], "heads of the state-space layers", 128, MAX_WIDTH),
        head_dim: f.need(&["mamba_head_dim"], "the width of their heads", 64, MAX_WIDTH),
        groups: f.need(&["n_groups", "mamba_n_groups"], "their groups", 8, MAX_WIDTH),
        state: f.need(&["ssm_state_size"], "the width of a state", 128, MAX_WIDTH),
        kernel: f.need(&["conv_kernel", "mamba_d_conv"], "inputs of the convolution", 4, MAX_WIDTH),
        conv_bias: f.flag("use_conv_bias", true) && f.flag("mamba_conv_bias", true),
        bias: f.flag("use_bias", false),
        norm: true,
    };
    let moe = if counts.experts > 0 {
        f.unused(&["moe_shared_expert_overlap"]);
        let width = f.need(&["moe_shared_expert_intermediate_size"], "the width of the shared expert", 7688, MAX_ROWS);
        let moe = routed(f, counts.experts, &["n_routed_experts", "num_local_experts"], 2);
        f.expect("n_shared_experts", &Value::from(1));
        Some(Moe { shared_intermediate_size: width, router_bias: true, ..moe })
    } else {
        // The class has these with defaults of its own where no layer uses them.
        f.unused(&["n_routed_experts", "n_shared_experts", "num_experts_per_tok", "moe_intermediate_size"]);
        f.unused(&["moe_shared_expert_intermediate_size", "moe_shared_expert_overlap", "moe_latent_size", "n_group"]);
        None
    };
    let latent = if moe.is_some() { f.size("moe_latent_size", Absent::Derived(0), 0, MAX_WIDTH) } else { 0 };
    let intermediate_size = if counts.mlp > 0 {
        dense_width(f)
    } else {
        f.unused(&["intermediate_size"]);
        0
    };
    f.unused(&["attention_head_dim", "sliding_window"]);
    // The class has none of these, and the code that files bring along has.
    for name in ["attention_bias", "mlp_bias", "mamba_proj_bias", "tie_word_embeddings"] {
        f.expect(name, &Value::from(false));
    }
    Shape {
        hidden_size: h,
        num_hidden_layers: layers,
        num_attention_heads: heads,
        vocab_size: f.need(&["vocab_size"], "the number of tokens", 131_072, MAX_ROWS),
        attention: f.heads(HF, h, heads, Absent::Class(8), Some(128)),
        intermediate_size,
        gated_mlp: Gated::No,
        moe,
        norms: Norms { per_layer: 1, ..Norms::default() },
        kinds: Kinds {
            state: alone(counts.state, mixer),
            without_mixer: counts.mlp + counts.experts,
            without_mlp: counts.full + counts.state,
            expert_latent: latent,
            ..Kinds::default()
        },
        ..Shape::default()
    }
}

/// The layers of Nemotron-H, from a list or from a pattern of letters.
fn nemotron_layers(f: &mut Fields<'_>) -> Counts {
    let pattern = f.value("hybrid_override_pattern");
    for name in ["layers_block_type", "layer_types"] {
        if f.value(name).is_some() {
            return listed(f, name, None, &["mamba", "mamba2", "linear_attention"]).unwrap_or_default();
        }
    }
    let Some(Value::String(pattern)) = pattern else {
        let message = "hybrid_override_pattern and layers_block_type are missing: one of them says what each layer is.";
        f.problem("hybrid_override_pattern", message.into());
        return Counts::default();
    };
    let mut counts = Counts::default();
    for letter in pattern.chars().take(MAX_LAYERS as usize) {
        match meaning(letter.encode_utf8(&mut [0; 4])) {
            Some(layer) => counts.add(layer),
            None => {
                let message =
                    format!("hybrid_override_pattern has “{letter}”, a kind of layer that cannot be counted.");
                f.problem("hybrid_override_pattern", message);
                return Counts::default();
            }
        }
    }
    counts
}

/// Gemma 4: layers with a window have heads of their own; experts, where there are any, stand beside the MLP.
pub(super) fn gemma4(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let (layers, heads) = (usual.num_hidden_layers, usual.num_attention_heads);
    let counts = typed(f, layers, "sliding_window_pattern", 6, Layer::Window);
    only(f, counts, &[Layer::Full, Layer::Window]);
    let last = f.value("layer_types").and_then(|kinds| kinds.as_array()?.last());
    if last.is_some_and(|kind| kind.as_str() != Some("full_attention")) {
        f.doubts.push("a last layer without full attention (layer_types)".to_owned());
    }
    let kv_heads = f.need(&["num_key_value_heads"], "heads of keys and values", 8, MAX_WIDTH);
    let head_dim = f.need(&["head_dim"], "the width of a head", 256, MAX_WIDTH);
    let one_projection = f.flag("attention_k_eq_v", false);
    let (wide, few) = if let Some([dim, kv]) = own_heads(f) {
        f.unused(&["global_head_dim", "num_global_key_value_heads"]);
        let mut read = |name, value: Option<&Value>| value.and_then(|value| f.whole(name, value, 1, MAX_WIDTH));
        (read("head_dim", dim).unwrap_or(head_dim), read("num_key_value_heads", kv))
    } else {
        let few = f.maybe("num_global_key_value_heads", MAX_WIDTH).filter(|_| one_projection);
        (f.size("global_head_dim", Absent::Class(512), 512, MAX_WIDTH), few)
    };
    // Embeddings for each layer, and layers that use the keys and values of others, are not counted.
    if f.size("hidden_size_per_layer_input", Absent::Class(256), 0, MAX_WIDTH) > 0 {
        f.problem(
            "hidden_size_per_layer_input",
            "hidden_size_per_layer_input: an embedding for each layer cannot be counted yet; only 0 can.".into(),
        );
    }
    f.unused(&["vocab_size_per_layer_input"]);
    if f.size("num_kv_shared_layers", Absent::Derived(0), 0, MAX_LAYERS) > 0 {
        f.problem(
            "num_kv_shared_layers",
            "num_kv_shared_layers: layers that use the keys and values of others cannot be counted yet; only 0 can."
                .into(),
        );
    }
    f.expect("use_double_wide_mlp", &Value::from(false));
    let bias = biases(f, "attention_bias");
    let mixture = f.flag("enable_moe_block", false);
    let moe = if mixture {
        Some(Moe {
            num_experts: f.need(&["num_experts"], "the number of routed experts", 128, MAX_EXPERTS),
            num_experts_per_tok: f.need(&["top_k_experts"], "experts per token", 8, MAX_EXPERTS),
            intermediate_size: f.need(&["moe_intermediate_size"], "the width of an expert", 704, MAX_ROWS),
            ..super::experts::plain(layers)
        })
    } else {
        f.unused(&["num_experts", "top_k_experts", "moe_intermediate_size"]);
        None
    };
    let own = Heads { heads, kv_heads, head_dim };
    Shape {
        attention: Attention::Heads { kv_heads: few.unwrap_or(kv_heads), head_dim: wide },
        qkv_bias: bias,
        o_bias: bias,
        qk_norm: QkNorm::Head,
        intermediate_size: dense_width(f),
        moe,
        norms: Norms { per_layer: if mixture { 7 } else { 4 }, ..Norms::default() },
        tie_word_embeddings: f.flag("tie_word_embeddings", true),
        sliding: windows(f, counts.window, 512),
        kinds: Kinds {
            windowed: (counts.window > 0).then_some(own),
            one_projection,
            dense_beside_experts: mixture,
            router_scales: mixture,
            ..Kinds::default()
        },
        ..usual
    }
}

/// The width and the number of key–value heads that `per_layer_config` gives every layer with full attention of a Gemma 4, and no other:
/// what transformers 5.24 writes instead of `global_head_dim` and `num_global_key_value_heads`.
pub(super) fn own_heads<'a>(f: &Fields<'a>) -> Option<[Option<&'a Value>; 2]> {
    if f.value("model_type").and_then(Value::as_str) != Some(Family::Gemma4.model_type()) {
        return None;
    }
    let (own, kinds) = (f.value("per_layer_config")?.as_object()?, f.value("layer_types")?.as_array()?);
    let first = own.values().next()?.as_object()?;
    let names = ["head_dim", "num_key_value_heads"];
    let full = |layer: &str| kinds.get(layer.parse::<usize>().ok()?)?.as_str().filter(|kind| *kind == "full_attention");
    let numbers: BTreeSet<usize> = own.keys().filter_map(|layer| layer.parse().ok()).collect();
    let all = kinds.iter().filter(|kind| kind.as_str() == Some("full_attention")).count() == numbers.len();
    let alike = own.iter().all(|(layer, sizes)| full(layer).is_some() && sizes.as_object() == Some(first));
    let known = first.keys().all(|name| names.contains(&name.as_str()));
    (all && alike && known).then(|| names.map(|name| first.get(name).filter(|value| !value.is_null())))
}

/// What transformers 5.24 and a file of GLM-5.2 call a layer with an indexer in `layer_types`.
const INDEXED: [&str; 2] = ["indexed_attention", "deepseek_sparse_attention"];

/// The indexer of DeepSeek-V3.2 and GLM-5: in all layers, or in those that `indexer_types` calls full.
pub(super) fn indexer(f: &mut Fields<'_>, layers: u64) -> Option<Indexer> {
    f.unused(&["index_topk_freq", "index_topk_pattern", "index_skip_topk_offset", "index_share_for_mtp_iteration"]);
    f.unused(&["indexer_rope_interleave"]);
    match f.value("layer_types") {
        Some(Value::Array(kinds)) if kinds.iter().all(|kind| kind.as_str().is_some_and(|k| INDEXED.contains(&k))) => {}
        Some(other) => f.doubts.push(said("layer_types", other)),
        None => {}
    }
    let own = match f.value("indexer_types") {
        None => {
            if f.value("index_topk_freq").and_then(Value::as_u64).is_some_and(|n| n > 1)
                || f.value("index_topk_pattern").is_some()
            {
                f.doubts.push("index_topk_freq or index_topk_pattern without indexer_types".to_owned());
            }
            layers
        }
        Some(Value::Array(list)) if list.len() as u64 == layers => {
            if let Some(other) = list.iter().find(|kind| !matches!(kind.as_str(), Some("full" | "shared"))) {
                let got = describe(other);
                f.problem("indexer_types", format!("indexer_types has {got}; full and shared can be counted."));
            }
            list.iter().filter(|kind| kind.as_str() == Some("full")).count() as u64
        }
        Some(other) => {
            let got = describe(other);
            f.problem("indexer_types", format!("indexer_types: expected a list with one text a layer, got {got}."));
            layers
        }
    };
    Some(Indexer {
        layers: own,
        choosing: layers,
        heads: f.need(&["index_n_heads"], "heads of the indexer", 64, MAX_WIDTH),
        dim: f.need(&["index_head_dim"], "the width of its key", 128, MAX_WIDTH),
        top: f.need(&["index_topk"], "tokens that it chooses", 2048, MAX_WIDTH),
        normed: false,
    })
    .filter(|i| i.layers > 0)
}

/// DeepSeek-V4: one shared key and value, compressed rows, hyper-connections, experts in every layer.
pub(super) fn deepseek_v4(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let layers = usual.num_hidden_layers;
    let head_dim = f.need(&["head_dim"], "the width of the shared key and value", 512, MAX_WIDTH);
    f.unused(&["qk_rope_head_dim", "hc_sinkhorn_iters", "compress_rope_theta", "expert_dtype"]);
    f.expect("num_key_value_heads", &Value::from(1));
    f.expect("attention_bias", &Value::from(false));
    let (near, far) = compressed_layers(f, layers);
    let index = Indexer {
        layers: near,
        choosing: 0,
        heads: f.need(&["index_n_heads"], "heads of the indexer", 64, MAX_WIDTH),
        dim: f.need(&["index_head_dim"], "the width of its key", 128, MAX_WIDTH),
        top: f.need(&["index_topk"], "rows that it chooses", 512, MAX_WIDTH),
        normed: false,
    };
    // The class has one, whatever the file says.
    f.expect("n_shared_experts", &Value::from(1));
    let moe = routed(f, layers, &["n_routed_experts", "num_local_experts"], 6);
    let hashed = match f.value("mlp_layer_types") {
        None => f.size("num_hash_layers", Absent::Class(3), 3, MAX_LAYERS).min(layers),
        Some(kinds) => {
            f.unused(&["num_hash_layers"]);
            hashed(kinds, layers).unwrap_or_else(|| {
                f.problem(
                    "mlp_layer_types",
                    format!("mlp_layer_types: expected hash_moe or moe for each of {layers} layers."),
                );
                0
            })
        }
    };
    f.expect_within("compress_rates", "compressed_sparse_attention", &Value::from(4));
    f.expect_within("compress_rates", "heavily_compressed_attention", &Value::from(128));
    f.unused(&["intermediate_size", "n_group", "topk_group"]);
    let compressed = Compressed {
        q_rank: f.need(&["q_lora_rank"], "the width of the query latent", 1024, MAX_WIDTH),
        o_rank: f.need(&["o_lora_rank"], "the width of the output latent", 1024, MAX_WIDTH),
        o_groups: f.need(&["o_groups"], "groups of heads", 8, MAX_WIDTH),
        near: [4, near],
        far: [128, far],
    };
    Shape {
        attention: Attention::Heads { kv_heads: 1, head_dim },
        attention_sinks: true,
        moe: (layers > 0).then_some(Moe { shared_intermediate_size: moe.intermediate_size, router_bias: true, ..moe }),
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        sliding: windows(f, layers, 128),
        kinds: Kinds {
            compressed: Some(compressed),
            indexer: (near > 0).then_some(index),
            streams: f.need(&["hc_mult"], "residual streams", 4, 64),
            hashed,
            ..Kinds::default()
        },
        ..usual
    }
}

/// Layers of DeepSeek-V4 whose router is a table, of a list with one kind a layer.
fn hashed(kinds: &Value, layers: u64) -> Option<u64> {
    let kinds = kinds.as_array().filter(|kinds| kinds.len() as u64 == layers)?;
    let known = kinds.iter().all(|kind| matches!(kind.as_str(), Some("hash_moe" | "moe")));
    known.then(|| kinds.iter().filter(|kind| kind.as_str() == Some("hash_moe")).count() as u64)
}

/// Layers of DeepSeek-V4 that compress 4 tokens to a row, and 128. `compress_ratios` has entries for prediction layers too.
fn compressed_layers(f: &mut Fields<'_>, layers: u64) -> (u64, u64) {
    let count = |ratios: &[u64], ratio: u64| ratios.iter().filter(|r| **r == ratio).count() as u64;
    if let Some(Value::Array(list)) = f.value("compress_ratios") {
        let ratios: Vec<u64> = list.iter().take(layers.min(MAX_LAYERS) as usize).filter_map(Value::as_u64).collect();
        if ratios.len() as u64 != layers || ratios.iter().any(|r| !matches!(r, 0 | 4 | 128)) {
            let message = "compress_ratios: expected 0, 4 or 128 for each layer; others cannot be counted.";
            f.problem("compress_ratios", message.into());
        }
        return (count(&ratios, 4), count(&ratios, 128));
    }
    let Some(Value::Array(list)) = f.value("layer_types") else {
        f.problem(
            "compress_ratios",
            "compress_ratios is missing: it says how many tokens each layer compresses.".into(),
        );
        return (0, 0);
    };
    let ratio = |kind: &Value| match kind.as_str() {
        Some("sliding_attention") => Some(0),
        Some("compressed_sparse_attention") => Some(4),
        Some("heavily_compressed_attention") => Some(128),
        _ => None,
    };
    let ratios: Vec<u64> = list.iter().take(MAX_LAYERS as usize).filter_map(ratio).collect();
    if ratios.len() as u64 != layers || list.len() as u64 != layers {
        f.problem("layer_types", "layer_types has kinds of layers that deepseek_v4 does not have.".into());
    }
    (count(&ratios, 4), count(&ratios, 128))
}

/// MiniMax-M2: experts in every layer, norms over all heads.
pub(super) fn minimax_m2(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let (h, layers, heads) = (usual.hidden_size, usual.num_hidden_layers, usual.num_attention_heads);
    f.expect("shared_intermediate_size", &Value::from(0));
    f.expect("use_qk_norm", &Value::from(true));
    f.expect("qk_norm_type", &Value::from("per_layer"));
    all_softmax(f);
    f.unused(&["rotary_dim", "mlp_intermediate_size", "sliding_window"]);
    let moe = Moe {
        intermediate_size: f.need(&["intermediate_size"], "the width of an expert", 1536, MAX_ROWS),
        num_experts: f.need(&["num_local_experts"], "the number of routed experts", 256, MAX_EXPERTS),
        num_experts_per_tok: f.size("num_experts_per_tok", Absent::Class(8), 8, MAX_EXPERTS),
        router_bias: f.flag("use_routing_bias", true),
        ..super::experts::plain(layers)
    };
    Shape {
        attention: f.heads(HF, h, heads, Absent::Class(8), Some(128)),
        qk_norm: QkNorm::Full,
        moe: Some(moe),
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        ..usual
    }
}

/// `attn_type_list` of MiniMax names softmax attention 1 and lightning attention 0.
fn all_softmax(f: &mut Fields<'_>) {
    if let Some(Value::Array(list)) = f.value("attn_type_list")
        && list.iter().any(|kind| kind.as_u64() != Some(1))
    {
        f.problem("attn_type_list", "attn_type_list names layers that are not softmax attention.".into());
    }
}

/// MiniMax-M3’s language model: an indexer over blocks of tokens where `sparse_attention_freq` says so, and experts where `moe_layer_freq` does.
pub(super) fn minimax_m3(f: &mut Fields<'_>) -> Shape {
    const SPARSE: &str = "sparse_attention_config";
    let usual = usual(f);
    let (h, layers, heads) = (usual.hidden_size, usual.num_hidden_layers, usual.num_attention_heads);
    f.expect("use_qk_norm", &Value::from(true));
    f.expect("qk_norm_type", &Value::from("per_head"));
    f.expect("attention_output_gate", &Value::from(false));
    f.unused(&["rotary_dim", "use_gemma_norm"]);
    let chosen = marked(f.within(SPARSE, "sparse_attention_freq"), layers);
    f.expect_within(SPARSE, "use_sparse_attention", &Value::from(true));
    for name in ["sparse_disable_index_value", "sparse_score_type", "sparse_init_block", "sparse_local_block"] {
        f.within(SPARSE, name);
    }
    let block = f.inside(SPARSE, "sparse_block_size", 1, MAX_WIDTH);
    let index = Indexer {
        layers: chosen.unwrap_or(0),
        choosing: chosen.unwrap_or(0),
        heads: f.inside(SPARSE, "sparse_num_index_heads", 1, MAX_WIDTH),
        dim: f.inside(SPARSE, "sparse_index_dim", 1, MAX_WIDTH),
        top: f.inside(SPARSE, "sparse_topk_blocks", 1, MAX_WIDTH).saturating_mul(block),
        normed: true,
    };
    let sparse = marked(f.value("moe_layer_freq"), layers);
    if chosen.is_none() || sparse.is_none() {
        let message = "sparse_attention_config.sparse_attention_freq and moe_layer_freq: expected lists with 0 or 1 for each layer.";
        f.problem("moe_layer_freq", message.into());
    }
    let sparse = sparse.unwrap_or(layers);
    let shared = f.size("n_shared_experts", Absent::Derived(1), 0, MAX_EXPERTS);
    let moe = Moe {
        // Some files say both, of one width.
        intermediate_size: f.need(
            &["intermediate_size", "moe_intermediate_size"],
            "the width of an expert",
            3072,
            MAX_ROWS,
        ),
        num_experts: f.need(&["num_local_experts"], "the number of routed experts", 128, MAX_EXPERTS),
        num_experts_per_tok: f.need(&["num_experts_per_tok"], "experts per token", 4, MAX_EXPERTS),
        shared_intermediate_size: f
            .need(&["shared_intermediate_size"], "the width of a shared expert", 3072, MAX_ROWS)
            .saturating_mul(shared),
        router_bias: f.flag("use_routing_bias", true),
        ..super::experts::plain(sparse)
    };
    Shape {
        attention: f.heads(HF, h, heads, Absent::Class(4), Some(128)),
        qk_norm: QkNorm::Head,
        intermediate_size: if sparse < layers {
            f.need(&["dense_intermediate_size"], "the width of a dense MLP", 12_288, MAX_ROWS)
        } else {
            f.unused(&["dense_intermediate_size"]);
            0
        },
        moe: (sparse > 0).then_some(moe),
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        kinds: Kinds { indexer: (index.layers > 0).then_some(index), ..Kinds::default() },
        ..usual
    }
}

/// How many entries of a list with one 0 or 1 a layer are 1.
fn marked(list: Option<&Value>, layers: u64) -> Option<u64> {
    let list = list?.as_array().filter(|list| list.len() as u64 == layers)?;
    let each: Option<Vec<u64>> =
        list.iter().map(|v| v.as_u64().or(v.as_bool().map(u64::from)).filter(|n| *n <= 1)).collect();
    Some(each?.iter().sum())
}

/// MiMo-V2-Flash: windows with twice the key–value heads and sinks in most layers, values narrower than keys, experts after the first
/// layer. The class makes both lists by rule unless `layer_types` and `mlp_layer_types` are there.
pub(super) fn mimo_v2(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let (h, layers, heads) = (usual.hidden_size, usual.num_hidden_layers, usual.num_attention_heads);
    let full = |i: u64| i == 0 || (i + 1).is_multiple_of(6);
    let by_rule = (0..layers.min(MAX_LAYERS)).filter(|i| !full(*i)).count() as u64;
    let windowed = match listed(f, "layer_types", Some(layers), &[]) {
        Some(counts) => {
            only(f, counts, &[Layer::Full, Layer::Window]);
            f.unused(&["hybrid_layer_pattern"]);
            counts.window
        }
        None => {
            expect_marked(f, "hybrid_layer_pattern", layers, by_rule);
            by_rule
        }
    };
    let attention = f.heads(HF, h, heads, Absent::Class(4), Some(192));
    let Attention::Heads { kv_heads, head_dim } = attention else { return usual };
    let value_dim = match f.maybe("v_head_dim", MAX_WIDTH) {
        Some(dim) => dim,
        None => f.size("v_head_dim", Absent::Class(128), 128, MAX_WIDTH),
    };
    let own = Heads { heads, kv_heads: kv_heads.saturating_mul(2), head_dim };
    for (name, class) in [
        ("swa_num_attention_heads", heads),
        ("swa_num_key_value_heads", own.kv_heads),
        ("swa_head_dim", head_dim),
        ("swa_v_head_dim", value_dim),
        ("n_shared_experts", 0),
    ] {
        f.expect(name, &Value::from(class));
    }
    f.expect("add_swa_attention_sink_bias", &Value::from(true));
    f.expect("add_full_attention_sink_bias", &Value::from(false));
    f.unused(&["attention_chunk_size"]);
    let dense = if f.value("mlp_layer_types").is_some() {
        f.unused(&["moe_layer_freq"]);
        dense_first(f, 1, layers)
    } else {
        expect_marked(f, "moe_layer_freq", layers, layers.saturating_sub(1));
        layers.min(1)
    };
    let moe = routed(f, layers - dense, &["n_routed_experts", "num_local_experts"], 8);
    let moe = (moe.layers > 0).then_some(Moe { router_bias: true, ..moe });
    let sliding = match f.maybe("sliding_window_size", 1_000_000_000) {
        Some(before) => {
            f.unused(&["sliding_window"]);
            (windowed > 0).then_some(Sliding { window: before.saturating_add(1), layers: windowed })
        }
        None => windows(f, windowed, 129),
    };
    Shape {
        attention,
        attention_sinks: true,
        qkv_bias: f.flag("attention_bias", false),
        intermediate_size: width_beside(f, moe, layers),
        moe,
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        sliding,
        kinds: Kinds { windowed: sliding.map(|_| own), value_dim, window_sinks: true, ..Kinds::default() },
        ..usual
    }
}

/// A doubt if a list with one 0 or 1 a layer marks another number of layers than the class makes.
fn expect_marked(f: &mut Fields<'_>, name: &'static str, layers: u64, class: u64) {
    if let Some(list) = f.value(name)
        && marked(Some(list), layers) != Some(class)
    {
        f.doubts.push(said(name, list));
    }
}

/// MiniMax-Text-01: seven layers of lightning attention to one of softmax attention, experts in all.
pub(super) fn minimax(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let (h, layers, heads) = (usual.hidden_size, usual.num_hidden_layers, usual.num_attention_heads);
    let attention = f.heads(HF, h, heads, Absent::Class(8), None);
    let full = match (f.value("attn_type_list"), f.value("layer_types")) {
        (None, Some(_)) => {
            let counts = listed(f, "layer_types", Some(layers), &["linear_attention"]).unwrap_or_default();
            only(f, counts, &[Layer::Full, Layer::State]);
            counts.full
        }
        (list, _) => match marked(list, layers) {
            Some(full) => full,
            None => {
                let message =
                    "attn_type_list: expected 0 (lightning attention) or 1 (softmax attention) for each layer.";
                f.problem("attn_type_list", message.into());
                0
            }
        },
    };
    f.unused(&["layer_types", "postnorm", "rotary_dim", "full_attn_alpha_factor", "linear_attn_alpha_factor"]);
    f.unused(&["layernorm_full_attention_alpha", "layernorm_full_attention_beta", "layernorm_linear_attention_alpha"]);
    f.unused(&["layernorm_linear_attention_beta", "layernorm_mlp_alpha", "layernorm_mlp_beta", "shared_moe_mode"]);
    f.unused(&[
        "full_attn_beta_factor",
        "linear_attn_beta_factor",
        "mlp_alpha_factor",
        "mlp_beta_factor",
        "block_size",
    ]);
    f.expect("shared_intermediate_size", &Value::from(0));
    let head_dim = match attention {
        Attention::Heads { head_dim, .. } => head_dim,
        Attention::Latent { .. } => 0,
    };
    let moe = Moe {
        intermediate_size: f.need(&["intermediate_size"], "the width of an expert", 9216, MAX_ROWS),
        num_experts: f.need(&["num_local_experts"], "the number of routed experts", 32, MAX_EXPERTS),
        num_experts_per_tok: f.size("num_experts_per_tok", Absent::Class(2), 2, MAX_EXPERTS),
        ..super::experts::plain(layers)
    };
    Shape {
        attention,
        moe: Some(moe),
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        kinds: Kinds {
            state: alone(layers.saturating_sub(full), Mixer::Lightning { heads, head_dim }),
            ..Kinds::default()
        },
        ..usual
    }
}

/// Kimi-Linear: Kimi delta attention, and latent attention in the layers that `linear_attn_config` numbers from 1 or, as transformers
/// 5.24 writes it, `layer_types` names.
pub(super) fn kimi_linear(f: &mut Fields<'_>) -> Shape {
    const LINEAR: &str = "linear_attn_config";
    let usual = usual(f);
    let layers = usual.num_hidden_layers;
    let (linear, mixer) = if f.value(LINEAR).is_none() && f.value("layer_types").is_some() {
        let counts = listed(f, "layer_types", Some(layers), &["linear_attention"]).unwrap_or_default();
        only(f, counts, &[Layer::Full, Layer::State]);
        let mixer = Mixer::Kimi {
            heads: f.need(&["linear_num_heads"], "heads of the layers with a state", 32, MAX_WIDTH),
            head_dim: f.need(&["linear_head_dim"], "the width of their heads", 128, MAX_WIDTH),
            kernel: f.need(&["linear_conv_kernel_dim"], "inputs of the convolution", 4, MAX_WIDTH),
            full_gate: false,
        };
        (counts.state, mixer)
    } else {
        let numbered = |f: &Fields<'_>, name| f.within(LINEAR, name).and_then(Value::as_array).map(|l| l.len() as u64);
        let linear = match (numbered(f, "full_attn_layers"), numbered(f, "kda_layers")) {
            (Some(full), Some(linear)) if full.saturating_add(linear) == layers => linear,
            _ => {
                let message = "linear_attn_config: full_attn_layers and kda_layers together must number every layer.";
                f.problem(LINEAR, message.into());
                0
            }
        };
        let full_gate = f.within(LINEAR, "use_full_rank_gate");
        let mixer = Mixer::Kimi {
            heads: f.inside(LINEAR, "num_heads", 1, MAX_WIDTH),
            head_dim: f.inside(LINEAR, "head_dim", 1, MAX_WIDTH),
            kernel: f.inside(LINEAR, "short_conv_kernel_size", 1, MAX_WIDTH),
            full_gate: full_gate == Some(&Value::Bool(true)),
        };
        (linear, mixer)
    };
    f.unused(&["head_dim", "num_key_value_heads", "mla_use_nope", "moe_router_activation_func", "num_expert_group"]);
    f.unused(&["moe_renormalize"]);
    let gate = if f.flag("mla_use_output_gate", false) { OutputGate::Wide } else { OutputGate::None };
    f.expect("moe_layer_freq", &Value::from(1));
    f.expect("attention_bias", &Value::from(false));
    let dense = dense_first(f, 1, layers);
    let shared = f.size("num_shared_experts", Absent::Class(1), 0, MAX_EXPERTS);
    let expert = f.need(&["moe_intermediate_size"], "the width of an expert", 1024, MAX_ROWS);
    let moe = Moe {
        num_experts: f.need(&["num_experts", "n_routed_experts"], "the number of routed experts", 256, MAX_EXPERTS),
        num_experts_per_tok: f.need(
            &["num_experts_per_token", "num_experts_per_tok"],
            "experts per token",
            8,
            MAX_EXPERTS,
        ),
        intermediate_size: expert,
        shared_intermediate_size: shared.saturating_mul(expert),
        router_bias: true,
        ..super::experts::plain(layers.saturating_sub(dense))
    };
    let moe = (moe.layers > 0).then_some(moe);
    Shape {
        attention: latent(f, 0),
        intermediate_size: width_beside(f, moe, layers),
        moe,
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        kinds: Kinds {
            state: alone(linear, mixer),
            gate,
            expert_latent: f.size("routed_expert_hidden_size", Absent::Derived(0), 0, MAX_WIDTH),
            ..Kinds::default()
        },
        ..usual
    }
}

/// Families of plain attention layers, dense or with experts after the first layers, that differ in norms, gates and windows.
pub(super) fn plain_or_experts(f: &mut Fields<'_>, family: Family) -> Shape {
    use Family::{Afmoe, Exaone4, ExaoneMoe, HunyuanDense, SeedOss};
    let usual = usual(f);
    let (h, layers, heads) = (usual.hidden_size, usual.num_hidden_layers, usual.num_attention_heads);
    let (class_kv, dim) = match family {
        SeedOss => (Absent::Class(8), Some(128)),
        Afmoe => (Absent::Derived(heads), Some(128)),
        _ => (Absent::Derived(heads), None),
    };
    let attention = f.heads(HF, h, heads, class_kv, dim);
    let sliding = match family {
        Afmoe => {
            let counts = typed(f, layers, "global_attn_every_n_layers", 4, Layer::Window);
            only(f, counts, &[Layer::Full, Layer::Window]);
            windows(f, counts.window, 1024)
        }
        Exaone4 | ExaoneMoe => exaone_windows(f, layers),
        _ => None,
    };
    let moe = match family {
        Afmoe => {
            let dense = f.size("num_dense_layers", Absent::Class(1), 0, MAX_LAYERS).min(layers);
            f.unused(&["num_expert_groups", "num_limited_groups", "use_grouped_mm"]);
            Some(Moe {
                shared_intermediate_size: f.size("num_shared_experts", Absent::Class(2), 0, MAX_EXPERTS),
                router_bias: true,
                ..routed(f, layers - dense, &["num_experts"], 6)
            })
        }
        ExaoneMoe => {
            let dense = dense_first(f, 1, layers);
            Some(Moe {
                shared_intermediate_size: f.size("num_shared_experts", Absent::Class(1), 0, MAX_EXPERTS),
                router_bias: true,
                ..routed(f, layers - dense, &["num_experts"], 8)
            })
        }
        _ => None,
    };
    // Shared experts are as wide as routed ones.
    let moe = moe
        .map(|m| Moe { shared_intermediate_size: m.shared_intermediate_size.saturating_mul(m.intermediate_size), ..m })
        .filter(|m| m.layers > 0);
    let (qkv_bias, o_bias) = match family {
        SeedOss => (f.flag("attention_bias", true), f.flag("attention_out_bias", false)),
        HunyuanDense => {
            let bias = f.flag("attention_bias", false);
            (bias, bias)
        }
        _ => (false, false),
    };
    if family == HunyuanDense {
        f.expect("use_qk_norm", &Value::from(true));
        f.expect("use_cla", &Value::from(false));
        f.unused(&["attention_head_dim", "cla_share_factor", "num_experts", "org_vocab_size"]);
    }
    Shape {
        attention,
        qkv_bias,
        o_bias,
        qk_norm: if family == SeedOss { QkNorm::None } else { QkNorm::Head },
        intermediate_size: width_beside(f, moe, layers),
        mlp_bias: f.flag("mlp_bias", false),
        moe,
        norms: Norms { per_layer: if family == Afmoe { 4 } else { 2 }, ..Norms::default() },
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        sliding,
        kinds: Kinds { gate: if family == Afmoe { OutputGate::Wide } else { OutputGate::None }, ..Kinds::default() },
        ..usual
    }
}

/// Windows of EXAONE, by `layer_types`, or by a pattern of L and G or a number.
fn exaone_windows(f: &mut Fields<'_>, layers: u64) -> Option<Sliding> {
    if f.raw("sliding_window") == Some(&Value::Null) {
        f.unused(&["sliding_window_pattern", "layer_types"]);
        return None;
    }
    let every = match f.value("sliding_window_pattern") {
        Some(Value::String(pattern)) => pattern.chars().position(|c| c == 'G').map_or(0, |at| at as u64 + 1),
        Some(value) => f.whole("sliding_window_pattern", value, 0, MAX_LAYERS).unwrap_or(0),
        None => 4,
    };
    let counts = match listed(f, "layer_types", Some(layers), &[]) {
        Some(counts) => counts,
        None => Counts { window: layers - layers.checked_div(every).unwrap_or(layers), ..Counts::default() },
    };
    windows(f, counts.window, 4096)
}
