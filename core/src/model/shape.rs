//! The typed architecture of a decoder-only transformer, and its form in a query string.

use super::layers::Kinds;
use super::problem::ConfigProblem;
use crate::query::{Kind, ParamSpec, Query, Reader, choice};

/// A decoder-only transformer language model: every size and switch that its parameter count, FLOPs or KV cache
/// depends on, under the names of Hugging Face's `config.json` where there is one.
///
/// Sizes are numbers of elements. The default is the Llama layout (RMS norms, gated MLP, no biases, untied) with all
/// sizes zero, which [`Shape::check`] refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// Width of the residual stream.
    pub hidden_size: u64,
    /// Decoder layers.
    pub num_hidden_layers: u64,
    /// Rows of the token embedding.
    pub vocab_size: u64,
    /// Query heads of each layer.
    pub num_attention_heads: u64,
    /// How keys and values are made.
    pub attention: Attention,
    /// Biases on the q, k and v projections (for MLA: on the two down-projections).
    pub qkv_bias: bool,
    /// Bias on the output projection of attention.
    pub o_bias: bool,
    /// Norms on queries and keys.
    pub qk_norm: QkNorm,
    /// One learned sink logit a head (gpt-oss).
    pub attention_sinks: bool,
    /// Width of the dense MLP; 0 only if every layer is a mixture of experts.
    pub intermediate_size: u64,
    /// Two input projections, gate and up (SwiGLU, GeGLU), rather than one.
    pub gated_mlp: Gated,
    /// Biases in the dense MLP.
    pub mlp_bias: bool,
    /// The mixture of experts, if any.
    pub moe: Option<Moe>,
    /// The norms of the residual stream.
    pub norms: Norms,
    /// Rows of a learned position embedding; 0 for rotary, ALiBi or none.
    pub position_rows: u64,
    /// Width of the token embedding where it is not `hidden_size` (OPT-350M); two projections join them.
    pub word_embed_proj_dim: Option<u64>,
    /// Whether the output matrix is the token embedding.
    pub tie_word_embeddings: bool,
    /// Bias on the output matrix (Phi).
    pub lm_head_bias: bool,
    /// Sliding-window attention, if any layer has it.
    pub sliding: Option<Sliding>,
    /// What differs from layer to layer beyond windows and experts.
    pub kinds: Kinds,
}

/// Whether an MLP is gated; gated is the default, as in Llama.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gated {
    /// Gate, up and down: three matrices.
    #[default]
    Yes,
    /// Up and down: two matrices.
    No,
}

/// How an attention layer makes and stores keys and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attention {
    /// Multi-head (`kv_heads` = heads), grouped-query or multi-query (`kv_heads` = 1) attention.
    Heads {
        /// Heads of keys and of values.
        kv_heads: u64,
        /// Width of one head.
        head_dim: u64,
    },
    /// Multi-head latent attention (DeepSeek-V2 §2.1): keys and values are expanded from one small latent vector.
    Latent {
        /// Width of the query latent; `None` if queries are projected directly.
        q_lora_rank: Option<u64>,
        /// Width of the latent that is cached.
        kv_lora_rank: u64,
        /// Width of the part of a query–key head without position.
        qk_nope_head_dim: u64,
        /// Width of the rotary part, whose key is shared by all heads and cached.
        qk_rope_head_dim: u64,
        /// Width of a value head.
        v_head_dim: u64,
    },
}

impl Default for Attention {
    fn default() -> Self {
        Attention::Heads { kv_heads: 0, head_dim: 0 }
    }
}

/// Norms on queries and keys before the dot product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QkNorm {
    /// None.
    #[default]
    None,
    /// One of width `head_dim`, shared by the heads (Qwen3; Phi with `qk_layernorm`).
    Head,
    /// Over all heads at once (OLMo 2).
    Full,
}

/// A mixture of experts (Shazeer et al. 2017; Fedus et al. 2021).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moe {
    /// How many layers are mixtures; the others have the dense MLP.
    pub layers: u64,
    /// Routed experts in each.
    pub num_experts: u64,
    /// Routed experts that one token uses.
    pub num_experts_per_tok: u64,
    /// Width of one routed expert.
    pub intermediate_size: u64,
    /// Width of all shared experts together; 0 for none.
    pub shared_intermediate_size: u64,
    /// A one-output gate on the shared expert (Qwen).
    pub shared_gate: bool,
    /// Biases in the experts, which are then one fused tensor a projection (gpt-oss).
    pub expert_bias: bool,
    /// One learned or balanced bias an expert in the router (gpt-oss, DeepSeek-V3).
    pub router_bias: bool,
}

