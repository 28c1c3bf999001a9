//! Where the parameters and the FLOPs of a model are: every piece, its formula, its share, and how the shares move.

mod mix;
mod pieces;

pub use crate::model::params::Place;
pub use mix::{Axis, Group, Mix};
pub use pieces::{IDS, Piece};

use super::flops::{ForwardFlops, average_keys};
use super::params::ParameterCount;
use super::problem::ConfigProblem;
use super::reference::{self, ModelRef};
use super::shape::{Attention, SPECS as SHAPE, Shape};
use crate::declare::{
    self, Choose, Declaration, Field, List, Model, Origin, Origins, Param, Scale, Slot, all_apart, choice, headline,
    join, measure, origin, switch, when, whole,
};
use crate::options;
use crate::quantity::{Unit, counted, grouped};
use crate::query::{Query, Reader};

/// Longest sequence.
pub const MAX_SEQ: u64 = 100_000_000;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// Parameters.
    #[default]
    Params,
    /// Forward FLOPs of one token.
    Flops,
}

options!(Measure {
    Params: "params", "Parameters";
    Flops: "flops", "FLOPs";
});

/// The id of a [`Piece`], one of [`IDS`]; empty for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PieceId(pub &'static str);

impl Choose for PieceId {
    fn id(&self) -> &'static str {
        self.0
    }

    fn choose(&mut self, id: &str) {
        self.0 = IDS.into_iter().find(|other| *other == id).unwrap_or_default();
    }
}

impl Field for PieceId {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Choice(self)
    }
}

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
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
    /// The piece that is looked at. Changes no quantity.
    pub piece: PieceId,
}

/// The model that is meant if none is given.
const MODEL: &str = "llama-3-8b";
/// Where the controls stand of what FLOPs alone depend on.
const FLOPS: &str = "FLOPs";

const OWN: [Param<Params>; 7] = [
    reference::MODEL.default(MODEL).own_control(),
    whole("seq", "tokens of a sequence", [1, MAX_SEQ], "8192")
        .label(Axis::Sequence.label())
        .slider(Scale::Quarters(7, 20))
        .more(FLOPS)
        .at(|p: &mut Params| p.seq.slot()),
    switch(
        "causal",
        "count only the half of the attention matrix that a causal mask keeps (Megatron-LM), or all of it (PaLM)",
        true,
    )
    .label("Attention matrix")
    .labels(&["Whole", "Causal half"])
    .more(FLOPS)
    .at(|p: &mut Params| p.causal.slot()),
    choice("show", "what the drawing shows: parameters, or forward FLOPs per token", Measure::LIST, "params")
        .label("Area shows")
        .main()
        .at(|p: &mut Params| p.show.slot()),
    choice("sweep", "the size over which shares are drawn", Axis::LIST, "hidden_size")
        .label("Swept size")
        .drawn()
        .at(|p: &mut Params| p.sweep.slot()),
    choice("piece", "the piece that is looked at", List { ids: &IDS, labels: &IDS }, "")
        .drawn()
        .quiet()
        .at(|p: &mut Params| p.piece.slot()),
    reference::GUESS.apart(),
];

/// The sizes of a config. Three of them can be moved.
const SIZES: [Param<Params>; SHAPE.len()] = {
    const MORE: &str = "Sizes";
    const LAYERS: Scale = Scale::Linear { min: 1.0, max: Axis::Depth.range().1 as f64, step: 1.0 };
    let mut all = all_apart(&SHAPE);
    all[0] = size(0, Axis::Width, Scale::Quarters(8, 15)).main().own_control();
    all[1] = size(1, Axis::Depth, LAYERS).more(MORE).own_control();
    all[6] = size(6, Axis::Vocabulary, Scale::Quarters(10, 20)).more(MORE).own_control();
    all
};

/// The size at this place of [`SHAPE`], which this axis moves.
const fn size(place: usize, axis: Axis, scale: Scale) -> Declaration {
    Declaration::of(SHAPE[place]).format(|n| grouped(n as u64)).label(axis.label()).slider(scale)
}

