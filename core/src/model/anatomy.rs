//! Where the parameters and the FLOPs of a model are: every kind of weight, its formula, its share.

use super::config::ConfigProblem;
use super::flops::ForwardFlops;
use super::params::{Component, ParameterCount, Tensor};
use super::presets::{self, Preset};
use super::reference::{self, ModelRef};
use super::shape::SPECS as SHAPE;
use crate::catalogue::{Entry, Evaluation};
use crate::quantity::{Quantity, Unit, grouped};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader, join};

/// Longest sequence.
pub const MAX_SEQ: u64 = 100_000_000;

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The model; never a bare number of parameters.
    pub model: ModelRef,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Whether only the half of the attention matrix that a causal mask keeps is counted.
    pub causal: bool,
}

const MODEL: ParamSpec = ParamSpec { default: "llama-3-8b", ..reference::SPECS[0] };

const OWN: [ParamSpec; 4] = [
    MODEL,
    ParamSpec {
        name: "seq",
        doc: "tokens of a sequence",
        kind: Kind::Integer { min: 1, max: MAX_SEQ },
        default: "8192",
    },
    ParamSpec {
        name: "causal",
        doc: "count only the half of the attention matrix that a causal mask keeps (Megatron-LM), or all of it (PaLM)",
        kind: Kind::Choice(&["true", "false"]),
        default: "true",
    },
    reference::SPECS[2],
];

const PARAMS: [ParamSpec; 37] = join(&[&OWN, &SHAPE]);

const QUANTITIES: &[(&str, &str, Unit)] = &[
    ("params", "Parameters", Unit::Count),
    ("params-active", "Parameters that one token uses", Unit::Count),
    ("params-embedding", "Token embedding", Unit::Count),
    ("params-head", "Output head", Unit::Count),
    ("params-attention", "Attention", Unit::Count),
    ("params-mlp", "MLP and experts", Unit::Count),
    ("params-experts", "of these: routed experts", Unit::Count),
    ("params-router", "Router", Unit::Count),
    ("params-norms", "Norms", Unit::Count),
    ("params-other", "Positions and other", Unit::Count),
    ("params-per-layer", "One layer, on average", Unit::Count),
    ("flops-per-token", "Forward FLOPs of one token", Unit::Flop),
    ("flops-projections", "Attention projections", Unit::Flop),
    ("flops-attention-matrix", "Attention matrix", Unit::Flop),
    ("flops-mlp", "MLP and experts", Unit::Flop),
    ("flops-head", "Output head", Unit::Flop),
    ("kv-bytes-per-token", "KV cache of one token, bf16", Unit::Bytes),
];

/// This model in the catalogue.
pub const ENTRY: Entry = Entry {
    id: "model-anatomy",
    title: "Model anatomy",
    summary: "Where a model’s parameters and its forward FLOPs are, weight by weight.",
    params: &PARAMS,
    quantities: QUANTITIES,
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        let query = params.query();
        match anatomy(&params) {
            Ok(result) => Evaluation { query, problems, quantities: result.quantities(), error: None },
            Err(error) => Evaluation { query, problems, quantities: Vec::new(), error: Some(error.message) },
        }
    },
};

fn default_model() -> &'static Preset {
    presets::find(MODEL.default).unwrap_or(&presets::ALL[0])
}

impl Default for Params {
    /// Llama 3 8B, 8192 tokens, causal.
    fn default() -> Self {
        Self { model: ModelRef::Preset(default_model()), seq: 8192, causal: true }
    }
}

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(&PARAMS, query);
        let params = Self {
            model: ModelRef::read_shape(&mut reader, query, default_model()),
            seq: reader.integer("seq").clamp(1, MAX_SEQ),
            causal: reader.choice("causal") != "false",
        };
        (params, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        let mut query = self.model.query();
        query.set("seq", self.seq.to_string());
        query.set("causal", if self.causal { "true" } else { "false" });
        query
    }
}

/// One kind of weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The weight: its name, its shape, how often it occurs.
    pub tensor: Tensor,
    /// Parameters of all its occurrences.
    pub params: f64,
    /// Its occurrences in one layer; 0 for what is there once, outside the layers.
    pub per_layer: f64,
    /// Forward FLOPs of one token, all layers.
    pub flops: f64,
    /// The formula with its numbers put in: "num_attention_heads·head_dim × hidden_size = 4 096 × 4 096".
    pub formula: String,
}