/// The norms of the residual stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Norms {
    /// Norms of width `hidden_size` in each layer: 2, or 1 with parallel attention and MLP, or 4 (Gemma 2).
    pub per_layer: u64,
    /// Layer norms with a bias, rather than RMS norms with a weight only.
    pub bias: bool,
    /// A norm after the last layer.
    pub last: bool,
    /// A norm on the embedding (BLOOM).
    pub embedding: bool,
    /// A norm in the MLP, of its width, before its last matrix (BitNet).
    pub mlp: bool,
}

impl Default for Norms {
    fn default() -> Self {
        Self { per_layer: 2, bias: false, last: true, embedding: false, mlp: false }
    }
}

/// Sliding-window attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sliding {
    /// Tokens that a layer with a window looks back on and keeps.
    pub window: u64,
    /// How many layers have the window.
    pub layers: u64,
}

/// Largest width of anything: hidden size, heads × head_dim, latent ranks.
pub const MAX_WIDTH: u64 = 1_000_000;
/// Most layers.
pub const MAX_LAYERS: u64 = 10_000;
/// Largest intermediate size, vocabulary, or number of position rows.
pub const MAX_ROWS: u64 = 10_000_000;
/// Most experts of a layer.
pub const MAX_EXPERTS: u64 = 100_000;

impl Shape {
    /// The width of one query head (for MLA: with its rotary part).
    pub fn head_dim(&self) -> u64 {
        match self.attention {
            Attention::Heads { head_dim, .. } => head_dim,
            Attention::Latent { qk_nope_head_dim, qk_rope_head_dim, .. } => {
                qk_nope_head_dim.saturating_add(qk_rope_head_dim)
            }
        }
    }

    /// Heads of keys and values; for MLA, which shares one latent, the number of query heads.
    pub fn kv_heads(&self) -> u64 {
        match self.attention {
            Attention::Heads { kv_heads, .. } => kv_heads,
            Attention::Latent { .. } => self.num_attention_heads,
        }
    }

    /// Layers with a mixture of experts.
    pub fn moe_layers(&self) -> u64 {
        self.moe.map_or(0, |m| m.layers)
    }

    /// Layers with a dense MLP.
    pub fn dense_layers(&self) -> u64 {
        self.num_hidden_layers.saturating_sub(self.kinds.experts_alone(self.moe)).saturating_sub(self.kinds.without_mlp)
    }

    /// Everything that makes this shape impossible; empty if it is sound.
    pub fn check(&self) -> Vec<ConfigProblem> {
        let mut problems = self.check_sizes();
        if problems.is_empty()
            && let Err(problem) = self.count()
        {
            problems.push(problem);
        }
        problems
    }

