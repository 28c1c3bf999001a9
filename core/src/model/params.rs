//! The weights of a model, tensor by tensor, and their exact count.
//!
//! Every count of this crate comes from [`Shape::tensors`]. What each family has was read from Hugging Face
//! transformers 4.57 (`src/transformers/models/<family>/modeling_<family>.py`); the counts are compared with the
//! library's own in `tests/oracles.rs`, to the parameter.

use super::problem::ConfigProblem;
use super::shape::{Attention, Gated, MAX_PARAMS, QkNorm, Shape};

/// The part of a model that a weight belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    /// The token embedding.
    Embedding,
    /// The output matrix and its bias; nothing when tied.
    LmHead,
    /// Projections of attention, their biases, and sinks.
    Attention,
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
    /// Learned positions and embedding projections.
    Other,
}

impl Component {
    /// All components in the order in which they are shown.
    pub const ALL: [Component; 9] = [
        Component::Embedding,
        Component::LmHead,
        Component::Attention,
        Component::Mlp,
        Component::SharedExperts,
        Component::Experts,
        Component::Router,
        Component::Norms,
        Component::Other,
    ];

    /// What a person reads.
    pub fn label(self) -> &'static str {
        match self {
            Component::Embedding => "Token embedding",
            Component::LmHead => "Output head",
            Component::Attention => "Attention",
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
        use Component::{Attention, Experts, Mlp, Router, SharedExperts};
        self.is_matrix() && matches!(self.component, Attention | Mlp | SharedExperts | Experts | Router)
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

/// The exact number of parameters of a model, by component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ParameterCount {
    /// Token embedding.
    pub embedding: u64,
    /// Output matrix and its bias when not tied, otherwise its bias.
    pub lm_head: u64,
    /// Attention.
    pub attention: u64,
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
    /// Those that a quantized checkpoint stores in fewer bits: the matrices of the layers. Embedding, output matrix, norms and routers stay
    /// in 16 bits (AutoAWQ and GPTQModel convert the linear modules of the decoder's layers; llm-compressor's recipes have
    /// `ignore=["lm_head"]`).
    pub fn quantized(&self) -> u64 {
        self.attention + self.mlp + self.shared_experts + self.experts
    }

    /// Bytes of a checkpoint whose layers have weights of so many bytes; the others have two.
    pub fn stored(&self, per_weight: f64) -> f64 {
        let quantized = self.quantized();
        quantized as f64 * per_weight + self.total.saturating_sub(quantized) as f64 * 2.0
    }

    /// The count of one component.
    pub fn of(&self, component: Component) -> u64 {
        match component {
            Component::Embedding => self.embedding,
            Component::LmHead => self.lm_head,
            Component::Attention => self.attention,
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
        self.add_mlp(&mut list);

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
        use Component::{Attention as Attn, Norms};
        let (layers, heads, norm_bias) = (self.num_hidden_layers, self.num_attention_heads, self.norms.bias);
        let hidden = (self.hidden_size, "hidden_size");
        match self.attention {
            Attention::Heads { kv_heads, head_dim } => {
                let q = (heads.saturating_mul(head_dim), "num_attention_heads·head_dim");
                let kv = (kv_heads.saturating_mul(head_dim), "num_key_value_heads·head_dim");
                list.add("q_proj", Attn, q, hidden, self.qkv_bias, layers);
                list.add("k_proj", Attn, kv, hidden, self.qkv_bias, layers);
                list.add("v_proj", Attn, kv, hidden, self.qkv_bias, layers);
                list.add("o_proj", Attn, hidden, q, self.o_bias, layers);
                let norms = match self.qk_norm {
                    QkNorm::None => None,
                    QkNorm::Head => Some([(head_dim, "head_dim"); 2]),
                    QkNorm::Full => Some([q, kv]),
                };
                if let Some([q_norm, k_norm]) = norms {
                    list.add("q_norm", Norms, q_norm, VECTOR, norm_bias, layers);
                    list.add("k_norm", Norms, k_norm, VECTOR, norm_bias, layers);
                }
            }
            Attention::Latent { q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim } => {
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
        }
        if self.attention_sinks {
            list.add("sinks", Attn, (heads, "num_attention_heads"), VECTOR, false, layers);
        }
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
            list.add("router", Router, (moe.num_experts, "num_experts"), hidden, moe.router_bias, moe.layers);
            list.add("expert_gate_proj", Experts, f, hidden, moe.expert_bias, if gated { n } else { 0 });
            list.add("expert_up_proj", Experts, f, hidden, moe.expert_bias, n);
            list.add("expert_down_proj", Experts, hidden, f, moe.expert_bias, n);
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
        let [embedding, lm_head, attention, mlp, shared_experts, experts, router, norms, other] = sums;
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
