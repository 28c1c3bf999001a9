//! The parameters, what they come to, and the model in the catalogue.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use super::cost::{BYTES, LayerCost, Machine, Widths};
use super::ranks;
use super::small::{Outcome, Sizes, Small};
use super::split::Split;
use super::trace::Step;
use crate::collective::Op;
use crate::declare::{
    Field as _, Measure, Model, Options, Origin, Origins, Param, Scale, Takes, all_apart, choice, headline, join,
    measure, origin, real, switch, whole, yes_no,
};
use crate::hardware::links::{self, Link};
use crate::hardware::{self, Accelerator};
use crate::model::shape::SPECS as SHAPE;
use crate::model::{ModelRef, Shape, reference};
use crate::network::Fabric;
use crate::quantity::{Unit, counted, number, plural};
use crate::query::{Query, Reader};

/// Most tensor-parallel ranks.
pub const MAX_RANKS: u64 = 64;
/// Most ranks that are drawn.
const DRAWN: usize = 8;
/// The least width of what is drawn.
const WIDTH: usize = 8;
/// The largest difference from one rank, as a part of the largest element of a matrix, at which they are called equal: some
/// thousand roundings in double precision.
pub const BOUND: f64 = 1e-12;

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// The model; never a bare number of parameters.
    pub model: ModelRef,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Sequences of a micro-batch.
    pub mbs: u64,
    /// Tensor-parallel ranks, 1 to 64.
    pub tp: u64,
    /// Sequence parallelism; only with [`Split::PAIR`].
    pub sp: bool,
    /// How the matrices are cut.
    pub split: Split,
    /// Whether collectives run beside products where they can.
    pub overlap: bool,
    /// The link between GPUs of a node.
    pub link: &'static Link,
    /// GPUs of a node.
    pub node: u64,
    /// The link between nodes.
    pub net: &'static Link,
    /// Ports to the other nodes in a node.
    pub nics: u64,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// The part of its peak that it reaches.
    pub efficiency: f64,
    /// Steps that have been done. Beyond the last, all have.
    pub step: usize,
    /// The rank whose memory is looked at; none for all.
    pub rank: Option<u64>,
}

/// The model that is cut where none is named.
const MODEL: &str = "llama-3-70b";

/// Where controls stand.
const DRAWING: &str = "The drawing";
const JOB: &str = "The job";
const MACHINE: &str = "The machine";

const OWN: [Param<Params>; 14] = [
    whole("seq", "tokens of a sequence", [1, 10_000_000], "8192")
        .takes(Takes::Sequence)
        .label("Sequence length, tokens")
        .doubling(20)
        .more(JOB)
        .at(|p| p.seq.slot()),
    whole("mbs", "sequences of a micro-batch", [1, 4096], "1")
        .takes(Takes::MicroBatch)
        .label("Micro-batch size, sequences")
        .doubling(8)
        .more(JOB)
        .at(|p| p.mbs.slot()),
    whole("tp", "tensor-parallel ranks", [1, MAX_RANKS], "4")
        .takes(Takes::Tensor)
        .label("Tensor-parallel ranks")
        .doubling(6)
        .main()
        .at(|p| p.tp.slot()),
    switch("sp", "sequence parallelism", false).label("Sequence parallelism").main().at(|p| p.sp.slot()),
    choice(
        "split",
        "how the first and the second matrix of each half are cut",
        <Split as Options>::LIST,
        Split::PAIR.id(),
    )
    .label("Weight split")
    .main()
    .at(|p| p.split.slot()),
    switch("overlap", "whether collectives run beside matrix products where they can", false)
        .label("Collectives")
        .labels(&["one after another", "beside products"])
        .more(MACHINE)
        .at(|p| p.overlap.slot()),
    choice("link", "link between the GPUs of a node", links::INSIDE_LIST, "nvlink4")
        .label("Link within a node")
        .more(MACHINE)
        .at(|p| p.link.slot()),
    whole("node", "GPUs in a node", [1, MAX_RANKS], "8")
        .takes(Takes::Node)
        .label("GPUs per node")
        .doubling(6)
        .more(MACHINE)
        .at(|p| p.node.slot()),
    choice("net", "link between nodes", links::BETWEEN_LIST, "ndr")
        .label("Link between nodes, per port")
        .more(MACHINE)
        .at(|p| p.net.slot()),
    whole("nics", "ports to the other nodes in a node", [1, MAX_RANKS], "8")
        .label("Network ports per node")
        .doubling(6)
        .more(MACHINE)
        .at(|p| p.nics.slot()),
    choice("gpu", "the GPU", hardware::LIST, "h100-80").label("GPU").more(MACHINE).at(|p| p.gpu.slot()),
    real("efficiency", "part of the GPU’s peak that the arithmetic reaches", [0.01, 1.0], "0.55")
        .takes(Takes::Mfu)
        .label("Share of peak FLOP/s reached")
        .unit(Unit::Fraction)
        .slider(Scale::Linear { min: 0.05, max: 1.0, step: 0.05 })
        .more(MACHINE)
        .at(|p| p.efficiency.slot()),
    whole("step", "steps done", [0, 1000], "0").drawn().at(|p| p.step.slot()),
    whole("rank", "the rank whose memory is looked at, from 0; all of them if absent", [0, DRAWN as u64 - 1], "")
        .label("Memory view of")
        .more(DRAWING)
        .at(|p| p.rank.slot()),
];