    /// What [`Shape::check`] finds without counting.
    pub(super) fn check_sizes(&self) -> Vec<ConfigProblem> {
        let mut problems = Vec::new();
        let mut range = |field: &'static str, value: u64, min: u64, max: u64| {
            if !(min..=max).contains(&value) {
                problems.push(ConfigProblem::out_of_range(field, &value.to_string(), min, max));
            }
        };
        range("hidden_size", self.hidden_size, 1, MAX_WIDTH);
        range("num_hidden_layers", self.num_hidden_layers, 1, MAX_LAYERS);
        range("vocab_size", self.vocab_size, 1, MAX_ROWS);
        range("num_attention_heads", self.num_attention_heads, 1, MAX_WIDTH);
        range("intermediate_size", self.intermediate_size, u64::from(self.dense_layers() > 0), MAX_ROWS);
        range("max_position_embeddings", self.position_rows, 0, MAX_ROWS);
        if let Some(width) = self.word_embed_proj_dim {
            range("word_embed_proj_dim", width, 1, MAX_WIDTH);
        }
        range("norms_per_layer", self.norms.per_layer, 0, 8);
        problems.extend(self.check_kinds());
        let mut range = |field: &'static str, value: u64, min: u64, max: u64| {
            if !(min..=max).contains(&value) {
                problems.push(ConfigProblem::out_of_range(field, &value.to_string(), min, max));
            }
        };
        match self.attention {
            Attention::Heads { kv_heads, head_dim } => {
                range("num_key_value_heads", kv_heads, 1, MAX_WIDTH);
                range("head_dim", head_dim, 1, MAX_WIDTH);
            }
            Attention::Latent { q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim } => {
                if let Some(rank) = q_lora_rank {
                    range("q_lora_rank", rank, 1, MAX_WIDTH);
                }
                range("kv_lora_rank", kv_lora_rank, 1, MAX_WIDTH);
                range("qk_nope_head_dim", qk_nope_head_dim, 1, MAX_WIDTH);
                range("qk_rope_head_dim", qk_rope_head_dim, 0, MAX_WIDTH);
                range("v_head_dim", v_head_dim, 1, MAX_WIDTH);
            }
        }
        if let Some(moe) = self.moe {
            range("moe_layers", moe.layers, 1, self.num_hidden_layers.min(MAX_LAYERS));
            range("num_experts", moe.num_experts, 1, MAX_EXPERTS);
            range("num_experts_per_tok", moe.num_experts_per_tok, 1, moe.num_experts.clamp(1, MAX_EXPERTS));
            range("moe_intermediate_size", moe.intermediate_size, 1, MAX_ROWS);
            range("shared_expert_intermediate_size", moe.shared_intermediate_size, 0, MAX_ROWS);
        }
        if let Some(sliding) = self.sliding {
            range("sliding_window", sliding.window, 1, 1_000_000_000);
            range("sliding_layers", sliding.layers, 1, self.num_hidden_layers.min(MAX_LAYERS));
        }
        if let Attention::Heads { kv_heads, .. } = self.attention
            && problems.is_empty()
            && !self.num_attention_heads.is_multiple_of(kv_heads)
        {
            problems.push(ConfigProblem::new(
                "num_key_value_heads",
                format!(
                    "num_attention_heads {} is not a multiple of num_key_value_heads {kv_heads}: every key–value head \
                     serves the same number of query heads.",
                    self.num_attention_heads
                ),
            ));
        }
        problems
    }
}

/// Most parameters that any model may have: 10¹⁵, well within what an `f64` holds exactly.
pub const MAX_PARAMS: u64 = 1_000_000_000_000_000;

const fn whole(name: &'static str, doc: &'static str, min: u64, max: u64) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Integer { min, max }, default: "" }
}

const NO_YES: &[&str] = &["false", "true"];

