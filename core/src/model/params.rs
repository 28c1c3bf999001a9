//! The weights of a model, tensor by tensor, and their exact count.
//!
//! Every count of this crate comes from [`Shape::tensors`]. What each family has was read from Hugging Face
//! transformers 4.57 and 5 (`src/transformers/models/<family>/modeling_<family>.py`); the counts are compared with the
//! library's own in `tests/oracles.rs`, to the parameter.

use super::layers::{Heads, Mixer, OutputGate};
use super::problem::ConfigProblem;
use super::shape::{Attention, Gated, MAX_PARAMS, QkNorm, Shape};
use crate::declare::Origin;

/// Where the counts of weights come from.
pub const ORIGIN: Origin = Origin::Of(
    "Hugging Face transformers 4.57 and 5, src/transformers/models/<family>/modeling_<family>.py, tensor by tensor",
);

/// The part of a model that a weight belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    /// The token embedding.
    Embedding,
    /// The output matrix and its bias; nothing when tied.
    LmHead,
    /// Projections of attention, their biases, sinks and indexers.
    Attention,
    /// What mixes tokens into a state of fixed size: linear attention, state-space models, short convolutions.
    Mixers,
    /// Dense feed-forward layers.
    Mlp,
    /// Experts that every token uses.
    SharedExperts,
    /// Routed experts, all of them.
    Experts,
    /// The router, its bias, and a shared expert's gate.
    Router,
    /// Every norm.
    Norms,
    /// Learned positions, embedding projections, hyper-connections and what routed experts share.
    Other,
}

impl Component {
    /// All components in the order in which they are shown.
    pub const ALL: [Component; 10] = [
        Component::Embedding,
        Component::LmHead,
        Component::Attention,
        Component::Mixers,
        Component::Mlp,
        Component::SharedExperts,
        Component::Experts,
        Component::Router,
        Component::Norms,
        Component::Other,
    ];

    /// Whether a quantized checkpoint stores it in fewer bits: the matrices of the layers. Embedding, output matrix, norms and routers stay in
    /// 16 bits (AutoAWQ and GPTQModel convert the linear modules of the decoder's layers; llm-compressor's recipes have `ignore=["lm_head"]`).
    pub const fn is_quantized(self) -> bool {
        use Component::{Attention, Experts, Mixers, Mlp, SharedExperts};
        matches!(self, Attention | Mixers | Mlp | SharedExperts | Experts)
    }

    /// What a person reads.
    pub fn label(self) -> &'static str {
        match self {
            Component::Embedding => "Token embedding",
            Component::LmHead => "Output head",
            Component::Attention => "Attention",
            Component::Mixers => "Linear and state-space layers",
            Component::Mlp => "MLP",
            Component::SharedExperts => "Shared experts",
            Component::Experts => "Routed experts",
            Component::Router => "Router",
            Component::Norms => "Norms",
            Component::Other => "Positions and other",
        }
    }
}

/// One kind of weight of a model: a matrix or a vector that occurs `count` times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensor {
    /// What it is called: `q_proj`.
    pub name: &'static str,
    /// The component it belongs to.
    pub component: Component,
    /// Outputs of the matrix, or rows of a table; the length of a vector.
    pub rows: u64,
    /// Inputs of the matrix, or the width of a table; 1 for a vector.
    pub cols: u64,
    /// What `rows` is, by the names of config.json: "num_attention_heads·head_dim".
    pub rows_are: &'static str,
    /// What `cols` is; empty for a vector.
    pub cols_are: &'static str,
    /// Whether a vector of `rows` biases goes with it.
    pub bias: bool,
    /// How often it occurs in the whole model.
    pub count: u64,
}

impl Tensor {
    /// Whether it is multiplied or looked up as a matrix.
    pub fn is_matrix(&self) -> bool {
        self.cols > 1
    }

    /// Whether it is a matrix of a hidden layer: what Muon orthogonalises.
    pub fn is_hidden_matrix(&self) -> bool {
        use Component::{Attention, Experts, Mixers, Mlp, Router, SharedExperts};
        let table = matches!(
            self.name,
            "mixer_conv" | "compressor_near_positions" | "compressor_far_positions" | "index_positions"
        );
        self.is_matrix()
            && !table
            && matches!(self.component, Attention | Mixers | Mlp | SharedExperts | Experts | Router)
    }

