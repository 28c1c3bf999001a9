//! The parameters, what they come to, and the model in the catalogue.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use super::cost::{BYTES, LayerCost, Machine, Widths};
use super::ranks;
use super::small::{Outcome, Sizes, Small};
use super::split::Split;
use super::trace::Step;
use crate::catalogue::{Entry, Evaluation, Measures, Parameters};
use crate::collective::Op;
use crate::hardware::links::{self, Link};
use crate::hardware::{self, Accelerator};
use crate::model::shape::SPECS as SHAPE;
use crate::model::{ModelRef, Shape, presets, reference};
use crate::network::Fabric;
use crate::quantity::{Quantity, Unit, grouped, number};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader, join, plain};

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
#[derive(Debug, Clone, Copy, PartialEq)]
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
    pub rank: Option<usize>,
}

const MODEL: ParamSpec = ParamSpec { default: "llama-3-70b", ..reference::SPECS[0] };

const fn whole(name: &'static str, doc: &'static str, max: u64, default: &'static str) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Integer { min: 1, max }, default }
}

const fn switch(name: &'static str, doc: &'static str) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Choice(&["false", "true"]), default: "false" }
}

const SPLITS: [&str; Split::ALL.len()] = {
    let mut ids = [""; Split::ALL.len()];
    let mut i = 0;
    while i < ids.len() {
        ids[i] = Split::ALL[i].id();
        i += 1;
    }
    ids
};

const OWN: [ParamSpec; 14] = [
    whole("seq", "tokens of a sequence", 10_000_000, "8192"),
    whole("mbs", "sequences of a micro-batch", 4096, "1"),
    whole("tp", "tensor-parallel ranks", MAX_RANKS, "4"),
    switch("sp", "sequence parallelism"),
    ParamSpec {
        name: "split",
        doc: "how the first and the second matrix of each half are cut",
        kind: Kind::Choice(&SPLITS),
        default: SPLITS[0],
    },
    switch("overlap", "whether collectives run beside matrix products where they can"),
    ParamSpec {
        name: "link",
        doc: "link between the GPUs of a node",
        kind: Kind::Choice(&links::INSIDE_IDS),
        default: "nvlink4",
    },
    whole("node", "GPUs in a node", MAX_RANKS, "8"),
    ParamSpec { name: "net", doc: "link between nodes", kind: Kind::Choice(&links::BETWEEN_IDS), default: "ndr" },
    whole("nics", "ports to the other nodes in a node", MAX_RANKS, "8"),
    ParamSpec { name: "gpu", doc: "the GPU", kind: Kind::Choice(&hardware::IDS), default: "h100-80" },
    ParamSpec {
        name: "efficiency",
        doc: "part of the GPU’s peak that the arithmetic reaches",
        kind: Kind::Real { min: 0.01, max: 1.0 },
        default: "0.55",
    },
    ParamSpec { name: "step", doc: "steps done", kind: Kind::Integer { min: 0, max: 1000 }, default: "0" },
    ParamSpec {
        name: "rank",
        doc: "the rank whose memory is looked at, from 0; all of them if absent",
        kind: Kind::Integer { min: 0, max: DRAWN as u64 - 1 },
        default: "",
    },
];

const PARAMS: &[ParamSpec] = &join::<{ 2 + OWN.len() + SHAPE.len() }>(&[&[MODEL, reference::SPECS[2]], &OWN, &SHAPE]);