impl Model for Params {
    type Result = Run;
    const ID: &'static str = "tensor-parallel";
    const TITLE: &'static str = "Tensor parallelism";
    const SUMMARY: &'static str =
        "One layer’s matrices on several ranks: who holds what, what they tell each other, and what that costs.";
    const PARAMS: &'static [Param<Self>] = &join::<_, { 2 + OWN.len() + SHAPE.len() }>(&[
        &[reference::MODEL.default(MODEL).own_control(), reference::GUESS.apart()],
        &OWN,
        &all_apart(&SHAPE),
    ]);
    const ORIGIN: Origin = Origin::Of(
        "Shoeybi et al. 2019 (Megatron-LM), arXiv:1909.08053, §3; Narayanan et al. 2021, arXiv:2104.04473, §3.2",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(crate::planner::efficiency::ORIGIN, &["time-compute"]),
        origin(crate::network::ORIGIN, &["time-communication", "time-exposed"]),
        origin(Origin::Rows, &["communication-share", "bytes-all-layers", "collectives-all-layers"]),
        origin(
            Origin::Of("Korthikanti et al. 2022 (sequence parallelism), arXiv:2205.05198, §4.2"),
            &["bytes-regathered"],
        ),
        origin(
            Origin::Own("a model small enough to draw, computed on one rank and on several and compared"),
            &["matches-one-rank", "difference"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Run>] = &[
        headline(
            "What a rank sends in the collectives of one layer.",
            measure("bytes-per-layer", "Sent per rank per layer", Unit::Bytes, |_, r| r.cost.bytes),
        ),
        measure("collectives-per-layer", "Collectives per layer", Unit::Count, |_, r| r.cost.collectives as f64),
        measure("time-compute", "Compute time per layer", Unit::Seconds, |_, r| r.cost.compute),
        measure("time-communication", "Communication time per layer", Unit::Seconds, |_, r| r.cost.communication),
        headline(
            "Communication time per layer that computation doesn’t cover.",
            measure("time-exposed", "Exposed communication", Unit::Seconds, |_, r| r.cost.exposed),
        ),
        headline(
            "The share of a layer’s time that goes into exposed communication.",
            measure("communication-share", "Exposed share of layer time", Unit::Fraction, |_, r| r.cost.share()),
        ),
        measure("bytes-regathered", "Gathered again for weight gradients", Unit::Bytes, |_, r| r.cost.again),
        measure("bytes-all-layers", "Sent per rank, all layers", Unit::Bytes, |_, r| r.cost.bytes * r.layers()),
        measure("collectives-all-layers", "Collectives, all layers", Unit::Count, |_, r| {
            r.cost.collectives as f64 * r.layers()
        }),
        measure("kv-copies", "Ranks with the same key–value head", Unit::Count, |p, r| r.widths.copies(p.tp as f64)),
        // Three all-reduces of a number a token, in 32 bits.
        measure("bytes-loss", "Sent for the loss, logits sharded", Unit::Bytes, |p, r| {
            3.0 * Op::AllReduce.bus_factor(p.tp as usize) * r.widths.tokens * 2.0 * BYTES
        }),
        measure("bytes-logits", "Sent for the loss, logits gathered", Unit::Bytes, |p, r| {
            let vocab = p.model.shape().map_or(0.0, |shape| shape.vocab_size as f64);
            Op::AllGather.bus_factor(p.tp as usize) * r.widths.tokens * vocab * BYTES
        }),
        yes_no(headline(
            "Whether the sharded layer computes what one GPU does.",
            measure("matches-one-rank", "Matches the single-GPU result", Unit::Count, |_, r| {
                f64::from(u8::from(r.matches()))
            }),
        )),
        measure("difference", "Largest difference from a single GPU", Unit::Ratio, |_, r| r.drawn.difference),
    ];

    fn evaluate(&self) -> Result<Run, String> {
        Run::new(self)
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        let query = reader.query();
        self.model = ModelRef::read_shape(reader, MODEL);
        [self.link, self.net] = links::with_gpu(self.gpu, query, [self.link, self.net]);
        if self.sp && self.split != Split::PAIR {
            reader.problem("sp", "Sequence parallelism is for split=column-row; it is off here.");
            self.sp = false;
        }
        let drawn = self.drawn();
        if self.rank.is_some_and(|rank| rank >= drawn as u64) {
            reader.problem("rank", format!("rank must be less than the {drawn} ranks that are drawn; all are shown."));
            self.rank = None;
        }
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }

    fn follow(&mut self, before: &Self) {
        [self.link, self.net] = links::follow([before.gpu, self.gpu], [self.link, self.net]);
        self.sp &= self.split == Split::PAIR;
        if (self.tp, self.sp, self.split) != (before.tp, before.sp, before.split) {
            *self = self.rewound();
        }
    }
}

impl Params {
    /// Ranks that are drawn.
    pub fn drawn(&self) -> usize {
        (self.tp as usize).clamp(1, DRAWN)
    }

    /// The same at the first step, in the memory of all ranks.
    #[must_use]
    pub fn rewound(self) -> Self {
        Self { step: 0, rank: None, ..self }
    }

    fn shape(&self) -> Result<&Shape, String> {
        self.model.shape().ok_or_else(|| "Only a model with an architecture can be cut.".to_owned())
    }

    /// Why `tp` ranks cannot share a layer of `shape`, if they cannot.
    fn impossible(&self, shape: &Shape, tp: u64) -> Option<String> {
        let (heads, kv, mid) = (shape.num_attention_heads, shape.kv_heads(), shape.intermediate_size);
        let wrong = if !heads.is_multiple_of(tp) {
            format!("{heads} query heads cannot be divided among {tp} ranks")
        } else if !kv.is_multiple_of(tp) && !tp.is_multiple_of(kv) {
            format!("{kv} key–value heads can neither be divided among {tp} ranks nor copied evenly")
        } else if !mid.is_multiple_of(tp) {
            format!("An MLP of width {mid} cannot be divided among {tp} ranks")
        } else if self.sp && !self.seq.is_multiple_of(tp) {
            format!("A sequence of {} tokens cannot be divided among {tp} ranks", self.seq)
        } else if tp > self.node && !tp.is_multiple_of(self.node) {
            format!("{tp} ranks do not fill nodes of {}", self.node)
        } else {
            return None;
        };
        Some(wrong)
    }

    /// Every number of ranks that a layer of this model can be divided among.
    pub fn possible(&self) -> Vec<u64> {
        let Ok(shape) = self.shape() else { return Vec::new() };
        (1..=MAX_RANKS).filter(|tp| self.impossible(shape, *tp).is_none()).collect()
    }

    /// The sizes of the model that is drawn: like the one chosen in its key–value heads and its gate, for as many ranks as are
    /// drawn, with everything else as small as can be.
    fn sizes(&self, shape: &Shape) -> Sizes {
        let ranks = self.drawn();
        let heads = ranks * WIDTH.div_ceil(ranks);
        let (real, kv, tp) = (shape.num_attention_heads, shape.kv_heads().max(1), self.tp.max(1));
        let kv_heads = if kv == real {
            heads
        } else if kv >= tp {
            // One for each rank, and groups of at least two.
            if ranks == 1 { 2 } else { ranks }
        } else {
            // As many copies of each as there are, if so many can be drawn.
            let most = (ranks as u64 * kv / tp).max(1) as usize;
            (1..=most).rev().find(|n| ranks.is_multiple_of(*n)).unwrap_or(1)
        };
        let gated = shape.gated_mlp == crate::model::shape::Gated::Yes;
        Sizes { tokens: heads, hidden: heads, heads, kv_heads, head_dim: 2, mid: 2 * heads, gated, vocab: 2 * heads }
    }

    /// What the layer runs on.
    pub fn machine(&self) -> Machine {
        let fabric = Fabric::nodes(self.node as usize, self.link, self.net).with_nics(self.nics as usize);
        Machine { fabric, speed: self.gpu.peak * self.efficiency, overlap: self.overlap }
    }
}

/// What a layer costs with some number of ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rung {
    /// The ranks.
    pub tp: u64,
    /// Whether they are in more than one node.
    pub across: bool,
    /// What it costs.
    pub cost: LayerCost,
}

