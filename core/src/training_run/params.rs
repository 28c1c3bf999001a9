//! The parameters, the model in the catalogue, and what a run says in words.

use super::batch::{self, Noise};
use super::optimizer::Rule;
use super::schedule::{Schedule, Shape};
use super::{DAY, HOUR, MFU, Machine, Run, Size};
use crate::declare::{
    Aim, Applies, Decision, Field, Measure, Model, Origin, Origins, Param, Scale, Takes, applies, choice, headline,
    lever, measure, origin, real, when, whole, written,
};
use crate::hardware::{self, Accelerator, PRICE};
use crate::options;
use crate::quantity::{Unit, counted, dollars, grouped, number, unbroken};
use crate::scaling_laws::Fit;

/// What the run is given; the rest follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Given {
    /// A number of tokens.
    Tokens,
    /// A number of days.
    #[default]
    Days,
    /// An amount of money.
    Money,
}

options!(Given {
    Tokens: "tokens", "tokens";
    Days: "days", "days";
    Money: "money", "money";
});

/// What the run starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// Nothing: pre-training, which the laws of the loss are of.
    #[default]
    Random,
    /// A model that was trained before: fine-tuning.
    Pretrained,
}

options!(Start {
    Random: "random", "random weights";
    Pretrained: "pretrained", "a pretrained model";
});

/// How much of attention's products without weights counts as FLOPs of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Attention {
    /// Nothing: 6ND.
    None,
    /// What a causal mask leaves, as Megatron-LM counts.
    #[default]
    Causal,
    /// All of it, as PaLM counts.
    Full,
}

options!(Attention {
    None: "none", "not counted (6ND)";
    Causal: "causal", "half (causal)";
    Full: "full", "all of it (PaLM)";
});

/// The surface that the loss is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Surface {
    /// Besiroglu et al. 2024.
    #[default]
    Refit,
    /// Hoffmann et al. 2022 as printed.
    Rounded,
    /// The same with all digits.
    Unrounded,
    /// Muennighoff et al. 2023.
    C4,
}

options!(Surface {
    Refit: "refit", "Besiroglu 2024";
    Rounded: "approach-3", "Hoffmann 2022 as printed";
    Unrounded: "approach-3-exact", "Hoffmann 2022, all digits";
    C4: "c4", "Muennighoff 2023";
});

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// The loss over the days.
    #[default]
    Loss,
    /// Steps and tokens over the batch.
    Batch,
    /// The learning rate over the run.
    Schedule,
    /// Optimizers side by side.
    Optimizers,
}

options!(Show {
    Loss: "loss", "loss";
    Batch: "batch", "batch";
    Schedule: "schedule", "rate";
    Optimizers: "optimizers", "optimizers";
});

