//! What tensor parallelism costs a layer of any size: the collectives of a micro-batch, their bytes, and the seconds.
//!
//! With s tokens of a sequence, b sequences, width h and t ranks, the split by columns and then rows runs two all-reduces of
//! sbh numbers forward and two backward. Each rank sends 2(t − 1)/t of the buffer in each, 8 sbh (t − 1)/t numbers in all
//! (Narayanan et al. 2021, §3.2). Under sequence parallelism each all-reduce is a reduce-scatter and an all-gather of the
//! same buffer, which send as much; the input of each first matrix is gathered once more in the backward pass, beside a
//! product that does not need it (Korthikanti et al. 2022, §4.2.2).
//!
//! In the backward pass what f sends needs no result of the weight gradient of the same matrix, nor the other way round, and
//! Megatron-LM runs the two at once (`LinearWithGradAccumulationAndAsyncCommunication` in
//! `megatron/core/tensor_parallel/layers.py`): of that, only what the product does not cover is waited for.
//!
//! Numbers travel in 16 bits. Times are those of [`crate::network::ring`].

use super::small::Sizes;
use super::split::{Cut, Split};
use super::trace::{Part, Phase};
use crate::collective::Op;
use crate::model::shape::Gated;
use crate::model::{Attention, Shape};
use crate::network::{self, Fabric};

/// Bytes of a number on its way.
pub const BYTES: f64 = 2.0;

/// The widths of a layer, and the tokens that go through it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Widths {
    /// Tokens of a micro-batch, s·b.
    pub tokens: f64,
    /// Width of the residual stream, h.
    pub hidden: f64,
    /// All query heads.
    pub query: f64,
    /// All key heads, and all value heads.
    pub shared: f64,
    /// Key–value heads.
    pub kv_heads: f64,
    /// Width of the MLP.
    pub mid: f64,
    /// Matrices that lead into the MLP: 2 with a gate.
    pub ways: f64,
    /// FLOPs of attention's own two products, forward, for all tokens.
    pub attention: f64,
}

/// A collective of a layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Planned {
    /// In which pass.
    pub phase: Phase,
    /// In which half.
    pub part: Part,
    /// Which.
    pub op: Op,
    /// Numbers of the whole buffer.
    pub elements: f64,
    /// Whether it brings back what sequence parallelism did not keep.
    pub again: bool,
    /// FLOPs of one rank's product that it can run beside.
    pub beside: f64,
    /// Whether the product beside it needs nothing of it, so that it runs there whole: f in the backward pass.
    pub free: bool,
}

/// What a layer costs one rank in the forward and the backward pass of a micro-batch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LayerCost {
    /// Collectives.
    pub collectives: usize,
    /// Bytes sent in them.
    pub bytes: f64,
    /// Bytes sent to bring back what was not kept.
    pub again: f64,
    /// Seconds of arithmetic.
    pub compute: f64,
    /// Seconds of the collectives.
    pub communication: f64,
    /// Seconds of them in which no arithmetic is done.
    pub exposed: f64,
}

impl LayerCost {
    /// The share of the layer's time in which the ranks wait for each other.
    pub fn share(&self) -> f64 {
        let all = self.compute + self.exposed;
        if all > 0.0 { self.exposed / all } else { 0.0 }
    }
}

/// What a layer runs on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// The links.
    pub fabric: Fabric,
    /// FLOPs a second that a GPU reaches.
    pub speed: f64,
    /// Whether collectives are cut into pieces that run beside products, where they can be (Wang et al. 2023).
    pub overlap: bool,
}

impl Widths {
    /// Of a layer of `shape` with `seq` tokens of each of `mbs` sequences. Attention is causal and counted as half.
    ///
    /// # Errors
    /// A sentence, for a layer that is not cut in this way: latent attention and mixtures of experts.
    pub fn of(shape: &Shape, seq: u64, mbs: u64) -> Result<Self, String> {
        let Attention::Heads { kv_heads, head_dim } = shape.attention else {
            return Err("Latent attention is cut otherwise: its down-projections are on every rank. Choose a model \
                        with query, key and value heads."
                .to_owned());
        };
        if !shape.is_uniform() {
            return Err("Layers of this model differ, and a layer with a state of fixed size is cut otherwise. Choose a model whose \
                        layers all have queries, keys and values."
                .to_owned());
        }
        if shape.moe.is_some() {
            return Err("A mixture of experts is divided by experts first. Choose a model whose layers have one MLP."
                .to_owned());
        }
        let tokens = seq as f64 * mbs as f64;
        let layers = shape.num_hidden_layers.max(1) as f64;
        let flops = shape.forward_flops(seq, true);
        Ok(Self {
            tokens,
            hidden: shape.hidden_size as f64,
            query: shape.num_attention_heads as f64 * head_dim as f64,
            shared: kv_heads as f64 * head_dim as f64,
            kv_heads: kv_heads as f64,
            mid: shape.intermediate_size as f64,
            ways: if shape.gated_mlp == Gated::Yes { 2.0 } else { 1.0 },
            attention: (flops.scores + flops.values) / layers * tokens,
        })
    }

    /// Of the model that is drawn.
    pub fn small(sizes: &Sizes) -> Self {
        let width = |heads: usize| (heads * sizes.head_dim) as f64;
        Self {
            tokens: sizes.tokens as f64,
            hidden: sizes.hidden as f64,
            query: width(sizes.heads),
            shared: width(sizes.kv_heads),
            kv_heads: sizes.kv_heads as f64,
            mid: sizes.mid as f64,
            ways: if sizes.gated { 2.0 } else { 1.0 },
            attention: 0.0,
        }
    }

