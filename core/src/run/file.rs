//! `run.toml`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::measure::{Measured, Metric};
use super::topology::Topology;
use crate::declare::Takes;
use crate::hardware::{self, links};
use crate::memory::activations::Recompute;
use crate::memory::{Dtype, Optimizer};
use crate::model::{ModelRef, presets};
use crate::query::{ParamSpec, Query, did_you_mean};
use crate::setup::{JOB, Setup};

/// The largest run file that is read, in bytes.
const LONGEST: usize = 200_000;
/// By how much a count that a log prints may differ from the same model’s sizes: logs round, and some leave an embedding out.
const SAME_COUNT: f64 = 0.02;
/// Most lines that are kept as unread.
const MOST_UNREAD: usize = 60;

/// A run: what is known of it. Everything is optional; what is missing for a prediction is said by [`super::compare()`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Run {
    /// What it is called.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Where its numbers stand: a repository and path, a thread, a document.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// What else a reader should know, such as what isn't modeled.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Assertions for `ringside check`: `memory.total < 75e9`, `mfu > 0.4`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub check: Vec<String>,
    /// The model.
    #[serde(skip_serializing_if = "is_default")]
    pub model: Model,
    /// The machines.
    #[serde(skip_serializing_if = "is_default")]
    pub cluster: Cluster,
    /// How it trains.
    #[serde(skip_serializing_if = "is_default")]
    pub layout: Layout,
    /// How it serves.
    #[serde(skip_serializing_if = "is_default")]
    pub serving: Serving,
    /// What was measured.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub measured: BTreeMap<Metric, Measured>,
    /// What makes it fail, as far as the inputs say.
    #[serde(skip_serializing_if = "is_default")]
    pub fails: Fails,
    /// Settings that were pasted and aren't read: kept, so that nothing is lost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// Keys of settings that were given with a value that isn't known, such as `layout.tp`: where no other input gives one, it is assumed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// What makes a run fail, a sentence each: with it, a prediction holds only once that is fixed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fails {
    /// What the launch does instead of training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<String>,
    /// What its output ends on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A model: a name of the course, a number of parameters, or sizes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Model {
    /// The id of a preset: `llama-3-8b`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// A number of parameters, where nothing more is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<f64>,
    /// Sizes by their names in `config.json`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sizes: BTreeMap<String, Size>,
}

/// A size or a switch of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Size {
    /// A switch.
    Switch(bool),
    /// A whole number.
    Whole(u64),
    /// A word, such as `qkv`.
    Word(String),
}

impl Size {
    fn of(text: &str) -> Self {
        match (text, text.parse()) {
            ("true" | "false", _) => Self::Switch(text == "true"),
            (_, Ok(whole)) => Self::Whole(whole),
            _ => Self::Word(text.to_owned()),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Switch(on) => on.to_string(),
            Self::Whole(n) => n.to_string(),
            Self::Word(word) => word.clone(),
        }
    }
}

impl Model {
    /// A model as it stands in the file.
    pub fn of(model: &ModelRef) -> Self {
        let preset = match model {
            ModelRef::Preset(preset) => Some(*preset),
            ModelRef::Custom { shape, guess: None, .. } => presets::ALL.iter().find(|preset| preset.shape == *shape),
            // Sizes that were guessed stay a guess, even those of a known model.
            ModelRef::Custom { .. } | ModelRef::Count(_) => None,
        };
        match (preset, model) {
            (Some(preset), _) => Self { name: preset.id.to_owned(), ..Self::default() },
            (None, ModelRef::Count(n)) => Self { parameters: Some(*n as f64), ..Self::default() },
            (None, model) => {
                let sizes = model.query();
                let sizes = sizes.iter().filter(|(name, _)| *name != "model");
                Self { sizes: sizes.map(|(name, text)| (name.to_owned(), Size::of(text))).collect(), ..Self::default() }
            }
        }
    }

    /// Whether it is a number of parameters and no more.
    fn is_bare(&self) -> bool {
        self.name.is_empty() && self.sizes.is_empty()
    }

    /// Parameters in all, as far as they are known.
    fn total(&self) -> Option<f64> {
        match self.is_bare() {
            true => self.parameters,
            false => {
                let (setup, _) = Setup::read(&Query::new(self.pairs()).to_string());
                Some(setup.model?.shape()?.count().ok()?.total as f64)
            }
        }
    }

    fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        if !self.name.is_empty() {
            pairs.push(("model".to_owned(), self.name.clone()));
        } else if !self.sizes.is_empty() {
            pairs.push(("model".to_owned(), "custom".to_owned()));
            pairs.extend(self.sizes.iter().map(|(name, size)| (name.clone(), size.text())));
        } else if let Some(n) = self.parameters {
            pairs.push(("params".to_owned(), crate::query::plain(n)));
        }
        pairs
    }
}

/// The machines of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cluster {
    /// The GPU's id: `h100-80`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// What a script or a log calls it, where that fits several: `h100`. The likeliest is assumed where `gpu` isn't given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
    /// GPUs of a node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<u64>,
    /// Nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// GPUs of the whole job, where a log says only that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus: Option<u64>,
    /// The link inside a node, by id; that of the GPU if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The link between nodes, by id; that of the GPU's reference node if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub net: Option<String>,
    /// The matrix of `nvidia-smi topo -m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<String>,
}

/// How a run trains.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Layout {
    /// Whose settings these are: `megatron`, `torchtitan`, `deepspeed`, `fsdp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
    /// Tensor-parallel ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tp: Option<u64>,
    /// Sequence parallelism over the tensor-parallel ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sp: Option<bool>,
    /// Context-parallel ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cp: Option<u64>,
    /// Expert-parallel ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ep: Option<u64>,
    /// Data-parallel ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dp: Option<u64>,
    /// Pipeline stages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pp: Option<u64>,
    /// Virtual stages of each pipeline stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vpp: Option<u64>,
    /// The stage of ZeRO; FSDP's full sharding is 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zero: Option<u8>,
    /// Sequences of a micro-batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mbs: Option<u64>,
    /// Micro-batches of a step on each data-parallel rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub microbatches: Option<u64>,
    /// Sequences of a step, over all ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// Tokens of a sequence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// What is recomputed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recompute: Option<Recompute>,
    /// FlashAttention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flash: Option<bool>,
    /// The type of weights and gradients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtype: Option<Dtype>,
    /// The type that gradients are summed in, where it isn't the framework's own: 16 bits take half of fp32's memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grads: Option<Dtype>,
    /// The optimizer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<Optimizer>,
    /// Whether matrix products run in 8 bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp8: Option<bool>,
}

/// How a run serves.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Serving {
    /// `vllm`, `sglang` or `trtllm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The name of the model on the Hugging Face Hub, where it isn't one of the course's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hub: Option<String>,
    /// Tensor-parallel ranks of a replica.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tp: Option<u64>,
    /// Pipeline stages of a replica.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pp: Option<u64>,
    /// Copies of that, each with requests of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dp: Option<u64>,
    /// Whether experts or attention are spread over GPUs in a way of their own, which isn't modeled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apart: Option<bool>,
    /// The longest sequence, tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// The part of a GPU's memory that the engine takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<f64>,
    /// Requests that run at the same time, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// Bytes per weight, scales included, over all weights: 1 for FP8, 0.5 for 4 bits; those of the type if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The type of the KV cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv: Option<Dtype>,
}

impl Serving {
    /// GPUs of all copies.
    pub fn gpus(&self) -> u64 {
        [self.tp, self.pp, self.dp].into_iter().fold(1, |all: u64, n| all.saturating_mul(n.unwrap_or(1).max(1)))
    }

    /// Whether a weight can have so many bytes.
    pub(super) fn takes(each: f64) -> bool {
        (0.01..=8.0).contains(&each)
    }
}

