//! What one model of a job takes on a GPU: trained in full, through an adapter, or frozen.
//!
//! States, layouts and activations are those of [`crate::memory`] (chapter 03 and 04); this adds what they have no case for. An adapter's
//! parameters have gradients and states and the frozen weights have none. QLoRA keeps the matrices of hidden layers in NF4: half a byte, and
//! for every 64 values a scale of one byte, with an fp32 scale for every 256 of those (Dettmers et al. 2023, arXiv:2305.14314, §3). A
//! frozen matrix without an adapter does not need its input for a gradient, so autograd does not keep that. Without gradients a forward
//! pass holds one layer at a time, and the logits at its end.

use super::adapters::{Adapter, Fused, Targets, Variant};
use crate::declare::Origin;
use crate::hardware::Accelerator;
use crate::memory::activations::{self, Counting, Recompute, activations};
use crate::memory::layout::Layout;
use crate::memory::overhead::{Basis, Overhead, Range};
use crate::memory::shard;
use crate::memory::verdict::Verdict;
use crate::memory::{Concept, Convention, Dtype, Error, Mode, Optimizer, Params, Parts, breakdown};
use crate::model::{ModelRef, Shape};
use crate::options;
use crate::units::Bytes;

/// Where the bytes of a trained or frozen model come from.
pub const ORIGIN: Origin = Origin::Own(
    "memory-breakdown’s states and activations, without gradients and optimizer states for frozen weights; NF4 as in Dettmers et al. 2023 (QLoRA), arXiv:2305.14314, §3",
);

/// Bytes of a weight in NF4 with double quantization.
pub const NF4: f64 = 0.5 + (1.0 + 4.0 / 256.0) / 64.0;

/// How a model is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tune {
    /// Every weight.
    #[default]
    Full,
    /// An adapter beside frozen 16-bit weights.
    Lora,
    /// An adapter beside frozen 4-bit weights.
    Qlora,
}

options!(Tune {
    Full: "full", "in full";
    Lora: "lora", "LoRA";
    Qlora: "qlora", "QLoRA";
});

/// A model and how it lies on its GPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// The model.
    pub model: ModelRef,
    /// Whether one number stands in the place of its output matrix, as in a reward model or a critic. Its few weights are not counted.
    pub scalar: bool,
    /// How it is trained; none if it is not.
    pub tune: Option<Tune>,
    /// The adapter's matrices.
    pub targets: Targets,
    /// The adapter's rank.
    pub rank: u64,
    /// The adapter's kind.
    pub variant: Variant,
    /// The type of weights and gradients.
    pub dtype: Dtype,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// Tensor-parallel ranks.
    pub tp: u64,
    /// Data-parallel ranks.
    pub dp: u64,
    /// Stage of ZeRO.
    pub zero: u8,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Sequences of a micro-batch.
    pub mbs: u64,
    /// What is recomputed.
    pub recompute: Recompute,
    /// The GPU.
    pub gpu: &'static Accelerator,
}

/// What it takes on one GPU.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Held {
    /// Weights, gradients and optimizer states, activations at the peak of a training step.
    pub parts: Parts,
    /// What a forward pass without gradients needs beside the weights.
    pub forward: Bytes,
    /// Parameters of the whole model.
    pub params: f64,
    /// Those that are trained.
    pub trained: f64,
    /// What a training step takes beside its tensors, as far as anybody can tell.
    pub beside: Range,
}

impl Held {
    /// Whether a training step fits a GPU.
    pub fn verdict(&self, gpu: &Accelerator) -> Verdict {
        Verdict::of(self.parts.total(), self.beside, gpu.memory)
    }
}

impl Load {
    /// Its architecture.
    fn shape(&self) -> Shape {
        let shape = self.model.shape().copied().unwrap_or_default();
        if self.scalar { Shape { tie_word_embeddings: true, lm_head_bias: false, ..shape } } else { shape }
    }

    /// The model that is counted.
    fn counted(&self) -> ModelRef {
        if self.scalar { ModelRef::own(self.shape()) } else { self.model }
    }

    /// The adapter, on one of `tp` ranks.
    pub fn adapter(&self, tp: u64) -> Adapter {
        Adapter::new(&self.shape(), Fused::of(&self.model), self.targets, self.rank, self.variant, tp)
    }

    fn layout(&self) -> Layout {
        Layout { tp: self.tp, ..Layout::default() }
    }

