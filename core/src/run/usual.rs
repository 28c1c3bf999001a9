//! How long the steps of public runs take against the same prediction, beside which one's own gap is read: `tests/fixtures/runs`.

use crate::hardware::Accelerator;
use crate::quantity::significant;

/// The public runs on one kind of GPU, those in FP8 left out because predictions are for 16 bits: measured step over predicted step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Usual {
    /// How the names of these GPUs begin.
    pub gpu: &'static str,
    /// How many runs.
    pub runs: usize,
    /// The least, the median and the most.
    pub times: [f64; 3],
}

/// What the test beside it computes from the fixtures.
pub(super) const ALL: [Usual; 3] = [
    Usual { gpu: "A100", runs: 29, times: [0.96, 1.12, 1.53] },
    Usual { gpu: "H100", runs: 26, times: [0.99, 1.41, 2.32] },
    Usual { gpu: "GB200", runs: 5, times: [0.97, 1.16, 1.19] },
];

/// How a step that takes `ratio` times its prediction stands among the public runs on such a GPU; a sentence, or nothing where there are none.
pub(super) fn standing(ratio: f64, gpu: &Accelerator) -> String {
    let Some(usual) = ALL.iter().find(|usual| gpu.name.starts_with(usual.gpu)) else { return String::new() };
    let [least, middle, most] = usual.times;
    let is = match ratio {
        _ if ratio > most => "longer than in all of them",
        _ if ratio > middle => "in their slower half",
        _ if ratio >= least => "in their faster half",
        _ => "shorter than in all of them",
    };
    let [least, middle, most] = usual.times.map(|times| significant(times, 3));
    format!(
        "In {} public runs on {}s a step takes {least} to {most} times its prediction, median {middle}; here it is {is}.",
        usual.runs, usual.gpu
    )
}
