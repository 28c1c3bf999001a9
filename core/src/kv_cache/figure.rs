//! `kv-compression`: what attention keeps of a token, drawn to scale; what a step computes and reads of it; the requests that fit.

mod finding;

use super::decode::{INDEX, Way, Work, work};
use super::models::{self, Drawn, Model as Chosen};
use super::{Cache, Keeps, Layers};
use crate::declare::{
    Applies, Declaration, Field as _, List, Measure, Model, Origin, Origins, Param, Takes, applies, choice, doc,
    headline, join, measure, origin, real, when, whole,
};
use crate::hardware::{self, Accelerator};
use crate::memory::overhead::Overhead;
use crate::model::{bytes_of_weight, reference};
use crate::options;
use crate::quantity::{Unit, counted, grouped};
use crate::query::{Query, Reader};
use crate::units::GB;

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// One model under every kind of attention.
    #[default]
    Kinds,
    /// Every model as it was published.
    Models,
    /// One step of generation.
    Step,
    /// How many requests fit.
    Requests,
}

options!(View {
    Kinds: "kinds", "Kinds";
    Models: "models", "Models";
    Step: "step", "One step";
    Requests: "requests", "Requests";
});

/// A kind of attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Attention {
    /// What the model was trained with.
    #[default]
    Own,
    /// Keys and values for every query head.
    MultiHead,
    /// For groups of heads.
    Grouped,
    /// For all heads together.
    MultiQuery,
    /// A latent, and a rotary key.
    Latent,
}

options!(Attention {
    Own: "own", "as published";
    MultiHead: "mha", "multi-head";
    Grouped: "gqa", "grouped-query";
    MultiQuery: "mqa", "multi-query";
    Latent: "mla", "multi-head latent";
});

impl Attention {
    /// Every kind that any model can have.
    pub const KINDS: [Self; 4] = [Self::MultiHead, Self::Grouped, Self::MultiQuery, Self::Latent];
}

/// Which layers look back on everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mix {
    /// Those of the model.
    #[default]
    Own,
    /// All.
    Full,
    /// One in a few, the others within a window.
    Window,
    /// One in a few, the others keep a state.
    Hybrid,
}

options!(Mix {
    Own: "own", "as published";
    Full: "full", "all of them";
    Window: "window", "one in a few, the others a window";
    Hybrid: "hybrid", "one in a few, the others a state";
});

/// How several GPUs share the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Share {
    /// Each has some heads of every request.
    #[default]
    Heads,
    /// Each has some requests.
    Requests,
}

options!(Share {
    Heads: "heads", "heads (tensor parallel)";
    Requests: "requests", "requests (data parallel)";
});

const BITS: List = List { ids: &["16", "8", "6", "4"], labels: &["16", "8", "6", "4"] };
const WEIGHT_BITS: List = List { ids: &["16", "8", "4"], labels: &["16", "8", "4"] };

/// The part of a GPU's memory that serving uses (vLLM's default of `gpu_memory_utilization`).
pub const USED: f64 = 0.9;
/// What an engine's profiling run finds to be taken beside the weights, by a batch as large as it may get, and by CUDA graphs.
pub(crate) const ACTIVATIONS: Declaration = real(
    "activations",
    "GB of each GPU for activations and CUDA graphs, as an engine’s profiling run finds; 0 where that is not known",
    [0.0, 1000.0],
    "0",
)
.label("Activations, GB per GPU")
.each(Unit::Bytes, GB)
.quiet();

/// What a count that fits says where [`ACTIVATIONS`] are not set: on each of `gpus` an engine takes more, and beside the most and the least of
/// that so many are `left`.
pub(crate) fn before_activations(gpus: u64, [few, many]: [f64; 2], what: [&str; 2]) -> String {
    let taken = Overhead::of_engine(gpus);
    let left = match [few, many].map(|count| count as u64) {
        [0, 0] => format!("no {}", what[0]),
        [low, high] if low == high => counted(low, what[0], what[1]),
        [low, high] => format!("{} to {}", grouped(low), counted(high, what[0], what[1])),
    };
    format!(
        " Before its activations and CUDA graphs, an engine’s CUDA context{} take{} {} to {} of each GPU, which leaves {left}. Set “Activations, GB per GPU” to what the log of its profiling run says.",
        if gpus > 1 { " and communicators" } else { "" },
        if gpus > 1 { "" } else { "s" },
        Unit::Bytes.format(taken.low.0),
        Unit::Bytes.format(taken.high.0),
    )
}

