//! `loss-scaling`: a tiny transformer trained in few bits, the gradients that its loss scale moves, and the scaler that moves
//! the scale.

mod choices;
pub mod finding;
#[cfg(test)]
mod tests;

pub use choices::{Compute, Loss, MAX_OVERFLOWS, Overflows, View};
pub use ringside_numerics::{network, scaler};

use crate::declare::{
    Applies, Field, Measure, Model, Origin, Origins, Param, Scale, applies, choice, headline, measure, origin, real,
    switch, text, when, whole, yes_no,
};
use crate::float::{exponent, power_of_two};
use crate::quantity::{Unit, grouped};
use network::{Keep, Run, Scaling, Step};
use scaler::{Rule, Scaler};

/// Where the rule of the scale comes from.
pub const SCALER: Origin = Origin::Of(
    "NVIDIA/Megatron-LM at d98e8a6, megatron/core/optimizer/grad_scaler.py, DynamicGradScaler.update; PyTorch, aten/src/ATen/native/cuda/AmpKernels.cu, _amp_update_scale_, which torch.amp.GradScaler calls",
);

/// The state of the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// What is shown.
    pub view: View,
    /// What the network computes in.
    pub compute: Compute,
    /// Loss scaling.
    pub scaling: Loss,
    /// log₂ of the scale, or of its first value.
    pub scale: f64,
    /// What stays in fp32.
    pub keep: Keep,
    /// Micro-batches that the mean of the loss is taken over.
    pub micro: u32,
    /// Added to every embedding.
    pub mean: f64,
    /// What queries and keys are multiplied by at first.
    pub qk: f64,
    /// Learning rate.
    pub rate: f64,
    /// Steps.
    pub steps: u32,
    /// The seed.
    pub seed: u64,
    /// The step on show, from 1.
    pub step: u32,
    /// The scaler's overflows.
    pub overflows: Overflows,
    /// Clean steps after which the scale grows.
    pub interval: u32,
    /// Overflows that use up Megatron's patience.
    pub hysteresis: u32,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            view: View::Train,
            compute: Compute::Fp16,
            scaling: Loss::None,
            scale: 16.0,
            keep: Keep::ALL,
            micro: 1,
            mean: 0.0,
            qk: 1.0,
            rate: 0.05,
            steps: 1,
            seed: 1,
            step: 1,
            overflows: Overflows::default(),
            interval: 1,
            hysteresis: 1,
        }
    }
}

/// The scaler after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScalerStep {
    /// Whether its gradients overflowed.
    pub overflow: bool,
    /// The scale that the step used.
    pub used: f64,
    /// The scale after it.
    pub scale: f64,
    /// Clean steps in a row.
    pub clean: u32,
    /// Overflows until the scale backs off.
    pub patience: i64,
}

/// Everything that the figure shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The run.
    pub run: Run,
    /// The same in fp32 without loss scaling.
    pub reference: Run,
    /// The scaler, step by step.
    pub scaler: Vec<ScalerStep>,
}

/// Most micro-batches, as a power of two: gradients begin near 2⁻²². A rank's mean over 8,192 tokens begins at 2⁻¹³; the rest stands for the
/// depth and width of a large network, which this one has not.
const MICRO: u32 = 17;
/// Most steps of a run.
pub const MAX_STEPS: u64 = 240;

