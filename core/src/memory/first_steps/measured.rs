//! What real runs allocated at their peak, to draw over the modelled curve.
//!
//! Megatron-LM, dense Llamas cut to a few layers, on eight B200s, three iterations each, one sequence a micro-batch, sequence
//! parallelism and the distributed optimizer: MooreThreads/SimuMax, `docs/b200/b200_release_v1.2_summary.json` at
//! 4dcaae513ba7679d56c116a17cd4a691ec41e252 (Apache-2.0). Runs that differ in the number of micro-batches have one peak.

use super::Params;
use crate::declare::Origin;
use crate::memory::Convention;
use crate::units::{Bytes, GIB};

/// Where the measured peaks come from.
pub const ORIGIN: Origin =
    Origin::Of("MooreThreads/SimuMax at 4dcaae5, docs/b200/b200_release_v1.2_summary.json: Megatron-LM on eight B200s");

/// A run that was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The model's id.
    pub model: &'static str,
    /// Its layers.
    pub layers: u64,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Ranks: tensor, context, pipeline, data.
    pub ranks: [u64; 4],
    /// PyTorch's `max_memory_allocated`, of the rank with the most, GiB.
    allocated: f64,
    /// PyTorch's `max_memory_reserved`, of the rank with the most, GiB.
    reserved: f64,
}

const fn run(model: &'static str, seq: u64, ranks: [u64; 4], allocated: f64, reserved: f64) -> Measured {
    let layers = if model.len() == LLAMA_70B.len() { 12 } else { 4 };
    Measured { model, layers, seq, ranks, allocated, reserved }
}

const LLAMA_70B: &str = "llama-3-70b";
const LLAMA_405B: &str = "llama-3.1-405b";

/// All of them.
pub const ALL: [Measured; 15] = [
    run(LLAMA_70B, 4096, [1, 1, 2, 4], 66.55, 70.88),
    run(LLAMA_70B, 4096, [2, 1, 1, 4], 60.68, 62.53),
    run(LLAMA_70B, 4096, [4, 1, 1, 2], 39.07, 40.18),
    run(LLAMA_70B, 4096, [8, 1, 1, 1], 28.29, 29.12),
    run(LLAMA_405B, 4096, [1, 1, 2, 4], 87.08, 92.26),
    run(LLAMA_405B, 4096, [2, 1, 1, 4], 81.59, 84.7),
    run(LLAMA_405B, 4096, [4, 1, 1, 2], 52.89, 54.65),
    run(LLAMA_405B, 4096, [8, 1, 1, 1], 38.57, 39.83),
    run(LLAMA_70B, 32_768, [2, 4, 1, 1], 68.43, 70.33),
    run(LLAMA_70B, 32_768, [1, 8, 1, 1], 104.51, 111.94),
    run(LLAMA_405B, 32_768, [2, 4, 1, 1], 87.03, 91.15),
    run(LLAMA_405B, 32_768, [1, 8, 1, 1], 139.22, 152.14),
    run(LLAMA_70B, 131_072, [2, 4, 1, 1], 112.67, 121.4),
    run(LLAMA_70B, 131_072, [1, 8, 1, 1], 147.99, 159.65),
    run(LLAMA_405B, 131_072, [2, 4, 1, 1], 118.13, 127.5),
];

impl Measured {
    /// The most that was allocated.
    pub fn allocated(&self) -> Bytes {
        Bytes(self.allocated * GIB)
    }

    /// The most that was reserved.
    pub fn reserved(&self) -> Bytes {
        Bytes(self.reserved * GIB)
    }

    /// The run as parameters of the figure.
    pub fn query(&self) -> String {
        let [tp, cp, pp, dp] = self.ranks;
        format!(
            "model={}&num_hidden_layers={}&seq={}&mbs=1&tp={tp}&sp=true&cp={cp}&pp={pp}&dp={dp}&microbatches=4&zero=1&convention=megatron\
             &gpu=b200&late=0",
            self.model, self.layers, self.seq
        )
    }
}

/// The measured run with these parameters, if there is one.
pub fn find(params: &Params) -> Option<&'static Measured> {
    let r = &params.run;
    let shape = r.model.shape()?;
    let l = &r.layout;
    let ranks = [l.tp, l.cp, l.pipeline.stages, r.dp];
    let same_job = r.convention == Convention::Megatron && r.zero == 1 && l.sp && r.mbs == 1;
    let same_step = [4, 8, 32].contains(&l.pipeline.microbatches) && l.pipeline.virtual_stages == 1;
    let plain = r.flash && r.recompute == crate::memory::activations::Recompute::None;
    ALL.iter().filter(|_| same_job && same_step && plain).find(|m| {
        let whole = crate::model::presets::find(m.model).map(|preset| preset.shape);
        let cut = whole.map(|whole| crate::model::Shape { num_hidden_layers: m.layers, ..whole });
        cut.as_ref() == Some(shape) && r.seq == Some(m.seq) && ranks == m.ranks
    })
}
