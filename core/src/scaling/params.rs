//! The parameters, the model in the catalogue, and the questions that it answers.

use super::{Curve, WAITS};
use crate::declare::{
    Applies, Declaration, Field as _, Measure, Model, Origin, Origins, Param, Scale, Takes, applies, choice, headline,
    join, measure, origin, real, whole,
};
use crate::hardware::{self, Accelerator};
use crate::model::{ModelRef, Shape, presets, reference};
use crate::network::{Wired, Wires};
use crate::options;
use crate::quantity::{Unit, grouped, unbroken};
use crate::query::{Query, Reader};

/// What stays the same as GPUs are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// The batch: each GPU has less to do.
    #[default]
    Strong,
    /// The work of each replica: the batch grows.
    Weak,
}

/// Who keeps the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sharding {
    /// Every replica all of them; gradients are all-reduced.
    #[default]
    Ddp,
    /// Each rank a part, gathered layer by layer; gradients are reduce-scattered.
    Fsdp,
}

options!(Scaling {
    Strong: "strong", "same batch";
    Weak: "weak", "batch grows";
});

options!(Sharding {
    Ddp: "ddp", "DDP";
    Fsdp: "fsdp", "FSDP";
});

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// The model.
    pub model: ModelRef,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// The share of its peak that one GPU reaches alone.
    pub mfu: f64,
    /// GPUs.
    pub gpus: u64,
    /// What stays the same.
    pub scaling: Scaling,
    /// Sequences of a step under strong scaling.
    pub batch: u64,
    /// Sequences of each replica under weak scaling.
    pub each: u64,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Sequences of a micro-batch.
    pub mbs: u64,
    /// Tensor-parallel ranks.
    pub tp: u64,
    /// Pipeline stages.
    pub pp: u64,
    /// Who keeps the weights.
    pub sharding: Sharding,
    /// How much of the gradients' communication may go on behind the backward pass.
    pub overlap: f64,
    /// Standard deviation of a GPU's time for a step, as a part of it.
    pub jitter: f64,
    /// The machine.
    pub wires: Wires,
}

/// Most GPUs.
pub const MAX_GPUS: u64 = 16_384;

/// The model where none is given.
const MODEL: &str = "llama-2-7b";

/// A share of something, from `least` to 1; its slider goes from `from` to `to`.
const fn share(
    name: &'static str,
    doc: &'static str,
    least: f64,
    [from, to, step]: [f64; 3],
    default: &'static str,
) -> Declaration {
    real(name, doc, [least, 1.0], default).unit(Unit::Fraction).slider(Scale::Linear { min: from, max: to, step })
}

const JOB: &str = "The job";

const OWN: [Param<Params>; 14] = [
    reference::MODEL.default(MODEL).more(JOB).own_control(),
    choice("gpu", "GPU", hardware::LIST, "h100-80").label("GPU").main().at(|p: &mut Params| p.gpu.slot()),
    share("mfu", "share of its peak that one GPU reaches alone", 0.01, [0.05, 1.0, 0.05], "0.5")
        .takes(Takes::Mfu)
        .label("Utilization on one GPU")
        .more(JOB)
        .at(|p: &mut Params| p.mfu.slot()),
    whole("gpus", "GPUs", [1, MAX_GPUS], "512")
        .takes(Takes::Gpus)
        .label("GPUs")
        .doubling(14)
        .main()
        .at(|p: &mut Params| p.gpus.slot()),
    choice(
        "scaling",
        "what stays the same: strong, the batch per step; weak, the sequences per replica",
        Scaling::LIST,
        "strong",
    )
    .label("Strong or weak scaling")
    .main()
    .at(|p: &mut Params| p.scaling.slot()),
    whole("batch", "sequences per step, if scaling is strong", [1, 1_000_000], "1024")
        .takes(Takes::Batch)
        .label("Sequences per step")
        .doubling(14)
        .more(JOB)
        .at(|p: &mut Params| p.batch.slot()),
    whole("each", "sequences of each replica, if scaling is weak", [1, 100_000], "2")
        .label("Sequences per replica")
        .doubling(10)
        .more(JOB)
        .at(|p: &mut Params| p.each.slot()),
    whole("seq", "tokens of a sequence", [1, 1_000_000], "4096")
        .takes(Takes::Sequence)
        .label("Sequence length, tokens")
        .doubling(17)
        .more(JOB)
        .at(|p: &mut Params| p.seq.slot()),
    whole("mbs", "sequences of a micro-batch", [1, 100_000], "1")
        .takes(Takes::MicroBatch)
        .label("Micro-batch size, sequences")
        .doubling(8)
        .more(JOB)
        .at(|p: &mut Params| p.mbs.slot()),
    whole("tp", "tensor-parallel ranks", [1, 64], "1")
        .takes(Takes::Tensor)
        .label("Tensor-parallel ranks")
        .doubling(6)
        .more(JOB)
        .at(|p: &mut Params| p.tp.slot()),
    whole("pp", "pipeline stages", [1, 64], "1")
        .takes(Takes::Pipeline)
        .label("Pipeline stages")
        .doubling(6)
        .more(JOB)
        .at(|p: &mut Params| p.pp.slot()),
    choice(
        "sharding",
        "ddp, every replica has all weights; fsdp, each rank a part of them (ZeRO-3)",
        Sharding::LIST,
        "ddp",
    )
    .label("Weights")
    .main()
    .at(|p: &mut Params| p.sharding.slot()),
    share(
        "overlap",
        "how much of the gradients’ communication may go on behind the arithmetic",
        0.0,
        [0.0, 1.0, 0.05],
        "1",
    )
    .label("Overlap allowed")
    .more(JOB)
    .at(|p: &mut Params| p.overlap.slot()),
    share("jitter", "standard deviation of a GPU’s time for a step, as a part of it", 0.0, [0.0, 0.2, 0.005], "0.02")
        .label("GPU time variation")
        .more(JOB)
        .at(|p: &mut Params| p.jitter.slot()),
];

