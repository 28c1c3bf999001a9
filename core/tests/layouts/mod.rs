//! Layouts that several tests generate.

use proptest::prelude::*;
use ringside_core::memory::Layout;
use ringside_core::memory::pipeline::Pipeline;
use ringside_core::model::Shape;

/// Seven small numbers that [`layout`] makes a layout of.
pub type Numbers = (u64, u64, u64, u64, u64, u64, bool);

/// Numbers for a layout.
pub fn numbers() -> impl Strategy<Value = Numbers> {
    (1..9_u64, 1..5_u64, 1..9_u64, 1..40_u64, 1..5_u64, 1..100_u64, any::<bool>())
}

/// A layout that `shape` can have over `dp` data-parallel ranks: what does not divide is left at 1.
pub fn layout(shape: &Shape, dp: u64, (tp, cp, ep, pp, vpp, microbatches, sp): Numbers) -> Layout {
    let stages = pp.min(shape.num_hidden_layers);
    let even = shape.num_hidden_layers.is_multiple_of(stages * vpp);
    let spread = shape.moe.is_some_and(|m| m.num_experts.is_multiple_of(ep)) && (dp * cp).is_multiple_of(ep);
    Layout {
        tp: if shape.num_attention_heads.is_multiple_of(tp) { tp } else { 1 },
        sp,
        cp,
        ep: if spread { ep } else { 1 },
        pipeline: Pipeline { stages, virtual_stages: if even { vpp } else { 1 }, microbatches },
    }
}