    /// Where in the model it is.
    pub fn place(&self) -> Place {
        use Component::{Experts, Mixers, Mlp, Router, SharedExperts};
        match (self.component, self.name) {
            (Mlp, _) | (_, "mlp_norm") => Place::Dense,
            (Experts | SharedExperts | Router, _) | (_, "expert_latent_in" | "expert_latent_out") => Place::Mixture,
            (_, "embed_tokens" | "embed_positions" | "project_in" | "embedding_norm") => Place::Before,
            (_, "last_norm" | "project_out" | "lm_head" | "lm_head_bias" | "hyper_head" | "hyper_head_scale") => {
                Place::After
            }
            (Mixers, _) | (_, "mixer_norm") => Place::State,
            (_, name) if name.starts_with("window_") => Place::Window,
            (_, "layer_norm" | "hyper_layer" | "hyper_layer_scale") => Place::Layer,
            _ => Place::Attention,
        }
    }

    /// Elements of one occurrence, bias included.
    pub fn elements(&self) -> u128 {
        u128::from(self.rows) * (u128::from(self.cols) + u128::from(self.bias))
    }

    /// Elements of all occurrences.
    pub fn total(&self) -> u128 {
        self.elements().saturating_mul(u128::from(self.count))
    }
}

/// Where in a model a weight is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Once, before the first layer.
    Before,
    /// In every layer.
    Layer,
    /// In layers with softmax attention.
    Attention,
    /// In layers whose attention has a window and heads of its own.
    Window,
    /// In layers that keep a state of fixed size.
    State,
    /// In layers with a dense MLP.
    Dense,
    /// In layers that are mixtures of experts.
    Mixture,
    /// Once, after the last layer.
    After,
}

impl Place {
    /// Whether it is in the layers.
    pub fn is_in_layers(self) -> bool {
        !matches!(self, Place::Before | Place::After)
    }
}

/// The exact number of parameters of a model, by component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ParameterCount {
    /// Token embedding.
    pub embedding: u64,
    /// Output matrix and its bias when not tied, otherwise its bias.
    pub lm_head: u64,
    /// Attention.
    pub attention: u64,
    /// Layers with a state of fixed size.
    pub mixers: u64,
    /// Dense MLPs.
    pub mlp: u64,
    /// Shared experts.
    pub shared_experts: u64,
    /// Routed experts.
    pub experts: u64,
    /// Routers and their biases.
    pub router: u64,
    /// Norms.
    pub norms: u64,
    /// Learned positions and embedding projections.
    pub other: u64,
    /// The sum of all components.
    pub total: u64,
    /// The input embedding where it is nothing else: a token looks up one row of it. 0 where it is the output matrix too.
    pub lookup: u64,
    /// What a token computes with: `total` without [`lookup`](Self::lookup) and the routed experts that it does not use.
    pub active: u64,
}

/// Bytes of a weight in this many bits. Four bits come with a scale of 16 bits for each group of 128, as AWQ and GPTQ store them
/// (`group_size` in their `quantization_config`).
pub fn bytes_of_weight(bits: u32) -> f64 {
    let scales = if bits == 4 { 2.0 / 128.0 } else { 0.0 };
    f64::from(bits) / 8.0 + scales
}

impl ParameterCount {
    /// Those that a quantized checkpoint stores in fewer bits ([`Component::is_quantized`]).
    pub fn quantized(&self) -> u64 {
        Component::ALL
            .into_iter()
            .filter(|component| component.is_quantized())
            .map(|component| self.of(component))
            .sum()
    }

    /// Bytes of a checkpoint whose layers have weights of so many bytes; the others have two.
    pub fn stored(&self, per_weight: f64) -> f64 {
        let quantized = self.quantized();
        quantized as f64 * per_weight + self.total.saturating_sub(quantized) as f64 * 2.0
    }

    /// The same where routed experts have another width than the other layers' weights.
    pub fn stored_apart(&self, per_weight: f64, per_expert: f64) -> f64 {
        self.stored(per_weight) + self.experts as f64 * (per_expert - per_weight)
    }

    /// The count of one component.
    pub fn of(&self, component: Component) -> u64 {
        match component {
            Component::Embedding => self.embedding,
            Component::LmHead => self.lm_head,
            Component::Attention => self.attention,
            Component::Mixers => self.mixers,
            Component::Mlp => self.mlp,
            Component::SharedExperts => self.shared_experts,
            Component::Experts => self.experts,
            Component::Router => self.router,
            Component::Norms => self.norms,
            Component::Other => self.other,
        }
    }
}

