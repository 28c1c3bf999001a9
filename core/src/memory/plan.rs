//! A layout worked out: what a GPU of each pipeline stage holds at each stage of ZeRO.
//!
//! Pipeline stages are alike but for a few kinds: the first, the last, those with a layer more, those with dense layers.
//! Model states are computed once for each kind, so that a pipeline of many stages costs no more than a short one.

use super::activations::{self, Activations, activations};
use super::breakdown::{Error, Mode, Params};
use super::convention::{Concept, Term};
use super::pipeline::Stage;
use super::shard::{Held, Shards};
use crate::kv_cache as kv;
use crate::model::{ModelSize, Shape};
use crate::serving::step::Quant;
use crate::units::Bytes;

/// The parts of the memory of one GPU.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Parts {
    /// Weights.
    pub weights: Bytes,
    /// Gradients.
    pub gradients: Bytes,
    /// Optimizer states.
    pub optimizer: Bytes,
    /// Activations, at the highest point of a step; 0 if they are not asked for.
    pub activations: Bytes,
    /// The KV cache; 0 in training.
    pub kv_cache: Bytes,
}

impl Parts {
    /// One of them.
    pub fn of(&self, concept: Concept) -> Bytes {
        match concept {
            Concept::Weights => self.weights,
            Concept::Gradients => self.gradients,
            Concept::Optimizer => self.optimizer,
            Concept::Activations => self.activations,
            Concept::KvCache => self.kv_cache,
        }
    }

    /// Weights, gradients and optimizer states.
    pub fn states(&self) -> Bytes {
        self.weights + self.gradients + self.optimizer
    }

    /// The sum.
    pub fn total(&self) -> Bytes {
        self.states() + self.activations + self.kv_cache
    }
}

/// What a GPU of one pipeline stage holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PipelineRow {
    /// The stage: its layers and the micro-batches in flight.
    pub stage: Stage,
    /// What it holds of the model before ZeRO.
    pub held: Held,
    /// Its memory.
    pub parts: Parts,
}

/// One pipeline stage before ZeRO is chosen.
#[derive(Debug, Clone, Copy)]
struct Place {
    stage: Stage,
    kind: usize,
    activations: Bytes,
    kv_cache: Bytes,
}

/// A layout worked out.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub params: Params,
    pub size: ModelSize,
    pub shards: Shards,
    pub activations: Option<Activations>,
    kinds: Vec<Held>,
    places: Vec<Place>,
}

impl Plan {
    /// Works a layout out; an error if the model cannot be laid out so.
    pub fn new(params: &Params) -> Result<Self, Error> {
        let size = params.check()?;
        let layout = &params.layout;
        let shards = Shards::new(&params.model, &size, layout);
        let shape = params.model.shape();
        let kept = params.kept().map(|kept| activations(&kept)).transpose().map_err(Error::Model)?;
        let whole = Stage { index: 0, first_layer: 0, layers: 0, in_flight: 1.0 };
        let stages: Vec<Stage> = match shape {
            Some(shape) => layout.pipeline.stages(shape.num_hidden_layers).collect(),
            None => vec![whole],
        };
        let (count, mut kinds) = (stages.len() as u64, Vec::<Held>::with_capacity(4));
        let places = stages.into_iter().enumerate().map(|(i, stage)| {
            let held = shards.held(&stage, count);
            let kind = kinds.iter().position(|k| *k == held).unwrap_or_else(|| {
                kinds.push(held);
                kinds.len() - 1
            });
            let peak = kept.as_ref().and_then(|a| a.stages.get(i)).map(|s| s.peak);
            let kv_cache = shape.map_or(0.0, |shape| params.cache(shape, stage.layers));
            Place { stage, kind, activations: peak.unwrap_or_default(), kv_cache: Bytes(kv_cache) }
        });
        let places = places.collect();
        Ok(Self { params: *params, size, shards, activations: kept, kinds, places })
    }

    /// Model states of one GPU, term by term.
    pub fn terms(&self, held: &Held, zero: u8) -> Vec<Term> {
        let p = &self.params;
        let gathered = self.size.largest_layer / p.layout.tp.max(1) as f64;
        let mut terms =
            p.convention.terms(held, gathered, p.dtype, p.optimizer, p.layout.sharding(p.stage(zero), p.dp));
        if p.mode == Mode::Inference {
            terms.retain(|t| t.concept == Concept::Weights);
            if let Some(bytes) = p.checkpoint() {
                terms = stored(held, bytes);
            }
        }
        terms
    }