impl Params {
    /// The model's architecture.
    pub fn shape(&self) -> &Shape {
        self.model.shape().unwrap_or(&presets::ALL[0].shape)
    }
}

impl Wired for Params {
    fn wires(&mut self) -> &mut Wires {
        &mut self.wires
    }
}

impl Model for Params {
    type Result = Curve;
    const ID: &'static str = "scaling-curve";
    const TITLE: &'static str = "Why more GPUs are not proportionally faster";
    const SUMMARY: &'static str = "A training step on 1 to 16,384 GPUs: what of it is work, what is waiting, for what, and what the next GPUs buy.";
    const PARAMS: &'static [Param<Self>] =
        &join::<_, { 21 + reference::OWN }>(&[&OWN, &Wires::params(), &reference::own()]);
    const APPLIES: &'static [Applies<Self>] =
        &[applies(&["batch"], |p| p.scaling == Scaling::Strong), applies(&["each"], |p| p.scaling != Scaling::Strong)];
    const ORIGIN: Origin = Origin::Own(
        "a step as work and waiting: FLOPs at one GPU’s rate, whole sequences, exposed communication, bubble, stragglers",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Rows, &["efficiency", "speedup", "gain"]),
        origin(Origin::Of("Narayanan et al. 2021, arXiv:2104.04473, §2.2.1"), &["time-bubble"]),
        origin(
            Origin::Of("Shoeybi et al. 2019 (Megatron-LM), arXiv:1909.08053, §3, with collectives in closed form"),
            &["time-communication"],
        ),
        origin(crate::network::ORIGIN, &["time-gradients"]),
        origin(crate::model::flops::ORIGIN, &["time-compute"]),
        origin(
            Origin::Of("Expected maximum of n independent normals (David and Nagaraja, “Order Statistics”)"),
            &["time-straggle"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Curve>] = &[
        headline(
            "With computation, exposed communication, bubble and stragglers.",
            measure("step-time", "Step time", Unit::Seconds, |_, c| c.here.time()),
        ),
        headline(
            "The speedup over the number of GPUs.",
            measure("efficiency", "Efficiency", Unit::Fraction, |_, c| c.here.efficiency()),
        ),
        headline(
            "How much faster a step is than on one GPU.",
            measure("speedup", "Speedup over one GPU", Unit::Ratio, |_, c| c.here.speedup()),
        ),
        headline(
            "How much of a doubling of GPUs turns into speed.",
            measure("gain", "Marginal efficiency of doubling", Unit::Fraction, |_, c| c.gain()),
        ),
        headline(
            "Beyond so many GPUs, more than half of what you pay for is lost.",
            measure("half-efficiency", "GPUs at 50% efficiency", Unit::Count, |_, c| c.half()),
        ),
        measure("sequences", "Sequences per step", Unit::Count, |_, c| c.here.sequences),
        measure("time-compute", "Compute time", Unit::Seconds, |_, c| c.here.compute),
        measure("time-communication", "Exposed communication time", Unit::Seconds, |_, c| c.here.communication),
        measure("time-bubble", "Bubble time", Unit::Seconds, |_, c| c.here.bubble),
        measure("time-straggle", "Straggler wait time", Unit::Seconds, |_, c| c.here.straggle),
        measure("time-idle", "Idle time for lack of sequences", Unit::Seconds, |_, c| c.here.idle),
        measure("time-gradients", "Gradient communication time, overlap included", Unit::Seconds, |_, c| {
            c.here.gradients
        }),
    ];

    fn evaluate(&self) -> Result<Curve, String> {
        Curve::new(self)
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.wires.settle(self.gpu, reader.query());
        self.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }

    fn follow(&mut self, before: &Self) {
        self.wires.follow([before.gpu, self.gpu]);
    }
}

impl Params {
    /// GPUs of a replica of the model.
    pub fn replica(&self) -> u64 {
        self.tp.max(1) * self.pp.max(1)
    }
}

impl Curve {
    /// What the curve says here, in sentences.
    pub fn finding(&self) -> String {
        let text = |unit: Unit, value: f64| unbroken(&unit.format(value));
        let share = |time: f64| unbroken(&Unit::Fraction.format(time / self.here.time()));
        let worst = self.worst();
        let lost = self.here.waits()[worst];
        let why = if lost > 0.0 {
            format!("Most is lost to {}, {} of the step", WAITS[worst], share(lost))
        } else {
            "Nothing is lost".to_owned()
        };
        let half = match self.half() {
            0.0 => "No number of them works half of the time".to_owned(),
            most if most >= self.steps.last().map_or(0.0, |s| s.gpus as f64) => {
                format!("Even {} work at least half of the time", grouped(most as u64))
            }
            most => format!("Beyond {} they work less than half of the time", grouped(most as u64)),
        };
        format!(
            "{} GPUs are as fast as {}: they work {} of the time. {why}; each GPU of the next doubling is worth {} of one. {half}.",
            grouped(self.here.gpus),
            text(Unit::Ratio, self.here.speedup()),
            text(Unit::Fraction, self.here.efficiency()),
            text(Unit::Fraction, self.gain()),
        )
    }
}