/// What the model that is drawn follows from.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Key {
    sizes: Sizes,
    ranks: usize,
    split: Split,
    sequence: bool,
}

/// The model that is drawn, and what its ranks do.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The model.
    pub small: Small,
    /// Its ranks, step by step.
    pub ranks: ranks::Run,
    /// The largest difference of the ranks' results from one rank's, as a part of the largest element.
    pub difference: f64,
}

/// How many drawn models are kept.
const KEPT: usize = 16;

thread_local! {
    /// The last ones. Exercises and sliders ask for the same again and again, with other tokens or another machine.
    static DRAWN_LAST: RefCell<VecDeque<(Key, Arc<Drawn>)>> = const { RefCell::new(VecDeque::new()) };
}

impl Drawn {
    /// What `key` comes to.
    fn of(key: Key) -> Arc<Self> {
        let known =
            |list: &VecDeque<(Key, Arc<Self>)>| list.iter().find(|(k, _)| *k == key).map(|(_, d)| Arc::clone(d));
        if let Some(drawn) = DRAWN_LAST.with_borrow(known) {
            return drawn;
        }
        let small = Small::new(key.sizes);
        let ranks = ranks::run(&small, key.ranks, key.split, key.sequence);
        let difference = difference(&small.one_rank(), &ranks.outcome);
        let drawn = Arc::new(Self { small, ranks, difference });
        DRAWN_LAST.with_borrow_mut(|list| {
            list.truncate(KEPT - 1);
            list.push_front((key, Arc::clone(&drawn)));
        });
        drawn
    }
}