/// A size and what it is called.
type Named = (u64, &'static str);

/// The columns of a vector.
const VECTOR: Named = (1, "");

/// What the weights of attention are called, and those of layers with a window and heads of their own.
const USUAL: [&str; 6] = ["q_proj", "k_proj", "v_proj", "o_proj", "q_norm", "k_norm"];
const WINDOWED: [&str; 6] =
    ["window_q_proj", "window_k_proj", "window_v_proj", "window_o_proj", "window_q_norm", "window_k_norm"];

/// A list of tensors in the making.
struct Tensors(Vec<Tensor>);

impl Tensors {
    /// Adds `count` of them; nothing where there are none, or none has a row.
    fn add(
        &mut self,
        name: &'static str,
        component: Component,
        (rows, rows_are): Named,
        (cols, cols_are): Named,
        bias: bool,
        count: u64,
    ) {
        if count > 0 && rows > 0 {
            self.0.push(Tensor { name, component, rows, cols, rows_are, cols_are, bias, count });
        }
    }
}

impl Shape {
    /// Every kind of weight of the model, input to output.
    pub fn tensors(&self) -> Vec<Tensor> {
        use Component::{Embedding, LmHead, Norms, Other};
        let hidden = (self.hidden_size, "hidden_size");
        let vocab = (self.vocab_size, "vocab_size");
        let embed = self.word_embed_proj_dim.map_or(hidden, |w| (w, "word_embed_proj_dim"));
        let norm_bias = self.norms.bias;
        let mut list = Tensors(Vec::with_capacity(32));

        list.add("embed_tokens", Embedding, vocab, embed, false, 1);
        list.add("embed_positions", Other, (self.position_rows, "positions"), hidden, false, 1);
        if self.word_embed_proj_dim.is_some() {
            list.add("project_in", Other, hidden, embed, false, 1);
            list.add("project_out", Other, embed, hidden, false, 1);
        }
        list.add("embedding_norm", Norms, hidden, VECTOR, norm_bias, u64::from(self.norms.embedding));

        self.add_attention(&mut list);
        self.add_state(&mut list);
        self.add_mlp(&mut list);
        self.add_streams(&mut list);

        let layers = self.num_hidden_layers;
        list.add("layer_norm", Norms, hidden, VECTOR, norm_bias, layers.saturating_mul(self.norms.per_layer));
        if self.norms.mlp {
            let inner = (self.intermediate_size, "intermediate_size");
            list.add("mlp_norm", Norms, inner, VECTOR, norm_bias, self.dense_layers());
        }
        list.add("last_norm", Norms, hidden, VECTOR, norm_bias, u64::from(self.norms.last));
        if !self.tie_word_embeddings {
            list.add("lm_head", LmHead, vocab, embed, self.lm_head_bias, 1);
        } else if self.lm_head_bias {
            list.add("lm_head_bias", LmHead, vocab, VECTOR, false, 1);
        }
        list.0
    }

    fn add_attention(&self, list: &mut Tensors) {
        let [usual, windowed] = self.heads();
        let apart = self.kinds.windowed.map_or(0, |_| self.window_layers());
        let layers = self.attention_layers().saturating_sub(apart);
        match self.attention {
            Attention::Heads { .. } if self.kinds.compressed.is_some() => self.add_compressed(list, layers),
            Attention::Heads { .. } => {
                self.add_heads(list, usual, USUAL, self.kinds.one_projection, layers);
                self.add_heads(list, windowed, WINDOWED, false, apart);
            }
            Attention::Latent { .. } => self.add_latent(list, layers),
        }
        use Component::Attention as Attn;
        let hidden = (self.hidden_size, "hidden_size");
        for (name, heads, width, layers) in [
            ("attention_gate", usual.heads, self.value_dim(usual), layers),
            ("window_attention_gate", windowed.heads, self.value_dim(windowed), apart),
        ] {
            // A wide one is the second half of the queries' projection.
            let (rows, bias) = match self.kinds.gate {
                OutputGate::None => continue,
                OutputGate::Wide => ((heads.saturating_mul(width), "num_attention_heads·head_dim"), self.qkv_bias),
                OutputGate::Head => ((heads, "num_attention_heads"), false),
            };
            list.add(name, Attn, rows, hidden, bias, layers);
        }
        if self.attention_sinks {
            let all = if self.kinds.window_sinks { 0 } else { layers };
            list.add("sinks", Attn, (usual.heads, "num_attention_heads"), VECTOR, false, all);
            list.add("window_sinks", Attn, (windowed.heads, "num_attention_heads"), VECTOR, false, apart);
        }
        self.add_indexer(list);
    }

    /// Queries, keys and values of heads.
    fn add_heads(&self, list: &mut Tensors, own: Heads, names: [&'static str; 6], one_projection: bool, layers: u64) {
        use Component::{Attention as Attn, Norms};
        let [q_proj, k_proj, v_proj, o_proj, q_norm, k_norm] = names;
        let hidden = (self.hidden_size, "hidden_size");
        let q = (own.heads.saturating_mul(own.head_dim), "num_attention_heads·head_dim");
        let kv = (own.kv_heads.saturating_mul(own.head_dim), "num_key_value_heads·head_dim");
        // What a value's heads come to, and the output's.
        let apart = self.kinds.value_dim;
        let [value, output] = if apart == 0 {
            [kv, q]
        } else {
            [
                (own.kv_heads.saturating_mul(apart), "num_key_value_heads·v_head_dim"),
                (own.heads.saturating_mul(apart), "num_attention_heads·v_head_dim"),
            ]
        };
        list.add(q_proj, Attn, q, hidden, self.qkv_bias, layers);
        list.add(k_proj, Attn, kv, hidden, self.qkv_bias, layers);
        list.add(v_proj, Attn, value, hidden, self.qkv_bias, if one_projection { 0 } else { layers });
        list.add(o_proj, Attn, hidden, output, self.o_bias, layers);
        let [q, kv] = match self.qk_norm {
            QkNorm::None => return,
            QkNorm::Head => [(own.head_dim, "head_dim"); 2],
            QkNorm::Full => [q, kv],
        };
        list.add(q_norm, Norms, q, VECTOR, self.norms.bias, layers);
        list.add(k_norm, Norms, kv, VECTOR, self.norms.bias, layers);
    }

    /// Multi-head latent attention.
    fn add_latent(&self, list: &mut Tensors, layers: u64) {
        use Component::{Attention as Attn, Norms};
        let Attention::Latent { q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim } =
            self.attention
        else {
            return;
        };
        let heads = self.num_attention_heads;
        let hidden = (self.hidden_size, "hidden_size");
        let q = (
            heads.saturating_mul(qk_nope_head_dim.saturating_add(qk_rope_head_dim)),
            "num_attention_heads·(qk_nope_head_dim + qk_rope_head_dim)",
        );
        match q_lora_rank.map(|rank| (rank, "q_lora_rank")) {
            Some(rank) => {
                list.add("q_a_proj", Attn, rank, hidden, self.qkv_bias, layers);
                list.add("q_a_norm", Norms, rank, VECTOR, false, layers);
                list.add("q_b_proj", Attn, q, rank, false, layers);
            }
            None => list.add("q_proj", Attn, q, hidden, false, layers),
        }
        let latent = (kv_lora_rank.saturating_add(qk_rope_head_dim), "kv_lora_rank + qk_rope_head_dim");
        let rank = (kv_lora_rank, "kv_lora_rank");
        let expanded = (
            heads.saturating_mul(qk_nope_head_dim.saturating_add(v_head_dim)),
            "num_attention_heads·(qk_nope_head_dim + v_head_dim)",
        );
        let values = (heads.saturating_mul(v_head_dim), "num_attention_heads·v_head_dim");
        list.add("kv_a_proj", Attn, latent, hidden, self.qkv_bias, layers);
        list.add("kv_a_norm", Norms, rank, VECTOR, false, layers);
        list.add("kv_b_proj", Attn, expanded, rank, false, layers);
        list.add("o_proj", Attn, hidden, values, self.o_bias, layers);
    }

    /// One shared key and value, with compressors of older tokens: two softmax-weighted sums that overlap in the near layers, one in
    /// the far ones, each with a learned position for every token of a row (DeepSeek-V4, `inference/model.py`, `Compressor`).
    fn add_compressed(&self, list: &mut Tensors, layers: u64) {
        use Component::{Attention as Attn, Norms};
        let Some(c) = self.kinds.compressed else { return };
        let (heads, dim) = (self.num_attention_heads, self.head_dim());
        let hidden = (self.hidden_size, "hidden_size");
        let q = (heads.saturating_mul(dim), "num_attention_heads·head_dim");
        let rank = (c.q_rank, "q_lora_rank");
        let head = (dim, "head_dim");
        let grouped = (c.o_groups.saturating_mul(c.o_rank), "o_groups·o_lora_rank");
        let group = (q.0.checked_div(c.o_groups).unwrap_or(0), "num_attention_heads·head_dim / o_groups");
        list.add("q_a_proj", Attn, rank, hidden, false, layers);
        list.add("q_a_norm", Norms, rank, VECTOR, false, layers);
        list.add("q_b_proj", Attn, q, rank, false, layers);
        list.add("kv_a_proj", Attn, head, hidden, false, layers);
        list.add("kv_a_norm", Norms, head, VECTOR, false, layers);
        list.add("o_a_proj", Attn, grouped, group, false, layers);
        list.add("o_proj", Attn, hidden, grouped, false, layers);
        for (sums, [tokens, layers]) in [(2, c.near), (1, c.far)] {
            let wide = (dim.saturating_mul(sums), if sums == 2 { "2·head_dim" } else { "head_dim" });
            let both = (wide.0.saturating_mul(2), if sums == 2 { "4·head_dim" } else { "2·head_dim" });
            let names = if sums == 2 {
                ["compressor_near", "compressor_near_positions"]
            } else {
                ["compressor_far", "compressor_far_positions"]
            };
            list.add(names[0], Attn, both, hidden, false, layers);
            list.add(names[1], Attn, (tokens, "compress_ratio"), wide, false, layers);
        }
        list.add("compressor_norm", Norms, head, VECTOR, false, c.near[1].saturating_add(c.far[1]));
    }

    /// What chooses the tokens that attention reads (DeepSeek-V3.2, `Indexer`; MiniMax-M3, `MiniMaxM3Indexer`).
    fn add_indexer(&self, list: &mut Tensors) {
        use Component::{Attention as Attn, Norms};
        let Some(i) = self.kinds.indexer else { return };
        let hidden = (self.hidden_size, "hidden_size");
        let queries = (i.heads.saturating_mul(i.dim), "index_n_heads·index_head_dim");
        let key = (i.dim, "index_head_dim");
        let from = match (self.attention, self.kinds.compressed) {
            _ if i.normed => hidden,
            (_, Some(c)) => (c.q_rank, "q_lora_rank"),
            (Attention::Latent { q_lora_rank: Some(rank), .. }, _) => (rank, "q_lora_rank"),
            _ => hidden,
        };
        list.add("index_q_proj", Attn, queries, from, false, i.layers);
        match self.kinds.compressed {
            Some(c) => {
                let wide = (i.dim.saturating_mul(2), "2·index_head_dim");
                let both = (i.dim.saturating_mul(4), "4·index_head_dim");
                list.add("index_compressor", Attn, both, hidden, false, i.layers);
                list.add("index_positions", Attn, (c.near[0], "compress_ratio"), wide, false, i.layers);
                list.add("index_k_norm", Norms, key, VECTOR, false, i.layers);
            }
            None => {
                list.add("index_k_proj", Attn, key, hidden, false, i.layers);
                list.add("index_k_norm", Norms, key, VECTOR, !i.normed, i.layers);
            }
        }
        if i.normed {
            list.add("index_q_norm", Norms, key, VECTOR, false, i.layers);
        } else {
            list.add("index_weights", Attn, (i.heads, "index_n_heads"), hidden, false, i.layers);
        }
    }

    /// Layers with a state of fixed size.
    fn add_state(&self, list: &mut Tensors) {
        use Component::{Mixers, Norms};
        let Some(state) = self.kinds.state else { return };
        let n = state.layers;
        let h = self.hidden_size;
        let hidden = (h, "hidden_size");
        let (channels, kernel) = state.mixer.convolved(h);
        let of = |a: u64, b: u64| a.saturating_mul(b);
        // Outputs of the first projection, what they are, the mixed width, vectors, the norm's width, and biases of projections and
        // convolution.
        let (inputs, inputs_are, inner, inner_is, vectors, norm, [bias, conv_bias]) = match state.mixer {
            Mixer::Delta { value_heads, value_dim, .. } => {
                let values = of(value_heads, value_dim);
                let gates = values.saturating_add(of(2, value_heads));
                let is = "queries, keys, values, output gate and two gates a head";
                (channels.saturating_add(gates), is, values, "values", of(2, value_heads), value_dim, [false; 2])
            }
            Mixer::Kimi { heads, head_dim, full_gate, .. } => {
                let wide = of(heads, head_dim);
                let narrow = (head_dim, "head_dim");
                list.add("mixer_decay_in", Mixers, narrow, hidden, false, n);
                list.add("mixer_decay_out", Mixers, (wide, "heads·head_dim"), narrow, false, n);
                if full_gate {
                    list.add("mixer_gate", Mixers, (wide, "heads·head_dim"), hidden, false, n);
                } else {
                    list.add("mixer_gate_in", Mixers, narrow, hidden, false, n);
                    list.add("mixer_gate_out", Mixers, (wide, "heads·head_dim"), narrow, false, n);
                }
                let is = "queries, keys, values and a gate a head";
                let vectors = wide.saturating_add(heads);
                (channels.saturating_add(heads), is, wide, "heads·head_dim", vectors, head_dim, [false; 2])
            }
            Mixer::Mamba { heads, head_dim, conv_bias, bias, norm, .. } => {
                let inner = of(heads, head_dim);
                let inputs = inner.saturating_add(channels).saturating_add(heads);
                let is = "gate, input, B, C and a step a head";
                let norm = if norm { inner } else { 0 };
                (inputs, is, inner, "heads·head_dim", of(3, heads), norm, [bias, conv_bias])
            }
            Mixer::Conv { bias, .. } => (of(3, h), "3·hidden_size", h, "hidden_size", 0, 0, [bias; 2]),
            Mixer::Lightning { heads, head_dim } => {
                let wide = of(heads, head_dim);
                let is = "queries, keys, values and output gate";
                (of(4, wide), is, wide, "heads·head_dim", 0, wide, [false; 2])
            }
        };
        list.add("mixer_in", Mixers, (inputs, inputs_are), hidden, bias, n);
        list.add("mixer_conv", Mixers, (channels, "channels"), (kernel, "kernel"), conv_bias, n);
        list.add("mixer_vectors", Mixers, (vectors, "decay and step sizes"), VECTOR, false, n);
        list.add("mixer_norm", Norms, (norm, "width of the norm"), VECTOR, false, n);
        list.add("mixer_out", Mixers, hidden, (inner, inner_is), bias, n);
    }

    /// Hyper-connections: before attention and before the MLP, and after the last layer, a mix of the residual streams.
    fn add_streams(&self, list: &mut Tensors) {
        use Component::Other;
        let n = self.kinds.streams;
        if n == 0 {
            return;
        }
        let all = (n.saturating_mul(self.hidden_size), "hc_mult·hidden_size");
        let mixed = n.saturating_add(2).saturating_mul(n);
        let twice = self.num_hidden_layers.saturating_mul(2);
        list.add("hyper_layer", Other, (mixed, "(2 + hc_mult)·hc_mult"), all, false, twice);
        list.add(
            "hyper_layer_scale",
            Other,
            (mixed.saturating_add(3), "(2 + hc_mult)·hc_mult + 3"),
            VECTOR,
            false,
            twice,
        );
        list.add("hyper_head", Other, (n, "hc_mult"), all, false, 1);
        list.add("hyper_head_scale", Other, (n.saturating_add(1), "hc_mult + 1"), VECTOR, false, 1);
    }

    fn add_mlp(&self, list: &mut Tensors) {
        use Component::{Experts, Mlp, Router, SharedExperts};
        let hidden = (self.hidden_size, "hidden_size");
        let gated = self.gated_mlp == Gated::Yes;
        let dense = self.dense_layers();
        if self.intermediate_size > 0 {
            let f = (self.intermediate_size, "intermediate_size");
            list.add("gate_proj", Mlp, f, hidden, self.mlp_bias, if gated { dense } else { 0 });
            list.add("up_proj", Mlp, f, hidden, self.mlp_bias, dense);
            list.add("down_proj", Mlp, hidden, f, self.mlp_bias, dense);
        }
        if let Some(moe) = self.moe {
            let f = (moe.intermediate_size, "moe_intermediate_size");
            let n = moe.layers.saturating_mul(moe.num_experts);
            let experts = (moe.num_experts, "num_experts");
            let hashed = self.kinds.hashed.min(moe.layers);
            list.add("router", Router, experts, hidden, moe.router_bias, moe.layers - hashed);
            list.add("hash_router", Router, experts, hidden, false, hashed);
            if self.kinds.router_scales {
                list.add("router_scale", Router, hidden, VECTOR, false, moe.layers);
                list.add("expert_scale", Router, experts, VECTOR, false, moe.layers);
            }
            let outer = match self.kinds.expert_latent {
                0 => hidden,
                width => {
                    let latent = (width, "moe_latent_size");
                    list.add("expert_latent_in", Component::Other, latent, hidden, false, moe.layers);
                    list.add("expert_latent_out", Component::Other, hidden, latent, false, moe.layers);
                    latent
                }
            };
            list.add("expert_gate_proj", Experts, f, outer, moe.expert_bias, if gated { n } else { 0 });
            list.add("expert_up_proj", Experts, f, outer, moe.expert_bias, n);
            list.add("expert_down_proj", Experts, outer, f, moe.expert_bias, n);
            if moe.shared_intermediate_size > 0 {
                let f = (moe.shared_intermediate_size, "shared_expert_intermediate_size");
                list.add("shared_gate_proj", SharedExperts, f, hidden, false, if gated { moe.layers } else { 0 });
                list.add("shared_up_proj", SharedExperts, f, hidden, false, moe.layers);
                list.add("shared_down_proj", SharedExperts, hidden, f, false, moe.layers);
                list.add(
                    "shared_expert_gate",
                    Router,
                    (1, "1"),
                    hidden,
                    false,
                    if moe.shared_gate { moe.layers } else { 0 },
                );
            }
        }
    }

    /// The exact count. An error if it is over [`MAX_PARAMS`].
    pub fn count(&self) -> Result<ParameterCount, ConfigProblem> {
        let mut sums = [0_u128; Component::ALL.len()];
        for tensor in self.tensors() {
            if let Some(sum) = sums.get_mut(tensor.component as usize) {
                *sum = sum.saturating_add(tensor.total());
            }
        }
        let total = sums.iter().fold(0_u128, |a, &b| a.saturating_add(b));
        if total > u128::from(MAX_PARAMS) {
            return Err(ConfigProblem::new(
                "params",
                format!(
                    "These sizes make {:.1e} parameters; at most {:.0e} can be computed.",
                    total as f64, MAX_PARAMS as f64
                ),
            ));
        }
        // Every sum is at most `total`, which fits.
        let sums = sums.map(|s| u64::try_from(s).unwrap_or(u64::MAX));
        let [embedding, lm_head, attention, mixers, mlp, shared_experts, experts, router, norms, other] = sums;
        let total = u64::try_from(total).unwrap_or(u64::MAX);
        let used = self.moe.map_or(0, |m| {
            let each = experts.checked_div(m.num_experts).unwrap_or(0);
            each.saturating_mul(m.num_experts_per_tok.min(m.num_experts))
        });
        let lookup = if self.tie_word_embeddings { 0 } else { embedding };
        let active = total.saturating_sub(experts.saturating_sub(used)).saturating_sub(lookup);
        Ok(ParameterCount {
            embedding,
            lm_head,
            attention,
            mixers,
            mlp,
            shared_experts,
            experts,
            router,
            norms,
            other,
            total,
            lookup,
            active,
        })
    }

    /// Parameters of the largest single module, as DeepSpeed's `model_to_params` finds it (its own parameters, not its
    /// children's): what ZeRO-3 gathers at once at the least. Experts with biases are one fused module a layer.
    pub fn largest_layer(&self) -> u64 {
        let tensors = self.tensors();
        let fused = self.moe.filter(|m| m.expert_bias);
        let experts: u128 = match fused {
            Some(moe) if moe.layers > 0 => {
                let all = tensors.iter().filter(|t| t.component == Component::Experts).map(Tensor::total).sum();
                u128::checked_div(all, u128::from(moe.layers)).unwrap_or(0)
            }
            _ => 0,
        };
        let largest = tensors.iter().map(Tensor::elements).max().unwrap_or(0).max(experts);
        u64::try_from(largest).unwrap_or(u64::MAX)
    }
}
