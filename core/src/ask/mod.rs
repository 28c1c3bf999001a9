//! A question with numbers in it, and the figure that answers it: "7B LoRA on one 24 GB card".
//!
//! [`answer`] reads the model, the GPUs and the amounts that a question names (`read`), takes the first figure of a short list whose words the
//! question has, and sets it through the parameters that the figure declares ([`crate::setup::fill()`]). What was read is listed, what was not
//! read is not claimed, and the figure's own model says what comes of it. A speed that was measured opens the page that compares a run with its
//! prediction, and is held against published runs (`measured`).

mod measured;
mod read;
#[cfg(test)]
mod tests;

use crate::catalogue;
use crate::declare::{Model, Takes};
use crate::kv_cache::blocks::figure as cache;
use crate::memory::breakdown as memory;
use crate::model::{Import, ModelRef, presets};
use crate::planner;
use crate::post_training::adapters::figure as adapters;
use crate::post_training::held::Tune;
use crate::post_training::memory as rlhf;
use crate::query::{Kind, Query, plain};
use crate::serving::sizing;
use crate::setup::{Setup, fill};
use crate::training_run;
use read::{Reading, like};

/// A figure in the state that answers a question, or the page that compares runs with what was measured of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The figure's id; [`RUN`] for the page that compares runs.
    pub figure: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// Its state; of that page what its fragment holds.
    pub query: Query,
    /// What was read of the question.
    pub read: Vec<String>,
    /// What comes of it: a sentence or a few. Empty where only the figure can say it.
    pub says: String,
}

impl Answered {
    /// Its address, relative to the site's base.
    pub fn href(&self) -> String {
        match self.figure {
            RUN => format!("{RUN}/#{}", self.query),
            figure => format!("w/{figure}/?{}", self.query),
        }
    }

    /// What was read of the question, in words.
    pub fn read_as(&self) -> String {
        let rest = if self.figure == RUN { "" } else { " Every other setting keeps the figure’s default." };
        format!("Read as: {}.{rest}", self.read.join(", "))
    }
}

/// The page that compares a run with what the models predict of it.
pub const RUN: &str = "run";

