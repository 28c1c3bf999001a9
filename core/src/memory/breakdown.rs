//! What one GPU holds of weights, gradients and optimizer states, under ZeRO 0 to 3, and whether it fits.
//!
//! With Ψ parameters in mixed precision and K bytes of optimizer state a parameter (12 for Adam: fp32 master copy,
//! momentum, variance), a GPU of N_d data-parallel ranks holds, by stage:
//! 0: (2 + 2 + K)Ψ · 1: 2Ψ + 2Ψ + KΨ/N_d · 2: 2Ψ + (2 + K)Ψ/N_d · 3: (2 + 2 + K)Ψ/N_d
//! (Rajbhandari et al., ZeRO, arXiv:1910.02054, §5.1–5.4 and Figure 1). [`Convention`] has the other ways of counting.
//!
//! Shards are Ψ/N_d exactly: padding to whole elements is not counted. Nothing is counted for activations, buffers,
//! the CUDA context or fragmentation.

use std::fmt;

use super::advice::{self, Suggestion};
use super::convention::{Concept, Convention, Sharding, Term};
use super::optimizer::Optimizer;
use super::precision::Dtype;
use crate::catalogue::{Entry, Evaluation};
use crate::hardware::{self, Accelerator};
use crate::model::shape::SPECS as SHAPE;
use crate::model::{ConfigProblem, ModelRef, ModelSize, reference};
use crate::quantity::{Quantity, Unit};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader, join};
use crate::units::Bytes;

/// Most data-parallel ranks.
pub const MAX_DP: u64 = 65_536;

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The model.
    pub model: ModelRef,
    /// The type of weights and gradients. 16-bit types mean mixed precision with an fp32 master copy.
    pub dtype: Dtype,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// Whose way of counting.
    pub convention: Convention,
    /// ZeRO stage, 0 to 3.
    pub zero: u8,
    /// Data-parallel ranks, 1 to 65 536.
    pub dp: u64,
    /// The GPU whose memory it is compared with.
    pub gpu: &'static Accelerator,
}

const OWN: [ParamSpec; 6] = [
    ParamSpec {
        name: "dtype",
        doc: "type of weights and gradients; bf16 and fp16 keep an fp32 master copy in the optimizer",
        kind: Kind::Choice(&["bf16", "fp16", "fp32"]),
        default: "bf16",
    },
    ParamSpec {
        name: "optimizer",
        doc: "optimizer",
        kind: Kind::Choice(&["adamw", "adam8bit", "sgd", "momentum", "adafactor", "lion", "muon"]),
        default: "adamw",
    },
    ParamSpec {
        name: "convention",
        doc: "whose way of counting: the ZeRO paper’s, DeepSpeed’s, Megatron-LM’s",
        kind: Kind::Choice(&["zero", "deepspeed", "megatron"]),
        default: "zero",
    },
    ParamSpec { name: "zero", doc: "ZeRO stage", kind: Kind::Integer { min: 0, max: 3 }, default: "0" },
    ParamSpec { name: "dp", doc: "data-parallel ranks", kind: Kind::Integer { min: 1, max: MAX_DP }, default: "64" },
    ParamSpec {
        name: "gpu",
        doc: "GPU whose memory is compared with",
        kind: Kind::Choice(&hardware::IDS),
        default: "h100-80",
    },
];

const PARAMS: [ParamSpec; 42] = join(&[&reference::SPECS, &OWN, &SHAPE]);

const QUANTITIES: &[(&str, &str, Unit)] = &[
    ("params", "Parameters", Unit::Count),
    ("weights", "Weights", Unit::Bytes),
    ("gradients", "Gradients", Unit::Bytes),
    ("optimizer", "Optimizer states", Unit::Bytes),
    ("total", "Total", Unit::Bytes),
    ("master", "of the optimizer states: master copy", Unit::Bytes),
    ("momentum", "of the optimizer states: momentum", Unit::Bytes),
    ("variance", "of the optimizer states: variance", Unit::Bytes),
    ("total-zero-0", "Total without ZeRO", Unit::Bytes),
    ("total-zero-1", "Total with ZeRO-1", Unit::Bytes),
    ("total-zero-2", "Total with ZeRO-2", Unit::Bytes),
    ("total-zero-3", "Total with ZeRO-3", Unit::Bytes),
    ("bytes-per-param", "Bytes a parameter, unsharded", Unit::Ratio),
    ("capacity", "Memory of the GPU", Unit::Bytes),
    ("headroom", "Memory left", Unit::Bytes),
    ("fits", "Fits (1) or not (0)", Unit::Count),
];