const fn kept(name: &'static str, doc: &'static str, label: &'static str) -> crate::declare::Declaration {
    switch(name, doc, true).label(label).more("What stays in fp32")
}

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "loss-scaling";
    const TITLE: &'static str = "Training in few bits";
    const SUMMARY: &'static str = "A tiny transformer trained in emulated fp16, bf16, fp8 or fp32: its loss, its gradients, its loss scale, and the operation that dies first.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("view", "what is shown", View::LIST, "train").label("Show").main().at(|p| p.view.slot()),
        choice("compute", "what the network computes in", Compute::LIST, "fp16")
            .label("Compute format")
            .main()
            .at(|p| p.compute.slot()),
        choice("scaling", "what the loss is multiplied by", Loss::LIST, "none")
            .label("Loss scaling")
            .main()
            .at(|p| p.scaling.slot()),
        real("scale", "log₂ of the loss scale, or of its first value", [0.0, 40.0], "16")
            .label("Scale")
            .format(|v| format!("2{}", crate::float::bits::superscript(v as i64)))
            .steps(1.0)
            .main()
            .at(|p| p.scale.slot()),
        whole("step", "the step on show", [1, MAX_STEPS], "1")
            .label("Selected step")
            .steps(1.0)
            .drawn()
            .at(|p| p.step.slot()),
        kept("master", "whether the weights that the optimizer updates are fp32", "Master weights")
            .at(|p| p.keep.master.slot()),
        kept("logits", "whether attention logits are fp32", "Attention logits").at(|p| p.keep.logits.slot()),
        kept("softmax", "whether the softmax is computed in fp32", "Softmax").at(|p| p.keep.softmax.slot()),
        kept("norm", "whether mean and variance of the norms are fp32", "Norms").at(|p| p.keep.norm.slot()),
        kept("loss", "whether the loss is summed in fp32, and its gradient begins there", "Loss")
            .at(|p| p.keep.loss.slot()),
        whole(
            "micro",
            "micro-batches of 32 tokens that the mean of the loss is taken over: how small gradients begin",
            [1, 1 << MICRO],
            "131072",
        )
        .label("Initial gradient size")
        .format(|v| format!("1/{}", grouped(32 * v as u64)))
        .doubling(MICRO)
        .more("The run")
        .at(|p| p.micro.slot()),
        real("mean", "what is added to every embedding: the mean of the residual stream", [0.0, 512.0], "0")
            .label("Embedding mean")
            .slider(Scale::FromZero(9))
            .more("The run")
            .at(|p| p.mean.slot()),
        real("qk", "what the first queries and keys are multiplied by", [1.0, 512.0], "1")
            .label("Query–key gain")
            .doubling(9)
            .more("The run")
            .at(|p| p.qk.slot()),
        real("rate", "learning rate of Adam", [0.0001, 1.0], "0.03")
            .label("Learning rate")
            .more("The run")
            .at(|p| p.rate.slot()),
        whole("steps", "steps of the run", [1, MAX_STEPS], "120").label("Steps").more("The run").at(|p| p.steps.slot()),
        whole("seed", "seed of weights and data", [1, 999], "1").label("Seed").more("The run").at(|p| p.seed.slot()),
        text("overflows", "the scaler's steps: 0 without an overflow, 1 with", choices::STANDARD)
            .at(|p| p.overflows.slot()),
        whole("interval", "clean steps after which the scale grows", [1, 2000], "2000")
            .label("Growth interval")
            .more("The scaler")
            .at(|p| p.interval.slot()),
        whole("hysteresis", "overflows before Megatron's scale backs off", [1, 16], "2")
            .label("Hysteresis (Megatron)")
            .steps(1.0)
            .more("The scaler")
            .at(|p| p.hysteresis.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["compute"], |p| matches!(p.view, View::Train | View::Gradients)),
        applies(&["scale", "interval", "hysteresis"], |p| p.scaling != Loss::None || p.view == View::Scaler),
        applies(&["master", "logits", "softmax", "norm", "loss"], |p| p.view == View::Train),
        applies(&["micro", "mean", "qk", "rate", "steps", "seed"], |p| matches!(p.view, View::Train | View::Gradients)),
    ];
    const ORIGIN: Origin =
        Origin::Own("a transformer small enough to train in your browser, every operation rounded to the format");
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "Micikevicius et al. 2018, arXiv:1710.03740, §3.2, for loss scaling; counted in this run’s gradients",
            ),
            &["lost", "overflowed", "largest-scale"],
        ),
        origin(SCALER, &["skipped", "final-scale", "scale-after", "scale-lowest", "scaler-skipped"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        when(
            |p, _| p.view == View::Train,
            headline(
                "Loss at the last step, or that of guessing if the run broke.",
                measure("loss", "Final loss", Unit::Ratio, |_, s| or_guessing(s.run.last)),
            ),
        ),
        when(
            |p, _| p.view == View::Train,
            headline(
                "The same run in fp32.",
                measure("reference-loss", "Final loss in fp32", Unit::Ratio, |_, s| or_guessing(s.reference.last)),
            ),
        ),
        measure("first-loss", "Loss at the first step", Unit::Ratio, |_, s| {
            or_guessing(s.reference.steps.first().map_or(f64::NAN, |step| step.loss))
        }),
        measure("printed", "Logged loss, last step", Unit::Ratio, |_, s| {
            s.run.steps.last().map_or(0.0, |step| f64::from(step.printed)).clamp(-1e30, 1e30).max(0.0)
        }),
        yes_no(measure("died", "Ended in NaN", Unit::Count, |_, s| f64::from(!s.run.last.is_finite()))),
        when(
            |_, s| s.run.steps.iter().any(|step| step.broken.is_some()),
            measure("broken-step", "First step with ∞ or NaN", Unit::Count, |_, s| {
                s.run.steps.iter().position(|step| step.broken.is_some()).map_or(0.0, |i| i as f64 + 1.0)
            }),
        ),
        when(
            |p, _| p.view == View::Train,
            headline(
                "Steps that the loss scaler threw away.",
                measure("skipped", "Skipped steps", Unit::Count, |_, s| {
                    s.run.steps.iter().filter(|s| s.skipped).count() as f64
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Train,
            headline(
                "The loss scale after the last step.",
                measure("final-scale", "Final loss scale", Unit::Ratio, |_, s| {
                    s.run.steps.last().map_or(0.0, |s| s.scale)
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Gradients,
            headline(
                "Gradients too small for the format.",
                measure("lost", "Gradients flushed to zero", Unit::Fraction, |p, s| p.fate(s).0),
            ),
        ),
        when(
            |p, _| p.view == View::Gradients,
            headline(
                "Gradients too large for the format.",
                measure("overflowed", "Gradients that overflow", Unit::Fraction, |p, s| p.fate(s).1),
            ),
        ),
        when(
            |p, _| p.view == View::Gradients,
            headline(
                "The largest scale with which no gradient overflows.",
                measure("largest-scale", "Largest scale without overflow", Unit::Ratio, |p, s| p.largest_scale(s)),
            ),
        ),
        when(
            |p, _| p.view == View::Scaler,
            headline(
                "The scale that the dynamic scaler ends with.",
                measure("scale-after", "Scaler’s final scale", Unit::Ratio, |_, s| {
                    s.scaler.last().map_or(0.0, |s| s.scale)
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Scaler,
            headline(
                "The lowest scale that the dynamic scaler falls to.",
                measure("scale-lowest", "Scaler’s lowest scale", Unit::Ratio, |p, s| {
                    s.scaler.iter().map(|s| s.scale).fold(p.first_scale(), f64::min)
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Scaler,
            headline(
                "Steps that the dynamic scaler throws away.",
                measure("scaler-skipped", "Steps the scaler skips", Unit::Count, |_, s| {
                    s.scaler.iter().filter(|s| s.overflow).count() as f64
                }),
            ),
        ),
    ];

    fn evaluate(&self) -> Result<Shown, String> {
        Ok(self.shown())
    }
}

/// ln 8, the loss of guessing among eight tokens, where there is no loss.
fn or_guessing(loss: f64) -> f64 {
    if loss.is_finite() { loss } else { crate::float::elementary::ln(network::VOCABULARY as f64) }
}

impl Params {
    fn first_scale(&self) -> f64 {
        power_of_two(self.scale as i32)
    }

    fn scaler(&self, rule: Rule) -> scaler::Settings {
        let standard = match rule {
            Rule::PyTorch => scaler::Settings::PYTORCH,
            Rule::Megatron => scaler::Settings::MEGATRON,
        };
        scaler::Settings {
            initial: self.first_scale(),
            interval: self.interval,
            hysteresis: self.hysteresis,
            ..standard
        }
    }

    fn rule(&self) -> Rule {
        if self.scaling == Loss::Megatron { Rule::Megatron } else { Rule::PyTorch }
    }

    /// The run as the network takes it.
    pub fn settings(&self) -> network::Settings {
        let scaling = match self.scaling {
            Loss::None => Scaling::None,
            Loss::Static => Scaling::Static(self.first_scale()),
            Loss::PyTorch | Loss::Megatron => Scaling::Dynamic(self.scaler(self.rule())),
        };
        network::Settings {
            compute: self.compute.network(),
            keep: self.keep,
            scaling,
            fake: None,
            micro: self.micro,
            mean: self.mean,
            qk: self.qk,
            outlier: 1.0,
            rate: self.rate,
            recipe: network::Recipe::default(),
            steps: self.steps,
            seed: self.seed,
        }
    }

    /// Computes all of it.
    pub fn shown(&self) -> Shown {
        let settings = self.settings();
        let fp32 =
            network::Settings { compute: network::Compute::Fp32, keep: Keep::ALL, scaling: Scaling::None, ..settings };
        Shown { run: network::train(&settings), reference: network::train(&fp32), scaler: self.scaler_steps() }
    }

    fn scaler_steps(&self) -> Vec<ScalerStep> {
        let mut scaler = Scaler::new(self.scaler(self.rule()));
        let step = |overflow: &bool| {
            let used = scaler.scale;
            scaler.update(*overflow);
            ScalerStep {
                overflow: *overflow,
                used,
                scale: scaler.scale,
                clean: scaler.clean,
                patience: scaler.patience,
            }
        };
        self.overflows.0.iter().map(step).collect()
    }

    /// What the gradients of the figure are multiplied by.
    pub fn shift(&self) -> i32 {
        if self.scaling == Loss::None { 0 } else { self.scale as i32 }
    }

    /// The step on show, as an index.
    pub fn at(&self) -> usize {
        self.step.min(self.steps).max(1) as usize - 1
    }

    /// The parts of the fp32 run's gradients at the step on show that would become zero and overflow at this scale. A number
    /// stands for the middle of its binade.
    fn fate(&self, shown: &Shown) -> (f64, f64) {
        let Some(step) = shown.reference.steps.get(self.at()) else { return (0.0, 0.0) };
        let (counts, zero) = step.gradients;
        let all = f64::from(counts.iter().sum::<u32>() + zero).max(1.0);
        let share = |is: &dyn Fn(f64) -> bool| {
            let held =
                |i: usize| self.compute.held().nearest(1.5 * power_of_two(Step::LOWEST + i as i32 + self.shift()));
            let hit = |(i, n): (usize, &u32)| if is(held(i)) { f64::from(*n) } else { 0.0 };
            counts.iter().enumerate().map(hit).sum::<f64>() / all
        };
        (share(&|held| held == 0.0) + f64::from(zero) / all, share(&|held| held.is_infinite()))
    }

    /// The largest power of two by which no gradient of the step on show overflows.
    fn largest_scale(&self, shown: &Shown) -> f64 {
        let top = shown.reference.steps.get(self.at()).and_then(|s| s.gradients.0.iter().rposition(|n| *n > 0));
        let largest = exponent(self.compute.held().max());
        top.map_or(1.0, |i| power_of_two((largest - (Step::LOWEST + i as i32)).min(120)))
    }
}