/// The state of the widget.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// Parameters that a token uses.
    pub params: f64,
    /// Parameters in all; 0 for as many.
    pub total: f64,
    /// Layers.
    pub layers: u64,
    /// Heads × head dimension.
    pub width: u64,
    /// Tokens of a sequence.
    pub seq: u64,
    /// How much of attention counts.
    pub attention: Attention,
    /// Share of the forward pass that is computed again.
    pub recompute: f64,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// GPUs.
    pub gpus: u64,
    /// Model FLOPs utilisation.
    pub mfu: f64,
    /// Share of the time that trains.
    pub goodput: f64,
    /// What the run is given.
    pub given: Given,
    /// Tokens, if they are given.
    pub tokens: f64,
    /// Days, if they are given.
    pub days: f64,
    /// US dollars, if they are given.
    pub money: f64,
    /// US dollars an hour of a GPU.
    pub price: f64,
    /// Watts per GPU.
    pub watts: f64,
    /// Power of the building over that of its machines.
    pub pue: f64,
    /// Tokens of a batch.
    pub batch: f64,
    /// The critical batch size in tokens; 0 for Kaplan's.
    pub critical: f64,
    /// The surface of the loss.
    pub law: Surface,
    /// The shape of the learning rate.
    pub schedule: Shape,
    /// Share of the run that warms up.
    pub warmup: f64,
    /// Share of the run that decays.
    pub decay: f64,
    /// The last learning rate as a part of its peak.
    pub floor: f64,
    /// The highest learning rate.
    pub peak: f64,
    /// AdamW's weight decay.
    pub weight_decay: f64,
    /// The optimizer.
    pub optimizer: Rule,
    /// What the run starts from.
    pub start: Start,
    /// What is drawn.
    pub show: Show,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            params: 0.0,
            total: 0.0,
            layers: 0,
            width: 0,
            seq: 0,
            attention: Attention::default(),
            recompute: 0.0,
            gpu: &hardware::ALL[0],
            gpus: 0,
            mfu: 0.0,
            goodput: 0.0,
            given: Given::default(),
            tokens: 0.0,
            days: 0.0,
            money: 0.0,
            price: 0.0,
            watts: 0.0,
            pue: 0.0,
            batch: 0.0,
            critical: 0.0,
            law: Surface::default(),
            schedule: Shape::default(),
            warmup: 0.0,
            decay: 0.0,
            floor: 0.0,
            peak: 0.0,
            weight_decay: 0.0,
            optimizer: Rule::default(),
            start: Start::default(),
            show: Show::default(),
        }
    }
}

impl Surface {
    /// Its constants.
    pub fn fit(self) -> Fit {
        match self {
            Surface::Refit => Fit::REFIT,
            Surface::Rounded => Fit::ROUNDED,
            Surface::Unrounded => Fit::UNROUNDED,
            Surface::C4 => Fit::C4,
        }
    }
}

/// The most layers, and the greatest width.
const MAX_LAYERS: u64 = 10_000;
const MAX_WIDTH: u64 = 1_000_000;
/// The usual width of a head, of which a width is a multiple.
const HEAD: f64 = 128.0;

/// The most tokens that a run can have, whatever it is given.
const MOST_TOKENS: f64 = 1e30;

/// Whether it is training from scratch.
fn is_first(p: &Params) -> bool {
    p.start == Start::Random
}

/// A quantity that the laws of the loss say, which are of training from scratch.
const fn of_law(measure: Measure<Params, Run>) -> Measure<Params, Run> {
    when(|p, _| is_first(p), measure)
}

fn percent(value: f64) -> String {
    Unit::Fraction.format(value)
}

fn count(value: f64) -> String {
    Unit::Count.format(value)
}

