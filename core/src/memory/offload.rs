//! Moving states off the GPU: what goes over the link, how often, and the bandwidth below which the GPU waits.
//!
//! ZeRO-Offload (Ren et al. 2021, arXiv:2101.06840) keeps optimizer states in CPU memory; ZeRO-Infinity (Rajbhandari et
//! al. 2021, arXiv:2104.07857, §4) adds weights, activations and NVMe. Its measure is the arithmetic done for each byte
//! moved. For a model of 12 L h² parameters, recomputed in full, and h much larger than the sequence, §4.1 has seq × bsz FLOPs
//! a byte for weights and gradients, a quarter of that for optimizer states, and 24 h for activations.
//!
//! Here the bytes and the FLOPs are those of the model on show, on one of tp × cp × pp GPUs with nothing partitioned over
//! data-parallel ranks: with N of those, each moves an N-th of the states and gathers the rest from the others.

use super::activations::{Params, Recompute};
use crate::declare::Origin;
use crate::model::Shape;
use crate::units::Bytes;

/// Where the bandwidths come from.
pub const ORIGIN: Origin = Origin::Of(
    "Rajbhandari et al. 2021 (ZeRO-Infinity), arXiv:2104.07857, §4; Ren et al. 2021 (ZeRO-Offload), arXiv:2101.06840",
);

/// Something that can be moved off the GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offload {
    /// `activations`, `weights`, `optimizer`.
    pub id: &'static str,
    /// What a person reads.
    pub label: &'static str,
    /// What moves, and when.
    pub when: &'static str,
    /// Bytes that the GPU no longer holds.
    pub freed: Bytes,
    /// Bytes over the link in a step, both ways together.
    pub moved: Bytes,
    /// Seconds of arithmetic that they can hide behind, at the GPU's peak.
    pub compute: f64,
}

impl Offload {
    /// Bytes a second below which moving takes longer than computing.
    pub fn bandwidth(&self) -> f64 {
        if self.compute > 0.0 { self.moved.0 / self.compute } else { 0.0 }
    }

    /// How long a step is over a link of `bandwidth` bytes a second, as a multiple of its arithmetic, if both overlap
    /// completely: 1 is no wait at all.
    pub fn slowdown(&self, bandwidth: f64) -> f64 {
        if bandwidth > 0.0 { (self.bandwidth() / bandwidth).max(1.0) } else { f64::MAX }
    }
}

/// A link, or the memory at its end, whichever is slower.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// What a person reads.
    pub name: &'static str,
    /// Bytes a second, one way, at most.
    pub bandwidth: f64,
    /// Where the number is from.
    pub source: &'static str,
}

/// What is between a GPU and the memory that it can borrow.
pub const LINKS: [Link; 3] = [
    // 32 GT/s × 16 lanes × 128/130 ÷ 8 bits.
    Link {
        name: "PCIe 5.0 ×16",
        bandwidth: 32e9 * 16.0 * 128.0 / 130.0 / 8.0,
        source: "PCI Express Base Specification 5.0",
    },
    Link {
        name: "PCIe 4.0 ×16",
        bandwidth: 16e9 * 16.0 * 128.0 / 130.0 / 8.0,
        source: "PCI Express Base Specification 4.0",
    },
    Link { name: "NVMe, PCIe 4.0 ×4", bandwidth: 16e9 * 4.0 * 128.0 / 130.0 / 8.0, source: "the same, four lanes" },
];

/// FLOPs of one step on one GPU: forward, twice that backward, and what is computed again.
fn step_flops(p: &Params, shape: &Shape, recomputed: f64) -> f64 {
    let l = &p.layout;
    let tokens = p.seq as f64 * p.mbs as f64 * l.pipeline.microbatches as f64;
    3.0 * shape.forward_flops(p.seq, false).total() * (1.0 + recomputed) * tokens / l.gpus().max(1.0)
}

/// What could be moved, for `kept` bytes of one micro-batch's activations on the GPU, `held` parameters on it, and
/// `recomputed` FLOPs as a fraction of those without.
pub(super) fn offload(p: &Params, shape: &Shape, kept: f64, flights: f64, held: f64, recomputed: f64) -> [Offload; 3] {
    let m = p.layout.pipeline.microbatches as f64;
    let compute = step_flops(p, shape, recomputed) / p.gpu.peak;
    let reads = if p.recompute == Recompute::Full { 3.0 } else { 2.0 };
    [
        Offload {
            id: "activations",
            label: "Activations",
            when: "out as each layer has run, back before its backward pass; each micro-batch",
            freed: Bytes(kept * flights),
            moved: Bytes(2.0 * kept * m),
            compute,
        },
        Offload {
            id: "weights",
            label: "Weights and gradients",
            when: "weights in for every pass over a layer, gradients out; each micro-batch",
            freed: Bytes(4.0 * held),
            moved: Bytes((reads * 2.0 + 2.0) * held * m),
            compute,
        },
        Offload {
            id: "optimizer",
            label: "Optimizer states",
            when: "weights, gradients, master copy and moments in and out again; once a step",
            freed: Bytes(12.0 * held),
            moved: Bytes(2.0 * 16.0 * held),
            compute,
        },
    ]
}
