//! What an engine's step is predicted to take at the load that its log reports.

use super::file::Run;
use super::measure::Metric;
use crate::hardware::Accelerator;
use crate::memory::Dtype;
use crate::model::Shape;
use crate::quantity::{Unit, counted, grouped};
use crate::serving::step::{Chunk, Deployment, Quant, Reach, Stored};

/// A step at such a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Load {
    /// Seconds of a step as kernels run, and at the data sheet's rates.
    pub seconds: [f64; 2],
    running: f64,
    /// Tokens of a request in the cache.
    past: u64,
    /// Prompt tokens of a step.
    prompt: u64,
    /// Whether requests wait, so that the engine has work at every moment of what was averaged.
    is_busy: bool,
    /// Whether its command turns CUDA graphs off.
    is_eager: bool,
}

impl Load {
    /// From what the log says: how many requests run, how much of a cache with room for `tokens` they take, and how many prompt tokens
    /// are computed per generated one. None where it says too little, or for what steps aren't modeled for: stages, expert parallelism,
    /// formats of weights that aren't told from their size.
    pub(super) fn of(run: &Run, shape: Shape, gpu: &'static Accelerator, tokens: f64) -> Option<Self> {
        let s = &run.serving;
        let at_least = |metric, least: f64| run.measured(metric).filter(|n| n.is_finite() && *n >= least);
        let running = at_least(Metric::Running, 1.0)?;
        let usage = at_least(Metric::KvUsage, 0.0).filter(|usage| *usage <= 1.0)?;
        let generated = at_least(Metric::GenerationRate, 1e-3)?;
        let prompt = at_least(Metric::PromptRate, 0.0).unwrap_or(0.0) / generated * running;
        let is_plain = s.pp.unwrap_or(1) <= 1 && s.dp.unwrap_or(1) <= 1;
        let quant = match s.weight.map(|bytes| bytes / Dtype::Bf16.bytes()) {
            None => Quant::Bf16,
            Some(part) if part > 0.95 => Quant::Bf16,
            Some(part) if part > 0.45 => Quant::Fp8,
            Some(_) => Quant::Int4,
        };
        let deployment = |reach| Deployment {
            shape,
            gpu,
            tp: s.tp.unwrap_or(1).max(1),
            dp: 1,
            stored: Stored::of(quant),
            kv_bits: s.kv.map_or(16, |kv| (kv.bytes() * 8.0) as u32),
            reach,
            share: 1.0,
            activations: 0.0,
        };
        let past = (usage * tokens / running).clamp(1.0, 1e8) as u64;
        let prompt = prompt.round().clamp(0.0, 1e7) as u64;
        let piece = (prompt > 0).then_some((Chunk { new: prompt, past: 0 }, 1));
        let chunks = [(Chunk { new: 1, past }, running as u64)].into_iter().chain(piece);
        let seconds = |reach| Some(deployment(reach).engine().ok()?.step_of(chunks.clone()).time());
        let seconds = [seconds(Reach::Kernels)?, seconds(Reach::Peak)?];
        (is_plain && seconds.iter().all(|s| s.is_finite() && *s > 0.0)).then_some(Self {
            seconds,
            running,
            past,
            prompt,
            is_busy: at_least(Metric::Waiting, 1.0).is_some(),
            is_eager: run.unread.iter().any(|setting| setting.contains("enforce-eager")),
        })
    }

    /// Tokens per second that are generated: at the least, and at the data sheet's rates.
    pub(super) fn rates(&self) -> [f64; 2] {
        self.seconds.map(|step| self.running / step)
    }

    /// What the prediction is of, and what the log says against it; a sentence or two.
    pub(super) fn sentence(&self, measured: f64) -> String {
        let [rate, most] = self.rates();
        let beside = match self.prompt {
            0 => String::new(),
            n => format!(" and takes in {}", counted(n, "prompt token", "prompt tokens")),
        };
        let lead = format!(
            "A step that continues {} of about {} tokens{beside} is predicted to take {}: {} generated tokens/s.",
            counted(self.running as u64, "request", "requests"),
            grouped(self.past),
            Unit::Seconds.format(self.seconds[0]),
            grouped(rate as u64),
        );
        let says = match measured / rate {
            part if part < 0.7 && self.is_eager => format!(
                " {} were measured. `--enforce-eager` turns CUDA graphs off, so the host starts every kernel of a step by itself: run without it.",
                grouped(measured as u64)
            ),
            part if part < 0.7 && !self.is_busy => format!(
                " {} were measured. No request waits, so the engine may have had nothing to do in a part of that time.",
                grouped(measured as u64)
            ),
            part if part < 0.7 => format!(
                " {} were measured, {} of that. The GPU may be waiting for the host: look at how busy it is (`nvidia-smi dmon`), whether CUDA graphs \
                 are on (no `--enforce-eager`), and how long scheduling, sampling and tokenization take (a profile of ten steps).",
                grouped(measured as u64),
                Unit::Fraction.format(part)
            ),
            _ if measured > 1.1 * most => format!(
                " {} were measured, which is more than the GPUs can read and compute: drafted tokens or other work than was assumed.",
                grouped(measured as u64)
            ),
            _ => format!(" {} were measured.", grouped(measured as u64)),
        };
        lead + &says
    }
}
