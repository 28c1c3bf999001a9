//! What each technique sends, and where it cannot be used.

use super::{BYTES, Column, Layer, Machine, Params, Pass, Place, Verdict};
use crate::collective::{Algo, Op};
use crate::model::ModelSize;
use crate::network::{Cost, Fabric, cost, ring};
use crate::options;
use crate::quantity::{Unit, grouped};

/// What all GPUs are used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Technique {
    /// Each has the whole model and its own tokens.
    Ddp,
    /// Each has a shard of the model and its own tokens.
    #[default]
    Fsdp,
    /// Each has a slice of every matrix.
    Tensor,
    /// Groups of GPUs with slices of every matrix, and shards of them among the groups.
    Mix,
    /// Each has its part of one sequence, and the keys and values go round.
    Context,
    /// Each has some of the experts.
    Expert,
    /// Each has some of the layers.
    Pipeline,
}

options!(Technique {
    Ddp: "ddp", "DDP";
    Fsdp: "fsdp", "FSDP";
    Tensor: "tp", "Tensor";
    Mix: "fsdp-tp", "FSDP × tensor";
    Context: "cp", "Context, by ring";
    Expert: "ep", "Expert";
    Pipeline: "pp", "Pipeline";
});

/// Bytes of a parameter's states: weight, gradient and Adam's, in mixed precision (Rajbhandari et al. 2020, §3.1).
const STATES: f64 = 16.0;
/// The backward pass of fused attention over its forward pass: five products instead of two (Dao 2022, arXiv:2205.14135, algorithm 4).
const ATTENTION_BACKWARD: f64 = 2.5;

/// What goes over one link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    /// What it is.
    pub what: &'static str,
    /// In the forward pass of a layer.
    pub forward: Pass,
    /// In the backward pass.
    pub backward: Pass,
}

impl Flow {
    fn hides_from(&self) -> Option<f64> {
        Some(self.forward.hides_from()?.max(self.backward.hides_from()?))
    }
}

/// All that a technique sends.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Terms {
    /// Tensor-parallel ranks.
    pub tp: u64,
    /// Its flows, each over links of its own.
    pub flows: Vec<Flow>,
}

impl Terms {
    /// Seconds of arithmetic beside it in a layer: forward and backward.
    pub fn arithmetic(&self, tokens: f64) -> [f64; 2] {
        let longest = |of: fn(&Flow) -> Pass| self.flows.iter().map(|f| of(f).arithmetic(tokens)).fold(0.0, f64::max);
        [longest(|f| f.forward), longest(|f| f.backward)]
    }

    /// Seconds of sending in a layer, forward and backward: the longest of the flows.
    pub fn send(&self, tokens: f64) -> [f64; 2] {
        let longest = |of: fn(&Flow) -> Pass| self.flows.iter().map(|f| of(f).send(tokens)).fold(0.0, f64::max);
        [longest(|f| f.forward), longest(|f| f.backward)]
    }

    /// Seconds in a layer in which no arithmetic is done.
    pub fn exposed(&self, tokens: f64) -> f64 {
        let waits = |of: fn(&Flow) -> Pass| self.flows.iter().map(|f| of(f).exposed(tokens)).fold(0.0, f64::max);
        waits(|f| f.forward) + waits(|f| f.backward)
    }

    fn hides_from(&self) -> Option<f64> {
        self.flows.iter().try_fold(0.0, |least: f64, flow| Some(least.max(flow.hides_from()?)))
    }
}

/// A layer, a machine, and what is asked of both.
pub(super) struct Setup<'a> {
    params: &'a Params,
    pub layer: Layer,
    pub machine: Machine,
    /// Parameters of the model.
    elements: f64,
}

impl<'a> Setup<'a> {
    pub fn new(params: &'a Params) -> Result<Self, String> {
        let shape = params.model.sound()?;
        let elements = ModelSize::of(shape).map_err(|problem| problem.message)?.params;
        let seq = params.attention.then_some(params.seq);
        let fabric = params.wires.fabric().reaching(params.reach);
        let machine = Machine { fabric, speed: params.gpu.peak * params.mfu };
        Ok(Self { params, layer: Layer::of(shape, seq), machine, elements })
    }

    /// A flow of two costs beside the arithmetic of a layer.
    fn flow(&self, what: &'static str, [forward, backward]: [Line; 2]) -> Flow {
        let work = self.layer.flops / self.machine.speed;
        let pass = |line: Line, work| Pass { fixed: line.fixed, per_token: line.per_token, work, pairs: 0.0 };
        Flow { what, forward: pass(forward, work), backward: pass(backward, 2.0 * work) }
    }

