//! What others saw and did, as they reported it.

use super::cases::Case;

/// An incident that was published.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published {
    /// The run.
    pub run: &'static str,
    /// What was seen.
    pub seen: &'static str,
    /// What was done.
    pub done: &'static str,
    /// Steps gone back, seconds of a step and accelerators, where all three are known.
    pub cost: Option<(f64, f64, f64)>,
    /// The numbers that were published with it.
    pub numbers: &'static str,
    /// The run here that is made like it, simulated; none where there is none.
    pub like: Option<Case>,
    /// Where it is from.
    pub source: &'static str,
}

impl Published {
    /// Hours that going back once costs, and accelerator-hours, restart not counted.
    pub fn hours(&self) -> Option<(f64, f64)> {
        self.cost.map(|(steps, seconds, devices)| (steps * seconds / 3600.0, steps * seconds / 3600.0 * devices))
    }
}

/// Tokens of PaLM's last batches over its tokens a second (Chowdhery et al. 2022, sections 5 and 4.1).
const PALM_STEP: f64 = 2048.0 * 2048.0 / 238_300.0;

/// All of them.
pub const ALL: &[Published] = &[
    Published {
        run: "PaLM 540B",
        seen: "about 20 spikes of the loss, with clipping at 1",
        done: "back about 100 steps, and past 200 to 500 batches; the same batches from another checkpoint did not spike",
        cost: Some((100.0, PALM_STEP, 6144.0)),
        numbers: "β₂ = 1 − k^−0.8 at step k; z-loss 1e-4 · ln² Z",
        like: Some(Case::Outlier),
        source: "arXiv 2204.02311, section 5.1",
    },
    Published {
        run: "OPT-175B",
        seen: "the loss diverges, the loss scale falls to 0, the norm of the last activations jumps",
        done: "back to a checkpoint whose loss scale was at least 1, at a lower learning rate; clipping from 1.0 to 0.3",
        cost: None,
        numbers: "992 GPUs for two months; at least 35 restarts by hand, over 100 hosts taken out; clipping from 1.0 to 0.3",
        like: Some(Case::Scale),
        source: "arXiv 2205.01068, section 2.5",
    },
    Published {
        run: "ViT-22B",
        seen: "divergence after some thousand steps at 8B; attention logits so large that one key takes all weight",
        done: "queries and keys normed before they are multiplied",
        cost: None,
        numbers: "8 billion parameters",
        like: Some(Case::Logits),
        source: "arXiv 2302.05442, section 2",
    },
    Published {
        run: "Wortsman et al., to 4.8B",
        seen: "at high learning rates small models fail like large ones: attention logits grow, ln Z drifts; as models grow, gradients fall to the size of Adam’s ε",
        done: "normed queries and keys, z-loss, a smaller ε",
        numbers: "z-loss 1e-4 · ln² Z; ε from 1e-8 to 1e-15",
        cost: None,
        like: Some(Case::Epsilon),
        source: "arXiv 2309.14322, sections 3.1 and 3.4",
    },
    Published {
        run: "GLM-130B",
        seen: "spikes that begin in the gradient of the embedding",
        done: "that gradient multiplied by 0.1",
        cost: None,
        numbers: "130 billion parameters; the factor 0.1",
        like: None,
        source: "arXiv 2210.02414, section 2.2",
    },
    Published {
        run: "Llama 3 405B",
        seen: "6 of 419 unexpected interruptions in 54 days were silent data corruption",
        done: "the host taken out, back to the last checkpoint",
        cost: None,
        numbers: "6 of 419",
        like: Some(Case::Flip),
        source: "arXiv 2407.21783, table 5",
    },
];