impl Model for Params {
    type Result = Run;
    const ID: &'static str = "training-run";
    const TITLE: &'static str = "One training run, end to end";
    const SUMMARY: &'static str = "From GPUs, days or money to tokens, a loss, energy and cost; with the batch, the learning rate and the \
                                   optimizer, and published runs beside it.";
    const PARAMS: &'static [Param<Self>] = &[
        real("params", "parameters that a token uses", [1e6, 1e14], "70e9")
            .takes(Takes::Active)
            .label("Parameters")
            .unit(Unit::Count)
            .slider(Scale::Decades(6, 13))
            .main()
            .at(|p| p.params.slot()),
        whole("gpus", "GPUs", [1, 1_048_576], "1024")
            .takes(Takes::Gpus)
            .label("GPUs")
            .doubling(17)
            .main()
            .at(|p| p.gpus.slot()),
        choice("given", "what the run is given: tokens, days or money", Given::LIST, "days")
            .label("Fixed quantity")
            .main()
            .at(|p| p.given.slot()),
        real("tokens", "tokens, if they are given", [1e6, 1e16], "1.4e12")
            .label("Tokens")
            .unit(Unit::Count)
            .slider(Scale::Decades(8, 14))
            .drawn()
            .at(|p| p.tokens.slot()),
        real("days", "days, if they are given", [0.01, 10_000.0], "30")
            .label("Days").each(Unit::Seconds, 86_400.0)
            .slider(Scale::Linear { min: 1.0, max: 180.0, step: 1.0 })
            .drawn()
            .at(|p| p.days.slot()),
        real("money", "US dollars, if they are given", [1.0, 1e12], "2e6")
            .label("Money")
            .format(dollars)
            .slider(Scale::Decades(2, 10))
            .drawn()
            .at(|p| p.money.slot()),
        real("mfu", "model FLOPs utilization: model FLOPs per second over peak", [0.001, 1.0], MFU)
            .takes(Takes::Mfu)
            .label("MFU")
            .unit(Unit::Fraction)
            .slider(Scale::Linear { min: 0.01, max: 1.0, step: 0.01 })
            .main()
            .at(|p| p.mfu.slot()),
        choice("start", "what the run starts from; the laws of the loss are of random weights", Start::LIST, "random")
            .label("Starts from")
            .more("The model")
            .quiet()
            .at(|p| p.start.slot()),
        choice("show", "what is drawn", Show::LIST, "loss").label("Show").over().at(|p| p.show.slot()),
        choice("gpu", "GPU", hardware::LIST, "h100-80").label("GPU").more("The machine").at(|p| p.gpu.slot()),
        real("goodput", "share of the time that it trains", [0.01, 1.0], "1")
            .label("Share of time training")
            .unit(Unit::Fraction)
            .slider(Scale::Linear { min: 0.5, max: 1.0, step: 0.01 })
            .more("The machine")
            .at(|p| p.goodput.slot()),
        real("price", "US dollars per GPU-hour", [0.0, 1_000.0], PRICE)
            .label("US$ per GPU-hour")
            .more("The machine")
            .at(|p| p.price.slot()),
        real("watts", "power per GPU: 700 is an H100’s own limit; with its share of a DGX H100, rated at 10.2 kW for eight, it is 1,275", [0.0, 100_000.0], "700")
            .label("Power per GPU, W")
            .more("The machine")
            .at(|p| p.watts.slot()),
        real("pue", "power of the building over that of its machines", [1.0, 10.0], "1.1")
            .label("PUE")
            .more("The machine")
            .at(|p| p.pue.slot()),
        real("total", "parameters in all, where a token uses a part of them; 0 for as many", [0.0, 1e15], "0")
            .takes(Takes::Parameters)
            .label("Total parameters")
            .format(|v| if v == 0.0 { "as many".to_owned() } else { count(v) })
            .more("The model")
            .at(|p| p.total.slot()),
        whole("layers", "layers", [1, MAX_LAYERS], "80")
            .takes(Takes::Layers)
            .label("Layers")
            .more("The model")
            .at(|p| p.layers.slot()),
        whole("width", "heads × head dimension", [1, MAX_WIDTH], "8192")
            .takes(Takes::Width)
            .label("Width")
            .more("The model")
            .at(|p| p.width.slot()),
        whole("seq", "tokens of a sequence", [1, 10_000_000], "8192").takes(Takes::Sequence)
            .label("Sequence length, tokens")
            .doubling(20)
            .more("The model")
            .at(|p| p.seq.slot()),
        choice("attention", "how much of attention’s products without weights counts", Attention::LIST, "causal")
            .label("Attention FLOPs")
            .more("The model")
            .at(|p| p.attention.slot()),
        real("recompute", "share of the forward pass that is computed again", [0.0, 1.0], "0")
            .label("Recomputation")
            .unit(Unit::Fraction)
            .steps(0.05)
            .more("The model")
            .at(|p| p.recompute.slot()),
        real("batch", "tokens of a batch", [1.0, 1e12], "4194304").takes(Takes::BatchTokens)
            .label("Batch, tokens")
            .unit(Unit::Count)
            .doubling(30)
            .more("Batch and learning rate")
            .at(|p| p.batch.slot()),
        real(
            "critical",
            "critical batch size in tokens, as measured; 0 for Kaplan’s at the predicted loss",
            [0.0, 1e12],
            "0",
        )
        .label("Critical batch, measured")
        .format(|v| if v == 0.0 { "by Kaplan".to_owned() } else { count(v) })
        .more("Batch and learning rate")
        .at(|p| p.critical.slot()),
        choice("schedule", "learning rate after the warm-up", Shape::LIST, "cosine")
            .label("Learning rate")
            .more("Batch and learning rate")
            .at(|p| p.schedule.slot()),
        real("warmup", "share of the run that warms up", [0.0, 1.0], "0.01")
            .label("Warm-up")
            .unit(Unit::Fraction)
            .slider(Scale::Linear { min: 0.0, max: 0.2, step: 0.005 })
            .more("Batch and learning rate")
            .at(|p| p.warmup.slot()),
        real("decay", "share of the run that decays, for wsd", [0.0, 1.0], "0.2")
            .label("Decay (WSD)")
            .unit(Unit::Fraction)
            .slider(Scale::Linear { min: 0.0, max: 1.0, step: 0.05 })
            .more("Batch and learning rate")
            .at(|p| p.decay.slot()),
        real("floor", "last learning rate as a part of its peak", [0.0, 1.0], "0.1")
            .label("Final learning rate")
            .unit(Unit::Fraction)
            .steps(0.05)
            .more("Batch and learning rate")
            .at(|p| p.floor.slot()),
        real("peak", "highest learning rate", [1e-7, 0.1], "0.0003")
            .label("Peak learning rate")
            .steps(0.0001)
            .more("Batch and learning rate")
            .at(|p| p.peak.slot()),
        real("weight-decay", "AdamW’s weight decay λ, of which a step takes its learning rate’s share; 0 for none", [0.0, 1.0], "0.1")
            .label("Weight decay λ")
            .steps(0.05)
            .more("Batch and learning rate")
            .at(|p| p.weight_decay.slot()),
        choice("optimizer", "optimizer", Rule::LIST, "adamw")
            .label("Optimizer")
            .more("Optimizer and law")
            .at(|p| p.optimizer.slot()),
        choice("law", "surface that the loss is read from", Surface::LIST, "refit")
            .label("Loss formula")
            .more("Optimizer and law")
            .at(|p| p.law.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[applies(&["show", "law", "critical"], is_first)];
    const ORIGIN: Origin = Origin::Of("Chowdhery et al. 2022 (PaLM), arXiv:2204.02311, Appendix B");
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Rows,
            &[
                "tokens-seen",
                "time",
                "gpu-hours",
                "cost",
                "energy",
                "rate-per-gpu",
                "ratio",
                "optimal-share",
                "step-time",
                "optimizer-share",
                "optimizer-bytes",
            ],
        ),
        origin(crate::scaling_laws::law::ORIGIN, &["loss", "optimal-params", "optimal-tokens"]),
        origin(super::batch::ORIGIN, &["critical-batch", "step-factor", "token-factor", "steps-min", "tokens-min"]),
        origin(Origin::Definition, &["steps"]),
        origin(super::schedule::ORIGIN, &["learning-rate-mean"]),
        origin(super::schedule::MEMORY, &["memory", "initial-left"]),
        origin(super::optimizer::ORIGIN, &["optimizer-state", "optimizer-traffic", "optimizer-flop"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Run>] = &[
        headline(
            "Tokens that the run processes.",
            measure("tokens-seen", "Training tokens", Unit::Count, |_, r| r.tokens),
        ),
        headline(
            "From the first step to the last, at the utilization given.",
            measure("time", "Training time", Unit::Seconds, |_, r| r.seconds()),
        ),
        of_law(headline(
            "The loss that the scaling law predicts.",
            measure("loss", "Predicted loss, nats per token", Unit::Ratio, |_, r| r.loss()),
        )),
        measure("gpu-hours", "GPU-hours", Unit::Count, |_, r| r.gpu_hours()),
        headline(
            "GPU-hours times their price.",
            written(dollars, measure("cost", "Cost", Unit::Count, |_, r| r.cost())),
        ),
        measure("energy", "Energy, kWh", Unit::Count, |_, r| r.energy()),
        measure("compute", "Model FLOPs", Unit::Flop, |_, r| r.compute()),
        measure("hardware-compute", "Hardware FLOPs", Unit::Flop, |_, r| r.hardware_compute()),
        measure("hfu", "HFU", Unit::Fraction, |_, r| r.hfu()),
        measure("flop-per-token", "FLOPs per token", Unit::Flop, |_, r| r.size.flop_per_token()),
        measure("attention-share", "Attention share of FLOPs", Unit::Fraction, |_, r| {
            r.size.attention_per_token() / r.size.flop_per_token()
        }),
        measure("rate", "Tokens/s", Unit::Count, |_, r| r.rate()),
        headline(
            "Throughput of one GPU.",
            measure("rate-per-gpu", "Tokens/s per GPU", Unit::Count, |_, r| r.rate() / r.machine.gpus),
        ),
        of_law(measure("ratio", "Tokens per parameter", Unit::Ratio, |_, r| r.point().ratio())),
        of_law(measure("optimal-params", "Compute-optimal parameters", Unit::Count, |_, r| r.optimum().params)),
        of_law(measure("optimal-tokens", "Compute-optimal tokens", Unit::Count, |_, r| r.optimum().tokens)),
        of_law(measure("optimal-share", "Training tokens over the compute-optimal number", Unit::Ratio, |_, r| {
            r.tokens / r.optimum().tokens
        })),
        measure("steps", "Steps", Unit::Count, |_, r| r.steps()),
        measure("step-time", "Step time", Unit::Seconds, |_, r| r.step_seconds()),
        of_law(measure("critical-batch", "Critical batch size, tokens", Unit::Count, |_, r| r.critical())),
        of_law(measure("step-factor", "Steps over the minimum", Unit::Ratio, |_, r| {
            batch::step_factor(r.batch, r.critical())
        })),
        of_law(measure("token-factor", "Tokens over the minimum", Unit::Ratio, |_, r| {
            batch::token_factor(r.batch, r.critical())
        })),
        of_law(measure("steps-min", "Minimum steps for this loss", Unit::Count, |_, r| {
            r.steps() / batch::step_factor(r.batch, r.critical())
        })),
        of_law(measure("tokens-min", "Minimum tokens for this loss", Unit::Count, |_, r| {
            r.tokens / batch::token_factor(r.batch, r.critical())
        })),
        measure("learning-rate-mean", "Mean learning rate over the peak", Unit::Fraction, |_, r| r.schedule.mean()),
        when(
            |p, _| p.weight_decay > 0.0,
            measure("memory", "Tokens until decay leaves 1/e of an update", Unit::Count, |_, r| {
                r.memory().unwrap_or_default()
            }),
        ),
        measure("initial-left", "Share of the initial weights left at the end", Unit::Fraction, |_, r| {
            r.initial_left()
        }),
        measure("optimizer-state", "Optimizer state, all GPUs", Unit::Bytes, |_, r| r.optimizer().state),
        measure("optimizer-bytes", "Optimizer bytes per parameter", Unit::Ratio, |_, r| {
            r.optimizer().state / r.size.total
        }),
        measure("optimizer-traffic", "Optimizer traffic per step", Unit::Bytes, |_, r| r.optimizer().traffic),
        measure("optimizer-flop", "Optimizer FLOPs per step", Unit::Flop, |_, r| r.optimizer().flop),
        measure("optimizer-share", "Optimizer share of model FLOPs", Unit::Fraction, |_, r| r.optimizer_share()),
    ];

    fn follow(&mut self, before: &Self) {
        // A model of another size has another depth and width, in the same proportion: its parameters go with depth × width².
        if self.params != before.params && (self.layers, self.width) == (before.layers, before.width) {
            let times = (self.params / before.params).cbrt();
            let scaled = |n: u64, step: f64| ((n as f64 * times / step).round().max(1.0) * step) as u64;
            self.layers = scaled(self.layers, 1.0).min(MAX_LAYERS);
            self.width = scaled(self.width, HEAD).min(MAX_WIDTH);
        }
    }

    const DECISION: Option<Decision> = Some(Decision {
        quantities: &["optimal-share"],
        aim: Aim::AtLeast { least: 1.0, said: "{}× the compute-optimal number of tokens." },
        judges: &[],
        words: ["Too few tokens for a model of this size", "Enough tokens for a model of this size"],
        levers: &[
            lever("days", "The result comes later."),
            lever("gpus", "You need more GPUs."),
            lever("money", "It costs more money."),
            lever("tokens", "It costs more compute."),
            lever("params", "You train a smaller model."),
        ],
        not_counted: "Not counted: repeated data, evaluation, ablations, and restarts beyond what “Share of time training” allows for.",
    });

    fn evaluate(&self) -> Result<Run, String> {
        if self.total > 0.0 && self.total < self.params {
            return Err(
                "A token cannot use more parameters than there are in all: lower the first or raise the second."
                    .to_owned(),
            );
        }
        if self.critical > 0.0 && self.critical < 1.0 {
            return Err("The critical batch is at least 1 token, or 0 for the one that Kaplan et al. found.".to_owned());
        }
        let run = self.run();
        if run.tokens > MOST_TOKENS {
            return Err(format!(
                "{} buys more tokens than can be computed: lower the money or raise the price per GPU-hour.",
                if self.given == Given::Money { "The money" } else { "The time" }
            ));
        }
        Ok(run)
    }
}

impl Params {
    /// What is drawn: of fine-tuning the learning rate, because no law says its loss.
    pub fn drawn(&self) -> Show {
        if is_first(self) { self.show } else { Show::Schedule }
    }