/// A figure that answers a kind of question.
struct Rule {
    figure: &'static str,
    /// Whether the question is of its kind.
    is_asked: fn(&Reading) -> bool,
    /// What the question sets beside the model and the GPUs: names and values of parameters.
    sets: fn(&Reading) -> Vec<(&'static str, String)>,
    /// What the figure says.
    says: fn(&Query, &Reading) -> String,
}

const ADAPTER: [&str; 6] = ["lora", "qlora", "peft", "adapter", "adapters", "dora"];
const RL: [&str; 4] = ["ppo", "grpo", "dpo", "rlhf"];
const COST: [&str; 9] = ["long", "days", "weeks", "hours", "cost", "costs", "expensive", "price", "budget"];
const TRAIN: [&str; 6] = ["train", "training", "pretrain", "pretraining", "pre", "scratch"];
const SERVE: [&str; 13] = [
    "serve",
    "serving",
    "users",
    "user",
    "deploy",
    "hosting",
    "host",
    "vllm",
    "sglang",
    "throughput",
    "concurrent",
    "inference",
    "concurrency",
];
const LAYOUT: [&str; 7] = ["tp", "pp", "parallelism", "layout", "megatron", "3d", "parallel"];
const MEMORY: [&str; 24] = [
    "fit",
    "fits",
    "memory",
    "vram",
    "oom",
    "train",
    "training",
    "finetune",
    "finetuning",
    "tune",
    "tuning",
    "pretrain",
    "fsdp",
    "zero",
    "deepspeed",
    "ddp",
    "gpu",
    "gpus",
    "card",
    "run",
    "load",
    "cuda",
    "need",
    "needed",
];

/// The first whose kind of question it is.
const RULES: [Rule; 7] = [
    Rule {
        figure: adapters::Params::ID,
        is_asked: |r| r.has(&ADAPTER),
        sets: |r| some([("rank", r.rank), ("seq", r.seq), ("mbs", r.batch)]),
        says: |query, r| {
            let wanted = if r.has(&["qlora"]) { Tune::Qlora } else { Tune::Lora };
            of(query, |p: &adapters::Params, s| p.verdict_in_words(s, wanted))
        },
    },
    Rule {
        figure: rlhf::Params::ID,
        is_asked: |r| r.has(&RL),
        sets: |r| {
            let method = ["grpo", "dpo"].into_iter().find(|method| r.has(&[method])).unwrap_or("ppo");
            vec![("method", method.to_owned())]
        },
        says: |query, _| of(query, |p: &rlhf::Params, s| p.finding(s)),
    },
    Rule {
        figure: sizing::Params::ID,
        is_asked: |r| r.has(&SERVE) || (r.has(&["second", "s"]) && r.has(&["tokens", "token"])),
        sets: |r| {
            let users = r.users.or_else(|| r.has(&["second", "s"]).then_some(1));
            // Who asks how many is told how many; who has some is told whether they are enough.
            let have = r.cluster().map(|[node, nodes]| node * nodes).filter(|_| r.users.is_some());
            some([("users", users), ("prompt", r.seq), ("have", have)])
        },
        says: |query, _| of(query, |p: &sizing::Params, plan| p.finding(plan)),
    },
    Rule {
        figure: training_run::Params::ID,
        is_asked: is_planned,
        sets: |r| {
            let tokens = r.tokens.map(|tokens| vec![("given", "tokens".to_owned()), ("tokens", plain(tokens))]);
            let mut sets = tokens.unwrap_or_default();
            sets.extend(some([("seq", r.seq)]));
            sets.extend(r.mfu.map(|mfu| ("mfu", plain(mfu))));
            if r.preset.is_none() {
                // Of a bare size neither depth nor width is known.
                sets.push(("attention", "none".to_owned()));
            }
            sets
        },
        says: |query, _| of(query, |_: &training_run::Params, run| run.finding()),
    },
    Rule {
        figure: planner::Params::ID,
        is_asked: |r| r.has(&LAYOUT) && r.cluster().is_some_and(|[node, nodes]| node * nodes > 1),
        sets: |r| some([("seq", r.seq)]),
        // Its search takes too long to wait for.
        says: |_, _| String::new(),
    },
    Rule {
        figure: cache::Params::ID,
        is_asked: |r| {
            r.has(&["kv", "kvcache"]) || (r.seq.is_some() && r.has(&["context", "concurrency"]) && !r.has(&TRAIN))
        },
        sets: |r| {
            let mut sets = vec![("view", "fit".to_owned())];
            sets.extend(some([("tokens", r.seq), ("tp", r.gpus)]));
            sets
        },
        says: |query, _| of(query, |p: &cache::Params, s| p.finding(s)),
    },
    Rule {
        figure: memory::Params::ID,
        is_asked: |r| r.has(&MEMORY) || r.gpu.is_some(),
        sets: |r| {
            let sharded = r.has(&["fsdp", "zero3", "shard"]).then_some(3);
            let stage = r.words.windows(2).find_map(|pair| match pair {
                [zero, stage] if zero == "zero" => stage.parse::<u64>().ok().filter(|stage| *stage <= 3),
                _ => None,
            });
            let gpus = r.cluster().map_or(1, |[node, nodes]| node * nodes);
            let runs = r.has(&["run", "load", "infer"]) && !r.has(&["train", "training", "tune", "tuning", "finetune"]);
            let mut sets = some([("dp", Some(gpus)), ("zero", stage.or(sharded)), ("mbs", r.batch)]);
            if r.preset.is_some() {
                sets.extend(some([("seq", r.seq)]));
            }
            if runs {
                sets.push(("mode", "inference".to_owned()));
            }
            sets
        },
        says: |query, _| of(query, |_: &memory::Params, b| b.verdict().join(" ").trim_end().to_owned()),
    },
];

/// Whether a run is planned: for a speed that the question then takes for granted.
fn is_planned(r: &Reading) -> bool {
    r.tokens.is_some() || (r.has(&COST) && r.has(&TRAIN))
}

/// The pairs that have a value.
fn some<const N: usize>(pairs: [(&'static str, Option<u64>); N]) -> Vec<(&'static str, String)> {
    pairs.into_iter().filter_map(|(name, value)| Some((name, value?.to_string()))).collect()
}

/// What a model says in this state: its sentence, or why there is no result.
fn of<M: Model>(query: &Query, says: impl Fn(&M, &M::Result) -> String) -> String {
    let (params, _) = M::read(query);
    match params.evaluate() {
        Ok(result) => says(&params, &result),
        Err(why) => why,
    }
}

/// The figure that answers a question, if the question names a model or its size and is of a kind that a figure answers; or the page that
/// compares runs, if the question names a GPU and a speed that was measured on it.
pub fn answer(question: &str) -> Option<Answered> {
    let reading = Reading::of(question);
    if !is_planned(&reading)
        && let Some(answered) = measured::of(&reading)
    {
        return Some(answered);
    }
    if reading.preset.is_none() && reading.params.is_none() {
        return None;
    }
    RULES.iter().filter(|rule| (rule.is_asked)(&reading)).find_map(|rule| set(rule, &reading))
}

/// A figure set to what was read; none if it takes no such model.
fn set(rule: &Rule, reading: &Reading) -> Option<Answered> {
    let entry = catalogue::find(rule.figure)?;
    let mut read = reading.said.clone();
    let takes_count =
        entry.params().any(|p| matches!(p.takes.map(|t| t.what), Some(Takes::Parameters | Takes::Active)));
    let choices = entry.params().find_map(|p| match (p.takes.map(|t| t.what), p.spec.kind) {
        (Some(Takes::Model), Kind::Choice(ids)) => Some(ids),
        _ => None,
    });
    let takes = |preset: &presets::Preset| choices.is_none_or(|ids| ids.contains(&preset.id));
    let model = match (reading.preset.filter(|preset| takes(preset)), reading.params) {
        (Some(preset), _) => Some(ModelRef::Preset(preset)),
        (None, Some(params)) if takes_count => Some(ModelRef::Count(params as u64)),
        (None, params) => {
            let of_preset = || reading.preset?.shape.count().ok().map(|count| count.total as f64);
            let near = params.or_else(of_preset).zip(choices).and_then(|(params, ids)| like(params, ids));
            near.map(|near| {
                read.push(format!("counted as {}, the nearest model in this figure", near.name));
                ModelRef::Preset(near)
            })
        }
    };
    let [node, nodes] = reading.cluster().map_or([None, None], |cluster| cluster.map(Some));
    let setup = Setup { model, gpu: reading.gpu, node, nodes, ..Setup::default() };
    let filled = fill(entry.params(), &setup, &Query::default());
    let declared = |name: &str| entry.params().any(|param| param.spec.name == name);
    let sets = (rule.sets)(reading).into_iter().filter(|(name, _)| declared(name));
    let terms = reading.terms().map(|term| (term, term.sets.iter().find(|(name, _)| declared(name))));
    let (counted, left): (Vec<_>, Vec<_>) = terms.partition(|(_, set)| set.is_some());
    read.extend(counted.iter().map(|(term, _)| term.name.to_owned()));
    read.extend(left.iter().map(|(term, _)| format!("not counted here: {}", term.name)));
    let sets =
        sets.chain(counted.into_iter().filter_map(|(_, set)| set.map(|(name, value)| (*name, (*value).to_owned()))));
    let (query, problems) = (entry.read)(&filled.query.with(&Query::new(sets)));
    // What the figure does not take is said beside what was read.
    read.extend(filled.left.into_iter().chain(problems.into_iter().map(|problem| problem.message)));
    // The address names what the question sets, and nothing that is as it would be anyway.
    let standard = (entry.read)(&Query::default()).0;
    let query = Query::new(query.iter().filter(|(name, value)| standard.get(name) != Some(*value)));
    let mut says = (rule.says)(&query, reading);
    if model.is_none() {
        says = format!("This figure can’t show a model of your size. For its default model: {says}");
    }
    Some(Answered { figure: entry.id, title: entry.title, query, read, says })
}

/// The figure that shows the model of a pasted `config.json`; none if the text is none, or cannot be read.
pub fn of_config(text: &str) -> Option<Answered> {
    let import = crate::model::import(text).ok()?;
    let guess = match &import {
        Import::Known(_) => None,
        Import::Guess { imported, .. } => Some(imported.family),
    };
    let model = ModelRef::Custom { shape: import.imported().shape, guess };
    let query = model.query();
    let says = of(&query, |_: &memory::Params, b| b.verdict().join(" ").trim_end().to_owned());
    let read = vec![model.name()];
    Some(Answered { figure: memory::Params::ID, title: memory::Params::TITLE, query, read, says })
}
