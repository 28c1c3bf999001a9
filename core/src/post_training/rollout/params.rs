//! The parameters, and the model in the catalogue.

use super::{Layout, Outcome, Params, Shape};
use crate::declare::{
    Applies, Field as _, Measure, Model, Origin, Origins, Param, Scale, applies, choice, doc, headline, measure,
    origin, real, when, whole,
};
use crate::quantity::Unit;

const ANSWERS: &str = "Answers";
const ENGINES: &str = "Engines";
const TRAINER: &str = "Training";

fn runs_ahead(p: &Params) -> bool {
    matches!(p.layout, Layout::Asynchronous | Layout::Partial)
}

impl Model for Params {
    type Result = Outcome;
    const ID: &'static str = "rl-pipeline";
    const TITLE: &'static str = "An RL pipeline";
    const SUMMARY: &'static str = "Engines that write answers of very different lengths, and a trainer that waits for them: what four layouts \
                                   leave idle, and how old the samples are that they train on.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("layout", "who waits for whom", Layout::LIST, "sync").label("Layout").main().at(|p| p.layout.slot()),
        whole("engines", "GPUs that generate, one engine each", [1, 64], "8")
            .label("Generation GPUs")
            .doubling(6)
            .main()
            .at(|p| p.engines.slot()),
        whole("trainers", "GPUs that train", [1, 64], "8")
            .label("Training GPUs")
            .doubling(6)
            .main()
            .at(|p| p.trainers.slot()),
        whole("bound", "versions by which generation may run ahead", [0, 8], "2")
            .label("Staleness bound, versions")
            .steps(1.0)
            .main()
            .at(|p| p.bound.slot()),
        choice("lengths", "how lengths are distributed", Shape::LIST, "lognormal")
            .label("Length distribution")
            .more(ANSWERS)
            .at(|p| p.shape.slot()),
        real("sigma", "deviation of a length’s logarithm; the tail grows with it", [0.0, 1.5], "0.8")
            .label("Spread of lengths (σ of the logarithm)")
            .steps(0.1)
            .more(ANSWERS)
            .at(|p| p.sigma.slot()),
        real("mean", "mean length without the limit, in tokens", [16.0, 65_536.0], "4096")
            .label("Mean length, tokens")
            .each(Unit::Count, 1.0)
            .slider(Scale::Quarters(4, 16))
            .more(ANSWERS)
            .at(|p| p.mean.slot()),
        real("cap", "the longest answer that is allowed, in tokens", [16.0, 131_072.0], "16384")
            .label("Length limit, tokens")
            .each(Unit::Count, 1.0)
            .slider(Scale::Quarters(4, 17))
            .more(ANSWERS)
            .at(|p| p.cap.slot()),
        whole("seed", "which lengths are drawn", [1, 999], "1")
            .label("Draw")
            .steps(1.0)
            .more(ANSWERS)
            .at(|p| p.seed.slot()),
        whole("slots", "answers that an engine writes at once", [1, 128], "16")
            .label("Answers at once per engine")
            .doubling(7)
            .more(ENGINES)
            .at(|p| p.slots.slot()),
        real("speed", "tokens per second of one answer", [1.0, 1000.0], "50")
            .label("Tokens/s per answer")
            .each(Unit::Count, 1.0)
            .slider(Scale::Decades(0, 3))
            .more(ENGINES)
            .at(|p| p.speed.slot()),
        whole("batch", "answers of a training step", [8, 512], "256")
            .label("Answers per training step")
            .slider(Scale::Quarters(3, 9))
            .more(TRAINER)
            .at(|p| p.batch.slot()),
        real("cost", "GPU-seconds of training per answer", [0.01, 100.0], "5")
            .label("GPU time of training per answer")
            .unit(Unit::Seconds)
            .slider(Scale::Decades(-2, 2))
            .more(TRAINER)
            .at(|p| p.cost.slot()),
        real("transfer", "seconds until new weights have reached the engines", [0.0, 120.0], "5")
            .label("Weight transfer")
            .unit(Unit::Seconds)
            .steps(1.0)
            .more(TRAINER)
            .at(|p| p.transfer.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] =
        &[applies(&["bound"], runs_ahead), applies(&["sigma"], |p| p.shape == Shape::Lognormal)];
    const ORIGIN: Origin = Origin::Own(
        "engines, a queue, a trainer and weight transfers, event by event; the limit on started answers is AReaL’s (areal/infra/staleness_manager.py at 4aef98d)",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(super::lengths::ORIGIN, &["expected-longest"]),
        origin(Origin::Rows, &["speedup", "per-gpu", "limit"]),
        origin(Origin::Controls, &["gpus"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Outcome>] = &[
        headline(
            "Answers trained on per second, once the pipeline is full.",
            measure("rate", "Samples/s", Unit::Ratio, |_, o| o.run.rate),
        ),
        headline(
            "The share of their places and time in which engines wait, with no answer to write.",
            measure("generation-idle", "Idle share of the engines", Unit::Fraction, |_, o| o.run.generation.idle),
        ),
        headline(
            "The share of its time in which the trainer waits for answers.",
            measure("training-idle", "Idle share of the trainer", Unit::Fraction, |_, o| o.run.training.idle),
        ),
        headline(
            "Versions between the weights that wrote a sample’s first token and those it trains, on average.",
            measure("staleness", "Mean staleness, versions", Unit::Ratio, |_, o| o.run.age),
        ),
        headline(
            "The same for the oldest sample.",
            measure("oldest", "Largest staleness, versions", Unit::Ratio, |_, o| o.run.oldest as f64),
        ),
        when(
            |p, _| p.layout == Layout::Partial,
            doc(
                "Later tokens of an interrupted answer are written by newer weights.",
                measure("token-staleness", "Mean token staleness, versions", Unit::Ratio, |_, o| o.run.token_age),
            ),
        ),
        measure("step", "Time per training step", Unit::Seconds, |_, o| o.run.step),
        measure("training", "Training time per step", Unit::Seconds, |p, _| p.training()),
        measure("moving", "Weight-transfer share of the engines", Unit::Fraction, |_, o| o.run.generation.moving),
        measure("mean-answer", "Mean time per answer", Unit::Seconds, |_, o| o.run.answer),
        measure("longest", "Longest answer per batch, on average", Unit::Seconds, |_, o| o.run.longest),
        doc(
            "For as many draws from the distribution as a batch has answers.",
            measure("expected-longest", "Expected longest answer per batch", Unit::Seconds, |p, _| {
                p.lengths().expected_longest(p.batch) / p.speed
            }),
        ),
        measure("cut", "Answers cut off at the limit", Unit::Fraction, |_, o| o.run.cut),
        measure("speedup", "Speedup over the synchronous layout", Unit::Ratio, |_, o| o.run.rate / o.synchronous),
        doc(
            "One pool of all GPUs that generates, then trains, with the same weight transfer after each step.",
            measure("shared", "Samples/s, one shared pool", Unit::Ratio, |_, o| o.shared),
        ),
        measure("generation-rate", "Samples/s that full engines write", Unit::Ratio, |p, _| p.generation_rate()),
        measure("training-rate", "Samples/s that a busy trainer takes", Unit::Ratio, |p, _| p.training_rate()),
        measure("limit", "Samples/s of the slower pool at full use", Unit::Ratio, |p, _| p.limit()),
        measure("gpus", "GPUs", Unit::Count, |p, _| (p.engines + p.trainers) as f64),
        measure("per-gpu", "Samples/s per GPU", Unit::Ratio, |p, o| {
            o.run.rate / (p.engines + p.trainers).max(1) as f64
        }),
    ];

    fn evaluate(&self) -> Result<Outcome, String> {
        self.in_range()?;
        Ok(self.outcome())
    }
}
