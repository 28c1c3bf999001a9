//! The parameters, the model in the catalogue, and the questions that it answers.

use super::{Curve, WAITS};
use crate::catalogue::{Entry, Evaluation, Measures, Parameters};
use crate::hardware::{self, Accelerator, links};
use crate::model::{Preset, presets};
use crate::network::Wires;
use crate::quantity::{Quantity, Unit, grouped, unbroken};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader, join, plain};

/// What stays the same as GPUs are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// The batch: each GPU has less to do.
    Strong,
    /// The work of each replica: the batch grows.
    Weak,
}

/// Who keeps the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharding {
    /// Every replica all of them; gradients are all-reduced.
    Ddp,
    /// Each rank a part, gathered layer by layer; gradients are reduce-scattered.
    Fsdp,
}

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The model.
    pub model: &'static Preset,
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

/// The models: dense ones, from small to large.
pub const MODELS: [&str; 7] =
    ["gpt2-xl", "llama-2-7b", "llama-3-8b", "llama-2-13b", "llama-2-70b", "llama-3-70b", "gpt3-175b"];

const fn whole(name: &'static str, doc: &'static str, max: u64, default: &'static str) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Integer { min: 1, max }, default }
}

const fn part(name: &'static str, doc: &'static str, min: f64, default: &'static str) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Real { min, max: 1.0 }, default }
}

const OWN: [ParamSpec; 14] = [
    ParamSpec { name: "model", doc: "model", kind: Kind::Choice(&MODELS), default: "llama-2-7b" },
    ParamSpec { name: "gpu", doc: "GPU", kind: Kind::Choice(&hardware::IDS), default: "h100-80" },
    part("mfu", "share of its peak that one GPU reaches alone", 0.01, "0.5"),
    whole("gpus", "GPUs", MAX_GPUS, "512"),
    ParamSpec {
        name: "scaling",
        doc: "what stays the same: strong, the batch of a step; weak, the sequences of a replica",
        kind: Kind::Choice(&["strong", "weak"]),
        default: "strong",
    },
    whole("batch", "sequences of a step, if scaling is strong", 1_000_000, "1024"),
    whole("each", "sequences of each replica, if scaling is weak", 100_000, "2"),
    whole("seq", "tokens of a sequence", 1_000_000, "4096"),
    whole("mbs", "sequences of a micro-batch", 100_000, "1"),
    whole("tp", "tensor-parallel ranks", 64, "1"),
    whole("pp", "pipeline stages", 64, "1"),
    ParamSpec {
        name: "sharding",
        doc: "ddp, every replica has all weights; fsdp, each rank a part of them (ZeRO-3)",
        kind: Kind::Choice(&["ddp", "fsdp"]),
        default: "ddp",
    },
    part("overlap", "how much of the gradients’ communication may go on behind the arithmetic", 0.0, "1"),
    part("jitter", "standard deviation of a GPU’s time for a step, as a part of it", 0.0, "0.02"),
];
const PARAMS: &[ParamSpec] = &join::<21>(&[&OWN, &Wires::SPECS]);

/// This model in the catalogue.
pub const ENTRY: Entry = Entry {
    id: "scaling-curve",
    title: "Why more GPUs are not proportionally faster",
    summary: "A training step on 1 to 16,384 GPUs: what of it is work, what is waiting, for what, and what the next GPUs buy.",
    params: Parameters::Specs(PARAMS),
    quantities: Measures::List(&[
        ("step-time", "Step", Unit::Seconds),
        ("efficiency", "Efficiency", Unit::Fraction),
        ("speedup", "As fast as one GPU, times", Unit::Ratio),
        ("gain", "Each GPU of the next doubling is worth", Unit::Fraction),
        ("half-efficiency", "GPUs up to 50% efficiency", Unit::Count),
        ("sequences", "Sequences of a step", Unit::Count),
        ("time-compute", "Work", Unit::Seconds),
        ("time-communication", "Exposed communication", Unit::Seconds),
        ("time-bubble", "Bubble", Unit::Seconds),
        ("time-straggle", "Wait for the slowest", Unit::Seconds),
        ("time-idle", "No sequence left", Unit::Seconds),
        ("time-gradients", "Gradients’ way, hidden or not", Unit::Seconds),
    ]),
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        Evaluation::new(params.query(), problems, Curve::new(&params).map(|curve| curve.quantities()))
    },
};

/// A question, and a state that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// The question.
    pub name: &'static str,
    /// The state.
    pub query: &'static str,
}