/// The parameters of a shape in a query string (`model=custom`): the names of `config.json`, and our own where a
/// family's code rather than its config decides. What is not given is the Llama layout.
pub const SPECS: [ParamSpec; 36] = [
    whole("hidden_size", "width of the residual stream", 1, MAX_WIDTH),
    whole("num_hidden_layers", "layers", 1, MAX_LAYERS),
    whole("num_attention_heads", "query heads", 1, MAX_WIDTH),
    whole("num_key_value_heads", "key–value heads; num_attention_heads if absent", 1, MAX_WIDTH),
    whole("head_dim", "width of a head; hidden_size / num_attention_heads if absent", 1, MAX_WIDTH),
    whole("intermediate_size", "width of the dense MLP", 0, MAX_ROWS),
    whole("vocab_size", "rows of the token embedding", 1, MAX_ROWS),
    choice("tie_word_embeddings", "whether the output matrix is the token embedding", NO_YES, "false"),
    choice(
        "attention_bias",
        "biases in attention: none, on q, k and v, on the output, or everywhere",
        &["none", "qkv", "o", "all"],
        "none",
    ),
    choice("qk_norm", "norms on queries and keys: none, of a head's width, or of the full width", QK_NORMS, "none"),
    choice("attention_sinks", "one learned sink a head", NO_YES, "false"),
    choice("gated_mlp", "gate, up and down (true) or up and down (false)", NO_YES, "true"),
    choice("mlp_bias", "biases in the dense MLP", NO_YES, "false"),
    choice("norm", "rms: weight only; layer: weight and bias", &["rms", "layer"], "rms"),
    ParamSpec {
        name: "norms_per_layer",
        doc: "norms of width hidden_size in each layer",
        kind: Kind::Integer { min: 0, max: 8 },
        default: "2",
    },
    choice("last_norm", "a norm after the last layer", NO_YES, "true"),
    choice("embedding_norm", "a norm on the embedding", NO_YES, "false"),
    choice("mlp_norm", "a norm in the MLP, before its last matrix", NO_YES, "false"),
    whole("position_rows", "rows of a learned position embedding", 0, MAX_ROWS),
    whole("word_embed_proj_dim", "width of the embedding where it is not hidden_size", 1, MAX_WIDTH),
    choice("lm_head_bias", "bias on the output matrix", NO_YES, "false"),
    whole("q_lora_rank", "MLA: width of the query latent; queries are projected directly if absent", 1, MAX_WIDTH),
    whole("kv_lora_rank", "MLA: width of the cached latent; giving it chooses MLA", 1, MAX_WIDTH),
    whole("qk_nope_head_dim", "MLA: width of a query–key head without position", 1, MAX_WIDTH),
    whole("qk_rope_head_dim", "MLA: width of its rotary part", 0, MAX_WIDTH),
    whole("v_head_dim", "MLA: width of a value head", 1, MAX_WIDTH),
    whole("num_experts", "routed experts of a layer; giving it chooses a mixture of experts", 1, MAX_EXPERTS),
    whole("num_experts_per_tok", "routed experts that a token uses", 1, MAX_EXPERTS),
    whole("moe_intermediate_size", "width of a routed expert", 1, MAX_ROWS),
    whole("shared_expert_intermediate_size", "width of all shared experts together", 0, MAX_ROWS),
    whole("moe_layers", "layers that are mixtures; all if absent", 1, MAX_LAYERS),
    choice("moe_extras", "expert_bias, router_bias, shared_gate: those that are there", MOE_EXTRAS, "none"),
    whole("sliding_window", "tokens that a layer with a window keeps", 1, 1_000_000_000),
    whole("sliding_layers", "layers with the window; all if absent", 1, MAX_LAYERS),
    choice("layer_kinds", "what differs from layer to layer, as a config.json was read", &[], ""),
    choice(
        "checkpoint",
        "how a checkpoint stores the weights: the form, and bits of a layer’s weight beside routed experts and in them",
        &[],
        "",
    ),
];

const QK_NORMS: &[&str] = &["none", "head", "full"];
/// Index = expert_bias + 2 × router_bias + 4 × shared_gate.
const MOE_EXTRAS: &[&str] = &[
    "none",
    "expert_bias",
    "router_bias",
    "expert_bias+router_bias",
    "shared_gate",
    "expert_bias+shared_gate",
    "router_bias+shared_gate",
    "expert_bias+router_bias+shared_gate",
];

/// Whether `query` has any of the names of [`SPECS`].
pub fn is_given(query: &Query) -> bool {
    query.iter().any(|(name, _)| SPECS.iter().any(|s| s.name == name))
}