/// A layer cut across ranks, from the first step to the last.
#[derive(Debug, Clone)]
pub struct Run {
    /// What it was made from; its step and rank do not matter.
    pub params: Params,
    /// The model that is drawn.
    pub drawn: Arc<Drawn>,
    /// What a layer of the chosen model costs.
    pub cost: LayerCost,
    widths: Widths,
}

/// All else follows from the parameters.
impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        self.params == other.params
    }
}

impl Run {
    /// Works it out.
    ///
    /// # Errors
    /// A sentence, if the model cannot be cut so.
    pub fn new(params: &Params) -> Result<Self, String> {
        let shape = params.shape()?;
        let widths = Widths::of(shape, params.seq, params.mbs)?;
        if let Some(wrong) = params.impossible(shape, params.tp) {
            let would: Vec<String> = params.possible().iter().map(ToString::to_string).collect();
            return Err(format!("{wrong}. These would do: {}.", would.join(", ")));
        }
        let (sizes, ranks) = (params.sizes(shape), params.drawn());
        let drawn = Drawn::of(Key { sizes, ranks, split: params.split, sequence: params.sp });
        let cost = widths.cost(params.tp as usize, params.split, params.sp, &params.machine());
        Ok(Self { params: *params, drawn, cost, widths })
    }

    /// How many steps there are.
    pub fn steps(&self) -> usize {
        self.drawn.ranks.steps.len()
    }

    /// The step that was done last; none before the first.
    pub fn step(&self, step: usize) -> Option<&Step> {
        self.drawn.ranks.steps.get(step.checked_sub(1)?)
    }

