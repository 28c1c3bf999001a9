//! Where the parameters and the FLOPs of a model are: every piece, its formula, its share, and how the shares move.

mod mix;
mod pieces;

pub use mix::{Axis, Group, Mix};
pub use pieces::{IDS, Piece, Place};

use super::config::ConfigProblem;
use super::flops::{ForwardFlops, average_keys};
use super::params::ParameterCount;
use super::presets::{self, Preset};
use super::reference::{self, ModelRef};
use super::shape::{Attention, SPECS as SHAPE, Shape};
use crate::catalogue::{Entry, Evaluation, Measures, Parameters};
use crate::quantity::{Quantity, Unit, grouped};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader, join};

/// Longest sequence.
pub const MAX_SEQ: u64 = 100_000_000;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Parameters.
    Params,
    /// Forward FLOPs of one token.
    Flops,
}

impl Measure {
    /// The name in a query string.
    pub const fn id(self) -> &'static str {
        match self {
            Measure::Params => "params",
            Measure::Flops => "flops",
        }
    }
}

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The model; never a bare number of parameters.
    pub model: ModelRef,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Whether only the half of the attention matrix that a causal mask keeps is counted.
    pub causal: bool,
    /// What the drawing shows. Changes no quantity.
    pub show: Measure,
    /// The size over which shares are drawn. Changes no quantity.
    pub sweep: Axis,
    /// The piece that is looked at, one of [`IDS`]; empty for none. Changes no quantity.
    pub piece: &'static str,
}

const MODEL: ParamSpec = ParamSpec { default: "llama-3-8b", ..reference::SPECS[0] };

const OWN: [ParamSpec; 7] = [
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
    ParamSpec {
        name: "show",
        doc: "what the drawing shows: parameters, or forward FLOPs of one token",
        kind: Kind::Choice(&["params", "flops"]),
        default: "params",
    },
    ParamSpec {
        name: "sweep",
        doc: "the size over which shares are drawn",
        kind: Kind::Choice(&["hidden_size", "num_hidden_layers", "vocab_size", "seq"]),
        default: "hidden_size",
    },
    ParamSpec { name: "piece", doc: "the piece that is looked at", kind: Kind::Choice(&IDS), default: "" },
    reference::SPECS[2],
];

const PARAMS: [ParamSpec; 41] = join(&[&OWN, &SHAPE]);

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
    ("flops-router", "Router", Unit::Flop),
    ("flops-head", "Output head", Unit::Flop),
    ("flops-other", "Embedding projections", Unit::Flop),
    ("crossover-seq", "Sequence at which the attention matrix costs a layer’s weights; 0 if none does", Unit::Count),
    ("kv-bytes-per-token", "KV cache of one token, bf16", Unit::Bytes),
];

/// This model in the catalogue.
pub const ENTRY: Entry = Entry {
    id: "model-anatomy",
    title: "Model anatomy",
    summary: "Where a model’s parameters and its forward FLOPs are, weight by weight.",
    params: Parameters::Specs(&PARAMS),
    quantities: Measures::List(QUANTITIES),
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        let result = anatomy(&params).map(|result| result.quantities()).map_err(|e| e.message);
        Evaluation::new(params.query(), problems, result)
    },
};

fn default_model() -> &'static Preset {
    presets::find(MODEL.default).unwrap_or(&presets::ALL[0])
}

impl Default for Params {
    /// Llama 3 8B, 8192 tokens, causal.
    fn default() -> Self {
        Self {
            model: ModelRef::Preset(default_model()),
            seq: 8192,
            causal: true,
            show: Measure::Params,
            sweep: Axis::Width,
            piece: "",
        }
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
            show: if reader.choice("show") == "flops" { Measure::Flops } else { Measure::Params },
            sweep: Axis::find(reader.choice("sweep")).unwrap_or(Axis::Width),
            piece: reader.choice("piece"),
        };
        (params, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        let mut query = self.model.query();
        query.set("seq", self.seq.to_string());
        query.set("causal", if self.causal { "true" } else { "false" });
        query.set("show", self.show.id());
        query.set("sweep", self.sweep.id());
        if !self.piece.is_empty() {
            query.set("piece", self.piece);
        }
        query
    }
}

