//! What the figure shows, in sentences.

use super::figure::{Params, Shown, View};
use crate::declare::Model as _;
use crate::memory::activations::Recompute;
use crate::memory::verdict::Verdict;
use crate::post_training::held::{Held, Tune};
use crate::quantity::{Unit, count, grouped, number};

/// Tokens below which a sequence isn't cut.
const SHORTEST: u64 = 256;

fn bytes(value: f64) -> String {
    Unit::Bytes.format(value)
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, shown: &Shown) -> String {
        match self.view {
            View::Memory => self.memory_finding(shown),
            View::Rank => self.rank_finding(shown),
            View::Serving => self.serving_finding(shown),
        }
    }

    /// Whether the way of training that is looked at fits the GPU.
    pub fn verdict(&self, s: &Shown) -> Verdict {
        s.held[self.tune as usize].verdict(self.gpu)
    }

    /// The same with activations recomputed, where that is what the verdict is on: without, it isn't sure to fit, and whoever trains an adapter
    /// checkpoints before anything else is given up.
    pub fn checkpointed(&self, s: &Shown, wanted: Tune) -> Option<Self> {
        let full = Self { recompute: Recompute::Full, ..*self };
        let held = full.evaluate().ok()?.held[wanted as usize];
        let plain = s.held[wanted as usize];
        let is_leaner = held.parts.total().0 < plain.parts.total().0;
        (plain.verdict(self.gpu) != Verdict::Fits && is_leaner).then_some(full)
    }

    /// Whether training in this way fits the GPU, by how much, and which of recomputation, four-bit weights and shorter sequences would make it
    /// fit.
    pub fn verdict_in_words(&self, s: &Shown, wanted: Tune) -> String {
        let plain = s.held[wanted as usize];
        let full = Self { recompute: Recompute::Full, ..*self }.evaluate().ok();
        let again = self.checkpointed(s, wanted).and(full.as_ref()).map(|full| full.held[wanted as usize]);
        let held = again.unwrap_or(plain);
        let verdict = held.verdict(self.gpu);
        let name = match wanted {
            Tune::Full => "Full fine-tuning",
            tune => tune.label(),
        };
        let name = match (self.zero, self.dp) {
            (0, _) | (_, 0 | 1) => name.to_owned(),
            (zero, dp) => format!("{name} with ZeRO\u{2011}{zero} over {} GPUs", grouped(dp)),
        };
        let judged = match verdict {
            Verdict::Fits => "fits",
            Verdict::Tight => "is tight",
            Verdict::DoesNotFit => "doesn’t fit",
        };
        let by = match (again, verdict) {
            (None, _) if self.recompute == Recompute::Full && verdict.possible() => " with gradient checkpointing",
            (None, _) if self.recompute == Recompute::Full => " even with gradient checkpointing",
            (None, _) => "",
            (Some(_), Verdict::DoesNotFit) => " even with gradient checkpointing",
            (Some(_), _) => " with gradient checkpointing",
        };
        let mut text = format!(
            "{name} {judged}{by}: at {} tokens its tensors take {}, CUDA, buffers and fragmentation another {} to {}, and the GPU has {}.",
            grouped(self.seq),
            bytes(held.parts.total().0),
            bytes(held.beside.low.0),
            bytes(held.beside.high.0),
            bytes(self.gpu.memory.0)
        );
        if again.is_some() {
            text += &format!(
                " Without checkpointing its tensors take {}, including {} of activations.",
                bytes(plain.parts.total().0),
                bytes(plain.parts.activations.0)
            );
        }
        if verdict == Verdict::Fits {
            return text;
        }
        let here = text.len();
        if wanted != Tune::Qlora {
            let qlora = |shown: &Shown| shown.held[Tune::Qlora as usize];
            let full = full.as_ref().filter(|_| self.recompute != Recompute::Full).map(qlora);
            for (held, name) in [(Some(qlora(s)), "QLoRA"), (full, "QLoRA with gradient checkpointing")] {
                if let Some(held) = held.filter(|held| held.verdict(self.gpu) > verdict) {
                    text += &format!(
                        " {name} brings the tensors to {}, {}.",
                        bytes(held.parts.total().0),
                        self.which(&held)
                    );
                }
            }
        }
        if text.len() > here {
            return text;
        }
        match self.shorter(wanted, verdict) {
            Some((seq, held)) => {
                let total = bytes(held.parts.total().0);
                text += &format!(
                    " Sequences of {} tokens bring the tensors to {total}, {}.",
                    grouped(seq),
                    self.which(&held)
                );
            }
            None if verdict == Verdict::DoesNotFit => {
                let bits = if wanted == Tune::Qlora { "" } else { ", four-bit weights" };
                text += &format!(
                    " Gradient checkpointing{bits} and shorter sequences together don’t make it fit. Take {}.",
                    if self.dp > 1 {
                        "larger GPUs, or more with ZeRO\u{2011}3"
                    } else {
                        "a larger GPU, or several with ZeRO\u{2011}3"
                    }
                );
            }
            None => {}
        }
        text
    }

    fn which(&self, held: &Held) -> &'static str {
        if held.verdict(self.gpu) == Verdict::Fits { "which fits" } else { "which is tight" }
    }

    /// The longest of half, a quarter … of the sequence, with full recomputation, that fits, or else the longest that is better than `verdict`.
    fn shorter(&self, wanted: Tune, verdict: Verdict) -> Option<(u64, Held)> {
        let halves = (1..u64::BITS).map(|n| self.seq >> n).take_while(|seq| *seq >= SHORTEST);
        let better: Vec<_> = halves
            .filter_map(|seq| {
                Some((seq, Self { seq, recompute: Recompute::Full, ..*self }.evaluate().ok()?.held[wanted as usize]))
            })
            .filter(|(_, held)| held.verdict(self.gpu) > verdict)
            .collect();
        let fits = better.iter().find(|(_, held)| held.verdict(self.gpu) == Verdict::Fits);
        fits.or(better.first()).copied()
    }

    fn memory_finding(&self, s: &Shown) -> String {
        let [full, lora, qlora] = Tune::ALL.map(|tune| s.total(tune));
        let [before, after] = [0, 1].map(|tune| bytes(s.held[tune].parts.activations.0));
        let activations = if before == after {
            format!("don’t shrink: {after} either way")
        } else {
            format!("go from {before} to {after}")
        };
        format!(
            "Full fine-tuning needs {}, LoRA {}, QLoRA {}. LoRA takes gradients and optimizer states from {} to {}. The weights stay, until they are \
             quantized: {} become {}. Activations {}.",
            bytes(full),
            bytes(lora),
            bytes(qlora),
            bytes(s.states(Tune::Full)),
            bytes(s.states(Tune::Lora)),
            bytes(s.held[1].parts.weights.0),
            bytes(s.held[2].parts.weights.0),
            activations,
        )
    }

    fn rank_finding(&self, s: &Shown) -> String {
        format!(
            "Rank {} on {} matrices trains {} of {} parameters, {}. Twice the rank, twice the parameters. The file has {}, the model’s {}.",
            grouped(self.rank),
            grouped(s.adapter.modules()),
            count(s.adapter.params() as f64),
            count(s.held[0].params),
            Unit::Fraction.format(s.adapter.params() as f64 / s.held[0].params),
            bytes(s.adapter_bytes()),
            bytes(s.model_bytes()),
        )
    }

    fn serving_finding(&self, s: &Shown) -> String {
        let (one, copies) = (s.serving(self.served), self.served as f64 * s.model_bytes());
        let weigh = s.model_bytes() / s.adapter_bytes().max(1.0);
        format!(
            "{} on one base take {}, as many merged models {}. An adapter is {}: {} of them weigh as much as the base.",
            if self.served == 1 { "One adapter".to_owned() } else { format!("{} adapters", grouped(self.served)) },
            bytes(one),
            bytes(copies),
            bytes(s.adapter_bytes()),
            number(weigh),
        )
    }
}