impl Run {
    /// Reads a run file.
    ///
    /// # Errors
    /// A sentence that says what is wrong, where, and what would be valid.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!(
                "A run file has at most {} bytes, and this one has {}. Keep the summary, not the log.",
                crate::quantity::grouped(LONGEST as u64),
                crate::quantity::grouped(text.len() as u64)
            ));
        }
        let mut run: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text.get(..span.start).unwrap_or(text).lines().count().max(1));
            let place = line.map(|line| format!("Line {line}: ")).unwrap_or_default();
            format!("{place}{}.", crate::quantity::capital(error.message().trim_end_matches('.')))
        })?;
        // The GPU may go by the name that its driver gives it.
        let gpu =
            run.cluster.gpu.as_deref().filter(|gpu| hardware::find(gpu).is_none()).and_then(hardware::in_place_of_id);
        if let Some(gpu) = gpu {
            run.cluster.gpu = Some(gpu.id.to_owned());
        }
        if let Some((metric, wrong)) = run.measured.iter().find(|(metric, m)| !metric.takes(m.value)) {
            return Err(format!(
                "measured.{} can't be {}. Write it in base units: bytes, seconds, FLOP/s, and 0.4 for 40%.",
                metric.id(),
                wrong.value
            ));
        }
        if let Some(each) = run.serving.weight.filter(|each| !Serving::takes(*each)) {
            return Err(format!(
                "serving.weight can’t be {each}. Write the bytes per weight: 2 for bf16, 1 for FP8, 0.5 for 4 bits."
            ));
        }
        match run.setup().1.into_iter().next() {
            Some(problem) => Err(problem),
            None => Ok(run),
        }
    }

    /// Whether a table is meant as a run file: no less of it is one's than isn't. What is only misspelled says neither.
    pub(super) fn is_meant(table: &Table) -> bool {
        let (mut own, mut foreign) = (0, 0);
        let takes = |key: &str, value: &Value| {
            let one = Table::from_iter([(key.to_owned(), value.clone())]);
            let Err(error) = Value::Table(one).try_into::<Self>() else { return Some(true) };
            let message = error.message();
            // `unknown field `optimiser`, expected one of `name`, `source``
            let mut names = message.strip_prefix("unknown field `").unwrap_or_default().split('`').step_by(2);
            let name = names.next().filter(|name| !name.is_empty());
            let known: Vec<&str> = names.collect();
            match name {
                Some(name) => Some(false).filter(|_| did_you_mean(name, &known).is_empty()),
                None => Some(true),
            }
        };
        for (key, value) in table {
            let inner = value.as_table().filter(|_| takes(key, &Value::Table(Table::new())) != Some(false));
            let says = match inner {
                Some(inner) => {
                    let of = |(name, value): (&String, &Value)| {
                        takes(key, &Value::Table(Table::from_iter([(name.clone(), value.clone())])))
                    };
                    inner.iter().map(of).collect()
                }
                None => vec![takes(key, value); 1 + value.as_table().map_or(0, Table::len)],
            };
            own += says.iter().filter(|says| **says == Some(true)).count();
            foreign += says.iter().filter(|says| **says == Some(false)).count();
        }
        own >= foreign
    }

    /// The file's text, which [`Run::parse`] reads back to the same.
    pub fn write(&self) -> String {
        // A value that TOML can't hold, such as a number beyond 64 bits, is refused where runs are read.
        toml::to_string(self).unwrap_or_default()
    }

    /// Whether nothing is known of it, beside that it failed.
    pub fn is_empty(&self) -> bool {
        *self == Self { fails: self.fails.clone(), ..Self::default() }
    }

    /// Puts `other` over it, and says what it replaced.
    pub fn take(&mut self, other: &Self) -> Vec<String> {
        let (Ok(mut mine), Ok(theirs)) = (Table::try_from(&*self), Table::try_from(other)) else { return Vec::new() };
        let mut replaced = Vec::new();
        // A bare count, as logs print it, says nothing of sizes: it confirms a model that is known, or is held against it.
        let [known, counted] =
            [&self.model, &other.model].map(|model| model.parameters.filter(|_| model.is_bare()).is_some());
        let theirs = match (is_default(&self.model), known, counted) {
            (false, false, true) => {
                let [mine, log] = [self.model.total(), other.model.total()];
                if let Some((mine, log)) = mine.zip(log).filter(|(mine, log)| (log / mine - 1.0).abs() > SAME_COUNT) {
                    let [mine, log] = [mine, log].map(crate::quantity::count);
                    replaced.push(format!(
                        "model: a count of {log} parameters, though the model’s sizes come to {mine}, which count"
                    ));
                }
                theirs.into_iter().filter(|(key, _)| key != "model").collect()
            }
            _ => theirs,
        };
        let confirms = known && !is_default(&other.model) && !counted && {
            let [log, new] = [self.model.total(), other.model.total()];
            log.zip(new).is_some_and(|(log, new)| (log / new - 1.0).abs() <= SAME_COUNT)
        };
        // A model is one thing: sizes of one don't go with the name of another.
        if theirs.contains_key("model")
            && let Some(Value::Table(before)) = mine.remove("model")
        {
            let [before, now] = [Value::Table(before).try_into::<Model>().unwrap_or_default(), other.model.clone()];
            if before != now && !confirms {
                replaced.push(format!("model: {} instead of {}", in_a_word(&now), in_a_word(&before)));
            }
        }
        put(&mut mine, theirs, "", &mut replaced);
        if let Ok(merged) = Value::Table(mine).try_into() {
            *self = merged;
        }
        self.unread.dedup();
        self.unread.truncate(MOST_UNREAD);
        self.unknown.truncate(MOST_UNREAD);
        replaced
    }

    /// The model, the machines and their links, as "My setup" keeps them, and what of them makes no sense.
    pub fn setup(&self) -> (Setup, Vec<String>) {
        let c = &self.cluster;
        let mut problems = Vec::new();
        let mut pairs = self.model.pairs();
        let gpu = c.gpu.clone().or_else(|| self.likely().map(|(gpu, _)| gpu.id.to_owned()));
        let known: [(&str, &Option<String>, &[&str]); 3] = [
            ("gpu", &gpu, &hardware::IDS),
            ("link", &c.link, &links::INSIDE_IDS),
            ("net", &c.net, &links::BETWEEN_IDS),
        ];
        for (name, value, ids) in known {
            let Some(value) = value else { continue };
            match ids.contains(&value.as_str()) {
                true => pairs.push((name.to_owned(), value.clone())),
                false => problems.push(format!("cluster.{name} can't be “{value}”{}.", did_you_mean(value, ids))),
            }
        }
        let (node, nodes) = self.nodes();
        pairs.extend(
            [("node", node), ("nodes", nodes)]
                .into_iter()
                .filter_map(|(name, n)| Some((name.to_owned(), n?.to_string()))),
        );
        let (mut setup, of_setup) = Setup::read(&Query::new(pairs).to_string());
        let (l, s) = (&self.layout, &self.serving);
        // An engine's ranks are none of a training's, and figures of serving have no pipeline stages.
        let is_server = *s != Serving::default();
        let of = |what| match what {
            Takes::Replica => s.tp.filter(|_| s.pp.is_none_or(|pp| pp == 1)),
            Takes::Users => s.requests,
            _ if is_server => None,
            Takes::Sequence => l.seq,
            Takes::Batch => l.batch,
            Takes::MicroBatch => l.mbs,
            Takes::Tensor => l.tp,
            Takes::Pipeline => l.pp,
            Takes::Context => l.cp,
            Takes::Expert => l.ep,
            Takes::Zero => l.zero.map(u64::from),
            _ => None,
        };
        let of = |(what, spec): &(Takes, ParamSpec)| {
            of(*what).filter(|&n| spec.refuses(n as f64).is_none()).map(|n| (*what, n))
        };
        setup.job = JOB.iter().filter_map(of).collect();
        // What the matrix of a node says of its links, unless they are given.
        let topology = c.topology.as_deref().and_then(Topology::read);
        if let Some(link) = topology.filter(|_| setup.link.is_none()).and_then(|topology| topology.link(setup.gpu)) {
            setup.link = Some(link).filter(|link| setup.inside().is_none_or(|own| own.id != link.id));
        }
        problems.extend(of_setup.into_iter().map(|problem| problem.message));
        (setup, problems)
    }

    /// The GPU that its short name most likely means, and that name; none where the GPU is known.
    pub(super) fn likely(&self) -> Option<(&'static hardware::Accelerator, &str)> {
        let c = &self.cluster;
        c.short.as_deref().filter(|_| c.gpu.is_none()).and_then(|name| Some((hardware::named(name)?, name)))
    }

    /// GPUs of a node, and nodes, as far as they are known or follow from the whole job's GPUs.
    pub fn nodes(&self) -> (Option<u64>, Option<u64>) {
        let c = &self.cluster;
        match (c.node, c.nodes, c.gpus) {
            (Some(node), None, Some(gpus)) if node > 0 => (Some(node.min(gpus)), Some(gpus.div_ceil(node).max(1))),
            (None, Some(nodes), Some(gpus)) if nodes > 0 => (Some((gpus / nodes).max(1)), Some(nodes)),
            (None, None, Some(gpus)) => (Some(gpus.clamp(1, 8)), Some(gpus.div_ceil(8).max(1))),
            (node, nodes, _) => (node, nodes),
        }
    }

    /// Whether a setting was given with a value that isn't known: `layout.tp`.
    pub(super) fn is_unknown(&self, key: &str) -> bool {
        self.unknown.iter().any(|other| other == key)
    }

    /// What is to be said beside a verdict where settings weren't read: a sentence.
    pub fn caveat(&self) -> Option<String> {
        let settings = crate::quantity::counted(self.unread.len() as u64, "setting wasn’t", "settings weren’t");
        let moves = self.unread.iter().any(|setting| setting.contains("offload"));
        let moves = if moves {
            " One of them offloads: copies over PCIe and an optimizer on the CPU take time that isn’t predicted, and the GPU holds less."
        } else {
            ""
        };
        (!self.unread.is_empty()).then(|| format!("{settings} read and may change this.{moves}"))
    }

    /// What makes it fail, and that a prediction holds only without it: sentences.
    pub(super) fn failure(&self, is_predicted: bool) -> Option<String> {
        let said: Vec<&str> =
            [&self.fails.launch, &self.fails.output].into_iter().flatten().map(String::as_str).collect();
        let holds = if is_predicted { " What is predicted holds once that is fixed." } else { "" };
        (!said.is_empty()).then(|| format!("{}{holds}", said.join(" ")))
    }

    /// A measured value.
    pub fn measured(&self, metric: Metric) -> Option<f64> {
        self.measured.get(&metric).map(|measured| measured.value)
    }

    /// Keeps a measured value, if it can be one.
    pub fn measure(&mut self, metric: Metric, value: f64, from: impl Into<String>) {
        if metric.takes(value) {
            self.measured.insert(metric, Measured { value, from: from.into() });
        }
    }
}