/// This model in the catalogue.
pub const ENTRY: Entry = Entry {
    id: "tensor-parallel",
    title: "Tensor parallelism",
    summary: "One layer’s matrices on several ranks: who holds what, what they tell each other, and what that costs.",
    params: Parameters::Specs(PARAMS),
    quantities: Measures::List(&[
        ("bytes-per-layer", "Sent by a rank for one layer", Unit::Bytes),
        ("collectives-per-layer", "Collectives of a layer", Unit::Count),
        ("time-compute", "Arithmetic of a layer", Unit::Seconds),
        ("time-communication", "Time of its collectives", Unit::Seconds),
        ("time-exposed", "Of this, waited for", Unit::Seconds),
        ("communication-share", "Share of the layer waiting", Unit::Fraction),
        ("bytes-regathered", "Gathered again for weight gradients", Unit::Bytes),
        ("bytes-all-layers", "Sent by a rank, all layers", Unit::Bytes),
        ("collectives-all-layers", "Collectives, all layers", Unit::Count),
        ("kv-copies", "Ranks with the same key–value head", Unit::Count),
        ("bytes-loss", "Sent for the loss, logits left where they are", Unit::Bytes),
        ("bytes-logits", "Sent if the logits were gathered", Unit::Bytes),
        ("matches-one-rank", "Equal to one rank (1) or not (0)", Unit::Count),
        ("difference", "Largest difference from one rank", Unit::Ratio),
    ]),
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        Evaluation::new(params.query(), problems, Run::new(&params).map(|run| run.quantities()))
    },
};

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(PARAMS, query);
        let fallback = presets::find(MODEL.default).unwrap_or(&presets::ALL[0]);
        let split = Split::find(reader.choice("split")).unwrap_or(Split::PAIR);
        let sp = reader.choice("sp") == "true";
        if sp && split != Split::PAIR {
            reader.problem("sp", "Sequence parallelism is for split=column-row; it is off here.");
        }
        let gpu = hardware::find(reader.choice("gpu")).unwrap_or(&hardware::ALL[0]);
        let named = [
            links::find(reader.choice("link")).unwrap_or(&links::INSIDE[0]),
            links::find(reader.choice("net")).unwrap_or(&links::BETWEEN[0]),
        ];
        let [link, net] = links::with_gpu(gpu, query, named);
        let params = Self {
            model: ModelRef::read_shape(&mut reader, query, fallback),
            seq: reader.integer("seq").max(1),
            mbs: reader.integer("mbs").max(1),
            tp: reader.integer("tp").max(1),
            sp: sp && split == Split::PAIR,
            split,
            overlap: reader.choice("overlap") == "true",
            link,
            node: reader.integer("node").max(1),
            net,
            nics: reader.integer("nics").max(1),
            gpu,
            efficiency: reader.real("efficiency"),
            step: reader.integer("step") as usize,
            rank: None,
        };
        let (rank, drawn) = (reader.real_or_none("rank").map(|rank| rank as usize), params.drawn());
        if rank.is_some_and(|rank| rank >= drawn) {
            reader.problem("rank", format!("rank must be less than the {drawn} ranks that are drawn; all are shown."));
        }
        (Self { rank: rank.filter(|rank| *rank < drawn), ..params }, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        let own = Query::new([
            ("seq", self.seq.to_string()),
            ("mbs", self.mbs.to_string()),
            ("tp", self.tp.to_string()),
            ("sp", self.sp.to_string()),
            ("split", self.split.id().to_owned()),
            ("overlap", self.overlap.to_string()),
            ("link", self.link.id.to_owned()),
            ("node", self.node.to_string()),
            ("net", self.net.id.to_owned()),
            ("nics", self.nics.to_string()),
            ("gpu", self.gpu.id.to_owned()),
            ("efficiency", plain(self.efficiency)),
            ("step", self.step.to_string()),
        ]);
        let rank = self.rank.map(|rank| ("rank", rank.to_string()));
        self.model.query().with(&own).with(&Query::new(rank))
    }

    /// Ranks that are drawn.
    pub fn drawn(&self) -> usize {
        (self.tp as usize).clamp(1, DRAWN)
    }

    /// The same with another number of ranks, from the first step.
    #[must_use]
    pub fn with_ranks(self, tp: u64) -> Self {
        Self { tp, step: 0, rank: None, ..self }
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

    /// The numbers of [`ENTRY`].
    pub fn quantities(&self) -> Vec<Quantity> {
        let p = &self.params;
        let (cost, ranks) = (&self.cost, p.tp as usize);
        let vocab = p.model.shape().map_or(0.0, |shape| shape.vocab_size as f64);
        let tokens = self.widths.tokens;
        ENTRY.measured(|id| match id {
            "bytes-per-layer" => cost.bytes,
            "collectives-per-layer" => cost.collectives as f64,
            "time-compute" => cost.compute,
            "time-communication" => cost.communication,
            "time-exposed" => cost.exposed,
            "communication-share" => cost.share(),
            "bytes-regathered" => cost.again,
            "bytes-all-layers" => cost.bytes * self.layers(),
            "collectives-all-layers" => cost.collectives as f64 * self.layers(),
            "kv-copies" => self.widths.copies(p.tp as f64),
            // Three all-reduces of a number a token, in 32 bits.
            "bytes-loss" => 3.0 * Op::AllReduce.bus_factor(ranks) * tokens * 2.0 * BYTES,
            "bytes-logits" => Op::AllGather.bus_factor(ranks) * tokens * vocab * BYTES,
            "matches-one-rank" => f64::from(u8::from(self.matches())),
            _ => self.drawn.difference,
        })
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
            "A layer of {} on {} ranks{across} takes {} of arithmetic and {} collectives of {} in all, forward and backward for {} \
             tokens: {} sent by each rank, {} of the layer’s time spent waiting.{wrong}",
            p.model.name(),
            p.tp,
            time(cost.compute),
            cost.collectives,
            time(cost.communication),
            grouped(self.widths.tokens as u64),
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