impl Model for Params {
    type Result = Anatomy;
    const ID: &'static str = "model-anatomy";
    const TITLE: &'static str = "Model anatomy";
    const SUMMARY: &'static str = "Where a model’s parameters and its forward FLOPs are, weight by weight.";
    const PARAMS: &'static [Param<Self>] = &join::<_, { OWN.len() + SIZES.len() }>(&[&OWN, &SIZES]);
    const ORIGIN: Origin = crate::model::params::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(
            crate::model::flops::ORIGIN,
            &[
                "flops-per-token",
                "flops-projections",
                "flops-attention-matrix",
                "flops-mixers",
                "flops-mlp",
                "flops-router",
                "flops-head",
                "flops-other",
                "crossover-seq",
            ],
        ),
        origin(crate::kv_cache::ORIGIN, &["kv-bytes-per-token", "state-bytes-per-sequence"]),
        origin(Origin::Rows, &["params-per-layer"]),
    ];
    const QUANTITIES: &'static [declare::Measure<Self, Anatomy>] = &[
        headline(
            "All parameters of the model.",
            measure("params", "Parameters", Unit::Count, |_, a| a.count.total as f64),
        ),
        headline(
            "Parameters that one token is multiplied with.",
            measure("params-active", "Active parameters per token", Unit::Count, |_, a| a.count.active as f64),
        ),
        measure("params-embedding", "Token embedding, parameters", Unit::Count, |_, a| a.count.embedding as f64),
        measure("params-head", "Output head, parameters", Unit::Count, |_, a| a.count.lm_head as f64),
        measure("params-attention", "Attention, parameters", Unit::Count, |_, a| a.count.attention as f64),
        when(
            |_, a| a.count.mixers > 0,
            measure("params-mixers", "Linear and state-space layers, parameters", Unit::Count, |_, a| {
                a.count.mixers as f64
            }),
        ),
        measure("params-mlp", "MLP and experts, parameters", Unit::Count, |_, a| {
            (a.count.mlp + a.count.shared_experts + a.count.experts) as f64
        }),
        measure("params-experts", "Routed experts, parameters", Unit::Count, |_, a| a.count.experts as f64),
        measure("params-router", "Router, parameters", Unit::Count, |_, a| a.count.router as f64),
        measure("params-norms", "Norms, parameters", Unit::Count, |_, a| a.count.norms as f64),
        measure("params-other", "Positions and other parameters", Unit::Count, |_, a| a.count.other as f64),
        measure("params-per-layer", "Parameters per layer, mean", Unit::Count, |_, a| a.params_per_layer()),
        headline(
            "FLOPs of the forward pass for one token at this length.",
            measure("flops-per-token", "Forward FLOPs per token", Unit::Flop, |_, a| a.flops.total()),
        ),
        measure("flops-projections", "Attention projections, FLOPs per token", Unit::Flop, |_, a| a.flops.projections),
        measure("flops-attention-matrix", "Attention matrix, FLOPs per token", Unit::Flop, |_, a| {
            a.flops.scores + a.flops.values
        }),
        when(
            |_, a| a.count.mixers > 0,
            measure("flops-mixers", "Linear and state-space layers, FLOPs per token", Unit::Flop, |_, a| {
                a.flops.mixers
            }),
        ),
        measure("flops-mlp", "MLP and experts, FLOPs per token", Unit::Flop, |_, a| {
            a.flops.mlp + a.flops.shared_experts + a.flops.experts
        }),
        measure("flops-router", "Router, FLOPs per token", Unit::Flop, |_, a| a.flops.router),
        measure("flops-head", "Output head, FLOPs per token", Unit::Flop, |_, a| a.flops.lm_head),
        measure("flops-other", "Embedding projections, FLOPs per token", Unit::Flop, |_, a| a.flops.other),
        when(
            |_, a| a.crossover.is_some(),
            headline(
                "From this length on, the attention matrix costs more than all other products.",
                measure("crossover-seq", "Length at which attention equals the rest, tokens", Unit::Count, |_, a| {
                    a.crossover.unwrap_or(0) as f64
                }),
            ),
        ),
        headline(
            "Keys and values that each token adds to the cache.",
            measure("kv-bytes-per-token", "KV cache per token, bf16", Unit::Bytes, |_, a| a.kv_bytes_per_token),
        ),
        when(
            |_, a| a.count.mixers > 0,
            measure("state-bytes-per-sequence", "State per sequence, fp32", Unit::Bytes, |_, a| a.shape.state_bytes()),
        ),
    ];

    fn evaluate(&self) -> Result<Anatomy, String> {
        anatomy(self).map_err(|e| e.message)
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.model.query()
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
        self.pieces.iter().find(|p| p.id == self.params.piece.0)
    }

    /// One layer: of the kind that has the piece that is looked at, otherwise of the kind of the last.
    pub fn layer(&self, measure: Measure) -> Layer<'_> {
        let shape = &self.shape;
        let chosen = self.piece().map(|p| p.place);
        let [plain, mixtures] = shape.sorts();
        let dense = mixtures == 0 || (plain > 0 && chosen == Some(Place::Dense));
        let (kind, layers) = if dense { (Place::Dense, plain) } else { (Place::Mixture, mixtures) };
        // Of layers that mix tokens in several ways, the one with the piece that is looked at, else the one with full attention.
        let mixers = [Place::State, Place::Window, Place::Attention];
        let there = |place: Place| shape.layers_at(place) > 0;
        let mixer = chosen.filter(|place| mixers.contains(place)).or(mixers.into_iter().rev().find(|p| there(*p)));
        let beside = shape.kinds.state.is_some_and(|s| s.beside_attention);
        let shown = |p: &&Piece| match p.place {
            Place::Layer => true,
            Place::Before | Place::After => false,
            Place::State | Place::Attention if beside => true,
            Place::State | Place::Window | Place::Attention => Some(p.place) == mixer,
            Place::Dense => kind == Place::Dense || shape.kinds.dense_beside_experts,
            Place::Mixture => kind == Place::Mixture,
        };
        let layers = if shape.is_uniform() { layers } else { layers.min(mixer.map_or(layers, |m| shape.layers_at(m))) };
        let pieces: Vec<_> = self.pieces.iter().filter(shown).collect();
        let amount = pieces.iter().map(|p| p.amount_here(measure)).sum();
        Layer { kind, layers, pieces, amount }
    }

    /// The whole model in four stretches.
    pub fn spans(&self, measure: Measure) -> [Span; 4] {
        let all = |place| self.pieces.iter().filter(|p| p.place == place).map(|p| p.amount(measure)).sum::<f64>();
        let places = [Place::Layer, Place::Attention, Place::Window, Place::State];
        let each = places.into_iter().map(all).sum::<f64>() / self.shape.num_hidden_layers.max(1) as f64;
        let span = |place, layers: u64| Span { place, layers, amount: all(place) + each * layers as f64 };
        let [plain, mixtures] = self.shape.sorts();
        let mut spans =
            [span(Place::Before, 0), span(Place::Dense, plain), span(Place::Mixture, mixtures), span(Place::After, 0)];
        if plain == 0 {
            // MLPs that stand beside experts.
            let [_, dense, mixture, _] = &mut spans;
            mixture.amount += std::mem::take(&mut dense.amount);
        }
        spans
    }

    /// Parameters of one layer, on average.
    fn params_per_layer(&self) -> f64 {
        let outside = |p: &&Piece| matches!(p.place, Place::Before | Place::After);
        let around: f64 = self.pieces.iter().filter(outside).map(|p| p.params).sum();
        (self.count.total as f64 - around) / self.shape.num_hidden_layers.max(1) as f64
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
        if self.shape.kinds.state.is_some() {
            notes.push(
                "A layer with a state of fixed size costs the same for every token, however long the sequence is.",
            );
        }
        if self.shape.kinds.indexer.is_some() {
            notes
                .push("Attention is counted for the tokens that the indexer chooses, and the indexer for all of them.");
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
        let active = if self.count.experts > 0 {
            format!(" One token computes with {} of them.", count(self.count.active as f64))
        } else {
            String::new()
        };
        let flops = self.flops.total();
        format!(
            "{}: {} parameters, {} of them in {of}, {} in attention and {} in the embedding and output head.{active} A \
             token costs {} forward, {} of it for the attention matrix at {}.",
            self.params.model.name(),
            count(total),
            share(mlp),
            share(self.count.attention as f64),
            share(tables),
            Unit::Flop.format(flops),
            percent(self.flops.scores + self.flops.values, flops),
            counted(self.params.seq, "token", "tokens")
        )
    }
}