    /// Whether outputs, input gradients and weight gradients are those of one rank, to a relative 1e-12.
    pub fn matches(&self) -> bool {
        self.drawn.difference <= BOUND
    }

    /// The cost by doublings of the ranks, as far as the model and the nodes can be divided.
    pub fn ladder(&self) -> Vec<Rung> {
        let machine = self.params.machine();
        let p = &self.params;
        let fits = p.possible();
        (0..=MAX_RANKS.ilog2())
            .map(|power| 1 << power)
            .filter(|tp| fits.contains(tp))
            .map(|tp| Rung { tp, across: tp > p.node, cost: self.widths.cost(tp as usize, p.split, p.sp, &machine) })
            .collect()
    }

    /// Layers of the chosen model.
    fn layers(&self) -> f64 {
        self.params.model.shape().map_or(1.0, |shape| shape.num_hidden_layers as f64)
    }

    /// What the step shows, in sentences.
    pub fn step_finding(&self, step: usize) -> String {
        let (ranks, steps) = (self.params.drawn(), self.steps());
        match self.step(step.min(steps)) {
            None if ranks == 1 => "One rank has all weights; give it company to see what is cut.".to_owned(),
            None => format!(
                "Every weight matrix is cut among {ranks} ranks, {}; the norms are on all of them.",
                self.params.split.label()
            ),
            Some(step) => step.say.clone(),
        }
    }

    /// What came of it in the end: a sentence.
    pub fn end_finding(&self) -> String {
        let ranks = self.params.drawn();
        if self.matches() {
            format!(
                "Output, input gradient and all weight gradients of {ranks} {} are those of one rank: no element differs by more \
                 than {} of the largest.",
                if ranks == 1 { "rank" } else { "ranks" },
                if self.drawn.difference == 0.0 { "0".to_owned() } else { number(self.drawn.difference) },
            )
        } else {
            format!(
                "The result differs from that of one rank by {} of the largest element.",
                number(self.drawn.difference)
            )
        }
    }

    /// What a layer of the chosen model costs, in sentences.
    pub fn finding(&self) -> String {
        let (p, cost) = (&self.params, &self.cost);
        let time = |seconds| Unit::Seconds.format(seconds);
        if p.tp == 1 {
            return format!(
                "{} on one rank computes a layer in {} and sends nothing.",
                p.model.name(),
                time(cost.compute)
            );
        }
        let right = self.widths.cost(p.tp as usize, Split::PAIR, p.sp, &p.machine());
        let wrong = if p.split == Split::PAIR {
            String::new()
        } else {
            format!(" Cut by columns and then rows it would be {}.", Unit::Bytes.format(right.bytes))
        };
        let across = if p.tp > p.node { ", across nodes," } else { "" };
        format!(
            "A layer of {} on {}{across} takes {} of arithmetic and {} in total in {}, forward and backward for {}: \
             {} sent by each rank, {} of the layer’s time spent waiting.{wrong}",
            p.model.name(),
            plural(&p.tp.to_string(), "rank"),
            time(cost.compute),
            time(cost.communication),
            plural(&cost.collectives.to_string(), "collective"),
            counted(self.widths.tokens as u64, "token", "tokens"),
            Unit::Bytes.format(cost.bytes),
            Unit::Fraction.format(cost.share()),
        )
    }
}

/// The largest difference of two outcomes, each matrix against its own largest element.
pub fn difference(one: &Outcome, many: &Outcome) -> f64 {
    let pairs = [(&one.output, &many.output), (&one.input_gradient, &many.input_gradient)];
    let weights = one.gradients.all().into_iter().zip(many.gradients.all());
    let of = |(a, b): (&super::matrix::Matrix, &super::matrix::Matrix)| {
        if (a.rows, a.cols) != (b.rows, b.cols) {
            return f64::MAX;
        }
        let largest = a.largest();
        if largest > 0.0 { a.zip(b, |a, b| a - b).largest() / largest } else { b.largest() }
    };
    let loss = (one.loss - many.loss).abs() / one.loss.abs().max(f64::MIN_POSITIVE);
    pairs.into_iter().chain(weights).map(of).fold(loss, f64::max)
}
