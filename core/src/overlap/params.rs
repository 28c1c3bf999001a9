//! The parameters, and the model in the catalogue.

use super::{Layer, Map, Place, Reduce, Technique, Verdict, book};
use crate::declare::{
    Applies, Declaration, Field as _, Measure, Model, Origin, Origins, Param, Scale, Takes, applies, choice, doc,
    headline, join, measure, origin, real, switch, when, whole, yes_no,
};
use crate::hardware::{self, Accelerator};
use crate::model::{ModelRef, Shape, presets, reference};
use crate::network::{Wired, Wires};
use crate::quantity::Unit;
use crate::query::{Query, Reader};

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// What all GPUs are used for.
    pub technique: Technique,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// GPUs.
    pub gpus: u64,
    /// Tokens of a GPU in a micro-batch: of all GPUs together, over their number.
    pub tokens: u64,
    /// The model.
    pub model: ModelRef,
    /// Tokens of a sequence.
    pub seq: u64,
    /// The type in which gradients are summed up.
    pub reduce: Reduce,
    /// Tensor-parallel ranks of a mix; 0 for the best.
    pub tp: u64,
    /// Whether attention's own products are counted as arithmetic.
    pub attention: bool,
    /// The share of its peak that the arithmetic reaches.
    pub mfu: f64,
    /// The share of their peaks that the links reach.
    pub reach: f64,
    /// The machine.
    pub wires: Wires,
}

/// Most GPUs.
pub const MAX_GPUS: u64 = 16_384;
/// Least tokens of a GPU.
pub const MIN_TOKENS: u64 = 64;
/// Most tokens of a GPU.
pub const MAX_TOKENS: u64 = 262_144;

/// The model where none is given.
const MODEL: &str = "llama-3-70b";

const JOB: &str = "The job";
const SHARES: &str = "What is counted";

const fn share(name: &'static str, doc: &'static str) -> Declaration {
    real(name, doc, [0.05, 1.0], "1").unit(Unit::Fraction).slider(Scale::Linear { min: 0.05, max: 1.0, step: 0.05 })
}

const OWN: [Param<Params>; 11] = [
    choice("technique", "what all GPUs are used for", Technique::LIST, "fsdp")
        .label("Technique")
        .main()
        .at(|p: &mut Params| p.technique.slot()),
    choice("gpu", "GPU", hardware::LIST, "h100-80").label("GPU").main().at(|p: &mut Params| p.gpu.slot()),
    whole("gpus", "GPUs", [1, MAX_GPUS], "512").label("GPUs").doubling(14).main().at(|p: &mut Params| p.gpus.slot()),
    whole(
        "tokens",
        "tokens per GPU in a micro-batch: those of all GPUs over their number",
        [MIN_TOKENS, MAX_TOKENS],
        "4096",
    )
    .label("Tokens per GPU")
    .slider(Scale::Quarters(6, 18))
    .main()
    .at(|p: &mut Params| p.tokens.slot()),
    reference::MODEL.default(MODEL).more(JOB).own_control(),
    whole("seq", "tokens of a sequence", [1, 1_048_576], "2048")
        .takes(Takes::Sequence)
        .label("Sequence length, tokens")
        .doubling(20)
        .more(JOB)
        .at(|p: &mut Params| p.seq.slot()),
    choice("reduce", "type in which gradients are summed up", Reduce::LIST, "bf16")
        .label("Gradient reduction format")
        .more(JOB)
        .at(|p: &mut Params| p.reduce.slot()),
    whole("tp", "tensor-parallel ranks of FSDP × tensor; 0 for the best number", [0, 64], "0")
        .label("Tensor-parallel ranks in the mix")
        .format(|v| if v < 1.0 { "the best".to_owned() } else { format!("{v}") })
        .slider(Scale::FromZero(6))
        .more(JOB)
        .at(|p: &mut Params| p.tp.slot()),
    switch("attention", "whether attention’s own products count as arithmetic to hide behind", false)
        .label("Count attention FLOPs")
        .more(SHARES)
        .at(|p: &mut Params| p.attention.slot()),
    share("mfu", "share of its peak that the arithmetic reaches")
        .label("Share of peak FLOP/s reached")
        .more(SHARES)
        .at(|p: &mut Params| p.mfu.slot()),
    share("reach", "share of their bandwidths that the links reach")
        .label("Share of link bandwidth reached")
        .more(SHARES)
        .at(|p: &mut Params| p.reach.slot()),
];