/// Reads a shape from a query by [`SPECS`], which must be among the reader's. `None`, with a problem for each thing
/// that is missing or impossible, if no sound shape is there.
pub fn read(reader: &mut Reader<'_>) -> Option<Shape> {
    let kinds = match Kinds::read(reader.text("layer_kinds").unwrap_or_default()) {
        Ok(kinds) => kinds,
        Err(message) => {
            reader.problem("layer_kinds", message);
            return None;
        }
    };
    let mut int = |name: &str| reader.real_or_none(name).map(|v| v as u64);
    let mut needed: Vec<(&'static str, &'static str)> = Vec::new();
    let mut need = |value: Option<u64>, name: &'static str, like: &'static str| {
        value.unwrap_or_else(|| {
            needed.push((name, like));
            0
        })
    };
    let hidden_size = need(int("hidden_size"), "hidden_size", "4096");
    let num_hidden_layers = need(int("num_hidden_layers"), "num_hidden_layers", "32");
    let num_attention_heads = need(int("num_attention_heads"), "num_attention_heads", "32");
    let vocab_size = need(int("vocab_size"), "vocab_size", "128256");
    let num_experts = int("num_experts");
    let moe = num_experts.map(|num_experts| Moe {
        layers: int("moe_layers").unwrap_or(num_hidden_layers),
        num_experts,
        num_experts_per_tok: need(int("num_experts_per_tok"), "num_experts_per_tok", "2"),
        intermediate_size: need(int("moe_intermediate_size"), "moe_intermediate_size", "1408"),
        shared_intermediate_size: int("shared_expert_intermediate_size").unwrap_or(0),
        shared_gate: false,
        expert_bias: false,
        router_bias: false,
    });
    let dense = num_hidden_layers.saturating_sub(kinds.experts_alone(moe)).saturating_sub(kinds.without_mlp);
    let intermediate_size = match int("intermediate_size") {
        None if dense == 0 => 0,
        given => need(given, "intermediate_size", "14336"),
    };
    let head_dim = int("head_dim");
    let attention = match int("kv_lora_rank") {
        Some(kv_lora_rank) => Attention::Latent {
            q_lora_rank: int("q_lora_rank"),
            kv_lora_rank,
            qk_nope_head_dim: need(int("qk_nope_head_dim"), "qk_nope_head_dim", "128"),
            qk_rope_head_dim: int("qk_rope_head_dim").unwrap_or(0),
            v_head_dim: need(int("v_head_dim"), "v_head_dim", "128"),
        },
        None => Attention::Heads {
            kv_heads: int("num_key_value_heads").unwrap_or(num_attention_heads),
            head_dim: head_dim.unwrap_or_else(|| hidden_size.checked_div(num_attention_heads).unwrap_or(0)),
        },
    };
    let position_rows = int("position_rows").unwrap_or(0);
    let word_embed_proj_dim = int("word_embed_proj_dim").filter(|&w| w != hidden_size);
    let sliding = int("sliding_window")
        .map(|window| Sliding { window, layers: int("sliding_layers").unwrap_or(num_hidden_layers) });
    let per_layer = int("norms_per_layer").unwrap_or(2);

    let mut complete = true;
    for (name, like) in needed {
        complete = false;
        reader.problem(name, format!("{name} is missing: model=custom needs it (for example {name}={like})."));
    }
    if !complete {
        return None;
    }
    if matches!(attention, Attention::Heads { .. })
        && head_dim.is_none()
        && let Some(problem) = ConfigProblem::heads_do_not_divide("hidden_size", hidden_size, num_attention_heads)
    {
        reader.problem("hidden_size", problem.message);
        return None;
    }
    let counts = Shape {
        hidden_size,
        num_hidden_layers,
        vocab_size,
        num_attention_heads,
        attention,
        intermediate_size,
        position_rows,
        word_embed_proj_dim,
        sliding,
        moe,
        norms: Norms { per_layer, ..Norms::default() },
        kinds,
        ..Shape::default()
    };
    let shape = switches(reader, counts);
    let problems = shape.check();
    for problem in &problems {
        reader.problem(problem.field, problem.message.clone());
    }
    problems.is_empty().then_some(shape)
}

/// `shape` with what is no number: biases, norms, what is tied, what is gated.
fn switches(reader: &mut Reader<'_>, shape: Shape) -> Shape {
    let bias = reader.choice("attention_bias");
    let extras = {
        let chosen = reader.choice("moe_extras");
        MOE_EXTRAS.iter().position(|e| *e == chosen).unwrap_or(0)
    };
    let mut yes = |name: &str| reader.choice(name) == "true";
    let shape = Shape {
        qkv_bias: matches!(bias, "qkv" | "all"),
        o_bias: matches!(bias, "o" | "all"),
        attention_sinks: yes("attention_sinks"),
        gated_mlp: if yes("gated_mlp") { Gated::Yes } else { Gated::No },
        mlp_bias: yes("mlp_bias"),
        tie_word_embeddings: yes("tie_word_embeddings"),
        lm_head_bias: yes("lm_head_bias"),
        moe: shape.moe.map(|m| Moe {
            expert_bias: extras & 1 != 0,
            router_bias: extras & 2 != 0,
            shared_gate: extras & 4 != 0,
            ..m
        }),
        norms: Norms {
            last: yes("last_norm"),
            embedding: yes("embedding_norm"),
            mlp: yes("mlp_norm"),
            bias: reader.choice("norm") == "layer",
            ..shape.norms
        },
        ..shape
    };
    let qk_norm = match reader.choice("qk_norm") {
        "head" => QkNorm::Head,
        "full" => QkNorm::Full,
        _ => QkNorm::None,
    };
    Shape { qk_norm, ..shape }
}