fn in_a_word(model: &Model) -> String {
    match (model.name.as_str(), model.parameters) {
        ("", Some(n)) => format!("{} parameters", crate::quantity::count(n)),
        ("", None) => "a model by its sizes".to_owned(),
        (name, _) => name.to_owned(),
    }
}

/// What is said of a measurement that replaces another value.
fn another(metric: Metric, before: &Value, now: &Value) -> Option<String> {
    let measured = |value: &Value| value.clone().try_into::<Measured>().ok();
    let (before, now) = (measured(before)?, measured(now)?);
    let text = |m: &Measured| {
        let from = if m.from.is_empty() { String::new() } else { format!(" ({})", m.from) };
        format!("{}{from}", metric.text(m.value))
    };
    (before.value != now.value).then(|| format!("{}: {} instead of {}", metric.label(), text(&now), text(&before)))
}

/// Keys whose later value replaces the earlier one in silence, by how they begin.
const IN_SILENCE: [&str; 3] = ["cluster.topology", "name", "fails."];

/// Puts a table over another, leaf by leaf.
fn put(mine: &mut Table, theirs: Table, path: &str, replaced: &mut Vec<String>) {
    for (name, value) in theirs {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match (mine.get_mut(&name), value) {
            // One measurement replaces another as a whole.
            (Some(Value::Table(inner)), Value::Table(value)) if !path.starts_with("measured.") => {
                put(inner, value, &path, replaced);
            }
            (Some(Value::Array(inner)), Value::Array(value)) => {
                let new: Vec<Value> = value.into_iter().filter(|item| !inner.contains(item)).collect();
                inner.extend(new);
            }
            (Some(before), value) => {
                match path.strip_prefix("measured.").and_then(Metric::find) {
                    Some(metric) => replaced.extend(another(metric, before, &value)),
                    None if *before != value && !IN_SILENCE.iter().any(|start| path.starts_with(start)) => {
                        replaced.push(format!("{}: {value} instead of {before}", super::given::label(&path)));
                    }
                    None => {}
                }
                *before = value;
            }
            (None, value) => {
                mine.insert(name, value);
            }
        }
    }
}