    /// What `technique` sends on `gpus` GPUs, of which `tp` share every matrix.
    pub fn terms(&self, technique: Technique, gpus: u64, tp: u64) -> Terms {
        if gpus < 2 {
            return Terms { tp, flows: vec![self.flow("nothing", [Line::default(); 2])] };
        }
        let (Layer { weights, hidden, .. }, Machine { fabric, .. }) = (self.layer, self.machine);
        let ranks = gpus as usize;
        let flows = match technique {
            Technique::Ddp => {
                let bytes = self.params.reduce.bytes() * weights;
                let sums = [ring(Op::AllReduce, ranks, &fabric)].into_iter().chain(cost(
                    Op::AllReduce,
                    Algo::DoubleBinaryTree,
                    ranks,
                    &fabric,
                ));
                let fastest = sums.map(|sum| sum.time(bytes)).fold(f64::INFINITY, f64::min);
                vec![self.flow("gradients", [Line::default(), Line::fixed(fastest)])]
            }
            Technique::Fsdp => vec![self.shards(gpus, 1)],
            Technique::Tensor => vec![self.slices(gpus)],
            Technique::Mix if tp < 2 => vec![self.shards(gpus, 1)],
            Technique::Mix if tp >= gpus => vec![self.slices(gpus)],
            Technique::Mix => {
                let (shards, slices) = (self.shards(gpus / tp, tp), self.slices(tp));
                let node = fabric.node() as u64;
                // Both inside a node, or both between nodes: one link for both.
                if gpus <= node || tp > node {
                    vec![Flow {
                        what: "weights, gradients and activations",
                        forward: shards.forward.and(slices.forward),
                        backward: shards.backward.and(slices.backward),
                    }]
                } else {
                    vec![shards, slices]
                }
            }
            Technique::Context => vec![self.round(gpus)],
            Technique::Expert => {
                let once = cost(Op::AllToAll, Algo::Direct, ranks, &fabric).unwrap_or_default();
                let both = Line::of(once, BYTES * hidden * self.layer.copies).scaled(2.0);
                vec![self.flow("tokens to experts and back", [both; 2])]
            }
            Technique::Pipeline => {
                let (latency, bandwidth) = neighbour(&fabric, gpus);
                let share = gpus as f64 / self.layer.layers;
                let line = Line { fixed: share * latency, per_token: share * BYTES * hidden / bandwidth };
                vec![self.flow("activations between stages", [line; 2])]
            }
        };
        Terms { tp, flows }
    }

    /// FSDP among `ranks` ranks that lie `tp` apart, each with 1/tp of every matrix.
    fn shards(&self, ranks: u64, tp: u64) -> Flow {
        let fabric = self.machine.fabric.every(tp as usize);
        let elements = self.layer.weights / tp as f64;
        let time = |op, bytes: f64| ring(op, ranks as usize, &fabric).time(bytes * elements);
        let gather = time(Op::AllGather, BYTES);
        let reduce = time(Op::ReduceScatter, self.params.reduce.bytes());
        self.flow("weights and gradients", [Line::fixed(gather), Line::fixed(gather + reduce)])
    }

    /// Tensor parallelism with sequence parallelism among `ranks` ranks, which share the tokens of all of them.
    fn slices(&self, ranks: u64) -> Flow {
        let of =
            |op| Line::of(ring(op, ranks as usize, &self.machine.fabric), BYTES * self.layer.hidden * ranks as f64);
        let (gather, reduce) = (of(Op::AllGather), of(Op::ReduceScatter));
        let halves = |gathers: f64| gather.scaled(gathers * self.layer.halves).and(reduce.scaled(self.layer.halves));
        self.flow("activations", [halves(1.0), halves(2.0)])
    }

    /// The ring of context parallelism: n − 1 blocks of keys and values, each beside the attention of the block before.
    fn round(&self, ranks: u64) -> Flow {
        let (latency, bandwidth) = neighbour(&self.machine.fabric, ranks);
        let steps = ranks as f64 - 1.0;
        // A causal mask leaves half of the pairs, shared evenly where every rank has an early and a late part.
        let pairs = steps * self.layer.pair / 2.0 / self.machine.speed;
        let forward =
            Pass { fixed: steps * latency, per_token: steps * BYTES * self.layer.kv / bandwidth, work: 0.0, pairs };
        // Keys and values once more, and their gradients.
        let backward = Pass {
            fixed: 2.0 * forward.fixed,
            per_token: 2.0 * forward.per_token,
            work: 0.0,
            pairs: ATTENTION_BACKWARD * pairs,
        };
        Flow { what: "keys and values", forward, backward }
    }

    /// Bytes of the model's states on each GPU: context and expert parallelism shard what they do not divide, as FSDP does.
    pub fn states(&self, technique: Technique, gpus: u64) -> f64 {
        let shards = if technique == Technique::Ddp { 1 } else { gpus };
        STATES * self.elements / shards as f64
    }