    /// Every pipeline stage at a stage of ZeRO.
    pub fn rows(&self, zero: u8) -> impl Iterator<Item = PipelineRow> {
        let states: Vec<Parts> = self.kinds.iter().map(|held| states(&self.terms(held, zero))).collect();
        self.places.iter().map(move |p| {
            let parts = states.get(p.kind).copied().unwrap_or_default();
            let held = self.kinds.get(p.kind).copied().unwrap_or_default();
            let (activations, kv_cache) = (p.activations, p.kv_cache);
            PipelineRow { stage: p.stage, held, parts: Parts { activations, kv_cache, ..parts } }
        })
    }

    /// The fullest stage; the first of equals.
    pub fn worst(&self, zero: u8) -> PipelineRow {
        let fuller = |a: PipelineRow, b: PipelineRow| if b.parts.total() > a.parts.total() { b } else { a };
        let whole = Stage { index: 0, first_layer: 0, layers: 0, in_flight: 1.0 };
        let nothing = PipelineRow { stage: whole, held: Held::default(), parts: Parts::default() };
        self.rows(zero).reduce(fuller).unwrap_or(nothing)
    }
}

/// Weights as a checkpoint stores them: bytes of a layer's weight beside routed experts and in them, and two of any other.
fn stored(held: &Held, bytes: [f64; 2]) -> Vec<Term> {
    let parts = [(held.shared, bytes[0], false), (held.experts, bytes[1], true)];
    let parts = parts.into_iter().filter(|(elements, ..)| elements.params > 0.0);
    parts
        .map(|(elements, each, of_experts)| Term {
            id: "weights",
            label: "Weights",
            concept: Concept::Weights,
            bytes: (elements.quantized * each + (elements.params - elements.quantized) * 2.0) / elements.params,
            elements: elements.params,
            of: "",
            ranks: 1.0,
            of_experts,
        })
        .collect()
}

fn states(terms: &[Term]) -> Parts {
    let sum = |concept| Bytes(terms.iter().filter(|t| t.concept == concept).map(Term::total).sum());
    Parts {
        weights: sum(Concept::Weights),
        gradients: sum(Concept::Gradients),
        optimizer: sum(Concept::Optimizer),
        ..Parts::default()
    }
}

impl Params {
    /// What the forward pass keeps at these parameters; none in inference, without a sequence, or without an architecture.
    pub(super) fn kept(&self) -> Option<activations::Params> {
        let counted = self.mode == Mode::Training && self.model.shape().is_some();
        self.seq.filter(|_| counted).map(|seq| activations::Params {
            model: self.model,
            seq,
            mbs: self.mbs,
            layout: self.layout,
            recompute: self.recompute,
            flash: self.flash,
            counting: self.counting,
            gpu: self.gpu,
        })
    }

    /// Bytes of the KV cache of a GPU with `layers` of the model's layers; 0 in training.
    fn cache(&self, shape: &Shape, layers: u64) -> f64 {
        match (self.mode, self.seq) {
            (Mode::Inference, Some(seq)) => {
                let sequences = self.mbs as f64 * self.kv_dtype.bytes();
                kv::values_per_rank(shape, self.layout.tp) * kv::token_layers(shape, seq, layers) * sequences
                    / self.layout.cp.max(1) as f64
            }
            _ => 0.0,
        }
    }

    /// Bytes of a layer's weight beside routed experts and in them, where its checkpoint's form counts: in inference, of a model whose
    /// checkpoint has fewer than 16 bits.
    pub(super) fn checkpoint(&self) -> Option<[f64; 2]> {
        let stored = self.model.stored();
        let shape = self.model.shape().filter(|_| self.as_stored && self.mode == Mode::Inference)?;
        (stored.quant != Quant::Bf16).then(|| stored.bytes(shape.moe.is_some()))
    }

    /// The stage of ZeRO that counts: none in inference.
    pub fn stage(&self, zero: u8) -> u8 {
        if self.mode == Mode::Inference { 0 } else { zero }
    }
}