/// What people ask.
pub const QUESTIONS: [Question; 5] = [
    Question { name: "Why does scaling stall?", query: "gpus=1024&scaling=strong&batch=1024&nics=2" },
    Question { name: "Why is it not linear?", query: "gpus=8192&scaling=weak&each=4&jitter=0.05" },
    Question { name: "What is saturation?", query: "gpus=256&scaling=weak&each=2&nics=1&net=eth-100" },
    Question { name: "Shards of 8192?", query: "gpus=8192&scaling=weak&each=2&sharding=fsdp" },
    Question {
        name: "Too few micro-batches?",
        query: "model=llama-2-70b&gpus=2048&tp=8&pp=8&scaling=strong&batch=512",
    },
];

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(PARAMS, query);
        let strong = reader.choice("scaling") != "weak";
        let sharded = reader.choice("sharding") == "fsdp";
        let gpu = hardware::find(reader.choice("gpu")).unwrap_or(&hardware::ALL[0]);
        let wires = Wires::read(&mut reader);
        let [link, net] = links::with_gpu(gpu, query, [wires.link, wires.net]);
        let params = Self {
            model: presets::find(reader.choice("model")).unwrap_or(&presets::ALL[0]),
            gpu,
            mfu: reader.real("mfu").clamp(0.01, 1.0),
            gpus: reader.integer("gpus").clamp(1, MAX_GPUS),
            scaling: if strong { Scaling::Strong } else { Scaling::Weak },
            batch: reader.integer("batch").max(1),
            each: reader.integer("each").max(1),
            seq: reader.integer("seq").max(1),
            mbs: reader.integer("mbs").max(1),
            tp: reader.integer("tp").max(1),
            pp: reader.integer("pp").max(1),
            sharding: if sharded { Sharding::Fsdp } else { Sharding::Ddp },
            overlap: reader.real("overlap").clamp(0.0, 1.0),
            jitter: reader.real("jitter").clamp(0.0, 1.0),
            wires: Wires { link, net, ..wires },
        };
        (params, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        let own = [
            ("model", self.model.id.to_owned()),
            ("gpu", self.gpu.id.to_owned()),
            ("mfu", plain(self.mfu)),
            ("gpus", self.gpus.to_string()),
            ("scaling", self.scaling.id().to_owned()),
            ("batch", self.batch.to_string()),
            ("each", self.each.to_string()),
            ("seq", self.seq.to_string()),
            ("mbs", self.mbs.to_string()),
            ("tp", self.tp.to_string()),
            ("pp", self.pp.to_string()),
            ("sharding", self.sharding.id().to_owned()),
            ("overlap", plain(self.overlap)),
            ("jitter", plain(self.jitter)),
        ];
        Query::new(own.into_iter().chain(self.wires.pairs()))
    }

    /// GPUs of a replica of the model.
    pub fn replica(&self) -> u64 {
        self.tp.max(1) * self.pp.max(1)
    }
}

impl Scaling {
    /// The name in a query string.
    pub fn id(self) -> &'static str {
        if self == Self::Strong { "strong" } else { "weak" }
    }
}

impl Sharding {
    /// The name in a query string.
    pub fn id(self) -> &'static str {
        if self == Self::Ddp { "ddp" } else { "fsdp" }
    }
}

impl Curve {
    /// The numbers of [`ENTRY`].
    pub fn quantities(&self) -> Vec<Quantity> {
        ENTRY.measured(|id| self.quantity(id))
    }

    /// The value of a quantity of [`ENTRY`]; 0 for any other id.
    pub fn quantity(&self, id: &str) -> f64 {
        let step = &self.here;
        match id {
            "step-time" => step.time(),
            "efficiency" => step.efficiency(),
            "speedup" => step.speedup(),
            "gain" => self.gain(),
            "half-efficiency" => self.half(),
            "sequences" => step.sequences,
            "time-compute" => step.compute,
            "time-communication" => step.communication,
            "time-bubble" => step.bubble,
            "time-straggle" => step.straggle,
            "time-idle" => step.idle,
            "time-gradients" => step.gradients,
            _ => 0.0,
        }
    }

    /// What the curve says here, in sentences.
    pub fn finding(&self) -> String {
        let text = |unit: Unit, id: &str| unbroken(&unit.format(self.quantity(id)));
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
            text(Unit::Ratio, "speedup"),
            text(Unit::Fraction, "efficiency"),
            text(Unit::Fraction, "gain"),
        )
    }
}