impl Shape {
    /// The shape as query pairs, without `model=custom`: only what differs from the Llama layout. [`read`] gives the
    /// same shape again for every sound shape.
    pub fn query(&self) -> Query {
        let mut pairs: Vec<(&'static str, String)> = Vec::new();
        let mut int = |name: &'static str, value: u64| pairs.push((name, value.to_string()));
        int("hidden_size", self.hidden_size);
        int("num_hidden_layers", self.num_hidden_layers);
        int("num_attention_heads", self.num_attention_heads);
        match self.attention {
            Attention::Heads { kv_heads, head_dim } => {
                if kv_heads != self.num_attention_heads {
                    int("num_key_value_heads", kv_heads);
                }
                if head_dim.checked_mul(self.num_attention_heads) != Some(self.hidden_size) {
                    int("head_dim", head_dim);
                }
            }
            Attention::Latent { q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim } => {
                if let Some(rank) = q_lora_rank {
                    int("q_lora_rank", rank);
                }
                int("kv_lora_rank", kv_lora_rank);
                int("qk_nope_head_dim", qk_nope_head_dim);
                int("qk_rope_head_dim", qk_rope_head_dim);
                int("v_head_dim", v_head_dim);
            }
        }
        if self.intermediate_size != 0 {
            int("intermediate_size", self.intermediate_size);
        }
        int("vocab_size", self.vocab_size);
        if let Some(moe) = self.moe {
            int("num_experts", moe.num_experts);
            int("num_experts_per_tok", moe.num_experts_per_tok);
            int("moe_intermediate_size", moe.intermediate_size);
            if moe.shared_intermediate_size != 0 {
                int("shared_expert_intermediate_size", moe.shared_intermediate_size);
            }
            if moe.layers != self.num_hidden_layers {
                int("moe_layers", moe.layers);
            }
        }
        if let Some(sliding) = self.sliding {
            int("sliding_window", sliding.window);
            if sliding.layers != self.num_hidden_layers {
                int("sliding_layers", sliding.layers);
            }
        }
        if self.norms.per_layer != 2 {
            int("norms_per_layer", self.norms.per_layer);
        }
        if self.position_rows != 0 {
            int("position_rows", self.position_rows);
        }
        if let Some(width) = self.word_embed_proj_dim {
            int("word_embed_proj_dim", width);
        }
        let extras = self.moe.map_or(0, |m| {
            usize::from(m.expert_bias) + 2 * usize::from(m.router_bias) + 4 * usize::from(m.shared_gate)
        });
        let named = [
            ("tie_word_embeddings", if self.tie_word_embeddings { "true" } else { "" }),
            (
                "attention_bias",
                match (self.qkv_bias, self.o_bias) {
                    (true, true) => "all",
                    (true, false) => "qkv",
                    (false, true) => "o",
                    (false, false) => "",
                },
            ),
            (
                "qk_norm",
                match self.qk_norm {
                    QkNorm::None => "",
                    QkNorm::Head => "head",
                    QkNorm::Full => "full",
                },
            ),
            ("attention_sinks", if self.attention_sinks { "true" } else { "" }),
            ("gated_mlp", if self.gated_mlp == Gated::No { "false" } else { "" }),
            ("mlp_bias", if self.mlp_bias { "true" } else { "" }),
            ("norm", if self.norms.bias { "layer" } else { "" }),
            ("last_norm", if self.norms.last { "" } else { "false" }),
            ("embedding_norm", if self.norms.embedding { "true" } else { "" }),
            ("mlp_norm", if self.norms.mlp { "true" } else { "" }),
            ("lm_head_bias", if self.lm_head_bias { "true" } else { "" }),
            ("moe_extras", if extras == 0 { "" } else { MOE_EXTRAS.get(extras).copied().unwrap_or("") }),
        ];
        pairs.extend(named.into_iter().filter(|(_, v)| !v.is_empty()).map(|(n, v)| (n, v.to_owned())));
        let kinds = self.kinds.write();
        if !kinds.is_empty() {
            pairs.push(("layer_kinds", kinds));
        }
        Query::new(pairs)
    }
}