/// Longest context, as a power of two.
pub const LONGEST: u32 = 20;

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// What is shown.
    pub view: View,
    /// The model.
    pub model: Chosen,
    /// Its attention.
    pub attention: Attention,
    /// Tokens of a sequence.
    pub context: u64,
    /// Bits of a cached value.
    pub bits: u32,
    /// Key–value heads of grouped-query attention; 0 for the model's own, or 8.
    pub groups: u64,
    /// Width of the latent; 0 for the model's own, or the rule of DeepSeek-V2.
    pub rank: u64,
    /// Tokens that a query reads, as an indexer chooses them; 0 for all.
    pub chosen: u64,
    /// Which layers look back on everything.
    pub mix: Mix,
    /// One layer in so many does.
    pub every: u64,
    /// Tokens of a window.
    pub window: u64,
    /// The model whose cache, in 16 bits, it is compared with.
    pub against: Drawn,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// How many of them.
    pub gpus: u64,
    /// How they share the cache.
    pub share: Share,
    /// Bits of a weight.
    pub weight_bits: u32,
    /// GB of each GPU that activations take.
    pub activations: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            view: View::Kinds,
            model: Chosen::Of(reference::ModelRef::default()),
            attention: Attention::Own,
            context: 1,
            bits: 16,
            groups: 1,
            rank: 0,
            chosen: 0,
            mix: Mix::Own,
            every: 1,
            window: 1,
            against: Drawn("deepseek-67b"),
            gpu: &hardware::ALL[0],
            gpus: 1,
            share: Share::Heads,
            weight_bits: 16,
            activations: 0.0,
        }
    }
}

/// The cache of one kind of attention.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The kind.
    pub attention: Attention,
    /// The cache.
    pub cache: Cache,
    /// Bytes that a token adds.
    pub per_token: f64,
    /// Bytes of a sequence, with its states.
    pub sequence: f64,
    /// Requests that fit.
    pub requests: f64,
}

/// A published model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published {
    /// The model.
    pub model: models::Named,
    /// Bytes that a token adds.
    pub per_token: f64,
    /// Bytes of a sequence, with its states.
    pub sequence: f64,
}

/// Everything that the figure shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The model.
    pub model: models::Named,
    /// As it is looked at.
    pub chosen: Row,
    /// Under every kind of [`Attention::KINDS`].
    pub kinds: Vec<Row>,
    /// Bytes of the weights.
    pub weights: f64,
    /// Bytes left for caches.
    pub room: f64,
    /// Bytes that a token adds to the cache of the model compared with.
    pub against: f64,
}

/// The model that is meant if none is given.
const MODEL: &str = "deepseek-v3";