impl Wired for Params {
    fn wires(&mut self) -> &mut Wires {
        &mut self.wires
    }
}

impl Params {
    /// The model's architecture.
    pub fn shape(&self) -> &Shape {
        self.model.shape().unwrap_or(&presets::ALL[0].shape)
    }

    fn tokens(&self) -> f64 {
        self.tokens as f64
    }
}

/// What `of` says of the chosen technique, forward and backward.
fn terms(p: &Params, map: &Map, of: fn(&Place, f64) -> [f64; 2]) -> [f64; 2] {
    map.chosen().map_or([0.0; 2], |place| of(place, p.tokens()))
}

fn sends(p: &Params, map: &Map) -> [f64; 2] {
    terms(p, map, |place, tokens| place.terms.send(tokens))
}

fn works(p: &Params, map: &Map) -> [f64; 2] {
    terms(p, map, |place, tokens| place.terms.arithmetic(tokens))
}

fn exposed(p: &Params, map: &Map) -> f64 {
    map.chosen().map_or(0.0, |place| place.terms.exposed(p.tokens()))
}

/// The ratio of the links in a node.
fn inside(p: &Params, map: &Map) -> f64 {
    map.machine.ratio(p.wires.node)
}

impl Model for Params {
    type Result = Map;
    const ID: &'static str = "overlap-map";
    const TITLE: &'static str = "Does it hide?";
    const SUMMARY: &'static str = "Tokens per GPU against GPUs: where the communication of each way to divide a step hides behind its arithmetic, \
                                   where it is exposed, and where it cannot be used.";
    const PARAMS: &'static [Param<Self>] =
        &join::<_, { 18 + reference::OWN }>(&[&OWN, &Wires::params(), &reference::own()]);
    const APPLIES: &'static [Applies<Self>] = &[applies(&["tp"], |p| p.technique == Technique::Mix)];
    const ORIGIN: Origin = Origin::Own(
        "FLOPs per byte of each technique against the GPU’s, with latency; the inequality is that of How to Scale Your Model and of Liu et al. 2023, arXiv:2310.01889, §3",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(super::book::ORIGIN, &["tp-book", "mix-book", "mix-tokens-book"]),
        origin(crate::hardware::ORIGIN, &["flop-rate"]),
        origin(crate::hardware::links::ORIGIN, &["ratio-inside", "ratio-across", "ratio-port"]),
        origin(crate::model::params::ORIGIN, &["layer-weights", "experts-spread"]),
        origin(Origin::Controls, &["hidden", "mlp-width", "kv-values", "tp-used"]),
        origin(crate::memory::convention::ORIGIN, &["states"]),
        origin(Origin::Rows, &["time-compute", "time-send", "exposed-fraction"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Map>] = &[
        yes_no(headline(
            "Whether computation covers all of the communication.",
            measure("hides", "Fully overlapped", Unit::Count, |_, m| {
                m.chosen().map_or(0.0, |place| f64::from(u8::from(place.verdict == Verdict::Free)))
            }),
        )),
        when(
            |_, m| m.chosen().is_some_and(|place| place.hides_from.is_some()),
            headline(
                "With fewer tokens per GPU, communication is exposed.",
                measure("hides-from", "Tokens per GPU to hide communication", Unit::Count, |_, m| {
                    m.chosen().and_then(|place| place.hides_from).unwrap_or(0.0)
                }),
            ),
        ),
        measure("time-compute", "Compute time per layer", Unit::Seconds, |p, m| works(p, m).iter().sum()),
        measure("time-send", "Communication time per layer", Unit::Seconds, |p, m| sends(p, m).iter().sum()),
        headline(
            "Communication that computation doesn’t cover.",
            measure("time-exposed", "Exposed communication per layer", Unit::Seconds, exposed),
        ),
        headline(
            "The exposed communication over the time of a layer.",
            measure("exposed-fraction", "Exposed share of layer time", Unit::Fraction, |p, m| {
                let (exposed, work) = (exposed(p, m), works(p, m).iter().sum::<f64>());
                if exposed > 0.0 { exposed / (exposed + work) } else { 0.0 }
            }),
        ),
        measure("compute-forward", "Compute time per layer, forward", Unit::Seconds, |p, m| works(p, m)[0]),
        measure("send-forward", "Communication time per layer, forward", Unit::Seconds, |p, m| sends(p, m)[0]),
        measure("compute-backward", "Compute time per layer, backward", Unit::Seconds, |p, m| works(p, m)[1]),
        measure("send-backward", "Communication time per layer, backward", Unit::Seconds, |p, m| sends(p, m)[1]),
        measure("tp-used", "Tensor-parallel ranks", Unit::Count, |_, m| {
            m.chosen().map_or(1.0, |place| place.terms.tp.max(1) as f64)
        }),
        measure("batch-tokens", "Tokens per step, all GPUs", Unit::Count, |_, m| m.batch()),
        when(
            |_, m| m.stretches() > 0,
            headline(
                "Spread over more GPUs, the same batch exposes communication.",
                measure("stretches", "Most GPUs with full overlap at this batch", Unit::Count, |_, m| {
                    m.stretches() as f64
                }),
            ),
        ),
        measure("ratio-inside", "FLOPs per byte of the link within a node", Unit::Count, inside),
        measure("ratio-across", "FLOPs per byte, ring across nodes", Unit::Count, |p, m| {
            m.machine.ratio(p.wires.node + 1)
        }),
        measure("ratio-port", "FLOPs per byte per network port", Unit::Count, |_, m| {
            let [.., across] = m.machine.fabric.tiers;
            m.machine.speed / across.port
        }),
        doc(
            "Within a node, without latency.",
            measure("tp-hides", "Most tensor-parallel ranks with full overlap", Unit::Ratio, |p, m| {
                m.layer.flops / (4.0 * m.layer.halves * m.layer.hidden * inside(p, m)) + 1.0
            }),
        ),
        doc(
            "The scaling book’s rule: MLP width times bandwidth over FLOP/s.",
            measure("tp-book", "Most tensor-parallel ranks by the scaling book", Unit::Ratio, |p, m| {
                book::tensor_ranks(m.layer.wide, inside(p, m))
            }),
        ),
        measure("mix-book", "Best tensor-parallel ranks on uniform links", Unit::Ratio, |p, m| {
            book::mix_ranks(m.layer.wide, p.tokens())
        }),
        measure("mix-tokens-book", "Tokens per GPU to hide the best mix", Unit::Count, |p, m| {
            book::mix_tokens(m.layer.wide, inside(p, m))
        }),
        measure("experts-spread", "Layer weights over weights used per token", Unit::Ratio, |p, m| {
            2.0 * m.layer.weights / Layer::of(p.shape(), None).flops
        }),
        measure("layer-weights", "Weights per layer", Unit::Count, |_, m| m.layer.weights),
        measure("hidden", "Hidden size", Unit::Count, |_, m| m.layer.hidden),
        measure("mlp-width", "Intermediate size of the MLP or expert", Unit::Count, |_, m| m.layer.wide),
        measure("kv-values", "Keys and values per token and layer", Unit::Count, |_, m| m.layer.kv),
        measure("states", "Model states per GPU", Unit::Bytes, |_, m| m.states),
        measure("flop-rate", "Peak FLOP/s per GPU", Unit::FlopPerSecond, |_, m| m.machine.speed),
    ];

    fn evaluate(&self) -> Result<Map, String> {
        Map::new(self)
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.wires.settle(self.gpu, reader.query());
        self.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }

    fn follow(&mut self, before: &Self) {
        self.wires.follow([before.gpu, self.gpu]);
    }
}