/// Where everything is.
#[derive(Debug, Clone, PartialEq)]
pub struct Anatomy {
    /// What was asked.
    pub params: Params,
    /// Every kind of weight, input to output. The tied output head is not a weight and not here.
    pub pieces: Vec<Piece>,
    /// The exact count by component.
    pub count: ParameterCount,
    /// Forward FLOPs of one token by component.
    pub flops: ForwardFlops,
    /// Bytes that one token adds to a bf16 KV cache.
    pub kv_bytes_per_token: f64,
}

/// Takes a model apart. An error only for a shape that no query can give, and for a bare number of parameters.
pub fn anatomy(params: &Params) -> Result<Anatomy, ConfigProblem> {
    let Some(shape) = params.model.shape() else {
        return Err(ConfigProblem::new(
            "model",
            "A number of parameters has no anatomy: choose a model, or give its sizes (hidden_size, num_hidden_layers, …).",
        ));
    };
    if let Some(problem) = shape.check().into_iter().next() {
        return Err(problem);
    }
    let count = shape.count()?;
    let layers = shape.num_hidden_layers.max(1) as f64;
    let pieces = shape.tensors().into_iter().map(|tensor| Piece {
        params: tensor.total() as f64,
        per_layer: if is_in_layers(&tensor) { tensor.count as f64 / layers } else { 0.0 },
        flops: shape.tensor_flops(&tensor),
        formula: formula(&tensor),
        tensor,
    });
    Ok(Anatomy {
        params: *params,
        pieces: pieces.collect(),
        count,
        flops: shape.forward_flops(params.seq, params.causal),
        kv_bytes_per_token: shape.kv_bytes_per_token(2.0),
    })
}

fn is_in_layers(tensor: &Tensor) -> bool {
    !matches!(tensor.component, Component::Embedding | Component::LmHead | Component::Other)
        && !matches!(tensor.name, "embedding_norm" | "last_norm")
}

fn formula(t: &Tensor) -> String {
    let bias = |what: &str| if t.bias { format!(" + {what}") } else { String::new() };
    let rows = grouped(t.rows);
    if !t.is_matrix() {
        return format!("{}{} = {rows}{}", t.rows_are, bias(t.rows_are), bias(&rows));
    }
    let cols = grouped(t.cols);
    format!("{} × {}{} = {rows} × {cols}{}", t.rows_are, t.cols_are, bias(t.rows_are), bias(&rows))
}

impl Anatomy {
    /// The quantities of the catalogue, in its order.
    pub fn quantities(&self) -> Vec<Quantity> {
        let (c, f) = (&self.count, &self.flops);
        let layers = self.params.model.shape().map_or(1, |s| s.num_hidden_layers.max(1)) as f64;
        let in_layers: f64 = self.pieces.iter().filter(|p| is_in_layers(&p.tensor)).map(|p| p.params).sum();
        let values = [
            c.total as f64,
            c.active as f64,
            c.embedding as f64,
            c.lm_head as f64,
            c.attention as f64,
            (c.mlp + c.shared_experts + c.experts) as f64,
            c.experts as f64,
            c.router as f64,
            c.norms as f64,
            c.other as f64,
            in_layers / layers,
            f.total(),
            f.projections,
            f.scores + f.values,
            f.mlp + f.shared_experts + f.experts,
            f.lm_head,
            self.kv_bytes_per_token,
        ];
        QUANTITIES.iter().zip(values).map(|(&(id, label, unit), v)| Quantity::new(id, label, v, unit)).collect()
    }

    /// The picture in two sentences, with its numbers.
    pub fn finding(&self) -> String {
        use crate::quantity::{count, number};
        let total = self.count.total as f64;
        let share = |part: f64| if total > 0.0 { number((part / total * 100.0).round()) } else { "0".to_owned() };
        let mlp = (self.count.mlp + self.count.shared_experts + self.count.experts) as f64;
        let tables = (self.count.embedding + self.count.lm_head) as f64;
        let of = if self.count.experts > 0 { "the experts" } else { "the MLPs" };
        let active = if self.count.active < self.count.total {
            format!(" One token uses {} of them.", count(self.count.active as f64))
        } else {
            String::new()
        };
        let flops = self.flops.total();
        let matrix = if flops > 0.0 { (self.flops.scores + self.flops.values) / flops * 100.0 } else { 0.0 };
        format!(
            "{}: {} parameters, {}% of them in {of}, {}% in attention and {}% in the embedding and output head.{active} A \
             token costs {} forward, {}% of it for the attention matrix at {} tokens.",
            self.params.model.name(),
            count(total),
            share(mlp),
            share(self.count.attention as f64),
            share(tables),
            Unit::Flop.format(flops),
            number(matrix.round()),
            grouped(self.params.seq)
        )
    }
}