const OWN: [Param<Params>; 17] = [
    choice("view", "what is shown", View::LIST, "kinds").label("Show").main().at(|p: &mut Params| p.view.slot()),
    choice("model", "the model, by name or custom with its sizes", models::EVERY, MODEL)
        .takes(Takes::Model)
        .label("Model")
        .main()
        .own_control(),
    choice("attention", "the kind of attention that is looked at", Attention::LIST, "own")
        .label("Attention")
        .drawn()
        .at(|p: &mut Params| p.attention.slot()),
    whole("context", "tokens of a sequence", [1, 1 << LONGEST], "8192")
        .label("Sequence length, tokens")
        .format(|v| grouped(v as u64))
        .doubling(LONGEST)
        .main()
        .at(|p: &mut Params| p.context.slot()),
    choice("bits", "bits of a cached value", BITS, "16")
        .label("Bits per value")
        .main()
        .at(|p: &mut Params| p.bits.slot()),
    whole(
        "groups",
        "key–value heads of grouped-query attention, which divide the query heads; 0 for the model’s own, or 8",
        [0, 1024],
        "0",
    )
    .label("GQA key–value heads (0 keeps the published number)")
    .more("Attention")
    .quiet()
    .at(|p: &mut Params| p.groups.slot()),
    whole("rank", "width of the latent; 0 for the model’s own, or four heads", [0, 4096], "0")
        .label("Latent size")
        .format(|v| if v == 0.0 { "as published".to_owned() } else { grouped(v as u64) })
        .steps(64.0)
        .more("Attention")
        .quiet()
        .at(|p: &mut Params| p.rank.slot()),
    whole("chosen", "tokens that a query reads, as an indexer chooses them; 0 for all of them", [0, 1 << LONGEST], "0")
        .label("Tokens read per query")
        .format(|v| if v == 0.0 { "all".to_owned() } else { grouped(v as u64) })
        .steps(512.0)
        .more("Attention")
        .quiet()
        .at(|p: &mut Params| p.chosen.slot()),
    choice("mix", "which layers look back on everything", Mix::LIST, "own")
        .label("Full-attention layers")
        .more("Layers")
        .at(|p: &mut Params| p.mix.slot()),
    whole("every", "one layer in so many looks back on everything", [1, 64], "4")
        .label("Full-attention interval")
        .doubling(6)
        .more("Layers")
        .at(|p: &mut Params| p.every.slot()),
    whole("window", "tokens of a window", [1, 1 << LONGEST], "4096")
        .label("Window")
        .doubling(LONGEST)
        .more("Layers")
        .at(|p: &mut Params| p.window.slot()),
    choice("against", "the model whose cache, in 16 bits, it is compared with", models::LIST, "deepseek-67b")
        .label("Compared with")
        .more("Comparison")
        .at(|p: &mut Params| p.against.slot()),
    choice("gpu", "the GPU", hardware::LIST, "h100-80").label("GPU").more("Serving").at(|p: &mut Params| p.gpu.slot()),
    whole("gpus", "GPUs that serve the model together", [1, 1024], "16")
        .takes(Takes::Gpus)
        .label("GPUs")
        .doubling(10)
        .more("Serving")
        .at(|p: &mut Params| p.gpus.slot()),
    choice("share", "how several GPUs share the cache", Share::LIST, "heads")
        .label("Sharding across GPUs")
        .more("Serving")
        .at(|p: &mut Params| p.share.slot()),
    choice("weight-bits", "bits of a weight", WEIGHT_BITS, "8")
        .label("Bits per weight")
        .more("Serving")
        .at(|p: &mut Params| p.weight_bits.slot()),
    ACTIVATIONS.more("Serving").at(|p: &mut Params| p.activations.slot()),
];

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "kv-compression";
    const TITLE: &'static str = "What attention keeps";
    const SUMMARY: &'static str = "The cache of a token under multi-head, grouped-query, multi-query and latent attention, windows and states, to scale, for published models.";
    const PARAMS: &'static [Param<Self>] = &join::<_, { OWN.len() + reference::OWN }>(&[&OWN, &reference::own()]);
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["every"], |p| matches!(p.mix, Mix::Window | Mix::Hybrid)),
        applies(&["window"], |p| p.mix == Mix::Window),
        applies(&["chosen"], |p| p.view == View::Step),
    ];
    const ORIGIN: Origin = crate::kv_cache::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Controls, &["layers", "growing-layers", "heads"]),
        origin(crate::model::params::ORIGIN, &["weights"]),
        origin(Origin::Rows, &["share-of-mha", "saved", "room", "requests"]),
        origin(
            Origin::Of("DeepSeek-V2, arXiv:2405.04434, Table 1: latent cache over that of one group"),
            &["groups-like"],
        ),
        origin(
            crate::kv_cache::decode::ORIGIN,
            &["flop-absorbed", "flop-rebuilt", "flop-heads", "intensity-absorbed", "intensity-heads"],
        ),
        origin(crate::roofline::roof::ORIGIN, &["step-absorbed", "step-rebuilt", "step-heads", "step-chosen"]),
        origin(super::decode::INDEX_ORIGIN, &["read-index"]),
        origin(Origin::Rows, &["read-all", "read-chosen", "read-less"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        when(
            |p, _| matches!(p.view, View::Kinds | View::Models),
            headline(
                "What one token keeps in all layers.",
                measure("bytes-per-token", "KV cache per token", Unit::Bytes, |_, s| s.chosen.per_token),
            ),
        ),
        measure("values-per-layer", "Values per token and layer", Unit::Count, |_, s| {
            s.chosen.cache.values_per_token() as f64 / s.chosen.growing_layers().max(1) as f64
        }),
        measure("growing-layers", "Layers with a KV cache", Unit::Count, |_, s| s.chosen.growing_layers() as f64),
        measure("layers", "Layers", Unit::Count, |_, s| s.chosen.cache.count() as f64),
        measure("heads", "Query heads", Unit::Count, |_, s| s.model.heads as f64),
        when(
            |p, _| p.view != View::Step,
            headline(
                "What one sequence of this length keeps.",
                measure("sequence-bytes", "KV cache per sequence", Unit::Bytes, |_, s| s.chosen.sequence),
            ),
        ),
        doc(
            "What layers without a growing cache keep.",
            measure("state-bytes", "Recurrent state per sequence", Unit::Bytes, |_, s| s.chosen.cache.state_bytes()),
        ),
        measure("mha-bytes-per-token", "KV cache per token, multi-head attention", Unit::Bytes, |_, s| {
            s.kinds[0].per_token
        }),
        measure("gqa-bytes-per-token", "KV cache per token, grouped-query attention", Unit::Bytes, |_, s| {
            s.kinds[1].per_token
        }),
        measure("mqa-bytes-per-token", "KV cache per token, multi-query attention", Unit::Bytes, |_, s| {
            s.kinds[2].per_token
        }),
        measure("mla-bytes-per-token", "KV cache per token, latent attention", Unit::Bytes, |_, s| {
            s.kinds[3].per_token
        }),
        when(
            |p, _| matches!(p.view, View::Kinds | View::Models),
            headline(
                "The cache over that of the same model with multi-head attention.",
                measure("share-of-mha", "Cache size relative to multi-head attention", Unit::Fraction, |_, s| {
                    over(s.chosen.per_token, s.kinds[0].per_token)
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Kinds,
            headline(
                "Grouped-query attention with so many heads would keep as much.",
                measure("groups-like", "Equivalent number of key–value heads", Unit::Ratio, |_, s| s.groups_like()),
            ),
        ),
        measure("against-bytes-per-token", "KV cache per token of the other model, 16 bits", Unit::Bytes, |_, s| {
            s.against
        }),
        when(
            |p, _| p.view == View::Kinds,
            headline(
                "How much less a token keeps than in the model compared with.",
                measure("saved", "Reduction against the other model", Unit::Fraction, |_, s| {
                    1.0 - over(s.chosen.per_token, s.against)
                }),
            ),
        ),
        measure("weights", "Weights", Unit::Bytes, |_, s| s.weights),
        when(
            |p, _| p.view == View::Requests,
            headline(
                "GPU memory without the weights.",
                measure("room", "Memory left for KV caches", Unit::Bytes, |_, s| s.room),
            ),
        ),
        when(
            |p, _| p.view == View::Requests,
            headline(
                "Sequences of this length whose caches fit together.",
                measure("requests", "Requests that fit", Unit::Count, |_, s| s.chosen.requests),
            ),
        ),
        measure("flop-absorbed", "FLOPs per token and layer, absorbed", Unit::Flop, |p, s| {
            p.latent_work(s, Way::Absorbed).flop
        }),
        measure("flop-rebuilt", "FLOPs per token and layer, keys rebuilt", Unit::Flop, |p, s| {
            p.latent_work(s, Way::Rebuilt).flop
        }),
        measure("flop-heads", "FLOPs per token and layer, multi-head", Unit::Flop, |_, s| s.kind_work(0).flop),
        when(
            |p, _| p.view == View::Step,
            headline(
                "How much arithmetic comes with each byte of the latent cache.",
                measure("intensity-absorbed", "FLOPs per byte, absorbed", Unit::Ratio, |p, s| {
                    p.latent_work(s, Way::Absorbed).intensity(p.bytes())
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Step && !p.sparse(),
            headline(
                "How much arithmetic comes with each byte of a multi-head cache.",
                measure("intensity-heads", "FLOPs per byte, multi-head", Unit::Ratio, |p, s| {
                    s.kind_work(0).intensity(p.bytes())
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Step,
            headline(
                "Decoding with the latent cache read as it is.",
                measure("step-absorbed", "Attention time per step, absorbed", Unit::Seconds, |p, s| {
                    p.step(s, p.latent_work(s, Way::Absorbed), p.context)
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Step,
            headline(
                "Decoding with every head’s keys rebuilt from the latent cache.",
                measure("step-rebuilt", "Attention time per step, keys rebuilt", Unit::Seconds, |p, s| {
                    p.step(s, p.latent_work(s, Way::Rebuilt), p.context)
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Step,
            headline(
                "Decoding with keys and values of every head cached.",
                measure("step-heads", "Attention time per step, multi-head", Unit::Seconds, |p, s| {
                    p.step(s, s.kind_work(0), p.context)
                }),
            ),
        ),
        measure("read-all", "Latents per layer, all tokens", Unit::Bytes, |p, s| p.latents(s, p.context)),
        when(
            |p, _| p.sparse(),
            measure("read-chosen", "Latents read per layer and step", Unit::Bytes, |p, s| {
                p.latents(s, p.read(p.context))
            }),
        ),
        when(
            |p, _| p.sparse(),
            measure("read-index", "Indexer keys read per layer and step", Unit::Bytes, |p, _| {
                p.context as f64 * INDEX.values
            }),
        ),
        when(
            |p, _| p.sparse(),
            doc(
                "All latents, over the chosen ones and the indexer’s keys.",
                measure("read-less", "Fewer bytes than reading all", Unit::Ratio, |p, s| {
                    let sparse = p.latents(s, p.read(p.context)) + p.context as f64 * INDEX.values;
                    over(p.latents(s, p.context), sparse)
                }),
            ),
        ),
        when(
            |p, _| p.sparse(),
            headline(
                "Decoding with the indexer’s keys of all tokens and the latents of those that it chooses.",
                measure("step-chosen", "Attention time per step, chosen tokens", Unit::Seconds, |p, s| {
                    p.sparse_step(s, p.context)
                }),
            ),
        ),
    ];

    fn evaluate(&self) -> Result<Shown, String> {
        if let Chosen::Of(model) = &self.model {
            model.sound()?;
        }
        Ok(self.shown())
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.model = Chosen::read(reader, MODEL);
        let heads = self.model.named().heads;
        let asked = self.groups;
        if asked > 0 {
            self.groups = dividing(heads, asked);
        }
        if self.groups != asked {
            reader.problem(
                "groups",
                format!(
                    "{} query heads cannot share {} key–value heads evenly: {} are taken.",
                    grouped(heads),
                    grouped(asked),
                    grouped(self.groups)
                ),
            );
        }
    }

    fn follow(&mut self, _before: &Self) {
        if self.groups > 0 {
            self.groups = dividing(self.model.named().heads, self.groups);
        }
    }
}

/// Key–value heads of a model as it was published; none for a latent or a state.
fn own_heads(model: &models::Named) -> Option<u64> {
    model.cache.layers.iter().filter(|l| l.count > 0).find_map(|l| match l.keeps {
        Keeps::Heads { kv_heads, .. } => Some(kv_heads),
        _ => None,
    })
}

/// The kind of attention that a model was published with; [`Attention::Own`] for one that has none.
pub fn published_kind(model: &models::Named) -> Attention {
    let latent = model.cache.layers.iter().any(|l| l.count > 0 && matches!(l.keeps, Keeps::Latent { .. }));
    match own_heads(model) {
        _ if latent => Attention::Latent,
        None => Attention::Own,
        Some(heads) if heads == model.heads => Attention::MultiHead,
        Some(1) => Attention::MultiQuery,
        Some(_) => Attention::Grouped,
    }
}

/// The largest number up to `asked` that divides `heads`.
fn dividing(heads: u64, asked: u64) -> u64 {
    (1..=asked.clamp(1, heads.max(1))).rev().find(|n| heads.is_multiple_of(*n)).unwrap_or(1)
}

fn over(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

impl Row {
    /// Layers that keep keys and values: of every token or, where a window slides, of the last ones.
    pub fn growing_layers(&self) -> u64 {
        self.cache.layers.iter().filter(|l| !l.also && l.keeps.values_per_token() > 0).map(|l| l.count).sum()
    }

    /// What those layers keep; nothing where there are none.
    pub fn keeps(&self) -> Keeps {
        let growing = self.cache.layers.iter().find(|l| l.count > 0 && l.keeps.values_per_token() > 0);
        growing.map_or(Keeps::State { values: 0 }, |l| l.keeps)
    }
}

impl Shown {
    /// Key–value heads, keys as wide as values, whose cache would be as large.
    pub fn groups_like(&self) -> f64 {
        over(self.chosen.keeps().values_per_token() as f64, 2.0 * self.model.value as f64)
    }

    /// The work of a layer with a kind of attention, for one token.
    pub fn kind_work(&self, kind: usize) -> Work {
        let keeps = self.kinds.get(kind).map_or(Keeps::State { values: 0 }, Row::keeps);
        work(&self.model, keeps, Way::Cached)
    }
}

impl Params {
    /// Bytes of a cached value.
    pub fn bytes(&self) -> f64 {
        f64::from(self.bits) / 8.0
    }

    /// Key–value heads that grouped-query attention has here.
    pub fn groups_of(&self, model: &models::Named) -> u64 {
        match (self.groups, own_heads(model)) {
            (0, Some(own)) if own > 1 && own < model.heads => own,
            (0, _) => dividing(model.heads, 8),
            (asked, _) => dividing(model.heads, asked),
        }
    }

    /// Whether the model was published with a kind of attention, just as it is drawn here.
    pub fn is_published(&self, kind: Attention) -> bool {
        let model = self.model.named();
        let as_drawn = kind != Attention::Grouped || own_heads(&model) == Some(self.groups_of(&model));
        published_kind(&model) == kind && as_drawn
    }

    /// What a layer of the model keeps with another kind of attention.
    pub fn keeps(&self, model: &models::Named, attention: Attention) -> Option<Keeps> {
        let key = model.key[0].saturating_add(model.key[1]);
        let heads = |kv_heads| Some(Keeps::Heads { kv_heads, key, value: model.value });
        let own = model.cache.layers[0].keeps;
        match attention {
            Attention::Own => None,
            Attention::MultiHead => heads(model.heads),
            Attention::Grouped => heads(self.groups_of(model)),
            Attention::MultiQuery => heads(1),
            Attention::Latent => {
                // d_c = 4·d_h and d_h^R = d_h / 2: DeepSeek-V2, §3.1.2.
                let (rank, rope) = match own {
                    Keeps::Latent { rank, rope } => (rank, rope),
                    _ => (model.value.saturating_mul(4), model.value / 2),
                };
                let rank = if self.rank == 0 { rank } else { self.rank };
                Some(Keeps::Latent { rank, rope })
            }
        }
    }

    /// The cache of the model with a kind of attention and the mix of layers that is set.
    pub fn cache(&self, model: &models::Named, attention: Attention) -> Cache {
        let mut cache = model.cache;
        if let Some(keeps) = self.keeps(model, attention) {
            for layers in &mut cache.layers {
                // An indexer and compressed rows belong to a model’s own attention.
                if layers.also && layers.keeps.values_per_token() > 0 {
                    layers.count = 0;
                } else if layers.keeps.values_per_token() > 0 {
                    layers.keeps = keeps;
                }
            }
        }
        let attending = cache.layers.iter().find(|l| l.count > 0 && l.keeps.values_per_token() > 0).map(|l| l.keeps);
        let (Some(keeps), count) = (attending, cache.count()) else { return cache };
        let full = count.div_ceil(self.every.max(1));
        let rest = count - full;
        let all = |count| Layers::all(count, keeps);
        let state = Keeps::State { values: model.heads.saturating_mul(model.key[0]).saturating_mul(model.value) };
        match self.mix {
            Mix::Own => cache,
            Mix::Full => Cache::same(count, keeps),
            Mix::Window => Cache::of_two(all(full), Layers { window: Some(self.window), ..all(rest) }),
            Mix::Hybrid => Cache::of_two(all(full), Layers::all(rest, state)),
        }
    }

    /// Bytes that a request of `context` tokens takes of all GPUs together.
    pub fn taken(&self, cache: &Cache, context: u64) -> f64 {
        let copies = |l: &Layers| match (self.share, l.keeps.values_per_token()) {
            (Share::Requests, _) | (_, 0) => 1.0,
            (Share::Heads, whole) => self.gpus as f64 * l.keeps.values_on_rank(self.gpus) as f64 / whole as f64,
        };
        let bytes = |l: &Layers| {
            let one = Cache::of_two(*l, Layers { count: 0, ..*l });
            one.bytes(context, self.bytes()) * copies(l)
        };
        cache.layers.iter().map(bytes).sum()
    }

    /// Requests of `context` tokens that fit.
    pub fn requests(&self, cache: &Cache, context: u64, room: f64) -> f64 {
        let taken = self.taken(cache, context);
        if taken <= 0.0 {
            return 0.0;
        }
        match self.share {
            Share::Heads => (room / taken).floor(),
            Share::Requests => self.gpus as f64 * (room / self.gpus as f64 / taken).floor(),
        }
    }

    /// What serving leaves for caches.
    pub fn room(&self, weights: f64) -> f64 {
        ((USED * self.gpu.memory.0 - self.activations * GB) * self.gpus as f64 - weights).max(0.0)
    }

    fn row(&self, model: &models::Named, attention: Attention, room: f64) -> Row {
        let cache = self.cache(model, attention);
        Row {
            attention,
            cache,
            per_token: cache.bytes_per_token(self.bytes()),
            sequence: cache.bytes(self.context, self.bytes()),
            requests: self.requests(&cache, self.context, room),
        }
    }

    /// Published models, as they are, in the bits that are set, and the one that is looked at.
    pub fn published(&self) -> Vec<Published> {
        let one = |model: models::Named| Published {
            model,
            per_token: model.cache.bytes_per_token(self.bytes()),
            sequence: model.cache.bytes(self.context, self.bytes()),
        };
        let chosen = self.model.named();
        let is_new = models::all().all(|model| model.id != chosen.id);
        models::all().chain(is_new.then_some(chosen)).map(one).collect()
    }

    /// The work of a layer with a latent, for one token.
    pub fn latent_work(&self, shown: &Shown, way: Way) -> Work {
        let keeps = shown.kinds.get(3).map_or(Keeps::State { values: 0 }, Row::keeps);
        work(&shown.model, keeps, way)
    }

    /// Seconds at the least that one GPU takes for a step of one sequence of `context` tokens, all attending layers.
    pub fn step(&self, shown: &Shown, work: Work, context: u64) -> f64 {
        let layers = shown.chosen.growing_layers() as f64;
        layers * context as f64 * work.seconds(self.bytes(), self.gpu.peak, self.gpu.bandwidth)
    }

    /// Whether a step reads only tokens that an indexer chooses.
    pub fn sparse(&self) -> bool {
        self.view == View::Step && self.chosen > 0
    }

    /// Tokens whose latents a step reads, of a sequence of `context` tokens.
    fn read(&self, context: u64) -> u64 {
        if self.sparse() { context.min(self.chosen) } else { context }
    }

    /// Bytes of the latents of so many tokens in a layer.
    fn latents(&self, shown: &Shown, tokens: u64) -> f64 {
        tokens as f64 * self.latent_work(shown, Way::Absorbed).values * self.bytes()
    }

    /// Seconds at the least of a step whose indexer looks at all of `context` tokens and whose attention, absorbed, reads those that are
    /// chosen, in all attending layers. The indexer’s queries come from what the layer computes anyway and are left out.
    pub fn sparse_step(&self, shown: &Shown, context: u64) -> f64 {
        let layers = shown.chosen.growing_layers() as f64;
        let index = layers * context as f64 * INDEX.seconds(1.0, self.gpu.peak, self.gpu.bandwidth);
        index + self.step(shown, self.latent_work(shown, Way::Absorbed), self.read(context))
    }

    /// Computes all of it.
    pub fn shown(&self) -> Shown {
        let model = self.model.named();
        let layers = model.parameters.saturating_sub(model.tables) as f64;
        let weights = layers * bytes_of_weight(self.weight_bits) + model.tables as f64 * 2.0;
        let room = self.room(weights);
        Shown {
            chosen: self.row(&model, self.attention, room),
            kinds: Attention::KINDS.iter().map(|kind| self.row(&model, *kind, room)).collect(),
            against: self.against.named().cache.bytes_per_token(2.0),
            model,
            weights,
            room,
        }
    }
}