/// Where everything is.
#[derive(Debug, Clone, PartialEq)]
pub struct Anatomy {
    /// What was asked.
    pub params: Params,
    /// The architecture.
    pub shape: Shape,
    /// Every kind of weight and every product without one, input to output: their parameters and FLOPs add up to the model's.
    pub pieces: Vec<Piece>,
    /// The exact count by component.
    pub count: ParameterCount,
    /// Forward FLOPs of one token by component.
    pub flops: ForwardFlops,
    /// Bytes that one token adds to a bf16 KV cache.
    pub kv_bytes_per_token: f64,
    /// The shortest sequence of which the attention matrix costs a token as much as the weights of the layers; none if a
    /// window keeps it smaller at every length up to [`MAX_SEQ`].
    pub crossover: Option<u64>,
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
    let flops = shape.forward_flops(params.seq, params.causal);
    Ok(Anatomy {
        params: *params,
        shape: *shape,
        pieces: pieces::of(shape, params.seq, params.causal),
        count,
        flops,
        kv_bytes_per_token: shape.kv_bytes_per_token(2.0),
        crossover: crossover(shape, &flops, params.causal),
    })
}

/// The shortest sequence at which scores and values cost as much as projections, MLPs, experts and routers.
fn crossover(shape: &Shape, flops: &ForwardFlops, causal: bool) -> Option<u64> {
    let weights = flops.projections + flops.mlp + flops.shared_experts + flops.experts + flops.router;
    let values = match shape.attention {
        Attention::Heads { head_dim, .. } => head_dim,
        Attention::Latent { v_head_dim, .. } => v_head_dim,
    };
    let per_key = 2.0 * shape.num_attention_heads as f64 * (shape.head_dim() as f64 + values as f64);
    let sliding = shape.sliding.map_or(0, |s| s.layers.min(shape.num_hidden_layers));
    let full = shape.num_hidden_layers.saturating_sub(sliding) as f64;
    let matrix = |seq: u64| {
        let windowed = average_keys(seq, shape.sliding.map(|s| s.window), causal);
        per_key * (full * average_keys(seq, None, causal) + sliding as f64 * windowed)
    };
    if matrix(MAX_SEQ) < weights {
        return None;
    }
    let (mut low, mut high) = (0, MAX_SEQ);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if matrix(middle) < weights { low = middle } else { high = middle }
    }
    Some(high)
}

/// A stretch of the model, input to output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Before the layers, those with a dense MLP, those with experts, after: never [`Place::Layer`].
    pub place: Place,
    /// How many layers; 0 outside.
    pub layers: u64,
    /// Parameters or forward FLOPs of one token.
    pub amount: f64,
}

/// One layer of a kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer<'a> {
    /// [`Place::Dense`] or [`Place::Mixture`].
    pub kind: Place,
    /// How many layers are of this kind.
    pub layers: u64,
    /// What is in one, in the order of [`Anatomy::pieces`].
    pub pieces: Vec<&'a Piece>,
    /// Parameters or forward FLOPs of one token in one such layer.
    pub amount: f64,
}

impl Anatomy {
    /// The piece that is looked at, if the model has it.
    pub fn piece(&self) -> Option<&Piece> {
        self.pieces.iter().find(|p| p.id == self.params.piece)
    }