    /// The least tokens of a GPU with which `technique` can be used on `gpus` GPUs, whether they hide or not.
    ///
    /// # Errors
    /// Why it cannot be used with any.
    fn possible_from(&self, technique: Technique, gpus: u64, tp: u64) -> Result<f64, String> {
        let (shape, n) = (self.params.shape(), grouped(gpus));
        let heads = shape.num_attention_heads;
        match technique {
            Technique::Tensor | Technique::Mix if !heads.is_multiple_of(tp) => {
                return Err(format!("{heads} heads do not come out evenly among {tp} ranks"));
            }
            Technique::Mix if !gpus.is_multiple_of(tp) => return Err(format!("{n} GPUs are no multiple of {tp}")),
            Technique::Pipeline if gpus > shape.num_hidden_layers => {
                return Err(format!("{} layers are too few for {n} stages", shape.num_hidden_layers));
            }
            Technique::Expert => match shape.moe.map(|moe| moe.num_experts) {
                None => return Err(format!("{} has no experts", self.params.model.name())),
                Some(experts) if !experts.is_multiple_of(gpus) => {
                    return Err(format!("{experts} experts do not come out evenly among {n} GPUs"));
                }
                Some(_) => {}
            },
            _ => {}
        }
        let (states, memory) = (self.states(technique, gpus), self.params.gpu.memory.0);
        if states > memory {
            let (states, memory) = (Unit::Bytes.format(states), Unit::Bytes.format(memory));
            return Err(format!("the states take {states} of each GPU’s {memory}"));
        }
        let sharing = match technique {
            Technique::Tensor | Technique::Mix => tp,
            Technique::Context => gpus,
            Technique::Ddp | Technique::Fsdp | Technique::Expert | Technique::Pipeline => 1,
        };
        Ok((self.params.seq as f64 / sharing as f64).max(1.0))
    }

    /// The numbers of tensor-parallel ranks that are tried.
    fn degrees(&self, technique: Technique, gpus: u64) -> Vec<u64> {
        match (technique, self.params.tp) {
            (Technique::Tensor, _) => vec![gpus],
            (Technique::Mix, 0) => {
                let all = std::iter::successors(Some(1_u64), |t| t.checked_mul(2)).take_while(|t| *t <= gpus);
                all.filter(|t| gpus.is_multiple_of(*t) && self.params.shape().num_attention_heads.is_multiple_of(*t))
                    .collect()
            }
            (Technique::Mix, tp) => vec![tp],
            _ => vec![1],
        }
    }

    /// `technique` on `gpus` GPUs, with whatever tensor-parallel ranks are best for each number of tokens.
    pub fn column(&self, technique: Technique, gpus: u64) -> Column {
        let least = |list: Vec<f64>| list.into_iter().reduce(f64::min);
        let degrees = self.degrees(technique, gpus);
        let possible = |tp: &u64| self.possible_from(technique, gpus, *tp).ok();
        let hides = |tp: &u64| Some(possible(tp)?.max(self.terms(technique, gpus, *tp).hides_from()?));
        Column {
            gpus,
            possible_from: least(degrees.iter().filter_map(possible).collect()),
            hides_from: least(degrees.iter().filter_map(hides).collect()),
        }
    }

    /// `technique` on `gpus` GPUs with so many tokens each: with the tensor-parallel ranks that expose least, and of those the ones
    /// that send for the shortest time.
    pub fn place(&self, technique: Technique, gpus: u64, tokens: f64) -> Place {
        let hides_from = self.column(technique, gpus).hides_from;
        let mut reason = String::new();
        let mut best: Option<(f64, f64, Terms)> = None;
        for tp in self.degrees(technique, gpus) {
            match self.possible_from(technique, gpus, tp) {
                Err(why) => reason = why,
                Ok(least) if tokens < least => {
                    reason = format!(
                        "{} tokens are no whole sequence of {}",
                        grouped((tokens * self.params.seq as f64 / least) as u64),
                        grouped(self.params.seq)
                    );
                }
                Ok(_) => {
                    let terms = self.terms(technique, gpus, tp);
                    let (exposed, sent) = (terms.exposed(tokens), terms.send(tokens).iter().sum::<f64>());
                    if best.as_ref().is_none_or(|(e, s, _)| (exposed, sent) < (*e, *s)) {
                        best = Some((exposed, sent, terms));
                    }
                }
            }
        }
        let (verdict, terms) = match best {
            None => (Verdict::Impossible(reason), Terms::default()),
            Some((exposed, _, terms)) if exposed > 0.0 => (Verdict::Exposed, terms),
            Some((_, _, terms)) => (Verdict::Free, terms),
        };
        Place { technique, verdict, terms, hides_from }
    }
}

/// Latency and bandwidth from a rank to the next of a chain of `ranks`: those of the slowest hop, one port or wire.
fn neighbour(fabric: &Fabric, ranks: u64) -> (f64, f64) {
    let [inside, between, across] = fabric.tiers;
    let tier = match ranks as usize {
        n if n > between.ranks => across,
        n if n > inside.ranks => between,
        _ => inside,
    };
    (tier.latency, tier.port)
}

/// Seconds of sending: a constant and a share for each token.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Line {
    fixed: f64,
    per_token: f64,
}

impl Line {
    fn fixed(seconds: f64) -> Self {
        Self { fixed: seconds, per_token: 0.0 }
    }

    /// A collective of so many bytes for each token.
    fn of(cost: Cost, bytes: f64) -> Self {
        Self { fixed: cost.latency, per_token: cost.per_byte * bytes }
    }

    fn scaled(self, by: f64) -> Self {
        Self { fixed: self.fixed * by, per_token: self.per_token * by }
    }

    fn and(self, other: Self) -> Self {
        Self { fixed: self.fixed + other.fixed, per_token: self.per_token + other.per_token }
    }
}