    /// What it takes. An error if the model cannot be laid out so.
    pub fn held(&self) -> Result<Held, Error> {
        let whole = breakdown(&Params {
            model: self.counted(),
            dtype: self.dtype,
            optimizer: self.optimizer,
            convention: Convention::Zero,
            zero: self.zero,
            dp: self.dp,
            gpu: self.gpu,
            mode: Mode::Training,
            as_stored: false,
            layout: self.layout(),
            seq: None,
            mbs: self.mbs,
            recompute: self.recompute,
            flash: true,
            counting: Counting::Architecture,
            kv_dtype: self.dtype,
        })?;
        let params = whole.size.params;
        let ranks = if self.zero == 3 { self.dp as f64 } else { 1.0 };
        let mut held = Held { params, ..Held::default() };
        held.parts.weights = whole.parts.weights;
        match self.tune {
            None => {}
            Some(Tune::Full) => {
                held.parts = whole.parts;
                held.trained = params;
            }
            Some(tune) => {
                let adapter = self.adapter(self.tp);
                held.trained = self.adapter(1).params() as f64;
                if tune == Tune::Qlora {
                    let own = whole.worst.held.all();
                    let rest = (own.params - own.hidden_matrices).max(0.0) * self.dtype.bytes();
                    held.parts.weights = Bytes((own.hidden_matrices * NF4 + rest) / ranks);
                }
                let states = shard::Held { shared: adapter.elements(), ..shard::Held::default() };
                let sharding = self.layout().sharding(self.zero, self.dp);
                for term in Convention::Zero.terms(&states, 0.0, self.dtype, self.optimizer, sharding) {
                    let part = match term.concept {
                        Concept::Weights => &mut held.parts.weights,
                        Concept::Gradients => &mut held.parts.gradients,
                        _ => &mut held.parts.optimizer,
                    };
                    *part += Bytes(term.total());
                }
            }
        }
        self.keep(&mut held)?;
        held.beside = self.beside(&held, whole.size.largest_layer);
        Ok(held)
    }

    /// What a training step takes beside its tensors. Gradients alone are reduced; stage 3 gathers the largest module.
    fn beside(&self, held: &Held, largest: f64) -> Range {
        let element = self.dtype.bytes();
        let gathered = if self.zero == 3 && self.dp > 1 { largest / self.tp.max(1) as f64 * element } else { 0.0 };
        let overhead = Overhead::of(&Basis {
            groups: f64::from(u8::from(self.tp > 1)) + f64::from(u8::from(self.dp > 1)),
            tensors: held.parts.total().0,
            step: true,
            cache: 0.0,
            reduced: if self.zero >= 1 && self.dp > 1 { held.trained / self.tp.max(1) as f64 * element } else { 0.0 },
            element,
            gathered: (gathered, 2.0 * gathered),
        });
        overhead.total()
    }

    /// Activations, in training and without gradients.
    fn keep(&self, held: &mut Held) -> Result<(), Error> {
        let counted = |recompute| {
            activations(&activations::Params {
                model: self.counted(),
                seq: self.seq,
                mbs: self.mbs,
                layout: self.layout(),
                recompute,
                flash: true,
                counting: Counting::Architecture,
                gpu: self.gpu,
            })
            .map_err(Error::Model)
        };
        let kept = counted(self.recompute)?;
        let one = counted(Recompute::Full)?.worst;
        let logits = |head: Bytes| if self.scalar { Bytes(0.0) } else { head };
        held.forward = Bytes(one.working.0.max(logits(one.head).0));
        let mut training = kept.worst.layers.0 + kept.worst.embedding.0;
        if matches!(self.tune, Some(Tune::Lora | Tune::Qlora)) && self.recompute != Recompute::Full {
            let unneeded = |id: &str| !self.targets.has_mlp() && matches!(id, "mlp-input" | "down-input");
            let saved: f64 = kept.terms.iter().filter(|t| unneeded(t.id)).map(activations::Term::total).sum();
            let narrow = self.adapter(self.tp).modules() as f64 * self.rank as f64 * self.dtype.bytes();
            training += narrow * self.seq as f64 * self.mbs as f64 - saved * self.shape().num_hidden_layers as f64;
        }
        held.parts.activations = Bytes(training.max(0.0) + kept.worst.working.0.max(logits(kept.worst.head).0));
        Ok(())
    }
}