    /// One layer: of the kind that has the piece that is looked at, otherwise of the kind of the last.
    pub fn layer(&self, measure: Measure) -> Layer<'_> {
        let mixtures = self.shape.moe_layers();
        let dense =
            mixtures == 0 || (self.shape.dense_layers() > 0 && self.piece().is_some_and(|p| p.place == Place::Dense));
        let (kind, layers) = if dense { (Place::Dense, self.shape.dense_layers()) } else { (Place::Mixture, mixtures) };
        let pieces: Vec<_> = self.pieces.iter().filter(|p| p.place == Place::Layer || p.place == kind).collect();
        let amount = pieces.iter().map(|p| p.amount_here(measure)).sum();
        Layer { kind, layers, pieces, amount }
    }

    /// The whole model in four stretches.
    pub fn spans(&self, measure: Measure) -> [Span; 4] {
        let all = |place| self.pieces.iter().filter(|p| p.place == place).map(|p| p.amount(measure)).sum::<f64>();
        let each = all(Place::Layer) / self.shape.num_hidden_layers.max(1) as f64;
        let span = |place, layers: u64| Span { place, layers, amount: all(place) + each * layers as f64 };
        [
            span(Place::Before, 0),
            span(Place::Dense, self.shape.dense_layers()),
            span(Place::Mixture, self.shape.moe_layers()),
            span(Place::After, 0),
        ]
    }

    /// The quantities of the catalogue, in its order.
    pub fn quantities(&self) -> Vec<Quantity> {
        let (c, f) = (&self.count, &self.flops);
        let layers = self.shape.num_hidden_layers.max(1) as f64;
        let outside = |p: &&Piece| matches!(p.place, Place::Before | Place::After);
        let in_layers = c.total as f64 - self.pieces.iter().filter(outside).map(|p| p.params).sum::<f64>();
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
            f.router,
            f.lm_head,
            f.other,
            self.crossover.unwrap_or(0) as f64,
            self.kv_bytes_per_token,
        ];
        QUANTITIES.iter().zip(values).map(|(&(id, label, unit), v)| Quantity::new(id, label, v, unit)).collect()
    }

    /// What is counted and what is not, a sentence each: the conventions in which other counts differ.
    pub fn notes(&self) -> Vec<&'static str> {
        let matrix = if self.params.causal {
            "Of the attention matrix the half that a causal mask keeps is counted, as Megatron-LM does; PaLM and nanoGPT count \
             the whole."
        } else {
            "The whole attention matrix is counted, as PaLM and nanoGPT do; Megatron-LM counts the half that a causal mask \
             keeps."
        };
        let mut notes = vec![matrix];
        notes.push("Norms, softmax, activation functions and table look-ups are not counted as FLOPs.");
        if matches!(self.shape.attention, Attention::Latent { .. }) {
            notes.push(
                "Latent attention is counted as in training: keys and values of every head are made. Decoding can fold \
                 kv_b_proj into the query and the output instead.",
            );
        }
        if self.shape.sliding.is_some() {
            notes.push("Layers with a window are averaged with those without.");
        }
        notes
    }

    /// The picture in two sentences, with its numbers.
    pub fn finding(&self) -> String {
        use crate::quantity::{count, number};
        let total = self.count.total as f64;
        let percent = |part: f64, whole: f64| match part / whole * 100.0 {
            p if p > 0.0 && p < 1.0 => "under 1%".to_owned(),
            p if p >= 1.0 => format!("{}%", number(p.round())),
            _ => "0%".to_owned(),
        };
        let share = |part: f64| percent(part, total);
        let mlp = (self.count.mlp + self.count.shared_experts + self.count.experts) as f64;
        let tables = (self.count.embedding + self.count.lm_head) as f64;
        let of = if self.count.experts > 0 { "the experts" } else { "the MLPs" };
        let active = if self.count.active < self.count.total {
            format!(" One token uses {} of them.", count(self.count.active as f64))
        } else {
            String::new()
        };
        let flops = self.flops.total();
        format!(
            "{}: {} parameters, {} of them in {of}, {} in attention and {} in the embedding and output head.{active} A \
             token costs {} forward, {} of it for the attention matrix at {} tokens.",
            self.params.model.name(),
            count(total),
            share(mlp),
            share(self.count.attention as f64),
            share(tables),
            Unit::Flop.format(flops),
            percent(self.flops.scores + self.flops.values, flops),
            grouped(self.params.seq)
        )
    }
}
