//! What each optimizer keeps per parameter, beside the master copy that mixed precision adds.

use super::shard::Elements;
use crate::options;

/// An optimizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Optimizer {
    /// Two fp32 moments (Kingma & Ba 2015; Loshchilov & Hutter 2019).
    #[default]
    AdamW,
    /// Two 8-bit moments, block-wise quantised (Dettmers et al. 2022).
    Adam8bit,
    /// Plain stochastic gradient descent: nothing.
    Sgd,
    /// SGD with one fp32 momentum.
    Momentum,
    /// One factored second moment, no momentum (Shazeer & Stern 2018, β₁ = 0).
    Adafactor,
    /// One fp32 momentum (Chen et al. 2023).
    Lion,
    /// One fp32 momentum for hidden matrices, AdamW for the rest (Jordan et al. 2024).
    Muon,
}

/// One state tensor (or set of them) of an optimizer, before it is sharded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    /// `momentum`, `variance`, `absmax`.
    pub id: &'static str,
    /// What a person reads.
    pub label: &'static str,
    /// Bytes of one element.
    pub bytes: f64,
    /// Elements before ZeRO partitions them.
    pub elements: f64,
    /// What the elements are, if they are not all parameters: "factors", "matrix parameters".
    pub of: &'static str,
}

/// Values that share one fp32 scale in the 8-bit optimizers: 2048 in the paper (§2.1). bitsandbytes uses 256 since 0.44, which
/// makes the scales 1/32 of a byte a parameter and moment instead of 1/512.
pub const BLOCK: f64 = 2048.0;

options!(Optimizer {
    AdamW: "adamw", "AdamW";
    Adam8bit: "adam8bit", "8-bit Adam";
    Sgd: "sgd", "SGD";
    Momentum: "momentum", "SGD with momentum";
    Adafactor: "adafactor", "Adafactor";
    Lion: "lion", "Lion";
    Muon: "muon", "Muon";
});

impl Optimizer {
    /// The paper or page that its states are from.
    pub const fn source(self) -> &'static str {
        match self {
            Optimizer::AdamW => {
                "Kingma & Ba, Adam, arXiv:1412.6980, Algorithm 1; Loshchilov & Hutter, arXiv:1711.05101"
            }
            Optimizer::Adam8bit => {
                "Dettmers et al., 8-bit Optimizers via Block-wise Quantization, arXiv:2110.02861, §2"
            }
            Optimizer::Sgd => "Robbins & Monro 1951",
            Optimizer::Momentum => "Sutskever et al. 2013; torch.optim.SGD(momentum=0.9)",
            Optimizer::Adafactor => "Shazeer & Stern, Adafactor, arXiv:1804.04235, Algorithm 4 with β₁ = 0",
            Optimizer::Lion => {
                "Chen et al., Symbolic Discovery of Optimization Algorithms, arXiv:2302.06675, Program 1"
            }
            Optimizer::Muon => "Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/",
        }
    }

    /// Its states for these parameters, master copy aside.
    pub fn states(self, held: &Elements) -> Vec<State> {
        let n = held.params;
        let state = |id, label, bytes, elements, of| State { id, label, bytes, elements, of };
        match self {
            Optimizer::AdamW => vec![
                state("momentum", "First moment (momentum)", 4.0, n, ""),
                state("variance", "Second moment (variance)", 4.0, n, ""),
            ],
            Optimizer::Adam8bit => vec![
                state("momentum", "First moment, 8-bit", 1.0, n, ""),
                state("variance", "Second moment, 8-bit", 1.0, n, ""),
                state("absmax", "Scales of the 8-bit blocks", 2.0 * 4.0, n / BLOCK, "blocks of 2048"),
            ],
            Optimizer::Sgd => Vec::new(),
            Optimizer::Momentum | Optimizer::Lion => vec![state("momentum", "Momentum", 4.0, n, "")],
            Optimizer::Adafactor => {
                vec![state("variance", "Second moment, rows and columns", 4.0, held.factors, "rows and columns")]
            }
            Optimizer::Muon => {
                let rest = (n - held.hidden_matrices).max(0.0);
                let mut states = vec![state("momentum", "Momentum", 4.0, n, "")];
                if rest > 0.0 {
                    states.push(state(
                        "variance",
                        "Second moment of what AdamW updates",
                        4.0,
                        rest,
                        "parameters outside hidden matrices",
                    ));
                }
                states
            }
        }
    }
}
