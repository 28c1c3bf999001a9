//! Traces with a cause to be found: a step is simulated with one or two causes, diagnosed, repaired and simulated again.
//!
//! The causes and what they do are [`crate::trace::simulate`], the diagnosis is [`crate::trace::diagnosis`]; this is the state of the widget,
//! the numbers that exercises ask for, and the cases of the game.

mod game;
mod outcome;
mod own;
mod sentences;
#[cfg(test)]
mod tests;

pub use game::{CASES, Case, choices};
pub use outcome::Outcome;
pub use own::{LARGEST, OUTPUT, Own, Printed, SNAPSHOT, Said, say_all};
pub use sentences::{evidence, lead, remedy, title};

use crate::declare::{
    Applies, Field as _, Measure, Model, Origin, Origins, Param, applies, choice, headline, measure, origin, when,
    whole,
};
use crate::options;
use crate::quantity::Unit;
use crate::trace::simulate::{Cause, Setup};

/// What the widget is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// Setting causes and seeing them.
    #[default]
    Explore,
    /// Finding causes that are not said.
    Game,
    /// Naming the cause that is set and not said, as what is to be repaired. Nothing answers: a mission says later whether it was right.
    Verdict,
}

options!(View {
    Explore: "explore", "set the cause";
    Game: "game", "find the cause";
    Verdict: "verdict", "give a verdict";
});

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Params {
    /// Whether causes are set or to be found.
    pub view: View,
    /// What slows the step down.
    pub cause: Cause,
    /// What else does.
    pub also: Cause,
    /// What is tried; where a verdict is asked for, what would be.
    pub repair: Cause,
    /// The case of the game, 1 to 16; 0 for a fresh one by the seed.
    pub case: u64,
    /// Layers, 4 to 24.
    pub layers: u64,
    /// Steps that are recorded.
    pub steps: u64,
    /// Ranks.
    pub ranks: u64,
    /// For durations that vary, and for fresh cases.
    pub seed: u64,
}

/// Most cases of the game.
pub const MOST_CASES: u64 = CASES.len() as u64;