    /// Ranks that hold the same key–value head.
    pub fn copies(&self, ranks: f64) -> f64 {
        (ranks / self.kv_heads).max(1.0)
    }

    /// FLOPs of one rank's first and second product in a half, forward.
    fn products(&self, part: Part, ranks: f64, split: Split) -> [f64; 2] {
        // What is cut by rows is on one rank each, copies or not.
        let copies = if split.first == Cut::Columns { self.copies(ranks) } else { 1.0 };
        let (first, second) = match part {
            Part::Attention => (self.query + 2.0 * self.shared * copies, self.query),
            _ => (self.ways * self.mid, self.mid),
        };
        [first, second].map(|width| 2.0 * self.tokens * self.hidden * width / ranks)
    }

    /// FLOPs of one rank, forward.
    pub fn flops(&self, ranks: f64, split: Split) -> f64 {
        let products: f64 = [Part::Attention, Part::Mlp].into_iter().flat_map(|p| self.products(p, ranks, split)).sum();
        // Where the middle is on every rank, so is the work.
        let shared = if split == Split::new(Cut::Rows, Cut::Columns) { 1.0 } else { ranks };
        products + self.attention / shared
    }

    /// The collectives of a layer, forward and backward; none on one rank.
    pub fn exchanges(&self, ranks: f64, split: Split, sequence: bool) -> Vec<Planned> {
        let mut list = Vec::new();
        if ranks < 2.0 {
            return list;
        }
        let sequence = sequence && split == Split::PAIR;
        for part in [Part::Attention, Part::Mlp] {
            let [first, second] = self.products(part, ranks, split);
            let (copies, wide, act) = match part {
                Part::Attention => (self.copies(ranks), self.query + 2.0 * self.shared, self.query),
                _ => (1.0, self.ways * self.mid, self.mid),
            };
            let mut add = |phase, op, width: f64, again, beside| {
                let free = phase == Phase::Backward && !(sequence && op == Op::AllGather);
                list.push(Planned { phase, part, op, elements: self.tokens * width, again, beside, free });
            };
            let h = self.hidden;
            let (sum, share) = (Op::AllReduce, if copies > 1.0 { Op::AllReduce } else { Op::ReduceScatter });
            let gather = if copies > 1.0 { Op::AllReduce } else { Op::AllGather };
            match (split.first, split.second, sequence) {
                (Cut::Columns, Cut::Rows, true) => {
                    add(Phase::Forward, Op::AllGather, h, false, first);
                    add(Phase::Forward, Op::ReduceScatter, h, false, second);
                    add(Phase::Backward, Op::AllGather, h, false, second);
                    add(Phase::Backward, Op::ReduceScatter, h, false, first);
                    add(Phase::Backward, Op::AllGather, h, true, first);
                }
                (Cut::Columns, Cut::Rows, false) => {
                    add(Phase::Forward, sum, h, false, 0.0);
                    add(Phase::Backward, sum, h, false, first);
                }
                (Cut::Columns, Cut::Columns, _) => {
                    add(Phase::Forward, Op::AllGather, act, false, 0.0);
                    add(Phase::Forward, Op::AllGather, h, false, 0.0);
                    add(Phase::Backward, Op::ReduceScatter, act, false, second);
                    add(Phase::Backward, sum, h, false, first);
                }
                (Cut::Rows, Cut::Rows, _) => {
                    add(Phase::Forward, share, wide, false, 0.0);
                    add(Phase::Forward, sum, h, false, 0.0);
                    add(Phase::Backward, gather, wide, false, 0.0);
                    add(Phase::Backward, Op::AllGather, h, false, first);
                }
                (Cut::Rows, Cut::Columns, _) => {
                    add(Phase::Forward, sum, wide, false, 0.0);
                    add(Phase::Forward, Op::AllGather, h, false, 0.0);
                    add(Phase::Backward, sum, act, false, second);
                    add(Phase::Backward, Op::AllGather, h, false, first);
                }
            }
        }
        list
    }

    /// What a layer costs one of `ranks` ranks on `machine`.
    ///
    /// What f sends in the backward pass runs beside the weight gradient that does not need it. With overlap, a collective
    /// under sequence parallelism is also cut into as many pieces as there are ranks, and each piece runs beside the product
    /// of the one before. An all-reduce of the forward pass runs beside nothing.
    pub fn cost(&self, ranks: usize, split: Split, sequence: bool, machine: &Machine) -> LayerCost {
        let t = ranks as f64;
        let mut cost = LayerCost { compute: 3.0 * self.flops(t, split) / machine.speed, ..LayerCost::default() };
        for planned in self.exchanges(t, split, sequence) {
            let buffer = planned.elements * BYTES;
            let sent = planned.op.bus_factor(ranks) * buffer;
            if planned.again {
                cost.again += sent;
                continue;
            }
            let time = network::ring(planned.op, ranks, &machine.fabric).time(buffer);
            let beside = planned.beside / machine.speed;
            let hidden = if planned.free {
                time.min(beside)
            } else if machine.overlap && sequence {
                time.min(beside * (t - 1.0) / t)
            } else {
                0.0
            };
            cost.collectives += 1;
            cost.bytes += sent;
            cost.communication += time;
            cost.exposed += time - hidden;
        }
        cost
    }
}