    fn run(&self) -> Run {
        let machine = Machine {
            gpu: self.gpu,
            gpus: self.gpus as f64,
            mfu: self.mfu,
            goodput: self.goodput,
            price: self.price,
            watts: self.watts,
            pue: self.pue,
        };
        let size = Size {
            params: self.params,
            total: if self.total > 0.0 { self.total } else { self.params },
            layers: self.layers as f64,
            width: self.width as f64,
            seq: self.seq as f64,
            attention: self.attention,
            recompute: self.recompute,
        };
        let schedule = Schedule { shape: self.schedule, warmup: self.warmup, decay: self.decay, floor: self.floor };
        let noise = if self.critical > 0.0 { Noise::Measured(self.critical) } else { Noise::Kaplan };
        let (surface, rule) = (self.law.fit(), self.optimizer);
        let (tokens, batch, start) = (self.tokens, self.batch, self.start);
        let (peak, weight_decay) = (self.peak, self.weight_decay);
        let mut run = Run { machine, size, tokens, batch, noise, surface, schedule, peak, weight_decay, rule, start };
        let seconds = match self.given {
            Given::Tokens => return run,
            Given::Days => self.days * DAY,
            // Free GPUs run for as long as the days say.
            Given::Money if self.price == 0.0 => self.days * DAY,
            Given::Money => self.money / (self.price * machine.gpus) * HOUR,
        };
        run.tokens = run.rate() * machine.goodput * seconds;
        run
    }
}

impl Run {
    /// What comes of it, in sentences.
    pub fn finding(&self) -> String {
        format!("{} {}", self.takes(), self.learns())
    }

