//! "My setup": the model, the cluster and the measurements that a learner keeps as their own.
//!
//! It is a query, in the store and in links ([`Setup::read`], [`Setup::query`]). A model's parameters declare which of its quantities they
//! take ([`crate::declare::Takes`]); [`fill()`] puts these into the state of any figure and says what it took and what it left.

mod fill;
mod measured;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use fill::{Filled, fill, fill_state, is_offered};
pub use measured::{Measurable, Measured, Times};

use crate::collective::Op;
use crate::declare::{Takes, Text as _};
use crate::hardware::links::{self, Link};
use crate::hardware::{self, Accelerator};
use crate::model::config::{Family, MODEL_TYPES};
use crate::model::shape::{self, MAX_PARAMS};
use crate::model::{ModelRef, ModelSize, presets};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader, choice, plain};

/// The longest text that is read, in bytes: some three times what a model of one's own and sixty-four times take.
pub const LONGEST: usize = 8192;
/// Most GPUs of a node.
pub const MAX_NODE: u64 = 576;
/// Most nodes.
pub const MAX_NODES: u64 = 100_000;

/// What a learner keeps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Setup {
    /// The model.
    pub model: Option<ModelRef>,
    /// The GPU.
    pub gpu: Option<&'static Accelerator>,
    /// GPUs of a node.
    pub node: Option<u64>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// The link inside a node, where it is not the one that the GPU comes with.
    pub link: Option<&'static Link>,
    /// The link between nodes, where it is not the one that the GPU comes with.
    pub net: Option<&'static Link>,
    /// The job: how a step is made up and how the GPUs share it. Its keys are those of [`JOB`].
    pub job: BTreeMap<Takes, u64>,
    /// What labs measured, in base units.
    pub measured: BTreeMap<Measurable, f64>,
    /// Times of a collective by size.
    pub times: Option<Times>,
}

const fn whole(name: &'static str, doc: &'static str, max: u64) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Integer { min: 1, max }, default: "" }
}

/// What is kept of a job: of training first, then what only a server has ([`SERVING`]).
pub const JOB: [(Takes, ParamSpec); 10] = [
    (Takes::Sequence, whole("seq", "Sequence length, tokens", 1 << 24)),
    (Takes::Batch, whole("batch", "Sequences per step", 1 << 24)),
    (Takes::MicroBatch, whole("mbs", "Micro-batch size, sequences", 1 << 20)),
    (Takes::Tensor, whole("tp", "Tensor-parallel ranks", MAX_NODE)),
    (Takes::Pipeline, whole("pp", "Pipeline stages", 1024)),
    (Takes::Context, whole("cp", "Context-parallel ranks", 1024)),
    (Takes::Expert, whole("ep", "Expert-parallel ranks", 1024)),
    (Takes::Zero, ParamSpec { kind: Kind::Integer { min: 0, max: 3 }, ..whole("zero", "ZeRO stage", 3) }),
    (Takes::Replica, whole("replica", "GPUs per replica", 1024)),
    (Takes::Users, whole("users", "Concurrent users", 1_000_000)),
];

/// The first of [`JOB`] that only a server has.
pub const SERVING: usize = 8;

/// What a setup's query may name, beside [`JOB`], [`Measurable`] and [`shape::SPECS`].
const SPECS: [ParamSpec; 11] = [
    choice("model", "a model by name, or custom with its sizes", &presets::CHOICES, ""),
    ParamSpec {
        name: "params",
        doc: "number of parameters, instead of a model",
        kind: Kind::Real { min: 1.0, max: MAX_PARAMS as f64 },
        default: "",
    },
    choice("guess", "with model=custom: the family by whose rules it was read", &MODEL_TYPES, ""),
    choice("gpu", "the GPU", &hardware::IDS, ""),
    whole("node", "GPUs per node", MAX_NODE),
    whole("nodes", "nodes", MAX_NODES),
    choice("link", "link inside a node", &links::INSIDE_IDS, ""),
    choice("net", "link between nodes", &links::BETWEEN_IDS, ""),
    choice("op", "the collective that was timed", Op::LIST.ids, ""),
    whole("ranks", "the ranks that it was timed on", 1 << 20),
    choice("times", "its times: bytes:µs, with commas between", &[], ""),
];

impl Setup {
    /// Reads what [`Setup::query`] writes. What cannot be used is left out and named.
    pub fn read(text: &str) -> (Self, Vec<Problem>) {
        if text.len() > LONGEST {
            let message =
                format!("A setup has at most {LONGEST} characters; this one has {}. It was ignored.", text.len());
            let value = crate::query::shorten(text);
            return (Self::default(), vec![Problem { name: "setup".into(), value, message, refused: false }]);
        }
        let query = Query::parse(text);
        let measurable = Measurable::ALL.map(Measurable::spec);
        let job = JOB.iter().map(|(_, spec)| spec);
        let specs = SPECS.iter().chain(job).chain(&measurable).chain(&shape::SPECS).collect();
        let mut reader = Reader::over(specs, &query);
        let mut whole = |name: &str| reader.real_or_none(name).map(|n| n as u64);
        let (node, nodes, ranks) = (whole("node"), whole("nodes"), whole("ranks"));
        let job = JOB.iter().filter_map(|(what, spec)| Some((*what, whole(spec.name)?))).collect();
        let mut setup = Self { node, nodes, job, ..Self::default() };
        setup.gpu = hardware::find(reader.choice("gpu"));
        setup.link = links::find(reader.choice("link"));
        setup.net = links::find(reader.choice("net"));
        for what in Measurable::ALL {
            if let Some(value) = reader.real_or_none(what.id()) {
                setup.measured.insert(what, value);
            }
        }
        setup.times = times(&mut reader, ranks);
        setup.model = model(&mut reader);
        (setup, reader.finish())
    }