impl Model for Params {
    type Result = Outcome;
    const ID: &'static str = "trace-detective";
    const TITLE: &'static str = "Trace detective";
    const SUMMARY: &'static str =
        "A profiler trace of a training step, simulated with causes of low utilization or your own, with a diagnosis.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("view", "whether causes are set or to be found", View::LIST, "explore")
            .label("View")
            .main()
            .at(|p| p.view.slot()),
        choice("cause", "what slows the step down", Cause::LIST, "data-loader")
            .label("Cause")
            .main()
            .at(|p| p.cause.slot()),
        choice("also", "what else slows it down", Cause::LIST, "none")
            .label("Second cause")
            .main()
            .at(|p| p.also.slot()),
        choice("repair", "what is repaired before it is recorded; a verdict only names it", Cause::LIST, "none")
            .label("Fix")
            .main()
            .at(|p| p.repair.slot()),
        whole("case", "case of the game; 0 for a fresh one by the seed", [0, MOST_CASES], "1")
            .label("Case")
            .drawn()
            .at(|p| p.case.slot()),
        whole("layers", "layers of the model", [4, 24], "12")
            .label("Layers")
            .steps(4.0)
            .more("The step")
            .at(|p| p.layers.slot()),
        whole("steps", "steps that are recorded", [1, 4], "3")
            .label("Steps recorded")
            .steps(1.0)
            .more("The step")
            .at(|p| p.steps.slot()),
        whole("ranks", "ranks that are recorded", [2, 4], "2")
            .label("Ranks")
            .steps(1.0)
            .more("The step")
            .at(|p| p.ranks.slot()),
        whole("seed", "of durations that vary, and of fresh cases", [1, 9999], "1")
            .label("Seed")
            .more("The step")
            .at(|p| p.seed.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["cause", "also"], |p| p.view == View::Explore),
        applies(&["repair"], |p| p.view != View::Game),
        // Whoever is asked for a verdict cannot turn to a view that would tell.
        applies(&["view"], |p| p.view != View::Verdict),
    ];
    const ORIGIN: Origin = Origin::Own(
        "a training step simulated as kernels, launches and copies with durations of an H100’s order; nothing measured",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "facebookresearch/HolisticTraceAnalysis at f4d0062, hta/analyzers/breakdown_analysis.py, applied to the simulated trace",
            ),
            &["idle", "compute", "exposed", "overlap", "host-wait", "kernel-wait", "other-wait"],
        ),
        origin(
            Origin::Of(
                "facebookresearch/HolisticTraceAnalysis at f4d0062, hta/analyzers/trace_counters.py, applied to the simulated trace",
            ),
            &["longest-queue", "copy-rate"],
        ),
        origin(
            Origin::Of(
                "facebookresearch/HolisticTraceAnalysis at f4d0062, hta/analyzers/cuda_kernel_analysis.py, applied to the simulated trace",
            ),
            &["short-kernels"],
        ),
        origin(Origin::Definition, &["kernels", "mean-kernel", "window"]),
        origin(Origin::Rows, &["gain"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Outcome>] = &[
        headline(
            "Mean time of a step with the cause and the fix as set.",
            measure("step-time", "Step time", Unit::Seconds, |_, o| o.step_time),
        ),
        measure("step-before", "Step time before the fix", Unit::Seconds, |_, o| o.step_before),
        headline(
            "The same step with nothing wrong.",
            measure("step-mended", "Step time with no fault", Unit::Seconds, |_, o| o.step_mended),
        ),
        when(
            |_, o| o.gain() != 0.0,
            headline(
                "How much faster a step is with the fix.",
                measure("gain", "Gain from the fix", Unit::Fraction, |_, o| o.gain()),
            ),
        ),
        headline(
            "The share of the step that the diagnosis blames.",
            measure("at-most", "Time lost to the first cause, on this rank", Unit::Fraction, |_, o| o.at_most()),
        ),
        headline(
            "The share of the step in which no kernel runs.",
            measure("idle", "GPU idle", Unit::Fraction, |_, o| o.time.share(o.time.idle)),
        ),
        measure("compute", "GPU computing", Unit::Fraction, |_, o| o.time.share(o.time.compute)),
        measure("exposed", "GPU busy but not computing", Unit::Fraction, |_, o| o.time.share(o.time.rest)),
        measure("overlap", "Communication overlapped with computation", Unit::Fraction, |_, o| o.overlap),
        measure("host-wait", "GPU idle, waiting for the host", Unit::Fraction, |_, o| {
            o.wait(crate::trace::idle::Wait::Host)
        }),
        measure("kernel-wait", "GPU idle between kernels", Unit::Fraction, |_, o| {
            o.wait(crate::trace::idle::Wait::Kernel)
        }),
        measure("other-wait", "GPU idle for other reasons", Unit::Fraction, |_, o| {
            o.wait(crate::trace::idle::Wait::Other)
        }),
        measure("kernels", "Kernels per step", Unit::Count, |_, o| o.kernels),
        measure("mean-kernel", "Mean kernel time", Unit::Seconds, |_, o| o.mean_kernel),
        measure("short-kernels", "Kernels shorter than their launch call", Unit::Fraction, |_, o| o.short_kernels),
        measure("longest-queue", "Longest queue of launched kernels", Unit::Count, |_, o| o.longest_queue),
        measure("communication", "Communication time per step", Unit::Seconds, |_, o| o.communication),
        measure("slowest-communication", "Communication time per step, last rank", Unit::Seconds, |_, o| {
            o.last_communication
        }),
        measure("copy-rate", "Host-to-GPU copy rate", Unit::BytesPerSecond, |_, o| o.copy_rate),
        measure("light", "Compute time in small kernels", Unit::Fraction, |_, o| o.light),
        measure("allocated", "Peak memory allocated", Unit::Bytes, |_, o| o.allocated),
        measure("reserved", "Peak memory reserved", Unit::Bytes, |_, o| o.reserved),
        measure("window", "Trace length, first to last kernel", Unit::Seconds, |_, o| o.time.window as f64 / 1e9),
    ];

    fn evaluate(&self) -> Result<Outcome, String> {
        Ok(self.outcome())
    }
}

impl Params {
    /// What is simulated, before anything is repaired.
    pub fn setup(&self) -> Setup {
        let (causes, layers) = match self.view {
            View::Explore | View::Verdict => ([self.cause, self.also].to_vec(), self.layers),
            View::Game => {
                let case = Case::of(self.case, self.seed);
                (case.causes, case.layers)
            }
        };
        let mut causes: Vec<Cause> = causes.into_iter().filter(|c| *c != Cause::None).collect();
        causes.dedup();
        Setup { causes, layers, steps: self.steps, ranks: self.ranks, seed: self.seed, graphs: false }
    }

    /// The traces, diagnosed, with what is repaired.
    pub fn outcome(&self) -> Outcome {
        let broken = self.setup();
        let setup = if self.repair == Cause::None || self.view == View::Verdict {
            broken.clone()
        } else {
            broken.repaired(self.repair)
        };
        Outcome::of(&setup, &broken)
    }

    /// What the drawing says, in sentences.
    pub fn finding(&self, outcome: &Outcome) -> String {
        sentences::finding(self, outcome)
    }
}