    /// What the model learns in it, in sentences.
    pub fn learns(&self) -> String {
        if self.start == Start::Pretrained {
            return self.tuned();
        }
        let best = self.optimum();
        let far = self.batch / self.critical();
        let batch = if far > 2.0 {
            format!(
                " The law supposes a batch that is small enough. This one is {} times the critical size, so the loss will be higher.",
                number(far)
            )
        } else {
            String::new()
        };
        format!(
            "The predicted loss is {:.3}. The lowest predicted loss for the same FLOPs is {:.3}, with {} parameters and {} tokens.{batch}",
            self.loss(),
            self.surface.loss(best),
            unbroken(&count(best.params)),
            unbroken(&count(best.tokens)),
        )
    }

    /// The steps of fine-tuning, and what isn't said of it.
    fn tuned(&self) -> String {
        let batch = unbroken(&count(self.batch));
        let steps = if self.batch > self.tokens {
            format!("That is less than one batch of {batch} tokens, so choose a smaller batch.")
        } else {
            let steps = self.steps().ceil() as u64;
            format!("That is {} of {batch} tokens.", counted(steps, "step", "steps"))
        };
        format!("{steps} Scaling laws describe training from scratch and say nothing about this run.")
    }

    /// How long it takes, and what it costs in money and energy, in a sentence.
    pub fn takes(&self) -> String {
        format!("{} and {} kWh.", self.costs(), unbroken(&count(self.energy())))
    }