    /// The query that reads back to the same.
    pub fn query(&self) -> Query {
        let mut query = self.model.map(|model| model.query()).unwrap_or_default();
        let mut say = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                query.set(name, value);
            }
        };
        say("gpu", self.gpu.map(|gpu| gpu.id.to_owned()));
        say("node", self.node.map(|n| n.to_string()));
        say("nodes", self.nodes.map(|n| n.to_string()));
        say("link", self.link.map(|link| link.id.to_owned()));
        say("net", self.net.map(|link| link.id.to_owned()));
        for (what, spec) in JOB {
            say(spec.name, self.job.get(&what).map(u64::to_string));
        }
        for (what, value) in &self.measured {
            say(what.id(), Some(plain(*value)));
        }
        if let Some(times) = &self.times {
            say("op", Some(times.op.id().to_owned()));
            say("ranks", Some(times.ranks.to_string()));
            say("times", Some(times.points.write()));
        }
        query
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// GPUs in all.
    pub fn gpus(&self) -> Option<u64> {
        match (self.node, self.nodes) {
            (None, None) => None,
            (node, nodes) => Some(node.unwrap_or(1) * nodes.unwrap_or(1)),
        }
    }

    /// The link inside a node: the one that was chosen, or the GPU's own.
    pub fn inside(&self) -> Option<&'static Link> {
        self.link.or_else(|| links::of(self.gpu?).0)
    }

    /// The link between nodes: the one that was chosen, or that of the GPU's reference node.
    pub fn between(&self) -> Option<&'static Link> {
        self.net.or_else(|| links::of(self.gpu?).1)
    }

    /// Puts what a lab measured into it.
    pub fn keep(&mut self, measured: &[Measured], times: Option<&Times>) {
        self.measured
            .extend(measured.iter().filter(|m| m.what.spec().refuses(m.value).is_none()).map(|m| (m.what, m.value)));
        if let Some(times) = times {
            self.times = Some(times.clone());
        }
    }

    /// Puts another over it: what the other has replaces what is here, and with the GPU go its links.
    pub fn adopt(&mut self, other: &Self) {
        self.model = other.model.or(self.model);
        if other.gpu.is_some() {
            (self.gpu, self.link, self.net) = (other.gpu, other.link, other.net);
        } else {
            (self.link, self.net) = (other.link.or(self.link), other.net.or(self.net));
        }
        (self.node, self.nodes) = (other.node.or(self.node), other.nodes.or(self.nodes));
        // One job's layout isn't another's.
        if !other.job.is_empty() {
            self.job.clone_from(&other.job);
        }
        self.measured.extend(&other.measured);
        if other.times.is_some() {
            self.times.clone_from(&other.times);
        }
    }

    /// Whether it has all of that already.
    pub fn has(&self, measured: &[Measured], times: Option<&Times>) -> bool {
        let kept =
            |m: &Measured| m.what.spec().refuses(m.value).is_some() || self.measured.get(&m.what) == Some(&m.value);
        measured.iter().all(kept) && times.is_none_or(|times| self.times.as_ref() == Some(times))
    }
}

/// The model; none where it is not given, or what is given makes none.
fn model(reader: &mut Reader<'_>) -> Option<ModelRef> {
    let guess = Family::find(reader.choice("guess"));
    let count = reader.real_or_none("params");
    let model = match reader.choice("model") {
        "" => return count.map(|n| ModelRef::Count(n.round() as u64)),
        "custom" => {
            let shape = shape::read(reader)?;
            ModelRef::Custom { shape, guess, stored: ModelRef::checkpoint(reader).unwrap_or_default() }
        }
        id => ModelRef::Preset(presets::find(id)?),
    };
    match model.shape().map(ModelSize::of) {
        Some(Err(why)) => {
            reader.problem("model", why.message);
            None
        }
        _ => Some(model),
    }
}

/// The times of a collective; none where any of them cannot be read.
fn times(reader: &mut Reader<'_>, ranks: Option<u64>) -> Option<Times> {
    let op = Op::find(reader.choice("op"));
    let text = reader.text("times")?.to_owned();
    let mut times = Times { op: op.unwrap_or_default(), ranks: ranks.unwrap_or_default(), ..Times::default() };
    if let Err(why) = times.points.read(&text) {
        reader.problem("times", why.replacen("measured has", "times has", 1));
    } else if op.is_none() || ranks.is_none_or(|n| n < 2) {
        reader.problem(
            "times",
            "Times of a collective need op, the collective, and ranks, two or more. They were ignored.",
        );
    } else {
        times.shorten();
        return Some(times).filter(|times| !times.points.is_empty());
    }
    None
}
