//! What one card can do with a model that doesn't fit it in full: an adapter, four-bit weights, a leaner optimizer.

use super::read::{Reading, like};
use crate::declare::Model as _;
use crate::memory::activations::Recompute;
use crate::memory::breakdown::{Breakdown, Mode};
use crate::memory::verdict::Verdict;
use crate::memory::{Optimizer, breakdown as memory};
use crate::model::{ModelRef, presets};
use crate::post_training::adapters::figure as adapters;
use crate::post_training::held::Tune;
use crate::quantity::{bytes_decimal, listed};

/// Whether the question is of one card: one that is named or counted, and no more of them.
pub(super) fn is_one(r: &Reading) -> bool {
    match r.cluster() {
        Some(cluster) => cluster == [1, 1],
        None => r.gpu.is_some(),
    }
}

/// What fits one card in place of full training; empty where full training may fit, or is no question of one card.
pub(super) fn fits(b: &Breakdown, r: &Reading) -> String {
    let p = &b.params;
    if p.mode != Mode::Training || b.verdict.possible() || !is_one(r) {
        return String::new();
    }
    let judged = |name: &str, total: f64, verdict: Verdict| {
        let fits = if verdict == Verdict::Tight { "is tight" } else { "fits" };
        verdict.possible().then(|| format!("{name} {fits} ({})", bytes_decimal(total)))
    };
    let model = r.preset.or_else(|| like(r.params?, r.is_mixture(), presets::LIST.ids)).map(ModelRef::Preset);
    let adapter = |model: ModelRef| {
        let standard = adapters::Params::standard();
        let seq = r.seq.unwrap_or(standard.seq);
        adapters::Params { model, gpu: p.gpu, seq, recompute: Recompute::Full, ..standard }
    };
    let shown = model.map(adapter).and_then(|params| params.evaluate().ok());
    let tuned = [Tune::Lora, Tune::Qlora].into_iter().filter_map(|tune| {
        let held = shown.as_ref()?.held.get(tune as usize)?;
        judged(&format!("{} with gradient checkpointing", tune.label()), held.parts.total().0, held.verdict(p.gpu))
    });
    let lean = memory::Params { optimizer: Optimizer::Adam8bit, recompute: Recompute::Full, ..*p };
    let lean = lean.evaluate().ok().and_then(|b| {
        let beside = if p.seq.is_some() { " and recomputation" } else { ", without activations," };
        judged(&format!("full training with 8-bit AdamW{beside}"), b.total.0, b.verdict)
    });
    let options: Vec<String> = tuned.chain(lean).collect();
    if options.is_empty() {
        return " Neither LoRA, QLoRA nor 8-bit AdamW makes it fit one of these GPUs.".to_owned();
    }
    format!(" On one GPU {}.", listed(&options))
}