    /// How long it takes and what it costs, in a sentence without its end.
    pub fn costs(&self) -> String {
        let Size { params, total, .. } = self.size;
        let active = if params < total {
            format!(" ({} active per token, without the embedding table)", unbroken(&count(params)))
        } else {
            String::new()
        };
        format!(
            "Training {} parameters{active} on {} tokens takes {} on {} × {} at an MFU of {} and costs {} at {} per GPU-hour",
            unbroken(&count(total.max(params))),
            unbroken(&count(self.tokens)),
            unbroken(&Unit::Seconds.format(self.seconds())),
            grouped(self.machine.gpus as u64),
            self.machine.gpu.name,
            unbroken(&percent(self.machine.mfu)),
            unbroken(&dollars(self.cost())),
            unbroken(&dollars(self.machine.price)),
        )
    }

    /// What the batch does, in sentences.
    pub fn batch_finding(&self) -> String {
        let critical = self.critical();
        format!(
            "Batches of {} tokens, {} of the critical size, take {} steps: {} times the fewest. The tokens are {} times the fewest.",
            unbroken(&count(self.batch)),
            unbroken(&percent(self.batch / critical)),
            unbroken(&count(self.steps())),
            number(batch::step_factor(self.batch, critical)),
            number(batch::token_factor(self.batch, critical)),
        )
    }

    /// What the schedule does, in sentences.
    pub fn schedule_finding(&self) -> String {
        let decay = self.memory().map_or_else(String::new, |memory| {
            format!(
                " At the peak, weight decay leaves 1/e of an update after {} tokens. At the end, {} of the initial weights are left.",
                unbroken(&count(memory)),
                unbroken(&percent(self.initial_left())),
            )
        });
        format!(
            "The learning rate rises for {} steps and ends at {} of its peak. Over the run it is {} of the peak on average.{decay}",
            unbroken(&count((self.schedule.warmup * self.steps()).round())),
            unbroken(&percent(self.schedule.at(1.0))),
            unbroken(&percent(self.schedule.mean())),
        )
    }

    /// What the optimizer costs, in sentences.
    pub fn optimizer_finding(&self) -> String {
        let cost = self.optimizer();
        format!(
            "{} keeps {} beside the master weights, {} bytes per parameter. A step of it computes {} of what the batch does.",
            self.rule.label(),
            unbroken(&Unit::Bytes.format(cost.state)),
            number(cost.state / self.size.total),
            unbroken(&percent(self.optimizer_share())),
        )
    }
}