/// This model in the catalogue.
pub const ENTRY: Entry = Entry {
    id: "memory-breakdown",
    title: "Memory breakdown",
    summary: "What a model’s weights, gradients and optimizer states take on each GPU, and whether they fit.",
    params: &PARAMS,
    quantities: QUANTITIES,
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        let query = params.query();
        match breakdown(&params) {
            Ok(result) => Evaluation { query, problems, quantities: result.quantities(), error: None },
            Err(error) => Evaluation { query, problems, quantities: Vec::new(), error: Some(error.to_string()) },
        }
    },
};

/// Why there is no result. Cannot happen for parameters that were read from a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The architecture is impossible.
    Model(ConfigProblem),
    /// A number is out of range: its name, its value, and what is valid.
    OutOfRange(&'static str, u64, &'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Model(problem) => problem.fmt(f),
            Error::OutOfRange(name, value, valid) => write!(f, "{name} must be a whole number {valid}, not {value}."),
        }
    }
}

impl std::error::Error for Error {}

impl Default for Params {
    /// 30 billion parameters, bf16, AdamW, no ZeRO, 64 ranks of H100.
    fn default() -> Self {
        Self {
            model: ModelRef::Count(30_000_000_000),
            dtype: Dtype::Bf16,
            optimizer: Optimizer::AdamW,
            convention: Convention::Zero,
            zero: 0,
            dp: 64,
            gpu: hardware::find("h100-80").unwrap_or(&hardware::ALL[0]),
        }
    }
}

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let default = Self::default();
        let mut reader = Reader::new(&PARAMS, query);
        let params = Self {
            model: ModelRef::read(&mut reader, query),
            dtype: Dtype::find(reader.choice("dtype")).unwrap_or(default.dtype),
            optimizer: Optimizer::find(reader.choice("optimizer")).unwrap_or(default.optimizer),
            convention: Convention::find(reader.choice("convention")).unwrap_or(default.convention),
            zero: u8::try_from(reader.integer("zero")).unwrap_or(0).min(3),
            dp: reader.integer("dp").clamp(1, MAX_DP),
            gpu: hardware::find(reader.choice("gpu")).unwrap_or(default.gpu),
        };
        (params, reader.finish())
    }

    /// The parameters as a query that reads back to the same, defaults included: a link stays what it is.
    pub fn query(&self) -> Query {
        let mut query = self.model.query();
        for (name, value) in [
            ("dtype", self.dtype.id()),
            ("optimizer", self.optimizer.id()),
            ("convention", self.convention.id()),
            ("zero", ["0", "1", "2", "3"].get(usize::from(self.zero)).copied().unwrap_or("3")),
        ] {
            query.set(name, value);
        }
        query.set("dp", self.dp.to_string());
        query.set("gpu", self.gpu.id);
        query
    }

    /// These parameters with `changes` put over them. A change of `model` drops `params` and the other way round, so
    /// that neither is reported as a contradiction.
    pub fn with(&self, changes: &Query) -> (Self, Vec<Problem>) {
        let of_model = |name: &str| reference::SPECS.iter().chain(&SHAPE).any(|s| s.name == name);
        let replaces = changes.iter().any(|(n, v)| matches!(n, "model" | "params") && !v.trim().is_empty());
        let kept = self.query();
        let kept = Query::new(kept.iter().filter(|(n, _)| !(replaces && of_model(n))));
        Self::read(&kept.with(changes))
    }

    fn check(&self) -> Result<ModelSize, Error> {
        if self.zero > 3 {
            return Err(Error::OutOfRange("zero", self.zero.into(), "from 0 to 3"));
        }
        if !(1..=MAX_DP).contains(&self.dp) {
            return Err(Error::OutOfRange("dp", self.dp, "from 1 to 65,536"));
        }
        self.model.size().map_err(Error::Model)
    }

    pub(super) fn terms(&self, size: &ModelSize, stage: u8) -> Vec<Term> {
        let sharding = Sharding { stage, dp: self.dp };
        self.convention.terms(size, self.dtype, self.optimizer, sharding)
    }

    /// Bytes on one GPU at these parameters, for a model whose size is known already.
    pub fn total(&self, size: &ModelSize) -> Bytes {
        Bytes(self.terms(size, self.zero).iter().map(Term::total).sum())
    }
}

/// One term of the breakdown.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The term: what it is, of how many elements, shared by how many ranks.
    pub term: Term,
    /// Bytes on one GPU.
    pub bytes: Bytes,
    /// "2 bytes × 30 B / 64".
    pub formula: String,
}

/// One ZeRO stage, for the side-by-side comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageRow {
    /// 0 to 3.
    pub stage: u8,
    /// Weights on one GPU.
    pub weights: Bytes,
    /// Gradients on one GPU.
    pub gradients: Bytes,
    /// Optimizer states on one GPU.
    pub optimizer: Bytes,
    /// The sum of the three.
    pub total: Bytes,
    /// Whether `total` is at most the GPU's memory.
    pub fits: bool,
    /// Elements that each rank sends in a step, in units of Ψ: 2 up to stage 2, 3 at stage 3 (ZeRO §7); 0 alone.
    pub communication: f64,
}

/// What one GPU holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakdown {
    /// What was asked.
    pub params: Params,
    /// The sizes of the model, with its count by component where the architecture is known.
    pub size: ModelSize,
    /// Term by term, weights first, then gradients, then optimizer states.
    pub rows: Vec<Row>,
    /// Weights on one GPU.
    pub weights: Bytes,
    /// Gradients on one GPU.
    pub gradients: Bytes,
    /// Optimizer states on one GPU.
    pub optimizer: Bytes,
    /// The sum of the three.
    pub total: Bytes,
    /// The four stages at these parameters.
    pub stages: [StageRow; 4],
    /// Memory of the GPU, as sold; see [`crate::hardware`].
    pub capacity: Bytes,
    /// `capacity` − `total`: what is left for activations and all else; negative if it does not fit.
    pub headroom: Bytes,
    /// Whether `total` is at most `capacity`.
    pub fits: bool,
    /// If it does not fit: the cheapest change that would make it fit, or that nothing tried would.
    pub suggestion: Option<Suggestion>,
    /// What was assumed and whose numbers these are, for the small print.
    pub notes: Vec<String>,
}

/// Computes what one GPU holds. An error only for parameters that no query can give.
pub fn breakdown(params: &Params) -> Result<Breakdown, Error> {
    let size = params.check()?;
    let capacity = params.gpu.memory;
    let stages = [0, 1, 2, 3].map(|stage| stage_row(params, &size, stage));
    let here = stages.get(usize::from(params.zero)).copied().unwrap_or(stages[0]);
    let rows = params
        .terms(&size, params.zero)
        .into_iter()
        .map(|term| Row { bytes: Bytes(term.total()), formula: term.formula(), term })
        .collect();
    Ok(Breakdown {
        params: *params,
        size,
        rows,
        weights: here.weights,
        gradients: here.gradients,
        optimizer: here.optimizer,
        total: here.total,
        stages,
        capacity,
        headroom: capacity - here.total,
        fits: here.fits,
        suggestion: (!here.fits).then(|| advice::cheapest(params, &size)),
        notes: advice::notes(params, &size),
    })
}

fn stage_row(params: &Params, size: &ModelSize, stage: u8) -> StageRow {
    let (mut weights, mut gradients, mut optimizer) = (0.0, 0.0, 0.0);
    for term in params.terms(size, stage) {
        match term.concept {
            Concept::Weights => weights += term.total(),
            Concept::Gradients => gradients += term.total(),
            Concept::Optimizer => optimizer += term.total(),
        }
    }
    let total = weights + gradients + optimizer;
    StageRow {
        stage,
        weights: Bytes(weights),
        gradients: Bytes(gradients),
        optimizer: Bytes(optimizer),
        total: Bytes(total),
        fits: total <= params.gpu.memory.0,
        communication: if params.dp <= 1 {
            0.0
        } else if stage == 3 {
            3.0
        } else {
            2.0
        },
    }
}

impl Breakdown {
    /// Bytes of the terms with this id (`master`, `momentum`, `variance`, …); 0 if there is none.
    pub fn part(&self, id: &str) -> Bytes {
        self.rows.iter().filter(|r| r.term.id == id).map(|r| r.bytes).sum()
    }

    /// The lowest stage that fits.
    pub fn first_stage_that_fits(&self) -> Option<u8> {
        self.stages.iter().find(|s| s.fits).map(|s| s.stage)
    }

    /// The picture in one or two sentences, with its numbers.
    pub fn finding(&self) -> String {
        advice::finding(self)
    }

    /// The quantities of the catalogue, in its order.
    pub fn quantities(&self) -> Vec<Quantity> {
        let [zero0, zero1, zero2, zero3] = self.stages.map(|s| s.total.0);
        let values = [
            self.size.params,
            self.weights.0,
            self.gradients.0,
            self.optimizer.0,
            self.total.0,
            self.part("master").0,
            self.part("momentum").0,
            self.part("variance").0,
            zero0,
            zero1,
            zero2,
            zero3,
            zero0 / self.size.params,
            self.capacity.0,
            self.headroom.0,
            f64::from(u8::from(self.fits)),
        ];
        QUANTITIES.iter().zip(values).map(|(&(id, label, unit), value)| Quantity::new(id, label, value, unit)).collect()
    }
}
